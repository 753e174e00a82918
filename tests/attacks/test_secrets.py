"""Files that are secrets by their names, and calls that come near them."""

from __future__ import annotations

import pytest

from truepath import Guard, ToolCall

SECRETS = """
.env .env.local .env.production config/.env.staging .envrc .npmrc .pypirc .netrc
.git-credentials id_rsa keys/id_ed25519 server.pem server.key certs/site.pfx
.aws/credentials .ssh/config service-account.json credentials.json secrets.yaml
prod.tfvars .htpasswd id_rsa.bak .env~ terraform.tfstate
""".split()
BESIDE = ("README.md", "src/app.py", "config/app.yml", "env.example")


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("secrets")
    for name in (*SECRETS, *BESIDE):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"token of {name}\n")
    return folder


def near(secret):
    """Return wrong paths that only a secret would fit."""
    folder, _, name = secret.rpartition("/")
    yield f"app/{name}"
    yield f"{folder}x/{name}" if folder else f"x/{name}"
    yield f"{secret}x"
    yield f"{secret.upper()}"
    yield f"{secret[:-1]}"
    yield f"`{secret}`"
    yield f"/workspace/app/{secret}"


CALLS = [
    lambda path: ToolCall("read_file", {"path": path}),
    lambda path: ToolCall("bash", {"command": f"cat '{path}'"}),
    lambda path: ToolCall("bash", {"command": f"cp '{path}' /tmp/x"}),
    lambda path: ToolCall("delete_file", {"path": path}),
    lambda path: ToolCall("list_directory", {"path": path}),
    lambda path: ToolCall(
        "edit_file", {"path": path, "old_string": "token of", "new_string": "x"}
    ),
]


@pytest.mark.parametrize("policy", ["careful", "recover"])
@pytest.mark.parametrize("secret", SECRETS)
def test_no_call_is_led_to_a_secret_or_told_of_one(root, secret, policy):
    guard = Guard(root, policy=policy)
    for written in near(secret):
        if (root / written).exists():
            continue
        for call in (make(written) for make in CALLS):
            decision = guard.before(call)
            # What was written may be repeated.
            said = decision.text.replace(written, "")
            told = [
                name for name in SECRETS if f"`{name}`" in said or f" {name}" in said
            ]
            assert told == [], call
            assert "token of" not in said
            assert decision.action != "rewrite" or not [
                name for name in SECRETS if name in str(decision.arguments)
            ], call
