"""Rows of wrong paths in projects of names alone: what is done about each, and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rows import check_each

from truepath import Workspace
from truepath.types import OPERATION_KINDS

HERE = Path(__file__).parent
ROOT = "/home/ada/acme"


def rows(name):
    return [
        json.loads(line)
        for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]


def answer(row, files=None, **more):
    project = Workspace.from_names(
        row["files"] if files is None else files,
        root=row.get("root", ROOT),
        cwd=row.get("cwd"),
        flavour=row.get("flavour", "posix"),
        cut_short=row.get("cut_short", False),
        deny=row.get("deny", ()),
    )
    asked = {"kind": row.get("kind"), **more}
    return project.resolve(row["written"], row["operation"], **asked)


def name(row):
    return f"{row['id']} ({row['why']})"


def test_each_of_corrects_is_done_for_its_reason():
    def check(row):
        found = answer(row)
        first = found.candidates[0]
        told = (found.permits, first.path, first.reason)
        assert told == (row["permits"], row["path"], row["reason"]), found
        status = {"corrected": "resolved", "assumed": "likely"}.get(
            row["permits"], "ambiguous"
        )
        assert (found.status, found.path) == (
            status,
            None if status == "ambiguous" else row["path"],
        ), found

    check_each(rows("corrects"), check, name)


def test_each_of_leaves_alone_is_left_alone():
    def check(row):
        found = answer(row)
        assert (found.status, found.permits, found.path) == (
            row["status"],
            "named",
            None,
        ), found

    check_each(rows("leaves_alone"), check, name)


def test_without_the_right_file_nothing_is_corrected():
    def check(row):
        right = row["path"]
        left = [each for each in row["files"] if not f"{each}/".startswith(f"{right}/")]
        found = answer(row, left)
        assert found.permits != "corrected", found

    check_each((row for row in rows("corrects") if row["path"]), check, name)


@pytest.mark.parametrize("operation", ["edit", "move", "copy", "execute", "delete"])
def test_nothing_is_assumed_for_what_changes_or_is_used(operation):
    def check(row):
        kind = row.get("kind") or OPERATION_KINDS[row["operation"]]
        used = answer({**row, "operation": operation}, kind=kind)
        assert used.permits != "assumed"

    check_each(rows("corrects"), check, name)


def test_a_look_is_at_least_shown_what_a_change_may_use():
    def check(row):
        if row["permits"] in ("corrected", "recover") and row["operation"] != "write":
            kind = row.get("kind") or "any"
            looked = answer({**row, "operation": "read"}, kind=kind)
            assert looked.permits in ("corrected", "assumed"), looked

    check_each(rows("corrects"), check, name)


def test_what_is_named_comes_in_its_order():
    def check(row):
        found = answer(row)
        assert [each.path for each in found.candidates][: len(row["named"])] == row[
            "named"
        ], found
        assert row["named"] or not found.candidates, found
        assert found.permits in ("named", "assumed"), found

    check_each(rows("named"), check, lambda row: row["why"])


def test_what_is_too_weakly_alike_is_only_named():
    for operation in ("read", "edit", "move", "copy", "delete"):
        found = Workspace.from_names(["docs/ADR-0007-old-plan.md"]).resolve(
            "docs/ADR-0007-new.md", operation
        )
        assert (found.status, found.candidates[0].confidence) == ("ambiguous", 0.0)
