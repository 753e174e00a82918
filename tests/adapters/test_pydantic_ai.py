"""Pydantic AI's own agent with its own function model."""

from __future__ import annotations

from adapters.suite import AdapterSuite, Call, Desk
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, Tool
from pydantic_ai.exceptions import ToolFailed
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel

from truepath import Guard
from truepath.adapters.pydantic_ai import PathCapability


def scripted(turns):
    """Return a model that makes these calls, one turn a request."""
    left = iter(turns)

    def answer(messages, info):
        turn = next(left, None)
        if turn is None:
            return ModelResponse([TextPart("done")])
        return ModelResponse(
            [ToolCallPart(call.tool, dict(call.arguments)) for call in turn]
        )

    return FunctionModel(answer)


def received(messages):
    """Return the text of each tool result, with what its request says beside it."""
    told = []
    for message in messages[1:]:
        if not isinstance(message, ModelRequest):
            continue
        beside = [
            str(part.content)
            for part in message.parts
            if isinstance(part, UserPromptPart)
        ]
        results = [part for part in message.parts if isinstance(part, ToolReturnPart)]
        results += [part for part in message.parts if isinstance(part, RetryPromptPart)]
        told += ["\n".join([str(part.content), *beside]) for part in results]
    return told


def agent(guard, tools, turns, **how):
    capabilities = [PathCapability(guard)] if guard else []
    return Agent(scripted(turns), tools=tools, capabilities=capabilities, **how)


class TestSync(AdapterSuite):
    def play(self, guard, tools, turns):
        return received(agent(guard, tools, turns).run_sync("go").all_messages())


class TestAsync(AdapterSuite):
    async def play(self, guard, tools, turns):
        return received((await agent(guard, tools, turns).run("go")).all_messages())


def test_a_miss_uses_no_retry(make_repo, monkeypatch):
    repo = make_repo({"docs/status.md": "all is well"})
    monkeypatch.chdir(repo)
    paths = ["nowhere/one.py", "nothing/two.py", "none/three.py", "docs/status.md"]
    turns = [[Call("read_file", {"path": path})] for path in paths]

    run = agent(Guard(repo), Desk().tools, turns, retries=0).run_sync("go")

    *missed, found = received(run.all_messages())
    assert all("PATH_NOT_FOUND" in told for told in missed)
    assert found == "all is well"


def test_what_a_person_approved_is_what_runs(make_repo, monkeypatch):
    repo = make_repo({"src/app/session_store.py": "store"})
    monkeypatch.chdir(repo)
    desk = Desk()
    ask = [Tool(desk.tools[0], requires_approval=True)]
    turns = [[Call("read_file", {"path": "app/session_store.py"})]]
    it = agent(Guard(repo), ask, turns, output_type=[str, DeferredToolRequests])

    asked = it.run_sync("go")
    [call] = asked.output.approvals
    run = it.run_sync(
        message_history=asked.all_messages(),
        deferred_tool_results=DeferredToolResults(approvals={call.tool_call_id: True}),
    )

    told = " ".join(received(run.all_messages()))
    assert desk.runs == []
    assert "PATH_NOT_FOUND" in told
    assert "src/app/session_store.py" in told


def test_a_tool_that_says_that_it_failed_is_explained(make_repo, monkeypatch):
    repo = make_repo({"src/app/session_store.py": "store"})
    monkeypatch.chdir(repo)

    def run_shell_command(command: str) -> str:
        """Run a command."""
        raise ToolFailed("cat: app/session_store.py: No such file or directory")

    turns = [[Call("run_shell_command", {"command": "frob app/session_store.py"})]]
    run = agent(Guard(repo), [run_shell_command], turns).run_sync("go")

    [told] = received(run.all_messages())
    assert told.startswith("cat: app/session_store.py")
    assert "src/app/session_store.py" in told


def test_a_wrapped_function_keeps_its_schema(tmp_path):
    guard = Guard(tmp_path)
    for each in Desk().tools[:4]:
        assert Tool(guard.wrap(each)).tool_def == Tool(each).tool_def
