"""Comments, docstrings and documents are in plain English: see CONTRIBUTING."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from rows import check_each

ROOT = Path(__file__).parent.parent
SOURCES = sorted((ROOT / "src/truepath").rglob("*.py"))
DOCUMENTS = [
    *sorted((ROOT / "docs").rglob("*.md")),
    ROOT / "README.md",
    ROOT / "SECURITY.md",
]

IDIOMS = {
    r"\bstands?\b(?! for| in for|-in)": "an entry exists, or is at a path",
    r"\bof ours\b|\bin our words\b": "of truepath",
    r"\btold of\b": "reported, named",
    r"\b(?:bears|bear|bore|borne)\b": "has",
    r"\b[Ll]eave word\b": "record",
}


def prose(path: Path) -> Iterator[tuple[int, str]]:
    """Yield what a file says to its reader, with line numbers: comments and docstrings,
    or all.
    """
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        yield from enumerate(text.splitlines(), 1)
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        is_docstring = token.type == tokenize.STRING and token.string.lstrip(
            "r"
        ).startswith('"""')
        if is_docstring or token.type == tokenize.COMMENT:
            yield from enumerate(token.string.splitlines(), token.start[0])


def test_no_idiom_of_our_own():
    def check(path):
        found = [
            f"{number}: {line.strip()} ({better})"
            for number, line in prose(path)
            for idiom, better in IDIOMS.items()
            if re.search(idiom, line)
        ]
        assert found == []

    check_each([*SOURCES, *DOCUMENTS], check, lambda path: str(path.relative_to(ROOT)))


def test_the_idioms_are_found_where_they_are():
    """The table of CONTRIBUTING has them on its left."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    table = text[text.index("| not | but |") :]

    assert sum(bool(re.search(idiom, table)) for idiom in IDIOMS) >= 3
