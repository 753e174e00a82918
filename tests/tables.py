"""The tables of wrong paths in `corpus/`: what must be corrected, and what must be left alone.

One line a case. `tree` is a project of `corpus/trees.json` or a list of files; `with` and
`without` change it. Left out, `root` is `ROOT`, and the agent stands in it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from truepath import Resolution, Workspace

CORPUS = Path(__file__).parent / "corpus"
ROOT = "/home/marian/src/acme-api"

Case = Mapping[str, Any]


def rows(table: str) -> list[Case]:
    """Return the cases of `corpus/<table>.jsonl`."""
    lines = (CORPUS / f"{table}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def case_id(case: Case) -> str:
    return case["id"]


def cases(table: str) -> list[Any]:
    """Return the cases of `corpus/<table>.jsonl` as pytest parameters."""
    return [pytest.param(case, id=case_id(case)) for case in rows(table)]


def relative_cases(table: str) -> list[Case]:
    """Return those whose meaning is the same on every system: plain relative paths."""
    return [case for case in rows(table) if _is_plain(case)]


def _is_plain(case: Case) -> bool:
    written = case["written"]
    posix_only = written[:1] in ("/", "~", "") or {"\\", ":", "\0"} & set(written)
    return not posix_only and "flavour" not in case and "root" not in case


def files(case: Case) -> list[str]:
    """Return the names of a case's project."""
    named = case["tree"] if isinstance(case["tree"], list) else trees()[case["tree"]]
    return sorted({*named, *case.get("with", ())} - {*case.get("without", ())})


@cache
def trees() -> Mapping[str, list[str]]:
    """Return the projects that cases share."""
    return json.loads((CORPUS / "trees.json").read_text("utf-8"))


def workspace(case: Case, **changed: Any) -> Workspace:
    """Return a case's project as names alone."""
    settings = {
        "root": case.get("root", ROOT),
        "flavour": case.get("flavour", "posix"),
        "cut_short": case.get("cut_short", False),
        "deny": case.get("deny", ()),
    }
    return Workspace.from_names(files(case), **{**settings, **changed})


def resolve(case: Case, *, written: str | None = None, **changed: Any) -> Resolution:
    """Return what is true of a case's written path."""
    return workspace(case, **changed).resolve(
        case["written"] if written is None else written,
        case["operation"],
        cwd=case.get("cwd"),
        kind=case.get("kind"),
    )


def told(case: Case, resolution: Resolution) -> str:
    """Say what came out, for a failing test."""
    best = [
        f"  {each.confidence:.3f} {each.path} {each.ground}: {each.reason}"
        for each in resolution.candidates[:3]
    ]
    said = f"{case['written']!r}: {resolution.status} {resolution.path} ({case['why']})"
    return "\n".join([said, *best])
