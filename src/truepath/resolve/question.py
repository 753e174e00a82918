"""Resolve one path: what its text may mean, what exists, what is likely, and what is
permitted.

It sees the project as a `Tree`, and must not know hosts or policies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from truepath.paths import LONGEST, fold, is_absolute, join, relative_to
from truepath.records import TYPE_CHECKING, dataclass, replace
from truepath.resolve.places import ABOVE, LITERAL, Place, Reading, read
from truepath.resolve.spellings import Frame, parted
from truepath.types import (
    DANGLING,
    KEPT,
    PATTERN,
    READS,
    SEVERAL,
    UNSEEN,
    Candidate,
    Kind,
    Operation,
    Resolution,
    Searched,
    Status,
)

if TYPE_CHECKING:
    from truepath.project.tree import Tree
    from truepath.resolve.likelihood import Match
    from truepath.resolve.past import Past
    from truepath.resolve.reasons import Known

Why = dict[str, dict[str, float]]

NAMED_FROM = 0.05
"""The likelihood (0 to 1) from which a candidate is named. If none has it, files of the
same name are named, at most 1 / `NAMED_FROM`."""

PROTECTED = "protected"
"""The note on a path about which nothing is told: a rule denies it, or it is a
secret."""

_TELLS = 60
"""Characters of a text, without blanks, that identifies a file; a shorter one may be in
others."""


@dataclass(frozen=True, slots=True)
class Question:
    """A written path, what it is relative to, and the operation on it."""

    written: str
    frame: Frame
    operation: Operation
    kind: Kind
    strictest: Operation
    texts: Sequence[str] = ()
    """Texts that the meant file contains."""
    received: str = ""
    """What the program receives if a shell removes backslashes from the path."""
    why: Why | None = None
    """Receives the parts of each candidate's score by feature; "nothing here" is at "".
    """


def answer(tree: Tree, question: Question) -> Resolution:
    """Return the resolution of a written path."""
    written, frame, what = question.written, question.frame, question.operation
    if question.received:
        return _as_named(tree, question, _separated(tree, question))
    unusable = _unusable(written)
    if unusable:
        return Resolution(written, "absent", what, target=written[:80], note=unusable)
    absolute = (
        written if is_absolute(written, frame.flavour) else f"{frame.cwd}/{written}"
    )
    if frame.flavour == "windows":  # a rooted path is on the drive of its folder
        absolute = join(frame.cwd, written, frame.flavour)
    # On POSIX `..` stays, so that links are followed as by the tool.
    entry, inside = tree.entry_kind_at(absolute), tree.inside(absolute)
    if entry and inside is not None and question.kind in ("any", entry):
        return Resolution(written, "exists", what, path=inside, target=inside)
    reading = read(written, frame)
    bare = Resolution(
        written, "absent", what, target=reading.target, outside=reading.outside
    )
    if entry and inside is None:
        return _elsewhere(tree, replace(bare, target=absolute, note="exists"))
    if any(tree.protects(place.path) for place in reading.places if place.why != ABOVE):
        return replace(bare, status="outside", note=PROTECTED)
    if entry:
        return replace(bare, status="directory", note=entry)
    if tree.is_hidden(absolute) or _is_hidden(tree, reading):
        return replace(bare, status="outside", note=UNSEEN)
    return _as_named(tree, question, _missing(tree, question, reading, bare))


def _is_hidden(tree: Tree, reading: Reading) -> bool:
    """Return whether a place where the path may be is in a folder that may not be
    searched.
    """
    literal = (place.path for place in reading.places if place.why in LITERAL)
    return any(tree.is_hidden(f"{tree.root}/{path}") for path in literal)


def _as_named(tree: Tree, question: Question, found: Resolution) -> Resolution:
    """Return a resolution that only names what is marked as wrong, or used for an
    ignored path.
    """
    if found.permits == "named":
        return found
    from truepath.project.marks import is_wrong
    from truepath.resolve.reasons import GENERATED

    best, places = found.candidates[0], read(question.written, question.frame).places
    named = replace(found, status="ambiguous", path=None, permits="named")
    literal = {each.path for each in places if each.why in LITERAL}
    plain = literal - {best.path}
    asks = question.strictest not in READS or not GENERATED.isdisjoint(
        found.target.split("/")
    )
    ignored = tree.ignores(plain) if asks and plain == literal else False
    if ignored:
        return replace(named, note="git ignores it: it may not be made yet")
    if ignored is None and question.strictest not in READS:
        return replace(named, note="whether git ignores it is not known")
    changes = question.strictest not in READS and not found.outside
    own, new = (
        changes and _repository(tree, path) for path in (found.target, best.path)
    )
    if own != new and (own or best.reason == "leading-folders"):
        return replace(named, note="not in this repository")
    if tree.store is None or not is_wrong(
        tree.store, tree.root, best.path, found.target, *plain
    ):
        return found
    why = ", ".join(filter(None, (best.why, "marked as wrong by the user")))
    return replace(named, candidates=(replace(best, why=why), *found.candidates[1:]))


def _repository(tree: Tree, path: str) -> str:
    """Return the innermost repository below the root that a path is in; "" for none."""
    while (path := path.rpartition("/")[0]) and not tree.entry_kind_at(
        f"{tree.root}/{path}/.git"
    ):
        pass
    return path


def _separated(tree: Tree, question: Question) -> Resolution:
    """Return the resolution of a path from which a shell removes backslashes: a mistake
    if nothing exists without them, but something does with slashes; else it is left
    alone.
    """
    frame = question.frame
    bare = Resolution(question.written, "outside", question.operation, outside=True)
    read, meant = (
        relative_to(join(frame.cwd, path, frame.flavour), frame.root, frame.flavour)
        for path in (question.received, question.written.replace("\\", "/"))
    )
    if not read or not meant or tree.kind(read):
        return bare
    kind = tree.kind(meant)
    if kind is None or question.kind not in ("any", kind) or not tree.may_name(meant):
        return bare
    return replace(
        bare,
        status="resolved",
        path=meant,
        candidates=(Candidate(meant, 1.0, "spelling", folder=kind == "folder"),),
        target=meant,
        note="a shell removes its backslashes",
        outside=False,
        permits="corrected",
    )


def _unusable(written: str) -> str:
    if not written.strip():
        return "the path is empty"
    if "\0" in written:
        return "the path contains a NUL byte"
    return f"the path is over {LONGEST:,} characters" if len(written) > LONGEST else ""


def _elsewhere(tree: Tree, bare: Resolution) -> Resolution:
    """Return the resolution of a path outside; in another checkout, with its
    counterpart.
    """
    other = tree.checkout(bare.target)
    found: tuple[Candidate, ...] = ()
    if other and (not other[1] or tree.may_name(other[1])):
        kind = tree.kind(other[1])
        why = (
            "this project's own copy"
            if kind
            else "its place in this project, which is missing"
        )
        found = (Candidate(other[1], 1.0, "near", why, kind == "folder"),)
    return replace(bare, status="outside", candidates=found, outside=True)


def _missing(
    tree: Tree, question: Question, reading: Reading, bare: Resolution
) -> Resolution:
    """Return the resolution of a missing path."""
    from truepath.resolve.candidates import plausible

    if several := _several(tree, question):
        named = () if question.operation in ("write", "mkdir") else several
        return replace(bare, status="ambiguous", candidates=named, note=SEVERAL)
    if question.operation in ("write", "mkdir"):
        from truepath.resolve.new_paths import unmade

        if reading.outside and tree.checkout(reading.target):
            return _elsewhere(tree, bare)
        return unmade(tree, plausible(tree, reading, question.frame), bare)
    if tree.dangles(reading.target):
        if question.operation in (
            "move",
            "delete",
            "list",
        ):  # these work on the link itself
            return replace(bare, status="exists", path=reading.target)
        return replace(bare, note=DANGLING)
    if "*" in question.written and not any(
        tree.kind(place.path) for place in reading.places
    ):
        return _pattern(tree, question, bare)
    either = question.kind == "any" or question.operation == "execute"
    if either and question.written.endswith("/"):
        question = replace(question, kind="folder")
    return _searched(tree, question, plausible(tree, reading, question.frame), bare)


def _pattern(tree: Tree, question: Question, bare: Resolution) -> Resolution:
    """Return the resolution of a pattern, with the folders that its missing one may be."""
    folder = question.written.partition("*")[0].rpartition("/")[0]
    question = replace(question, written=folder, operation="list", kind="folder")
    found = answer(tree, question).candidates if folder else ()
    return replace(
        bare, status="ambiguous" if found else "absent", candidates=found, note=PATTERN
    )


def _several(tree: Tree, question: Question) -> tuple[Candidate, ...]:
    """Return the existing paths in a text of several: two, or one where it has only
    files.
    """
    for parts in parted(question.written):
        found: dict[str, Candidate] = {}
        files = not (makes := question.operation in ("write", "mkdir"))
        for part in parts:
            places = (
                each.path for each in read(part, question.frame).places if each.same
            )
            path = next((path for path in places if path and tree.kind(path)), "")
            if (
                path
                and tree.may_name(path)
                and not (makes and tree.kind(path) == "folder")
            ):
                found[path] = Candidate(path, 1.0, folder=tree.kind(path) == "folder")
            is_file = path in found and not found[path].folder
            files = files and (is_file or tree.names().has_extension_of(part))
        if len(found) > 1 or (found and files):
            return tuple(found.values())
    return ()


def _searched(
    tree: Tree, question: Question, reading: Reading, bare: Resolution
) -> Resolution:
    """Return the resolution of a missing path after a search for candidates."""
    from truepath.resolve.candidates import gather, named_last
    from truepath.resolve.likelihood import nothing_here, parts, rank
    from truepath.resolve.past import past
    from truepath.resolve.reasons import permits

    if other := tree.checkout(reading.target) if reading.outside else None:
        own = Place(other[1], "this project's own copy")
        reading = replace(reading, places=(own, *reading.places))
    names, history, holders = (
        tree.names(),
        past(tree, reading),
        _holders(tree, question),
    )
    if history.note == KEPT:
        found = [
            Candidate(x, 0.0, "near", "a new file")
            for x in history.moved_to
            if tree.may_name(x)
        ]
        bare = replace(
            bare, status="ambiguous" if found else "absent", candidates=(*found,)
        )
        return replace(bare, target=history.places[0].path, note=KEPT)
    places = (*reading.places, *history.places, *_of_contents(tree, reading, holders))
    matches = gather(tree, replace(reading, places=places), question.kind)
    ranked = rank(matches, nothing := nothing_here(reading.target))
    if question.why is not None:
        question.why[""] = parts(nothing)
        question.why.update((match.path, parts(match.features)) for match, _ in ranked)
    known = _known(tree, question, reading, history, holders)
    permit, found = permits(ranked, known), [*_candidates(ranked, known)]
    if permits(ranked, replace(known, operation="read")) == "named":
        found += named_last(tree, reading, question.kind, found, history.moved_to)
    whole = "/" in reading.target and not (found or history.note or bare.outside)
    listed = names.ends_with(reading.target) if whole else ()
    kept = [path for path in listed if not tree.kind(path) and tree.may_name(path)]
    if len(kept) == 1:  # with leading folders left out, and outside a sparse checkout
        return replace(bare, target=kept[0], note=KEPT)
    none: Status = "ambiguous" if found else "outside" if bare.outside else "absent"
    statuses: dict[str, Status] = {"corrected": "resolved", "assumed": "likely"}
    return replace(
        bare,
        status=statuses.get(permit, none),
        path=found[0].path if permit in statuses else None,
        candidates=tuple(found),
        searched=Searched(
            len(names), history.exists and history.known, names.cut_short
        ),
        note=history.note,
        permits=permit,
    )


def _known(
    tree: Tree,
    question: Question,
    reading: Reading,
    history: Past,
    holders: Sequence[str] | None,
) -> Known:
    from truepath.resolve.candidates import doubts, is_folder
    from truepath.resolve.reasons import Known

    whole = not tree.names().cut_short
    return Known(
        operation=question.strictest,
        kind=question.kind,
        is_folder=lambda path: is_folder(tree, path),
        doubts=lambda match: doubts(tree, reading.places, match, question.frame),
        outside=reading.outside,
        settled=history.known and whole,
        whole=whole,
        gone=history.gone,
        holders=holders,
    )


def _candidates(
    ranked: Sequence[tuple[Match, float]], known: Known
) -> Iterator[Candidate]:
    """Yield the candidates to name."""
    from truepath.resolve.reasons import reason_of, why

    itself = {
        match.path for match, _ in ranked if reason_of(match, known).name == "spelling"
    }
    itself |= known.doubts(ranked[0][0]) if ranked else set()
    likely = [
        each for each in ranked if each[1] >= NAMED_FROM or each[0].path in itself
    ]
    likely = [each for each in ranked[:1] if likely and each not in likely] + likely
    same = [each for each in ranked if "same-name" in each[0].features]
    for match, chance in likely or same[: int(1 / NAMED_FROM)]:
        reason = reason_of(match, known).name
        yield Candidate(match.path, round(chance, 4), reason, why(match), match.folder)


def _holders(tree: Tree, question: Question) -> list[str] | None:
    """Return the files that contain the text to be replaced; None if that is unknown."""
    if (
        question.operation != "edit"
        or len("".join("".join(question.texts).split())) < _TELLS
    ):
        return None
    return tree.holders(question.texts)


def _of_contents(
    tree: Tree, reading: Reading, holders: Sequence[str] | None
) -> Sequence[Place]:
    """Return the only file that contains the text, if it has the written name and is in
    a folder
    above or below the written one: `config/prod/app.yml` does not mean
    `config/staging/app.yml`.
    """
    if holders is None or len(holders) != 1 or not tree.may_name(holders[0]):
        return ()
    from truepath.resolve.likelihood import folder_features

    wanted, got = fold(reading.target).split("/"), fold(holders[0]).split("/")
    folders = folder_features(wanted[:-1], got[:-1])
    if wanted[-1] != got[-1] or {"folders-lost", "folders-gained"} <= folders.keys():
        return ()
    why = "the only file that contains the text to be replaced"
    return (Place(holders[0], why, past="contents"),)
