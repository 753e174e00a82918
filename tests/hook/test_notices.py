"""The line that a program shows its user of a path that was changed."""

from __future__ import annotations

import json

import hooks
import pytest


@pytest.fixture
def repo(tmp_path):
    return hooks.make_project(tmp_path / "repo")


def told(data, host="claude-code"):
    status, out, err = hooks.run(data, host)
    assert (status, err) == (0, b"")
    return json.loads(out).get("systemMessage", "") if out else ""


CALLS = [
    ("a moved file", "Read", {"file_path": "{root}/specs/status.md"},
     "truepath: specs/status.md -> docs/status.md"),
    ("a line of shell", "Bash", {"command": "cat specs/status.md"},
     "truepath: specs/status.md -> docs/status.md"),
    ("twice in a line", "Bash", {"command": "cat specs/status.md; wc specs/status.md"},
     "truepath: specs/status.md -> docs/status.md"),
    ("beside one that exists", "Bash", {"command": "cat README.md specs/status.md"},
     "truepath: specs/status.md -> docs/status.md"),
    ("one that exists", "Read", {"file_path": "{root}/README.md"}, ""),
    ("nothing like it", "Read", {"file_path": "{root}/qqq/zzz.bin"}, ""),
]  # fmt: skip


@pytest.mark.parametrize(("what", "tool", "given", "line"), CALLS)
def test_the_user_is_told_of_what_was_changed_and_of_nothing_else(
    repo, what, tool, given, line
):
    (repo / "README.md").touch()
    given = {name: text.replace("{root}", str(repo)) for name, text in given.items()}
    assert told(hooks.event(repo, tool=tool, tool_input=given)) == line


def test_codex_shows_it_too(repo):
    (_, tool, given, line) = CALLS[1]
    assert told(hooks.event(repo, tool=tool, tool_input=given), "codex") == line


def test_a_setting_switches_it_off(repo, isolated):
    folder = isolated / ".config/truepath"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("notices = false\n")
    assert told(hooks.event(repo)) == ""
