from __future__ import annotations

import itertools
import os
from types import SimpleNamespace

import pytest

from truepath.project import walk as walking
from truepath.project.walk import GENERATED, too_high, walk


@pytest.fixture
def listed(make_repo):
    """Return the names a walk finds among these files, in a folder that is no repository."""

    def walked(files):
        return walk(str(make_repo(files, git=False))).paths

    return walked


def test_every_file_is_listed_in_order(listed):
    files = {"b/c/d.py": "", "a.py": "", "b/a.py": "", ".hidden/x": "", "B": ""}
    assert listed(files) == sorted(files)


def test_an_empty_folder_has_no_names(tmp_path):
    assert walk(str(tmp_path)).paths == []
    assert not walk(str(tmp_path)).cut_short


def test_a_folder_that_is_not_there_has_no_names(tmp_path):
    assert walk(str(tmp_path / "gone")).paths == []


def test_names_are_whatever_bytes_they_are(listed):
    names = {"a\nb/c\nd", "-x", "caf\udce9/\udcff", "é/ü", " ", "a\tb", "\\", "\x1b[31m"}
    assert set(listed(dict.fromkeys(names, ""))) == names


def test_ignored_files_and_folders_are_left_out(listed):
    files = {".gitignore": "*.log\nbuild/\n", "a.py": "", "a.log": "", "build/x": "", "x/b.log": ""}
    assert listed(files) == [".gitignore", "a.py"]


def test_an_ignore_file_holds_from_its_folder_on(listed):
    files = {
        "a/.gitignore": "/x\n*.tmp",
        "a/x": "",
        "x": "",
        "a/b/x": "",
        "a/b/1.tmp": "",
        "2.tmp": "",
    }
    assert listed(files) == ["2.tmp", "a/.gitignore", "a/b/x", "x"]


def test_an_inner_ignore_file_takes_back_what_an_outer_one_ignores(listed):
    files = {".gitignore": "*.log", "keep/.gitignore": "!*.log", "keep/a.log": "", "b.log": ""}
    assert listed(files) == [".gitignore", "keep/.gitignore", "keep/a.log"]


def test_nothing_below_an_ignored_folder_is_taken_back(listed):
    files = {".gitignore": "out/\n!out/a", "out/a": "", "out/.gitignore": "!*"}
    assert listed(files) == [".gitignore"]


def test_an_ignore_file_that_is_a_link_or_a_folder_is_none(make_repo):
    root = make_repo({"rules": "*.log", "a.log": "", "sub/a.log": ""}, git=False)
    (root / ".gitignore").symlink_to("rules")
    (root / "sub" / ".gitignore").mkdir()
    assert walk(str(root)).paths == [".gitignore", "a.log", "rules", "sub/a.log"]


def test_the_repository_s_own_exclude_file_counts(make_repo, write):
    root = make_repo({"a.log": "", "a.py": ""})
    write(root, {".git/info/exclude": "*.log"})
    assert walk(str(root)).paths == ["a.py"]


@pytest.mark.parametrize("name", sorted(GENERATED))
def test_generated_folders_are_left_out_where_nothing_says_what_to_ignore(listed, name):
    assert listed({f"{name}/x": "", f"a/{name}/y": "", "a/b": ""}) == ["a/b"]


def test_generated_folders_are_listed_where_the_project_says_what_to_ignore(listed):
    files = {".gitignore": "*.log", "node_modules/x.js": ""}
    assert listed(files) == [".gitignore", "node_modules/x.js"]


def test_an_ignore_file_of_comments_says_nothing(listed):
    assert listed({".gitignore": "# later\n", "node_modules/x.js": ""}) == [".gitignore"]


def test_folders_of_sources_are_never_taken_for_generated(listed):
    names = ["build/a", "dist/a", "env/a", "lib/a", "target/a", "vendor/a"]
    assert listed(dict.fromkeys(names, "")) == names


def test_a_git_folder_is_never_entered(make_repo):
    root = make_repo({"a.py": "", "sub/b.py": ""})
    (root / "sub" / ".git").mkdir()
    (root / "sub" / ".git" / "x").write_text("")
    assert walk(str(root)).paths == ["a.py", "sub/b.py"]


def test_rules_from_above_the_root_hold(make_repo):
    root = make_repo(
        {".gitignore": "*.log\n/pkg/tmp", "pkg/a.log": "", "pkg/tmp/x": "", "pkg/b": ""}
    )
    assert walk(str(root / "pkg")).paths == ["b"]


def test_a_root_that_is_itself_ignored_goes_by_its_own_rules(make_repo):
    root = make_repo(
        {".gitignore": "out/\n*.py", "out/pkg/a.py": "", "out/pkg/.gitignore": "b", "out/pkg/b": ""}
    )
    assert walk(str(root / "out" / "pkg")).paths == [".gitignore", "a.py"]


def test_a_repository_inside_goes_by_its_own_rules(make_repo, git, write):
    root = make_repo({".gitignore": "*.py\n/inner/x", "a.py": ""})
    write(root, {"inner/.gitignore": "*.md", "inner/a.py": "", "inner/x": "", "inner/b.md": ""})
    git(root / "inner", "init", "--quiet")
    assert walk(str(root)).paths == [".gitignore", "inner/.gitignore", "inner/a.py", "inner/x"]


def test_another_work_tree_of_the_same_repository_is_left_out(make_repo, git):
    root = make_repo({"a.py": ""})
    git(root, "worktree", "add", "--quiet", "trees/second")
    assert walk(str(root)).paths == ["a.py"]
    assert walk(str(root / "trees" / "second")).paths == ["a.py"]


def test_links_are_names_and_are_not_followed(make_repo, tmp_path):
    root = make_repo({"src/a.py": ""}, git=False)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x").write_text("")
    (root / "file").symlink_to("src/a.py")
    (root / "folder").symlink_to("../outside")
    (root / "broken").symlink_to("nowhere")
    assert walk(str(root)).paths == ["broken", "file", "folder", "src/a.py"]


def test_a_loop_of_links_ends(make_repo):
    root = make_repo({"a/b/c": ""}, git=False)
    (root / "a" / "b" / "up").symlink_to("../..")
    (root / "self").symlink_to("self")
    assert walk(str(root)).paths == ["a/b/c", "a/b/up", "self"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="not on Windows: named pipes")
def test_pipes_are_no_files(make_repo):
    root = make_repo({"a": ""}, git=False)
    os.mkfifo(root / "pipe")
    os.mkfifo(root / ".gitignore")
    assert walk(str(root)).paths == ["a"]


def test_a_folder_that_cannot_be_read_is_passed_over(make_repo, shut):
    root = make_repo({"a": "", "shut/x": "", "z": ""}, git=False)
    shut(root / "shut")
    assert walk(str(root)).paths == ["a", "z"]


def test_ignored_folders_are_not_looked_into(make_repo):
    files = {f"node_modules/{number}/x.js": "" for number in range(30)}
    root = make_repo({**files, ".gitignore": "node_modules/", "a.py": ""}, git=False)
    assert walk(str(root)).entries == 3


def test_every_entry_is_looked_at_once(make_repo):
    root = make_repo({"a/b/c": "", "a/d": "", "e": ""}, git=False)
    assert walk(str(root)).entries == 5


@pytest.mark.parametrize("limit", [0, 1, 5, 9])
def test_a_limit_cuts_the_walk_short(make_repo, limit):
    root = make_repo({f"{number}/x": "" for number in range(5)}, git=False)
    walked = walk(str(root), limit=limit)
    assert walked.cut_short
    assert walked.entries == limit
    assert len(walked.paths) <= limit


def test_a_limit_that_is_just_enough_cuts_nothing(make_repo):
    root = make_repo({f"{number}/x": "" for number in range(5)}, git=False)
    walked = walk(str(root), limit=10)
    assert not walked.cut_short
    assert len(walked.paths) == 5


def test_names_near_the_root_come_first_when_cut_short(make_repo):
    root = make_repo({"a/b/c/d": "", "y": "", "z/x": ""}, git=False)
    assert walk(str(root), limit=5).paths == ["y", "z/x"]


def test_no_time_is_no_walk(make_repo):
    walked = walk(str(make_repo({"a/b": "", "c": ""}, git=False)), deadline=-1.0)
    assert walked.cut_short
    assert walked.entries == 0


def test_a_walk_that_is_late_stops_inside_a_folder(make_repo, monkeypatch):
    files = {".gitignore": "*.x", **{f"{number}": "" for number in range(50)}}
    root = make_repo(files, git=False)
    ticks = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: float(next(ticks)))
    monkeypatch.setattr(walking, "time", clock)
    walked = walk(str(root), deadline=20.5)
    assert walked.cut_short
    assert 0 < len(walked.paths) < 50


def test_the_home_folder_and_all_above_it_are_refused(isolated):
    (isolated / "file").write_text("")
    for root in (isolated, isolated.parent, isolated.parent.parent, "/"):
        walked = walk(str(root))
        assert (walked.paths, walked.cut_short, walked.entries) == ([], True, 0)


def test_the_home_folder_is_known_behind_a_link(isolated, tmp_path):
    (tmp_path / "alias").symlink_to(isolated)
    assert walk(str(tmp_path / "alias")).cut_short


@pytest.mark.skipif(os.name == "nt", reason="not on Windows: POSIX paths")
@pytest.mark.parametrize("root", ["/", "/usr", "/var", "/proc", "/home", "/Users", "/mnt"])
def test_a_folder_of_the_whole_machine_is_too_high(root):
    assert too_high(root)


@pytest.mark.skipif(os.name == "nt", reason="not on Windows: POSIX paths")
@pytest.mark.parametrize(
    "root", ["/app", "/workspace", "/repo", "/testbed", "/usr/src/app", "/src"]
)
def test_a_project_of_a_container_is_not_too_high(root):
    assert not too_high(root)


def test_a_project_in_the_home_folder_is_walked(isolated, write):
    write(isolated, {"project/a": ""})
    assert walk(str(isolated / "project")).paths == ["a"]


def test_an_ignore_file_without_end_is_read_to_a_bound(make_repo, monkeypatch):
    monkeypatch.setattr(walking, "_IGNORE_FILE_BYTES", 4)
    root = make_repo({".gitignore": "*.a\n*.b\n", "x.a": "", "x.b": ""}, git=False)
    assert walk(str(root)).paths == [".gitignore", "x.b"]


def test_a_byte_order_mark_before_the_rules_is_none_of_them(listed):
    assert listed({".gitignore": b"\xef\xbb\xbf*.log\n", "a.log": "", "a": ""}) == [
        ".gitignore",
        "a",
    ]


def test_folders_taken_back_for_the_files_in_them_are_entered(listed):
    files = {".gitignore": "*\n!*/\n!*.py\n!.gitignore", "a/b/c.py": "", "a/b/d.js": "", "e": ""}
    assert listed(files) == [".gitignore", "a/b/c.py"]
