"""How two folder paths differ, segment by segment.

Pure comparison of text; it looks at no project and weighs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from truepath.paths import fold
from truepath.project.names import name_words
from truepath.resolve.typos import IsWord, in_other_number, misspelling, slipped
from truepath.resolve.words import is_word as listed


def folder_relation(
    wanted: Sequence[str], got: Sequence[str], *, is_word: IsWord = listed
) -> tuple[int, tuple[str, ...]]:
    """Compare two folder paths by whole segments: (segments to change, evidence)."""
    if list(wanted) == list(got):
        return (0, ("same-folder",))
    left, right = [fold(part) for part in wanted], [fold(part) for part in got]
    if left == right:
        return (0, ("folder-case",))
    head = _common(left, right)
    tail = _common(left[head:][::-1], right[head:][::-1])
    lost = left[head : len(left) - tail]
    gained = right[head : len(right) - tail]
    shape = _shape(lost, gained, head=head, tail=tail)
    if shape == "folder-replaced":
        shape = _other_name(wanted[head], got[head])
    if shape in _LOOSE and _canonical(left) == _canonical(right):
        shape = "folder-synonym"
    shared = head + tail + _kept_inside(lost, gained)
    evidence = [shape]
    if shape in ("folder-replaced", "moved") and tail:
        evidence.append("same-parent")
    if shape in ("folder-replaced", "folder-slip", "folder-words"):
        evidence += _other_folder(wanted[head], got[head], is_word, slip=shape == "folder-slip")
    evidence.append(f"shared-{min(shared, 4)}")
    if lost:
        evidence.append(f"lost-{min(len(lost), 3)}")
    if gained:
        evidence.append(f"gained-{min(len(gained), 4)}")
    return (len(lost) + len(gained), tuple(evidence))


_LOOSE = frozenset({"folder-replaced", "folder-words", "moved", "missing-middle", "missing-last"})
"""How folders may differ that are still the same ones by other words."""

_SYNONYMS = {
    word: words[0]
    for words in (
        ("src", "source", "sources"),
        ("test", "tests", "testing"),
        ("doc", "docs", "documentation"),
        ("lib", "libs", "library", "libraries"),
        ("util", "utils", "utilities"),
        ("component", "components"),
        ("spec", "specs"),
        ("script", "scripts"),
        ("config", "conf", "cfg", "configs", "configuration"),
    )
    for word in words
}
"""Words by which projects call the same folder."""

_GROUP = r"\(.*\)"
_PARAMETER = r"\[.*\]"


def _canonical(folders: Sequence[str]) -> list[str]:
    """Return folded folders by one word each, as a web framework's router reads them.

    A group `(auth)` is no part of the route, and `[id]` and `[userId]` are the same parameter.
    """
    named = [part for part in folders if not re.fullmatch(_GROUP, part)]
    return ["[]" if re.fullmatch(_PARAMETER, part) else _SYNONYMS.get(part, part) for part in named]


def _other_folder(wanted: str, got: str, is_word: IsWord, *, slip: bool) -> tuple[str, ...]:
    """Say what a folder is to the one in its place, where that decides what may be done."""
    if in_other_number(wanted, got):
        return ("wrong-number",)
    if _are_opposites(wanted, got):
        return ("opposite",)
    return misspelling(wanted, got, is_word) if slip else ()


_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "reader/writer readers/writers read/write input/output inputs/outputs in/out "
        "client/server clients/servers async/sync public/private internal/external "
        "encoder/decoder encoders/decoders encode/decode import/export imports/exports "
        "importer/exporter importers/exporters source/target source/destination src/dst "
        "before/after left/right request/response requests/responses sender/receiver "
        "producer/consumer producers/consumers publisher/subscriber frontend/backend front/back "
        "parent/child upload/download uploads/downloads push/pull min/max train/test "
        "training/testing debug/release dev/prod development/production staging/production "
        "local/remote success/failure valid/invalid primary/replica primary/secondary "
        "inbound/outbound incoming/outgoing ingress/egress serializer/deserializer "
        "serializers/deserializers upgrade/downgrade encrypt/decrypt compress/decompress "
        "buyer/seller buyers/sellers android/ios windows/linux linux/macos windows/macos"
    ).split()
)
"""Words for the two sides of one thing: where one is there, what was asked for is the other.
From the pairs that projects keep beside one another."""


def _are_opposites(one: str, other: str) -> bool:
    """Return whether two names differ by one word, and that by its opposite."""
    left, right = name_words(fold(one)), name_words(fold(other))
    if len(left) != len(right):
        return False
    odd = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    return len(odd) == 1 and frozenset(odd[0]) in _OPPOSITES


def _shape(lost: list[str], gained: list[str], *, head: int, tail: int) -> str:
    """Name the change that turns one folder path into the other."""
    if not gained:
        if not head:
            return "extra-leading"
        return "extra-middle" if tail else "extra-last"
    if not lost:
        if not head:
            return "missing-leading"
        return "missing-middle" if tail else "missing-last"
    return "folder-replaced" if len(lost) == len(gained) == 1 else "moved"


def _other_name(wanted: str, got: str) -> str:
    """Say what a folder's name is to the one in its place."""
    left, right = name_words(fold(wanted)), name_words(fold(got))
    if left == right or in_other_number(wanted, got) or slipped(wanted, got):
        return "folder-slip"
    if wanted.strip(_BRACKETS) == got.strip(_BRACKETS):
        return "folder-synonym"
    less, more = sorted((set(left), set(right)), key=len)
    contained = bool(less) and less < more
    return "folder-words" if contained else "folder-replaced"


_BRACKETS = "()[]"


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _kept_inside(lost: Sequence[str], gained: Sequence[str]) -> int:
    """Count the segments both middles hold in the same order (longest common subsequence)."""
    row = [0] * (len(gained) + 1)
    for one in lost:
        previous = 0
        for at, other in enumerate(gained, start=1):
            previous, row[at] = (
                row[at],
                previous + 1 if one == other else max(row[at], row[at - 1]),
            )
    return row[-1]
