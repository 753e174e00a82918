"""The tables in `calls/`: one line a row."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def rows(table: str) -> list[dict[str, Any]]:
    """Return the rows of `calls/<table>.jsonl`, or of another table below `tests`."""
    path = Path(__file__).parent / "calls" / f"{table}.jsonl"
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
