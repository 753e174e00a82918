"""A transcript that ends the process that audits it, or raises what is no Exception."""

from __future__ import annotations

import os

from truepath.audit.audit import audit_transcript
from truepath.audit.record import Rows
from truepath.audit.sources import Source


def audit_or_die(source: Source) -> Rows:
    """Return the record of a transcript; end the process for `poison.jsonl`."""
    if source.path.endswith("poison.jsonl"):
        os._exit(1)
    return audit_transcript(source)


def audit_or_raise(source: Source) -> Rows:
    """Return the record of a transcript; raise for `poison.jsonl`."""
    if source.path.endswith("poison.jsonl"):
        raise SystemExit(3)
    return audit_transcript(source)
