"""What a benchmark printed, and the figures for its plot: a file in `results/`."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

FOLDER = Path(__file__).with_name("results")


def save(name: str, text: str, figures: Mapping[str, float]) -> None:
    """Keep what a benchmark printed, sentences first, and with an empty line between
    two parts.
    """
    record = {
        "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "date": time.strftime("%Y-%m-%d"),
        "commit": commit(),
        "machine": machine(),
        "text": text.splitlines(),
        "figures": figures,
    }
    FOLDER.mkdir(exist_ok=True)
    written = json.dumps(record, indent=1, ensure_ascii=False)
    (FOLDER / f"{name}.json").write_text(written + "\n", encoding="utf-8")


def commit() -> str:
    """Return the commit, with `-dirty` if what is measured or measures has changes."""
    top = ["git", "-C", str(FOLDER.parents[1])]
    named = subprocess.run(
        [*top, "rev-parse", "--short", "HEAD"],
        capture_output=True,
        text=True,
        check=False,
    )
    code = ["src", "benchmarks", ":!benchmarks/results"]
    diff = subprocess.run([*top, "diff", "--quiet", "HEAD", "--", *code], check=False)
    return named.stdout.strip() + ("-dirty" if diff.returncode else "")


def saved(name: str) -> Mapping[str, Any]:
    """Return what was kept of a benchmark: the record that `save` makes."""
    return cast(
        "Mapping[str, Any]", json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    )


def machine() -> str:
    """Name the machine and the versions."""
    told = [
        (
            f"{platform.system()}, {os.cpu_count()} cores; Python "
            f"{platform.python_version()}"
        )
    ]
    for name in filter(shutil.which, ("git", "cargo", "jq", "rg", "fzf", "node")):
        said = subprocess.run(
            [name, "--version"], capture_output=True, text=True, check=False
        )
        told += [
            f"{name} {each}" for each in re.findall(r"\d+(?:\.\d+)+", said.stdout)[:1]
        ]
    return "; ".join(told)
