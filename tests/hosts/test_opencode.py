"""OpenCode's plugin in Node, as observed with 1.18.33."""

from __future__ import annotations

import hooks
import pytest
from plugins import REAL, Host, needs_node

from truepath.hosts.opencode import host as opencode


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("opencode") / "repo")


@pytest.fixture
def host(tmp_path, root, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    return Host("opencode", tmp_path / "plugin", root)


def test_the_plugin_has_one_export_for_opencode_loads_each_of_them():
    [piece] = opencode.pieces("truepath hook opencode")
    assert piece.content.count("export ") == 1


SETTINGS = {
    "permission": {"read": {"specs/*": "deny"}},
    "agent": {"build": {"permission": {"bash": {"cat lib/*": "deny"}}}, "plan": {}},
}


@needs_node
def test_a_rule_on_the_path_as_it_was_written_still_holds(host):
    read = host.read("specs/status.md")
    _, began = host.play(REAL + "opencode", {"rules": SETTINGS}, read)
    assert began == {"args": read["args"]}
    [began] = host.play(REAL + "opencode", read)
    assert began == {"args": {"filePath": "docs/status.md"}}


@needs_node
def test_a_command_that_failed_went_well_for_opencode(host):
    client = host.answering(['"failure"', {"text": "TOLD"}])
    well, failed = {"end": "c1", "output": "ok", "exit": 0}, {"output": "no", "exit": 1}
    _, one, _, two = host.play(
        client, host.shell("a"), well, host.shell("b", "c2"), {"end": "c2", **failed}
    )
    assert (one, two) == ("ok", "no\n\nTOLD")
    assert [each.get("error") for each in host.asked] == [None, None, "no"]


@needs_node
def test_an_error_of_a_call_that_it_did_not_see_is_left_alone(host):
    client = host.answering(["", {"text": "TOLD"}])
    todo = {"begin": "c1", "tool": "todowrite", "args": {"todos": []}}
    _, end = host.play(client, todo, {"end": "c1", "error": "no"})
    assert end == "no"
    assert host.asked == []


@needs_node
def test_each_request_to_the_model_is_a_turn(host):
    steps = [({"say": f"p{at}"}, host.read("nope", f"c{at}")) for at in range(3)]
    host.play(host.answering(), *[step for pair in steps for step in pair])
    before = [each for each in host.asked if each["event"] == "before"]
    assert len({each["turn"] for each in before}) == 3
    assert [each["prompt"] for each in before] == ["p0", "p1", "p2"]
