"""What a person sees and approves: each program that corrects calls and asks about them
is driven in a terminal, in a mode in which it asks.
"""

from __future__ import annotations

import shutil

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.terminal import plain

from truepath.hosts import find

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux here"),
]

LINE = "truepath: specs/notes.md -> docs/notes.md"

ASKS = {
    "claude-code": {"permissions": {"defaultMode": "default"}},
    "codex": {"escalated": True},
    "copilot": {},
    "gemini": {},
    "cline": {},
}
"""Program -> what makes it ask about a command; pi asks about none, Kimi Code and Qwen
Code correct none, and OpenCode has a test of its own."""

BOX = {
    "claude-code": "Do you want to proceed",
    "codex": "Would you like to run",
    "copilot": "Do you want to run",
    "gemini": "Allow execution of",
    "cline": "Approve tool call",
}
"""What the box says."""

YES = {"cline": "y"}
NO = {"cline": "n"}

SHOWS_LINE = {"codex", "gemini"}
"""Who shows truepath's line before the box is answered; Claude Code shows it after
that, Copilot CLI and Cline CLI never (its way to show one is not known)."""


@pytest.fixture(scope="module", params=ASKS)
def program(request):
    found = PROGRAMS[request.param]
    if rig.program(found.COMMAND) is None:
        pytest.skip(f"no {found.COMMAND} here: `make test-clients` installs it")
    return found


def asked(program, place, root, key, last):
    options = dict(ASKS[program.NAME])
    escalated = options.pop("escalated", False)
    more = {"sandbox_permissions": "require_escalated", "justification": "may I?"}
    turn = program.shell("cp specs/notes.md kept.md", **(more if escalated else {}))
    steps = [(BOX[program.NAME], [key]), (last, [])]
    ran = program.run(place, [turn], root=root, steps=steps, **options)
    assert ran.status == 0, ran.errors
    return ran


def test_what_is_approved_is_what_runs(program, tmp_path, root):
    ran = asked(program, tmp_path, root, YES.get(program.NAME, "Enter"), "done")
    before, after = map(plain, ran.screens)
    assert "cp docs/notes.md kept.md" in before
    assert not find(program.NAME).shows_written("any")
    assert (LINE in before) == (program.NAME in SHOWS_LINE)
    assert (LINE in after) == bool(find(program.NAME).USER_FIELD)
    assert (root / "kept.md").read_text() == "NOTES kept\n"


def test_what_is_refused_changes_nothing(program, tmp_path, root):
    gone = rf"(?s)\A(?!.*{BOX[program.NAME]})"
    asked(program, tmp_path, root, NO.get(program.NAME, "Escape"), gone)
    assert not (root / "kept.md").exists()


@rig.needs("qwen")
def test_qwen_code_answers_edits_that_fail_before_it_asks_about_them(tmp_path, root):
    program = PROGRAMS["qwen"]
    turns = [
        program.edit(root / "src/settings.py"),
        program.read(root / "src/app/settings.py"),
        program.edit(root / "src/app/settings.py", "DEBUG = 0", "DEBUG = False"),
    ]
    ran = program.run(tmp_path, turns, root=root, steps=[("done", [])])
    assert ran.status == 0, ran.errors
    assert ran.having("PATH_NOT_FOUND", "src/app/settings.py`")
    assert ran.having("EDIT_ALREADY_MADE", "DEBUG = False")
