"""What is particular to Codex: rules, its sandbox, patches, and hooks that nobody has
reviewed.
"""

from __future__ import annotations

import json

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.script import call

PROGRAM = PROGRAMS["codex"]
pytestmark = [pytest.mark.client, rig.needs("codex")]

MISSING = "cat: specs/status.md: No such file or directory"
BLOCKED = "Command blocked by PreToolUse hook:"
shell, patch = PROGRAM.shell, PROGRAM.edit


def test_commands_are_served_from_where_they_are_and_moves_move_the_real_file(
    play, root
):
    ran = play(
        shell("cat ../specs/status.md", workdir="src"),
        shell("mv src/settings.py src/app/config.py"),
    )
    assert "STATUS all green" in ran.model_read
    assert (root / "src/app/config.py").read_text() == "DEBUG = False\n"


def test_an_image_and_a_folder_to_run_in_are_seen_and_named_and_not_changed(play, root):
    (root / "docs/logo.png").write_bytes(b"")
    ran = play(
        call("view_image", path=str(root / "specs/logo.png")),
        shell("ls", workdir=str(root / "doc")),
        shell("ls", workdir=str(root / "docs")),
    )
    assert ran.having("PATH_NOT_FOUND", f"Next: view_image `{root}/docs/logo.png`")
    assert ran.having("PATH_NOT_FOUND", f"Next: use `{root}/docs/`")
    assert ran.having("status.md", "plan.md")


@pytest.mark.proves("edit", "ambiguous")
def test_a_patch_is_made_where_the_file_is_and_refused_where_that_is_not_sure(
    play, root
):
    removal = patch("specs/status.md", header="Delete File")
    ran = play(patch("src/settings.py"), patch("lib/util.py"), removal)
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    assert "M src/app/settings.py" in ran.model_read
    assert ran.having(BLOCKED, "pkg/one/util.py`", "pkg/two/util.py`")
    assert ran.having(BLOCKED, "`docs/status.md`")
    assert (root / "docs/status.md").exists()


def test_a_patch_given_to_the_shell_is_refused_with_the_right_path(play):
    text = patch("src/settings.py").calls[0].arguments["input"]
    ran = play(shell(f"apply_patch <<'EOF'\n{text}EOF\n"))
    assert ran.having(BLOCKED, "Next: use `src/app/settings.py`")


@pytest.mark.proves("rules")
@pytest.mark.parametrize("path", ["docs/status.md", "specs/status.md"])
def test_a_rule_on_either_command_still_holds(play, path):
    rule = f'prefix_rule(pattern=["cat", "{path}"], decision="forbidden")\n'
    ran = play(shell(f"cat {path}"), shell("cat specs/status.md"), rules=rule)
    assert "STATUS all green" not in ran.model_read
    assert f"policy forbids commands starting with `cat {path}`" in ran.model_read
    assert not any("updatedInput" in answer for answer in ran.answered)


@pytest.mark.proves("rules")
def test_the_sandbox_holds_for_what_was_corrected(play, root):
    confined = ("--sandbox", "read-only", *PROGRAM.TRUST)
    ran = play(
        shell("mv src/settings.py src/app/config.py"),
        patch("src/settings.py"),
        args=confined,
    )
    assert (root / "src/app/settings.py").read_text() == "DEBUG = False\n"
    assert "Read-only file system" in ran.model_read
    assert "rejected" in ran.model_read
    assert sum("updatedInput" in text for text in ran.answered) == 2


def test_a_rewrite_without_the_decision_would_be_lost(play, tmp_path):
    output = {
        "hookEventName": "PreToolUse",
        "updatedInput": {"command": "cat docs/status.md"},
    }
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"hookSpecificOutput": output}))
    ran = play(shell("cat specs/status.md"), hook=f"cat '{answer}'", record=False)
    assert MISSING in ran.model_read


def test_hooks_that_nobody_trusts_are_skipped(play):
    ran = play(shell("cat specs/status.md"), args=PROGRAM.ARGS[:1])
    assert MISSING in ran.model_read
    assert ran.asked == []
