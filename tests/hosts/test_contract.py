"""One contract for all hosts: each row of their samples holds (see `host_samples`)."""

from __future__ import annotations

import hooks
import pytest
from host_samples import ALL, FOLDER, HOME, ROOT, SAMPLED, named, rows
from rows import check_each

from truepath.calls.tools import commands, is_discovery, path_arguments
from truepath.hosts import HOSTS, find
from truepath.install.smoke_test import event
from truepath.project.secrets import Deny
from truepath.types import Decision, ToolCall


def test_each_host_has_samples():
    without = [name for name, samples in ALL.items() if not samples.events]
    assert without == [], f"tests/hosts/samples/{without[0]}.jsonl: see host_samples.py"


def said_of(samples, row):
    event, environ = samples.event(row), samples.environ(row)
    return find(samples.name).decode(event, environ)


def rules_of(samples, row):
    environ = {**HOME, **row.get("environ", {})}
    return find(samples.name).rules(row["files"], environ, ROOT)


def test_what_the_engine_gets_of_an_event():
    def check(pair):
        samples, row = pair
        request, wanted = said_of(*pair), row["gets"]
        if wanted is None:
            assert request is None
            return
        calls = wanted.pop("calls", None)
        assert {name: getattr(request, name) for name in wanted} == wanted
        for exchange, call in zip(
            request.exchanges, calls or (), strict=calls is not None
        ):
            assert exchange.call.host == samples.name
            assert exchange.call.search_tools == find(samples.name).SEARCH_TOOLS
            for name, value in call.items():
                parts = (exchange.call, exchange.outcome, exchange)
                assert (
                    next(getattr(each, name) for each in parts if hasattr(each, name))
                    == value
                )

    check_each(rows("gets"), check, named)


def test_what_the_host_is_told_of_a_decision():
    def check(pair):
        samples, row = pair
        made = [Decision(**{"arguments": {}, **each}) for each in row["decisions"]]
        assert find(samples.name).encode(said_of(*pair), made) == row["says"]

    check_each(rows("says"), check, named)


def test_what_must_be_there_for_an_event_to_need_no_thought():
    def check(pair):
        samples, row = pair
        found = hooks.required(find(samples.name), samples.event(row))
        assert found == row["needs"]

    check_each(rows("needs"), check, named)


def test_which_calls_the_rules_of_a_host_forbid():
    def check(pair):
        _, row = pair
        assert rules_of(*pair).forbids(row["tool"], row["arguments"]) is row["denied"]

    check_each(rows("denied"), check, named)


def test_which_calls_a_host_asks_the_user_about():
    def check(pair):
        samples, row = pair
        call = {"host": samples.name, "cwd": ROOT, **row["call"]}
        assert rules_of(*pair).asks(ToolCall(**call)) is row["asked"]

    check_each(rows("asked"), check, named)


def test_which_files_the_rules_of_a_host_hide():
    def check(pair):
        _, row = pair
        denied = Deny(rules_of(*pair).hidden)
        paths = (*row["hidden"], *row["shown"])
        assert [path for path in paths if denied(path)] == row["hidden"]

    check_each(rows("hidden"), check, named)


def test_which_calls_the_rules_of_a_host_keep_as_they_came():
    def check(pair):
        _, row = pair
        assert rules_of(*pair).keep(ToolCall(**row["call"]), ROOT) is row["kept"]

    check_each(rows("kept"), check, named)


def test_which_calls_leave_the_folder_that_a_host_keeps_them_to():
    def check(pair):
        _, row = pair
        outside = rules_of(*pair).names_outside(ToolCall(**row["call"]), ROOT)
        assert outside is row["leaves"]

    check_each(rows("leaves"), check, named)


def test_where_a_host_keeps_rules():
    def check(pair):
        samples, row = pair
        found = find(samples.name).rule_files(row["environ"], ROOT)
        assert set(row["rules_in"]) <= {*found}

    check_each(rows("rules_in"), check, named)


def test_what_makes_a_host_call_us():
    def check(pair):
        samples, row = pair
        pieces = find(samples.name).pieces(f"truepath hook {samples.name}", timeout=7)
        for piece, each in zip(pieces, row["installs"], strict=True):
            assert {name: getattr(piece, name) for name in each} == each

    check_each(rows("installs"), check, named)


def test_every_row_of_the_samples_has_a_reason_of_its_own():
    assert {file.stem for file in FOLDER.iterdir()} <= {*HOSTS}
    for name in SAMPLED:
        samples = ALL[name]
        reasons = [row["reason"] for row in samples.rows]
        assert len({*reasons}) == len(reasons), name
        assert {"gets", "says"} <= {part for row in samples.rows for part in row}, name
        assert name == find(name).NAME


@pytest.mark.parametrize("name", HOSTS)
def test_the_tools_of_a_host_are_what_the_engine_takes_them_for(name):
    host = find(name)
    for tool, (argument, kind) in host.PATH_TOOLS.items():
        [found] = path_arguments(called(tool, argument, "/repo/a"))
        read_as = "file" if kind == "edit" else kind
        assert found.kind in (read_as, "file" if kind == "new" else "any"), tool
        call = called(tool, argument, "/repo/a")
        assert is_discovery(call) == (kind in ("any", "folder")), tool
    for tool, (argument, where) in host.COMMAND_TOOLS.items():
        folder = "" if where == "." else where
        call = called(tool, argument, "ls")
        call = ToolCall(
            tool, {**call.arguments, **({folder: "/repo"} if folder else {})}
        )
        assert [each.text for each in commands(call)] == ["ls"]
        assert [each.argument for each in path_arguments(call)] == (
            [folder] if folder else []
        )


def called(tool, argument, value):
    """Return a call with a value under a name, which may go through a list."""
    for part in reversed(argument.split(".")):
        value = {part.removesuffix("[]"): [value] if part.endswith("[]") else value}
    return ToolCall("Read" if tool == "Edit" else tool, value)


@pytest.mark.parametrize("name", HOSTS)
def test_through_the_hook_a_moved_file_is_named_and_one_that_is_there_met_with_silence(
    name, tmp_path, monkeypatch
):
    monkeypatch.setenv("PWD", str(tmp_path / "repo"))
    project = hooks.make_project(tmp_path / "repo")
    for path, told in (("docs/status.md", False), ("specs/status.md", True)):
        given = event(find(name), str(project), path)
        given |= {"permission_mode": "default"} if name == "claude-code" else {}
        status, out, err = hooks.run(given, name)
        assert (status, err) == (0, b"")
        assert (b"docs/status.md" in out) is told
