"""The files of the skills that agent programs keep in a home folder: a skill names them
from its own folder, and an agent uses them from the project's.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from truepath.project.listing import entries
from truepath.project.secrets import is_secret

_FOLDERS = (
    ".claude/skills",
    ".agents/skills",
    ".codex/skills",
    ".gemini/skills",
    ".copilot/skills",
    ".cursor/skills",
    ".qwen/skills",
    ".config/opencode/skills",
    ".pi/agent/skills",
)
"""Where programs keep the skills of a user, by their documents (November 2026)."""

_MOST_SKILLS = 200
"""Skills of one program that are looked at."""

_PAGE = "SKILL.md"


def of_skills(home: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield each file or folder of a skill in a home folder that has a relative path,
    and the name of the skill.
    """
    if is_secret(path) or ".." in path.split("/"):
        return
    for folder in _FOLDERS:
        for skill in sorted(entries(f"{home}/{folder}"))[:_MOST_SKILLS]:
            above = f"{home}/{folder}/{skill}"
            place = f"{above}/{path}"
            if os.path.exists(place) and os.path.isfile(f"{above}/{_PAGE}"):
                yield place, skill
