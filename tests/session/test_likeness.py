from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.session.similar import likeness

SIMILAR = [
    ("src/login.py", "src/login.py", "path", "the very same"),
    ("src/Login.py", "src/login.PY", "path", "case is a spelling"),
    ("src/login/", "src/login", "path", "a slash at the end"),
    ("src\\login.py", "src/login.py", "path", "backslashes"),
    ("src/login.py", "lib/auth/login.py", "name", "the same name sought elsewhere"),
    ("/home/a/p/x.py", "p/x.py", "name", "absolute, then relative"),
    ("src/config.ts", "lib/config.js", "stem", "another extension elsewhere"),
    ("a/config.test.ts", "b/config.ts", "stem", "its test"),
    ("tests/test_login.py", "src/login.py", "stem", "its test, the Python way"),
    ("a/user-service.ts", "b/user_service.ts", "stem", "another separator"),
    ("notes/2026/01/day.md", "notes/2026/02/day.md", "name", "a dated folder"),
    ("shots/0365.png", "old/0397.png", None, "numbers alone in other folders say nothing"),
    ("v1/shot-0365.png", "v2/shot-0397.png", "series", "numbered in numbered folders"),
    ("a/routes.py", "b/router.py", "near", "one edit in six letters"),
    ("a/controllers.py", "b/controler.py", "near", "two edits in a long name"),
]
DIFFERENT = [
    ("src/login.py", "docs/guide.md", "nothing in common"),
    ("a/x.py", "b/y.py", "one edit in one letter is another name"),
    ("a/cat.py", "b/car.py", "short names are all alike"),
    ("a/models.py", "b/views.py", "other names in other folders"),
    ("src/a.py", "src/sub/b.py", "a folder below is another folder"),
    ("docs/0365.md", "docs/x/readme.md", "a number and a word"),
    ("src/auth/ledger.py", "src/auth/payroll.py", "the same folder alone"),
    ("setup.cfg", "tox.ini", "two files in the root"),
    ("AGENTS.md", "docker-compose.yml", "two files in the root"),
    (".eslintrc.js", ".eslintrc.json", "which one has this project?"),
    ("docker-compose.yml", "docker-compose.yaml", "which one has this project?"),
    ("requirement.txt", "requirements.txt", "which one has this project?"),
]


@pytest.mark.parametrize(("one", "other", "why", "_reason"), SIMILAR)
def test_misses_with_one_aim_are_alike(one, other, why, _reason):
    assert likeness(one, other) == why
    assert likeness(other, one) == why


@pytest.mark.parametrize(("one", "other", "_reason"), DIFFERENT)
def test_misses_with_other_aims_are_not_alike(one, other, _reason):
    assert likeness(one, other) is None
    assert likeness(other, one) is None


def test_paths_below_one_invented_folder_are_alike():
    pair = ("src/services/auth/token.py", "src/services/db/pool.py")
    assert likeness(*pair) is None
    assert likeness(*pair, ("src/services", "src/services")) == "invented"
    assert likeness(*pair, ("src/services", "")) is None


@given(st.text(max_size=40), st.text(max_size=40))
def test_likeness_is_symmetric_and_takes_any_text(one, other):
    assert likeness(one, other) == likeness(other, one)
    assert likeness(one, one) == "path"
