"""`rewrite`: other paths in, every other byte as it was, and the quoting always right."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from rows import check_each

from truepath.calls.shell.command_line import operands, rewrite

LINES = Path(__file__).parents[1] / "corpus" / "shell.jsonl"
COMMANDS = [json.loads(line)["command"] for line in LINES.read_text().splitlines()]
SHELLS = [shell for shell in ("bash", "dash") if shutil.which(shell)]


@pytest.mark.parametrize(
    ("command", "new", "expected"),
    [
        ("cat w", "src/a.py", "cat src/a.py"),
        ("cat w | head", "a b", "cat a\\ b | head"),
        ("cat w", "a b c d", "cat 'a b c d'"),
        ("cat 'w'", "a b", "cat 'a b'"),
        ("cat 'w'", "it's", "cat it\\'s"),
        ("cat 'w'", "it's a b", 'cat "it\'s a b"'),
        ('cat "w"', "a b", 'cat "a b"'),
        ('cat "w"', "a $b", 'cat "a \\$b"'),
        ('cat "w"', "wow!", "cat wow\\!"),
        ("cat \\w\\ x", "y", None),
        ("cat w", "-n", "cat ./-n"),
        ("cat -- w", "-n", "cat -- ./-n"),
        ("cat w", "~x", "cat \\~x"),
        ("cat w", "#x", "cat \\#x"),
        ("cat w", "a\nb", "cat 'a\nb'"),
        ("cat w", "größe.md", "cat größe.md"),
        ("cat w", "a\u00a0b", "cat 'a\u00a0b'"),
        ("cat w", "[slug].tsx", "cat '[slug].tsx'"),
        ("cat w # w", "a", "cat a # w"),
        ("echo w; cat w", "a", "echo w; cat a"),
        ("pytest w::t", "a.py", "pytest a.py::t"),
        ("pytest w::t", "a b.py", "pytest a\\ b.py::t"),
        ("pytest 'w::t[x y]'", "it's", "pytest 'it'\\''s::t[x y]'"),
        ('pytest "w::t"', "a$b", 'pytest "a\\$b::t"'),
        ('pytest "w::t"', "a!b", None),
        ("go test ./w/...", "./a/b", "go test ./a/b/..."),
        ("grep --file=w x", "a b", "grep --file=a\\ b x"),
        ("bash -c 'cat w'", "a b", "bash -c 'cat a\\ b'"),
        ("bash -c 'cat w'", "it's", None),
        ('bash -c "cat w"', "a b", "bash -c \"cat 'a b'\""),
        ('bash -c "cat w"', "a$b", None),
        ('zsh -lc "cat \\"w\\""', "a b", 'zsh -lc "cat \\"a b\\""'),
        ("./w", "a", "./a"),
        ("./w", "-a/b", "./-a/b"),
        ("go test ./w", "x/y", "go test ./x/y"),
        ("go test ./w", "../y", "go test ../y"),
        ("cat w", "", None),
        ("cat w", "a\0b", None),
        ("cat w", "a\udc80", None),
    ],
)
def test_a_new_path_keeps_the_style_or_takes_the_shortest_right_one(
    command: str, new: str, expected: str | None
) -> None:
    found = [operand for operand in operands(command) if operand.written in ("w", "./w")]
    result = rewrite(command, dict.fromkeys(found, new)) if found else None
    assert result == expected


def test_the_home_folder_stays_unquoted() -> None:
    (operand,) = operands("cat ~/w")
    assert rewrite("cat ~/w", {operand: "~/a b"}) == "cat ~/a\\ b"
    assert rewrite("cat ~/w", {operand: "src/a"}) == "cat src/a"


def test_two_operands_are_both_rewritten() -> None:
    command = "diff  one 'two'   # one two"
    one, two = operands(command)
    assert rewrite(command, {one: "a b", two: "c d"}) == "diff  a\\ b 'c d'   # one two"


def test_two_operands_are_both_left_when_one_cannot_be_written() -> None:
    one, two = operands("diff one two")
    assert rewrite("diff one two", {one: "a", two: ""}) is None


def test_two_paths_in_one_program_text_are_both_rewritten() -> None:
    command = 'bash -lc "cat \\"one\\" two && ls three"'
    one, two, three = operands(command)
    new = rewrite(command, {one: "a b", two: "c", three: "d e"})
    assert new == 'bash -lc "cat \\"a b\\" c && ls \'d e\'"'


def test_a_patch_in_a_here_document_is_rewritten_as_plain_text() -> None:
    command = (
        "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: w\n@@\n-a\n+b\n*** End Patch\nEOF"
    )
    (operand,) = operands(command)
    assert rewrite(command, {operand: "it's a.py"}) == command.replace("File: w", "File: it's a.py")
    assert rewrite(command, {operand: "a\nb"}) is None


@pytest.mark.parametrize("command", ["rm -rf w", "rm *.x w", "git checkout -- w"])
def test_what_must_not_be_rewritten_is_not(command: str) -> None:
    (operand,) = operands(command)
    assert rewrite(command, {operand: "a"}) is None


def test_operands_of_another_command_are_refused() -> None:
    (operand,) = operands("cat  w")
    assert rewrite("cat w", {operand: "a"}) is None


def test_every_operand_of_the_corpus_can_be_replaced_alone() -> None:
    check_each(COMMANDS, replaced_alone)


def replaced_alone(command: str) -> None:
    source = command.encode()
    for operand in operands(command):
        if not operand.rewritable:
            continue
        path = "/zz/new name.py" if operand.written.startswith("/") else "./zz/new name.py"
        new = rewrite(command, {operand: path})
        if new is None:
            assert len(operand.inside) > 1, "only quotes within quotes can be in the way"
            continue
        start, end = operand.span
        assert new.encode().startswith(source[:start])
        assert new.encode().endswith(source[end:])
        again = {(each.written, each.operation) for each in operands(new)}
        assert operand.inside or (path, operand.operation) in again


def test_rewriting_to_the_same_path_changes_no_meaning() -> None:
    check_each(COMMANDS, rewritten_to_the_same)


def rewritten_to_the_same(command: str) -> None:
    found = {each: each.written for each in operands(command) if each.rewritable and not each.home}
    new = rewrite(command, found)
    if new is not None:
        assert [each.written.removeprefix("./") for each in operands(new)] == [
            each.written.removeprefix("./") for each in operands(command)
        ]


NAMES = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="/\0"), min_size=1, max_size=20
).filter(lambda name: name not in (".", "..") and len(name.encode()) < 200)

TEMPLATES = [
    "cat wrong",
    "cat 'wrong'",
    'cat "wrong"',
    "cat wro\\ ng",
    "cat wr'o'ng",
    "cd . && cat -- wrong; true",
    "cat < wrong",
    "bash -c 'cat wrong'",
    'bash -c "cat wrong"',
    'bash -c "cat \\"wrong\\""',
]


@pytest.mark.skipif(len(SHELLS) < 2, reason="no bash or no dash here: apt-get install bash dash")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=NAMES, template=st.sampled_from(TEMPLATES))
@example(name="-n", template="cat wrong")
@example(name="\r", template="cat wrong")
@example(name="a\nb", template="cat wrong")
@example(name="~", template="cat wrong")
@example(name='it\'s "$x" `y` \\ !', template='cat "wrong"')
@example(name="\\n", template='cat "wrong"')
@example(name="a\\", template="cat 'wrong'")
@example(name="{a,b}", template="cat wrong")
@example(name="a=b", template="cat wrong")
@example(name="\x7f\x01\t ", template="cat wrong")
@example(name=" 0", template="cat wrong")
def test_the_rewritten_command_prints_the_file_in_real_shells(name: str, template: str) -> None:
    operand = operands(template)[-1]
    command = rewrite(template, {operand: name})
    if command is None:
        # Only where other quotes stand around the program text or a quoted word; and a blank is
        # read as no path at all.
        assert operand.inside or name == " "
        return
    with tempfile.TemporaryDirectory() as folder:
        try:
            Path(folder, name).write_text("right")
        except OSError:
            return
        for shell in SHELLS:
            run = subprocess.run(
                [shell, "-c", command],
                cwd=folder,
                capture_output=True,
                env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
                check=False,
            )
            assert (run.stdout, run.stderr) == (b"right", b""), (shell, command)
