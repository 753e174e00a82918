"""Cline CLI itself, driven by a scripted model: what the model asks for and gets to read.

Each statement was observed to hold for the version that `package.json` pins.
"""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from clients import cline, rig
from clients.script import Turn, call, calls

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(180),
    rig.needs("cline"),
]

MISSING = "Error reading file: ENOENT"
BEFORE, AFTER = '<hook_context source="PreToolUse"', '<hook_context source="PostToolUse"'


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def play(tmp_path, root):
    """Run a script; whatever it is, all of it is played and no answer ends the run."""

    def run(*turns, **options):
        ran = cline.run(tmp_path, list(turns), root=root, **options)
        assert ran.status == 0, ran.errors
        assert ran.turns == len(turns) + 1, ran.output
        for line in ran.answered:
            assert set(json.loads(line)) <= {"overrideInput", "contextModification"}
        return ran

    return run


def read(*paths):
    return call("read_files", files=[{"path": str(path)} for path in paths])


def edit(path):
    return call("editor", path=str(path), old_text="DEBUG = False", new_text="DEBUG = True")


def shell(*commands):
    return call("run_commands", commands=[*commands])


def settings(root):
    return (root / "src/app/settings.py").read_text()


def test_the_program_is_the_pinned_one():
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())["dependencies"]
    assert rig.version(cline.PACKAGE) == pinned[cline.PACKAGE]


@pytest.mark.proves("correct", "shell", "edit")
def test_a_moved_file_is_read_and_changed_where_it_is_and_the_model_told(play, root):
    ran = play(
        read("README.md", root / "specs/status.md"),
        shell("pwd", "cat specs/status.md"),
        edit(root / "src/settings.py"),
    )
    got, told, printed, told_of_command, edited, told_of_edit = ran.told
    assert "STATUS all green" in got
    assert "# demo" in got
    assert told.startswith(BEFORE)
    assert "docs/status.md`" in told
    assert "STATUS all green" in printed
    assert "`specs/status.md` does not exist; using `docs/status.md`" in told_of_command
    assert settings(root) == "DEBUG = True\n"
    assert "Edited" in edited
    assert "src/app/settings.py`" in told_of_edit
    assert not (root / "src/settings.py").exists()
    assert len(ran.answered) == 3


@pytest.mark.proves("ambiguous", "absent")
def test_what_cannot_be_corrected_fails_and_is_told_of_once_in_the_same_turn(play, root):
    ran = play(
        read(root / "lib/util.py"),
        read(root / "docs/quarterly_forecast_2031.md"),
        shell("rm specs/status.md"),
    )
    failures, told = ran.told[::2], ran.told[1::2]
    assert MISSING in failures[0]
    assert "pkg/one/util.py`" in told[0]
    assert "pkg/two/util.py`" in told[0]
    assert "file not found" in told[1]
    assert "`docs/status.md`" in told[2]
    assert all(text.startswith(BEFORE) for text in told)
    assert len(ran.answered) == 3


def test_an_edit_that_cannot_be_corrected_makes_the_file_and_is_told_of_at_once(play, root):
    ran = play(edit(root / "lib/util.py"), shell("python3 -c 'open(\"specs/status.md\")'"))
    assert "File created successfully" in ran.told[0]
    assert (root / "lib/util.py").exists()
    assert ran.told[1].startswith(BEFORE)
    assert "pkg/one/util.py`" in ran.told[1]
    # What only the output of a command tells of is told of after it.
    assert "FileNotFoundError" in ran.told[2]
    assert ran.told[3].startswith(AFTER)
    assert "`docs/status.md`" in ran.told[3]


def test_what_exists_is_met_with_silence(play, root):
    ran = play(
        calls(read(root / "docs/status.md", "README.md"), read("src/app/settings.py")),
        edit(root / "src/app/settings.py"),
        call("editor", path=str(root / "docs/new.md"), new_text="new\n", old_text=None),
        call("search_codebase", queries=["green"]),
        shell("cat nope.md 2>/dev/null || cat docs/new.md", "exit 3"),
    )
    assert ran.answered == []
    assert "hook_context" not in ran.model_read
    assert settings(root) == "DEBUG = True\n"
    assert (root / "docs/new.md").exists()


def test_paths_start_where_the_program_was_started(play, root):
    ran = play(read("statu.md", "status.md"), cwd="docs")
    assert "`docs/status.md`" in ran.told[1] or "`status.md`" in ran.told[1]
    assert "STATUS all green" in ran.told[0]


@pytest.mark.proves("loop")
def test_in_a_loop_the_model_reads_the_strategy_shift_at_the_second_miss(play, root):
    ran = play(read(root / "lib/util.py"), shell("cat libs/util.py"), read("core/util.py"))
    told = [text for text in ran.told if text.startswith(BEFORE)]
    assert "STRATEGY_SHIFT" not in told[0]
    assert "STRATEGY_SHIFT: 2 misses in a row" in told[1]
    assert "STRATEGY_SHIFT" not in told[2]  # once in a streak
    assert "search_codebase, run_commands (ls, find)" in told[1]


def test_the_misses_of_one_turn_are_no_loop(play, root):
    ran = play(calls(read("lib/util.py"), shell("cat libs/util.py"), read("core/util.py")))
    assert ran.model_read.count("PATH_NOT_FOUND") == 3
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_a_path_that_the_user_typed_is_advised_upon_only(play, root):
    ran = play(read(root / "specs/status.md"), prompt="please see specs/status.md!")
    assert MISSING in ran.told[0]
    assert "docs/status.md`" in ran.told[1]
    assert "STATUS all green" not in ran.model_read


def test_a_sub_agent_is_served_and_has_its_own_misses(play, root):
    ran = play(
        read(root / "lib/util.py"),
        call("spawn_agent", systemPrompt="s", task="t"),
        calls(read(root / "libs/util.py"), read(root / "specs/status.md")),
        Turn("the sub-agent's last words"),
    )
    assert any('"parent_agent_id":"agent_' in event for event in ran.asked)
    assert "STATUS all green" in ran.model_read
    assert "STRATEGY_SHIFT" not in ran.model_read


@pytest.mark.proves("rules")
def test_a_correction_approves_nothing(play, root):
    turns = [edit(root / "src/settings.py"), read("specs/status.md")]
    ran = cline.run(root.parent, turns, root=root, args=("--auto-approve", "false"))
    assert "requires approval" in ran.model_read
    assert settings(root) == "DEBUG = False\n"
    assert "STATUS all green" not in ran.model_read
    assert "overrideInput" in ran.answered[0]


def test_switched_off_nothing_is_said_or_changed(play, root):
    ran = play(read(root / "specs/status.md"), environ={"TRUEPATH": "0"})
    assert MISSING in ran.model_read
    assert ran.answered == []


BROKEN = {
    "garbage": "echo '}{ no JSON at all'",
    "a-script-that-is-gone": f"'{sys.executable}' /nowhere/hook.py",
    "a-package-that-is-gone": f"'{sys.executable}' -I -S -m truepath hook cline",
    "a-program-that-is-gone": "/nowhere/truepath hook cline",
    "a-hang": "sleep 60",
    "status-2": "exit 2",
    "an-end-cut-short": "printf '{\"cancel\": tru'",
}
"""How a hook can fail -> a command that does. A shell command that is called says which one."""


@pytest.mark.proves("fail-open")
def test_whatever_breaks_blocks_nothing(play, tmp_path):
    file = tmp_path / "breaking.sh"
    cases = "".join(f"*'echo {name}'*) {command} ;;\n" for name, command in BROKEN.items())
    file.write_text(f'case "$(cat)" in\n{cases}esac\n')
    turns = [shell(f"echo {name} went on") for name in BROKEN]
    ran = play(*turns, hook=f"sh '{file}'", record=False, timeout=1)
    assert [name for name in BROKEN if f"{name} went on" not in ran.model_read] == []


@pytest.mark.proves("fail-open")
def test_a_fault_inside_blocks_nothing(play, root, tmp_path):
    sources = tmp_path / "broken"
    shutil.copytree(rig.PROJECT / "src/truepath", sources / "truepath")
    (sources / "truepath/guard/guard.py").write_text("raise RuntimeError('broken')\n")
    ran = play(read("docs/status.md"), read("specs/status.md"), shell("ls"), sources=sources)
    assert ran.answered == []
    assert "STATUS all green" in ran.told[0]
    assert MISSING in ran.told[1]
    assert "README.md" in ran.told[2]


def test_to_cancel_a_call_would_end_the_run(play, root, tmp_path):
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"cancel": True, "errorMessage": "no such file"}))
    turns = [read(root / "specs/status.md"), read(root / "docs/status.md")]
    ran = cline.run(tmp_path, turns, root=root, hook=f"cat '{answer}'", record=False)
    assert ran.turns == 1
