"""Settings: one table of them, and the files and variables that they come from.

The environment wins over the user's file, and that over the default; a project's file, which may be
somebody else's, only restricts truepath. Reading never raises. Knows no more of a setting than its
row says.
"""

from __future__ import annotations

import os
import re
import sys

from truepath.config import is_off, switched_off
from truepath.config.presets import DEFAULT, PRESETS, RULES, less, table
from truepath.config.regular_file import read
from truepath.config.user_dirs import user_file
from truepath.errors import ConfigError
from truepath.records import dataclass, field

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from truepath.types import Operation

    _Row = tuple[str, Callable[[Any], bool], str]

PROJECT_FILE = ".truepath.toml"

_MOST = 20
"""Lines on what is wrong: a hostile file could have a hundred thousand."""

_LARGEST = 1_000_000
"""Bytes of a settings file; reading a larger one would hold up a tool call."""

_DENY = r"""(?m)^[ \t]*deny[ \t]*=[ \t]*\[((?:[^\]"'#]|#.*|"[^"\n]*"|'[^'\n]*')*)"""
"""The list of a file that is not TOML as a whole, as far as it can be read."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that a user can set: `SETTINGS` says what each means."""

    policy: str = DEFAULT
    rules: Mapping[Operation, str] = field(default_factory=dict)
    deny: tuple[str, ...] = ()
    journal: bool = True
    deadline: float = 5.0
    limit: int = 2_000_000
    store: str = ""
    beside_hooks: str = "refuse"
    enabled: bool = True
    ignored: tuple[str, ...] = ()
    """One line for each setting of the project that is not for a project to make."""
    problems: tuple[str, ...] = ()
    """One line for each setting that could not be used and so has its default."""


def _is_number(value: object, most: float, *kinds: type) -> bool:
    return type(value) in kinds and 0 < value <= most  # type: ignore[operator]


_STORES = ("file", "memory", "redis", "rediss", "unix")
_KINDS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "true or false": (lambda value: isinstance(value, bool), "use true or false"),
    "seconds": (lambda value: _is_number(value, 600, int, float), "use seconds, at most 600"),
    "number": (lambda value: _is_number(value, 1e18, int), "use a whole number of names above 0"),
    "table": (lambda value: isinstance(value, dict), "use a table of operations"),
    "list of text": (
        lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
        'use a list of globs, for example ["vendor/"]',
    ),
    "address": (
        lambda value: isinstance(value, str) and value.partition(":")[0] in _STORES,
        "use file:, memory: or redis://HOST:PORT/0",
    ),
}
"""What each kind of value is, and what to write instead of another."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A row of the table."""

    kind: str
    meaning: str
    variable: str = ""
    project: str = ""
    """What a project may do to it: `lower`, `add`, `off`, `less`; "" for nothing."""
    words: tuple[str, ...] = ()
    """For a text, those that it may be."""

    def use(self, value: object) -> str:
        """Return what to write instead of a value; "" where it will do."""
        if self.words:
            fits = isinstance(value, str) and value in self.words
            return "" if fits else f"use {_listed(self.words, 'or')}"
        fits, use = _KINDS[self.kind][0](value), _KINDS[self.kind][1]
        return "" if fits else use


def _listed(names: Iterable[str], word: str) -> str:
    *all_but, last = names
    return f"{', '.join(all_but)} {word} {last}"


_DENIED = "globs in the manner of .gitignore: never looked at, never named to an agent"
_WAITED = "what a miss may wait, in all, for names and history; what is later is left out"
_BESIDE = "what is done about a wrong path in a call that another hook checks too"
_POLICY = "what is done about a wrong path"

SETTINGS: Mapping[str, Setting] = {
    "policy": Setting("text", _POLICY, "TRUEPATH_POLICY", "less", (*PRESETS,)),
    "rules": Setting("table", "a rule for single operations, in place of the policy's", "", "less"),
    "deny": Setting("list of text", _DENIED, "", "add"),
    "journal": Setting("true or false", "whether events are written down", "TRUEPATH_JOURNAL"),
    "deadline": Setting("seconds", _WAITED, "", "lower"),
    "limit": Setting("number", "names listed at most", "", "lower"),
    "store": Setting("address", "where sessions are remembered", "TRUEPATH_STORE"),
    "beside_hooks": Setting("text", _BESIDE, words=("refuse", "rewrite")),
    "enabled": Setting("true or false", "`false` lets every call through", "TRUEPATH", "off"),
}
"""The settings: what each may be and means, and what sets it."""


def load(root: str | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings for the project at `root`; whatever is wrong with them in `problems`."""
    if switched_off(environ):
        return Settings(enabled=False)
    problems: list[str] = []
    ignored: list[str] = []
    values = _usable(_file(user_file(environ), "", problems), problems)
    for name, setting in SETTINGS.items():
        value = environ.get(setting.variable, "").strip()
        if setting.kind == "true or false":
            values.update({name: False} if is_off(environ, setting.variable) else {})
        elif value and (use := setting.use(value)):
            problems.append(f"environment: {_wrong(setting.variable, value, use)}")
        elif value:
            values[name] = value
    if root is not None:
        path, own = os.path.join(root, PROJECT_FILE), ""
        if not os.path.lexists(path):
            path, own = os.path.join(root, "pyproject.toml"), "tool.truepath"
        file = _file(path, own, problems)

        def ignore(name: str, why: str) -> None:
            file.tell(ignored, name, f"`{name}` is ignored: {why}")

        _tighten(values, _usable(file, problems), ignore)
    return Settings(**values, ignored=tuple(ignored), problems=tuple(problems))


def check(root: str | None, environ: Mapping[str, str]) -> Settings:
    """Return the settings as `load` does, for somebody who wants to hear of what is wrong.

    Raises:
        ConfigError: Something in them cannot be used; one line for each.
    """
    settings = load(root, environ)
    if settings.problems:
        raise ConfigError("\n".join(settings.problems))
    return settings


def load_settings(root: str | os.PathLike[str] | None = None) -> Settings:
    """Return the settings of a project, the user and the environment.

    Raises:
        ConfigError: Something in them cannot be used; one line for each.
    """
    return check(None if root is None else os.fspath(root), os.environ)


@dataclass(slots=True)
class _File:
    """What one file sets; of a broken one what it hides."""

    path: str
    text: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)

    def tell(self, lines: list[str], name: str, said: str) -> None:
        """Add what is said of a setting, with the first line of the file that seems to set it."""
        if len(lines) < _MOST:
            last = re.escape(name.rpartition(".")[2])
            key = rf"(?m)^[^#\n]*?(?<![\w-])[\"']?{last}[\"']?\s*[=\].]"
            found = re.search(key, self.text)
            line = f":{self.text.count(chr(10), 0, found.start()) + 1}" if found else ""
            lines.append(f"{self.path}{line}: {said}")


def _file(path: str, own: str, problems: list[str]) -> _File:
    """Return what the table `own` of a file sets; "" for the whole file."""
    file, text = _File(path), ""
    try:
        text = read(path, _LARGEST).decode("utf-8-sig").replace("\r\n", "\n")
        before, _, behind = text.partition(f"[{own}]")
        file.text = "\n" * before.count("\n") + behind if behind else text
        # Most projects' pyproject.toml does not know us, and parsing it costs most.
        found = _parsed(text) if not own or "truepath" in text else {}
        for name in filter(None, own.split(".")):
            found = found.get(name) if isinstance(found, dict) else None
        file.values = found if isinstance(found, dict) else {}
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError, RecursionError) as error:
        listed = re.search(_DENY, file.text)
        texts = re.findall(r"#.*|\"([^\"\n]*)\"|'([^'\n]*)'", listed[1]) if listed else []
        hidden = [each for pair in texts for each in pair if each]
        what = "is not valid TOML" if text else "cannot be read"
        kept = "; its `deny` is kept" if hidden else ""
        problems.append(f"{path}: {what} ({_reason(error)}); it is ignored{kept}")
        file.values = {"deny": hidden} if hidden else {}
    return file


def _parsed(text: str) -> Any:  # whatever the file holds
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    return tomllib.loads(text)


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"not UTF-8 at byte {error.start}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    text = (error.strerror if isinstance(error, OSError) else None) or str(error)
    return " ".join(text.split())


def _usable(file: _File, problems: list[str]) -> dict[str, Any]:
    """Return a file's settings that can be used; each other one is a line in `problems`."""
    values: dict[str, Any] = {}

    def wrong(name: str, value: object, use: str) -> None:
        file.tell(problems, name, _wrong(name, value, use))

    for name, value in file.values.items():
        setting = SETTINGS.get(name)
        if setting is None:
            wrong(name, value, f"there is no such setting, only {_listed(SETTINGS, 'and')}")
        elif use := setting.use(value):
            wrong(name, value, use)
            if name == "deny":  # what is legible of it hides all the same
                listed = value if isinstance(value, list) else [value]
                values[name] = tuple(each for each in listed if isinstance(each, str))
        elif name == "rules":
            values[name] = {}
            for each, rule in value.items():
                if each not in RULES:
                    use = f"there is no such operation, only {_listed(RULES, 'and')}"
                    wrong(f"rules.{each}", rule, use)
                elif rule not in RULES[each]:
                    wrong(f"rules.{each}", rule, f"use {_listed(RULES[each], 'or')}")
                else:
                    values[name][each] = rule
        else:
            values[name] = tuple(value) if isinstance(value, list) else value
    return values


def _tighten(
    ours: dict[str, Any], theirs: Mapping[str, Any], ignore: Callable[[str, str], None]
) -> None:
    """Change the user's settings by those of a project, as far as it may.

    Args:
        ours: What the user has set; what is left out has its default.
        theirs: What the project sets, each of it usable by itself.
        ignore: Gets the name of each setting that the project may not make, and why.
    """
    if "policy" in theirs or "rules" in theirs:
        _tighten_rules(ours, theirs, ignore)
    for name, value in theirs.items():
        may = SETTINGS[name].project
        if not may:
            ignore(name, "only you can set it, in your own file or the environment")
        elif may == "lower" and value > ours.get(name, getattr(Settings(), name)):
            ignore(name, "a project can only lower it")
        elif may == "lower" or (may == "off" and not value):
            ours[name] = value
        elif may == "add":
            shown = [each for each in value if each.startswith("!")]
            for each in shown:
                ignore(name, f"a project cannot show again what is hidden: {each!a}")
            hidden = (each for each in value if each not in shown)
            ours[name] = tuple(dict.fromkeys((*ours.get(name, ()), *hidden)))


def _tighten_rules(
    ours: dict[str, Any], theirs: Mapping[str, Any], ignore: Callable[[str, str], None]
) -> None:
    """Give each operation the rule that does less: the user's or the project's."""
    policy, rules = ours.get("policy", DEFAULT), theirs.get("rules", {})
    mine = table(policy, ours.get("rules", {}))
    wanted = {**mine, **PRESETS.get(theirs.get("policy", ""), {})}
    if all(less(each, own, wanted[each]) == own for each, own in mine.items()) and mine != wanted:
        ignore("policy", f"a project can only make yours ({policy}) do less")
    for each, rule in rules.items():
        wanted[each] = rule
        if less(each, mine[each], rule) != rule:
            ignore(f"rules.{each}", f"a project can only make yours ({mine[each]}) do less")
    both = {each: less(each, own, wanted[each]) for each, own in mine.items()}
    apart = [
        (name, {each: rule for each, rule in both.items() if rule != PRESETS[name][each]})
        for name in (policy, theirs.get("policy", policy))
    ]
    ours["policy"], ours["rules"] = min(apart, key=lambda pair: len(pair[1]))


def _wrong(name: str, value: object, use: str) -> str:
    shown = str(value).lower() if isinstance(value, bool) else _cut(ascii(value))
    return f"`{_cut(ascii(name))[1:-1]}` is {shown}; {use}"


def _cut(text: str) -> str:
    """Return one short line of plain characters: a file may hold anything."""
    return text if len(text) <= 60 else text[:57] + "..."
