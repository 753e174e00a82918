"""What a guard writes of its calls: one event an interception, and none of what it must not keep.

And what it does when stores, journals and listeners fail: calls go on.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest
from disks import fill, read_only, small_disk
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import check_each

from truepath import Guard, Outcome, ToolCall
from truepath.config.settings import Settings
from truepath.config.user_dirs import state_folder
from truepath.events.adoption import join
from truepath.events.event import KINDS
from truepath.events.journal import JsonlSink, journal_path, read_events
from truepath.session.stores.files import FileStore
from truepath.session.stores.memory import MemoryStore
from truepath.session.stores.sqlite import SqliteStore

FILES = {
    "docs/status.md": "",
    "backend/app/invoice_export.py": "",
    "reports/totals.py": "",
    "billing/totals.py": "",
}
WRONG, RIGHT = "app/invoice_export.py", "backend/app/invoice_export.py"
TWO = "app/totals.py"
NONE = "backend/telemetry/spans.py"
MISSING = Outcome(error="ENOENT: no such file or directory, open 'x'")


@pytest.fixture
def repo(make_repo):
    return make_repo(FILES, git=False)


def read(path, **more):
    return ToolCall("read_file", {"path": path}, **{"session": "s", **more})


def write(path, **more):
    return ToolCall("write_file", {"file_path": path, "content": "x"}, session="s", **more)


def shell(command, **more):
    return ToolCall("Bash", {"command": command}, session="s", **more)


def kinds(events) -> list[str]:
    return [event.event for event in events]


def journalled() -> list:
    return list(read_events(journal_path(state_folder(os.environ))))


ONE_EVENT = [
    ("careful", read(WRONG), "path.corrected", "corrected"),
    ("careful", read(TWO), "path.refused", "two are alike"),
    ("careful", read(NONE), "path.absent", "nothing is"),
    ("careful", read(WRONG, prompt=f"read {WRONG}"), "path.advised", "the user named it"),
    ("careful", shell(f"cat {NONE}; echo done"), "path.advised", "the rest of the line runs"),
    ("careful", shell(f"cat {NONE} {NONE}"), "path.absent", "one path named twice"),
    ("careful", write("bakcend/new.py"), "path.refused", "a slip"),
    ("careful", write("tools/new/x.py"), "folder.created", "a new folder"),
    (
        "careful",
        shell("mkdir -p tools/sub && touch tools/sub/x tools/y"),
        "folder.created",
        "one folder",
    ),
    ("guide", read(NONE), "path.advised", "told once it has failed"),
    ("observe", read(NONE), "path.observed", "nothing said, before or after"),
    ("observe", read(WRONG), "path.observed", "nothing corrected"),
    ("observe", write("bakcend/new.py"), "path.observed", "a slip let through"),
]


@pytest.mark.parametrize("call_id", ["c1", ""])
@pytest.mark.parametrize(
    ("policy", "call", "kind", "why"), ONE_EVENT, ids=[case[3] for case in ONE_EVENT]
)
def test_an_interception_is_one_event(repo, policy, call, kind, why, call_id):
    events = []
    guard = Guard(repo, policy=policy, on_event=events.append)
    call = ToolCall(
        call.tool, call.arguments, session="s", call_id=call_id, turn="t", prompt=call.prompt
    )
    decision = guard.before(call)
    if decision.action in ("allow", "advise") and call.tool != "write_file":
        guard.after(call, MISSING)
    if decision.action == "refuse":  # some hosts report a refusal as a failure
        guard.after(call, Outcome(error=decision.text))
    interceptions = [each for each in kinds(events) if each != "folder.created" or each == kind]
    assert interceptions == [kind], why


NO_EVENT = [
    (read("docs/status.md"), "it is there"),
    (write("docs/new.md"), "a new file in a folder that is there"),
    (write("docs/status.md"), "an overwrite"),
    (read("/etc/no/such/file"), "outside the project"),
    (shell(f"rm -f {NONE}"), "the command accepts that it is missing"),
    (shell(f"git log -- {NONE}"), "git is asked, not the disk"),
    (ToolCall("think", {"thought": NONE}), "no path"),
]


@pytest.mark.parametrize(("call", "why"), NO_EVENT, ids=[case[1] for case in NO_EVENT])
@pytest.mark.parametrize("policy", ["careful", "observe"])
def test_what_is_no_interception_is_no_event(repo, policy, call, why):
    events = []
    assert Guard(repo, policy=policy, on_event=events.append).before(call).action == "allow"
    assert kinds(events) == [], why


FOLDERS = [
    (write("tools/new/x.py"), "tools", "the outermost"),
    (write("docs/api/x.md"), "docs/api", "below one that is there"),
    (ToolCall("create_directory", {"path": "docs/api/v2"}), "docs/api", "made as such"),
    (ToolCall("create_directory", {"path": "tools"}), "tools", "made at the top"),
    (shell("mkdir -p docs/api/v2"), "docs/api", "in the shell"),
]


@pytest.mark.parametrize(("call", "folder", "why"), FOLDERS, ids=[case[2] for case in FOLDERS])
def test_a_folder_that_will_be_made_is_named(repo, call, folder, why):
    events = []
    Guard(repo, on_event=events.append).before(call)
    (event,) = events
    assert (event.event, event.resolved) == ("folder.created", folder), why
    assert event.elapsed_us is not None


def test_a_namesake_of_a_deleted_file_is_named_and_never_used(make_repo, drop):
    repo = make_repo(FILES)
    drop(repo, "reports/totals.py")
    events = []
    guard = Guard(repo, on_event=events.append)
    answers = [guard.before(read("reports/totals.py", turn=turn)) for turn in "12"]

    assert answers[1].shift
    assert [each.action for each in answers] == ["refuse", "refuse"]
    assert all("Did you mean `billing/totals.py`?" in each.text for each in answers)
    missed = [event.candidates for event in events if event.event == "path.refused"]
    assert missed == [("billing/totals.py",)] * 2


def test_a_slip_that_is_meant_makes_its_folder(repo):
    events = []
    guard = Guard(repo, on_event=events.append)
    assert guard.before(write("bakcend/new.py", turn="1")).action == "refuse"
    assert guard.before(write("bakcend/new.py", turn="2")).action == "allow"
    assert kinds(events) == ["path.refused", "folder.created"]


def test_a_call_with_two_wrong_paths_has_two_events(repo):
    events = []
    Guard(repo, on_event=events.append).before(shell(f"cat {WRONG} docs/status.md:3", call_id="c"))
    assert kinds(events) == ["path.corrected"] * 2
    assert [event.index for event in events] == [4, 4 + len(WRONG) + 1]


def test_every_kind_of_event_has_been_seen_somewhere_here(repo):
    """Drive one session through all kinds but failures, which have tests of their own below."""
    events = []
    guard = Guard(repo, on_event=events.append)
    guard.before(read(WRONG))
    guard.before(read("reports/total.py", turn="0"))
    guard.before(read(TWO))
    for turn in ("1", "2"):
        guard.before(read(NONE, turn=turn))
    guard.before(ToolCall("glob", {"pattern": "**/*"}, session="s"))
    guard.before(read(RIGHT))
    guard.before(read(NONE, prompt=f"read {NONE}"))
    guard.prompted(ToolCall("", {}, session="s"))
    guard.before(write("tools/x.py"))
    Guard(repo, policy="observe", on_event=events.append).before(read(NONE))
    assert {*kinds(events)} == {*KINDS} - {"store.failed", "guard.failed"}


def test_each_path_of_a_call_that_takes_a_suggestion_is_told(repo):
    events = []
    guard = Guard(repo, on_event=events.append)
    guard.before(read(TWO, turn="1"))
    guard.before(shell("cat docs/status.md billing/totals.py docs/status.md", turn="2"))
    used = [event.target for event in events if event.event == "path.used"]
    assert used == ["docs/status.md", "billing/totals.py"]
    assert [each.outcome for each in join(events)] == ["taken"]


TAKEN = [
    (read("billing/totals.py", turn="2"), "taken", "it reads it"),
    (shell("grep -n total billing/totals.py", turn="2"), "taken", "it searches in it"),
    (shell("grep -rn total billing", turn="2"), "gave_up", "it searches above it"),
    (read("docs/status.md", turn="2"), "moved_on", "it reads another"),
    (read(TWO, turn="2"), "retried", "it asks for the same"),
    (read("lib/totals.py", turn="2"), "strayed", "it asks for what is not there either"),
]


@pytest.mark.parametrize(("call", "outcome", "what"), TAKEN, ids=[case[2] for case in TAKEN])
@pytest.mark.parametrize("policy", ["careful", "guide"])
def test_what_the_agent_makes_of_an_answer_is_known_from_its_next_call(
    repo, policy, call, outcome, what
):
    events = []
    guard = Guard(repo, policy=policy, on_event=events.append)
    for each, fails in ((read(TWO, turn="1"), True), (call, outcome in ("retried", "strayed"))):
        if guard.before(each).action == "allow":
            guard.after(each, MISSING if fails else Outcome(output="well"))
    assert next(each.outcome for each in join(events)) == outcome, what


class BrokenStore(MemoryStore):
    """A store whose place has failed."""

    def __init__(self) -> None:
        super().__init__()
        self.problem = "sessions in /states: [Errno 28] No space left on device"


def test_a_store_that_fails_is_one_event_and_calls_go_on(repo):
    events = []
    guard = Guard(repo, store=BrokenStore(), on_event=events.append)
    actions = [guard.before(read(path)).action for path in (WRONG, TWO, NONE, NONE, RIGHT, WRONG)]
    assert actions == ["rewrite", "refuse", "refuse", "refuse", "allow", "rewrite"]
    (failed,) = [event for event in events if event.event == "store.failed"]
    assert "No space left" in failed.error
    assert failed.project == str(repo)


@pytest.mark.parametrize(
    "place",
    [lambda file: FileStore(str(file)), lambda file: SqliteStore(str(file / "s.sqlite"))],
    ids=["files", "sqlite"],
)
def test_a_store_in_no_folder_is_one_event_and_streaks_are_counted(repo, tmp_path, place):
    file = tmp_path / "file"
    file.write_text("")
    events = []
    guard = Guard(repo, store=place(file), on_event=events.append)
    shifts = [guard.before(read(NONE, turn=turn)).shift for turn in "123"]
    assert shifts == [False, True, True]
    assert Counter(kinds(events))["store.failed"] == 1


def test_a_listener_that_raises_is_told_of_once_and_changes_nothing(repo, caplog):
    def listen(event):
        raise RuntimeError("password=hunter2")

    guard = Guard(repo, on_event=listen)
    decision = guard.before(read(WRONG))
    assert (decision.action, decision.arguments) == ("rewrite", {"path": RIGHT})
    assert guard.before(read(NONE)).action == "refuse"
    (failed,) = journalled()
    assert failed.event == "guard.failed"
    assert failed.error.startswith("RuntimeError at test_guard_events.py:")
    assert (failed.session, failed.project) == ("s", str(repo))
    assert len(caplog.records) == 1
    assert "hunter2" not in failed.to_json()


def test_what_interrupts_a_listener_is_not_held_up(repo):
    def listen(event):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Guard(repo, on_event=listen).before(read(WRONG))


def test_a_wrapped_tool_runs_as_it_was_called_when_the_guard_breaks(repo, monkeypatch):
    events = []
    guard = Guard(repo, on_event=events.append)
    monkeypatch.setattr(guard.workspace, "resolve", lambda *_, **__: 1 / 0)

    def read_file(path: str) -> str:
        return f"read {path}"

    tool = guard.wrap(read_file)
    assert tool(WRONG) == f"read {WRONG}"
    assert tool(path=NONE) == f"read {NONE}"
    (failed,) = events
    assert failed.event == "guard.failed"
    assert failed.error.startswith("ZeroDivisionError at ")
    assert failed.tool == "read_file"


def test_the_tools_own_errors_are_its_own(repo):
    def read_file(path: str) -> str:
        raise ValueError(path)

    with pytest.raises(ValueError, match=r"docs/status\.md"):
        Guard(repo).wrap(read_file)("docs/status.md")


def test_failing_open_lets_no_interrupt_pass_for_an_error(repo):
    guard = Guard(repo)
    with pytest.raises(KeyboardInterrupt), guard.failing_open(read(WRONG)):
        raise KeyboardInterrupt
    with guard.failing_open(read(WRONG)):
        raise ValueError
    assert kinds(journalled()) == ["guard.failed"]


def test_a_journal_that_cannot_be_written_costs_no_call(repo):
    os.makedirs(journal_path(state_folder(os.environ)))
    guard = Guard(repo)
    assert guard.before(read(WRONG)).action == "rewrite"
    assert [guard.before(read(NONE, turn=turn)).shift for turn in "12"] == [False, True]
    with guard.failing_open(read(WRONG)):
        raise ValueError


def everything_at_once(repo) -> list[tuple[str, bool]]:
    """Play a session, as hooks do: every call has a new guard, and states in files."""
    found = []
    for at, path in enumerate((WRONG, TWO, NONE, NONE, "docs/status.md", WRONG)):
        states = os.path.join(state_folder(os.environ), "sessions")
        guard = Guard(repo, store=FileStore(states))
        decision = guard.before(read(path, turn=str(at)))
        found.append((decision.action, guard.before(write(f"new{at}/x.py")).action == "allow"))
    return found


EXPECTED = [
    (action, True) for action in ("rewrite", "refuse", "refuse", "refuse", "allow", "rewrite")
]


@pytest.mark.root
def test_a_full_disk_costs_no_call(repo, tmp_path, monkeypatch):
    with small_disk(tmp_path / "state") as disk:
        monkeypatch.setenv("TRUEPATH_STATE", str(disk))
        assert everything_at_once(repo) == EXPECTED
        before = len(journalled())
        fill(disk)
        assert everything_at_once(repo) == EXPECTED
        events = []
        guard = Guard(repo, store=FileStore(str(disk / "sessions")), on_event=events.append)
        shifts = [guard.before(read(NONE, session="t", turn=turn)).shift for turn in "123"]
        assert shifts == [False, True, True], "counted in memory"
        assert Counter(kinds(events))["store.failed"] == 1
        (disk / "ballast").unlink()
        assert everything_at_once(repo) == EXPECTED
        assert len(journalled()) > before, "it goes on, and no line is torn"


def test_a_home_that_is_read_only_costs_no_call(repo, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    with read_only(home):
        monkeypatch.setenv("TRUEPATH_STATE", str(home / "state"))
        assert everything_at_once(repo) == EXPECTED
        events = []
        states = FileStore(os.path.join(state_folder(os.environ), "sessions"))
        guard = Guard(repo, store=states, on_event=events.append)
        shifts = [guard.before(read(NONE, session="t", turn=turn)).shift for turn in "123"]
    assert shifts == [False, True, True], "counted in memory"
    (failed,) = [event for event in events if event.event == "store.failed"]
    assert "Read-only file system" in failed.error or "Permission denied" in failed.error


SECRETS = st.text("abcdefgh0123456789", min_size=12, max_size=24).map("hush-{}".format)
TOOLS = st.sampled_from(
    [
        ("Write", "file_path", ("content",)),
        ("Edit", "file_path", ("old_string", "new_string")),
        ("write_file", "path", ("content", "mode")),
        ("str_replace_based_edit_tool", "path", ("file_text", "new_str", "old_str", "insert_text")),
        ("MultiEdit", "file_path", ("edits",)),
        ("Read", "file_path", ("reason",)),
        ("mcp__fs__edit_file", "path", ("newText",)),
    ]
)
PATHS = st.sampled_from([WRONG, TWO, NONE, RIGHT, "bakcend/x.py", "new/folder/x.py", "docs"])


@pytest.fixture(scope="module")
def one_repo(tmp_path_factory):
    repo = tmp_path_factory.mktemp("secrets")
    for name in FILES:
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text("")
    return repo


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(secret=SECRETS, tool=TOOLS, path=PATHS, policy=st.sampled_from(["careful", "observe"]))
def test_what_a_call_writes_and_says_is_never_in_the_journal(
    one_repo, tmp_path, secret, tool, path, policy
):
    name, argument, others = tool
    journal = tmp_path / "events.jsonl"
    guard = Guard(one_repo, policy=policy, settings=Settings(), on_event=JsonlSink(str(journal)))
    arguments = {argument: path} | dict.fromkeys(others, f"a\n{secret}\nb")
    if name.startswith("str_replace"):
        arguments["command"] = "create"
    call = ToolCall(name, arguments, session="s", prompt=f"do {secret}")
    for _ in range(3):
        guard.before(call)
        guard.after(call, Outcome(error=f"No such file or directory: {secret}"))
    command = f"cat {path} && export TOKEN={secret}; curl -H 'Authorization: Bearer {secret}' x"
    guard.before(shell(command))
    guard.before(shell(f"cat > {path} <<'EOF'\n{secret}\nEOF"))
    with guard.failing_open(call):
        raise ValueError(secret)
    text = journal.read_text() if journal.exists() else ""
    assert secret not in text
    for line in text.splitlines():
        assert json.loads(line)["event"] in KINDS


SAID = [
    "curl -H 'X: {}' -o {path} https://example.org",
    "curl -u user:{} -T {path} https://example.org",
    "mysql -p{} < {path}",
    "TOKEN={} cat {path}",
    "env TOKEN={} python {path} --token {}",
    "sshpass -p {} scp {path} host:/x",
    "openssl enc -pass pass:{} -in {path}",
    "psql postgres://u:{}@h/db -f {path}",
    "pip install --index-url https://t:{}@example.org/simple -r {path}",
    'git commit -m "{}" {path}',
    "sed -i 's/a/{}/' {path}",
    "awk '{{print \"{}\"}}' {path}",
    "grep -rn {} {path}",
    "jq '.x=\"{}\"' {path}",
    "python -c \"print('{}')\" {path}",
    "bash -c 'echo {}; cat {path}'",
    "echo {} | tee {path}",
    "printf '%s' {} > {path}",
    "cat {path} <<< {}",
    "cat {path} # {}",
    "cat <<EOF > {path}\n{}\nEOF",
    "python - <<'X'\nopen('{path}').read(); t='{}'\nX",
    "kubectl create secret generic x --from-literal=k={} --from-file={path}",
]
"""Commands that say a secret beside a path."""


@pytest.mark.parametrize("policy", ["careful", "guide", "observe", "recover"])
def test_what_a_command_says_beside_its_path_is_in_no_event(one_repo, policy):
    secret = "hush7f3a9c2e51d0"

    def check(said):
        events = []
        guard = Guard(one_repo, policy=policy, on_event=events.append)
        for path in (NONE, WRONG, "new/folder/x.py"):
            call = shell(said.replace("{path}", path).replace("{}", secret).replace("{{", "{"))
            guard.before(call)
            guard.after(call, Outcome(error=f"cat: {path}: No such file or directory\n{secret}"))
        assert not [event for event in events if secret in event.to_json()]

    check_each(SAID, check)


def test_a_path_that_holds_content_is_cut_at_its_first_line(repo, tmp_path: Path):
    journal = tmp_path / "events.jsonl"
    guard = Guard(repo, on_event=JsonlSink(str(journal)))
    guard.before(read("notes/plan.md\nsecret body"))
    assert "secret body" not in journal.read_text()
