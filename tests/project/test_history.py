"""What history says of missing paths, on real repositories, with a map and without."""

from __future__ import annotations

import os

import pytest
from past import LONG, answer, ask, edited, text

from truepath.project.history import History


class TestRenames:
    def test_renamed_file_is_named_with_commit_and_date(self, make_repo, move):
        repo = make_repo({"src/old.py": text("a"), "keep": "x"})
        commit = move(repo, "src/old.py", "src/new.py")
        fate = ask(repo, "src/old.py")
        assert (fate.kind, fate.path, fate.evidence) == (
            "renamed",
            "src/new.py",
            ("renamed", "new-name"),
        )
        assert (fate.commit, fate.date, fate.hops) == (commit, "2024-01-02", 1)
        assert fate.note == f"renamed to src/new.py in {commit[:7]}, 2024-01-02"
        assert fate.similarity == 100

    def test_chain_is_followed_to_today(self, make_repo, move):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        for old, new in (("a.py", "b.py"), ("b.py", "lib/c.py"), ("lib/c.py", "lib/d.py")):
            move(repo, old, new)
        fate = ask(repo, "a.py")
        assert (fate.path, fate.hops) == ("lib/d.py", 3)
        assert answer(repo, "b.py") == ("renamed", "lib/d.py")

    def test_rename_with_edits_says_how_much_stayed(self, make_repo, write, git, commit):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        git(repo, "rm", "--quiet", "a.py")
        write(repo, {"b.py": edited(text("a"))})
        commit(repo)
        fate = ask(repo, "a.py")
        assert fate.path == "b.py"
        assert 50 < fate.similarity < 100

    def test_case_only_rename_is_followed(self, make_repo, move):
        repo = make_repo({"Readme.md": text("a")})
        move(repo, "Readme.md", "README.md")
        assert answer(repo, "Readme.md") == ("renamed", "README.md")

    def test_swapped_names_end_where_they_are(self, make_repo, move):
        repo = make_repo({"a.py": text("a"), "b.py": text("b")})
        for old, new in (("a.py", "t.py"), ("b.py", "a.py"), ("t.py", "b.py"), ("a.py", "z.py")):
            move(repo, old, new)
        assert answer(repo, "t.py") == ("renamed", "b.py")
        assert answer(repo, "a.py") == ("renamed", "z.py")

    def test_renamed_then_deleted_is_deleted(self, make_repo, move, drop):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        move(repo, "a.py", "b.py")
        commit = drop(repo, "b.py")
        fate = ask(repo, "a.py")
        assert (fate.kind, fate.path, fate.commit) == ("deleted", None, commit)
        assert fate.note == f"renamed to b.py, which was deleted in {commit[:7]}, 2024-01-02"

    def test_new_name_deleted_and_made_again_is_marked(self, make_repo, move, drop, write, commit):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        move(repo, "a.py", "b.py")
        drop(repo, "b.py")
        write(repo, {"b.py": text("other")})
        commit(repo)
        fate = ask(repo, "a.py")
        assert (fate.kind, fate.path, fate.evidence) == (
            "renamed",
            "b.py",
            ("renamed", "recreated", "new-name"),
        )

    def test_stand_in_left_behind_and_deleted_later_still_leads_on(
        self, make_repo, move, drop, write, commit
    ):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        move(repo, "a.py", "lib/a.py")
        write(repo, {"a.py": "from lib.a import *\n"})
        commit(repo)
        drop(repo, "a.py")
        history = History(str(repo))
        assert history.build()
        fate = history.fate("a.py", deadline=LONG)
        assert (fate.path, fate.evidence) == ("lib/a.py", ("renamed", "recreated"))

    def test_rename_to_a_name_taken_back_is_followed_from_the_youngest(self, make_repo, move):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        for old, new in (("a.py", "b.py"), ("b.py", "a.py"), ("a.py", "c.py")):
            move(repo, old, new)
        assert answer(repo, "a.py") == ("renamed", "c.py")
        assert answer(repo, "b.py") == ("renamed", "c.py")

    def test_empty_files_are_not_paired(self, make_repo, git, write, commit):
        repo = make_repo({"a/__init__.py": "", "keep": "x"})
        git(repo, "rm", "--quiet", "a/__init__.py")
        write(repo, {"z/__init__.py": ""})
        commit(repo)
        assert answer(repo, "a/__init__.py") == ("deleted", None)

    @pytest.mark.parametrize(
        "name",
        [
            "with space.py",
            "naïve-文件.py",
            "*.py",
            "[a].py",
            ":(glob)x.py",
            ":!x.py",
            "-n.py",
            "quote\"'.py",
            "tab\there.py",
            "bad-\udcff-bytes.py",
            "back\\slash.py",
        ],
    )
    def test_name_is_taken_as_it_is(self, make_repo, move, git, commit, name):
        repo = make_repo({"keep": "x", "plain.py": text("b")})
        with open(os.path.join(repo, name), "w") as file:
            file.write(text("a"))
        commit(repo)
        os.mkdir(repo / "lib")
        os.rename(os.path.join(repo, name), os.path.join(repo, "lib", name))
        commit(repo)
        assert answer(repo, name) == ("renamed", f"lib/{name}")


class TestFolders:
    def test_folder_is_followed(self, make_repo, move):
        repo = make_repo({f"old/pkg/{n}.py": text(n) for n in "abc"})
        move(repo, "old", "new")
        assert answer(repo, "old") == ("renamed", "new")
        assert answer(repo, "old/pkg") == ("renamed", "new/pkg")
        assert ask(repo, "old/pkg").evidence == ("folder-renamed",)

    def test_file_new_since_is_found_through_its_folder(self, make_repo, move, write, commit):
        repo = make_repo({f"old/dir/{n}.py": text(n) for n in "abc"})
        move(repo, "old", "new")
        write(repo, {"new/dir/late.py": text("late")})
        commit(repo)
        fate = ask(repo, "old/dir/late.py")
        assert (fate.kind, fate.path) == ("renamed", "new/dir/late.py")
        assert fate.evidence == ("folder-renamed",)
        assert fate.note.startswith("moved with its folder to new/dir/late.py in ")

    def test_folders_moved_twice_are_followed_twice(self, make_repo, move, write, commit):
        repo = make_repo({f"one/{n}.py": text(n) for n in "abc"})
        move(repo, "one", "two")
        move(repo, "two", "deep/three")
        write(repo, {"deep/three/late.py": text("late")})
        commit(repo)
        assert answer(repo, "one/late.py") == ("renamed", "deep/three/late.py")
        assert answer(repo, "one") == ("renamed", "deep/three")

    def test_what_left_a_folder_before_it_moved_says_nothing_of_the_move(self, make_repo, move):
        gone = {f"pkg/testsuite/{n}.py": text(n) for n in "defgh"}
        repo = make_repo({**{f"pkg/{n}.py": text(n) for n in "abc"}, **gone})
        move(repo, "pkg/testsuite", "tests")
        move(repo, "pkg", "src/pkg")
        history = History(str(repo))
        assert history.build()
        ends = [history.fate(each, deadline=LONG) for each in ("pkg", "pkg/testsuite")]
        assert [(each.path, each.evidence) for each in ends] == [
            ("src/pkg", ("folder-renamed",)),
            ("tests", ("folder-renamed",)),
        ]

    def test_folder_moved_to_the_top_is_followed(self, make_repo, git, write, commit):
        repo = make_repo({f"src/{n}.py": text(n) for n in "abc"})
        for n in "abc":
            git(repo, "mv", f"src/{n}.py", f"{n}.py")
        commit(repo)
        write(repo, {"late.py": text("late")})
        commit(repo)
        assert answer(repo, "src/late.py") == ("renamed", "late.py")

    def test_empty_file_moves_with_its_folder(self, make_repo, move):
        files = {f"old/{n}.py": text(n) for n in "abc"}
        repo = make_repo({**files, "old/__init__.py": ""})
        move(repo, "old", "new")
        assert answer(repo, "old/__init__.py") == ("renamed", "new/__init__.py")

    def test_untracked_leavings_do_not_keep_a_folder(self, make_repo, move, write, commit):
        files = {f"old/{n}.py": text(n) for n in "abc"}
        repo = make_repo({**files, ".gitignore": "*.pyc\n"})
        move(repo, "old", "new")
        write(repo, {"new/late.py": text("late"), "old/a.pyc": "x"})
        commit(repo)
        assert answer(repo, "old/late.py") == ("renamed", "new/late.py")

    def test_folder_still_there_says_nothing_of_other_files(self, make_repo, move, write, commit):
        repo = make_repo({"tools/a.py": text("a"), "tools/b.py": text("b"), "Makefile": "all:\n"})
        move(repo, "tools/a.py", "a.py")
        assert answer(repo, "tools/Makefile") == ("never", None)

    def test_folder_split_evenly_leads_nowhere(self, make_repo, git, commit):
        repo = make_repo({f"old/{n}.py": text(n) for n in "abcd"})
        for n, target in zip("abcd", ("x", "x", "y", "y"), strict=True):
            os.makedirs(repo / target, exist_ok=True)
            git(repo, "mv", f"old/{n}.py", f"{target}/{n}.py")
        commit(repo)
        assert answer(repo, "old") == ("deleted", None)

    def test_folder_mostly_deleted_is_marked(self, make_repo, git, commit):
        repo = make_repo({f"old/{n}.py": text(n) for n in "abcd"})
        os.mkdir(repo / "new")
        git(repo, "mv", "old/a.py", "new/a.py")
        git(repo, "rm", "--quiet", "old/b.py", "old/c.py", "old/d.py")
        commit(repo)
        fate = ask(repo, "old")
        assert (fate.path, fate.evidence) == ("new", ("folder-renamed", "partly"))

    def test_one_file_that_left_moves_no_folder_into_one_that_was_there(
        self, make_repo, move, write, commit
    ):
        other = {f"pkg/api/{n}.py": text(f"api {n}") for n in ("config", "users", "routes/orders")}
        repo = make_repo({"src/server.py": text("server"), **other})
        move(repo, "src/server.py", "pkg/api/server.py")
        write(repo, {"pkg/api/late.py": text("late")})
        commit(repo)
        for name in ("config.py", "users.py", "routes/orders.py", "routes", "late.py"):
            assert answer(repo, f"src/{name}") == ("never", None)
        assert answer(repo, "src/server.py") == ("renamed", "pkg/api/server.py")
        assert ask(repo, "src").evidence == ("folder-renamed", "partly")

    def test_one_file_that_left_moves_its_folder_where_nothing_was(self, make_repo, move, write):
        repo = make_repo({"src/server.py": text("server"), "keep": "x"})
        move(repo, "src/server.py", "pkg/api/server.py")
        assert ask(repo, "src").evidence == ("folder-renamed",)

    def test_file_that_was_in_the_other_folder_before_is_no_file_of_this_one(
        self, make_repo, git, commit, write
    ):
        here = {f"old/{n}.py": text(n) for n in "abc"}
        repo = make_repo({**here, "new/config.py": text("config"), "new/web/app.py": text("app")})
        for n in "abc":
            git(repo, "mv", f"old/{n}.py", f"new/{n}.py")
        commit(repo)
        write(repo, {"new/late.py": text("late")})
        commit(repo)
        assert answer(repo, "old/config.py") == ("never", None)
        assert answer(repo, "old/web") == ("never", None)
        assert answer(repo, "old/late.py") == ("renamed", "new/late.py")
        assert answer(repo, "old") == ("renamed", "new")

    def test_folder_is_where_most_of_its_files_went_not_most_of_the_renamed(
        self, make_repo, git, commit, write
    ):
        repo = make_repo({f"old/{n}.py": text(n) for n in "abcdefg"})
        os.mkdir(repo / "new")
        for n in "ab":
            git(repo, "mv", f"old/{n}.py", f"new/{n}.py")
        git(repo, "rm", "--quiet", *(f"old/{n}.py" for n in "cdefg"))
        commit(repo)
        write(repo, {"new/late.py": text("late")})
        commit(repo)
        assert answer(repo, "old/late.py") == ("never", None)
        assert ask(repo, "old").evidence == ("folder-renamed", "partly")

    def test_files_made_anew_on_the_way_moved_with_their_folder(
        self, make_repo, git, commit, write
    ):
        empty = {f"old/{n}/__init__.py": "" for n in "abcd"}
        repo = make_repo({**empty, "old/a.py": text("a"), "old/b.py": text("b")})
        git(repo, "mv", "old", "new")
        write(repo, {"new/b.py": text("other")})
        commit(repo)
        assert ask(repo, "old").evidence == ("folder-renamed",)

    def test_what_left_long_before_takes_no_part(self, make_repo, drop, move, write, commit):
        gone = {f"old/{n}{n}.py": text(n + n) for n in "abcdef"}
        repo = make_repo({**gone, **{f"old/{n}.py": text(n) for n in "abc"}})
        drop(repo, *gone)
        move(repo, "old", "new")
        write(repo, {"new/late.py": text("late")})
        commit(repo)
        fate = History(str(repo)).fate("old/late.py", deadline=LONG)
        assert "partly" in fate.evidence  # git itself is asked for the last commit alone
        history = History(str(repo))
        assert history.build()
        assert history.fate("old/late.py", deadline=LONG).evidence == ("folder-renamed",)

    def test_one_sub_folder_does_not_speak_for_the_others(self, make_repo, git, write, commit):
        repo = make_repo({"old/sub/a.py": text("a"), "old/b.py": text("b"), "new/c.py": text("c")})
        git(repo, "mv", "old/sub", "new/sub")
        git(repo, "rm", "--quiet", "old/b.py")
        commit(repo)
        assert answer(repo, "old/c.py") == ("never", None)
        assert answer(repo, "old/sub") == ("renamed", "new/sub")

    def test_deleted_folder_is_deleted(self, make_repo, drop):
        repo = make_repo({"old/a.py": text("a"), "old/b.py": text("b"), "keep": "x"})
        commit = drop(repo, "old")
        fate = ask(repo, "old")
        assert (fate.kind, fate.commit) == ("deleted", commit)
        assert fate.note == f"its last file went in {commit[:7]}, 2024-01-02"


class TestDeletions:
    def test_deleted_file_has_no_successor(self, make_repo, drop):
        repo = make_repo({"src/config.py": text("a"), "lib/config.py": text("b")})
        commit = drop(repo, "src/config.py")
        fate = ask(repo, "src/config.py")
        assert (fate.kind, fate.path, fate.evidence) == ("deleted", None, ("deleted",))
        assert fate.note == f"deleted in {commit[:7]}, 2024-01-02"

    def test_deleted_made_again_and_deleted_names_the_last(self, make_repo, drop, write, commit):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        drop(repo, "a.py")
        write(repo, {"a.py": text("again")})
        commit(repo)
        last = drop(repo, "a.py")
        assert ask(repo, "a.py").commit == last

    def test_split_names_its_pieces(self, make_repo, git, write, commit):
        whole = text("a", 90)
        lines = whole.splitlines(keepends=True)
        repo = make_repo({"models.py": whole, "keep": "x"})
        git(repo, "rm", "--quiet", "models.py")
        pieces = {f"models/{n}.py": "".join(lines[n * 30 : n * 30 + 30]) for n in range(3)}
        write(repo, {**pieces, "models/other.py": text("other")})
        commit(repo)
        fate = ask(repo, "models.py")
        assert (fate.kind, fate.path, fate.evidence) == ("deleted", None, ("split", "deleted"))
        assert set(fate.successors) == set(pieces)
        assert "; split into models/" in fate.note

    def test_file_merged_into_another_names_it_and_is_deleted(self, make_repo, git, write, commit):
        repo = make_repo({"one.py": text("a"), "two.py": text("b"), "keep": "x"})
        git(repo, "rm", "--quiet", "one.py", "two.py")
        write(repo, {"both.py": text("a") + text("b") + text("c")})
        last = commit(repo)
        fate = ask(repo, "one.py")
        assert (fate.kind, fate.path, fate.evidence) == ("deleted", None, ("merged", "deleted"))
        assert fate.successors == ("both.py",)
        assert fate.note == f"deleted in {last[:7]}, 2024-01-02; most of it is in both.py"

    def test_copied_first_and_deleted_later_is_the_copy(self, make_repo, drop, write, commit):
        repo = make_repo({"old/tool.py": text("a"), "keep": "x"})
        write(repo, {"new/tool.py": edited(text("a"))})
        commit(repo)
        drop(repo, "old/tool.py")
        fate = ask(repo, "old/tool.py")
        assert (fate.path, fate.evidence) == ("new/tool.py", ("copied",))

    def test_copy_is_followed_onward(self, make_repo, drop, write, commit, move):
        repo = make_repo({"old/tool.py": text("a"), "keep": "x"})
        write(repo, {"new/tool.py": text("a")})
        commit(repo)
        drop(repo, "old/tool.py")
        move(repo, "new/tool.py", "final/tool.py")
        assert answer(repo, "old/tool.py") == ("renamed", "final/tool.py")

    def test_boilerplate_in_two_files_has_no_successor(self, make_repo, drop):
        repo = make_repo({f"{n}/aliases": text("a") for n in "xyz"})
        drop(repo, "x/aliases")
        assert answer(repo, "x/aliases") == ("deleted", None)

    def test_short_file_is_not_recognised_by_its_lines(self, make_repo, drop):
        repo = make_repo({"a/x.py": "import os\nimport sys\n", "b/x.py": "import os\nimport sys\n"})
        drop(repo, "a/x.py")
        assert answer(repo, "a/x.py") == ("deleted", None)


class TestMerges:
    def test_rename_made_by_a_merge_is_found(self, make_repo, git, write, commit, move):
        repo = make_repo({"a.py": text("a"), "b.py": text("b")})
        git(repo, "checkout", "--quiet", "-b", "side")
        write(repo, {"side.py": text("s")})
        commit(repo)
        git(repo, "checkout", "--quiet", "main")
        write(repo, {"main.py": text("m")})
        commit(repo)
        git(repo, "merge", "--quiet", "--no-commit", "side")
        git(repo, "mv", "a.py", "moved.py")
        git(repo, "rm", "--quiet", "b.py")
        merge = commit(repo)
        assert ask(repo, "a.py").path == "moved.py"
        assert ask(repo, "b.py").commit == merge
        move(repo, "moved.py", "end.py")
        assert answer(repo, "a.py") == ("renamed", "end.py")

    def test_octopus_that_renames_is_found(self, make_repo, git, write, commit):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        for name in ("one", "two"):
            git(repo, "checkout", "--quiet", "-b", name, "main")
            write(repo, {f"{name}.py": text(name)})
            commit(repo)
        git(repo, "checkout", "--quiet", "main")
        write(repo, {"main.py": text("m")})
        commit(repo)
        git(repo, "merge", "--quiet", "--no-commit", "one", "two")
        git(repo, "mv", "a.py", "z.py")
        commit(repo)
        assert git(repo, "rev-list", "--parents", "-1", "HEAD").count(" ") == 3
        assert answer(repo, "a.py") == ("renamed", "z.py")

    def test_renames_of_both_sides_are_joined(self, make_repo, git, move, commit):
        repo = make_repo({"a.py": text("a"), "b.py": text("b")})
        git(repo, "checkout", "--quiet", "-b", "side")
        move(repo, "a.py", "side/a.py")
        git(repo, "checkout", "--quiet", "main")
        move(repo, "b.py", "lib/b.py")
        git(repo, "merge", "--quiet", "--no-edit", "side")
        assert answer(repo, "a.py") == ("renamed", "side/a.py")
        assert answer(repo, "b.py") == ("renamed", "lib/b.py")

    def test_path_born_and_renamed_on_a_merged_branch_is_found(
        self, make_repo, git, write, commit, move
    ):
        repo = make_repo({"keep": "x"})
        git(repo, "checkout", "--quiet", "-b", "side")
        write(repo, {"draft.py": text("d")})
        commit(repo)
        move(repo, "draft.py", "final.py")
        git(repo, "checkout", "--quiet", "main")
        write(repo, {"main.py": text("m")})
        commit(repo)
        git(repo, "merge", "--quiet", "--no-edit", "side")
        assert answer(repo, "draft.py") == ("renamed", "final.py")

    def test_rename_lost_in_a_merge_is_not_believed(self, make_repo, git, move, write, commit):
        repo = make_repo({"a.py": text("a"), "keep": "x"})
        git(repo, "checkout", "--quiet", "-b", "side")
        move(repo, "a.py", "side.py")
        git(repo, "checkout", "--quiet", "main")
        move(repo, "a.py", "main.py")
        git(repo, "merge", "--quiet", "--strategy=ours", "--no-edit", "side")
        history = History(str(repo))
        assert history.build()
        assert history.fate("a.py", deadline=LONG).path == "main.py"


def test_a_rename_may_change_up_to_half_of_the_file(make_repo, git, commit):
    """Git's own default, from which a repository's settings do not lead away."""
    whole = text("a", lines=60)
    repo = make_repo({"a.py": whole, "b.py": text("b", lines=60), "keep": "x"})
    git(repo, "config", "diff.renames", "false")
    git(repo, "mv", "a.py", "a2.py")
    (repo / "a2.py").write_text(edited(whole, every=3))
    git(repo, "mv", "b.py", "b2.py")
    (repo / "b2.py").write_text(text("b", lines=20) + text("other", lines=40))
    commit(repo)

    assert answer(repo, "a.py") == ("renamed", "a2.py")
    assert answer(repo, "b.py") == ("deleted", None)
