"""What is said of a command whose folder lacks what its program needs (the table is
`truepath.calls.shell.needs`): the folders of the project that have it.

Before it runs, only where all that the line does is certain to fail; after it failed,
in any case. The command is never changed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence

from truepath.calls import tools
from truepath.calls.paths import Mention
from truepath.calls.shell.needs import Needed, needed
from truepath.calls.shell.reader import read as read_line
from truepath.config.files import read
from truepath.guard import messages
from truepath.guard.bookkeeping import Bookkeeping
from truepath.guard.policy import Finding, Policy
from truepath.guard.texts import WRONG_FOLDER
from truepath.records import dataclass
from truepath.types import Action, Candidate, Decision, PathArgument, Resolution

_LONGEST_LINE = 300
"""Characters of a line that is shown as it would run."""

_MOST_ENTRIES = 200
"""Files and folders that are looked at for one answer, at most."""

_UNCLEAR = {
    "target": r"(?m)^ *[-s]?include|^\s*\$|^[^\t#\n:=]*[%$][^\n]*:|\$[({](?:eval|call)"
    r"|^ *define|DEFAULT|VPATH|vpath",
    "recipe": r"(?m)^(?:import|mod)\b|fallback",
}
"""What makes a file's targets unknown."""


@dataclass(frozen=True, slots=True)
class _Lack:
    """What a command needs and its folder lacks."""

    of: Needed
    text: str
    place: str
    """The folder that the command runs in, absolute."""
    holder: str
    """The file that lacks a script or target, absolute; "" for no file."""
    folders: Sequence[str]
    """Those that have it, absolute, the nearest to the root first."""


def before(books: Bookkeeping, policy: Policy) -> Decision | None:
    """Return the answer to a command that is certain to fail in its folder and has
    another one; None if it may run.
    """
    call, rule = books.mentions.call, policy.rules["execute"]
    lack = None if rule == "guide" else _lack(books, sure=True)
    if lack is None or lack.text in call.prompt:
        return None
    if rule != "observe" and not books.session.note_once(f"{lack.place}\n{lack.text}"):
        return None
    action: Action = "refuse" if policy.caller.refuses else "advise"
    return _told(books, policy, lack, action)


def after(books: Bookkeeping, policy: Policy) -> Decision | None:
    """Return the same for a command that has run and said so; None if it lacked
    nothing.
    """
    lack = _lack(books, sure=False)
    call_id = books.mentions.call.call_id
    if call_id and not books.session.note_once(f"need:{call_id}"):
        return None  # its failure and the batch that it was in are two events
    return _told(books, policy, lack, "advise") if lack else None


def _lack(books: Bookkeeping, *, sure: bool) -> _Lack | None:
    """Return what the command of a call lacks, if the project has it elsewhere; with
    `sure`, only what stops the whole line.
    """
    call, space = books.mentions.call, books.workspace
    texts = tools.commands(call)
    if len(texts) != 1 or texts[0].joined or not space.on_disk:
        return None
    text = texts[0].text
    line = None if texts[0].powershell else read_line(text)
    found = needed(line) if line else []
    given = [argument.written for argument in tools.path_arguments(call)]
    here = os.path.join(space.root, call.cwd or "", *given)
    if sure:
        found = [one for one in found[:1] if one.sure]
    lacks = (_lack_of(books, one, here, text) for one in found)
    return next(filter(None, lacks), None)


def _lack_of(books: Bookkeeping, one: Needed, here: str, text: str) -> _Lack | None:
    place = os.path.normpath(os.path.join(here, *one.folders))
    if books.workspace.tree.inside(place) is None or not os.path.isdir(place):
        return None
    holder = _lacks(one, place)
    folders = _folders(books, one) if holder is not None else []
    others = [folder for folder in folders if folder != place]
    return _Lack(one, text, place, holder or "", others) if others else None


def _lacks(one: Needed, place: str) -> str | None:
    """Return the file that has not all that is needed, "" if there is no such file;
    None if nothing is certain to be lacking.
    """
    need = one.need
    # Of a linked folder, some programs (go 1.26, Docker Compose 2.40) go up as its path
    # is written, others as the disk has it.
    above = [*_above(place), *_above(os.path.realpath(place))]
    beside = any(_has_any(folder, need.beside) for folder in above)
    if beside or any(name in os.environ for name in need.variables.split()):
        return None
    if _runs_anyway(one, above):
        return None
    holders = (
        _has_any(each, need.files) for each in above[: None if need.above else 1]
    )
    holder = next(filter(None, holders), "")
    lacking = [item for item in one.items if not _may_have(holder, need.item, item)]
    return holder if not holder or (lacking and need.else_runs != "nothing") else None


def _runs_anyway(one: Needed, above: Sequence[str]) -> bool:
    """Return whether something else than a script or target may run in its place."""
    item, kind = next(iter(one.items), ""), one.need.else_runs
    if kind not in ("bin", "path") and one.need.item != "target":
        return False
    stems = {name.partition(".")[0] for name in os.listdir(above[0])}
    if one.need.item == "target":  # `foo.c` is enough for `make foo`
        return any(item.partition(".")[0] in stems for item in one.items)
    from shutil import which

    elsewhere = not item or item in stems or which(item) is not None
    bins = [f"node_modules/.bin/{item}"]
    return (kind == "path" and elsewhere) or any(_has_any(at, bins) for at in above)


def _may_have(file: str, kind: str, item: str, *, surely: bool = False) -> bool:
    """Return whether a file may have a script or target; with `surely`, if it has."""
    try:
        text = read(file).decode("utf-8").replace("\\\n", " ")
        if kind.endswith("script"):
            package = json.loads(text)
            started = _has_any(os.path.dirname(file), ["server.js"])
            usual = {"env": True, "start": started}.get(item) and not surely
            several = "workspaces" in package and not surely
            return bool(usual or several or item in package.get("scripts", ()))
    except (OSError, ValueError, AttributeError, TypeError):
        return not surely
    rule = rf"(?m)^@?(?:[^\t#\n:=]* )?{re.escape(item)}(?: [^\n=]*)?:(?!=)"
    word = rf"(?m)^(?!\t).*(?<![\w-]){re.escape(item)}(?![\w-])"
    unclear = re.search(_UNCLEAR[kind], text) is not None
    return bool(re.search(rule, text) if surely else unclear or re.search(word, text))


def _folders(books: Bookkeeping, one: Needed) -> Sequence[str]:
    """Return the folders of the project that have what is needed, if all are known."""
    space, files = books.workspace, one.need.files
    names = space.tree.names()
    found = {path for file in files for path in names.ends_with(file)}
    if files == (".git",):  # which is no name of a project
        found = {f"{folder}/.git" for folder in _below(space.root)}
    if names.cut_short or len(found) > _MOST_ENTRIES:
        return []
    folders = []
    for path in sorted(found, key=lambda path: (path.count("/"), path)):
        folder, name = os.path.split(os.path.join(space.root, path))
        installed = "node_modules" in path.split("/")
        if (
            name in files
            and not installed
            and space.tree.may_name(path.removesuffix("/.git"))
        ):
            folders += [folder] if _has_all(os.path.join(folder, name), one) else []
    return [*dict.fromkeys(folders)]


def _has_all(file: str, one: Needed) -> bool:
    """Return whether a file exists and surely has the scripts or targets."""
    items = (_may_have(file, one.need.item, item, surely=True) for item in one.items)
    return os.path.lexists(file) and all(items)


def _below(root: str) -> Sequence[str]:
    """Return the folders of a project, two levels deep, the first ones."""
    from glob import iglob
    from itertools import chain, islice

    levels = (iglob(f"{level}/", root_dir=root) for level in ("*", "*/*"))
    return [folder.rstrip("/") for folder in islice(chain(*levels), _MOST_ENTRIES)]


def _above(folder: str) -> Iterator[str]:
    """Yield a folder and those above it."""
    yield folder
    while folder != os.path.dirname(folder):
        folder = os.path.dirname(folder)
        yield folder


def _has_any(folder: str, names: Sequence[str]) -> str:
    """Return the first of some entries that a folder has; "" for none."""
    paths = (os.path.join(folder, name) for name in names)
    return next(filter(os.path.lexists, paths), "")


def _told(books: Bookkeeping, policy: Policy, lack: _Lack, action: Action) -> Decision:
    """Return the answer, recorded."""
    call, tree, of = books.mentions.call, books.workspace.tree, lack.of
    cwd = os.path.join(books.workspace.root, call.cwd or "")
    file = lack.holder or os.path.join(lack.place, of.need.files[0])
    names = [os.path.basename(file)]
    target = tree.inside(file) or file
    found = tuple(
        Candidate(tree.inside(os.path.join(each, names[0])) or each, 0.0)
        for each in lack.folders
    )
    missing = Resolution(file, "ambiguous", "execute", None, found, target=target)
    mention = Mention(PathArgument("command", file, "execute"), "execute")
    finding = Finding(mention, missing, action, policy.rules["execute"], cwd=cwd)
    line = lack.text[of.start :]
    plain = not of.apart and len(line) < _LONGEST_LINE and "\n" not in line
    said = messages.wrong_folder(
        os.path.relpath(file, cwd),
        of.items if lack.holder else (),
        [os.path.relpath(each, cwd) for each in lack.folders],
        above=of.need.above,
        line=line if plain else "",
        again=action == "refuse",
    )
    data = messages.payload(WRONG_FOLDER, [missing])
    decision = Decision(action, call.arguments, said, data, resolutions=(missing,))
    if policy.rules["execute"] == "observe":
        decision = Decision("allow", call.arguments)
    return books.record_check(finding, of.need.name, decision)
