"""What the programs' own readers accept beyond JSON. Where they meet more, our hooks do not run."""

from __future__ import annotations

from collections.abc import Mapping

from truepath.install.jsonc import Document, Node

_COMMENT, _COMMA, _MARK = "a comment", "a comma after the last item", "a byte order mark"

REFUSES: Mapping[str, tuple[str, ...]] = {
    "claude-code": (_COMMENT, _COMMA),
    "codex": (_COMMENT, _COMMA, _MARK),
    "gemini": (_COMMA,),
    "qwen": (_COMMA,),
}
"""Host -> what its settings must not hold, seen with Claude Code 2.1.330 and Codex 0.169.0, which
leave the whole file out, and Gemini CLI 0.61.0 and Qwen Code 0.24, which do not even start. Hosts
that are not named may read all of it."""


def rejected_syntax(document: Document, host: str, *, marked: bool) -> str:
    """Say what in a file keeps its host from reading it, and where; "" for nothing.

    Args:
        document: The file.
        host: Whose it is.
        marked: Whether it begins with a byte order mark.
    """
    refused = REFUSES.get(host, ())
    for what, position in _extras(document, marked=marked):
        if what in refused:
            line = document.line(position)
            return f"line {line} has {what}, for which {host} ignores the file: remove it"
    return ""


def _extras(document: Document, *, marked: bool) -> list[tuple[str, int]]:
    found = [(_MARK, 0)] if marked else []
    comments = [token for token in document.tokens if token.kind in ("line", "block")]
    found += [(_COMMENT, token.start) for token in comments]
    return found + [(_COMMA, position) for position in _last_commas(document.root)]


def _last_commas(node: Node | None) -> list[int]:
    if node is None or not node.items:
        return []
    last = node.items[-1].comma
    inner = [position for item in node.items for position in _last_commas(item.node)]
    return [*inner, *([last] if last >= 0 else [])]
