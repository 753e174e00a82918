"""Settings from the project's file, the user's file and the environment. Reading never raises.

The environment wins over the user's file, and that over the default; a project's file may only
restrict truepath (see `tightening`). Knows the names and limits of settings, not what they do.
"""

from __future__ import annotations

import os

from truepath.config import is_off
from truepath.config.presets import DEFAULT, PRESETS, RULES
from truepath.config.tightening import DEADLINE, LIMIT, Ignored, tightened
from truepath.config.toml_file import SettingsFile, read, salvaged
from truepath.config.user_dirs import user_file
from truepath.errors import ConfigError
from truepath.records import dataclass, field

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from truepath.types import Operation

PROJECT_FILE = ".truepath.toml"

_STORES = ("file", "memory", "redis", "rediss", "unix")


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set."""

    policy: str = DEFAULT
    """A preset: careful, recover, suggest, guide or observe."""
    rules: Mapping[Operation, str] = field(default_factory=dict)
    """Rules of single operations that differ from the preset's."""
    deny: tuple[str, ...] = ()
    """Globs in the manner of .gitignore: never looked at, never a candidate."""
    journal: bool = True
    deadline: float = DEADLINE
    """Seconds for one miss; what was not searched by then is said to be unsearched."""
    limit: int = LIMIT
    """Names listed at most."""
    store: str = ""
    """Where streaks are counted, as an address; empty for files in the state folder."""
    beside_hooks: str = "refuse"
    """What becomes of a call that other hooks of the host have a say in, where its path would be
    corrected: `refuse`, so that they see the right path, or `rewrite`, past them."""
    enabled: bool = True
    ignored: tuple[str, ...] = ()
    """One line for each setting of the project that is not for a project to make."""
    problems: tuple[str, ...] = ()
    """One line for each setting that could not be used and so has its default."""


def load(root: str | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings for the project at `root`; whatever is wrong with them in `problems`."""
    if is_off(environ, "TRUEPATH") or is_off(environ, "CLAUDE_RESOLVE_PATH"):
        return Settings(enabled=False)
    values: dict[str, Any] = {}
    problems: list[str] = []
    _merge(values, _usable(_file(user_file(environ), "", problems), problems))
    _merge(values, _from_environment(environ, problems))
    lines: list[str] = []
    if root is not None:
        found = _file(*_project_file(root), problems)
        ignored: list[Ignored] = []
        values = tightened(values, _usable(found, problems), ignored)
        lines = [
            f"{found.place(*names)}: {_named(names)} is ignored: {why}" for names, why in ignored
        ]
    return Settings(**values, ignored=tuple(lines), problems=tuple(problems))


def check(root: str | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings as `load` does, for somebody who wants to hear of what is wrong.

    Raises:
        ConfigError: Something in them cannot be used; one line for each.
    """
    settings = load(root, environ)
    if settings.problems:
        raise ConfigError("\n".join(settings.problems))
    return settings


def _project_file(root: str) -> tuple[str, str]:
    """Return the file with a project's settings, and the table in it that is ours."""
    own = os.path.join(root, PROJECT_FILE)
    return (own, "") if _is_there(own) else (os.path.join(root, "pyproject.toml"), "tool.truepath")


def _is_there(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # a NUL byte in the root
        return False


def _merge(values: dict[str, Any], nearer: Mapping[str, Any]) -> None:
    for name, value in nearer.items():
        if isinstance(value, dict):
            values[name] = {**values.get(name, {}), **value}
        elif name == "deny":
            # What one file hides no other one may show again.
            values[name] = tuple(dict.fromkeys((*values.get(name, ()), *value)))
        else:
            values[name] = value


def _from_environment(environ: Mapping[str, str], problems: list[str]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for name, variable in (("policy", "TRUEPATH_POLICY"), ("store", "TRUEPATH_STORE")):
        value = environ.get(variable, "").strip()
        if value and (advice := _advice(name, value)):
            problems.append(f"environment: {_quoted(variable)} is {_shown(value)}; {advice}")
        elif value:
            values[name] = value
    if is_off(environ, "TRUEPATH_JOURNAL"):
        values["journal"] = False
    return values


def _file(path: str, table: str, problems: list[str]) -> SettingsFile:
    """Return what a file sets: nothing but what it hides, where it is broken."""
    try:
        found = read(path, table)
    except ConfigError as error:
        hidden = salvaged(path, table, "deny")
        kept = "; its `deny` is kept" if hidden else ""
        problems.append(f"{error}{kept}")
        found = SettingsFile(path, table, "", {"deny": hidden} if hidden else {})
    return found or SettingsFile(path, table, "", {})


def _usable(found: SettingsFile, problems: list[str]) -> dict[str, Any]:
    """Return a file's settings that can be used; each other one is a line in `problems`."""
    values: dict[str, Any] = {}
    for name, value in found.settings.items():
        if name == "rules" and isinstance(value, dict):
            values[name] = _rules(found, value, problems)
        elif advice := _advice(name, value):
            problems.append(_problem(found, (name,), value, advice))
            if name == "deny":  # what is legible of it hides all the same
                listed = value if isinstance(value, list) else [value]
                values[name] = tuple(each for each in listed if isinstance(each, str))
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return values


def _rules(
    found: SettingsFile, rules: Mapping[str, object], problems: list[str]
) -> dict[str, object]:
    """Return the rules that can be used; each other one is a line in `problems`."""
    values: dict[str, object] = {}
    for operation, value in rules.items():
        if advice := _rule_advice(operation, value):
            problems.append(_problem(found, ("rules", operation), value, advice))
        else:
            values[operation] = value
    return values


def _problem(found: SettingsFile, names: tuple[str, ...], value: object, advice: str) -> str:
    return f"{found.place(*names)}: {_named(names)} is {_shown(value)}; {advice}"


def _shown(value: object) -> str:
    """Return a value as one short line of plain characters: a file may hold anything."""
    text = {True: "true", False: "false"}.get(value, "") if isinstance(value, bool) else ""
    text = text or ascii(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _named(names: tuple[str, ...]) -> str:
    return _quoted(".".join(names))


def _quoted(name: str) -> str:
    return f"`{_shown(name)[1:-1]}`"


@dataclass(frozen=True, slots=True)
class _Setting:
    accepts: Callable[[Any], bool]
    advice: str


def _either(names: tuple[str, ...]) -> str:
    return f"use {', '.join(names[:-1])} or {names[-1]}"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_store(value: object) -> bool:
    return isinstance(value, str) and value.partition(":")[0] in _STORES


_SWITCH = _Setting(lambda value: isinstance(value, bool), "use true or false")
_SETTINGS: Mapping[str, _Setting] = {
    "policy": _Setting(
        lambda value: isinstance(value, str) and value in PRESETS, _either((*PRESETS,))
    ),
    "deny": _Setting(_are_texts, 'use a list of globs, for example ["vendor/"]'),
    "journal": _SWITCH,
    "deadline": _Setting(
        lambda value: _is_number(value) and 0 < value <= 600, "use seconds, at most 600"
    ),
    "limit": _Setting(
        lambda value: _is_number(value) and isinstance(value, int) and value > 0,
        "use a whole number of names above 0",
    ),
    "store": _Setting(_is_store, "use file:, memory: or redis://HOST:PORT/0"),
    "beside_hooks": _Setting(
        lambda value: value in ("refuse", "rewrite"), _either(("refuse", "rewrite"))
    ),
    "enabled": _SWITCH,
}


def _rule_advice(operation: str, value: object) -> str | None:
    """Return what to write instead of an operation's rule, or None when it can be used."""
    rules: tuple[str, ...] = next((each for name, each in RULES.items() if name == operation), ())
    if not rules:
        return _unknown("operation", (*RULES,))
    return None if value in rules else _either(rules)


def _advice(name: str, value: object) -> str | None:
    """Return what to write instead of a setting's value, or None when it can be used."""
    if name == "rules":
        return "use a table of operations"
    if name not in _SETTINGS:
        return _unknown("setting", (*_SETTINGS, "rules"))
    setting = _SETTINGS[name]
    return None if setting.accepts(value) else setting.advice


def _unknown(what: str, names: tuple[str, ...]) -> str:
    return f"there is no such {what}, only {', '.join(names[:-1])} and {names[-1]}"
