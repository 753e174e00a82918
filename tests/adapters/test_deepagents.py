"""deepagents' own file tools, whose paths begin at the project's root."""

from __future__ import annotations

import functools

import pytest
from adapters.suite import AdapterSuite
from deepagents import FilesystemPermission, create_deep_agent
from deepagents.backends import CompositeBackend, FilesystemBackend, LocalShellBackend
from langchain.agents import create_agent
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage
from langchain_core.tools import StructuredTool

from truepath import Guard, Workspace
from truepath.adapters import langchain
from truepath.adapters.deepagents import PathMiddleware

FILES = {
    "docs/status.md": "all is well",
    "a/totals.py": "",
    "b/totals.py": "",
    "web/app.ts": "",
}


class Scripted(FakeMessagesListChatModel):
    def bind_tools(self, tools, **how):
        return self


def virtual(tool):
    """Return a tool whose paths begin at the project's root, as in deepagents."""

    @functools.wraps(tool)
    def run(**arguments):
        return tool(**{name: value.lstrip("/") for name, value in arguments.items()})

    return run


def played(guard, tools, turns):
    """Return an agent with the suite's tools, named like deepagents' own."""
    asked = [
        AIMessage(
            "",
            tool_calls=[
                {
                    "name": call.tool,
                    "args": {**call.arguments},
                    "id": f"call{turn}-{at}",
                }
                for at, call in enumerate(calls)
            ],
        )
        for turn, calls in enumerate(turns)
    ]
    return create_agent(
        Scripted(responses=[*asked, AIMessage("done")]),
        [StructuredTool.from_function(virtual(tool)) for tool in tools],
        middleware=[PathMiddleware(guard)] if guard else [],
    )


def answers(result):
    return [each.text for each in result["messages"] if isinstance(each, ToolMessage)]


class TestSync(AdapterSuite):
    # Paths are those of the agent's backend, wherever the process is.
    test_a_tool_opens_what_was_meant_in_a_process_elsewhere = None

    def play(self, guard, tools, turns):
        return answers(
            played(guard, tools, turns).invoke({"messages": [("user", "go")]})
        )


class TestAsync(AdapterSuite):
    test_a_tool_opens_what_was_meant_in_a_process_elsewhere = None

    async def play(self, guard, tools, turns):
        result = await played(guard, tools, turns).ainvoke(
            {"messages": [("user", "go")]}
        )
        return answers(result)


@pytest.fixture
def repo(make_repo, move):
    repo = make_repo({**FILES, "specs/plan.md": "step one"})
    move(repo, "specs/plan.md", "docs/plan.md")
    return repo


def received(repo, *calls, guard=None, **how):
    """Return what the model received for calls of (tool, arguments), one a turn."""
    asked = [
        AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"call{at}"}])
        for at, (name, args) in enumerate(calls)
    ]
    guard = guard or Guard(repo, on_event=lambda _: None)
    agent = create_deep_agent(
        Scripted(responses=[*asked, AIMessage("done")]),
        backend=FilesystemBackend(root_dir=repo, virtual_mode=True),
        middleware=[PathMiddleware(guard)],
        **how,
    )
    messages = agent.invoke({"messages": [("user", "go")]})["messages"]
    return [each.text for each in messages if isinstance(each, ToolMessage)]


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_file", {"file_path": "/specs/plan.md"}, (" in place of ", "step one")),
        (
            "read_file",
            {"file_path": "/doc/status.md"},
            (" in place of ", "all is well"),
        ),
        ("read_file", {"file_path": "/totals.py"}, ("PATH_NOT_FOUND", "a/totals.py")),
        ("read_file", {"file_path": "/nowhere/spans.py"}, ("PATH_NOT_FOUND",)),
        ("ls", {"path": "/doc"}, ("OK: ", "docs")),
    ],
)
def test_a_virtual_path_that_is_wrong_is_helped(repo, tool, arguments, said):
    [text] = received(repo, (tool, arguments))
    assert [part for part in said if part not in text] == []


@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        ("read_file", {"file_path": "/docs/plan.md"}, "step one"),
        ("ls", {"path": "/"}, "/docs"),
        ("ls", {"path": "/docs"}, "/docs/plan.md"),
        ("write_file", {"file_path": "/docs/new.md", "content": "new"}, "/docs/new.md"),
        ("glob", {"pattern": "**/*.ts", "path": "/"}, "/web/app.ts"),
    ],
)
def test_a_virtual_path_that_is_right_is_left_alone(repo, tool, arguments, said):
    [text] = received(repo, (tool, arguments))
    assert said in text
    assert "PATH_" not in text
    assert "OK: " not in text


def test_a_correction_goes_through_the_permissions_of_the_agent(repo):
    rules = [FilesystemPermission(operations=["read"], paths=["/docs/**"], mode="deny")]
    [text] = received(
        repo, ("read_file", {"file_path": "/specs/plan.md"}), permissions=rules
    )
    assert "step one" not in text


def test_a_sub_agent_has_the_middleware_of_its_own_specification(repo):
    backend = FilesystemBackend(root_dir=repo, virtual_mode=True)
    own = [PathMiddleware(Guard(repo, on_event=lambda _: None))]
    call = ("read_file", {"file_path": "/specs/plan.md"})
    [text] = received_by_a_sub_agent(backend, call, own=own)
    assert text.startswith("OK: ")
    assert "step one" in text


def test_what_a_person_approves_is_what_runs(repo):
    from langgraph.checkpoint.memory import InMemorySaver
    from langgraph.types import Command

    call = {"name": "read_file", "args": {"file_path": "/specs/plan.md"}, "id": "call"}
    guard = Guard(repo, on_event=lambda _: None)
    agent = create_deep_agent(
        Scripted(responses=[AIMessage("", tool_calls=[call]), AIMessage("done")]),
        backend=FilesystemBackend(root_dir=repo, virtual_mode=True),
        middleware=[PathMiddleware(guard, approved={"read_file"})],
        interrupt_on={"read_file": True},
        checkpointer=InMemorySaver(),
    )
    run = {"configurable": {"thread_id": "1"}}
    agent.invoke({"messages": [("user", "go")]}, run)
    answer = agent.invoke(Command(resume={"decisions": [{"type": "approve"}]}), run)
    [text] = [each.text for each in answer["messages"] if isinstance(each, ToolMessage)]
    assert text.startswith("PATH_NOT_FOUND")
    assert "docs/plan.md" in text
    assert "step one" not in text


def test_what_the_backend_keeps_elsewhere_is_left_to_it(repo, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "plan.md").write_text("remembered")
    disk = FilesystemBackend(root_dir=repo, virtual_mode=True)
    kept = FilesystemBackend(root_dir=elsewhere, virtual_mode=True)
    backend = CompositeBackend(default=disk, routes={"/memories/": kept})
    call = {"name": "read_file", "args": {"file_path": "/memories/plan.md"}, "id": "1"}
    wrong = {"name": "read_file", "args": {"file_path": "/specs/plan.md"}, "id": "2"}
    asked = [AIMessage("", tool_calls=[each]) for each in (call, wrong)]
    agent = create_deep_agent(
        Scripted(responses=[*asked, AIMessage("done")]),
        backend=backend,
        middleware=[
            PathMiddleware(Guard(repo, on_event=lambda _: None), backend=backend)
        ],
    )
    messages = agent.invoke({"messages": [("user", "go")]})["messages"]
    kept, corrected = [each.text for each in messages if isinstance(each, ToolMessage)]
    assert "remembered" in kept
    assert "PATH_" not in kept
    assert "OK: " not in kept
    assert corrected.startswith("OK: ")


class Inner(Scripted):
    """The model of a sub-agent; it keeps what it received."""

    seen: list[str] = []  # noqa: RUF012

    def _generate(self, messages, *rest, **how):
        self.seen.extend(
            each.text for each in messages if isinstance(each, ToolMessage)
        )
        return super()._generate(messages, *rest, **how)


def received_by_a_sub_agent(backend, *calls, own=()):
    """Return what a sub-agent received that has the backend, and no middleware but its
    `own`.
    """
    asked = [
        AIMessage("", tool_calls=[{"name": name, "args": args, "id": f"inner{at}"}])
        for at, (name, args) in enumerate(calls)
    ]
    inner = Inner(responses=[*asked, AIMessage("done")], seen=[])
    helper = {
        "name": "general-purpose",
        "description": "helps",
        "system_prompt": "Help.",  # which the oldest version needs
        "model": inner,
        "middleware": [*own],
    }
    task = {"description": "do it", "subagent_type": "general-purpose"}
    call = {"name": "task", "args": task, "id": "outer"}
    agent = create_deep_agent(
        Scripted(responses=[AIMessage("", tool_calls=[call]), AIMessage("done")]),
        backend=backend,
        subagents=[helper],
    )
    agent.invoke({"messages": [("user", "go")]})
    return list(dict.fromkeys(inner.seen))


def test_a_sandbox_of_deepagents_is_a_runner(repo):
    box = LocalShellBackend(root_dir=repo, virtual_mode=False, inherit_env=True)
    far = Workspace.remote(
        lambda command, seconds: box.execute(command, timeout=int(seconds) + 1).output,
        root=str(repo),
        timeout_s=30.0,
    )
    guard = Guard(workspace=far, on_event=lambda _: None)
    own = [langchain.PathMiddleware(guard)]
    assert far.resolve("docs/Plan.md").path == "docs/plan.md"
    call = ("read_file", {"file_path": f"{repo}/specs/plan.md"})
    [text] = received_by_a_sub_agent(box, call, own=own)
    assert text.startswith("PATH_NOT_FOUND")
    assert f"{repo}/docs/plan.md" in text
