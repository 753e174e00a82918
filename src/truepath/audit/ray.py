"""Audit many transcripts on Ray: the cluster that `RAY_ADDRESS` names, or this machine.

Every worker must have truepath, and reach the transcripts by the same paths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from truepath.audit.local import CHUNK, Audit, all_of, failed
from truepath.audit.record import Record
from truepath.audit.sources import Source
from truepath.errors import ConfigError


def run(sources: Sequence[Source], audit: Audit) -> Iterator[Record]:
    """Yield the record of each source, in the order in which they are done.

    Raises:
        ConfigError: Ray is not installed.
    """
    try:
        import ray
        from ray.exceptions import RayError
    except ImportError:
        raise ConfigError("this engine needs Ray: pip install 'truepath[ray]'") from None
    ray.init(ignore_reinit_error=True, include_dashboard=False, log_to_driver=False)
    ask = ray.remote(max_retries=0)(all_of)
    chunks = [sources[at : at + CHUNK] for at in range(0, len(sources), CHUNK)]
    waiting: dict[Any, Sequence[Source]] = {ask.remote(audit, chunk): chunk for chunk in chunks}
    while waiting:
        (done,), _ = ray.wait([*waiting], num_returns=1)
        chunk = waiting.pop(done)
        try:
            yield from ray.get(done)
        except RayError as error:
            if len(chunk) == 1:
                yield failed(chunk[0], type(error.__cause__ or error).__name__)
            waiting.update(
                {ask.remote(audit, [source]): [source] for source in chunk[1:] and chunk}
            )
