"""Why calls failed: the class of each, the calls lost to it, and those cancelled with
it.
"""

from __future__ import annotations

import re
from pathlib import Path

from claude import transcript
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read

from truepath.audit import failures
from truepath.audit.audit import audit_transcript
from truepath.audit.failures import causes, classes, classify
from truepath.audit.figures import add_up
from truepath.audit.misses import named
from truepath.audit.transcript import Call
from truepath.types import ToolCall

ROWS = read("audit/failures")


def _class(row):
    call = ToolCall(row["tool"], {"command": row["asked"]} if row["asked"] else {})
    about = {"missed": row.get("missed", False), "cause": row.get("cause", "")}
    return classify(call, row["said"], **about)


def test_a_failure_is_told_by_its_words():
    def check(row):
        assert _class(row) == row["class"]

    check_each(
        ROWS, check, lambda row: f"{row['tool']} {row['asked']}: {row['said'][:60]}"
    )


def test_each_class_has_an_example_and_a_meaning():
    assert {row["class"] for row in ROWS} == set(classes())
    whats = {each["what"] for each in classes().values()}
    assert whats == {"mistake", "work", "refused", "surroundings", "cancelled"}
    assert {name for name, each in classes().items() if each["acts"]} == {
        "missing path, file tool",
        "missing path, shell",
        "folder where a file is needed",
        "read: file too large",
        "edit: line ends differ",
        "edit: blanks differ",
        "edit: text not in the file",
        "edit: text not found",
        "edit: several matches",
        "no manifest",
        "no repository",
        "no such script",
    }


def test_each_class_has_an_example_in_its_page():
    page = Path(__file__).parents[2] / "docs/failures.md"
    text = page.read_text("utf-8").partition("## Each class")[2]
    shown = re.findall(r"(?m)^\| (.+?)( \*)? \| (\w+) \| .+ \| .+ \|$", text)
    told = {name: (bool(star), what) for name, star, what in shown}
    assert told == {
        name: (each["acts"], each["what"]) for name, each in classes().items()
    }


TEXT = "def paid(order):\n    return order.sum\n"
OLD = "    return order.sum"
ASKED = [  # what the file holds, what is asked for, and the cause
    (TEXT, OLD, ""),  # it is there as sent
    (TEXT.replace("\n", "\r\n"), "(order):\n    return", "line ends"),
    (TEXT, "(order):\r\n    return", "line ends"),
    (TEXT, "\treturn order.sum", "blanks"),
    (TEXT, "def paid( order ):", "blanks"),
    (TEXT, "return order.total", "absent"),
    (TEXT, "  \n", ""),
    (None, "return order.total", ""),  # nothing was seen of it
]


def _edit(old, new, failed=True, content=None):
    given = {"file_path": "a.py", "old_string": old, "new_string": new}
    said = "old_string not found in file" if failed else "done"
    return Call(
        id="", tool="edit", arguments=given, turn=1, answer=said, failed=failed,
        content=content,
    )  # fmt: skip


def _caused(*calls):
    for call in calls:
        call.cwd = "/p"
        call.paths = named(call)
    return causes(calls)


def test_the_cause_of_an_edit_that_did_not_find_its_text_is_in_the_text_seen_last():
    def check(row):
        held, old, cause = row
        look = Call(
            id="", tool="view", arguments={"file_path": "/p/a.py"}, turn=1,
            answer="x", failed=False, content=held,
        )  # fmt: skip
        assert _caused(look, _edit(old, "x")) == ({1: cause} if cause else {})

    check_each(ASKED, check, lambda row: repr(row[1]))


def test_what_an_edit_left_is_known_if_its_program_says_so():
    made = Call(
        id="", tool="write", arguments={"file_path": "a.py", "content": TEXT}, turn=1,
        answer="done", failed=False,
    )  # fmt: skip
    again = _edit("return order.total", "x")
    changed = _edit("order.sum", "order.total", failed=False)
    assert _caused(made, again) == {1: "absent"}
    assert _caused(made, changed, again) == {}
    known = _edit("order.sum", "x", failed=False, content=TEXT.replace("sum", "x"))
    assert _caused(made, known, again) == {2: "absent"}
    assert _caused(made, _edit("gone", "x"), again) == {1: "absent", 2: "absent"}


SCRIPTS = " ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND  No package.json was found in /p"
HIDDEN = [  # a command that ended well, what it printed, and the failure in that
    ("pnpm run typecheck 2>&1 | head -20", SCRIPTS, "no manifest"),
    ("cd web; CI=1 pnpm build | tail -3", SCRIPTS, "no manifest"),
    ("npm run lnt 2>&1 | head", 'npm error Missing script: "lnt"\n', "no such script"),
    ("(yarn e2e || true) | tail", 'error Command "e2e" not found.', "no such script"),
    ("cargo build 2>&1 | head", "error: could not find `Cargo.toml` in `/p`",
     "no manifest"),
    ("git log 2>&1 | head -3", "fatal: not a git repository (or any parent)",
     "no repository"),
    ("cat log.txt", SCRIPTS, ""),  # another program's words are read
    ("grep -rn 'not a git repository' src", "a.c:9:fatal: not a git repository", ""),
    ("git grep 'not a git'", "lib/setup.c: die('fatal: not a git repository')", ""),
    ("pnpm run typecheck | head", "> tsc\nMissing script support was added", ""),
    ("echo git", "fatal: not a git repository", ""),
    ("npm test", "", ""),
]  # fmt: skip


def test_a_failure_may_hide_in_a_command_that_ended_well():
    def check(row):
        command, said, name = row
        assert failures.hidden(ToolCall("bash", {"command": command}), said) == name
        assert failures.hidden(ToolCall("Read", {"file_path": "a"}), said) == ""

    check_each(HIDDEN, check, lambda row: row[0])


def test_hidden_failures_are_counted_apart(tmp_path):
    hiding = ("Bash", {"command": "pnpm run typecheck 2>&1 | head"}, SCRIPTS, False)
    failing = ("Bash", {"command": "pnpm run typecheck"}, SCRIPTS, True)
    found = add_up([audit_transcript(transcript(tmp_path, hiding, failing, hiding))])
    assert (found["failed_calls"], found["hidden_calls"]) == (1, 2)
    assert found["hidden"] == [{"class": "no manifest", "calls": 2}]
    assert [row["class"] for row in found["failures"]] == ["no manifest"]


@given(st.sampled_from(["bash", "Edit", "x"]), st.text(), st.text(), st.booleans())
def test_any_failure_has_a_class(tool, asked, said, missed):
    assert (
        classify(ToolCall(tool, {"command": asked}), said, missed=missed) in classes()
    )


def test_long_texts_take_no_longer_for_their_length():
    said = "error: " + "a b\n" * 50_000
    assert classify(ToolCall("bash", {"command": "x " * 50_000}), said) == "other"


GONE = ("Read", {"file_path": "a/x.py"}, "File does not exist.", True)
FOUND = ("Read", {"file_path": "b/x.py"}, "1 x", False)
CANCELLED = "<tool_use_error>Sibling tool call errored</tool_use_error>"
LOST = ("Grep", {"pattern": "x"}, CANCELLED, True)
TESTS = ("Bash", {"command": "cd web && pytest -q"}, "1 failed in 0.1s", True)
PASSED = ("Bash", {"command": "pytest -q tests"}, "3 passed", False)
LISTED = ("Bash", {"command": "ls"}, "a", False)
UNREAD = (
    "Edit",
    {"file_path": "a.py", "old_string": "x"},
    "File has not been read yet.",
    True,
)
EDITED = ("Edit", {"file_path": "a.py", "old_string": "x"}, "done", False)

LOSSES = [  # turns, then of each failure its class and the calls lost
    ([[GONE], [FOUND]], [("missing path, file tool", 1)]),
    (
        [[GONE, LOST, LOST], [FOUND]],
        [("missing path, file tool", 3), *[("cancelled with another call", 0)] * 2],
    ),
    ([[LISTED], [LOST]], [("cancelled with another call", 1)]),
    ([[TESTS, LOST]], [("tests failed", 2), ("cancelled with another call", 0)]),
    (
        [[LOST, GONE, LOST]],
        [
            ("cancelled with another call", 0),
            ("missing path, file tool", 3),
            ("cancelled with another call", 0),
        ],
    ),
    ([[TESTS], [LISTED], [PASSED]], [("tests failed", 2)]),
    ([[TESTS], [LISTED], [TESTS]], [("tests failed", 1), ("tests failed", 1)]),
    ([[TESTS], *[[LISTED]] * 15, [PASSED]], [("tests failed", 1)]),
    ([[UNREAD], [FOUND], [LISTED], [EDITED]], [("edit: file not read first", 3)]),
]


def test_calls_are_lost_until_the_same_aim_succeeds_and_with_those_that_were_cancelled(
    tmp_path,
):
    def check(row):
        turns, expected = row
        found = [
            each
            for each in audit_transcript(transcript(tmp_path, *turns))
            if each["kind"] == "failure"
        ]
        assert [(each["failure"], each["calls_lost"]) for each in found] == expected

    check_each(LOSSES, check, lambda row: str(row[1]))


def test_what_was_cancelled_with_a_missed_path_counts_among_its_calls_lost(tmp_path):
    rows = audit_transcript(transcript(tmp_path, [GONE, LOST, LOST], FOUND))
    (miss,) = [row for row in rows if row["kind"] == "miss"]
    assert miss["calls_lost"] == 3


def test_figures_tell_each_class_with_its_share(tmp_path):
    found = add_up(
        [audit_transcript(transcript(tmp_path, [GONE, LOST], TESTS, FOUND, LISTED))]
    )
    assert (found["calls"], found["failed_calls"]) == (5, 3)
    first = next(row for row in found["failures"] if row["acts"])
    assert first["class"] == "missing path, file tool"
    assert (first["calls"], first["share"], first["per_thousand"]) == (1, 0.3333, 200.0)
    assert {row["what"] for row in found["failures"]} == {
        "mistake",
        "cancelled",
        "work",
    }
    assert sum(row["calls_lost"] for row in found["failures"]) == 4


def test_the_table_is_written_as_its_head_says():
    text = re.sub(
        r"(?m)^#.*", "", Path(failures.__file__).with_suffix(".txt").read_text("utf-8")
    )
    for line in filter(None, text.split("\n")):
        assert re.fullmatch(
            r"\[[^|\]]+ \| \w+( \| acts)?( \| hidden)?\]|(any|file|shell) +\w+ +\S.*",
            line,
        )
