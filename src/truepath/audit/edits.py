"""Why an edit did not find its text: by the text that the file had, as far as the
session shows it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from truepath.audit.misses import Named, tool_call
from truepath.audit.transcript import Call
from truepath.calls.contents import edits

_BLANKS = re.compile(r"\s+")


def causes(calls: Sequence[Call], paths: Sequence[Sequence[Named]]) -> dict[int, str]:
    """Return, for each failed edit of which it is known, how the text that it asked for
    differs from the file: in `line ends`, in `blanks`, or it is `absent`.

    `paths` are those that each call named.
    """
    texts: dict[str, str] = {}
    found = {}
    for at, call in enumerate(calls):
        for path in paths[at]:
            known = texts.get(path.target)
            if call.failed and known is not None:
                cause = _cause(call, path, known)
                if cause:
                    found[at] = cause
        _learn(call, paths[at], texts)
    return found


def _learn(call: Call, paths: Sequence[Named], texts: dict[str, str]) -> None:
    """Keep what a call shows of the text of its file."""
    if call.failed is not False or len(paths) != 1:
        return
    path = paths[0]
    operation = path.mention.argument.operation
    if call.content is not None:
        texts[path.target] = call.content
    elif operation == "write" and isinstance(call.arguments.get("content"), str):
        texts[path.target] = call.arguments["content"]
    elif operation != "read":
        # What is in it now is not known.
        texts.pop(path.target, None)


def _cause(call: Call, path: Named, known: str) -> str:
    for edit in edits(tool_call(call, ""), path.mention):
        if not edit.old.strip():
            continue
        if edit.old in known:
            # What follows in the same call is asked of the text with this change.
            known = known.replace(edit.old, edit.new, -1 if edit.every else 1)
            continue
        if _with_newlines(edit.old) in _with_newlines(known):
            return "line ends"
        is_there = _BLANKS.sub("", edit.old) in _BLANKS.sub("", known)
        return "blanks" if is_there else "absent"
    return ""


def _with_newlines(text: str) -> str:
    return text.replace("\r\n", "\n")
