"""Events on OpenTelemetry spans; paths are content, and stay out. Needs
opentelemetry-sdk.
"""

from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import ConsoleSpanExporter, SimpleSpanProcessor
from project import make_project

import truepath

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(ConsoleSpanExporter()))


def on_event(event: truepath.Event) -> None:
    """Put an event on the span of the tool call that it belongs to."""
    attributes: dict[str, str | float] = {
        "gen_ai.tool.name": event.tool,
        "truepath.operation": event.operation,
        "truepath.status": event.status,
        "truepath.reason": event.reason,
        "truepath.confidence": event.confidence or 0.0,
    }
    trace.get_current_span().add_event(f"truepath.{event.event}", attributes)


guard = truepath.Guard(make_project(), on_event=on_event)


@guard.wrap
def read_file(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read()


with provider.get_tracer("agent").start_as_current_span("execute_tool read_file"):
    print(read_file("specs/status.md"))
