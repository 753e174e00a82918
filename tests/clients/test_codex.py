"""Codex itself, driven by a scripted model: what the model asks for and gets to read.

Each statement was observed to hold for the version that `package.json` pins.
"""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from clients import codex, rig
from clients.script import call, calls

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(180),
    rig.needs("codex"),
]

MISSING = "cat: specs/status.md: No such file or directory"
BLOCKED = "Command blocked by PreToolUse hook:"
CONFINED = ("--sandbox", "read-only")


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def play(tmp_path, root):
    """Run a script; whatever it is, the run ends well and only a rewrite carries a permission."""

    def run(*turns, **options):
        ran = codex.run(tmp_path, list(turns), root=root, **options)
        assert ran.status == 0, ran.errors
        assert ran.turns == len(turns) + 1, ran.errors
        for line in ran.answered:
            answer = json.loads(line)
            assert set(answer) == {"hookSpecificOutput"}
            inner = answer["hookSpecificOutput"]
            assert ("updatedInput" in inner) == (inner.get("permissionDecision") == "allow")
        return ran

    return run


def shell(command, **more):
    return call("exec_command", cmd=command, **more)


def patch(path, *, header="Update File"):
    lines = [f"*** {header}: {path}"]
    lines += ["@@", "-DEBUG = False", "+DEBUG = True"] if header == "Update File" else []
    return call("apply_patch", input="\n".join(["*** Begin Patch", *lines, "*** End Patch", ""]))


def test_the_program_is_the_pinned_one():
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())["dependencies"]
    assert rig.version(codex.PACKAGE) == pinned[codex.PACKAGE]


@pytest.mark.proves("correct", "shell")
def test_a_command_with_a_moved_file_runs_on_the_real_one_and_tells_of_it(play):
    ran = play(shell("cat specs/status.md"))
    assert "STATUS all green" in ran.model_read
    assert "`specs/status.md` does not exist; using `docs/status.md`" in ran.model_read
    assert MISSING not in ran.model_read


def test_a_command_in_another_folder_is_served_from_there(play):
    ran = play(shell("cat ../specs/status.md", workdir="src"))
    assert "STATUS all green" in ran.model_read
    assert "docs/status.md`" in ran.model_read


def test_a_move_from_where_a_file_once_was_moves_it_from_where_it_is(play, root):
    play(shell("mv src/settings.py src/app/config.py"))
    assert (root / "src/app/config.py").read_text() == "DEBUG = False\n"


def test_a_removal_of_a_moved_file_is_refused_with_where_it_is(play, root):
    ran = play(shell("rm specs/status.md"), patch("specs/status.md", header="Delete File"))
    assert (root / "docs/status.md").exists()
    assert all(BLOCKED in text for text in ran.told)
    assert all("`docs/status.md`" in text for text in ran.told)


@pytest.mark.proves("edit")
def test_a_patch_of_a_moved_file_is_made_where_it_is(play, root):
    ran = play(patch("src/settings.py"))
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    assert not (root / "src/settings.py").exists()
    assert "using `src/app/settings.py`" in ran.model_read
    assert "M src/app/settings.py" in ran.model_read


def test_a_patch_given_to_the_shell_is_a_text_that_nobody_reads(play):
    text = patch("src/settings.py").calls[0].arguments["input"]
    ran = play(shell(f"apply_patch <<'EOF'\n{text}EOF\n"))
    assert "Failed to read file to update" in ran.model_read
    assert ran.answered == []


@pytest.mark.proves("ambiguous")
def test_a_patch_of_a_name_in_two_folders_is_refused_with_both(play):
    ran = play(patch("lib/util.py"))
    assert BLOCKED in ran.model_read
    assert "pkg/one/util.py`" in ran.model_read
    assert "pkg/two/util.py`" in ran.model_read


@pytest.mark.proves("absent")
def test_a_file_that_is_nowhere_is_refused_with_a_next_step(play):
    ran = play(shell("cat docs/quarterly_forecast_2031.md"))
    assert BLOCKED in ran.model_read
    assert "file not found" in ran.model_read


def test_a_failure_that_only_the_output_tells_of_gets_candidates(play):
    ran = play(shell("python3 -c 'open(\"specs/status.md\")'"))
    assert "FileNotFoundError" in ran.model_read
    assert "`docs/status.md`" in ran.model_read
    assert len(ran.answered) == 1


def test_a_joined_command_that_fails_on_a_path_is_advised_upon_once(play):
    ran = play(shell("cd docs && cat quarterly_forecast_2031.md"))
    assert "No such file or directory" in ran.model_read
    assert ran.model_read.count("PATH_NOT_FOUND") == 1


def test_what_exists_is_met_with_silence(play, root):
    ran = play(
        shell("cat docs/status.md"),
        shell("cat nope.md 2>/dev/null || ls docs"),
        calls(shell("ls"), shell("git log --oneline")),
        patch("src/app/settings.py"),
        shell("mkdir -p build && echo made > build/log.txt && cat build/log.txt"),
    )
    assert ran.answered == []
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"


LOOPS = {
    "by one tool": [shell(f"cat {folder}/util.py") for folder in ("lib", "libs", "core")],
    "by several tools": [shell("cat lib/util.py"), patch("libs/util.py"), shell("rm c/util.py")],
    "without variation": [shell("cat lib/util.py")] * 3,
}


@pytest.mark.proves("loop")
@pytest.mark.parametrize("turns", LOOPS.values(), ids=LOOPS)
def test_in_a_loop_the_model_reads_the_strategy_shift_at_the_second_miss(play, turns):
    ran = play(*turns)
    [shift] = [text for text in ran.told if "STRATEGY_SHIFT" in text]
    assert "STRATEGY_SHIFT" not in ran.told[0]
    assert "STRATEGY_SHIFT: 2 misses in a row" in shift
    assert "rg --files, find, ls" in shift


def test_the_misses_of_one_turn_are_no_loop(play):
    ran = play(calls(*LOOPS["by one tool"]))
    assert ran.model_read.count("PATH_NOT_FOUND") == 3
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_a_success_ends_a_loop(play):
    ran = play(shell("cat lib/util.py"), shell("cat docs/status.md"), shell("cat libs/util.py"))
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_a_path_that_the_user_typed_is_advised_upon_only(play):
    ran = play(shell("cat specs/status.md"), prompt="see specs/status.md!")
    assert MISSING in ran.model_read
    assert "`docs/status.md`" in ran.model_read
    assert "STATUS all green" not in ran.model_read


@pytest.mark.proves("rules")
def test_a_rule_on_the_corrected_command_still_holds(play):
    rule = 'prefix_rule(pattern=["cat", "docs/status.md"], decision="forbidden")\n'
    ran = play(shell("cat docs/status.md"), shell("cat specs/status.md"), rules=rule)
    assert "STATUS all green" not in ran.model_read
    assert "policy forbids commands starting with `cat docs/status.md`" in ran.model_read
    assert not any("updatedInput" in answer for answer in ran.answered)


@pytest.mark.proves("rules")
def test_a_rule_on_the_written_command_still_holds(play):
    rule = 'prefix_rule(pattern=["cat", "specs/status.md"], decision="forbidden")\n'
    ran = play(shell("cat specs/status.md"), rules=rule)
    assert "STATUS all green" not in ran.model_read
    assert "policy forbids commands starting with `cat specs/status.md`" in ran.model_read
    assert ran.answered == []


@pytest.mark.proves("rules")
def test_the_sandbox_holds_for_what_was_corrected(play, root):
    ran = play(
        shell("mv src/settings.py src/app/config.py"),
        patch("src/settings.py"),
        args=CONFINED,
    )
    assert (root / "src/app/settings.py").read_text() == "DEBUG = False\n"
    assert "Read-only file system" in ran.model_read
    assert "rejected" in ran.model_read
    assert sum("updatedInput" in text for text in ran.answered) == 2


def test_switched_off_nothing_is_said_or_changed(play):
    ran = play(shell("cat specs/status.md"), environ={"TRUEPATH": "0"})
    assert MISSING in ran.model_read
    assert ran.answered == []


BROKEN = {
    "garbage": "echo '}{ no JSON at all'",
    "a script that is gone": f"'{sys.executable}' /nowhere/hook.py",
    "a package that is gone": f"'{sys.executable}' -I -S -m truepath hook codex",
    "a program that is gone": "/nowhere/truepath hook codex",
    "a hang": "sleep 60",
    "status 2": "sh -c 'echo blocked >&2; exit 2'",
    "a denial cut short": 'printf \'{"hookSpecificOutput": {"permissionDecision": "deny\'',
}


@pytest.mark.proves("fail-open")
@pytest.mark.parametrize("command", BROKEN.values(), ids=BROKEN)
def test_whatever_breaks_blocks_nothing(play, root, command):
    goes_on(play, root, hook=command, record=False, timeout=1)


@pytest.mark.proves("fail-open")
def test_a_fault_inside_blocks_nothing(play, root, tmp_path):
    sources = tmp_path / "broken"
    shutil.copytree(rig.PROJECT / "src/truepath", sources / "truepath")
    (sources / "truepath/guard/guard.py").write_text("raise RuntimeError('broken')\n")
    assert goes_on(play, root, sources=sources).answered == []


def goes_on(play, root, **options):
    ran = play(
        shell("cat docs/status.md"),
        shell("cat specs/status.md"),
        patch("src/app/settings.py"),
        **options,
    )
    assert "STATUS all green" in ran.model_read
    assert MISSING in ran.model_read
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    return ran


def test_a_rewrite_without_the_decision_would_be_lost(play, tmp_path):
    output = {"hookEventName": "PreToolUse", "updatedInput": {"command": "cat docs/status.md"}}
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"hookSpecificOutput": output}))
    ran = play(shell("cat specs/status.md"), hook=f"cat '{answer}'", record=False)
    assert MISSING in ran.model_read


def test_hooks_that_nobody_trusts_are_skipped(play, monkeypatch):
    monkeypatch.setattr(codex, "TRUST", ())
    ran = play(shell("cat specs/status.md"))
    assert MISSING in ran.model_read
    assert ran.asked == []
