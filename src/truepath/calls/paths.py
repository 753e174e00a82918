"""Every path that a tool call names, wherever it is in the arguments, and how to
replace it.

A plain argument, a word of a shell command and a header of a patch all become a
`Mention`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat

from truepath import TYPE_CHECKING, Late
from truepath.calls import tools
from truepath.calls.tool_tables import HOME_HOSTS
from truepath.calls.tools import CommandText
from truepath.pathlike import as_text, like
from truepath.records import dataclass, replace
from truepath.types import MAKES, READS, Any, PathArgument, ToolCall

if TYPE_CHECKING:
    from truepath.calls import error_texts, patterns
    from truepath.calls import patch as patches
    from truepath.calls.patch import Header
    from truepath.calls.shell import path_uses, rewrite
    from truepath.calls.shell.path_uses import Survey, Use
    from truepath.types import Effect

    _Surveyed = tuple[CommandText, Survey | None]
else:
    error_texts = Late("truepath.calls.error_texts")
    patches = Late("truepath.calls.patch")
    patterns = Late("truepath.calls.patterns")
    path_uses = Late("truepath.calls.shell.path_uses")
    rewrite = Late("truepath.calls.shell.rewrite")

_MOST_TOLD = 3
"""Paths of an error, at most: answers name no more."""


_ELSEWHERE = (
    r"\bssh\s|\badb\s+shell\b|\bwsl\s"
    r"|\b(?:docker|docker-compose|podman|kubectl)\s[^;&|\n]*?\b(?:exec|run)\s"
)
"""What runs a program on another machine or in a container: its words are no paths of
this one.
"""


_PATCHING = r"\bgit\s(?:[^;&|\n]*\s)?(?:apply|am)\s|(?:^|[;&|(]\s*)patch\s"
"""What applies a patch, whose paths may be in a file that the command names."""


@dataclass(frozen=True, slots=True)
class Mention:
    """One path that a call names. What `Use` has, too, is described there."""

    argument: PathArgument
    text: CommandText | None = None
    """The command or patch that contains it; None for a plain argument."""
    use: Use | Header | None = None
    """Its position in that text."""
    entered: tuple[int, ...] = ()
    """Positions, among the call's mentions, of the folders entered before it."""
    stops_nothing_else: bool = True
    """Whether a refusal would stop nothing else in the call."""
    enters: bool = False
    rewritable: bool = True
    """Whether it may be replaced, however certain the answer is."""
    optional: bool = False
    in_git: str = ""
    home: bool = False
    """Whether a shell, or the agent program, expands the leading `~`."""
    tolerated: bool = False
    sought: bool = False
    unreported_by: str = ""
    received: str = ""

    @property
    def written(self) -> str:
        """The path as the program receives it."""
        written = self.argument.written
        return os.path.expanduser(written) if self.home else written


@dataclass(frozen=True, slots=True)
class Mentions:
    """All paths of one call."""

    call: ToolCall
    paths: Sequence[Mention]
    given: Any = None
    """The original arguments, which may contain paths as objects or bytes."""
    line_effects: frozenset[Effect] | None = None
    """What the command lines of the call do; None for a call without any."""

    @property
    def looks(self) -> bool:
        """Whether the whole call only reads, lists or searches."""
        if self.line_effects is not None:
            return self.line_effects <= {"look"}
        return all(mention.argument.operation in READS for mention in self.paths)

    @property
    def discovers(self) -> bool:
        """Whether the call lists or searches."""
        return tools.is_discovery(self.call)

    def beside(self, mention: Mention) -> list[str]:
        """Return the other paths that the command of a mention names, as written, but
        for those that it makes.
        """
        return [
            other.written
            for other in self.paths
            if other is not mention
            and other.argument.operation not in MAKES
            and other.entered == mention.entered
            and _is_one_command(mention, other)
        ]

    def rewritten(self, changes: Mapping[int, str]) -> dict[str, Any] | None:
        """Return the call's arguments with some paths replaced; None unless all of them
        can be.

        `changes` maps the position of a mention to its new path.
        """
        arguments = dict(tools.arguments_of(self.call))
        texts: dict[CommandText, dict[Any, str]] = {}
        for position, new in changes.items():
            mention = self.paths[position]
            if mention.text is None:
                arguments = tools.with_text(arguments, mention.argument, new)
            else:
                # All paths of one text at once: each moves those behind it.
                texts.setdefault(mention.text, {})[mention.use] = new
        for text, uses in texts.items():
            if tools.runs_commands(self.call):
                replaced = rewrite.rewrite(text.text, uses, powershell=text.powershell)
            else:
                replaced = patches.rewrite(text.text, uses)
            if replaced is None:
                return None
            arguments = tools.with_text(arguments, text, replaced)
        try:
            return {**like(self.given, as_text(self.given), arguments)}
        except TypeError:  # a value cannot have its original type
            return None


def _is_one_command(one: Mention, other: Mention) -> bool:
    """Return whether two mentions are in one command, or in arguments."""
    if one.text is None or one.text is not other.text:
        return one.text is other.text
    words = [getattr(mention.use, "word", None) for mention in (one, other)]
    ends = sorted(end for word in words if word for end in (word.start, word.end))
    # In a patch there are no words, and no two headers have one path.
    return len(ends) < 4 or not re.search(r"[;&|\n]", one.text.text[ends[1] : ends[2]])


def find(call: ToolCall) -> Mentions:
    """Return the paths that `call` names; none for an unknown tool."""
    given = call.arguments
    # A wrapped function may be given `Path("a.py")` or bytes.
    text = as_text(given) if isinstance(given, Mapping) else given
    if text is not given:
        call = replace(call, arguments=text)
    arguments = tools.path_arguments(call)
    if tools.runs_commands(call):
        paths, effects = _of_shell(call, arguments)
        return Mentions(call, paths, given, effects)
    # OpenAI's hosted tool has a path beside its patch.
    patch = None if arguments else tools.patch_text(call)
    if patch:
        headers = patches.headers(patch.text)
        named = [
            PathArgument(patch.argument, header.written, header.operation, "file")
            for header in headers
        ]
        paths = [*map(Mention, named, repeat(patch), headers)]
        return Mentions(call, paths, given)
    expands = call.host in HOME_HOSTS
    patterns = [each for each in arguments if tools.is_pattern(each.argument)]
    paths = [
        Mention(
            argument,
            entered=(0,) if argument in patterns and argument != arguments[0] else (),
            # If one of several files to read is missing, the others must be shown.
            stops_nothing_else=len(arguments) == 1
            or argument.index is None
            or argument.operation not in READS,
            home=expands and argument.written.startswith(("~/", "~\\")),
        )
        for argument in arguments
    ]
    return Mentions(call, paths, given)


def find_failed(call: ToolCall, error: str) -> Mentions:
    """Return the paths that a failed call names, and those in its error that it names
    without being understood.

    Where a path was to be created, its folder was missing.
    """
    mentions = find(call)
    gone = error_texts.missing_paths(error)
    needed = [_needed(mention, gone) for mention in mentions.paths]
    told = _told(mentions, _words_of(mentions, gone))
    about = error_texts.unmet_conditions(error)
    if not (needed or told) and about & {"absolute", "text"}:
        # The tool takes no relative paths, or has not found a text to replace.
        changes: dict[str, Any] = {"operation": "edit", "kind": "file"}
        uses = tools.unread_paths(call)
        if "absolute" not in about:
            uses = (replace(use, **changes) for use in uses)
        told = [Mention(use, rewritable=False) for use in uses]
    return replace(mentions, paths=[*needed, *told])


def _words_of(mentions: Mentions, gone: Sequence[str]) -> Iterable[str]:
    """Return how the call has what an error names: nothing that only a program has,
    such as an included file, for the call can do nothing about it.
    """
    call = mentions.call
    texts = [command.text for command in tools.commands(call)]
    texts = [text for text in texts if not re.search(_ELSEWHERE, text)]
    if not tools.runs_commands(call) and not mentions.paths:
        texts = list(_texts_in(tools.arguments_of(call)))
    if any(re.search(_PATCHING, text) for text in texts):
        return gone  # they are in the patch
    text = "\n".join(texts)
    return dict.fromkeys(error_texts.word_of(path, text, call.cwd) for path in gone)


def _told(mentions: Mentions, words: Iterable[str]) -> list[Mention]:
    """Return the words of a call that an error names, but for those that were known to
    be paths.
    """
    named = [mention.argument.written for mention in mentions.paths]
    entered: tuple[int, ...] = ()
    for position, mention in enumerate(mentions.paths):
        if mention.enters:
            entered = (*mention.entered, position)
    told: list[Mention] = []
    for word in words:
        argument = PathArgument("", word, "read", "any")
        if re.search(r"[*?]", word):  # what had to exist for a pattern is its folder
            folder = patterns.folder_of(word)
            argument = PathArgument("", folder, "list", "folder")
        is_known = any(_is_said(each, [word]) for each in named)
        if argument.written and not is_known:
            told.append(Mention(argument, entered=entered, rewritable=False))
    return told[:_MOST_TOLD]


def _is_said(written: str, gone: Sequence[str]) -> bool:
    """Return whether an error names a path of the call, or where that leads."""
    plain = written.removeprefix("./").rstrip("/")
    return any(f"/{path}".rstrip("/").endswith(f"/{plain}") for path in gone)


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the texts in a call's arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from chain.from_iterable(map(_texts_in, value.values()))
    elif isinstance(value, (list, tuple)):
        yield from chain.from_iterable(map(_texts_in, value))


def _of_shell(
    call: ToolCall, folders: Sequence[PathArgument]
) -> tuple[list[Mention], frozenset[Effect]]:
    """Return the folder that a call's commands run in and the paths in them, and what
    the commands do.
    """
    texts = tools.commands(call)
    surveys = [
        (text, path_uses.survey(text.text, powershell=text.powershell))
        for text in texts
    ]
    lines = [(text, line) for text, line in surveys if line is not None]
    effects = _effects(surveys)
    looks = effects <= {"look"}
    mentions = [Mention(folder, enters=True) for folder in folders]
    # Every command of the call runs in these.
    within = tuple(range(len(mentions)))
    windows = tools.may_be_windows(call)
    for text, line in lines:
        single = line.single and len(texts) == 1
        looked = {
            use.written
            for use in line.uses
            if not use.enters and use.operation not in MAKES
        }
        # The positions of a line's uses, among the mentions of all lines.
        first = len(mentions)
        for use in line.uses:
            # A line that looks at several paths shows those that exist.
            is_one_of_several = len(looked) > 1 and use.operation in READS
            mention = Mention(
                PathArgument(
                    text.argument, use.written, use.operation, use.kind, text.index
                ),
                text,
                use,
                entered=(*within, *(first + place for place in use.entered)),
                stops_nothing_else=single and not is_one_of_several,
                enters=use.enters,
                # Whether `src\\a.py` is a path or an escape is not certain enough to
                # change it.
                rewritable=looks or not use.received,
                optional=use.optional or (windows and _is_right_on_windows(use)),
                in_git=use.in_git,
                home=use.word.home,
                received=use.received,
                tolerated=use.tolerated,
                sought=use.sought,
                unreported_by=use.unreported_by,
            )
            mentions.append(mention)
    return mentions, effects


def _effects(surveys: Sequence[_Surveyed]) -> frozenset[Effect]:
    """Return what commands do; what one does that cannot be read is not known."""
    effects: set[Effect] = set()
    for text, line in surveys:
        effects |= line.effects if line else frozenset()
        # A vector was joined to one line to read it: it has no line to put back. A
        # person's aliases and modules may give a cmdlet's name to something else.
        is_clear = line and not text.joined and (line.looks or not line.powershell)
        effects |= set() if is_clear else {"other"}
    return frozenset(effects or {"other"})


def _is_right_on_windows(use: Use) -> bool:
    """Return whether what is made or listed is as it should be for PowerShell or
    cmd.
    """
    if use.operation == "list":  # `dir src\\api`, which cmd knows by no other slash
        return bool(use.received)
    return use.operation in MAKES and bool(use.received or use.written.lower() == "nul")


def _needed(mention: Mention, gone: Sequence[str]) -> Mention:
    """Return what had to exist on the disk: the folder, for a path that was to be
    created.
    """
    argument = mention.argument
    if mention.text is None or not _is_said(argument.written, gone):
        return mention
    # What git's own error names is not in git: only the disk can tell of it.
    folder = argument.written.rstrip("/").rpartition("/")[0]
    if argument.operation in MAKES and folder:
        argument = replace(argument, written=folder, operation="list", kind="folder")
    optional = mention.optional and mention.tolerated
    return replace(mention, argument=argument, in_git="", optional=optional)
