"""mini-swe-agent's own agent, model that is given its answers, and local environment."""

from __future__ import annotations

import pytest
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel, make_output

from truepath import Guard
from truepath.adapters.mini_swe_agent import GuardedEnvironment

END = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


@pytest.fixture
def repo(make_repo, move):
    repo = make_repo({"specs/plan.md": "step one\n", "a/totals.py": "", "b/totals.py": ""})
    move(repo, "specs/plan.md", "docs/plan.md")
    return repo


def received(repo, *commands, guard=True):
    """Return what the model received for commands, one a turn."""
    environment = LocalEnvironment(cwd=str(repo))
    if guard:
        environment = GuardedEnvironment(environment, Guard(repo, on_event=lambda _: None))
    outputs = [make_output("", [{"command": command}]) for command in (*commands, END)]
    agent = DefaultAgent(
        DeterministicModel(outputs=outputs),
        environment,
        system_template="system",
        instance_template="task",
        step_limit=9,
        cost_limit=9,
    )
    agent.run("go")
    messages = [str(each["content"]) for each in agent.messages if each["role"] == "user"]
    return messages[1 : len(commands) + 1]


HELPED = [
    ("cat specs/plan.md", ("PATH_CORRECTED", "step one")),
    ("cat totals.py", ("PATH_NOT_FOUND", "a/totals.py", "b/totals.py")),
    ("cat nowhere/spans.py", ("PATH_NOT_FOUND",)),
    ("rm specs/plan.md", ("docs/plan.md",)),
]

LEFT_ALONE = [
    "cat docs/plan.md",
    "ls -1 docs",
    "echo new > docs/new.md && cat docs/new.md",
    "false",
    "echo specs/plan.md",
    "test -f specs/plan.md || echo none",
]


@pytest.mark.parametrize(("command", "parts"), HELPED)
def test_a_wrong_path_in_a_command_is_helped(repo, command, parts):
    [text] = received(repo, command)
    assert [part for part in parts if part not in text] == []
    assert (repo / "docs/plan.md").exists()


@pytest.mark.parametrize("command", LEFT_ALONE)
def test_a_command_whose_paths_are_right_is_left_alone(repo, command):
    plain = received(repo, command, guard=False)
    assert received(repo, command) == plain


def test_a_second_miss_brings_the_shift(repo):
    first, second = received(repo, "cat one/spans.py", "cat two/spans.py")
    assert "STRATEGY_SHIFT" not in first
    assert "STRATEGY_SHIFT" in second
