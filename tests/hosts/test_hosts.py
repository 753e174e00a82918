"""What no host may ever do, whatever is decided: one set of properties for all in the table."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.hosts import HOSTS, find
from truepath.hosts.protocol import Exchange
from truepath.install.smoke_test import event
from truepath.types import Decision, Outcome

WHOLE = {"updatedInput", "updated_input", "modifiedArgs", "overrideInput", "tool_input"}
"""Fields that stand for the whole input."""

CHANGED = "arguments"
"""Of our own plugins, which put what changes in the place of its namesake."""

USUAL = {"permissionDecision", "permissionDecisionReason", "updatedInput"}
"""The fields of Claude Code, which others have too."""

ANSWER = {
    "cline": {"overrideInput", "contextModification"},
    "copilot": {"permissionDecision", "permissionDecisionReason", "modifiedArgs"},
    "cursor": {"permission", "user_message", "updated_input", "additional_context"},
    "gemini": {"decision", "reason", "tool_input"},
    "opencode": {"arguments", "refuse", "text"},
    "pi": {"arguments", "refuse", "text"},
    "qwen": {"permissionDecision", "permissionDecisionReason"},
}
"""Host -> the fields that it knows and truepath uses, where they are not the usual ones."""

SHARED = {"hookEventName", "additionalContext"}
SAID = ("permissionDecision", "permission", "decision")
LONGEST = 10_000
"""Characters of one text; more is cut, dropped or put into a file by one host or another."""

DECISIONS = st.builds(
    Decision,
    action=st.sampled_from(["allow", "rewrite", "refuse", "advise"]),
    arguments=st.dictionaries(st.sampled_from(["path", "file_path", "command"]), st.text()),
    text=st.text(max_size=20) | st.just("long " * 5000),
    shift=st.booleans(),
    repeated=st.booleans(),
)


def asked(name, outcome=None):
    """Return a request of a host: a call that is about to run, or that came to an end."""
    host = find(name)
    made = event(host, "/repo", "specs/a.md")
    made |= {"permission_mode": "default"} if name == "claude-code" else {}
    request = host.decode(made, {})
    assert request is not None
    if outcome is None:
        return request
    call = replace(request.exchanges[0].call, call_id="c1")
    return replace(request, phase="failure", exchanges=(Exchange(call, outcome),))


def answered(name, request, decision):
    """Return the fields of an answer, those of `hookSpecificOutput` among them."""
    told = find(name).encode(request, [decision])
    if told is None:
        return {}
    assert told, "an empty answer says nothing at a price"
    json.dumps(told)
    return {**told, **told.get("hookSpecificOutput", {})}


@pytest.mark.parametrize("name", HOSTS)
@given(decision=DECISIONS)
def test_before_a_call_an_answer_holds_what_the_host_knows_and_no_permission(name, decision):
    request = asked(name)
    fields = answered(name, request, decision)
    assert {*fields} - {"hookSpecificOutput"} <= ANSWER.get(name, USUAL) | SHARED
    said = {fields[each] for each in SAID if each in fields}
    if name == "codex" and "updatedInput" in fields:
        assert (said, decision.action) == ({"allow"}, "rewrite")
    else:
        assert said <= {"deny"}
    if said == {"deny"} or "refuse" in fields:
        assert decision.action == "refuse"
        assert request.refuses
    texts = [text for text in fields.values() if isinstance(text, str)]
    assert all(len(text) < LONGEST for text in texts)


@pytest.mark.parametrize("name", HOSTS)
@given(decision=DECISIONS)
def test_an_input_is_given_back_whole_or_not_at_all(name, decision):
    request = asked(name)
    fields = answered(name, request, decision)
    held = request.exchanges[0].call.arguments
    for whole in [fields[each] for each in WHOLE & {*fields}]:
        assert whole == {**held, **decision.arguments}
        assert decision.action == "rewrite"
        assert request.rewrites
    if CHANGED in fields:
        assert {**held, **fields[CHANGED]} == {**held, **decision.arguments}
        assert decision.action == "rewrite"
        assert request.rewrites


@pytest.mark.parametrize("name", sorted(HOSTS))
@given(decision=DECISIONS)
def test_after_a_call_an_answer_is_words_alone(name, decision):
    request = asked(name, Outcome(error="no such file"))
    fields = answered(name, request, decision)
    assert not (WHOLE | {CHANGED, "permission", "permissionDecision"}) & {*fields}
    if name == "gemini" and "decision" in fields:  # its way to be read after a failure
        assert fields["reason"].startswith("no such file\n\n")
    else:
        assert "decision" not in fields
    texts = [text for text in fields.values() if isinstance(text, str)]
    assert all(len(text) < LONGEST for text in texts)


@pytest.mark.parametrize("name", HOSTS)
def test_a_call_that_is_let_through_without_a_word_is_answered_by_silence(name):
    request = asked(name)
    allowed = Decision("allow", request.exchanges[0].call.arguments)
    assert find(name).encode(request, [allowed]) is None


@pytest.mark.parametrize("name", HOSTS)
def test_a_command_of_a_host_ends_well_when_its_client_is_gone(name, tmp_path):
    import subprocess

    from truepath.install.entries import calls, table_of

    for piece in find(name).setup(f"/no/such/truepath-hook {name}").pieces:
        lines = [line for _, line in calls(table_of(piece.content), name)]
        if piece.executable:
            program = tmp_path / "hook"
            program.write_text(piece.content)
            program.chmod(0o755)
            lines = [str(program)]
        for line in lines:
            done = subprocess.run(line, shell=True, input=b"{}", capture_output=True, check=False)
            assert (done.returncode, done.stdout) == (0, b"")
