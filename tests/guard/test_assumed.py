"""A likely file is shown to a call that only reads, and said; nothing else is done with it."""

from __future__ import annotations

import asyncio

import pytest

from truepath import Guard, ToolCall
from truepath.config.settings import Settings
from truepath.guard.caller import Caller
from truepath.resolve.likely import AHEAD, LEAST, marked
from truepath.types import Candidate, Resolution, Searched

FILES = {
    "docs/guide.md": "how to begin\n",
    "docs/other.md": "other\n",
    "lib/parse.py": "",
    "lib/other.py": "",
    "lib/codecs/other.py": "",
    "notes/plan/day.md": "",
}
WRONG, LIKELY = "docs/guides.md", "docs/guide.md"


@pytest.fixture
def repo(make_repo):
    return make_repo(FILES, git=False)


@pytest.fixture
def guard(repo):
    return Guard(repo)


def call(tool, arguments, **more):
    if isinstance(arguments, str):
        arguments = {"command": arguments}
    return ToolCall(tool, arguments, **{"session": "s", **more})


ASSUMES = [
    ("Read", {"file_path": WRONG}, "a read"),
    ("Grep", {"pattern": "x", "path": WRONG}, "a search"),
    ("Bash", f"cat {WRONG}", "a program that only prints"),
    ("Bash", f"sed -n 1,20p {WRONG}", "sed that prints"),
    ("Bash", f"head -3 {WRONG} | grep begin", "a pipeline that only reads"),
    ("Bash", f"wc -l {WRONG} && nl docs/other.md", "two programs that only read"),
    ("Bash", f"rg begin {WRONG}", "ripgrep"),
    ("Bash", f"diff {WRONG} docs/other.md", "what compares two files prints both"),
]

LEAVES_ALONE = [
    ("Bash", f"grep -n begin {WRONG} 2>/dev/null", "the command accepts that it is missing"),
    ("Bash", f"git log -3 -- {WRONG}", "git may have it in its history"),
    ("Edit", {"file_path": WRONG, "old_string": "a", "new_string": "b"}, "an edit changes"),
    ("Write", {"file_path": WRONG, "content": "x"}, "a write makes"),
    ("move_file", {"source": WRONG, "destination": "docs/x.txt"}, "a move"),
    ("delete_file", {"path": WRONG}, "a delete"),
    ("Bash", f"cat {WRONG} > docs/copy.txt", "its output goes into a file"),
    ("Bash", f"cat {WRONG} | sh", "its output is run"),
    ("Bash", f"cat {WRONG} | tee docs/copy.txt", "tee writes"),
    ("Bash", f"cat {WRONG} && rm docs/other.md", "another program deletes"),
    ("Bash", f"rm {WRONG}", "rm"),
    ("Bash", f"cp {WRONG} docs/copy.txt", "a copy is used for the right file"),
    ("Bash", f"python {WRONG}", "an interpreter runs it"),
    ("Bash", f"source {WRONG}", "the shell runs it"),
    ("Bash", f"curl -T {WRONG} https://example.org", "an upload"),
    ("Bash", f"wc -l < {WRONG}; make", "make runs anything"),
    ("Bash", f"x=$(cat {WRONG}); echo $x", "what is read goes on as a value"),
    ("Bash", f"diff {WRONG} {LIKELY}", "the likely file is named beside it"),
    ("Bash", f"sed -i s/a/b/ {WRONG}", "sed that changes"),
    ("Bash", f"git checkout -- {WRONG}", "git that changes"),
    ("upload_file", {"path": WRONG}, "a tool that sends it away"),
]


def is_assumed(decision) -> bool:
    return decision.text.startswith("PATH_ASSUMED")


def decide(guard, tool, arguments, **more):
    return guard.before(call(tool, arguments, **more))


def test_the_likely_file_is_shown_and_said(guard):
    decision = decide(guard, "Read", {"file_path": WRONG})

    assert decision.action == "rewrite"
    assert decision.arguments["file_path"] == LIKELY
    assert decision.text == (
        "PATH_ASSUMED: `docs/guides.md` does not exist; showing the likely file, `docs/guide.md` "
        "(same name except for a plural, same folder, the only one of that name)."
    )
    assert decision.payload["code"] == "PATH_ASSUMED"
    assert decision.payload["used"] == [LIKELY]
    assert [each.status for each in decision.resolutions] == ["likely"]


@pytest.mark.parametrize(("tool", "arguments", "why"), ASSUMES, ids=[each[2] for each in ASSUMES])
def test_assumes(guard, tool, arguments, why):
    decision = decide(guard, tool, arguments)

    assert decision.action == "rewrite"
    assert is_assumed(decision)
    assert LIKELY in str(decision.arguments)


@pytest.mark.parametrize(
    ("tool", "arguments", "why"), LEAVES_ALONE, ids=[each[2] for each in LEAVES_ALONE]
)
def test_leaves_alone(guard, tool, arguments, why):
    decision = decide(guard, tool, arguments)

    assert decision.action != "rewrite"
    assert not is_assumed(decision)


def test_the_next_candidates_are_named(make_repo):
    repo = make_repo({"src/settings.py": "", "lib/setting.py": "", "a/b.py": ""}, git=False)
    found = Resolution(
        "settings.txt",
        "ambiguous",
        "read",
        candidates=(Candidate("src/settings.py", 0.7), Candidate("lib/setting.py", 0.2)),
        target="settings.txt",
    )
    from truepath.guard.messages import assumed

    assert marked(found).status == "likely"
    text = assumed(marked(found), "settings.txt", "src/settings.py")
    assert text.endswith("Other candidates: `lib/setting.py`.")
    assert Guard(repo)


def test_a_shell_does_not_enter_a_likely_folder(guard):
    """It stays there, and the calls that follow start from there."""
    for command in ("cd note/plan && cat day.md", "cd note && ls"):
        decision = decide(guard, "Bash", command)
        assert not is_assumed(decision)


def test_a_likely_and_a_certain_path_of_one_call_are_both_used(guard):
    decision = decide(guard, "Bash", f"cat {WRONG} docs/other.md:3")

    assert decision.arguments["command"] == "cat docs/guide.md docs/other.md"
    first, second = decision.text.splitlines()
    assert first.startswith("PATH_ASSUMED")
    assert second.startswith("PATH_CORRECTED")


def test_one_path_that_is_refused_refuses_the_call(guard):
    decision = decide(guard, "Bash", f"cat {WRONG} lib/never_seen_before.py")

    assert decision.action in ("refuse", "advise")


@pytest.mark.parametrize("policy", ["suggest", "guide", "observe"])
def test_only_the_policies_that_correct_assume(repo, policy):
    decision = decide(Guard(repo, policy=policy), "Read", {"file_path": WRONG})

    assert decision.action != "rewrite"


@pytest.mark.parametrize("policy", ["careful", "recover"])
def test_the_policies_that_correct_assume(repo, policy):
    assert is_assumed(decide(Guard(repo, policy=policy), "Read", {"file_path": WRONG}))


CANNOT = [
    (Caller(notes=False), "the agent would not be told"),
    (Caller(rewrites=False), "the host runs calls as they came"),
    (Caller(others=lambda *_: "refuse"), "another hook watches"),
    (Caller(others=lambda *_: "allow"), "a rule of the host denies"),
]


@pytest.mark.parametrize(("caller", "why"), CANNOT, ids=[each[1] for each in CANNOT])
def test_nothing_is_assumed_where(repo, caller, why):
    decision = decide(Guard(repo, caller=caller), "Read", {"file_path": WRONG})

    assert decision.action != "rewrite"
    assert not is_assumed(decision)


def test_a_threshold_of_the_user_s_own_is_how_sure_a_read_must_be(repo):
    guard = Guard(repo, settings=Settings(thresholds={"read": 0.99}))

    assert decide(guard, "Read", {"file_path": WRONG}).action == "refuse"


def test_what_the_user_named_is_not_replaced(guard):
    decision = decide(guard, "Read", {"file_path": WRONG}, prompt=f"read {WRONG}")

    assert decision.action == "advise"


def test_the_second_guess_in_a_row_is_refused_with_the_shift(guard):
    assert is_assumed(decide(guard, "Read", {"file_path": WRONG}, turn="1"))

    again = decide(guard, "Read", {"file_path": "lib/guide.md"}, turn="2")

    assert again.action == "refuse"
    assert again.text.startswith("STRATEGY_SHIFT")
    assert LIKELY in again.text


def test_calls_of_one_turn_are_all_shown_the_file(guard):
    first = decide(guard, "Read", {"file_path": WRONG}, turn="1", call_id="a")
    second = decide(guard, "Read", {"file_path": WRONG}, turn="1", call_id="b")

    assert is_assumed(first)
    assert is_assumed(second)


def test_after_a_path_that_exists_the_next_guess_is_a_first_one(guard):
    decide(guard, "Read", {"file_path": WRONG}, turn="1")
    decide(guard, "Read", {"file_path": LIKELY}, turn="2")

    assert is_assumed(decide(guard, "Read", {"file_path": "lib/guide.md"}, turn="3"))


def test_an_assumed_file_is_not_known_to_the_session(make_repo):
    """What was shown in place of another is no work of the agent's."""
    repo = make_repo({**FILES, "x/parse.py": "", "y/parse.py": ""}, git=False)
    guard = Guard(repo)
    decide(guard, "Read", {"file_path": WRONG}, turn="1")

    assert guard._recent.known(call("Read", {})) == ()


def test_it_is_an_event_of_its_own_and_counts_as_a_miss(repo):
    events = []
    guard = Guard(repo, on_event=events.append)
    decide(guard, "Read", {"file_path": WRONG})

    (event,) = events
    assert event.event == "path.assumed"
    assert (event.status, event.replacement, event.streak) == ("likely", LIKELY, 1)


def test_a_function_is_given_a_likely_file_only_where_the_agent_is_told(repo):
    guard, told = Guard(repo), []

    def read_text(path) -> str:
        return (repo / path).read_text()

    def read_data(path):
        return {"text": (repo / path).read_text()}

    async def read_later(path) -> str:
        return read_text(path)

    first, rest = guard.wrap(read_text)(WRONG).split("\n", 1)
    assert first.startswith("PATH_ASSUMED")
    assert rest == FILES[LIKELY]
    assert asyncio.run(guard.wrap(read_later, session="2")(WRONG)).startswith("PATH_ASSUMED")
    with pytest.raises(FileNotFoundError):
        guard.wrap(read_data, session="3")(WRONG)
    assert guard.wrap(read_data, session="4", note=told.append)(WRONG) == {"text": FILES[LIKELY]}
    assert [each.partition(":")[0] for each in told] == ["PATH_ASSUMED"]


SURE = Candidate("docs/guide.md", 0.8)
FINE = {"written": "w", "status": "ambiguous", "operation": "read", "candidates": (SURE,)}
NOT_LIKELY = [
    ({"operation": "edit"}, "an edit"),
    ({"operation": "execute"}, "a program"),
    ({"operation": "copy"}, "a copy"),
    ({"status": "absent"}, "nothing is like it"),
    ({"status": "directory"}, "a folder is there"),
    ({"outside": True}, "it was written for a place outside"),
    ({"note": "deleted in 1a2b3c4"}, "history knows what became of it"),
    (
        {"note": "never in git", "candidates": (Candidate("a", 0.8, ("settings-at-root",)),)},
        "settings that the root never had",
    ),
    ({"searched": Searched(cut_short=True)}, "others may exist"),
    ({"candidates": (Candidate("a", LEAST - 0.01),)}, "less likely than not to be worth it"),
    ({"candidates": (SURE, Candidate("b", 0.8 / AHEAD + 0.01))}, "another one is not far behind"),
    ({"candidates": (Candidate("a", 0.8, ("another-word",)),)}, "another word is another file"),
    ({"candidates": (Candidate("a", 0.8, folder=True),)}, "a folder for a file"),
    ({"candidates": ()}, "no candidate"),
]


@pytest.mark.parametrize("note", ["", "never in git"])
def test_a_candidate_clearly_ahead_is_likely(note):
    assert marked(Resolution(**FINE, note=note), "file").path == SURE.path


def test_in_a_repository_whose_history_never_had_the_path_a_file_is_shown_too(make_repo):
    repo = make_repo(FILES)
    decision = Guard(repo, timeout_s=10.0).before(call("Read", {"file_path": WRONG}))

    assert decision.resolutions[0].note == "never in git"
    assert is_assumed(decision)


@pytest.mark.parametrize(("changes", "why"), NOT_LIKELY, ids=[each[1] for each in NOT_LIKELY])
def test_not_likely(changes, why):
    found = Resolution(**(FINE | changes))

    assert marked(found, "file") is found
