"""LangChain's own agent with its own fake model."""

from pathlib import Path
from typing import Annotated

from adapters.suite import AdapterSuite, Call, Desk
from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import InjectedToolCallId, tool
from langgraph.types import Command

from truepath import Guard
from truepath.adapters.langchain import PathMiddleware


class Scripted(FakeMessagesListChatModel):
    def bind_tools(self, tools, **how):
        return self


def model(turns):
    ids = iter(range(1000))
    asked = [
        AIMessage(
            "",
            tool_calls=[
                {
                    "name": call.tool,
                    "args": dict(call.arguments),
                    "id": f"call{next(ids)}",
                }
                for call in turn
            ],
        )
        for turn in turns
    ]
    return Scripted(responses=[*asked, AIMessage("done")])


def agent(guard, tools, turns):
    middleware = [PathMiddleware(guard)] if guard else []
    return create_agent(
        model(turns), [tool(each) for each in tools], middleware=middleware
    )


ASKED = {"messages": [("user", "go")]}


def received(result):
    return [
        str(each.content)
        for each in result["messages"]
        if isinstance(each, ToolMessage)
    ]


class TestSync(AdapterSuite):
    def play(self, guard, tools, turns):
        return received(agent(guard, tools, turns).invoke(ASKED))


class TestAsync(AdapterSuite):
    async def play(self, guard, tools, turns):
        return received(await agent(guard, tools, turns).ainvoke(ASKED))


def test_a_wrapped_function_keeps_its_schema(tmp_path):
    guard = Guard(tmp_path)
    for each in Desk().tools[:4]:
        assert (
            tool(guard.wrap(each)).get_input_jsonschema()
            == tool(each).get_input_jsonschema()
        )
        assert tool(guard.wrap(each)).description == tool(each).description


def test_a_note_is_in_the_message_of_a_command_too(make_repo, move, monkeypatch):
    repo = make_repo({"specs/plan.md": "step one"})
    move(repo, "specs/plan.md", "docs/plan.md")
    monkeypatch.chdir(repo)

    @tool
    def read_file(
        path: str, tool_call_id: Annotated[str, InjectedToolCallId]
    ) -> Command:
        """Read a file."""
        return Command(
            update={
                "messages": [
                    ToolMessage(Path(path).read_text(), tool_call_id=tool_call_id)
                ]
            }
        )

    turns = [[Call("read_file", {"path": "specs/plan.md"})]]
    middleware = [PathMiddleware(Guard(repo))]
    [told] = received(
        create_agent(model(turns), [read_file], middleware=middleware).invoke(ASKED)
    )
    assert told.startswith("OK: ")
    assert told.endswith("\nstep one")
