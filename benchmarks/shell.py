"""Precision and recall of finding paths in agents' commands, and what a parse costs.

    python benchmarks/shell.py [--corpus FILE] [--json]

The corpus is tests/corpus/shell.jsonl; each line holds a command and the paths it names, or none.
Times are medians, in microseconds, in one process; the first command also pays for loading the
grammar, which is shown apart.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from truepath.calls.error_texts import missing_paths
from truepath.calls.shell import fast
from truepath.calls.shell.command_line import operands, rewrite

CORPUS = Path(__file__).parents[1] / "tests" / "corpus" / "shell.jsonl"
LINE = "cd /repo/core && sed -n '1,200p' src/index.ts | head -50\n"
SAY = 'echo "building $NAME for $TARGET" | tee -a /dev/null && test -n "$NAME"\n'
HEREDOC = "cat > notes.md <<'EOF'\n{}EOF\n"
LOOP = "for f in a b; do cat \"$f\" src/index.ts | grep -n 'x' > out.txt; done\n"
COMMANDS: dict[str, str] = {
    "20 B": "cat src/app/config.p",
    "20 B, an expansion": 'cat "$X" src/app/c.p',
    "2 kB, one line": "; ".join([LINE.strip()] * 34),
    "2 kB, loops": LINE * 17 + LOOP * 14,
    "2 kB, here-document": HEREDOC.format("a line of text, no more\n" * 82),
    "200 kB, lines": SAY * 2800 + LINE * 20,
    "200 kB, here-document": HEREDOC.format("a line of text, no more\n" * 8300),
}


def quality(cases: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Compare what is found with what each line says."""
    right = wrong = missed = 0
    mistakes = []
    for case in cases:
        expected = Counter(map(tuple, case["expected"]))
        found = Counter((each.written, each.operation) for each in operands(case["command"]))
        right += sum((expected & found).values())
        wrong += sum((found - expected).values())
        missed += sum((expected - found).values())
        if expected != found:
            mistakes.append({"command": case["command"], "found": sorted(found)})
    return {
        "commands": len(cases),
        "without_paths": sum(not case["expected"] for case in cases),
        "paths": right + missed,
        "found": right,
        "wrong": wrong,
        "missed": missed,
        "precision": right / (right + wrong),
        "recall": right / (right + missed),
        "quick": sum(fast.operands(case["command"]) is not None for case in cases),
        "mistakes": mistakes,
    }


def median_us(run: Callable[[], object], seconds: float = 0.5) -> float:
    """Return the median time of one run, in microseconds."""
    times: list[float] = []
    until = time.perf_counter() + seconds
    while time.perf_counter() < until or len(times) < 5:
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return statistics.median(times) * 1e6


def cold_ms(command: str, repeats: int = 7) -> float:
    """Return the median time of the first call in a fresh process, imports included, in ms."""
    program = (
        "import sys, time; started = time.perf_counter();"
        "from truepath.calls.shell.command_line import operands; operands(sys.argv[1]);"
        "print(time.perf_counter() - started)"
    )
    times = [
        float(subprocess.check_output([sys.executable, "-c", program, command]))
        for _ in range(repeats)
    ]
    return statistics.median(times) * 1e3


def costs() -> dict[str, Any]:
    """Measure finding, rewriting, reading an error, and the first call of a process."""
    found = {name: median_us(lambda text=text: operands(text)) for name, text in COMMANDS.items()}  # type: ignore[misc]
    command = COMMANDS["20 B"]
    (operand,) = operands(command)
    error = "Exit code 1\ncat: src/app/config.p: No such file or directory\n"
    return {
        "operands_us": {name: round(each, 1) for name, each in found.items()},
        "rewrite_us": round(median_us(lambda: rewrite(command, {operand: "src/app/config.py"})), 1),
        "missing_paths_us": round(median_us(lambda: missing_paths(error)), 1),
        "first_call_ms": round(cold_ms(command), 1),
    }


def main() -> None:
    """Print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    cases = [json.loads(line) for line in options.corpus.read_text().splitlines()]
    report = {"quality": quality(cases), "cost": costs()}
    if options.json:
        print(json.dumps(report, indent=2, ensure_ascii=False))
        return
    found, cost = report["quality"], report["cost"]
    print(f"{found['commands']} commands, {found['without_paths']} of them without a path")
    print(f"paths      {found['found']} of {found['paths']} found, {found['wrong']} wrong")
    print(f"precision  {found['precision']:.4f}   recall {found['recall']:.4f}")
    print(f"quick      {found['quick']} commands are plain enough for the hook's cheap look")
    for name, each in cost["operands_us"].items():
        print(f"operands   {name:24} {each:10.1f} us")
    print(f"rewrite    {'20 B':24} {cost['rewrite_us']:10.1f} us")
    print(f"failure    {'2 lines':24} {cost['missing_paths_us']:10.1f} us")
    print(f"first call {'20 B':24} {cost['first_call_ms']:10.1f} ms")


if __name__ == "__main__":
    main()
