from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.paths import is_ordered
from truepath.types import Resolution, ToolCall

NAMED = [
    "see specs/status.md",
    "see specs/status.md.",
    "see `specs/status.md`, please",
    "@specs/status.md",
    "(specs/status.md)",
    "./specs/status.md",
    "specs/status.md:12 is wrong",
    "/repo/specs/status.md",
]
NOT_NAMED = [
    ("", "nothing was typed"),
    ("see status.md", "a bare name leaves it to the agent where that is"),
    ("see old/specs/status.md", "a path that ends with it"),
    ("see ../specs/status.md", "the same elsewhere"),
    ("see ~/specs/status.md", "the same at home"),
    ("see specs/status.md.bak", "a path that begins with it"),
    ("see specs/status.md/x", "a path below it"),
    ("see my-specs/status.md", "another folder"),
]


def ordered(prompt, written="/repo/specs/status.md", target="specs/status.md"):
    call = ToolCall("Read", prompt=prompt)
    return is_ordered(call, Resolution(written, "absent", "read", target=target))


@pytest.mark.parametrize("prompt", NAMED)
def test_a_path_that_the_user_typed_is_an_order(prompt):
    assert ordered(prompt)


@pytest.mark.parametrize(("prompt", "why"), NOT_NAMED)
def test_what_the_user_did_not_type_is_none(prompt, why):
    assert not ordered(prompt), why


def test_a_bare_name_is_no_order_even_at_the_root():
    assert not ordered("rename status.md", written="status.md", target="status.md")


def test_a_folder_is_one_with_and_without_its_slash():
    assert ordered("look in src/app/", written="src/app", target="src/app")
    assert ordered("look in src/app", written="src/app/", target="src/app")


@given(st.text(max_size=20), st.text(max_size=20), st.text(max_size=20))
def test_any_text_is_searched(prompt, written, target):
    assert isinstance(ordered(prompt, written, target), bool)
