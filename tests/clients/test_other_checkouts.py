"""The guard of other checkouts, with real programs: rows of `tests/guard`, played in
one session of each, that begins in a linked work tree.
"""

from __future__ import annotations

import pytest
from clients import rig
from clients.programs import PROGRAMS, REPORT
from clients.script import call
from guard import test_other_checkouts as guard

pytestmark = pytest.mark.client

places = guard.places

ASKS = {"TRUEPATH_OTHER_CHECKOUTS": "ask"}

ROWS = (
    "a read is noted as it was",
    "an edit of the main checkout, from a linked work tree",
    "git of the main checkout, by -C",
    "git of the main checkout only looks",
    "sed -i after cd",
    "a redirection",
    "rm, mv, mkdir and touch",
    "a build there",
    "code that flows in",
)
"""Nothing of these but the reads and looks runs, for none is sent again."""

OPTIONS = {
    "claude-code": {},
    "codex": {},
    "gemini": {"args": ("--approval-mode", "yolo", "--include-directories", "MAIN")},
    "opencode": {"permission": {"external_directory": "allow"}},
}
"""Program -> what lets it act outside of its folder."""

AGAIN = "send the same call again"


def turn_of(program, session, step):
    """Return the model's turn of a row's step."""
    if "run" in step:
        return program.shell(session.placed(step["run"]))
    path = session.placed(step["path"])
    if step["tool"] == "Read":
        return program.read(path)
    return program.edit(path, "one = 1", "one = 2")


@pytest.mark.parametrize("name", OPTIONS)
def test_nothing_changes_in_another_checkout_until_a_call_is_sent_again(
    name, tmp_path, places
):
    program = PROGRAMS[name]
    if rig.program(program.COMMAND) is None:
        pytest.skip(f"no {program.COMMAND} here: `make test-clients` installs it")
    session = guard.Session(places, "WT")
    by_why = {row["why"]: row["steps"] for row in guard.ROWS}
    steps = [step for why in ROWS for step in by_why[why]]
    resent = {"run": "touch MAIN/made.txt"}
    steps += [
        {"tool": "Read", "path": "WT/src/a.py"},
        {"tool": "Edit", "path": "WT/src/a.py"},
        resent,
        {"run": "cd MAIN && make test", "says": "told"},
    ]
    before = guard.bytes_of(places["MAIN"])
    options = dict(OPTIONS[name])
    if "args" in options:
        options["args"] = tuple(map(session.placed, options["args"]))
    ran = program.run(
        tmp_path,
        [turn_of(program, session, step) for step in steps],
        root=places["WT"],
        environ=ASKS,
        **options,
    )
    assert (ran.status, ran.turns) == (0, len(steps) + 1), ran.errors
    asked = [step for step in steps if step.get("says") == "asked"]
    assert sum(AGAIN in answer for answer in ran.answered) == len(asked)
    assert ran.having("PATH_IN_OTHER_CHECKOUT", AGAIN)
    assert ran.having("this session has edited", str(places["WT"]))
    after = guard.bytes_of(places["MAIN"])
    made = places["MAIN"] / "made.txt"
    assert {name for name in after if after[name] != before.get(name)} == {made}
    assert {*before} <= {*after}
    assert (places["WT"] / "src/a.py").read_text() == "one = 2\n"


CLAUDE = PROGRAMS["claude-code"]


def agent(prompt, **more):
    """Return a turn that starts a sub-agent and waits for it."""
    kind = {"subagent_type": "general-purpose", "run_in_background": False}
    return call("Agent", description="work", prompt=prompt, **kind, **more)


@rig.needs("claude")
def test_work_trees_and_sub_agents_of_claude_code_have_their_own(tmp_path, places):
    session = guard.Session(places, "MAIN")
    edit, read, run = CLAUDE.edit, CLAUDE.read, CLAUDE.shell
    ours = places["WT"] / "src/a.py"
    turns = [
        agent(f"fix it in {places['WT']}"),
        read(ours),
        edit(ours, "one = 1", "one = 2"),
        run(session.placed("sed -i s/1/2/ MAIN/src/a.py")),
        REPORT,
        agent("fix it", isolation="worktree"),
        run("sed -i s/1/2/ src/a.py && pwd"),
        run(session.placed("git -C MAIN add -A")),
        REPORT,
        call("EnterWorktree", name="fix"),
        run("sed -i s/1/2/ src/b.py && pwd"),
        run(session.placed("sed -i s/1/2/ MAIN/src/b.py")),
        call("ExitWorktree", action="keep"),
        run("echo x > own.txt"),
    ]
    before = guard.bytes_of(places["MAIN"])
    ran = CLAUDE.run(tmp_path, turns, root=places["MAIN"], environ=ASKS)
    assert ran.status == 0, ran.errors
    assert sum(AGAIN in answer for answer in ran.answered) == 3
    assert ours.read_text() == "one = 2\n"
    after = guard.bytes_of(places["MAIN"])
    assert {*before.items()} <= {*after.items()}
    assert (places["MAIN"] / "own.txt").exists()
