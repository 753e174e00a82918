"""ADK's own runner with a model that is scripted."""

from __future__ import annotations

from google.adk.agents import LlmAgent
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
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
