"""deepagents' own file tools, whose paths begin at the project's root."""

from __future__ import annotations

import pytest
from deepagents import FilesystemPermission, create_deep_agent
from deepagents.backends import CompositeBackend, FilesystemBackend
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolMessage

from truepath import Guard
from truepath.adapters.deepagents import PathMiddleware

FILES = {"docs/status.md": "all is well", "a/totals.py": "", "b/totals.py": "", "web/app.ts": ""}


class Scripted(FakeMessagesListChatModel):
    def bind_tools(self, tools, **how):
        return self


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
        ("read_file", {"file_path": "/specs/plan.md"}, ("PATH_CORRECTED", "step one")),
        ("read_file", {"file_path": "/doc/status.md"}, ("PATH_CORRECTED", "all is well")),
        ("read_file", {"file_path": "/totals.py"}, ("PATH_NOT_FOUND", "a/totals.py")),
        ("read_file", {"file_path": "/nowhere/spans.py"}, ("PATH_NOT_FOUND",)),
        ("ls", {"path": "/doc"}, ("PATH_", "docs")),
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


def test_a_correction_goes_through_the_permissions_of_the_agent(repo):
    rules = [FilesystemPermission(operations=["read"], paths=["/docs/**"], mode="deny")]
    [text] = received(repo, ("read_file", {"file_path": "/specs/plan.md"}), permissions=rules)
    assert "step one" not in text


def test_a_sub_agent_has_the_middleware_of_its_own_specification(repo):
    guard = Guard(repo, on_event=lambda _: None)
    calls = [{"name": "read_file", "args": {"file_path": "/specs/plan.md"}, "id": "inner"}]
    seen = []

    class Inner(Scripted):
        def _generate(self, messages, *rest, **how):
            seen.extend(each.text for each in messages if isinstance(each, ToolMessage))
            return super()._generate(messages, *rest, **how)

    helper = {
        "name": "general-purpose",
        "description": "helps",
        "system_prompt": "help",
        "model": Inner(responses=[AIMessage("", tool_calls=calls), AIMessage("read")]),
        "middleware": [PathMiddleware(guard)],
    }
    task = {"description": "read the plan", "subagent_type": "general-purpose"}
    received(repo, ("task", task), guard=guard, subagents=[helper])
    assert "PATH_CORRECTED" in seen[0]
    assert "step one" in seen[0]


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
        middleware=[PathMiddleware(Guard(repo, on_event=lambda _: None), backend=backend)],
    )
    messages = agent.invoke({"messages": [("user", "go")]})["messages"]
    kept, corrected = [each.text for each in messages if isinstance(each, ToolMessage)]
    assert "remembered" in kept
    assert "PATH_" not in kept
    assert corrected.startswith("PATH_CORRECTED")
