"""Which entries are ours, and settings of every host with and without them."""

from __future__ import annotations

import copy
import json
from difflib import ndiff

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsontexts import documents, values

from truepath.hosts import HOSTS, find
from truepath.hosts.claude_code import host as claude_code
from truepath.hosts.codex import host as codex
from truepath.install import InstallError
from truepath.install.entries import calls, is_call, lists, merge, ours, unmerge
from truepath.install.jsonc import read

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
  // the work laptop
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": ["Bash(npm run test:*)", "Read(~/.zshrc)", "Bash(truepath hook claude-code)"],
    "deny": ["Read(./.env)"]
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [{ "type": "command", "command": "jq -r '.tool_input.command' >> ~/log" }]
      }
    ],
    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] // loud
  },
  "statusLine": { "type": "command", "command": "~/.claude/line.sh" }
}
"""
SETTINGS = {
    "claude-code": CLAUDE,
    "codex": json.dumps({"description": "mine", "hooks": {"Stop": []}}, indent=4),
    "gemini": (
        '{\n\t"security": {\n\t\t"auth": {"selectedType": "oauth-personal"}\n\t},\n'
        '\t"hooks": {\n\t\t"BeforeTool": [], // none yet\n\t\t"disabled": ["x"],\n\t},\n'
        '\t"ui": {"theme": "GitHub"},\n}\n'
    ),
    "qwen": '{"model":{"name":"qwen3-coder"},"$version":3}',
    "copilot": '{\r\n  "version": 1,\r\n  "hooks": {\r\n    "preToolUse": []\r\n  }\r\n}\r\n',
    "opencode": '{\n  "$schema": "https://opencode.ai/config.json",\n  "plugin": ["x"] // one\n}\n',
    "cursor": '{ "version": 1, "hooks": {} }',
    "vscode": '{"hooks": {"PreToolUse": [{"type": "command", "command": "./check.sh"}]}}',
    "crush": '{\n  "hooks": {"PreToolUse": [{"command": "./no-rm.sh"}]},\n  "lsp": {}\n}\n',
}
TABLES = [
    (name, SETTINGS.get(name, "{}\n")) for name in HOSTS if content(find(name), "x") is not None
]


@pytest.mark.parametrize(("name", "before"), TABLES, ids=[row[0] for row in TABLES])
def test_the_settings_of_every_host_come_back_byte_for_byte(name, before):
    wanted = content(find(name), f"/opt/truepath-hook {name}")
    after = merge(before, wanted, name)
    value = read(after).root.value
    assert [place for key in wanted for place, _ in calls(value[key], name)]
    assert merge(after, wanted, name) == after
    assert unmerge(after, wanted, name, before) == before
    known, found = read(before).root.value, read(unmerge(after, wanted, name, None)).root.value
    assert _bare(known) == _bare(found)


def test_everything_of_others_stays_as_it_was_written():
    after = merge(CLAUDE, WANTED, "claude-code")
    changed = ndiff(CLAUDE.splitlines(), after.splitlines())
    # A comma more, where an entry follows.
    assert [line[2:] for line in changed if line.startswith("- ")] == [
        '    "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] // loud'
    ]
    assert '"say done" }] }], // loud' in after
    assert read(after).root.value["permissions"] == read(CLAUDE).root.value["permissions"]


def test_an_older_client_is_replaced_in_its_place_and_nothing_else_is():
    older = merge(CLAUDE, content(claude_code, OLD), "claude-code")
    newer = merge(older, WANTED, "claude-code")
    assert newer == older.replace(OLD, CLIENT)
    assert newer == merge(CLAUDE, WANTED, "claude-code")


def test_entries_that_are_no_more_wanted_go_and_doubled_ones_too():
    stale = {"hooks": {**WANTED["hooks"], "SubagentStop": WANTED["hooks"]["PostToolBatch"]}}
    text = merge("{}", stale, "claude-code")
    value = json.loads(text)
    value["hooks"]["PreToolUse"] *= 2
    assert json.loads(merge(json.dumps(value), WANTED, "claude-code")) == WANTED


def test_an_entry_that_was_put_among_others_is_found_there():
    mine, ours_too = {"type": "command", "command": "mine"}, {"type": "command", "command": OLD}
    group = {"matcher": "Read", "hooks": [mine, ours_too]}
    text = json.dumps({"hooks": {"PreToolUse": [group]}})
    assert [*ours(json.loads(text), "claude-code")] == [("hooks", "PreToolUse", 0, "hooks", 1)]
    after = json.loads(merge(text, WANTED, "claude-code"))
    assert after["hooks"]["PreToolUse"] == [
        {"matcher": "Read", "hooks": [mine]},
        *WANTED["hooks"]["PreToolUse"],
    ]
    alone = {"hooks": {"PreToolUse": [{"matcher": "Read", "hooks": [mine]}]}}
    assert json.loads(unmerge(text, WANTED, "claude-code", None)) == alone


EMPTY = [
    "{}",
    "{ }\n",
    "{\n}\n",
    '{"hooks": {}}',
    '{\n  "hooks": { /* none */ }\n}\n',
    "",
    "// x\n",
]


@pytest.mark.parametrize("before", EMPTY)
def test_what_was_empty_before_is_empty_in_the_same_way(before):
    after = merge(before, WANTED, "claude-code")
    assert unmerge(after, WANTED, "claude-code", before) == before


@pytest.mark.parametrize(
    "before",
    [
        '{"hooks": { }, "model": "x"}',
        '{\n  "hooks": {\n  },\n  "model": "x"\n}\n',
        '{\n  "hooks": {"PreToolUse": [ ]},\n  "model": "x"\n}\n',
    ],
)
def test_so_it_is_where_somebody_changed_something_else_in_between(before):
    after = merge(before, WANTED, "claude-code").replace('"x"', '"y"')
    assert unmerge(after, WANTED, "claude-code", before) == before.replace('"x"', '"y"')


def test_what_somebody_added_in_between_stays():
    before = '{\n  "hooks": {}\n}\n'
    after = merge(before, WANTED, "claude-code")
    more = after.replace('{\n  "hooks"', '{\n  "model": "opus", // fast\n  "hooks"', 1)
    assert unmerge(more, WANTED, "claude-code", before) == before.replace(
        '{\n  "hooks"', '{\n  "model": "opus", // fast\n  "hooks"'
    )


WRONG = [
    ("no object at all", "[1]", "line 1: the whole is a list where an object belongs"),
    ("a text", '"x"', "the whole is no container"),
    ("hooks in a list", '{\n "hooks": []\n}', "line 2: 'hooks' is a list where an object belongs"),
    ("hooks that are off", '{"hooks": null}', "'hooks' is no container"),
    ("an event that is no list", '{"hooks": {"PreToolUse": {}}}', "'PreToolUse' is an object"),
    ("two hooks", '{"hooks": {}, "hooks": {}}', "the whole holds the key 'hooks' twice"),
    (
        "one event twice",
        '{"hooks": {"Stop": [], "Stop": []}}',
        "'hooks' holds the key 'Stop' twice",
    ),
    ("an error", '{"hooks": {}', "is not valid JSON (line 1"),
]


@pytest.mark.parametrize(("what", "text", "said"), WRONG, ids=[row[0] for row in WRONG])
def test_settings_that_cannot_hold_our_entries_are_refused_in_one_line(what, text, said):
    with pytest.raises(InstallError) as error:
        merge(text, WANTED, "claude-code")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_an_entry_without_a_command_is_ours_where_it_is_the_same():
    wanted = {"plugin": ["truepath-opencode"], "hooks": {"on": [{"use": "truepath"}]}}
    before = '{"plugin": ["other"]}'
    after = merge(before, wanted, "opencode")
    assert json.loads(after) == {**wanted, "plugin": ["other", "truepath-opencode"]}
    assert merge(after, wanted, "opencode") == after
    assert unmerge(after, wanted, "opencode", before) == before


def test_a_version_that_is_not_known_is_refused():
    wanted = {"version": 1, **WANTED}
    with pytest.raises(InstallError, match="'version' is 2, and 1 is all that is known here"):
        merge('{"version": 2}', wanted, "claude-code")
    after = merge("", wanted, "claude-code")
    assert json.loads(after)["version"] == 1
    assert unmerge(after, wanted, "claude-code", "") == ""
    theirs = '{"version": 1}'
    assert unmerge(merge(theirs, wanted, "claude-code"), wanted, "claude-code", theirs) == theirs


FOREIGN = st.sampled_from(
    [
        {"matcher": "Read", "hooks": [{"type": "command", "command": "mine"}]},
        {"hooks": [{"type": "http", "url": "https://example.org"}]},
        {"hooks": []},
        {},
    ]
)
EVENTS = st.sampled_from(["PreToolUse", "PostToolBatch", "Stop"])
SHAPED = values(containers=True).flatmap(
    lambda value: st.one_of(
        st.just(value),
        st.dictionaries(EVENTS, st.lists(FOREIGN, max_size=2)).map(
            lambda hooks: {**value, "hooks": hooks}
        ),
    )
)


@given(documents(SHAPED))
def test_any_settings_get_our_entries_and_come_back(document):
    text, value = document
    after = merge(text, WANTED, "claude-code")
    assert read(after).root.value == merged(value, WANTED)
    assert merge(after, WANTED, "claude-code") == after
    assert unmerge(after, WANTED, "claude-code", text) == text
    assert _comments(after) == _comments(text)
    unknown = unmerge(after, WANTED, "claude-code", None)
    assert _bare(read(unknown).root.value) == _bare(value)
    assert _comments(unknown) == _comments(text)


@given(documents(SHAPED), st.sampled_from([OLD, "truepath hook claude-code"]))
def test_any_settings_with_an_older_client_get_the_newer_one(document, client):
    text, _ = document
    older = merge(text, content(claude_code, client), "claude-code")
    newer = merge(older, WANTED, "claude-code")
    assert read(newer).root.value == read(merge(text, WANTED, "claude-code")).root.value
    assert unmerge(newer, WANTED, "claude-code", text) == text


def merged(value, wanted):
    """Return what settings are to hold, made in the simplest way there is."""
    value = copy.deepcopy(value)
    for place, items in lists(wanted):
        holder = value
        for step in place[:-1]:
            holder = holder.setdefault(step, {})
        holder.setdefault(place[-1], []).extend(items)
    return value


def _bare(value):
    """Return a value without empty containers: without the original nobody knows whose they are."""
    if isinstance(value, dict):
        inner = {key: _bare(each) for key, each in value.items()}
        return {key: each for key, each in inner.items() if each not in ({}, [])}
    return value


def _comments(text):
    return [
        text[token.start : token.end]
        for token in read(text).tokens
        if token.kind in ("line", "block")
    ]


def test_codex_and_claude_code_do_not_see_each_other():
    both = merge(merge("{}", WANTED, "claude-code"), content(codex, "truepath-hook codex"), "codex")
    assert json.loads(unmerge(both, WANTED, "claude-code", None)) == content(
        codex, "truepath-hook codex"
    )
