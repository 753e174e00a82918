"""Google ADK: a read of a file that was renamed. `pip install '.[google-adk]'`."""

import asyncio
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types
from project import make_project

import truepath
from truepath.adapters.google_adk import PathPlugin


class FakeModel(BaseLlm):
    """A model that reads `specs/status.md`, which is `docs/status.md` by now."""

    async def generate_content_async(
        self, llm_request: Any, stream: bool = False
    ) -> Any:
        """Read, then stop."""
        call = types.Part.from_function_call(
            name="read_file", args={"path": "specs/status.md"}
        )
        first = len(llm_request.contents) == 1
        parts = [call if first else types.Part(text="done")]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def read_file(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read()


agent = LlmAgent(name="reader", model=FakeModel(model="fake"), tools=[read_file])
app = App(
    name="app", root_agent=agent, plugins=[PathPlugin(truepath.Guard(make_project()))]
)
events = asyncio.run(InMemoryRunner(app=app).run_debug("How are we doing?", quiet=True))
print(
    next(
        answer.response for event in events for answer in event.get_function_responses()
    )
)
