"""Measure what is done with calls that fail though their path exists, and with calls
that work.

    python benchmarks/preconditions.py [--calls N]

The files are real: those of this repository and of Python's standard library. The calls
are made from them, the same each time: folders read as files, files over the limit of
their agent program, edits whose text is remembered wrong, and calls of every read tool
that work.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import sysconfig
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from repositories import commit, git

from truepath import Guard, Outcome, Settings, ToolCall
from truepath.calls.contents import Edit
from truepath.cli.terminal import table
from truepath.guard.line_ends import fitted
from truepath.guard.reading import Caller
from truepath.hook.presence import is_quiet
from truepath.hosts import HOSTS, find
from truepath.hosts.host import Host
from truepath.types import Decision, ReadLimit

FILES = 1_500
"""Files of the project."""

MOST = 4_000_000
"""Bytes of one of them."""

READS = ("read", "read_file", "view")
MANIFESTS = {
    "web/package.json": '{"scripts": {"build": "x", "test": "x", "lint:all": "x"}}',
    "crate/Cargo.toml": "",
    "module/go.mod": "",
    "python/pyproject.toml": "",
    "tools/Makefile": "build:\n\techo\ntest:\n\techo\n",
    "tools/justfile": "build:\n    echo\n",
}
"""Files that commands need, in folders of their own."""
COMMANDS = {
    "web": "npm run build, npm test, pnpm run build, pnpm lint:all, yarn build, bun i",
    "crate": "cargo build, cargo test -q, cargo clippy --all-targets",
    "module": "go build ./..., go test ./..., go vet .",
    "python": "uv sync, uv run pytest, poetry install",
    "tools": "make, make build, make -j4 test, just build",
    ".": "git status, git log --oneline -5, npm --prefix web test, git -C web diff",
}
"""Folder -> commands that work there."""
FORMS = ("{}", "{} | head -5", "{} 2>&1 | tail -3", "timeout 60 {}", "{} && echo done")
"""How agents write them."""


def sources() -> Iterator[tuple[str, str]]:
    """Yield names and texts of real files."""
    checkout, library = (
        Path(__file__).resolve().parents[1],
        Path(sysconfig.get_path("stdlib")),
    )
    listed = git(checkout, "ls-files", "src", "tests", "docs").splitlines()
    found = [(checkout, checkout / name) for name in listed]
    found += [(library, file) for file in sorted(library.rglob("*.py"))]
    for top, file in found:
        if "-packages" not in str(file) and file.is_file():
            yield (
                f"{top.name}/{file.relative_to(top)}",
                file.read_text("utf-8", "replace"),
            )


def made(root: Path, chance: random.Random) -> dict[str, str]:
    """Write real files to a repository, and some that are several of them in one."""
    every = dict(sources())
    files = {
        name: every[name]
        for name in chance.sample(sorted(every), min(FILES, len(every)))
    }
    for number in range(60):
        size = int(20_000 * 10 ** chance.uniform(0, 2.2))
        parts = chance.sample(sorted(every.values()), 400)
        files[f"large/file{number}.py"] = "".join(parts)[: min(size, MOST // 2)]
    for name, text in {**files, **MANIFESTS}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    git(root, "init", "-q")
    commit(root, "start")
    return files


class Asked:
    """Asks about the calls of one agent program, as its hook does."""

    def __init__(self, root: Path, host: Host) -> None:
        self._root, self.host = str(root), host
        limits = {tool: ReadLimit(**it) for tool, it in host.READ_LIMITS.items()}
        notes = host.SHOWS_NOTES
        caller = Caller(rewrites=host.REWRITES, notes=notes, limits=limits)
        self._guard = Guard(root, settings=Settings(), caller=caller)

    def before(self, tool: str, arguments: dict[str, object]) -> Decision | None:
        """Return what is decided about a call; None if its hook is quiet."""
        event: dict[str, Any] = {}
        host = self.host
        fields = {
            host.EVENT_FIELD: next(iter(host.EVENTS)),
            host.TOOL_FIELD: tool,
            host.ARGUMENTS_FIELD: arguments,
            host.CWD_FIELD: self._root,
            host.SESSION_FIELD: "s",
        }
        for name, value in fields.items():
            outer, _, last = name.rpartition(".")
            (event.setdefault(outer, {}) if outer else event)[last] = value
        if is_quiet(host, event, json.dumps(event).encode(), os.environ):
            return None
        return self._guard.before(ToolCall(tool, arguments, cwd=self._root))

    def after(self, arguments: Mapping[str, object], session: str) -> Decision:
        call = ToolCall("Edit", arguments, cwd=self._root, session=session)
        return self._guard.after(
            call, Outcome(error="String to replace not found in file.")
        )


@dataclass(frozen=True)
class Remembered:
    """An edit whose old text is not in its file."""

    old: str
    new: str
    lines: range
    """The numbers of the lines that are meant, or hold the new text already."""


def remembered(text: str, kind: str, chance: random.Random) -> Remembered | None:
    """Return an edit of some lines, remembered wrong; None if they tell too little."""
    lines = text.split("\n")
    count = chance.randint(2, 8)
    at = chance.randrange(max(1, len(lines) - count))
    chosen = lines[at : at + count]
    meant = "\n".join(chosen)
    bare = "".join(meant.split())
    ends = chosen[0].strip() and chosen[-1].strip()
    if len(bare) < 40 or not ends or "".join(text.split()).count(bare) != 1:
        return None
    old, new = meant, "replaced = True"
    if kind == "other-blanks":
        old = "\n".join(map(chance.choice(BLANKS), chosen))
    elif kind in ("other-words", "never made"):
        old = with_other_words(meant, 12, chance)
    elif kind == "made-already":
        old, new = with_other_words(meant, chance.choice((4, 8)), chance), meant
    if kind == "never made":
        new = chance.choice(lines)
        if not new.strip() or new in meant:
            return None
    if old in text and kind != "as it is":
        return None
    return Remembered(old, new, range(at + 1, at + count + 1))


BLANKS: Sequence[Callable[[str], str]] = (
    lambda line: f"  {line}",
    lambda line: line.strip(),
    lambda line: f"{line} ",
)


def with_other_words(text: str, one_in: int, chance: random.Random) -> str:
    """Return a text with one word in so many changed, and one at least."""
    words = text.split(" ")
    for place in chance.sample(range(len(words)), max(1, len(words) // one_in)):
        if words[place].strip():
            words[place] = words[place][::-1] + "x"
    return " ".join(words)


def lines_shown(answer: str) -> set[int]:
    """Return the numbers of the lines that an answer shows, each with its number, or as
    a text to be sent.
    """
    shown: set[int] = set()
    for line in answer.split("\n")[1:]:
        sent = re.match(r"Lines? (\d+)(?: to (\d+))?, to be sent", line)
        if sent:  # what follows is that text
            return {*range(int(sent[1]), int(sent[2] or sent[1]) + 1)}
        number = line.partition("\t")[0]
        if number.isdecimal():
            shown.add(int(number))
    return shown


def share(answers: Iterable[bool]) -> str:
    found = Counter(answers)
    return f"{found[True]:,} of {found.total():,}"


class Measured:
    """A project of real files, and what each agent program gets to know of a call in
    it.
    """

    def __init__(self, root: Path) -> None:
        self._root, self._chance = root, random.Random(1)
        self._files = made(root, self._chance)
        self._sizes = {name: len(text.encode()) for name, text in self._files.items()}
        self._asked = [Asked(root, find(name)) for name in HOSTS]
        tools = (
            (by, tool, by.host.PATH_TOOLS[tool][0])
            for by in self._asked
            for tool in by.host.PATH_TOOLS
        )
        self._tools = [each for each in tools if each[1].lower() in READS]

    def folders(self) -> Iterator[bool]:
        """Yield whether each folder read as a file is answered before the call."""
        folders = sorted({os.path.dirname(name) for name in self._files} - {""})
        for by, tool, argument in self._tools:
            if by.host.PATH_TOOLS[tool][1] != "any":
                for folder in folders:
                    decision = by.before(tool, {argument: f"{self._root}/{folder}"})
                    yield decision is not None and "PATH_IS_NOT_A_FILE" in decision.text

    def large(self) -> Iterator[bool]:
        """Yield whether each file that is too large is read in part, or refused."""
        for by, tool, argument in self._tools:
            for name in (
                name for name in self._files if self._is_large(by, tool, name)
            ):
                decision = by.before(tool, {argument: f"{self._root}/{name}"})
                yield decision is not None and decision.action in ("rewrite", "refuse")

    def works(self) -> Iterator[bool]:
        """Yield for ever whether a call that works is touched."""
        while True:
            by, tool, argument = self._chance.choice(self._tools)
            name = self._chance.choice([*self._files])
            part = self._chance.choice(
                ({}, {"offset": 2, "limit": 9}, {"view_range": [2, 9]})
            )
            if part or not self._is_large(by, tool, name):
                path = name if self._chance.random() < 0.5 else f"{self._root}/{name}"
                decision = by.before(tool, {argument: path, **part})
                yield decision is not None and (decision.action, decision.text) != (
                    "allow",
                    "",
                )

    def commands(self) -> Iterator[bool]:
        """Yield for ever whether a command in the right folder is touched."""
        shells = [by for by in self._asked if "Bash" in by.host.COMMAND_TOOLS]
        while True:
            by = self._chance.choice(shells)
            folder = self._chance.choice([*COMMANDS])
            line = self._chance.choice(COMMANDS[folder].split(", "))
            line = self._chance.choice(FORMS).format(line)
            line = line if folder == "." else f"cd {folder} && {line}"
            decision = by.before("Bash", {"command": line})
            yield decision is not None and decision.action != "allow"

    def edits(self, kind: str) -> Iterator[bool]:
        """Yield for ever whether the right lines alone answer a failed edit."""
        for name, edit in self._edits(kind):
            shown = lines_shown(self._told(name, edit))
            around = range(edit.lines[0] - 2, edit.lines[-1] + 4)
            yield {*edit.lines} <= shown <= {*around}

    def line_ends(self, *, wrong: bool) -> Iterator[bool]:
        """Yield for ever whether an edit that differs from its file in line ends runs
        with those of the file, and its file is then as with the right ends; or, if its
        words are `wrong` too, whether it does.
        """
        for name, edit in self._edits("other-words" if wrong else "as it is"):
            text = self._files[name].replace("\n", "\r\n")
            sent = Edit(edit.old, edit.new, at=(), names=("old", "new"))
            found = fitted(text, [sent], in_bytes=True)
            made = text.replace(found[0].old, found[0].new) if found else ""
            right = self._files[name].replace(edit.old, edit.new)
            yield bool(found) if wrong else made == right.replace("\n", "\r\n")

    def never_made(self) -> Iterator[bool]:
        """Yield for ever whether an edit that was never made is said to be, of which
        the new text is somewhere in the file.
        """
        for name, edit in self._edits("never made"):
            yield "EDIT_ALREADY_MADE" in self._told(name, edit)

    def again(self, kind: str) -> Iterator[bool]:
        """Yield for ever whether an edit that failed on a file is refused: once the
        file is another, which fits it `as it is`, or while it is the same.
        """
        guard = Guard(self._root, settings=Settings())
        for name, edit in self._edits(kind):
            place = self._root / name
            text = place.read_text("utf-8")
            arguments = {"file_path": str(place), "old_string": edit.old}
            session = f"{self._chance.random()}"
            call = ToolCall("Edit", {**arguments, "new_string": ""}, session=session)
            place.write_text(text.replace(edit.old, ""), "utf-8")
            guard.after(call, Outcome(error="String to replace not found in file."))
            place.write_text(text, "utf-8")
            yield guard.before(call).action == "refuse"

    def _edits(self, kind: str) -> Iterator[tuple[str, Remembered]]:
        while True:
            name = self._chance.choice([*self._files])
            if edit := remembered(self._files[name], kind, self._chance):
                yield name, edit

    def _told(self, name: str, edit: Remembered) -> str:
        arguments = {
            "file_path": f"{self._root}/{name}",
            "old_string": edit.old,
            "new_string": edit.new,
        }
        return self._asked[0].after(arguments, f"{self._chance.random()}").text

    def _is_large(self, by: Asked, tool: str, name: str) -> bool:
        limit = by.host.READ_LIMITS.get(tool, {})
        return self._sizes[name] > int(limit.get("whole", MOST))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=50_000, help="calls that work")
    calls = parser.parse_args().calls
    with tempfile.TemporaryDirectory() as place:
        os.environ["TRUEPATH_STATE"] = f"{place}/state"
        root = Path(place, "repo")
        root.mkdir()
        of = Measured(root)
        rows = [
            ("a folder read as a file: answered before the call", share(of.folders())),
            ("a file over the limit: read in part, or refused", share(of.large())),
            ("a call that works: touched", share(islice(of.works(), calls))),
            ("a command that works: touched", share(islice(of.commands(), calls))),
        ]
        for kind in ("other-blanks", "other-words", "made-already"):
            said = share(islice(of.edits(kind), 300))
            rows.append((f"a failed edit, {kind}: the right lines are shown", said))
        said = share(islice(of.line_ends(wrong=False), 1_000))
        rows.append(("an edit with other line ends alone: made with the file's", said))
        said = share(islice(of.line_ends(wrong=True), 1_000))
        rows.append(("an edit with other words too: changed", said))
        for kind, what in (
            ("as it is", "an edit that works, and failed before: refused"),
            ("other-words", "an edit that failed, and is sent again: refused once"),
        ):
            rows.append((what, share(islice(of.again(kind), 1_000))))
        said = share(islice(of.never_made(), 1_000))
        rows.append(("an edit never made: said to be made already", said))
    sys.stdout.write(table((), rows) + "\n")


if __name__ == "__main__":
    main()
