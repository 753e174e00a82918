"""Where a session is kept, and the cheapest question about it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import truepath
from truepath.session.keys import (
    MOST_STEPS,
    STEPS,
    awaits,
    key,
    leave_step,
    session_file,
)
from truepath.session.ledger import Offer
from truepath.session.loops import Miss
from truepath.session.state import SessionState

texts = st.text(st.characters(), max_size=50) | st.text(
    "0123456789abcdef-_", max_size=60
)


def test_sub_agents_and_sessionless_projects_have_their_own_keys():
    keys = {key("s"), key("s", "helper"), key("", project="/a"), key("", project="/b")}
    assert len(keys) == 4
    assert key("s", project="/a") == key("s", project="/b")


@given(st.tuples(texts, texts), st.tuples(texts, texts))
def test_any_session_has_a_file_of_its_own_right_in_the_folder(one, other):
    assume("\0" not in "".join((*one, *other)))
    file = session_file("folder", key(*one))
    assert os.path.dirname(file) == "folder"
    assert re.fullmatch(
        r"[0-9a-f][0-9a-f_-]{,200}x?\.json|x\.json", os.path.basename(file)
    )
    assert (file == session_file("folder", key(*other))) == (one == other)


# The native client finds the same files.
FILES = [
    (
        ("019a5555-1111-7000-8000-00000000000a",),
        "019a5555-1111-7000-8000-00000000000a__.json",
    ),
    (("019a-b", "c"), "019a-b_c_.json"),
    (("ses_1",), "13f5375637x.json"),
    (("é",), "9a3cx.json"),
    (("A" * 100,), "14" * 100 + "x.json"),
    (("", "", "/home/ann/p"), "07f2e6e616f256d6f686f20000x.json"),
]


@pytest.mark.parametrize(("parts", "file"), FILES, ids=[file[:20] for _, file in FILES])
def test_a_name_is_its_file_s_name_or_written_in_digits_last_first(parts, file):
    assert session_file("folder", key(*parts)) == os.path.join("folder", file)


STATES = st.builds(
    SessionState,
    misses=st.lists(st.builds(Miss, path=texts, turn=texts), max_size=2).map(tuple),
    owed=st.lists(texts, max_size=1).map(tuple),
    notes=st.lists(texts | st.just('"owed":[],"misses":[]'), max_size=3).map(tuple),
)


@given(STATES)
def test_a_state_waits_for_steps_where_one_would_change_it(tmp_path_factory, state):
    file = session_file(str(tmp_path_factory.mktemp("states")), key("s"))
    Path(file).write_text(state.to_json())
    assert awaits(file) == ("calls" if state.owed else "steps" if state.misses else "")


def test_a_file_that_was_offered_is_waited_for_by_its_name(tmp_path):
    file = Path(session_file(str(tmp_path), key("s")))
    offer = Offer("e", "", 1e9, "docs/a.md", ("a.md",), "near", ())
    file.write_text(SessionState(offers=(offer,)).to_json())
    waits = [awaits(str(file), [name]) for name in ("a.md", "b.md", "é.md", 'a"b')]
    assert waits == ["calls", "steps", "calls", "calls"], "JSON escapes the last two"


def test_a_state_that_is_not_there_waits_for_nothing_and_a_damaged_one_may(tmp_path):
    file = Path(session_file(str(tmp_path), key("s")))
    assert not awaits(str(file))
    file.write_text('{"version":1,')
    assert awaits(str(file)) == "calls"
    file.unlink()
    file.mkdir()
    assert not awaits(str(file))


def test_steps_left_beside_a_state_are_private_lines(tmp_path):
    file = session_file(str(tmp_path), key("s"))
    for _ in range(2):
        leave_step(file, "success 1000000000.000 a turn\n")
    left = Path(file + STEPS)
    assert left.read_text() == "success 1000000000.000 a turn\n" * 2
    assert left.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    ("kind", "before", "grows"),
    [
        ("success", MOST_STEPS - 1, True),
        ("success", MOST_STEPS, False),
        ("prompt", MOST_STEPS // 2, True),
        ("discovery", MOST_STEPS // 2 - 1, True),
        ("discovery", MOST_STEPS // 2, False),
    ],
)
def test_steps_are_few_and_what_looks_leaves_room_for_what_ends_a_streak(
    tmp_path, kind, before, grows
):
    file = session_file(str(tmp_path), key("s"))
    left = Path(file + STEPS)
    left.write_text("x" * before)
    leave_step(file, f"{kind} 1000000000.000 a turn\n")
    assert (left.stat().st_size > before) is grows


@pytest.mark.skipif(sys.platform == "win32", reason="not on Windows: pipes in folders")
@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_no_step_is_left_in_what_is_no_file(tmp_path, make):
    file = session_file(str(tmp_path), key("s"))
    make(file + STEPS)
    with pytest.raises(OSError, match=STEPS):
        leave_step(file, "success 1000000000.000 a turn\n")


def loaded(code: str) -> list[str]:
    """Return the modules that `code` loads beyond those of a bare start."""
    start = "import os, sys, truepath; before = {*sys.modules}; "
    code = f"{start}{code}; print(*({{*sys.modules}} - before))"
    env = {**os.environ, "PYTHONPATH": str(Path(truepath.__file__).parent.parent)}
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    return done.stdout.split()


def test_asking_imports_next_to_nothing():
    code = "from truepath.session.keys import awaits; awaits('x')"
    assert sorted(loaded(code)) == ["truepath.session", "truepath.session.keys"]


def test_a_hook_s_miss_loads_nothing_heavy():
    """`re` and `json` are there anyway."""
    code = "import json, re; import truepath.session.stores"
    code += "; import truepath.journal.journal"
    heavy = "typing dataclasses tempfile logging redis asyncio uuid"
    heavy += " subprocess threading hashlib rapidfuzz datetime inspect"
    assert {*loaded(code)} & {*heavy.split()} == set()
