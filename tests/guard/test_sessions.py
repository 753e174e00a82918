"""What a guard remembers and writes down: streaks, the shift, events, what follows a
failure.
"""

from __future__ import annotations

import subprocess
from dataclasses import replace

import pytest
import shapes
from repos import moved, shop
from rows import check_each
from rows import read as rows

from truepath import Guard, Outcome, ToolCall
from truepath.guard.reading import Caller
from truepath.session.stores import FileStore

WRONG, LIKELY = "specs/status.md", "docs/status.md"
GUESSES = [f"{folder}/telemetry_spans.rb" for folder in ("one", "two", "three", "four")]
MISSING = Outcome(error="ENOENT: no such file or directory")


@pytest.fixture
def repo(copy_of):
    return copy_of(shop)


SEARCH = ("glob", "grep_search")


@pytest.fixture
def events():
    return []


@pytest.fixture
def guard(repo, events):
    return Guard(repo, on_event=events.append)


def call(tool, path, **more):
    return ToolCall(tool, {"path": path}, **{"session": "s", **more})


def read(guard, path, **more):
    return guard.before(call("read_file", path, **more))


def test_the_second_miss_in_a_row_is_told_to_look_first_and_the_third_is_not_told_again(
    guard,
):
    first, second, third = (
        read(guard, path, search_tools=SEARCH) for path in GUESSES[:3]
    )

    assert [each.shift for each in (first, second, third)] == [False, True, False]
    assert second.text.startswith(
        "STRATEGY_SHIFT: 2 misses in a row for the same target, before"
    )
    assert f"`{GUESSES[0]}`" in second.text
    assert "PATH_NOT_FOUND" in second.text
    assert second.text.endswith(
        "Next: search (glob, grep_search); else ask the user for the path."
    )
    assert third.text == (
        f"PATH_NOT_FOUND: `{GUESSES[2]}`: miss 3 in a row, nothing new.\n"
        "Next: ask the user for the path."
    )


# what is missed again and again, and how each answer from the third on ends
LOOPS = [
    (
        ["docs/nothing.rb"],
        " in a row, nothing new.\nNext: list `docs/`; else ask the user",
    ),
    (["nothing.rb"], " in a row, nothing new.\nNext: ask the user for the path."),
    (["lib/totals.py"], ". Check which:\n`pkg/one/totals.py`\n"),
    (["lib/totals.py", "app/totals.py"], ". Check which:\n"),
    (GUESSES, " in a row, nothing new.\nNext: ask the user for the path."),
]


@pytest.mark.parametrize("policy", ["careful", "suggest", "guide"])
def test_a_loop_is_told_its_count_and_the_one_thing_to_do(repo, policy):
    def check(row):
        paths, ends = row
        guard = Guard(repo, policy=policy)
        told = []
        for number in range(7):
            failed = call("read_file", paths[number % len(paths)], turn=str(number))
            decision = guard.before(failed)
            if decision.action == "allow":
                decision = guard.after(failed, MISSING)
            told.append(decision.text)
        for number, text in enumerate(told[2:], 3):
            assert f": miss {number}{ends}" in text
            assert len(text) <= len(told[0]) + len(": miss 3")
        assert "in a row, nothing" not in "".join(told[:2])

    check_each(LOOPS, check, lambda row: str(row[0]))


def test_a_loop_that_has_looked_is_told_to_ask_the_user(guard):
    for number in range(3):
        told = read(guard, "docs/nothing.rb", turn=str(number))
        guard.before(call("list_directory", "docs", turn=f"{number} look"))

    assert told.text.endswith("nothing new.\nNext: ask the user for the path.")


def test_the_third_guess_is_told_to_look_first_and_one_of_them_may_still_be_made(guard):
    guesses = ["civic.py", "app/box.rb", "lib/choir.go", "tools/fiddle.ts"]
    told = [read(guard, path) for path in guesses]

    assert [each.shift for each in told] == [False, False, True, False]
    assert told[2].text.startswith(
        "STRATEGY_SHIFT: 3 misses in a row, before this `civic.py`"
    )
    assert guard.before(call("write_file", "civic.py")).action == "allow"


def test_the_shift_names_what_searches_beside_weak_candidates_too(guard):
    told = [read(guard, f"{folder}/totals.py", search_tools=SEARCH) for folder in "ab"]

    assert "`pkg/one/totals.py`" in told[1].text
    assert told[1].text.endswith(
        "Next: search (glob, grep_search); else ask the user for the path."
    )
    assert "Next: search" not in told[0].text


# Tool, and whether each call of it is followed by the one that takes the file.
OFFERED = [
    ("edit_file", False, [True, True, False, False], "offered twice, and not taken"),
    ("edit_file", True, [True, True, True, True], "taken each time"),
]


def test_a_file_is_offered_twice_to_an_agent_that_does_not_take_it(repo):
    def check(row):
        tool, takes, expected, _ = row
        guard = Guard(repo)
        named, last = [], None
        for turn in range(4):
            last = guard.before(
                call(tool, "statue.md", turn=f"{turn}", search_tools=SEARCH)
            )
            named.append(LIKELY in last.text)
            if takes:
                guard.before(call(tool, LIKELY, turn=f"{turn} then"))
        assert named == expected
        assert takes or last.text.endswith(
            "Next: search (glob, grep_search); else ask the user for the path."
        )

    check_each(OFFERED, check, lambda row: row[-1])


def test_calls_of_one_turn_are_one_offer(guard):
    for turn in ("1", "1", "1", "2"):
        last = guard.before(call("edit_file", "statue.md", turn=turn))
    assert LIKELY in last.text


def test_what_is_proved_is_named_however_often(repo):
    guard = Guard(repo, policy="suggest")
    for turn in range(4):
        last = guard.before(call("edit_file", "Docs/status.md", turn=f"{turn}"))
    assert (last.action, LIKELY in last.text) == ("refuse", True)


def test_what_was_offered_is_offered_again_once_the_user_has_spoken(guard):
    for turn in range(3):
        last = guard.before(call("edit_file", "statue.md", turn=f"{turn}"))
    assert LIKELY not in last.text
    guard.prompted(call("", ""))
    again = guard.before(call("edit_file", "statue.md", turn="9"))
    assert LIKELY in again.text


def test_a_second_guess_for_one_aim_is_not_shown_a_file(guard):
    assert read(guard, WRONG, turn="1").text.startswith(f"OK: `{LIKELY}`")
    again = read(guard, "wiki/status.md", turn="2")

    assert again.action == "refuse"
    assert again.text.startswith("STRATEGY_SHIFT")
    assert LIKELY in again.text


@pytest.mark.parametrize(
    ("between", "why"),
    [
        (lambda guard: read(guard, LIKELY, turn="2"), "a path that exists was used"),
        (lambda guard: guard.prompted(call("", "")), "the user spoke"),
    ],
)
def test_a_streak_ends_where(guard, between, why):
    read(guard, WRONG, turn="1")
    between(guard)

    assert read(guard, "wiki/status.md", turn="3").text.startswith("OK: "), why


def test_in_a_loop_nothing_like_its_misses_is_made_until_it_has_looked(guard):
    for path in GUESSES[:3]:
        read(guard, path)
    new = call("write_file", "five/telemetry_spans.rb")

    held = guard.before(new)
    assert (held.action, held.payload["code"]) == ("refuse", "LOOK_FIRST")
    typed = replace(new, prompt="make five/telemetry_spans.rb")
    assert guard.before(typed).action == "allow", (
        "what the user typed is made all the same"
    )
    guard.before(call("list_directory", "docs"))
    assert guard.before(new).action == "allow"


# events


def test_every_interception_is_one_event(guard, events):
    for path in ("readme.md", WRONG, "lib/totals.py", GUESSES[0], "docs/status.md"):
        read(guard, path, session=path)

    assert [event.event for event in events] == [
        *("path.corrected", "path.assumed", "path.refused", "path.absent")
    ]
    corrected, assumed, refused, *_ = events
    assert (corrected.requested, corrected.replacement) == ("readme.md", "README.md")
    assert (corrected.reason, assumed.reason) == ("spelling", "only-name")
    assert (assumed.status, assumed.replacement, assumed.streak) == (
        "likely",
        LIKELY,
        1,
    )
    assert refused.candidates == ("pkg/one/totals.py", "pkg/two/totals.py")
    assert all(event.project == str(guard.workspace.root) for event in events)


def test_a_loop_is_an_event_and_what_succeeds_is_none(guard, events):
    for path in GUESSES[:2]:
        read(guard, path)
    guard.before(call("list_directory", "docs"))
    read(guard, "docs/status.md")

    assert [event.event for event in events] == [
        "path.absent",
        "path.absent",
        "strategy.shift",
    ]
    assert events[-1].streak == 2


def test_observe_records_and_says_nothing(repo, events):
    guard = Guard(repo, policy="observe", on_event=events.append)

    assert read(guard, WRONG).text == ""
    assert guard.after(call("read_file", WRONG), MISSING).text == ""
    assert [event.event for event in events] == ["path.observed"]


def test_a_listener_that_raises_costs_no_call(repo, caplog):
    def listen(event):
        raise RuntimeError(event.event)

    guard = Guard(repo, on_event=listen)
    told = [read(guard, "readme.md").action for _ in range(2)]

    assert told == ["rewrite", "rewrite"]
    assert len(caplog.records) == 1


def test_an_error_of_truepath_is_recorded_and_ends_there(guard, events):
    with guard.failing_open(call("read_file", "a")):
        raise ValueError("secret contents")
    with pytest.raises(KeyboardInterrupt), guard.failing_open(call("read_file", "a")):
        raise KeyboardInterrupt

    (event,) = events
    assert event.event == "guard.failed"
    assert "secret" not in event.to_json()


def test_a_history_that_is_not_known_is_told_of_once_a_session(guard, repo):
    (repo / ".git/config").write_text("[core\n")
    said = "its history is not known"
    told = [read(guard, path).text for path in (WRONG, *GUESSES)]
    assert [said in text for text in told] == [True, False, False, False, False]
    assert said in read(guard, WRONG, session="another").text


def test_a_store_that_cannot_be_used_is_told_of_once(repo, tmp_path, events):
    (tmp_path / "file").write_text("")
    guard = Guard(repo, store=FileStore(str(tmp_path / "file")), on_event=events.append)
    for path in GUESSES:
        read(guard, path)

    assert [event.event for event in events].count("store.failed") == 1


def test_what_the_user_waits_for_begins_with_the_process(repo, events):
    import time

    guard = Guard(repo, on_event=events.append, caller=Caller(began=time.time() - 3))
    read(guard, WRONG)

    assert events[0].elapsed_us > 3_000_000


# after a call


def test_a_failed_call_is_told_what_is_known(repo, guard):
    quiet = Guard(repo, policy="guide")
    failed = call("read_file", WRONG)

    assert quiet.before(failed).action == "allow"
    told = quiet.after(failed, MISSING)
    assert (told.action, told.arguments) == ("advise", failed.arguments)
    assert f"`{LIKELY}`" in told.text
    assert "Search before giving up" in told.text


# (the error, whether anything is said, why)
ERRORS = [
    (None, False, "nothing failed"),
    ("", False, "nothing is said"),
    ("Permission denied", False, "another failure"),
    ("old_string not found in file", False, "the file was there"),
    (
        "File does not exist. Did you mean backend/x.py?",
        False,
        "the host has suggested",
    ),
    ("PATH_NOT_FOUND: `x` does not exist.", False, "that was an answer of ours"),
    ("File does not exist.", True, "nobody has said anything"),
]


def test_after_a_call_nothing_is_said_without_need(repo):
    def check(row):
        error, said, _ = row
        told = Guard(repo).after(call("read_file", WRONG), Outcome(error=error))
        assert bool(told.text) == said

    check_each(ERRORS, check, lambda row: row[2])


def test_a_miss_is_counted_once_before_and_after(guard, events):
    refused = call("read_file", GUESSES[0], call_id="1")
    guard.before(refused)
    told = guard.after(refused, MISSING)

    assert told.repeated
    assert [event.event for event in events] == ["path.absent"]


def test_a_command_that_failed_is_told_what_it_lacked(copy_of):
    repo = copy_of(moved)

    def check(row):
        command = row["command"]
        failed = ToolCall("Bash", {"command": command}, cwd=str(repo), session=command)
        error = row["error"].replace("/p/", f"{repo}/")
        told = Guard(repo).after(failed, Outcome(error=error)).text
        assert (row["said"] in told) if row["said"] else told == ""
        assert "wiki" not in told

    check_each(rows("guard/failed"), check)


def test_after_every_text_of_a_program_the_right_path_is_named(copy_of):
    repo = copy_of(moved)

    def check(text):
        is_pattern = "*.md" in text
        wrong = "specs" if is_pattern else "specs/status.md"
        right = "docs/" if is_pattern else "docs/status.md"
        error = text.replace("/p/", f"{repo}/").replace("src/gone.x", wrong)
        command = f"frob {wrong}/*.md" if is_pattern else f"frob -c {wrong}"
        failed = ToolCall("Bash", {"command": command}, cwd=str(repo), session=text)
        assert right in Guard(repo).after(failed, Outcome(error=error)).text

    check_each(shapes.told(), check)


def test_a_file_made_since_is_found(guard, repo, write):
    assert read(guard, "lib/brand_new_thing.py").action == "refuse"
    write(repo, {"src/brand_new_thing.py": ""})
    guard.before(ToolCall("Bash", {"command": "frobnicate"}))

    assert read(guard, "lib/brand_new_thing.py", session="2").action == "rewrite"


@pytest.mark.parametrize("row", rows("guard/moved"), ids=lambda row: row["why"])
@pytest.mark.parametrize("tool", ["read_file", "edit"])
def test_what_a_session_has_moved_is_named_where_it_is(repo, tmp_path, row, tool):
    def guard():
        return Guard(repo, store=FileStore(tmp_path / "sessions"))

    for line in row["runs"]:
        asked = ToolCall("bash", {"command": line}, session="s", cwd=str(repo))
        assert guard().before(asked).action == "allow", line
        subprocess.run(line, shell=True, cwd=repo, check=True)
    told = guard().before(call(tool, row["ask"]))
    shown = told.resolutions[0].path == row["at"] != ""  # git knows it too
    assert shown or is_moved_to(told) == row["at"], told
    assert "git restore" not in told.text or not row["at"]
    other = guard().before(call(tool, row["ask"], session="another"))
    assert is_moved_to(other) == ""


def is_moved_to(decision):
    """Return the first candidate, if the session has moved the path there."""
    for best in decision.resolutions[0].candidates[:1]:
        return best.path if best.why == "moved there in this session" else ""
    return ""


MOVED = [
    ("moved and changed", "mv docs/status.md a.md && sed -i 's/.*/x/' a.md", "a.md"),
    ("copied, changed, gone",
     "cp docs/status.md a.md && echo x > a.md && rm docs/status.md", "a.md"),
    ("a folder", "mv docs/status.md docs/a && rm docs/a && mkdir docs/a", ""),
    ("gone since", "mv docs/status.md a.md && rm a.md", ""),
]  # fmt: skip


@pytest.mark.parametrize(("why", "line", "shown"), MOVED)
def test_a_look_is_shown_what_a_session_has_moved_and_changed(
    guard, repo, why, line, shown
):
    asked = ToolCall("bash", {"command": line}, session="s", cwd=str(repo))
    assert guard.before(asked).action == "allow"
    subprocess.run(line, shell=True, cwd=repo, check=True)
    told = read(guard, "docs/status.md")
    assert told.arguments["path"] == (shown or "docs/status.md"), told
    edited = guard.before(call("edit", "docs/status.md"))
    assert edited.action == "refuse"


def test_what_a_tool_has_moved_is_shown_where_it_is(guard, repo):
    how = {"source": "docs/status.md", "destination": "docs/state.md"}
    assert guard.before(ToolCall("move_file", how, session="s")).action == "allow"
    (repo / "docs/status.md").rename(repo / "docs/state.md")
    (repo / "docs/state.md").write_text("all new")
    told = read(guard, "docs/status.md")
    assert is_moved_to(told) == "docs/state.md"
    assert told.arguments == {"path": "docs/state.md"}
    assert told.text.startswith("OK: `docs/state.md`, the likely file for ")
    assert told.text.endswith("(moved there in this session).")
