"""What users write, for type checkers alone: it must pass mypy and pyright, and is not
run.

A line with `type: ignore` must be an error: both checkers report a comment that ignores
none."""
# pyright: strict, reportUnnecessaryTypeIgnoreComment=true

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

from typing_extensions import assert_type

import truepath
from truepath import Decision, Guard, Outcome, Resolution, ToolCall, Workspace

guard = Guard(".", policy="careful", on_event=lambda event: print(event.requested))
call = ToolCall("read_file", {"path": "specs/status.md"}, session="s1")
decision = guard.before(call)
assert_type(decision, Decision)
assert_type(decision.arguments, Mapping[str, Any])
assert_type(guard.after(call, Outcome(error="no such file")).text, str)
assert_type(Workspace(Path()).resolve(b"a", operation="edit"), Resolution)
Guard(".", policy="carefull")  # type: ignore[arg-type]
Guard(workspace=Workspace.remote(truepath.ShellRunner("sh"), root="/srv"))


@guard.wrap
def plain(path: str, limit: int = 3) -> str:
    return path * limit


@guard.wrap()
def called(path: str) -> str:
    return path


@guard.wrap(name="read_file", paths=["at"], refusal="return", note=print)
def named(at: str) -> bytes:
    return at.encode()


@guard.wrap(operation="edit")
async def asynchronous(path: Path) -> int:
    await asyncio.sleep(0)
    return len(str(path))


class Tools:
    @guard.wrap
    def read_file(self, path: str) -> str:
        return path

    @staticmethod
    @guard.wrap(operation="read")
    def static(path: str) -> str:
        return path

    def __call__(self, path: str) -> str:
        return path


def untyped_note(text: str) -> None: ...


assert_type(plain("a", limit=2), str)
assert_type(called("a"), str)
assert_type(named("a"), bytes)
assert_type(Tools().read_file("a"), str)
assert_type(Tools.static("a"), str)
assert_type(guard.wrap(Tools(), operation="read")("a"), str)
functions: list[Callable[[str], str]] = [
    guard.wrap(tool, operation="read", session="s", note=untyped_note)
    for tool in [called]
]
later: Awaitable[int] = asynchronous(Path())
plain(1)  # type: ignore[arg-type]
guard.wrap(called, operation="raed")  # type: ignore[call-overload]
guard.wrap(called, nme="read_file")  # type: ignore[call-overload]


async def adapter(arguments: Mapping[str, object]) -> str:
    checked = await guard.acheck(ToolCall("read_file", arguments), notes=False)
    if checked.refusal:
        return checked.refusal
    try:
        return checked.note + named(**checked.arguments).decode()
    except OSError as error:
        return await checked.afailed(error)


try:
    plain("specs/status.md")
except truepath.PathRefused as error:
    assert_type(error.decision, Decision)
    assert_type(error.payload, Mapping[str, Any])
    assert_type(error.payload["code"], Any)
