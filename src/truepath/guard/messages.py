"""Every text that an agent reads; those of a check are in its row of `checks`.

Texts are short, with the answer in the first line and names quoted and escaped, because
file names are hostile. Candidates are in the order of their ranking, each with its
reason; the payload has the same paths in the same order. The plugins' fallback for
machines without Python (`plugins/truepath/bin/guide.sh`) gives the same advice on
searching.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from posixpath import basename

from truepath import TYPE_CHECKING, Late
from truepath.guard.texts import (
    CAUSES,
    LOOKS_WRONG,
    NOT_A_FILE,
    NOT_A_FOLDER,
    NOT_ABSOLUTE,
    NOT_FOUND,
    OF_PATH,
    OTHER_CHECKOUT,
    SELF_EVIDENT,
    SHIFT,
    TEXTS,
    TOO_LARGE,
    UNSEEN,
    WRONG_FOLDER,
    said,
)
from truepath.paths import fold
from truepath.quoting import escaped, shown
from truepath.records import dataclass
from truepath.resolve.vetoes import ASSUMED_FROM, casts_doubt
from truepath.types import (
    KEPT,
    NOT_SEARCHED,
    OPERATION_KINDS,
    READS,
    Action,
    Any,
    Candidate,
    Decision,
    Resolution,
)

if TYPE_CHECKING:
    import shlex
    import unicodedata
else:
    shlex = Late("shlex")
    unicodedata = Late("unicodedata")

SCHEMA = 1
"""The version of the payload; new keys do not change it."""

SHOWN = 3
"""Candidates in the text, at most: a long list prolongs an agent's loop."""

NAMESAKES = 10
"""The same, if several files have the written name and none is likely."""

LIKELY = ASSUMED_FROM
"""The confidence from which a candidate is what the next step is about, even for a call
that changes something."""

PROBABLE = 0.3
"""The same for a call that only looks."""

FOLDERS = 5
"""Folders that have what a command needs, at most."""

LISTED = 8
"""Entries of the nearest folder in the text, at most."""

LONGEST = 1900
"""Characters of a whole answer; hosts truncate or drop long ones."""

_MAKING = ("write", "mkdir")
_NOT_YET = ("not-made", "not-installed")
"""Causes of a path that no search finds."""
_SEARCH = TEXTS["search"].partition("{")[0]

_PATTERN = 120
"""Characters of a name in a pattern; a `*` replaces the rest."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is near a missing path, and how to write paths for this agent."""

    folder: str = ""
    """The nearest folder that exists, root-relative, `""` for the root."""
    entries: Sequence[str] = ()
    """The entries of that folder; folders end in `/`."""
    spell: Callable[[str], str] = str
    """Writes a root-relative path as this agent can use it."""
    step: str = "use"
    """How the next step begins: the name of the tool, if it takes a path."""

    def path(self, candidate: Candidate) -> str:
        """Return a candidate's path, quoted."""
        path = self.spell(candidate.path)
        if candidate.folder:
            path = path.rstrip("/") + "/"
        return shown(path)

    def shown(self, candidate: Candidate) -> str:
        """Return a candidate's path, quoted, with its reason."""
        return self.path(candidate) + _bracketed(_reason(candidate))

    def place(self) -> str:
        """Return the name of the folder."""
        where = self.spell(self.folder)
        if where in ("", "."):
            return "the current folder" if self.folder else "the project root"
        return shown(where.rstrip("/") + "/")


def named(resolution: Resolution) -> Sequence[Candidate]:
    """Return the candidates that an answer names, best first."""
    candidates = resolution.candidates
    if resolution.cause == "marked-wrong":
        candidates = candidates[1:]  # the user has said no to the first
    making = resolution.operation in _MAKING
    if making or resolution.status in ("resolved", "outside"):
        return candidates[:1]
    if candidates and candidates[0].confidence >= LIKELY:
        return candidates[:SHOWN]
    # None is likely: an agent that knows what it wants finds it in the list.
    name = basename(resolution.target.rstrip("/"))
    namesakes = [
        candidate
        for candidate in candidates[SHOWN:]
        if basename(candidate.path) == name
    ]
    return [*candidates[:SHOWN], *namesakes][:NAMESAKES]


def corrected(resolution: Resolution, written: str, used: str) -> str:
    """Return the text for a call that runs with `used`, the right path, instead of
    `written`.
    """
    return said(
        "corrected",
        used=shown(used),
        written=shown(written),
        why=_why(resolution),
    )


def assumed(
    resolution: Resolution, written: str, used: str, around: Surroundings
) -> str:
    """Return the text for a call that shows `used`, a likely file, instead of
    `written`.
    """
    best, *others = named(resolution)
    text = said(
        "assumed",
        used=shown(used),
        written=shown(written),
        noun="folder" if best.folder else "file",
        why=_why(resolution),
    )
    if not others:
        return text
    paths = ", ".join(map(around.path, others))
    return text + said("others", paths=paths)


def missing(
    resolution: Resolution,
    action: Action,
    around: Surroundings,
    *,
    guide: bool = False,
    tools: Sequence[str] = (),
) -> str:
    """Return the text for a missing path or one of the wrong kind, with what exists
    instead.

    `guide` says whether the text says how to search. `tools` are the agent's known
    search tools.
    """
    if resolution.status == "directory":
        of_path = {"code": code(resolution), "written": shown(resolution.written)}
        if resolution.cause == "file":
            return said("file", **of_path)
        # The file that is meant may be one of the entries.
        return "\n".join([said("folder", **of_path), *_listing(around)])
    if resolution.operation in _MAKING:
        return _looks_wrong(resolution, around, action)
    text = _not_there(resolution, around)
    candidates = named(resolution)
    if not candidates and resolution.cause in KEPT:
        return f"{text}\n{_brought_back(resolution, around)}"
    if guide:
        # A list comes directly below the words that announce it.
        search = search_for(resolution, tools)
        first, _, step = text.partition("\n")
        lines = [text, search] if len(candidates) > 1 else [first, search, step]
        return "\n".join(filter(None, lines))
    if candidates or resolution.cause in _NOT_YET:
        return text
    return with_search("\n".join([text, *_listing(around)]), tools)


def with_search(answer: str, tools: Sequence[str]) -> str:
    """Return an answer that ends with the step to search, with the agent's tools."""
    step = said("search", tools=f" ({', '.join(tools)})" if tools else "")
    return f"{without_step(answer)}\n{step}"


def is_weak(resolution: Resolution) -> bool:
    """Return whether an answer names candidates of which none is likely."""
    candidates = named(resolution)
    return bool(candidates) and candidates[0].confidence < LIKELY


def again(
    resolution: Resolution,
    around: Surroundings,
    count: int,
    *,
    looked: bool,
    tools: Sequence[str] = (),
) -> str:
    """Return the text for a path that was missed `count` turns in a row: what was said
    before is not repeated, but for the one thing to do.

    `looked` says whether the agent has listed or searched in between; `tools` are as in
    `missing`.
    """
    has_candidates = bool(named(resolution))
    first = said(
        "again named" if has_candidates else "again",
        code=code(resolution),
        written=shown(resolution.written),
        why=_bracketed(note_of(resolution)),
        count=str(count),
    )
    if has_candidates:
        return _with_candidates(first, resolution, around)
    if resolution.cause in KEPT:
        return f"{first}\n{_brought_back(resolution, around)}"
    if resolution.status == "ambiguous" and not looked:
        # What it was offered, it has not taken (`guard._not_again`).
        return with_search(first, tools)
    if around.folder and around.entries and not looked:
        return f"{first}\n{said('list', path=around.place())}"
    # It has looked, and knows no more: only the user does.
    return f"{first}\n{said('ask')}"


def other_checkout(resolution: Resolution, top: str, around: Surroundings) -> str:
    """Return the text for a path in another checkout of the repository, which begins at
    `top`.
    """
    return said(
        "elsewhere",
        code=OTHER_CHECKOUT,
        written=shown(resolution.written),
        top=shown(top),
        path=around.shown(resolution.candidates[0]),
    )


def acts(
    resolution: Resolution, *, top: str, own: str, folder: bool, again: bool
) -> str:
    """Return the text for a call that acts in another checkout.

    Args:
        resolution: The place; with its counterpart, if that is there.
        top: The top of the other checkout.
        own: The counterpart, or the top of the session's own checkout, as the agent
            would write it.
        folder: Whether a command runs there, and no path is named.
        again: Whether the same call would run.
    """
    here = "here" if resolution.candidates else "works in"
    return said(
        "other folder" if folder else "other path",
        code=OTHER_CHECKOUT,
        written=shown(resolution.written),
        top=shown(top),
        here=said(here, path=shown(own)),
        repeat=said("repeat") if again else "",
    )


def notice(decisions: Iterable[Decision], root: str) -> str:
    """Return the line for the user about calls whose paths were changed, or were to
    be, or that were refused; "" for none.
    """
    # Of a path that a line names twice, once.
    parts: dict[str, None] = {}
    for decision in decisions:
        if decision.end:
            written = (decision.payload or {}).get("written", "")
            parts[f"{escaped(written)} ran as it was written"] = None
        elif decision.action == "rewrite":
            parts.update(dict.fromkeys(_changes(decision, root)))
        else:
            parts[_refused(decision, root)] = None
    return f"truepath: {'; '.join(parts)}" if parts else ""


def _changes(decision: Decision, root: str) -> Iterator[str]:
    for resolution in decision.resolutions:
        if resolution.path is None or resolution.status == "exists":
            continue
        change = f"{_written(resolution, root)} -> {escaped(resolution.path)}"
        is_likely = resolution.status == "likely"
        yield f"{change}, the likely file" if is_likely else change


def _refused(decision: Decision, root: str) -> str:
    """Return what the user reads about a refusal: the path, the code, and the first
    file that the agent reads.
    """
    reason = (decision.payload or {}).get("code", "")
    missing = [each for each in decision.resolutions if each.status != "exists"]
    done = "asked about" if reason == LOOKS_WRONG else "refused"
    for resolution in (*missing, *decision.resolutions):
        line = f"{done} {_written(resolution, root)} ({reason})"
        told = named(resolution)
        return f"{line}, named {escaped(told[0].path)}" if told else line
    return f"{done} ({reason})"


def _written(resolution: Resolution, root: str) -> str:
    if resolution.outside:  # of two checkouts, the inner one looks the same
        return escaped(resolution.written)
    return escaped(resolution.written.removeprefix(f"{root}/"))


def wrong_folder(
    file: str,
    items: Sequence[str],
    folders: Sequence[str],
    *,
    above: bool,
    line: str,
    again: bool,
) -> str:
    """Return the text for a command that needs a file, or some items in it, which other
    folders have.

    Args:
        file: The file, relative to the agent's folder.
        items: The scripts or targets that it lacks; none if there is no such file.
        folders: Those that have what is needed, likewise relative.
        above: Whether a folder above would do.
        line: The command as it would run in one of them; "" if it names its folder.
        again: Whether the same call would run.
    """
    first = said(
        "lacks items" if items else "lacks file",
        code=WRONG_FOLDER,
        file=shown(file),
        items=" and ".join(map(shown, items)),
        above=", nor above it" if above else "",
        repeat=said("repeat") if again else "",
    )
    names = ", ".join(shown(f"{folder}/") for folder in folders[:FOLDERS])
    left = len(folders) - FOLDERS
    if left > 0:
        names += f" and {left} more"
    if len(folders) > 1:
        return said("have it", first=first, folders=names)
    if not line:
        return said("has it", first=first, folders=names)
    line = shown(f"cd {shlex.quote(folders[0])} && {line}", longest=480)
    return said("run there", first=first, line=line)


def not_absolute(resolution: Resolution, path: str, around: Surroundings) -> str:
    """Return the text for a relative path, given to a tool that takes absolute ones
    only, which is at `path`.
    """
    written = shown(resolution.written)
    why = _why(resolution)
    first = said("not absolute", code=NOT_ABSOLUTE, written=written, why=why)
    return f"{first}\n{said('next', step=around.step, path=shown(path))}"


def in_the_way(decision: Decision) -> str:
    """Return the answer to an edit that created a new file at the wrong path.

    Where that looks like another one, the file may be meant: no second one is the next
    step.
    """
    new = [
        said(
            "made",
            code=LOOKS_WRONG,
            written=shown(resolution.written),
            why=_why(resolution),
            path=shown(resolution.candidates[0].path),
        )
        for resolution in decision.resolutions
        if code(resolution) == LOOKS_WRONG and resolution.candidates
    ]
    if new and not decision.shift:
        return joined(new)
    made = [
        shown(resolution.written)
        for resolution in decision.resolutions
        if code(resolution) == NOT_FOUND
    ]
    if not made:
        return joined([decision.text])
    return joined([said("in the way", paths=", ".join(made)), decision.text])


def unseen(resolution: Resolution) -> str:
    """Return the text for a path that was not created, because similar ones were
    missed.
    """
    return said("unseen", code=UNSEEN, written=shown(resolution.written))


def shift(*, count: int, same: bool, tried: Sequence[str]) -> str:
    """Return what tells an agent before an answer to stop guessing.

    It missed `count` turns in a row, before this with the paths `tried`; `same` says
    whether all may be one file.
    """
    before = ", ".join(shown(path) for path in tried[-SHOWN:])
    return said(
        "shift",
        code=SHIFT,
        count=str(count),
        target=" for the same target" if same else "",
        before=f", before this {before}" if before else "",
    )


def more(count: int) -> str:
    """Return the text for paths that were replaced and are not named."""
    return said("more", count=str(count))


def without_step(answer: str) -> str:
    """Return an answer without its step to search."""
    lines = answer.split("\n")
    return "\n".join(line for line in lines if not line.startswith(_SEARCH))


def joined(texts: Sequence[str], *, counts: bool = False) -> str:
    """Join the texts that fit into one that no host truncates; the first is always
    whole.

    Of several steps to search, only the last is kept. `counts` adds how many texts are
    left out.
    """
    searches = [text for text in texts if f"\n{_SEARCH}" in text]
    kept: list[str] = []
    room = LONGEST
    if counts:
        room -= len(said("more", count="100"))
    for answer in texts:
        text = without_step(answer) if answer in searches[:-1] else answer
        if kept and len(text) >= room:
            break
        kept.append(text)
        room -= len(text) + 1
    left = len(texts) - len(kept)
    if counts and left:
        kept.append(said("more", count=str(left)))
    return "\n".join(kept)


def is_answer(text: str) -> bool:
    """Return whether a text is an answer of truepath that a host passes back."""
    codes = (
        NOT_FOUND,
        NOT_A_FILE,
        NOT_A_FOLDER,
        LOOKS_WRONG,
        OTHER_CHECKOUT,
        SHIFT,
        UNSEEN,
        WRONG_FOLDER,
        TOO_LARGE,
    )
    return any(code in text for code in codes)


def code(resolution: Resolution) -> str:
    """Return the code that begins the answer to a resolution."""
    if resolution.status == "directory":
        return NOT_A_FOLDER if resolution.cause == "file" else NOT_A_FILE
    if resolution.status == "outside":
        return OTHER_CHECKOUT
    if resolution.operation in _MAKING:
        return LOOKS_WRONG
    return NOT_FOUND


def payload(
    code: str, resolutions: Sequence[Resolution], **more: Any
) -> Mapping[str, Any]:
    """Return the answer as data: the same content, with every candidate."""
    paths = [as_data(resolution) for resolution in resolutions]
    return {"schema": SCHEMA, "code": code, "paths": paths, **more}


def as_data(resolution: Resolution) -> dict[str, Any]:
    """Return a resolution as JSON-ready data, its cause in words too."""
    return {**resolution.to_dict(), "note": note_of(resolution)}


def note_of(resolution: Resolution) -> str:
    """Return the cause of a resolution in words; empty for none."""
    return resolution.note or CAUSES.get(resolution.cause, "")


def _not_there(resolution: Resolution, around: Surroundings) -> str:
    """Return the text for a path that has to exist and does not: its candidates come
    last, on lines of their own.
    """
    candidates = named(resolution)
    cut_short = resolution.searched.cut_short
    rest = "others may exist" if candidates else "it may be elsewhere"
    parts = {
        "code": NOT_FOUND,
        "written": shown(resolution.written),
        "why": _bracketed(note_of(resolution)),
        "cut": said("cut short", rest=rest) if cut_short else "",
    }
    if not candidates:
        # Of a path that is held back, or of a search that was cut, nothing is excluded.
        if resolution.status != "absent" or cut_short:
            return said("missing", **parts)
        return said("absent", scope=_scope(resolution, around), **parts)
    if len(candidates) == 1 and _is_next(candidates[0], resolution):
        parts["why"] = _why(resolution)
    return _with_candidates(said("missing", **parts), resolution, around)


def _with_candidates(first: str, resolution: Resolution, around: Surroundings) -> str:
    """Return an answer that ends with the candidates that it names."""
    candidates = named(resolution)
    if len(candidates) > 1:
        name = "parts" if resolution.cause == "several" else "which"
        # A reason that all of them have helps nobody to choose.
        alike = len({_reason(candidate) for candidate in candidates}) == 1
        lines = map(around.path if alike else around.shown, candidates)
        paths = "\n".join(lines)
        return said(name, first=first, paths=paths)
    candidate = candidates[0]
    if not _is_next(candidate, resolution):
        return f"{first}\n{said('question', path=around.shown(candidate))}"
    # A tool for files takes no folder.
    kind = "folder" if candidate.folder else "file"
    takes = OPERATION_KINDS[resolution.operation] in ("any", kind)
    step = around.step if takes else "use"
    return f"{first}\n{said('next', step=step, path=around.path(candidate))}"


def _is_next(candidate: Candidate, resolution: Resolution) -> bool:
    """Return whether the only candidate is the next step, rather than a question."""
    if resolution.operation == "delete":
        return False  # no step is named that cannot be undone
    if casts_doubt(resolution.held_back):
        # Another path may be meant, or a new one would overwrite what exists.
        return False
    if resolution.operation in _MAKING:  # the folder that is meant exists
        return True
    looks = resolution.operation in READS
    return candidate.confidence >= (PROBABLE if looks else LIKELY)


def _looks_wrong(resolution: Resolution, around: Surroundings, action: Action) -> str:
    """Return the text for a path that is about to be created and looks like an existing
    one.
    """
    # A reason is said once: beside the path that is asked about, if one is.
    candidates = named(resolution)
    is_asked = bool(candidates) and not _is_next(candidates[0], resolution)
    first = said(
        "new",
        code=LOOKS_WRONG,
        written=shown(resolution.written),
        why="" if is_asked else _why(resolution),
        repeat="" if action == "advise" else said("repeat"),
    )
    if not candidates:
        return first
    return _with_candidates(first, resolution, around)


def _why(resolution: Resolution) -> str:
    """Return what a text says of the missing path, in brackets: what is known of it,
    else what its first candidate makes of it.
    """
    why = note_of(resolution)
    if not why and resolution.candidates:
        reason = _reason(resolution.candidates[0])
        why = OF_PATH.get(reason, reason)
    return _bracketed(why)


def _reason(candidate: Candidate) -> str:
    """Return why a path is a candidate; nothing for what the two paths show."""
    return "" if candidate.why in SELF_EVIDENT else candidate.why


def _brought_back(resolution: Resolution, around: Surroundings) -> str:
    """Return how git puts a path of its index on the disk."""
    root = around.spell("") or "."
    git = "git" if root == "." else f"git -C {shlex.quote(root)}"
    path = resolution.target
    if resolution.cause == "sparse":
        folder = path  # git adds folders, not files
        if resolution.operation != "list":
            folder = path.rpartition("/")[0] or path
        return said(
            "sparse", add=shown(f"{git} sparse-checkout add {shlex.quote(folder)}")
        )
    if resolution.cause == "conflict":
        return said("conflict", status=shown(f"{git} status"))
    if resolution.cause == "submodule":
        update = f"{git} submodule update --init {shlex.quote(around.folder)}"
        return said("submodule", update=shown(update.removesuffix(" ''")))
    return said("restore", restore=shown(f"{git} restore -- {shlex.quote(path)}"))


def _scope(resolution: Resolution, around: Surroundings) -> str:
    """Return where the path was searched and not found, in words."""
    searched = resolution.searched
    if not searched.names:
        return "" if resolution.cause in NOT_SEARCHED else said("not meant")
    noun = "file" if searched.names == 1 else "files"
    history = ""
    if searched.history and not note_of(resolution):
        history = said("no departure")
    # "Nothing like it" would be wrong beside a list with such an entry.
    missing = resolution.target.removeprefix(f"{around.folder}/").partition("/")[0]
    start = fold(missing).strip("\"'`")[:3]
    alike = [entry for entry in around.entries if fold(entry).startswith(start)]
    return said(
        "none of it" if start and alike else "none like it",
        names=f"{searched.names:,} {noun}",
        history=history,
    )


def _bracketed(clause: str) -> str:
    """Return a clause in brackets, bounded so that it can contain two names."""
    return f" ({shown(clause, longest=480)[1:-1]})" if clause else ""


def _listing(around: Surroundings) -> list[str]:
    """Return the line that lists the nearest folder."""
    if not around.entries:
        return []
    entries = ", ".join(map(shown, around.entries[:LISTED]))
    left = len(around.entries) - LISTED
    if left > 0:
        entries += f" and {left} more"
    return [said("listing", place=around.place(), entries=entries)]


def search_for(resolution: Resolution, tools: Sequence[str]) -> str:
    """Return how to search for a missing path before giving up, with the known search
    `tools`.
    """
    folder, _, name = resolution.target.rstrip("/").rpartition("/")
    parent = folder.rpartition("/")[2]
    patterns = f"`**/{pattern(name)}`"
    if parent:  # which tells namesakes apart
        patterns = f"`**/{pattern(parent)}/{pattern(name)}`, then {patterns}"
    with_tools = f", with {', '.join(tools)}" if tools else ""
    return said("guide", tools=with_tools, patterns=patterns)


def rules_for_agents() -> str:
    """Return the rules for a file of instructions, such as `AGENTS.md`."""
    with open(f"{os.path.dirname(__file__)}/rules.md", encoding="utf-8") as file:
        return file.read()


def pattern(name: str) -> str:
    """Return a glob that matches a name, with `?` for special characters."""
    safe = ""
    for char in name:
        # A mark belongs to the letter before it: `?` would be one more character.
        is_plain = (
            char.isalnum()
            or char in " ._-+@=,~%#"
            or unicodedata.category(char)[0] == "M"
        )
        safe += char if is_plain else "?"
    if len(safe) > _PATTERN:
        return f"{safe[:_PATTERN]}*"
    return safe
