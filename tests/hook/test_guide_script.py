"""The search guidance for machines without Python: sh and jq, and nothing when all is
well.
"""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import read

from truepath.hook.command import PLUGINS

PLUGIN = Path(__file__).parents[2] / "plugins" / "truepath"
LAUNCHER = PLUGIN / "bin" / "truepath-hook.sh"
TOOLS = ("sh", "jq")
ERROR = "File does not exist. Note: your current working directory is /repo."

pytestmark = pytest.mark.skipif(
    not all(map(shutil.which, TOOLS)),
    reason="no sh or no jq here: apt-get install jq",
)


def run(data, **environ):
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    path = ":".join(sorted({str(Path(shutil.which(tool)).parent) for tool in TOOLS}))
    done = subprocess.run(
        ["sh", str(LAUNCHER), "claude-code"],
        input=data,
        env={"PATH": path, **environ},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def failure(path="/repo/specs/status.md", error=ERROR, tool="Read", name="file_path"):
    return {
        "hook_event_name": "PostToolUseFailure",
        "cwd": "/repo",
        "tool_name": tool,
        "tool_input": {name: path},
        "error": error,
    }


def told(event):
    answer = json.loads(run(event))
    assert set(answer) == {"hookSpecificOutput"}
    inner = answer["hookSpecificOutput"]
    assert set(inner) == {"hookEventName", "additionalContext"}
    assert inner["hookEventName"] == event["hook_event_name"]
    return inner["additionalContext"]


def test_after_a_failed_read_it_says_how_to_search():
    assert told(failure()) == (
        "PATH_NOT_FOUND: `/repo/specs/status.md` does not exist.\nSearch before "
        "giving up: `find . -path '*/specs/status.md'`, then `find . -name "
        "'status.md'`. One match: read it. Several: list them and ask which one is "
        "meant. None: ask the user. Never skip a file that was referred to without "
        "saying so."
    )


def test_after_a_refused_edit_it_says_so_too():
    assert len(told(failure("x/" + "y" * 9000))) < 1900
    entry = {"tool_name": "Edit", "tool_input": {"file_path": "src/a.py"}}
    event = {
        "hook_event_name": "PostToolBatch",
        "tool_calls": [
            {**entry, "tool_response": f"<tool_use_error>{ERROR}</tool_use_error>"},
            {**entry, "tool_response": "The file src/a.py has been updated."},
        ],
    }
    assert told(event).count("PATH_NOT_FOUND") == 1
    assert "`find . -path '*/src/a.py'`" in told(event)


@pytest.mark.parametrize(
    "row", read("hook/searches"), ids=lambda row: ascii(row["path"])
)
def test_a_name_is_searched_for_and_means_nothing_else(row):
    assert f"Search before giving up: {row['search']}" in told(failure(row["path"]))


@pytest.mark.parametrize(
    ("event", "why"),
    [
        ({**failure(), "hook_event_name": "PostToolUse"}, "it went well"),
        ({**failure(), "hook_event_name": "PreToolUse"}, "it has not run yet"),
        (failure(error="EISDIR: illegal operation on a directory"), "it is there"),
        (
            failure(error=f"{ERROR} Did you mean status.md?"),
            "Claude Code says so itself",
        ),
        (failure(name="command"), "no path"),
        (failure(path=7), "no text"),
        (failure(path=""), "nothing"),
        ({"hook_event_name": "PostToolBatch", "tool_calls": 7}, "no calls"),
        ({"hook_event_name": "PostToolBatch", "tool_calls": [7, {}]}, "no calls"),
        ([], "no object"),
        (b"", "nothing at all"),
        (b"{", "no JSON"),
        (b"\xff\x00", "no text"),
    ],
)
def test_it_says_nothing_where_nothing_is_missing(event, why):
    assert run(event) == b"", why


@pytest.mark.parametrize("switch", ["TRUEPATH", "CLAUDE_RESOLVE_PATH"])
@pytest.mark.parametrize("off", ["0", "false", "OFF", "no"])
def test_a_switch_turns_it_off(switch, off):
    assert run(failure(), **{switch: off}) == b""


def test_without_jq_it_says_nothing(tmp_path):
    (tmp_path / "sh").symlink_to(shutil.which("sh"))
    assert run(failure(), PATH=str(tmp_path)) == b""


@settings(max_examples=30)
@given(st.text(max_size=40), st.text(max_size=60))
def test_any_event_is_met_with_json_or_nothing(path, error):
    answer = run(failure(path, error))
    assert not answer or json.loads(answer)


def launched(tmp_path, environ=None, **clients):
    """Run the launcher with `clients` alone on the PATH; return what it says."""
    place = tmp_path / "bin"
    place.mkdir()
    for tool in (*TOOLS, "cat"):
        (place / tool).symlink_to(shutil.which(tool))
    for name, body in clients.items():
        script = place / name.replace("_", "-")
        script.write_text(f"#!/bin/sh\n{body}\n")
        script.chmod(0o755)
    done = subprocess.run(
        ["/bin/sh", "-c", f"{PLUGINS['claude-code']} || true"],
        input=json.dumps(failure()).encode(),
        env={
            **(environ or {}),
            "PATH": str(place),
            "CLAUDE_PLUGIN_ROOT": str(PLUGIN),
        },
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    return done.stdout.decode()


@pytest.mark.parametrize(
    ("clients", "said"),
    [
        (
            {"truepath_native": 'echo "native $1"', "truepath_hook": "echo python"},
            "native claude",
        ),
        ({"truepath_hook": "cat"}, ERROR),  # the event is handed on
        ({"truepath_hook": "exit 2"}, ""),
        (
            {"truepath_native": "exit 0"},
            "Search before giving up",
        ),  # it has nobody to ask
        ({}, "Search before giving up"),
    ],
)
def test_the_launcher_asks_the_client_there_is_and_else_guides(tmp_path, clients, said):
    told = launched(tmp_path, **clients)
    assert said in told
    assert bool(said) == bool(told)


def test_the_launcher_keeps_the_modules_of_a_project_out(tmp_path):
    for module in ("typing", "truepath", "json", "os"):
        (tmp_path / f"{module}.py").write_text("print('the code of the project')\n")
    environ = {"PYTHONPATH": str(tmp_path), "PYTHONHOME": str(tmp_path)}
    imports = "import os, sys, json, typing; print('ours')"
    said = launched(
        tmp_path,
        environ,
        truepath_hook=f'exec {shlex.quote(sys.executable)} -c "{imports}"',
    )
    assert said == "ours\n"
