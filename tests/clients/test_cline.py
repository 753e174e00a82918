"""What is particular to Cline CLI: it has no refusal that an agent survives."""

from __future__ import annotations

import json

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.script import Turn, call, calls

PROGRAM = PROGRAMS["cline"]
pytestmark = [pytest.mark.client, rig.needs("cline")]

MISSING = "Error reading file: ENOENT"
BEFORE = '<hook_context source="PreToolUse"'
read, edit, shell = PROGRAM.read, PROGRAM.edit, PROGRAM.shell


@pytest.mark.proves("correct", "shell")
def test_of_several_paths_of_a_call_the_wrong_one_is_corrected(play, root):
    files = [{"path": "README.md"}, {"path": str(root / "specs/status.md")}]
    ran = play(
        call("read_files", files=files),
        call("run_commands", commands=["pwd", "cat specs/plan.md"]),
    )
    assert ran.having("STATUS all green", "# demo")
    assert ran.having("PLAN as agreed")
    assert len(ran.answered) == 4  # before each call, and with its result


@pytest.mark.proves("ambiguous", "absent")
def test_what_cannot_be_corrected_fails_and_is_told_once_in_the_same_turn(play, root):
    ran = play(read(root / "lib/util.py"), read(root / "docs/forecast_2031.md"))
    failures, told = ran.told[::2], ran.told[1::2]
    assert all(MISSING in text for text in failures)
    assert all(text.startswith(BEFORE) for text in told)
    assert len(ran.answered) == 2


def test_an_edit_that_cannot_be_corrected_makes_the_file_and_is_told_at_once(
    play, root
):
    ran = play(edit(root / "lib/util.py"))
    assert "File created successfully" in ran.told[0]
    assert (root / "lib/util.py").exists()
    assert ran.told[1].startswith(BEFORE)
    assert "pkg/one/util.py`" in ran.told[1]


def test_paths_start_where_the_program_was_started(play):
    ran = play(read("statu.md"), read("status.md"), cwd="docs")
    assert ran.having(BEFORE, "status.md`")
    assert "STATUS all green" in ran.model_read


def test_a_sub_agent_is_served_and_has_its_own_misses(play, root):
    ran = play(
        read(root / "lib/util.py"),
        call("spawn_agent", systemPrompt="s", task="t"),
        calls(read(root / "libs/util.py"), read(root / "specs/status.md")),
        Turn("the sub-agent's last words"),
    )
    assert any('"parent_agent_id":"agent_' in event for event in ran.asked)
    assert "STATUS all green" in ran.model_read
    assert "STRATEGY_SHIFT" not in ran.model_read


@pytest.mark.proves("rules")
def test_a_correction_approves_nothing(play, root):
    turns = [edit(root / "src/settings.py"), read("specs/status.md")]
    ran = PROGRAM.run(root.parent, turns, root=root, args=("--auto-approve", "false"))
    assert "requires approval" in ran.model_read
    assert (root / "src/app/settings.py").read_text() == "DEBUG = False\n"
    assert "STATUS all green" not in ran.model_read
    assert "overrideInput" in ran.answered[0]


def test_to_cancel_a_call_would_end_the_run(root, tmp_path):
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"cancel": True, "errorMessage": "no such file"}))
    turns = [read(root / "specs/status.md"), read(root / "docs/status.md")]
    ran = PROGRAM.run(tmp_path, turns, root=root, hook=f"cat '{answer}'", record=False)
    assert ran.turns == 1


def test_a_new_file_in_a_folder_that_is_only_like_one_is_said_to_be_made(play, root):
    ran = play(call("editor", path=str(root / "doc/new.md"), new_text="new\n"))
    assert (root / "doc/new.md").exists()
    [told] = ran.having("PATH_LOOKS_WRONG")
    assert f"`{root}/doc/new.md` is made, as a new file (docs/ exists)." in told
    assert "If `docs/new.md` was meant, move it there." in told
    assert "Next: " not in told
