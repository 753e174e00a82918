from __future__ import annotations

from dataclasses import replace

import pytest

from truepath import Guard, ToolCall
from truepath.events.event import Event

pytest.importorskip(
    "opentelemetry.sdk", reason="no such package here: pip install opentelemetry-sdk"
)

from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter, SimpleLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider

from truepath.events.otel import OpenTelemetrySink

EVENT = Event(
    event="path.corrected",
    time=1e9,
    host="adk",
    project="/home/me/secret-project",
    session="s1",
    tool="Read",
    call_id="c1",
    operation="read",
    requested="src/hidden/login.py",
    target="src/hidden/login.py",
    resolved="src/auth/login.py",
    replacement="/home/me/secret-project/src/auth/login.py",
    status="resolved",
    confidence=0.97,
    evidence=("same-name", "renamed to src/auth/login.py"),
    candidates=("src/auth/login.py",),
    elapsed_us=412,
)


class Telemetry:
    """A program's own providers, kept in memory."""

    def __init__(self, *, paths: bool = False) -> None:
        self.logs = InMemoryLogRecordExporter()
        self.loggers = LoggerProvider()
        self.loggers.add_log_record_processor(SimpleLogRecordProcessor(self.logs))
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader])
        self.tracer = TracerProvider().get_tracer("program")
        self.sink = OpenTelemetrySink(
            paths=paths, logger_provider=self.loggers, meter_provider=self.meters
        )

    def record(self):
        return self.logs.get_finished_logs()[-1].log_record

    def points(self):
        data = self.reader.get_metrics_data()
        metrics = data.resource_metrics[0].scope_metrics[0].metrics
        return {metric.name: list(metric.data.data_points) for metric in metrics}


def test_an_event_is_a_log_record_under_its_name():
    telemetry = Telemetry()
    telemetry.sink(EVENT)
    record = telemetry.record()
    assert record.event_name == "truepath.path.corrected"
    assert record.timestamp == 10**18
    assert record.attributes["gen_ai.tool.name"] == "Read"
    assert record.attributes["gen_ai.conversation.id"] == "s1"
    assert record.attributes["truepath.confidence"] == 0.97


def test_paths_stay_out_but_for_extension_and_depth():
    telemetry = Telemetry()
    telemetry.sink(EVENT)
    attributes = telemetry.record().attributes
    assert attributes["file.extension"] == "py"
    assert attributes["truepath.path.depth"] == 2
    assert list(attributes["truepath.evidence"]) == ["same-name"]
    told = repr(dict(attributes)) + repr(telemetry.points())
    for part in ("hidden", "login", "auth", "secret-project"):
        assert part not in told


@pytest.mark.parametrize("target", ["a/.env", "x.my long secret name", "Makefile", "x.aaaaaaaaa"])
def test_what_is_no_plain_extension_is_not_told(target):
    telemetry = Telemetry()
    telemetry.sink(replace(EVENT, target=target))
    assert "file.extension" not in telemetry.record().attributes


def test_paths_are_sent_when_asked_for():
    telemetry = Telemetry(paths=True)
    telemetry.sink(EVENT)
    attributes = telemetry.record().attributes
    assert attributes["file.path"] == "src/auth/login.py"
    assert attributes["truepath.path.requested"] == "src/hidden/login.py"


def test_interceptions_are_counted_and_timed():
    telemetry = Telemetry()
    telemetry.sink(EVENT)
    telemetry.sink(EVENT)
    telemetry.sink(replace(EVENT, event="path.used"))
    telemetry.sink(replace(EVENT, event="strategy.shift"))
    points = telemetry.points()
    (count,) = points["truepath.interceptions"]
    assert count.value == 2
    assert dict(count.attributes) == {
        "truepath.outcome": "corrected",
        "truepath.strategy": "same-name",
        "truepath.operation": "read",
        "gen_ai.tool.name": "Read",
    }
    (duration,) = points["truepath.interception.duration"]
    assert duration.sum == pytest.approx(2 * 412e-6)
    assert points["truepath.strategy_shifts"][0].value == 1


def test_a_tool_span_is_marked():
    telemetry = Telemetry()
    attributes = {"gen_ai.operation.name": "execute_tool"}
    with telemetry.tracer.start_as_current_span("execute_tool Read", attributes=attributes) as span:
        telemetry.sink(EVENT)
    assert span.attributes["truepath.event"] == "path.corrected"
    assert span.attributes["truepath.confidence"] == 0.97
    record = telemetry.record()
    assert record.span_id == span.get_span_context().span_id


def test_a_tool_span_keeps_what_was_done_to_its_call(make_repo):
    telemetry = Telemetry()
    guard = Guard(make_repo({"docs/status.md": ""}), on_event=telemetry.sink)
    spans = []
    for turn, path in enumerate(("x/ledger.py", "x/ledger.py", "docs/status.md:3")):
        attributes = {"gen_ai.operation.name": "execute_tool"}
        with telemetry.tracer.start_as_current_span("tool", attributes=attributes) as span:
            guard.before(ToolCall("Read", {"file_path": path}, session="s", turn=str(turn)))
        spans.append(span.attributes)
    told = [(each["truepath.event"], each.get("truepath.strategy_shift")) for each in spans]
    assert told == [("path.absent", None), ("path.absent", True), ("path.corrected", None)]
    assert telemetry.record().event_name == "truepath.streak.ended"
    assert "ledger" not in repr([dict(each) for each in spans])


@pytest.mark.parametrize("operation", ["invoke_agent", "chat", ""])
def test_any_other_span_is_left_alone(operation):
    telemetry = Telemetry()
    attributes = {"gen_ai.operation.name": operation}
    with telemetry.tracer.start_as_current_span("agent", attributes=attributes) as span:
        telemetry.sink(EVENT)
        telemetry.sink(replace(EVENT, event="strategy.shift"))
    assert dict(span.attributes) == attributes


def test_without_a_program_that_exports_nothing_happens():
    OpenTelemetrySink()(EVENT)


def test_failures_are_warnings_without_messages():
    telemetry = Telemetry()
    telemetry.sink(replace(EVENT, event="guard.failed", error="KeyError at session.py:12"))
    record = telemetry.record()
    assert record.severity_number.name == "WARN"
    assert record.attributes["error.type"] == "KeyError"
