"""The tools that each program offers its model, against the tables: `tools.jsonl` has
them as captured, and `make test-clients` compares it with the programs at hand.
"""

from __future__ import annotations

import re

import pytest
from host_samples import TOOLS

from truepath.calls.paths import find
from truepath.hosts import find as find_host
from truepath.types import ToolCall

ELSEWHERE = {
    ("claude-code", "Glob"): "on Linux by `--tools` alone",
    ("claude-code", "Grep"): "on Linux by `--tools` alone",
    ("claude-code", "NotebookEdit"): "once the model has searched for it",
    ("copilot", "powershell"): "on Windows",
    ("opencode", "list"): "in earlier versions",
    ("qwen", "list_directory"): "by a setting",
}
"""Tool of a table that its program does not offer at first -> where it does."""

NOT_PATHS = {
    (
        "claude-code",
        "ReportFindings",
        "findings[].file",
    ): "told to the user",
    ("claude-code", "Workflow", "script"): "the script itself",
    ("copilot", "create", "file_text"): "the content",
    ("copilot", "view", "forceReadLargeFiles"): "a switch",
    ("gemini", "grep_search", "max_matches_per_file"): "a number",
    ("kimi", "Glob", "include_dirs"): "a switch",
    ("qwen", "agent", "working_dir"): "a work tree that git has registered; 0.24.4 "
    "checks that before any hook, and says which command makes one",
}
"""Argument that sounds like a path -> what it is instead."""

SOUNDS = {*"path paths file files dir dirs directory folder cwd workdir root".split()}
SOUNDS |= {"script", "workspace", "notebook"}

SEARCH_COMMANDS = {"rg --files", "find", "ls"}
"""What Codex searches with, which has no tools for it."""


def event_name(host, tool):
    """Return what the events of a host call a tool of its model."""
    names = {model: event for event, model in find_host(host).MODEL_TOOLS.items()}
    return names.get(tool, tool)


def words(argument):
    last = argument.rpartition(".")[2]
    return {
        word.lower()
        for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", last.replace("_", " "))
    }


@pytest.mark.parametrize("host", TOOLS)
def test_the_tables_name_tools_that_the_program_has(host):
    table = find_host(host)
    named = [*table.PATH_TOOLS, *table.COMMAND_TOOLS]
    for tool in named:
        is_there = table.MODEL_TOOLS.get(tool, tool) in TOOLS[host]
        assert is_there != ((host, tool) in ELSEWHERE), tool
    for search in table.SEARCH_TOOLS:
        known = {*TOOLS[host], *(SEARCH_COMMANDS if host == "codex" else ())}
        assert search.partition(" (")[0] in known


@pytest.mark.parametrize("host", TOOLS)
def test_every_argument_that_sounds_like_a_path_is_seen(host):
    seen, unseen = set(), set()
    for tool, arguments in TOOLS[host].items():
        for argument in arguments:
            if words(argument).isdisjoint(SOUNDS):
                continue
            is_seen = sees(host, event_name(host, tool), argument)
            (seen if is_seen else unseen).add((host, tool, argument))
    known = {row for row in NOT_PATHS if row[0] == host}
    assert unseen == known


def sees(host, tool, argument):
    """Return whether a path is found in an argument of a call, and the hook is asked
    about such calls.
    """
    outer, _, inner = argument.partition("[].")
    value = [{inner: "specs/a.md"}] if inner else "specs/a.md"
    table = find_host(host)
    if (host, argument) in TOLD_BY_CWD:
        return True
    if not re.search(table.MATCHERS.get("", f"^({table.tools()})$"), tool):
        return False
    call = ToolCall(tool, {outer: value, **FILLED.get(tool, {})}, host=host)
    return any(mention.written == "specs/a.md" for mention in find(call).paths)


FILLED = {"Bash": {"command": "true"}, "bash": {"command": "true"}}
FILLED["run_shell_command"] = {"command": "true"}

TOLD_BY_CWD = {("codex", "workdir"): "the event's working directory"}
"""Argument of a host that its events hold in another place."""
