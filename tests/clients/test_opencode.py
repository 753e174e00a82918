"""What is particular to OpenCode: rules on paths, sub-agents, and what its plugin
asks.
"""

from __future__ import annotations

import json
import sys

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.script import call, calls
from clients.terminal import plain

from truepath.hosts import find

PROGRAM = PROGRAMS["opencode"]
pytestmark = [pytest.mark.client, rig.needs("opencode")]

read, edit, bash = PROGRAM.read, PROGRAM.edit, PROGRAM.shell


def test_calls_are_of_a_turn_and_a_search_in_a_folder_that_is_nowhere_is_refused(
    play, root
):
    command = {"command": "cat ../src/settings.py", "description": "work"}
    ran = play(
        call("bash", **command, workdir=str(root / "docs")),
        call("grep", pattern="green", path=str(root / "elsewhere")),
    )
    assert ran.having("DEBUG = False", " in place of `../src/settings.py`")
    [refused] = ran.having("/repo/elsewhere`")
    assert refused.startswith("PATH_NOT_FOUND: ")
    before = [event for event in ran.events if event["event"] == "before"]
    assert len({event["turn"] for event in before}) == len(before)
    assert {event["prompt"] for event in ran.events} == {"go"}
    assert len({event["session"] for event in ran.events}) == 1


def test_what_is_there_asks_nobody_and_what_the_program_suggests_is_not_repeated(
    play, root
):
    ran = play(
        calls(read(root / "docs/status.md"), read("README.md"), read(root / "docs")),
        edit(root / "src/app/settings.py"),
        call("write", filePath=str(root / "docs/new.md"), content="new\n"),
        call("todowrite", todos=[]),
        prompt="see docs/status!",
    )
    # The folder of a document is noted; a new file may be a twin of one that exists.
    assert [json.loads(event)["tool"] for event in ran.asked] == ["read", "write"]
    assert (root / "docs/new.md").read_text() == "new\n"
    ran = play(read(root / "docs/status"), prompt="see docs/status!")
    [told] = ran.having("Did you mean one of these?")
    assert told.endswith(f"{root}/docs/status.md")


def test_a_sub_agent_is_served_in_a_session_of_its_own(play, root):
    task = {
        "description": "d",
        "prompt": "see specs/status.md",
        "subagent_type": "general",
    }
    ran = play(call("task", **task), read(root / "specs/status.md"))
    # What the calling agent typed is no order of the user's: the path is corrected.
    assert "STATUS all green" in ran.model_read
    event, *ends = ran.events
    assert {each["event"] for each in ends} <= {"failure"}  # how it ended
    assert "prompt" not in event


@pytest.mark.proves("rules")
def test_rules_on_either_path_still_hold(play, root):
    ran = play(
        read(root / "specs/key.md"),
        read(root / "specs/status.md"),
        bash("cat specs/status.md"),
        edit(root / "src/settings.py"),
        bash("cat src/settings.py"),
        permission={
            "read": {"*": "allow", "secret/*": "deny", "specs/*": "deny"},
            "bash": {"*": "allow", "cat specs/*": "deny", "cat src/app/*": "deny"},
            "edit": {"*": "allow", "src/app/*": "deny"},
        },
    )
    for what in (
        "SECRET content",
        "secret/key.md",
        "STATUS all green",
        "DEBUG = False",
    ):
        assert what not in ran.model_read
    assert ran.model_read.count("The user has specified a rule which prevents") >= 2
    assert (root / "src/app/settings.py").read_text() == "DEBUG = False\n"


def test_a_new_prompt_in_a_resumed_session_ends_the_streak(play):
    play(read("lib/util.py"))
    ran = play(read("libs/util.py"), args=("--continue",), prompt="try another one")
    assert [event["event"] for event in ran.events] == ["before", "prompt", "before"]
    assert len({event["session"] for event in ran.events}) == 1
    assert not ran.having("STRATEGY_SHIFT")


ANSWERS = {
    "bash": {"command": "cat docs/plan.md"},
    "read": {"filePath": "docs/plan.md"},
    "grep": {"path": "docs/plan.md"},
    "edit": {"filePath": "src/app/settings.py"},
}
"""Tool -> what a hook changes in a call of it."""

CHANGES = f"""\
import json, sys
changed = {ANSWERS}[json.load(sys.stdin)["tool"]]
print(json.dumps({{"arguments": changed}}))
"""
"""A hook that changes each call, whatever the user's settings ask about."""


def test_the_table_knows_the_boxes_that_show_a_call_as_it_was_written(tmp_path, root):
    hook = tmp_path / "changes.py"
    hook.write_text(CHANGES)
    ran = PROGRAM.run(
        tmp_path,
        [
            bash("cat specs/plan.md"),
            read(root / "specs/plan.md"),
            call("grep", pattern="PLAN", path="specs/plan.md"),
            edit(root / "src/settings.py"),
        ],
        root=root,
        hook=f"'{sys.executable}' '{hook}'",
        record=False,
        permission={"*": "ask"},
        steps=[
            (r"required\s(?s:.*)# Shell", ["Enter"]),
            (r"required\s(?s:.*)→ Read", ["Enter"]),
            (r"required\s(?s:.*)✱ Grep", ["Enter"]),
            (r"required\s(?s:.*)→ Edit", ["Enter"]),
            ("done", []),
        ],
    )
    assert ran.status == 0, ran.errors
    for tool, screen in zip(ANSWERS, ran.screens, strict=False):
        _, box = plain(screen).split("Permission required")
        shows_new = "docs/plan.md" in box or "src/app/settings.py" in box
        assert shows_new != find("opencode").shows_written(tool), tool
    assert ran.model_read.count("PLAN as agreed") == 3
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
