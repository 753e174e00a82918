from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.project.secrets import Deny, has_link, is_secret, leads_out

SECRETS = [
    *(".env", "app/.env", ".env.local", ".env.production", ".env.example.local", "/home/a/.env"),
    *("server.pem", "tls/private.key", "a.p12", "a.pfx", "a.jks", "release.keystore"),
    *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "keys/id_ed25519_sk"),
    *(".netrc", "_netrc", ".pgpass", ".htpasswd", ".git-credentials", ".pypirc"),
    *(".ssh/config", ".ssh/known_hosts", "home/.gnupg/trustdb.gpg", ".aws/credentials", ".aws"),
    *(".docker/config.json", ".kube/config", "x/.kube/config"),
    *(".git/config", ".git/hooks/pre-commit", "vendor/x/.git/HEAD", "sub/.git"),
    *("service-account.json", "service_account.json", "serviceAccountKey.json"),
    *("service-account-prod.json", "service-account.key.json", "serviceaccount.json"),
    *("AuthKey_AB12.p8", "terraform.tfstate", "terraform.tfstate.backup", "prod.tfstate"),
    *("terraform.tfstate.1700000000.backup", "prod.tfvars", "terraform.tfvars", "x.tfvars.json"),
    *(
        "secret.auto.tfvars",
        "credentials",
        "credentials.json",
        "credentials.yml",
        "credentials.toml",
    ),
    *("db-credentials.json", "gcp_credentials.json", "credential.json"),
    *("credentials.prod.json", "credentials.ini", "credentials.txt", "application_default_x.json"),
    *("client_secret.json", "client_secrets.json", "client-secret.json"),
    *("client_secret_12-ab.apps.googleusercontent.com.json", "kubeconfig", "prod.kubeconfig"),
    *(".npmrc", ".yarnrc.yml", ".envrc", "secrets.yaml", "secrets.yml", "secrets.json"),
    *("secrets.toml", "secrets.prod.yaml", "app-secrets.yml", "secret.json", ".secrets.toml"),
    *(".vault-token", ".vault_pass", "team.kdbx", "office.ovpn", ".s3cfg", ".boto", "key.ppk"),
    *("deploy_rsa", "my_id_rsa", "ci_ed25519", "private.asc", "my-secret-key.asc"),
    *(".dockercfg", "wp-config.php", ".my.cnf", ".terraformrc", ".codex/auth.json"),
    *("containers/auth.json", ".composer/auth.json", "gh/hosts.yml", ".cargo/credentials.toml"),
    *("gcp-service-account.json", "shop-firebase-adminsdk-ab1.json", "firebase-adminsdk.json"),
    *("prod.env", "deploy/secrets.env", "credentials.csv", "credentials.xml", "rootkey.csv"),
    *("id_ed25519_work", "ssh_host_rsa_key", "deploy_key", "kubeconfig.yaml", "passwords.txt"),
    *(".mylogin.cnf", ".m2/settings.xml", "rclone.conf", "kaggle.json", "key.properties"),
    *("id_rsa.bak", "id_rsa.old", "id_rsa.orig", "id_rsa.save", "id_rsa~", "id_rsa.1"),
    *("id_rsa.copy", "id_rsa copy", ".env.bak", ".env.old", ".env~", "..env.swp", ".id_rsa.swp"),
    *("credentials.json.bak", "server.key.orig", "server.pem.1", "secrets.yaml.old", "#.env#"),
    *("prod.tfvars.bak", ".npmrc.save", ".netrc-old", ".htpasswd_backup", "id_rsa.bak.old"),
    *(".ENV", "ID_RSA", "Server.PEM", ".SSH/Config", ".Env.Local"),  # disks that ignore case
    *(".env.", ".env ", ".ssh./config", "app\\.env"),  # the same file on Windows
]
NO_SECRETS = [
    *(".env.example", ".env.sample", ".env.template", ".env.dist", ".env.local.example"),
    *("id_rsa.pub", "id_ed25519.pub", "id_rsa.py", "id_rsa.pub.bak"),
    *("env", "env.py", ".environment", "environment.env.ts", "src/env/index.ts"),
    *("config.json", "docker/config.json", "kube/config", ".kube/config.md", ".docker/x.json"),
    *("keys.py", "key", "pem", "src/monkey", "keystore.py", "ssh/config", "aws/credentials.py"),
    *(".gitignore", ".github/workflows/ci.yml", ".gitmodules", "git/config", "netrc", ""),
    *("credentials.py", "secrets.py", "src/credentials.ts", "pkg/credentials.go", "Secrets.java"),
    *("credentials.md", "docs/secrets.md", "secrets/index.ts", "credentials/store.py"),
    *("secret-santa.json", "secrets-of-the-forest.txt", "credentials-page.html", "secretary.json"),
    *("prod.env.example", "test_env.py", "id_rsa_utils.py", "id_ed25519_work.pub", "settings.xml"),
    *("passwords.py", "lang/en/passwords.php", "ssh_host_rsa_key.pub", "service-accounts.md"),
    *("service_account.py", "serviceAccount.ts", "client_secret.rs", "kubeconfig.go"),
    *("credentials.example.json", "credentials.json.example", "secrets.sample.yaml"),
    *("secrets.yaml.template", "terraform.tfvars.example", "service-account.example.json"),
    *("credentials.schema.json", "service-account.test.json", "client_secret.fake.json"),
    *("tests/credentials_test.json", "wp-config-sample.php", ".npmrc.example", ".envrc.sample"),
    *("locales/en/auth.json", "src/auth.json", "auth.ts", "public.asc", "release.asc"),
    *("main.tf", "variables.tf", "tfstate.md", "tfvars.py", "boto.py", "npmrc", "yarnrc.js"),
    *("notes.bak", "main.py.orig", "a.txt~", "README.md.old", "data.1", "copy", ".bak", "~"),
    *(".main.py.swp", "x.swp", "keys.json", "key.json", "token.py", "tokens.json", "rsa.py"),
    *("test_rsa.py", "crypto/rsa", "kdbx.py", "vault.py", "hosts.yml", ".github/hosts.yml"),
    *("package.json", "composer.json", "tsconfig.json", "settings.json", "config.yaml"),
]


def test_a_secret_is_known_by_its_name():
    assert [path for path in SECRETS if not is_secret(path)] == []


def test_what_only_looks_like_a_secret_is_none():
    assert [path for path in NO_SECRETS if is_secret(path)] == []


@given(folder=st.text(), path=st.sampled_from(SECRETS))
def test_a_secret_is_one_in_every_folder(folder, path):
    assert is_secret(f"{folder}/{path}")


def test_composer_s_credentials_lie_beside_its_settings():
    assert is_secret("auth.json")


@given(path=st.text())
def test_any_text_can_be_asked_about(path):
    assert is_secret(path) in (True, False)
    assert Deny(["*.x", "!y", "[", "a/**/b"])(path) in (True, False)


@pytest.mark.parametrize(
    ("patterns", "path", "reason"),
    [
        (["secrets/"], "secrets/a/b.txt", "below a denied folder"),
        (["secrets/"], "secrets", "a folder, for all that is known"),
        (["secrets/"], "app/secrets/x", "a denied folder at any depth"),
        (["/private"], "private/x", "tied to the root"),
        (["*.sql"], "db/dump.sql", "an ending"),
        (["data/**/raw"], "data/2024/raw/x.csv", "below a match of two stars"),
        (["a/", "!a/b"], "a/b", "nothing below a denied folder is taken back"),
        (["*", "!pub/"], "pub", "denied if it is a file"),
        (["caf\udce9"], "caf\udce9", "a name that is not UTF-8"),
    ],
)
def test_a_denied_path_is_denied(patterns, path, reason):
    assert Deny(patterns)(path), reason


@pytest.mark.parametrize(
    ("patterns", "path", "reason"),
    [
        ([], "a", "nothing is denied"),
        (["secrets/"], "secrets.txt", "another name"),
        (["/private"], "app/private/x", "tied to the root"),
        (["*.sql", "!schema.sql"], "schema.sql", "taken back"),
        (["a/*", "!a/b"], "a/b/c", "taken back, and the folder itself is not denied"),
        (["#x"], "#x", "a comment"),
    ],
)
def test_other_paths_are_not_denied(patterns, path, reason):
    assert not Deny(patterns)(path), reason


def test_one_object_answers_any_number_of_times_and_compiles_once():
    deny = Deny(["secrets/", "*.sql", "!schema.sql"])
    asked = ["secrets/a", "b.sql", "schema.sql", "src/a.py"] * 3
    compiled = set()
    for path in asked:
        assert deny(path) == (path in ("secrets/a", "b.sql"))
        compiled.add(id(deny._rules._spec))
    assert len(compiled) == 1


@pytest.mark.parametrize("path", ["a" * 300, "src/" + "a" * 100_000, "a" * 256 + "/b"])
def test_a_name_longer_than_any_disk_allows_is_denied_at_once(path):
    assert Deny(["*a*a*b"])(path)
    assert not Deny([])(path)


def test_a_pattern_of_too_many_stars_denies_more_not_less():
    deny = Deny(["**/*secret*/**/*key*"])
    assert deny("a/my-secrets/b/the-keys.txt")
    assert deny("a/my-secrets/b/other.txt")
    assert not deny("a/b/the-keys.txt")


@pytest.fixture
def project(tmp_path):
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x").write_text("")
    (tmp_path / "project-two").mkdir()
    return root


@pytest.mark.parametrize("path", ["src/a.py", "src", "", "src/new/b.py", "src/../src/a.py", "a b"])
def test_a_path_inside_stays_inside(project, path):
    assert not leads_out(str(project), path)


@pytest.mark.parametrize(
    "path", ["..", "../outside/x", "../project-two", "/etc/passwd", "src/../../outside", "a\0b"]
)
def test_a_path_outside_leads_out(project, path):
    assert leads_out(str(project), path)


@pytest.mark.parametrize(
    ("target", "path", "out"),
    [
        ("../outside", "link", True),
        ("../outside", "link/x", True),
        ("../outside", "link/new", True),
        ("../outside/not-there", "link", True),
        ("/", "link/etc", True),
        ("..", "link/project-two", True),
        ("..", "link/project/src/a.py", False),
        ("src", "link/a.py", False),
        ("src/not-there", "link", False),
        ("link", "link", True),
        ("link", "link/x", True),
    ],
)
def test_a_link_is_judged_by_where_it_leads(project, target, path, out):
    (project / "link").symlink_to(target)
    assert leads_out(str(project), path) is out


def test_links_that_chase_each_other_lead_out(project):
    (project / "one").symlink_to("two")
    (project / "two").symlink_to("one")
    assert leads_out(str(project), "one/x")


def test_a_root_behind_a_link_is_still_the_root(project, tmp_path):
    (tmp_path / "alias").symlink_to("project")
    assert not leads_out(str(tmp_path / "alias"), "src/a.py")
    assert not leads_out(str(tmp_path / "alias"), str(project / "src" / "a.py"))


def test_a_name_too_long_for_any_file_leads_out(project):
    assert leads_out(str(project), "x" * 5000)


def test_a_folder_that_may_not_be_entered_leads_out(project, shut):
    shut(project / "src")
    assert leads_out(str(project), "src/a.py")


@pytest.fixture
def linked(tmp_path):
    (tmp_path / "src" / "in").mkdir(parents=True)
    (tmp_path / "src" / "in" / "a").write_text("")
    (tmp_path / "to-folder").symlink_to("src")
    (tmp_path / "src" / "to-file").symlink_to("in/a")
    (tmp_path / "src" / "to-nothing").symlink_to("gone")
    return str(tmp_path)


@pytest.mark.parametrize(
    ("path", "link"),
    [
        ("src/in/a", False),
        ("src/in", False),
        ("src/gone/x", False),
        ("src/in/a/x", False),
        ("to-folder", True),
        ("to-folder/in/a", True),
        ("src/to-file", True),
        ("src/to-nothing", True),
        ("src/to-nothing/x", True),
        ("", True),
        ("src/../src/in/a", True),
        ("./src", True),
        ("src//in", True),
        ("a\0b", True),
        ("x" * 300, True),
    ],
)
def test_a_path_is_taken_for_its_real_place_only_if_no_link_can_be_on_the_way(linked, path, link):
    assert has_link(linked, path) is link
    if not link:
        assert os.path.realpath(f"{linked}/{path}") == f"{os.path.realpath(linked)}/{path}"
        assert not leads_out(linked, path)
