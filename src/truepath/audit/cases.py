"""Misses as cases for `truepath eval`: the path, the project's names at that moment, the truth."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
from collections.abc import Iterable, Iterator

from truepath.audit.known import Known, known_at_start
from truepath.audit.misses import named
from truepath.audit.record import Finding, Record
from truepath.audit.sources import Source
from truepath.audit.transcript import read

TREES = "trees"
"""The folder for the projects' names, beside the file of cases: where `truepath eval` looks."""


def export(records: Iterable[Record], path: str, *, repo: str = "") -> int:
    """Write a JSON line for each miss into `path`, and the names into `TREES` beside it.

    What nothing shows the right path of is labelled `unknown`, and `eval` leaves it out.

    Args:
        records: What was audited.
        path: The file of cases.
        repo: As the records were made with.

    Returns:
        How many cases were written.

    Raises:
        OSError: the files cannot be written, or a transcript is gone.
    """
    trees = os.path.join(os.path.dirname(path), TREES)
    os.makedirs(trees, exist_ok=True)
    count = 0
    with open(path, "w", encoding="utf-8") as file:
        for record in records:
            if any(finding.kind == "miss" for finding in record.findings):
                for case in _cases(record, trees, repo):
                    file.write(json.dumps(case) + "\n")
                    count += 1
    return count


def _cases(record: Record, trees: str, repo: str) -> Iterator[dict[str, object]]:
    """Yield a record's cases; the transcript is read again, for what was known at each of them."""
    transcript = read(Source(record.source, record.part))
    paths = [named(step, transcript.about.cwd) for step in transcript.steps]
    known = known_at_start(transcript, paths, repo)
    start = frozenset(known.names)
    tree = _put(start, trees) if start else ""
    misses: dict[int, list[Finding]] = {}
    for finding in record.findings:
        if finding.kind == "miss":
            misses.setdefault(finding.at, []).append(finding)
    for at, (step, found) in enumerate(zip(transcript.steps, paths, strict=True)):
        cwd = known.inside(step.cwd or transcript.about.cwd)
        for miss in misses.get(at, ()):
            yield {**_case(record, miss, known), "cwd": cwd, "tree": tree, **_seen(known, start)}
        known.learn(step, found, transcript.about.cwd)


def _case(record: Record, miss: Finding, known: Known) -> dict[str, object]:
    outside = os.path.isabs(miss.truth)  # then nothing in the project is meant
    truth = None if outside else miss.truth or None
    absent = outside or miss.followed == "made"
    label = "recovered" if truth else "absent" if absent else "unknown"
    return {
        "id": f"{record.session or os.path.basename(record.source)}#{miss.at}",
        "source": record.format,
        "repo": os.path.basename(known.root),
        "root": known.root,
        "tool": miss.tool,
        "operation": miss.operation,
        "written": miss.written,
        "truth": truth,
        "kind": miss.cause,
        "label": label,
        "tree_kind": "yes" if known.tree == "git" else "partial",
    }


def _seen(known: Known, start: frozenset[str]) -> dict[str, list[str]]:
    return {"add": sorted(known.names - start)}


def _put(names: frozenset[str], trees: str) -> str:
    """Write a tree, once, under a name that its content gives it."""
    text = "".join(f"{name}\n" for name in sorted(names)).encode("utf-8", "surrogateescape")
    name = f"{hashlib.blake2b(text, digest_size=8).hexdigest()}.txt.gz"
    path = os.path.join(trees, name)
    if not os.path.exists(path):
        with gzip.open(path, "wb") as file:
            file.write(text)
    return name
