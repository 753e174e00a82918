"""smolagents' own agents with a scripted model."""

from __future__ import annotations

from adapters.suite import AdapterSuite, Call, Desk
from smolagents import ActionStep, CodeAgent, LogLevel, Model, ToolCallingAgent, tool
from smolagents.models import (
    ChatMessage,
    ChatMessageToolCall,
    ChatMessageToolCallFunction,
    MessageRole,
)

from truepath import Guard
from truepath.adapters.smolagents import guarded


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


def code(turn):
    """Return code that makes the calls of a turn; several are each made, whatever one
    raises.
    """
    lines = [f"print({call.tool}(**{dict(call.arguments)!r}))" for call in turn]
    if len(lines) > 1:
        caught = "try:\n    {}\nexcept Exception as error:\n    print(error)"
        lines = [caught.format(line) for line in lines]
    body = "\n".join(lines)
    return ChatMessage(
        MessageRole.ASSISTANT, content=f"Thought: go\n<code>\n{body}\n</code>"
    )


def received(kind, asked, guard, tools, turns):
    """Return what the model received for each call: all of its step."""
    done = Call("final_answer", {"answer": "done"})
    model = Scripted([asked(turn) for turn in (*turns, [done])])
    tools = [tool(each) for each in tools]
    agent = kind(tools=tools, model=model, verbosity_level=LogLevel.OFF)
    if guard:
        guarded(agent, guard)
    agent.run("go")
    steps = [step for step in agent.memory.steps if isinstance(step, ActionStep)][:-1]
    told = []
    for step, turn in zip(steps, turns, strict=True):
        error = str(step.error.dict()) if step.error else ""
        told += [f"{step.observations or ''}\n{error}"] * len(turn)
    return told


class TestToolCalls(AdapterSuite):
    def play(self, guard, tools, turns):
        return received(ToolCallingAgent, calls, guard, tools, turns)


class TestCode(AdapterSuite):
    def play(self, guard, tools, turns):
        return received(CodeAgent, code, guard, tools, turns)


def test_code_computes_with_the_result_untouched(make_repo, move, monkeypatch):
    repo = make_repo({"specs/plan.md": "12"})
    move(repo, "specs/plan.md", "docs/plan.md")
    monkeypatch.chdir(repo)

    def asked(turn):
        body = turn[0].arguments.get("code") or "final_answer('done')"
        return ChatMessage(
            MessageRole.ASSISTANT, content=f"Thought: go\n<code>\n{body}\n</code>"
        )

    turns = [
        [Call("python", {"code": 'print("sum", int(read_file("specs/plan.md")) + 1)'})]
    ]
    [told] = received(CodeAgent, asked, Guard(repo), Desk().tools, turns)
    assert told.startswith("OK: ")
    assert "sum 13" in told


def test_a_wrapped_function_keeps_its_schema(tmp_path):
    guard = Guard(tmp_path)
    for each in Desk().tools[:4]:
        wrapped, plain = tool(guard.wrap(each)), tool(each)
        assert (wrapped.inputs, wrapped.output_type) == (
            plain.inputs,
            plain.output_type,
        )
