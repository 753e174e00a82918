"""Each program in a terminal, in the mode in which it asks before it changes or runs
something: one session goes through all rows, and a person answers each box.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest
from clients import rig
from clients.programs import NEW, OLD, PROGRAMS
from clients.terminal import plain
from clients.test_every_program import CALC, LINES, UNFIT

from truepath.hosts import find
from truepath.journal.journal import EventReader

pytestmark = [
    pytest.mark.client,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux here"),
]


@dataclass(frozen=True)
class Row:
    """A call of the model, and what a person answers where it is asked about."""

    tool: str
    asked: str
    """The path, or the command, as the model writes it."""
    right: str = ""
    """As it is put right; "" if nothing is wrong with it, or several are meant."""
    texts: tuple[str, str] = (OLD, NEW)
    """What an edit replaces, and with what."""
    fails: bool = False
    """Whether the call fails, on the right path."""
    pressed: str = ""
    """`yes` or `no`; "" for a read, of which nobody is asked."""
    file: str = ""
    """A file that tells whether the call has run."""
    ran: str = ""
    """What that has in it then."""


ROWS = {
    "a wrong read": Row("read", "specs/status.md", "docs/status.md"),
    "a wrong edit, then yes": Row(
        "edit",
        "src/settings.py",
        "src/app/settings.py",
        pressed="yes",
        file="src/app/settings.py",
        ran=NEW,
    ),
    "a right read": Row("read", "src/calc.py"),
    "an edit whose text is not there": Row(
        "edit", "src/calc.py", texts=UNFIT["other-words"], fails=True, pressed="yes"
    ),
    "a right edit, then yes": Row(
        "edit",
        "src/calc.py",
        texts=("import os\n", "import re\n"),
        pressed="yes",
        file="src/calc.py",
        ran="import re",
    ),
    "a wrong edit, then no": Row(
        "edit",
        "specs/status.md",
        "docs/status.md",
        ("STATUS all green", "STATUS red"),
        pressed="no",
        file="docs/status.md",
        ran="STATUS red",
    ),
    "a wrong command, then yes": Row(
        "shell",
        "cp specs/notes.md kept.md",
        "cp docs/notes.md kept.md",
        pressed="yes",
        file="kept.md",
        ran="NOTES kept",
    ),
    "a read of one of two": Row("read", "lib/util.py", fails=True),
    "a wrong command, then no": Row(
        "shell",
        "cp specs/plan.md no.md",
        "cp docs/plan.md no.md",
        pressed="no",
        file="no.md",
        ran="PLAN as agreed",
    ),
}


@dataclass(frozen=True)
class Asking:
    """How a program asks, what a person presses there, and what its events show."""

    box: tuple[str, str] | None = None
    """How a box begins and ends; None where it asks about none of these calls."""
    yes: str = "Enter"
    no: str = "Escape"
    goes_on: bool = False
    """Whether it goes on after a no; else it waits for the next prompt."""
    typed: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """What a person types first."""
    options: Mapping[str, object] = field(default_factory=dict)
    """What makes it ask, where it does not by itself."""
    shell: Mapping[str, str] = field(default_factory=dict)
    """More arguments of a command that is to be asked about."""
    before: tuple[str, ...] = ()
    """The tools of which it asks before a hook, or it itself, looks at the call."""
    refused: tuple[str, ...] = ()
    """The tools of which a call that it asks about is refused, not corrected."""
    told: tuple[str, ...] = ()
    """The tools that fail before a hook is asked: the model is told after it."""
    unknown: tuple[str, ...] = ()
    """The tools of which no event tells that the person said no."""
    line: bool | None = None
    """Whether truepath's line is on the screen before the box is answered; None where
    it never is."""


ASKING = {
    "claude-code": Asking(
        ("Bash command|Edit file", "Esc to cancel"),
        options={"permissions": {"defaultMode": "default"}},
        told=("edit",),
        line=False,
    ),
    # In a folder that it may change, 0.171.0 asks about no edit.
    "codex": Asking(
        ("Would you like to", "or esc to cancel"),
        shell={"sandbox_permissions": "require_escalated", "justification": "may I?"},
        unknown=("edit",),
        line=True,
    ),
    "copilot": Asking(("\n╭─", "esc to cancel"), unknown=("edit",)),
    "gemini": Asking(
        (r"\? (?:Edit|Shell) ", r"No, suggest changes \(esc\)"), line=True
    ),
    "cline": Asking(
        ("Approve tool call", r"\[n\] Deny"),
        yes="y",
        no="n",
        goes_on=True,
        before=("edit",),
    ),
    # Its box of a command shows that as it was written.
    "opencode": Asking(
        ("Permission required", "Reject"),
        options={"permission": {"edit": "ask", "bash": "ask"}},
        refused=("shell",),
    ),
    "qwen": Asking(
        (r"\? (?:Edit|Shell) ", r"No, suggest changes \(esc\)"),
        before=("shell",),
        told=("edit",),
    ),
    "kimi": Asking(
        typed=(
            ("Trust this folder", ("Enter",)),
            (r"(?s)\A(?!.*Trust this folder).*│ >", ("go",)),
            ("│ > go", ("Enter",)),
        ),
    ),
}
"""Program -> how it asks; pi asks about nothing."""


@dataclass(frozen=True)
class Met:
    """What a program does with a row."""

    asks: bool
    """Whether a box is seen."""
    shown: str
    """The path, or the command, in it."""
    kinds: tuple[str, ...]
    """The kinds of the journal's events about it."""
    end: str = ""
    """How a corrected call ended."""
    runs: bool = False
    """Whether it runs, on the right path."""


def met(program, row):
    """Return what is to come of a row in a program."""
    asking, host = ASKING[program.NAME], find(program.NAME)
    asks = bool(row.pressed) and asking.box is not None
    agrees = row.pressed != "no" or not asks
    told = row.tool in asking.told
    if row.fails and row.tool == "edit":
        kinds = ("check.advised",) if "other-words" in program.TELLS else ()
        return Met(asks and row.tool in asking.before, row.asked, kinds)
    if row.fails:
        return Met(False, "", ("path.refused" if host.REFUSES else "path.advised",))
    if not row.right:
        return Met(asks, row.asked, (), runs=agrees)
    if row.tool in program.CORRECTS and row.tool not in asking.refused:
        end = "ran" if agrees else "declined"
        end = "" if end == "declined" and row.tool in asking.unknown else end
        kinds = ("path.corrected", "path.ended") if end else ("path.corrected",)
        return Met(asks, row.right, kinds, end, runs=agrees)
    asks = asks and row.tool in asking.before
    kinds = ("path.advised" if told else "path.refused",)
    # What the person refuses first, no hook sees.
    return Met(asks, row.asked, kinds if not asks or agrees else ())


BUSY = "esc (?:to )?(?:interrupt|cancel)"
"""What a program shows that takes no prompt yet: it would lose the key."""


def box(asking, words=""):
    """Return the pattern of a box that has some words."""
    head, tail = asking.box
    inner = rf"(?:(?!{head})[\s\S])*"
    return f"(?:{head}){inner}{re.escape(words)}{inner}{tail}"


def steps_of(program):
    """Yield what is seen and pressed, and the row that it is of."""
    asking = ASKING[program.NAME]
    for step in asking.typed:
        yield step, ""
    for name, row in ROWS.items():
        expected = met(program, row)
        if not expected.asks:
            continue
        # A box may show the folder of a file on a line of its own.
        is_line = row.tool == "shell"
        shown = expected.shown if is_line else expected.shown.rpartition("/")[2]
        key = asking.yes if row.pressed == "yes" else asking.no
        yield (box(asking, shown), (key,)), name
        if row.pressed == "no" and not asking.goes_on:
            words = f"after {name}"
            # Words and the key come apart, or they count as pasted.
            yield (rf"\A(?![\s\S]*(?:{box(asking)}|{BUSY}))", (words,)), ""
            yield (words, ("Enter",)), ""
    yield ("done", ()), "the end"


def turn_of(program, root, row):
    """Return the model's turn of a row."""
    if row.tool == "shell":
        return program.shell(row.asked, **ASKING[program.NAME].shell)
    path = row.asked if program.NAME == "codex" else root / row.asked
    return program.read(path) if row.tool == "read" else program.edit(path, *row.texts)


@pytest.fixture(scope="module", params=ASKING)
def program(request):
    found = PROGRAMS[request.param]
    if rig.program(found.COMMAND) is None:
        pytest.skip(f"no {found.COMMAND} here: `make test-clients` installs it")
    return found


@dataclass(frozen=True)
class Session:
    """What one session of a program came to."""

    root: object
    ran: rig.Ran
    screens: dict[str, str]
    """Row -> what the screen showed with its box; the last one is `the end`."""
    events: list[object]
    """The journal's, about paths and texts."""


@pytest.fixture(scope="module")
def session(program, tmp_path_factory, keep_screen):
    """One session in which the model makes the calls of all rows, in their order."""
    place = tmp_path_factory.mktemp(program.NAME)
    root = rig.make_project(place)
    (root / "src/calc.py").write_text(CALC)
    turns = [turn_of(program, root, row) for row in ROWS.values()]
    steps, names = zip(*steps_of(program), strict=True)
    options = ASKING[program.NAME].options
    ran = program.run(place, turns, root=root, steps=steps, **options)
    assert ran.status == 0, ran.errors
    screens = dict(zip(names, map(plain, ran.screens), strict=True))
    last = screens.get("a wrong command, then no", "")
    keep_screen(program, last.replace(str(root), "~/repo"))
    journal = EventReader(place / "home/.local/state/truepath/journal/events.jsonl")
    aside = ("path.followed", "strategy.shift")
    events = [event for event in journal.read() if event.event not in aside]
    return Session(root, ran, screens, events)


def test_each_row_is_met_as_the_table_says(program, session):
    wanted = []
    for row in ROWS.values():
        path = row.asked.split()[1] if row.tool == "shell" else row.asked
        expected = met(program, row)
        ends = {"path.ended": expected.end}
        wanted += [(kind, path, ends.get(kind, "")) for kind in expected.kinds]
    root = f"{session.root}/"
    found = [
        (event.event, event.requested.removeprefix(root), event.end)
        for event in session.events
    ]
    assert found == wanted


def test_what_is_approved_is_what_runs_and_what_is_refused_changes_nothing(
    program, session
):
    for name, row in ROWS.items():
        if not row.file:
            continue
        expected = met(program, row)
        file = session.root / row.file
        has = file.read_text() if file.exists() else ""
        assert (row.ran in has) == expected.runs, name
        if expected.asks:
            [shown] = re.findall(box(ASKING[program.NAME]), session.screens[name])
            folder = expected.shown.split()[-2 if row.tool == "shell" else 0]
            assert folder.rpartition("/")[0] in shown, name
    assert not (session.root / "src/settings.py").exists()
    assert not [*(session.root / "specs").iterdir()]


def test_the_model_reads_ok_of_what_ran_and_of_nothing_that_was_refused(
    program, session
):
    for name, row in ROWS.items():
        if not row.right:
            continue
        expected = met(program, row)
        at = 1 if row.tool == "shell" else 0
        used, written = row.right.split()[at], row.asked.split()[at]
        told = [*session.ran.having(f"{written}`", f"{used}`")]
        if name == "a wrong edit, then no":
            told = told[1:]  # the first is of the read
        says_ok = any("OK: `" in text for text in told)
        assert says_ok == (expected.end == "ran"), (name, told)
        if not expected.shown or "path.corrected" not in expected.kinds:
            assert bool(told) == bool(expected.kinds), name
    fits = session.ran.having(LINES["other-words"])
    assert bool(fits) == ("other-words" in program.TELLS)


def test_a_correction_and_a_refusal_are_seen(program, session):
    asking, host = ASKING[program.NAME], find(program.NAME)
    seen = "".join(session.screens["the end"].split("\n"))
    last = session.screens.get("a wrong command, then no", seen)
    said = "truepath: specs/notes.md -> docs/notes.md"
    if asking.line is not None:
        assert (said in session.screens["a wrong command, then yes"]) == asking.line
        assert said in last
    refused = "truepath: refused lib/util.py" in "".join(last.split("\n"))
    assert refused == (asking.line is not None and not host.REFUSALS_SHOWN)
    if host.REFUSES and host.REFUSALS_SHOWN:
        assert "PATH_NOT_FOUND" in seen
