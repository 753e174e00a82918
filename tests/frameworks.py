"""The agent frameworks that adapters are tested with, and which of them are installed here."""

from __future__ import annotations

import importlib.util

FRAMEWORKS = {
    "claude_agent_sdk": "claude_agent_sdk",
    "deepagents": "deepagents",
    "google_adk": "google.adk",
    "inspect_ai": "inspect_ai",
    "langchain": "langchain",
    "mini_swe_agent": "minisweagent",
    "openai_agents": "agents",
    "pydantic_ai": "pydantic_ai",
    "smolagents": "smolagents",
    "strands": "strands",
}
"""The end of a test file's name, and the module that it needs."""

EXTRAS = (
    *("claude-agent-sdk", "deepagents", "google-adk", "inspect-ai", "mini-swe-agent"),
    *("openai-agents", "pydantic-ai", "smolagents", "strands"),
)
"""The extras of pyproject.toml with which all of them are tested; deepagents brings LangChain."""


def absent() -> list[str]:
    """Return those that are not installed."""
    return [name for name, module in FRAMEWORKS.items() if not _installed(module)]


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of `google.adk` not even `google` is there
        return False


if __name__ == "__main__":
    print(*EXTRAS)  # noqa: T201
