"""Gemini CLI itself, driven by a scripted model: what the model asks for and gets to read.

Each statement was observed to hold for the version that `package.json` pins.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from clients import gemini, rig
from clients.script import call, calls

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(180),
    rig.needs("gemini"),
]

MISSING = "File not found: "
BLOCKED = "Tool execution blocked: "
CORRECTED = "`specs/status.md` does not exist; using `docs/status.md`"


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def play(tmp_path, root):
    """Run a script; whatever it is, the run ends well and no answer gives a permission."""

    def run(*turns, **options):
        ran = gemini.run(tmp_path, list(turns), root=root, **options)
        assert ran.status == 0, ran.errors
        assert ran.turns == len(turns) + 1, ran.errors
        for answer in map(json.loads, ran.answered):
            assert set(answer) in ({"hookSpecificOutput"}, {"decision", "reason"})
            assert answer.get("decision", "deny") == "deny"
        return ran

    return run


def read(path, **more):
    return call("read_file", file_path=str(path), **more)


def edit(path, old="DEBUG = False"):
    texts = {"old_string": old, "new_string": "DEBUG = True"}
    return call("replace", file_path=str(path), instruction="debug", **texts)


def shell(command, **more):
    return call("run_shell_command", command=command, **more)


def test_the_program_is_the_pinned_one():
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())["dependencies"]
    assert rig.version(gemini.PACKAGE) == pinned[gemini.PACKAGE]


RIGHT = read("docs/status.md")
SCRIPT = [
    read("specs/status.md", start_line=1, end_line=1),
    shell("cat specs/status.md"),
    shell("cat ../specs/status.md", dir_path="src"),
    edit("src/settings.py"),
    edit("./src/settings.py", old="no such text"),
    call("list_directory", dir_path="repo/src/app"),
    calls(read("lib/util.py"), edit("lib/util.py"), shell("cat lib/util.py")),
    RIGHT,
    read("docs/quarterly_forecast_2031.md"),
    RIGHT,
    shell("rm specs/status.md"),
    RIGHT,
    shell("python3 -c 'open(\"specs/status.md\")'"),
]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """One run of calls that go wrong in every way, each beside what ends a streak."""
    place = tmp_path_factory.mktemp("served")
    root = rig.make_project(place)
    ran = gemini.run(place, SCRIPT, root=root)
    assert (ran.status, ran.turns) == (0, len(SCRIPT) + 1), ran.errors
    return root, ran.told


def having(told, *words):
    return [text for text in told if all(word in text for word in words)]


@pytest.mark.proves("correct")
def test_a_read_of_a_moved_file_returns_its_content_and_tells_the_real_path(served):
    _, told = served
    assert "STATUS all green" in told[0]
    assert "Showing lines 1-1" in told[0]  # no argument was lost
    assert f"<hook_context>PATH_CORRECTED: {CORRECTED}" in told[0]
    assert "[System] Tool input parameters were modified by a hook" in told[0]


@pytest.mark.proves("shell")
def test_a_command_with_a_moved_file_runs_on_the_real_one_and_tells_of_it(served):
    _, told = served
    assert all("Output: STATUS all green" in text for text in told[1:3])
    assert CORRECTED in told[1]
    assert "`../specs/status.md` does not exist; using `" in told[2]


@pytest.mark.proves("edit")
def test_an_edit_of_a_moved_file_is_made_where_it_is(served):
    root, told = served
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    assert not (root / "src/settings.py").exists()
    assert "`src/settings.py` does not exist; using `src/app/settings.py`" in told[3]


def test_a_corrected_call_that_fails_still_tells_its_error_and_then_the_real_path(served):
    _, told = served
    error, _, ours = told[4].partition("\n\n")
    assert error.startswith("Could not find an exact match for 'old_string'")
    assert ours.startswith("PATH_CORRECTED: `./src/settings.py`")


def test_a_folder_written_with_the_projects_name_before_it_is_listed(served):
    _, told = served
    assert "settings.py" in told[5]
    assert "using `src/app`" in told[5]


@pytest.mark.proves("ambiguous")
def test_a_name_in_two_folders_is_refused_with_both(served):
    _, told = served
    refused = having(told, BLOCKED, "`lib/util.py`")
    assert refused
    assert refused == having(refused, "pkg/one/util.py`", "pkg/two/util.py`")


@pytest.mark.proves("absent")
def test_a_file_that_is_nowhere_is_refused_with_a_next_step(served):
    _, told = served
    [refused] = having(told, BLOCKED, "`docs/quarterly_forecast_2031.md`")
    assert "Next: search" in refused


def test_a_removal_of_a_moved_file_is_refused_with_where_it_is(served):
    root, told = served
    assert (root / "docs/status.md").exists()
    assert having(told, BLOCKED, "`specs/status.md`", "`docs/status.md`")


def test_a_failure_that_only_the_output_tells_of_gets_candidates(served):
    _, told = served
    assert having(told, "FileNotFoundError", "<hook_context>PATH_NOT_FOUND", "`docs/status.md`")


def test_what_exists_is_met_with_silence(play, root):
    ran = play(
        read("docs/status.md"),
        calls(shell("cat nope.md 2>/dev/null || ls docs"), call("list_directory", dir_path="docs")),
        edit("src/app/settings.py"),
        edit("src/app/settings.py", old="no such text"),
        call("write_file", file_path="docs/made.md", content="made"),
        shell("mkdir -p build && echo made > build/log.txt && cat build/log.txt"),
    )
    assert ran.answered == []
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    assert (root / "docs/made.md").exists()


LOOPS = {
    "by several tools": [read("lib/util.py"), edit("libs/util.py"), shell("cat core/util.py")],
    "without variation": [read("lib/util.py")] * 3,
}


@pytest.mark.proves("loop")
@pytest.mark.parametrize("turns", LOOPS.values(), ids=LOOPS)
def test_in_a_loop_the_model_reads_the_strategy_shift_at_the_second_miss(play, turns):
    ran = play(*turns)
    [shift] = [text for text in ran.told if "STRATEGY_SHIFT" in text]
    assert "STRATEGY_SHIFT" not in ran.told[0]
    assert "STRATEGY_SHIFT: 2 misses in a row" in shift
    assert "glob, grep_search, list_directory" in shift


def test_the_misses_of_one_turn_are_no_loop_and_a_success_ends_one(play):
    # Edits of one turn are run one after another.
    misses = edit("lib/util.py"), edit("libs/util.py"), read("core/util.py")
    ran = play(calls(*misses), read("docs/status.md"), read("other/util.py"))
    assert ran.model_read.count("PATH_NOT_FOUND") == 4
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_a_path_that_the_user_typed_is_advised_upon_only(play):
    turns = (read("specs/status.md"), shell("cat specs/status.md"))
    ran = play(*turns, prompt="see specs/status.md!")
    error, _, ours = ran.told[0].partition("\n\n")
    assert error.startswith(MISSING)
    assert ours.startswith("PATH_NOT_FOUND")
    assert all("`docs/status.md`" in text for text in ran.told)
    assert "STATUS all green" not in ran.model_read


def test_what_stands_in_a_file_that_the_prompt_refers_to_was_not_typed(play, root):
    (root / "note.md").write_text("read specs/status.md\n")
    ran = play(read("specs/status.md"), prompt="do as @note.md says")
    assert "STATUS all green" in ran.model_read


def rule(tool, pattern):
    return f"[[rule]]\ntoolName = '{tool}'\n{pattern}\ndecision = 'deny'\npriority = 900\n"


@pytest.mark.proves("rules")
def test_a_rule_on_the_corrected_call_still_holds(play):
    rules = rule("read_file", "argsPattern = 'docs/'") + rule(
        "run_shell_command", "commandPrefix = 'cat docs/status.md'"
    )
    turns = (read("docs/status.md"), read("specs/status.md"), shell("cat specs/status.md"))
    ran = play(*turns, rules=rules)
    assert ran.told[0] == "Tool execution denied by policy."
    assert "STATUS all green" not in ran.model_read


@pytest.mark.proves("rules")
def test_a_rule_on_the_call_as_it_was_written_still_holds(play):
    rules = rule("read_file", "argsPattern = 'specs/'") + rule(
        "run_shell_command", "commandRegex = 'cat specs.*'"
    )
    ran = play(calls(read("specs/status.md"), shell("cat specs/status.md")), rules=rules)
    assert ran.told == ["Tool execution denied by policy."] * len(ran.told)
    assert ran.answered == []


def test_no_call_is_corrected_towards_a_file_that_gemini_ignores(play, root):
    (root / ".geminiignore").write_text("docs/\n")
    ran = play(read("specs/status.md"))
    assert "failed validation" not in ran.model_read
    assert "docs/status.md" not in ran.model_read


def test_switched_off_nothing_is_said_or_changed(play):
    ran = play(read("specs/status.md"), environ={"TRUEPATH": "0"})
    assert MISSING in ran.model_read
    assert ran.answered == []


BROKEN = [
    "echo '}{ no JSON at all'",
    f"'{sys.executable}' /nowhere/hook.py",
    f"'{sys.executable}' -I -S -m truepath hook gemini",
    "/nowhere/truepath hook gemini",
    "sleep 60",
    "sh -c 'echo blocked >&2; exit 2'",
    'printf \'{"decision": "deny", "reason": "cut sh\'',
]


@pytest.mark.proves("fail-open")
def test_whatever_breaks_blocks_nothing(play, root):
    goes_on(play, root, hook=BROKEN, record=False, timeout=1)


@pytest.mark.proves("fail-open")
def test_a_fault_inside_blocks_nothing(play, root, tmp_path):
    sources = tmp_path / "broken"
    shutil.copytree(rig.PROJECT / "src/truepath", sources / "truepath")
    (sources / "truepath/guard/guard.py").write_text("raise RuntimeError('broken')\n")
    assert goes_on(play, root, sources=sources).answered == []


def goes_on(play, root, **options):
    ran = play(
        calls(read("docs/status.md"), read("specs/status.md")),
        edit("src/app/settings.py"),
        **options,
    )
    assert "STATUS all green" in ran.model_read
    assert MISSING in ran.model_read
    assert BLOCKED not in ran.model_read
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    return ran


def test_an_input_is_replaced_and_not_merged_and_words_before_a_call_are_lost(play, tmp_path):
    output = {
        "hookEventName": "BeforeTool",
        "tool_input": {"file_path": "docs/status.md"},
        "additionalContext": "BEFORE",
    }
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"hookSpecificOutput": output}))
    only_before = gemini.script(tmp_path, f"grep -q BeforeTool && cat '{answer}'")
    ran = play(
        read("specs/status.md", start_line=1, end_line=1),
        call("write_file", file_path="docs/new.md", content="x"),
        hook=only_before,
        record=False,
    )
    assert "STATUS all green" in ran.told[0]
    assert "Showing lines" not in ran.told[0]
    assert "must have required property 'content'" in ran.told[1]
    assert "BEFORE" not in ran.model_read


def test_a_missing_command_would_block_every_call(play, monkeypatch):
    monkeypatch.setattr("truepath.hosts.gemini_cli._CALL", "grep -q BeforeAgent || {client}")
    ran = play(read("docs/status.md"), hook="/nowhere/truepath", record=False)
    assert ran.model_read.startswith(BLOCKED)


def test_a_call_that_validation_refuses_fires_no_event_of_a_tool(play):
    ran = play(
        calls(
            read("/nowhere/specs/status.md"),
            call("glob", pattern="*.md", dir_path="nowhere"),
            call("grep_search", pattern="green", dir_path="nowhere"),
        )
    )
    assert "Path not in workspace" in ran.model_read
    assert "Search path does not exist" in ran.model_read
    assert "\nPath does not exist" in ran.model_read
    assert {json.loads(text)["hook_event_name"] for text in ran.asked} == {"BeforeAgent"}


EXTENSION = rig.PROJECT / "plugins/gemini-cli"


def test_the_extension_is_valid_and_serves_where_truepath_is_on_the_path(play, root, tmp_path):
    place = tmp_path / "place with a space"
    shutil.copytree(EXTENSION, place / "truepath")
    client = place / "truepath-hook"
    script = rig.PROJECT / "src/truepath/hook/script.py"
    client.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" "$1"\n')
    client.chmod(0o755)
    env = gemini.environment(tmp_path)
    for words in (["validate"], ["link", "--consent"]):
        command = [rig.program("gemini"), "extensions", *words, str(place / "truepath")]
        subprocess.run(command, env=env, check=True, stdin=subprocess.DEVNULL, cwd=root)
    path = f"{place}:{env['PATH']}"
    ran = play(read("specs/status.md"), hook=[], environ={"PATH": path})
    assert "STATUS all green" in ran.model_read
    assert CORRECTED in ran.model_read
