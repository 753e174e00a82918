"""Any bytes at all: no crash, no span out of bounds, and one answer however it is read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from truepath.calls.shell.command_line import operands
from truepath.calls.shell.heredocs import mask

LINES = Path(__file__).parents[1] / "corpus" / "shell.jsonl"
COMMANDS = [json.loads(line)["command"] for line in LINES.read_text().splitlines()]

PIECES = st.sampled_from(
    ["cat", "a.py", "cd x", "&&", "||", "|", ";", "\n", " ", "'", '"', "\\", "$(", ")", "(", "{",
     "}", "`", "<<EOF", "EOF", "<", ">", ">>", "2>&1", "2>/dev/null", "*", "$X", "if", "then", "fi",
     "for f in", "do", "done", "rm -rf", "bash -c", "#", "~/x", "-n", "--file=",
     "é", "\u00a0", "\r", "{\U00031860"]
)  # fmt: skip


def check(command: str) -> None:
    source = command.encode("utf-8", "surrogatepass")
    found = operands(command)
    for at, operand in enumerate(found):
        start, end = operand.span
        assert 0 <= start < end <= len(source)
        assert all(index != at and index < len(found) for index in operand.cwd)
        if not operand.quote and not operand.inside:
            word = source[start:end]
            assert word[:1].strip()
            assert word[-1:].strip() or word[-2:-1] == b"\\", "a blank ends a word unless escaped"
    assert len({operand.span for operand in found}) == len(found)


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=200))
def test_random_bytes_never_crash(data: bytes) -> None:
    check(data.decode("utf-8", "surrogateescape"))
    check(data.decode("latin-1"))


@settings(max_examples=400, deadline=None)
@given(st.text(max_size=100))
def test_random_text_never_crashes(text: str) -> None:
    check(text)


@settings(max_examples=600, deadline=None)
@given(st.lists(PIECES, max_size=25).map("".join))
@example("cat&&#\ncat")
@example("2>&1\\ ")
def test_random_shell_never_crashes(text: str) -> None:
    check(text)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(COMMANDS), st.integers(0, 200), st.integers(0, 200), PIECES)
def test_damaged_commands_never_crash(command: str, start: int, length: int, piece: str) -> None:
    check(command[:start] + piece + command[start + length :])


@pytest.mark.parametrize(
    ("command", "bodies"),
    [
        ("cat <<EOF\nx\nEOF\n", ["x\n"]),
        ("cat <<'EOF' | wc\nit's\nEOF\necho", ["it's\n"]),
        ("cat <<A <<B\na\nA\nb\nB", ["a\n", "b\n"]),
        ("cat <<-EOF\n\tx\n\tEOF", ["\tx\n"]),
        ('x="$(cat <<EOF\ny\nEOF\n)"', ["y\n"]),
        ("echo '<<EOF'\ncat a", []),
        ('echo "<<EOF"\ncat a', []),
        ("echo $((1<<2))", []),
        ("cat <<< x", []),
        ("# <<EOF\ncat a", []),
        ("echo \\<<EOF\nx\nEOF", None),
    ],
)
def test_here_documents_are_told_from_what_looks_like_them(
    command: str, bodies: list[str] | None
) -> None:
    masked = mask(command.encode())
    if bodies is None:
        return
    assert masked is not None
    assert [each.text.decode() for each in masked.heredocs] == bodies
    assert len(masked.source) == len(command.encode())


@pytest.mark.parametrize(
    "command", ["cat <<EOF", "cat <<EOF\nx", "cat <<EOF\nx\n EOF", "cat <<\nx"]
)
def test_an_open_here_document_is_left_alone(command: str) -> None:
    assert mask(command.encode()) is None
    assert operands(command) == ()


@pytest.mark.parametrize("letter", ["\u0100", "\u3360", "\U00031860", "\U0010ffff"])
def test_letters_that_crash_the_grammar_never_reach_it(letter: str) -> None:
    # Read outside its memory by tree-sitter-bash 0.25.1: a crash no Python code could catch.
    for opening in ("{", "\\", "<", "${"):
        operands(f"cat a.py; {opening}{letter}")
    assert [each.written for each in operands(f"if :; then :; fi; cat {letter}.md")] == [
        f"{letter}.md"
    ]
