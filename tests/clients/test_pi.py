"""pi itself, driven by a scripted model: what the model asks for and gets to read.

Each statement was observed to hold for the version that `package.json` pins. pi has no rules on
paths and no sub-agents of its own, so nothing is said of them here.
"""

from __future__ import annotations

import json

import pytest
from clients import pi, plugins, rig
from clients.script import call, calls

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(180),
    rig.needs("pi"),
]


def read(path, **more):
    return call("read", path=str(path), **more)


def edit(path):
    return call("edit", path=path, edits=[{"oldText": "DEBUG = False", "newText": "DEBUG = True"}])


def bash(command):
    return call("bash", command=command)


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def play(tmp_path, root):
    def run(*turns, **options):
        ran = pi.run(tmp_path, list(turns), root=root, **options)
        assert ran.status == 0, ran.errors
        assert ran.turns == len(turns) + 1, ran.errors
        for line in ran.answered:
            assert set(json.loads(line)) <= {"arguments", "refuse", "text"}
        return ran

    return run


def test_the_program_is_the_pinned_one():
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())["dependencies"]
    assert rig.version(pi.PACKAGE) == pinned[pi.PACKAGE]


@pytest.mark.proves("correct", "shell", "edit")
def test_wrong_paths_are_corrected_and_the_results_tell_of_both(play, root):
    ran = play(
        read("specs/status.md"),
        read(root / "src/settings.py"),
        bash("cat specs/status.md"),
        edit("src/settings.py"),
        call("write", path="docs/new.md", content="new\n"),
    )
    moved = "PATH_CORRECTED: `specs/status.md` does not exist; using `docs/status.md`"
    assert ran.told[0] == f"STATUS all green\n\n\n{ran.told[0][19:]}"
    assert moved in ran.told[0]
    assert ran.told[1].startswith("DEBUG = False")
    assert f"using `{root}/src/app/settings.py`" in ran.told[1]
    assert "using `src/app/settings.py`" in ran.told[2]
    assert ran.told[3] == "Successfully wrote 4 bytes to docs/new.md"
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    assert not (root / "src/settings.py").exists()
    # The read and the command come to the same text, which is counted as told once.
    assert sum(moved in text for text in ran.answered) == 2


@pytest.mark.proves("ambiguous", "absent", "loop")
def test_what_is_not_surely_meant_is_refused_and_a_loop_is_told_at_the_second_miss(play, root):
    ran = play(
        read("lib/util.py"),
        edit("libs/util.py"),
        bash("cat core/util.py"),
        read("docs/status.md"),
        call("ls", path="nowhere"),
        read("docs/quarterly_forecast_2031.md"),
    )
    first, second, third, content, folder, absent = ran.told
    assert first.startswith("PATH_NOT_FOUND: `lib/util.py`. Did you mean one of: ")
    assert "pkg/one/util.py`" in first
    assert "pkg/two/util.py`" in first
    assert second.startswith("STRATEGY_SHIFT: 2 misses in a row")
    assert "or look first, with find, grep, ls" in second
    assert third.startswith("PATH_NOT_FOUND")  # the shift is told once in a streak
    assert content == "STATUS all green\n"
    assert folder.startswith("PATH_NOT_FOUND: file not found: `nowhere`")
    assert "PATH_NOT_FOUND: file not found: `docs/quarterly_forecast_2031.md`" in absent
    assert len(ran.answered) == 5


def test_failures_are_told_of_once_and_what_is_there_asks_nobody(play, root):
    ran = play(
        calls(read("docs/status.md"), read(root / "README.md"), call("ls")),
        edit("src/app/settings.py"),
        bash("cd docs && cat annual_report_1999.md"),
        read("docs/status.md"),
        bash("python3 -c 'open(\"specs/status.md\")'"),
        bash("false"),
    )
    events = [json.loads(line) for line in ran.asked]
    assert events[0]["arguments"]["command"].startswith("cd docs")
    texts = [text for text in ran.told if "PATH_NOT_FOUND" in text]
    assert [text.count("PATH_NOT_FOUND") for text in texts] == [1, 1]
    assert "Command exited with code 1\n\nPATH_NOT_FOUND" in texts[0]
    assert "`docs/status.md`" in texts[1]
    assert ran.told[-1].strip().endswith("Command exited with code 1")
    assert {event["prompt"] for event in events} == {"go"}
    assert len({event["session"] for event in events}) == 1


def test_what_the_user_typed_is_advised_upon_and_a_turn_is_no_loop(play, root):
    misses = [read(f"{folder}/util.py") for folder in ("lib", "libs", "core")]
    ran = play(read("specs/status.md"), calls(*misses), prompt="see specs/status.md!")
    assert ran.told[0].startswith(f"ENOENT: no such file or directory, access '{root}/specs/")
    assert ran.told[0].count("PATH_NOT_FOUND") == 1
    assert "`docs/status.md`" in ran.told[0]
    assert all(text.startswith("PATH_NOT_FOUND") for text in ran.told[1:])
    assert len(ran.told) == 4


@pytest.mark.proves("fail-open")
def test_whatever_breaks_blocks_nothing(play, root, tmp_path):
    reads = [read("specs/status.md", limit=at) for at in range(1, len(plugins.FAULTS) + 1)]
    ran = play(
        *reads,
        read("docs/status.md"),
        bash("echo ran in the shell"),
        hook=plugins.faulty(tmp_path, "pi"),
        record=False,
        timeout=2,
    )
    failed = f"ENOENT: no such file or directory, access '{root}/specs/status.md'"
    assert ran.told == [failed, "STATUS all green\n", "ran in the shell\n"]
    assert len(ran.asked) == 2 * len(plugins.FAULTS) + 1
