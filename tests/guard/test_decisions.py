"""What is done about a call, at the door: rows of `decisions.jsonl`, and what holds for
all.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import repos
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from repos import PROJECTS, SHOP
from rows import check_each

from truepath import Guard, Outcome, ToolCall
from truepath.config.presets import PRESETS
from truepath.config.settings import Settings
from truepath.guard.messages import as_data

TABLE = Path(__file__).parent / "decisions.jsonl"
ROWS = [json.loads(line) for line in TABLE.read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def roots(tmp_path_factory):
    """Return the folder of each project of the rows; no test changes one."""
    folder = tmp_path_factory.mktemp("projects")
    for name, make in PROJECTS.items():
        (folder / name).mkdir()
        repos.copied(make, make, folder / name)
    return folder


def decided(roots, row):
    """Return the decision on the call of a row."""
    root = str(roots / row["project"])
    how = {name: row[name] for name in ("prompt", "approved") if name in row}
    guard = Guard(root, policy=row["policy"], on_event=lambda _: None, timeout_s=10.0)
    cwd = str(roots / row["project"] / row.get("cwd", ""))
    return guard.before(ToolCall(row["tool"], row["arguments"], cwd=cwd, **how))


def test_each_call_is_decided_upon_as_its_row_says_each_time_and_then_let_through(
    roots,
):
    def check(row):
        decision = decided(roots, row)
        if row["action"]:
            assert decision.action == row["action"], decision.text
        # refused or advised: how much of the call would be lost is the reader's
        # question
        else:
            assert decision.action in ("refuse", "advise", "allow"), decision.text
        if decision.action == "allow":
            assert (decision.text, decision.payload) == ("", None)
        else:
            # The note of a call that runs has no code.
            runs = decision.action == "rewrite"
            assert decision.text.startswith("OK: ") == runs
            assert (decision.payload["code"] in decision.text) != runs
        assert dict(decision.arguments) == row.get("becomes", row["arguments"])
        if "code" in row:
            assert decision.payload["code"] == row["code"], decision.text
        for name in row.get("names", ()):
            assert f"`{name}`" in decision.text, decision.text
        for said in row.get("says", ()):
            assert said in decision.text, decision.text
        for told in row.get("omits", ()):
            assert told not in decision.text + json.dumps(decision.payload), (
                decision.text
            )
        second = decided(
            roots, row
        )  # in a session of its own; only streaks tell calls apart
        assert (second.action, second.text) == (decision.action, decision.text)
        assert second.arguments == decision.arguments
        if decision.action == "rewrite":
            again = decided(roots, {**row, "arguments": dict(decision.arguments)})
            assert (again.action, again.text) == ("allow", "")

    check_each(
        ROWS, check, lambda row: f"{row['policy']}: {row['reason']} {row['arguments']}"
    )


def test_text_payload_and_resolutions_name_the_same_in_the_order_of_the_ranking(roots):
    def check(row):
        decision = decided(roots, row)
        if decision.payload is None:
            return
        paths = decision.payload["paths"]
        assert [as_data(each) for each in decision.resolutions] == paths
        for path in paths:
            sure = [each["confidence"] for each in path["candidates"]]
            assert sure == sorted(sure, reverse=True)
        _, _, last = decision.text.partition("\n")
        if decision.payload["code"] == "PATH_NOT_FOUND" and len(paths) == 1:
            told = re.findall(
                "^(?:Next: use |Did you mean )?`([^`]+)`", last, re.MULTILINE
            )
            ranked = [each["path"] for each in paths[0]["candidates"]]
            assert [each.rstrip("/") for each in told] == ranked[: len(told)]

    check_each(ROWS, check, lambda row: row["reason"])


@pytest.mark.parametrize("preset", PRESETS)
def test_what_exists_goes_through_in_silence(roots, preset):
    guard = Guard(roots / "shop", policy=preset, on_event=lambda _: None)

    def check(path):
        for tool in ("read_file", "replace", "delete_file", "write_file"):
            decision = guard.before(ToolCall(tool, {"file_path": path}))
            assert (decision.action, decision.text, decision.payload) == (
                "allow",
                "",
                None,
            )

    check_each(SHOP, check)


@pytest.mark.parametrize("preset", PRESETS)
def test_a_write_never_goes_to_a_file_that_is_there(roots, preset):
    guard = Guard(roots / "moved", policy=preset, on_event=lambda _: None)

    def check(path):
        decision = guard.before(
            ToolCall("write_file", {"file_path": path, "content": "x"})
        )
        if decision.action == "rewrite":
            assert not (roots / "moved" / decision.arguments["file_path"]).exists()

    check_each(
        ["specs/status.md", "docs/Status.md", "dosc/other.md", "docs/othr.md"], check
    )


def test_paths_are_answered_as_they_were_written(roots):
    root = roots / "shop"
    guard = Guard(root, on_event=lambda _: None)

    def read(path, cwd):
        return guard.before(ToolCall("read_file", {"path": path}, cwd=cwd)).arguments[
            "path"
        ]

    assert read(f"{root}/readme.md", None) == f"{root}/README.md"
    assert read("app/Main.py", "backend") == "app/main.py"
    assert read("../readme.md", f"{root}/docs") == f"{root}/README.md"


def test_a_rule_of_one_operation_outranks_the_preset(roots):
    def action(tool, **rules):
        settings = Settings(rules=rules)
        guard = Guard(roots / "shop", settings=settings, on_event=lambda _: None)
        return guard.before(ToolCall(tool, {"path": "specs/status.md"})).action

    assert action("read_file") == "rewrite"
    assert action("read_file", read="correct") == "refuse"
    assert action("read_file", read="observe") == "allow"
    assert action("read_file", edit="observe") == "rewrite"


@pytest.mark.parametrize("tool", ["Read", "Bash"])
@pytest.mark.parametrize(
    ("deny", "why"),
    [
        ("specs/", "it is denied"),
        ("status.md", "its name is"),
        ("docs/", "its file is"),
    ],
)
def test_what_a_rule_denies_is_neither_led_around_nor_named(roots, tool, deny, why):
    guard = Guard(
        roots / "moved", settings=Settings(deny=(deny,)), on_event=lambda _: None
    )
    arguments = {"file_path": "specs/status.md"}
    arguments = arguments if tool == "Read" else {"command": "cat specs/status.md"}
    decision = guard.before(ToolCall(tool, arguments))

    assert decision.arguments == arguments, why
    assert "docs/status.md" not in decision.text + json.dumps(decision.payload)
    assert (decision.action == "allow") == (deny != "docs/")


@pytest.fixture(scope="module")
def standing(roots):
    return Guard(roots / "moved", settings=Settings(journal=False))


PARTS = st.sampled_from(
    ["docs", "specs", "status.md", "roadmap.md", "..", "", ".env", "é", "\0"]
)
PATHS = st.text(max_size=30) | st.lists(PARTS, max_size=4).map("/".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | PATHS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner)
    ),
    max_leaves=6,
)
NAMES = st.sampled_from(
    ["path", "file_path", "paths", "command", "input", "content", "cwd"]
)
TOOLS = st.sampled_from(
    ["Read", "Edit", "write_file", "Bash", "apply_patch", "move_file", "glob"]
)


@examples(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    TOOLS | st.text(max_size=9), st.dictionaries(NAMES | st.text(max_size=9), VALUES)
)
def test_no_call_raises_and_an_allowed_one_is_as_it_came(standing, tool, arguments):
    call = ToolCall(tool, arguments, session=repr(arguments))
    before = standing.before(call)
    after = standing.after(call, Outcome(error="No such file or directory"))

    assert before.action in ("allow", "rewrite", "refuse", "advise")
    if before.action != "rewrite":
        assert before.arguments is arguments
    assert after.arguments is arguments
    for decision in (before, after):
        assert len(decision.text) <= 1900
        json.dumps(decision.payload)
