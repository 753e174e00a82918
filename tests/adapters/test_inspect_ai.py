"""Inspect's own evaluation with its own mock model."""

from __future__ import annotations

import functools

from adapters.suite import AdapterSuite, Desk
from inspect_ai import Task, eval_async
from inspect_ai.approval import ApprovalPolicy
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageTool, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import ToolCall, ToolDef

from truepath import Guard
from truepath.adapters.inspect_ai import guarded, path_approver


def model(turns):
    ids = iter(range(1000))
    outputs = []
    for turn in turns:
        output = ModelOutput.for_tool_call("mockllm/model", "none", {})
        output.choices[0].message.tool_calls = [
            ToolCall(
                id=f"call{next(ids)}",
                function=call.tool,
                arguments=dict(call.arguments),
            )
            for call in turn
        ]
        outputs.append(output)
    outputs.append(ModelOutput.from_content("mockllm/model", "done"))
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


def later(tool):
    @functools.wraps(tool)
    async def execute(*args, **kwargs):
        return tool(*args, **kwargs)

    return ToolDef(execute).as_tool()


async def received(turns, tools, folder, **how):
    task = Task([Sample("go")], solver=[use_tools(tools), generate()], **how)
    [log] = await eval_async(task, model=model(turns), log_dir=str(folder))
    if log.error:
        raise RuntimeError(log.error.message)
    messages = log.samples[0].messages
    return [
        "\n".join([each.text, each.error.message if each.error else ""]).strip()
        for each in messages
        if isinstance(each, ChatMessageTool)
    ]


class TestTools(AdapterSuite):
    async def play(self, guard, tools, turns):
        tools = [later(each) for each in tools]
        tools = guarded(tools, guard) if guard else tools
        return await received(turns, tools, self.tmp_path / "logs")


class TestApprover(AdapterSuite):
    sees_no_result = "an approver is asked before the tool runs"
    cannot_correct = "the model does not read of what an approver modifies"

    async def play(self, guard, tools, turns):
        tools = [later(each) for each in tools]
        approval = [ApprovalPolicy(path_approver(guard), "*")] if guard else None
        return await received(turns, tools, self.tmp_path / "logs", approval=approval)


def test_a_guarded_tool_keeps_its_schema(tmp_path):
    plain = [later(each) for each in Desk().tools]
    for each, wrapped in zip(plain, guarded(plain, Guard(tmp_path)), strict=True):
        assert ToolDef(wrapped).parameters == ToolDef(each).parameters
        assert ToolDef(wrapped).name == ToolDef(each).name
