"""LangGraph: a graph with a `ToolNode` of its own. `pip install '.[langchain]'`."""

from langchain_core.messages import AIMessage
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from project import make_project

import truepath
from truepath.adapters.langchain import PathMiddleware


def fake_model(state: MessagesState) -> dict[str, list[AIMessage]]:
    """Read `specs/status.md`, which is `docs/status.md` by now."""
    call = {"name": "read_file", "args": {"path": "specs/status.md"}, "id": "1"}
    return {"messages": [AIMessage("", tool_calls=[call])]}


def read_file(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read()


paths = PathMiddleware(truepath.Guard(make_project()))
check = {
    "wrap_tool_call": paths.wrap_tool_call,
    "awrap_tool_call": paths.awrap_tool_call,
}
graph = StateGraph(MessagesState)
graph.add_sequence([("model", fake_model), ("tools", ToolNode([read_file], **check))])
graph.add_edge(START, "model")

answer = graph.compile().invoke({"messages": [("user", "How are we doing?")]})
print(answer["messages"][-1].content)
