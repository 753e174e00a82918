"""The public names, as who calls them finds them."""

from __future__ import annotations

import inspect
import subprocess
import sys
import typing

import pytest

import truepath

CLOSED = {
    "Action": "refuse",
    "Cause": "sparse",
    "Operation": "mkdir",
    "Policy": "careful",
    "Status": "directory",
}
"""Closed set -> one of its members."""


@pytest.mark.parametrize("name", CLOSED)
def test_a_closed_set_names_its_members_at_run_time(name):
    assert CLOSED[name] in typing.get_args(getattr(truepath, name))


def test_a_closed_set_is_one_though_nothing_has_imported_typing_before():
    code = "from truepath import Resolution\nimport typing\n"
    code += "print(typing.get_type_hints(Resolution)['status'])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("typing.Literal['exists', ")


@pytest.mark.parametrize("name", truepath.__all__)
def test_the_annotations_of_a_public_name_can_be_read(name):
    found = getattr(truepath, name)
    parts = [found, *vars(found).values()] if inspect.isclass(found) else [found]
    for part in parts:
        is_shown = not getattr(part, "__name__", "_").startswith("_")
        if is_shown and (inspect.isfunction(part) or inspect.isclass(part)):
            typing.get_type_hints(part)


def test_an_old_name_still_is_the_new_one_and_says_when_it_goes(monkeypatch):
    monkeypatch.setitem(vars(truepath)["_RENAMED"], "Verdict", ("Decision", "0.4"))
    with pytest.warns(DeprecationWarning, match=r"truepath\.Decision.* version 0\.4"):
        assert truepath.__getattr__("Verdict") is truepath.Decision
