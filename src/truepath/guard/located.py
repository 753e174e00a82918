"""Where a call acts among the checkouts of a repository, and which of them is the
session's own.

A session's own checkout is the one around its folder at its first event, until a tool
of the program moves it. A sub-agent in the main checkout has the first linked work tree
that it names, if it has changed nothing before: it was told to work there.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from truepath.calls import tools
from truepath.calls.tool_tables import fold
from truepath.fields import digest
from truepath.guard.acts import Act, paths_in
from truepath.project.git_folder import checkout_of, enclosing, git_folder, is_linked
from truepath.records import dataclass
from truepath.session.checkouts import Facts, about, forgotten, learned
from truepath.types import Action, ToolCall

_MOVING = frozenset({"enterworktree", "exitworktree"})
"""Tools that move a session to another checkout: those of Claude Code 2.1.332."""

_INSTALLED = frozenset(
    "node_modules .venv venv site-packages dist target .tox .nox".split()
)
"""Folders of what is installed or built: a program that is run from there, or through a
link to it, is a tool, and not the code of its checkout."""

_TOOLS = (
    "pytest py.test unittest tox nox vitest jest mocha ava playwright cypress tsc mypy "
    "pyright eslint ruff gradle gradlew mvn mvnw make gmake ninja just bazel ctest "
    "phpunit rspec rake xcodebuild"
).split()
"""Programs that test, check or build the code of their folder."""

_RUNNERS = (
    "npm pnpm yarn bun deno cargo go mix dotnet swift composer hatch pdm turbo nx"
).split()
"""Programs that do so by a subcommand or a script, which one of these words names."""
_GOALS = "test build check lint bench vet clippy types".split()

_STARTS = r"(?:\S*/)?(?:python\S* -m |bundle exec )?"
_PROGRAMS = "|".join(map(re.escape, _TOOLS))
_SCRIPT_OF = rf"(?:{'|'.join(_RUNNERS)})(?: run| task)? ?\S*(?:{'|'.join(_GOALS)})"
_TESTS = re.compile(rf"{_STARTS}(?:{_PROGRAMS}|{_SCRIPT_OF})\b")
"""The beginning of a command that tests, checks or builds the code of its folder."""

_SCRIPTS = (
    r"(?:\S*/)?(?:test|check|build|lint|verify)\b",
    r"(?=\S*/)\S*test",
    r"node .*--test\b",
)
_SCRIPT = re.compile("|".join(_SCRIPTS))
"""The same of a script."""

_LONGEST_LINE = 200
"""Characters of a command in which its name is looked for."""

_MOST_ACTS = 200
"""Places of a call that are looked at; one with more is data, and acts in its first."""

_LONGEST_PROMPT = 100_000
_MOST_TYPED = 32


@dataclass(frozen=True, slots=True)
class Located:
    """What a call does in a checkout of the session's repository."""

    act: Act
    top: str
    """The top of the checkout, without links."""
    inner: str
    """The place, below it."""

    @property
    def tests(self) -> bool:
        """Whether it runs tests, or a build."""
        if self.act.operation != "execute":
            return False
        line = self.act.line[:_LONGEST_LINE]
        return bool(_TESTS.match(line) or _SCRIPT.match(line))


@dataclass(frozen=True, slots=True)
class Seen:
    """What is known of a call and the checkouts before it runs."""

    call: ToolCall
    here: str
    """The agent's folder, absolute."""
    own: str
    """The top of the session's own checkout, without links; "" if it has none."""
    acts: Sequence[Located]
    facts: Facts
    """What the session knows."""
    typed: Sequence[str] = ()
    """What the user has typed, without links."""

    def elsewhere(self) -> list[Located]:
        """Return what it does in another checkout, and is not the user's word."""
        if self.call.approved:
            return []
        return [
            act
            for act in self.acts
            if act.top != self.own
            and not any(is_in(_real(act.act), path) for path in self.typed)
        ]

    def unasked(self) -> list[Located]:
        """Return what it does in another checkout that the session does not mean."""
        if f"asked {identity(self.call)}" in self.facts:
            return []
        meant = about(self.facts, "meant")
        return [act for act in self.elsewhere() if act.top not in meant]

    def runs_elsewhere(self) -> tuple[str, str] | None:
        """Return the checkout that the session has edited, and the one in which this
        call runs its tests; None if it is the same, or was told.
        """
        edited = next(iter(about(self.facts, "edited")), "")
        for located in self.acts:
            if not (edited and located.tests) or located.top == edited:
                continue
            if located.top not in about(self.facts, "told"):
                return edited, located.top
        return None

    def after(self, action: Action, says: str = "") -> Callable[[Facts], Facts]:
        """Return what the session learns from a ruling about the call; with "acts" it
        says where the call acts.
        """
        if fold(self.call.tool) in _MOVING:
            return lambda facts: forgotten(facts, "own")
        new = [f"own {self.own}"] if self.own else []
        asked = f"asked {identity(self.call)}"
        if says == "acts":
            told = [f"told {act.top}" for act in self.unasked() if act.tests]
            return lambda facts: learned(facts, *new, asked, *told)
        if action == "refuse":
            return lambda facts: learned(facts, *new)
        elsewhere = self.runs_elsewhere()
        if elsewhere:
            new.append(f"told {elsewhere[1]}")
        if asked in self.facts:
            new += [f"meant {act.top}" for act in self.elsewhere()]
        edited = [act.top for act in self.acts if act.act.edits][-1:]
        if not edited:
            return lambda facts: learned(facts, *new)
        # After each edit, tests that run elsewhere say nothing of it.
        new += [f"edited {top}" for top in edited]
        return lambda facts: forgotten(learned(facts, *new), "told")


def typed_in(prompt: str, here: str, own: str) -> list[str]:
    """Return the paths in other checkouts that a user has typed, without links; `here`
    is the agent's folder.
    """
    typed = []
    words = islice(paths_in(prompt[:_LONGEST_PROMPT].split()), _MOST_ACTS)
    for word in words:
        # Without what follows a path in a text: `a.py:12,`.
        plain = re.sub(r"(?::\d+)*[.,:;!?]*$", "", word)
        path = os.path.realpath(os.path.join(here, plain))
        found = checkout_of(path, own)
        if found and found[0] != own:
            typed.append(path)
    return typed[:_MOST_TYPED]


def own_at(folder: str) -> str:
    """Return the top of the checkout around a folder, without links; "" for none."""
    top = enclosing(os.path.realpath(folder))
    return os.path.realpath(top) if top else ""


def identity(call: ToolCall) -> str:
    """Return what a call has in common with the same one, sent again."""
    commands = [command.text for command in tools.commands(call)]
    # What a model says about its command may differ.
    return digest([call.tool, call.cwd, commands or dict(call.arguments)])


def own_of(call: ToolCall, here: str, facts: Facts, named: Sequence[str]) -> str:
    """Return the top of the session's own checkout; `named` are the places that a call
    names.
    """
    own = next(iter(about(facts, "own")), "")
    if not own or git_folder(own) is None:  # it was removed
        own = own_at(here)
    if not (call.agent and own) or is_linked(own) or about(facts, "edited"):
        return own
    for place in named[:_MOST_ACTS]:
        found = checkout_of(os.path.realpath(place), own)
        if found and is_linked(found[0]):
            return found[0]
    return own


def in_checkouts(acts: Sequence[Act], own: str) -> Iterator[Located]:
    """Yield what is done in the checkouts of the repository of `own`."""
    for act in acts[:_MOST_ACTS]:
        found = checkout_of(_real(act), own)
        if found is None:
            continue
        top, inner = found
        is_run = act.operation == "execute" and not act.folder
        if is_run and top != own and not _INSTALLED.isdisjoint(inner.split("/")):
            continue
        yield Located(act, top, inner)


def _real(act: Act) -> str:
    """Return where an act takes place, without links; what is moved or deleted may be
    a link itself, and what is run through one may be installed.
    """
    folder, name = os.path.split(os.path.normpath(act.place))
    if act.operation in ("move", "delete"):
        return os.path.join(os.path.realpath(folder), name)
    return os.path.realpath(act.place)


def is_in(path: str, folder: str) -> bool:
    return f"{path}/".startswith(f"{folder}/")
