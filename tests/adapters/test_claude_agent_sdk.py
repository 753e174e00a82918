"""The real program that the SDK brings, against a scripted model on this machine."""

from __future__ import annotations

import asyncio

import pytest
from claude_agent_sdk import ClaudeAgentOptions, query
from clients import claude, model
from clients.script import call, calls

from truepath import Guard
from truepath.adapters.claude_agent_sdk import hooks

pytestmark = pytest.mark.heavy


@pytest.fixture
def repo(make_repo, move):
    repo = make_repo({"specs/plan.md": "step one\n", "a/totals.py": "", "b/totals.py": ""})
    move(repo, "specs/plan.md", "docs/plan.md")
    return repo


@pytest.fixture
def received(repo, tmp_path, monkeypatch):
    """Return `received(*turns)`: the texts that the model received for its calls."""

    def run(*turns, guard=None):
        async def go(url):
            environ = {name: text.format(model=url) for name, text in claude.QUIET.items()}
            environ |= {"HOME": str(tmp_path), "CLAUDE_CONFIG_DIR": str(tmp_path / "claude")}
            options = ClaudeAgentOptions(
                cwd=repo,
                env=environ,
                allowed_tools=claude.ALLOWED,
                hooks=hooks(guard or Guard(repo, on_event=lambda _: None)),
            )
            async for _ in query(prompt="go", options=options):
                pass

        with model.serving(turns) as (played, url):
            asyncio.run(go(url))
        return "\n".join(played.told)

    monkeypatch.setenv("IS_SANDBOX", "1")
    return run


def test_a_read_is_corrected_and_the_model_reads_of_it(received, repo):
    told = received(call("Read", file_path=str(repo / "specs/plan.md")))
    assert "PATH_CORRECTED" in told
    assert "step one" in told


def test_of_several_candidates_none_is_taken(received, repo):
    told = received(call("Read", file_path=str(repo / "totals.py")))
    assert "PATH_NOT_FOUND" in told
    assert "a/totals.py" in told


def test_an_edit_of_what_is_not_there_is_helped(received, repo):
    wrong = str(repo / "nowhere/plan.md")
    told = received(call("Edit", file_path=wrong, old_string="one", new_string="two"))
    assert "docs/plan.md" in told
    assert (repo / "docs/plan.md").read_text() == "step one\n"


def test_a_second_turn_that_misses_brings_the_shift(received, repo):
    def misses(*names):
        return calls(*(call("Read", file_path=str(repo / name / "spans.py")) for name in names))

    assert "STRATEGY_SHIFT" not in received(misses("one", "two", "three"))
    assert "STRATEGY_SHIFT" in received(misses("one", "two"), misses("four"))


def test_what_exists_is_left_alone(received, repo):
    told = received(
        call("Read", file_path=str(repo / "docs/plan.md")), call("Bash", command="ls docs")
    )
    assert "step one" in told
    assert "PATH_" not in told


def test_a_fault_of_truepath_changes_nothing(received, repo):
    class Broken(Guard):
        def before(self, call, **how):
            raise RuntimeError

        def after(self, call, outcome):
            raise RuntimeError

    broken = Broken(repo, on_event=lambda _: None)
    told = received(call("Read", file_path=str(repo / "docs/plan.md")), guard=broken)
    assert "step one" in told
