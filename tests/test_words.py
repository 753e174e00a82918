"""Comments, docstrings and documents are in plain English: see CONTRIBUTING."""

from __future__ import annotations

import ast
import graphlib
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


def _imports(tree: ast.AST) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node


def test_an_import_inside_a_function_has_its_reason_beside_it():
    def check(path):
        text = path.read_text("utf-8")
        lines = text.splitlines()
        functions = [
            node for node in ast.walk(ast.parse(text)) if hasattr(node, "returns")
        ]
        inside = {node.lineno for each in functions for node in _imports(each)}
        told = [lines[line - 2].lstrip() + lines[line - 1] for line in sorted(inside)]
        assert [each for each in told if "#" not in each] == []

    check_each(SOURCES, check, lambda path: str(path.relative_to(ROOT)))


def test_what_is_imported_late_is_of_a_room_that_its_room_imports_from_anyway():
    ordinary = set()
    late = set()
    for path in SOURCES:
        text = path.read_text("utf-8")
        room = path.relative_to(ROOT / "src/truepath").parts[0]
        late |= {(room, to) for to in re.findall(r'Late\("truepath\.(\w+)', text)}
        for node in _imports(ast.parse(text)):
            module = getattr(node, "module", None) or ""
            if node.col_offset == 0 and module.startswith("truepath."):
                ordinary.add((room, module.split(".")[1]))
    # `import-linter`, which holds the walls, does not see what is imported late.
    new = {(room, to) for room, to in late - ordinary if to not in (room, *_FLOOR)}
    assert new == {("__main__.py", "hook")}


def test_no_two_files_import_each_other():
    modules = {
        ".".join(path.relative_to(ROOT / "src").with_suffix("").parts): path
        for path in SOURCES
    }
    imported = {}
    for name, path in modules.items():
        text = path.read_text("utf-8")
        named = set(re.findall(r'Late\("([\w.]+)"', text))
        for node in _imports(ast.parse(text)):
            module = getattr(node, "module", None) or ""
            named |= {module, *(f"{module}.{each.name}" for each in node.names)}
        imported[name] = named & set(modules)

    # A circle raises CycleError, which names its files.
    assert list(graphlib.TopologicalSorter(imported).static_order())


_FLOOR = ("config", "errors", "fields", "paths", "patience", "records", "types")
