"""Qwen Code itself, driven by a scripted model: what the model asks for and gets to read.

Each statement was observed to hold for the version that `package.json` pins.
"""

from __future__ import annotations

import json
import shutil
import sys

import pytest
from clients import qwen, rig
from clients.script import call, calls

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(180),
    rig.needs("qwen"),
]

MISSING = "File not found: "


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def play(tmp_path, root):
    """Run a script; whatever it is, the run ends well and no answer gives a permission."""

    def run(*turns, **options):
        ran = qwen.run(tmp_path, list(turns), root=root, **options)
        assert ran.status == 0, ran.errors
        assert ran.turns == len(turns) + 1, ran.errors
        for answer in map(json.loads, ran.answered):
            assert set(answer) == {"hookSpecificOutput"}
            assert answer["hookSpecificOutput"].get("permissionDecision", "deny") == "deny"
        return ran

    return run


def read(path):
    return call("read_file", file_path=str(path))


def edit(path):
    texts = {"old_string": "DEBUG = False", "new_string": "DEBUG = True"}
    return call("edit", file_path=str(path), **texts)


def shell(command, **more):
    return call("run_shell_command", command=command, is_background=False, **more)


def test_the_program_is_the_pinned_one():
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())["dependencies"]
    assert rig.version(qwen.PACKAGE) == pinned[qwen.PACKAGE]


def script(root):
    right = read(root / "docs/status.md")
    search = {"pattern": "x", "path": str(root / "src/settings")}
    return [
        read(root / "specs/status.md"),
        right,
        shell("cat specs/status.md"),
        right,
        edit(root / "src/settings.py"),
        right,
        calls(read(root / "lib/util.py"), edit(root / "lib/util.py"), shell("cat lib/util.py")),
        right,
        read(root / "docs/quarterly_forecast_2031.md"),
        right,
        read("specs/status.md"),
        right,
        calls(call("glob", **search), call("grep_search", **search)),
        right,
        shell("python3 -c 'open(\"specs/status.md\")'"),
        right,
        shell("cd docs && cat forecast_2031.md"),
        right,
        shell("cat docs/forecast_2031.md; echo ended"),
    ]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """One run of calls that go wrong in every way, each beside what ends a streak."""
    place = tmp_path_factory.mktemp("served")
    root = rig.make_project(place)
    turns = script(root)
    ran = qwen.run(place, turns, root=root)
    assert (ran.status, ran.turns) == (0, len(turns) + 1), ran.errors
    assert (root / "src/app/settings.py").read_text() == "DEBUG = False\n"
    assert not (root / "src/settings.py").exists()
    return ran.told


def having(told, *words):
    return [text for text in told if all(word in text for word in words)]


@pytest.mark.proves("correct")
def test_a_read_of_a_moved_file_is_refused_with_where_it_is(served):
    assert served[0].startswith("PATH_NOT_FOUND")
    assert "docs/status.md` (renamed in " in served[0]
    assert served[0].endswith(" instead.")
    assert served[1] == "STATUS all green\n"


@pytest.mark.proves("shell")
def test_a_command_with_a_moved_file_is_refused_with_where_it_is(served):
    told = having(served, "PATH_NOT_FOUND: `specs/status.md`. Use `docs/status.md`")
    [refused] = [text for text in told if text.startswith("PATH_NOT_FOUND")]
    assert refused.endswith(" instead.")


@pytest.mark.proves("edit")
def test_an_edit_of_a_moved_file_is_refused_with_where_it_is(served):
    [refused] = having(served, "/src/settings.py`. Use `")
    assert "/src/app/settings.py`" in refused
    assert refused.endswith(" instead.")


@pytest.mark.proves("ambiguous")
def test_a_name_in_two_folders_is_refused_with_both(served):
    refused = having(served, "lib/util.py`. Did you mean one of: ")
    assert refused
    assert refused == having(refused, "pkg/one/util.py`", "pkg/two/util.py`")


@pytest.mark.proves("absent")
def test_a_file_that_is_nowhere_is_refused_with_a_next_step(served):
    [refused] = having(served, "/docs/quarterly_forecast_2031.md`")
    assert refused.startswith("PATH_NOT_FOUND: file not found")
    assert "Next: search" in refused


def test_a_call_that_validation_refuses_gets_candidates(served):
    assert having(served, "File path must be absolute", "PATH_NOT_FOUND", "`docs/status.md`")
    assert having(served, "Path does not exist", "PATH_NOT_FOUND")


def test_a_failure_that_only_the_output_tells_of_gets_candidates(served):
    [failed] = having(served, "FileNotFoundError")
    assert "`docs/status.md`" in failed


def test_advice_on_a_joined_command_is_read_once_whatever_its_status(served):
    advised = having(served, "cat: ", "forecast_2031.md: No such file")
    assert len(advised) == 2
    assert all(text.count("PATH_NOT_FOUND") == 1 for text in advised)


def test_what_exists_is_met_with_silence(play, root):
    ran = play(
        read(root / "src/app/settings.py"),
        read("docs/status.md"),
        calls(shell("cat nope.md 2>/dev/null || ls docs"), call("glob", pattern="*.md")),
        edit(root / "src/app/settings.py"),
        call("write_file", file_path=str(root / "docs/made.md"), content="made"),
        shell("mkdir -p build && echo made > build/log.txt && cat build/log.txt"),
    )
    assert ran.answered == []
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"


LOOPS = {
    "by one tool": ["read", "read", "read"],
    "by several tools": ["read", "edit", "shell"],
}


@pytest.mark.proves("loop")
@pytest.mark.parametrize("tools", LOOPS.values(), ids=LOOPS)
def test_in_a_loop_the_model_reads_the_strategy_shift_at_the_second_miss(play, root, tools):
    made = {"read": read, "edit": edit, "shell": lambda path: shell(f"cat {path}")}
    paths = (root / folder / "util.py" for folder in ("lib", "libs", "core"))
    ran = play(*(made[tool](next(paths)) for tool in tools))
    assert "STRATEGY_SHIFT" not in ran.told[0]
    assert "STRATEGY_SHIFT: 2 misses in a row" in ran.told[1]
    assert "STRATEGY_SHIFT" not in ran.told[2]  # once in a streak
    assert "glob, grep_search, run_shell_command (ls)" in ran.told[1]


def test_the_misses_of_one_turn_are_no_loop_and_a_success_ends_one(play, root):
    misses = read(root / "lib/util.py"), edit(root / "libs/util.py"), shell("cat core/util.py")
    ran = play(calls(*misses), read(root / "docs/status.md"), read(root / "lib/one/util.py"))
    assert ran.model_read.count("PATH_NOT_FOUND") == 4
    assert "STRATEGY_SHIFT" not in ran.model_read


def test_a_path_that_the_user_typed_is_advised_upon_only(play, root):
    ran = play(read(root / "specs/status.md"), prompt="see specs/status.md!")
    error, _, ours = ran.told[0].partition("\n\n")
    assert error.startswith(MISSING)
    assert "docs/status.md`" in ours


@pytest.mark.proves("rules")
def test_what_a_rule_denies_is_neither_read_nor_named(play, root):
    (root / "keys").mkdir()
    ran = play(
        read(root / "secret/key.md"),
        read(root / "keys/key.md"),
        shell("cat keys/key.md"),
        permissions={"deny": ["Read(secret/**)"]},
    )
    assert "denied" in ran.told[0].lower()
    assert "SECRET" not in ran.model_read
    assert "`secret/key.md`" not in ran.model_read


def test_switched_off_nothing_is_said_or_changed(play, root):
    ran = play(read(root / "specs/status.md"), environ={"TRUEPATH": "0"})
    assert ran.model_read.startswith(MISSING)
    assert ran.answered == []


BROKEN = [
    "echo '}{ no JSON at all'",
    f"'{sys.executable}' /nowhere/hook.py",
    f"'{sys.executable}' -I -S -m truepath hook qwen",
    "/nowhere/truepath hook qwen",
    "sleep 60",
    "sh -c 'echo blocked >&2; exit 2'",
    'printf \'{"hookSpecificOutput": {"permissionDecision": "deny\'',
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
        calls(read(root / "src/app/settings.py"), read(root / "specs/status.md")),
        edit(root / "src/app/settings.py"),
        **options,
    )
    assert MISSING in ran.model_read
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    return ran


def test_an_input_is_not_rewritten_and_words_before_a_call_are_lost(play, root, tmp_path):
    output = {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": {"file_path": str(root / "docs/status.md")},
        "additionalContext": "BEFORE",
    }
    answer = tmp_path / "answer.json"
    answer.write_text(json.dumps({"hookSpecificOutput": output}))
    hook = f"grep -q '\"PreToolUse\"' && cat '{answer}'"
    ran = play(read(root / "specs/status.md"), hook=hook, record=False)
    assert ran.model_read.startswith(MISSING)
    assert "BEFORE" not in ran.model_read
