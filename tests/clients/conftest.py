"""The session that tests with real programs share, and the table of what they proved of
each.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path

import pytest
from clients import rig
from clients.programs import PROGRAMS

from truepath.hosts import find

PROOFS = {
    "correct": "read of a moved file",
    "shell": "shell",
    "edit": "edit",
    "ambiguous": "ambiguous name",
    "absent": "absent file",
    "loop": "loop told",
    "rules": "rules hold",
    "fail-open": "fails open",
}
"""What `@pytest.mark.proves` may say -> the head of its column."""

SHARING = ("test_every_program.py", "test_screens.py")
"""The files whose tests look at the same sessions, one or two of each program."""

BEGIN, END = "<!-- proved -->", "<!-- /proved -->"
SCREENS, SCREENS_END = "<!-- screens -->", "<!-- /screens -->"

PICTURED = ("claude-code", "codex", "gemini")
"""The programs whose screens the page has."""

Proved = dict[str, dict[str, bool]]
"""Host's row -> what was proved of it -> whether every test of it passed."""


@pytest.fixture
def root(tmp_path):
    """Return the project that the program works in."""
    return rig.make_project(tmp_path)


@pytest.fixture
def play(request, tmp_path, root):
    """Return `play(*turns, **options)`: a session of the module's program, played to
    its end.
    """

    def run(*turns, **options):
        ran = request.module.PROGRAM.run(tmp_path, [*turns], root=root, **options)
        assert (ran.status, ran.turns > len(turns)) == (0, True), ran.errors
        return ran

    return run


def pytest_addoption(parser):
    parser.addoption(
        "--hosts-table",
        metavar="FILE",
        help="write what was proved of each host into FILE",
    )


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Have one worker run the tests that share a program's sessions, and any worker
    each of the others: a session costs up to 16 s of CPU.
    """
    from xdist.scheduler import LoadScopeScheduling

    class ByProgram(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            return shared_by(nodeid)

    return ByProgram(config, log)


def shared_by(nodeid: str) -> str:
    """Return the name of the tests that share the sessions of one; its own for none."""
    file, _, params = nodeid.partition("[")
    module = file.partition("::")[0]
    program = next((name for name in PROGRAMS if params.startswith(name)), "")
    if module.endswith(SHARING) and program:
        return f"{module} {program}"
    return nodeid


def pytest_configure(config):
    config.stash[_KEY] = defaultdict(dict)
    config.stash[_SCREENS_KEY] = {}


_KEY: pytest.StashKey[Proved] = pytest.StashKey()
_SCREENS_KEY: pytest.StashKey[dict[str, str]] = pytest.StashKey()


@pytest.fixture(scope="session")
def keep_screen(request):
    """Return `keep(program, screen)`: keeps what a terminal showed, for the page."""

    def keep(program, screen):
        if program.NAME in PICTURED:
            request.config.stash[_SCREENS_KEY][row_title(program)] = screen

    return keep


def picture(screens: dict[str, str]) -> str:
    """Return what terminals showed, from the first line about a command on."""
    parts = []
    for title, screen in sorted(screens.items()):
        lines = [line.rstrip() for line in screen.splitlines()]
        begins = next(n for n, line in enumerate(lines) if "notes.md" in line)
        shown = re.sub(r"\n{3,}", "\n\n", "\n".join(lines[begins:])).rstrip()
        parts.append(f"{title}:\n\n```text\n{shown}\n```")
    return "\n\n".join(parts)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    mark = item.get_closest_marker("proves")
    if mark is None or (report.when != "call" and report.passed) or report.skipped:
        return report
    assert set(mark.args) <= {*PROOFS}, (
        f"{item.name} proves {mark.args}, not all with a column"
    )
    proved = item.config.stash[_KEY][row_of(item)]
    for proof in mark.args:
        proved[proof] = proved.get(proof, True) and report.passed
    return report


def pytest_sessionfinish(session):
    file = session.config.getoption("--hosts-table")
    proved = session.config.stash[_KEY]
    screens = session.config.stash[_SCREENS_KEY]
    page = Path(file or os.devnull)
    text = page.read_text(encoding="utf-8")
    if file and proved:
        text = _between(text, BEGIN, END, lambda old: table(proved, old))
    if file and len(screens) == len(PICTURED):
        text = _between(text, SCREENS, SCREENS_END, lambda _: picture(screens))
    page.write_text(text, encoding="utf-8")


def _between(text: str, begin: str, end: str, made: Callable[[str], str]) -> str:
    """Return a page with a part of it made anew."""
    before, _, rest = text.partition(begin)
    old, _, after = rest.partition(end)
    return f"{before}{begin}\n{made(old)}\n{end}{after}"


def row_of(item: pytest.Item) -> str:
    """Return the host and the version that a test drives."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    return row_title(params.get("program") or item.module.PROGRAM)


def row_title(program) -> str:
    """Return a program's name and version."""
    pinned = json.loads((Path(__file__).parent / "package.json").read_text())[
        "dependencies"
    ]
    return f"{find(program.NAME).TITLE} {pinned[program.PACKAGE]}"


def table(proved: Proved, old: str) -> str:
    """Return a table in Markdown, a row for each host in the order of their names.

    Args:
        proved: What this run proved.
        old: The table before it, of which the rows of other hosts stay.
    """
    ran = {host.rpartition(" ")[0] for host in proved}
    kept = {
        line.split("|")[1].strip(): line
        for line in old.splitlines()
        if line.startswith("| ")
    }
    rows = {
        host: line for host, line in kept.items() if host.rpartition(" ")[0] not in ran
    }
    rows.pop("host", None)
    words = {None: "", True: "yes", False: "NO"}
    for host, each in proved.items():
        cells = " | ".join(words[each.get(proof)] for proof in PROOFS)
        rows[host] = re.sub(r" +", " ", f"| {host} | {cells} |")
    head = [
        "| host | " + " | ".join(PROOFS.values()) + " |",
        "|---|" + "---|" * len(PROOFS),
    ]
    return "\n".join([*head, *(rows[host] for host in sorted(rows, key=str.lower))])
