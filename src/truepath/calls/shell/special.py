"""The programs whose arguments no table can describe."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise, zip_longest

from truepath.calls.shell import archives
from truepath.calls.shell.arguments import Arguments, Found, find_paths, leading, scan
from truepath.calls.shell.commands import Command, Role, basename, lookup
from truepath.calls.shell.deeds import LOOK, UNKNOWN
from truepath.calls.shell.syntax_tree import Word
from truepath.calls.shell.tables.unix import EDIT, READ, READ_ANY, RUN, WRITE
from truepath.calls.shell.use import DESTRUCTIVE, Use, add, fixed, plain
from truepath.types import Operation

_CHANGING = DESTRUCTIVE | {"edit", "write"}


def use(command: Command, words: Sequence[Word]) -> Use:
    """Return what `command` does with `words`, its arguments without its own name."""
    arguments = scan(command, words)
    if command.special:
        return _SPECIAL[command.special](command, arguments, words)
    return plain(command, arguments)


def _rm(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    whole = plain(command, arguments)
    force = bool(arguments.options & {"-f", "--force", "--ignore-unmatch"})
    if arguments.options & {"-r", "-R", "--recursive"}:
        found = tuple(fixed(item) for item in whole.found)
        return whole._replace(found=found, optional=force)
    return whole._replace(asks=force)


def operation(command: Command, words: Sequence[Word]) -> Operation:
    """Return what `command` does to its operands."""
    role = command.operands
    if role is None:
        return "list"
    edited = (
        set(command.edit_options.split()) & scan(command, words).options
        if command.edit_options
        else set()
    )
    return "edit" if edited and role.operation == "read" else role.operation


def changes(command: Command, words: Sequence[Word]) -> bool:
    """Whether `command`, run on files that were found for it, may do more than look at them."""
    whole = use(command, words)
    does = (operation(command, words), *(item.role.operation for item in whole.found))
    unknown = command.may_create or command.nested or whole.may_create or not whole.deed.looks
    return unknown or not _CHANGING.isdisjoint(does)


# The `-i` among the flags of sed, and what follows it.
_IN_PLACE = re.compile(r"(?:-[nErsuz]*i|--in-place=)(.+)")


# The commands `w` and `e` of sed, and the flags of `s` of the same letters: it writes, it runs.
_SED_DOES = re.compile(r"(?:\A|[;{}\n/$\d!])\s*[weW](?:\s|\Z)|/[gpiImM\d]*[ew](?:[\s;}]|\Z)")


def _sed(command: Command, arguments: Arguments, words: Sequence[Word]) -> Use:
    if not arguments.options & {"-i", "--in-place"}:
        whole = plain(command._replace(backup_suffix=False), arguments)
        does = any(_SED_DOES.search(word.value or "") for word in words)
        return whole._replace(deed=UNKNOWN) if does else whole
    whole = plain(command, arguments)
    suffixes = [match[1] for word in words if (match := _IN_PLACE.fullmatch(word.value or ""))]
    if not suffixes:
        return whole
    hidden = any(word.value is None for word in arguments.operands)
    # What follows may name the copy by the name as it was written.
    copies = tuple(_copied(item.value, suffixes[-1]) for item in whole.found)
    found = tuple(fixed(item) for item in whole.found)
    return whole._replace(found=found, makes=copies, may_create=hidden)


def _copied(path: str, suffix: str) -> str:
    """Return where sed leaves a file as it was: a `*` in the suffix stands for its name."""
    folder, slash, name = path.rpartition("/")
    copy = suffix.replace("*", name) if "*" in suffix else name + suffix
    return copy if "/" in copy else folder + slash + copy


def _awk(command: Command, arguments: Arguments, words: Sequence[Word]) -> Use:
    loaded = [word.value for option, word in pairwise(words) if option.value in _INCLUDES]
    if "inplace" in loaded and command.operands is not None:
        command = command._replace(operands=command.operands._replace(operation="edit"))
    whole = plain(command, arguments)
    script = arguments.operands[0].value if arguments.operands else None
    writes = script is not None and re.search(r'>\s*["$(]|\bsystem\s*\(|\|\s*"', script)
    return whole._replace(may_create=writes is not None and bool(writes))


_INCLUDES = ("-i", "--include")


def _transfer(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    into = arguments.options & {"-t", "--target-directory"}
    if into:
        command = command._replace(last=None)
    elif len(arguments.operands) < 2:  # `cp a{,.bak}` is one word, and two
        return Use(may_create=any(word.value is None for word in arguments.operands))
    whole = plain(command, arguments)
    if any(option.startswith(("--delete", "--remove-source")) for option in arguments.options):
        return whole._replace(found=tuple(fixed(item) for item in whole.found))
    return whole


def _ln(command: Command, arguments: Arguments, words: Sequence[Word]) -> Use:
    """The target of a symbolic link is read from the link's folder, and need not exist."""
    whole = _transfer(command, arguments, words)
    if len(arguments.operands) == 1 and not whole.found:
        return _named_after(arguments.operands[0].value)
    if not arguments.options & {"-s", "--symbolic"}:
        return whole
    return whole._replace(found=tuple(item for item in whole.found if item.role.creates))


def _find(_command: Command, _arguments: Arguments, words: Sequence[Word]) -> Use:
    at = 0
    while at < len(words) and re.match(r"-[LPHDO]", words[at].value or ""):
        at += 2 if words[at].value == "-D" else 1
    found: list[Found] = []
    while at < len(words) and not _expression(words[at]):
        add(found, words[at], Role("search"))
        at += 1
    rest = words[at:]
    may_create, changed = _actions(rest)
    if changed:
        found = [fixed(item) for item in found]
    for option, word in pairwise(rest):
        if _NEWER.fullmatch(option.value or "") or option.value in ("-samefile", "-anewer"):
            add(found, word, READ_ANY)
        elif option.value in ("-fprint", "-fprint0", "-fls", "-fprintf"):
            add(found, word, WRITE)
    return Use(tuple(found), may_create, deed=UNKNOWN if may_create or changed else LOOK)


def _fd(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    whole = plain(command, arguments)
    if not arguments.options & {"-x", "--exec", "-X", "--exec-batch"}:
        return whole
    return Use(tuple(fixed(item) for item in whole.found), may_create=True, deed=UNKNOWN)


# `-newermt 2026-01-01`: what ends in `t` takes a time.
_NEWER = re.compile(r"-newer(?:[aBcm][aBcm])?")


def _expression(word: Word) -> bool:
    text = word.value if word.value is not None else word.raw.decode("utf-8", "replace")
    return text.startswith(("-", "(", "\\(")) or text in ("!", ")", ",")


_LOOKED_AT = 20
"""Words after `-exec` that are searched for an option that edits."""


def _actions(words: Sequence[Word]) -> tuple[bool, bool]:
    """Whether what `find` runs on its finds may create files, and whether it changes them."""
    may_create = changed = False
    for at, (option, word) in enumerate(zip_longest(words, words[1:])):
        if option.value == "-delete":
            changed = True
        elif option.value in ("-exec", "-execdir", "-ok", "-okdir") and word is not None:
            command = lookup(basename(word.value or ""))
            role = command.operands
            may_create = (
                may_create or command.may_create or command.nested or command.last is not None
            )
            may_create = may_create or (role is not None and role.creates)
            changed = changed or changes(command, words[at + 2 : at + _LOOKED_AT])
    return may_create, changed


def _output(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    """`uniq in out`: the operand behind the one that is read is written."""
    found = find_paths(command, arguments)
    if len(arguments.operands) > 1:
        add(found, arguments.operands[1], WRITE)
    return Use(tuple(found), may_create=any(word.value is None for word in arguments.operands[:2]))


def _compose(command: Command, _arguments: Arguments, words: Sequence[Word]) -> Use:
    """The options after the subcommand are its own: `compose logs -f web`."""
    return plain(command, scan(command, words, first=True))


_IN_COMMITS = frozenset(("-s", "--source", "-S", "--staged", "--cached", "--no-index"))


def _revision(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    """`git grep x HEAD~1 -- a.py`: with a revision before `--` git looks there, not on the disk."""
    role, named = command.operands, (arguments.before_dashes or 0) > leading(command, arguments)
    if role is not None and (named or arguments.options & _IN_COMMITS):
        command = command._replace(operands=role._replace(looked_up="history"))
    return plain(command, arguments)


def _checkout(command: Command, arguments: Arguments, words: Sequence[Word]) -> Use:
    """With `--` git puts the named files back, and only them."""
    whole = _revision(command, arguments, words)
    if command.before_dashes and arguments.before_dashes is None:
        return whole
    return whole._replace(may_create=False, makes=tuple(item.value for item in whole.found))


def _clone(_command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    if not 1 <= len(arguments.operands) <= 2:
        return Use(may_create=True)
    name = arguments.operands[-1].value
    if len(arguments.operands) == 2 and name is not None:
        return Use(makes=(name,))
    return _named_after(name and name.rstrip("/").removesuffix(".git"))


def _named_after(path: str | None) -> Use:
    """Return the use of what makes something here, by the last name of `path`."""
    return Use(makes=(path.rstrip("/").rsplit("/", 1)[-1],)) if path else Use(may_create=True)


def _make(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    """`-C` counts for what precedes it as well, so that is left out."""
    whole = plain(command, arguments)
    first = next((at for at, item in enumerate(whole.found) if item.role.enters), 0)
    return whole._replace(found=whole.found[first:])


def _tsc(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    if arguments.options & {"-b", "--build"}:
        command = command._replace(operands=READ_ANY)
    return plain(command, arguments)._replace(may_create="--noEmit" not in arguments.options)


def _perl(command: Command, _arguments: Arguments, words: Sequence[Word]) -> Use:
    options = scan(Command(valued="-e -E -I -M -m -i:0 -F:0"), words)
    if not options.options & {"-e", "-E"}:
        return plain(command._replace(operands=RUN, limit=1), options)
    if not options.options & {"-n", "-p", "-a", "-F"}:  # what the program does with them is its own
        return Use(may_create=True)
    role = EDIT if "-i" in options.options else READ
    return plain(command._replace(operands=role, limit=None), options)


def _shell(command: Command, _arguments: Arguments, words: Sequence[Word]) -> Use:
    """`-c` program texts are read where the tree is walked."""
    if any(re.fullmatch(r"-[a-z]*c", word.value or "") for word in words):
        return Use(may_create=True)
    return plain(command, scan(command, words))


def _curl(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    remote = arguments.options & {"-O", "--remote-name", "--remote-name-all", "--output-dir"}
    whole = plain(command, arguments)
    return whole._replace(may_create=whole.may_create or bool(remote))


# Scripts that set variables and make no files.
_SETTINGS = re.compile(r"activate(?:\.\w+)?|\.?env(?:\..+|rc)?|.+\.env|\.\w*(?:rc|profile)|nvm\.sh")


def _source(command: Command, arguments: Arguments, words: Sequence[Word]) -> Use:
    whole = plain(command, arguments)
    name = basename((words[0].value or "") if words else "")
    return whole._replace(may_create=_SETTINGS.fullmatch(name) is None)


def _tail(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    """`tail -F` waits for a file that is not there yet."""
    waits = arguments.options & {"-F", "--retry"}
    return plain(command, arguments)._replace(asks=bool(waits))


def _bat(command: Command, arguments: Arguments, words: Sequence[Word]) -> Use:
    """`bat cache --build` shows no file."""
    return Use() if words and words[0].value == "cache" else plain(command, arguments)


def _log(command: Command, arguments: Arguments, _words: Sequence[Word]) -> Use:
    """Without `--`, git takes for a path only what is on the disk: `git log a.py`."""
    if command.operands is not None and arguments.before_dashes is None:
        command = command._replace(operands=command.operands._replace(looked_up="disk"))
    return plain(command, arguments)


def _diff(command: Command, arguments: Arguments, words: Sequence[Word]) -> Use:
    """With `--` and without a revision, what git compares is in its index."""
    role, named = command.operands, arguments.before_dashes != 0
    if role is not None and not (named or arguments.options & _IN_COMMITS):
        command = command._replace(operands=role._replace(looked_up="index"))
    return _log(command, arguments, words)


_Rule = Callable[[Command, Arguments, Sequence[Word]], Use]
_SPECIAL: Mapping[str, _Rule] = {
    "tail": _tail,
    "bat": _bat,
    "diff": _diff,
    "log": _log,
    "rm": _rm,
    "sed": _sed,
    "awk": _awk,
    "transfer": _transfer,
    "ln": _ln,
    "find": _find,
    "fd": _fd,
    "tar": archives.tar,
    "zip": archives.zip_archive,
    "pack": archives.pack,
    "zstd": archives.zstd,
    "unzip": archives.unzip,
    "output": _output,
    "compose": _compose,
    "revision": _revision,
    "checkout": _checkout,
    "clone": _clone,
    "make": _make,
    "tsc": _tsc,
    "perl": _perl,
    "shell": _shell,
    "curl": _curl,
    "source": _source,
}
