"""The table of settings, and the files and variables that they come from.

The environment wins over the user's file, and that over the default. A project's file
may be somebody else's, so it can only restrict truepath. `load` never raises.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from truepath.config import is_off, switched_off
from truepath.config.files import read
from truepath.config.presets import DEFAULT, PRESETS, RULES, Rule, less, table
from truepath.config.user_dirs import user_file
from truepath.errors import ConfigError
from truepath.records import dataclass, field
from truepath.types import Any, Operation

PROJECT_FILE = ".truepath.toml"

_MOST_PROBLEMS = 20
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
    roots: Mapping[str, str] = field(default_factory=dict)
    journal: bool = True
    store: str = ""
    other_checkouts: str = "note"
    beside_hooks: str = "refuse"
    harmless_hooks: tuple[str, ...] = ()
    preconditions: bool = True
    notices: bool = True
    enabled: bool = True
    ignored: tuple[str, ...] = ()
    """One line for each setting that the project's file may not make."""
    unknown: tuple[str, ...] = ()
    """One line for each setting of the project's file that only another version may
    have; the rest of the file holds."""
    problems: tuple[str, ...] = ()
    """One line for each setting that is invalid and so keeps its default."""


def _listed(names: Iterable[str], word: str = "or") -> str:
    *all_but, last = names
    return f"{', '.join(all_but)} {word} {last}"


def _is_folder(item: tuple[Any, Any]) -> bool:
    """Return whether a folder of a container is mapped to one of the project."""
    root, folder = item
    is_inside = isinstance(folder, str) and not folder.startswith(("/", "~", ".."))
    return is_inside and root.startswith("/") and root != "/"


_STORES = ("file", "memory", "redis", "rediss", "unix")
_BESIDE = ("refuse", "rewrite")
OTHER_CHECKOUTS = ("note", "ask", "refuse")
"""What is done about a call that acts in another checkout, the least first."""

_KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "policy": (
        lambda it: isinstance(it, str) and it in PRESETS,
        f"use {_listed(PRESETS)}",
    ),
    "table": (lambda it: isinstance(it, dict), "use a table of operations"),
    "table of folders": (
        lambda it: isinstance(it, dict) and all(map(_is_folder, it.items())),
        'use a table of folders, for example {"/app" = "."}',
    ),
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
    "answer": (
        lambda it: isinstance(it, str) and it in OTHER_CHECKOUTS,
        f"use {_listed(OTHER_CHECKOUTS)}",
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
    """How a project's file may restrict it: `add`, `off`, `less`; `join` for what leads
    into the project alone; "" for not at all."""

    def use(self, value: object) -> str:
        """Return what to write instead of a value; "" if it is valid."""
        fits, use = _KINDS[self.kind]
        return "" if fits(value) else use


_DENIED = "globs as in .gitignore: never looked at, never named to an agent"
_ROOTS = "folders of containers, and those of the project that they are"
_CHECKOUTS = (
    "what is done about a call that changes, runs or deletes something in another "
    "checkout of the repository"
)
_BESIDES = "what is done about a wrong path in a call that another hook checks too"
_HARMLESS = "hooks of yours that only watch, each as its whole command"
_CHECKS = "whether too large reads and failed edits are answered too"
_NOTICES = "whether an agent program shows its user each path that was changed"
_RULES = "rules for single operations, in place of the policy's"

SETTINGS: Mapping[str, Setting] = {
    "policy": Setting(
        "policy", "what is done about a wrong path", "TRUEPATH_POLICY", "less"
    ),
    "rules": Setting("table", _RULES, project="less"),
    "deny": Setting("list of text", _DENIED, project="add"),
    "roots": Setting("table of folders", _ROOTS, project="join"),
    "journal": Setting(
        "true or false", "whether events are recorded", "TRUEPATH_JOURNAL"
    ),
    "store": Setting("address", "where sessions are stored", "TRUEPATH_STORE"),
    "other_checkouts": Setting("answer", _CHECKOUTS, "TRUEPATH_OTHER_CHECKOUTS"),
    "beside_hooks": Setting("word", _BESIDES),
    "harmless_hooks": Setting("list of text", _HARMLESS),
    "preconditions": Setting("true or false", _CHECKS, project="off"),
    "notices": Setting("true or false", _NOTICES),
    "enabled": Setting(
        "true or false", "`false` lets every call through", "TRUEPATH", "off"
    ),
}
"""The settings, with their kind, meaning, environment variable, and what a project may
restrict."""


def load(root: str | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings for the project at `root`; what is wrong with them is in
    `problems` and `unknown`.
    """
    if switched_off(environ):
        return Settings(enabled=False)
    problems: list[str] = []
    values = _usable(user_file(environ), problems, problems)
    values.update(_of_environment(environ, problems))
    ignored: list[str] = []
    unknown: list[str] = []
    if root is not None:
        path = os.path.join(root, PROJECT_FILE)
        theirs = _usable(path, problems, unknown)
        for name, why in _tightened(values, theirs):
            ignored.append(f"{path}: `{name}` is ignored: {why}")
    return Settings(
        **values,
        ignored=tuple(ignored[:_MOST_PROBLEMS]),
        unknown=tuple(unknown[:_MOST_PROBLEMS]),
        problems=tuple(problems[:_MOST_PROBLEMS]),
    )


def _of_environment(
    environ: Mapping[str, str], problems: list[str]
) -> Iterator[tuple[str, object]]:
    """Yield the valid settings of the environment; each invalid one adds a line to
    `problems`.
    """
    for name, setting in SETTINGS.items():
        value = environ.get(setting.variable, "").strip()
        if setting.kind == "true or false":
            if is_off(environ, setting.variable):
                yield name, False
        elif value:
            use = setting.use(value)
            if use:
                problems.append(f"environment: {_wrong(setting.variable, value, use)}")
            else:
                yield name, value


def load_settings(
    root: str | os.PathLike[str] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Return the settings of a project, the user and the environment (by default
    `os.environ`).

    What is wrong with a project's file, which others share, is in `problems` and
    `unknown`.

    Raises:
        ConfigError: Some of the user's are invalid; one line for each.
    """
    environ = os.environ if environ is None else environ
    settings = load(None, environ)
    if settings.problems:
        raise ConfigError("\n".join(settings.problems))
    return settings if root is None else load(os.fspath(root), environ)


def _file(path: str, problems: list[str]) -> Mapping[str, Any]:
    """Return what a file sets; only its `deny` if it is not valid TOML."""
    text = ""
    try:
        text = read(path).decode("utf-8-sig")
        return parsed(text)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, ValueError, RecursionError) as error:
        hidden = _denied_in(text)
        what = "is not valid TOML" if text else "cannot be read"
        kept = "; its `deny` is kept" if hidden else ""
        why = " ".join(str(getattr(error, "strerror", None) or error).split())
        problems.append(f"{path}: {what} ({why}); it is ignored{kept}")
        return {"deny": hidden} if hidden else {}


def _denied_in(text: str) -> list[str]:
    """Return the globs of a `deny` list in a text that is not valid TOML."""
    globs: list[str] = []
    for listed in re.findall(_DENY, text):
        for in_double, in_single in re.findall(_TEXT, listed):
            globs.append(in_double or in_single)
    return [glob for glob in globs if glob]


def parsed(text: str) -> dict[str, Any]:
    """Return TOML as data; raise ValueError if it is not valid."""
    if sys.version_info >= (3, 11):
        import tomllib  # most projects have no settings
    else:
        import tomli as tomllib  # the same before Python 3.11
    data: dict[str, Any] = tomllib.loads(text)
    return data


def _usable(path: str, problems: list[str], unknown: list[str]) -> dict[str, Any]:
    """Return the valid settings of a file; each invalid one adds a line to `problems`,
    each that is not known one to `unknown`.
    """
    values: dict[str, Any] = {}
    for name, value in _file(path, problems).items():
        setting = SETTINGS.get(name)
        if setting is None:
            use = f"there is no such setting, only {_listed(SETTINGS, 'and')}"
            unknown.append(f"{path}: {_wrong(name, value, use)}")
            continue
        use = setting.use(value)
        if use:
            problems.append(f"{path}: {_wrong(name, value, use)}")
        if name == "deny":
            values[name] = _readable(value)
        elif name == "rules" and isinstance(value, dict):
            values[name] = _usable_rules(path, value, problems, unknown)
        elif not use:
            values[name] = tuple(value) if isinstance(value, list) else value
    return values


def _readable(deny: object) -> tuple[str, ...]:
    """Return the globs in a value; what can be read of an invalid one hides paths."""
    globs = deny if isinstance(deny, list) else [deny]
    return tuple(glob for glob in globs if isinstance(glob, str))


def _usable_rules(
    path: str, rules: Mapping[str, object], problems: list[str], unknown: list[str]
) -> dict[str, object]:
    """Do as `_usable` for the rules of a file."""
    usable: dict[str, object] = {}
    known: Mapping[Any, tuple[str, ...]] = RULES
    for operation, rule in rules.items():
        name = f"rules.{operation}"
        if operation not in known:
            use = f"there is no such operation, only {_listed(known, 'and')}"
            unknown.append(f"{path}: {_wrong(name, rule, use)}")
        elif rule not in known[operation]:
            use = f"use {_listed(known[operation])}"
            problems.append(f"{path}: {_wrong(name, rule, use)}")
        else:
            usable[operation] = rule
    return usable


def _tightened(
    ours: dict[str, Any], theirs: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Restrict the user's settings by a project's; yield the name of each setting that
    the project may not make, and why.
    """
    if "policy" in theirs or "rules" in theirs:
        yield from _tightened_rules(ours, theirs)
    for name, value in theirs.items():
        restricts = SETTINGS[name].project
        if not restricts:
            yield name, "only you can set it, in your own file or the environment"
        elif restricts == "off":
            ours[name] = value and ours.get(name, True)
        elif restricts == "join":
            ours[name] = {**value, **ours.get(name, {})}
        elif restricts == "add":
            hides = [glob for glob in value if not glob.startswith("!")]
            ours[name] = tuple(dict.fromkeys((*ours.get(name, ()), *hides)))
            yield from _revealed(name, value)


def _revealed(name: str, globs: Sequence[str]) -> Iterator[tuple[str, str]]:
    for glob in globs:
        if glob.startswith("!"):
            yield name, f"a project cannot reveal what is hidden: {glob!a}"


def _tightened_rules(
    ours: dict[str, Any], theirs: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Give each operation the user's or the project's rule, whichever does less."""
    policy = ours.get("policy", DEFAULT)
    mine = table(policy, ours.get("rules", {}))
    wanted = {**mine, **PRESETS.get(theirs.get("policy", ""), {})}
    if mine != wanted and _least(mine, wanted) == mine:
        yield "policy", f"a project can only make yours ({policy}) do less"
    for operation, rule in theirs.get("rules", {}).items():
        wanted[operation] = rule
        own = mine[operation]
        if less(operation, own, rule) != rule:
            yield f"rules.{operation}", f"a project can only make yours ({own}) do less"
    least = _least(mine, wanted)
    # Of the two policies, the one from which fewer rules differ.
    changed = {
        name: {
            operation: rule
            for operation, rule in least.items()
            if rule != PRESETS[name][operation]
        }
        for name in (policy, theirs.get("policy", policy))
    }
    ours["policy"] = min(changed, key=lambda name: len(changed[name]))
    ours["rules"] = changed[ours["policy"]]


def _least(
    mine: Mapping[Operation, Rule], wanted: Mapping[Operation, Rule]
) -> dict[Operation, str]:
    """Return for each operation the rule that changes calls less."""
    return {
        operation: less(operation, rule, wanted[operation])
        for operation, rule in mine.items()
    }


def _wrong(name: str, value: object, use: str) -> str:
    # A word of TOML, where Python would write `True`.
    shown = str(value).lower() if isinstance(value, bool) else _cut(ascii(value))
    return f"`{_cut(ascii(name))[1:-1]}` is {shown}; {use}"


def _cut(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
