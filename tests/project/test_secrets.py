"""What is never named: secrets by their names, and what the user has denied."""

from __future__ import annotations

import json
import pathlib

from hypothesis import given
from hypothesis import strategies as st
from rows import check_each

from truepath.project.secrets import Deny, is_secret

ROWS = [
    json.loads(line)
    for line in (pathlib.Path(__file__).parent / "secrets.jsonl")
    .read_text("utf-8")
    .splitlines()
]


def test_a_secret_is_known_by_its_name():
    def check(row):
        assert [path for path in row["paths"] if is_secret(path) != row["secret"]] == []

    check_each(ROWS, check, name=lambda row: row["why"])


SECRETS = [path for row in ROWS if row["secret"] for path in row["paths"]]


@given(folder=st.text(), path=st.sampled_from(SECRETS))
def test_a_secret_is_one_in_every_folder(folder, path):
    assert is_secret(f"{folder}/{path}")


@given(path=st.text())
def test_any_text_can_be_asked_about(path):
    assert is_secret(path) in (True, False)
    assert Deny(["*.x", "!y", "[", "a/**/b"])(path) in (True, False)


DENIED = [
    (["secrets/"], "secrets/a/b.txt", "below a denied folder"),
    (["secrets/"], "secrets", "a folder, for all that is known"),
    (["secrets/"], "app/secrets/x", "a denied folder at any depth"),
    (["/private"], "private/x", "tied to the root"),
    (["*.sql"], "db/dump.sql", "an ending"),
    (["data/**/raw"], "data/2024/raw/x.csv", "below a match of two stars"),
    (["a/", "!a/b"], "a/b", "nothing below a denied folder is taken back"),
    (["*", "!pub/"], "pub", "denied if it is a file"),
    (["caf\udce9"], "caf\udce9", "a name that is not UTF-8"),
    (["[z-a]", "x"], "x", "beside a pattern that cannot be read"),
    (["*.sql"], f"{'a' * 300}/b", "a name that no disk has"),
]
OPEN = [
    ([], "secrets/x", "nothing is denied"),
    (["/private"], "app/private", "tied to the root"),
    (["*.sql", "!schema.sql"], "schema.sql", "taken back"),
    (["# secrets/"], "secrets/x", "a remark"),
    (["docs/*.md"], "docs/a/b.md", "one star is one name"),
]


def test_a_denied_path_is_denied():
    check_each(DENIED, lambda row: _is(Deny(row[0])(row[1])), name=lambda row: row[2])
    check_each(OPEN, lambda row: _is(not Deny(row[0])(row[1])), name=lambda row: row[2])


def _is(said):
    assert said


def test_a_pattern_with_many_stars_takes_no_time():
    # Backtracking through so many would not end.
    deny = Deny(["*a" * 30, "a*" * 30, "**/" * 30 + "b", "!" + "*c" * 30])
    assert deny("a" * 200 + "/" + "b" * 200) in (True, False)
