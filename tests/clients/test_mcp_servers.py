"""Real MCP servers behind the relay, called by FastMCP's own client and by Claude Code.

The servers are the reference file server from npm and one made with FastMCP.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.script import call

HERE = rig.PROJECT / "tests/clients"
PYTHON = rig.PLACE / "fastmcp/bin/python"
RELAY = [sys.executable, "-m", "truepath", "relay", "--"]

pytestmark = [
    pytest.mark.client,
    rig.needs("mcp-server-filesystem"),
    pytest.mark.skipif(
        not PYTHON.exists(), reason="no FastMCP here: `make test-clients`"
    ),
]

SERVERS = {
    "filesystem": [str(rig.program("mcp-server-filesystem"))],
    "notes": [str(PYTHON), str(HERE / "notes_server.py")],
}


@pytest.fixture
def session(tmp_path, root):
    """Return `session(server, calls)`: the tools, and what came of each call."""

    def run(server, calls, *, relay=RELAY, folder=None, roots=()):
        wanted = {
            "command": [*relay, *SERVERS[server], str(folder or root)],
            "calls": calls,
            "roots": [each.as_uri() for each in roots],
            "env": rig.environment(tmp_path),
            "cwd": str(root),
        }
        done = subprocess.run(
            [PYTHON, HERE / "mcp_session.py"],
            input=json.dumps(wanted),
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said = json.loads(done.stdout)
        return said["tools"], said["results"]

    return run


READS = [
    ("filesystem", "read_text_file"),
    ("filesystem", "read_file"),
    ("notes", "read_file"),
]


@pytest.mark.parametrize(("server", "tool"), READS)
def test_a_moved_file_is_read_where_it_is_and_the_client_is_told(
    session, root, server, tool
):
    for path in ("specs/status.md", str(root / "specs/status.md")):
        _, [result] = session(server, [(tool, {"path": path})])
        assert result["failed"] is False
        assert result["texts"][0].startswith("OK: ")
        assert result["texts"][1] == "STATUS all green\n"
        [data] = result["data"].values()
        assert data == f"{result['texts'][0]}STATUS all green\n"


@pytest.mark.parametrize("server", SERVERS)
def test_what_needs_no_correction_is_as_without_the_relay(session, root, server):
    calls = [
        ("write_file", {"path": str(root / "docs/new.md"), "content": "new"}),
        ("list_directory", {"path": str(root / "docs")}),
        ("read_file", {"path": str(root / "docs/status.md")}),
        ("read_file", {"path": "/etc/passwd-not-there"}),
        ("no_such_tool", {"path": "docs/status.md"}),
    ]
    assert session(server, calls) == session(server, calls, relay=[])
    assert (root / "docs/new.md").read_text() == "new"


@pytest.mark.parametrize("server", SERVERS)
def test_a_miss_is_answered_with_what_is_known_and_the_second_brings_the_shift(
    session, server
):
    calls = [
        ("read_file", {"path": path})
        for path in ("util.py", "a/spans.py", "b/spans.py")
    ]
    _, [several, absent, again] = session(server, calls)
    assert all(each["failed"] for each in (several, absent, again))
    assert {"pkg/one/util.py", "pkg/two/util.py"} <= {*several["texts"][0].split("`")}
    assert "STRATEGY_SHIFT" not in absent["texts"][0]
    assert "STRATEGY_SHIFT" in again["texts"][0]


def test_of_several_files_those_that_are_there_are_read(session):
    paths = ["docs/status.md", "docs/nowhere.md"]
    _, [result] = session("filesystem", [("read_multiple_files", {"paths": paths})])
    assert "STATUS all green" in "\n".join(result["texts"])
    assert "nowhere.md" in "\n".join(result["texts"])


def test_nothing_is_moved_for_a_guess(session, root):
    wrong = {"source": "src/app/setings.py", "destination": "src/app/config.py"}
    _, [result] = session("filesystem", [("move_file", wrong)])
    assert result["failed"] is True
    assert "src/app/settings.py" in result["texts"][0]
    assert (root / "src/app/settings.py").exists()


def test_the_folders_that_a_client_names_are_checked(session, root, tmp_path):
    moved = ("read_file", {"path": str(root / "specs/status.md")})
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    _, [result] = session("filesystem", [moved], folder=elsewhere, roots=[root])
    assert result["texts"][0].startswith("OK: ")


def claude_reads(tmp_path, root, command, hook):
    file = tmp_path / "mcp.json"
    server = {"command": command[0], "args": [*command[1:], str(root)]}
    file.write_text(json.dumps({"mcpServers": {"filesystem": server}}))
    paths = (
        root / "docs/status.md",
        root / "specs/status.md",
        root / "docs/nowhere.md",
    )
    turns = [call("mcp__filesystem__read_text_file", path=str(path)) for path in paths]
    return PROGRAMS["claude-code"].run(
        tmp_path,
        turns,
        root=root,
        hook=hook,
        permissions={"allow": ["mcp__filesystem"]},
        args=("--mcp-config", str(file)),
    )


@rig.needs("claude")
@pytest.mark.parametrize(
    "relay", [[], RELAY], ids=["the hook alone", "the relay as well"]
)
def test_claude_code_is_told_once_by_its_hook(tmp_path, root, relay):
    ran = claude_reads(tmp_path, root, [*relay, *SERVERS["filesystem"]], None)
    tool = "ToolUse:mcp__filesystem__read_text_file hook"
    assert "STATUS all green" in ran.model_read
    assert "ENOENT" not in ran.model_read
    assert ran.model_read.count(f"Post{tool} additional context: OK: ") == 1
    assert ran.model_read.count(f"Pre{tool} error: PATH_NOT_FOUND") == 1
    assert ran.model_read.count("PATH_") == 1


@rig.needs("claude")
def test_claude_code_without_hooks_is_told_by_the_relay(tmp_path, root):
    ran = claude_reads(tmp_path, root, [*RELAY, *SERVERS["filesystem"]], "true")
    assert "STATUS all green" in ran.model_read
    assert "ENOENT" not in ran.model_read
    assert ran.model_read.count("PATH_NOT_FOUND") == 1
    assert ran.model_read.count(" in place of ") == 1
