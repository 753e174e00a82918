"""What a command needs and its folder lacks, and the folders of the project that have
it; the table is `truepath.calls.shell.needs`.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice

from truepath import TYPE_CHECKING, Late
from truepath.calls import tools
from truepath.calls.paths import Mention
from truepath.calls.shell.needs import Needed, needed
from truepath.calls.shell.reader import read as read_line
from truepath.config.files import read
from truepath.guard.reading import Finding, Reading, Ruling
from truepath.guard.texts import WRONG_FOLDER
from truepath.project.tree import Tree
from truepath.records import dataclass
from truepath.resolve.workspace import Workspace
from truepath.types import Action, Any, Candidate, PathArgument, Resolution

if TYPE_CHECKING:
    import glob
    import shutil
else:
    glob = Late("glob")
    shutil = Late("shutil")

_LONGEST_LINE = 300
"""Characters of a line that is shown as it would run."""

_MOST_ENTRIES = 200
"""Files and folders that are looked at for one answer, at most."""

_UNCLEAR = {
    "target": r"(?m)^ *[-s]?include|^\s*\$|^[^\t#\n:=]*[%$][^\n]*:|\$[({](?:eval|call)"
    r"|^ *define|DEFAULT|VPATH|vpath",
}
"""What makes a file's targets unknown."""


@dataclass(frozen=True, slots=True)
class Lack:
    """What a command needs and its folder lacks."""

    of: Needed
    text: str
    place: str
    """The folder that the command runs in, absolute."""
    holder: str
    """The file that lacks a script or target, absolute; "" for no file."""
    folders: Sequence[str]
    """Those that have it, absolute, the nearest to the root first."""


def lacking(reading: Reading, *, sure: bool) -> Lack | None:
    """Return what the command of a call lacks, if the project has it elsewhere; with
    `sure`, only what stops the whole line.
    """
    call = reading.call
    space = reading.space
    commands = tools.commands(call)
    # Several commands, or an argument vector, are no line that an answer can show.
    if len(commands) != 1 or commands[0].joined or not space.on_disk:
        return None
    if commands[0].powershell:
        return None
    text = commands[0].text
    line = read_line(text)
    if not line:
        return None
    all_needed = needed(line)
    if sure:
        # Only the first one is certain to be reached.
        all_needed = [first for first in all_needed[:1] if first.sure]
    given = [argument.written for argument in tools.path_arguments(call)]
    here = os.path.join(space.root, call.cwd or "", *given)
    for one in all_needed:
        lack = _lack_of(space, one, here, text)
        if lack is not None:
            return lack
    return None


def _lack_of(space: Workspace, one: Needed, here: str, text: str) -> Lack | None:
    place = os.path.normpath(os.path.join(here, *one.folders))
    # A missing folder is a missed path, which is told by itself.
    if space.tree.inside(place) is None or not os.path.isdir(place):
        return None
    holder = _lacking_file(one, place)
    if holder is None:
        return None
    others = [folder for folder in _folders(space, one) if folder != place]
    # Where no folder has it, the program's own error says all that there is to say.
    if not others:
        return None
    return Lack(one, text, place, holder, others)


def _lacking_file(one: Needed, place: str) -> str | None:
    """Return the file that has not all that is needed, "" if there is no such file;
    None if nothing is certain to be lacking.
    """
    need = one.need
    # Of a linked folder, some programs (go 1.26, Docker Compose 2.40) go up as its path
    # is written, others as the disk has it.
    above = [*_above(place), *_above(os.path.realpath(place))]
    if any(_has_any(folder, need.beside) for folder in above):
        return None
    if any(name in os.environ for name in need.variables.split()):
        return None
    if _runs_anyway(one, above):
        return None
    looked_at = above if need.above else above[:1]
    holders = (_has_any(folder, need.files) for folder in looked_at)
    holder = next(filter(None, holders), "")
    if not holder:
        return ""
    lacking = [item for item in one.items if not _may_have(holder, need.item, item)]
    return holder if lacking else None


def _runs_anyway(one: Needed, above: Sequence[str]) -> bool:
    """Return whether something else than a script or target may run in its place."""
    kind = one.need.else_runs
    if kind not in ("bin", "path") and one.need.item != "target":
        return False
    try:
        names = os.listdir(above[0])
    except OSError:  # what cannot be looked at may be there
        return True
    stems = {name.partition(".")[0] for name in names}
    if one.need.item == "target":  # `foo.c` is enough for `make foo`
        return any(item.partition(".")[0] in stems for item in one.items)
    item = next(iter(one.items), "")
    # `yarn eslint` runs a package's program without a script of that name.
    if any(_has_any(folder, [f"node_modules/.bin/{item}"]) for folder in above):
        return True
    if kind != "path":
        return False

    # `bun run build.ts` runs a file, and `bun run ls` a program.
    return not item or item in stems or shutil.which(item) is not None


def _may_have(file: str, kind: str, item: str, *, surely: bool = False) -> bool:
    """Return whether a file may have a script or target; with `surely`, if it has."""
    try:
        text = read(file).decode("utf-8").replace("\\\n", " ")
        if kind.endswith("script"):
            return _may_have_script(file, json.loads(text), item, surely=surely)
    except (OSError, ValueError, AttributeError, TypeError):
        return not surely  # the program may read what we cannot
    if surely:
        rule = rf"(?m)^@?(?:[^\t#\n:=]* )?{re.escape(item)}(?: [^\n=]*)?:(?!=)"
        return re.search(rule, text) is not None
    # Any line that has the word, but for the commands of a rule, may make it a target.
    word = rf"(?m)^(?!\t).*(?<![\w-]){re.escape(item)}(?![\w-])"
    is_unclear = re.search(_UNCLEAR[kind], text) is not None
    return is_unclear or re.search(word, text) is not None


def _may_have_script(file: str, package: Any, item: str, *, surely: bool) -> bool:
    """Return whether a `package.json` may have a script; with `surely`, if it has."""
    if item in package.get("scripts", ()):
        return True
    if surely:
        return False
    # Without such a script, npm prints the environment, and starts `server.js`.
    if item == "env":
        return True
    if item == "start" and _has_any(os.path.dirname(file), ["server.js"]):
        return True
    return "workspaces" in package  # the script may be that of a workspace


def _folders(space: Workspace, one: Needed) -> Sequence[str]:
    """Return the folders of the project that have what is needed, if all are known."""
    files = one.need.files
    paths = _paths_of(files, space)
    if space.tree.names().cut_short or len(paths) > _MOST_ENTRIES:
        return []
    folders = []
    for path in sorted(paths, key=lambda path: (path.count("/"), path)):
        folder, name = os.path.split(os.path.join(space.root, path))
        # Names are searched in any case.
        if name not in files or not _may_be_told(path, space.tree):
            continue
        file = os.path.join(folder, name)
        has_all = (
            _may_have(file, one.need.item, each, surely=True) for each in one.items
        )
        if os.path.lexists(file) and all(has_all):
            folders.append(folder)
    return [*dict.fromkeys(folders)]


def _paths_of(files: Sequence[str], space: Workspace) -> set[str]:
    """Return the paths of the project with one of some names, in any case."""
    if files == (".git",):  # which is no name of a project: two levels are looked at
        root = space.root
        levels = (glob.iglob(f"{level}/", root_dir=root) for level in ("*", "*/*"))
        return {f"{folder}.git" for folder in islice(chain(*levels), _MOST_ENTRIES)}
    names = space.tree.names()
    return {path for file in files for path in names.ends_with(file)}


def _may_be_told(path: str, tree: Tree) -> bool:
    """Return whether an answer may lead to a file: not to that of an installed package,
    or of a program in a hidden folder.
    """
    folders = path.removesuffix("/.git").split("/")[:-1]
    if any(name == "node_modules" or name.startswith(".") for name in folders):
        return False
    return tree.may_name(path.removesuffix("/.git"))


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


def ruling(reading: Reading, lack: Lack, action: Action, *notes: str) -> Ruling:
    """Return what to do about a command that lacks something."""
    tree = reading.space.tree
    command = lack.of
    cwd = os.path.join(reading.space.root, reading.call.cwd or "")
    # The journal and the payload know paths: what is missing is the file.
    file = lack.holder or os.path.join(lack.place, command.need.files[0])
    name = os.path.basename(file)
    candidates = []
    for folder in lack.folders:
        path = tree.inside(os.path.join(folder, name)) or folder
        candidates.append(Candidate(path, 0.0))
    missing = Resolution(
        file,
        "ambiguous",
        "execute",
        None,
        tuple(candidates),
        target=tree.inside(file) or file,
    )
    rule = reading.rules["execute"]
    mention = Mention(PathArgument("command", file, "execute"))
    # What precedes the command has led into the wrong folder.
    line = lack.text[command.start :]
    if command.apart or len(line) >= _LONGEST_LINE or "\n" in line:
        line = ""
    return Ruling(
        "allow" if rule == "observe" else action,
        [Finding(mention, missing, action, rule, cwd=cwd)],
        row=command.need.name,
        says="lacks",
        code=WRONG_FOLDER,
        parts={
            "file": os.path.relpath(file, cwd),
            "items": command.items if lack.holder else (),
            "folders": [os.path.relpath(folder, cwd) for folder in lack.folders],
            "above": command.need.above,
            "line": line,
        },
        notes=notes,
    )
