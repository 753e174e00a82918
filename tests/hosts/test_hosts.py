"""What no host may ever do, whatever comes and whatever is decided: properties for all
of them.
"""

from __future__ import annotations

import json
import subprocess

import pytest
from host_samples import ALL, SAMPLED
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each

from truepath.hook.command import shared_command
from truepath.hook.installed import label
from truepath.hosts import HOSTS, find
from truepath.hosts.table import step
from truepath.types import Decision, ToolCall

INPUTS = {
    *("updatedInput", "updated_input", "modifiedArgs", "overrideInput", "tool_input"),
    "arguments",
}
"""Fields with a corrected input."""


SAID = ("permissionDecision", "permission", "decision")
LONGEST = 10_000
"""Characters of one text; more is cut, dropped or put into a file by one host or
another."""

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner)
    ),
    max_leaves=12,
)
DECISIONS = st.builds(
    Decision,
    action=st.sampled_from(["allow", "rewrite", "refuse", "advise"]),
    arguments=st.dictionaries(
        st.sampled_from(["path", "file_path", "command"]), st.text()
    ),
    text=st.text(max_size=20) | st.just("long " * 5000),
    shift=st.booleans(),
    repeated=st.booleans(),
)


def events(name):
    """Return events of a host, as they were sent, or with anything in the place of some
    fields.
    """
    samples = ALL[name]
    seen = [samples.event(row) for row in samples.rows if "event" in row]
    fields = sorted({field for each in seen for field in each})
    values = JSON | st.sampled_from([value for each in seen for value in each.values()])
    changed = st.dictionaries(st.sampled_from(fields), values, max_size=3)
    return st.builds(
        lambda one, other: {**one, **other}, st.sampled_from(seen), changed
    )


def fields_of(told):
    """Return the fields of an answer, those of `hookSpecificOutput` among them."""
    assert told is None or told, "an empty answer says nothing at a price"
    json.dumps(told)
    return {**told, **told.get("hookSpecificOutput", {})} if told else {}


@pytest.mark.parametrize("name", SAMPLED)
@given(data=st.data(), decision=DECISIONS)
def test_no_event_breaks_a_host_and_no_answer_grants_cuts_or_cancels_anything(
    name, data, decision
):
    request = find(name).decode(data.draw(events(name)), ALL[name].own)
    if request is None:
        return
    fields = fields_of(find(name).encode(request, [decision] * len(request.exchanges)))
    said = {fields[each] for each in SAID if each in fields}
    assert not {"continue", "cancel", "stopReason"} & {*fields}
    if name == "codex" and "updatedInput" in fields:
        assert (said, decision.action) == ({"allow"}, "rewrite")
    else:
        assert said <= {"deny"}
    corrected = INPUTS & {*fields}
    if corrected:
        assert request.phase == "before"
        assert find(name).REWRITES
        assert decision.action == "rewrite"
    held = request.exchanges[0].call.arguments
    for each in corrected:
        old = held if find(name).MERGES else {}
        whole = {**held, **decision.arguments}
        runs = fields[each] if isinstance(fields[each], str) else old | fields[each]
        assert runs in (whole, held.get("input"))
    if request.phase == "before" and (said == {"deny"} or "refuse" in fields):
        assert decision.action == "refuse"
        assert find(name).REFUSES
    if request.phase != "before" and said:  # the only way to be read after a failure
        assert name == "gemini"
        assert fields["reason"].startswith(f"{request.exchanges[0].outcome.error}\n\n")
    elif request.phase != "before":
        assert {*fields} <= {
            "hookSpecificOutput",
            "hookEventName",
            find(name).TEXT_FIELD,
        }
    own = [
        fields[each]
        for each in (find(name).REASON_FIELD, find(name).TEXT_FIELD)
        if each in fields
    ]
    assert all(len(text) < LONGEST for text in own) or name == "gemini"


@pytest.mark.parametrize("name", SAMPLED)
def test_a_call_that_is_let_through_without_a_word_is_answered_by_silence(name):
    samples = ALL[name]
    request = find(name).decode(samples.events["before"], samples.own)
    allowed = Decision("allow", request.exchanges[0].call.arguments)
    assert find(name).encode(request, [allowed]) is None


@pytest.mark.parametrize("name", HOSTS)
@given(
    content=st.text(max_size=60) | JSON.map(json.dumps),
    file=st.sampled_from(["a.json", "a.toml", "a.rules", "/home/u/repo/.ignore"]),
)
def test_no_rules_break_a_host(name, content, file):
    environ = {"TRUEPATH_HOST_RULES": content}
    rules = find(name).rules({file: content}, environ, "/home/u/repo")
    assert rules.forbids("Bash", {"command": "cat a"}) in (True, False)
    for tool, argument in (("bash", "command"), ("read", "filePath")):
        call = ToolCall(tool, {argument: "cat a"})
        assert rules.asks(call) in (True, False)
    assert all(isinstance(glob, str) for glob in rules.hidden)


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("name", HOSTS)
def test_a_command_of_a_host_ends_well_when_its_client_is_gone(name, shared, tmp_path):
    client = shared_command(name) if shared else f"/no/such/truepath-hook {name}"
    for piece in find(name).pieces(client):
        line = label(find(name).hook(client, 10))
        if piece.executable:
            program = tmp_path / "hook"
            program.write_text(piece.content)
            program.chmod(0o755)
            line = str(program)
        done = subprocess.run(
            line,
            shell=True,
            input=b"{}",
            env={"PATH": "/usr/bin:/bin"},
            capture_output=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, b"")
        assert not (shared and done.stderr)


TURNS = [  # what an event has as its turn, and what its step has
    (3, "3"),
    ("t1", "t1"),
    (None, ""),
    (["t1"], ""),
]


def test_a_step_has_the_turn_of_its_event():
    def check(row):
        turn, said = row
        event = {"hookName": "tool_call", "iteration": turn}
        event["tool_call"] = {"name": "read_files", "input": {}}
        kind, _, last = step(find("cline"), event, named=True).split(" ")
        assert (kind, last) == ("success", f"{said}\n")

    check_each(TURNS, check, str)
