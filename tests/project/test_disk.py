"""A project on disk: which names it has, and which of them may be told."""

from __future__ import annotations

import os
import sys

import pytest
import repos
from disks import flat, trees
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from rows import check_each, read

from truepath.project import disk as disk_module
from truepath.project import listing as module
from truepath.project.disk import Disk
from truepath.project.walk import walk

LONG = 20.0


def disk(root, **how):
    return Disk(str(root), **{"limit": 10_000, "timeout_s": LONG, **how})


def files(root, **how):
    return sorted(
        {name for name in disk(root, **how).names() if not name.endswith("/")}
    )


def git_lists(repo):
    printed = repos.run_git(repo, "ls-files", "-z", "-c", "-o", "--exclude-standard")
    return sorted(
        {name for name in printed.split("\0") if name and not name.endswith("/")}
    )


@settings(max_examples=30)
@given(tree=trees(ignoring=True), tracked=st.booleans())
def test_the_names_are_those_that_git_lists(tree, tracked, tmp_path_factory):
    repo = tmp_path_factory.mktemp("repo")
    repos.start(repo, flat(tree), commit=False)
    if tracked:
        repos.run_git(repo, "add", "--all", "--force", ":/")
    assert files(repo) == git_lists(repo)


@settings(max_examples=60)
@given(tree=trees(ignoring=True, plain=True, taking_back=False))
def test_a_walk_leaves_out_what_git_does(tree, tmp_path_factory):
    # Of `a/**/`, pathspec leaves out the files in `a` too.
    assume(not any(b"/**/\n" in text + b"\n" for text in flat(tree).values()))
    repo, plain = tmp_path_factory.mktemp("repo"), tmp_path_factory.mktemp("plain")
    repos.start(repo, flat(tree), commit=False)
    repos.write_files(plain, flat(tree))
    assert files(plain) == git_lists(repo)


def test_brackets_that_the_walk_does_not_read_hide_more_and_take_back_nothing(
    make_repo,
):
    rows = [
        ("docs/[[:digit:]]n.txt", "docs/1n.txt", "1n.txt", "a class"),
        (r"docs/c[\]]d.txt", "docs/c]d.txt", "c]d.txt", "a bracket that is escaped"),
        ("*.log\n![[:digit:]].log", "a.log", "a.txt", "one that takes back"),
    ]

    def check(row):
        patterns, hidden, shown, _ = row
        folder = make_repo(
            {".gitignore": f"{patterns}\n", hidden: "", shown: ""}, git=False
        )
        assert files(folder) == sorted([".gitignore", shown])

    check_each(rows, check)


def test_names_that_are_not_tracked_yet_are_there(make_repo, write):
    repo = make_repo({"a.py": "", ".gitignore": "*.log\n"})
    write(repo, {"new.py": "", "x.log": ""})
    assert files(repo) == [".gitignore", "a.py", "new.py"]


def test_a_project_that_ignores_nothing_has_no_generated_names(make_repo, write):
    for git in (True, False):
        repo = make_repo({"a.py": ""}, git=git)
        write(
            repo,
            {"node_modules/x/a.js": "", "pkg/__pycache__/a.pyc": "", "build/b": ""},
        )
        assert files(repo) == ["a.py", "build/b"]


def test_a_folder_of_a_repository_has_its_own_names(make_repo):
    repo = make_repo({"app/a.py": "", "b.py": "", ".gitignore": "out/\n"})
    assert files(repo / "app") == ["a.py"]
    repos.write_files(repo, {"out/c.py": ""})
    assert files(repo / "out") == ["c.py"], "who works in an ignored folder means it"


def test_repositories_inside_are_part_of_a_project(make_repo, git, tmp_path):
    repo, other = (
        make_repo({"a.py": ""}),
        make_repo({"x/b.py": "", ".gitignore": "*.o\n"}),
    )
    git(
        repo,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(other),
        "ext/sub",
    )
    git(tmp_path, "clone", "-q", str(other), str(repo / "clone"))
    repos.write_files(repo, {"clone/new.py": "", "clone/b.o": ""})
    found = files(repo)
    assert {"ext/sub/x/b.py", "clone/x/b.py", "clone/new.py"} <= {*found}
    assert not [name for name in found if ".git/" in name or name.endswith(".o")]


HIDDEN = [
    ("sub/.git/info/exclude", "plan_*.md\n", "sub/plan_x.md", "its own file"),
    ("sub/.gitignore", "plan_x.md\n", "sub/plan_x.md", "its ignore file"),
    (
        "sub/in/.git/info/exclude",
        "plan_x.md\n",
        "sub/in/plan_x.md",
        "of a repository in it",
    ),
    ("../.config/git/ignore", "plan_x.md\n", "sub/plan_x.md", "the user's file"),
    ("sub/.git/info/exclude", "*\n", "sub/plan_x.md", "all that is not tracked"),
]


def test_a_repository_inside_is_listed_as_its_own_git_does(make_repo, monkeypatch):
    def check(row):
        file, lines, hidden, _ = row
        for with_git in (True, False):
            repo = make_repo({"project/a.py": ""}, git=False) / "project"
            monkeypatch.setenv("HOME", str(repo.parent))
            for inner in ("", "sub/", "sub/in/")[not with_git :]:
                repos.start(repo / inner, {"b.py": ""})
            repos.write_files(repo, {hidden: "", "sub/in/c.py": "", file: lines})
            (repo / "sub/in/empty").mkdir()
            tree = disk(repo)
            assert {"a.py", "sub/b.py"} <= {*tree.names()}
            assert hidden not in [*tree.names()]
            assert not tree.may_name(hidden)
            for path in ("sub/in/empty", "sub/in/c.py"):
                assert tree.may_name(path) == (lines != "*\n")

    check_each(HIDDEN, check)


def test_a_submodule_that_git_does_not_track_is_ignored_like_any_folder(make_repo):
    module = '[submodule "x"]\n path = ext/x\n'
    repo = make_repo({"a.py": "", ".gitignore": "ext/\n", ".gitmodules": module})
    repos.start(repo / "ext/x", {"deal.md": ""})
    (repo / "ext/x/acme").mkdir()
    tree = disk(repo)
    assert "ext" not in " ".join(tree.names())
    assert not tree.may_name("ext/x/acme")
    assert tree.children("ext/x") == tree.children("ext") == []


def test_of_very_many_repositories_inside_some_are_listed(make_repo, monkeypatch):
    repo = make_repo({"a.py": ""})
    for number in range(4):
        repos.start(repo / f"r{number}", {"b.py": ""})
        (repo / f"r{number}/empty").mkdir()
    monkeypatch.setattr(module, "_REPOSITORIES", 3)
    tree = disk(repo)
    assert tree.names().cut_short
    assert [n for n in tree.names() if n.endswith("y")] == [
        "a.py",
        "r0/b.py",
        "r1/b.py",
    ]
    assert [n for n in range(4) if tree.may_name(f"r{n}/empty")] == [0, 1]


def test_linked_work_trees_are_listed_beside_each_other(make_repo, git):
    repo, plain = make_repo({"a.py": ""}), make_repo({}, git=False)
    git(repo, "worktree", "add", "-q", str(plain / "one"))
    assert files(plain) == ["one/a.py"]


def test_other_work_trees_inside_are_not(make_repo, git):
    repo = make_repo({"a.py": ""})
    git(repo, "worktree", "add", "-q", str(repo / "trees/x"))
    assert files(repo) == ["a.py"]


def test_names_outside_are_told_of_no_repository_that_only_points_there(
    make_repo, write
):
    """A file `.git`, a submodule's path and a link can name any of the user's."""
    other = make_repo({"old/merger.txt": "x\n" * 50, "acme.txt": ""})
    repos.move_file(other, "old/merger.txt", "plan.txt")
    repo = make_repo({"a.py": ""})
    write(repo, {"vendor/.git": f"gitdir: {other}/.git\n", "vendor/b.py": ""})
    (repo / "linked").mkdir()
    os.symlink(other / ".git", repo / "linked/.git")
    os.symlink(other, repo / "link")
    write(
        repo,
        {".gitmodules": f'[submodule "x"]\n path = ../{other.name}\n path = link\n'},
    )
    (repo / "half/.git").mkdir(parents=True)
    write(
        repo,
        {
            "half/.git/HEAD": "ref: refs/heads/main\n",
            "half/.git/commondir": f"{other}/.git",
        },
    )
    for root in (repo, repo / "vendor", repo / "linked", repo / "half"):
        tree = disk(root)
        told = " ".join(tree.names())
        assert "merger" not in told
        assert "acme" not in told
        assert tree.fate("old/merger.txt") in (None, tree.fate("no")), "nor its history"
        assert tree.checkout(f"{other}/acme.txt") is None


def test_what_git_refuses_is_walked(make_repo):
    repo = make_repo({"a.py": "", "b.log": "", ".gitignore": "*.log\n"})
    (repo / ".git/index").write_bytes(b"garbage")
    assert files(repo) == [".gitignore", "a.py"]


@pytest.mark.parametrize(
    "does",
    [
        "exit 1",
        "echo; echo x",
        "head -c 100000 /dev/zero",
        "cat /dev/zero",
        "sleep 300",
    ],
)
def test_a_broken_git_holds_nothing_up(does, make_repo, git_that):
    """One that hangs, or prints without end, would outlast the test's own limit."""
    repo = make_repo({"a.py": ""})
    git_that("*", does)
    tree = disk(repo, timeout_s=0.8)
    assert [name for name in tree.names() if tree.kind(name) == "file"] in (
        ["a.py"],
        [],
    )
    assert tree.fate("b.py").kind in ("unknown", "never")
    assert tree.may_name("a.py") in (True, False)


def test_without_git_names_are_walked(make_repo, monkeypatch):
    repo = make_repo({"a.py": ""})
    monkeypatch.setenv("PATH", "relative")
    assert files(repo) == ["a.py"]
    assert disk(repo).fate("b.py").kind == "unknown"


def test_limits_are_told(make_repo):
    for git in (True, False):
        repo = make_repo({f"{n}.py": "" for n in range(9)}, git=git)
        names = disk(repo, limit=4).names()
        assert names.cut_short
        assert len(names) <= 9
    assert walk("/", limit=10).cut_short


def test_a_listing_is_kept_for_one_answer(make_repo, write, monkeypatch):
    repo = make_repo({"a.py": ""})
    tree = disk(repo)
    tree.begin()
    first = tree.names()
    write(repo, {"b.py": ""})
    assert tree.names() is first
    tree.changed()
    assert "b.py" in [*tree.names()]
    monkeypatch.setattr(disk_module, "_FRESH_S", 0.0)
    write(repo, {"c.py": ""})
    tree.begin()
    assert "c.py" in [*tree.names()]


def test_the_time_runs_anew_for_each_answer(make_repo, git_that, tmp_path):
    repo = make_repo({"a.py": ""})
    tree = disk(repo, timeout_s=0.3)
    tree.begin()
    git_that('*" -o "*', f"echo >> {tmp_path}/started; sleep 30")
    assert [*tree.names()] == ["a.py"]
    assert tree.names().cut_short
    for _ in range(20):
        tree.fate("x")
        tree.may_name("a.py")
    assert (tmp_path / "started").read_text() == "\n", "one answer waits once"
    tree.begin()
    tree.changed()
    assert [*tree.names()] == ["a.py"]


@pytest.fixture
def place(make_repo, write, tmp_path):
    """A project with what must not be told."""
    repo = make_repo(
        {"src/a.py": "", "b.py": "", ".gitignore": "*.log\nout/\n", "sub/c.py": ""}
    )
    write(tmp_path, {"outside/o.py": "", "outside/src/p.py": ""})
    write(
        repo,
        {"x.log": "", "out/y.py": "", ".env": "", "keys/id_rsa": "", "secret.pem": ""},
    )
    (repo / "empty").mkdir()
    links = "in=src in.py=src/a.py way=../outside way.py=../outside/o.py loop=loop"
    links += " gone=nowhere"
    for link in f"{links} env=.env log=x.log up=..".split():
        name, _, target = link.partition("=")
        os.symlink(target, repo / name)
    return repo


MAY = (
    "src/a.py b.py src empty new.py src/new.py in in.py in/a.py gone in/new.py".split()
)
MAY_NOT = """
.env keys/id_rsa secret.pem x.log out out/y.py way way/o.py way.py loop loop/x env
log up .git .git/config way/src/p.py sub sub/c.py denied.txt src/../../outside/o.py
a\0b up/outside/o.py
""".split()


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_what_may_be_named(place):
    tree = disk(place, deny=("sub/", "denied.*"))

    assert [path for path in [*MAY, ""] if not tree.may_name(path)] == []
    assert [path for path in MAY_NOT if tree.may_name(path)] == []


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_the_children_of_a_folder_are_those_that_may_be_named(place):
    tree = disk(place, deny=("sub/",))
    named = ".gitignore b.py empty/ gone in.py in/ keys/ src/"
    assert tree.children("") == named.split()
    assert tree.children("src") == ["a.py"]
    assert tree.children("keys") == tree.children("no") == tree.children("a\0b") == []


LINKS = (
    "in=src to=private acme=private/acme kind=kept out=../outside leads=../outside/acme"
)


@pytest.mark.skipif(sys.platform == "win32", reason="links")
@pytest.mark.parametrize("with_git", [True, False])
def test_empty_folders_are_named_unless_ignored_or_outside(
    with_git, make_repo, tmp_path, isolated
):
    own = "" if with_git else "mine\nexcluded\nnode_modules\n"
    ignored = f"{own}/private/\nnone\n*.log\n"
    repo = make_repo({"src/a.py": "", ".gitignore": ignored}, git=with_git)
    for folder in ("acme", "in/acme"):
        (tmp_path / "outside" / folder).mkdir(parents=True)
    for link in LINKS.split():
        os.symlink(link.partition("=")[2], repo / link.partition("=")[0])
    repos.write_files(isolated, {".config/git/ignore": "mine\nnode_modules\n"})
    repos.write_files(repo, {"logs/x.log": ""})
    if with_git:
        repos.write_files(repo, {".git/info/exclude": "excluded/\n"})
    rows = read("project/empty_folders")
    for row in rows:
        (repo / row["folder"]).mkdir(parents=True, exist_ok=True)
    tree = disk(repo, deny=("kept/deal",))

    def check(row):
        folder, _, name = row["folder"].rpartition("/")
        assert tree.may_name(row["folder"]) == row["named"]
        assert (f"{name}/" in tree.children(folder)) == row["named"]

    check_each(rows, check)


def test_git_is_asked_about_empty_folders_once(make_repo, git_that, tmp_path):
    repo = make_repo({"src/a.py": ""})
    git_that(f"$(echo >> {tmp_path}/started)", "exit 1")
    for number in range(20):
        (repo / f"src/e{number}").mkdir()
    tree = disk(repo)
    assert len(tree.children("src")) == 21
    assert tree.may_name("src/e7")
    started = (tmp_path / "started").read_text()
    assert len(started) == 4, "tracked and untracked, of all and of the empty ones"


@pytest.mark.skipif(sys.platform == "win32", reason="links")
def test_what_is_there(place):
    tree = disk(place)
    assert [tree.kind(path) for path in ("src", "b.py", "in")] == [
        "folder",
        "file",
        "folder",
    ]
    assert not any(map(tree.kind, ("no", "a\0b", "gone", "\ud800")))
    assert tree.broken_link_target("gone") == "nowhere"
    for path in ("in", "in/x", "no"):
        assert tree.broken_link_target(path) is None
    (place / "src/nil").symlink_to("../lib")
    assert tree.broken_link_target("src/nil/a.py") == "lib/a.py"
    assert tree.inside(f"{place}/src/a.py") == "src/a.py"
    assert tree.inside(f"{place}/way/../src") is None, "the link leads elsewhere"
    assert tree.inside(f"{place}/src/../b.py") == "b.py"
    assert tree.inside("/etc/passwd") is None
    assert tree.inside("/a/../\0") is None
    assert tree.protects("b.py") is False
    for there in ("secret.pem", ".env", "keys/id_rsa"):
        assert tree.protects(there)
    for other in ("cert.pem", "b.py", "src/secret.pem", "a\0.pem"):
        assert not tree.protects(other)


def test_a_fate_that_must_not_be_told_is_withheld(make_repo, write, commit):
    repo = make_repo({"a.txt": "x\n" * 50, "k": ""})
    repos.move_file(repo, "a.txt", ".env")
    assert disk(repo).fate("a.txt").kind == "withheld"


def test_another_work_tree_is_known_by_both_sides(make_repo, git, tmp_path):
    repo = make_repo({"app/a.py": ""})
    git(repo, "worktree", "add", "-q", str(tmp_path / "tree"))
    tree = tmp_path / "tree"
    assert disk(repo).checkout(f"{tree}/app/no.py") == (str(tree), "app/no.py")
    assert disk(tree).checkout(f"{repo}/app") == (str(repo), "app")
    assert disk(repo / "app").checkout(f"{tree}/app/a.py") == (str(tree), "a.py")
    assert disk(repo / "app").checkout(f"{tree}/a.py") is None
    assert disk(repo).checkout(f"{repo}/app") is None
    assert disk(repo).checkout(f"{repo}/.git/config") is None
    assert disk(tree).checkout(f"{repo}/.git/config") is None
    assert disk(repo).checkout("/" + "x/" * 3000) is None
    git(tmp_path, "clone", "-q", str(repo), "clone")
    assert disk(repo).checkout(f"{tmp_path}/clone/app") is None, (
        "a clone may hold other work"
    )
    (repo / ".git/worktrees/tree/gitdir").write_text("/elsewhere/.git\n")
    assert disk(repo).checkout(f"{tree}/app") is None


def test_a_sparse_checkout_s_names_are_known(make_repo, git):
    repo = make_repo({"app/a.py": "", "lib/b.py": ""})
    git(repo, "sparse-checkout", "set", "app")
    assert "lib/b.py" in files(repo)
    assert disk(repo).kind("lib/b.py") is None


TEXTS = {
    "one.py": "def one():\n    return 1\n\n\nprint(one())\n",
    "sub/two.py": "\tdef one():\r\n\t\treturn 1\r\n",
    "three.py": "def one(): pass\n    return 1\n",
    "four.bin": "\0def one():\n    return 1\n",
    ".env": "def one():\n    return 1\n",
    "x.log": "def one():\n    return 1\n",
    ".gitignore": "*.log\n",
}


def test_files_are_known_by_what_they_hold(make_repo, write):
    repo = make_repo(TEXTS)
    write(repo, {"new.py": "def new(): ...\n"})

    def check(row):
        assert disk(repo).holders(row["texts"]) == row["files"]

    check_each(read("project/held"), check)
    assert disk(make_repo(TEXTS, git=False)).holders(["def one():"]) is None
    assert disk(repo, timeout_s=0).holders(["def one():"]) is None
    assert disk(repo, deny=("sub/",)).holders(["def one():\n    return 1"]) == [
        "one.py"
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_pipe_is_not_opened(make_repo):
    repo = make_repo({"a.py": "text\n", "b.py": "text\n"})
    (repo / "b.py").unlink()
    os.mkfifo(repo / "b.py")
    assert disk(repo).holders(["text"]) == ["a.py"]


def test_of_very_many_tracked_names_the_others_are_not_listed(
    make_repo, write, git_that, tmp_path, monkeypatch
):
    repo = make_repo({f"{number}.py": "" for number in range(9)})
    write(repo, {"new.py": ""})
    git_that('*" -o "*', f"echo >> {tmp_path}/started")
    monkeypatch.setattr(module, "_MANY", 40)
    names = disk(repo).names()
    assert (len(names), names.cut_short) == (9, True)
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("listing", ["-c", "-o"])
def test_a_listing_that_was_cut_is_not_used(listing, make_repo, write, git_that):
    repo = make_repo({"a.py": ""})
    write(repo, {"b.py": ""})
    git_that(f'*" {listing}"*', r"printf 'a.py\0b.py\0c.py\0'; sleep 30")
    names = disk(repo, timeout_s=0.5).names()
    assert names.cut_short
    assert [*names] == ([] if listing == "-c" else ["a.py"])
