"""Checks whether hosts really call truepath, for `truepath doctor` and `truepath
install`.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from json import dumps
from shlex import quote
from typing import Any, Literal, NamedTuple

from truepath.config import SWITCHES, switched_off
from truepath.config.files import matching
from truepath.config.settings import Settings, parsed
from truepath.config.settings import load as load_settings
from truepath.config.user_dirs import (
    USER_FILE,
    distrust,
    named_state,
    state_folder,
    user_file,
)
from truepath.fields import field, texts
from truepath.hook.command import NATIVE, SHARED
from truepath.hook.installed import load
from truepath.hook.other_hooks import Seen, seen
from truepath.hosts.host import Host
from truepath.install import InstallError
from truepath.install.disk import content_of
from truepath.install.plan import File, files, installing
from truepath.install.rules import files_with_rules, silencing
from truepath.install.settings import opened
from truepath.install.smoke_test import attempt
from truepath.project.faults import fault
from truepath.project.git import GitError, program
from truepath.project.git_folder import enclosing
from truepath.project.root import main_checkout
from truepath.quoting import escaped
from truepath.session.stores import usable_store

HARMLESS, BESIDE = "harmless_hooks", "beside_hooks"
"""The settings about a user's own hooks."""

_SWITCH, _OLD_SWITCH = "features.hooks", "features.codex_hooks"
"""What disables the hooks of Codex 0.171.0. The second counts in a file without the
first; a project's file, if Codex trusts it, counts before the user's."""

_GIT_S = 10.0
"""Seconds for git to say whether it works; it takes milliseconds."""


class CheckResult(NamedTuple):
    """The result of one check."""

    check: str
    level: Literal["ok", "note", "fault"]
    text: str
    fix: str = ""
    """How to fix a fault, in one line."""


@dataclass(frozen=True, slots=True)
class HostSetup:
    """How a host is set up."""

    host: Host
    environ: Mapping[str, str]
    root: str
    scopes: Mapping[str, Sequence[File]]
    """The command-line option for a scope (the user's or the project's) -> its
    files."""
    hooks: Sequence[Seen]
    """All hooks that see a call that truepath may correct."""
    own: Sequence[Seen]
    """Those of the user's own settings."""

    @property
    def ours(self) -> list[Seen]:
        """truepath's hooks."""
        return [hook for hook in self.hooks if hook.owner == self.host.NAME]

    def option_of(self, path: str) -> str | None:
        """Return the option for the scope of a file; None for a plugin's."""
        for option, files_of_scope in self.scopes.items():
            if any(file.path == path for file in files_of_scope):
                return option
        return None

    @property
    def paths(self) -> list[str]:
        """The files of all scopes."""
        return [file.path for own in self.scopes.values() for file in own]

    def remedy(self, verb: str, option: str | None) -> str:
        """Return the command that installs or uninstalls in a scope."""
        if option is None:
            return "remove that plugin, or truepath's entries from that file"
        return f"truepath {verb} {self.host.NAME}{option}"


def look(host: Host, environ: Mapping[str, str], root: str) -> HostSetup:
    """Return how a host is set up for a user and for the project at `root`."""
    tools = (*host.PATH_TOOLS, *host.COMMAND_TOOLS, *host.hooks(environ, "").aliases)
    scopes: dict[str, Sequence[File]] = {}
    for option, scope in (("", None), (f" --project {quote(root)}", root)):
        with suppress(InstallError):  # it has no such settings
            scopes[option] = files(host, environ, scope)
    own = [*seen(host, environ, "", tools)]
    hooks = [*dict.fromkeys(seen(host, environ, root, tools))]
    here = HostSetup(host, environ, root, scopes, hooks, own)
    # truepath's hooks in a linked work tree and in the main one are no two
    # installations.
    main = main_checkout(root)
    names = [os.path.relpath(path, root) for path in here.paths]
    shared = {os.path.join(main, name) for name in names}.difference(here.paths)
    hooks = [hook for hook in hooks if not (hook.owner and hook.path in shared)]
    return replace(here, hooks=hooks)


def of_system(environ: Mapping[str, str], root: str) -> Iterator[CheckResult]:
    """Check what hosts share: switches, settings, the state folder, the store."""
    if switched_off(environ):
        names = [name for name in SWITCHES if environ.get(name)]
        switches = " and ".join(f"{name}={environ[name]}" for name in names)
        fix = f"unset {' '.join(names)}"
        yield CheckResult("switch", "fault", f"off, by {switches}", fix)
        # The settings below are those that count once it is on.
        environ = {name: value for name, value in environ.items() if name not in names}
    settings = load_settings(root, environ)
    for problem in settings.problems:
        yield CheckResult("settings", "fault", problem, "correct that line")
    for line in (*settings.unknown, *settings.ignored):
        yield CheckResult("settings", "note", line)
    if not settings.enabled:
        yield CheckResult(
            "switch", "fault", "off, by `enabled = false`", "remove that setting"
        )
    yield CheckResult("policy", "ok", settings.policy)
    yield from _git(root)
    yield _state(named_state(environ))
    problem = usable_store(settings.store, state_folder(environ), lasting=True).problem
    if problem:
        fix = "correct `store`, or TRUEPATH_STORE; until then files are used"
        yield CheckResult("store", "fault", problem, fix)


def _state(folder: str) -> CheckResult:
    """Return whether a file can be created in the state folder, which need not exist
    yet.
    """
    if why := distrust(folder):
        fix = f"make it yours alone, or name another in TRUEPATH_STATE: {folder}"
        return CheckResult("state folder", "fault", why, fix)
    above = folder
    while not os.path.lexists(above) and os.path.dirname(above) != above:
        above = os.path.dirname(above)
    if os.path.isdir(above) and os.access(above, os.W_OK | os.X_OK):
        return CheckResult("state folder", "ok", folder)
    fix = "make it writable, or name another in TRUEPATH_STATE"
    return CheckResult("state folder", "fault", f"{folder} cannot be written", fix)


def _git(root: str) -> Iterator[CheckResult]:
    """Report that there is no git, or that it does not work in the project."""
    try:
        program(root)
    except GitError as error:
        text = f"{error}: a moved file is found by its name alone"
        yield CheckResult("git", "note", text)
        return
    if not enclosing(root):
        return
    said = fault(root, None, time.monotonic() + _GIT_S).splitlines()
    if said:
        text = f"it does not work here, so no rename is known: {escaped(said[0])}"
        # Git indents the command that it advises.
        advice = (line.strip() for line in said[1:] if line[:1] in ("\t", " "))
        yield CheckResult("git", "fault", text, next(advice, "mend the repository"))


def of_host(here: HostSetup) -> Iterator[CheckResult]:
    """Check one host; of one that does not call truepath, only its settings."""
    if here.ours:
        for check in (_current, _runs, in_the_way):
            yield from check(here)
        if here.host.NEXT_STEP:
            yield CheckResult("to do", "note", here.host.NEXT_STEP)
        path_by_scope = {here.option_of(hook.path): hook.path for hook in here.ours}
        for option, path in [*path_by_scope.items()][1:]:
            text = f"truepath is there twice, also by {path}"
            fix = here.remedy("uninstall", option)
            yield CheckResult("rewriters", "fault", text, fix)
        yield from others(here)
        return
    for hook in here.hooks:
        if hook.command:  # it was read
            continue
        record = load(state_folder(here.environ), hook.path)
        if record is not None and record.host == here.host.NAME:
            text = f"{hook.path} has truepath's hooks, and can no longer be read"
            yield CheckResult("settings", "fault", text, "correct that file")


def _current(here: HostSetup) -> Iterator[CheckResult]:
    """Compare the files of each scope that has truepath's hooks with what this version
    writes.
    """
    for option in dict.fromkeys(here.option_of(hook.path) for hook in here.ours):
        if option is None:  # a plugin's files come with it
            continue
        try:
            state = state_folder(here.environ)
            changes = [
                installing(file, here.host, state) for file in here.scopes[option]
            ]
        except InstallError as error:
            yield CheckResult("settings", "fault", str(error), "correct that file")
            continue
        old = [change.path for change in changes if change.is_needed]
        if old:
            text = f"{old[0]} has hooks that differ from those of this version"
            yield CheckResult("settings", "fault", text, here.remedy("install", option))


def _runs(here: HostSetup) -> Iterator[CheckResult]:
    """Try each hook as the host calls it."""
    # One of each scope: its events all run the same command.
    hooks_by_scope = {here.option_of(hook.path): hook for hook in here.ours}
    is_silenced = any(silencing(here.host, here.environ, here.root))
    for option, hook in hooks_by_scope.items():
        command, told, fix = _called(here, option, hook)
        problem, note, better = attempt(here.host, command, may_be_silent=is_silenced)
        if note:
            yield CheckResult("hook", "note", note)
        if problem:
            text = f"{problem} (tried: `{command}`, as {hook.path} has it)"
            yield CheckResult("hook", "fault", text, better or fix)
        else:
            yield CheckResult("hook", "ok", told)


def _called(here: HostSetup, option: str | None, hook: Seen) -> tuple[str, str, str]:
    """Return the command with which the host calls a hook, what to tell of one that
    runs, and how to fix one that does not.
    """
    if option is None:  # a plugin looks for the client itself
        plugin = quote(os.path.dirname(os.path.dirname(hook.path)))
        names = ("CLAUDE_PLUGIN_ROOT", "PLUGIN_ROOT", "extensionPath")
        command = "".join(f"{name}={plugin}; " for name in names) + hook.command
        fix = f"put the folder of {SHARED} on {here.host.TITLE}'s PATH"
        return command, hook.path, f"install truepath, and {fix}"
    command = text = hook.command
    if not hook.event:  # a program is a hook itself, and names the client
        own = (file for file in here.scopes[option] if file.path == hook.path)
        command = next(own).line
        text = (content_of(hook.path) or b"").decode()
    client = "native" if NATIVE in text else "Python"
    return command, f"{hook.path} ({client} client)", here.remedy("install", option)


def in_the_way(here: HostSetup) -> Iterator[CheckResult]:
    """Report settings of the host because of which a session that begins here does not
    call truepath, or hears nothing from it.
    """
    with_rules = files_with_rules(here.host, here.environ, here.root)
    paths = dict.fromkeys((*here.paths, *with_rules))
    switches = [(_switch(here.host, path), path) for path in paths]
    for switch, path in (*switches, _switch_of_codex(here)):
        if switch:
            title = here.host.TITLE
            text = f"`{switch}` in {path}: {title} runs no hook, and so no truepath"
            yield CheckResult("trust", "fault", text, "remove that setting")
    for line in silencing(here.host, here.environ, here.root):
        yield CheckResult("rules", "note", line)


def _switch(host: Host, path: str) -> str:
    """Return the setting in a file that disables hooks; "" for none.

    They are `disableAllHooks` in Claude Code 2.1.332 and Qwen Code 0.24,
    `allowManagedHooksOnly` in an organisation's settings of Claude Code 2.1.332, and
    `hooksConfig` in Gemini CLI 0.61.
    """
    if not path.endswith(".json"):
        return ""
    try:
        settings = opened((content_of(path) or b"").decode())
    except (InstallError, UnicodeDecodeError):  # which is another check's
        return ""
    if settings.get("disableAllHooks") is True:
        return "disableAllHooks"
    managed = any(fnmatchcase(path, pattern) for pattern in host.RULE_FILES[0])
    if managed and settings.get("allowManagedHooksOnly") is True:
        return "allowManagedHooksOnly"
    if field(settings, "hooksConfig.enabled") is False:
        return "hooksConfig.enabled"
    is_named = "truepath" in texts(settings, "hooksConfig.disabled")
    return "hooksConfig.disabled" if is_named else ""


def _switch_of_codex(here: HostSetup) -> tuple[str, str]:
    """Return the setting in TOML that disables hooks, and its file; "" for none."""
    found = ("", "")
    places = here.host.hooks(here.environ, here.root).settings
    paths = [path for place in places for path in matching(*place)]
    for path in paths if here.host.NAME == "codex" else ():
        if not path.endswith(".toml"):
            continue
        values = toml_of(path)
        for name in (_OLD_SWITCH, _SWITCH):
            value = field(values, name)
            if isinstance(value, bool):
                found = ("", "") if value else (f"{name} = false", path)
    return found


def toml_of(path: str) -> Mapping[str, Any]:
    """Return what a file in TOML sets; nothing if it cannot be read."""
    try:
        return parsed((content_of(path) or b"").decode("utf-8-sig"))
    except (InstallError, ValueError, RecursionError):
        return {}


def has_decided(environ: Mapping[str, str]) -> bool:
    """Return whether the user has set what is done beside hooks of their own."""
    return BESIDE in toml_of(user_file(environ))


def others(here: HostSetup) -> Iterator[CheckResult]:
    """Report other hooks that see calls before they run, and what that means for wrong
    paths.
    """
    settings = load_settings(here.root, here.environ)
    hooks = [hook for hook in here.hooks if not hook.owner]
    notes = []
    for hook in hooks:
        event = f" on {hook.event}" if hook.event else ""
        told = f"`{hook.command}` runs{event} too ({hook.path})"
        unread = f"{hook.path} cannot be read, so it may hold hooks"
        notes.append(told if hook.command else unread)
    counted = [
        hook
        for hook in hooks
        if not hook.named or hook.named not in settings.harmless_hooks
    ]
    if counted and not here.host.hooks(here.environ, here.root).see_corrected:
        notes += _effect(here, settings, counted)
    for note in notes:
        yield CheckResult("other hooks", "note", note)


def _effect(
    here: HostSetup, settings: Settings, counted: Sequence[Seen]
) -> Iterator[str]:
    """Yield what hooks that are not called harmless mean for wrong paths."""
    if settings.beside_hooks == "rewrite":
        yield f"calls are corrected past these hooks, by `beside_hooks` ({USER_FILE})"
        return
    yield (
        "these hooks see a call only as it was written, so a wrong path in "
        "one of their calls is refused with the right one"
    )
    if has_decided(here.environ):
        return
    # A project must not get its own hooks called harmless.
    mine = [hook.named for hook in counted if hook in here.own]
    if len(mine) == len(counted) and not all(mine):
        # A whole file that is a hook has no name for the list of harmless ones.
        line = f'{BESIDE} = "rewrite"'
    elif any(mine):
        harmless = dict.fromkeys((*settings.harmless_hooks, *filter(None, mine)))
        line = f"{HARMLESS} = {dumps([*harmless], ensure_ascii=False)}"
    else:
        return
    yield f"if yours only watch, put at the top of {user_file(here.environ)}: `{line}`"
