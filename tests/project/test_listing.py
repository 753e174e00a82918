from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time

import pytest
import trees
from disks import UNROOTED
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truepath.project import listing as listing_module

FEW = settings(max_examples=25, deadline=None, suppress_health_check=[*HealthCheck])


@pytest.fixture
def git_calls(tmp_path, monkeypatch):
    """Put a git before the real one that notes its calls; `delay` makes some of them hang."""
    real, log, folder = shutil.which("git"), tmp_path / "calls", tmp_path / "bin"
    folder.mkdir()

    def install(delay=""):
        script = folder / "git"
        hang = f'case " $* " in {delay}) exec sleep 60;; esac\n' if delay else ""
        script.write_text(f'#!/bin/sh\necho "$*" >> {log}\n{hang}exec {real} "$@"\n')
        script.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
        log.write_text("")
        return lambda: log.read_text().splitlines()

    return install


def list_names(root, *, limit=1000, **options):
    with listing_module.begin(root, limit=limit, **options) as begun:
        return begun.finished()


def paths(root, **options):
    return list_names(str(root), **options).paths


def test_tracked_and_untracked_names_are_listed_and_ignored_ones_are_not(make_repo, write):
    repo = make_repo({".gitignore": "*.log\nout/", "src/a.py": "", "b": ""})
    write(repo, {"src/new.py": "", "x.log": "", "out/y": ""})
    listing = list_names(str(repo))
    assert listing.paths == [".gitignore", "b", "src/a.py", "src/new.py"]
    assert (listing.source, listing.cut_short, listing.untracked) == ("git", False, True)


def test_a_tracked_file_is_listed_though_it_is_ignored(make_repo, git, write):
    repo = make_repo({"a.log": ""})
    write(repo, {".gitignore": "*.log", "b.log": ""})
    assert paths(repo) == [".gitignore", "a.log"]


def test_a_repository_without_a_commit_is_listed(make_repo):
    assert paths(make_repo({"a": "", "b/c": ""}, commit=False)) == ["a", "b/c"]


def test_an_empty_repository_has_no_names(make_repo):
    listing = list_names(str(make_repo({}, commit=False)))
    assert (listing.paths, listing.source, listing.cut_short) == ([], "git", False)


def test_a_folder_that_is_no_repository_is_listed_by_git_and_left_as_it_was(make_repo):
    root = make_repo({".gitignore": "*.log", "a": "", "b/c": "", "d.log": ""}, git=False)
    before = sorted(os.listdir(root))
    listing = list_names(str(root))
    assert listing.paths == [".gitignore", "a", "b/c"]
    assert (listing.source, listing.cut_short, listing.untracked) == ("git", False, True)
    assert sorted(os.listdir(root)) == before


def test_outside_repositories_the_user_s_own_rules_hold_too(make_repo, isolated, write):
    write(isolated, {".config/git/ignore": "*.bak"})
    root = make_repo({"a": "", "a.bak": "", "b/.gitignore": "!*.bak", "b/c.bak": ""}, git=False)
    assert paths(root) == ["a", "b/.gitignore", "b/c.bak"]


def test_rules_above_a_folder_that_is_no_repository_do_not_hold(make_repo):
    root = make_repo({".gitignore": "*.log", "sub/a.log": "", "sub/b": ""}, git=False)
    assert paths(root / "sub") == ["a.log", "b"]


def test_generated_folders_outside_repositories_are_left_out(make_repo):
    files = {"a": "", "node_modules/x/y.js": "", "b/__pycache__/z": "", "build/c": ""}
    assert paths(make_repo(files, git=False)) == ["a", "build/c"]
    said = {**files, ".gitignore": "build/"}
    assert "node_modules/x/y.js" in paths(make_repo(said, git=False))


def test_repositories_in_a_folder_that_is_none_are_listed_by_their_own_rules(make_repo, git, write):
    root = make_repo({".gitignore": "*.py\n/three", "a": ""}, git=False)
    for name in ("one", "two", "three"):
        write(root, {f"{name}/x.py": "", f"{name}/.gitignore": "*.md", f"{name}/y.md": ""})
        git(root / name, "init", "--quiet")
    git(root / "two", "add", "--all")
    inner = [f"{name}/{file}" for name in ("one", "two") for file in (".gitignore", "x.py")]
    listing = list_names(str(root))
    assert listing.paths == [".gitignore", "a", *inner]
    assert (listing.source, listing.cut_short, listing.untracked) == ("git", False, True)


def test_the_folder_for_temporary_files_is_listed_without_what_is_made_for_it(
    make_repo, monkeypatch
):
    root = make_repo({"a": ""}, git=False)
    monkeypatch.setattr(tempfile, "tempdir", str(root))
    assert paths(root) == ["a"]


def test_where_nothing_temporary_can_be_made_the_folder_is_walked(make_repo, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    listing = list_names(str(make_repo({"a": ""}, git=False)))
    assert (listing.paths, listing.source, listing.cut_short) == (["a"], "walk", False)


def test_a_git_that_is_not_done_in_half_the_time_gives_way_to_a_walk(make_repo, git_calls):
    root = make_repo({".gitignore": "*.log", "a": "", "b.log": ""}, git=False)
    git_calls("*")
    listing = list_names(str(root), deadline=3.0)
    assert (listing.paths, listing.source, listing.cut_short) == (
        [".gitignore", "a"],
        "walk",
        False,
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="not on Windows: named pipes")
def test_a_pipe_in_the_place_of_rules_holds_nothing_up(make_repo, monkeypatch):
    monkeypatch.setattr(listing_module, "_TIMEOUT_S", 0.3)
    root = make_repo({"a": "", "b/c": ""}, git=False)
    os.mkfifo(root / "b" / ".gitignore")
    assert paths(root) == ["a", "b/c"]


def test_nothing_temporary_stays_behind(make_repo, monkeypatch, tmp_path, git_calls):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    root = make_repo({"a": ""}, git=False)
    paths(root)
    git_calls("*")
    paths(root, deadline=0.2)
    assert os.listdir(tmp_path / "temporary") == []


def test_a_folder_that_is_not_there_has_no_names(tmp_path):
    assert paths(tmp_path / "gone") == []


def test_names_are_whatever_bytes_they_are(make_repo, write):
    names = {"a\nb/c\nd", "-x", "--", "caf\udce9/\udcff", "é/ü", " ", "a\tb", '"', "\\", "\x1b[31m"}
    repo = make_repo(dict.fromkeys(names, ""))
    write(repo, {f"new/{name}": "" for name in names})
    assert set(paths(repo)) == names | {f"new/{name}" for name in names}


def test_a_root_whose_name_looks_like_an_option_is_listed(make_repo, monkeypatch):
    repo = make_repo({"--help/a": "", "b": ""})
    monkeypatch.chdir(repo)
    assert paths("--help") == ["a"]


def test_a_root_inside_a_repository_has_only_its_own_names(make_repo, write):
    repo = make_repo({".gitignore": "*.log", "pkg/a.py": "", "pkg/b/c.py": "", "pkg2/d": ""})
    write(repo, {"pkg/new.py": "", "pkg/x.log": "", "other": ""})
    assert paths(repo / "pkg") == ["a.py", "b/c.py", "new.py"]


def test_a_root_that_the_repository_ignores_is_listed_by_its_own_rules(make_repo, write):
    repo = make_repo({".gitignore": "scratch/\n*.py", "a": ""})
    write(
        repo, {"scratch/app/a.py": "", "scratch/app/.gitignore": "*.log", "scratch/app/b.log": ""}
    )
    listing = list_names(str(repo / "scratch" / "app"))
    assert (listing.paths, listing.source) == ([".gitignore", "a.py"], "git")


def test_a_root_of_ignored_files_alone_stays_empty(make_repo, write):
    repo = make_repo({".gitignore": "*.log"})
    write(repo, {"logs/a.log": ""})
    assert paths(repo / "logs") == []


def test_a_root_behind_a_link_is_listed(make_repo, tmp_path):
    (tmp_path / "alias").symlink_to(make_repo({"a/b": ""}))
    assert paths(tmp_path / "alias") == ["a/b"]
    assert paths(tmp_path / "alias" / "a") == ["b"]


def test_links_are_names_and_are_not_followed(make_repo):
    repo = make_repo({"src/a": ""})
    (repo / "folder").symlink_to("src")
    (repo / "loop").symlink_to("loop")
    assert paths(repo) == ["folder", "loop", "src/a"]


def test_a_file_in_conflict_is_listed_once(make_repo, git, write):
    repo = make_repo({"a": "1"})
    git(repo, "switch", "--quiet", "--create", "side")
    write(repo, {"a": "2"})
    git(repo, "commit", "--quiet", "--all", "--message=2")
    git(repo, "switch", "--quiet", "main")
    write(repo, {"a": "3"})
    git(repo, "commit", "--quiet", "--all", "--message=3")
    with pytest.raises(AssertionError):
        git(repo, "merge", "side")
    assert paths(repo) == ["a"]


def test_generated_folders_are_left_out_where_nothing_says_what_to_ignore(make_repo, write):
    repo = make_repo({"a": "", "venv/tracked": ""})
    write(repo, {"node_modules/x/y.js": "", "b/__pycache__/z": "", "venv/untracked": ""})
    assert paths(repo) == ["a", "venv/tracked"]


# Repositories in repositories


@pytest.fixture
def with_submodule(make_repo, git):
    library = make_repo({".gitignore": "*.o", "lib.c": "", "in/deep.c": ""})
    repo = make_repo({".gitignore": "*.log", "main.c": ""})
    git(repo, "submodule", "--quiet", "add", str(library), "vendor/lib")
    git(repo, "commit", "--quiet", "--message=vendor")
    return repo


def test_a_submodule_is_listed_with_its_untracked_files_by_its_own_rules(with_submodule, write):
    write(with_submodule / "vendor" / "lib", {"new.c": "", "x.o": "", "x.log": ""})
    inner = [".gitignore", "in/deep.c", "lib.c", "new.c", "x.log"]
    outer = [".gitignore", ".gitmodules", "main.c"]
    assert paths(with_submodule) == sorted([*outer, *(f"vendor/lib/{name}" for name in inner)])


def test_a_submodule_can_be_the_root(with_submodule):
    assert paths(with_submodule / "vendor" / "lib" / "in") == ["deep.c"]


def test_a_submodule_that_was_not_fetched_has_no_names(with_submodule, tmp_path, git):
    git(tmp_path, "clone", "--quiet", str(with_submodule), "clone")
    listing = list_names(str(tmp_path / "clone"))
    assert listing.paths == [".gitignore", ".gitmodules", "main.c"]
    assert not listing.cut_short
    assert paths(tmp_path / "clone" / "vendor" / "lib") == []


def test_submodules_in_submodules_are_listed(with_submodule, make_repo, git):
    top = make_repo({"top": ""})
    git(top, "submodule", "--quiet", "add", str(with_submodule), "mid")
    git(top, "submodule", "--quiet", "update", "--init", "--recursive")
    assert "mid/vendor/lib/in/deep.c" in paths(top)


def test_a_repository_added_by_mistake_is_listed(make_repo, git, write):
    repo = make_repo({"a": ""})
    write(repo, {"inner/b": "", "inner/.gitignore": "*.o"})
    git(repo / "inner", "init", "--quiet")
    git(repo / "inner", "add", "--all")
    git(repo / "inner", "commit", "--quiet", "--message=inner")
    git(repo, "add", "--all")
    git(repo, "commit", "--quiet", "--message=link")
    write(repo, {"inner/new": "", "inner/x.o": ""})
    assert paths(repo) == ["a", "inner/.gitignore", "inner/b", "inner/new"]
    shutil.rmtree(repo / "inner" / ".git")
    assert paths(repo) == ["a", "inner/.gitignore", "inner/b", "inner/new"]
    assert paths(repo / "inner") == [".gitignore", "b", "new"]


def test_an_untracked_repository_inside_is_listed_by_its_own_rules(make_repo, git, write):
    repo = make_repo({".gitignore": "*.py", "a": ""})
    write(repo, {"one/x.py": "", "one/.gitignore": "*.md", "one/y.md": "", "one/two/z": ""})
    git(repo / "one", "init", "--quiet")
    git(repo / "one" / "two", "init", "--quiet")
    assert paths(repo) == [".gitignore", "a", "one/.gitignore", "one/two/z", "one/x.py"]


def test_an_ignored_repository_inside_is_not_listed(make_repo, git, write):
    repo = make_repo({".gitignore": "/vendor/", "a": ""})
    write(repo, {"vendor/x/b": ""})
    git(repo / "vendor" / "x", "init", "--quiet")
    assert paths(repo) == [".gitignore", "a"]


def test_many_repositories_inside_are_all_listed(make_repo, git, write):
    repo = make_repo({"a": ""})
    for number in range(9):
        write(repo, {f"{number}/x": ""})
        git(repo / str(number), "init", "--quiet")
    assert paths(repo) == [*(f"{number}/x" for number in range(9)), "a"]


# Work trees of other shapes


def test_a_linked_work_tree_is_listed_by_itself_and_not_in_the_first(make_repo, git, write):
    repo = make_repo({"a": ""})
    git(repo, "worktree", "add", "--quiet", "trees/second")
    write(repo, {"trees/second/new": "", "b": ""})
    assert paths(repo) == ["a", "b"]
    assert paths(repo / "trees" / "second") == ["a", "new"]


def test_names_outside_a_sparse_checkout_are_not_listed(make_repo, git, write):
    repo = make_repo({"in/a": "", "out/b": "", "top": ""})
    git(repo, "sparse-checkout", "set", "in")
    write(repo, {"in/new": ""})
    assert paths(repo) == ["in/a", "in/new", "top"]


def test_a_sparse_index_is_read_like_any_other(make_repo, git):
    repo = make_repo({"in/a": "", "out/b": "", "out/c/d": "", "top": ""})
    git(repo, "sparse-checkout", "set", "--cone", "--sparse-index", "in")
    assert paths(repo) == ["in/a", "top"]


def test_a_file_marked_to_keep_local_changes_is_listed(make_repo, git, with_submodule):
    repo = make_repo({"settings": "", "a": ""})
    git(repo, "update-index", "--skip-worktree", "settings")
    assert paths(repo) == ["a", "settings"]
    git(with_submodule, "update-index", "--skip-worktree", "main.c")
    assert "main.c" in paths(with_submodule)


def test_a_split_index_is_read_like_any_other(with_submodule, git, write):
    git(with_submodule, "update-index", "--split-index")
    write(with_submodule, {"later": ""})
    git(with_submodule, "add", "later")
    assert {"later", "main.c", "vendor/lib/lib.c"} <= set(paths(with_submodule))


def test_a_partial_clone_is_listed_without_fetching(make_repo, git, tmp_path):
    source = make_repo({".gitignore": "*.log", "in/a": "1", "in/.gitignore": "*.o", "out/b": "2"})
    git(source, "config", "uploadpack.allowFilter", "true")
    clone = ("clone", "--quiet", "--filter=blob:none", "--sparse", f"file://{source}", "clone")
    git(tmp_path, *clone)
    shutil.rmtree(source)  # whoever fetches now fails
    assert paths(tmp_path / "clone") == [".gitignore"]
    assert list_names(str(tmp_path / "clone")).source == "git"


def test_names_are_those_on_disk_here_whatever_the_repository_says_of_its_place(
    make_repo, git, tmp_path
):
    repo = make_repo({"a": "", "sub/b": ""})
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "x").write_text("")
    git(repo, "config", "core.worktree", str(tmp_path / "elsewhere"))
    assert paths(repo / "sub") == ["b"]
    git(repo, "config", "--unset", "core.worktree")
    git(repo, "config", "core.bare", "true")
    assert paths(repo / "sub") == ["b"]


# Where git cannot answer


def _no_head(repo):
    (repo / ".git" / "HEAD").unlink()


def _no_objects(repo):
    shutil.rmtree(repo / ".git" / "objects")


def _nonsense_head(repo):
    (repo / ".git" / "HEAD").write_text("nonsense\n")


def _broken_index(repo):
    (repo / ".git" / "index").write_bytes(b"DIRC" + b"\xff" * 40)


def _broken_settings(repo):
    (repo / ".git" / "config").write_text("[core\n")


def _future_format(repo):
    (repo / ".git" / "config").write_text("[core]\n\trepositoryformatversion = 99\n")


def _git_is_a_file(repo):
    shutil.rmtree(repo / ".git")
    (repo / ".git").write_text("not what belongs here")


def _git_leads_nowhere(repo):
    shutil.rmtree(repo / ".git")
    (repo / ".git").write_text("gitdir: /nowhere/at/all\n")


BREAKAGES = [
    *(_no_head, _no_objects, _nonsense_head, _broken_index, _broken_settings),
    *(_future_format, _git_is_a_file, _git_leads_nowhere),
]


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_a_broken_repository_is_listed_all_the_same(make_repo, breakage):
    repo = make_repo({".gitignore": "*.log", "a": "", "b.log": "", "c/d": ""})
    breakage(repo)
    listing = list_names(str(repo))
    assert (listing.paths, listing.cut_short) == ([".gitignore", "a", "c/d"], False)


@pytest.mark.parametrize("breakage", [_broken_index, _broken_settings, _future_format])
def test_a_repository_that_git_refuses_is_walked(make_repo, breakage):
    repo = make_repo({".gitignore": "*.log", "a": "", "b.log": ""})
    breakage(repo)
    assert list_names(str(repo)).source == "walk"


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_a_broken_repository_inside_another_is_listed_all_the_same(make_repo, git, write, breakage):
    repo = make_repo({"a": ""})
    write(repo, {"inner/b": "", "inner/c/d": ""})
    git(repo / "inner", "init", "--quiet")
    git(repo / "inner", "add", "--all")
    breakage(repo / "inner")
    listing = list_names(str(repo))
    assert (listing.paths, listing.source) == (["a", "inner/b", "inner/c/d"], "git")


def test_without_git_installed_the_folder_is_walked(make_repo, monkeypatch, tmp_path):
    repo = make_repo({".gitignore": "*.log", "a": "", "b.log": ""})
    monkeypatch.setenv("PATH", str(tmp_path))
    listing = list_names(str(repo))
    assert (listing.paths, listing.source) == ([".gitignore", "a"], "walk")


@pytest.mark.root
@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason=UNROOTED)
def test_another_user_s_repository_is_walked(make_repo):
    repo = make_repo({".gitignore": "*.log", "a": "", "b.log": ""})
    for place in (repo, repo / ".git"):
        os.chown(place, 12345, 12345)
    try:
        listing = list_names(str(repo))
    finally:
        # Root without its power over modes could not delete what stays another's.
        for place in (repo, repo / ".git"):
            os.chown(place, 0, 0)
    assert (listing.paths, listing.source) == ([".gitignore", "a"], "walk")


# Limits


def test_a_limit_cuts_the_list_short(make_repo):
    repo = make_repo({f"{number}": "" for number in range(9)})
    listing = list_names(str(repo), limit=4)
    assert (listing.paths, listing.cut_short) == (["0", "1", "2", "3"], True)
    assert not list_names(str(repo), limit=9).cut_short


def test_a_limit_counts_over_all_repositories(with_submodule):
    assert list_names(str(with_submodule), limit=4).cut_short
    assert len(paths(with_submodule, limit=4)) == 4


@pytest.mark.heavy
def test_late_untracked_names_leave_the_tracked_ones_whole(make_repo, git_calls, write):
    repo = make_repo({"a": "", "b": ""})
    write(repo, {"new": ""})
    git_calls('*" -o "*')
    before = time.monotonic()
    listing = list_names(str(repo), deadline=2.0)
    assert (listing.paths, listing.cut_short, listing.untracked) == (["a", "b"], False, False)
    assert time.monotonic() - before < 30


@pytest.mark.parametrize("untracked_s", [0, 0.05, 1.0])
def test_untracked_names_that_are_later_than_their_grace_are_done_without(
    make_repo, git_calls, write, untracked_s
):
    repo = make_repo({"a": "", "b": ""})
    write(repo, {"new": ""})
    git_calls('*" -o "*')
    listing = list_names(
        str(repo), untracked_s=untracked_s
    )  # without a deadline, they would take a minute
    assert (listing.paths, listing.cut_short, listing.untracked) == (["a", "b"], False, False)


def test_untracked_names_within_their_grace_are_listed(make_repo, write):
    repo = make_repo({"a": ""})
    write(repo, {"new": ""})
    listing = list_names(str(repo), untracked_s=50.0)
    assert (listing.paths, listing.untracked) == (["a", "new"], True)


def test_without_grace_only_tracked_names_are_asked_for(with_submodule, git_calls, write):
    write(with_submodule, {"new": "", "vendor/lib/new": ""})
    calls = git_calls()
    listing = list_names(str(with_submodule), untracked_s=0)
    assert {"main.c", "vendor/lib/lib.c"} <= set(listing.paths)
    assert not {"new", "vendor/lib/new"} & set(listing.paths)
    assert (listing.cut_short, listing.untracked) == (False, False)
    assert len(calls()) == 2


@pytest.mark.heavy
def test_grace_never_outlasts_the_deadline(make_repo, git_calls):
    repo = make_repo({"a": ""})
    git_calls('*" -o "*')
    listing = list_names(str(repo), deadline=2.0, untracked_s=50.0)
    assert (listing.paths, listing.cut_short, listing.untracked) == (["a"], False, False)


def test_outside_repositories_grace_takes_nothing_away(make_repo):
    listing = list_names(str(make_repo({"a": ""}, git=False)), untracked_s=0)
    assert (listing.paths, listing.source, listing.untracked) == (["a"], "git", True)


def test_git_that_says_nothing_leaves_half_of_the_time_to_a_walk(make_repo, git_calls):
    repo = make_repo({"a": "", "b": ""})
    git_calls("*")
    listing = list_names(str(repo), deadline=4.0)
    assert (listing.paths, listing.source, listing.cut_short) == (["a", "b"], "walk", False)


def test_a_submodule_of_which_git_says_nothing_is_walked(with_submodule, git_calls):
    git_calls('*"vendor/lib"*')
    listing = list_names(str(with_submodule), deadline=6.0)
    assert {"main.c", "vendor/lib/lib.c"} <= set(listing.paths)


def print_instead(monkeypatch, tmp_path, script):
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake" / "git").write_text(f"#!/bin/sh\n{script}\n")
    (tmp_path / "fake" / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'fake'}{os.pathsep}{os.environ['PATH']}")


def test_names_that_come_and_then_no_more_cut_the_list_short(make_repo, monkeypatch, tmp_path):
    repo = make_repo({"a": "", "b": ""})
    print_instead(monkeypatch, tmp_path, "printf 'a\\0'; exec sleep 60")
    listing = list_names(str(repo), deadline=0.5)
    assert (listing.paths, listing.source, listing.cut_short) == (["a"], "git", True)


GARBAGE = [
    *("printf '\\0'", "printf 'a\\0\\0b\\0'", "printf 'x\\0y\\0'", "printf 'H\\0S\\0R \\0'"),
    *("printf '\\t\\0'", "printf 'H 160000\\0'", "head -c 5000 /dev/urandom", "cat /dev/zero"),
    "head -c 3000000 /dev/zero | tr '\\0' x; printf '\\0'",
    "printf '\\377\\376/../../etc/passwd\\0/etc/passwd\\0'",
]


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: a shell script")
@pytest.mark.parametrize("script", GARBAGE)
@pytest.mark.parametrize("detailed", [False, True])
def test_a_git_that_prints_anything_else_than_names_is_not_believed(
    make_repo, monkeypatch, tmp_path, script, detailed
):
    repo = make_repo({"a": "", "b": ""})
    if detailed:  # then modes and tags are asked for as well
        (repo / ".git/info").mkdir(exist_ok=True)
        (repo / ".git/info/sparse-checkout").write_text("*\n")
    print_instead(monkeypatch, tmp_path, script)
    listing = list_names(str(repo), deadline=20.0)
    assert (listing.paths, listing.source) == (["a", "b"], "walk")


def test_names_that_are_all_gone_from_the_disk_are_no_mistake_of_git(make_repo):
    repo = make_repo({"a": "", "b": ""})
    for name in ("a", "b"):
        (repo / name).unlink()
    (repo / "new").write_text("")
    assert paths(repo) == ["new"]


def test_a_walk_keeps_the_deadline_too(make_repo):
    assert list_names(str(make_repo({"a": ""}, git=False)), deadline=-1.0).cut_short


def test_a_home_folder_under_git_is_not_searched_for_untracked_files(isolated, git, write):
    write(isolated, {".profile": "", "photos/1.jpg": ""})
    git(isolated, "init", "--quiet")
    git(isolated, "add", ".profile")
    listing = list_names(str(isolated))
    assert (listing.paths, listing.untracked, listing.cut_short) == ([".profile"], False, False)


# How much is done


def test_a_repository_takes_two_processes(make_repo, git_calls):
    repo = make_repo({"a": ""})
    calls = git_calls()
    paths(repo)
    assert len(calls()) == 2


def test_a_folder_that_is_no_repository_takes_one_process(make_repo, git_calls):
    calls = git_calls()
    paths(make_repo({"a": "", "b/c": ""}, git=False))
    assert len(calls()) == 1


def test_a_home_folder_is_not_searched_at_all(isolated, write, git_calls):
    write(isolated, {"a": ""})
    calls = git_calls()
    listing = list_names(str(isolated))
    assert (listing.paths, listing.cut_short, calls()) == ([], True, [])


def test_each_repository_inside_takes_two_more(with_submodule, git_calls):
    calls = git_calls()
    paths(with_submodule)
    assert len(calls()) == 4


# What holds for any tree


@FEW
@given(tree=trees.trees(ignoring=True), staged=st.randoms(use_true_random=False))
def test_a_listing_is_what_git_lists(make_repo, git, tree, staged):
    files = trees.flat(tree)
    repo = make_repo({**files, "anchor": ""}, commit=False)
    some = [name for name in files if staged.random() < 0.5]
    git(repo, "--literal-pathspecs", "add", "--force", "--", "anchor", *some)
    others = git(repo, "ls-files", "-z", "-o", "--exclude-standard").split("\0")[:-1]
    assert paths(repo) == sorted({*others, *some, "anchor"})


@FEW
@given(tree=trees.trees(ignoring=True))
def test_a_tree_is_listed_alike_in_a_repository_and_in_none(make_repo, tree):
    files = {**trees.flat(tree), ".gitignore": trees.flat(tree).get(".gitignore", b"x\n")}
    versioned, loose = make_repo(files, commit=False), make_repo(files, git=False)
    assert list_names(str(loose)).source == "git"
    assert paths(versioned) == paths(loose)


@FEW
@given(tree=trees.trees(ignoring=True), data=st.data())
def test_a_folder_lists_what_the_whole_lists_of_it(make_repo, tree, data):
    repo = make_repo({**trees.flat(tree), "sub/x": b""}, commit=False)
    whole = paths(repo)
    folders = sorted({name.rpartition("/")[0] for name in whole if "/" in name})
    if not folders:
        return
    folder = data.draw(st.sampled_from(folders)) + "/"
    inside = [name.removeprefix(folder) for name in whole if name.startswith(folder)]
    assert paths(repo / folder) == inside


class _ClosedMeanwhile(listing_module.Begun):
    """A listing that is closed while another thread looks at what is tracked."""

    @property
    def tracked(self):
        self.close()
        return self._files

    @tracked.setter
    def tracked(self, files):
        self._files = files


def test_a_listing_may_be_closed_while_somebody_asks_what_is_tracked(make_repo):
    repo = make_repo({"a.py": "", "lib/b.py": ""})
    begun = _ClosedMeanwhile(str(repo), 100, None, None, None)
    begun.finished()

    assert [begun.tracks(path) for path in ("a.py", "lib", "b.py")] == [True, True, False]
