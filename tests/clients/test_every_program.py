"""Each agent program itself, driven by a scripted model: what the model asks for and
gets to read.

Each statement was observed to hold for the versions that `package.json` pins. A run
takes seconds, so most tests look at one session in which much goes wrong."""

from __future__ import annotations

import json

import pytest
from clients import rig
from clients.programs import PROGRAMS
from clients.script import calls
from host_samples import TOOLS

from truepath.hosts import find

pytestmark = [pytest.mark.client]


@pytest.fixture(scope="module", params=PROGRAMS.values(), ids=PROGRAMS)
def program(request):
    if rig.program(request.param.COMMAND) is None:
        pytest.skip(
            f"no {request.param.COMMAND} here: `make test-clients` installs it, "
            "with npm"
        )
    return request.param


def played(program, place, turns, **options):
    """Play a script to its end; whatever it is, no answer gives a permission."""
    ran = program.run(place, turns, root=place / "repo", **options)
    assert ran.status == 0, ran.errors
    assert ran.turns == len(turns) + 1, ran.errors
    for answer in map(json.loads, ran.answered):
        assert set(answer) <= program.KEYS
        assert not program.approves(answer)
    return ran


@pytest.fixture
def play(program, tmp_path, root):
    return lambda *turns, **options: played(program, tmp_path, [*turns], **options)


@pytest.fixture(scope="module")
def session(program, tmp_path_factory):
    """One run of calls that go wrong in every way, each beside what ends a streak."""
    place = tmp_path_factory.mktemp(program.NAME)
    root = rig.make_project(place)
    (root / "web").mkdir()
    (root / "web/package.json").write_text('{"scripts": {"build": "true"}}')
    wrong = [
        program.read(root / "specs/status.md"),
        program.shell("cat specs/plan.md"),
        program.edit(
            "src/settings.py" if program.NAME == "codex" else root / "src/settings.py"
        ),
        program.read(root / "lib/util.py"),
        program.read(root / "docs/quarterly_forecast_2031.md"),
        program.shell("rm specs/notes.md"),
        program.shell("python3 -c 'open(\"specs/plan.md\")'"),
        program.shell("cd docs && cat annual_report_1999.md"),
        program.shell("ls docs && npm run build | head -5"),
    ]
    right = program.read(root / "README.md")
    return root, played(
        program, place, [turn for each in wrong for turn in (each, right)]
    )


def test_the_program_is_the_pinned_one(program):
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())[
        "dependencies"
    ]
    assert rig.version(program.PACKAGE) == pinned[program.PACKAGE]


def test_the_program_offers_the_tools_that_are_written_down(program, session):
    _, ran = session
    assert ran.offered == TOOLS[program.NAME]


@pytest.mark.proves("correct")
def test_a_read_of_a_moved_file_leads_to_it(program, session):
    _, ran = session
    [told] = ran.having("specs/status.md`", "docs/status.md`")
    if "read" in program.CORRECTS:
        assert "STATUS all green" in ran.model_read
        assert "OK: `" in told
        assert "PATH_" not in told
    else:
        assert "PATH_NOT_FOUND" in told
        assert "\nNext: " in told
        assert told.endswith("docs/status.md`")


def test_the_model_does_not_read_what_its_user_is_shown(program, session):
    _, ran = session
    host = find(program.NAME)
    lines = [json.loads(answer).get(host.USER_FIELD) for answer in ran.answered]
    is_shown = bool(host.USER_FIELD)
    assert ("truepath: specs/status.md -> docs/status.md" in lines) == is_shown
    refused = "truepath: refused lib/util.py (PATH_NOT_FOUND), named pkg/one/util.py"
    assert (refused in lines) == (is_shown and not host.REFUSALS_SHOWN)
    assert "truepath: " not in ran.model_read


@pytest.mark.proves("shell")
def test_a_command_with_a_moved_file_leads_to_it(program, session):
    _, ran = session
    told = ran.having("`specs/plan.md`", "`docs/plan.md`")
    if "shell" in program.CORRECTS:
        assert "PLAN as agreed" in ran.model_read
        assert ran.having("OK: `docs/plan.md` in place of `specs/plan.md`")
    else:
        assert told
        assert "PLAN as agreed" not in ran.model_read


@pytest.mark.proves("edit")
def test_an_edit_of_a_moved_file_leads_to_it(program, session):
    root, ran = session
    changed = "edit" in program.CORRECTS
    assert ran.having("src/settings.py`", "src/app/settings.py`")
    assert ("True" in (root / "src/app/settings.py").read_text()) == changed
    assert not (root / "src/settings.py").exists()


@pytest.mark.proves("ambiguous")
def test_a_name_in_two_folders_is_answered_with_both_once(session):
    _, ran = session
    told = ran.having("lib/util.py`", "pkg/one/util.py`", "pkg/two/util.py`")
    assert len(told) == 1
    assert "WHO" not in ran.model_read


@pytest.mark.proves("absent")
def test_a_file_that_is_nowhere_is_answered_with_a_next_step(session):
    _, ran = session
    [told] = ran.having("PATH_NOT_FOUND: ", "docs/quarterly_forecast_2031.md`")
    assert "Next: " in told


def test_a_removal_of_a_moved_file_is_answered_with_where_it_is(session):
    root, ran = session
    assert (root / "docs/notes.md").exists()
    assert ran.having("`specs/notes.md`", "`docs/notes.md`")


def test_a_failure_that_only_the_output_tells_gets_candidates(program, session):
    _, ran = session
    assert "FileNotFoundError" in ran.model_read
    if program.ADVISES:
        assert ran.having("PATH_NOT_FOUND", "`docs/plan.md`")


def test_a_joined_command_that_fails_on_a_path_is_advised_upon_once(program, session):
    _, ran = session
    assert "annual_report_1999.md: No such file or directory" in ran.model_read
    told = [
        text.count("PATH_NOT_FOUND") for text in ran.having("annual_report_1999.md")
    ]
    assert sum(told) == program.ADVISES


def test_a_command_whose_failure_a_pipe_hides_is_told_its_folder(program, session):
    _, ran = session
    told = ran.having("WRONG_FOLDER", "`cd web && npm run build | head -5`")
    assert bool(told) == program.ADVISES


def test_what_exists_is_met_with_silence(program, play, root):
    ran = play(
        calls(
            program.read(root / "docs/status.md"),
            program.read(root / "src/app/settings.py"),
        ),
        program.edit(root / "src/app/settings.py"),
        program.shell("cat nope.md 2>/dev/null || cat docs/plan.md"),
        program.shell(
            "mkdir -p build && echo made > build/log.txt && cat build/log.txt"
        ),
    )
    assert ran.answered == []
    assert "STATUS all green" in ran.model_read
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    assert (root / "build/log.txt").exists()
    assert not rig.speaks(ran.model_read)


@pytest.mark.proves("loop")
def test_the_second_miss_in_a_row_brings_the_shift_once_and_those_of_one_turn_do_not(
    program, play, root
):
    # A line on stderr beside an answer loses nothing of it; before it, see `FAULTS`.
    ran = play(
        program.read(root / "lib/util.py"),
        program.edit(
            "libs/util.py" if program.NAME == "codex" else root / "libs/util.py"
        ),
        program.shell("cat core/util.py"),
        program.read(root / "docs/status.md"),
        calls(
            *(program.read(root / f"{folder}/util.py") for folder in ("a", "b", "c"))
        ),
        program.read(root / "docs/status.md"),
        program.read(root / "zz/gumbo.rb"),
        hook=f"echo junk >&2; {program.hook}",
    )
    [shift] = ran.having("STRATEGY_SHIFT")
    assert "STRATEGY_SHIFT: 2 misses in a row" in shift
    assert "libs/util.py" in shift
    assert ran.having("zz/gumbo.rb", "Next: search", program.LOOKS_WITH)
    assert len(ran.having("pkg/one/util.py`", "pkg/two/util.py`")) >= 4


def test_a_first_miss_of_a_sub_agent_is_its_own_first_miss(program, play, root):
    if not program.AGENT:
        pytest.skip(f"{program.NAME} runs a sub-agent only with more settings, if any")
    start, end = program.AGENT
    ran = play(
        program.read(root / "lib/util.py"),
        start,
        program.read(root / "libs/util.py"),
        end,
        program.read(root / "core/util.py"),
    )
    for path in ("lib/util.py", "libs/util.py", "core/util.py"):
        assert ran.having(f"PATH_NOT_FOUND: `{root}/{path}`"), path
    assert not ran.having("STRATEGY_SHIFT", f"PATH_NOT_FOUND: `{root}/libs/util.py`")
    assert not ran.having("STRATEGY_SHIFT", f"before this `{root}/libs/util.py`")


@pytest.mark.proves("fail-open")
def test_whatever_breaks_blocks_nothing(program, play, root, tmp_path):
    ran = play(
        *(program.shell(f"cat specs/{name}.md") for name in rig.FAULTS),
        program.read(root / "docs/status.md"),
        program.shell("echo ran in the shell"),
        hook=rig.faulty(tmp_path, program.NAME, program.HANG_S),
        record=False,
        timeout=2,
    )
    # Qwen Code loses the output of a quick command now and then, not its status.
    ran_on = {
        name
        for name in rig.FAULTS
        for end in ("No such file", "Exit Code: 1")
        if ran.having(f"specs/{name}.md", end)
    }
    assert ran_on == {*rig.FAULTS}
    assert "STATUS all green" in ran.model_read
    assert "ran in the shell" in ran.model_read
    assert not rig.speaks(ran.model_read)


# What a call needs besides a path that exists

CALC = """\
import os


def first(value):
    total = 0
    for each in value:
        total += each
    return total


def second(value):
    total = 0
    return total
"""
UNFIT = {
    "other-words": ("def frist(values):", "def third(value):"),
    "made-already": ("    for item in value:", "    for each in value:"),
    "several-places": ("    total = 0", "    total = 1"),
    "other-blanks": (
        "  for each in value:\n    total += each\n  return total",
        "  return sum(value)",
    ),
}
"""Check -> an old and a new text that the file does not fit."""

LINES = {
    "other-words": "most similar are these lines:\n3\t\n4\tdef first(value):",
    "made-already": "the new text is there already:\n6\t    for each in value:",
    "several-places": ".\nLines 4 to 7:\ndef first(value):\n    total = 0\n",
    "other-blanks": "only blanks differ.\nLines 6 to 8, to be sent in its place:\n"
    "    for each in value:\n  ",
}
"""Check -> lines that the model reads with the failure."""


@pytest.fixture(scope="module")
def unfit(program, tmp_path_factory):
    """One run of edits that do not fit, a folder that is read as a file, and large
    files.
    """
    place = tmp_path_factory.mktemp(program.NAME)
    root = rig.make_project(place)
    for name in UNFIT:
        (root / f"src/{name}.py").write_text(CALC)
    (root / "large.py").write_text("def function(value): return value + 1\n" * 30_000)
    under = "src" if program.NAME == "codex" else f"{root}/src"
    turns = [program.read(root / f"src/{name}.py") for name in UNFIT]
    turns += [
        program.edit(f"{under}/{name}.py", *texts) for name, texts in UNFIT.items()
    ]
    turns.append(program.read(root / "docs"))
    turns.append(
        calls(
            program.read(root / "large.py"),
            program.read(root / "docs/plan.md"),
            program.shell("echo beside it"),
        )
    )
    return root, played(program, place, turns)


@pytest.mark.parametrize("check", UNFIT)
def test_a_failed_edit_is_answered_with_the_lines_of_the_file(program, unfit, check):
    root, ran = unfit
    assert bool(ran.having(LINES[check])) == (check in program.TELLS)
    if check in program.TELLS:
        assert (root / f"src/{check}.py").read_text() == CALC
        assert ran.model_read.count(LINES[check]) == 1


def test_a_folder_read_as_a_file_is_answered_with_its_entries(program, unfit):
    _, ran = unfit
    told = bool(ran.having("PATH_IS_NOT_A_FILE", "`plan.md`"))
    assert told == (not program.LISTS_FOLDERS)
    if program.ADVISES:
        assert ran.having("notes.md", "plan.md", "status.md")


def test_a_large_file_is_read_in_part_and_costs_no_call_beside_it(program, unfit):
    _, ran = unfit
    assert ran.having("def function(value): return value + 1")
    assert "too large" not in ran.model_read
    assert "exceeds maximum" not in ran.model_read
    told = ran.having("OK: lines 1 to ", "in 30,000 lines", "To go on: ")
    assert len(told) == (1 if program.LARGEST else 0)
    assert "PLAN as agreed" in ran.model_read
    assert "beside it" in ran.model_read
