"""A command line's text to its tree, by way of the grammar.

What the grammar knows and this does not is `Unsupported`, never guessed at.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from truepath.calls.shell.heredocs import Heredoc, mask
from truepath.calls.shell.quoting import read
from truepath.calls.shell.syntax_tree import (
    Block,
    Redirect,
    Shape,
    Simple,
    Test,
    Tree,
    Unsupported,
    Word,
    joined,
)
from truepath.records import dataclass

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

DEEPEST = 100
"""How deep compound commands may nest before the command line is left alone."""


@lru_cache(maxsize=1)
def _parser() -> Parser:
    from tree_sitter import Language, Parser

    return Parser(Language(_grammar().language()))


def _grammar() -> Any:
    """Return the module that holds the grammar.

    The package around it imports `importlib.resources` for queries that nobody asks: 13 ms of a
    hook. So the module is loaded by itself where the package is as it is known.
    """
    from importlib.machinery import PathFinder
    from importlib.util import find_spec, module_from_spec

    package = find_spec("tree_sitter_bash")
    folders = package.submodule_search_locations if package else None
    spec = PathFinder.find_spec("tree_sitter_bash._binding", folders) if folders else None
    if spec is None or spec.loader is None:
        import tree_sitter_bash

        return tree_sitter_bash
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# tree-sitter-bash 0.25.1 reads outside its memory on letters beyond U+00FF and may crash the whole
# process (tree-sitter/tree-sitter-bash#337). To a shell they are letters like any other, so the
# grammar gets to see a harmless one instead.
_ASCII = bytes(range(128)) + b"x" * 128


def grammar_tree(source: bytes) -> Node | None:
    """Return the grammar's tree of a command line without here-documents, None on an error.

    Offsets are those of `source`; the texts of its nodes are not to be used.
    """
    root = _parser().parse(source.translate(_ASCII)).root_node
    return None if root.has_error else root


def parse(source: bytes) -> Tree:
    """Return the tree of a command line; raise `Unsupported` when it cannot be followed."""
    masked = mask(source)
    if masked is None or masked.runs:
        raise Unsupported
    root = grammar_tree(masked.source)
    if root is None:
        raise Unsupported
    substitutes = b"(" in source or b"`" in source
    return _Builder(masked.source, masked.heredocs, substitutes).sequence(root, 0)


_WORDS = frozenset(
    ("word", "number", "string", "raw_string", "ansi_c_string", "translated_string",
     "concatenation", "simple_expansion", "expansion", "command_substitution",
     "process_substitution", "arithmetic_expansion", "brace_expression", "extglob_pattern",
     "regex", "special_variable_name", "variable_name", "subscript", "array", "test_operator",
     "glob_pattern"),
)  # fmt: skip
_START = attrgetter("start")
_BLANK = re.compile(rb"(?:[ \t]|\\\n)*")
_EDGES = frozenset((b"", *(bytes((byte,)) for byte in b" \t\n;&|()<>`\\{}!")))


def _separates(gap: bytes, between_words: bool) -> bool:
    """Whether the shell, too, ends a word at `gap`: a joined line alone does not end one."""
    if not _BLANK.fullmatch(gap):
        return False
    return b" " in gap or b"\t" in gap or (not between_words and not gap)


def _numbered(simple: Simple) -> Simple:
    """Give `0< a` its number, which the grammar takes for a word."""
    zeros = {word.end: word.start for word in simple.words if word.raw == b"0"}
    if not zeros:
        return simple
    redirects = tuple(
        each._replace(descriptor="0", start=zeros[each.start]) if each.start in zeros else each
        for each in simple.redirects
    )
    taken = {each.start for each in redirects}
    words = tuple(word for word in simple.words if word.start not in taken)
    return simple._replace(words=words, redirects=redirects)


_QUIET = frozenset(("comment", "variable_assignment", "variable_assignments", "unset_command",
                    "declaration_command"))  # fmt: skip


@dataclass(slots=True, eq=False, repr=False)
class _Builder:
    source: bytes
    heredocs: tuple[Heredoc, ...]
    substitutes: bool
    """Whether the source may hold a substitution."""

    def sequence(self, node: Node, depth: int, shape: Shape = "sequence") -> Block:
        return Block(shape, tuple(self._statements(node.named_children, depth)))

    def _statements(self, nodes: list[Node], depth: int) -> Iterator[Tree]:
        for node in nodes:
            if node.type != "comment":
                tree, end = self.tree(node, depth + 1), node.next_sibling
                # What runs in the background does so in a shell of its own.
                apart = end is not None and end.type == "&"
                yield Block("subshell", (tree,)) if apart else tree

    def tree(self, node: Node, depth: int) -> Tree:
        if depth > DEEPEST:
            raise Unsupported
        kind = node.type
        if kind == "command":
            return self._simple(node, depth)
        if kind == "redirected_statement":
            return self._redirected(node, depth)
        if kind == "list":
            return self._chain(node, depth)
        if kind in _QUIET:
            return Simple((), inner=self._substitutions(node, depth))
        if kind == "test_command":
            return Test(tuple(self._leaves(node)), self._substitutions(node, depth))
        return self._compound(node, depth)

    def _compound(self, node: Node, depth: int) -> Tree:
        kind = node.type
        if kind == "pipeline":
            return joined(self.sequence(node, depth, "pipeline"))
        if kind == "negated_command":
            return self.sequence(node, depth, "not")
        if kind == "subshell":
            return self.sequence(node, depth, "subshell")
        if kind == "compound_statement":
            if node.children and node.children[0].type == "((":
                return Test((), self._substitutions(node, depth))
            return self.sequence(node, depth, "group")
        if kind in ("while_statement", "if_statement", "elif_clause"):
            return self._conditional(node, depth)
        if kind in ("for_statement", "c_style_for_statement"):
            return self._for(node, depth)
        if kind == "case_statement":
            return self._case(node, depth)
        if kind == "function_definition":
            return self._function(node, depth)
        raise Unsupported

    def _chain(self, node: Node, depth: int) -> Tree:
        """`a && b || c`: the grammar nests to the left, once for each operator."""
        parts: list[Tree] = []
        operators: list[str] = []
        while node.type == "list":
            # `a && # why`, and `b` on the next line.
            left, operator, right = (each for each in node.children if each.type != "comment")
            parts.append(self.tree(right, depth + 1))
            operators.append(operator.type)
            node = left
        parts.append(self.tree(node, depth + 1))
        return joined(Block("chain", tuple(reversed(parts)), operators=tuple(reversed(operators))))

    def _conditional(self, node: Node, depth: int) -> Block:
        conditions = {child.id for child in node.children_by_field_name("condition")}
        head = [child for child in node.named_children if child.id in conditions]
        body: list[Tree] = []
        for child in node.named_children:
            if child.id not in conditions and child.type != "comment":
                inner = child.type in ("else_clause", "do_group")
                build = self.sequence if inner else self.tree
                body.append(build(child, depth + 1))
        shape: Shape = "loop" if node.type == "while_statement" else "branch"
        return Block(shape, tuple(body), head=tuple(self._statements(head, depth)))

    def _for(self, node: Node, depth: int) -> Block:
        body = node.child_by_field_name("body")
        if body is None:
            raise Unsupported
        inner = [
            tree
            for child in node.children_by_field_name("value")
            for tree in self._substitutions(child, depth)
        ]
        return Block("loop", (*inner, self.sequence(body, depth + 1)))

    def _case(self, node: Node, depth: int) -> Block:
        parts: list[Tree] = []
        for item in node.named_children:
            if item.type == "case_item":
                values = {child.id for child in item.children_by_field_name("value")}
                body = [child for child in item.named_children if child.id not in values]
                parts.append(Block("sequence", tuple(self._statements(body, depth + 1))))
        return Block("branch", tuple(parts))

    def _function(self, node: Node, depth: int) -> Block:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is None or body is None or node.child_by_field_name("redirect") is not None:
            raise Unsupported
        text = self.source[name.start_byte : name.end_byte].decode("utf-8", "replace")
        return Block("function", (self.tree(body, depth + 1),), name=text)

    def _redirected(self, node: Node, depth: int) -> Tree:
        redirects: list[Redirect] = []
        words: list[Word] = []
        inner: list[Tree] = []
        for child in node.children_by_field_name("redirect"):
            self._redirect(child, redirects, words)
            inner.extend(self._substitutions(child, depth))
        body = node.child_by_field_name("body")
        tree: Tree = Simple(()) if body is None else self.tree(body, depth + 1)
        return self._attach(tree, Simple(tuple(words), tuple(redirects), tuple(inner)))

    def _attach(self, tree: Tree, more: Simple) -> Tree:
        """Give redirections to their command: the last one of a list."""
        if isinstance(tree, Simple):
            return self._whole(
                tree._replace(
                    words=tree.words + more.words,
                    redirects=tree.redirects + more.redirects,
                    inner=tree.inner + more.inner,
                )
            )
        if isinstance(tree, Block) and tree.shape in ("chain", "pipeline", "not"):
            return tree._replace(parts=(*tree.parts[:-1], self._attach(tree.parts[-1], more)))
        if more.words:
            raise Unsupported
        return Block("group", (*more.inner, tree), redirects=more.redirects)

    def _simple(self, node: Node, depth: int) -> Simple:
        words: list[Word] = []
        redirects: list[Redirect] = []
        for child in node.named_children:
            if child.type == "command_name":
                words.append(self._word(child.named_children[0]))
            elif child.type in ("file_redirect", "herestring_redirect"):
                self._redirect(child, redirects, words)
            elif child.type in _WORDS:
                words.append(self._word(child))
            elif child.type != "variable_assignment":
                raise Unsupported
        inner = self._substitutions(node, depth)
        return self._whole(Simple(tuple(words), tuple(redirects), inner))

    def _redirect(self, node: Node, redirects: list[Redirect], words: list[Word]) -> None:
        start = node.start_byte
        if node.type == "herestring_redirect":
            redirects.append(Redirect("<<<", "", None, start, node.end_byte))
            return
        if node.type != "file_redirect":
            raise Unsupported
        descriptor = node.child_by_field_name("descriptor")
        number = "" if descriptor is None else self._bytes(descriptor).decode()
        operator = next(child for child in node.children if not child.is_named)
        # The grammar takes every later word of the command into the redirection.
        targets = [self._word(child) for child in node.children_by_field_name("destination")]
        end = targets[0].end if targets else operator.end_byte
        target = targets[0] if targets else None
        redirects.append(Redirect(operator.type, number, target, start, end))
        words.extend(targets[1:])

    def _word(self, node: Node) -> Word:
        start, end = node.start_byte, node.end_byte
        raw = self.source[start:end]
        before, after = self.source[start - 1 : start], self.source[end : end + 1]
        # The grammar ends words at whitespace that no shell knows: U+00A0, a carriage return.
        if before not in _EDGES or after not in _EDGES:
            raise Unsupported
        reading = read(raw)
        splits = reading is None and node.type not in ("string", "raw_string", "ansi_c_string")
        return Word(start, end, raw, reading, splits)

    def _whole(self, simple: Simple) -> Simple:
        """Order a command's words, account for every byte between them, add its documents."""
        simple = _numbered(simple)
        items: list[Word | Redirect] = [*simple.words, *simple.redirects]
        if not items:
            return simple
        items.sort(key=_START)
        words = list(simple.words)
        for left, right in pairwise(items):
            gap = self.source[left.end : right.start]
            if gap == b" ":  # nearly every one
                continue
            if gap.strip() == b"-":  # the grammar drops one that precedes a redirection
                at = left.end + gap.index(b"-")
                words.append(Word(at, at + 1, b"-", read(b"-"), splits=False))
            elif not _separates(gap, isinstance(left, Word) and isinstance(right, Word)):
                raise Unsupported
        words.sort(key=_START)
        documents = self._documents(items[0].start, items[-1].end)
        return Simple(tuple(words), simple.redirects, simple.inner, documents)

    def _documents(self, start: int, end: int) -> tuple[Heredoc, ...]:
        if not self.heredocs:
            return ()
        first = last = bisect_left(self.heredocs, start, key=attrgetter("operator"))
        while last < len(self.heredocs):
            at = self.heredocs[last].operator
            if at >= end and self.source[end:at].strip(b" \t"):
                break
            last += 1
        return self.heredocs[first:last]

    def _leaves(self, node: Node) -> Iterator[Word]:
        stack = list(reversed(node.named_children))
        while stack:
            child = stack.pop()
            if child.type in _WORDS:
                raw = self._bytes(child)
                yield Word(child.start_byte, child.end_byte, raw, read(raw), splits=False)
            else:
                stack.extend(reversed(child.named_children))

    def _substitutions(self, node: Node, depth: int) -> tuple[Tree, ...]:
        if not self.substitutes:
            return ()
        found: list[Tree] = []
        stack = list(reversed(node.children))
        while stack:
            child = stack.pop()
            if child.type in ("command_substitution", "process_substitution"):
                found.append(self.sequence(child, depth + 1, "subshell"))
            else:
                stack.extend(reversed(child.children))
        return tuple(found)

    def _bytes(self, node: Node) -> bytes:
        return self.source[node.start_byte : node.end_byte]
