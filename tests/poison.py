"""A transcript that ends whatever process audits it, for the tests of dying workers."""

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
