"""`truepath explain` says what a code or a row means."""

from __future__ import annotations

import re

import pytest
from commandline import ran

from truepath.guard import texts


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("PATH_LOOKS_WRONG", "sent again as it is"),
        ("path_looks_wrong", "sent again as it is"),
        ("ignored", "named: look, copy"),
        ("renamed", "corrected: look, copy"),
        ("too-large", "read in part"),
        ("package", "npm test"),
        ("nothing-done", "ends well"),
        ("observe", "let through and recorded"),
        ("weakly-alike", "too weakly like"),
    ],
)
def test_a_name_is_explained(capsys, name, told):
    assert told in ran(capsys, "explain", name).out


def test_every_code_of_an_answer_is_there(capsys):
    coded = {
        value
        for name, value in vars(texts).items()
        if name.isupper() and re.fullmatch("[A-Z]+(_[A-Z]+)+", str(value))
    }
    listed = {line.split()[0] for line in ran(capsys, "explain").out.splitlines()}

    assert coded
    assert coded <= listed
    assert coded == set(texts.CODES)


def test_each_table_that_has_the_name_is_an_object(capsys):
    tables = [
        each["table"] for each in ran(capsys, "explain", "other", "--json").objects
    ]

    assert tables == ["what a whole call does"]
