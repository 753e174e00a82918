"""No program that a repository names is run, whatever the engine asks git.

A repository names one under every key that can name one. Git is called through a shim that writes
its arguments down, so that a command which comes to be used later is met here too.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from truepath import Guard, ToolCall, Workspace
from truepath.project import git as runner
from truepath.project.git import command
from truepath.project.git_listing import is_ignored, unversioned
from truepath.project.history import History
from truepath.session.recent import uncommitted

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: shell scripts")

SETTINGS = """
core.fsmonitor core.pager core.sshCommand core.gitProxy core.askPass core.editor
core.alternateRefsCommand diff.external diff.evil.textconv diff.evil.command
filter.evil.clean filter.evil.smudge filter.evil.process filter.e=v.clean
gpg.program gpg.ssh.program gpg.x509.program gpg.openpgp.program gpg.ssh.defaultKeyCommand
credential.helper alias.ls-files alias.log alias.rev-parse interactive.diffFilter
merge.evil.driver mergetool.evil.cmd difftool.evil.cmd pager.log pager.ls-files pager.rev-parse
sequence.editor uploadpack.packObjectsHook remote.origin.uploadpack remote.origin.receivepack
trailer.evil.cmd trailer.evil.command browser.evil.cmd man.evil.cmd web.browser
""".split()
"""Every key of git 2.39 to 2.47 under which it looks for a program (git-config(1))."""

MORE = {
    "log.showSignature": "true",
    "submodule.recurse": "true",
    "status.submoduleSummary": "true",
    "diff.submodule": "log",
    "diff.ignoreSubmodules": "none",
    "filter.evil.required": "true",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "core.untrackedCache": "true",
    "feature.manyFiles": "true",
}
HOOKS = ("post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction")
ATTRIBUTES = "* filter=evil diff=evil merge=evil\n*.py filter=e=v\n"
FILES = {
    ".gitattributes": ATTRIBUTES,
    "specs/status.md": "one\ntwo\nthree\n",
    "pkg/one/util.py": "1\n",
    "pkg/two/util.py": "2\n",
    "gone.py": "a line that is long enough\nand another one\n",
    "lost.py": "what is lost without a commit\n",
}


@pytest.fixture
def evil(tmp_path):
    """A program that leaves a mark when it is run, and passes its input on."""
    script = tmp_path / "evil"
    script.write_text(f'#!/bin/sh\necho "$0 $@" >> {tmp_path}/mark\nexec cat\n')
    script.chmod(0o755)
    return script


@pytest.fixture
def marked(tmp_path):
    return lambda: (tmp_path / "mark").read_text() if (tmp_path / "mark").exists() else ""


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """Put a git in front of the real one that writes down what it was asked."""
    real, log = shutil.which("git"), tmp_path / "asked"
    (tmp_path / "bin").mkdir()
    shim = tmp_path / "bin" / "git"
    shim.write_text(f'#!/bin/sh\nprintf "%s " "$@" >> {log}\necho >> {log}\nexec {real} "$@"\n')
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", f"{shim.parent}{os.pathsep}{os.environ['PATH']}")
    return lambda: log.read_text("utf-8", "replace").splitlines()


def poison(top: Path, evil: Path, git) -> None:
    """Name the program under every key, in a file of the repository's and in one it includes."""
    common = top / git(top, "rev-parse", "--git-common-dir").strip()
    settings = {**dict.fromkeys(SETTINGS, str(evil)), **MORE}
    settings["core.hooksPath"] = str(common / "hooks")
    lines = []
    for key, value in settings.items():
        section, _, name = key.rpartition(".")
        first, _, inner = section.partition(".")
        title = f'[{first} "{inner}"]' if inner else f"[{first}]"
        lines.append(f'{title}\n\t{name} = "{value}"\n')
    (common / "included").write_text("".join(lines))
    with open(common / "config", "a") as config:
        config.write("[include]\n\tpath = included\n" + "".join(lines))
    (common / "hooks").mkdir(exist_ok=True)
    for name in HOOKS:
        shutil.copy(evil, common / "hooks" / name)
    (common / "info").mkdir(exist_ok=True)
    (common / "info" / "attributes").write_text(ATTRIBUTES)


@pytest.fixture
def repo(make_repo, git, write, tmp_path):
    """A repository with a rename, a deletion, a merge, a branch, a stash, and work under way."""
    repo = make_repo(FILES)
    git(repo, "branch", "-m", "main")
    git(repo, "mv", "specs", "docs")
    git(repo, "commit", "-qm", "move")
    git(repo, "rm", "-q", "gone.py")
    git(repo, "commit", "-qm", "delete")
    git(repo, "checkout", "-qb", "side", "HEAD~1")
    write(repo, {"side.py": "side\n", "pkg/one/util.py": "side\n"})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "side")
    git(repo, "checkout", "-q", "main")
    write(repo, {"pkg/two/util.py": "main\n"})
    git(repo, "commit", "-qam", "main")
    git(repo, "merge", "-q", "--no-edit", "side")
    git(repo, "checkout", "-qb", "open", "HEAD~1")
    write(repo, {"open.py": "only on a branch\n"})
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "open")
    git(repo, "checkout", "-q", "main")
    write(repo, {"stashed.py": "x\n"})
    git(repo, "stash", "-qu")
    return repo


def commit_on(top: Path) -> None:
    """Add a commit, without a look at the work tree: a stored map is behind then."""
    words = (
        "-c",
        "user.name=a",
        "-c",
        "user.email=a@b",
        "commit-tree",
        "HEAD^{tree}",
        "-p",
        "HEAD",
    )
    commit = runner.git(str(top), *words, stdin=b"on", ours=True).decode().strip()
    runner.git(str(top), "update-ref", "HEAD", commit, ours=True)


def ask_everything(top: Path, store: str) -> None:
    """Ask whatever the engine asks of a repository, in every way there is."""
    os.rename(top / "lost.py", top / "found.py")
    (top / "pkg/one/util.py").write_text("not committed, and of another size\n")
    os.utime(top / "pkg/two/util.py", (1, 1))
    missing = ["specs/status.md", "gone.py", "lost.py", "stashed.py", "open.py", "no.py", "specs"]
    for store_of in (None, store):
        history = History(str(top), store=store_of)
        for _ in range(2):
            for path in missing:
                history.fate(path, deadline=20)
            history.departed("specs/status.md", deadline=20)
            history.build()
            commit_on(top)
    workspace = Workspace(top, timeout_s=20)
    for path in [*missing, "util.py", "x/util.py"]:
        for operation in ("read", "write", "list", "delete"):
            workspace.resolve(path, operation)
    guard = Guard(top, timeout_s=20, policy="recover")
    for tool in ("Read", "Edit", "Write"):
        guard.before(ToolCall(tool, {"file_path": f"{top}/util.py", "old_string": "a"}))
    guard.before(ToolCall("Bash", {"command": "git show HEAD:specs/status.md && cat util.py"}))
    uncommitted(str(top), ["pkg/one/util.py", "pkg/two/util.py", "docs/status.md"])
    is_ignored(str(top / "pkg"), str(top), 20)
    unversioned(str(top / "pkg"), 20)


HOOK = {"GIT_DIR": ".git", "GIT_EXTERNAL_DIFF": "evil", "GIT_SSH_COMMAND": "evil"}
HOOK |= dict.fromkeys(("GIT_PAGER", "GIT_EDITOR", "GIT_ASKPASS", "GIT_PROXY_COMMAND"), "evil")
"""What a git hook hands on to whatever it starts, and what a user may have set."""


@pytest.fixture(
    params=[
        "repository",
        pytest.param("linked work tree", marks=pytest.mark.heavy),
        pytest.param("hook", marks=pytest.mark.heavy),
    ]
)
def top(request, repo, git, tmp_path, monkeypatch):
    """A work tree of the repository; or the one of a git hook, which starts the agent."""
    if request.param == "hook":
        for name, value in HOOK.items():
            place = repo / ".git" if value == ".git" else tmp_path / "evil"
            monkeypatch.setenv(name, str(place))
    if request.param != "linked work tree":
        return repo
    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "linked")
    return tmp_path / "linked"


def test_no_program_of_a_repository_is_run(top, evil, marked, asked, git, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        for name in HOOK:
            patch.delenv(name, raising=False)
        poison(top, evil, git)
    (top / "pkg/lost.py").write_text("")
    (tmp_path / "mark").unlink(missing_ok=True)

    ask_everything(top, str(tmp_path / "store"))
    for path in ("util.py", "../specs/status.md", "one/gone.py"):
        Workspace(top / "pkg", timeout_s=20).resolve(path)
    uncommitted(str(top / "pkg"), ["one/util.py", "two/util.py"])

    assert marked() == ""
    verbs = {runner._verb(line.split()[1:]) for line in asked()} - {"commit-tree", "update-ref"}
    assert verbs >= runner._READS_NO_FILE - {"config", "hash-object", "read-tree"}


def test_the_traps_are_real(repo, evil, marked, git):
    poison(repo, evil, git)
    os.utime(repo / "docs/status.md", (1, 1))
    for words in (["status"], ["diff"], ["log", "-p", "--ext-diff"]):
        subprocess.run(["git", "-C", repo, *words], capture_output=True, check=False, timeout=60)
    assert "evil" in marked()


@pytest.mark.parametrize("verb", ["status", "diff", "diff-files", "fetch", "add", "stash"])
def test_a_command_that_looks_into_files_is_not_run(verb, make_repo):
    with pytest.raises(ValueError, match="none of the commands"):
        command(str(make_repo({})), "-C", "log", "--literal-pathspecs", verb, "--", "log")


def test_a_repository_without_its_objects_fetches_none(make_repo, evil, marked, git, tmp_path):
    """A partial clone names where the rest is; `ext::` and `--upload-pack` are programs."""
    for number, url in enumerate([f"ext::{evil} %S", str(tmp_path / "repo"), "ssh://evil/x"]):
        repo = make_repo({**FILES, f"{number}.py": "only here\n"})
        git(repo, "mv", "specs", "docs")
        git(repo, "commit", "-qm", "move")
        poison(repo, evil, git)
        for key, value in {
            "core.repositoryformatversion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.url": url,
            "remote.origin.promisor": "true",
            "remote.origin.partialclonefilter": "blob:none",
        }.items():
            git(repo, "-c", "core.fsmonitor=", "config", key, value)
        for blob in (repo / ".git/objects").glob("[0-9a-f][0-9a-f]/*"):
            kind = git(
                repo, "-c", "core.fsmonitor=", "cat-file", "-t", blob.parent.name + blob.name
            )
            if kind == "blob\n":
                blob.unlink()
        (tmp_path / "mark").unlink(missing_ok=True)
        history = History(str(repo), store=str(tmp_path / f"store{number}"))
        for path in ("specs/status.md", "gone.py", "specs"):
            history.fate(path, deadline=20)
        history.build()
        Workspace(repo, timeout_s=20).resolve("x/util.py")
        uncommitted(str(repo), ["pkg/one/util.py", "pkg/two/util.py"])
        assert marked() == ""
