"""The ruler of a command that ends well on a path that is nowhere, and says nothing:
`git log -- lib/gone.js` prints what it prints where nothing has changed.

The command runs as it is, and the agent reads once a session that there is no such
path. It speaks only where neither the disk nor git's index nor any commit has it, and
the line does not ask whether it exists.

Its text: `nothing done`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from truepath.guard.reading import PASSIVE, Finding, Reading, Ruling
from truepath.records import replace

DONE: Mapping[str, str] = {
    "git diff": "compared",
    "git log": "listed",
    "git show": "shown",
    "git grep": "searched",
    "grep": "searched",
    "rg": "searched",
    "find": "searched",
    "ls": "listed",
    "cat": "shown",
    "head": "shown",
    "tail": "shown",
}
"""Program -> what it has not done to a path that does not exist."""


ROW = "nothing-done"

SENTENCE = (
    f"a command ends well on a path that neither the disk nor git has ever had, and "
    f"prints what it prints where nothing is found: {', '.join(DONE)}"
)


def nothing_done(reading: Reading) -> Ruling | None:
    """Rule about a call that names paths which are missing without a word; None if
    there is more to say about its paths, or the agent would not read the note.
    """
    gone, beside = _gone(reading)
    if not reading.notes:
        return None
    new = [each for each in gone if not reading.known.noted(_note(each))]
    tree = reading.space.tree
    if not new or any(tree.ever_had(each.resolution.target) for each in new):
        return None
    # What is like it is not named, in the payload either.
    about = [
        replace(
            each,
            resolution=replace(
                each.resolution,
                status="absent",
                path=None,
                candidates=(),
                permits="named",
                held_back=(ROW,),
            ),
        )
        for each in new
    ]
    return Ruling(
        "advise",
        about,
        event="path.advised",
        says="nothing done",
        parts={
            "done": [DONE[each.mention.unreported_by] for each in new],
            "beside": bool(beside),
        },
        notes=tuple(map(_note, new)),
    )


def _gone(reading: Reading) -> tuple[Sequence[Finding], Sequence[Finding]]:
    """Return the paths that are missing without a word, and those beside them; none if
    there is more to say.
    """
    entered = [each for each in reading.findings if each.mention.enters]
    others = [each for each in reading.findings if each not in entered]
    gone = [
        each
        for each in others
        if each.mention.unreported_by in DONE
        and not each.resolution.written.startswith("-")  # an option behind `--`
        and each.action == "allow"
        and each.resolution.status in ("absent", "likely", "ambiguous", "resolved")
        and each.resolution.cause in ("", "beside")
        and not each.resolution.outside
        and reading.rules[each.resolution.operation] not in PASSIVE
    ]
    beside = [each for each in others if each not in gone]
    there = [each.resolution.status == "exists" for each in (*entered, *beside)]
    # What a line without errors looks for in several places, it finds in the others.
    asks_git = all(finding.mention.in_git for finding in gone)
    if not all(there) or (beside and not asks_git):
        return (), ()
    return gone, beside


def _note(finding: Finding) -> str:
    return f"nothing:{finding.resolution.target}"
