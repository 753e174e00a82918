"""ADK's own runner with a model that is scripted."""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner, Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import FunctionTool
from google.genai import types

from truepath import Guard
from truepath.adapters.google_adk import PathPlugin
from truepath.testing import AdapterSuite, Desk


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


class TestPlugin(AdapterSuite):
    async def play(self, guard, tools, turns):
        agent = LlmAgent(name="test", model=Scripted(model="m", turns=[*turns]), tools=[*tools])
        plugins = [PathPlugin(guard)] if guard else []
        runner = InMemoryRunner(agent=agent, app_name="test", plugins=plugins)
        session = await runner.session_service.create_session(app_name="test", user_id="u")
        told = []
        content = types.Content(role="user", parts=[types.Part(text="go")])
        async for event in runner.run_async(
            user_id="u", session_id=session.id, new_message=content
        ):
            responses = [each.response for each in event.get_function_responses()]
            told += ["\n".join(map(str, each.values())) for each in responses]
        await runner.close()
        return told


def test_a_wrapped_function_keeps_its_schema(tmp_path):
    guard = Guard(tmp_path)
    for each in Desk().tools[:4]:
        wrapped, plain = FunctionTool(guard.wrap(each)), FunctionTool(each)
        assert wrapped._get_declaration() == plain._get_declaration()


def test_the_next_worker_reads_the_session_that_the_service_keeps(make_repo, monkeypatch):
    root = make_repo({"docs/status.md": "", "src/app.py": ""})
    monkeypatch.chdir(root)

    def read_file(path: str) -> str:
        """Read a file."""
        return (root / path).read_text()

    async def play(sessions, session, path):
        """Let a new runner with a guard of its own make one call."""
        call = types.Part.from_function_call(name="read_file", args={"path": path})
        agent = LlmAgent(name="test", model=Parts(model="m", parts=[call]), tools=[read_file])
        app = App(
            name="test",
            root_agent=agent,
            plugins=[PathPlugin(Guard(root, on_event=lambda _: None))],
        )
        runner = Runner(app=app, session_service=sessions)
        content = types.Content(role="user", parts=[types.Part(text="go")])
        told = [
            str(each.response)
            async for event in runner.run_async(
                user_id="u", session_id=session.id, new_message=content
            )
            for each in event.get_function_responses()
        ]
        await runner.close()
        return told

    async def both():
        sessions = InMemorySessionService()
        session = await sessions.create_session(app_name="test", user_id="u")
        first = await play(sessions, session, "src/nowhere/one.py")
        second = await play(sessions, session, "src/nowhere/two.py")
        kept = await sessions.get_session(app_name="test", user_id="u", session_id=session.id)
        return first, second, kept.state

    [first], [second], state = asyncio.run(both())
    assert "PATH_NOT_FOUND" in first
    assert "STRATEGY_SHIFT" not in first
    assert "STRATEGY_SHIFT" in second
    assert [name for name in state if name.startswith("truepath")]


class Parts(BaseLlm):
    parts: list = []  # noqa: RUF012  a field of pydantic

    async def generate_content_async(self, llm_request, stream=False):
        part = self.parts.pop(0) if self.parts else types.Part(text="done")
        yield LlmResponse(content=types.Content(role="model", parts=[part]))
