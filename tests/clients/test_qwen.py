"""What is particular to Qwen Code: a hook can refuse, and cannot rewrite."""

from __future__ import annotations

import json

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.script import call, calls

PROGRAM = PROGRAMS["qwen"]
pytestmark = [pytest.mark.client, rig.needs("qwen")]

MISSING = "File not found: "
read, shell = PROGRAM.read, PROGRAM.shell


def test_a_call_that_validation_refuses_gets_candidates(play, root):
    search = {"pattern": "x", "path": str(root / "src/settings")}
    ran = play(
        read("specs/status.md"),
        calls(call("glob", **search), call("grep_search", **search)),
    )
    right = f"`{root}/docs/status.md`"
    assert ran.having("File path must be absolute", "PATH_IS_NOT_ABSOLUTE", right)
    assert ran.having("Path does not exist", "PATH_NOT_FOUND")


def test_advice_on_a_joined_command_is_read_once_though_it_ends_well(play):
    ran = play(shell("cat docs/forecast_2031.md; echo ended"))
    [told] = ran.having("forecast_2031.md: No such file")
    assert told.count("PATH_NOT_FOUND") == 1


@pytest.mark.proves("rules")
def test_what_a_rule_denies_is_neither_read_nor_named(play, root):
    (root / "keys").mkdir()
    ran = play(
        read(root / "secret/key.md"),
        read(root / "keys/key.md"),
        shell("cat keys/key.md"),
        permissions={"deny": ["Read(secret/**)"]},
    )
    assert "denied" in ran.told[0].lower()
    assert "SECRET" not in ran.model_read
    assert "`secret/key.md`" not in ran.model_read


def test_an_input_is_not_rewritten_and_words_before_a_call_are_lost(
    play, root, tmp_path
):
    output = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": {"file_path": str(root / "docs/status.md")},
        "additionalContext": "BEFORE",
    }
    (tmp_path / "answer.json").write_text(json.dumps({"hookSpecificOutput": output}))
    hook = f"grep -q '\"PreToolUse\"' && cat '{tmp_path}/answer.json'"
    ran = play(read(root / "specs/status.md"), hook=hook, record=False)
    assert ran.model_read.startswith(MISSING)
    assert "BEFORE" not in ran.model_read
