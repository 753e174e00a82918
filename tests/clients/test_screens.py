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


@pytest.fixture(scope="module")
def session(program, tmp_path_factory, keep_screen):
    """One run: a command that is approved, a read that is refused by truepath, and a
    command to which the person says no.
    """
    place = tmp_path_factory.mktemp(program.NAME)
    root = rig.make_project(place)
    options = dict(ASKS[program.NAME])
    more = {"sandbox_permissions": "require_escalated", "justification": "may I?"}
    more = more if options.pop("escalated", False) else {}
    turns = [
        program.shell("cp specs/notes.md kept.md", **more),
        program.read(root / "lib/util.py"),
        program.shell("cp specs/plan.md no.md", **more),
    ]
    box = BOX[program.NAME]
    steps = [
        (box, [YES.get(program.NAME, "Enter")]),
        (
            rf"(?s)(?=.*docs/plan\.md no\.md)(?=.*{box})",
            [NO.get(program.NAME, "Escape")],
        ),
        (rf"(?s)\A(?!.*{box})", []),
    ]
    ran = program.run(place, turns, root=root, steps=steps, **options)
    assert ran.status == 0, ran.errors
    shown = [plain(screen) for screen in ran.screens]
    keep_screen(program, shown[1].replace(str(root), "~/repo"))
    return root, shown


def test_what_is_approved_is_what_runs(program, session):
    root, (before, after, _) = session
    assert "cp docs/notes.md kept.md" in before
    assert not find(program.NAME).shows_written("any")
    assert (LINE in before) == (program.NAME in SHOWS_LINE)
    assert (LINE in after) == bool(find(program.NAME).USER_FIELD)
    assert (root / "kept.md").read_text() == "NOTES kept\n"


def test_a_refusal_is_seen(program, session):
    _, (_, after, _) = session
    host = find(program.NAME)
    line = "truepath: refused lib/util.py" in "".join(after.split("\n"))
    assert line == (bool(host.USER_FIELD) and not host.REFUSALS_SHOWN)
    if not line and host.REFUSES:
        assert "PATH_NOT_FOUND" in after


def test_what_a_person_refuses_changes_nothing(session):
    root, _ = session
    assert not (root / "no.md").exists()


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
