"""Programs that pack and unpack: what they read, and what they take away."""

from __future__ import annotations

import re
from collections.abc import Sequence

from truepath.calls.shell.arguments import Arguments, Found, scan
from truepath.calls.shell.commands import Command, Role
from truepath.calls.shell.deeds import LOOK, UNKNOWN
from truepath.calls.shell.syntax_tree import Word
from truepath.calls.shell.tables.unix import COPY, EDIT, ENTER, MOVE, READ, WRITE
from truepath.calls.shell.use import Use, add, plain

_TAR_TAKES = (
    "-b -I -H -V -g -K -N -F --exclude --strip-components --transform --xform"
    " --use-compress-program --format --owner --group --mode --mtime --one-top-level:0"
    " --checkpoint:0 --wildcards:0"
)


def tar(_command: Command, _arguments: Arguments, words: Sequence[Word]) -> Use:
    """Options in the old manner or the new; what is packed is copied, or moved."""
    old = words[0].value if words else None
    letters = old if old is not None and re.fullmatch(r"[A-Za-z]+", old) else ""
    rest = words[1:] if letters else words
    archive: list[Found] = []
    if "f" in letters and rest:
        rest, holder = rest[1:], rest[0]
        add(archive, holder, READ)
    paths = {"-f": READ, "--file": READ, "-C": ENTER, "--directory": ENTER, "-T": READ,
             "--files-from": READ, "-X": READ, "--exclude-from": READ}  # fmt: skip
    arguments = scan(Command(valued=_TAR_TAKES, paths=paths), rest)
    modes = {f"-{letter}" for letter in letters} | arguments.options
    creating = bool(modes & {"-c", "--create", "-r", "-u", "--append"})
    extracting = bool(modes & {"-x", "--extract", "--get"})
    named = [item for item in arguments.found if not item.role.enters]
    entered = [item for item in arguments.found if item.role.enters]
    found = archive + named
    if "--delete" in modes:
        found = [item._replace(role=EDIT) if item.role is READ else item for item in found]
    removing = "--remove-files" in modes
    if creating:
        found = [item._replace(role=WRITE) if item.role is READ else item for item in found]
        for word in arguments.operands:
            add(entered, word, MOVE if removing else COPY)
    return Use((*found, *entered), extracting, deed=UNKNOWN if removing else LOOK)


def zip_archive(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    """The first operand is the archive that is made or changed."""
    moving = arguments.options & {"-m", "--move"}
    whole = plain(command._replace(operands=MOVE) if moving else command, arguments)
    if not arguments.operands:
        return whole
    archive = arguments.operands[0]
    found = list(whole.found)
    add(found, archive, WRITE)
    deed = UNKNOWN if moving else LOOK
    return Use(tuple(found), archive.value is None, makes=(f"{archive.value}.zip",), deed=deed)


_KEEPS = frozenset(
    ("-c", "-k", "-t", "-l", "--stdout", "--to-stdout", "--keep", "--test", "--list")
)


def pack(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    """gzip and its like put the packed file in the place of the one they read."""
    if not arguments.options & _KEEPS:
        command = command._replace(operands=Role("move", "file"))
    whole = plain(command, arguments)
    listing = arguments.options & {"-c", "-t", "-l", "--stdout", "--to-stdout", "--test", "--list"}
    return whole._replace(may_create=not listing)


def zstd(command: Command, arguments: Arguments, words: Sequence[Word]) -> Use:
    """It keeps what it reads, but with `--rm`."""
    keeps = "--rm" not in arguments.options
    return plain(command, arguments) if keeps else pack(command, arguments, words)


def unzip(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    """With `-l` and its like it only lists."""
    listing = arguments.options & {"-l", "-t", "-v", "-p", "-Z", "-z"}
    return plain(command, arguments)._replace(may_create=not listing)
