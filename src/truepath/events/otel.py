"""Events as OpenTelemetry log records, metrics and span attributes (`truepath[otel]`).

It exports nothing itself: the providers of the program do. Names follow the GenAI conventions
where those have one. Paths are content, and stay out unless asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from truepath.errors import ConfigError
from truepath.events.event import Event

try:
    from opentelemetry import metrics, trace
    from opentelemetry._logs import LogRecord, SeverityNumber, get_logger
except ImportError as missing:
    raise ConfigError(
        "OpenTelemetry needs the package opentelemetry-api; install truepath[otel]"
    ) from missing

if TYPE_CHECKING:
    from opentelemetry._logs import LoggerProvider
    from opentelemetry.metrics import MeterProvider

_INTERCEPTIONS = {
    "path.corrected": "corrected",
    "path.assumed": "assumed",
    "path.refused": "refused",
    "path.absent": "absent",
    "path.advised": "advised",
    "path.observed": "observed",
}
_SECOND = 1e-6
"""Events count microseconds, the conventions seconds."""

_PLAIN = re.compile(r"[a-z0-9-]+")
"""Names of evidence; anything else may quote a path."""

Attributes = dict[str, "str | int | float | bool | list[str]"]


class OpenTelemetrySink:
    """Emit each event as a log record under its name, count it, and mark the tool's span.

    The span tells of the interception of its call and whether that carried a strategy shift; what
    else an event says of the session stays in the log record. Metrics are
    `truepath.interceptions` by outcome, strategy, operation and tool,
    `truepath.interception.duration` in seconds, and `truepath.strategy_shifts`. The current span
    gets attributes only when it is an `execute_tool` span: elsewhere a hook's current span is the
    whole agent's, or none.
    """

    def __init__(
        self,
        *,
        paths: bool = False,
        logger_provider: LoggerProvider | None = None,
        meter_provider: MeterProvider | None = None,
    ) -> None:
        """Use the given providers, else the global ones; `paths` sends paths too."""
        self._paths = paths
        self._logger = get_logger("truepath", logger_provider=logger_provider)
        meter = metrics.get_meter("truepath", meter_provider=meter_provider)
        self._count = meter.create_counter(
            "truepath.interceptions", "{path}", "Paths that were not there."
        )
        self._duration = meter.create_histogram(
            "truepath.interception.duration", "s", "Time added to a call whose path was not there."
        )
        self._shifts = meter.create_counter(
            "truepath.strategy_shifts", "{shift}", "Times an agent was told to look first."
        )

    def __call__(self, event: Event) -> None:
        """Emit one event."""
        attributes = _attributes(event, paths=self._paths)
        self._logger.emit(
            LogRecord(
                timestamp=int(event.time * 1e9),
                event_name=f"truepath.{event.event}",
                severity_number=_severity(event),
                attributes=attributes,
            )
        )
        self._measure(event)
        _mark_span(event, attributes)

    def _measure(self, event: Event) -> None:
        if event.event == "strategy.shift":
            self._shifts.add(1, {"gen_ai.tool.name": event.tool})
        outcome = _INTERCEPTIONS.get(event.event)
        if outcome is None:
            return
        labels = {
            "truepath.outcome": outcome,
            "truepath.strategy": next(filter(_PLAIN.fullmatch, event.evidence), "none"),
            "truepath.operation": event.operation,
            "gen_ai.tool.name": event.tool,
        }
        self._count.add(1, labels)
        if event.elapsed_us is not None:
            self._duration.record(event.elapsed_us * _SECOND, labels)


def _severity(event: Event) -> SeverityNumber:
    return SeverityNumber.WARN if event.event.endswith(".failed") else SeverityNumber.INFO


def _attributes(event: Event, *, paths: bool) -> Attributes:
    named: dict[str, str | int | float | bool | None] = {
        "gen_ai.tool.name": event.tool,
        "gen_ai.tool.call.id": event.call_id,
        "gen_ai.conversation.id": event.session,
        "gen_ai.agent.id": event.agent,
        "error.type": event.error.partition(" ")[0],
        "truepath.event.id": event.id,
        "truepath.host": event.host,
        "truepath.operation": event.operation,
        "truepath.status": event.status,
        "truepath.policy": event.policy,
        "truepath.confidence": event.confidence,
        "truepath.rival": event.rival,
        "truepath.streak": event.streak,
        "truepath.level": event.level,
        "truepath.names": event.names,
        "truepath.elapsed": None if event.elapsed_us is None else event.elapsed_us * _SECOND,
        **_shape(event),
        **(_paths(event) if paths else {}),
    }
    known: Attributes = {
        name: value for name, value in named.items() if value is not None and value != ""
    }
    evidence = [name for name in event.evidence if paths or _PLAIN.fullmatch(name)]
    return {**known, "truepath.evidence": evidence} if evidence else known


def _shape(event: Event) -> dict[str, str | int]:
    """Return the attributes recorded instead of the path: its extension and its depth."""
    path = event.target or event.requested
    if not path:
        return {}
    extension = path.rpartition("/")[2].rpartition(".")[2]
    known = {"truepath.path.depth": path.strip("/").count("/")}
    # Long "extensions" are pieces of names, and names are content.
    plain = extension.isalnum() and len(extension) <= 8 and "." in path.rpartition("/")[2][1:]
    return {**known, "file.extension": extension} if plain else dict(known)


def _paths(event: Event) -> dict[str, str]:
    return {
        "truepath.project": event.project,
        "truepath.path.requested": event.requested,
        "truepath.path.replacement": event.replacement,
        "file.path": event.resolved,
    }


def _mark_span(event: Event, attributes: Attributes) -> None:
    span = trace.get_current_span()
    held = getattr(span, "attributes", None)  # only the SDK's spans can be read
    if not held or held.get("gen_ai.operation.name") != "execute_tool" or not span.is_recording():
        return
    if event.event == "strategy.shift":
        span.set_attribute("truepath.strategy_shift", True)
    elif event.event in _INTERCEPTIONS:
        span.set_attribute("truepath.event", event.event)
        for name, value in attributes.items():
            if not name.startswith("gen_ai."):
                span.set_attribute(name, value)
