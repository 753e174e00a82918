"""OpenCode itself, driven by a scripted model: what the model asks for and gets to read.

Each statement was observed to hold for the version that `package.json` pins. A run takes seconds,
so most tests look at one and the same.
"""

from __future__ import annotations

import json

import pytest
from clients import opencode, plugins, rig
from clients.script import call, calls

pytestmark = [
    pytest.mark.client,
    pytest.mark.timeout(300),
    rig.needs("opencode"),
]

SUGGESTED = "Did you mean one of these?"
DENIED = "The user has specified a rule which prevents"


def read(path, **more):
    return call("read", filePath=str(path), **more)


def edit(path):
    return call("edit", filePath=str(path), oldString="DEBUG = False", newString="DEBUG = True")


def bash(command, **more):
    return call("bash", command=command, description="work", **more)


def play(place, *turns, **options):
    ran = opencode.run(place, list(turns), root=place / "repo", **options)
    assert ran.status == 0, ran.errors
    assert ran.turns == len(turns) + 1, ran.errors
    for line in ran.answered:
        assert set(json.loads(line)) <= {"arguments", "refuse", "text"}
    return ran


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("opencode")
    rig.make_project(place)
    return place


@pytest.fixture(scope="module")
def ran(place):
    """A session in which much goes wrong."""
    root = place / "repo"
    return play(
        place,
        read(root / "specs/status.md"),
        bash("cat specs/status.md"),
        bash("cat ../src/settings.py", workdir=str(root / "docs")),
        edit(root / "src/settings.py"),
        read(root / "lib/util.py"),
        edit(root / "libs/util.py"),
        bash("cat core/util.py"),
        read(root / "docs/status.md"),
        read(root / "docs/quarterly_forecast_2031.md"),
        call("grep", pattern="green", path=str(root / "elsewhere")),
        read(root / "docs/status.md", limit=1),
        bash("cd docs && cat annual_report_1999.md"),
        bash("python3 -c 'open(\"specs/status.md\")'"),
        bash("rm specs/status.md"),
    )


def told(ran, words):
    """Return the one text with these words that the model got to read."""
    [text] = [text for text in ran.told if words in text]
    return text


def test_the_program_is_the_pinned_one():
    pinned = json.loads((rig.PROJECT / "tests/clients/package.json").read_text())["dependencies"]
    assert rig.version(opencode.PACKAGE) == pinned[opencode.PACKAGE]


@pytest.mark.proves("correct")
def test_a_read_of_a_moved_file_returns_its_content_and_tells_of_both_paths(ran, place):
    text = told(ran, "1: STATUS all green\n\n(End of file - total 1 lines)\n</content>\n\nPATH_")
    assert f"`{place}/repo/specs/status.md` does not exist" in text
    assert f"using `{place}/repo/docs/status.md`" in text


@pytest.mark.proves("shell")
def test_a_command_with_a_moved_file_runs_on_the_real_one_and_tells_of_it(ran):
    text = told(ran, "`specs/status.md` does not exist; using `docs/status.md`")
    assert text.startswith("STATUS all green")


def test_a_command_in_another_folder_is_served_from_there(ran):
    text = told(ran, "`../src/settings.py` does not exist; using `")
    assert text.startswith("DEBUG = False")


@pytest.mark.proves("edit")
def test_an_edit_of_a_moved_file_is_made_where_it_is(ran, place):
    assert (place / "repo/src/app/settings.py").read_text() == "DEBUG = True\n"
    assert not (place / "repo/src/settings.py").exists()
    assert f"using `{place}/repo/src/app/settings.py`" in told(ran, "Edit applied successfully")


@pytest.mark.proves("ambiguous")
def test_a_name_in_two_folders_is_refused_with_both(ran):
    text = told(ran, "/repo/lib/util.py`. Did you mean one of: ")
    assert text.startswith("PATH_NOT_FOUND")
    assert "pkg/one/util.py`" in text
    assert "pkg/two/util.py`" in text


@pytest.mark.proves("absent")
def test_a_file_that_is_nowhere_is_refused_with_a_next_step(ran):
    text = told(ran, "docs/quarterly_forecast_2031.md")
    assert text.startswith("PATH_NOT_FOUND: file not found")


@pytest.mark.proves("loop")
def test_in_a_loop_the_model_reads_the_strategy_shift_at_the_second_miss(ran):
    first, *_ = [text for text in ran.told if "STRATEGY_SHIFT" in text]
    assert first.startswith("STRATEGY_SHIFT: 2 misses in a row")
    assert "look first, with glob, grep, bash (ls)" in first


def test_a_search_in_a_folder_that_is_nowhere_is_refused_before_it_searches_elsewhere(ran):
    assert told(ran, "/repo/elsewhere`").startswith("PATH_NOT_FOUND: file not found")


def test_a_joined_command_that_fails_on_a_path_is_advised_upon_once(ran):
    text = told(ran, "cat: annual_report_1999.md: No such file or directory")
    assert text.count("PATH_NOT_FOUND") == 1


def test_a_failure_that_only_the_output_tells_of_gets_candidates(ran):
    assert "`docs/status.md`" in told(ran, "FileNotFoundError")


def test_a_removal_of_a_moved_file_is_refused_with_where_it_is(ran, place):
    assert (place / "repo/docs/status.md").exists()
    assert "PATH_NOT_FOUND: `specs/status.md`. " in ran.told[-1]
    assert "`docs/status.md`" in ran.told[-1]


def test_each_call_is_of_a_turn_and_of_the_prompt(ran):
    events = [json.loads(line) for line in ran.asked]
    before = [event for event in events if event["event"] == "before"]
    assert len({event["turn"] for event in before}) == len(before)
    assert {event["prompt"] for event in events} == {"go"}
    assert len({event["session"] for event in events}) == 1


def test_what_is_there_is_met_with_silence_and_asks_nobody(tmp_path, root):
    ran = play(
        tmp_path,
        calls(read(root / "docs/status.md"), read("README.md"), read(root / "docs")),
        edit(root / "src/app/settings.py"),
        call("write", filePath=str(root / "docs/new.md"), content="new\n"),
        call("todowrite", todos=[]),
    )
    assert ran.asked == []
    assert (root / "docs/new.md").read_text() == "new\n"
    assert (root / "src/app/settings.py").read_text() == "DEBUG = True\n"
    assert "PATH_" not in ran.model_read


def test_what_the_user_typed_is_advised_upon_and_a_turn_is_no_loop(tmp_path, root):
    prompt = "see specs/status.md and docs/status!"
    misses = [read(root / folder / "util.py") for folder in ("lib", "libs", "core")]
    ran = play(
        tmp_path,
        read(root / "docs/status"),
        read(root / "specs/status.md"),
        calls(*misses),
        prompt=prompt,
    )
    text = told(ran, f"File not found: {root}/specs/status.md")
    assert text.count("PATH_NOT_FOUND") == 1
    assert "docs/status.md`" in text
    assert told(ran, SUGGESTED).endswith(f"{root}/docs/status.md")
    refusals = [text for text in ran.told if "pkg/one/util.py`" in text]
    assert len(refusals) == 3
    assert all(text.startswith("PATH_NOT_FOUND") for text in refusals)


def test_a_sub_agent_is_served_in_a_session_of_its_own(tmp_path, root):
    task = {"description": "d", "prompt": "see specs/status.md", "subagent_type": "general"}
    ran = opencode.run(tmp_path, [call("task", **task), read(root / "specs/status.md")], root=root)
    # What the calling agent typed is no order of the user's: the path is corrected.
    assert "STATUS all green" in ran.model_read
    [event] = [json.loads(line) for line in ran.asked]
    assert "prompt" not in event


@pytest.mark.proves("rules")
def test_rules_on_either_path_still_hold(tmp_path, root):
    ran = play(
        tmp_path,
        read(root / "specs/key.md"),
        read(root / "specs/status.md"),
        bash("cat specs/status.md"),
        edit(root / "src/settings.py"),
        bash("cat src/settings.py"),
        permission={
            "read": {"*": "allow", "secret/*": "deny", "specs/*": "deny"},
            "bash": {"*": "allow", "cat specs/*": "deny", "cat src/app/*": "deny"},
            "edit": {"*": "allow", "src/app/*": "deny"},
        },
    )
    for what in ("SECRET content", "secret/key.md", "STATUS all green", "DEBUG = False"):
        assert what not in ran.model_read
    assert ran.model_read.count(DENIED) >= 2
    assert (root / "src/app/settings.py").read_text() == "DEBUG = False\n"


@pytest.mark.proves("fail-open")
def test_whatever_breaks_blocks_nothing(tmp_path, root):
    reads = [read(root / "specs/status.md", limit=at) for at in range(1, len(plugins.FAULTS) + 1)]
    ran = play(
        tmp_path,
        *reads,
        read(root / "docs/status.md"),
        bash("echo ran in the shell"),
        hook=plugins.faulty(tmp_path, "opencode"),
        record=False,
        timeout=2,
    )
    failed = f"File not found: {root}/specs/status.md"
    assert set(ran.told[:-2]) == {failed}
    assert "STATUS all green" in ran.told[-2]
    assert ran.told[-1].startswith("ran in the shell")
    assert len(ran.asked) == 2 * len(plugins.FAULTS) + 1
