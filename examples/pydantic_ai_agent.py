"""Pydantic AI: a read of a file that was renamed. `pip install '.[pydantic-ai]'`."""

from project import make_project
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

import truepath
from truepath.adapters.pydantic_ai import PathCapability


def fake_model(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
    """Read `specs/status.md`, which is `docs/status.md` by now; then stop."""
    if len(messages) == 1:
        return ModelResponse([ToolCallPart("read_file", {"path": "specs/status.md"})])
    return ModelResponse([TextPart("done")])


def read_file(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read()


guard = truepath.Guard(make_project())
agent = Agent(
    FunctionModel(fake_model), tools=[read_file], capabilities=[PathCapability(guard)]
)

run = agent.run_sync("How are we doing?")
for part in run.all_messages()[2].parts:
    print(part.content)
