"""The line that a program shows its user of a path that was changed."""

from __future__ import annotations

import json
import os

import hooks
import pytest

from truepath.config.user_dirs import state_folder
from truepath.journal.journal import EventReader, journal_path


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
    ("a likely file", "Read", {"file_path": "{root}/docs/statu.md"},
     "truepath: docs/statu.md -> docs/status.md, the likely file"),
    ("nothing like it", "Read", {"file_path": "{root}/qqq/zzz.bin"},
     "truepath: refused qqq/zzz.bin (PATH_NOT_FOUND)"),
    ("a removal", "Bash", {"command": "rm specs/status.md"},
     "truepath: refused specs/status.md (PATH_NOT_FOUND), named docs/status.md"),
    ("a folder", "Read", {"file_path": "{root}/docs"},
     "truepath: refused docs (PATH_IS_NOT_A_FILE)"),
    ("a new file in a folder like one", "Write",
     {"file_path": "{root}/doc/new.md", "content": "new"},
     "truepath: asked about doc/new.md (PATH_LOOKS_WRONG), named docs/new.md"),
    ("a command in the wrong folder", "Bash", {"command": "npm run build"},
     "truepath: refused package.json (WRONG_FOLDER), named web/package.json"),
    ("a file that is too large", "Read", {"file_path": "{root}/large.txt"},
     "truepath: refused large.txt (FILE_TOO_LARGE)"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "tool", "given", "line"), CALLS)
def test_the_user_is_told_of_what_was_changed_or_refused_and_of_nothing_else(
    repo, what, tool, given, line
):
    (repo / "README.md").touch()
    (repo / "large.txt").write_text("a" * 400_000)
    (repo / "web").mkdir()
    (repo / "web/package.json").write_text('{"scripts": {"build": "true"}}')
    given = {name: text.replace("{root}", str(repo)) for name, text in given.items()}
    assert told(hooks.event(repo, tool=tool, tool_input=given)) == line


def test_where_the_user_sees_a_refusal_there_is_no_line_of_it(repo):
    given = {"command": "rm specs/status.md"}
    assert told(hooks.event(repo, tool="Bash", tool_input=given), "codex") == ""


def test_codex_shows_it_too(repo):
    (_, tool, given, line) = CALLS[1]
    assert told(hooks.event(repo, tool=tool, tool_input=given), "codex") == line


def test_a_setting_switches_it_off(repo, isolated):
    folder = isolated / ".config/truepath"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text("notices = false\n")
    assert told(hooks.event(repo)) == ""


@pytest.mark.parametrize(
    ("host", "field", "kind"),
    [
        ("kimi", "tool_call_id", "path.observed"),
        ("claude-code", "tool_use_id", "path.advised"),
    ],
)
def test_what_a_program_cannot_be_told_is_recorded_as_observed(
    repo, isolated, host, field, kind
):
    line = {"command": "cat README.md specs/gone.md | head -3; echo done"}
    event = hooks.event(repo, tool="Bash", tool_input=line, **{field: "c1"})
    _, out, _ = hooks.run(event, host)
    assert bool(out) == (kind == "path.advised")
    events = EventReader(journal_path(state_folder(os.environ))).read()
    assert {each.event for each in events} == {kind}
