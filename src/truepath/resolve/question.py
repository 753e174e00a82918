"""Resolve one path: what its text may mean, what exists, what is likely, and what is
permitted.

A path that exists as it was written is told by `workspace`, which imports this module,
and with it all that a search needs, for any other. It sees the project as a `Tree`, and
must not know hosts or policies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from posixpath import basename, dirname

from truepath import TYPE_CHECKING, Late
from truepath.paths import fold, is_absolute, join, relative_to
from truepath.patience import check
from truepath.records import dataclass, replace
from truepath.resolve.candidates import POOL, gather, named_last, plausible_reading
from truepath.resolve.facts import Facts, folders_above, rivals
from truepath.resolve.likelihood import (
    NAMED_FROM,
    Match,
    folder_features,
    is_alike,
    nothing_here,
    parts,
    rank,
)
from truepath.resolve.past import Past, past
from truepath.resolve.places import Place, Reading, read
from truepath.resolve.reasons import reason_of, words_of
from truepath.resolve.spellings import Frame, absolute_of, flaw_of, split_paths
from truepath.resolve.vetoes import (
    ASSUMED_FROM,
    GENERATED,
    WEAKLY_ALIKE,
    Judgement,
    is_plainly_the_path,
    judge,
)
from truepath.types import (
    KEPT,
    MAKES,
    READS,
    Candidate,
    Kind,
    Operation,
    Resolution,
    Searched,
    Status,
)

if TYPE_CHECKING:
    from truepath.project import skills
    from truepath.project.tree import Tree
    from truepath.resolve import new_paths
else:
    skills = Late("truepath.project.skills")
    new_paths = Late("truepath.resolve.new_paths")

Why = dict[str, dict[str, float]]

_TELLS = 60
"""Characters of a text, without blanks, that identifies a file; a shorter one may be in
others."""

_MOST_SKILLS = 3
"""Files of skills that are named."""

_STATUSES: dict[str, Status] = {"corrected": "resolved", "assumed": "likely"}
"""Permit -> status, where the first candidate may be used or shown."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of a written path: what it is relative to, and the operation on
    it.
    """

    frame: Frame
    operation: Operation
    kind: Kind
    texts: Sequence[str] = ()
    """Texts that the meant file contains."""
    received: str = ""
    """What the program receives if a shell removes backslashes from the path."""
    others: frozenset[str] = frozenset()
    """Paths that the same command names besides: none of them is meant."""
    why: Why | None = None
    """Receives the parts of each candidate's score by feature; "nothing here" is at "".
    """


def answer(tree: Tree, written: str, question: Question) -> Resolution:
    """Return the resolution of a written path."""
    check()
    operation = question.operation
    if question.received:
        return _separated(tree, written, question)
    flaw = flaw_of(written)
    if flaw:
        return Resolution(written, "absent", operation, target=written[:80], cause=flaw)
    if flaw is not None:
        return Resolution(written, "outside", operation, outside=True)
    absolute = absolute_of(written, question.frame)
    entry = tree.entry_kind_at(absolute)
    inside = tree.inside(absolute)
    if entry and inside is not None and question.kind in ("any", entry):
        return Resolution(written, "exists", operation, path=inside, target=inside)
    reading = _mapped(tree, read(written, question.frame))
    bare = Resolution(
        written, "absent", operation, target=reading.target, outside=reading.outside
    )
    if entry and inside is None:
        return _outside_project(tree, replace(bare, target=absolute, cause="exists"))
    # In a folder above, a bare name is another file: `.env` here is no `.env` there.
    meant = [place for place in reading.places if place.kind != "above"]
    if any(tree.protects(place.path) for place in meant):
        return replace(bare, status="outside", cause="protected")
    if entry:
        return replace(bare, status="directory", cause=entry)
    # A folder there may not be searched.
    literal = [f"{tree.root}/{place.path}" for place in meant if place.is_literal]
    if any(map(tree.is_hidden, (absolute, *literal))):
        return replace(bare, status="outside", cause="hidden")
    return _missing(tree, written, question, reading, bare)


def _mapped(tree: Tree, reading: Reading) -> Reading:
    """Return a reading of a path outside with what a file of the project, or a setting,
    says it is here: then no other place is guessed.
    """
    if not reading.outside:
        return reading
    places = [
        Place(path, "mapped", f"{where} maps it", evidence="mapped")
        for path, where in tree.mapped(reading.target)
    ]
    if len(places) > 1:
        # Of several containers, which one is meant is not known.
        places = [replace(place, is_same_path=False) for place in places]
    return replace(reading, places=tuple(places)) if places else reading


def _separated(tree: Tree, written: str, question: Question) -> Resolution:
    """Return the resolution of a path from which a shell removes backslashes: a mistake
    if nothing exists without them, but something does with slashes, or the path is on a
    drive of Windows; else it is left alone.
    """
    frame = question.frame
    bare = Resolution(written, "outside", question.operation, outside=True)
    received = _inside_root(question.received, frame)
    # `my\ notes.md` is an escape if that file exists.
    if not received or tree.kind(received):
        return bare
    made = question.operation in MAKES
    if written[1:2] == ":":
        # No program receives it whole; what is made would have a strange name.
        whole = answer(tree, written, replace(question, received=""))
        if whole.status not in ("absent", "outside") or whole.cause:
            return whole
        status: Status = "ambiguous" if made else "absent"
        return replace(whole, status=status, cause="backslashes", outside=False)
    meant = _inside_root(written.replace("\\", "/"), frame)
    if not meant:
        return bare
    kind = tree.kind(meant)
    is_there = kind in ("file", "folder") and question.kind in ("any", kind)
    if made:
        is_there = tree.kind(dirname(meant)) == "folder"
    if not is_there or not tree.may_name(meant):
        return bare
    folder = "folder" in (kind, question.kind)
    found = replace(
        bare,
        status="ambiguous",
        candidates=(Candidate(meant, 1.0, "spelling", folder=folder),),
        target=meant,
        cause="backslashes",
        outside=False,
    )
    if made:
        return found
    place = Place(meant, "undecorated")
    match = Match(meant, folder, place, {"the-path": 1})
    reading = Reading(meant, (place,), outside=False)
    return _judged(
        found, judge([(match, 1.0)], _facts(tree, written, question, reading))
    )


def _inside_root(path: str, frame: Frame) -> str | None:
    """Return a path relative to the root, by its text; None if it is outside."""
    return relative_to(join(frame.cwd, path, frame.flavour), frame.root, frame.flavour)


def _judged(resolution: Resolution, judgement: Judgement) -> Resolution:
    """Return a resolution with what may be done with its first candidate."""
    status = _STATUSES.get(judgement.permit, "ambiguous")
    if judgement.permit in _STATUSES:
        resolution = replace(resolution, path=resolution.candidates[0].path)
    if judgement.told:
        # The note is about the cause that this one replaces.
        resolution = replace(resolution, cause=judgement.told, note="")
    return replace(
        resolution,
        status=status,
        permits=judgement.permit,
        held_back=judgement.held_back,
    )


def _outside_project(tree: Tree, bare: Resolution) -> Resolution:
    """Return the resolution of a path outside; in another checkout, with its
    counterpart.
    """
    bare = replace(bare, status="outside", outside=True)
    checkout = tree.checkout(bare.target)
    if checkout is None:
        return bare
    _, path = checkout
    if path and not tree.may_name(path):  # "" is the root
        return bare
    kind = tree.kind(path)
    why = "its place in this project, which is missing"
    if kind:
        why = "this project's own copy"
    candidate = Candidate(path, 1.0, "near", why, kind == "folder")
    return replace(bare, candidates=(candidate,))


def _missing(
    tree: Tree, written: str, question: Question, reading: Reading, bare: Resolution
) -> Resolution:
    """Return the resolution of a missing path."""
    makes = question.operation in MAKES
    found = (_several(tree, parts, question) for parts in split_paths(written))
    several = next(filter(None, found), ())
    if several:
        # A path that is made is none of those that exist.
        named = () if makes else several
        return replace(bare, status="ambiguous", candidates=named, cause="several")
    if makes:
        return _new(tree, written, question, reading, bare)
    target = tree.broken_link_target(reading.target)
    if target is not None:
        return _dangling(tree, question, bare, target)
    known = _in_missing_module(tree, reading, bare)
    known = known or _uninstalled(tree, reading.target, bare)
    if known is not None:
        return known
    if "*" in written and not any(tree.kind(place.path) for place in reading.places):
        return replace(bare, cause="pattern")
    # `pytest tests/` runs a folder, though a file is what is usually run.
    may_be_folder = question.kind == "any" or question.operation == "execute"
    if may_be_folder and written.endswith("/"):
        question = replace(question, kind="folder")
    reading = plausible_reading(tree, reading, question.frame)
    return _searched(tree, written, question, reading, bare)


def _dangling(tree: Tree, question: Question, bare: Resolution, led: str) -> Resolution:
    """Return the resolution of a path that a link leads to `led`, where nothing is: as
    that of `led`, for what follows the link.
    """
    is_link = tree.kind(dirname(bare.target)) == "folder"
    # These work on the link itself.
    if is_link and question.operation in ("move", "delete", "list"):
        return replace(bare, status="exists", path=bare.target)
    # Others may: `stat`, `cp -a`, `find`.
    if not led or question.kind == "any" or not tree.may_name(led):
        return replace(bare, cause="dangling")
    there = answer(tree, f"{tree.root}/{led}", replace(question, received=""))
    # The program's own error says as much.
    if is_link and not there.candidates and not there.note:
        return replace(bare, cause="dangling")
    words = f"a link leads it to {led}"
    if there.note:
        words += f", {there.note}"
    target = led if there.cause in KEPT else bare.target
    return replace(there, written=bare.written, target=target, note=words)


def _in_missing_module(
    tree: Tree, reading: Reading, bare: Resolution
) -> Resolution | None:
    """Return the resolution of a path in a submodule that is not checked out; None if
    it is in none.
    """
    literal = [place.path for place in reading.places if place.is_literal]
    for module, path in product(tree.missing_modules(), literal):
        if path.startswith(f"{module}/"):
            words = f"in submodule {module}, not checked out"
            return replace(bare, target=path, cause="submodule", note=words)
    return None


def _uninstalled(tree: Tree, path: str, bare: Resolution) -> Resolution | None:
    """Return the resolution of a path in a package of `node_modules` that is neither
    there nor in a folder above, and that the project has nowhere; None for another.
    """
    above, installed, below = f"/{path}".rpartition("/node_modules/")
    if not installed or bare.outside:
        return None
    package = "/".join(below.split("/")[: 2 if below.startswith("@") else 1])
    end = f"node_modules/{package}"
    # The names of the project have no installed ones, unless git has them.
    if tree.names().folders_named(end) or tree.names().ends_with(end):
        return None
    around = ["", *(f"{folder}/" for folder in folders_above(f"{above[1:]}/"))]
    if any(tree.kind(f"{folder}{end}") for folder in around):
        return None
    note = ""
    if not any(tree.kind(f"{folder}node_modules") for folder in around):
        note = "there is no node_modules/: nothing is installed"
    return replace(bare, cause="not-installed", note=note)


def _new(
    tree: Tree, written: str, question: Question, reading: Reading, bare: Resolution
) -> Resolution:
    """Return the resolution of a path that is about to be created."""
    if reading.outside and tree.checkout(reading.target):
        return _outside_project(tree, bare)
    reading = plausible_reading(tree, reading, question.frame)
    new = new_paths.resolution_of_new(_facts(tree, written, question, reading), bare)
    is_other = any(each.path in question.others for each in new.candidates)
    return bare if is_other else new


def _several(
    tree: Tree, parts: Sequence[str], question: Question
) -> tuple[Candidate, ...]:
    """Return those of the parts of a text that exist and may be named, if the parts are
    paths: two, or one where it has only files.
    """
    makes = question.operation in MAKES
    existing: dict[str, Candidate] = {}
    others: list[str] = []  # than files
    for part in parts:
        path = _existing(tree, part, question.frame)
        kind = tree.kind(path) if path else None
        if kind != "file":
            others.append(part)
        # The name of a new file may have the names of folders in it.
        if path and not (makes and kind == "folder"):
            existing[path] = Candidate(path, 1.0, folder=kind == "folder")
    # `a.md and new.md` are two; `my notes.md`, where there is a `notes.md`, is one.
    if len(existing) == 1 and not makes:
        are_paths = all(map(tree.names().has_extension_of, others))
    else:
        are_paths = len(existing) > 1
    return tuple(existing.values()) if are_paths else ()


def _existing(tree: Tree, text: str, frame: Frame) -> str:
    """Return the path that a text is, if it exists and may be named; else nothing."""
    for place in read(text, frame).places:
        if place.is_same_path and place.path and tree.kind(place.path):
            return place.path if tree.may_name(place.path) else ""
    return ""


_WORDS = 8
"""Words before and after a missing one that are joined to a path with blanks, at
most."""


def with_blanks(
    tree: Tree, frame: Frame, line: str, start: int, end: int
) -> tuple[str, str] | None:
    """Return the longest text around a word of a line that is an existing path with
    blanks, and that path relative to the root; None if there is none.
    """
    words = [word.span() for word in re.finditer(r"[^\s;&|<>()'\"`]+", line)]
    starts = [first for first, _ in words if first <= start][-_WORDS:]
    ends = [last for _, last in words if last >= end][:_WORDS]
    for last, first in product(reversed(ends), starts):
        text = line[first:last]
        if " " not in text:
            continue
        path = text if text.startswith("/") else f"{frame.cwd}/{text}"
        inside = tree.inside(path)
        if inside and tree.entry_kind_at(path) and tree.may_name(inside):
            return text, inside
    return None


def _searched(
    tree: Tree, written: str, question: Question, reading: Reading, bare: Resolution
) -> Resolution:
    """Return the resolution of a missing path after a search for candidates."""
    if question.operation not in READS or question.kind == "file":
        # Nothing else than a look is done to all of a project.
        places = [place for place in reading.places if place.path]
        reading = replace(reading, places=tuple(places))
    # An agent in a linked work tree may write a path in the main one, or the reverse.
    checkout = tree.checkout(reading.target) if reading.outside else None
    if checkout:
        own_copy = Place(checkout[1], "own-copy")
        reading = replace(reading, places=(own_copy, *reading.places))
    history = past(tree, reading)
    if history.cause in KEPT:
        candidates = [
            Candidate(path, 0.0, "near", "a new file")
            for path in filter(tree.may_name, history.moved_to)
        ]
        return replace(
            bare,
            status="ambiguous" if candidates else "absent",
            candidates=tuple(candidates),
            target=history.places[0].path,
            cause=history.cause,
        )
    facts = replace(
        _facts(tree, written, question, reading, history, _holders(tree, question)),
        namesakes_with_text=_namesakes_with_text(tree, question, reading),
    )
    ranked = _ranked(facts, history, question)
    candidates = _to_name(ranked, facts, history)
    candidates += _in_main_checkout(facts)
    candidates += _of_skills(facts, ranked)
    candidates = [each for each in candidates if each.path not in question.others]
    names = tree.names()
    searched = Searched(
        names=len(names),
        history=history.exists and history.known,
        cut_short=names.cut_short,
    )
    resolution = replace(
        bare,
        candidates=tuple(candidates),
        searched=searched,
        cause=history.cause,
        note=history.note,
    )
    unmade = _unmade(resolution, ranked, facts)
    if unmade is not None:
        return unmade
    if not candidates:
        return replace(resolution, status="outside" if bare.outside else "absent")
    # Without a ranked one, all are named for a weak likeness.
    weak = Judgement(held_back=(WEAKLY_ALIKE,))
    return _judged(resolution, judge(ranked, facts) if ranked else weak)


def _unmade(
    resolution: Resolution, ranked: Sequence[tuple[Match, float]], facts: Facts
) -> Resolution | None:
    """Return the resolution of a path that may not be made yet, where nothing is like
    it, or it is to be deleted or run: then what git has of a like name is not meant.
    None for another.
    """
    if resolution.outside or resolution.note:
        return None
    is_weak = facts.operation in ("delete", "execute")
    if is_weak and ranked:
        reason = reason_of(ranked[0][0], facts)
        is_led = bool(ranked[0][0].place.evidence)
        is_weak = not (is_led or reason.name in ("spelling", "leading-folders"))
    if resolution.candidates and not is_weak:
        return None
    bare = replace(
        resolution,
        status="absent",
        candidates=(),
        cause="not-made",
        searched=Searched(),
    )
    if facts.tree.ignores([facts.reading.target]):
        return bare
    names = facts.reading.target.split("/")
    for length, name in enumerate(names, 1):
        if name in GENERATED and not facts.tree.kind("/".join(names[:length])):
            return replace(bare, note="it may not be built yet")
    return None


def _ranked(
    facts: Facts, history: Past, question: Question
) -> list[tuple[Match, float]]:
    """Return the candidates with their likelihoods, most likely first."""
    reading = facts.reading
    # What git and the text say takes part, as places of its own.
    evidence = (*history.places, *_of_contents(facts.tree, reading, facts.holders))
    places = (*reading.places, *evidence)
    matches = gather(facts.tree, replace(reading, places=places), facts.kind)
    matches = [match for match in matches if match.path not in question.others]
    nothing = nothing_here(reading.target)
    ranked = rank(matches, nothing)
    why = question.why
    if why is not None:
        why[""] = parts(nothing)
        for match, _ in ranked:
            why[match.path] = parts(match.features)
    # The only namesake with the text is the answer, where no path itself is one.
    is_by_name = not any("the-path" in match.features for match, _ in ranked)
    if len(facts.namesakes_with_text) == 1 and is_by_name:
        ranked.sort(key=lambda pair: pair[0].path not in facts.namesakes_with_text)
    return ranked


def _to_name(
    ranked: Sequence[tuple[Match, float]], facts: Facts, history: Past
) -> list[Candidate]:
    """Return the candidates to name: the likely ones, the written path itself and the
    rivals of the first one, then neighbours of the path, then unlikely namesakes if
    nothing but likeness speaks for the first.
    """
    always = rivals(ranked[0][0], facts) if ranked else set()
    likely = [
        pair
        for pair in ranked
        if pair[1] >= NAMED_FROM
        or pair[0].path in always
        or is_plainly_the_path(pair[0], facts)
    ]
    # Whatever its likelihood, the answer is about the first.
    if likely and likely[0] is not ranked[0]:
        likely.insert(0, ranked[0])
    candidates = _named(likely, facts)
    candidates += named_last(facts, candidates, history.moved_to)
    # A file of the written name is better than one whose name is only like it.
    if likely and not is_alike(likely[0][0]):
        return candidates
    paths = {candidate.path for candidate in candidates}
    same = [pair for pair in ranked if "same-name" in pair[0].features]
    for namesake in _named(same[: int(1 / NAMED_FROM)], facts):
        if namesake.path not in paths:
            candidates.append(namesake)
    return candidates


def _in_main_checkout(facts: Facts) -> Iterator[Candidate]:
    """Yield the same path in the main checkout, which a linked work tree has not: it is
    outside, so it is only named.
    """
    # Of what this branch has deleted or renamed, the main one's copy is not meant.
    if facts.fate or facts.reading.outside:
        return
    for path in facts.literal_paths[:1]:
        place = facts.tree.in_main_checkout(path)
        kind = facts.tree.entry_kind_at(place) if place else None
        if kind and facts.kind in ("any", kind):
            why = "in the main checkout"
            yield Candidate(place, 0.0, "near", why, kind == "folder")


def _of_skills(
    facts: Facts, ranked: Sequence[tuple[Match, float]]
) -> Iterator[Candidate]:
    """Yield the files of skills in the home folder that have the written path: they are
    outside, so they are only named.
    """
    home = facts.tree.home
    path = facts.reading.target
    if ranked and ranked[0][1] >= ASSUMED_FROM:
        return
    if home is None or facts.reading.outside or "/" not in path:
        return

    inner = path.removeprefix(f"{facts.here}/") if facts.here else path
    for place, skill in islice(skills.of_skills(home, inner), _MOST_SKILLS):
        is_folder = facts.tree.entry_kind_at(place) == "folder"
        yield Candidate(place, 0.0, "near", f"of the skill {skill}", is_folder)


def _facts(
    tree: Tree,
    written: str,
    question: Question,
    reading: Reading,
    history: Past | None = None,
    holders: Sequence[str] | None = None,
) -> Facts:
    """Return what is known about a question; its history only where it was asked."""
    return Facts(
        tree=tree,
        reading=reading,
        frame=question.frame,
        operation=question.operation,
        kind=question.kind,
        is_absolute=is_absolute(written, question.frame.flavour),
        texts=question.texts,
        names_complete=not tree.names().cut_short,
        history_known=history is None or history.known,
        fate=history.fate if history else "",
        holders=holders,
    )


def _named(ranked: Sequence[tuple[Match, float]], facts: Facts) -> list[Candidate]:
    """Return matches as candidates that are named."""
    named: list[Candidate] = []
    for match, chance in ranked:
        reason = reason_of(match, facts)
        words = words_of(match, reason)
        path, sure = match.path, round(chance, 4)
        named.append(Candidate(path, sure, reason.name, words, match.folder))
    return named


def _holders(tree: Tree, question: Question) -> list[str] | None:
    """Return the files that contain the text to be replaced; None if that is not
    known.
    """
    text = "".join("".join(question.texts).split())
    if question.operation != "edit" or len(text) < _TELLS:
        return None
    return tree.holders(question.texts)


def _namesakes_with_text(
    tree: Tree, question: Question, reading: Reading
) -> Sequence[str]:
    """Return the files of the written name that contain the text to be replaced."""
    if question.operation != "edit" or not any(question.texts):
        return ()
    name = basename(reading.target)
    # `ends_with` also finds names in another case.
    paths = tree.names().ends_with(name)
    namesakes = [path for path in paths if basename(path) == name]
    if not name or len(namesakes) > POOL:
        return ()
    return tree.holders(question.texts, among=namesakes) or ()


def _of_contents(
    tree: Tree, reading: Reading, holders: Sequence[str] | None
) -> Sequence[Place]:
    """Return the only file that contains the text, if it has the written name and is in
    a folder above or below the written one: `config/prod/app.yml` does not mean
    `config/staging/app.yml`.
    """
    if holders is None or len(holders) != 1 or not tree.may_name(holders[0]):
        return ()

    *written_folders, written = fold(reading.target).split("/")
    *folders, name = fold(holders[0]).split("/")
    features = folder_features(written_folders, folders)
    is_aside = {"folders-lost", "folders-gained"} <= features.keys()
    if written != name or is_aside:
        return ()
    return (Place(holders[0], "contents", evidence="contents"),)
