"""What a rule does about a path, and what the caller around a guard changes."""

from __future__ import annotations

import sys
from unicodedata import normalize

import pytest
import repos
import rows
from repos import shop

from truepath import (
    ConfigError,
    Guard,
    Outcome,
    SandboxError,
    ToolCall,
    Workspace,
    WorkspaceError,
)
from truepath.config.presets import PRESETS
from truepath.config.settings import Settings
from truepath.guard.policy import decide, is_ordered
from truepath.guard.reading import Caller
from truepath.types import Resolution

SURE, LIKELY, NOWHERE = (
    "backend/test/unit/test_cache.py",
    "specs/status.md",
    "docs/spans.rb",
)
MEANT = "backend/tests/unit/test_cache.py"


def test_a_new_path_is_let_through_unless_it_looks_wrong():
    there, outside = (
        Resolution("ap/b.py", status, "write", permits="recover", outside=outside)
        for status, outside in (("directory", False), ("ambiguous", True))
    )
    for rule in ("protect", "repair"):
        assert decide(rule, Resolution("ap/b.py", "absent", "write")) == "allow"
        assert decide(rule, there) == decide(rule, outside) == "refuse"


def test_a_path_that_the_user_typed_is_an_order():
    def check(row):
        written, target = row.get("written", "/repo/specs/status.md"), row["target"]
        found = Resolution(written, "absent", "read", target=target)
        assert is_ordered(row["prompt"], found) == row["ordered"]

    rows.check_each(rows.read("guard/ordered"), check, lambda row: row["why"])


@pytest.mark.skipif(
    sys.platform == "win32", reason="not on Windows: links need a privilege"
)
@pytest.mark.parametrize("preset", PRESETS)
def test_a_link_that_leads_nowhere_is_no_miss(repo, preset):
    (repo / "docs/current").symlink_to("nowhere")
    guard = Guard(repo, policy=preset, on_event=lambda _: None)

    for tool in ("read_file", "replace", "list_directory", "delete_file"):
        call = ToolCall(tool, {"path": "docs/current"})
        assert (guard.before(call).action, guard.before(call).text) == ("allow", ""), (
            tool
        )
        assert (
            guard.after(call, Outcome(error="No such file: docs/current")).text == ""
        ), tool


@pytest.fixture
def repo(copy_of):
    return copy_of(shop)


def read(guard, path=SURE, **more):
    return guard.before(ToolCall("read_file", {"path": path}, **more))


# (the caller, the action on a certain path, on a likely one, on one that is nowhere,
# why)
CALLERS = [
    (Caller(), "rewrite", "rewrite", "refuse", "it can do everything"),
    (
        Caller(rewrites=False),
        "refuse",
        "refuse",
        "refuse",
        "the host runs calls as they came",
    ),
    (Caller(refuses=False), "rewrite", "rewrite", "advise", "the host cannot refuse"),
    (
        Caller(rewrites=False, refuses=False),
        "advise",
        "advise",
        "advise",
        "nor rewrite",
    ),
    (Caller(notes=False), "rewrite", "refuse", "refuse", "the agent would not be told"),
    (
        Caller(others=lambda *_: "refuse"),
        "refuse",
        "refuse",
        "refuse",
        "another hook watches",
    ),
    (
        Caller(others=lambda *_: "allow"),
        "allow",
        "allow",
        "refuse",
        "a rule of the host denies",
    ),
    (
        Caller(others=lambda *_: "rewrite"),
        "rewrite",
        "rewrite",
        "refuse",
        "nobody minds",
    ),
]


@pytest.mark.parametrize("row", CALLERS, ids=[each[-1] for each in CALLERS])
def test_what_the_caller_can_do_bounds_what_is_done(repo, row):
    caller, *expected, _ = row
    for path, action in zip((SURE, LIKELY, NOWHERE), expected, strict=True):
        decision = read(Guard(repo, caller=caller), path)
        assert decision.action == action
        if action in ("refuse", "advise") and path == SURE:
            assert MEANT in decision.text


def test_others_are_asked_about_the_corrected_call_and_about_no_other(repo):
    asked = []

    def others(call, arguments):
        asked.append((call.arguments["path"], arguments["path"]))
        return "rewrite"

    guard = Guard(repo, caller=Caller(others=others))
    for path in ("README.md", NOWHERE, SURE):
        read(guard, path)

    assert asked == [(SURE, MEANT)]


def test_a_slip_that_is_meant_is_made_when_asked_again(repo):
    guard = Guard(repo)

    def write(path):
        return guard.before(
            ToolCall("write_file", {"path": path, "content": "x"})
        ).action

    assert [write("bakend/x.py"), write("bakend/x.py")] == ["refuse", "allow"]
    assert write("bakend/y.py") == "allow", "one question a folder"
    assert write("bakcend/y.py") == "refuse"


def test_a_branch_with_a_file_s_name_is_no_miss(repo):
    repos.run_git(repo, "branch", "fix/OrderTable.tsx")

    def run(command, **how):
        return Guard(repo).before(ToolCall("Bash", {"command": command}, **how)).action

    assert run("git log fix/OrderTable.tsx") == "allow"
    assert run("git log fix/OrderTable.tsx", cwd="docs") == "allow"
    assert run("git log fix/invoice_export.py") != "allow", "no branch is called that"


def test_a_path_outside_the_project_is_none_of_ours(repo, tmp_path):
    (tmp_path / "elsewhere.txt").write_text("x")
    for path in (str(tmp_path / "elsewhere.txt"), "/etc/no-such-file"):
        assert read(Guard(repo), path).text == ""


def test_a_path_in_another_checkout_is_told_of_once(repo, tmp_path):
    repos.run_git(repo, "worktree", "add", "--quiet", str(tmp_path / "other"))
    guard, path = Guard(repo), f"{tmp_path}/other/README.md"
    told = [guard.before(ToolCall("Edit", {"file_path": path})) for _ in range(2)]

    assert [each.action for each in told] == ["advise", "allow"]
    assert told[0].text.startswith("PATH_IN_OTHER_CHECKOUT")
    assert "`README.md`" in told[0].text or f"`{repo}/README.md`" in told[0].text
    inside = ToolCall("Edit", {"file_path": path}, cwd=f"{tmp_path}/other", session="2")
    assert guard.before(inside).text == ""


@pytest.mark.parametrize(
    ("command", "action", "named"),
    [
        (
            "cat notes/Team Notes/Q3 plan final.md",
            "advise",
            "notes/Team Notes/Q3 plan final.md",
        ),
        (
            "rm notes/Team Notes/Q3 plan final.md",
            "refuse",
            "notes/Team Notes/Q3 plan final.md",
        ),
        ("rm docs/status.md copy.md", "refuse", "docs/status.md copy.md"),
        ("cd notes/Team Notes && ls", "advise", "notes/Team Notes"),
        ("head -n 5 README.md notes/Team Notes/Q3 plan final.md | wc -l", "advise", ""),
    ],
)
def test_a_path_with_blanks_and_no_quotes_is_named_once(repo, command, action, named):
    for name in ("notes/Team Notes/Q3 plan final.md", "docs/status.md copy.md"):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text("x\n")
    told = Guard(repo).before(ToolCall("Bash", {"command": command}))

    assert (told.action, dict(told.arguments)) == (action, {"command": command})
    assert (
        f"`{named or 'notes/Team Notes/Q3 plan final.md'}` (it has blanks: put it"
        in told.text
    )
    assert told.text.count("PATH_NOT_FOUND") == 1


def test_words_that_are_no_path_together_are_each_missed(repo):
    told = Guard(repo).before(ToolCall("Bash", {"command": "cat docs/lost one.md"}))
    assert told.text.count("PATH_NOT_FOUND") == 2


def test_a_path_in_the_checkout_around_the_agents_own_is_told_of_once(repo):
    own = repo / ".claude/worktrees/fix"
    repos.run_git(repo, "worktree", "add", "--quiet", str(own))
    guard = Guard(own)

    def edit(path, cwd, session):
        call = ToolCall("Edit", {"file_path": str(path)}, cwd=str(cwd), session=session)
        return guard.before(call).text.partition(":")[0]

    assert [edit(repo / "README.md", own, "1") for _ in "12"] == [
        "PATH_IN_OTHER_CHECKOUT",
        "",
    ]
    assert edit(repo / "README.md", own / "docs", "2") == "PATH_IN_OTHER_CHECKOUT"
    assert edit(repo / "README.md", repo / "docs", "3") == ""
    assert edit(own / "README.md", own, "4") == ""


@pytest.fixture
def linked(repo, tmp_path):
    """Return a linked work tree of a main checkout with files of its own."""
    own = tmp_path / "linked"
    repos.run_git(repo, "worktree", "add", "--quiet", str(own))
    secrets = {".env.production": "x", "deploy/id_rsa": "x"}
    ignored = {".gitignore": "out/\n", "out/made.md": "x"}
    files = {"docs/draft.md": "x", "notes/idea.md": "x", "denied.md": "x"}
    repos.write_files(repo, {**files, **secrets, **ignored})
    repos.write_files(own, {".gitignore": "out/\n"})
    (repo / "led.md").symlink_to("/etc/hostname")
    return own


@pytest.mark.parametrize(
    ("tool", "path", "named"),
    [
        ("Read", "docs/draft.md", "docs/draft.md"),
        ("Edit", "docs/draft.md", "docs/draft.md"),
        ("Delete", "docs/draft.md", "docs/draft.md"),
        ("LS", "notes", "notes/"),
        ("Read", "notes/idea.md", "notes/idea.md"),
        ("Read", "./docs/../docs/draft.md", "docs/draft.md"),
        ("Read", "docs/nothing.md", ""),
        ("Read", "out/made.md", ""),  # ignored
        ("Read", ".env.production", ""),
        ("Read", "deploy/id_rsa", ""),
        ("Read", "denied.md", ""),
        ("Read", "led.md", ""),  # it leads elsewhere
        ("Read", "README.md", ""),  # deleted here
    ],
)
def test_what_only_the_main_checkout_has_is_named_and_never_used(
    repo, linked, tool, path, named
):
    if path == "README.md":
        repos.run_git(linked, "rm", "-q", path)
        repos.commit_all(linked)
    for policy in ("careful", "recover"):
        guard = Guard(linked, policy=policy, settings=Settings(deny=("denied.md",)))
        call = ToolCall(tool, {"path": path}, cwd=str(linked))
        decision = guard.before(call)
        told = f"Did you mean `{repo}/{named}` (in the main checkout)?"
        assert decision.action != "rewrite"
        assert decision.text.endswith(told if named else "") or not named
        assert named or str(repo) not in decision.text


def test_of_the_main_checkout_itself_and_for_new_files_nothing_changes(repo, linked):
    call = ToolCall("Write", {"path": "docs/draft.md", "content": "x"})
    assert Guard(linked).before(call).text == ""
    repos.write_files(linked, {"docs/mine.md": "x"})
    assert str(linked) not in read(Guard(repo), "docs/mine.md").text


def test_below_the_top_of_a_work_tree_the_counterpart_is_named(repo, linked):
    decision = read(Guard(linked / "docs"), str(linked / "docs/draft.md"))
    assert decision.text.endswith(f"`{repo}/docs/draft.md` (in the main checkout)?")


def test_two_names_that_look_alike_are_told_apart():
    there, written = (normalize(form, "docs/größe.md") for form in ("NFD", "NFC"))
    told = read(Guard(workspace=Workspace.from_names([there], root="/r")), written)

    assert (told.action, told.arguments["path"]) == ("rewrite", there)
    assert "(another Unicode form)" in told.text


def test_disabled_it_does_nothing(repo):
    assert (
        read(Guard(repo, settings=Settings(enabled=False)), NOWHERE).action == "allow"
    )


def test_a_sandbox_that_gives_no_answer_stops_no_checked_call():
    def silent(command, timeout_s):
        raise OSError("gone")

    guard = Guard(workspace=Workspace.remote(silent), on_event=lambda _: None)
    call = ToolCall("read_file", {"path": SURE})
    with pytest.raises(SandboxError):
        guard.before(call)
    assert guard.check(call).arguments == {"path": SURE}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"policy": "reckless"}, "'reckless' is not known"),
        (
            {"settings": Settings(rules={"read": "sometimes"})},
            "'sometimes' is not known",
        ),
        (
            {"settings": Settings(rules={"write": "correct"})},
            "rule for write 'correct'",
        ),
        ({"settings": Settings(rules={"chmod": "refuse"})}, "operation 'chmod'"),
    ],
)
def test_what_is_not_known_is_named(repo, how, message):
    with pytest.raises(ConfigError, match=message):
        Guard(repo, **how)


MANY = ["bakend/q.md", *(f"docs/q{number}.md" for number in range(100))]
DATA = {
    "looked at": lambda names: ("Bash", {"command": f"cat {' '.join(names)}"}),
    "changed": lambda names: ("Bash", {"command": f"sed -i s/a/b/ {' '.join(names)}"}),
    "created": lambda names: ("Bash", {"command": f"touch {' '.join(names)}"}),
    "always the same": lambda names: (
        "Bash",
        {"command": f"cat x {'docs/x.md ' * len(names)}"},
    ),
    "without a shell": lambda names: ("read_many_files", {"paths": names}),
}


def test_a_call_with_more_missing_paths_than_anyone_means_is_left_alone(repo):
    def check(why):
        guard = Guard(repo, on_event=lambda _: None)
        assert guard.before(ToolCall(*DATA[why](MANY))).action == "allow"
        assert guard.before(ToolCall(*DATA[why](MANY[:99]))).action != "allow"

    rows.check_each(DATA, check)


def test_without_a_project_there_is_no_guard(tmp_path):
    with pytest.raises(ConfigError, match="root or workspace"):
        Guard()
    with pytest.raises(WorkspaceError, match="does not exist"):
        Guard(tmp_path / "nowhere")


@pytest.mark.parametrize("row", rows.read("guard/put_away"), ids=lambda row: row["why"])
def test_a_new_file_is_not_put_away(tmp_path, row):
    (old, new), written, meant = row["move"], row["written"], row["meant"]
    repos.start(
        tmp_path, {f"{old}/{name}.py": repos.text(name) for name in ("one", "two")}
    )
    repos.move_file(tmp_path, old, new)
    guard = Guard(tmp_path, policy="recover", on_event=lambda _: None)
    decision = guard.before(ToolCall("write_file", {"path": written, "content": "x"}))

    assert decision.arguments["path"] == (meant or written)
    assert (decision.action == "rewrite") == (meant is not None), decision.text


def test_an_agent_that_enters_the_folder_it_is_in_is_led_there_from_anywhere(repo):
    call = ToolCall("Bash", {"command": "cd backend && ls"}, cwd=str(repo / "backend"))
    decision = Guard(repo).before(call)
    assert decision.action == "rewrite"
    assert decision.arguments["command"] == f"cd {repo}/backend && ls"


@pytest.mark.parametrize(
    ("line", "action"),
    [
        ("mkdir -p art/badges && mv pics/badges/gold.svg art/badges/gold.svg", "allow"),
        ("mkdir -p art/badges && git mv pics/badges/gold.svg art/badges/", "allow"),
        ("mkdir art/badges; mv pics/badges/gold.svg art/badges", "allow"),
        (
            "mkdir -p art/badges && mv pics/badges/gold.svg pics/badges/tin.svg art",
            "allow",
        ),
        ("mv pics/badges/gold.svg art/gold.svg && mkdir -p art/badges", "allow"),
        ("mkdir -p art/badges", "refuse"),
        ("mkdir -p art/badges && mv pics/other.svg art/badges/", "refuse"),
        ("mkdir -p art/badges && cp pics/badges/gold.svg art/badges/", "refuse"),
        ("touch art/badges/gold.svg", "refuse"),
    ],
)
def test_a_folder_is_made_again_by_the_line_that_moves_its_files_back(
    tmp_path, line, action
):
    drawings = ("gold", "tin", "iron")
    files = {f"art/badges/{name}.svg": repos.text(name) for name in drawings}
    repos.start(tmp_path, {**files, "art/x.css": "x\n", "pics/other.svg": "other\n"})
    repos.move_file(tmp_path, "art/badges", "pics/badges")
    guard, call = Guard(tmp_path, timeout_s=20), ToolCall("bash", {"command": line})
    assert guard.before(call).action == action
    assert guard.before(call).action == "allow", "asked once"
