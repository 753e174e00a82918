"""The table of what holds a candidate back, and the judgement of both tables.

What a candidate may be used for is the cell of its reason, lowered by every row here
that applies; nothing else. A row says what it leaves in each column: "corrected" where
it changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from posixpath import basename, dirname

from truepath import TYPE_CHECKING, Late
from truepath.paths import fold
from truepath.project.walk import GENERATED as LEFT_OUT
from truepath.records import dataclass
from truepath.resolve.facts import Facts, is_outside_written_folder, rivals
from truepath.resolve.instances import is_in_other_instance, is_in_unnamed_instance
from truepath.resolve.likelihood import NAMED_FROM, Match, is_alike
from truepath.resolve.reasons import ROWS, Reason, column_of, reason_of
from truepath.types import READS, Cause, Permit

if TYPE_CHECKING:
    from truepath.project import marks
else:
    marks = Late("truepath.project.marks")

ASSUMED_FROM = 0.55
"""The likelihood (0 to 1) from which a candidate is used, or shown to a call that
looks."""

AHEAD = 2.0
"""How many times as likely as the next candidate it must be for that."""

_LEVELS: Sequence[Permit] = ("named", "assumed", "recover", "corrected")
"""What may be done with a candidate, from least to most."""

GENERATED = LEFT_OUT | frozenset(
    "site-packages dist build target out generated .cache coverage vendor vendored "
    "third_party thirdparty".split()
)
"""Folders of generated or installed files, which are meant only if they are written."""

PUT_AWAY = frozenset(
    "backup backups bak old prev previous orig original copy copies saved archive "
    "archives archived legacy deprecated obsolete outdated attic trash stash disabled "
    "unused removed deleted retired graveyard junk".split()
)
"""Words in the names of folders of files that are no longer worked on."""

SET_ASIDE = PUT_AWAY | frozenset(
    "tmp temp scratch wip draft drafts snapshot snapshots history demo demos sandbox "
    "playground example examples sample samples template templates fixture fixtures "
    "mock mocks golden goldens skeleton skeletons starter starters pods".split()
)
"""Words in the names of folders of copies, which are never used because of their names
alone."""

WEAKLY_ALIKE = "weakly-alike"
"""The row of what is named behind the ranked candidates, where there are none."""

TOLD: Mapping[str, Cause] = {
    "ignored": "ignored",
    "ignored-unknown": "ignored-unknown",
    "other-repository": "other-repository",
    "marked-wrong": "marked-wrong",
}
"""Rows that the agent is told about: the cause of the resolution."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A candidate that is judged, its reason and its rivals."""

    match: Match
    chance: float
    """The likelihood that it is meant, from 0 to 1."""
    reason: Reason
    facts: Facts
    ranked: Sequence[tuple[Match, float]]
    """All candidates, most likely first."""

    @property
    def traits(self) -> frozenset[str]:
        """The words that describe it in the column `unless`: `itself` (the written
        path, spelled or placed another way), `mapped`, `namesake` (known by its text
        among those of its name), `proved` (the only file with the text), `led` (what
        git, a text or a map says), `supposed` (what git only supposes).
        """
        name = self.reason.name
        evidence = self.match.place.evidence
        is_namesake = name == "text-in-namesake"
        known = {
            "itself": name in ("spelling", "mapped"),
            "mapped": name == "mapped",
            "namesake": is_namesake,
            "proved": self.facts.is_held(self.match) and not is_namesake,
            "led": evidence not in ("", "supposed"),
            "supposed": evidence == "supposed",
        }
        return frozenset(word for word, holds in known.items() if holds)


@dataclass(frozen=True, slots=True)
class Veto:
    """A row of the table."""

    name: str
    applies: Callable[[Case], bool]
    leaves: Mapping[str, Permit]
    """Column -> what it leaves; without those that it does not touch."""
    sentence: str
    born: str = ""
    """The scene that it was made for, in `benchmarks/cases`."""
    unless: str = ""
    """`Case.traits` of candidates that it is not about."""
    always: bool = False
    """Whether it is asked also where nothing is permitted: an answer never says to use
    what it holds back."""

    def holds(self, case: Case) -> bool:
        """Return whether it holds a candidate back."""
        return case.traits.isdisjoint(self.unless.split()) and self.applies(case)


@dataclass(frozen=True, slots=True)
class Judgement:
    """What may be done with the first candidate, and which rows held it back."""

    permit: Permit = "named"
    held_back: tuple[str, ...] = ()

    @property
    def told(self) -> Cause:
        """The row that the agent is told; empty for none."""
        causes = [TOLD[name] for name in self.held_back if name in TOLD]
        # The last row lowered what may be done most.
        return causes[-1] if causes else ""


def judge(
    ranked: Sequence[tuple[Match, float]], facts: Facts, reason: Reason | None = None
) -> Judgement:
    """Return what may be done with the first of the ranked candidates, for its reason,
    where that is known.

    A row is asked only if it would lower what the rows before it left, or always.
    """
    match, chance = ranked[0]
    reason = reason or reason_of(match, facts)
    case = Case(match=match, chance=chance, reason=reason, facts=facts, ranked=ranked)
    column = column_of(facts.operation)
    level = _LEVELS.index(reason.cell(facts.operation) or "named")
    held_back: list[str] = []
    for veto in VETOES:
        left = _LEVELS.index(veto.leaves.get(column, "corrected"))
        if (left < level or veto.always) and veto.holds(case):
            level = min(level, left)
            held_back.append(veto.name)
    return Judgement(_LEVELS[level], tuple(held_back))


def is_plainly_the_path(match: Match, facts: Facts) -> bool:
    """Return whether a candidate is the written path, and no other path may be it."""
    if not ROWS["spelling"].has(match, facts) or match.place.leaves_folder:
        return False
    if "the-path" in match.features:
        return True
    # In another case, it may be another file that ends so.
    return not (is_outside_written_folder(match, facts) or rivals(match, facts))


def is_in(words: frozenset[str], match: Match) -> bool:
    """Return whether a match is in a folder with one of the words, and the written path
    is not.
    """
    written = match.place.before_rename or match.place.path
    new_words = _folder_words(match.path) - _folder_words(written)
    return not words.isdisjoint(new_words)


def _folder_words(path: str) -> set[str]:
    """Return the words of the folders that a path is in: `backup2024` has `backup`."""
    return {*re.split(r"[\W_\d]", fold(path.rpartition("/")[0]))}


def _has_other_name(case: Case) -> bool:
    target = case.facts.reading.target
    # What is run without its line number is the file itself: `app.py:12`.
    is_run = case.facts.operation == "execute"
    if is_run and basename(case.match.path) != basename(target):
        return False
    # Of a whole folder, as the side of a diff, no name has a part.
    # `a/` before a name alone may be a folder.
    is_whole = "/" in case.match.path and f"/{target}".endswith(f"/{case.match.path}")
    return not (case.match.place.only_unquoted or is_whole)


def _is_apart(case: Case) -> bool:
    path = case.match.path
    written = case.match.place.path
    folders = [{*fold(each).split("/")[:-1]} for each in (path, written)]
    # The reverse too: a source is no answer for a build.
    if not GENERATED.isdisjoint(folders[0] ^ folders[1]):
        return True
    if not case.traits.isdisjoint(("itself", "led", "supposed")):
        return False
    # All of a path below a hidden folder, and a folder at least, is more than a name.
    literal = [each for each in case.facts.literal_paths if "/" in each]
    if any(path.endswith(f"/{each}") for each in literal):
        return False
    return "/." in f"/{path}" and "/." not in f"/{written}"


def _has_no_new_folder(case: Case) -> bool:
    tree = case.facts.tree
    if tree.kind(case.match.path) is not None:
        return True
    folder = dirname(case.facts.reading.target)
    return not case.match.folder and tree.kind(folder) is not None


def _is_deleted_namesake(case: Case) -> bool:
    # A name that git knows is no slip of another one.
    features = case.match.features
    is_like = "same-name" in features or "letters-wrong" in features
    return case.facts.fate == "deleted" and is_like


def _is_another_file(case: Case) -> bool:
    if case.facts.fate:
        return True
    # One that contains the text to be replaced is meant, whoever wrote it.
    holders = case.facts.holders or ()
    return case.match.place.is_replaced and case.match.path not in holders


def _is_in_other_instance(case: Case) -> bool:
    if is_in_other_instance(case.match, case.facts):
        return True
    # A look is shown the only one, and a text tells one from its namesakes.
    if case.facts.operation in READS or "namesake" in case.traits:
        return False
    return is_in_unnamed_instance(case.match, case.facts)


def _is_without_text(case: Case) -> bool:
    facts = case.facts
    if not facts.texts:  # `sed -i`: in a container the file may be another one
        return "mapped" in case.traits
    return not facts.tree.holders(facts.texts, among=[case.match.path])


def _is_set_aside(case: Case) -> bool:
    if not case.match.place.evidence:
        return is_in(SET_ASIDE, case.match)
    # What git led there is looked at and copied.
    is_used = case.facts.operation not in (*READS, "copy")
    return is_used and is_in(PUT_AWAY, case.match)


def _has_rival(case: Case) -> bool:
    facts = case.facts
    if rivals(case.match, facts):
        return True
    alike = [
        other for other, _ in case.ranked if reason_of(other, facts) is case.reason
    ]
    # Another spelling counts only if the path may be meant there.
    if "itself" in case.traits:
        alike = [other for other in alike if is_plainly_the_path(other, facts)]
    if len(alike) > 1:
        return True
    if case.match.place.evidence not in ("renamed", "supposed"):
        return False
    return any(is_plainly_the_path(other, facts) for other, _ in case.ranked)


def _is_unlikely(case: Case) -> bool:
    if case.chance < ASSUMED_FROM:
        return True
    # A name that only looks alike is no answer where a file has the name itself.
    has_namesake = any(
        "same-name" in match.features and not match.folder and chance >= NAMED_FROM
        for match, chance in case.ranked
    )
    if has_namesake and is_alike(case.match):
        return True
    return any(case.chance < AHEAD * chance for _, chance in case.ranked[1:2])


def _is_ignored(case: Case) -> bool:
    facts = case.facts
    is_build = not GENERATED.isdisjoint(facts.reading.target.split("/"))
    # Of an ignored name, another file may be the one to be read; of a build, it is an
    # older one.
    if facts.operation in READS and not is_build:
        return False
    return _ignores(case) is True


def _ignores(case: Case) -> bool | None:
    """Return whether git ignores the written path; None if it failed, or took too
    long.
    """
    written = case.facts.literal_paths
    if case.match.path in written:
        return False  # it is the written path without its decorations
    return case.facts.tree.ignores(written)


def _is_in_other_repository(case: Case) -> bool:
    facts = case.facts
    if facts.reading.outside:
        return False
    written = _repository(case, facts.reading.target)
    if written == _repository(case, case.match.path):
        return False
    # Leading folders that were left out may be those of a repository below.
    return written != "" or case.reason.name == "leading-folders"


def _repository(case: Case, path: str) -> str:
    """Return the innermost repository below the root that a path is in; empty for
    none.
    """
    tree = case.facts.tree
    folder = dirname(path)
    # A linked work tree and a submodule have a file of that name.
    while folder and not tree.entry_kind_at(f"{tree.root}/{folder}/.git"):
        folder = dirname(folder)
    return folder


def _is_marked(case: Case) -> bool:
    tree = case.facts.tree
    if tree.store is None:
        return False
    plain = {*case.facts.literal_paths} - {case.match.path}
    target = case.facts.reading.target
    return marks.is_wrong(tree.store, tree.root, case.match.path, target, *plain)


def _named(*columns: str) -> Mapping[str, Permit]:
    """Return a row's cells where it leaves a candidate to be named."""
    return dict.fromkeys(columns, "named")


_CHANGES = ("copy", "execute", "edit", "move", "delete")
_ALL = _named("look", *_CHANGES)
_SHOWN: Mapping[str, Permit] = {"look": "assumed", **_named(*_CHANGES)}

VETOES: Sequence[Veto] = (
    Veto(
        "other-kind",
        lambda case: case.facts.kind not in ("any", case.match.kind),
        _ALL,
        "it is a folder where a file is needed, or the reverse",
        born="kind-that-fails",
    ),
    Veto(
        "decoration",
        _has_other_name,
        _named("move", "delete", "execute"),
        "what was taken off the path may be part of a name: `app.py:Zone.Identifier`, "
        "`notes.txt#old`, or a folder: `b/run.sh`",
        born="stream-beside-a-file",
    ),
    Veto(
        "apart",
        _is_apart,
        _ALL,
        "it is generated or installed (`node_modules`, `dist`), or for its name alone "
        "in a hidden folder, and the written path is not, or the reverse",
        born="generated",
    ),
    Veto(
        "folder-to-delete",
        lambda case: case.match.folder,
        _named("delete"),
        "a folder is never deleted in place of another path",
        born="folder-deleted-for-a-path",
    ),
    Veto(
        "no-new-folder",
        _has_no_new_folder,
        _named("make"),
        "a new path is never led to one that exists, nor from a folder that exists as "
        "it was written: only its name may be wrong",
        born="exists-already",
    ),
    Veto(
        "deleted-namesake",
        _is_deleted_namesake,
        _ALL,
        "git deleted the written path, and this one only has its name, or one of other "
        "letters",
        born="deleted-namesake",
    ),
    Veto(
        "another-file",
        _is_another_file,
        _SHOWN,
        "git deleted the written path, or may have renamed it to another one, or "
        "another file is there today: a link, or one that was moved or written there",
        born="environments-in-one-commit",
    ),
    Veto(
        "names-cut",
        lambda case: not case.facts.names_complete,
        {**_ALL, **_named("make")},
        "not all names were read, so that another path may be meant",
        born="names-that-are-cut",
        unless="itself",
    ),
    Veto(
        "history-unknown",
        lambda case: not (case.facts.history_known and case.facts.names_complete),
        _SHOWN,
        "the history is not known, so that the path may have been renamed: it was not "
        "read in time, or git does not work here",
        born="history-that-is-cut",
        unless="itself",
    ),
    Veto(
        "outside",
        lambda case: case.facts.reading.outside,
        {**_SHOWN, **_named("make")},
        "the written path points outside the project, and nothing maps it into it",
        born="outside-stays-outside",
        unless="mapped",
    ),
    Veto(
        "folder-there",
        lambda case: is_outside_written_folder(case.match, case.facts),
        _SHOWN,
        "a folder that exists as it was written is meant, and this path is outside it",
        born="folder-in-folder",
        unless="proved",
    ),
    Veto(
        "instance",
        _is_in_other_instance,
        {**_ALL, **_named("make")},
        "it is in another folder of one kind, by the number, date, environment or "
        "person in its name or by the files in it: `runs/11/`, for `runs/12/`",
        born="runs-of-a-kind",
        unless="itself proved led",
        always=True,
    ),
    Veto(
        "set-aside",
        _is_set_aside,
        {**_SHOWN, **_named("make")},
        "for its name alone it is a copy that was set aside (in `backup`, `examples`, "
        "`templates` and the like), or for any reason one that was put away (in "
        "`archive`, `old`, `legacy` and the like)",
        born="put-away",
    ),
    Veto(
        "rival",
        _has_rival,
        _SHOWN,
        "another candidate has the same reason, or ends in all that was written where "
        "something is taken off it for this one, or is the written path in another "
        "case where git leads to this one",
        born="fuller-path",
        unless="proved",
    ),
    Veto(
        "without-text",
        _is_without_text,
        _named("edit"),
        "the text to be replaced is not known to be in it",
        born="text-elsewhere",
    ),
    Veto(
        "unlikely",
        _is_unlikely,
        _ALL,
        f"its likelihood is under {ASSUMED_FROM}, or less than {AHEAD:g} times that of "
        "the next one, or its name only looks alike where a file has the name itself",
        born="word-and-word",
        unless="namesake",  # the text tells it from the others
    ),
    Veto(
        "ignored",
        _is_ignored,
        {**_ALL, **_named("make")},
        "git ignores the written path: it may not be made yet",
        born="ignored",
    ),
    Veto(
        "ignored-unknown",
        lambda case: _ignores(case) is None,
        _named(*_CHANGES, "make"),
        "git does not tell whether it ignores the written path",
        born="ignored",
    ),
    Veto(
        "other-repository",
        _is_in_other_repository,
        _named(*_CHANGES, "make"),
        "it is not in this repository",
        born="other-repository",
    ),
    Veto(
        "marked-wrong",
        _is_marked,
        {**_ALL, **_named("make")},
        "the user marked it as wrong (`truepath wrong`)",
        born="marked-wrong",
    ),
)
"""The table: every row that applies counts. What the disk shows comes before what git
knows, and that before likelihood."""


_SPARES = frozenset({"outside"})
"""Rows that say how little may be done, not that another path may be meant."""


def casts_doubt(held_back: Sequence[str]) -> bool:
    """Return whether one of some rows says that another path may be meant."""
    rows = {veto.name for veto in VETOES} - _SPARES
    return not rows.isdisjoint(held_back)
