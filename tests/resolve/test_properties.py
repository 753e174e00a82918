"""What holds of every answer, whatever is asked of whatever project."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truepath import Workspace
from truepath.resolve.likelihood import NAMED_FROM
from truepath.types import OPERATION_KINDS, READS

PARTS = "src lib test tests app docs user1 user2 Docs index node_modules".split()
NAMES = "main.py models.py index.ts README.md order_handlers.py a.js a.ts .env".split()

PATHS = st.builds(
    lambda folders, name: "/".join([*folders, name]),
    st.lists(st.sampled_from(PARTS), max_size=3),
    st.sampled_from(NAMES),
)
PROJECTS = st.lists(PATHS, min_size=1, max_size=12, unique=True).map(
    lambda paths: [
        p for p in paths if not any(other.startswith(p + "/") for other in paths)
    ]
)
WRITTEN = st.builds(
    lambda before, path, after: before + path + after,
    st.sampled_from(
        ["", "", "`", "./", "/home/ada/acme/", "/home/bob/acme/", "../", "acme/", "a/"]
    ),
    PATHS | st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "`", ":3", "/", ".", "x"]),
)
OPERATIONS = st.sampled_from([*OPERATION_KINDS])
CWDS = st.none() | st.sampled_from(["src", "src/app", "docs"])


def space(files):
    return Workspace.from_names(files, root="/home/ada/acme", deny=["docs/"])


@settings(max_examples=400)
@given(PROJECTS, WRITTEN, OPERATIONS, CWDS)
def test_of_every_answer(files, written, operation, cwd):
    project = space(files)
    found = project.resolve(written, operation, cwd=cwd)

    assert (found.status == "resolved") == (found.permits == "corrected")
    assert (found.status == "likely") == (found.permits == "assumed")
    assert (found.path is not None) == (
        found.status in ("exists", "resolved", "likely")
    )
    chances = [each.confidence for each in found.candidates]
    # Behind the likely ones are neighbours, with 0, and then unlikely namesakes.
    chances = [chance for chance in chances if chance >= NAMED_FROM]
    assert found.status == "outside" or chances == sorted(chances, reverse=True)
    if found.status in ("resolved", "likely"):
        assert found.path == found.candidates[0].path
    if found.permits == "assumed" or found.outside:
        assert found.permits != "corrected"
    if operation not in READS:
        assert found.permits != "assumed"
    if operation not in ("write", "mkdir"):
        for each in found.candidates:
            assert project.tree.kind(each.path) == ("folder" if each.folder else "file")
            assert not each.path or project.tree.may_name(each.path)
            assert each.why
            assert each.reason
    elif found.permits == "recover":
        assert project.tree.kind(found.candidates[0].path) is None
        above = found.candidates[0].path.rpartition("/")[0]
        assert project.tree.kind(above) == "folder"


@settings(max_examples=150)
@given(PROJECTS, WRITTEN, OPERATIONS, CWDS)
def test_one_question_has_one_answer(files, written, operation, cwd):
    project = space(files)
    found = project.resolve(written, operation, cwd=cwd)

    assert project.resolve(written, operation, cwd=cwd) == found
    assert space(reversed(files)).resolve(written, operation, cwd=cwd) == found
    if found.path is not None:
        kind = "any" if found.path == "" or written.endswith("/") else None
        spelled = project.spell(found.path, written, cwd=cwd)
        again = project.resolve(spelled, operation, cwd=cwd, kind=kind)
        assert (again.status, again.path) == ("exists", found.path)


@settings(max_examples=150)
@given(
    PROJECTS, WRITTEN, st.sampled_from(["edit", "move", "copy", "execute", "delete"])
)
def test_what_changes_is_permitted_no_more_than_what_looks(files, written, operation):
    project = space(files)
    changed = project.resolve(written, operation, kind="any")
    looked = project.resolve(written, "read", kind="any")

    # What may not be made yet is deleted or run in place of nothing.
    told = () if changed.cause == "not-made" else looked.candidates
    assert [each.path for each in changed.candidates] == [each.path for each in told]
    if changed.permits == "corrected":
        assert looked.permits == "corrected"
    if changed.permits == "recover":
        assert looked.permits in ("corrected", "assumed")


@given(st.text(max_size=60), OPERATIONS)
def test_any_text_is_answered(written, operation):
    found = space(["src/main.py", "docs/a.md"]).resolve(written, operation)
    assert found.written == written


def test_a_name_that_thousands_have_is_answered_in_time():
    files = [f"packages/p{number}/src/index.ts" for number in range(5000)]
    found = Workspace.from_names(files).resolve("packages/p17/lib/index.ts", "edit")

    assert found.permits == "named"
    assert len(found.candidates) <= 20


@pytest.mark.parametrize("flavour", ["posix", "windows", "macos"])
def test_every_flavour_answers_alike(flavour):
    root = "C:/acme" if flavour == "windows" else "/acme"
    project = Workspace.from_names(["src/app/main.py"], root=root, flavour=flavour)

    assert project.resolve("app/main.py", "edit").path == "src/app/main.py"
    assert project.resolve("`src/app/main.py:3`", "edit").path == "src/app/main.py"
