"""Sources in, rows out, in batches of Arrow: what Ray Data and Spark send to their workers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from truepath.audit import local
from truepath.audit.record import COLUMNS
from truepath.audit.sources import Source


def pieces(sources: Sequence[Source]) -> int:
    """Return into how many pieces sources are parted: each is the task of one worker."""
    return max(1, len(sources) // local.CHUNK)


def packed(source: Source) -> tuple[bytes, bytes]:
    """Return a source as two columns: a name need not be text."""
    return os.fsencode(source.path), os.fsencode(source.part)


@dataclass(frozen=True, slots=True)
class Batches:
    """Audits batches in a process beside the worker's own, which a bad transcript may end."""

    audit: local.Audit

    def __call__(self, batches: Iterable[Any]) -> Iterator[Any]:
        """Yield the rows of each batch of packed sources."""
        return map(self.of_one, batches)

    def of_one(self, batch: Any) -> Any:
        """Return the rows of a batch, which has the type of the batch."""
        import pyarrow as pa

        schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in COLUMNS.items()])
        paths, parts = (column.to_pylist() for column in batch.columns)
        sources = [
            Source(os.fsdecode(path), os.fsdecode(part))
            for path, part in zip(paths, parts, strict=True)
        ]
        records = local.run(sources, self.audit, workers=1)
        rows = [row for record in records for row in record.rows()]
        return type(batch).from_pylist(rows, schema)
