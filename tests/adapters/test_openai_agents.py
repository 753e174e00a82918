"""OpenAI Agents' own runner with its own scripted model."""

from __future__ import annotations

import asyncio

import pytest
from adapters.suite import AdapterSuite, Desk
from agents import (
    Agent,
    ApplyPatchOperation,
    ApplyPatchResult,
    RunConfig,
    Runner,
    ShellCommandRequest,
    ToolOutputImage,
    ToolOutputText,
    function_tool,
)
from agents.testing import ScriptedModel, assistant_message, function_call
from agents.tool import ShellActionRequest, ShellCallData
from agents.tool_context import ToolContext

from truepath import Guard
from truepath.adapters.openai_agents import GuardedEditor, guarded, guarded_shell


def model(turns):
    ids = iter(range(1000))
    asked = [
        [
            function_call(call.tool, call.arguments, call_id=f"call{next(ids)}")
            for call in turn
        ]
        for turn in turns
    ]
    return ScriptedModel([*asked, [assistant_message("done")]])


class TestFunctionTools(AdapterSuite):
    async def play(self, guard, tools, turns):
        tools = [function_tool(each) for each in tools]
        if guard:
            tools = [guarded(each, guard) for each in tools]
        agent = Agent("test", model=model(turns), tools=tools)
        run = await Runner.run(agent, "go", run_config=RunConfig(tracing_disabled=True))
        items = run.to_input_list()
        return [
            str(each["output"])
            for each in items
            if each.get("type") == "function_call_output"
        ]


@pytest.fixture
def guard(make_repo, move, monkeypatch):
    repo = make_repo({"specs/plan.md": "step one", "src/app/session_store.py": "store"})
    move(repo, "specs/plan.md", "docs/plan.md")
    monkeypatch.chdir(repo)
    return Guard(repo)


class Editor:
    def __init__(self):
        self.done = []

    def update_file(self, operation):
        self.done.append((operation.type, operation.path))
        return ApplyPatchResult(status="completed", output="patched")

    create_file = delete_file = update_file


DIFF = "@@\n-step one\n+step two"


def patched(guard, kind, path, **how):
    editor = Editor()
    door = GuardedEditor(editor, guard, **how)
    result = asyncio.run(
        getattr(door, kind)(ApplyPatchOperation(type=kind, path=path, diff=DIFF))
    )
    return editor.done, result.status, result.output


def test_the_path_of_a_patch_is_checked(guard):
    done, status, output = patched(guard, "update_file", "specs/plan.md")
    assert (done, status) == ([("update_file", "docs/plan.md")], "completed")
    assert output.startswith("OK: ")
    assert output.endswith("\npatched")
    assert patched(guard, "update_file", "docs/plan.md") == (
        [("update_file", "docs/plan.md")], "completed", "patched",
    )  # fmt: skip
    assert patched(guard, "create_file", "docs/new.md")[0] == [
        ("create_file", "docs/new.md")
    ]
    done, status, output = patched(guard, "delete_file", "specs/plan.md")
    assert (done, status) == ([], "failed")
    assert "docs/plan.md" in output
    done, status, output = patched(guard, "update_file", "specs/plan.md", approved=True)
    assert (done, status) == ([], "failed")


def test_the_paths_of_commands_are_checked_and_never_changed(guard):
    ran = []

    def executor(request):
        ran.append([*request.data.action.commands])
        return "output"

    def run(*commands):
        data = ShellCallData(
            call_id="1", action=ShellActionRequest(commands=[*commands])
        )
        shell = guarded_shell(executor, guard)
        return asyncio.run(shell(ShellCommandRequest(ctx_wrapper=None, data=data)))

    assert run("cat docs/plan.md", "ls") == "output"
    assert ran == [["cat docs/plan.md", "ls"]]
    assert "docs/plan.md" in run("cat specs/plan.md")
    assert len(ran) == 1


def test_a_tool_that_a_person_approves_is_not_corrected(guard):
    ask = guarded(function_tool(Desk().tools[0], needs_approval=True), guard)
    plain = guarded(function_tool(Desk().tools[0]), guard)

    async def told(tool):
        written = '{"path": "specs/plan.md"}'
        context = ToolContext(
            None, tool_name="read_file", tool_call_id="1", tool_arguments=written
        )
        return await tool.on_invoke_tool(context, written)

    assert asyncio.run(told(ask)).startswith("PATH_NOT_FOUND")
    assert asyncio.run(told(plain)).endswith("step one")


def test_a_wrapped_function_keeps_its_schema(tmp_path):
    guard = Guard(tmp_path)
    for each in Desk().tools[:4]:
        wrapped, plain = function_tool(guard.wrap(each)), function_tool(each)
        assert wrapped.params_json_schema == plain.params_json_schema
        assert (wrapped.name, wrapped.description) == (plain.name, plain.description)


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        ([ToolOutputText(text="a"), ToolOutputImage(image_url="data:")], 3),
        (ToolOutputImage(image_url="data:"), 2),
        ({"type": "image", "image_url": "data:"}, 2),
        ({"size": 3}, 0),
        (3, 0),
    ],
)
def test_a_structured_output_stays_one(guard, result, parts):
    def read_file(path: str):
        return result

    tool = guarded(function_tool(read_file), guard)
    written = '{"path": "specs/plan.md"}'
    context = ToolContext(
        None, tool_name="read_file", tool_call_id="1", tool_arguments=written
    )
    told = asyncio.run(tool.on_invoke_tool(context, written))

    note = told[0].text if parts else told
    assert note.startswith("OK: ")
    assert len(told) == parts if parts else told.endswith(f"\n{result}")
