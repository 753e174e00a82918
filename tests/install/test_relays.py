"""The relay before a host's MCP file servers: which get one, and that it leaves no trace."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from commandline import ran
from rows import check_each

from truepath.hosts import find
from truepath.install.settings import freed, unchecked, with_relays

NPX = {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "/srv/orders"]}

SERVERS = [
    ("the reference server", NPX, True),
    ("a folder is named", {"command": "my-server", "args": ["{root}"], "env": {"A": "b"}}, True),
    ("the program says so", {"command": "/opt/bin/my-filesystem-mcp"}, True),
    ("another server", {"command": "npx", "args": ["-y", "@acme/tickets"]}, False),
    ("one on the web", {"url": "https://example.org/filesystem"}, False),
    ("a folder that is an option's", {"command": "uv", "args": ["--directory", "{root}"]}, False),
    ("a word that is a folder here", {"command": "uv", "args": ["run", "docs"]}, False),
    ("a relay is there", {"command": "truepath", "args": ["relay", "--", "filesystem"]}, False),
    ("no words", {"command": "filesystem", "args": [7]}, False),
    ("no server", "filesystem", False),
]


@pytest.fixture
def project(make_repo, monkeypatch):
    repo = make_repo({"docs/status.md": "all green\n"})
    monkeypatch.chdir(repo)
    # On a machine with much else to do a hook is late; what is installed is what is tested.
    monkeypatch.setenv("TRUEPATH_HOOK_SECONDS", "8")
    return repo


def test_file_servers_are_known_by_their_command(project):
    def check(row):
        _, entry, is_file_server = row
        text = json.dumps({"mcpServers": {"it": entry}}).replace("{root}", str(project))
        settings = json.loads(text)
        assert unchecked(settings) == (["it"] if is_file_server else [])
        relayed = with_relays(settings, "truepath")
        assert (relayed != settings, unchecked(relayed)) == (is_file_server, [])
        assert freed(relayed, ()) == settings

    check_each(SERVERS, check, lambda row: row[0])


MINE = """{
  "theme": "dark",
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "server-filesystem",
       "ROOT"], "env": {"A":"b"} },
    "plain": {"command": "filesystem"},
    "tickets": {"command": "npx", "args": []}
  }
}
"""

RELAYED = ["cursor", "gemini"]
"""One with a file for servers alone, one with its hooks in the same file."""


def written(folder, name, project):
    """Write settings with servers where a host has them, and return the file."""
    file = folder / find(name).HOME[0] / find(name).SERVERS[0]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(MINE.replace("ROOT", str(project)))
    return file


@pytest.mark.parametrize("name", RELAYED)
def test_the_relay_is_offered_put_there_once_and_taken_out_again(name, project, isolated, capsys):
    file = written(isolated, name, project)
    before = file.read_text()

    assert f"truepath install {name} --relay" in ran(capsys, "install", name).err
    done = ran(capsys, "install", name, "--relay")
    assert (done.code, "--relay" in done.err) == (0, False), done.err
    once = file.read_text()
    entries = {each: json.loads(once)["mcpServers"][each] for each in ("files", "plain", "tickets")}
    assert entries["files"]["command"] == entries["plain"]["command"] == "sh"
    assert entries["files"]["args"][3:] == ["npx", "-y", "server-filesystem", str(project)]
    assert entries["files"]["env"] == {"A": "b"}
    assert entries["tickets"] == {"command": "npx", "args": []}
    moved = once.replace(f'{os.path.dirname(sys.executable)}/truepath"', '/opt/old/truepath"')
    file.write_text(moved)
    assert ran(capsys, "install", name, "--relay").code == 0
    assert (moved != once, file.read_text()) == (True, once)

    assert ran(capsys, "uninstall", name).code == 0
    assert file.read_text() == before
    assert not os.path.exists(os.path.join(os.environ["XDG_STATE_HOME"], "truepath"))


def test_what_was_changed_since_stays(project, isolated, capsys):
    file = written(isolated, "cursor", project)
    ran(capsys, "install", "cursor", "--relay")
    file.write_text(file.read_text().replace('"A": "b"', '"A": "c"').replace("dark", "light"))

    ran(capsys, "uninstall", "cursor")
    now = json.loads(file.read_text())
    assert now["theme"] == "light"
    assert now["mcpServers"]["files"] == {
        "command": "npx",
        "args": ["-y", "server-filesystem", str(project)],
        "env": {"A": "c"},
    }


@pytest.mark.parametrize("program", ["truepath-that-is-gone", "false"])
def test_a_server_starts_where_truepath_is_gone_or_broken(project, isolated, capsys, program):
    file = written(isolated, "cursor", project)
    file.write_text(
        json.dumps({"mcpServers": {"it": {"command": "echo", "args": ["a  b", str(project)]}}})
    )
    ran(capsys, "install", "cursor", "--relay")
    entry = json.loads(file.read_text())["mcpServers"]["it"]
    words = [entry["command"], *entry["args"][:2], program, *entry["args"][3:]]

    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == (f"a  b {project}\n", "")


def test_the_relay_that_is_put_there_runs_the_server(project, isolated, capsys):
    file = written(isolated, "cursor", project)
    server = {"mcpServers": {"it": {"command": "cat", "args": ["-", str(project / "docs/..")]}}}
    file.write_text(json.dumps(server).replace('"-", ', ""))
    ran(capsys, "install", "cursor", "--relay")
    entry = json.loads(file.read_text())["mcpServers"]["it"]

    done = subprocess.run([entry["command"], *entry["args"]], capture_output=True, check=False)
    assert (done.returncode, b"Is a directory" in done.stderr) == (1, True)


def test_hosts_whose_hooks_see_the_tools_of_servers_get_no_relay(project, isolated, capsys):
    done = ran(capsys, "install", "claude-code", "--relay")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no relay for Claude Code" in done.err


def test_a_file_of_servers_that_cannot_be_read_is_left_alone(project, isolated, capsys):
    file = written(isolated, "cursor", project)
    file.write_text("{")
    assert ran(capsys, "install", "cursor").code == 0
    done = ran(capsys, "install", "cursor", "--relay")
    assert (done.code != 0, str(file) in done.err) == (True, True)
    assert ran(capsys, "uninstall", "cursor").code == 0
    assert file.read_text() == "{"


def test_doctor_names_servers_that_nobody_checks(project, isolated, capsys):
    written(isolated, "cursor", project)
    ran(capsys, "install", "cursor")
    assert "its MCP file servers (files, plain)" in ran(capsys, "doctor").out
    ran(capsys, "install", "cursor", "--relay")
    assert "file servers" not in ran(capsys, "doctor").out
