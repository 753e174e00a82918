"""smolagents: code that reads a renamed file. `pip install '.[smolagents]'`."""

from project import make_project
from smolagents import CodeAgent, LogLevel, Model, tool
from smolagents.models import ChatMessage, MessageRole

import truepath
from truepath.adapters.smolagents import guarded


class FakeModel(Model):
    """A model that reads `specs/status.md`, which is `docs/status.md` by now."""

    code = iter(('print(read_file("specs/status.md"))', 'final_answer("done")'))

    def generate(self, messages: list[ChatMessage], **how: object) -> ChatMessage:
        """Write the next piece of code."""
        return ChatMessage(
            MessageRole.ASSISTANT, content=f"<code>\n{next(self.code)}\n</code>"
        )


@tool
def read_file(path: str) -> str:
    """Read a file.

    Args:
        path: The file.
    """
    with open(path) as file:
        return file.read()


agent = CodeAgent(tools=[read_file], model=FakeModel(), verbosity_level=LogLevel.OFF)
guarded(agent, truepath.Guard(make_project())).run("How are we doing?")
print(agent.memory.steps[1].observations)
