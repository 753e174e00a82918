"""History names no other path that is denied, secret, ignored or outside the project."""

from __future__ import annotations

import os
import shutil
import time

import pytest
from past import LONG, ask, text

from truepath import Guard, ToolCall, Workspace
from truepath.config.settings import Settings
from truepath.project.current_names import Limits
from truepath.project.history import History
from truepath.project.history.repository import GitQuery, locate
from truepath.project.index.build import build
from truepath.project.tree import Disk

SPLIT = text("a", 90).splitlines(keepends=True)


def noted(root, written, **settings):
    """Return what a resolution says of a path that is not there, all of it as one text."""
    resolution = Workspace(root, timeout_s=LONG, **settings).resolve(written)
    decision = Guard(root, timeout_s=LONG, settings=Settings(**settings)).before(
        ToolCall("Read", {"file_path": written})
    )
    return resolution.note, f"{resolution} {decision.text} {decision.payload}"


@pytest.fixture
def renamed_and_deleted(make_repo, move, drop):
    """Return `make(old, new)`: a repository in which a file was renamed, then deleted."""

    def make(old, new):
        repo = make_repo({old: text("a"), "pkg/app/keep.md": "x"})
        move(repo, old, new)
        return repo, drop(repo, new)[:7]

    return make


@pytest.fixture
def pieces(make_repo, git, write, commit):
    """Return `make(old, *new)`: a repository in which a file was cut into others."""

    def make(old, *new):
        repo = make_repo({old: "".join(SPLIT), "pkg/app/keep.md": "x"})
        git(repo, "rm", "--quiet", old)
        size = len(SPLIT) // len(new)
        for n, name in enumerate(new):
            piece = "".join(SPLIT[n * size :][:size])
            write(repo, {name: piece + text(name, 180)})  # too much besides for a rename
        return repo, commit(repo)[:7]

    return make


class TestDenied:
    """The fact is told, and no name."""

    DENY = ("vault/",)

    def test_a_file_that_has_most_of_another_is_not_named(self, pieces):
        repo, last = pieces("lib/keys.py", "vault/master.py")

        assert noted(repo, "lib/keys.py")[0].endswith("; most of it is in vault/master.py")
        note, told = noted(repo, "lib/keys.py", deny=self.DENY)
        assert note == f"deleted in {last}, 2024-01-02"
        assert "vault" not in told

    def test_of_several_pieces_none_is_named_if_one_may_not_be(self, pieces):
        repo, last = pieces("lib/keys.py", "lib/one.py", "vault/two.py")

        note, told = noted(repo, "lib/keys.py", deny=self.DENY)
        assert note == f"deleted in {last}, 2024-01-02"
        assert "vault" not in told

    @pytest.mark.parametrize("new", ["vault/k.py", ".env.production", "certs/server.pem"])
    def test_a_name_that_was_deleted_since_is_not_told(self, renamed_and_deleted, new):
        repo, last = renamed_and_deleted("lib/k.py", new)

        note, told = noted(repo, "lib/k.py", deny=self.DENY)
        assert note == f"renamed, then deleted in {last}, 2024-01-02"
        assert new not in told

    def test_a_name_that_was_deleted_since_is_told_if_it_may_be(self, renamed_and_deleted):
        repo, last = renamed_and_deleted("lib/k.py", "lib/key.py")

        note, _ = noted(repo, "lib/k.py", deny=self.DENY)
        assert note == f"renamed to lib/key.py, which was deleted in {last}, 2024-01-02"

    def test_where_a_file_is_now_is_not_told(self, make_repo, move):
        repo = make_repo({"lib/k.py": text("a"), "keep": "x"})
        last = move(repo, "lib/k.py", "vault/k.py")

        note, told = noted(repo, "lib/k.py", deny=self.DENY)
        assert note == f"renamed in {last[:7]}, 2024-01-02"
        assert "vault" not in told

    def test_what_is_not_committed_is_not_told(self, make_repo, git):
        repo = make_repo({"lib/k.py": text("a"), "vault/x": "x"})
        git(repo, "mv", "lib/k.py", "vault/k.py")

        note, told = noted(repo, "lib/k.py", deny=self.DENY)
        assert note == "renamed, not yet committed"
        assert "vault" not in told

    def test_a_name_between_two_is_not_told(self, make_repo, move, git):
        repo = make_repo({"lib/k.py": text("a"), "keep": "x"})
        last = move(repo, "lib/k.py", "vault/k.py")
        git(repo, "mv", "vault/k.py", "k.py")

        resolution = Workspace(repo, timeout_s=LONG, deny=self.DENY).resolve("lib/k.py")
        then = "then renamed, not yet committed"
        assert resolution.path == "k.py"
        assert resolution.note == f"renamed in {last[:7]}, 2024-01-02, {then}"

    def test_a_name_that_only_a_branch_changed_is_not_told(self, make_repo, move, git):
        repo = make_repo({"vault/k.py": text("a"), "keep": "x"})
        git(repo, "checkout", "--quiet", "-b", "{topic}")
        move(repo, "vault/k.py", "lib/k.py")
        git(repo, "checkout", "--quiet", "main")

        note, told = noted(repo, "lib/k.py", deny=self.DENY)
        assert note == "not here, but on branch {topic}"
        assert "vault" not in told

    def test_of_what_was_meant_perhaps_only_its_end_is_told(self, pieces, tmp_path):
        repo, last = pieces("docs/plan.md", "vault/plans.md")
        store = str(tmp_path / "store")
        assert History(str(repo), store=store).build()

        workspace = Workspace(repo, timeout_s=LONG, store=store, deny=self.DENY)
        note = workspace.resolve("plan.md").note
        assert note.endswith(f"; there was docs/plan.md: deleted in {last}, 2024-01-02")


class TestRoots:
    """A project below its repository, or around another, is told its own paths only."""

    def test_what_moved_out_is_not_said_to_be_anywhere(self, make_repo, move):
        repo = make_repo({"pkg/app/plan.py": text("a"), "pkg/app/keep": "x"})
        last = move(repo, "pkg/app/plan.py", "pkg/hidden/secretplan.py")

        note, told = noted(repo / "pkg/app", "plan.py")
        assert note == f"moved out of this project: renamed in {last[:7]}, 2024-01-02"
        assert "hidden" not in told
        assert ask(repo / "pkg/app", "plan.py").evidence[0] == "outside-root"

    def test_what_moved_out_and_back_is_told_without_the_way(self, make_repo, move, git):
        repo = make_repo({"pkg/app/plan.py": text("a"), "pkg/app/keep": "x"})
        move(repo, "pkg/app/plan.py", "hidden.py")
        git(repo, "mv", "hidden.py", "pkg/app/new.py")

        fate = ask(repo / "pkg/app", "plan.py")
        assert (fate.path, "hidden" in fate.note) == ("new.py", False)

    def test_what_was_deleted_outside_is_told_without_its_name(self, renamed_and_deleted):
        repo, last = renamed_and_deleted("pkg/app/plan.py", "pkg/hidden/plan.py")

        note, told = noted(repo / "pkg/app", "plan.py")
        assert note == f"renamed, then deleted in {last}, 2024-01-02"
        assert "hidden" not in told

    def test_names_are_those_of_the_project(self, make_repo, move, renamed_and_deleted, pieces):
        repo, last = renamed_and_deleted("pkg/app/plan.py", "pkg/app/src/plans.py")
        note, _ = noted(repo / "pkg/app", "plan.py")
        assert note == f"renamed to src/plans.py, which was deleted in {last}, 2024-01-02"

        repo = make_repo({"pkg/app/plan.py": text("a"), "pkg/app/keep": "x"})
        last = move(repo, "pkg/app/plan.py", "pkg/app/plans.py")
        note, _ = noted(repo / "pkg/app", "plan.py")
        assert note == f"renamed to plans.py in {last[:7]}, 2024-01-02"

        repo, _ = pieces("pkg/app/plan.py", "pkg/app/src/plans.py")
        fate = ask(repo / "pkg/app", "plan.py")
        assert fate.successors == ("src/plans.py",)
        assert fate.note.endswith("; most of it is in src/plans.py")

    def test_pieces_outside_are_not_named(self, pieces):
        repo, last = pieces("pkg/app/plan.py", "pkg/app/one.py", "pkg/hidden/two.py")

        fate = ask(repo / "pkg/app", "plan.py")
        assert fate.successors == ("one.py",)
        assert fate.note == f"deleted in {last}, 2024-01-02"

    def test_a_branchs_name_for_what_is_outside_is_told_alone(self, make_repo, move, git):
        repo = make_repo({"hidden/k.py": text("a"), "app/keep": "x"})
        git(repo, "checkout", "--quiet", "-b", "topic")
        move(repo, "hidden/k.py", "app/k.py")
        git(repo, "checkout", "--quiet", "main")

        fate = ask(repo / "app", "k.py")
        assert (fate.kind, fate.path) == ("elsewhere", None)
        assert fate.note == "not here, but on branch topic"

    def test_a_folder_that_moved_to_the_root_is_inside(self, make_repo, git, commit):
        repo = make_repo({f"pkg/app/src/{name}.py": text(name) for name in "abc"})
        for name in "abc":
            git(repo, "mv", f"pkg/app/src/{name}.py", f"pkg/app/{name}.py")
        last = commit(repo)

        fate = ask(repo / "pkg/app", "src")
        assert (fate.kind, fate.path) == ("renamed", "")
        assert fate.note == f"moved with its folder to . in {last[:7]}, 2024-01-02"

    def test_of_a_repository_within_its_place_is_told_too(self, make_repo, renamed_and_deleted):
        repo = make_repo({"keep": "x"})
        other, last = renamed_and_deleted("lib/a.py", "lib/b.py")
        other.rename(repo / "inner")

        note = History(str(repo)).fate("inner/lib/a.py", deadline=LONG).note
        assert note == f"renamed to inner/lib/b.py, which was deleted in {last}, 2024-01-02"


OLD, NEW = "config/settings.json", "private/settings.json"

CALLS = [
    ("Read", {"file_path": OLD}),
    ("Edit", {"file_path": OLD, "old_string": "a line 1", "new_string": "b"}),
    ("Bash", {"command": f"mv {OLD} old.json"}),
    ("Bash", {"command": f"cat {OLD}"}),
]


class TestIgnored:
    """What git ignores is no end of a rename, whatever once was there."""

    @pytest.fixture
    def ignored(self, make_repo, move, write, commit, git):
        """Return a repository whose renamed file is ignored by now, and the last commit."""
        repo = make_repo({OLD: text("a"), "config/other.json": "{}"})
        move(repo, OLD, NEW)
        git(repo, "rm", "--quiet", "--cached", NEW)
        write(repo, {".gitignore": "private/\n"})
        return repo, commit(repo)[:7]

    @pytest.mark.parametrize(("tool", "arguments"), CALLS)
    def test_it_is_neither_led_to_nor_named(self, ignored, tool, arguments):
        repo, last = ignored

        decision = Guard(repo, timeout_s=LONG).before(ToolCall(tool, arguments))

        assert decision.action == "refuse"
        assert "private" not in f"{decision.text} {decision.payload}"
        assert f"renamed, then deleted in {last}, 2024-01-02" in decision.text

    def test_history_itself_does_not_lead_there(self, ignored):
        fate = ask(ignored[0], OLD)

        assert (fate.kind, fate.path) == ("deleted", None)
        assert "private" not in fate.note

    def test_once_it_is_gone_its_name_may_be_told(self, ignored):
        repo, last = ignored
        os.unlink(repo / NEW)

        note = f"renamed to {NEW}, which was deleted in {last}, 2024-01-02"
        assert ask(repo, OLD).note == note

    def test_the_folder_is_not_led_to_either(self, make_repo, move, write, commit, git):
        repo = make_repo({f"config/{name}.json": text(name) for name in "abc"})
        move(repo, "config", "private")
        git(repo, "rm", "-r", "--quiet", "--cached", "private")
        write(repo, {".gitignore": "private/\n"})
        commit(repo)

        for path in ("config", "config/a.json", "config/late.json"):
            fate = ask(repo, path)
            assert (fate.path, "private" in fate.note) == (None, False)

    def test_a_name_that_a_merge_lost_is_not_told_while_it_is_ignored(
        self, make_repo, move, git, write
    ):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        git(repo, "checkout", "--quiet", "-b", "side")
        move(repo, "a.py", "private/a.py")
        git(repo, "checkout", "--quiet", "main")
        git(repo, "commit", "--quiet", "--allow-empty", "--message=main")
        git(repo, "merge", "--quiet", "--no-commit", "side")
        git(repo, "rm", "--quiet", "-f", "private/a.py")
        git(repo, "commit", "--quiet", "--message=merge")
        history = History(str(repo))

        fate = history.fate("a.py", deadline=LONG)
        assert fate.note.startswith("renamed to private/a.py in ")
        assert fate.note.endswith(", which is gone too")
        write(repo, {"private/a.py": text("a"), ".gitignore": "private/\n"})
        fate = history.fate("a.py", deadline=LONG)
        assert (fate.path, "private" in fate.note) == (None, False)

    def test_what_a_branch_renamed_is_not_led_back_to(self, make_repo, move, git, write, commit):
        repo = make_repo({NEW: text("a"), "keep": "x"})
        git(repo, "checkout", "--quiet", "-b", "topic")
        move(repo, NEW, OLD)
        git(repo, "checkout", "--quiet", "main")
        git(repo, "rm", "--quiet", "--cached", NEW)
        write(repo, {".gitignore": "private/\n"})
        commit(repo)

        fate = ask(repo, OLD)
        assert (fate.path, fate.note) == (None, "not here, but on branch topic")


class TestStillThere:
    """What HEAD, the index or the work tree has, and git does not ignore, is an end as ever."""

    @pytest.fixture
    def untracked(self, make_repo, move, git):
        """Return a repository whose renamed file left git's hands, and stayed on disk."""
        repo = make_repo({"a.py": text("a"), "keep": "x", ".gitignore": "*.log\n"})
        move(repo, "a.py", "lib/b.py")
        git(repo, "rm", "--quiet", "--cached", "lib/b.py")
        git(repo, "commit", "--quiet", "--message=drop")
        return repo

    @pytest.mark.parametrize("staged", [True, False])
    def test_without_a_commit(self, untracked, git, staged):
        if staged:
            git(untracked, "add", "lib/b.py")

        assert ask(untracked, "a.py").path == "lib/b.py"

    def test_tracked_in_an_ignored_folder(self, make_repo, move, git):
        repo = make_repo({"a.py": text("a"), "build/keep": "x", ".gitignore": ""})
        move(repo, "a.py", "build/a.py")
        (repo / ".gitignore").write_text("build/\n")

        assert ask(repo, "a.py").path == "build/a.py"
        git(repo, "rm", "--quiet", "--cached", "build/a.py")
        assert ask(repo, "a.py").path == "build/a.py"  # HEAD has it

    @pytest.mark.parametrize(("ignored", "there"), [(".log\n", "lib/b.py"), ("lib/\n", None)])
    def test_in_a_repository_of_its_own(self, make_repo, untracked, ignored, there):
        shutil.rmtree(untracked / "lib")
        make_repo({"b.py": text("a")}).rename(untracked / "lib")
        (untracked / ".gitignore").write_text(ignored)

        assert ask(untracked, "a.py").path == there

    @pytest.mark.parametrize(("ignored", "there"), [("", "lib/b.py"), ("b.py\n", None)])
    def test_in_a_submodule(self, make_repo, git, commit, untracked, ignored, there):
        part = make_repo({"keep": "x", ".gitignore": ignored})
        shutil.rmtree(untracked / "lib")
        git(untracked, "submodule", "--quiet", "add", str(part), "lib")
        commit(untracked)
        (untracked / "lib/b.py").write_text(text("a"))

        assert ask(untracked, "a.py").path == there

    def test_a_folder_and_a_file_in_it_are_asked_for_at_once(self, make_repo):
        place = locate(str(make_repo({"lib/b.py": "x", "[a]": "y"})), timeout=LONG)
        assert place is not None
        look = GitQuery(place, time.monotonic() + LONG)
        kinds = {"lib/b.py": "blob", "lib": "tree", "[a]": "blob", "none": "", "": "tree"}

        assert look.head_kind(*kinds) == "blob"
        look.end = 0.0
        assert {path: look.head_kind(path) for path in kinds} == kinds


@pytest.fixture
def started(tmp_path, monkeypatch):
    """Return a function that tells which git commands were started since it was asked last."""
    log, git = tmp_path / "log", shutil.which("git")
    folder = tmp_path / "bin"
    folder.mkdir()
    script = '#!/bin/sh\nfor word; do case "$word" in\n' + "".join(
        f'{name}) echo {name} >> "{log}";;\n'
        for name in ("rev-parse", "ls-tree", "ls-files", "log", "diff-tree", "for-each-ref")
    )
    (folder / "git").write_text(f'{script}esac; done\nexec "{git}" "$@"\n')
    (folder / "git").chmod(0o755)

    def since():
        words = log.read_text().split() if log.exists() else []
        log.unlink(missing_ok=True)
        return words

    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    return since


@pytest.mark.skipif(os.name == "nt", reason="needs a script in git's place")
def test_where_there_is_a_map_an_ordinary_rename_costs_one_question(make_repo, move, started):
    repo = make_repo({"a.py": text("a"), "keep": "x"})
    for old, new in (("a.py", "b.py"), ("b.py", "c.py"), ("c.py", "d.py")):
        move(repo, old, new)
    history = History(str(repo))
    assert history.build()

    started()
    assert history.fate("a.py", deadline=LONG).path == "d.py"
    assert started() == ["ls-tree"]


def searched(repo, path, store=None):
    limits = Limits(limit=1000, deadline=None, timeout_s=LONG)
    return Disk(str(repo), deny=(), limits=limits, store=store).search(path)


@pytest.mark.skipif(os.name == "nt", reason="needs a script in git's place")
def test_where_there_is_a_map_a_miss_costs_four_programs(make_repo, started, tmp_path):
    repo, store = make_repo({"lib/a.py": "x"}), str(tmp_path / "store")
    assert History(str(repo), store=store).build()
    started()

    names, past = searched(repo, "lib/b.py", store)

    assert past.fate.kind == "never"
    assert list(names.files) == ["lib/a.py"]
    # Of history: HEAD, and the other branches. What git's index has is in the first list.
    assert sorted(started()) == ["for-each-ref", "ls-files", "ls-files", "ls-tree"]


def test_what_was_added_and_moved_without_a_commit_is_found(make_repo, write, git):
    repo = make_repo({"keep": "x"})
    write(repo, {"a.py": text("a")})
    git(repo, "add", "a.py")
    (repo / "lib").mkdir()
    (repo / "a.py").rename(repo / "lib/b.py")

    _, past = searched(repo, "a.py")

    assert (past.fate.path, past.fate.evidence) == ("lib/b.py", ("moved-uncommitted",))


def _sparse(repo, git):
    """A file is in git's index, not in HEAD, and left out of the work tree."""
    git(repo, "commit", "--quiet", "--message", "more")
    git(repo, "sparse-checkout", "set", "lib")
    git(repo, "reset", "--quiet", "--soft", "HEAD~1")


def _submodule(repo, git):
    """Git's index has a folder, and no file below it."""
    git(repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", f"{repo}", "part")
    shutil.rmtree(repo / "part")


IN_GIT_S_INDEX = [
    ("a file left out of a sparse checkout", _sparse, "src/new.py", "elsewhere"),
    ("the folder of a submodule", _submodule, "part", "deleted"),
]


@pytest.mark.parametrize("indexed", [False, True], ids=["listed", "index"])
@pytest.mark.parametrize("row", IN_GIT_S_INDEX, ids=[row[0] for row in IN_GIT_S_INDEX])
def test_what_git_s_index_has_and_no_list_of_files_is_in_git(
    make_repo, write, git, tmp_path, indexed, row
):
    why, made, path, kind = row
    repo, store = make_repo({"lib/a.py": "x", "src/b.py": "x"}), str(tmp_path / "store")
    write(repo, {"src/new.py": "y"})
    git(repo, "add", "src/new.py")
    made(repo, git)
    assert not indexed or build(str(repo), store)

    _, past = searched(repo, path, store if indexed else None)

    assert past.fate.kind == kind, why
