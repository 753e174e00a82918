"""deepagents: its own `read_file`, whose paths begin at the root. `pip install
'.[deepagents]'`.
"""

from deepagents import create_deep_agent
from deepagents.backends import FilesystemBackend
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage
from project import make_project

import truepath
from truepath.adapters.deepagents import PathMiddleware


class FakeModel(FakeMessagesListChatModel):
    """A model that reads `/specs/status.md`, which is `/docs/status.md` by now."""

    def bind_tools(self, tools: object, **how: object) -> "FakeModel":
        """Take any tools."""
        return self


root = make_project()
call = {"name": "read_file", "args": {"file_path": "/specs/status.md"}, "id": "1"}
agent = create_deep_agent(
    FakeModel(responses=[AIMessage("", tool_calls=[call]), AIMessage("done")]),
    backend=FilesystemBackend(root_dir=root, virtual_mode=True),
    middleware=[PathMiddleware(truepath.Guard(root))],
)

answer = agent.invoke({"messages": [("user", "How are we doing?")]})
print(answer["messages"][-2].content)
