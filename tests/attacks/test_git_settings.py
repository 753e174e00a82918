"""What a repository's own settings, hooks and files may have git do: nothing."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import hooks
import pytest
import repos

from truepath.hook.deadline import SECONDS
from truepath.project.disk import Disk
from truepath.project.history import History

if sys.platform == "win32":
    pytest.skip("not on Windows: shell scripts and pipes", allow_module_level=True)

SETTINGS = """
core.fsmonitor core.pager core.sshCommand core.gitProxy core.askPass core.editor
core.alternateRefsCommand diff.external diff.evil.textconv diff.evil.command
filter.evil.clean filter.evil.smudge filter.evil.process filter.e=v.clean
gpg.program gpg.ssh.program gpg.x509.program gpg.openpgp.program
gpg.ssh.defaultKeyCommand
credential.helper alias.ls-files alias.log alias.rev-parse interactive.diffFilter
merge.evil.driver mergetool.evil.cmd difftool.evil.cmd pager.log pager.ls-files
pager.grep
sequence.editor uploadpack.packObjectsHook remote.origin.uploadpack
remote.origin.receivepack
trailer.evil.cmd trailer.evil.command browser.evil.cmd man.evil.cmd web.browser
""".split()
"""Every key of git 2.39 to 2.47 under which it looks for a program (git-config(1))."""

MORE = """
log.showSignature=true submodule.recurse=true grep.fullName=true diff.submodule=log
diff.noprefix=true filter.evil.required=true protocol.allow=always
protocol.ext.allow=always
core.untrackedCache=true feature.manyFiles=true extensions.partialClone=origin
remote.origin.promisor=true core.repositoryformatversion=1
""".split()
HOOKS = (
    "post-index-change",
    "fsmonitor-watchman",
    "query-watchman",
    "reference-transaction",
)
ATTRIBUTES = "* filter=evil diff=evil merge=evil\n*.py filter=e=v\n"
FILES = {
    ".gitattributes": ATTRIBUTES,
    "specs/status.md": "one\ntwo\nthree\n",
    "pkg/one/util.py": "1\n",
    "gone.py": "a line that is long enough\nand another one\n",
}


@pytest.fixture
def evil(tmp_path):
    """A program that leaves a mark when it is run, and passes its input on."""
    script = tmp_path / "evil"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/mark\nexec cat\n')
    script.chmod(0o755)
    return script


def poison(repo: pathlib.Path, evil: pathlib.Path) -> None:
    """Name a program under every key, in a file of the repository's and in one it
    includes.
    """
    settings = dict.fromkeys(SETTINGS, str(evil)) | dict(
        each.split("=") for each in MORE
    )
    settings["remote.origin.url"] = f"ext::{evil} %S"
    settings["core.hooksPath"] = str(repo / ".git/hooks")
    lines = []
    for key, value in settings.items():
        section, _, name = key.rpartition(".")
        first, _, inner = section.partition(".")
        title = f'[{first} "{inner}"]' if inner else f"[{first}]"
        lines.append(f'{title}\n\t{name} = "{value}"\n')
    (repo / ".git/included").write_text("".join(lines))
    with open(repo / ".git/config", "a") as config:
        config.write("[include]\n\tpath = included\n" + "".join(lines))
    for name in HOOKS:
        os.makedirs(repo / ".git/hooks", exist_ok=True)
        shutil.copy(evil, repo / ".git/hooks" / name)
    os.makedirs(repo / ".git/info", exist_ok=True)
    (repo / ".git/info/attributes").write_text(ATTRIBUTES)


HOOK = {"GIT_DIR": ".git", "GIT_EXTERNAL_DIFF": "evil", "GIT_SSH_COMMAND": "evil"}
HOOK |= dict.fromkeys(
    ("GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS", "GIT_PROXY_COMMAND"), "evil"
)
"""What a git hook hands on to whatever it starts, and what a user may have set."""


@pytest.mark.parametrize("in_hook", [False, True])
@pytest.mark.parametrize("lacks_contents", [False, True])
def test_no_program_of_a_repository_is_run(
    in_hook, lacks_contents, make_repo, evil, tmp_path, monkeypatch
):
    repo = make_repo(FILES)
    repos.move_file(repo, "specs", "docs")
    repos.run_git(repo, "rm", "-q", "gone.py")
    repos.commit_all(repo)
    if lacks_contents:
        for blob in (repo / ".git/objects").glob("[0-9a-f][0-9a-f]/*"):
            if (
                repos.run_git(repo, "cat-file", "-t", blob.parent.name + blob.name)
                == "blob\n"
            ):
                blob.unlink()
    poison(repo, evil)
    os.utime(repo / "docs/status.md", (1, 1))
    for name, value in HOOK.items() if in_hook else ():
        monkeypatch.setenv(name, str(repo / ".git" if value == ".git" else evil))
    (tmp_path / "mark").unlink(missing_ok=True)

    for root in (repo, repo / "pkg"):
        tree = Disk(str(root), limit=1_000, timeout_s=20, store=str(tmp_path / "store"))
        assert len(tree.names())
        for path in ("specs/status.md", "gone.py", "specs", "no.py"):
            tree.fate(path)
        assert tree.holders(["one\n two"]) in (["docs/status.md"], [])
        tree.children("")
        History(str(root), str(tmp_path / "store")).fate("no", time.monotonic() + 20)

    assert not (tmp_path / "mark").exists()


def test_the_traps_are_real(make_repo, evil, tmp_path):
    repo = make_repo(FILES)
    poison(repo, evil)
    os.utime(repo / "specs/status.md", (1, 1))
    for words in (["status"], ["diff"], ["log", "-p", "--ext-diff"]):
        subprocess.run(
            ["git", "-C", repo, *words], capture_output=True, check=False, timeout=300
        )
    assert "evil" in (tmp_path / "mark").read_text()


def pointing(name, target):
    """Put a file of git's, with what it names."""

    def spoil(repo, evil):
        file = repo / ".git" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(target.format(repo=repo, evil=evil))

    return spoil


def configured(*lines):
    """Add to git's configuration; `PIPE` is one that nobody fills."""

    def spoil(repo, evil):
        os.mkfifo(repo / ".git/pipe")
        text = "\n".join(lines).replace("EVIL", str(evil))
        with open(repo / ".git/config", "a") as file:
            file.write(text.replace("PIPE", str(repo / ".git/pipe")) + "\n")

    return spoil


def without_objects(repo, evil):
    """Leave a partial clone, whose missing contents a program is to bring."""
    configured(
        "[core]\n\trepositoryformatversion = 1",
        "[extensions]\n\tpartialClone = origin",
        '[remote "origin"]\n\turl = ext::EVIL %S\n\tpromisor = true',
        "\tuploadpack = EVIL\n\tpartialclonefilter = blob:none",
    )(repo, evil)
    for blob in (repo / ".git/objects").glob("[0-9a-f][0-9a-f]/*"):
        kind = repos.run_git(repo, "cat-file", "-t", blob.parent.name + blob.name)
        if kind == "blob\n":
            blob.unlink()


KINDS = {
    "an include of a pipe": configured("[include]\n\tpath = PIPE"),
    "an include of what never ends": configured("[include]\n\tpath = /dev/zero"),
    "an include of itself": configured("[include]\n\tpath = config"),
    "an include by branch": configured('[includeIf "onbranch:**"]\n\tpath = PIPE'),
    "ignored by a pipe": configured("[core]\n\texcludesFile = PIPE"),
    "ignored by what never ends": configured("[core]\n\texcludesFile = /dev/zero"),
    "attributes in a pipe": configured("[core]\n\tattributesFile = PIPE"),
    "a mailmap in a pipe": configured("[mailmap]\n\tfile = PIPE"),
    "a work tree elsewhere": configured("[core]\n\tworktree = /usr"),
    "a monitor of files": configured("[core]\n\tfsmonitor = EVIL"),
    "hooks elsewhere": configured("[core]\n\thooksPath = .git"),
    "a pager": configured("[core]\n\tpager = EVIL", "[pager]\n\tls-files = EVIL"),
    "aliases": configured("[alias]\n\tlog = !EVIL\n\tls-files = !EVIL"),
    "a filter": configured('[filter "evil"]\n\tclean = EVIL\n\tprocess = EVIL'),
    "signatures": configured(
        "[log]\n\tshowSignature = true", "[gpg]\n\tprogram = EVIL"
    ),
    "settings of the work tree": configured(
        "[extensions]\n\tworktreeConfig = true", "[core]\n\tfsmonitor = EVIL"
    ),
    "an extension that is not known": configured(
        "[core]\n\trepositoryformatversion = 1", "[extensions]\n\tevil = EVIL"
    ),
    "missing objects": without_objects,
    "objects elsewhere": pointing(
        "objects/info/alternates", "/dev/zero\n/usr\n{evil}\n"
    ),
    "a graph that is none": pointing("objects/info/commit-graph", "CGPH" + "x" * 999),
    "ignored in the repository": pointing("info/exclude", "*[[:alpha:]" * 999),
    "grafts": pointing("info/grafts", "x" * 999),
    "a modules file": lambda repo, evil: (repo / ".gitmodules").write_text(
        f'[submodule "x"]\n\tpath = docs\n\turl = ext::{evil}\n\tupdate = !{evil}\n'
    ),
}
"""What a repository may come with -> how it is made."""


def is_asked(repo):
    """Return whether a git still runs that was started for a repository."""
    words = os.fsencode(repo)
    for file in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if words in file.read_bytes().split(b"\0"):
                return True
    return False


@pytest.mark.parametrize("kind", KINDS)
def test_a_hook_ends_and_runs_nothing_whatever_a_repository_says(kind, evil, tmp_path):
    repo = hooks.make_project(tmp_path / "repo")
    KINDS[kind](repo, evil)
    for path in ("specs/status.md", "no/such.py"):
        done = subprocess.run(
            hooks.PYTHON,
            input=json.dumps(hooks.event(repo, path)).encode(),
            env={**os.environ, "TRUEPATH_HOOK_SECONDS": str(SECONDS)},
            capture_output=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0
        assert not done.stdout or json.loads(done.stdout)
        assert not (tmp_path / "mark").exists()
    # What goes on behind the hook ends by itself, too: it waits for nothing.
    while is_asked(repo):
        time.sleep(0.1)
