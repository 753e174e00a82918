"""pi's extension in Node, as observed with 1.5.2."""

from __future__ import annotations

import hooks
import pytest
from plugins import Host, needs_node


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("pi") / "repo")


@pytest.fixture
def host(tmp_path, root):
    return Host("pi", tmp_path / "plugin", root)


@needs_node
def test_a_listing_without_a_path_asks_nobody(host):
    steps = [{"begin": tool, "tool": tool, "args": {"pattern": "a"}} for tool in ("ls", "grep")]
    host.play(host.answering(), *steps)
    assert host.asked == []


@needs_node
def test_each_answer_of_the_model_is_a_turn(host):
    host.play(host.answering(), {"say": "p"}, host.read("a", "c1"), host.read("b", "c2"))
    assert [each["turn"] for each in host.asked] == ["1", "2"]
    assert {each["prompt"] for each in host.asked} == {"p"}


@needs_node
def test_an_edit_keeps_all_but_its_path(host):
    edits = [{"oldText": "a", "newText": "b"}]
    step = {"begin": "c", "tool": "edit", "args": {"path": "nope", "edits": edits}}
    client = host.answering(["", {"arguments": {"path": "docs/status.md"}}])
    [began] = host.play(client, step)
    assert began == {"args": {"path": "docs/status.md", "edits": edits}}
