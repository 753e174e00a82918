"""mini-swe-agent's own agent, scripted model, and local environment."""

from __future__ import annotations

import shlex

import pytest
from adapters.suite import AdapterSuite
from minisweagent.agents.default import DefaultAgent
from minisweagent.environments.local import LocalEnvironment
from minisweagent.models.test_models import DeterministicModel, make_output

from truepath import Guard
from truepath.adapters.mini_swe_agent import GuardedEnvironment

END = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"

COMMANDS = {
    "read_file": "cat {path}",
    "write_file": "printf %s {content} > {path}",
    "delete_file": "rm {path}",
    "edit_file": "sed -i s/{old}/{new} {path}",
    "open_ticket": "echo {title}",
}
"""How each tool of the suite is called in a shell; `sed` fails, for its script is cut.
"""

TOOLS = {command.split()[0]: tool for tool, command in COMMANDS.items()}


class Watched(LocalEnvironment):
    """Notes which commands reach it, as the calls that they are."""

    def __init__(self, runs, **how):
        super().__init__(**how)
        self.runs = runs

    def execute(self, action, *rest, **how):
        words = shlex.split(action["command"])
        if action["command"] != END:
            self.runs.append((TOOLS[words[0]], words[-1]))
        return super().execute(action, *rest, **how)


def watched(suite, guard, **how):
    """Return the environment, guarded if there is a guard, whose commands the suite
    sees.
    """
    environment = Watched(suite.desk.runs)
    return GuardedEnvironment(environment, guard, **how) if guard else environment


def written(call):
    """Return a call as a command, and a command as it is."""
    if isinstance(call, str):
        return call
    quoted = {name: shlex.quote(text) for name, text in call.arguments.items()}
    return COMMANDS[call.tool].format(**quoted)


def received(environment, turns):
    """Return what the model received for each command; a turn is a list of calls or of
    commands.
    """
    outputs = [
        make_output("", [{"command": written(each)} for each in turn])
        for turn in (*turns, [END])
    ]
    agent = DefaultAgent(
        DeterministicModel(outputs=outputs),
        environment,
        system_template="system",
        instance_template="task",
        step_limit=9,
        cost_limit=9,
    )
    agent.run("go")
    messages = [
        str(each["content"]) for each in agent.messages if each["role"] == "user"
    ]
    return messages[1:]


class TestCommands(AdapterSuite):
    sees_no_result = "a command has a status"

    def play(self, guard, tools, turns):
        return received(watched(self, guard), turns)


class TestApprovedCommands(AdapterSuite):
    cannot_correct = "what a person approved is what runs"
    sees_no_result = "a command has a status"

    def play(self, guard, tools, turns):
        return received(watched(self, guard, approved=True), turns)


@pytest.mark.parametrize(
    "command",
    [
        "ls -1 docs",
        "echo new > docs/new.md && cat docs/new.md",
        "false",
        "test -f specs/plan.md || echo none",
    ],
)
def test_a_command_whose_paths_are_right_is_left_alone(make_repo, move, command):
    repo = make_repo({"specs/plan.md": "step one\n"})
    move(repo, "specs/plan.md", "docs/plan.md")
    environment = LocalEnvironment(cwd=str(repo))
    guarded = GuardedEnvironment(environment, Guard(repo, on_event=lambda _: None))
    assert received(guarded, [[command]]) == received(environment, [[command]])


def test_the_commands_of_an_agent_that_asks_for_no_variables_are_a_turn_each(make_repo):
    repo = make_repo({"docs/plan.md": "step one\n"})
    guard = Guard(repo, on_event=lambda _: None)
    environment = GuardedEnvironment(LocalEnvironment(cwd=str(repo)), guard)
    commands = [{"command": f"cat {folder}/spans.py"} for folder in ("a", "b")]
    first, second = [environment.execute(each)["output"] for each in commands]
    assert "STRATEGY_SHIFT" not in first
    assert "STRATEGY_SHIFT" in second


def test_each_agent_of_a_guard_has_misses_of_its_own(make_repo):
    repo = make_repo({"docs/plan.md": "step one\n"})
    guard, local = Guard(repo, on_event=lambda _: None), LocalEnvironment(cwd=str(repo))
    told = [
        GuardedEnvironment(local, guard).execute({"command": f"cat {folder}/spans.py"})[
            "output"
        ]
        for folder in ("a", "b", "c", "d")  # one may have the address of the one before
    ]
    assert all("PATH_NOT_FOUND" in each for each in told)
    assert not any("STRATEGY_SHIFT" in each for each in told)
