"""Measure what truepath does for your model: wrong paths of a repository, with and
without it.

    python benchmarks/agent.py REPOSITORY --base-url http://127.0.0.1:11434/v1
                               --model NAME [--tasks N] [--examples 0|1|3] [--arms A,B]
                               [--wording | --note | --edit [TEXTS.json]]

Any endpoint that speaks the OpenAI protocol will do: Ollama, llama.cpp, vLLM, a cloud
(its key in OPENAI_API_KEY). The model answers questions about files with four tools
that read; it pays for about 3,000 tokens a question and arm. What was asked is kept in
--out and not asked again, so a run can be ended and continued.

With --wording, the model reads one answer to a wrong path and writes one call: is it a
read of the right file? With --note, it reads a corrected read, with its note: does it
answer at once? With --edit, it reads the answer to an edit whose text is not in its
file: is its next call the edit that is meant? TEXTS.json has further wordings: a name,
and the texts of `truepath.guard.texts.TEXTS` that it replaces.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import click
from chat import (
    EDIT_TOOLS,
    MISSING,
    NOT_THERE,
    TOOLS,
    Call,
    Endpoint,
    edit_opening,
    opening,
    said,
)
from tasks import Edit, Project, Task, copied, edits, tasks

from truepath import Guard, Outcome, Settings, ToolCall, Workspace
from truepath.cli.terminal import table
from truepath.config.presets import Policy
from truepath.guard import messages, texts
from truepath.types import Decision

POLICIES: Sequence[Policy] = ("suggest", "careful", "recover")
ARMS = ("no guard", *POLICIES)
TURNS = 6
DRAWS = 2_000
Record: TypeAlias = Mapping[str, Any]
Wordings: TypeAlias = Mapping[str, Mapping[str, str]]


def run(project: Project, tool: str, argument: str) -> tuple[str, bool]:
    """Run a tool; return its text, and whether that is an error."""
    place = project.root / argument
    if tool == "read_file" and place.is_file():
        text = place.read_text("utf-8", "replace")
        return "\n".join(text.split("\n")[:3])[:200], False
    if tool == "list_directory" and place.is_dir():
        names = sorted(entry.name + "/" * entry.is_dir() for entry in place.iterdir())
        return _short([name for name in names if name != ".git/"], 20), False
    if tool == "find_files":
        paths = [
            path for path in sorted(project.codes) if argument and argument in path
        ]
        return _short(paths, 10), False
    if tool not in TOOLS:
        return f"Error: no such tool: {tool}", False
    return MISSING.format(argument), True


def _short(names: Sequence[str], most: int) -> str:
    more = [f"... {len(names) - most} more"] if len(names) > most else []
    return "\n".join([*names[:most], *more]) or "No files found."


class Asker:
    """Puts the questions of a project to a model."""

    def __init__(self, project: Project, model: Endpoint, examples: int) -> None:
        self._project, self._model, self._examples = project, model, examples
        settings = Settings(store="memory", journal=False)
        workspace = Workspace(str(project.root))
        self._guards: Mapping[str, Guard] = {
            arm: Guard(workspace=workspace, settings=settings, policy=arm)
            for arm in POLICIES
        }

    def episode(self, task: Task, arm: str) -> Record:
        """Let the model work on a question until it answers."""
        chat, files = opening(task.written, self._examples), self._project.codes
        counts = dict.fromkeys(("turns", "misses", "tokens"), 0)
        answer = ""
        while counts["turns"] < TURNS and not answer:
            call = self._model.call(chat)
            counts["turns"] += 1
            counts["tokens"] += call.read + call.written
            if call.tool == "final_answer":
                answer = call.argument.strip() or "nothing"
                break
            result, missed = self._result(task, arm, call, counts["turns"])
            counts["misses"] += missed
            chat += said(call.tool, [call.argument], result)
        wrong = answer != task.code and answer in files.values()
        return {
            "solved": answer == task.code,
            "wrong": wrong,
            "answer": answer,
        } | counts

    def _result(self, task: Task, arm: str, call: Call, turn: int) -> tuple[str, bool]:
        """Return what the model reads after a call, and whether its path was wrong."""
        guard = self._guards.get(arm)
        if guard is None or TOOLS.get(call.tool, ("",))[0] != "path":
            return run(self._project, call.tool, call.argument)
        asked = _tool_call(call.tool, call.argument, f"{task.id} {arm}", str(turn))
        decision = guard.before(asked)
        if decision.action == "refuse":
            return decision.text, True
        result, failed = run(self._project, call.tool, decision.arguments["path"])
        if failed:
            told = guard.after(asked, Outcome(error=result)).text
            return "\n".join(filter(None, (result, told))), True
        return "\n".join(filter(None, (decision.text, result))), bool(decision.text)

    def wording(self, task: Task, arm: str) -> Record | None:
        """Return what the model does after a refusal that names the right file."""
        decision = self._first(task, "suggest", arm)
        paths = [one.path for each in decision.resolutions for one in each.candidates]
        if decision.action != "refuse" or task.right not in paths[: messages.SHOWN]:
            return None
        text = MISSING.format(task.written) if arm == PLAIN else decision.text
        chat = opening(task.written, self._examples)
        chat += said("read_file", [task.written], text)
        call = self._model.call(chat)
        is_read = call.tool == "read_file"
        read = call if is_read else self._model.call(chat, "read_file")
        place = os.path.normpath(self._project.root / read.argument)
        right = place == str(self._project.root / task.right)
        return {"next": is_read and right, "path": right, "length": len(text)}

    def note(self, task: Task, arm: str) -> Record | None:
        """Return what the model does after the corrected read of the right file."""
        decision = self._first(task, "careful", arm)
        if decision.action != "rewrite" or decision.arguments["path"] != task.right:
            return None
        result, _ = run(self._project, "read_file", task.right)
        notes = [] if arm == PLAIN else [decision.text]
        chat = opening(task.written, self._examples)
        chat += said("read_file", [task.written], "\n".join([*notes, result]))
        call = self._model.call(chat)
        answers = call.tool == "final_answer"
        right = answers and call.argument == task.code
        return {"answers": answers, "right": right, "length": len("".join(notes))}

    def edit(self, task: Edit, arm: str) -> Record | None:
        """Return what the model does after an edit whose text is not in its file."""
        sent = {"path": task.written, "old_string": task.old, "new_string": task.new}
        call = ToolCall("edit_file", sent, session=f"{task.id} {arm}")
        told = self._guards["suggest"].after(call, Outcome(error=NOT_THERE)).text
        if not told:
            return None
        text = NOT_THERE if arm == PLAIN else f"{NOT_THERE}\n{told}"
        chat = edit_opening(task.written, task.old, task.new, self._examples)
        chat += said("edit_file", [*sent.values()], text)
        call_made = self._model.call(chat, tools=EDIT_TOOLS)
        is_edit = call_made.tool == "edit_file"
        edited = call_made
        if not is_edit:
            edited = self._model.call(chat, "edit_file", EDIT_TOOLS)
        right = task.is_made_by(edited.arguments)
        again = edited.arguments == sent
        counts = {"again": is_edit and again, "length": len(text)}
        return {"next": is_edit and right, "edit": right} | counts

    def _first(self, task: Task, policy: str, arm: str) -> Decision:
        """Return what is decided about a read of the question's path."""
        call = _tool_call("read_file", task.written, f"{task.id} {arm}", "1")
        return self._guards[policy].before(call)


PLAIN = "plain"
"""The arm without truepath's text."""


def _tool_call(tool: str, path: str, session: str, turn: str) -> ToolCall:
    search = ("list_directory", "find_files")
    return ToolCall(
        tool, {"path": path}, session=session, turn=turn, search_tools=search
    )


@dataclass(frozen=True)
class Piece:
    """One question in one arm."""

    mode: str
    task: Task | Edit
    arm: str
    ask: Callable[[], Record | None]
    """Asks the model; None if the arm has nothing to ask about this question."""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.mode, self.task.id, self.arm


def kept(out: Path, pieces: Sequence[Piece]) -> list[Record]:
    """Return the record of each piece: from the file, or asked now and added to it."""
    lines = out.read_text("utf-8").splitlines() if out.exists() else []
    old = [*map(json.loads, lines)]
    known = {(each["mode"], each["task"], each["arm"]): each for each in old}
    records: list[Record] = []
    bar = click.progressbar(pieces, label="asking", show_pos=True, file=sys.stderr)
    with out.open("a", encoding="utf-8") as file, bar as all_pieces:
        for piece in all_pieces:
            record = known.get(piece.key)
            result = None if record else piece.ask()
            if result is not None:
                names = dict(zip(("mode", "task", "arm"), piece.key, strict=True))
                record = {**names, "kind": piece.task.kind, **result}
                file.write(json.dumps(record) + "\n")
                file.flush()
            records += [record] if record else []
    return records


def report(records: Sequence[Record], arms: Sequence[str]) -> str:
    """Return the means of each arm, its differences to the first, and kinds."""
    by_task: dict[str, dict[str, Record]] = defaultdict(dict)
    for record in records:
        by_task[record["task"]][record["arm"]] = record
    whole = [each for each in by_task.values() if each.keys() >= {*arms}]
    if not whole:
        return "No question was asked in every arm."
    first = whole[0][arms[0]]
    figures = [name for name, value in first.items() if isinstance(value, int)]
    rows = [[arm, *(_mean(whole, arm, name) for name in figures)] for arm in arms]
    parts = [f"{len(whole)} questions", table(("mean", *figures), rows)]
    rows = [
        [arm, *(_difference(whole, arms[0], arm, name) for name in figures)]
        for arm in arms[1:]
    ]
    title = f"difference to {arms[0]}, with its 95 % interval"
    parts.append(table((title, *figures), rows))
    kinds = Counter(each[arms[0]]["kind"] for each in whole)
    rows = [
        [kind, f"{count}", *(_mean(whole, arm, figures[0], kind) for arm in arms)]
        for kind, count in kinds.most_common()
    ]
    parts.append(table((f"{figures[0]}, by kind", "questions", *arms), rows))
    return "\n\n".join(parts)


Whole: TypeAlias = Sequence[Mapping[str, Record]]
"""The records of questions that were asked in every arm."""


def _mean(whole: Whole, arm: str, figure: str, kind: str = "") -> str:
    chosen = [each[arm] for each in whole if kind in ("", each[arm]["kind"])]
    return _figure([float(record[figure]) for record in chosen], figure)


def _figure(values: Sequence[float], figure: str, sign: str = "") -> str:
    mean = sum(values) / len(values)
    return f"{mean:{sign},.0f}" if figure in _COUNTED else f"{mean:{sign}.2f}"


_COUNTED = ("tokens", "length")
"""Figures without decimals."""


def _difference(whole: Whole, arm: str, other: str, figure: str) -> str:
    """Return the mean difference between two arms, with an interval: 95 of 100 samples
    of as many questions have theirs in it.
    """
    pairs = [float(each[other][figure]) - float(each[arm][figure]) for each in whole]
    draw = random.Random(0)
    samples = (draw.choices(pairs, k=len(pairs)) for _ in range(DRAWS))
    means = sorted(samples, key=sum)
    low, high = means[DRAWS // 40], means[-DRAWS // 40]
    told = [_figure(values, figure, "+") for values in (pairs, low, high)]
    return f"{told[0]} [{told[1]}, {told[2]}]"


def main() -> None:
    options = _options()
    model = Endpoint(
        options.base_url, options.model, os.environ.get("OPENAI_API_KEY", "")
    )
    kind, texts = _asked(options)
    mode = f"{kind}, {options.examples} examples, {options.model}"
    wordings: Wordings = json.loads(Path(texts).read_text("utf-8")) if texts else {}
    arms = options.arms.split(",")
    if kind != "agent":
        arms = [PLAIN, "truepath", *wordings]
    pieces: list[Piece] = []
    for source in options.repositories:
        project = copied(source, options.copies.absolute() / source.resolve().name)
        asker = Asker(project, model, options.examples)
        made = edits if kind == "edit" else tasks
        for task in made(project, options.tasks):
            for arm in arms:
                ask = partial(_ask, asker, kind, task, arm, wordings)
                pieces.append(Piece(mode, task, arm, ask))
    print(report(kept(options.out, pieces), arms))


def _ask(
    asker: Asker, mode: str, task: Any, arm: str, wordings: Wordings
) -> Record | None:
    asks: Mapping[str, Callable[[Any, str], Record | None]] = {
        "agent": asker.episode,
        "wording": asker.wording,
        "note": asker.note,
        "edit": asker.edit,
    }
    with patch.dict(texts.TEXTS, wordings.get(arm, {})):
        return asks[mode](task, arm)


def _asked(options: argparse.Namespace) -> tuple[str, str]:
    """Return what is measured, and the file of further wordings."""
    for kind in ("wording", "note", "edit"):
        texts = getattr(options, kind)
        if texts is not None:
            return kind, texts
    return "agent", ""


def _options() -> argparse.Namespace:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=form)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    for name in ("--wording", "--note", "--edit"):
        parser.add_argument(name, nargs="?", const="", metavar="TEXTS.json")
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--tasks", type=int, default=60, help="questions a repository")
    parser.add_argument("--examples", type=int, choices=(0, 1, 3), default=1)
    parser.add_argument("--out", type=Path, default=Path("agent.jsonl"))
    copies = Path(tempfile.gettempdir()) / "truepath-agent"
    parser.add_argument("--copies", type=Path, default=copies, help="marked copies")
    options = parser.parse_args()
    if not {*options.arms.split(",")} <= {*ARMS}:
        parser.error(f"the arms are {', '.join(ARMS)}")
    return options


if __name__ == "__main__":
    main()
