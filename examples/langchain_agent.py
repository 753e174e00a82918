"""LangChain: a read of a file that was renamed. `pip install '.[langchain]'`."""

from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from project import make_project

import truepath
from truepath.adapters.langchain import PathMiddleware


class FakeModel(FakeMessagesListChatModel):
    """A model that reads `specs/status.md`, which is `docs/status.md` by now."""

    def bind_tools(self, tools: object, **how: object) -> "FakeModel":
        """Take any tools."""
        return self


def read_file(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read()


call = {"name": "read_file", "args": {"path": "specs/status.md"}, "id": "1"}
model = FakeModel(responses=[AIMessage("", tool_calls=[call]), AIMessage("done")])
guard = truepath.Guard(make_project())
agent = create_agent(model, [read_file], middleware=[PathMiddleware(guard)])

answer = agent.invoke({"messages": [("user", "How are we doing?")]})
print(answer["messages"][-2].content)
