"""An answer that takes too long is given up, the call runs, and the journal says so;
no text makes one take long.
"""

from __future__ import annotations

import os
import threading

import pytest
import repos

from truepath import Guard, Outcome, ToolCall, Workspace

FILES = {"docs/status.md": "", "src/app/session_store.py": "", "README.md": ""}
WRONG = ToolCall("read_file", {"path": "app/session_store.py"})


@pytest.fixture
def repo(make_repo):
    return make_repo(FILES)


def told_by(guard_of, call=WRONG, error=""):
    """Return a decision, and what the journal has of it: kinds and errors."""
    events = []
    guard = guard_of(on_event=events.append)
    decision = guard.after(call, Outcome(error=error)) if error else guard.before(call)
    return decision, [(event.event, event.error) for event in events]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        ({"cpu_s": 0}, "no answer within 0 s of CPU"),
        ({"timeout_s": 0}, "no answer within 0 s"),
    ],
)
@pytest.mark.parametrize("error", ["", "cat: x.py: No such file or directory"])
def test_an_answer_that_takes_too_long_lets_the_call_run(repo, limits, told, error):
    decision, events = told_by(lambda **how: Guard(repo, **limits, **how), WRONG, error)
    assert (decision.action, decision.arguments) == ("allow", WRONG.arguments)
    assert events == [("guard.failed", told)]


def test_a_wrapped_function_runs_all_the_same_in_any_thread(repo):
    events, results = [], []
    guard = Guard(repo, cpu_s=0, on_event=events.append)

    def read_file(path):
        results.append(path)

    read = guard.wrap(read_file)
    threads = [threading.Thread(target=read, args=(path,)) for path in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == ["a", "b"]
    assert [event.event for event in events] == ["guard.failed"] * 2


def test_the_clock_does_not_count_for_what_is_not_on_the_disk():
    workspace = Workspace.from_names(["src/app/session_store.py"])
    decision, _ = told_by(lambda **how: Guard(workspace=workspace, timeout_s=0, **how))
    assert decision.action == "rewrite"


@pytest.mark.skipif(os.name == "nt", reason="not on Windows: a script is no git")
def test_the_cpu_of_a_git_counts_and_leaves_some_for_an_answer(
    repo, tmp_path, monkeypatch
):
    busy = tmp_path / "bin/git"
    # What is listed behind goes on after the answer: until its program is gone.
    program = '#!/bin/sh\nwhile [ -e "$0" ]; do :; done\n'
    repos.write_files(tmp_path, {"bin/git": program})
    busy.chmod(0o755)
    monkeypatch.setenv("PATH", f"{busy.parent}:{os.environ['PATH']}")
    decision, events = told_by(lambda **how: Guard(repo, cpu_s=1, timeout_s=300, **how))
    busy.unlink()
    # Without names nothing is corrected; each further git has its part of what is left.
    assert decision.action == "refuse" or events[-1][0] == "guard.failed"


HOSTILE = (
    '"\\', "\\!", '\\"', "\\", "../", "a/", "a\\n", " / ", "a ", "a,b ", "%41",
    "\\303\\251", "$HOME/", "(", "[a](b ", "**a", "a#L1", "a:1", "a.b::", "<a",
    "a lines 1 ", "é", "\u200b", "\x1b[0m", "a\n", "a' ", "&& cat a ", "`a", "{a,b}",
)  # fmt: skip
"""What a path, a command, a patch or an error may be made of over and over."""


@pytest.mark.parametrize("piece", HOSTILE)
def test_no_text_takes_the_time_of_an_answer(repo, piece):
    path = (piece * 4096)[:4096]
    text = piece * (100_000 // len(piece))
    patch = f"*** Begin Patch\n*** Update File: a.py\n{text}\n*** End Patch"
    before = (
        ToolCall("read_file", {"path": path}),
        ToolCall("write_file", {"path": path, "content": "x"}),
        ToolCall("run_shell_command", {"command": f"cat {path}"}),
        ToolCall("run_shell_command", {"command": text}),
        ToolCall("apply_patch", {"input": patch}),
    )
    events = []
    guard = Guard(repo, on_event=events.append)
    for call in before:
        guard.before(call)
    for error in (f"{path}: No such file or directory", f"not found: {text}"):
        guard.after(WRONG, Outcome(error=error))
    assert [event.error for event in events if event.event == "guard.failed"] == []


def test_a_path_of_very_many_names_is_left_alone(repo):
    path = "a/" * 300 + "session_store.py"
    call = ToolCall("read_file", {"path": path})
    decision, events = told_by(lambda **how: Guard(repo, **how), call)
    assert (decision.action, events) == ("allow", [])
