"""The paths of a patch: found, told apart by what the patch does to them, and replaced."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

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

EDIT = """--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@
 one
--- a/not/this.py
+++ b/nor/this.py
 three
"""

GIT = """diff --git a/src/a.py b/src/a.py
index 111..222 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1 +1 @@
-x
+y
diff --git a/src/old.py b/src/new.py
similarity index 90%
rename from src/old.py
rename to src/new.py
--- a/src/old.py
+++ b/src/new.py
@@ -1 +1 @@
-x
+y
diff --git a/moved.txt b/docs/moved.txt
similarity index 100%
rename from moved.txt
rename to docs/moved.txt
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
        (
            GIT,
            [("src/a.py", "edit"), ("src/old.py", "move"), ("src/new.py", "write"),
             ("moved.txt", "move"), ("docs/moved.txt", "write")],
        ),
        ("--- /dev/null\n+++ b/new.py\n@@ -0,0 +1 @@\n+x\n", [("new.py", "write")]),
        ("--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", [("old.py", "delete")]),
        ("--- x.py\n+++ x.py\n@@ -1 +1 @@\n-x\n+y\n", [("x.py", "edit")]),
        ("--- i/x.py\n+++ w/x.py\n@@ -1 +1 @@\n-x\n+y\n", [("x.py", "edit")]),
        (
            (
                "--- a b.py\t2024-01-01 10:00:00.0 +0000\n"
                "+++ a b.py\t2024-01-02 10:00:00.0 +0000\n@@ -1 +1 @@\n-x\n+y\n"
            ),
            [("a b.py", "edit")],
        ),
        (
            "--- x.py 2024-01-01 10:00:00\n+++ x.py 2024-01-02 10:00:00\n@@ -1 +1 @@\n-x\n+y\n",
            [("x.py", "edit")],
        ),
        (EDIT + EDIT.replace("src/a.py", "src/z.py"), [("src/a.py", "edit"), ("src/z.py", "edit")]),
        ("From: me\nSubject: x\n\n" + EDIT, [("src/a.py", "edit")]),
        ("--- a/größe.md\n+++ b/größe.md\n@@ -1 +1 @@\n-x\n+y\n", [("größe.md", "edit")]),
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
        ("--- a.py\n+++ a.py\n", "no hunk"),
        ("---\ntitle: x\n---\n", "front matter"),
        ("-- a.py\n++ b.py\n@@ -1 +1 @@\n", "no header"),
        ("--- old/a.py\n+++ new/a.py\n@@ -1 +1 @@\n-x\n+y\n", "which of them is the path"),
        ("--- a.py.orig\n+++ a.py\n@@ -1 +1 @@\n-x\n+y\n", "nor here"),
        ('--- "a/\\303\\244.md"\n+++ "b/\\303\\244.md"\n@@ -1 +1 @@\n-x\n+y\n', "quoted by git"),
        ("\ud800", "no text"),
    ],
)
def test_what_is_no_header_is_left_alone(patch: str, reason: str) -> None:
    assert seen(patch) == [], reason


@pytest.mark.parametrize(
    "patch",
    [
        EDIT.replace("-1,3", "-1," + "9" * 5_000),
        EDIT.replace("src/a.py\n", "src/a.py" + " " * 100_000 + "x\n"),
        ENVELOPE.replace("src/a.py", "a " * 50_000),
    ],
    ids=["digits", "blanks", "words"],
)
def test_a_hostile_header_is_read_in_time(patch: str) -> None:
    started = time.process_time()
    operands(patch)
    assert time.process_time() - started < 5  # what grows by squares takes a minute


@pytest.mark.parametrize("patch", [ENVELOPE, EDIT, GIT])
def test_spans_cover_the_paths(patch: str) -> None:
    for operand in operands(patch):
        start, end = operand.span
        assert patch.encode()[start:end].decode() == operand.written


def test_only_the_named_header_changes() -> None:
    operand = operands(ENVELOPE)[0]
    assert rewrite(ENVELOPE, {operand: "lib/a b.py"}) == ENVELOPE.replace(
        "Update File: src/a.py", "Update File: lib/a b.py"
    )


def test_every_mention_of_one_file_changes_together() -> None:
    found = operands(GIT)
    new = rewrite(GIT, {found[0]: "lib/a.py", found[1]: "lib/old.py"})
    assert new == GIT.replace("src/a.py", "lib/a.py").replace("src/old.py", "lib/old.py")


def test_a_rewritten_diff_still_applies(tmp_path: Path) -> None:
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "a.py").write_text("x\n")
    patch = GIT[: GIT.index("diff --git a/src/old.py")]
    (operand,) = operands(patch)
    new = rewrite(patch, {operand: "lib/a.py"})
    assert new is not None
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    subprocess.run(["git", "apply", "-"], cwd=tmp_path, input=new.encode(), check=True)
    assert (tmp_path / "lib" / "a.py").read_text() == "y\n"


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
    ["*** Begin Patch", "*** Update File: a", "*** Move to: b", "*** End Patch", "--- a/x",
     "+++ b/x", "@@ -1,2 +1,2 @@", "@@", "-x", "+y", " z", "", "diff --git a/x b/x",
     "rename from x",
     "rename to y", "--- /dev/null", "+++ /dev/null", "\\ No newline at end of file"]
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
