"""Claude Agent SDK: a read of a file that was renamed. `pip install
'.[claude-agent-sdk]'`.

The SDK brings no scripted model: this needs a key, and asks a real one.
"""

import asyncio

from claude_agent_sdk import ClaudeAgentOptions, query
from project import make_project

import truepath
from truepath.adapters.claude_agent_sdk import hooks


async def ask(prompt: str, options: ClaudeAgentOptions) -> None:
    """Print what the model receives and says."""
    async for message in query(prompt=prompt, options=options):
        print(message)


root = make_project()
guard = truepath.Guard(root)
options = ClaudeAgentOptions(cwd=root, hooks=hooks(guard), allowed_tools=["Read"])
asyncio.run(ask("How are we doing? Read specs/status.md.", options))
