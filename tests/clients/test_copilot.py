"""GitHub Copilot CLI itself, driven by a scripted model: what the model asks for and gets to read.

Each statement was observed to hold for the version that `package.json` pins.
"""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from clients import copilot, rig
from clients.script import call, calls

from truepath.hosts.claude_code import host as claude_code
from truepath.hosts.setup import Setup
from truepath.hosts.vscode import host as vscode

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(180),
    rig.needs("copilot"),
]

MISSING = "does not exist. Please provide a valid path."
UNREAD = "cat: specs/status.md: No such file or directory"
DENIED = "Denied by preToolUse hook:"
ADDED = "Additional context from preToolUse hook:"


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def play(tmp_path, root):
    """Run a script; whatever it is, the run ends well and no answer gives a permission."""

    def run(*turns, **options):
        ran = copilot.run(tmp_path, list(turns), root=root, **options)
        assert ran.status == 0, ran.errors
        for line in ran.answered:
            answer = json.loads(line)
            assert answer.get("permissionDecision", "deny") == "deny"
            assert not {"hookSpecificOutput", "continue", "decision"} & set(answer)
        return ran

    return run


def view(path):
    return call("view", path=str(path))


def edit(path):
    return call("edit", path=str(path), old_str="DEBUG = False", new_str="DEBUG = True")


def shell(command):
    return call("bash", command=command, description="work")


def patch(path):
    lines = ["*** Begin Patch", f"*** Update File: {path}", "@@", "-DEBUG = False", "+DEBUG = True"]
    return call("apply_patch", input="\n".join([*lines, "*** End Patch", ""]))


def settings(root):
    return (root / "src/app/settings.py").read_text()


def test_the_program_is_the_pinned_one():
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())["dependencies"]
    assert rig.version(copilot.PACKAGE) == pinned[copilot.PACKAGE]


@pytest.mark.proves("correct", "shell", "edit")
def test_a_moved_file_is_read_and_changed_where_it_is_and_the_model_told(play, root):
    ran = play(
        view(root / "specs/status.md"),
        shell("cat specs/status.md"),
        edit(root / "src/settings.py"),
    )
    read, told, printed, told_of_command, edited, told_of_edit = ran.told
    assert read == "STATUS all green\n"
    assert told.startswith(f"{ADDED}\nPATH_CORRECTED")
    assert "docs/status.md`" in told
    assert printed.startswith("STATUS all green\n<shellId")
    assert "`specs/status.md` does not exist; using `docs/status.md`" in told_of_command
    assert settings(root) == "DEBUG = True\n"
    assert "src/app/settings.py updated" in edited
    assert "src/app/settings.py`" in told_of_edit


@pytest.mark.proves("edit")
def test_a_patch_is_made_where_the_file_is_and_refused_where_two_may_be_meant(play, root):
    ran = play(patch("src/settings.py"), patch("lib/util.py"), model=copilot.WRITES_PATCHES)
    assert settings(root) == "DEBUG = True\n"
    assert not (root / "src/settings.py").exists()
    assert "using `src/app/settings.py`" in ran.told[1]
    assert ran.told[2].startswith(DENIED)
    assert "pkg/one/util.py`" in ran.told[2]
    assert "pkg/two/util.py`" in ran.told[2]


@pytest.mark.proves("ambiguous", "absent")
def test_what_cannot_be_corrected_is_refused_with_what_is_there(play, root):
    ran = play(
        view(root / "lib/util.py"),
        view(root / "docs/quarterly_forecast_2031.md"),
        shell("rm specs/status.md"),
    )
    assert all(text.startswith(DENIED) for text in ran.told)
    assert "pkg/one/util.py`" in ran.told[0]
    assert "pkg/two/util.py`" in ran.told[0]
    assert "file not found" in ran.told[1]
    assert "`docs/status.md`" in ran.told[2]
    assert (root / "docs/status.md").exists()
    assert len(ran.answered) == 3


def test_a_command_that_fails_on_a_path_gets_candidates_once(play):
    ran = play(
        shell("python3 -c 'open(\"specs/status.md\")'"),
        shell("cd docs && cat quarterly_forecast_2031.md"),
    )
    assert "FileNotFoundError" in ran.told[0]
    assert 'Tool "bash" succeeded. Additional guidance from postToolUse hooks:' in ran.told[0]
    assert "`docs/status.md`" in ran.told[0]
    assert "No such file or directory" in ran.told[1]
    assert ran.model_read.count("PATH_NOT_FOUND") == 2


def test_what_exists_is_met_with_silence(play, root):
    ran = play(
        calls(view(root / "docs/status.md"), view("README.md"), view(root / "docs")),
        edit(root / "src/app/settings.py"),
        call("create", path=str(root / "docs/new.md"), file_text="new\n"),
        calls(call("glob", pattern="*.md"), call("grep", pattern="WHO", paths=["pkg"])),
        shell("cat nope.md 2>/dev/null || cat docs/new.md"),
    )
    assert ran.answered == []
    assert "hook" not in ran.model_read
    assert settings(root) == "DEBUG = True\n"


@pytest.mark.proves("loop")
def test_in_a_loop_the_model_reads_the_strategy_shift_at_the_second_miss(play, root):
    ran = play(view(root / "lib/util.py"), edit(root / "libs/util.py"), shell("cat c/util.py"))
    assert "STRATEGY_SHIFT" not in ran.told[0]
    assert "STRATEGY_SHIFT: 2 misses in a row" in ran.told[1]
    assert "STRATEGY_SHIFT" not in ran.told[2]  # once in a streak
    assert "look first, with glob, grep, view" in ran.told[1]


def test_the_misses_of_one_turn_are_no_loop_however_long_its_hooks_take(play, root):
    turn = [view(root / "lib/util.py"), edit(root / "libs/util.py"), shell("cat core/util.py")]
    ran = play(calls(*turn), hook=f"sleep .2; {copilot.HOOK}")
    assert ran.model_read.count("PATH_NOT_FOUND") == 3
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_a_path_that_the_user_typed_is_advised_upon_only(play, root):
    # What the user typed is recorded a little late; models are slower than that.
    ran = play(shell("sleep 1"), view(root / "specs/status.md"), prompt="see specs/status.md!")
    assert MISSING in ran.model_read
    assert "docs/status.md`" in ran.model_read
    assert "STATUS all green" not in ran.model_read


def test_a_sub_agent_is_served_and_has_its_own_misses(play, root):
    agent = {"description": "d", "prompt": "p", "agent_type": "explore", "name": "n"}
    ran = play(
        view(root / "lib/util.py"),
        call("task", **agent, mode="sync"),
        calls(view(root / "libs/util.py"), view(root / "specs/status.md")),
    )
    events = [json.loads(line) for line in ran.asked]
    assert any("agent_id" in event and event.get("tool_name") == "Read" for event in events)
    assert "STATUS all green" in ran.model_read
    assert "STRATEGY_SHIFT" not in ran.model_read


@pytest.mark.proves("rules")
def test_a_rule_on_what_a_call_was_corrected_to_still_holds(play, root):
    denied = ("--deny-tool", "shell(cat docs/status.md)", "--deny-tool", "write(app/settings.py)")
    ran = play(
        shell("cat specs/status.md"),
        edit(root / "src/settings.py"),
        view("/etc/hostnam"),
        args=(*copilot.UNASKED, *denied),
    )
    assert "STATUS all green" not in ran.model_read
    assert ran.told[0].startswith("Permission to run this tool was denied")
    assert settings(root) == "DEBUG = False\n"
    assert sum("modifiedArgs" in text for text in ran.answered) == 2


@pytest.mark.proves("rules")
def test_a_rule_on_a_program_or_a_name_holds_whatever_the_path(play, root):
    denied = ("--deny-tool", "shell(cat)", "--deny-tool", "write(settings.py)")
    ran = play(
        shell("cat specs/status.md"),
        edit(root / "src/settings.py"),
        args=(*copilot.UNASKED, *denied),
    )
    assert "STATUS all green" not in ran.model_read
    assert settings(root) == "DEBUG = False\n"


def test_a_rule_on_nothing_but_the_written_command_is_not_asked_about_the_corrected_one(play):
    denied = ("--deny-tool", "shell(cat specs/status.md)")
    ran = play(shell("cat specs/status.md"), args=(*copilot.UNASKED, *denied))
    assert "STATUS all green" in ran.model_read


def test_a_decision_to_allow_would_lift_the_users_rules(play, tmp_path):
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"permissionDecision": "allow"}))
    ran = play(
        shell("cat docs/status.md"),
        hook=f"cat '{answer}'",
        record=False,
        args=(*copilot.UNASKED, "--deny-tool", "shell(cat docs/status.md)"),
    )
    assert "STATUS all green" in ran.model_read


def test_switched_off_nothing_is_said_or_changed(play, root):
    ran = play(view(root / "specs/status.md"), environ={"TRUEPATH": "0"})
    assert MISSING in ran.model_read
    assert ran.answered == []


BROKEN = {
    "garbage": "echo '}{ no JSON at all'",
    "a-script-that-is-gone": f"'{sys.executable}' /nowhere/hook.py",
    "a-package-that-is-gone": f"'{sys.executable}' -I -S -m truepath hook copilot",
    "a-program-that-is-gone": "/nowhere/truepath hook copilot",
    "a-hang": "sleep 60",
    "status-2": "exit 2",
    "a-kill": "kill -9 $$",
    "a-denial-cut-short": 'printf \'{"permissionDecision": "deny\'',
}
"""How a hook can fail -> a command that does. A shell command that is called says which one."""


def breaking(place):
    """Return a hook that fails as the command it is asked about says."""
    file = place / "breaking.sh"
    cases = "".join(f"*'echo {name}'*) {command} ;;\n" for name, command in BROKEN.items())
    file.write_text(f'case "$(cat)" in\n{cases}esac\n')
    return f"sh '{file}'"


@pytest.mark.proves("fail-open")
def test_whatever_breaks_blocks_nothing(play, tmp_path):
    turns = [shell(f"echo {name} went on") for name in BROKEN]
    ran = play(*turns, hook=breaking(tmp_path), record=False, timeout=1)
    assert [text.partition("\n")[0] for text in ran.told] == [f"{name} went on" for name in BROKEN]


def test_without_the_guard_in_the_settings_any_status_would_deny(play, tmp_path, monkeypatch):
    guarded = copilot.copilot_cli.setup(breaking(tmp_path), timeout=1)
    [piece] = guarded.pieces
    bare = type(piece)(piece.user, piece.project, str(piece.content).replace(" || true", ""))
    monkeypatch.setattr(
        copilot.copilot_cli, "setup", lambda *_, **__: Setup(guarded.home, "", (bare,))
    )
    turns = [shell(f"echo {name} went on") for name in BROKEN]
    ran = play(*turns, record=False)
    denied = {name for name in BROKEN if f"{name} went on" not in ran.model_read}
    assert denied == {*BROKEN} - {"garbage", "a-hang", "a-denial-cut-short"}


@pytest.mark.proves("fail-open")
def test_a_fault_inside_blocks_nothing(play, root, tmp_path):
    sources = tmp_path / "broken"
    shutil.copytree(rig.PROJECT / "src/truepath", sources / "truepath")
    (sources / "truepath/guard/guard.py").write_text("raise RuntimeError('broken')\n")
    ran = play(
        view(root / "docs/status.md"),
        view(root / "specs/status.md"),
        shell("echo ran-in-the-shell"),
        sources=sources,
    )
    assert ran.answered == []
    assert "STATUS all green" in ran.told[0]
    assert MISSING in ran.told[1]
    assert "ran-in-the-shell" in ran.told[2]


@pytest.mark.parametrize("other", [claude_code, vscode], ids=lambda host: host.NAME)
def test_hooks_of_other_programs_that_the_repository_has_run_here_and_stay_silent(
    play, root, tmp_path, other
):
    command = rig.recorded(f"'{sys.executable}' -m truepath hook {other.NAME}", tmp_path)
    [piece] = other.setup(command).pieces
    told = piece.content if isinstance(piece.content, str) else json.dumps(piece.content)
    (root / piece.project).parent.mkdir(parents=True)
    (root / piece.project).write_text(told)
    home = tmp_path / "home/.copilot"
    home.mkdir(parents=True)
    (home / "config.json").write_text(json.dumps({"trusted_folders": [str(root)]}))
    ran = play(view(root / "specs/status.md"), hook="true", record=False)
    assert MISSING in ran.model_read
    assert any('"tool_name":"Read"' in event for event in ran.asked)
    assert ran.answered == []
