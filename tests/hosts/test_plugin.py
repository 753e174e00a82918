"""The plugins that hosts load: the JavaScript, run by Node."""

from __future__ import annotations

import json
import os

import hooks
import pytest
from plugins import READ, REAL, SHELL, Host, needs_node
from rows import read

from truepath.config.files import entry_kind
from truepath.hosts import find

NAMES = ("opencode", "pi")
MISSING = "No such file or directory"


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("plugin") / "repo")


@pytest.fixture(params=NAMES)
def host(request, tmp_path, root, monkeypatch):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path / "state"))
    return Host(request.param, tmp_path / "plugin", root)


@pytest.mark.parametrize("name", NAMES)
def test_the_script_is_one_file_that_says_whose_it_is(name):
    [piece] = find(name).pieces("/usr/bin/truepath-hook opencode", timeout=7)
    assert "truepath" in piece.content[:600]
    assert "timeout: 7000" in piece.content
    assert piece.project.endswith(piece.user)


WILD = [
    "a'b\"c\\d",
    "${x} `y` </script> //",
    "SETUP // const SETUP",
    "zeile\nzwei \u2028 \u00e9 \udc80",
    "{timeout} {{}} %s \\u0041",
]


@needs_node
@pytest.mark.parametrize("words", WILD)
def test_any_command_stands_in_the_script_as_it_is(words, tmp_path, root):
    host = Host("pi", tmp_path / "p", root)
    answer = {"text": "told"}
    client = (
        f"{host.answering(['', answer])} {'# ' + words if chr(10) not in words else ''}"
    )
    ended = host.play(client, host.read("nope"), {"end": "c1", "output": "ok"})
    assert ended[1] == "ok\n\ntold"
    [piece] = find("pi").pieces(words, timeout=1)
    line = next(
        line for line in piece.content.splitlines() if line.startswith("  client:")
    )
    assert json.loads(line.split(":", 1)[1].rstrip(",")) == words


# What every plugin does


@needs_node
def test_what_is_there_asks_nobody(host):
    client = host.answering(["", {"refuse": "no"}])
    paths = [
        "docs/status.md",
        str(host.root / "docs/status.md"),
        "./src/app/settings.py",
    ]
    began = host.play(client, *(host.read(path) for path in paths))
    assert [step["args"] for step in began] == [
        host.read(path)["args"] for path in paths
    ]
    assert host.asked == []


@needs_node
def test_what_is_not_plain_to_see_is_asked(host):
    paths = [
        "specs/status.md",  # it is not there
        "docs/../docs/status.md",  # behind a link that may lead anywhere
        "/etc/hostname",  # it is outside
        "",  # it is empty
        "docs/status.md\0",  # it is no path
    ]
    host.play(
        host.answering(), *(host.read(path, f"c{n}") for n, path in enumerate(paths))
    )
    tool, argument = READ[host.name]
    assert [asked["arguments"] for asked in host.asked] == [
        {argument: path} for path in paths
    ]
    for number, asked in enumerate(host.asked):
        assert asked["event"] == "before"
        assert (asked["tool"], asked["session"], asked["call"]) == (
            tool,
            "s",
            f"c{number}",
        )
        assert asked["cwd"] == str(host.root)


@needs_node
def test_a_script_finds_what_the_engine_finds(host, tmp_path):
    host.root = tmp_path / "repo"
    hooks.lay_out_entries(host.root)
    paths = [path for path, _ in hooks.ENTRIES.values()]
    calls = [host.read(path, f"c{number}") for number, path in enumerate(paths)]
    host.play(host.answering(), *calls)
    _, kind = find(host.name).PATH_TOOLS[READ[host.name][0]]

    def is_found(path):
        try:
            return entry_kind(f"{host.root}/{path}") in hooks.FOUND_BY[kind]
        except OSError:  # the disk does not tell
            return False

    asked = [asked["arguments"][READ[host.name][1]] for asked in host.asked]
    assert asked == [path for path in paths if not is_found(path)]


@needs_node
def test_a_new_file_is_asked_for(host):
    tool = "write"
    argument = "filePath" if host.name == "opencode" else "path"
    paths = ["docs/new.md", "doc/new.md", "docs/sub/new.md", "docs/"]
    steps = [{"begin": "c", "tool": tool, "args": {argument: path}} for path in paths]
    host.play(host.answering(), *steps)
    assert [each["arguments"][argument] for each in host.asked] == paths


@needs_node
def test_a_changed_argument_takes_the_place_of_the_old_one_and_the_end_tells_of_it(
    host,
):
    _, argument = READ[host.name]
    answer = {"arguments": {argument: "docs/status.md"}, "text": "TOLD"}
    step = host.read("specs/status.md")
    step["args"]["limit"] = 12345678901234567890
    client = host.answering(["specs", answer])
    began, end, again = host.play(
        client, step, {"end": "c1", "output": "green"}, {"end": "c1", "output": "green"}
    )
    assert began["args"][argument] == "docs/status.md"
    assert end == "green\n\nTOLD"
    assert again == "green"
    _, ended = host.asked
    assert (ended["event"], ended["arguments"][argument]) == (
        "failure",
        "docs/status.md",
    )
    assert not {"error", "output"} & {*ended}


@needs_node
def test_what_the_end_of_a_changed_call_is_told_takes_the_place_of_what_was_to_be_said(
    host,
):
    _, argument = READ[host.name]
    answer = {"arguments": {argument: "docs/status.md"}, "text": "OK"}
    kept = {"arguments": {argument: "kept.md"}, "text": "OK"}
    client = host.answering(
        ["specs", answer], ["lib", kept], ["docs", {"text": "FAILED"}]
    )
    _, end, _, refused = host.play(
        client,
        host.read("specs/status.md"),
        {"end": "c1", "output": "green"},
        host.read("lib/kept.md", "c2"),
        {"end": "c2", "error": "the user said no"},
    )
    assert end == "green\n\nFAILED"
    assert refused == "the user said no"


@needs_node
def test_the_user_is_shown_what_was_changed_and_where_that_fails_the_call_goes_on(host):
    _, argument = READ[host.name]
    there, wrong = host.read("/etc/hostname", "c0"), host.read("specs/status.md")
    _, began, end, shown = host.play(
        f"{REAL}{host.name}", there, wrong, {"end": "c1", "output": "x"}, {"shown": 1}
    )
    assert began["args"][argument] == "docs/status.md"
    assert end.startswith("x\n\nOK: `docs/status.md` in place of ")
    assert shown == ["truepath: specs/status.md -> docs/status.md"]


@needs_node
def test_a_refusal_is_the_reason_word_for_word_and_is_not_asked_of_again(host):
    client = host.answering(["", {"refuse": "PATH_NOT_FOUND: `a`\nNext: b"}])
    began, end = host.play(
        client,
        host.read("nope"),
        {"end": "c1", "error": "PATH_NOT_FOUND: `a`\nNext: b"},
    )
    assert began == {"refused": "PATH_NOT_FOUND: `a`\nNext: b"}
    assert end == "PATH_NOT_FOUND: `a`\nNext: b"
    assert len(host.asked) == 1


@needs_node
def test_a_failure_is_told_of_once_beside_what_was_said_before(host):
    client = host.answering(
        ['"before"', {"text": "BEFORE"}], ['"failure"', {"text": "AFTER"}]
    )
    _, end = host.play(client, host.read("nope"), {"end": "c1", "error": MISSING})
    assert end == f"{MISSING}\n\nBEFORE\n\nAFTER"
    assert [each["event"] for each in host.asked] == ["before", "failure"]
    assert host.asked[1]["error"] == MISSING


@needs_node
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("PATH_NOT_FOUND: x", False),
        ("STRATEGY_SHIFT: 2", True),
        ("OK: `x` in place of `y`.", True),
    ],
)
def test_advice_is_left_out_where_the_host_suggests_something_itself(host, text, told):
    client = host.answering(['"before"', {"text": text}])
    error = f"{MISSING}\n\nDid you mean one of these?\n/repo/y"
    _, end = host.play(client, host.read("nope"), {"end": "c1", "error": error})
    assert end == (f"{error}\n\n{text}" if told else error)


@needs_node
def test_after_an_answer_the_next_calls_are_seen_and_then_no_more(host):
    there = [host.read("docs/status.md", f"c{number}") for number in range(9)]
    client = host.answering(["specs", {"text": "TOLD"}])
    host.play(client, *there[:2], host.read("specs/status.md"), *there)
    assert len(host.asked) == 1 + 5


@needs_node
def test_a_prompt_is_told_only_where_something_waits_and_ends_that(host):
    client = host.answering(['"before"', {"text": "TOLD"}])
    host.play(
        client,
        {"say": "one"},
        host.read("specs/status.md"),
        {"say": "two"},
        host.read("docs/status.md"),
        {"say": "three"},
    )
    events = [(each["event"], each["prompt"]) for each in host.asked]
    assert events == [("before", "one"), ("prompt", "two")]
    assert host.asked[1]["cwd"] == str(host.root)


@needs_node
def test_the_first_prompt_in_a_resumed_session_is_told_because_misses_may_be_left(host):
    prompts = [{"say": "one"}, {"say": "two"}]
    host.play(host.answering(), {"resume": True}, *prompts)
    events = [(each["event"], each["prompt"]) for each in host.asked]
    assert events == [("prompt", "one")]
    assert "resumed" not in host.asked[0]


# A client that is broken


@needs_node
@pytest.mark.parametrize(
    "name", ["pi", pytest.param("opencode", marks=pytest.mark.heavy)]
)
def test_whatever_breaks_blocks_nothing(name, tmp_path, root):
    host = Host(name, tmp_path / "p", root)
    for row in read("hosts/broken_clients"):
        step, fault = host.read("specs/status.md"), row["why"]
        began, failed, ran, end = host.play(
            row["client"],
            step,
            {"end": "c1", "error": MISSING},
            host.shell("x" * 300_000, "c2"),
            {"end": "c2", "output": "ok"},
        )
        assert began == {"args": step["args"]}, fault
        assert failed == MISSING, fault
        assert ran == {"args": host.shell("x" * 300_000)["args"]}, fault
        assert end == "ok", fault


@needs_node
def test_a_client_that_hangs_is_ended_with_all_it_started(host, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    refusal = '{"refuse": "no"}'
    client = f"exec 3>'{pipe}'; echo begun >&3; sleep 300 & sleep 300; echo '{refusal}'"
    [step] = host.play(client, host.read("nope"), timeout=1)
    assert "args" in step
    # Reads to the end, which comes once nobody holds the pipe any more.
    os.set_blocking(reader, True)
    with open(reader, "rb") as held:
        assert held.read() == b"begun\n"


# With the real client


@needs_node
def test_the_real_client_corrects_refuses_and_tells(host):
    began, end, refused, shift = host.play(
        REAL + host.name,
        host.read("specs/status.md"),
        {"end": "c1", "output": "green"},
        host.read("lib/util.py", "c2"),
        host.read("libs/util.py", "c3"),
    )
    _, argument = READ[host.name]
    assert began["args"] == {argument: "docs/status.md"}
    assert end.startswith("green\n\nOK: `docs/status.md` in place of `specs/status.md`")
    assert refused["refused"].startswith("PATH_NOT_FOUND: `lib/util.py`")
    assert "`pkg/two/util.py`" in refused["refused"]
    assert shift["refused"].startswith("STRATEGY_SHIFT: 2 misses in a row")


@needs_node
def test_a_prompt_in_a_resumed_session_ends_the_streak_of_the_process_before(host):
    client = REAL + host.name
    host.play(client, {"say": "go"}, host.read("lib/util.py"))
    *_, first, _, second = host.play(
        client,
        {"resume": True},
        {"say": "the other one"},
        host.read("libs/util.py", "c2"),
        {"end": "c2", "error": "PATH_NOT_FOUND"},
        host.read("libz/util.py", "c3"),
    )
    assert first["refused"].startswith("PATH_NOT_FOUND: `libs/util.py`")
    assert second["refused"].startswith("STRATEGY_SHIFT: 2 misses in a row")


@needs_node
def test_a_resumed_session_without_a_prompt_goes_on_with_its_streak(host):
    host.play(REAL + host.name, host.read("lib/util.py"))
    [shift] = host.play(REAL + host.name, host.read("libs/util.py", "c2"))
    assert shift["refused"].startswith("STRATEGY_SHIFT: 2 misses in a row")


@needs_node
def test_the_real_client_explains_a_failure(host):
    error = f"cat: specs/status.md: {MISSING}"
    tool, argument = SHELL[host.name]
    step = {"begin": "c1", "tool": tool, "args": {argument: "frob specs/status.md"}}
    _, end = host.play(REAL + host.name, step, {"end": "c1", "error": error})
    assert end.startswith(f"{error}\n\nPATH_NOT_FOUND: `specs/status.md` (renamed in ")
    assert "`docs/status.md`" in end


# What is particular to OpenCode 1.18.33


def test_the_plugin_has_one_export_for_opencode_loads_each_of_them():
    [piece] = find("opencode").pieces("truepath hook opencode")
    assert piece.content.count("export ") == 1


SETTINGS = {
    "permission": {"read": {"specs/*": "deny"}},
    "agent": {"build": {"permission": {"bash": {"cat lib/*": "deny"}}}, "plan": {}},
}


@needs_node
@pytest.mark.parametrize("host", ["opencode"], indirect=True)
def test_a_rule_on_the_path_as_it_was_written_still_holds(host):
    read = host.read("specs/status.md")
    _, began = host.play(REAL + "opencode", {"rules": SETTINGS}, read)
    assert began == {"args": read["args"]}
    [began] = host.play(REAL + "opencode", read)
    assert began == {"args": {"filePath": "docs/status.md"}}


@needs_node
def test_of_what_went_well_only_a_command_that_says_what_it_lacks_is_asked(host):
    client = host.answering(['"failure"', {"text": "TOLD"}])
    lacks = "npm error Missing script: x"
    read, first, second = host.read("a"), host.shell("b", "c2"), host.shell("d", "c3")
    steps = [read, {"end": "c1", "output": lacks}, first, {"end": "c2", "output": "ok"}]
    ends = host.play(client, *steps, second, {"end": "c3", "output": lacks})[1::2]
    assert ends == [lacks, "ok", f"{lacks}\n\nTOLD"]
    asked = [each for each in host.asked if each["event"] == "failure"]
    assert [each["output"] for each in asked] == [lacks]
    assert "error" not in asked[0]


@needs_node
@pytest.mark.parametrize("host", ["opencode"], indirect=True)
def test_a_command_that_failed_went_well_for_opencode(host):
    client = host.answering(['"failure"', {"text": "TOLD"}])
    well, failed = {"end": "c1", "output": "ok", "exit": 0}, {"output": "no", "exit": 1}
    _, one, _, two = host.play(
        client, host.shell("a"), well, host.shell("b", "c2"), {"end": "c2", **failed}
    )
    assert (one, two) == ("ok", "no\n\nTOLD")
    assert [each.get("error") for each in host.asked] == [None, None, "no"]


@needs_node
@pytest.mark.parametrize("host", ["opencode"], indirect=True)
def test_an_error_of_a_call_that_it_did_not_see_is_left_alone(host):
    client = host.answering(["", {"text": "TOLD"}])
    todo = {"begin": "c1", "tool": "todowrite", "args": {"todos": []}}
    _, end = host.play(client, todo, {"end": "c1", "error": "no"})
    assert end == "no"
    assert host.asked == []


@needs_node
@pytest.mark.parametrize("host", ["opencode"], indirect=True)
def test_each_request_to_the_model_is_a_turn(host):
    steps = [({"say": f"p{at}"}, host.read("nope", f"c{at}")) for at in range(3)]
    host.play(host.answering(), *[step for pair in steps for step in pair])
    before = [each for each in host.asked if each["event"] == "before"]
    assert len({each["turn"] for each in before}) == 3
    assert [each["prompt"] for each in before] == ["p0", "p1", "p2"]


# What is particular to pi 1.5.2


@needs_node
@pytest.mark.parametrize("host", ["pi"], indirect=True)
def test_a_listing_without_a_path_asks_nobody(host):
    steps = [
        {"begin": tool, "tool": tool, "args": {"pattern": "a"}}
        for tool in ("ls", "grep")
    ]
    host.play(host.answering(), *steps)
    assert host.asked == []


@needs_node
@pytest.mark.parametrize("host", ["pi"], indirect=True)
def test_each_answer_of_the_model_is_a_turn(host):
    host.play(
        host.answering(), {"say": "p"}, host.read("a", "c1"), host.read("b", "c2")
    )
    before = [each for each in host.asked if each["event"] == "before"]
    assert len({each["turn"] for each in before}) == 2
    assert {each["prompt"] for each in host.asked} == {"p"}


@needs_node
@pytest.mark.parametrize("host", ["pi"], indirect=True)
def test_an_edit_keeps_all_but_its_path(host):
    edits = [{"oldText": "a", "newText": "b"}]
    step = {"begin": "c", "tool": "edit", "args": {"path": "nope", "edits": edits}}
    client = host.answering(["", {"arguments": {"path": "docs/status.md"}}])
    [began] = host.play(client, step)
    assert began == {"args": {"path": "docs/status.md", "edits": edits}}
