"""What is particular to Gemini CLI: its rules, what it ignores, its extension."""

from __future__ import annotations

import json

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.script import call, calls

from truepath.hosts.protocol import Piece

PROGRAM = PROGRAMS["gemini"]
pytestmark = [pytest.mark.client, rig.needs("gemini")]

BLOCKED = "Tool execution blocked: "
CORRECTED = "OK: `docs/status.md` in place of `specs/status.md`"
DENIED = "Tool execution denied by policy."
read, edit, shell = PROGRAM.read, PROGRAM.edit, PROGRAM.shell


@pytest.mark.proves("correct", "shell")
def test_a_correction_keeps_every_argument_and_an_edit_without_its_text_is_told(play):
    ran = play(
        read("specs/status.md", start_line=1, end_line=1),
        shell("cat ../specs/plan.md", dir_path="src"),
        edit("./src/settings.py", old="no such text"),
        call("list_directory", dir_path="repo/src/app"),
    )
    content, printed, failed, listed = ran.told
    assert "Showing lines 1-1" in content
    assert f"<hook_context>{CORRECTED}" in content
    assert "Output: PLAN as agreed" in printed
    # The file that is meant does not hold the text, so nothing is changed.
    assert failed.startswith(f"{BLOCKED}PATH_NOT_FOUND: `./src/settings.py`")
    assert "`src/app/settings.py`" in failed
    assert "OK: `src/app` in place of" in listed
    assert "truepath: specs/status.md -> docs/status.md" in ran.errors  # for the user


def test_the_misses_of_one_turn_are_no_loop_when_they_run_one_after_another(play):
    ran = play(calls(edit("lib/util.py"), edit("libs/util.py"), read("core/util.py")))
    assert ran.model_read.count("PATH_NOT_FOUND") == 3
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_started_in_a_sub_folder_what_lies_above_it_is_refused_with_the_right_path(
    play, root
):
    ran = play(read("src/app/settings.py"), cwd="docs")
    assert ran.having("PATH_NOT_FOUND", f"{root}/src/app/settings.py`")
    assert "Path not in workspace" not in ran.model_read


def rule(tool, pattern):
    return (
        f"[[rule]]\ntoolName = '{tool}'\n{pattern}\ndecision = 'deny'\npriority = 900\n"
    )


@pytest.mark.proves("rules")
@pytest.mark.parametrize("folder", ["docs", "specs"])
def test_a_rule_on_either_call_still_holds(play, folder):
    rules = rule("read_file", f"argsPattern = '{folder}/'")
    rules += rule("run_shell_command", f"commandPrefix = 'cat {folder}/status.md'")
    ran = play(
        read(f"{folder}/status.md"),
        calls(read("specs/status.md"), shell("cat specs/status.md")),
        rules=rules,
    )
    assert ran.told[0] == DENIED
    assert "STATUS all green" not in ran.model_read


def test_no_call_is_corrected_towards_a_file_that_gemini_ignores(play, root):
    (root / ".geminiignore").write_text("docs/\n")
    ran = play(read("specs/status.md"))
    assert "failed validation" not in ran.model_read
    assert "docs/status.md" not in ran.model_read


def test_an_input_is_replaced_and_not_merged_and_words_before_a_call_are_lost(
    play, tmp_path
):
    output = {
        "hookEventName": "BeforeTool",
        "tool_input": {"file_path": "docs/status.md"},
        "additionalContext": "BEFORE",
    }
    (tmp_path / "answer.json").write_text(json.dumps({"hookSpecificOutput": output}))
    file = (
        tmp_path / "truepath-hook.sh"
    )  # truepath's by name: beside others nothing is corrected
    file.write_text(f"grep -q BeforeTool && cat '{tmp_path}/answer.json'\n")
    ran = play(
        read("specs/status.md", start_line=1, end_line=1),
        call("write_file", file_path="docs/new.md", content="x"),
        hook=f"sh '{file}'",
        record=False,
    )
    assert "STATUS all green" in ran.told[0]
    assert "Showing lines" not in ran.told[0]
    assert "must have required property 'content'" in ran.told[1]
    assert "BEFORE" not in ran.model_read


def test_a_missing_command_would_block_every_call(play):
    hook = {"type": "command", "command": "/nowhere/truepath", "timeout": 1000}
    hooks = {"hooks": {"BeforeTool": [{"matcher": ".*", "hooks": [hook]}]}}
    piece = Piece(".gemini/settings.json", "", hooks)
    ran = play(read("docs/status.md"), pieces=[piece])
    assert ran.model_read.startswith(BLOCKED)


def test_a_call_that_validation_refuses_fires_no_event_of_a_tool(play):
    ran = play(
        calls(
            read("/nowhere/specs/status.md"),
            call("glob", pattern="*.md", dir_path="nowhere"),
            call("grep_search", pattern="green", dir_path="nowhere"),
        )
    )
    assert "Path not in workspace" in ran.model_read
    assert "Search path does not exist" in ran.model_read
    assert {event["hook_event_name"] for event in ran.events} == {"BeforeAgent"}
