"""What is not committed, not on this branch, or not in this repository."""

from __future__ import annotations

import os
import shutil

import pytest
from past import LONG, answer, ask, text

from truepath.project.history import History


class TestUncommitted:
    """Moves without a commit: *corrects* where exactly one file can be meant, else not."""

    def test_git_mv_is_followed(self, make_repo, git):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        git(repo, "mv", "a.py", "b.py")
        fate = ask(repo, "a.py")
        assert (fate.kind, fate.path) == ("renamed", "b.py")
        assert fate.evidence == ("renamed-uncommitted",)
        assert fate.note == "renamed to b.py, not yet committed"

    def test_git_mv_of_a_folder_is_followed(self, make_repo, git):
        repo = make_repo({f"old/{n}.py": text(n) for n in "abc"})
        git(repo, "mv", "old", "new")
        assert answer(repo, "old/a.py") == ("renamed", "new/a.py")
        assert answer(repo, "old") == ("renamed", "new")

    def test_staged_then_moved_again_is_followed(self, make_repo, git):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        git(repo, "mv", "a.py", "b.py")
        os.rename(repo / "b.py", repo / "c.py")
        assert answer(repo, "a.py") == ("renamed", "c.py")

    def test_plain_mv_is_found_by_content(self, make_repo):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        os.rename(repo / "a.py", repo / "b.py")
        fate = ask(repo, "a.py")
        assert (fate.path, fate.evidence) == ("b.py", ("moved-uncommitted",))

    def test_plain_mv_of_a_folder_is_found(self, make_repo):
        repo = make_repo({f"old/{n}.py": text(n) for n in "abc"})
        os.rename(repo / "old", repo / "new")
        assert answer(repo, "old") == ("renamed", "new")
        assert answer(repo, "old/b.py") == ("renamed", "new/b.py")

    def test_content_is_known_with_other_line_ends(self, make_repo):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        os.unlink(repo / "a.py")
        (repo / "b.py").write_bytes(text("a").replace("\n", "\r\n").encode())
        assert answer(repo, "a.py") == ("renamed", "b.py")

    def test_new_file_staged_and_moved_is_found(self, make_repo, write, git):
        repo = make_repo({"keep": "x"})
        write(repo, {"a.py": text("a")})
        git(repo, "add", "a.py")
        os.rename(repo / "a.py", repo / "b.py")
        assert answer(repo, "a.py") == ("renamed", "b.py")

    def test_commits_and_an_uncommitted_move_are_joined(self, make_repo, move, git):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        move(repo, "a.py", "b.py")
        git(repo, "mv", "b.py", "c.py")
        fate = ask(repo, "a.py")
        assert (fate.path, fate.hops) == ("c.py", 2)
        assert fate.evidence == ("renamed-uncommitted", "renamed", "new-name")
        assert fate.note.endswith(", then renamed to c.py, not yet committed")

    def test_same_name_decides_between_twins(self, make_repo):
        repo = make_repo({"x/a.py": text("a"), "keep": "x"})
        os.rename(repo / "x", repo / "y")
        shutil.copy(repo / "y/a.py", repo / "copy.py")
        assert answer(repo, "x/a.py") == ("renamed", "y/a.py")

    def test_two_twins_are_left_alone(self, make_repo):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        shutil.copy(repo / "a.py", repo / "c.py")
        os.rename(repo / "a.py", repo / "b.py")
        assert answer(repo, "a.py") == ("deleted", None)

    def test_ignored_twin_is_left_alone(self, make_repo):
        repo = make_repo({"a.py": text("a"), ".gitignore": "*.bak\n"})
        os.rename(repo / "a.py", repo / "a.bak")
        assert answer(repo, "a.py") == ("deleted", None)

    @pytest.mark.parametrize("staged", [True, False])
    def test_one_file_that_went_takes_its_folder_nowhere(self, make_repo, git, staged):
        repo = make_repo({f"src/{n}.py": text(n) for n in "abcde"} | {"lib/x.py": text("x")})
        os.rename(repo / "src/a.py", repo / "lib/a.py")
        for n in "bcde":
            os.unlink(repo / f"src/{n}.py")
        os.rmdir(repo / "src")
        if staged:
            git(repo, "add", "--all")
        assert answer(repo, "src") == ("deleted", None)
        assert answer(repo, "src/a.py") == ("renamed", "lib/a.py")

    def test_removed_file_is_deleted(self, make_repo):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        os.unlink(repo / "a.py")
        fate = ask(repo, "a.py")
        assert (fate.kind, fate.evidence) == ("deleted", ("deleted-uncommitted",))
        assert fate.note == "deleted, not yet committed"

    def test_rename_whose_end_was_removed_is_deleted(self, make_repo, move):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        move(repo, "a.py", "b.py")
        os.unlink(repo / "b.py")
        assert answer(repo, "a.py") == ("deleted", None)


class TestElsewhere:
    def test_other_branch_is_named(self, make_repo, git, write, commit):
        repo = make_repo({"keep": "x"})
        git(repo, "checkout", "--quiet", "-b", "topic/new")
        write(repo, {"feature.py": text("f"), "pkg/x.py": text("x")})
        tip = commit(repo)
        git(repo, "checkout", "--quiet", "main")
        fate = ask(repo, "feature.py")
        assert (fate.kind, fate.path, fate.evidence) == ("elsewhere", None, ("other-branch",))
        assert (fate.commit, fate.note) == (tip, "not here, but on branch topic/new")
        assert ask(repo, "pkg").kind == "elsewhere"

    def test_name_a_branch_gave_is_led_back(self, make_repo, git, move):
        repo = make_repo({"old.py": text("a"), "keep": "x"})
        git(repo, "checkout", "--quiet", "-b", "topic")
        move(repo, "old.py", "new.py")
        git(repo, "checkout", "--quiet", "main")
        fate = ask(repo, "new.py")
        assert (fate.kind, fate.path, fate.evidence) == (
            "elsewhere",
            "old.py",
            ("renamed-on-branch",),
        )
        assert fate.note == "its name on branch topic; here it is still old.py"

    def test_branch_of_a_remote_is_named(self, make_repo, git, write, commit, tmp_path):
        origin = make_repo({"keep": "x"})
        git(origin, "checkout", "--quiet", "-b", "topic")
        write(origin, {"feature.py": text("f")})
        commit(origin)
        git(origin, "checkout", "--quiet", "main")
        git(tmp_path, "clone", "--quiet", str(origin), "clone")
        fate = ask(tmp_path / "clone", "feature.py")
        assert fate.note == "not here, but on branch origin/topic"

    @pytest.mark.parametrize("tracked", [True, False])
    def test_stash_is_named(self, make_repo, git, write, tracked):
        repo = make_repo({"keep": "x"})
        write(repo, {"wip.py": text("w")})
        if tracked:
            git(repo, "add", "wip.py")
        git(repo, "stash", "--quiet", "--include-untracked")
        fate = ask(repo, "wip.py")
        assert (fate.kind, fate.note) == ("elsewhere", "not here, but on stash@{0}")

    def test_never_is_said_when_nothing_had_it(self, make_repo):
        fate = ask(make_repo({"keep": "x"}), "src/none.py")
        assert (fate.kind, fate.evidence, fate.path) == ("never", (), None)


class TestPlaces:
    def test_root_below_the_repository_speaks_its_own_paths(self, make_repo, move, write, commit):
        files = {"app/src/a.py": text("a"), "app/src/b.py": text("b"), "lib/z.py": text("z")}
        repo = make_repo(files)
        move(repo, "app/src/a.py", "app/core/a.py")
        assert answer(repo / "app", "src/a.py") == ("renamed", "core/a.py")
        move(repo, "app/src/b.py", "lib/b.py")
        fate = ask(repo / "app", "src/b.py")
        assert (fate.kind, fate.path) == ("elsewhere", None)
        assert fate.evidence == ("outside-root", "renamed")

    def test_worktree_answers_for_its_own_branch(self, make_repo, git, move, tmp_path):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        store = str(tmp_path / "store")
        git(repo, "worktree", "add", "--quiet", str(tmp_path / "wt"), "-b", "topic")
        move(tmp_path / "wt", "a.py", "b.py")
        assert answer(tmp_path / "wt", "a.py") == ("renamed", "b.py")
        # One map serves all work trees; each sees its own HEAD.
        assert History(str(repo), store=store).build()
        assert History(str(tmp_path / "wt"), store=store).fate("a.py", deadline=LONG).path == "b.py"
        assert History(str(tmp_path / "wt"), store=store).build()
        fate = History(str(repo), store=store).fate("b.py", deadline=LONG)
        assert (fate.kind, fate.path) == ("elsewhere", "a.py")

    def test_submodule_answers_for_what_is_in_it(self, make_repo, git, move, commit):
        part = make_repo({"src/a.py": text("a"), "keep": "x"})
        repo = make_repo({"keep": "x"})
        git(repo, "submodule", "--quiet", "add", str(part), "vendor/part")
        commit(repo)
        move(repo / "vendor/part", "src/a.py", "src/b.py")
        assert answer(repo, "vendor/part/src/a.py") == ("renamed", "vendor/part/src/b.py")
        assert answer(repo, "vendor/part/none.py") == ("never", None)

    def test_repository_inside_another_answers_for_its_own(self, make_repo, move):
        repo = make_repo({"keep": "x"})
        inner = make_repo({"a.py": text("a"), "keep": "x"})
        shutil.move(inner, repo / "inner")
        move(repo / "inner", "a.py", "b.py")
        assert answer(repo, "inner/a.py") == ("renamed", "inner/b.py")

    def test_repository_behind_a_link_that_leads_out_is_not_asked(self, make_repo, move, tmp_path):
        other = make_repo({"a.py": text("a"), "keep": "x"})
        move(other, "a.py", "b.py")
        repo = make_repo({"keep": "x"})
        os.symlink(other, repo / "link")
        assert answer(repo, "link/a.py") == ("never", None)

    def test_sparse_checkout_says_what_is_left_out(self, make_repo, git, move):
        repo = make_repo({"in/a.py": text("a"), "out/b.py": text("b"), "keep": "x"})
        move(repo, "out/b.py", "out/c.py")
        git(repo, "sparse-checkout", "set", "in")
        fate = ask(repo, "out/c.py")
        assert (fate.kind, fate.evidence) == ("elsewhere", ("not-checked-out",))
        assert ask(repo, "out/b.py").evidence == ("not-checked-out", "renamed", "new-name")

    def test_detached_head_answers_as_of_its_commit(self, make_repo, git, move):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        first = move(repo, "a.py", "b.py")
        move(repo, "b.py", "c.py")
        git(repo, "checkout", "--quiet", "--detach", first)
        assert answer(repo, "a.py") == ("renamed", "b.py")

    def test_middle_of_a_rebase_claims_no_absence(self, make_repo, git, write, commit):
        repo = make_repo({"a.py": text("a")})
        git(repo, "checkout", "--quiet", "-b", "topic")
        write(repo, {"a.py": text("mine")})
        commit(repo)
        git(repo, "checkout", "--quiet", "main")
        write(repo, {"a.py": text("theirs")})
        commit(repo)
        git(repo, "checkout", "--quiet", "topic")
        with pytest.raises(AssertionError, match=r"(?i)conflict|could not apply"):
            git(repo, "rebase", "main")
        assert History(str(repo)).fate("none.py", deadline=LONG).kind == "unknown"

    def test_shallow_clone_claims_no_absence(self, make_repo, git, move, commit, tmp_path):
        repo = make_repo({"a.py": text("a"), "b.py": text("b")})
        move(repo, "a.py", "a2.py")
        move(repo, "b.py", "b2.py")
        git(tmp_path, "clone", "--quiet", "--depth=2", f"file://{repo}", "clone")
        history = History(str(tmp_path / "clone"))
        assert history.fate("b.py", deadline=LONG).path == "b2.py"
        assert history.fate("a.py", deadline=LONG).kind == "unknown"
