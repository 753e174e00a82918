"""Why an edit did not find its text: by the text that the file had, as far as the
session shows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from truepath.audit.transcript import Call, Named
from truepath.calls.contents import edits

_BLANKS = re.compile(r"\s+")


def causes(calls: Sequence[Call]) -> dict[int, str]:
    """Return, for each failed edit of which it is known, how the text that it asked for
    differs from the file: in `line ends`, in `blanks`, or it is `absent`.
    """
    texts: dict[str, str] = {}
    found = {}
    for at, call in enumerate(calls):
        for path in call.paths:
            if call.failed and path.target in texts:
                cause = _cause(call, path, texts[path.target])
                if cause:
                    found[at] = cause
        if call.failed is False and len(call.paths) == 1:
            _learn(call, call.paths[0], texts)
    return found


def _learn(call: Call, path: Named, texts: dict[str, str]) -> None:
    """Keep what a call shows of the text of its file."""
    operation = path.mention.argument.operation
    written = call.arguments.get("content") if operation == "write" else None
    shown = written if call.content is None else call.content
    if isinstance(shown, str):
        texts[path.target] = shown
    elif operation != "read":
        # What is in it now is not known.
        texts.pop(path.target, None)


def _cause(call: Call, path: Named, known: str) -> str:
    for edit in edits(call.asked, path.mention):
        if not edit.old.strip():
            continue
        if edit.old in known:
            # What follows in the same call is asked of the text with this change.
            known = known.replace(edit.old, edit.new, -1 if edit.every else 1)
            continue
        if edit.old.replace("\r\n", "\n") in known.replace("\r\n", "\n"):
            return "line ends"
        is_there = _BLANKS.sub("", edit.old) in _BLANKS.sub("", known)
        return "blanks" if is_there else "absent"
    return ""
