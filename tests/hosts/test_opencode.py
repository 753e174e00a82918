"""OpenCode's plugin and permissions, as observed with 1.18.33."""

from __future__ import annotations

import json

import hooks
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plugins import REAL, Host, needs_node

from truepath.hosts.opencode import _RULES
from truepath.hosts.opencode import host as opencode

ROOT = "/home/u/repo"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("opencode") / "repo")


@pytest.fixture
def host(tmp_path, root, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    return Host("opencode", tmp_path / "plugin", root)


def rules(*permissions):
    return opencode.rules({}, {_RULES: json.dumps(permissions)}, ROOT)


def test_a_call_is_decoded_with_its_host():
    event = {"event": "before", "tool": "read", "arguments": {"filePath": "a"}, "cwd": ROOT}
    [exchange] = opencode.decode(event, {}).exchanges
    assert (exchange.call.host, exchange.call.arguments) == ("opencode", {"filePath": "a"})


def test_the_plugin_lies_where_opencode_looks_for_it():
    setup = opencode.setup("truepath hook opencode")
    assert (setup.home, setup.variable) == (".config/opencode", "OPENCODE_CONFIG_DIR")
    [piece] = setup.pieces
    assert piece.user == "plugins/truepath.js"
    assert piece.project == ".opencode/plugins/truepath.js"


def test_the_plugin_has_one_export_for_opencode_loads_each_of_them():
    [piece] = opencode.setup("truepath hook opencode").pieces
    assert piece.content.count("export ") == 1


READS = {"read": {"*": "allow", "secret/*": "deny", "secret/open.md": "allow", "*.pem": "ask"}}


@pytest.mark.parametrize(
    ("permission", "tool", "arguments", "forbidden", "why"),
    [
        (READS, "read", {"filePath": "secret/key.md"}, True, "denied"),
        (READS, "read", {"filePath": f"{ROOT}/secret/a/key.md"}, True, "a star is slashes too"),
        (READS, "read", {"filePath": "./secret/key.md"}, True, "denied"),
        (READS, "read", {"filePath": "secret/open.md"}, False, "the last rule that fits decides"),
        (READS, "read", {"filePath": "docs/a.pem"}, True, "it would be asked about"),
        (READS, "read", {"filePath": "docs/a.md"}, False, "allowed"),
        (READS, "edit", {"filePath": "secret/key.md"}, False, "a rule for another tool"),
        ({"edit": {"docs/*": "deny"}}, "write", {"filePath": "docs/a"}, True, "writing is editing"),
        ({"edit": "deny"}, "edit", {"filePath": "docs/a"}, False, "holds for all paths alike"),
        ("ask", "read", {"filePath": "a"}, False, "holds for all paths alike"),
        ({"*": {"docs/*": "deny"}}, "read", {"filePath": "docs/a"}, True, "for every tool"),
        ({"bash": {"cat a*": "deny"}}, "bash", {"command": "cat a.md"}, True, "denied"),
        ({"bash": {"cat *": "deny"}}, "bash", {"command": "cd x && cat a"}, True, "a part is"),
        ({"bash": {"cat *": "deny"}}, "bash", {"command": "if a; then cat a; fi"}, True, "a part"),
        ({"bash": {"cat *": "deny"}}, "bash", {"command": "A=1 cat a"}, True, "behind others"),
        ({"bash": {"git *": "ask"}}, "bash", {"command": "git"}, True, "the blank may be missing"),
        ({"bash": {"*": "ask", "ls *": "allow"}}, "bash", {"command": "cat a"}, False, "all alike"),
        ({"bash": {"a[1].b": "deny"}}, "bash", {"command": "a1xb"}, False, "no other wildcards"),
        ({"edit": {"docs/*": "deny"}}, "apply_patch", {"patchText": "*** Begin Patch\n"
          "*** Update File: docs/a\n@@\n-a\n+b\n*** End Patch\n"}, True, "a path in a patch"),
        ({"read": 7, "edit": {"a": None}}, "read", {"filePath": "a"}, False, "no rules at all"),
        (None, "read", {"filePath": "a"}, False, "no rules at all"),
    ],
)  # fmt: skip
def test_a_permission_stands_in_the_way(permission, tool, arguments, forbidden, why):
    assert rules(permission).forbids(tool, arguments) is forbidden, why
    assert rules({}, permission).forbids(tool, arguments) is forbidden, why


def test_an_agent_that_may_more_does_not_lift_what_the_general_rules_deny():
    given = rules({"read": {"a": "deny"}}, {"read": {"a": "allow"}})
    assert given.forbids("read", {"filePath": "a"})


def test_files_that_must_not_be_read_are_hidden():
    assert rules(READS, {"read": {"*.key": "deny"}, "edit": {"x": "deny"}}).hidden == (
        "/secret/*",
        "*.key",
    )


@given(st.text(max_size=30) | st.recursive(
    st.none() | st.integers() | st.sampled_from(["deny", "read", "a/*"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["read", "*", "a"]), inner),
    max_leaves=9,
).map(json.dumps))  # fmt: skip
def test_no_settings_break_it(text):
    given = opencode.rules({}, {_RULES: text}, ROOT)
    assert given.forbids("read", {"filePath": "b"}) in (True, False)
    assert all(isinstance(glob, str) for glob in given.hidden)


# The plugin


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
