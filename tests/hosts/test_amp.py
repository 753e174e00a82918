"""Amp's plugin, by its documents: the program itself has not been run."""

from __future__ import annotations

import hooks
import pytest
from plugins import REAL, Host, needs_node

from truepath.hosts.amp import host as amp
from truepath.types import Decision


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("amp") / "repo")


@pytest.fixture
def host(tmp_path, root, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    return Host("amp", tmp_path / "plugin", root)


TOOLS = {
    "Read": True,
    "Grep": True,
    "glob": True,
    "finder": True,
    "edit_file": False,
    "create_file": False,
    "apply_patch": False,
    "Bash": False,
    "shell_command": False,
    "mcp__files__read": False,
}


@pytest.mark.parametrize(("tool", "looks"), TOOLS.items())
def test_only_calls_that_look_are_ever_changed(tool, looks):
    request = amp.decode({"event": "before", "tool": tool, "arguments": {"path": "a"}}, {})
    assert request.rewrites is looks
    answer = amp.encode(request, [Decision("rewrite", {"path": "b"}, text="told")])
    assert ("arguments" in answer) is looks


def test_the_plugin_lies_where_amp_looks_for_it_and_begins_as_amp_wants():
    setup = amp.setup("truepath hook amp")
    assert setup.home == ".config/amp"
    [piece] = setup.pieces
    assert piece.user == "plugins/truepath.ts"
    assert piece.project == ".amp/plugins/truepath.ts"
    assert "amp-plugin-api-is-wip" in piece.content.splitlines()[0]


@needs_node
@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("edit_file", {"path": "specs/status.md", "old_str": "a", "new_str": "b"}),
        ("shell_command", {"command": "cat specs/status.md"}),
        ("Bash", {"cmd": "cat specs/status.md"}),
    ],
)
def test_what_may_do_harm_is_refused_with_the_right_path(host, tool, args):
    [began] = host.play(REAL + "amp", {"begin": "c1", "tool": tool, "args": args})
    assert began["refused"].startswith("PATH_NOT_FOUND: `specs/status.md`. Use `docs/status.md`")
    assert "`docs/status.md`" in began["refused"]


@needs_node
@pytest.mark.parametrize(
    ("output", "told"),
    [
        ("green", "green\n\nTOLD"),
        ([{"type": "text", "text": "green"}], [
            {"type": "text", "text": "green"}, {"type": "text", "text": "TOLD"}]),
        ({"content": "green"}, {"content": "green", "note": "TOLD"}),
    ],
)  # fmt: skip
def test_words_are_added_to_an_output_of_any_shape(host, output, told):
    client = host.answering(["", {"text": "TOLD"}])
    assert host.play(client, host.read("nope"), {"end": "c1", "output": output})[1] == told
