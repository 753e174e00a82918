"""A project answers out of its index as it would without, whatever has happened since."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import time

import pytest
import repos

from truepath import Workspace
from truepath.project import background, current_names, process
from truepath.project import started as programs
from truepath.project.history import History
from truepath.project.index import build as building
from truepath.project.index.build import build
from truepath.project.index.folders import Folders, unpacked
from truepath.project.index.layout import SECTIONS, TABLES, header_of
from truepath.project.index.store import IndexStore, is_intact
from truepath.project.kept import kept_in

FILES = {
    "README.md": "",
    "src/app/main.py": "",
    "src/app/user_profile.py": "",
    "lib/session_store.py": "",
    "docs/guide.md": "",
    ".gitignore": "*.log\nbuild/\n",
    "deep/.gitignore": "*.tmp\n",
    "deep/er/x.py": "",
}

posix = pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: links, modes, times")


@pytest.fixture
def store(tmp_path):
    return str(tmp_path / "store")


@pytest.fixture(autouse=True)
def settled(monkeypatch):
    """What was changed a moment ago counts as settled: a test does not wait for two seconds."""
    monkeypatch.setattr("truepath.project.index.folders._SETTLED_S", -60.0)


@pytest.fixture
def repo(make_repo, store):
    repo = make_repo(FILES)
    (repo / "notes").mkdir()
    (repo / "notes/plan.md").write_text("")
    (repo / "build").mkdir()
    (repo / "build/out.py").write_text("")
    (repo / "obj").mkdir()
    (repo / "obj/a.log").write_text("")
    assert build(str(repo), store)
    return repo


@pytest.fixture
def started(monkeypatch):
    """The git commands that are run."""
    commands = []

    def start(words, *arguments, **options):
        commands.append(words)
        return programs.start(words, *arguments, **options)

    monkeypatch.setattr(process, "start", start)
    return commands


def names(repo, store, **limits):
    return Workspace(repo, store=store, **limits).names()


def whole(repo):
    return Workspace(repo).names()


def same(one, other):
    return list(one.files) == list(other.files) and one.untracked == other.untracked


def test_a_project_that_has_not_changed_is_known_without_git(repo, store, started):
    found = names(repo, store)

    assert started == []
    assert same(found, whole(repo))
    assert "notes/plan.md" in found.files
    assert found.untracked
    assert not found.cut_short


def write(repo, path):
    (repo / path).parent.mkdir(parents=True, exist_ok=True)
    (repo / path).write_text("x")


CHANGES = {
    "a new file beside tracked ones": lambda repo, _: write(repo, "src/app/new.py"),
    "one at the root": lambda repo, _: write(repo, "new.py"),
    "one in a new folder": lambda repo, _: write(repo, "new/deep/er/new.py"),
    "one in a folder of ignored files alone": lambda repo, _: write(repo, "obj/new.py"),
    "one in a folder that is not tracked": lambda repo, _: write(repo, "notes/new.py"),
    "an ignored one": lambda repo, _: write(repo, "src/app/new.log"),
    "one in an ignored folder": lambda repo, _: write(repo, "build/new.py"),
    "an ignored folder": lambda repo, _: write(repo, "lib/build/new.py"),
    "one that an inner rule ignores": lambda repo, _: write(repo, "deep/er/new.tmp"),
    "a name with a newline": lambda repo, _: write(repo, "src/a\nb.py"),
    "a name that is no text": lambda repo, _: write(repo, "src/\udcff.py"),
    "a name like a pathspec": lambda repo, _: write(repo, "src/:(top)x.py"),
    "a removed file that is not tracked": lambda repo, _: os.unlink(repo / "notes/plan.md"),
    "a removed folder": lambda repo, _: shutil.rmtree(repo / "notes"),
    "a folder renamed": lambda repo, _: os.rename(repo / "notes", repo / "texts"),
    "git add": lambda repo, git: git(repo, "add", "notes/plan.md"),
    "git rm --cached": lambda repo, git: git(repo, "rm", "-q", "--cached", "lib/session_store.py"),
    "git mv": lambda repo, git: git(repo, "mv", "docs/guide.md", "docs/manual.md"),
    "git status": lambda repo, git: git(repo, "status"),
    "a commit": lambda repo, git: git(repo, "commit", "-qm", "x", "--allow-empty"),
    "another branch": lambda repo, git: (
        git(repo, "rm", "-rq", "lib"),
        git(repo, "commit", "-qm", "x"),
    ),
    "a rule more": lambda repo, _: (repo / ".gitignore").write_text("*.log\nnotes/\n"),
    "a rule less": lambda repo, _: (repo / ".gitignore").write_text("build/\n"),
    "an inner rule": lambda repo, _: (repo / "notes/.gitignore").write_text("plan.md\n"),
    "a rule for this clone alone": lambda repo, _: (
        (repo / ".git/info").mkdir(exist_ok=True),
        (repo / ".git/info/exclude").write_text("plan.md\n"),
    ),
    "a clone inside": lambda repo, git: (
        write(repo, "inner/a.py"),
        git(repo, "init", "-q", "inner"),
    ),
    "a repository in a known folder": lambda repo, git: git(repo, "init", "-q", "notes"),
    "a link that leads nowhere": lambda repo, _: (repo / "src/link.py").symlink_to("none"),
    "a link to itself": lambda repo, _: (repo / "src/link.py").symlink_to("link.py"),
    "a link to a folder": lambda repo, _: (repo / "src/link").symlink_to("../lib"),
    "a folder in place of a file": lambda repo, _: (
        os.unlink(repo / "notes/plan.md"),
        write(repo, "notes/plan.md/new.py"),
    ),
    "a folder replaced by another": lambda repo, _: (
        write(repo, "../other/new.py"),
        shutil.rmtree(repo / "notes"),
        os.rename(repo / "../other", repo / "notes"),
    ),
    "no repository any more": lambda repo, _: shutil.rmtree(repo / ".git"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_index_knows_what_a_listing_knows_whatever_has_changed(repo, store, git, change):
    CHANGES[change](repo, git)

    found, wanted = names(repo, store), whole(repo)

    gone = {path for path in found.files if not os.path.lexists(repo / path)}
    assert set(found.files) - gone == {
        each for each in wanted.files if os.path.lexists(repo / each)
    }
    assert (found.untracked, found.cut_short) == (True, False)


@pytest.mark.heavy
@pytest.mark.parametrize("change", CHANGES)
def test_an_index_that_is_built_again_is_as_good_as_new(repo, store, git, change):
    CHANGES[change](repo, git)

    # On Windows a project outside a repository has none.
    assert build(str(repo), store) or sys.platform == "win32"
    assert same(names(repo, store), whole(repo))


def test_an_index_file_of_git_that_is_written_anew_with_the_same_names_holds(
    repo, store, git, started
):
    git(repo, "commit", "-qm", "x", "--allow-empty")
    (repo / ".git/index").write_bytes((repo / ".git/index").read_bytes())
    assert same(names(repo, store), whole(repo))
    started.clear()

    names(repo, store)

    assert started == []


def _put(path, data):
    with open(path, "wb") as file:
        file.write(data)


DAMAGE = {
    "empty": lambda path, _: _put(path, b""),
    "half": lambda path, data: _put(path, data[: len(data) // 2]),
    "noise": lambda path, data: _put(path, os.urandom(len(data))),
    "zeros at its end": lambda path, data: _put(
        path, data[: len(data) // 3].ljust(len(data), b"\0")
    ),
    "gone": lambda path, _: os.unlink(path),
    "a folder": lambda path, _: (os.unlink(path), os.mkdir(path)),
    "a pipe": lambda path, _: (os.unlink(path), os.mkfifo(path)),
    "others can write it": lambda path, _: os.chmod(path, 0o666),
    "a link": lambda path, _: (os.rename(path, path + "x"), os.symlink(path + "x", path)),
}


@posix
@pytest.mark.parametrize("around", ["a repository", "none"])
@pytest.mark.parametrize("kind", ["names", "proof", "folders"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_index_changes_no_answer(repo, store, around, kind, damage):
    if around == "none":
        shutil.rmtree(repo / ".git")
        assert build(str(repo), store)
    path = IndexStore(store, str(repo)).path(kind)
    with open(path, "rb") as file:
        data = file.read()
    DAMAGE[damage](path, data)

    found = Workspace(repo, store=store)
    answer = found.resolve("app/user_profile.py")

    assert (answer.status, answer.path) == ("resolved", "src/app/user_profile.py")
    assert same(found.names(), whole(repo))


@pytest.mark.parametrize("section", range(len(SECTIONS) * TABLES))
def test_a_byte_changed_in_any_section_is_found_and_put_right(
    repo, store, section, monkeypatch, git
):
    monkeypatch.setattr("truepath.project.index.pack.SMALL", 0)
    write(repo, "more.py")
    git(repo, "add", ".")
    assert build(str(repo), store)
    path = IndexStore(store, str(repo)).path("names")
    with open(path, "r+b") as file:
        data = bytearray(file.read())
        first, last = header_of(bytes(data), len(data)).spans[section]
        data[(first + last) // 2] ^= 0x20  # a letter in the other case, a name elsewhere
        file.seek(0)
        file.write(data)
    (kept,) = kept_in(store)
    asked = ["app/user_profile.py", "lib/README.md", "src/sesion_store.py", "src/main.pyi"]

    assert (kept.is_damaged, kept.project) == (True, os.path.realpath(repo))
    assert build(str(repo), store)
    assert is_intact(path)
    assert not kept.is_damaged
    with open(path, "wb") as file:
        file.write(data)
    kept.remove()
    without, checked = Workspace(repo), Workspace(repo, store=store)
    for written in asked:
        one, other = without.resolve(written), checked.resolve(written)
        assert (one.status, one.path) == (other.status, other.path)


def test_a_file_in_conflict_is_kept_once(repo, store, git):
    blob = git(repo, "hash-object", "-w", "README.md").strip()
    lines = "".join(f"100644 {blob} {stage}\tsrc/both.py\n" for stage in (1, 2, 3))
    git(repo, "update-index", "--index-info", stdin=lines)
    write(repo, "src/both.py")
    assert build(str(repo), store)

    kept = IndexStore(store, str(repo)).names()

    assert kept is not None
    assert [path for path in kept[0].files if "both" in path] == ["src/both.py"]
    assert len(kept[0]) == len(FILES) + 1


@pytest.mark.parametrize("limit", ["_MOST_UNTRACKED", "_MOST_UNKNOWN"])
def test_of_more_files_than_are_kept_git_is_asked(repo, store, started, monkeypatch, limit):
    monkeypatch.setattr(building, limit, 0)
    assert build(str(repo), store)
    started.clear()

    found = names(repo, store)

    assert any("ls-files" in words for words in started)
    assert same(found, whole(repo))


@pytest.mark.parametrize("enabled", [True, False])
def test_a_build_leaves_the_garbage_collector_as_it_was(repo, store, enabled):
    was = gc.isenabled()
    try:
        (gc.enable if enabled else gc.disable)()
        assert build(str(repo), store)
        assert gc.isenabled() == enabled
    finally:
        (gc.enable if was else gc.disable)()


def test_in_a_home_folder_nothing_is_looked_for_that_git_does_not_track(repo, store, monkeypatch):
    monkeypatch.setenv("HOME", str(repo))
    assert build(str(repo), store)

    assert IndexStore(store, str(repo)).folders() == b""


@posix
@pytest.mark.parametrize("git", [True, False])
def test_an_index_of_another_project_is_none(make_repo, store, git):
    repo, other = make_repo(FILES, git=git), make_repo({"other.py": ""}, git=git)
    assert build(str(other), store)
    mine, its = IndexStore(store, str(repo)), IndexStore(store, str(other))
    for kind in ("names", "proof", "folders"):
        shutil.copy(its.path(kind), mine.path(kind))

    assert same(names(repo, store), whole(repo))


@posix
def test_a_project_behind_a_link_has_the_index_of_where_the_link_leads(
    repo, make_repo, store, tmp_path, started
):
    link = tmp_path / "link"
    link.symlink_to(repo)
    assert list(names(link, store).files) == list(whole(repo).files)
    other = make_repo({"other.py": ""})
    link.unlink()
    link.symlink_to(other)
    assert list(names(link, store).files) == ["other.py"]


@posix
def test_what_is_kept_is_private(repo, store):
    assert os.stat(store).st_mode & 0o777 == 0o700
    assert {os.stat(os.path.join(store, name)).st_mode & 0o777 for name in os.listdir(store)} == {
        0o600
    }


def test_submodules_and_their_new_files_are_listed_beside_the_index(make_repo, store, git):
    repo = make_repo({"a.py": "", "inner/b.py": ""}, commit=False)
    inner = make_repo({"b.py": ""})
    shutil.rmtree(repo / "inner")
    git(
        repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "inner"
    )
    assert build(str(repo), store)
    write(repo, "inner/new.py")

    found = names(repo, store)

    assert {"a.py", "inner/b.py", "inner/new.py"} <= set(found.files)
    assert set(found.files) == set(whole(repo).files)


def test_a_linked_work_tree_and_a_sparse_one_have_their_own_names(repo, store, git, tmp_path):
    tree = tmp_path / "tree"
    git(repo, "worktree", "add", "-q", str(tree))
    git(tree, "sparse-checkout", "set", "src")
    assert build(str(tree), store)

    assert same(names(tree, store), whole(tree))
    assert "lib/session_store.py" not in names(tree, store).files
    assert same(names(repo, store), whole(repo))


def test_another_work_tree_inside_is_left_out_and_no_hindrance(repo, store, git, started):
    git(repo, "worktree", "add", "-q", ".agents/trees/one")
    assert build(str(repo), store)
    started.clear()

    found = names(repo, store)

    assert started == []
    assert same(found, whole(repo))
    assert not any(path.startswith(".agents") for path in found.files)
    git(repo, "worktree", "add", "-q", ".agents/trees/two")
    git(repo, "worktree", "add", "-q", "beside")
    started.clear()
    found = names(repo, store)
    assert not any("ls-files" in words for words in started)
    assert same(found, whole(repo))


@pytest.mark.parametrize("where", ["", "node_modules", "lib/venv/deep"])
@pytest.mark.parametrize("rules", ["", "*.log\n"], ids=["no rules", "rules"])
def test_what_is_not_tracked_in_a_folder_that_tools_make_is_left_out_where_no_rule_is(
    make_repo, store, where, rules
):
    made = ("node_modules/a.js", "lib/venv/deep/b.py")
    repo = make_repo({".gitignore": rules, **dict.fromkeys(made, "")})
    root = repo / where
    assert build(str(root), store)
    for folder in ("node_modules", "node_modules/new", "lib/venv/deep", "lib/venv"):
        write(repo, f"{folder}/new.py")
    (repo / "lib/node_modules").symlink_to("venv")

    assert same(names(root, store), whole(root))
    assert build(str(root), store)
    assert same(names(root, store), whole(root))


NO_TREE = {
    "its file is gone": lambda repo: os.unlink(repo / "tree/.git"),
    "git forgets it": lambda repo: shutil.rmtree(repo / ".git/worktrees/tree"),
    "a repository takes its place": lambda repo: (
        os.unlink(repo / "tree/.git"),
        repos.run_git(repo / "tree", "init", "-q"),
    ),
}


@pytest.mark.parametrize("end", NO_TREE.values(), ids=NO_TREE)
def test_a_folder_that_is_no_other_work_tree_any_more_has_names(repo, store, git, end):
    git(repo, "worktree", "add", "-q", "tree")
    write(repo, "tree/new.py")
    assert build(str(repo), store)
    assert "tree/new.py" not in names(repo, store).files

    end(repo)

    assert "tree/new.py" in names(repo, store).files
    assert same(names(repo, store), whole(repo))


def test_a_folder_of_a_repository_has_its_own_index(repo, store):
    write(repo, "src/new.py")
    assert build(str(repo / "src"), store)

    assert list(names(repo / "src", store).files) == [
        "app/main.py",
        "app/user_profile.py",
        "new.py",
    ]


@posix
def test_where_nothing_can_be_written_there_is_no_index_and_no_error(make_repo, tmp_path):
    repo = make_repo(FILES)
    (tmp_path / "file").write_text("")

    assert not build(str(repo), str(tmp_path / "file/store"))
    assert same(names(repo, str(tmp_path / "file/store")), whole(repo))


def test_an_index_that_could_not_be_written_whole_leaves_the_one_before(repo, store, monkeypatch):
    before = IndexStore(store, str(repo)).names()
    write(repo, "src/new.py")
    subprocess.run(["git", "-C", str(repo), "add", "src/new.py"], check=True)

    def full(*_, **__):
        raise OSError(28, "no space left on device")

    monkeypatch.setattr("truepath.project.index.store.write", full)
    assert not build(str(repo), store)
    after = IndexStore(store, str(repo)).names()
    assert before[1] == after[1]
    assert same(names(repo, store), whole(repo))


def test_what_a_killed_build_left_is_removed_by_the_next(repo, store):
    left = IndexStore(store, str(repo)).path("names") + ".1234.tmp"
    open(left, "w").close()

    assert build(str(repo), store)
    assert not os.path.exists(left)


def test_only_one_builds_at_a_time(repo, store, monkeypatch):
    seen = []

    def tracked(*arguments):
        seen.append(build(str(repo), store))

    monkeypatch.setattr(building, "_tracked", tracked)
    assert not build(str(repo), store)
    assert seen == [False]


@pytest.mark.parametrize("late", ["folders", "rules"])
def test_a_call_that_changes_is_not_corrected_by_an_index_that_may_not_know_all(
    repo, store, monkeypatch, late
):
    """Where what git does not track is not known in time, nothing is the only one of its name."""
    if late == "folders":
        monkeypatch.setattr(Folders, "changed", lambda *_: None)
    else:
        monkeypatch.setattr(Folders, "has_same_rules", lambda _: False)
        monkeypatch.setattr(current_names.CurrentNames, "_untracked_s", 0.0)

    def resolve(written, operation):
        return Workspace(repo, store=store).resolve(written, operation)

    read = resolve("app/user_profile.py", "read")
    edit = resolve("app/user_profile.py", "edit")
    itself = resolve("src/app/USER_PROFILE.py", "edit")

    assert (read.status, read.searched.untracked) == ("resolved", False)
    assert edit.status == "ambiguous"
    assert edit.candidates[0].path == "src/app/user_profile.py"
    assert (itself.status, itself.path) == ("resolved", "src/app/user_profile.py")


def test_the_nearest_folder_is_looked_into_where_not_all_names_are_known(repo, store, monkeypatch):
    monkeypatch.setattr(Folders, "changed", lambda *_: None)
    write(repo, "lib/brand_new_thing.py")
    write(repo, "lib/ignored_new_thing.log")

    answer = Workspace(repo, store=store).resolve("lib/brand_new_thign.py")

    assert answer.candidates[0].path == "lib/brand_new_thing.py"
    assert not answer.searched.untracked
    assert "ignored" not in str(answer.candidates)


@posix
@pytest.mark.parametrize("change", ["none", "a file made", "a folder removed"])
def test_the_nearest_folder_is_looked_into_where_it_has_changed(repo, store, monkeypatch, change):
    monkeypatch.setattr(Folders, "changed", lambda *_: None)
    if change == "a file made":
        write(repo, "lib/new.py")
    elif change == "a folder removed":
        shutil.rmtree(repo / "lib")
    looked, scan = [], os.scandir
    monkeypatch.setattr(os, "scandir", lambda path: looked.append(str(path)) or scan(path))

    Workspace(repo, store=store).resolve("lib/what_is_this.py")

    expected = {"none": [], "a file made": [f"{repo}/lib"], "a folder removed": [f"{repo}"]}
    assert [path for path in looked if ".git" not in path] == expected[change]


def test_a_list_of_folders_comes_back_as_it_was_kept():
    kept = Folders("1-2-3", ["a\n", "b/\udcffc"], {"/x\n": (1, 2)}, {"": (3, 4), "b\n": (5, 6)})

    back = unpacked(kept.pack())

    assert (back.names, back.untracked) == (kept.names, kept.untracked)
    assert (back.rules, back.states) == (kept.rules, kept.states)
    empty = unpacked(Folders("1", [], {}, {}).pack())
    assert (empty.untracked, empty.rules, empty.states) == ([], {}, {})


def test_a_list_of_folders_with_any_byte_changed_or_missing_is_none():
    data = Folders("1-2-3", ["a"], {"/x": (1, 2)}, {"": (3, 4)}).pack()
    for at in range(len(data)):
        assert unpacked(data[:at]) is None
        assert unpacked(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]) is None


def _opened(repo, store) -> list[str]:
    """Return which files are opened and folders are read for a miss."""
    code = (
        "import sys; from truepath import Workspace; seen = []\n"
        "sys.addaudithook(lambda event, given: seen.append(f'{event} {given[0]}')"
        " if event in ('open', 'os.scandir', 'os.listdir', 'os.posix_spawn') else None)\n"
        "Workspace(sys.argv[1], store=sys.argv[2]).names().named('main.py')\n"
        "print('\\n'.join(one for one in seen if sys.argv[3] in one or 'open' not in one))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(repo), store, os.path.dirname(store)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


def test_a_miss_reads_as_much_of_a_large_project_as_of_a_small_one(make_repo, store):
    small, large = make_repo(FILES), make_repo({f"d{n}/e{n}/{n}.py": "" for n in range(60)})
    read = []
    for repo in (small, large):
        assert build(str(repo), store)
        # Imports look into folders once; what is left is of the miss.
        read.append([one for one in _opened(repo, store) if "site-packages" not in one])

    assert len(read[0]) == len(read[1])
    assert not any("spawn" in one for one in read[0] + read[1])
    assert len({one for one in read[0] if "index-" in one}) == 3


def test_a_miss_in_a_project_that_is_worth_it_has_its_index_built_behind(
    make_repo, store, monkeypatch
):
    monkeypatch.setattr(current_names, "_WORTH", 0)
    repo = make_repo(FILES)
    kept = IndexStore(store, str(repo))

    assert Workspace(repo, store=store).names().source == "git"

    for _ in range(600):
        if kept.folders():
            break
        time.sleep(0.05)
    assert same(names(repo, store), whole(repo))
    assert kept.names() is not None


def test_a_folder_that_may_not_be_entered_is_no_hindrance(repo, store, started):
    (repo / "locked").mkdir(mode=0o000)
    try:
        assert build(str(repo), store)
        started.clear()
        assert names(repo, store).untracked
        assert started == []
    finally:
        (repo / "locked").chmod(0o700)


def _staged_and_gone(repo, git):
    write(repo, "src/new/made.py")
    git(repo, "add", "src/new/made.py")
    shutil.rmtree(repo / "src/new")


PASTS = [
    ("never.py", "", "never in git"),
    ("src/never.py", "src", "never in git"),
    ("src/new/made.py", "", "deleted, not yet committed"),
    ("src/new/made.py", "src", "deleted, not yet committed"),
    ("src/new", "", "deleted, not yet committed"),
]


@pytest.mark.parametrize("row", PASTS)
def test_the_past_of_a_path_is_the_same_by_the_index(repo, store, git, started, row):
    path, below, says = row
    _staged_and_gone(repo, git)
    root, asked = str(repo / below), os.path.relpath(path, below or ".")
    assert build(root, store)
    without = Workspace(root).resolve(asked).note
    started.clear()

    assert Workspace(root, store=store).resolve(asked).note == without
    assert says in without
    asks_git = any("ls-files" in words and "-s" in words for words in started)
    assert asks_git == (says != "never in git"), "git's index is read for what is in it alone"


@posix
def test_a_git_that_hangs_keeps_no_build(make_repo, store, tmp_path, monkeypatch):
    repo = make_repo(FILES)
    script = tmp_path / "bin/git"
    write(tmp_path, "bin/git")
    script.write_text("#!/bin/sh\nexec sleep 600\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(script.parent) + os.pathsep + os.environ["PATH"])
    monkeypatch.setattr(background, "ANSWER_SECONDS", 0.2)

    assert not build(str(repo), store)
    assert not History(str(repo), store=store).build()
