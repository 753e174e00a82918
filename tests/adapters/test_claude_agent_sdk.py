"""The real program that the SDK brings, against a scripted model on this machine."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from adapters.suite import AdapterSuite
from claude_agent_sdk import ClaudeAgentOptions, create_sdk_mcp_server, query, tool
from clients import model
from clients.programs import PROGRAMS
from clients.script import Call, Turn, call

from truepath import Guard
from truepath.adapters.claude_agent_sdk import hooks

CLAUDE = PROGRAMS["claude-code"]

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """Give the program a home of its own; in a sandbox it runs as root too."""
    for name, value in {
        "HOME": str(tmp_path),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "IS_SANDBOX": "1",
    }.items():
        monkeypatch.setenv(name, value)


async def received(turns, guard, **how):
    """Return what the model received after each turn."""
    ends = []

    def script():
        for turn in turns:
            ends.append(len(played.told))
            yield turn
        ends.append(len(played.told))

    with model.serving(script()) as (played, url):
        options = ClaudeAgentOptions(
            env={name: text.format(model=url) for name, text in CLAUDE.ENVIRON.items()},
            hooks=hooks(guard) if guard else None,
            **how,
        )
        async for _ in query(prompt="go", options=options):
            pass
    return ["\n".join(played.told[at:end]) for at, end in itertools.pairwise(ends)]


def served(function):
    """Return a function as a tool of the SDK."""

    async def run(arguments):
        return {"content": [{"type": "text", "text": function(**arguments)}]}

    names = {name: str for name in function.__annotations__ if name != "return"}
    return tool(function.__name__, function.__doc__, names)(run)


class TestTools(AdapterSuite):
    sees_no_result = "the program says which calls failed"

    # The program says where relative paths begin, which is its own folder.
    test_a_tool_opens_what_was_meant_in_a_process_elsewhere = None

    async def play(self, guard, tools, turns):
        server = create_sdk_mcp_server("desk", tools=[served(each) for each in tools])
        asked = [
            Turn(
                calls=tuple(
                    Call(f"mcp__desk__{each.tool}", {**each.arguments}) for each in turn
                )
            )
            for turn in turns
        ]
        names = [f"mcp__desk__{each.__name__}" for each in tools]
        told = await received(
            asked, guard, mcp_servers={"desk": server}, allowed_tools=names
        )
        return [text for text, turn in zip(told, turns, strict=True) for _ in turn]


@pytest.fixture
def repo(make_repo, move):
    repo = make_repo({"specs/plan.md": "step one\n"})
    move(repo, "specs/plan.md", "docs/plan.md")
    return repo


def test_the_tools_of_the_program_are_helped(repo):
    wrong = str(repo / "nowhere/plan.md")
    turns = [
        call("Read", file_path=str(repo / "specs/plan.md")),
        call("Edit", file_path=wrong, old_string="one", new_string="two"),
        call("Bash", command="ls docs"),
    ]
    guard = Guard(repo, on_event=lambda _: None)
    read, edited, listed = asyncio.run(
        received(turns, guard, cwd=repo, allowed_tools=[*CLAUDE.ALLOWED])
    )
    assert " in place of " in read
    assert "step one" in read
    assert "docs/plan.md" in edited
    assert (repo / "docs/plan.md").read_text() == "step one\n"
    assert listed == "plan.md"


def test_the_example_ends_with_what_the_model_received(tmp_path):
    turns = [call("Read", file_path="specs/status.md")]
    with model.serving(turns) as (played, url):
        environ = {
            name: text.format(model=url) for name, text in CLAUDE.ENVIRON.items()
        }
        subprocess.run(
            [
                sys.executable,
                Path(__file__).parents[2] / "examples/claude_agent_sdk_agent.py",
            ],
            env={**os.environ, **environ, "TMPDIR": str(tmp_path)},
            capture_output=True,
            check=True,
        )
    told = "\n".join(played.told)
    assert " in place of " in told
    assert "All is well." in told
