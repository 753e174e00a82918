"""Strands: a read of a file that was renamed. `pip install '.[strands]'`."""

from project import make_project
from strands import Agent, tool
from strands.models import Model

import truepath
from truepath.adapters.strands import PathHooks


class FakeModel(Model):
    """A model that reads `specs/status.md`, which is `docs/status.md` by now."""

    update_config = get_config = structured_output = dict

    async def stream(
        self, messages: list[object], *rest: object, **how: object
    ) -> object:
        """Read, then stop."""
        reads = len(messages) == 1
        use = {"toolUse": {"name": "read_file", "toolUseId": "1"}} if reads else {}
        written = (
            {"toolUse": {"input": '{"path": "specs/status.md"}'}}
            if reads
            else {"text": "ok"}
        )
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": use}}
        yield {"contentBlockDelta": {"delta": written}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "tool_use" if reads else "end_turn"}}


@tool
def read_file(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read()


hooks = [PathHooks(truepath.Guard(make_project()))]
agent = Agent(model=FakeModel(), tools=[read_file], hooks=hooks, callback_handler=None)
agent("How are we doing?")
print(agent.messages[2]["content"][0]["toolResult"])
