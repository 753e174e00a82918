"""smolagents' own agents with a scripted model."""

from __future__ import annotations

from smolagents import CodeAgent, LogLevel, Model, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
)

from truepath import Guard
from truepath.adapters.smolagents import guarded
from truepath.testing import AdapterSuite, Desk


class Scripted(Model):
    def __init__(self, messages):
        super().__init__(model_id="scripted")
        self.messages = iter(messages)

    def generate(self, messages, **how):
        return next(self.messages)


def calls(turn):
    return ChatMessage(
        MessageRole.ASSISTANT,
        content="",
        tool_calls=[
            ChatMessageToolCall(
                function=ChatMessageToolCallFunction(
                    name=call.tool, arguments=dict(call.arguments)
                ),
                id=f"call{at}",
                type="function",
            )
            for at, call in enumerate(turn)
        ],
    )


class Done:
    tool, arguments = "final_answer", {"answer": "done"}


class TestToolCalls(AdapterSuite):
    def play(self, guard, tools, turns):
        told = []
        model = Scripted([calls(turn) for turn in (*turns, [Done])])
        agent = ToolCallingAgent(
            tools=[tool(each) for each in tools], model=model, verbosity_level=LogLevel.OFF
        )
        if guard:
            guarded(agent, guard)
        agent.run("go")
        steps = [step for step in agent.memory.steps if getattr(step, "tool_calls", None)][:-1]
        for step, turn in zip(steps, turns, strict=True):
            said = str(step.error.dict() if step.error else step.observations or "")
            told += [said] * len(turn)
        return told


def coded(guard, repo, code):
    """Return what the model reads of a step of code, and the result of the run."""
    answer = [
        ChatMessage(MessageRole.ASSISTANT, content=f"Thought: go\n<code>\n{text}\n</code>")
        for text in (code, 'final_answer("done")')
    ]
    agent = CodeAgent(
        tools=[tool(each) for each in Desk().tools],
        model=Scripted(answer),
        verbosity_level=LogLevel.OFF,
    )
    guarded(agent, guard)
    agent.run("go")
    step = next(step for step in agent.memory.steps if getattr(step, "code_action", None))
    return f"{step.observations or ''}\n{step.error or ''}"


def test_code_gets_the_result_untouched_and_the_model_the_note(make_repo, move, monkeypatch):
    repo = make_repo({"specs/plan.md": "12"})
    move(repo, "specs/plan.md", "docs/plan.md")
    monkeypatch.chdir(repo)

    told = coded(Guard(repo), repo, 'print("sum", int(read_file("specs/plan.md")) + 1)')
    assert told.startswith("PATH_CORRECTED")
    assert "sum 13" in told
    assert "PATH_NOT_FOUND" in coded(Guard(repo), repo, 'read_file("nowhere/spans.py")')
    assert "PATH_" not in coded(Guard(repo), repo, 'print(read_file("docs/plan.md"))')


def test_a_wrapped_function_keeps_its_schema(tmp_path):
    guard = Guard(tmp_path)
    for each in Desk().tools[:4]:
        wrapped, plain = tool(guard.wrap(each)), tool(each)
        assert (wrapped.inputs, wrapped.output_type) == (plain.inputs, plain.output_type)
