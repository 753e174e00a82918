"""Whether each host that has our hooks really calls us: one finding a check, with the fix."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from shlex import quote
from shutil import which
from statistics import median
from typing import TYPE_CHECKING, Literal

from truepath.hosts.host import Host
from truepath.hosts.setup import Setup
from truepath.install import InstallError, programs, trust
from truepath.install.changes import content_of
from truepath.install.conflicts import conflicts, consequence, plugins, settings_of, told, value_of
from truepath.install.plan import UNTOUCHED, Place, holds_us, installing
from truepath.install.relays import servers, unchecked
from truepath.install.smoke_test import attempt, line_of

if TYPE_CHECKING:
    from truepath.config.settings import Settings

TIMES = 5
"""Silent calls of which the median is told."""

SLOW = 1.0
"""Seconds of a silent call from which on it is a fault: a hook is there ten times a minute."""

Level = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check came to."""

    host: str
    """"" where it is about all of them."""
    check: str
    level: Level
    text: str
    fix: str = ""
    """What to do about a fault, in one line."""


def of_system(environ: Mapping[str, str], root: str) -> Iterator[Finding]:
    """Check what all hosts share: switches, settings, the state folder."""
    from truepath.config.settings import load
    from truepath.config.user_dirs import state_folder
    from truepath.hook.client import SWITCHES, switched_off

    if switched_off(environ):
        names = [name for name in SWITCHES if environ.get(name)]
        text = f"off, by {' and '.join(f'{name}={environ[name]}' for name in names)}"
        yield Finding("", "switch", "fault", text, f"unset {' '.join(names)}")
        environ = {name: value for name, value in environ.items() if name not in names}
    settings = load(root, environ)
    for problem in settings.problems:
        yield Finding("", "settings", "fault", problem, "correct that line")
    for line in settings.ignored:
        yield Finding("", "settings", "note", line)
    if not settings.enabled:
        yield Finding("", "switch", "fault", "off, by `enabled = false`", "remove that setting")
    yield Finding("", "policy", "ok", settings.policy)
    state = state_folder(environ)
    if _is_writable(state):
        yield Finding("", "state folder", "ok", state)
    else:
        fix = "make it writable, or name another in TRUEPATH_STATE"
        yield Finding("", "state folder", "fault", f"{state} cannot be written", fix)
    yield from _store(settings, state)


def _store(settings: Settings, state: str) -> Iterator[Finding]:
    """Say what is wrong with the place where sessions are to be remembered."""
    from truepath.session.stores import usable_store

    problem = usable_store(settings.store, state, lasting=True).problem
    if problem:
        fix = "correct `store`, or TRUEPATH_STORE; until then files are used"
        yield Finding("", "store", "fault", problem, fix)


def of_host(
    host: Host, setup: Setup, client: str, environ: Mapping[str, str], root: str
) -> Iterator[Finding]:
    """Check one host; nothing is yielded for one that does not call us at all."""
    found, scopes = [], set()
    for scope, place in settings_of(host.NAME, setup, environ, root):
        problem = _problem_of(place)
        if problem and _names_us(place.path):
            yield Finding(host.NAME, "settings", "fault", problem, "correct that file")
        elif not problem and holds_us(place):
            found.append((scope, place))
            scopes.add(scope)
    if not found:
        yield from _as_plugin(host, setup, environ, root)
        return
    yield _program(host, environ)
    for scope, place in found:
        yield _current(host, place, "--project" if scope == "project" else "")
    if scopes == {"project"} and (told := programs.elsewhere(host, setup, root)):
        yield Finding(host.NAME, "settings", "note", told)
    scope, first = found[0]
    yield from _runs(host, first, client if scope == "user" else f"truepath-hook {host.NAME}")
    yield from _heard(host, setup, environ, root)
    yield _last(host, environ)
    yield from _alone(host, setup, [place for _, place in found], environ, root)
    yield from _unseen(host, setup, environ, root)
    if setup.after and host.NAME != "codex":
        yield Finding(host.NAME, "to do", "note", setup.after)


def _problem_of(place: Place) -> str | None:
    """Say why nobody can tell what a file holds; None where it can be told."""
    try:
        holds_us(place)
    except InstallError as error:
        return str(error).removesuffix(UNTOUCHED)
    return None


def _names_us(path: str) -> bool:
    """Whether a broken file has an entry of truepath; other broken files do not matter."""
    try:
        return b"truepath" in (content_of(path) or b"")
    except InstallError:
        return False


def _program(host: Host, environ: Mapping[str, str]) -> Finding:
    program = programs.find(host.NAME, environ)
    if program is None:
        return Finding(host.NAME, "version", "note", "its program is not on the search path")
    oldest = programs.OLDEST.get(host.NAME, ())
    said = f"{program.version or 'unknown'} ({program.path})"
    if program.is_older(oldest):
        least = ".".join(map(str, oldest))
        return Finding(host.NAME, "version", "fault", said, f"update it to {least} or newer")
    return Finding(host.NAME, "version", "ok", said)


def _current(host: Host, place: Place, option: str) -> Finding:
    try:
        right = not installing(place, None).is_needed
    except InstallError as error:
        problem = str(error).removesuffix(UNTOUCHED)
        return Finding(host.NAME, "settings", "fault", problem, "correct that file")
    if right:
        return Finding(host.NAME, "settings", "ok", place.path)
    text = f"{place.path} holds hooks that differ from those of this version"
    return Finding(
        host.NAME, "settings", "fault", text, f"truepath install {host.NAME} {option}".strip()
    )


def _runs(host: Host, place: Place, client: str) -> Iterator[Finding]:
    again = f"truepath install {host.NAME}"
    command = line_of(place, client)
    files = programs.files_in(client if place.executable else command)
    for path in files:
        if not os.path.exists(path):
            yield Finding(host.NAME, "client", "fault", f"{path} is gone", again)
            return
    if files and not os.access(files[0], os.X_OK):
        yield Finding(host.NAME, "client", "fault", f"{files[0]} is no program", again)
        return
    if files:
        yield Finding(host.NAME, "client", "ok", files[0])
    yield _tried(host, command, again)


def _tried(host: Host, command: str, again: str) -> Finding:
    result = attempt(host, command, times=TIMES)
    if result.problem:
        return Finding(host.NAME, "hook", "fault", result.problem, again)
    took = median(result.seconds)
    text = f"{took * 1000:.0f} ms a call, the median of {len(result.seconds)}"
    if took > SLOW:
        return Finding(host.NAME, "hook", "fault", text, "look for what slows programs down here")
    return Finding(host.NAME, "hook", "ok", text)


def _as_plugin(
    host: Host, setup: Setup, environ: Mapping[str, str], root: str
) -> Iterator[Finding]:
    """Check a host that calls us by a plugin of its own alone, which looks for the client."""
    found = plugins(host, setup, environ, root)
    if not found:
        return
    yield _program(host, environ)
    yield Finding(host.NAME, "settings", "ok", f"a plugin: {found[0]}")
    client = which("truepath-hook", path=environ.get("PATH"))
    if client is None:
        text = "the plugin calls truepath-hook, which is not on the search path"
        yield Finding(host.NAME, "client", "fault", text, f"put its folder on {host.TITLE}'s PATH")
    else:
        yield Finding(host.NAME, "client", "ok", client)
        yield _tried(host, f"{quote(client)} {host.NAME}", "install truepath again")
    yield from _heard(host, setup, environ, root)
    yield _last(host, environ)


def _heard(host: Host, setup: Setup, environ: Mapping[str, str], root: str) -> Iterator[Finding]:
    for path in _switchable(host, setup, environ, root):
        for name in trust.switches(value_of(path)):
            text = f"{path} switches hooks off by {name!r}"
            yield Finding(host.NAME, "trust", "fault", text, "remove that setting")
    if host.NAME != "codex":
        return
    events = trust.untrusted_by_codex(root, environ)
    if events is None:
        yield Finding(host.NAME, "trust", "note", "Codex cannot be asked; see /hooks in it")
    elif events:
        text = f"it skips {', '.join(sorted(set(events)))} until they are reviewed"
        yield Finding(host.NAME, "trust", "fault", text, "type /hooks in Codex and trust them")
    else:
        yield Finding(host.NAME, "trust", "ok", "reviewed")


def _switchable(host: Host, setup: Setup, environ: Mapping[str, str], root: str) -> Iterator[str]:
    """Yield the files in which a setting can switch the host's hooks off, in a session that begins
    here: those with our hooks and those with its rules.
    """
    seen = {place.path for _, place in settings_of(host.NAME, setup, environ, root)}
    yield from sorted(seen)
    for folder in (root, os.getcwd()):
        for path in host.rule_files(environ, folder):
            if path.endswith(".json") and path not in seen:
                seen.add(path)
                yield path


def _last(host: Host, environ: Mapping[str, str]) -> Finding:
    from truepath.config.user_dirs import state_folder
    from truepath.journal.journal import journal_path, read_events

    path, last = journal_path(state_folder(environ)), None
    try:
        for event in read_events(path):
            if event.host == host.NAME:
                last = event
    except OSError as error:
        text = f"{path} cannot be read ({error.strerror})"
        return Finding(host.NAME, "last event", "fault", text, "see to that file")
    if last is None:
        return Finding(host.NAME, "last event", "note", "none yet; only wrong paths make one")
    if last.event == "guard.failed":
        text = f"an error of truepath: {last.error}"
        return Finding(host.NAME, "last event", "fault", text, "see `truepath log`")
    return Finding(host.NAME, "last event", "ok", f"{_ago(last.time)} ago: {last.event}")


def _alone(
    host: Host, setup: Setup, found: list[Place], environ: Mapping[str, str], root: str
) -> Iterator[Finding]:
    held = {place.path for place in found}
    scopes = {
        scope for scope, place in settings_of(host.NAME, setup, environ, root) if place.path in held
    }
    for path in plugins(host, setup, environ, root):
        yield Finding(
            host.NAME, "rewriters", "fault", f"truepath is there twice, as {path}",
            f"truepath uninstall {host.NAME}",
        )  # fmt: skip
    if len(scopes) > 1:
        text = "truepath is there twice, for you and for this project"
        fix = f"truepath uninstall {host.NAME} --project"
        yield Finding(host.NAME, "rewriters", "fault", text, fix)
    for other in conflicts(host, environ, root):
        yield Finding(host.NAME, "other hooks", "note", told(other))
    if (said := consequence(host, environ, root)) is not None:
        yield Finding(host.NAME, "other hooks", "note", said)


def _unseen(host: Host, setup: Setup, environ: Mapping[str, str], root: str) -> Iterator[Finding]:
    """Name the MCP file servers whose calls nobody checks."""
    for option, scope in (("", None), ("--project ", root)):
        listed = servers(host, setup, environ, scope)
        names = unchecked(listed) if listed else []
        if names:
            text = f"{', '.join(names)}: not checked"
            fix = f"truepath install {host.NAME} {option}--relay"
            yield Finding(host.NAME, "MCP servers", "note", f"{text}; {fix} puts a relay there")


def _ago(when: float) -> str:
    from time import time

    seconds = max(0.0, time() - when)
    for unit, length in (("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * length:
            return f"{seconds / length:.0f} {unit}"
    return f"{seconds:.0f} seconds"


def _is_writable(folder: str) -> bool:
    """Whether a file can be made in a folder, or the folder itself where it is not there yet."""
    while not os.path.lexists(folder):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)
