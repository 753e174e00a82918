"""Claude Code itself, driven by a scripted model: what the model asks for and gets to read.

Each statement was observed to hold for the version that `package.json` pins.
"""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from clients import claude, rig
from clients.script import call, calls

from truepath.hosts.setup import Piece, Setup

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(180),
    rig.needs("claude"),
]

MISSING = "File does not exist. Note: your current working directory is"


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def play(tmp_path, root):
    """Run a script; whatever it is, the run ends well and no answer gives a permission."""

    def run(*turns, **options):
        ran = claude.run(tmp_path, list(turns), root=root, **options)
        assert ran.status == 0, ran.errors
        for line in ran.answered:
            answer = json.loads(line)
            assert set(answer) == {"hookSpecificOutput"}
            assert answer["hookSpecificOutput"].get("permissionDecision", "deny") == "deny"
        return ran

    return run


def read(path):
    return call("Read", file_path=str(path))


def edit(path):
    return call("Edit", file_path=str(path), old_string="DEBUG = False", new_string="DEBUG = True")


def test_the_program_is_the_pinned_one():
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())["dependencies"]
    assert rig.version(claude.PACKAGE) == pinned[claude.PACKAGE]


@pytest.mark.proves("correct")
def test_a_read_of_a_moved_file_returns_its_content_and_tells_the_real_path(play, root):
    ran = play(read(root / "specs/status.md"))
    assert "STATUS all green" in ran.model_read
    assert "PreToolUse:Read hook additional context" in ran.model_read
    assert "specs/status.md" in ran.model_read
    assert "docs/status.md" in ran.model_read
    assert MISSING not in ran.model_read


def test_two_reads_of_one_turn_are_both_corrected(play, root):
    ran = play(calls(read(root / "specs/status.md"), read(root / "src/settings.py")))
    assert "STATUS all green" in ran.model_read
    assert "DEBUG = False" in ran.model_read


def bash(command):
    return call("Bash", command=command, description="work")


@pytest.mark.proves("shell")
def test_a_command_with_a_moved_file_runs_on_the_real_one_and_tells_of_it(play):
    ran = play(bash("cat specs/status.md"))
    assert "STATUS all green" in ran.model_read
    assert "PreToolUse:Bash hook additional context" in ran.model_read
    assert "`specs/status.md` does not exist; using `docs/status.md`" in ran.model_read
    assert "No such file" not in ran.model_read


def test_a_command_that_stands_in_a_folder_is_served_from_there(play):
    ran = play(bash("cd docs && cat ../specs/status.md"), bash("cat ../src/settings.py"))
    assert "STATUS all green" in ran.model_read
    assert "DEBUG = False" in ran.model_read
    assert "No such file" not in ran.model_read


def test_a_move_from_where_a_file_once_was_moves_it_from_where_it_is(play, root):
    ran = play(bash("mv src/settings.py src/app/config.py"))
    assert (root / "src/app/config.py").read_text() == "DEBUG = False\n"
    assert not (root / "src/app/settings.py").exists()
    assert "using `src/app/settings.py`" in ran.model_read


def test_a_move_with_a_letter_wrong_in_the_name_is_refused_with_the_file_that_is_meant(play, root):
    ran = play(bash("mv src/app/setings.py src/app/config.py"))
    assert (root / "src/app/settings.py").read_text() == "DEBUG = False\n"
    assert not (root / "src/app/config.py").exists()
    assert "`src/app/settings.py`" in ran.model_read


def test_a_removal_of_a_moved_file_is_refused_with_where_it_is(play, root):
    ran = play(bash("rm specs/status.md"), bash("rm -rf specs/status.md docs/stat?.md"))
    assert (root / "docs/status.md").exists()
    assert "PreToolUse:Bash hook error" in ran.model_read
    assert "`docs/status.md`" in ran.model_read


def test_what_a_command_does_to_a_missing_path_on_purpose_is_met_with_silence(play):
    ran = play(
        bash("cat nope.md 2>/dev/null || cat docs/status.md"),
        bash("[ -f specs/status.md ] && cat specs/status.md; true"),
        bash("mkdir -p build/out && echo made > build/out/log.txt && cat build/out/log.txt"),
    )
    assert ran.answered == []
    assert "STATUS all green" in ran.model_read
    assert "made" in ran.model_read


def test_a_joined_command_that_fails_on_a_path_is_advised_upon_once(play):
    ran = play(bash("cd docs && cat quarterly_forecast_2031.md"))
    assert "No such file or directory" in ran.model_read
    assert ran.model_read.count("PATH_NOT_FOUND") == 1
    assert len(ran.answered) == 1


LOOPS = {
    "by one tool": [read("lib/util.py"), read("libs/util.py"), read("core/util.py")],
    "by several tools": [read("lib/util.py"), edit("libs/util.py"), bash("cat core/util.py")],
    "without variation": [bash("cat lib/util.py")] * 3,
    "on what is nowhere": [bash(f"cat shots/{number:04}.png") for number in (365, 366, 367)],
}


@pytest.mark.proves("loop")
@pytest.mark.parametrize("turns", LOOPS.values(), ids=LOOPS)
def test_in_a_loop_the_model_reads_the_strategy_shift_at_the_second_miss(play, turns):
    ran = play(*turns)
    [shift] = [text for text in ran.told if "STRATEGY_SHIFT" in text]
    assert "STRATEGY_SHIFT" not in ran.told[0]
    assert "STRATEGY_SHIFT: 2 misses in a row" in shift
    assert "Bash (find, grep, ls)" in shift


def test_the_misses_of_one_turn_are_no_loop(play):
    ran = play(calls(*LOOPS["by one tool"]), calls(*[bash(f"cat x{n}/util.py") for n in range(3)]))
    assert "STRATEGY_SHIFT: 3" not in ran.model_read
    assert ran.model_read.count("STRATEGY_SHIFT: 2 misses in a row") == 1


def test_a_success_ends_a_loop(play):
    ran = play(read("lib/util.py"), read("docs/status.md"), read("libs/util.py"))
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_a_path_that_the_user_typed_is_advised_upon_only(play):
    ran = play(read("specs/status.md"), bash("cat specs/status.md"), prompt="see specs/status.md!")
    assert MISSING in ran.model_read
    assert "cat: specs/status.md: No such file or directory" in ran.model_read
    assert "STATUS all green" not in ran.model_read
    assert all("docs/status.md`" in text for text in ran.answered)
    assert len(ran.answered) == 2


def test_a_sub_agent_is_served_too(play, root):
    agent = {"description": "d", "prompt": "p", "subagent_type": "general-purpose"}
    # The agent runs beside the one that called it: whoever asks next gets the next turn.
    ran = play(call("Agent", **agent), *[read(root / "specs/status.md")] * 2)
    events = [json.loads(line) for line in ran.asked]
    assert any("agent_id" in event and event.get("tool_name") == "Read" for event in events)
    assert "STATUS all green" in ran.model_read
    assert MISSING not in ran.model_read


@pytest.mark.proves("edit")
def test_an_edit_of_a_missing_file_gets_candidates_and_can_then_be_made(play, root):
    ran = play(
        edit(root / "src/settings.py"),
        read(root / "src/app/settings.py"),
        edit(root / "src/app/settings.py"),
    )
    assert MISSING in ran.model_read
    assert "PostToolBatch hook additional context" in ran.model_read
    assert "src/app/settings.py" in ran.told[1]
    assert len(ran.answered) == 1
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"


def test_an_edit_by_a_relative_path_gets_candidates_too(play):
    ran = play(edit("src/settings.py"))
    assert "src/app/settings.py" in ran.told[1]


@pytest.mark.proves("ambiguous")
def test_a_name_in_two_folders_is_refused_once_with_both(play, root):
    ran = play(read(root / "lib/util.py"))
    assert "pkg/one/util.py" in ran.model_read
    assert "pkg/two/util.py" in ran.model_read
    assert "WHO" not in ran.model_read
    assert len(ran.answered) == 1
    assert "PostToolBatch" not in ran.model_read


@pytest.mark.proves("absent")
def test_a_file_that_is_nowhere_is_refused_with_a_next_step(play, root):
    ran = play(read(root / "docs/quarterly_forecast_2031.md"))
    assert "file not found" in ran.model_read.lower()
    assert len(ran.answered) == 1


def test_what_exists_is_met_with_silence(play, root):
    ran = play(
        read(root / "docs/status.md"),
        calls(read(root / "README.md"), read(root / "src/app/settings.py")),
        edit(root / "src/app/settings.py"),
        call("Write", file_path=str(root / "docs/new.md"), content="new\n"),
        call("Bash", command="cat docs/new.md", description="look"),
    )
    assert ran.answered == []
    assert "hook" not in ran.model_read
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"


def test_a_suggestion_of_the_program_itself_is_not_repeated(play, root):
    ran = play(edit(root / "docs/status.txt"))
    assert "Did you mean status.md?" in ran.model_read
    assert ran.answered == []


@pytest.mark.proves("rules")
def test_a_deny_rule_on_the_corrected_path_still_holds(play, root):
    denied = {"allow": claude.ALLOWED, "deny": ["Read(secret/**)"]}
    ran = play(read(root / "specs/key.md"), permissions=denied)
    assert "SECRET content" not in ran.model_read


@pytest.mark.proves("rules")
def test_a_deny_rule_on_the_written_path_still_holds(play, root):
    denied = {"allow": claude.ALLOWED, "deny": ["Read(specs/**)", "Edit(specs/**)"]}
    ran = play(read(root / "specs/status.md"), edit(root / "specs/settings.py"), permissions=denied)
    assert "STATUS all green" not in ran.model_read
    assert ran.answered == []


@pytest.mark.proves("rules")
def test_a_deny_rule_on_the_written_command_still_holds(play, root):
    (root / ".claude").mkdir()
    rules = {"permissions": {"deny": ["Bash(cat specs/*)"]}}
    (root / ".claude/settings.json").write_text(json.dumps(rules))
    ran = play(bash("cat specs/status.md"))
    assert "STATUS all green" not in ran.model_read
    assert "denied" in ran.model_read
    assert ran.answered == []


def test_switched_off_nothing_is_said_or_changed(play, root):
    ran = play(read(root / "specs/status.md"), environ={"TRUEPATH": "0"})
    assert MISSING in ran.model_read
    assert ran.answered == []


BROKEN = {
    "garbage": "echo '}{ no JSON at all'",
    "a script that is gone": f"'{sys.executable}' /nowhere/hook.py",
    "a package that is gone": f"'{sys.executable}' -I -S -m truepath hook claude-code",
    "a program that is gone": "/nowhere/truepath hook claude-code",
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
    ran = goes_on(play, root, sources=sources)
    assert ran.answered == []


def goes_on(play, root, **options):
    ran = play(
        read(root / "docs/status.md"),
        read(root / "specs/status.md"),
        call("Bash", command="echo ran-in-the-shell", description="look"),
        **options,
    )
    assert "STATUS all green" in ran.model_read
    assert MISSING in ran.model_read
    assert "ran-in-the-shell" in ran.model_read
    return ran


def test_without_the_guard_in_the_settings_status_2_would_block(play, root, monkeypatch):
    # On one event alone: a prompt that is blocked ends the run before a tool is called.
    hooks = rig.content(claude.claude_code.setup("exit 2 #"))["hooks"]
    piece = Piece("", "", {"hooks": {"PreToolUse": hooks["PreToolUse"]}})
    unguarded = Setup("", "", (piece,))
    monkeypatch.setattr(claude.claude_code, "setup", lambda *_, **__: unguarded)
    ran = play(read(root / "docs/status.md"), record=False)
    assert "PreToolUse:Read hook error" in ran.model_read
    assert "STATUS all green" not in ran.model_read
