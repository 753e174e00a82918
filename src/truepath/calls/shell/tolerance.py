"""Which parts of a command line may fail: those that ask, and those whose errors nobody reads."""

from __future__ import annotations

from collections.abc import Sequence

from truepath.calls.shell.invocation import invocation
from truepath.calls.shell.syntax_tree import Redirect, Simple, Test, Tree

QUESTIONS = frozenset(("test", "[", "type", "which", "whereis", "hash"))
NULL = "/dev/null"


def gives_up(tree: Tree) -> bool:
    """Whether `|| ...` ends everything: then the failure is a failure."""
    if not isinstance(tree, Simple) or not tree.words:
        return False
    words = [word.value for word in tree.words]
    return words[0] in ("exit", "return") and words[1:] != ["0"]


def shrugs(tree: Tree) -> bool:
    """Whether `|| ...` only keeps the exit status at zero."""
    return isinstance(tree, Simple) and [word.raw for word in tree.words] in ([b"true"], [b":"])


def is_question(tree: Tree) -> bool:
    """Whether a part decides whether the next one runs."""
    if isinstance(tree, Test):
        return True
    if isinstance(tree, Simple) and tree.words:
        call = invocation(tree.words)
        return call.name in QUESTIONS or call.asks or silenced(tree.redirects)
    return False


def is_endless(tree: Tree) -> bool:
    """Whether a loop's condition asks nothing about files."""
    if not isinstance(tree, Simple) or not tree.words:
        return False
    return tree.words[0].value in ("read", "true", ":")


def silenced(redirects: Sequence[Redirect]) -> bool:
    """Whether nobody will read the errors: then failing is expected."""
    output = False
    for redirect in redirects:
        target = redirect.word.value if redirect.word else "-"
        operator, descriptor = redirect.operator, redirect.descriptor
        null = target == NULL
        if operator in ("&>", "&>>") and null:
            return True
        if operator in (">", ">>", ">|") and descriptor == "2" and null:
            return True
        if operator in (">&", ">&-") and descriptor == "2" and (target == "-" or output):
            return target in ("-", "1")
        if operator == ">&" and null:
            return True
        if operator in (">", ">>", ">|") and descriptor in ("", "1"):
            output = null
    return False
