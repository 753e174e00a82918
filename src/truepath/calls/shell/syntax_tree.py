"""A command line as a small tree: simple commands, and how they are put together. Types only."""

from __future__ import annotations

from typing import Literal, NamedTuple

from truepath.calls.shell.heredocs import Heredoc
from truepath.calls.shell.quoting import Reading

Shape = Literal[
    "sequence", "pipeline", "chain", "not", "subshell", "group", "loop", "branch", "function"
]


_ONCE = frozenset(("sequence", "group", "subshell", "not"))
"""Shapes whose parts run once each."""


class Unsupported(Exception):  # noqa: N818  not an error: the command line is left alone
    """The command line holds something that cannot be followed with certainty."""


class Word(NamedTuple):
    """One word of a command line."""

    start: int
    end: int
    raw: bytes
    reading: Reading | None
    """None when the shell expands the word."""
    splits: bool
    """The shell may make several words of it, or none."""

    @property
    def value(self) -> str | None:
        """The text the word stands for, where that is certain."""
        return self.reading.value if self.reading else None


class Redirect(NamedTuple):
    """`2> word`; `word` is None for `>&-`."""

    operator: str
    descriptor: str
    word: Word | None
    start: int
    end: int


class Simple(NamedTuple):
    """One command with its words; assignments before it are left out."""

    words: tuple[Word, ...]
    redirects: tuple[Redirect, ...] = ()
    inner: tuple[Tree, ...] = ()
    """Programs of the substitutions among the words."""
    heredocs: tuple[Heredoc, ...] = ()


class Block(NamedTuple):
    """Commands put together."""

    shape: Shape
    parts: tuple[Tree, ...]
    redirects: tuple[Redirect, ...] = ()
    operators: tuple[str, ...] = ()
    """In a chain, the `&&` and `||` between its parts."""
    name: str = ""
    """A function's name."""
    head: tuple[Tree, ...] = ()
    """A loop's or a branch's condition."""


class Test(NamedTuple):
    """`[ ... ]`, `[[ ... ]]`, `(( ... ))`."""

    words: tuple[Word, ...]
    inner: tuple[Tree, ...] = ()


Tree = Simple | Block | Test


def function_names(tree: Tree) -> frozenset[str]:
    """Return the names of the functions that a command line defines."""
    names: set[str] = set()
    stack: list[Tree] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Block):
            if node.shape == "function":
                names.add(node.name)
            stack.extend((*node.parts, *node.head))
    return frozenset(names)


def is_single(tree: Tree) -> bool:
    """Return whether a command line is one simple command, in brackets or not."""
    while isinstance(tree, Block) and len(tree.parts) == 1 and tree.shape in _ONCE:
        tree = tree.parts[0]
    return isinstance(tree, Simple)


def joined(block: Block) -> Tree:
    """Order a list as a shell does: `|` binds closer than `&&` and `||`.

    The grammar takes `a && b 2>&1 | c` for `{ a && b 2>&1; } | c`, and nests lists at will.
    """
    parts, operators = _flat(block)
    chain: list[list[Tree]] = [[parts[0]]]
    between: list[str] = []
    for operator, part in zip(operators, parts[1:], strict=True):
        if operator == "|":
            chain[-1].append(part)
        else:
            between.append(operator)
            chain.append([part])
    pipelines = [Block("pipeline", tuple(each)) if len(each) > 1 else each[0] for each in chain]
    if len(pipelines) == 1:
        return pipelines[0]
    return Block("chain", tuple(pipelines), operators=tuple(between))


def _flat(tree: Tree) -> tuple[list[Tree], list[str]]:
    if not isinstance(tree, Block) or tree.shape not in ("chain", "pipeline"):
        return [tree], []
    parts: list[Tree] = []
    operators: list[str] = []
    between = tree.operators or ("|",) * (len(tree.parts) - 1)
    for at, part in enumerate(tree.parts):
        if at:
            operators.append(between[at - 1])
        inner, inside = _flat(part)
        parts += inner
        operators += inside
    return parts, operators
