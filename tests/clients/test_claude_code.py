"""What is particular to Claude Code: its rules, its batches, a user's own hooks, our
plugin.
"""

from __future__ import annotations

import json
import os
import shutil
import sys

import pytest
from clients import rig
from clients.programs import PROGRAMS, ClaudeInEditor
from clients.script import call, calls

from truepath.hosts.protocol import Piece

PROGRAM = PROGRAMS["claude-code"]
IN_EDITOR = ClaudeInEditor()
pytestmark = [pytest.mark.client, rig.needs("claude")]

MISSING = "File does not exist. Note: your current working directory is"
read, edit, bash = PROGRAM.read, PROGRAM.edit, PROGRAM.shell


def test_commands_are_served_from_where_they_are_and_moves_move_the_real_file(
    play, root
):
    ran = play(
        bash("mv src/settings.py src/app/config.py"),
        calls(read(root / "specs/plan.md"), read(root / "specs/notes.md")),
        bash("cd docs && cat ../specs/status.md"),
    )
    assert "No such file" not in ran.model_read
    for content in ("STATUS all green", "PLAN as agreed", "NOTES kept"):
        assert content in ran.model_read
    assert (root / "src/app/config.py").read_text() == "DEBUG = False\n"
    assert not (root / "src/app/settings.py").exists()


def test_the_user_is_shown_what_was_changed(play, root):
    stream = ("--output-format", "stream-json", "--verbose")
    ran = play(read(root / "specs/status.md"), args=stream)
    assert "Read says: truepath: specs/status.md -> docs/status.md" in ran.output


def test_nothing_is_moved_or_removed_for_a_guess(play, root):
    ran = play(
        bash("mv src/app/setings.py src/app/config.py"),
        bash("rm -rf specs/status.md docs/stat?.md"),
    )
    assert (root / "src/app/settings.py").exists()
    assert (root / "docs/status.md").exists()
    assert "`src/app/settings.py`" in ran.model_read
    assert "PreToolUse:Bash hook error" in ran.model_read


@pytest.mark.proves("edit")
def test_an_edit_that_failed_gets_candidates_and_can_then_be_made(play, root):
    ran = play(
        edit("src/settings.py"),
        read(root / "src/app/settings.py"),
        edit(root / "src/app/settings.py"),
    )
    assert MISSING in ran.model_read
    assert "PostToolBatch hook additional context" in ran.model_read
    assert len(ran.answered) == 1
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"


def test_what_may_be_missing_and_what_the_program_suggests_is_not_repeated(play, root):
    ran = play(
        bash("[ -f specs/status.md ] && cat specs/status.md; true"),
        read(root / "docs/status.md"),
        edit(root / "docs/status.txt"),
    )
    assert "Did you mean status.md?" in ran.model_read
    assert ran.answered == []


@pytest.mark.proves("loop")
def test_numbers_that_change_are_a_loop_too(play):
    ran = play(*[bash(f"cat shots/{number:04}.png") for number in (365, 366, 367)])
    [shift] = ran.having("STRATEGY_SHIFT")
    assert "0366.png" in shift


def test_a_sub_agent_is_served_too(play, root):
    agent = {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}
    # The agent runs beside the one that called it: whoever asks next gets the next
    # turn.
    ran = play(call("Agent", **agent), *[read(root / "specs/status.md")] * 2)
    assert any(
        "agent_id" in event and event.get("tool_name") == "Read" for event in ran.events
    )
    assert "STATUS all green" in ran.model_read
    assert MISSING not in ran.model_read


@pytest.mark.proves("rules")
@pytest.mark.parametrize(
    "denied", ["Read(docs/**)", "Read(specs/**)", "Read(**/status.md)"]
)
def test_a_deny_rule_on_either_path_still_holds(play, root, denied):
    rules = {
        "allow": [*PROGRAM.ALLOWED],
        "deny": [denied, denied.replace("Read", "Edit")],
    }
    ran = play(read(root / "specs/status.md"), permissions=rules)
    assert "STATUS all green" not in ran.model_read


@pytest.mark.proves("rules")
def test_a_deny_rule_on_the_written_command_still_holds(play, root):
    (root / ".claude").mkdir()
    rules = {"permissions": {"deny": ["Bash(cat specs/*)"]}}
    (root / ".claude/settings.json").write_text(json.dumps(rules))
    ran = play(bash("cat specs/status.md"))
    assert "STATUS all green" not in ran.model_read
    assert "denied" in ran.model_read
    assert ran.answered == []


@pytest.mark.proves("rules")
@pytest.mark.parametrize("kind", ["ask", "deny"])
def test_a_rule_on_a_whole_tool_holds_for_the_corrected_call_and_hides_no_path(
    play, root, kind
):
    (root / ".claude").mkdir()
    rules = {"permissions": {kind: ["Read(*)"]}}
    (root / ".claude/settings.json").write_text(json.dumps(rules))
    ran = play(read(root / "specs/status.md"), bash("cat specs/plan.md"))
    assert "STATUS all green" not in ran.model_read
    assert "PLAN as agreed" in ran.model_read
    assert ran.having("OK: `docs/plan.md` in place of `specs/plan.md`")


@pytest.mark.proves("rules")
def test_a_question_about_every_command_is_asked_about_the_corrected_one(play, root):
    (root / ".claude").mkdir()
    rules = {"permissions": {"ask": ["Bash(*)"]}}
    (root / ".claude/settings.json").write_text(json.dumps(rules))
    ran = play(bash("cat specs/plan.md"))
    assert "requested permissions to use Bash" in ran.model_read
    assert "PLAN as agreed" not in ran.model_read
    assert ran.answered


def test_without_the_guard_in_the_settings_status_2_would_block(play, root):
    # On one event alone: a prompt that is blocked ends the run before a tool is called.
    hook = {"type": "command", "command": "exit 2"}
    piece = Piece(
        "", "", {"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [hook]}]}}
    )
    ran = play(read(root / "docs/status.md"), pieces=[piece])
    assert "PreToolUse:Read hook error" in ran.model_read
    assert "STATUS all green" not in ran.model_read


# A user's own hooks


@pytest.fixture
def guard(tmp_path):
    """Give the user a hook that keeps `docs/status.md` from being touched."""
    script = tmp_path / "guard.sh"
    script.write_text(
        "if grep -q 'docs/status'; then echo 'GUARD says no' >&2; exit 2; fi\n"
    )
    hook = {"type": "command", "command": f"sh {script}"}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Read|Bash", "hooks": [hook]}]}}
    rig.put([Piece("settings.json", "", settings)], tmp_path / "home/.claude")


@pytest.mark.usefixtures("guard")
def test_a_hook_that_denies_a_path_is_not_led_around(play, root):
    ran = play(
        read(root / "specs/status.md"),
        read(root / "docs/status.md"),
        bash("mv specs/status.md gone.md"),
    )
    assert "STATUS all green" not in ran.model_read
    assert "docs/status.md" in ran.model_read
    assert "GUARD says no" in ran.model_read
    assert (root / "docs/status.md").exists()
    assert not (root / "gone.md").exists()


@pytest.mark.usefixtures("guard")
def test_past_it_a_call_is_corrected_where_the_user_wants_that(play, root, tmp_path):
    file = tmp_path / "home/.config/truepath/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('beside_hooks = "rewrite"\n')
    assert "STATUS all green" in play(read(root / "specs/status.md")).model_read


# The plugin


@pytest.fixture
def with_plugin(tmp_path, play):
    """Play with the plugin, and with `client` as the command `truepath-hook`."""

    def run(*turns, client=""):
        tools = tmp_path / "tools"
        tools.mkdir()
        if client:
            (tools / "truepath-hook").write_text(f"#!/bin/sh\n{client}\n")
            (tools / "truepath-hook").chmod(0o755)
        return play(
            *turns,
            pieces=[Piece("", "", {})],
            args=("--plugin-dir", str(rig.PROJECT / "plugins/truepath")),
            # The plugin finds the client on the path: none but this test's.
            environ={"PATH": f"{tools}:{os.environ['PATH']}"},
        )

    return run


def test_with_the_client_the_plugin_has_a_moved_file_read(with_plugin, root):
    script = rig.PROJECT / "src/truepath/hook/script.py"
    client = f"exec '{sys.executable}' -I -S '{script}' \"$1\""
    ran = with_plugin(read(root / "specs/status.md"), client=client)
    assert "STATUS all green" in ran.model_read
    assert " in place of " in ran.model_read


@pytest.mark.skipif(shutil.which("jq") is None, reason="no jq here: apt-get install jq")
@pytest.mark.skipif(
    any(map(shutil.which, ("truepath-native", "truepath-hook"))),
    reason="a client is on the PATH: take its folder off",
)
def test_without_one_the_model_reads_how_to_search(with_plugin, root):
    ran = with_plugin(read(root / "specs/status.md"), read(root / "docs/status.md"))
    assert (
        "Search before giving up: `find . -path '*/specs/status.md'`" in ran.model_read
    )
    assert "STATUS all green" in ran.model_read
    assert ran.model_read.count("PATH_NOT_FOUND") == 1


@rig.needs(IN_EDITOR.COMMAND)
def test_in_an_editor_it_has_the_same_tools_and_the_box_shows_the_corrected_call(
    tmp_path, root
):
    ran = IN_EDITOR.run(
        tmp_path,
        [
            read(root / "specs/status.md"),
            bash("cp specs/notes.md kept.md"),
            edit(root / "src/settings.py"),
        ],
        root=root,
    )
    assert ran.status == 0, ran.errors
    assert "STATUS all green" in ran.model_read
    [box] = json.loads(ran.output)
    assert box["rawInput"]["command"] == "cp docs/notes.md kept.md"
    assert (root / "kept.md").read_text() == "NOTES kept\n"
    assert ran.having("PATH_NOT_FOUND", "src/app/settings.py`")
