"""OpenAI Agents SDK: a read of a file that was renamed. `pip install
'.[openai-agents]'`.
"""

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ScriptedModel, assistant_message, function_call
from project import make_project

import truepath
from truepath.adapters.openai_agents import guarded


@function_tool
def read_file(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read()


guard = truepath.Guard(make_project())
model = ScriptedModel(
    [
        [function_call("read_file", {"path": "specs/status.md"}, call_id="1")],
        [assistant_message("done")],
    ]
)
agent = Agent("reader", model=model, tools=[guarded(read_file, guard)])

run = Runner.run_sync(
    agent, "How are we doing?", run_config=RunConfig(tracing_disabled=True)
)
print(next(item["output"] for item in run.to_input_list() if "output" in item))
