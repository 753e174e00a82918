"""A project outside every repository answers out of its index as it would without."""

from __future__ import annotations

import os
import shutil
import time

import pytest
import repos
import trees
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truepath import Workspace
from truepath.project import current_names, process
from truepath.project import started as programs
from truepath.project.index import build as building
from truepath.project.index import kept_names
from truepath.project.index.build import build
from truepath.project.index.store import IndexStore

pytestmark = pytest.mark.skipif(os.name == "nt", reason="folders do not tell when they changed")

FILES = {
    "README.md": "",
    "src/app/main.py": "",
    "src/app/user_profile.py": "",
    "lib/session_store.py": "",
    "notes/plan.md": "",
    "notes/old/plan.md": "",
    ".gitignore": "*.log\nbuild/\n",
    "deep/.gitignore": "*.tmp\n",
    "deep/er/x.py": "",
    "build/out.py": "",
    "obj/a.log": "",
    ".env": "SECRET=1",
}


PATH = os.environ["PATH"]


@pytest.fixture(autouse=True)
def settled(monkeypatch):
    """What was changed a moment ago counts as settled: a test does not wait for two seconds."""
    monkeypatch.setattr("truepath.project.index.folders._SETTLED_S", -60.0)


@pytest.fixture
def store(tmp_path):
    return str(tmp_path / "store")


@pytest.fixture
def no_git(tmp_path, monkeypatch):
    """Return a function after which no git is installed."""
    (tmp_path / "no-programs").mkdir()
    return lambda: monkeypatch.setenv("PATH", str(tmp_path / "no-programs"))


@pytest.fixture(params=["git", "walk"])
def way(request, no_git):
    """Who lists the names."""
    if request.param == "walk":
        no_git()
    return request.param


@pytest.fixture
def root(make_repo, store, way):
    root = make_repo(FILES, git=False)
    assert build(str(root), store)
    return root


class Work:
    """What was done for an answer."""

    def __init__(self):
        self.folders, self.commands = set(), []

    def clear(self):
        """Forget what was done so far."""
        self.folders.clear()
        self.commands.clear()

    @property
    def kind(self):
        """What it was, in the words of the tables below."""
        if any("ls-files" in words for words in self.commands) or "lib" in self.folders:
            return "lists anew"
        return f"looks into {' '.join(sorted(self.folders))}" if self.folders else "holds"


@pytest.fixture
def work(monkeypatch):
    """The folders that are looked into, and the commands that are run; `lib` never changes."""
    done, scan = Work(), os.scandir

    def start(words, *arguments, **options):
        done.commands.append(words)
        return programs.start(words, *arguments, **options)

    def scandir(path):
        if not isinstance(path, int):  # as `shutil.rmtree` has it
            _, here, inner = f"{os.fspath(path)}/".partition("/repo/")
            done.folders.add(inner.strip("/") or ".") if here else None
        return scan(path)

    monkeypatch.setattr(process, "start", start)
    monkeypatch.setattr(os, "scandir", scandir)
    return done


def names(root, store, **limits):
    return Workspace(root, store=store, **limits).names()


def there(names, root):
    """Return the names of files that are there: of one that is gone no answer is given."""
    return {path for path in names.files if os.path.lexists(root / path)}


def write(root, path):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text("x")


def replaced(path, make):
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    make(path)


def locked(root):
    (root / "obj").chmod(0)
    return lambda: (root / "obj").chmod(0o700)


HOLDS = [
    ("nothing has changed", lambda root: None),
    ("names are no contents", lambda root: (root / "README.md").write_text("x")),
    ("an ignored folder has no names", lambda root: write(root, "build/new.py")),
    ("a repository in an ignored folder has none", lambda root: write(root, "build/.git/HEAD")),
]

LOOKS = [
    ("src/app", "a file beside others", lambda root: write(root, "src/app/new.py")),
    (".", "a file at the root", lambda root: write(root, "new.py")),
    (
        ". new new/deep new/deep/er",
        "all in a new folder is new",
        lambda root: write(root, "new/deep/er/new.py"),
    ),
    ("obj", "a folder may have ignored files alone", lambda root: write(root, "obj/new.py")),
    ("src/app", "an ignored file", lambda root: write(root, "src/app/new.log")),
    ("src", "an ignored folder is not looked into", lambda root: write(root, "src/build/new.py")),
    (
        "deep/er",
        "a rule from further up holds",
        lambda root: (write(root, "deep/er/a.tmp"), write(root, "deep/er/a.log")),
    ),
    ("src", "a name with a newline", lambda root: write(root, "src/a\nb.py")),
    ("src", "a name that is no text", lambda root: write(root, "src/\udcff.py")),
    ("src", "a name like a pathspec", lambda root: write(root, "src/:(top)x.py")),
    ("obj", "a file that was ignored is gone", lambda root: os.unlink(root / "obj/a.log")),
    (".", "a folder without names is gone", lambda root: shutil.rmtree(root / "obj")),
    ("src", "a link is a name", lambda root: (root / "src/link").symlink_to("../lib")),
    ("src", "so is one to outside", lambda root: (root / "src/link").symlink_to(root.parent)),
    ("src", "and one that leads nowhere", lambda root: (root / "src/link.py").symlink_to("none")),
    ("src", "a pipe is no file", lambda root: os.mkfifo(root / "src/pipe.py")),
    (".", "an empty `.git` is no repository", lambda root: (root / ".git").mkdir()),
    ("obj", "a folder may be closed", locked),
]

ANEW = [
    ("a rule more", lambda root: (root / ".gitignore").write_text("*.log\nnotes/\n")),
    ("a rule less", lambda root: (root / ".gitignore").write_text("build/\n")),
    ("no rule at all", lambda root: os.unlink(root / ".gitignore")),
    ("a rule in a folder", lambda root: (root / "notes/.gitignore").write_text("plan.md\n")),
    ("a rule in a new folder", lambda root: write(root, "new/.gitignore")),
    ("a file is gone", lambda root: os.unlink(root / "notes/plan.md")),
    ("a folder is gone", lambda root: shutil.rmtree(root / "notes")),
    ("a folder in a folder is gone", lambda root: shutil.rmtree(root / "notes/old")),
    ("a renamed folder is a new one", lambda root: os.rename(root / "notes", root / "texts")),
    ("a file in another case", lambda root: os.rename(root / "README.md", root / "readme.md")),
    ("a folder in place of a file", lambda root: replaced(root / "notes/plan.md", os.mkdir)),
    ("a pipe in place of a file", lambda root: replaced(root / "notes/plan.md", os.mkfifo)),
    (
        "a link in place of a folder",
        lambda root: replaced(root / "notes/old", lambda path: path.symlink_to("../src/app")),
    ),
    (
        "a link to outside in place of a folder",
        lambda root: (
            write(root.parent, "outside/old/secret.py"),
            replaced(root / "notes", lambda path: path.symlink_to(root.parent / "outside")),
        ),
    ),
    ("a file in place of a folder", lambda root: replaced(root / "notes", lambda p: p.touch())),
    (
        "more new files than are judged one by one",
        lambda root: [write(root, f"many/{at}.py") for at in range(2_001)],
    ),
]


@pytest.mark.parametrize(("why", "change"), HOLDS, ids=[row[0] for row in HOLDS])
def test_an_index_holds_without_a_process_or_a_look(root, store, work, why, change):
    change(root)
    work.clear()

    found = names(root, store)

    assert (work.kind, work.commands) == ("holds", []), why
    assert list(found.files) == list(Workspace(root).names().files)
    assert (found.untracked, found.cut_short) == (True, False)


@pytest.mark.parametrize(("where", "why", "change"), LOOKS, ids=[row[1] for row in LOOKS])
def test_a_changed_folder_is_looked_into_again(root, store, work, where, why, change):
    undo = change(root)
    work.clear()

    found = names(root, store)

    done = work.kind
    wanted = Workspace(root).names()
    assert done == f"looks into {where}", why
    assert there(found, root) == there(wanted, root)
    assert (found.source, found.untracked, found.cut_short) == (wanted.source, True, False)
    if callable(undo):
        undo()


@pytest.mark.parametrize(("why", "change"), ANEW, ids=[row[0] for row in ANEW])
def test_all_is_listed_anew_where_a_look_would_not_tell(root, store, work, why, change):
    change(root)
    work.clear()

    found = names(root, store)

    assert work.kind == "lists anew", why
    assert list(found.files) == list(Workspace(root).names().files)


@pytest.mark.parametrize("change", [row[-1] for row in (*LOOKS, *ANEW)])
def test_an_index_that_is_built_again_is_as_good_as_new(root, store, work, change):
    undo = change(root)
    assert build(str(root), store)
    work.clear()

    found = names(root, store)

    assert work.kind == "holds"
    assert list(found.files) == list(Workspace(root).names().files)
    if callable(undo):
        undo()


def run_git(folder, *words):
    """Run git, also where none is installed for the project."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PATH", PATH)
        repos.run_git(folder, *words)


REPOSITORIES = [
    (".", "a repository at the root has its own rules"),
    ("..", "and so has one around it"),
    ("notes", "one inside has rules and names of its own"),
    ("new/clone", "as has one that is new"),
]


@pytest.mark.parametrize(("where", "why"), REPOSITORIES, ids=[row[0] for row in REPOSITORIES])
def test_a_repository_that_begins_afterwards_ends_the_index(root, store, work, where, why):
    (root / where).mkdir(parents=True, exist_ok=True)
    run_git(root / where, "init", "-q")
    (root / where / ".git/info").mkdir(exist_ok=True)
    (root / where / ".git/info/exclude").write_text("plan.md\n")
    work.clear()

    found = names(root, store)

    assert work.kind == "lists anew", why
    assert list(found.files) == list(Workspace(root).names().files)
    if where in ("notes", "new/clone"):
        assert not build(str(root), store)
        assert IndexStore(store, str(root)).names() is None


def test_names_by_git_do_not_hold_where_git_is_gone_nor_by_a_walk_where_it_has_come(
    make_repo, store, work, monkeypatch, no_git
):
    root, path = make_repo(FILES, git=False), os.environ["PATH"]
    assert build(str(root), store)
    no_git()
    assert (names(root, store).source, work.kind) == ("walk", "lists anew")

    assert build(str(root), store)
    work.clear()
    assert (names(root, store).source, work.kind) == ("walk", "holds")
    monkeypatch.setenv("PATH", path)
    assert (names(root, store).source, work.kind) == ("git", "lists anew")


@pytest.mark.parametrize(
    "rule",
    [
        (".config/git/ignore", "plan.md\n"),
        (".gitconfig", "[core]\n\texcludesFile = ~/mine\n"),
        ("included", "[core]\n\texcludesFile = ~/mine\n"),
    ],
)
def test_the_user_s_own_rules_are_rules(make_repo, store, work, isolated, rule, monkeypatch):
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    repos.write_files(isolated, {"mine": "main.py\n", "included": "[user]\n\tname = Ada\n"})
    repos.write_files(isolated, {".gitconfig": "[include]\n\tpath = included\n"})
    root = make_repo(FILES, git=False)
    assert build(str(root), store)
    work.clear()
    names(root, store)
    assert work.kind == "holds"

    repos.write_files(isolated, dict([rule]))

    assert list(names(root, store).files) == list(Workspace(root).names().files)
    assert work.kind == "lists anew"


def test_other_settings_in_the_environment_are_other_rules(root, store, work, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.excludesFile")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "/dev/null")

    names(root, store)

    assert work.kind == "lists anew"
    assert not build(str(root), store)


def test_a_repository_that_no_git_reads_has_the_index_of_a_walk(
    make_repo, store, no_git, work, git, monkeypatch
):
    repo, path = make_repo({"a/x.py": "", ".gitignore": "*.log\n", "y.log": ""}), os.environ["PATH"]
    git(repo, "add", "--force", "y.log")
    no_git()
    assert build(str(repo), store)
    work.clear()

    assert list(names(repo, store).files) == [".gitignore", "a/x.py"]
    assert work.kind == "holds"
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/exclude").write_text("x.py\n")
    assert list(names(repo, store).files) == [".gitignore"]
    assert build(str(repo), store)
    monkeypatch.setenv("PATH", path)
    assert list(names(repo, store).files) == [".gitignore", "a/x.py", "y.log"]


def test_a_repository_that_git_reads_only_now_and_then_has_no_index_of_a_walk(
    make_repo, store, git_that
):
    repo = make_repo(FILES)
    git_that("*ls-files*", "exit 128")

    assert not build(str(repo), store)
    assert names(repo, store).source == "walk"


def test_a_repository_that_git_refuses_has_one_too(make_repo, store, git_that, work):
    repo = make_repo(FILES)
    git_that("*", "exit 128")
    assert build(str(repo), store)
    work.clear()

    found = names(repo, store)

    assert (found.source, work.kind) == ("walk", "holds")
    assert list(found.files) == list(Workspace(repo).names().files)


def test_a_project_behind_a_link_has_the_index_of_where_the_link_leads(
    root, make_repo, store, tmp_path, work
):
    link = tmp_path / "link"
    link.symlink_to(root)
    assert list(names(link, store).files) == list(Workspace(root).names().files)
    work.clear()
    names(link, store)
    assert work.kind == "holds"
    link.unlink()
    link.symlink_to(make_repo({"other.py": ""}, git=False))
    assert list(names(link, store).files) == ["other.py"]


def test_names_of_a_folder_outside_are_no_names_of_the_repository_made_of_it(make_repo, store, git):
    """The same names hold by another stamp and other rules, so nothing of it is taken over."""
    root = make_repo(FILES, git=False)
    assert build(str(root), store)
    git(root, "init", "-q")
    git(root, "add", "--all")
    names(root, store)
    before = IndexStore(store, str(root)).proof()

    assert build(str(root), store)

    after = IndexStore(store, str(root)).proof()
    assert (before.is_outside, after.is_outside) == (True, False)
    assert before.names != after.names
    (root / ".git/info").mkdir(exist_ok=True)
    (root / ".git/info/exclude").write_text("new.py\n")
    write(root, "lib/new.py")
    assert list(names(root, store).files) == list(Workspace(root).names().files)


def test_an_ignored_folder_of_a_repository_has_an_index_by_its_own_rules(
    make_repo, store, work, git
):
    repo = make_repo({".gitignore": "/tmp/\n", "a.py": ""})
    for name in ("one.py", "two.log", ".gitignore"):
        write(repo, f"tmp/{name}")
    (repo / "tmp/.gitignore").write_text("*.log\n")
    root = repo / "tmp"
    assert build(str(root), store)
    work.clear()

    assert list(names(root, store).files) == [".gitignore", "one.py"]
    assert work.commands == []
    git(repo, "add", "--force", "tmp/two.log")
    assert list(names(root, store).files) == list(Workspace(root).names().files)
    (repo / ".gitignore").write_text("*.md\n")
    assert list(names(root, store).files) == list(Workspace(root).names().files)


def test_a_folder_of_too_many_files_has_no_index(make_repo, store, way, monkeypatch):
    monkeypatch.setattr(building, "LIMIT", 100)
    root = make_repo({f"{at}.py": "" for at in range(101)}, git=False)

    assert not build(str(root), store)
    (root / "0.py").unlink()
    # A walk counts entries, and so finds as many.
    assert build(str(root), store)


def test_an_empty_folder_has_no_index(make_repo, store, way):
    assert not build(str(make_repo({}, git=False)), store)


def test_the_home_folder_has_no_index(isolated, store, way):
    write(isolated, "a.py")

    assert not build(str(isolated), store)
    assert not os.path.exists(IndexStore(store, str(isolated)).path("names"))


@pytest.mark.parametrize("late", [0.0, None])
def test_what_is_late_is_listed_anew(root, store, monkeypatch, late):
    """An index outside is no proof of anything before all folders have been looked at."""
    monkeypatch.setattr(kept_names.KeptNames, "others", lambda *_: ([], False))

    found = names(root, store, deadline=late)

    assert found.cut_short == (late is not None)
    assert found.untracked


def test_many_changed_folders_are_looked_into_and_the_index_is_built_anew_behind(
    root, store, work, monkeypatch
):
    monkeypatch.setattr(kept_names, "_MANY", 1)
    monkeypatch.setattr(current_names, "_WORTH_FILES", 1)
    kept = IndexStore(store, str(root))
    for folder in ("src", "notes"):
        write(root, f"{folder}/new.py")
    os.utime(kept.path("lock"), (0, 0))  # a build has just been
    before = kept.proof()
    work.clear()

    found = names(root, store)

    assert work.kind == "looks into notes src"
    assert list(found.files) == list(Workspace(root).names().files)
    assert renewed(kept, before)


def renewed(kept, before):
    """Wait for an index to be built behind; return whether it was."""
    for _ in range(600):
        proof = kept.proof()
        if proof is not None and (before is None or proof.names != before.names):
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("worth", [len(FILES) - 2, len(FILES) - 1])
def test_a_miss_in_a_project_that_is_worth_it_has_its_index_built_behind(
    make_repo, store, way, monkeypatch, worth
):
    monkeypatch.setattr(current_names, "_WORTH_FILES", worth)
    root = make_repo(FILES, git=False)

    listed = names(root, store)

    kept = IndexStore(store, str(root))
    assert len(listed.files) == len(FILES) - 2
    assert os.path.exists(kept.path("lock")) == (worth <= len(FILES) - 2)
    if worth <= len(FILES) - 2:
        assert renewed(kept, None)
        assert list(names(root, store).files) == list(listed.files)


ANSWERS = [
    ("app/user_profile.py", "src/app/user_profile.py", "a file that is there"),
    ("notes/newly_made.py", "lib/newly_made.py", "one made a moment ago"),
    ("src/session_store.py", None, "one that is gone"),
    ("src/ignored_thing.py", None, "one that is ignored"),
    ("src/outer_secret.py", None, "one behind a link to outside"),
    ("src/.env", None, "a secret"),
]


@pytest.mark.usefixtures("way")
@pytest.mark.parametrize("row", ANSWERS, ids=[row[2] for row in ANSWERS])
@pytest.mark.parametrize("operation", ["read", "edit", "delete"])
def test_answers_are_of_what_is_there_and_may_be_named(make_repo, store, row, operation):
    written, path, why = row
    root = make_repo(FILES, git=False)
    write(root.parent, "elsewhere/outer_secret.py")
    assert build(str(root), store)
    write(root, "lib/newly_made.py")
    write(root, "build/ignored_thing.py")
    (root / "lib/link").symlink_to(root.parent / "elsewhere")
    os.unlink(root / "lib/session_store.py")

    found = Workspace(root, store=store).resolve(written, operation)
    without = Workspace(root).resolve(written, operation)

    assert (found.status, found.path) == (without.status, without.path), why
    assert [each.path for each in found.candidates] == [each.path for each in without.candidates]
    if path is None:
        assert written.rpartition("/")[2] not in str(found.candidates), why
        assert found.path is None
    elif operation == "read":
        assert found.path == path, why


@settings(max_examples=60, suppress_health_check=[*HealthCheck])
@given(
    before=trees.trees(ignoring=True),
    after=trees.trees(ignoring=True),
    chance=st.randoms(use_true_random=False),
)
def test_an_index_knows_what_a_listing_knows_of_any_files_that_come_and_go(
    make_repo, store, way, before, after, chance
):
    root, files = make_repo(trees.flat(before), git=False), trees.flat(before)
    build(str(root), store)
    for path in chance.sample(sorted(files), len(files) // 3):
        os.unlink(root / path)
    for path, content in trees.flat(after).items():
        above = [root / folder for folder in (path, *_folders(path))]
        if not any(place.is_file() for place in above) and not (root / path).is_dir():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_bytes(content)

    found, wanted = names(root, store), Workspace(root).names()

    assert there(found, root) == there(wanted, root)
    assert (found.source, found.cut_short) == (wanted.source, False)
    shutil.rmtree(root)


def _folders(path):
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
