"""Settings of every host with our hooks and without them."""

from __future__ import annotations

import runpy
from difflib import ndiff
from json import dumps

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath import __version__
from truepath.hook.command import PLUGINS, clients
from truepath.hook.installed import label
from truepath.hosts import HOSTS, find
from truepath.hosts.claude_code import host as claude_code
from truepath.install import InstallError
from truepath.install.settings import (
    added,
    changed,
    freed,
    is_there,
    opened,
    ours_in,
    unread,
    with_hooks,
)


def content(host, client):
    [piece] = host.pieces(client)
    return piece.content


CLIENT = "/opt/tools/bin/truepath-hook claude-code"
WANTED = content(claude_code, CLIENT)
OURS = [label(claude_code.hook(CLIENT, 10))]
TABLES = [
    name for name in HOSTS if not isinstance(find(name).pieces("x")[0].content, str)
]

CLAUDE = """\
{
  "$schema": "https://json.schemastore.org/claude-code-settings.json",
  "permissions": {
    "allow": [
      "Bash(npm run test:*)",
      "Bash(/opt/tools/bin/truepath-hook claude-code || true)"
    ]
  },
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "Bash",
        "hooks": [
          {
            "type": "command",
            "command": "deny.sh && /opt/tools/bin/truepath-hook claude-code || true"
          }
        ]
      }
    ],
    "Stop": []
  },
  "model": "opus"
}
"""


@pytest.mark.parametrize("name", TABLES)
def test_every_host_gets_its_entries_and_is_freed_of_them(name):
    client = f"/opt/truepath-hook {name}"
    wanted, ours = content(find(name), client), [label(find(name).hook(client, 10))]
    before = {"model": "x", "hooks": {"Stop": []}}
    after = with_hooks(before, wanted)
    assert is_there(after, wanted, ours)
    left = freed(after, ours)
    left.pop("version", None)  # which the user's other hooks need by then
    assert left == before


def test_all_of_others_stays_in_its_order_and_its_form():
    after = added(CLAUDE, WANTED)
    gone = [
        line[2:]
        for line in ndiff(CLAUDE.splitlines(), after.splitlines())
        if line[:1] == "-"
    ]
    assert gone == ['    "Stop": []']  # a comma more, for what follows
    assert changed(after, freed(opened(after), OURS)) == CLAUDE


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
    assert changed(text, opened(text)) == text
    there = opened(text)
    assert changed(changed("", {**there, "b": [{}]}, like=text), there) == text


WRONG = [
    ("no object at all", "[1]", "is not a JSON object"),
    ("hooks in a list", '{"hooks": []}', "'hooks' is not an object"),
    ("hooks that are off", '{"hooks": null}', "'hooks' is not an object"),
    (
        "an event that is no list",
        '{"hooks": {"PreToolUse": {}}}',
        "'PreToolUse' is not a list",
    ),
    ("two hooks", '{"hooks": {},\n "hooks": {}}', "the key 'hooks' again in line 2"),
    ("two of an inner one", '{"a": [{"b": 1, "b": 1}]}', "the key 'b' again in line 1"),
    ("an error", '{"hooks": {}', "is not JSON"),
    ("a comment alone", "// x", "is not JSON"),
    ("a comment that does not end", "{} /* x", "is not JSON"),
    ("deeper than anything", "[" * 100_000, "is not JSON"),
    ("another version", '{"version": 2}', "'version' is 2, but only 1 is supported"),
]


@pytest.mark.parametrize(("what", "text", "said"), WRONG, ids=[row[0] for row in WRONG])
def test_settings_that_cannot_hold_our_entries_are_refused_in_one_line(
    what, text, said
):
    with pytest.raises(InstallError) as error:
        with_hooks(opened(text), {"version": 1, **WANTED})
    assert said in str(error.value)
    assert "\n" not in str(error.value)


COMMENT = "a comment in line {} (`{}`)"
COMMA = "a comma before the `{}` in line {}"
MARK = "a byte order mark at the beginning"
KEY = "the key {!r} in line {}"
STRICT = "claude-code codex copilot cursor"
EVERY = f"{STRICT} gemini qwen"
SPELLED = [
    ("plain", '{"hooks": {"a": [1, 2],\n "b": "// , ]"}}', {}),
    ("a comma at the end", '{\n "hooks": {},\n}', {COMMA.format("}", 3): EVERY}),
    ("a comma in a list", '{"a": [1, 2, ]}', {COMMA.format("]", 1): EVERY}),
    ("a line", '{"hooks": {} // x\n}', {COMMENT.format(1, "//"): STRICT}),
    ("a note first", '/* x */\n{"hooks": {}}', {COMMENT.format(1, "/*"): STRICT}),
    ("a note alone in a list", '{"hooks": {"a": [ // x\n ]}}',
     {COMMENT.format(1, "//"): STRICT}),
    ("a comma and a note", '{"hooks": {}, // x\n}',
     {COMMENT.format(1, "//"): STRICT, COMMA.format("}", 2): "gemini qwen"}),
    ("a mark", '\ufeff{"hooks": {}}', {MARK: "codex copilot cursor gemini"}),
    ("a comma in a text", '{"hooks": {"a": ",]"}}', {}),
    ("a key", '{"hooks": {},\n "$schema": "x"}', {KEY.format("$schema", 2): "codex"}),
    ("a key of another level", '{"hooks": {"version": 1}, "description": ""}', {}),
]  # fmt: skip
"""(what, the text, what is named -> the programs that do not read it)"""


@pytest.mark.parametrize(("what", "text", "signs"), SPELLED)
def test_what_a_program_does_not_read_is_named_with_its_line(what, text, signs):
    opened(text)  # that of another program may hold it
    named = {name: sign for sign in signs for name in signs[sign].split()}
    for name in EVERY.split():
        assert unread(text, find(name)) == named.get(name, ""), name


KEPT = [
    ("nothing", ""),
    ("an empty object", "{ }"),
    ("one line", '{"a":1, "hooks":{"PreToolUse":[] ,"Stop": [ ]}, "z": "//{"}'),
    (
        "escapes and tabs",
        '{\r\n\t"u": "http:\\/\\/x \\u00e9é",\r\n\t"hooks": {"Stop": [ ] }\r\n}',
    ),
    ("a byte order mark", '\ufeff{\r\n  "model": "opus"\r\n}\r\n'),
    ("comments", '// mine\n{\n  // a\n  "a": "/*", // last\n  /* {"b": 1} */\n}\n'),
    (
        "commas after the last",
        '{\n  "hooks": {\n    "PreToolUse": [ // none\n    ],\n  },\n}',
    ),
    ("brackets in a text", '{"hooks": {"PreToolUse": [{"a": "]//}\\""}] }}'),
    ("settings as they are", CLAUDE),
]


@pytest.mark.parametrize(("what", "text"), KEPT, ids=[row[0] for row in KEPT])
def test_entries_are_inserted_and_all_else_stays_as_it_is_spelled(what, text):
    wanted = {"version": 1, **WANTED}
    new = with_hooks(opened(text), wanted)
    after = added(text, wanted)

    assert opened(after) == new
    at = iter(after)
    assert all(char in at for char in text), "what was there is there in its order"
    gone = [
        line
        for line in ndiff(text.splitlines(True), after.splitlines(True))
        if line[0] == "-"
    ]
    assert len(gone) <= 4, "only lines that get a comma or an entry differ"


def test_two_places_are_changed_and_no_comment_ends_up_before_a_bracket():
    text = '{"hooks": {"Stop": [] // mine\n}, "version": 1 // theirs\n}'
    after = changed(text, {"hooks": {}})
    assert opened(after) == {"hooks": {}}
    assert "// mine" in after
    assert "// theirs" in after


def test_comments_stay_where_entries_go():
    text = '{ // one\n  "a": 1, // two\n  "b": [2 /* three */], // four\n'
    text += '  "c": 3 // five\n}'
    for new in (
        {"a": 1, "c": 3},
        {"a": 1},
        {"c": 3},
        {"a": 1, "b": [], "c": 3},
        {"b": [2]},
        {},
    ):
        after = changed(text, new)
        assert opened(after) == new
        assert [
            each
            for each in ("one", "two", "three", "four", "five")
            if each not in after
        ] == []


FOREIGN = st.sampled_from(
    [
        {"matcher": "Read", "hooks": [{"type": "command", "command": "mine"}]},
        {"hooks": [{"type": "command", "command": f"deny.sh && {OURS[0]}"}]},
        {"hooks": [{"type": "http", "url": "https://example.org"}]},
        {"hooks": []},
        {},
        7,
    ]
)
EVENTS = st.sampled_from(["PreToolUse", "PostToolBatch", "Stop"])
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner)
    ),
    max_leaves=5,
)
SETTINGS = st.builds(
    lambda more, hooks: {**more, "hooks": hooks},
    st.dictionaries(st.text(max_size=3), VALUES, max_size=3),
    st.dictionaries(EVENTS, st.lists(FOREIGN, min_size=1, max_size=2), min_size=1),
)


@given(SETTINGS)
def test_any_settings_get_our_entries_and_are_freed_of_them(before):
    after = with_hooks(before, WANTED)
    assert is_there(after, WANTED, OURS)
    assert freed(after, OURS) == before == freed(before, OURS)
    lines = dumps(before, indent=1).split("\n")
    for text in (
        dumps(before),
        "\n".join(lines),
        "".join(f"{line} // mine\n" for line in lines),
    ):
        put = added(text, WANTED)
        assert opened(put) == after
        assert opened(changed(put, before)) == before
        assert changed(put, before).count("// mine") == text.count("// mine")
    for event, entries in WANTED["hooks"].items():
        assert after["hooks"][event] == [*before["hooks"].get(event, []), *entries]


def test_the_hooks_of_the_plugins_are_those_of_the_hosts(pytestconfig):
    script = pytestconfig.rootpath / "plugins/export.py"
    for file, text in runpy.run_path(str(script))["files"]():
        assert file.read_text("utf-8") == text, "run: python plugins/export.py"


@pytest.mark.parametrize("name", PLUGINS)
def test_the_hooks_of_the_plugins_are_ours_whole(name):
    wanted = content(find(name), PLUGINS[name])
    ours = [label(find(name).hook(PLUGINS[name], 10))]
    assert {line for _, line in ours_in(wanted, ours)} == {*ours}


@pytest.mark.parametrize(
    "manifest",
    [
        "plugins/gemini-cli/gemini-extension.json",
        "qwen-extension.json",
        "plugins/truepath/.claude-plugin/plugin.json",
        "plugins/truepath/.codex-plugin/plugin.json",
        "plugins/truepath/.github/plugin/plugin.json",
    ],
)
def test_the_plugin_has_the_version_of_the_package(manifest, pytestconfig):
    shipped = opened((pytestconfig.rootpath / manifest).read_text())
    assert (shipped["name"], shipped["version"]) == ("truepath", __version__)


def test_a_plugin_of_another_program_is_no_hook_of_another_tool():
    """The plugin's folder has the hooks of each program that can install it."""
    codex = find("codex")
    ours = {label(codex.hook(client, 10)) for client in clients("codex")}
    assert {label(codex.hook(client, 10)) for client in PLUGINS.values()} <= ours
