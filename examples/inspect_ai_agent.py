"""Inspect: a read of a file that was renamed. `pip install '.[inspect-ai]'`."""

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import Tool, tool
from project import make_project

import truepath
from truepath.adapters.inspect_ai import guarded


@tool
def read_file() -> Tool:
    """Make the tool."""

    async def execute(path: str) -> str:
        """Read a file.

        Args:
            path: The file.
        """
        with open(path) as file:
            return file.read()

    return execute


guard = truepath.Guard(make_project())
call = ModelOutput.for_tool_call(
    "mockllm/model", "read_file", {"path": "specs/status.md"}
)
outputs = [call, ModelOutput.from_content("mockllm/model", "done")]
for output in outputs:
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)

solver = [use_tools(guarded([read_file()], guard)), generate()]
task = Task([Sample("How are we doing?")], solver=solver)
[log] = eval(
    task, model=get_model("mockllm/model", custom_outputs=outputs), display="none"
)
print(log.samples[0].messages[2].text)
