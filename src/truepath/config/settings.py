"""The table of settings, and the files and variables that they come from.

The environment wins over the user's file, and that over the default. A project's file
may be somebody else's, so it can only restrict truepath. `load` never raises.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from truepath.config import is_off, switched_off
from truepath.config.files import read
from truepath.config.presets import DEFAULT, PRESETS, RULES, less, table
from truepath.config.user_dirs import user_file
from truepath.errors import ConfigError
from truepath.records import dataclass, field
from truepath.types import Any, Operation

PROJECT_FILE = ".truepath.toml"

_MOST = 20
"""Reported problems, at most: a hostile file could have a hundred thousand."""

_DENY = r"""(?m)^[ \t]*deny[ \t]*=[ \t]*\[((?:[^\]"'#]|#.*|"[^"\n]*"|'[^'\n]*')*)"""
"""The `deny` list of a file that is not valid TOML, as far as it can be read."""
_TEXT = r"#.*|\"([^\"\n]*)\"|'([^'\n]*)'"


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set; `SETTINGS` tells what each means."""

    policy: str = DEFAULT
    rules: Mapping[Operation, str] = field(default_factory=dict)
    deny: tuple[str, ...] = ()
    journal: bool = True
    store: str = ""
    beside_hooks: str = "refuse"
    harmless_hooks: tuple[str, ...] = ()
    preconditions: bool = True
    enabled: bool = True
    ignored: tuple[str, ...] = ()
    """One line for each setting that the project's file may not make."""
    problems: tuple[str, ...] = ()
    """One line for each setting that is invalid and so keeps its default."""


def _listed(names: Iterable[str], word: str = "or") -> str:
    *all_but, last = names
    return f"{', '.join(all_but)} {word} {last}"


_STORES = ("file", "memory", "redis", "rediss", "unix")
_BESIDE = ("refuse", "rewrite")

_KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "policy": (
        lambda it: isinstance(it, str) and it in PRESETS,
        f"use {_listed(PRESETS)}",
    ),
    "table": (lambda it: isinstance(it, dict), "use a table of operations"),
    "list of text": (
        lambda it: isinstance(it, list) and all(isinstance(each, str) for each in it),
        'use a list of texts, for example ["vendor/"]',
    ),
    "true or false": (lambda it: isinstance(it, bool), "use true or false"),
    "address": (
        lambda it: isinstance(it, str) and it.partition(":")[0] in _STORES,
        "use file:, memory: or redis://HOST:PORT/0",
    ),
    "word": (
        lambda it: isinstance(it, str) and it in _BESIDE,
        f"use {_listed(_BESIDE)}",
    ),
}
"""Kind of value -> whether a value is of it, and what to write instead."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of the table."""

    kind: str
    meaning: str
    variable: str = ""
    project: str = ""
    """How a project's file may restrict it: `add`, `off`, `less`; "" for not at all."""

    def use(self, value: object) -> str:
        """Return what to write instead of a value; "" if it is valid."""
        fits, use = _KINDS[self.kind]
        return "" if fits(value) else use


_DENIED = "globs as in .gitignore: never looked at, never named to an agent"
_BESIDES = "what is done about a wrong path in a call that another hook checks too"
_HARMLESS = "hooks of yours that only watch, each as its whole command"
_CHECKS = "whether too large reads and failed edits are answered too"
_RULES = "rules for single operations, in place of the policy's"

SETTINGS: Mapping[str, Setting] = {
    "policy": Setting(
        "policy", "what is done about a wrong path", "TRUEPATH_POLICY", "less"
    ),
    "rules": Setting("table", _RULES, project="less"),
    "deny": Setting("list of text", _DENIED, project="add"),
    "journal": Setting(
        "true or false", "whether events are recorded", "TRUEPATH_JOURNAL"
    ),
    "store": Setting("address", "where sessions are stored", "TRUEPATH_STORE"),
    "beside_hooks": Setting("word", _BESIDES),
    "harmless_hooks": Setting("list of text", _HARMLESS),
    "preconditions": Setting("true or false", _CHECKS, project="off"),
    "enabled": Setting(
        "true or false", "`false` lets every call through", "TRUEPATH", "off"
    ),
}
"""The settings, with their kind, meaning, environment variable, and what a project may
restrict."""


def load(root: str | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings for the project at `root`; what is wrong with them is in
    `problems`.
    """
    if switched_off(environ):
        return Settings(enabled=False)
    problems: list[str] = []
    ignored: list[str] = []
    values = _usable(user_file(environ), problems)
    for name, setting in SETTINGS.items():
        value = environ.get(setting.variable, "").strip()
        if setting.kind == "true or false":
            values.update({name: False} if is_off(environ, setting.variable) else {})
        elif value and (use := setting.use(value)):
            problems.append(f"environment: {_wrong(setting.variable, value, use)}")
        elif value:
            values[name] = value
    if root is not None:
        path = os.path.join(root, PROJECT_FILE)
        for name, why in _tightened(values, _usable(path, problems)):
            ignored.append(f"{path}: `{name}` is ignored: {why}")
    return Settings(
        **values, ignored=(*ignored[:_MOST],), problems=(*problems[:_MOST],)
    )


def load_settings(
    root: str | os.PathLike[str] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Return the settings of a project, the user and the environment (by default
    `os.environ`).

    Raises:
        ConfigError: Some of them are invalid; one line for each.
    """
    environ = os.environ if environ is None else environ
    settings = load(None if root is None else os.fspath(root), environ)
    if settings.problems:
        raise ConfigError("\n".join(settings.problems))
    return settings


def _file(path: str, problems: list[str]) -> Mapping[str, Any]:
    """Return what a file sets; only its `deny` if it is not valid TOML."""
    text = ""
    try:
        text = read(path).decode("utf-8-sig")
        return parsed(text)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        pairs = (
            pair
            for listed in re.findall(_DENY, text)
            for pair in re.findall(_TEXT, listed)
        )
        hidden = [each for pair in pairs for each in pair if each]
        what = "is not valid TOML" if text else "cannot be read"
        kept = "; its `deny` is kept" if hidden else ""
        why = " ".join(str(getattr(error, "strerror", None) or error).split())
        problems.append(f"{path}: {what} ({why}); it is ignored{kept}")
        return {"deny": hidden} if hidden else {}


def parsed(text: str) -> dict[str, Any]:
    """Return TOML as data; raise ValueError if it is not valid."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    found: dict[str, Any] = tomllib.loads(text)
    return found


def _usable(path: str, problems: list[str]) -> dict[str, Any]:
    """Return the valid settings of a file; each invalid one adds a line to `problems`."""
    values: dict[str, Any] = {}
    for name, value in _file(path, problems).items():
        rules = value.items() if name == "rules" and isinstance(value, dict) else ()
        uses = {
            f"rules.{each}": (rule, _use_of_rule(each, rule)) for each, rule in rules
        }
        setting = SETTINGS.get(name)
        if setting is None:
            use = f"there is no such setting, only {_listed(SETTINGS, 'and')}"
        else:
            use = setting.use(value)
        for each, (found, said) in {name: (value, use), **uses}.items():
            problems += [f"{path}: {_wrong(each, found, said)}"] if said else []
        if name == "rules" and not use:
            values[name] = {
                each: rule for each, rule in rules if not uses[f"rules.{each}"][1]
            }
        elif name == "deny":  # what can be read of an invalid one still hides paths
            listed = value if isinstance(value, list) else [value]
            values[name] = tuple(each for each in listed if isinstance(each, str))
        elif not use:
            values[name] = tuple(value) if isinstance(value, list) else value
    return values


def _use_of_rule(operation: str, rule: object) -> str:
    known: Mapping[Any, tuple[str, ...]] = RULES
    if operation not in known:
        return f"there is no such operation, only {_listed(known, 'and')}"
    return "" if rule in known[operation] else f"use {_listed(known[operation])}"


def _tightened(
    ours: dict[str, Any], theirs: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Restrict the user's settings by a project's; yield the name of each setting that
    the project may not make, and why.
    """
    if "policy" in theirs or "rules" in theirs:
        yield from _tightened_rules(ours, theirs)
    for name, value in theirs.items():
        may = SETTINGS[name].project
        if not may:
            yield name, "only you can set it, in your own file or the environment"
        elif may == "off":
            ours[name] = value and ours.get(name, True)
        elif may == "add":
            shown = [each for each in value if each.startswith("!")]
            for each in shown:
                yield name, f"a project cannot reveal what is hidden: {each!a}"
            hidden = (each for each in value if not each.startswith("!"))
            ours[name] = tuple(dict.fromkeys((*ours.get(name, ()), *hidden)))


def _tightened_rules(
    ours: dict[str, Any], theirs: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Give each operation the user's or the project's rule, whichever does less."""
    policy, rules = ours.get("policy", DEFAULT), theirs.get("rules", {})
    mine = table(policy, ours.get("rules", {}))
    wanted = {**mine, **PRESETS.get(theirs.get("policy", ""), {})}
    if (
        all(less(each, own, wanted[each]) == own for each, own in mine.items())
        and mine != wanted
    ):
        yield "policy", f"a project can only make yours ({policy}) do less"
    for each, rule in rules.items():
        wanted[each] = rule
        if less(each, mine[each], rule) != rule:
            yield (
                f"rules.{each}",
                f"a project can only make yours ({mine[each]}) do less",
            )
    both = {each: less(each, own, wanted[each]) for each, own in mine.items()}
    apart = [
        (
            name,
            {each: rule for each, rule in both.items() if rule != PRESETS[name][each]},
        )
        for name in (policy, theirs.get("policy", policy))
    ]
    ours["policy"], ours["rules"] = min(apart, key=lambda pair: len(pair[1]))


def _wrong(name: str, value: object, use: str) -> str:
    shown = str(value).lower() if isinstance(value, bool) else _cut(ascii(value))
    return f"`{_cut(ascii(name))[1:-1]}` is {shown}; {use}"


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
