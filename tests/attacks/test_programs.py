"""No program of the project is run, nor one where others may write, whoever asks."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import hooks
import pytest
from attacks.traps import NAMES, laid, sprung

from truepath.hook.command import PLUGINS, client_command
from truepath.project import search_path
from truepath.project.git import GitError, note_program, program

if sys.platform == "win32":
    pytest.skip("not on Windows: the traps are shell scripts", allow_module_level=True)

ROOT = Path(__file__).parents[2]
TRUEPATH = (sys.executable, "-m", "truepath")
SERVER = str(ROOT / "tests/mcp/file_server.py")
SHELLS = [
    shell
    for shell in ("sh", "dash", "bash --posix", "busybox sh", "ksh", "mksh")
    if shutil.which(shell.split()[0])
]
GUARD = """
from truepath import Guard, ToolCall
guard = Guard(".")
print(guard.before(ToolCall("read_file", {"path": "specs/status.md"})).text)
print(guard.wrap(lambda path: path, tool="read_file")(path="specs/zones.md"))
print(guard.before(ToolCall("bash", {"command": "git log mian -- docs/x.md"})).text)
"""


CLIENTS = hooks.clients()
GIVEN = {
    "event": lambda repo: json.dumps(hooks.event(repo)),
    "message": lambda repo: MESSAGES.replace("REPO", str(repo)),
}
MESSAGES = """
{"jsonrpc": "2.0", "id": 0, "method": "tools/list"}
{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params":
 {"name": "read_text_file", "arguments": {"path": "REPO/specs/status.md"}}}
""".replace(":\n", ":").lstrip()


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


@pytest.fixture
def mark(tmp_path):
    return tmp_path / "mark"


@pytest.fixture
def path(repo, tmp_path, mark):
    """A PATH of traps, with the programs of this machine last."""
    own = Path(sys.executable).parent
    return laid(repo, tmp_path, mark) + os.pathsep + str(own)


def transcript(repo, place):
    """Return a session of Claude Code in `repo`, with a path that was missed."""
    session = (ROOT / "tests/transcripts/claude-code.jsonl").read_text()
    file = place / "session.jsonl"
    file.write_text(session.replace("/home/ada/orders", str(repo)))
    return file


def words(line):
    return (*TRUEPATH, *line.split())


FOUND = "docs/status.md"
PLUGIN = f"CLAUDE_PLUGIN_ROOT={ROOT}/plugins/truepath; {PLUGINS['claude-code']}"
DOORS = {
    **{f"{name} client": (line, "event", FOUND) for name, line in CLIENTS.items()},
    "plugin": (("/bin/sh", "-c", PLUGIN), "event", FOUND),
    "installed": (("/bin/sh", "-c", client_command("claude-code")), "event", FOUND),
    "hook": (words("hook claude-code"), "event", FOUND),
    "library": ((sys.executable, "-c", GUARD), "", FOUND),
    "relay": (
        (*words("relay --project . --"), sys.executable, SERVER),
        "message",
        "STATUS all green",
    ),
    "audit": (words("audit TRANSCRIPT --json --repo ."), "", '"corrected"'),
    "resolve": (words("resolve specs/status.md"), "", FOUND),
    "resolve --why": (words("resolve --why specs/status.md"), "", "renamed"),
    "check": ((*words("check --"), "cat specs/status.md"), "", FOUND),
    "check a revision": ((*words("check --"), "git log x.md"), "", ""),
    "policy": (words("policy"), "", "careful"),
    "wrong": (words("wrong"), "", ""),
    "log": (words("log"), "", ""),
    "stats": (words("stats"), "", ""),
    "demo": (words("demo"), "", FOUND),
    "doctor": (words("doctor"), "", "policy"),
    "install": (words("install claude-code"), "", "installed"),
    "install --project": (words("install claude-code --project ."), "", "hooks"),
    "uninstall": (words("uninstall claude-code"), "", "not installed"),
}
"""What may start a program -> its command, what it is given, and what it says if the
git of this machine was asked."""


@pytest.mark.parametrize("where", ["repo", "tree"])
@pytest.mark.parametrize("door", DOORS)
def test_no_program_of_the_project_is_run(repo, path, mark, tmp_path, door, where):
    command, given, says = DOORS[door]
    here = tmp_path / where  # `tree` is a linked work tree of `repo`
    named = {"TRANSCRIPT": str(transcript(here, tmp_path))}
    done = subprocess.run(
        [named.get(word, word) for word in command],
        input=GIVEN[given](here).encode() if given else b"",
        cwd=here,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert sprung(mark) == []
    assert says in done.stdout.decode(), done.stderr


def test_the_traps_are_real(repo, path, mark):
    environ = {**os.environ, "PATH": path}
    for name in NAMES:
        subprocess.run(["/bin/sh", "-c", name], cwd=repo, env=environ, check=False)
    assert len(sprung(mark)) == len(NAMES)


def made(folder, mode=0o755):
    """Make a folder with a program `git` in it, and return it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "git").write_text("#!/bin/sh\n")
    (folder / "git").chmod(0o755)
    folder.chmod(mode)
    return folder


# What a PATH names -> whether its git may be run for the work tree `repo`, and why.
FOLDERS = [
    ("/tools", True, "it is outside"),
    ("/home/bin", True, "the user's own, though the home is under git"),
    ("/repo-tools", True, "a name that begins like the project's"),
    ("/repo", False, "the project itself"),
    ("/repo/.venv/bin", False, "in the project"),
    ("/repo/sub/bin", False, "in the project, around a nested repository"),
    ("/to-repo/bin", False, "in the project, by a link"),
    ("/to-bin", False, "a link to a folder in it"),
    ("/tools/../repo/bin", False, "in the project, by another spelling"),
    ("/none", False, "not there"),
]


@pytest.mark.parametrize("row", FOLDERS, ids=lambda row: row[2])
@pytest.mark.parametrize("root", ["repo", "repo/sub", "repo/pkg/deep"])
def test_a_folder_of_path_is_searched_if_it_is_not_the_project_s(
    make_repo, tmp_path, monkeypatch, row, root
):
    folder, may, why = row
    for name in ("tools", "home/bin", "repo-tools"):
        made(tmp_path / name)
    (tmp_path / "home/.git").mkdir()
    (tmp_path / "home/.git/HEAD").write_text("ref: refs/heads/main\n")
    repo = make_repo({"pkg/deep/a.py": "", "sub/b.py": ""})
    (repo / "sub/.git").mkdir()
    for name in ("", ".venv/bin", "sub/bin", "bin"):
        made(repo / name)
    (tmp_path / "to-repo").symlink_to(repo)
    (tmp_path / "to-bin").symlink_to(repo / "bin")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", f"{tmp_path}{folder}")
    monkeypatch.chdir("/")
    is_found = search_path.found("git", str(tmp_path / root)) is not None
    assert is_found == may, why


@pytest.mark.parametrize(
    ("mode", "above", "may"),
    [
        (0o755, 0o755, True),
        (0o775, 0o755, True),  # a group's, as Homebrew has it
        (0o755, 0o1777, True),  # each user's own entries, as in /tmp
        (0o777, 0o755, False),
        (0o1777, 0o755, False),
        (0o755, 0o777, False),
    ],
)
def test_where_every_user_may_write_no_program_is_run(
    tmp_path, monkeypatch, mode, above, may
):
    made(tmp_path / "above/bin", mode)
    (tmp_path / "above").chmod(above)
    monkeypatch.setenv("PATH", str(tmp_path / "above/bin"))
    (tmp_path / "root").mkdir()
    assert (search_path.found("git", str(tmp_path / "root")) is not None) == may
    if may:
        (tmp_path / "above/bin/git").chmod(0o757)
        assert search_path.found("git", str(tmp_path / "root")) is None


def test_git_is_where_it_was_at_the_installation(make_repo, tmp_path, monkeypatch):
    repo = make_repo({"a.py": ""})
    noted, other = made(tmp_path / "noted"), made(tmp_path / "other")
    state = tmp_path / "state"
    monkeypatch.setenv("TRUEPATH_STATE", str(state))
    monkeypatch.setenv("PATH", str(noted))
    note_program(str(state), str(repo))
    monkeypatch.setenv("PATH", str(other))
    assert program(str(repo)) == f"{noted}/git"
    assert program(str(noted)) == f"{other}/git", "of what is noted it is the project"
    (state / "installed/git").chmod(0o666)
    assert program(str(repo)) == f"{other}/git", "others may write the note"
    (state / "installed/git").chmod(0o600)
    (noted / "git").unlink()
    assert program(str(repo)) == f"{other}/git", "it is gone"
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GitError, match="outside the project"):
        program(str(repo))


def test_the_agent_s_project_counts_where_it_has_gone_elsewhere(
    make_repo, tmp_path, monkeypatch
):
    repo, other = make_repo({"a.py": ""}), make_repo({"b.py": ""})
    monkeypatch.setenv("PATH", str(made(repo / "bin")))
    monkeypatch.chdir("/")
    assert search_path.found("git", str(other))
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(repo))
    assert search_path.found("git", str(other)) is None
    monkeypatch.delenv("CLAUDE_PROJECT_DIR")
    monkeypatch.chdir(repo)
    assert search_path.found("git", str(other)) is None


@pytest.mark.parametrize("shell", SHELLS)
def test_the_plugin_runs_no_client_of_the_project(repo, path, mark, tmp_path, shell):
    """In each shell that `sh` may be, from a folder below, and where there is none
    else.
    """
    launcher = ROOT / "plugins/truepath/bin/truepath-hook.sh"
    program, *options = shell.split()
    run = [shutil.which(program), *options, str(launcher), "codex"]
    own = made(tmp_path / "own")
    (own / "truepath-hook").write_text("#!/bin/sh\necho own; /bin/cat\n")
    (own / "truepath-hook").chmod(0o755)
    traps = path.rpartition(os.pathsep)[0]
    for folder, rest, says in [
        (repo, str(own), b"own\nevent"),
        (repo / "pkg", str(own), b"own\nevent"),
        (repo / "docs", "/usr/bin:/bin", b""),
    ]:
        done = subprocess.run(
            run,
            input=b"event",
            cwd=folder,
            env={"PATH": f"{traps}:{rest}", "HOME": str(tmp_path / "home")},
            capture_output=True,
            check=False,
        )
        assert sprung(mark) == []
        assert (done.returncode, done.stdout) == (0, says), done.stderr


@pytest.mark.skipif("native" not in CLIENTS, reason="no native client here")
def test_the_native_client_asks_the_client_beside_it(repo, path, mark, tmp_path):
    own = made(tmp_path / "own")
    shutil.copy(CLIENTS["native"][0], own / "truepath-native")
    environ = {**os.environ, "PATH": path}
    for script, says in (
        (None, b""),
        ("#!/bin/sh\necho own $1\n", b"own claude-code\n"),
    ):
        if script:
            (own / "truepath-hook").write_text(script)
            (own / "truepath-hook").chmod(0o755)
        done = subprocess.run(
            [own / "truepath-native", "claude-code"],
            input=GIVEN["event"](repo).encode(),
            cwd=repo,
            env=environ,
            capture_output=True,
            check=False,
        )
        assert sprung(mark) == []
        assert (done.returncode, done.stdout) == (0, says)
