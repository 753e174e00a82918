"""Play recorded tool calls through a guard: those that worked, and those that missed a path.

    python benchmarks/replay.py CASES... --trees DIR [--unseen WEIGHTS] [--verbose]

CASES are JSON lines, plain or gzipped. Each has `tool`, `call` (the arguments), `root`, `cwd`,
`tree` (a file in DIR, one name a line) and `add` (further names). A call that missed has `written`
and `truth` (root-relative, or null); one that worked has `paths`, each with `rel` and whether it
`exists`. Without `call`, a plain call of the tool is made of `written`. The project is names alone,
the policy `careful`, and each call a session of its own. Cases without a tree, those that are
labelled `unknown`, and calls with a blank (`<ip>`) are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import shlex
import statistics
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import unseen_weights

from truepath import Decision, Guard, ToolCall, Workspace
from truepath.calls.paths import find
from truepath.config.presets import Policy
from truepath.config.settings import Settings
from truepath.errors import Error
from truepath.evaluation.cases import tree_names
from truepath.paths import Flavour

Raw: TypeAlias = Mapping[str, Any]

_PROGRAMS = {
    "exec": "",
    "sed": "sed -n 1p",
    "rg": "rg word",
    "grep": "grep -r word",
    "git": "git diff --",
}
"""How a program is called where a case names it and does not hold the call."""

_DRIVE = re.compile(r"^/([a-z])(?:/|$)")

_BLANK = re.compile(r"<(?:ip|long)>")
"""What transcripts have in place of addresses and of long names."""

_NAMED = 3
"""Candidates that an answer shows at most."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--trees", required=True, type=Path)
    parser.add_argument("--unseen", type=Path, help="weights that fit.py --unseen wrote")
    parser.add_argument("--verbose", action="store_true", help="list each call of interest")
    options = parser.parse_args()
    if not options.trees.is_dir():
        raise SystemExit(f"replay.py: --trees {options.trees} is not a folder")
    unseen = unseen_weights.read(options.unseen) if options.unseen else ()
    worked: dict[str, list[str]] = defaultdict(list)
    missed: dict[str, list[str]] = defaultdict(list)
    lengths: list[int] = []
    totals = Counter[str]()
    try:
        for raw in loaded(options.cases):
            miss = "written" in raw
            if unseen:
                unseen_weights.use(unseen, raw.get("repo", ""))
            decision = asked(raw, str(options.trees))
            totals["missed" if miss else "worked"] += 1
            if decision.text and miss:
                lengths.append(len(decision.text))
            outcome = of_miss(raw, decision) if miss else _touched(raw, decision)
            (missed if miss else worked)[outcome].append(_line(raw, decision))
    except Error as error:
        raise SystemExit(f"replay.py: {error}") from None
    if totals["worked"]:
        touched = totals["worked"] - len(worked.pop("", ()))
        share = 1000 * touched / totals["worked"]
        print(f"{totals['worked']:5} worked; {touched} of them touched, {share:.1f} in 1,000")
        _print(worked, options.verbose)
    if totals["missed"]:
        print(f"{totals['missed']:5} missed a path")
        _print(missed, options.verbose)
    if lengths:
        print(f"{statistics.median(lengths):5.0f} characters in the median answer to a miss")


def loaded(files: list[Path]) -> Iterator[Raw]:
    """Yield the cases of files, without those that have no tree, are unknown or hold a blank."""
    for file in files:
        try:
            data = file.read_bytes()
            text = gzip.decompress(data) if file.suffix == ".gz" else data
            cases = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (OSError, EOFError, zlib.error, ValueError) as error:
            raise SystemExit(f"replay.py: cannot read {file}: {error}") from None
        for raw in cases:
            if not isinstance(raw, dict) or not {"tool", "root"} <= raw.keys():
                raise SystemExit(f"replay.py: {file} holds lines that are no cases")
            blank = _BLANK.search(json.dumps(raw.get("call")))
            if raw.get("tree") and raw.get("label") != "unknown" and not blank:
                yield raw


def asked(raw: Raw, trees: str, policy: Policy = "careful") -> Decision:
    """Return what a guard of the case's project, names alone, decides on its call."""
    call = _call(raw)
    there = {*_there(raw, call)}
    # A tree has a submodule, or a link to a folder, as a name like that of a file.
    tree = (each for each in tree_names(trees, raw["tree"]) if each + "/" not in there)
    names = [*tree, *raw.get("add", ()), *there]
    root = _place(raw["root"])
    flavour: Flavour = "windows" if root[1:2] == ":" else "posix"
    space = Workspace.from_names(names, root=root, flavour=flavour)
    settings = Settings(store="memory", journal=False)
    return Guard(workspace=space, settings=settings, policy=policy).before(call)


def _place(folder: str) -> str:
    """Return a folder as the machine has it: cases write `C:\\x` as `/c/x`."""
    return _DRIVE.sub(r"\1:/", folder)


def _call(raw: Raw) -> ToolCall:
    tool, arguments = raw.get("tool_name") or raw["tool"], raw.get("call")
    if arguments is None:
        program = raw["tool"].removeprefix("bash:")
        if program == raw["tool"]:
            arguments = {"file_path": raw["written"]}
        else:
            line = f"{_PROGRAMS.get(program, program)} {shlex.quote(raw['written'])}".strip()
            tool, arguments = "Bash", {"command": line}
    return ToolCall(
        tool, arguments, session=raw.get("id", ""), cwd=_place(raw.get("cwd") or "") or None
    )


def _there(raw: Raw, call: ToolCall) -> Iterator[str]:
    """Yield what must have been there, since the call worked: all that it did not make."""
    named = {each.written: each.argument for each in find(call).each}
    for path in raw.get("paths", ()):
        argument = named.get(path["written"])
        made = argument is not None and argument.operation in ("write", "mkdir")
        if path["rel"] and path["exists"] != "outside" and not made:
            folder = path["exists"] == "dir" or (argument is not None and argument.kind == "folder")
            folder = folder or path["written"].endswith("/")
            yield path["rel"] + ("/" if folder else "")


def _touched(raw: Raw, decision: Decision) -> str:
    """Return how a call that worked was touched; "" where it was left alone."""
    if decision.action == "allow" and not decision.text:
        return ""
    told = {each["written"] for each in raw.get("paths", ())}
    amiss = {each.written for each in decision.resolutions if each.status != "exists"}
    known = "" if told & amiss or not amiss else ", a path that the case does not tell of"
    return f"{decision.action} {(decision.payload or {}).get('code') or 'HOME'}{known}"


def of_miss(raw: Raw, decision: Decision) -> str:
    """Return what became of a call that missed: what was done, and whether that was right."""
    truth = (raw.get("truth") or "").rstrip("/")
    if decision.action == "allow":
        return "let through"
    told = decision.resolutions
    if decision.action == "rewrite":
        used = [each for each in told if each.status in ("resolved", "likely")]
        what = "assumed" if any(each.status == "likely" for each in used) else "corrected"
        if truth in {each.path for each in used}:
            return f"{what} right"
        return f"{what} wrong" if truth else f"{what} where nothing was meant"
    shown = [one.path.rstrip("/") for each in told for one in each.candidates[:_NAMED]]
    what = "nothing was meant" if not truth else "named" if truth in shown else "not named"
    return f"{decision.action}, {what}"


def _line(raw: Raw, decision: Decision) -> str:
    call = json.dumps(raw.get("call") or raw.get("written"), ensure_ascii=False)
    told = f"\n        {decision.text}" if decision.text else ""
    truth = f" -> {raw.get('truth')}" if "written" in raw else ""
    return f"{raw.get('id', '')} {raw['tool']} {call[:400]}{truth}{told}"


def _print(found: Mapping[str, list[str]], verbose: bool) -> None:
    for name, lines in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"{len(lines):9} {name}")
        if verbose:
            print("".join(f"      {line}\n" for line in lines), end="")


if __name__ == "__main__":
    main()
