"""The tables of error texts, with the lines that stand below each row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import truepath.calls.error_texts as read_by

GONE = re.compile(r"(?:/p/|\./)?src/gone\.x(?:/\*\.md)?")
"""What is missing in every line, as the program writes it."""


class Shape(NamedTuple):
    pattern: str
    must: list[str]
    must_not: list[str]


def shapes(name: str = "error_shapes") -> list[Shape]:
    table = Path(read_by.__file__).with_name(f"{name}.txt")
    found: list[Shape] = []
    for line in table.read_text("utf-8").splitlines():
        mark, text = line[:2], line[2:].replace("\\n", "\n")
        if mark == "+ ":
            found[-1].must.append(text)
        elif mark == "- ":
            found[-1].must_not.append(text)
        elif line and not line.startswith("#"):
            found.append(Shape(line, [], []))
    return found


def told() -> list[str]:
    """Return every line that the table of shapes must read."""
    return [text for shape in shapes() for text in shape.must]
