"""An event holds what is to be known of one interception, and nothing else."""

from __future__ import annotations

import json
import re
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read

import truepath.journal.event
from truepath.journal.event import (
    _SECRET_MARKS,
    _SECRETS,
    KINDS,
    SCHEMA,
    Event,
    event_of,
    failure_of,
    of_path,
    redacted,
)
from truepath.types import Candidate, PathArgument, Resolution, Searched, ToolCall

RESOLUTION = Resolution(
    written="src/login.py",
    status="resolved",
    operation="read",
    path="src/auth/login.py",
    candidates=(
        Candidate("src/auth/login.py", 0.97, "leading-folders"),
        Candidate("lib/login.py", 0.41),
    ),
    searched=Searched(names=20_001, history=True),
    target="src/login.py",
)


def test_an_event_is_one_line_in_a_stable_order():
    call = ToolCall(
        "Read", {"file_path": "src/login.py"}, session="s", host="claude-code"
    )
    argument = PathArgument("file_path", "src/login.py", "read")
    event = event_of(
        "path.corrected", call, **of_path(argument, RESOLUTION), policy="careful"
    )
    event = replace(event, id="1", time=1795294263.12, elapsed_us=412)
    assert event.to_json() == (
        '{"schema":2,"id":"1","event":"path.corrected","time":"2026-11-21T20:51:03.120Z",'
        '"host":"claude-code","session":"s","tool":"Read","operation":"read",'
        '"argument":"file_path","requested":"src/login.py","target":"src/login.py",'
        '"resolved":"src/auth/login.py","status":"resolved","policy":"careful",'
        '"confidence":0.97,"reason":"leading-folders",'
        '"elapsed_us":412,"names":20001,"history":true}'
    )


names = st.text(max_size=30)
events = st.builds(
    Event,
    event=st.sampled_from(sorted(KINDS)),
    time=st.integers(0, 4_000_000_000_000).map(lambda ms: ms / 1000),
    session=names,
    requested=st.text(max_size=3000),
    resolved=names,
    index=st.none() | st.integers(0, 99),
    confidence=st.none() | st.integers(0, 10_000).map(lambda n: n / 10_000),
    reason=names,
    candidates=st.lists(names, max_size=40).map(tuple),
    streak=st.integers(0, 99),
    cut_short=st.booleans(),
)


@given(events)
def test_any_event_survives_its_json(event):
    line = event.to_json()
    assert line.isascii()
    assert "\n" not in line
    assert len(line) < 200_000
    again = Event.from_json(line)
    assert abs(again.time - event.time) < 0.001
    assert replace(again, time=event.time) == event


def test_identifiers_differ_and_sort_by_time():
    made = [Event(event="path.absent", time=now / 10).id for now in range(1_000, 1_100)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
secrets = st.text(alphabet, min_size=24, max_size=60)
carriers = st.sampled_from(
    [
        "https://{}@example.com/x.git",
        "https://user:{}@example.com/x.git",
        "sk-ant-api03-{}",
        "sk-{}",
        "dir/ghp_{}",
        "?token={}",
        "api/?key={}&x=1",
        "Bearer {}",
        "a/b.py\n{}",
        "x = 1\r{}",
    ]
)


@given(secrets, carriers, st.dictionaries(names, st.none()))
def test_secrets_and_contents_are_never_in_an_event(secret, carrier, others):
    written = carrier.format(secret)
    arguments = dict.fromkeys(others, secret) | {
        "file_path": written,
        "content": secret,
    }
    call = ToolCall("Write", arguments, session="s", prompt=f"my key is {secret}")
    argument = PathArgument("file_path", written, "write")
    resolution = Resolution(
        written,
        "absent",
        "write",
        target=written,
        candidates=(Candidate(written, 0.5),),
        note=secret,
    )
    event = event_of("path.absent", call, **of_path(argument, resolution))
    event = replace(event, replacement=written, candidates=(written,), project=written)
    line = event.to_json()
    assert secret not in line
    assert secret not in repr(event)
    assert secret not in Event.from_json(line).to_json()


@given(secrets)
def test_a_failure_is_told_without_its_message(secret):
    with pytest.raises(ValueError, match=secret) as caught:
        raise ValueError(secret)
    told = failure_of(caught.value)
    assert re.fullmatch(r"ValueError at test_event\.py:\d+", told)


REDACTED = [  # a path, and what is kept of it
    ("src/token/secret.py", "src/token/secret.py", "a word is no value"),
    *((path, path, "no secret") for path in (
        "docs/sk-learn-notes-on-images.md",
        "keys/public.key",
        "https://example.com/a@b.py",
        "node_modules/@scope/pkg/index.ts",
        "",
        "a b/ü/文件.txt",
        "x" * 1024,
    )),
    ("x" * 5000, "x" * 1023 + "…", "a long path is cut"),
    ("notes/glpat-Ab3dE5gH7jK9mN1pQ3sT/a.md", "notes/***/a.md", "a token"),
    ("notes/AKIAIOSFODNN7EXAMPLE/a.md", "notes/***/a.md", "a token"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "kept", "_reason"), REDACTED)
def test_of_a_path_all_is_kept_but_secrets_and_what_is_too_long(path, kept, _reason):
    assert redacted(path) == kept


FRAGMENTS = [
    *(
        "://",
        "@",
        "/",
        " ",
        "\n",
        ".",
        "=",
        "-",
        "a",
        "Ü",
        "ſ",
        "K",
        "x" * 20,
        "1" * 40,
    ),
    *("sk-", "SK-", "sk-ant-", "ghp_", "ghR_", "github_pat_", "glpat-", "xoxb-"),
    *("AKIA", "AIza", "eyJ", "token=", "Secret=", "paſſword=", "passwd=", "KEY="),
    *("bearer ", "Bearer ", "BEARER "),
]


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=6).map("".join) | secrets)
def test_a_text_with_a_secret_has_one_of_the_marks(text):
    if re.search(_SECRETS, text):
        assert any(mark in text.lower() for mark in _SECRET_MARKS)


def test_what_is_no_event_is_a_value_error():
    def check(row):
        with pytest.raises(ValueError):  # noqa: PT011  any: several readers raise it
            Event.from_json(row["line"])

    deep = {"line": "[" * 100_000, "why": "lists in lists"}
    check_each([*read("journal/no_events"), deep], check, lambda row: row["why"])


@given(st.binary(max_size=100))
def test_random_bytes_are_a_value_error_at_worst(data):
    with pytest.raises(ValueError):  # noqa: PT011
        Event.from_json(data)


def test_unknown_fields_of_newer_and_older_events_are_ignored():
    data = json.loads(Event(event="path.absent", time=1e9).to_json()) | {"mood": "good"}
    assert Event.from_json(json.dumps(data)).event == "path.absent"
    data |= {"schema": 1, "evidence": ["renamed"], "rival": 0.2}
    assert Event.from_json(json.dumps(data)).event == "path.absent"


def test_every_kind_and_field_has_a_docstring_in_order():
    text = Path(truepath.journal.event.__file__).read_text("utf-8")
    assert re.findall(r"^- `([\w.]+)`: ", text, re.MULTILINE) == KINDS
    told = re.findall(r'^    (\w+): [^\n]*\n    """', text, re.MULTILINE)
    assert told == [field.name for field in fields(Event)]
    page = Path(truepath.journal.event.__file__).parents[3] / "docs" / "events.md"
    assert f"Fields, schema {SCHEMA}" in page.read_text("utf-8")
