"""ADK's own runner with a model that is scripted."""

from __future__ import annotations

import asyncio

from adapters.suite import AdapterSuite, Call, Desk
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import FunctionTool
from google.genai import types

from truepath import Guard, open_store
from truepath.adapters.google_adk import PathPlugin


class Scripted(BaseLlm):
    turns: list = []  # noqa: RUF012  a field of pydantic

    async def generate_content_async(self, llm_request, stream=False):
        turn = self.turns.pop(0) if self.turns else ()
        parts = [
            types.Part.from_function_call(name=call.tool, args=dict(call.arguments))
            for call in turn
        ]
        content = types.Content(role="model", parts=parts or [types.Part(text="done")])
        yield LlmResponse(content=content)


async def played(guard, tools, turns, sessions, session):
    """Let a new runner with its own guard make the calls; return each response."""
    agent = LlmAgent(
        name="test", model=Scripted(model="m", turns=[*turns]), tools=[*tools]
    )
    plugins = [PathPlugin(guard)] if guard else []
    app = App(name="test", root_agent=agent, plugins=plugins)
    runner = Runner(app=app, session_service=sessions)
    content = types.Content(role="user", parts=[types.Part(text="go")])
    told = [
        "\n".join(map(str, each.response.values()))
        async for event in runner.run_async(
            user_id="u", session_id=session.id, new_message=content
        )
        for each in event.get_function_responses()
    ]
    await runner.close()
    return told


class TestPlugin(AdapterSuite):
    async def play(self, guard, tools, turns):
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name="test", user_id="u")
        return await played(guard, tools, turns, sessions, session)


def test_a_wrapped_function_keeps_its_schema(tmp_path):
    guard = Guard(tmp_path)
    for each in Desk().tools[:4]:
        wrapped, plain = FunctionTool(guard.wrap(each)), FunctionTool(each)
        assert wrapped._get_declaration() == plain._get_declaration()


def test_workers_with_one_store_count_the_misses_of_a_session_together(
    make_repo, monkeypatch
):
    root, store = (
        make_repo({"docs/status.md": "", "src/app.py": ""}),
        open_store("memory:"),
    )
    monkeypatch.chdir(root)

    async def both():
        sessions = InMemorySessionService()
        one, other = [
            await sessions.create_session(app_name="test", user_id="u")
            for _ in range(2)
        ]
        told = []
        for session, name in ((one, "one"), (one, "two"), (other, "three")):
            guard = Guard(root, store=store)
            turn = [Call("read_file", {"path": f"src/nowhere/{name}.py"})]
            told += await played(guard, Desk().tools, [turn], sessions, session)
        return told

    assert ["STRATEGY_SHIFT" in text for text in asyncio.run(both())] == [
        False,
        True,
        False,
    ]
