"""The paths of a patch: found, told apart by what the patch does to them, and replaced."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truepath.calls.patch import operands, rewrite

ENVELOPE = """*** Begin Patch
*** Update File: src/a.py
@@ def f():
-*** Update File: not/this.py
+*** Delete File: nor/this.py
*** Delete File: src/b.py
*** Add File: src/c.py
+hello
*** Update File: src/d.py
*** Move to: src/e.py
@@
-x
+y
*** End Patch
"""

EDIT = """*** Begin Patch
*** Update File: src/a.py
@@
-x
+y
*** End Patch
"""


def seen(patch: str) -> list[tuple[str, str]]:
    return [(each.written, each.operation) for each in operands(patch)]


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (
            ENVELOPE,
            [("src/a.py", "edit"), ("src/b.py", "delete"), ("src/c.py", "write"),
             ("src/d.py", "edit"), ("src/e.py", "write")],
        ),
        ("*** Begin Patch\r\n*** Update File: a b.py \r\n@@\r\n", [("a b.py", "edit")]),
        (EDIT, [("src/a.py", "edit")]),
        (EDIT.replace("a.py", "größe.md"), [("src/größe.md", "edit")]),
        ("text before\n" + EDIT, [("src/a.py", "edit")]),
    ],
)  # fmt: skip
def test_every_header_is_found(patch: str, expected: list[tuple[str, str]]) -> None:
    assert seen(patch) == expected


@pytest.mark.parametrize(
    ("patch", "reason"),
    [
        ("", "nothing"),
        ("hello\n", "no patch"),
        ("*** Update File: a.py\n", "no beginning"),
        ("text *** Begin Patch\n*** Update File: a.py", "the beginning is not a line"),
        ("*** Begin Patch\n*** Update File:\n*** End Patch", "no name"),
        (" *** Begin Patch\n *** Update File: a.py\n", "context lines"),
        (
            "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-x\n+y\n",
            "a unified diff, which no known tool takes",
        ),
        ('*** Begin Patch\n*** Update File: "a.py"\n', "quoted"),
        ("*** Begin Patch\n*** Update File: a\rb.py\n", "no line ends there"),
        ("\ud800", "no text"),
    ],
)
def test_what_is_no_header_is_left_alone(patch: str, reason: str) -> None:
    assert seen(patch) == [], reason


@pytest.mark.parametrize(
    "patch",
    [
        EDIT.replace("src/a.py\n", "src/a.py" + " " * 100_000 + "x\n"),
        ENVELOPE.replace("src/a.py", "a " * 50_000),
    ],
    ids=["blanks", "words"],
)
def test_a_hostile_header_is_read_in_time(patch: str) -> None:
    started = time.process_time()
    operands(patch)
    assert time.process_time() - started < 5  # what grows by squares takes a minute


@pytest.mark.parametrize("patch", [ENVELOPE, EDIT])
def test_spans_cover_the_paths(patch: str) -> None:
    for operand in operands(patch):
        start, end = operand.span
        assert patch.encode()[start:end].decode() == operand.written


def test_only_the_named_header_changes() -> None:
    operand = operands(ENVELOPE)[0]
    assert rewrite(ENVELOPE, {operand: "lib/a b.py"}) == ENVELOPE.replace(
        "Update File: src/a.py", "Update File: lib/a b.py"
    )


@pytest.mark.parametrize("path", ["", "a\nb", "a\rb", " a", "a ", "a\tb", "a\0b", "a\udc80"])
def test_a_path_that_cannot_stand_in_a_header_is_refused(path: str) -> None:
    (operand,) = operands(EDIT)
    assert rewrite(EDIT, {operand: path}) is None


def test_operands_of_another_patch_are_refused() -> None:
    (operand,) = operands(EDIT)
    assert rewrite("\n" + EDIT, {operand: "b.py"}) is None


def test_two_files_change_both_or_none() -> None:
    found = operands(ENVELOPE)
    assert rewrite(ENVELOPE, {found[0]: "lib/a.py", found[1]: ""}) is None


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_never_crash(data: bytes) -> None:
    operands(data.decode("utf-8", "surrogateescape"))


LINES = st.sampled_from(
    ["*** Begin Patch", "*** Update File: a", "*** Add File: c", "*** Move to: b",
     "*** End Patch", "@@", "-x", "+y", " z", ""]
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.lists(LINES, max_size=20).map("\n".join))
def test_random_patches_rewrite_to_what_was_asked(patch: str) -> None:
    found = operands(patch)
    for operand in found:
        new = rewrite(patch, {operand: "lib/new.py"})
        if new is not None:
            assert "lib/new.py" in [each.written for each in operands(new)]
            assert len(operands(new)) == len(found)
