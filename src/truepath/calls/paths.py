"""Every path that a tool call names, wherever it is in the arguments, and how to replace it.

A plain argument, an operand of a shell command and a header of a patch become the same thing
here, so that nothing after this module asks where a path came from.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from truepath.calls import tools
from truepath.calls.tool_names import fold, folded
from truepath.calls.tool_tables import WHOLE_NAMES
from truepath.records import dataclass, replace
from truepath.types import READS, PathArgument, Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.calls.shell.command_line import Reading
    from truepath.calls.shell.deeds import Deed
    from truepath.calls.shell.operand import Operand

_WHOLE = folded(WHOLE_NAMES)

_FROM_ERROR = 3
"""Paths taken from an error text: as many as an answer tells of (`report.SHOWN`)."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One path named by a call."""

    argument: PathArgument
    text: tools.CommandText | None = None
    """The command or patch that holds it; None for a plain argument."""
    operand: Operand | None = None
    entered: tuple[int, ...] = ()
    """Positions, among the call's mentions, of the folders entered before it."""
    alone: bool = True
    """Whether nothing else of the call runs when it is refused."""
    enters: bool = False
    """Whether the call works in this folder."""
    rewritable: bool = True
    """Whether it may be replaced at all, however sure the answer."""

    @property
    def written(self) -> str:
        """The path as the program will receive it."""
        home = self.operand is not None and self.operand.home
        return os.path.expanduser(self.argument.written) if home else self.argument.written

    @property
    def optional(self) -> bool:
        """Whether the command itself accepts that it is missing."""
        return self.operand is not None and self.operand.optional

    def known_to_git(self, listed: Callable[[str], object], target: str) -> bool:
        """Return whether the program asks git, not the disk, and git knows the path.

        Args:
            listed: Says what git tracks at a root-relative path.
            target: The path, relative to the root.
        """
        if self.operand is None or self.operand.looked_up == "disk":
            return False
        return self.operand.looked_up == "history" or listed(target) is not None


@dataclass(frozen=True, slots=True)
class Mentions:
    """All paths of one call."""

    call: ToolCall
    each: Sequence[Mention]
    cwd: str | None = None
    """The agent's working directory. A call with a folder of its own has entered that one."""
    whole: str | None = None
    """The argument that the arguments of `call` came in, as one object; None as a rule."""

    def rewritten(self, changes: Mapping[int, str]) -> dict[str, Any] | None:
        """Return the call's whole arguments with some paths replaced; all of them, or None.

        Args:
            changes: The position of a mention to the path that takes its place.
        """
        arguments = dict(self.call.arguments)
        texts: dict[tools.CommandText, dict[Operand, str]] = {}
        for at, new in changes.items():
            mention = self.each[at]
            if mention.text is not None and mention.operand is not None:
                texts.setdefault(mention.text, {})[mention.operand] = new
            else:
                arguments = tools.with_path(arguments, mention.argument, new)
        for text, operands in texts.items():
            replaced = _rewrite(self.call, text, operands)
            if replaced is None:
                return None
            arguments = tools.with_command(arguments, text, replaced)
        return arguments if self.whole is None else {self.whole: arguments}


def find(call: ToolCall) -> Mentions:
    """Return the paths that `call` names; none for a tool that is not known to take any."""
    whole = _whole_argument(call.arguments)
    if whole is not None:
        call = replace(call, arguments=call.arguments[whole])
    plain = tools.path_arguments(call)
    folder = tools.folder_argument(call) if plain else None
    within = tuple(at for at, argument in enumerate(plain) if argument.argument == folder)
    each = [Mention(argument, alone=not _is_one_of_several(argument, plain)) for argument in plain]
    if tools.runs_commands(call):
        each += _of_commands(call, each, within)
    patch = None if plain else tools.patch_argument(call)
    if patch is not None:
        each += _of_patch(tools.CommandText(patch, call.arguments[patch]))
    return Mentions(call, each, call.cwd, whole)


def _whole_argument(arguments: object) -> str | None:
    """Return the one argument that is an object with all the others; None where there is none."""
    if not isinstance(arguments, (dict, Mapping)) or len(arguments) != 1:
        return None
    [(key, value)] = arguments.items()
    is_whole = isinstance(key, str) and isinstance(value, Mapping) and fold(key) in _WHOLE
    return key if is_whole else None


def _is_one_of_several(argument: PathArgument, every: Sequence[PathArgument]) -> bool:
    """Whether a tool is asked to read several files: the others must not be refused with one."""
    listed = argument.index is not None and argument.operation in READS
    return listed and sum(other.argument == argument.argument for other in every) > 1


def find_failed(call: ToolCall, error: str) -> Mentions:
    """Return the paths that a failed call names; where it names none, those that its error does.

    What was to be made failed for want of its folder, and what the error names is unknown to git.
    """
    from truepath.calls.error_texts import missing_paths

    mentions, gone = find(call), missing_paths(error)
    if mentions.each:
        return replace(mentions, each=[_needed(each, gone) for each in mentions.each])
    named = [PathArgument("", path, "read", "any") for path in gone[:_FROM_ERROR]]
    return replace(mentions, each=[Mention(argument) for argument in named])


def _needed(mention: Mention, gone: Collection[str]) -> Mention:
    """Return what had to be there on disk: of a path that was to be made, its folder."""
    argument, operand = mention.argument, mention.operand
    if operand is None or argument.written not in gone:
        return mention
    folder = argument.written.rstrip("/").rpartition("/")[0]
    if argument.operation in ("write", "mkdir") and folder:
        argument = replace(argument, written=folder, operation="list", kind="folder")
    return replace(mention, argument=argument, operand=replace(operand, looked_up="disk"))


def is_ordered(call: ToolCall, resolution: Resolution) -> bool:
    """Return whether the user typed this path, as the agent wrote it or from the project's root.

    A bare name is no path: it says what is meant, and leaves it to the agent where that is.
    """
    if not call.prompt:
        return False
    typed = {resolution.written, resolution.target}
    return any("/" in path.strip("/") and _stands_in(path, call.prompt) for path in typed)


def is_named(call: ToolCall, folder: str) -> bool:
    """Return whether the user typed a folder, or a path below it, or its name as a word."""
    name = folder.rpartition("/")[2]
    return bool(name) and (folder in call.prompt or _stands_in(name, call.prompt))


def _stands_in(path: str, text: str) -> bool:
    """Whether a text names this very path: not one that ends with it, nor one that goes on."""
    name = re.escape(path.rstrip("/"))
    return re.search(rf"(?<![\w./~-])(?:\./)?{name}(?![\w-]|[./]\w)", text) is not None


def _of_commands(call: ToolCall, plain: list[Mention], within: tuple[int, ...]) -> list[Mention]:
    """Return the paths of a call's commands; the folder they run in is judged by what they do."""
    from truepath.calls.shell.command_line import Reading, read

    found: list[Mention] = []
    texts = tools.commands(call)
    readings = [read(text.text) for text in texts]
    for text, reading in zip(texts, readings, strict=True):
        found += _of_command(text, reading, len(plain) + len(found), within)
    for at in within:
        for deed in [each.deed for each in readings] or [Reading().deed]:
            plain[at] = _judged(plain[at], deed)
    return found


def _judged(mention: Mention, deed: Deed) -> Mention:
    """Return a folder that commands run in, judged by what they do there."""
    from truepath.calls.shell.deeds import deed_of

    argument = mention.argument
    both = deed_of(argument.operation, certain=mention.rewritable).with_(deed)
    if both.operation != argument.operation:
        argument = replace(argument, operation=both.operation)
    return replace(mention, argument=argument, enters=True, rewritable=both.certain)


def _of_command(
    command: tools.CommandText, reading: Reading, start: int, within: tuple[int, ...]
) -> list[Mention]:
    # Of several paths that are looked at, a program shows those that are there.
    read = {each.written for each in reading.operands if not each.enters and not each.creates}
    several = len(read) > 1
    return [
        Mention(
            _argument(command, operand),
            command,
            operand,
            entered=(*within, *(start + at for at in operand.cwd)),
            alone=reading.single and not (several and operand.operation in READS),
            enters=operand.enters,
            rewritable=operand.rewritable,
        )
        for operand in reading.operands
    ]


def _of_patch(patch: tools.CommandText) -> list[Mention]:
    from truepath.calls.patch import operands

    return [
        Mention(_argument(patch, operand), patch, operand, rewritable=operand.rewritable)
        for operand in operands(patch.text)
    ]


def _argument(text: tools.CommandText, operand: Operand) -> PathArgument:
    operation = "write" if operand.creates and operand.operation != "mkdir" else operand.operation
    return PathArgument(text.argument, operand.written, operation, operand.kind, text.index)


def _rewrite(
    call: ToolCall, text: tools.CommandText, operands: Mapping[Operand, str]
) -> str | None:
    if tools.patch_argument(call) == text.argument:
        from truepath.calls import patch

        return patch.rewrite(text.text, operands)
    from truepath.calls.shell.command_line import rewrite

    return rewrite(text.text, operands)
