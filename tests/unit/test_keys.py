from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import truepath
from truepath.keys import key, known, session_file

texts = st.text(st.characters(), max_size=50)


def test_sub_agents_and_sessionless_projects_have_their_own_keys():
    keys = {key("s"), key("s", "helper"), key("", project="/a"), key("", project="/b")}
    assert len(keys) == 4
    assert key("s", project="/a") == key("s", project="/b")


@given(texts, texts)
def test_any_session_has_a_file_of_its_own_right_in_the_folder(one, other):
    file = session_file("folder", key(one))
    assert os.path.dirname(file) == "folder"
    assert os.path.basename(file).removesuffix(".json").isalnum()
    assert (file == session_file("folder", key(other))) == (one == other)


def test_a_session_is_known_once_it_has_a_file(tmp_path):
    name = key("s")
    assert not known(str(tmp_path), name)
    Path(session_file(str(tmp_path), name)).touch()
    assert known(str(tmp_path), name)
    assert not known(str(tmp_path / "missing"), name)


def test_asking_imports_next_to_nothing():
    """Python itself starts with `os`, unless started so that nothing else is there (`-S`)."""
    code = (
        "import os, sys, truepath; before = set(sys.modules); from truepath.keys import known;"
        "known('x', 'y'); print(sorted(set(sys.modules) - before))"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(truepath.__file__).parent.parent)}
    command = [sys.executable, "-S", "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    assert done.stdout.strip() == "['_blake2', 'truepath.keys']"
