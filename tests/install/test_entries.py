"""Which entries are ours, and settings of every host with and without them."""

from __future__ import annotations

from difflib import ndiff
from json import dumps

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.hosts import HOSTS, find
from truepath.hosts.claude_code import host as claude_code
from truepath.hosts.codex import host as codex
from truepath.install import InstallError
from truepath.install.entries import calls, is_call, merge, opened, unmerge, written

CLIENT = "/opt/tools/bin/truepath-hook claude-code"
OLD = "'/home/ada/my env/bin/python' -m truepath hook claude-code"

CALLS = [
    "truepath hook codex || true",
    "/usr/bin/truepath-hook codex",
    "/usr/bin/truepath-hook 'codex' || true",
    "'/opt/my tools/truepath' hook codex",
    '"C:\\Program Files\\tools\\truepath.exe" hook codex',
    '"C:\\tools\\truepath-hook.exe" codex',
    "'/opt/my env/bin/python' -m truepath hook codex || true",
    "sh -c 'truepath hook codex || true'",
    "/opt/my/bin/truepath-native codex --python /bin/python3 --script /x/truepath/hook/script.py",
    "/usr/bin/python3 -I -S '/a b/truepath/hook/script.py' codex || true",
    r'"C:\Python\python.exe" -I -S C:\lib\truepath\hook\script.py codex',
]
OTHERS = [
    ("another host's", "truepath hook claude-code || true"),
    ("a host whose name begins like it", "truepath hook codex-next"),
    ("another command of truepath", "truepath log codex"),
    ("a program that is only called like it", "/opt/truepath/bin/guard.sh codex"),
    ("a word for it in a sentence", "echo truepath is a hook for codex"),
    ("a folder of that name", "/srv/truepath/hook codex"),
    ("two commands in one", "truepath log; my hook codex"),
    ("a program before it", "/home/ada/deny.sh && truepath-hook codex"),
    ("a program after it", "truepath-hook codex || deny.sh"),
    ("a comment that names it", "deny.sh # runs before truepath-hook codex"),
    ("a program in a folder like it", "/home/ada/truepath-hook/deny.sh codex"),
    ("an argument of another", "sh deny.sh truepath-hook codex"),
    ("a program whose output it gets", "truepath-hook $(deny.sh) codex"),
    ("more than it in one word", "sh -c 'deny.sh; truepath-hook codex'"),
]


@pytest.mark.parametrize("command", CALLS)
def test_every_client_of_ours_is_known_by_its_command(command):
    assert is_call(command, "codex")


@pytest.mark.parametrize(("what", "command"), OTHERS, ids=[row[0] for row in OTHERS])
def test_what_is_not_our_hook_is_not_ours(what, command):
    assert not is_call(command, "codex")


def content(host, client):
    for piece in host.setup(client).pieces:
        if not isinstance(piece.content, str):
            return piece.content
    return None


WANTED = content(claude_code, CLIENT)

CLAUDE = """\
{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": [
      "Bash(npm run test:*)",
      "Bash(truepath hook claude-code)"
    ]
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "jq -r '.tool_input.command' >> ~/log"
          }
        ]
      }
    ],
    "Stop": []
  },
  "model": "opus"
}
"""
TABLES = [name for name in HOSTS if content(find(name), "x") is not None]


@pytest.mark.parametrize("name", TABLES)
def test_every_host_gets_its_entries_and_is_freed_of_them(name):
    wanted = content(find(name), f"/opt/truepath-hook {name}")
    before = {"model": "x", "hooks": {"Stop": []}}
    after = merge(before, wanted, name)
    assert [place for key in wanted for place, _ in calls(after[key], name)]
    assert merge(after, wanted, name) == after
    assert unmerge(after, wanted, name, before) == before


def test_all_of_others_stays_in_its_order_and_its_form():
    after = written(merge(opened(CLAUDE), WANTED, "claude-code"), CLAUDE)
    gone = [line[2:] for line in ndiff(CLAUDE.splitlines(), after.splitlines()) if line[:1] == "-"]
    assert gone == ['    "Stop": []']  # a comma more, for what follows
    assert written(opened(CLAUDE), CLAUDE) == CLAUDE


@pytest.mark.parametrize(
    "text",
    [
        '{\n\t"a": [\n\t\t1\n\t]\n}',
        '{\r\n    "a": "\u00e9"\r\n}\r\n',
        '{\n  "a": "é"\n}\n',
        '{\n  "a": "\\ud83d"\n}\n',
    ],
)
def test_indentation_line_ends_and_letters_are_those_that_were_there(text):
    assert written(opened(text), text) == text


def test_an_older_client_is_replaced_in_its_place_and_nothing_else_is():
    settings = opened(CLAUDE)
    older = merge(settings, content(claude_code, OLD), "claude-code")
    older["hooks"]["PreToolUse"].append({"hooks": [{"command": "mine"}]})
    newer = merge(older, WANTED, "claude-code")
    assert dumps(newer) == dumps(older).replace(OLD, CLIENT)


def test_entries_that_are_no_more_wanted_go_and_doubled_ones_too():
    stale = {"hooks": {**WANTED["hooks"], "SubagentStop": WANTED["hooks"]["PostToolBatch"]}}
    stale["hooks"]["PreToolUse"] = WANTED["hooks"]["PreToolUse"] * 2
    assert merge(stale, WANTED, "claude-code") == WANTED


def test_an_entry_that_was_put_among_others_is_found_there():
    mine, ours_too = {"type": "command", "command": "mine"}, {"type": "command", "command": OLD}
    settings = {"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [mine, ours_too]}]}}
    alone = [{"matcher": "Read", "hooks": [mine]}]
    after = merge(settings, WANTED, "claude-code")
    assert after["hooks"]["PreToolUse"] == [*alone, *WANTED["hooks"]["PreToolUse"]]
    assert unmerge(settings, WANTED, "claude-code", None) == {"hooks": {"PreToolUse": alone}}


@pytest.mark.parametrize("before", [{}, {"hooks": {}}, {"hooks": {"PreToolUse": []}, "model": "x"}])
def test_what_was_empty_before_is_empty_in_the_same_way(before):
    after = merge(before, WANTED, "claude-code")
    assert unmerge(after, WANTED, "claude-code", before) == before
    after["model"] = "y"
    assert unmerge(after, WANTED, "claude-code", before) == {**before, "model": "y"}


WRONG = [
    ("no object at all", "[1]", "is no JSON object"),
    ("hooks in a list", '{"hooks": []}', "'hooks' is not an object"),
    ("hooks that are off", '{"hooks": null}', "'hooks' is not an object"),
    ("an event that is no list", '{"hooks": {"PreToolUse": {}}}', "'PreToolUse' is not a list"),
    ("two hooks", '{"hooks": {}, "hooks": {}}', "holds the key 'hooks' twice"),
    ("an error", '{"hooks": {}', "is no plain JSON"),
    ("a comment", "{} // x", "is no plain JSON"),
    ("a comma after the last item", '{"a": 1,}', "is no plain JSON"),
    ("deeper than anything", "[" * 100_000, "is no plain JSON"),
]


@pytest.mark.parametrize(("what", "text", "said"), WRONG, ids=[row[0] for row in WRONG])
def test_settings_that_cannot_hold_our_entries_are_refused_in_one_line(what, text, said):
    with pytest.raises(InstallError) as error:
        merge(opened(text), WANTED, "claude-code")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_version_that_is_not_known_is_refused():
    wanted = {"version": 1, **WANTED}
    with pytest.raises(InstallError, match="'version' is 2, and 1 is all that is known here"):
        merge({"version": 2}, wanted, "claude-code")
    for before in ({}, {"version": 1}):
        after = merge(before, wanted, "claude-code")
        assert after["version"] == 1
        assert unmerge(after, wanted, "claude-code", before) == before


FOREIGN = st.sampled_from(
    [
        {"matcher": "Read", "hooks": [{"type": "command", "command": "mine"}]},
        {"hooks": [{"type": "http", "url": "https://example.org"}]},
        {"hooks": []},
        {},
    ]
)
EVENTS = st.sampled_from(["PreToolUse", "PostToolBatch", "Stop"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
SETTINGS = st.builds(
    lambda more, hooks: {**more, **hooks},
    st.dictionaries(st.text(max_size=3), VALUES, max_size=3),
    st.dictionaries(EVENTS, st.lists(FOREIGN, max_size=2)).map(lambda hooks: {"hooks": hooks})
    | st.just({}),
)


@given(SETTINGS, st.sampled_from([OLD, "truepath hook claude-code"]))
def test_any_settings_get_our_entries_and_come_back(before, client):
    older = merge(before, content(claude_code, client), "claude-code")
    after = merge(older, WANTED, "claude-code")
    assert after == merge(before, WANTED, "claude-code") == merge(after, WANTED, "claude-code")
    assert unmerge(after, WANTED, "claude-code", before) == before
    assert opened(written(after, "{}")) == after
    events = before.get("hooks", {})
    for event, entries in WANTED["hooks"].items():
        assert after["hooks"][event] == [*events.get(event, []), *entries]


def test_codex_and_claude_code_do_not_see_each_other():
    theirs = content(codex, "truepath-hook codex")
    both = merge(merge({}, WANTED, "claude-code"), theirs, "codex")
    assert unmerge(both, WANTED, "claude-code", None) == theirs
