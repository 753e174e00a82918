"""The tables of the hosts: where one says that an event needs no thought, the engine
agrees.
"""

from __future__ import annotations

import json
import os

import hooks
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import check_each, read

from truepath.hosts import HOSTS, find
from truepath.hosts.table import Table


class Made(Table):
    EVENT_FIELD, TOOL_FIELD, ARGUMENTS_FIELD = "name", "call.tool", "call.input"
    CWD_FIELD = "where.cwd"
    EVENTS = {"before": "before", "failed": "failure", "after": "failure"}
    FAILURE_MARKS = {"after": ("no such", '"error":')}
    UNMET_MARKS = ("too large",)
    PATH_TOOLS = {
        "read": ("path", "file"),
        "look": ("path", "file"),
        "many": ("files[].path", "any"),
        "list": ("dir", "folder"),
    }
    READ_LIMITS = {"look": {"whole": 9, "part": 9, "argument": "limit"}}
    COMMAND_TOOLS = {"sh": ("command", "folder"), "shells": ("commands[]", "")}


def required(tool, arguments, name="before", cwd="/r"):
    event = {
        "name": name,
        "call": {"tool": tool, "input": arguments},
        "where": {"cwd": cwd},
    }
    return hooks.required(Made(), event)


def test_a_table_says_which_paths_must_be_there():
    def check(row):
        assert required(row["tool"], row["arguments"]) == row["needs"]

    check_each(read("hosts/needed"), check, lambda row: row["reason"])


def test_without_a_place_nobody_can_tell():
    assert required("read", {"path": "/a"}, cwd="") is None


def test_a_failure_is_looked_at_by_its_path_and_a_command_s_never():
    assert required("read", {"path": "a"}, name="failed") == [["/r/a", "file"]]
    assert required("sh", {"command": "cat a"}, name="failed") is None


def test_a_failure_that_says_more_than_that_a_path_is_missing_needs_thought():
    assert required("read", {"path": "a", "is": "Too LARGE"}, name="failed") is None
    assert required("read", {"path": "a", "is": "Too LARGE"}) == [["/r/a", "file"]]


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"name": "after", "text": "fine"}, []),
        ({"name": "after", "text": "No Such file"}, None),
        ({"name": "after", "error": "x"}, None),
        ({"name": "after", "text": '"error": x'}, []),
        ({"name": "stop", "text": "no such"}, []),
        ({}, []),
    ],
)
def test_an_event_with_marks_needs_thought_where_it_holds_one(event, expected):
    assert hooks.required(Made(), event) == expected


TEXTS = (
    "EVENT_FIELD TOOL_FIELD ARGUMENTS_FIELD CWD_FIELD SESSION_FIELD AGENT_FIELD".split()
)
KINDS = ("file", "edit", "folder", "any", "entry", "new", "target")


@pytest.mark.parametrize("name", HOSTS)
def test_every_host_has_a_table_of_plain_data(name):
    host = find(name)
    assert all(isinstance(getattr(host, part), str) for part in TEXTS)
    assert all(getattr(host, part) for part in TEXTS[:-1])
    assert all(kind in KINDS for _, kind in host.PATH_TOOLS.values())
    assert [*host.EVENTS.values()].index("before") == 0
    assert host.READ_LIMITS.keys() <= host.PATH_TOOLS.keys()
    assert all(mark == mark.lower() for mark in host.UNMET_MARKS)
    assert all(
        mark == mark.lower() for marks in host.FAILURE_MARKS.values() for mark in marks
    )
    assert {host.EVENTS[event] for event in host.FAILURE_MARKS} <= {"failure", "batch"}


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    """Make a repository with a second work tree beside it, and files that are kept
    secret.
    """
    root = hooks.make_project(tmp_path_factory.mktemp("stakes") / "repo")
    for path in (".env", "secrets/id_rsa", "src/app/main.py", "a b.txt"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).touch()
    (root / "link").symlink_to("src/app")
    hooks.git(root, "worktree", "add", "-q", str(root.parent / "wt"), "-b", "topic")
    return root


def put(event, name, value):
    """Set the field `name`, with dots, of an event."""
    *outer, last = name.split(".")
    for part in outer:
        event = event.setdefault(part, {})
    event[last] = value


def argument(name, value):
    """Return arguments with `value` under `name`, which may go through a list."""
    if not name:
        return value
    part, _, rest = name.partition(".")
    inner = argument(rest, value)
    return {part.removesuffix("[]"): [inner]} if part.endswith("[]") else {part: inner}


def event_of(host, tool, arguments, cwd, *, failed=False):
    """Return an event before a call, or after it failed where the host has an event for
    that.
    """
    ended = [name for name in host.EVENTS if host.EVENTS[name] == "failure"]
    known = [name for name in ended if failed and name not in host.FAILURE_MARKS]
    event = {}
    put(event, host.EVENT_FIELD, (*known, *host.EVENTS)[0])
    put(event, host.CWD_FIELD, str(cwd))
    put(event, host.SESSION_FIELD, "019a5555-1111-7000-8000-00000000000a")
    put(event, host.TOOL_FIELD, tool)
    put(event, host.ARGUMENTS_FIELD, arguments)
    return json.dumps(event).encode()


PATHS = st.sampled_from(
    """docs/status.md specs/status.md docs src src/app src/app/settings.py
    src/ap/settings.py lib pkg/one/util.py lib/util.py . .. ./docs /etc/hostname
    /etc /nowhere/x ../wt/docs/status.md ../wt/docs ../wt/docs/new.md ~/x docs/
    docs/status.md/ docs/status.md:12 a/docs/status.md @docs/status.md
    `docs/status.md` .env secrets/id_rsa secrets/new.pem docs/new.md docs/new
    docs/new/ docs/new. docs/new.md:3 docs/new.md, dosc/new.md Docs/new.md
    doc/new.md docs/n/new.md srcs/app/new.py src/App/new.py link/main.py link/new.py
    new.md .github/new.yml src/app/main.py file:///etc/hostname
    https://example.org/x *.md src/*.py repo/docs/status.md docs/é.md docs/-
    /repo/docs/status.md /workspace/docs/status.md docs\\status.md
    src//app/main.py""".split()
) | st.sampled_from(
    ["a b.txt", " docs/status.md", "docs/status.md ", "docs/a b.md", "docs/ ", ""]
)
TOOLS = [
    (name, tool, *rule)
    for name in HOSTS
    for tool, rule in find(name).PATH_TOOLS.items()
]

CALLS = st.fixed_dictionaries(
    {
        "path": PATHS,
        "absolute": st.booleans(),
        "below": st.sampled_from(["", "src", "docs", "link"]),
        "policy": st.sampled_from(
            ["careful", "recover", "suggest", "guide", "observe"]
        ),
        "failed": st.booleans(),
    }
)


@pytest.mark.parametrize("rule", TOOLS, ids=lambda rule: f"{rule[0]}-{rule[1]}")
@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(call=CALLS)
def test_where_a_host_s_table_is_quiet_the_engine_has_nothing_to_say(
    repo, monkeypatch, rule, call
):
    name, tool, where, _ = rule
    monkeypatch.setenv("TRUEPATH_POLICY", call["policy"])
    cwd = os.path.join(repo, call["below"])
    written = os.path.join(cwd, call["path"]) if call["absolute"] else call["path"]
    arguments = argument(where, written)
    data = event_of(find(name), tool, arguments, cwd, failed=call["failed"])
    if hooks.quiet(name, data):
        assert hooks.reply(name, data) == b""


@pytest.mark.parametrize(("name", "tool", "where", "kind"), TOOLS)
def test_a_host_s_table_is_quiet_over_what_is_there_and_only_then(
    repo, name, tool, where, kind
):
    there = "docs" if kind == "folder" else "docs/status.md"
    for path, quiet in ((there, True), ("dosc/status.md", False)):
        data = event_of(find(name), tool, argument(where, path), repo)
        assert hooks.quiet(name, data) == quiet


SHELLS = [
    (name, tool, *rule)
    for name in HOSTS
    for tool, rule in find(name).COMMAND_TOOLS.items()
]


@pytest.mark.parametrize(("name", "tool", "where", "folder"), SHELLS)
def test_a_host_s_shell_is_quiet_over_what_is_there_and_only_then(
    repo, name, tool, where, folder
):
    for command, quiet in (
        ("cat docs/status.md", True),
        ("cat specs/status.md", False),
    ):
        data = event_of(find(name), tool, argument(where, command), repo)
        assert hooks.quiet(name, data) == quiet
        if quiet:
            assert hooks.reply(name, data) == b""
    if not folder:
        return
    for there, quiet in (("docs", True), ("dosc", False)):
        arguments = argument(where, "cat status.md")
        cwd = os.path.join(repo, there)
        if folder != ".":
            arguments, cwd = {**arguments, folder: there}, repo
        data = event_of(find(name), tool, arguments, cwd)
        assert hooks.quiet(name, data) == quiet
        if quiet:
            assert hooks.reply(name, data) == b""
