"""The untracked names that are kept, beside what git lists anew."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random
import shutil
import subprocess
import sys
import time
import types
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import repos

from truepath.config import files
from truepath.project import listing
from truepath.project import untracked as module
from truepath.project.git import git
from truepath.project.untracked import Untracked

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="kept on Linux alone")

TREE = {
    "a.py": "",
    "src/b.py": "",
    "src/deep/c.py": "",
    "src/deep/er/d.py": "",
    "docs/e.md": "",
    "lib/f.log": "tracked all the same\n",
    ".gitignore": "*.log\n/build/\n",
}
HERE = str(pathlib.Path(__file__).parent)
GRAIN_S = 0.02
"""Seconds in which this machine's file systems may count two changes as one time."""
SEEDS = int(os.environ.get("TRUEPATH_TEST_SEEDS", "3"))
"""Runs of a hundred changes whose names are listed behind: each lists many times."""


class Project:
    """A repository whose untracked names are asked for in both ways."""

    def __init__(self, root, store, top=None):
        self.root, self.top, self.store = str(root), str(top or root), str(store)
        self.anew = 0

    def git(self):
        return git(self.root, "ls-files", "-z", "-o", "--exclude-standard", ends=soon())

    def kept(self):
        names = git(self.root, "ls-files", "-z", "-c", ends=soon(), before=b"\0")
        kept = Untracked(
            root=self.root,
            top=self.top,
            tracked=names,
            generated=(),
            file=os.path.join(self.store, "untracked"),
            ends=soon(),
        )

        def listed():
            self.anew += 1
            return self.git()

        return kept.names(listed)

    def check(self, what):
        kept, listed = {*self.kept().split(b"\0")}, {*self.git().split(b"\0")}
        assert (kept - listed, listed - kept) == (set(), set()), what


class Behind(Project):
    """The same, of a repository so large that its names are listed behind."""

    asked = unknown = 0

    def listed(self, store, ends):
        return listing._listed_by_git(self.root, ends, store=store)

    def git(self):
        return self.listed(None, time.monotonic() + 1000).untracked

    def kept(self):
        self.asked += 1
        while True:
            before = self.logs()
            one = self.listed(self.store, soon())
            if not one.cut_short:
                return one.untracked
            # One that was begun just now may have ended in that time.
            if self.logs() == before and self.has_ended():
                self.unknown += 1  # there is something that is not understood
                return self.git()
            self.anew += 1
            time.sleep(GRAIN_S)

    def logs(self):
        """Return what is listed behind, by file; None for one that is begun anew."""
        logs = dict.fromkeys(pathlib.Path(self.store).glob("*.log"))
        for log in logs:
            with contextlib.suppress(FileNotFoundError):
                logs[log] = log.read_bytes()
        return logs

    def has_ended(self):
        """Return whether nothing is being listed behind."""
        return all(log and b"\0\0end " in log for log in self.logs().values())


def soon():
    return time.monotonic() + 60


@pytest.fixture
def project(tmp_path, make_repo, monkeypatch):
    monkeypatch.setattr(files, "YOUNG_NS", int(GRAIN_S * 1e9))
    repo = make_repo(TREE)
    (repo / "empty/inner").mkdir(parents=True)
    repos.write_files(repo, {"src/new.py": "", "src/x.log": "", "build/out": ""})
    repos.write_files(repo, {"src/deep/er/own.py": ""})
    time.sleep(2 * GRAIN_S)
    return Project(repo, tmp_path / "store")


@pytest.fixture
def behind(project, monkeypatch):
    code = f"""
import sys
sys.path.insert(0, sys.argv[1])
from truepath.config import files
from truepath.project import listing
listing._MANY = listing._KEPT_FROM = 0
files.YOUNG_NS = {GRAIN_S * 1e9:.0f}
listing.list_behind(*sys.argv[2:4])
"""
    monkeypatch.setattr(module, "_BEHIND", code)
    monkeypatch.setattr(listing, "_KEPT_FROM", 0)
    monkeypatch.setattr(listing, "_MANY", 0)
    return Behind(project.root, project.store)


class Changes:
    """Random changes of a project's folder."""

    def __init__(self, project, seed, home):
        self.root = project.root
        self.chance = random.Random(seed)
        self.home = home
        self.kinds = [name for name in dir(self) if name.startswith("do_")]
        self.rules = ["*.log", "build/", "!keep.log", "/docs", "er", "*.tmp", "x?", ""]

    def folders(self):
        found = [self.root]
        for place, folders, _ in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name != ".git")
            found += [os.path.join(place, name) for name in folders]
        return found

    def files(self):
        found = []
        for place, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name != ".git")
            found += [os.path.join(place, name) for name in sorted(names)]
        return [path for path in found if not path.endswith("/.git")]

    def folder(self):
        return self.chance.choice(self.folders())

    def file(self):
        return self.chance.choice(self.files() or [f"{self.root}/none"])

    def name(self):
        kinds = "x.log y.py keep.log z.tmp build er b ü.md q'.txt docs xy".split()
        return self.chance.choice([*kinds, "a b", str(self.chance.randrange(50))])

    def change(self):
        does = self.chance.choice(self.kinds)
        try:
            getattr(self, does)()
        except (OSError, AssertionError):  # the second, where git refuses
            return f"{does}, in vain"
        return does

    def write(self, path, text="x\n"):
        # Not through a link, and not into a pipe, which would wait.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
        with open(os.open(path, flags, 0o600), "w", encoding="utf-8") as file:
            file.write(text)

    def do_make_a_file(self):
        self.write(f"{self.folder()}/{self.name()}")

    do_make_another = do_make_a_third = do_make_a_file

    def do_remove_a_file(self):
        os.unlink(self.file())

    def do_rename_a_file(self):
        os.rename(self.file(), f"{self.folder()}/{self.name()}")

    def do_change_a_text(self):
        self.write(self.file(), str(self.chance.random()))

    def do_make_a_folder(self):
        os.mkdir(f"{self.folder()}/{self.name()}")

    def do_make_folders_with_a_file(self):
        place = f"{self.folder()}/{self.name()}/{self.name()}"
        os.makedirs(place)
        self.write(f"{place}/{self.name()}")

    def do_rename_a_folder(self):
        if (folder := self.folder()) != self.root:
            os.rename(folder, f"{self.folder()}/{self.name()}")

    def do_remove_a_folder(self):
        if (folder := self.folder()) != self.root:
            shutil.rmtree(folder)

    def do_replace_a_folder_by_one_of_the_same_time(self):
        if (folder := self.folder()) != self.root:
            status = os.stat(folder)
            shutil.rmtree(folder)
            os.mkdir(folder)
            self.write(f"{folder}/{self.name()}")
            os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))

    def do_set_a_time_back(self):
        folder = self.folder()
        status = os.stat(folder)
        self.write(f"{folder}/{self.name()}")
        os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns - 10**12))

    def do_replace_a_file_by_a_folder(self):
        file = self.file()
        os.unlink(file)
        os.mkdir(file)
        self.write(f"{file}/{self.name()}")

    def do_replace_a_folder_by_a_file(self):
        if (folder := self.folder()) != self.root:
            shutil.rmtree(folder)
            self.write(folder)

    def do_set_a_time_back_to_what_it_was(self):
        folder = self.folder()
        status = os.stat(folder)
        self.write(f"{folder}/{self.name()}")
        os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))

    def do_rename_to_another_case(self):
        path = self.chance.choice([self.file(), self.folder()])
        if path != self.root:
            folder, name = os.path.split(path)
            os.rename(path, f"{folder}/{name.swapcase()}")

    def do_put_a_link_in_place_of_a_folder(self):
        if (folder := self.folder()) != self.root:
            os.rename(folder, f"{self.home}/{self.chance.random()}")
            # Of those that were moved so, any.
            os.symlink(self.moved_folder(), folder)

    def do_put_a_folder_back(self):
        links = [path for path in self.files() + self.folders() if os.path.islink(path)]
        link = self.chance.choice(links or [f"{self.root}/none"])
        os.unlink(link)
        os.rename(self.moved_folder(), link)

    def moved_folder(self):
        moved = (name for name in os.listdir(self.home) if name.startswith("0."))
        return os.path.join(self.home, self.chance.choice([*sorted(moved), "none"]))

    def do_take_permissions(self):
        if (folder := self.folder()) != self.root:
            os.chmod(folder, self.chance.choice([0o700, 0o500, 0o300, 0o000]))

    def do_give_permissions(self):
        for folder in self.folders():
            os.chmod(folder, 0o700)

    def do_link(self):
        os.symlink(self.folder(), f"{self.folder()}/{self.name()}")

    def do_make_a_pipe(self):
        os.mkfifo(f"{self.folder()}/{self.name()}")

    def do_ignore(self):
        rules = "\n".join(self.chance.sample(self.rules, 3))
        self.write(f"{self.folder()}/.gitignore", f"{rules}\n")

    def do_ignore_less(self):
        os.unlink(f"{self.folder()}/.gitignore")

    def do_exclude(self):
        os.makedirs(f"{self.root}/.git/info", exist_ok=True)
        self.write(f"{self.root}/.git/info/exclude", self.chance.choice(self.rules))

    def do_exclude_for_the_user(self):
        os.makedirs(f"{self.home}/.config/git", exist_ok=True)
        self.write(f"{self.home}/.config/git/ignore", self.chance.choice(self.rules))

    def do_configure(self):
        self.write(f"{self.home}/rules", self.chance.choice(self.rules))
        repos.run_git(self.root, "config", "core.excludesFile", f"{self.home}/rules")

    def do_exclude_by_a_linked_file(self):
        os.makedirs(f"{self.home}/.config/git", exist_ok=True)
        self.write(f"{self.home}/linked", self.chance.choice(self.rules))
        for file in ("{self.home}/.config/git/ignore", "{self.root}/.git/info/exclude"):
            with suppress(OSError):
                os.symlink(f"{self.home}/linked", file.format(self=self))

    def do_configure_a_relative_path(self):
        self.write(f"{self.root}/.git/rules", self.chance.choice(self.rules))
        repos.run_git(self.root, "config", "core.excludesFile", ".git/rules")

    def do_configure_the_work_tree(self):
        self.write(f"{self.home}/others", self.chance.choice(self.rules))
        repos.run_git(self.root, "config", "extensions.worktreeConfig", "true")
        text = f"[core]\nexcludesFile = {self.home}/others\n"
        self.write(f"{self.root}/.git/config.worktree", text)

    def do_configure_no_longer(self):
        os.unlink(f"{self.root}/.git/config.worktree")

    def do_make_a_bare_repository(self):
        folder = f"{self.folder()}/{self.name()}"
        os.mkdir(folder)
        repos.run_git(folder, "init", "-q", "--bare", "--template=")

    def do_make_a_repository_s_work_tree(self):
        commit = ("commit", "-q", "--allow-empty", "-m", "x")
        repos.run_git(self.root, *commit)
        place = f"{self.folder()}/{self.name()}"
        self.run("worktree", "add", "-q", "-f", "--detach", place)

    def do_add_a_repository_as_a_submodule(self):
        folder = f"{self.folder()}/{self.name()}"
        os.mkdir(folder)
        repos.start(pathlib.Path(folder), {self.name(): ""})
        self.run("add", "-f", "--", folder)

    def run(self, *args):
        git(self.root, *args, ends=soon(), ok=(*range(256),))

    def do_make_a_repository(self):
        folder = f"{self.folder()}/{self.name()}"
        os.mkdir(folder)
        repos.run_git(folder, "init", "-q", "--template=")
        self.write(f"{folder}/{self.name()}")

    def do_make_a_folder_a_repository(self):
        repos.run_git(self.folder(), "init", "-q", "--template=")

    def do_remove_a_repository(self):
        folder = os.path.realpath(self.folder())  # a link may lead to the root
        if folder != os.path.realpath(self.root):
            shutil.rmtree(f"{folder}/.git")

    def do_track(self):
        file = os.path.relpath(self.file(), self.root)
        self.run("add", "-f", "--", file)

    def do_track_no_more(self):
        file = os.path.relpath(self.file(), self.root)
        self.run("rm", "-q", "--cached", "--", file)


def put_a_link_in_place(root, folder):
    """Move a folder away, and put a link to it in its place."""
    moved = root.parent / "moved"
    os.rename(root / folder, moved)
    os.symlink(moved, root / folder)


def set_back(root):
    times = os.stat(f"{root}/src")
    repos.write_files(root, {"src/made.py": ""})
    os.utime(f"{root}/src", ns=(times.st_atime_ns, times.st_mtime_ns))


def start_bare(root):
    os.mkdir(f"{root}/bare.git")
    repos.run_git(f"{root}/bare.git", "init", "-q", "--bare", "--template=")


# (what is done, how often git lists anew)
CHANGED = [
    (lambda root: None, 0),
    (lambda root: repos.write_files(root, {"src/made.py": "", "src/y.log": ""}), 0),
    (lambda root: repos.write_files(root, {"empty/inner/deep/er/made.py": ""}), 0),
    (lambda root: repos.write_files(root, {"build/deep/made.py": ""}), 0),
    (
        lambda root: repos.write_files(
            root, {"pkg/.gitignore": "*.x\n", "pkg/a.x": ""}
        ),
        0,
    ),
    (lambda root: os.unlink(f"{root}/src/new.py"), 0),
    (lambda root: os.unlink(f"{root}/src/b.py"), 0),
    (lambda root: os.rename(f"{root}/src", f"{root}/source"), 0),
    (lambda root: shutil.rmtree(f"{root}/src/deep"), 0),
    (lambda root: os.symlink("src", f"{root}/link"), 0),
    (lambda root: put_a_link_in_place(root, "src"), 0),
    (lambda root: put_a_link_in_place(root, "src/deep"), 0),
    (set_back, 0),
    (start_bare, 0),
    (lambda root: os.rename(f"{root}/src/new.py", f"{root}/src/NEW.py"), 0),
    (lambda root: os.rename(f"{root}/src", f"{root}/Src"), 0),
    (lambda root: repos.run_git(root, "worktree", "add", "-q", "--detach", "wt"), 1),
    (lambda root: repos.write_files(root, {"docs/a b ü.md": ""}), 0),
    (lambda root: repos.write_files(root, {'docs/a"b.md': ""}), 1),
    (lambda root: repos.write_files(root, {"src/.gitignore": "new.py\n"}), 1),
    (lambda root: repos.write_files(root, {".gitignore": "new.py\n"}), 1),
    (lambda root: repos.write_files(root, {".git/info/exclude": "new.py\n"}), 1),
    (lambda root: repos.start(root / "nested", {"x.py": ""}), 1),
    (lambda root: repos.run_git(root, "add", "src/new.py"), 1),
    (lambda root: repos.run_git(root, "rm", "-q", "--cached", "a.py"), 1),
    (lambda root: repos.run_git(root, "config", "core.excludesFile", "/none"), 1),
]


@pytest.mark.parametrize(("does", "anew"), CHANGED)
def test_only_what_is_not_understood_is_listed_anew(does, anew, project):
    project.check("the first")
    time.sleep(2 * GRAIN_S)
    project.anew = 0
    does(pathlib.Path(project.root))
    time.sleep(2 * GRAIN_S)
    for _ in range(2):
        project.check("changed")
    assert project.anew == anew


def link(path, target):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with suppress(OSError):
        os.unlink(path)
    os.symlink(target, path)


def configure(root, *words):
    repos.run_git(root, "config", *words)


# (what is there, the file that changes, what it is then)
RULES = {
    "the user's rules are a link": (
        lambda root, home: link(home / ".config/git/ignore", "../dots"),
        "HOME/.config/dots",
        "new.py\n",
    ),
    "the repository's are one": (
        lambda root, home: link(root / ".git/info/exclude", "../dots"),
        "ROOT/.git/dots",
        "new.py\n",
    ),
    "the user's settings are one": (
        lambda root, home: link(home / ".gitconfig", "dots"),
        "HOME/dots",
        "[core]\nexcludesFile = HOME/rules\n",
    ),
    "a folder's are one": (
        lambda root, home: link(root / "src/.gitignore", "../lib/rules"),
        "ROOT/lib/rules",
        "new.py\n",
    ),
    "a relative path begins at the top": (
        lambda root, home: configure(root, "core.excludesFile", ".git/rules"),
        "ROOT/.git/rules",
        "new.py\n",
    ),
    "one in the home folder": (
        lambda root, home: configure(root, "core.excludesFile", "~/own"),
        "HOME/own",
        "new.py\n",
    ),
    "a work tree has settings of its own": (
        lambda root, home: configure(root, "extensions.worktreeConfig", "true"),
        "ROOT/.git/config.worktree",
        "[core]\nexcludesFile = HOME/rules\n",
    ),
    "settings include others": (
        lambda root, home: configure(root, "include.path", str(home / "more")),
        "HOME/more",
        "[core]\nexcludesFile = HOME/rules\n",
    ),
    "where another case is the same name, all is read": (
        lambda root, home: configure(root, "core.ignoreCase", "true"),
        "ROOT/src/B.py",
        "",
    ),
}


@pytest.mark.parametrize("below", ["", "src"])
@pytest.mark.parametrize("row", RULES.values(), ids=RULES)
def test_rules_are_watched_wherever_git_has_them_from(
    row, below, project, isolated, monkeypatch
):
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    prepare, file, text = row
    root = pathlib.Path(project.root)
    repos.write_files(isolated, {"rules": "new.py\n"})
    prepare(root, isolated)
    time.sleep(2 * GRAIN_S)
    project = Project(root / below, project.store, root)
    for _ in range(2):
        project.check("the first")
    place = file.replace("ROOT", str(root)).replace("HOME", str(isolated))
    repos.write_files("/", {place: text.replace("HOME", str(isolated))})
    time.sleep(2 * GRAIN_S)
    for _ in range(2):
        project.check("changed")


def test_settings_of_a_variable_are_watched(project, isolated, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", f"{isolated}/own")
    repos.write_files(isolated, {"rules": "new.py\n"})
    project.check("the first")
    text = f"[core]\nexcludesFile = {isolated}/rules\n"
    repos.write_files(isolated, {"own": text})
    time.sleep(2 * GRAIN_S)
    project.check("changed")


def test_a_folder_that_was_put_back_in_place_of_a_link_is_read(project):
    root = pathlib.Path(project.root)
    put_a_link_in_place(root, "src")
    for _ in range(2):
        time.sleep(2 * GRAIN_S)
        project.check("a link")
    os.unlink(root / "src")
    os.rename(root.parent / "moved", root / "src")
    project.check("a folder again")


@pytest.mark.parametrize("links", [0, 1, 2, None])
def test_folders_are_found_where_the_file_system_counts_none(
    links, project, monkeypatch
):
    """CIFS tells two links for each folder, Btrfs one, others all that are in it."""
    lstat = os.lstat

    def counted(path):
        entry = lstat(path)
        fields = {name: getattr(entry, name) for name in dir(entry) if "st_" in name}
        count = 2 + len(os.listdir(path)) if links is None else links
        return types.SimpleNamespace(**{**fields, "st_nlink": count})

    os.makedirs(f"{project.root}/docs/hollow/deep")
    time.sleep(2 * GRAIN_S)
    monkeypatch.setattr(os, "lstat", counted)
    project.check("the first")
    repos.write_files(project.root, {"docs/hollow/deep/made.md": ""})
    time.sleep(2 * GRAIN_S)
    project.check("changed")
    assert project.anew == 1


@pytest.mark.parametrize("is_checked_out", [True, False])
def test_git_reads_nothing_in_a_submodule(is_checked_out, project):
    root = pathlib.Path(project.root)
    repos.start(root / "module", {"x.py": ""})
    repos.run_git(root, "add", "module")
    if not is_checked_out:
        shutil.rmtree(root / "module/.git")
    for name in ("module/x.py", "module/made.py", "made.py", "module/in/it.py"):
        repos.write_files(root, {name: ""})
        time.sleep(2 * GRAIN_S)
        project.check(name)
    assert project.anew == 1
    repos.run_git(root, "rm", "-q", "-f", "--cached", "module")
    for _ in range(2):
        project.check("no submodule")


def test_what_is_young_is_read_again(project, monkeypatch):
    monkeypatch.setattr(files, "YOUNG_NS", 10**12)
    for number in range(5):
        repos.write_files(project.root, {f"src/{number}.py": ""})
        project.check(number)


def test_a_file_that_is_not_its_own_is_not_used(project):
    project.check("the first")
    (file,) = pathlib.Path(project.store).iterdir()
    for damaged in (b"", b"x", file.read_bytes()[:-3], b"\0" * 100):
        file.write_bytes(damaged)
        project.check(damaged)


def test_what_is_kept_is_private(project):
    project.check("the first")
    (file,) = pathlib.Path(project.store).iterdir()
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (
        0o600,
        0o700,
    )


def test_two_processes_at_once_have_one_answer(project):
    code = f"import sys; sys.path[:0] = {sys.path!r}; sys.path.insert(0, {HERE!r})"
    code += "; from test_untracked import Project"
    code += "; import hashlib, os; root, store = sys.argv[1:]"
    code += "; print(hashlib.md5(Project(root, store).kept()).hexdigest())"
    for number in range(3):
        repos.write_files(project.root, {f"src/made_{number}.py": ""})
        words = [sys.executable, "-c", code, project.root, project.store]
        asked = [subprocess.Popen(words, stdout=subprocess.PIPE) for _ in range(2)]
        assert len({process.communicate()[0] for process in asked}) == 1
        project.check(number)


def test_names_that_take_long_are_listed_behind_and_a_later_answer_has_them(behind):
    assert behind.listed(behind.store, soon()).cut_short
    behind.check("the first")
    repos.write_files(behind.root, {"src/made.py": "", "src/y.log": ""})
    time.sleep(2 * GRAIN_S)
    behind.anew = 0
    behind.check("a file was made")
    assert behind.anew == 0
    repos.run_git(behind.root, "add", "src/new.py")
    assert behind.listed(behind.store, soon()).cut_short
    behind.check("one is tracked")


def test_what_cannot_be_listed_behind_is_tried_once(behind, monkeypatch):
    trace = pathlib.Path(behind.store, "tried")
    code = f"open({str(trace)!r}, 'a').write('x')"
    monkeypatch.setattr(module, "_BEHIND", code)
    for _ in range(4):
        assert behind.listed(behind.store, soon()).cut_short
        time.sleep(0.1)
    assert trace.read_text() == "x"


@pytest.mark.parametrize("is_late", [True, False])
def test_names_that_git_does_not_list_in_time_are_not_waited_for_again(
    is_late, project, tmp_path, monkeypatch
):
    """The repository is small, and its folders are slow."""
    asked, go = tmp_path / "asked", tmp_path / "go"
    slow = f"*' -o '*) echo >> {asked}; until [ -e {go} ]; do :; done;;"
    text = f'#!/bin/sh\ncase " $* " in {slow} esac\nexec {shutil.which("git")} "$@"\n'
    repos.write_files(tmp_path, {"bin/git": text})
    (tmp_path / "bin/git").chmod(0o755)
    if is_late:
        monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")

    def names(wait_s):
        ends = time.monotonic() + wait_s
        return listing._listed_by_git(project.root, ends, store=project.store)

    assert names(0.5 if is_late else 60).cut_short == is_late
    if not is_late:
        assert not pathlib.Path(project.store).exists()  # they are few
        return
    for _ in range(3):
        assert names(0.5).cut_short
    assert len(asked.read_text()) == 2  # once now, and once behind
    go.touch()
    while names(60).cut_short:
        time.sleep(GRAIN_S)
    assert names(60).untracked.split(b"\0") == project.git().split(b"\0")


def test_many_untracked_names_of_a_small_repository_are_kept(project, monkeypatch):
    repos.write_files(project.root, {f"data/{number:0100}": "" for number in range(20)})
    time.sleep(2 * GRAIN_S)
    monkeypatch.setattr(listing, "_KEPT_FROM", 2_000)
    asked = []

    def counting(*words, **how):
        asked.append(words)
        return git(*words, **how)

    monkeypatch.setattr(listing, "git", counting)
    first, second = (
        listing._listed_by_git(project.root, soon(), store=project.store)
        for _ in range(2)
    )
    assert {*first.untracked.split(b"\0")} == {*second.untracked.split(b"\0")}
    assert sum("-o" in words for words in asked) == 1


def test_inside_another_program_nothing_is_begun(behind, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/usr/bin/editor")
    assert behind.listed(behind.store, soon()).cut_short
    assert not pathlib.Path(behind.store).exists()


@pytest.mark.heavy
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(20))
def test_after_any_change_the_names_are_those_that_git_lists(seed, project, isolated):
    _change_and_check(project, seed, isolated, 100)


@pytest.mark.heavy
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(SEEDS))
def test_after_any_change_those_listed_behind_are_the_same(seed, behind, isolated):
    _change_and_check(behind, seed, isolated, 100)
    # As long as a folder may not be read, nothing is understood.
    assert behind.unknown < 0.75 * behind.asked


def _change_and_check(project, seed, home, rounds):
    changes = Changes(project, seed, home)
    if isinstance(project, Behind):  # of repositories inside, little is kept
        changes.kinds = [kind for kind in changes.kinds if "repository" not in kind]
    done: list[str] = []
    for _ in range(rounds):
        assert os.path.isdir(f"{project.root}/.git"), done[-9:]
        done += [changes.change() for _ in range(changes.chance.choice([1, 1, 1, 3]))]
        if changes.chance.random() < 0.7:  # else the times are young
            time.sleep(2 * GRAIN_S)
        if changes.chance.random() < 0.1:
            with ThreadPoolExecutor(2) as pool:
                one, other = pool.map(lambda _: project.kept(), range(2))
            assert one == other, done[-9:]
        project.check((seed, done[-9:]))
