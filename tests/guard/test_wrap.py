"""A guard around functions, and the calls that adapters check."""

from __future__ import annotations

import asyncio
import errno
import functools
import inspect
import os
import pickle
from pathlib import Path

import pytest
import repos

from truepath import (
    ConfigError,
    Guard,
    PathIsFolder,
    PathNotFound,
    PathRefused,
    ToolCall,
)

FILES = {
    "docs/status.md": "all is well with us",
    "docs/plan.md": "",
    "src/app/session_store.py": "store = {}",
    "src/lib/format_currency.py": "",
    "a/totals.py": "",
    "b/totals.py": "",
    "README.md": "# Shop",
}
WRONG, RIGHT, NOWHERE = (
    "app/session_store.py",
    "src/app/session_store.py",
    "nowhere/at_all.rb",
)
CORRECTED = f"OK: `{RIGHT}` in place of `{WRONG}` (folders left out)."


@pytest.fixture
def repo(make_repo, monkeypatch):
    repo = make_repo(FILES, git=False)
    monkeypatch.chdir(repo)
    return repo


@pytest.fixture
def guard(repo):
    return Guard(repo)


def read_file(path: str) -> str:
    """Read a file."""
    return Path(path).read_text("utf-8")


def one(path):
    return (path,)


def test_a_wrong_path_gives_the_content_of_the_right_file_and_says_so(guard):
    wrapped = guard.wrap(read_file)

    assert wrapped("docs/status.md") == "all is well with us"
    first, _, content = wrapped(WRONG).partition("\n")
    assert first.startswith(f"OK: `{RIGHT}` in place of `{WRONG}`")
    assert content == "store = {}"


def test_a_refusal_is_raised_as_what_open_would_raise(guard):
    with pytest.raises(PathNotFound, match="PATH_NOT_FOUND") as missing:
        guard.wrap(read_file)("lib/totals.py")
    with pytest.raises(PathIsFolder) as folder:
        guard.wrap(read_file)("src/app")

    assert isinstance(missing.value, FileNotFoundError)
    assert (missing.value.errno, missing.value.filename) == (
        errno.ENOENT,
        "lib/totals.py",
    )
    assert missing.value.payload["code"] == "PATH_NOT_FOUND"
    assert (folder.value.errno, folder.value.decision.action) == (
        errno.EISDIR,
        "refuse",
    )
    again = pickle.loads(pickle.dumps(missing.value))
    assert (str(again), again.filename) == (str(missing.value), "lib/totals.py")


def test_a_refusal_can_be_the_result_instead(guard):
    answer = guard.wrap(read_file, refusal="return")("lib/totals.py")

    assert answer.startswith("PATH_NOT_FOUND")
    assert "`a/totals.py`" in answer
    assert "`b/totals.py`" in answer


def test_the_signature_the_name_and_the_words_are_kept(guard):
    wrapped = guard.wrap(read_file)

    assert inspect.signature(wrapped) == inspect.signature(read_file)
    assert (wrapped.__name__, wrapped.__doc__) == ("read_file", "Read a file.")
    assert wrapped(path="docs/status.md") == "all is well with us"


def test_an_async_tool_stays_async(guard):
    @guard.wrap
    async def read_file(path: str) -> str:
        return await asyncio.to_thread(Path(path).read_text, "utf-8")

    class Reader:
        async def __call__(self, path):
            return path

    assert inspect.iscoroutinefunction(read_file)
    assert asyncio.run(read_file(WRONG)).endswith("store = {}")
    assert asyncio.run(guard.wrap(Reader(), name="read_file")(WRONG)).endswith(RIGHT)
    with pytest.raises(PathNotFound):
        asyncio.run(read_file(NOWHERE))


def test_methods_of_a_class_are_wrapped_as_they_are_decorated(guard):
    class Tools:
        @guard.wrap(name="read_file")
        @staticmethod
        def still(path):
            return path

        @guard.wrap(name="read_file")
        @classmethod
        def of_class(cls, path):
            return f"{cls.__name__} {path}"

        @guard.wrap(name="read_file")
        def plain(self, path):
            return path

    assert Tools.still(WRONG).endswith(RIGHT)
    assert Tools.of_class(WRONG).endswith(f"Tools {RIGHT}")
    assert Tools().plain(WRONG).endswith(RIGHT)


def spread(*paths):
    return paths


def rest(**arguments):
    return (arguments["path"],)


def optional(path: Path | None = None):
    return (path,)


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        (functools.partial(functools.partial(one)), (WRONG,), (RIGHT,)),
        (
            lambda paths: paths,
            ([Path(WRONG), "README.md"],),
            [Path(RIGHT), "README.md"],
        ),
        (lambda paths: paths, ((WRONG, "README.md"),), (RIGHT, "README.md")),
        (spread, (Path(WRONG), Path("README.md")), (Path(RIGHT), Path("README.md"))),
        (optional, (Path(WRONG),), (Path(RIGHT),)),
        (optional, (), (None,)),
        (lambda files: files, ([os.fsencode(WRONG)],), [os.fsencode(RIGHT)]),
    ],
)
def test_a_path_is_known_however_it_is_given_and_keeps_its_type(
    guard, tool, arguments, result
):
    assert guard.wrap(tool, operation="read")(*arguments) == result
    assert guard.wrap(rest, operation="read")(path=WRONG, encoding="utf-8") == (RIGHT,)


def test_a_default_is_checked_as_what_is_given_is(guard):
    def read_file(path: str = WRONG, encoding: str = "utf-8") -> str:
        return f"{path} {encoding}"

    assert guard.wrap(read_file)().endswith(f"\n{RIGHT} utf-8")
    assert guard.wrap(read_file)("README.md") == "README.md utf-8"


class Thing:
    """A value that says of itself nothing at all: an array, a table, a query."""

    def __bool__(self):
        raise ValueError("the truth of this is ambiguous")

    def __eq__(self, other):
        return self

    __hash__ = None


class Fixed(os.PathLike):
    """A path that cannot be made anew."""

    def __fspath__(self):
        return WRONG


def test_values_that_are_no_paths_go_to_the_tool_as_they_are(guard):
    thing, fixed = Thing(), Fixed()

    def read_file(path, data, old="gone/a.py"):
        return path, data, old

    path, data, old = guard.wrap(read_file)(WRONG, data=thing)
    assert (path, old) == (RIGHT, "gone/a.py")
    assert data is thing
    with pytest.raises(
        PathNotFound, match=RIGHT
    ):  # the right path, for who can make one
        guard.wrap(one, name="read_file")(fixed)


def test_parameters_are_paths_by_their_names_in_paths(guard):
    def read(p, src, path):
        return p, src, path

    def move(a, b):
        return a, b

    wrapped = guard.wrap(read, operation="read", paths=("p", "src"))
    moves = guard.wrap(move, operation="move", paths=("a", "b"))

    assert wrapped(WRONG, Path(WRONG), WRONG) == (RIGHT, Path(RIGHT), WRONG)
    assert moves("docs/plan.md", "docs/new.md") == ("docs/plan.md", "docs/new.md")
    assert guard.wrap(one, name="read_file", paths=[])(WRONG) == (WRONG,)
    with pytest.raises(PathNotFound):
        moves(NOWHERE, "docs/new.md")


def named(where, **others):
    return {"where": where, **others}


def anything(**given):
    return given


NAMED_PATHS = [
    ("the named one, beside another with a path's name", named, ["where"],
     {"where": WRONG, "path": "docs/status.md"},
     {"where": RIGHT, "path": "docs/status.md"}),
    ("another one, which is not named, stays as it is", named, ["where"],
     {"where": "docs/plan.md", "path": NOWHERE},
     {"where": "docs/plan.md", "path": NOWHERE}),
    ("nor is a command beside it looked at", named, ["where"],
     {"where": WRONG, "command": f"cat {NOWHERE}"},
     {"where": RIGHT, "command": f"cat {NOWHERE}"}),
    ("a keyword that is no parameter", anything, ["where"],
     {"where": WRONG}, {"where": RIGHT}),
    ("a keyword that is no parameter, beside a path's name", anything, ["where"],
     {"file": NOWHERE, "where": WRONG}, {"file": NOWHERE, "where": RIGHT}),
    ("two of them, one of which is a parameter", named, ["where", "there"],
     {"where": WRONG, "there": "status.md", "path": NOWHERE},
     {"where": RIGHT, "there": "docs/status.md", "path": NOWHERE}),
    ("without names, what has the name of a path", anything, None,
     {"path": WRONG, "where": NOWHERE}, {"path": RIGHT, "where": NOWHERE}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "paths", "given", "ran"),
    [row[1:] for row in NAMED_PATHS],
    ids=[row[0] for row in NAMED_PATHS],
)
def test_named_paths_are_checked_whatever_other_keywords_are_given(
    guard, function, paths, given, ran
):
    tool = guard.wrap(function, operation="read", paths=paths, note=lambda _: None)
    assert tool(**given) == ran


def test_a_named_path_that_is_missing_is_refused_beside_another_that_exists(guard):
    tool = guard.wrap(named, operation="read", paths=["where"])
    with pytest.raises(PathNotFound):
        tool(NOWHERE, path="docs/status.md")


@pytest.mark.parametrize(
    ("tool", "how", "message"),
    [
        (
            lambda p: p,
            {"name": "read_file"},
            "no parameter of `read_file` would be checked",
        ),
        (lambda src_path: src_path, {"operation": "read"}, "file_path"),
        (lambda path: path, {"name": "frobnicate"}, "operation"),
        (lambda path: path, {"operation": "reed"}, "did you mean 'read'"),
        (lambda path: path, {"name": "read_file", "paths": ["paht"]}, "there are path"),
        (lambda path: path, {"name": "read_file", "paths": "path"}, "use a list"),
        (anything, {"name": "read_file", "paths": ["given"]}, "every other keyword"),
        (
            lambda path: path,
            {"name": "read_file", "refusal": "retrun"},
            "did you mean 'return'",
        ),
        (42, {"name": "read_file"}, "cannot be wrapped"),
    ],
)
def test_a_function_of_which_nothing_would_be_checked_is_not_wrapped(
    guard, tool, how, message
):
    with pytest.raises(ConfigError, match=message):
        guard.wrap(tool, **how)


def test_a_tool_s_own_errors_pass_through(guard):
    def read_file(path: str) -> str:
        raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        guard.wrap(read_file)("docs/status.md")
    with pytest.raises(TypeError, match="path"):
        guard.wrap(read_file)()


def swap(path: str, find: str, replace: str) -> str:
    text = Path(path).read_text("utf-8")
    if find not in text:
        raise ValueError("not found")
    return text.replace(find, replace)


def change(path: str, was: str, becomes: str) -> str:
    return swap(path, was, becomes)


@pytest.mark.parametrize(
    ("tool", "how"),
    [
        (swap, {"name": "edit_file"}),
        (swap, {"operation": "edit"}),
        (change, {"edit": ("was", "becomes")}),
        (change, {"edit": ["was", "becomes"], "operation": "edit"}),
    ],
)
def test_an_edit_that_fails_is_explained_by_the_meant_lines(guard, tool, how):
    edit = guard.wrap(tool, **how)
    assert edit("docs/status.md", "well", "fine") == "all is fine with us"
    told = r"^not found\nTEXT_NOT_FOUND: .* only blanks differ\.\n.*:\nall is well"
    with pytest.raises(ValueError, match=told):
        edit("docs/status.md", "all  is   well with us", "x")
    with pytest.raises(ValueError, match=r"^not found$"):
        edit("docs/status.md", "nothing of this is there", "x")


def test_what_is_to_be_known_of_a_failed_edit_goes_to_note(guard):
    told = []
    with pytest.raises(ValueError, match=r"^not found$"):
        guard.wrap(swap, name="edit_file", note=told.append)(
            "docs/status.md", "all  is   well with us", "x"
        )
    assert [text.partition(":")[0] for text in told] == ["TEXT_NOT_FOUND"]


@pytest.mark.parametrize("edit", ["was", ("was",), ("was", "nowhere"), ()])
def test_the_texts_of_an_edit_are_two_parameters(guard, edit):
    with pytest.raises(ConfigError, match="the names of two parameters"):
        guard.wrap(change, edit=edit)


def test_a_new_file_is_written_where_it_was_asked_for(guard):
    def write_file(path: str, content: str) -> str:
        return path

    assert guard.wrap(write_file)("docs/new.md", "x") == "docs/new.md"
    with pytest.raises(PathRefused, match="PATH_LOOKS_WRONG") as raised:
        guard.wrap(write_file)("doocs/new.md", "x")
    assert not isinstance(raised.value, FileNotFoundError)


def test_a_correction_is_told_to_note_or_logged_where_the_result_is_no_text(
    guard, caplog
):
    told = []

    assert guard.wrap(read_file, note=told.append)(WRONG) == "store = {}"
    assert guard.wrap(read_file, note=told.append)(RIGHT) == "store = {}"
    assert told == [CORRECTED]
    assert guard.wrap(one, name="read_file")(WRONG) == (RIGHT,)
    assert caplog.records[-1].getMessage() == CORRECTED


def test_a_likely_file_is_shown_only_where_the_agent_is_told(guard):
    wrong, told = "money/format_currency.py", []

    def look(path) -> str:
        return path

    assert guard.wrap(look, name="read_file", session="1")(wrong).startswith("OK: ")
    with pytest.raises(FileNotFoundError):
        guard.wrap(one, name="read_file", session="2")(wrong)
    guard.wrap(one, name="read_file", session="3", note=told.append)(wrong)
    assert [", the likely file for " in text for text in told] == [True]


@pytest.mark.parametrize(
    ("stands", "path", "result"),
    [
        ("src/app", "session_store.py", "session_store.py"),
        ("src/app", "../lib/format_currency.py", "../lib/format_currency.py"),
        (
            "src/app",
            "docs/status.md",
            "docs/status.md",
        ),  # there, for who joins it to the root
        ("docs", RIGHT, RIGHT),
        ("docs", "src/app/Session_store.py", "{repo}/" + RIGHT),
        ("..", "notes.txt", "notes.txt"),  # there, and outside: none of ours
        ("..", "README.md", "README.md"),
        ("..", WRONG, "{repo}/" + RIGHT),
        ("..", "docs/Status.md", "{repo}/docs/status.md"),
        ("..", "{repo}/" + WRONG, "{repo}/" + RIGHT),
    ],
)
def test_relative_paths_start_where_the_process_is(
    make_repo, monkeypatch, stands, path, result
):
    repo = make_repo(FILES)
    monkeypatch.chdir(repo / stands)
    repos.write_files(
        repo.parent, {"notes.txt": "", "docs/status.md": "", "doc/a.md": ""}
    )

    found = Guard(repo).wrap(one, name="read_file")(path.format(repo=repo))
    assert found == (result.format(repo=repo),)
    if stands == "..":  # `doc/` is there, and no slip for the project's `docs/`
        assert Guard(repo).wrap(one, name="write_file")("doc/new.md") == ("doc/new.md",)


@pytest.mark.parametrize("stands", ["..", "src/app"])
def test_a_function_gets_a_path_that_it_can_open_wherever_the_process_is(
    make_repo, monkeypatch, stands
):
    repo = make_repo(FILES)
    monkeypatch.chdir(repo / stands)
    tool = Guard(repo).wrap(read_file)
    assert tool("docs/Status.md").endswith("\nall is well with us")
    with pytest.raises(FileNotFoundError) as failed:
        tool("docs/status.md")  # right for the project, and not there
    there = f"`docs/status.md` is relative.\nNext: read_file `{repo}/docs/status.md`"
    assert there in str(failed.value)
    assert isinstance(failed.value.__cause__, FileNotFoundError)
    assert tool(f"{repo}/docs/status.md") == "all is well with us"
    told = []
    with pytest.raises(FileNotFoundError, match=r"directory: 'docs/plan.md'$"):
        Guard(repo).wrap(read_file, note=told.append)("docs/plan.md")
    assert [text.partition(":")[0] for text in told] == ["PATH_IS_NOT_ABSOLUTE"]
    with pytest.raises(FileNotFoundError, match="nowhere/at_all"):
        tool(NOWHERE)


def test_a_function_that_joins_paths_to_the_root_says_so(make_repo, monkeypatch):
    repo = make_repo(FILES)
    monkeypatch.chdir(repo.parent)

    def read_file(path: str) -> str:
        return Path(f"{repo}/{path}").read_text("utf-8")

    tool = Guard(repo, cwd=repo).wrap(read_file)
    assert tool("docs/status.md") == "all is well with us"
    assert tool(WRONG).startswith(CORRECTED)
    assert Guard(repo, cwd=repo / "src").wrap(one, name="read_file")(
        "App/session_store.py"
    ) == ("app/session_store.py",)


GUESSES = [f"{folder}/telemetry_spans.rb" for folder in ("one", "two", "three", "four")]


def test_calls_that_tasks_make_at_once_are_one_turn(guard):
    @guard.wrap(refusal="return")
    async def read_file(path):
        return path

    async def agent():
        together = await asyncio.gather(*map(read_file, GUESSES))
        await asyncio.sleep(0)  # the model is asked
        return together, await read_file("five/telemetry_spans.rb")

    together, later = asyncio.run(agent())
    assert not any("STRATEGY_SHIFT" in answer for answer in together)
    assert later.startswith("STRATEGY_SHIFT: 2 misses")


# check, for adapters


def read(path, **known):
    return ToolCall("read_file", {"path": path}, **known)


def test_a_checked_call_has_what_an_adapter_needs(guard):
    right, wrong, nowhere = (
        guard.check(read(path)) for path in (RIGHT, WRONG, NOWHERE)
    )

    assert (right.arguments, right.note, right.refusal) == ({"path": RIGHT}, "", "")
    assert (wrong.arguments, wrong.refusal) == ({"path": RIGHT}, "")
    assert wrong.note == CORRECTED
    assert (nowhere.arguments, nowhere.note) == ({"path": NOWHERE}, "")
    assert nowhere.refusal.startswith("PATH_NOT_FOUND")


def test_a_failed_call_is_explained_once(guard):
    call = ToolCall("run_shell_command", {"command": f"frob {WRONG}"})
    missed = FileNotFoundError(f"cat: {WRONG}: No such file or directory")

    assert guard.check(call).failed("exit code 1") == ""
    assert RIGHT in guard.check(call).failed(missed)
    assert asyncio.run(guard.check(read(RIGHT)).afailed("disk on fire")) == ""
    told = guard.check(read(WRONG)).failed(missed)
    assert told.count("was used in place of") == 1
    assert CORRECTED not in told


def test_an_error_of_truepath_lets_a_checked_call_run(repo):
    class Broken(Guard):
        def before(self, call, **how):
            raise RuntimeError(call.tool)

        after = before

    events = []
    guard = Broken(repo, on_event=events.append)
    checked = guard.check(read(WRONG))

    assert (checked.arguments, checked.refusal, checked.note) == (
        {"path": WRONG},
        "",
        "",
    )
    assert checked.failed("No such file or directory") == ""
    assert guard.wrap(one, name="read_file")(WRONG) == (WRONG,)
    assert {event.event for event in events} == {"guard.failed"}


def test_an_event_loop_goes_on_while_a_path_is_searched_for(repo):
    class Slow(Guard):
        def before(self, call, **how):
            asyncio.run_coroutine_threadsafe(asyncio.sleep(0), loop).result(20)
            return super().before(call, **how)

    guard = Slow(repo)

    @guard.wrap
    async def read_file(path):
        return (path,)

    async def agent():
        nonlocal loop
        loop = asyncio.get_running_loop()
        checked = await guard.acheck(read(WRONG))
        return checked, await read_file(WRONG)

    loop = None
    checked, answer = asyncio.run(agent())
    assert (checked.arguments["path"], answer) == (RIGHT, (RIGHT,))
    assert checked.call.turn
