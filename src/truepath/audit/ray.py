"""Audit many transcripts on Ray Data: the cluster that `RAY_ADDRESS` names, or this machine.

Every worker must have truepath, and reach the transcripts by the same paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truepath.audit.arrow import Batches, packed, pieces
from truepath.audit.local import Audit
from truepath.audit.record import Record, of_rows
from truepath.audit.sources import Source
from truepath.errors import ConfigError


def run(sources: Sequence[Source], audit: Audit) -> Iterator[Record]:
    """Yield the record of each source, in the order in which they are done.

    Raises:
        ConfigError: Ray is not installed.
    """
    try:
        import pyarrow as pa
        import ray
        import ray.data
    except ImportError:
        raise ConfigError("this engine needs Ray: pip install 'truepath[ray]'") from None
    ray.init(ignore_reinit_error=True, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    names = ("path", "part")
    columns = zip(*map(packed, sources), strict=True) if sources else ((), ())
    asked = pa.table({name: [*column] for name, column in zip(names, columns, strict=True)})
    found = (
        ray.data.from_arrow(asked)
        .repartition(pieces(sources))
        .map_batches(Batches(audit).of_one, batch_size=None, batch_format="pyarrow")
    )
    yield from of_rows(found.iter_rows())
