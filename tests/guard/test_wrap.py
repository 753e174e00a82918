from __future__ import annotations

import asyncio
import errno
import functools
import inspect
import os
import pickle
import threading
from pathlib import Path

import pytest

from truepath import (
    ConfigError,
    Guard,
    PathIsFolder,
    PathNotFound,
    PathRefused,
    ToolCall,
    Workspace,
)

FILES = {
    "docs/status.md": "all is well",
    "docs/plan.md": "",
    "src/app/session_store.py": "store = {}",
    "src/app/__init__.py": "",
    "src/lib/format_currency.py": "",
    "a/totals.py": "",
    "b/totals.py": "",
    "README.md": "# Shop",
}


@pytest.fixture
def repo(make_repo, monkeypatch) -> Path:
    repo = make_repo(FILES, git=False)
    monkeypatch.chdir(repo)
    return repo


@pytest.fixture
def guard(repo) -> Guard:
    return Guard(repo)


def read_file(path: str) -> str:
    """Read a file."""
    return Path(path).read_text("utf-8")


def test_an_existing_path_is_read_as_before(guard):
    assert guard.wrap(read_file)("docs/status.md") == "all is well"


def test_a_wrong_path_returns_the_content_of_the_right_file_and_says_so(guard):
    answer = guard.wrap(read_file)("app/session_store.py")

    first, _, content = answer.partition("\n")
    assert first.startswith("PATH_CORRECTED: `app/session_store.py` does not exist")
    assert "src/app/session_store.py" in first
    assert content == "store = {}"


def test_a_path_without_an_answer_raises_what_callers_of_open_expect(guard):
    with pytest.raises(PathNotFound, match="PATH_NOT_FOUND") as raised:
        guard.wrap(read_file)("docs/telemetry/spans.md")
    assert isinstance(raised.value, FileNotFoundError)


def test_the_refusal_can_be_the_result_instead(guard):
    answer = guard.wrap(read_file, refusal="return")("totals/totals.py")

    assert answer.startswith("PATH_NOT_FOUND")
    assert "`a/totals.py`" in answer
    assert "`b/totals.py`" in answer


def test_an_unknown_way_to_refuse_is_named(guard):
    with pytest.raises(ConfigError, match="'explode'"):
        guard.wrap(read_file, refusal="explode")


def test_the_signature_the_name_and_the_words_are_kept(guard):
    def read(path: str, *, encoding: str = "utf-8") -> str:
        """Read a file as text."""
        return Path(path).read_text(encoding)

    wrapped = guard.wrap(read)

    assert inspect.signature(wrapped) == inspect.signature(read)
    assert wrapped.__name__ == "read"
    assert wrapped.__doc__ == "Read a file as text."
    assert wrapped(path="docs/status.md", encoding="ascii") == "all is well"


def test_an_async_tool_stays_async(guard):
    async def read_file(path: str) -> str:
        return await asyncio.to_thread(Path(path).read_text, "utf-8")

    wrapped = guard.wrap(read_file)

    assert inspect.iscoroutinefunction(wrapped)
    assert asyncio.run(wrapped("app/session_store.py")).endswith("store = {}")
    with pytest.raises(PathNotFound):
        asyncio.run(wrapped("nowhere/at_all.py"))


def test_a_path_object_is_given_back_as_one(guard):
    seen = []

    def read_file(path: Path) -> str:
        seen.append(path)
        return path.read_text("utf-8")

    guard.wrap(read_file)(Path("app/session_store.py"))

    assert isinstance(seen[0], Path)
    assert seen[0].samefile("src/app/session_store.py")


def test_a_parameter_is_known_by_its_annotation(guard):
    def summarise(notes: Path) -> str:
        return notes.read_text("utf-8")

    assert guard.wrap(summarise, operation="read")(Path("app/session_store.py")).endswith(
        "store = {}"
    )


def test_a_path_by_annotation_does_not_hide_one_by_name(guard):
    def read_file(path: str, log: Path) -> str:
        return f"{path} {os.fspath(log)}"

    answer = guard.wrap(read_file)("app/session_store.py", Path("docs/plan.md"))

    assert answer.splitlines()[-1] == "src/app/session_store.py docs/plan.md"


def test_other_results_are_returned_untouched(guard):
    def read_file(path: str) -> bytes:
        return Path(path).read_bytes()

    assert guard.wrap(read_file)("app/session_store.py") == b"store = {}"


def test_arguments_that_are_no_paths_are_left_alone(guard):
    def replace(path: str, old: str, new: str) -> str:
        return f"{path} {old} {new}"

    wrapped = guard.wrap(replace, operation="edit")

    assert (
        wrapped("docs/status.md", "gone/a.py", "gone/b.py") == "docs/status.md gone/a.py gone/b.py"
    )


def test_an_operation_can_be_said_where_the_name_tells_nothing(guard, repo):
    def fetch(path: str) -> str:
        return Path(path).read_text("utf-8")

    def drop(path: str) -> None:
        Path(path).unlink()

    assert guard.wrap(fetch, operation="read")("app/session_store.py").endswith("store = {}")
    with pytest.raises(PathNotFound):
        guard.wrap(drop, operation="delete")("app/session_store.py")
    assert (repo / "src/app/session_store.py").exists()


def test_a_new_file_is_written_where_it_was_asked_for(guard, repo):
    def write_file(path: str, content: str) -> str:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(content, "utf-8")
        return "written"

    wrapped = guard.wrap(write_file)

    assert wrapped("docs/new.md", "x") == "written"
    assert (repo / "docs/new.md").read_text("utf-8") == "x"
    with pytest.raises(PathRefused, match="PATH_LOOKS_WRONG") as raised:
        wrapped("dosc/new.md", "x")
    assert not isinstance(raised.value, FileNotFoundError)
    assert not (repo / "dosc").exists()


def test_a_missing_argument_is_the_tools_own_error(guard):
    with pytest.raises(TypeError, match="path"):
        guard.wrap(read_file)()


def test_a_tools_own_error_passes_through(guard):
    def read_file(path: str) -> str:
        raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        guard.wrap(read_file)("docs/status.md")


RIGHT = "src/app/session_store.py"
WRONG = "app/session_store.py"


class Thing:
    """A value that says of itself nothing at all: an array, a table, a query."""

    def __bool__(self) -> bool:
        raise ValueError("the truth of this is ambiguous")

    def __eq__(self, other: object) -> bool:
        return self

    __ne__ = __eq__
    __hash__ = None


def one(path):
    return (path,)


def rest(**arguments):
    return (arguments["path"],)


def many(paths):
    return paths


def spread(*paths):
    return paths


def optional(notes: Path | None = None):
    return (notes,)


def text_or_path(notes: str | os.PathLike[str]):
    return (notes,)


def several(notes: list[Path]):
    return notes


@pytest.mark.parametrize(
    ("tool", "arguments", "result"),
    [
        (functools.partial(one), (WRONG,), (RIGHT,)),
        (functools.partial(functools.partial(one)), (WRONG,), (RIGHT,)),
        (many, ([Path(WRONG), "README.md"],), [Path(RIGHT), "README.md"]),
        (many, ((WRONG, "README.md"),), (RIGHT, "README.md")),
        (spread, (Path(WRONG), Path("README.md")), (Path(RIGHT), Path("README.md"))),
        (optional, (Path(WRONG),), (Path(RIGHT),)),
        (optional, (), (None,)),
        (text_or_path, (WRONG,), (RIGHT,)),
        (several, ([Path(WRONG)],), [Path(RIGHT)]),
        (several, ([os.fsencode(WRONG)],), [os.fsencode(RIGHT)]),
        (lambda path: (path,), (os.fsencode(WRONG),), (os.fsencode(RIGHT),)),
    ],
)
def test_a_path_is_known_however_it_is_given(guard, tool, arguments, result):
    assert guard.wrap(tool, operation="read")(*arguments) == result


def test_a_path_among_any_arguments_is_known(guard):
    assert guard.wrap(rest, operation="read")(path=WRONG, encoding="utf-8") == (RIGHT,)


def test_a_function_bound_to_some_arguments_is_known_by_its_name(guard):
    def read_file(path, encoding):
        return path, encoding

    assert guard.wrap(functools.partial(read_file, encoding="utf-8"))(WRONG) == (RIGHT, "utf-8")


def test_a_value_that_cannot_be_compared_goes_to_the_tool_as_it_is(repo):
    events = []
    guard = Guard(repo, on_event=events.append)
    thing = Thing()

    def edit_file(path, data):
        return path, data

    assert guard.wrap(edit_file)("README.md", thing) == ("README.md", thing)
    assert guard.wrap(edit_file)(WRONG, thing)[0] == RIGHT
    assert guard.wrap(edit_file)(path=WRONG, data=thing)[1] is thing
    assert {event.event for event in events} == {"path.corrected"}


def test_a_path_object_that_cannot_be_made_anew_is_left_alone(guard, repo):
    class Fixed(os.PathLike):
        def __fspath__(self):
            return WRONG

    given = Fixed()

    assert guard.wrap(one, name="read_file")(given) == (given,)


def test_a_generator_stays_one_and_tells_with_its_first_piece(guard):
    @guard.wrap
    def read_file(path):
        answer = yield Path(path).read_text("utf-8")
        yield answer
        return "done"

    assert inspect.isgeneratorfunction(read_file)
    told, rest_of_it = read_file(WRONG)
    assert told.startswith("PATH_CORRECTED")
    assert told.endswith("\nstore = {}")
    assert rest_of_it is None
    pieces = read_file(RIGHT)
    assert (next(pieces), pieces.send("heard")) == ("store = {}", "heard")
    with pytest.raises(PathNotFound):
        list(read_file("nowhere/at_all.py"))


def test_an_async_generator_stays_one(guard):
    closed = []

    async def read_file(path):
        try:
            yield f"what is in {path}"
            yield "more"
        finally:
            closed.append(path)

    async def first_of(pieces):
        first = await anext(pieces)
        await pieces.aclose()
        return first

    async def all_of(pieces):
        return [piece async for piece in pieces]

    wrapped = guard.wrap(read_file)
    assert inspect.isasyncgenfunction(wrapped)
    assert asyncio.run(first_of(wrapped(WRONG))).startswith("PATH_CORRECTED")
    assert closed == [RIGHT]
    assert asyncio.run(all_of(wrapped(RIGHT))) == [f"what is in {RIGHT}", "more"]


@pytest.mark.parametrize("kind", ["plain", "async", "object", "generator", "async generator"])
def test_a_refusal_is_the_result_of_every_kind_of_tool(guard, kind):
    async def later(path):
        return path

    class Later:
        async def __call__(self, path):
            return path

    def pieces(path):
        yield path

    async def pieces_later(path):
        yield path

    async def gathered(pieces):
        return [piece async for piece in pieces]

    tools = {
        "plain": (lambda path: path, str),
        "async": (later, asyncio.run),
        "object": (Later(), asyncio.run),
        "generator": (pieces, "".join),
        "async generator": (pieces_later, lambda result: "".join(asyncio.run(gathered(result)))),
    }
    tool, finish = tools[kind]
    wrapped = guard.wrap(tool, name="read_file", refusal="return")

    assert finish(wrapped("nowhere/at_all.py")).startswith("PATH_NOT_FOUND")
    assert finish(wrapped("README.md")) == "README.md"


@pytest.mark.parametrize(
    ("stands", "path", "result"),
    [
        ("src/app", "session_store.py", "session_store.py"),
        ("src/app", "../lib/format_currency.py", "../lib/format_currency.py"),
        ("src/app", "docs/status.md", "docs/status.md"),  # there, for who joins it to the root
        ("src/app", "app/session_store.py", "session_store.py"),
        ("docs", "app/session_store.py", "{repo}/" + RIGHT),
        ("..", "notes.txt", "notes.txt"),  # there, and outside: none of ours
        ("..", "README.md", "README.md"),
        ("..", WRONG, RIGHT),
    ],
)
def test_relative_paths_start_where_the_process_is(make_repo, monkeypatch, stands, path, result):
    repo = make_repo(FILES)
    monkeypatch.chdir(repo / stands)
    (repo.parent / "notes.txt").write_text("")

    assert Guard(repo).wrap(one, name="read_file")(path) == (result.format(repo=repo),)


def test_what_is_made_need_not_be_there_where_the_process_stands(guard, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text("")

    def move_file(source, destination):
        return source, destination

    assert guard.wrap(move_file)("notes.txt", "old.txt") == ("notes.txt", "old.txt")


@pytest.mark.skipif(os.name == "nt", reason="not on Windows: links need a privilege")
def test_a_process_stands_in_a_project_that_is_reached_by_a_link(repo, tmp_path, monkeypatch):
    link = tmp_path / "link"
    link.symlink_to(repo)
    monkeypatch.chdir(repo / "src/app")

    tool = Guard(link).wrap(one, name="read_file")

    assert tool("session_store.py") == ("session_store.py",)
    assert tool("lib/session_store.py") == ("session_store.py",)


def test_a_workspace_that_says_where_the_agent_stands_is_right(repo, monkeypatch):
    monkeypatch.chdir(repo / "docs")
    guard = Guard(workspace=Workspace(repo, cwd="src"))

    assert guard.wrap(one, name="read_file")("app/session_store.py")[0] == "app/session_store.py"


def test_a_folder_removed_under_the_process_is_no_obstacle(guard, repo, monkeypatch):
    monkeypatch.chdir(repo / "a")
    (repo / "a/totals.py").unlink()
    try:
        (repo / "a").rmdir()
    except OSError:
        pytest.skip("a folder that a process stands in stays")

    assert guard.wrap(one, name="read_file")(WRONG) == (RIGHT,)


class Request:
    """A model, such as frameworks make of a call."""


def of_a_model(request):
    return request


of_a_model.__annotations__["request"] = Request


@pytest.mark.parametrize(
    ("tool", "how", "message"),
    [
        (lambda p: p, {"name": "read_file"}, "no parameter of `read_file` would be checked"),
        (lambda src_path: src_path, {"operation": "read"}, "file_path"),
        (lambda path: path, {"name": "frobnicate"}, "operation"),
        (lambda path: path, {"operation": "reed"}, "did you mean 'read'"),
        (lambda path: path, {"name": "read_file", "paths": ["paht"]}, "there are path"),
        (lambda path: path, {"name": "read_file", "paths": "path"}, "use a list"),
        (lambda path: path, {"name": "read_file", "refusal": "retrun"}, "did you mean 'return'"),
        (of_a_model, {"name": "read_file", "paths": ["request"]}, "is no path but Request"),
    ],
)
def test_a_function_of_which_nothing_would_be_checked_is_not_wrapped(guard, tool, how, message):
    with pytest.raises(ConfigError, match=message):
        guard.wrap(tool, **how)


def test_a_function_may_be_said_to_take_no_path(guard):
    assert guard.wrap(lambda path: path, name="read_file", paths=[])(WRONG) == WRONG


def test_parameters_are_paths_by_their_names_in_paths(guard):
    def read(p, src, path):
        return p, src, path

    wrapped = guard.wrap(read, operation="read", paths=("p", "src"))

    assert wrapped(WRONG, Path(WRONG), WRONG) == (RIGHT, Path(RIGHT), WRONG)
    with pytest.raises(PathNotFound):
        wrapped("README.md", "nowhere/at_all.py", "x")


def test_of_a_move_the_first_of_paths_is_the_source(guard, repo):
    def move(a, b):
        return a, b

    wrapped = guard.wrap(move, operation="move", paths=("a", "b"))

    assert wrapped("docs/plan.md", "docs/new.md") == ("docs/plan.md", "docs/new.md")
    with pytest.raises(PathNotFound):
        wrapped("nowhere/at_all.py", "docs/new.md")


def test_a_default_is_checked_as_what_is_given_is(guard):
    def read_file(path: str = WRONG, encoding: str = "utf-8") -> str:
        return f"{path} {encoding}"

    assert guard.wrap(read_file)().endswith(f"\n{RIGHT} utf-8")
    assert guard.wrap(read_file)("README.md") == "README.md utf-8"


def test_wrap_is_a_decorator_with_and_without_arguments(guard):
    @guard.wrap
    def read_file(path):
        return (path,)

    @guard.wrap(name="read_file")
    def fetch(path):
        return (path,)

    assert read_file(WRONG) == fetch(WRONG) == (RIGHT,)
    assert fetch.__name__ == "fetch"


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

        @classmethod
        @guard.wrap(name="read_file")
        def inside(cls, path):
            return path

    wrong, right = "app/session_store.py", "src/app/session_store.py"
    assert Tools.still(wrong).endswith(right)
    assert Tools.of_class(wrong).endswith(f"Tools {right}")
    assert Tools().inside(wrong).endswith(right)


@pytest.mark.parametrize("tool", [42, "read_file", dict.update, type])
def test_what_has_no_signature_is_not_wrapped(guard, tool):
    with pytest.raises(ConfigError):
        guard.wrap(tool, name="read_file")


def test_a_correction_is_told_to_note_and_the_result_is_untouched(guard):
    told = []

    assert guard.wrap(read_file, note=told.append)(WRONG) == "store = {}"
    assert [text.partition(":")[0] for text in told] == ["PATH_CORRECTED"]
    assert guard.wrap(read_file, note=told.append)(RIGHT) == "store = {}"
    assert len(told) == 1


def test_a_correction_of_what_is_no_text_is_logged(guard, caplog):
    assert guard.wrap(one, name="read_file")(WRONG) == (RIGHT,)
    assert caplog.records[-1].getMessage().startswith("PATH_CORRECTED")


def test_what_is_raised_says_what_open_would_and_what_was_decided(guard):
    with pytest.raises(PathNotFound) as missing:
        guard.wrap(read_file)("totals/totals.py")
    with pytest.raises(PathIsFolder) as folder:
        guard.wrap(read_file)("src/app")

    assert (missing.value.errno, missing.value.filename) == (errno.ENOENT, "totals/totals.py")
    assert missing.value.decision.action == "refuse"
    assert missing.value.payload["code"] == "PATH_NOT_FOUND"
    assert str(missing.value).startswith("PATH_NOT_FOUND: ")
    assert (folder.value.errno, str(folder.value).partition(":")[0]) == (
        errno.EISDIR,
        "PATH_IS_NOT_A_FILE",
    )
    assert not isinstance(folder.value, FileNotFoundError)
    again = pickle.loads(pickle.dumps(missing.value))
    assert str(again) == str(missing.value)
    assert (again.filename, again.strerror) == (missing.value.filename, os.strerror(errno.ENOENT))


GUESSES = [f"{folder}/telemetry_spans.py" for folder in ("one", "two", "three", "four")]


def test_calls_that_tasks_make_at_once_are_one_turn(repo):
    events = []
    guard = Guard(repo, on_event=events.append)

    async def read_file(path):
        return path

    async def read_text_file(path):
        return path

    tools = [guard.wrap(tool, refusal="return") for tool in (read_file, read_text_file)]

    async def agent():
        together = await asyncio.gather(*(tools[at % 2](path) for at, path in enumerate(GUESSES)))
        await asyncio.sleep(0)  # the model is asked
        return together, await tools[0]("five/telemetry_spans.py")

    together, later = asyncio.run(agent())

    assert not any("STRATEGY_SHIFT" in answer for answer in together)
    assert later.startswith("STRATEGY_SHIFT: 2 misses")
    assert [event.streak for event in events if event.level] == [1, 1, 1, 1, 2]


def test_calls_that_one_task_makes_after_one_another_are_turns(guard):
    async def read_file(path):
        return path

    tool = guard.wrap(read_file, refusal="return")

    async def agent():
        return [await tool(path) for path in GUESSES]

    answers = asyncio.run(agent())

    assert [answer.partition(":")[0] for answer in answers[:2]] == [
        "PATH_NOT_FOUND",
        "STRATEGY_SHIFT",
    ]


# check, for adapters


def read(path: str, **known: object) -> ToolCall:
    return ToolCall("read_file", {"path": path}, **known)


def test_a_checked_call_has_what_an_adapter_needs(guard):
    right = guard.check(read(RIGHT))
    wrong = guard.check(read(WRONG))
    nowhere = guard.check(read("nowhere/at_all.py"))

    assert (right.arguments, right.note, right.refusal) == ({"path": RIGHT}, "", "")
    assert (wrong.arguments, wrong.refusal) == ({"path": RIGHT}, "")
    assert wrong.note.startswith("PATH_CORRECTED")
    assert (nowhere.arguments, nowhere.note) == ({"path": "nowhere/at_all.py"}, "")
    assert nowhere.refusal.startswith("PATH_NOT_FOUND")


def test_what_a_person_approved_is_what_runs(guard):
    approved = guard.check(read(WRONG, approved=True))

    assert approved.arguments == {"path": WRONG}
    assert approved.refusal.startswith("PATH_NOT_FOUND")
    assert RIGHT in approved.refusal
    assert guard.check(read(RIGHT, approved=True)).refusal == ""


def test_a_failed_call_is_explained_once(guard):
    call = ToolCall("run_shell_command", {"command": "make docs"})
    error = OSError(errno.ENOENT, "No such file or directory", WRONG)
    missed = FileNotFoundError(f"cat: {WRONG}: No such file or directory")

    assert guard.check(call).failed("exit code 1") == ""
    assert RIGHT in guard.check(call).failed(missed)
    assert guard.check(read(RIGHT)).failed("disk on fire") == ""
    corrected = guard.check(read(WRONG))
    assert corrected.failed(error).count("PATH_CORRECTED") == 1


def test_a_checked_call_starts_where_the_process_stands(guard, repo, monkeypatch):
    monkeypatch.chdir(repo / "src/app")

    assert guard.check(read("session_store.py")).decision.action == "allow"
    assert guard.check(read("session_store.py", cwd=str(repo))).decision.action == "rewrite"


def test_an_error_of_truepath_lets_a_checked_call_run(repo):
    class Broken(Guard):
        def before(self, call, **how):
            raise RuntimeError(call.tool)

        def after(self, call, outcome):
            raise RuntimeError(call.tool)

    events = []
    checked = Broken(repo, on_event=events.append).check(read(WRONG))

    assert (checked.arguments, checked.refusal, checked.note) == ({"path": WRONG}, "", "")
    assert checked.failed("No such file or directory") == ""
    assert {event.event for event in events} == {"guard.failed"}


class Elsewhere(Guard):
    """Notes in which threads it decides."""

    def __init__(self, root, **how):
        super().__init__(root, **how)
        self.threads = []

    def before(self, call, **how):
        self.threads.append(threading.get_ident())
        return super().before(call, **how)


ASYNC = [
    (RIGHT, True, "it is there"),
    (WRONG, False, "it has to be searched for"),
    ("nowhere/at_all.py", False, "it has to be searched for"),
]


@pytest.mark.parametrize(("path", "here", "why"), ASYNC)
def test_an_event_loop_waits_for_nothing_but_a_look(repo, path, here, why):
    guard = Elsewhere(repo)

    @guard.wrap(refusal="return")
    async def read_file(path: str) -> str:
        return path

    async def agent():
        checked = await guard.acheck(read(path))
        return checked, await read_file(path), await checked.afailed("exit code 1")

    checked, answer, _ = asyncio.run(agent())
    assert [each == threading.get_ident() for each in guard.threads] == [here, here], why
    assert checked.call.turn
    assert (checked.arguments["path"] == RIGHT) == answer.endswith(RIGHT)


def test_a_task_that_is_cancelled_while_its_path_is_searched_for_does_not_run_its_tool(repo):
    ran = []

    class Slow(Guard):
        def before(self, call, **how):
            asyncio.run_coroutine_threadsafe(stop(), loop).result(20)
            return super().before(call, **how)

    async def stop():
        task.cancel()
        await asyncio.sleep(0)

    @Slow(repo).wrap
    async def read_file(path):
        ran.append(path)

    async def agent():
        nonlocal loop, task
        loop, task = asyncio.get_running_loop(), asyncio.create_task(read_file(WRONG))
        with pytest.raises(asyncio.CancelledError):
            await task

    loop = task = None
    asyncio.run(agent())
    assert ran == []


def test_two_threads_that_begin_a_guard_count_in_one_store(repo):
    guard, gate = Guard(repo), threading.Barrier(2)

    def begin(seen):
        gate.wait(20)
        seen.append(guard._tracker)

    seen: list[object] = []
    threads = [threading.Thread(target=begin, args=[seen]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert seen[0] is seen[1]
