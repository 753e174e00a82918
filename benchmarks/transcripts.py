"""Make a corpus of transcripts, in six formats, with paths that are missed as agents miss them.

    python benchmarks/transcripts.py FOLDER [--count 10000] [--lines 150]

Half of the projects are git repositories in FOLDER; of the others only the transcripts are there.
The same arguments make the same corpus. Names, commands and answers are made up; how often a path
is missed (8 of 1,000 calls), what tools there are and how long their answers are (the median 500
characters, one in twenty above 8,000) is as in public transcripts.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from typing import Any

_WORDS = (
    "account adapter admin alarm archive batch billing branch buffer cache catalog channel "
    "client cluster config context cursor customer daemon dataset device domain engine entity "
    "event export filter format gateway graph handler history import index invoice job kernel "
    "ledger loader locale mapper memory metric migration model monitor network node notify "
    "order parser payment pipeline plugin policy profile proxy queue record region report "
    "request response router schema session shipping signal socket source storage stream "
    "summary table tenant thread timer token topic trace user vendor widget window worker "
    "zone "
).split()
_FOLDERS = ("src", "src/api", "src/core", "src/core/store", "lib", "web/components", "web/pages",
            "tests", "tests/api", "docs", "docs/guides", "scripts", "config")  # fmt: skip
_ENDINGS = (".py", ".py", ".ts", ".tsx", ".go", ".md", ".json", ".yaml")
_PROJECTS, _FILES = 40, 400
_MISSED, _FOUND, _AGAIN = 0.008, 0.6, 0.2
_STARTED = datetime(2026, 3, 2, 9, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Project:
    """A project that agents worked in."""

    root: str
    files: Sequence[str]


@dataclass(frozen=True)
class Act:
    """One tool call, whatever the agent program."""

    kind: str
    """read, edit, write, search, list or run."""
    what: str
    """A path, a pattern or a command."""
    answer: str
    failed: bool = False


def make(folder: str, count: int, lines: int) -> None:
    """Write `count` transcripts of so many lines each, and their projects, below a folder."""
    rng = random.Random(18)
    projects = [_project(rng, folder, at) for at in range(_PROJECTS)]
    shares = [form.share for form in FORMS.values()]
    for at in range(count):
        (name,) = rng.choices([*FORMS], shares)
        place = os.path.join(folder, "transcripts", name, f"{at // 100:03}", f"{at:05}.jsonl")
        os.makedirs(os.path.dirname(place), exist_ok=True)
        session = _session(rng, FORMS[name], f"s{at:05}", rng.choice(projects), lines)
        with open(place, "w", encoding="utf-8") as file:
            file.writelines(f"{json.dumps(line)}\n" for line in session)


def _project(rng: random.Random, folder: str, at: int) -> Project:
    name = f"{rng.choice(_WORDS)}-{at}"
    files = {f"{rng.choice(_FOLDERS)}/{_name(rng)}" for _ in range(_FILES)}
    if at % 2:
        return Project(f"/home/ada/{name}", sorted(files))
    root = os.path.abspath(os.path.join(folder, "projects", name))
    for path in files:
        os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(f"{path}\n")
    when = (_STARTED - timedelta(days=1)).isoformat()
    environ = {**os.environ, "GIT_COMMITTER_DATE": when, "GIT_AUTHOR_DATE": when}
    who = (
        "-c",
        "user.name=Ada",
        "-c",
        "user.email=ada@example.org",
        "-c",
        "init.defaultBranch=main",
    )
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-qm", "all")):
        subprocess.run(["git", "-C", root, *who, *words], check=True, env=environ)
    return Project(root, sorted(files))


def _name(rng: random.Random) -> str:
    return f"{rng.choice(_WORDS)}_{rng.choice(_WORDS)}{rng.choice(_ENDINGS)}"


def _acts(rng: random.Random, project: Project) -> Iterator[Act]:
    """Yield calls without end: now and then a path is missed, looked for and found, or given up."""
    while True:
        path = rng.choice(project.files)
        if rng.random() > _MISSED:
            yield _act(rng, project, path)
            continue
        yield _missed(rng, project, wrong := _wrong(rng, path))
        if rng.random() < _AGAIN:
            yield _missed(rng, project, _wrong(rng, wrong))
        if rng.random() < _FOUND:
            name = os.path.basename(path)
            yield Act("run", f"find . -name '{name}' -not -path '*/.git/*'", f"./{path}\n")
            yield Act("read", f"{project.root}/{path}", _text(rng))


def _act(rng: random.Random, project: Project, path: str) -> Act:
    whole, at = f"{project.root}/{path}", rng.random()
    if at < 0.33:
        return Act("read", whole, _text(rng))
    if at < 0.45:
        return Act("edit", whole, f"The file {whole} has been updated.\n{_text(rng)[:400]}")
    if at < 0.48:
        made = f"{os.path.dirname(path)}/new_{rng.choice(_WORDS)}_{_name(rng)}"
        return Act("write", f"{project.root}/{made}", "File created successfully.")
    if at < 0.58:
        return Act("search", rng.choice(_WORDS), _found(rng, project))
    if at < 0.63:
        return Act("list", f"**/{rng.choice(_WORDS)}*", _found(rng, project))
    return Act("run", _command(rng, project, path), _text(rng))


def _command(rng: random.Random, project: Project, path: str) -> str:
    word, other = rng.choice(_WORDS), rng.choice(project.files)
    low = rng.randrange(1, 400)
    return rng.choice(
        (
            f"cat {path}",
            f"sed -n '{low},{low + 80}p' {path}",
            f"rg -n '{word}' {os.path.dirname(path)}",
            f"grep -rn \"{word}\" {os.path.dirname(path)} --include='*.py' | head -{low}",
            f"cd {project.root} && git diff --stat HEAD~1 -- {path}",
            f"cd {project.root} && python -m pytest {path} -x -q 2>&1 | tail -{low % 40 + 5}",
            "git status --short && git log --oneline -5",
            f"ls -la {os.path.dirname(path)}",
            f"head -{low} {path} && wc -l {other}",
            f"git add {path} {other} && git commit -m 'Change {word} {low}'",
            f"npm run build -- --{word} > /tmp/{word}.log 2>&1; tail -20 /tmp/{word}.log",
            f'for f in {path} {other}; do echo "== $f"; head -{low} "$f"; done',
            f"python - <<'END'\nimport json\nprint(json.load(open('{path}'))['{word}'])\nEND",
        )
    )


def _missed(rng: random.Random, project: Project, wrong: str) -> Act:
    whole = f"{project.root}/{wrong}"
    if rng.random() < 0.6:
        return Act("run", f"cat {wrong}", f"cat: {wrong}: No such file or directory\n", failed=True)
    return Act("read", whole, f"File does not exist: {whole}", failed=True)


def _wrong(rng: random.Random, path: str) -> str:
    folder, name = os.path.split(path)
    stem, ending = os.path.splitext(name)
    return rng.choice(
        (
            f"{rng.choice(_WORDS)}/{name}",
            f"{folder}/{rng.choice(_WORDS)}/{name}",
            name,
            f"{folder}/{stem}s{ending}",
            f"{folder}/{stem}{rng.choice(_ENDINGS)}x",
            f"{folder}/{_name(rng)}",
        )
    )


def _text(rng: random.Random) -> str:
    size = min(60_000, int(rng.lognormvariate(6.2, 1.7)))
    start = rng.randrange(len(_SAID))
    return (_SAID[start:] + _SAID * (size // len(_SAID) + 1))[:size]


def _found(rng: random.Random, project: Project) -> str:
    return "\n".join(rng.sample(project.files, rng.randrange(1, 20)))


def _said() -> str:
    rng = random.Random(7)
    words = [rng.choice((*_WORDS, "def", "return", "if", "else:", "(x)", "= 1", "\n", "    "))
             for _ in range(20_000)]  # fmt: skip
    return " ".join(words)


_SAID = _said()
Line = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """One call as a program records it."""

    session: str
    root: str
    at: int
    time: str
    tool: str
    given: Line
    answer: str
    failed: bool

    @property
    def word(self) -> str:
        return "error" if self.failed else "output"


@dataclass(frozen=True)
class Form:
    """How one agent program records a session."""

    share: int
    """Of 100 transcripts."""
    head: Callable[[str, str, str], Iterator[Line]]
    lines: Callable[[Told], Iterator[Line]]
    tools: dict[str, tuple[str, str]]
    """Of each kind of act the tool and its argument; what is missing is run as a command."""


def _session(
    rng: random.Random, form: Form, name: str, project: Project, lines: int
) -> Iterator[Line]:
    now = _STARTED + timedelta(minutes=rng.randrange(100_000))
    count = 0
    for line in form.head(name, project.root, now.isoformat()):
        count += 1
        yield line
    for at, act in enumerate(_acts(rng, project)):
        if count >= lines:
            return
        now += timedelta(seconds=rng.randrange(1, 20))
        tool, given = _asked(act, form.tools)
        told = Told(name, project.root, at, now.isoformat(), tool, given, act.answer, act.failed)
        for line in form.lines(told):
            count += 1
            yield line


def _asked(act: Act, tools: dict[str, tuple[str, str]]) -> tuple[str, Line]:
    if act.kind not in tools:
        tool, key = tools["run"]
        return tool, {key: _AS_COMMAND[act.kind].format(act.what)}
    tool, key = tools[act.kind]
    more = {"edit": {"old_string": "a", "new_string": "b"}, "write": {"content": "x = 1\n"}}
    return tool, {key: act.what, **more.get(act.kind, {})}


_AS_COMMAND = {
    "read": "sed -n '1,200p' {}",
    "edit": "sed -i 's/a/b/' {}",
    "write": "echo 'x = 1' > {}",
    "search": "rg -n {}",
    "list": "rg --files -g '{}'",
}


def _nothing(_session: str, _root: str, _time: str) -> Iterator[Line]:
    yield from ()


def _claude(told: Told) -> Iterator[Line]:
    about = {"isSidechain": False, "userType": "external", "cwd": told.root}
    about |= {"sessionId": told.session, "version": "2.1.197", "gitBranch": "main"}
    about |= {"timestamp": told.time}
    usage = {"input_tokens": 5, "cache_creation_input_tokens": 900, "output_tokens": 80}
    said = {"role": "assistant", "id": f"msg_{told.at}", "model": "claude-opus-4-8"}
    use = {"type": "tool_use", "id": f"toolu_{told.at}", "name": told.tool, "input": told.given}
    blocks = [{"type": "text", "text": "Now the next part."}] if told.at % 3 == 0 else []
    for block in (*blocks, use):
        message = {**said, "usage": usage, "content": [block]}
        yield {**about, "type": "assistant", "uuid": f"a{told.at}", "message": message}
    result = {"tool_use_id": use["id"], "type": "tool_result", "content": told.answer}
    failed = {"is_error": True} if told.failed else {}
    message = {"role": "user", "content": [{**result, **failed}]}
    shown = {"toolUseResult": {"stdout": told.answer, "stderr": ""}}
    yield {**about, "type": "user", "uuid": f"u{told.at}", "message": message, **shown}


def _codex_head(session: str, root: str, time: str) -> Iterator[Line]:
    yield {"timestamp": time, "type": "session_meta", "payload": {"id": session, "cwd": root}}
    yield {"timestamp": time, "type": "turn_context", "payload": {"cwd": root, "model": "gpt-5.5"}}


def _codex(told: Told) -> Iterator[Line]:
    head = {"timestamp": told.time, "type": "response_item"}
    call = {"call_id": f"c{told.at}"}
    asked = json.dumps({**told.given, "workdir": told.root})
    said = f"Process exited with code {int(told.failed)}\nOutput:\n{told.answer}"
    used = {"input_tokens": 9105, "cached_input_tokens": 9000, "output_tokens": 40}
    count = {"type": "token_count", "info": {"last_token_usage": used}}
    ask = {"type": "function_call", "name": told.tool, "arguments": asked, **call}
    yield {**head, "payload": ask}
    yield {**head, "payload": {"type": "function_call_output", "output": said, **call}}
    yield {"timestamp": told.time, "type": "event_msg", "payload": count}


def _pi_head(session: str, root: str, time: str) -> Iterator[Line]:
    yield {"type": "session", "version": 3, "id": session, "timestamp": time, "cwd": root}


def _pi(told: Told) -> Iterator[Line]:
    name = f"c{told.at}"
    call = {"type": "toolCall", "id": name, "name": told.tool, "arguments": told.given}
    used = {"input": 105, "output": 40, "cacheRead": 9000, "cacheWrite": 0}
    asked = {"role": "assistant", "content": [call], "model": "gpt-5.6", "usage": used}
    said: Line = {"role": "toolResult", "toolCallId": name, "toolName": told.tool}
    said |= {"content": [{"type": "text", "text": told.answer}], "isError": told.failed}
    for at, message in enumerate((asked, said)):
        place = {"id": f"{told.at}.{at}", "timestamp": told.time}
        yield {"type": "message", **place, "message": message}


def _copilot_head(session: str, root: str, time: str) -> Iterator[Line]:
    data = {"sessionId": session, "context": {"cwd": root, "gitRoot": root}}
    yield {"type": "session.start", "data": data, "id": "e0", "timestamp": time}


def _copilot(told: Told) -> Iterator[Line]:
    call = {"toolCallId": f"toolu_{told.at}"}
    error, result = {"error": {"message": told.answer}}, {"result": {"content": told.answer}}
    said = {"success": not told.failed, **(error if told.failed else result)}
    for kind, data in (
        ("assistant.turn_start", {}),
        ("assistant.message", {"model": "claude-opus-4.8", "outputTokens": 145}),
        ("tool.execution_start", {**call, "toolName": told.tool, "arguments": told.given}),
        ("tool.execution_complete", {**call, **said}),
    ):
        event = {"data": {**data, "turnId": str(told.at)}, "id": f"e{told.at}"}
        yield {"type": kind, **event, "timestamp": told.time}


def _gemini_head(session: str, _root: str, time: str) -> Iterator[Line]:
    yield {"sessionId": session, "projectHash": "41d5", "startTime": time, "kind": "main"}


def _gemini(told: Told) -> Iterator[Line]:
    call = {"id": f"c{told.at}", "name": told.tool, "args": told.given, "timestamp": told.time}
    back = {"functionResponse": {"name": told.tool, "response": {told.word: told.answer}}}
    done = {"status": "error" if told.failed else "success", "result": [back]}
    tokens = {"input": 9105, "output": 30, "cached": 9000, "thoughts": 10}
    message: Line = {"id": f"g{told.at}", "timestamp": told.time, "type": "gemini"}
    message |= {"model": "gemini-3-pro", "tokens": tokens}
    for state in ({"status": "executing"}, done):
        yield {**message, "toolCalls": [{**call, **state}]}


def _qwen(told: Told) -> Iterator[Line]:
    about = {"sessionId": told.session, "timestamp": told.time, "cwd": told.root}
    name = {"id": f"c{told.at}", "name": told.tool}
    call = {"functionCall": {**name, "args": told.given}}
    back = {"functionResponse": {**name, "response": {told.word: told.answer}}}
    done = {"callId": name["id"], "status": "error" if told.failed else "success"}
    used = {"promptTokenCount": 9105, "candidatesTokenCount": 30, "cachedContentTokenCount": 9000}
    asked = {"type": "assistant", "message": {"role": "model", "parts": [call]}}
    answered = {"type": "tool_result", "message": {"role": "user", "parts": [back]}}
    model = {"model": "qwen3-coder-plus", "usageMetadata": used}
    yield {**about, "uuid": f"a{told.at}", **asked, **model}
    yield {**about, "uuid": f"b{told.at}", **answered, "toolCallResult": done}


def _tools(row: str) -> dict[str, tuple[str, str]]:
    kinds = ("read", "edit", "write", "search", "list", "run")
    cells = (tuple(cell.split(":")) for cell in row.split())
    return {kind: (cell[0], cell[1]) for kind, cell in zip(kinds, cells, strict=True) if cell[0]}


_GEMINI = _tools(
    "read_file:file_path replace:file_path write_file:file_path search_file_content:pattern "
    "glob:pattern run_shell_command:command"
)
FORMS = {
    "claude-code": Form(45, _nothing, _claude, _tools(
        "Read:file_path Edit:file_path Write:file_path Grep:pattern Glob:pattern Bash:command")),
    "codex": Form(25, _codex_head, _codex, _tools(": : : : : exec_command:cmd")),
    "pi": Form(10, _pi_head, _pi, _tools(
        "read:path edit:path write:path : : bash:command")),
    "copilot-cli": Form(10, _copilot_head, _copilot, _tools(
        "view:path edit:path create:path grep:pattern glob:pattern bash:command")),
    "gemini-cli": Form(5, _gemini_head, _gemini, _GEMINI),
    "qwen-code": Form(5, _nothing, _qwen, _GEMINI),
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder")
    parser.add_argument("--count", type=int, default=10_000, help="transcripts")
    parser.add_argument("--lines", type=int, default=150, help="lines of each")
    options = parser.parse_args()
    make(options.folder, options.count, options.lines)


if __name__ == "__main__":
    main()
