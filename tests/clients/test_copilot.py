"""What is particular to GitHub Copilot CLI: its rules, patches, and hooks of other
programs.
"""

from __future__ import annotations

import json
import sys

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.script import call, calls

from truepath.hosts import find
from truepath.hosts.protocol import Piece

PROGRAM = PROGRAMS["copilot"]
pytestmark = [pytest.mark.client, rig.needs("copilot")]

MISSING = "does not exist. Please provide a valid path."
read, edit, shell = PROGRAM.read, PROGRAM.edit, PROGRAM.shell


@pytest.mark.proves("edit")
def test_a_patch_is_made_where_the_file_is_and_refused_where_two_may_be_meant(
    play, root
):
    # To this model the program offers `apply_patch` and not `edit`.
    turns = [
        PROGRAMS["codex"].edit(path) for path in ("src/settings.py", "lib/util.py")
    ]
    ran = play(*turns, environ={"COPILOT_MODEL": "gpt-5.5"})
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    assert not (root / "src/settings.py").exists()
    assert "OK: `src/app/settings.py`" in ran.told[0]
    assert ran.told[1].startswith("Denied by preToolUse hook:")
    assert "pkg/one/util.py`" in ran.told[1]


def test_the_misses_of_one_turn_are_no_loop_however_long_its_hooks_take(play, root):
    turn = [
        read(root / "lib/util.py"),
        edit(root / "libs/util.py"),
        shell("cat core/util.py"),
    ]
    ran = play(calls(*turn), hook=f"sleep .2; {PROGRAM.hook}")
    assert ran.model_read.count("PATH_NOT_FOUND") == 3
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_a_sub_agent_is_served_and_has_its_own_misses(play, root):
    agent = {"description": "d", "prompt": "p", "agent_type": "explore", "name": "n"}
    ran = play(
        read(root / "lib/util.py"),
        call("task", **agent, mode="sync"),
        calls(read(root / "libs/util.py"), read(root / "specs/status.md")),
    )
    assert any(
        "agent_id" in event and event.get("tool_name") == "Read" for event in ran.events
    )
    assert "STATUS all green" in ran.model_read
    assert "STRATEGY_SHIFT" not in ran.model_read


DENIED = {
    "what it was corrected to": ("shell(cat docs/status.md)", "write(app/settings.py)"),
    "a program or a name": ("shell(cat)", "write(settings.py)"),
}


@pytest.mark.proves("rules")
@pytest.mark.parametrize("rules", DENIED.values(), ids=DENIED)
def test_a_rule_on_what_a_call_comes_to_still_holds(play, root, rules):
    args = [word for rule in rules for word in ("--deny-tool", rule)]
    turns = (shell("cat specs/status.md"), edit(root / "src/settings.py"))
    ran = play(*turns, args=(*PROGRAM.ARGS, *args))
    assert "STATUS all green" not in ran.model_read
    assert (root / "src/app/settings.py").read_text() == "DEBUG = False\n"


def test_a_rule_on_nothing_but_the_written_command_is_not_asked_about_the_corrected_one(
    play,
):
    args = (*PROGRAM.ARGS, "--deny-tool", "shell(cat specs/status.md)")
    assert (
        "STATUS all green" in play(shell("cat specs/status.md"), args=args).model_read
    )


def test_a_decision_to_allow_would_lift_the_users_rules(play, tmp_path):
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"permissionDecision": "allow"}))
    args = (*PROGRAM.ARGS, "--deny-tool", "shell(cat docs/status.md)")
    hook = {"hook": f"cat '{answer}'", "record": False}
    assert (
        "STATUS all green"
        in play(shell("cat docs/status.md"), args=args, **hook).model_read
    )


def test_without_the_guard_in_the_settings_any_status_would_deny(play, tmp_path):
    [piece] = find("copilot").pieces("exit 3")
    bare = Piece(
        piece.user, piece.project, json.dumps(piece.content).replace(" || true", "")
    )
    ran = play(shell("echo went on"), pieces=[bare])
    assert "went on\n" not in ran.model_read


@pytest.mark.parametrize("other", ["claude-code", "vscode"])
def test_hooks_of_other_programs_that_the_repository_has_run_here_and_stay_silent(
    play, root, tmp_path, other
):
    command = rig.recorded(f"'{sys.executable}' -m truepath hook {other}", tmp_path)
    [piece] = find(other).pieces(command)
    rig.put([Piece(piece.project, "", piece.content)], root)
    trusted = Piece("config.json", "", {"trusted_folders": [str(root)]})
    rig.put([trusted], tmp_path / "home/.copilot")
    ran = play(read(root / "specs/status.md"), hook="true", record=False)
    assert MISSING in ran.model_read
    assert any('"tool_name":"Read"' in event for event in ran.asked)
    assert ran.answered == []
