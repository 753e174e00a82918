"""The agent frameworks that adapters are tested with, and which of them are installed
here.
"""

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

RESOLUTIONS = ("highest", "lowest-direct")
"""What uv calls the newest versions, and the oldest that pyproject.toml allows."""


def environments() -> list[str]:
    """Return the environments in which adapters are tested: a resolution and an extra
    each.
    """
    extras = [name.replace("_", "-") for name in FRAMEWORKS]
    return [f"{resolution}/{extra}" for extra in extras for resolution in RESOLUTIONS]


def absent() -> list[str]:
    """Return those that are not installed."""
    return [name for name, module in FRAMEWORKS.items() if not _installed(module)]


def _installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # of `google.adk` not even `google` is there
        return False


if __name__ == "__main__":
    print(*environments())  # noqa: T201
