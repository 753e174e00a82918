"""What each program reads of its settings: what `truepath install` goes by."""

from __future__ import annotations

import pytest
from clients import rig
from clients.programs import PROGRAMS

from truepath.hosts import find
from truepath.install.settings import opened, unread

pytestmark = [pytest.mark.client]

NAMES = ("claude-code", "codex", "copilot", "gemini", "qwen")
ALL = " ".join(NAMES)


def begins_with(text):
    return lambda settings: settings.replace("{\n", f"{{\n{text}\n", 1)


# (what is odd, how it is spelled, the programs that run the hooks all the same)
FORMS = [
    ("a line of comment", begins_with("  // mine"), "gemini qwen"),
    ("a block of comment", begins_with("  /* mine */"), "gemini qwen"),
    ("a comma after the last", lambda text: text.removesuffix("\n}\n") + ",\n}\n", ""),
    ("a byte order mark", lambda text: f"\ufeff{text}", "claude-code qwen"),
    ("Windows line ends", lambda text: text.replace("\n", "\r\n"), ALL),
    ("a key of its own", begins_with('  "of_mine": 1,'),
     "claude-code copilot gemini qwen"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("spelled", "read_by"), [row[1:] for row in FORMS], ids=[row[0] for row in FORMS]
)
@pytest.mark.parametrize("name", NAMES)
def test_a_program_runs_the_hooks_of_settings_that_the_table_says_it_reads(
    name, spelled, read_by, tmp_path, root
):
    program = PROGRAMS[name]
    if rig.program(program.COMMAND) is None:
        pytest.skip(f"no {program.COMMAND} here: `make test-clients` installs it")
    own = {"at_home": True} if name == "claude-code" else {}
    texts = []

    def kept(settings):  # Qwen Code writes its settings anew when it starts
        texts.append(spelled(settings))
        return texts[-1]

    ran = program.run(tmp_path, [], root=root, spelled=kept, **own)
    assert bool(ran.asked) == (name in read_by.split()), ran.errors
    [text] = texts
    opened(text)
    assert (not unread(text, find(name))) == bool(ran.asked)
