"""Where a host has hooks that see a call before it runs, the user's own among them. Data."""

from __future__ import annotations

from collections.abc import Mapping

from truepath.records import dataclass, field

Where = tuple[str, str]
"""A folder, absolute, and a pattern below it; a `*` in the pattern stands for any name."""


IMPORTS = ('from "./', "from './", 'from "../', "from '../", "require(", "import(")
"""What a plugin in JavaScript holds whose code is in other files too."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Where a host looks for hooks, in every scope: managed, user, project, local and plugins."""

    settings: tuple[Where, ...]
    """JSON or TOML files with a table `hooks`: event -> entries."""
    events: tuple[str, ...] = ()
    """Events before a call, in small letters. The entries of the first have matchers for tools."""
    programs: tuple[Where, ...] = ()
    """Files that are hooks themselves: plugins, scripts, and pages with hooks at their head."""
    marks: tuple[str, ...] = ()
    """What a program holds that sees calls; without any, each of them does."""
    lists: tuple[str, ...] = ()
    """Settings that list programs which are kept elsewhere."""
    plugins: tuple[Where, ...] = ()
    """JSON files that say in which folders plugins are installed."""
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Tool -> other names under which a matcher finds it."""
    matchers: bool = True
    """Whether the host heeds matchers."""
    see_corrected: bool = False
    """Whether a hook sees the call as the ones before it left it. Else each sees the call as the
    model wrote it, and a corrected path is seen by none of them."""
