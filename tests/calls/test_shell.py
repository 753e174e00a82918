"""What `operands` says about each path, beyond which words are paths (see the corpus)."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

from truepath.calls.shell.command_line import operands
from truepath.calls.shell.operand import Operand


def only(command: str) -> Operand:
    (operand,) = operands(command)
    return operand


def covered(command: str, operand: Operand) -> str:
    start, end = operand.span
    return command.encode()[start:end].decode()


@pytest.mark.parametrize(
    ("command", "written", "span"),
    [
        ("cat src/a.py", "src/a.py", "src/a.py"),
        ("cat 'a b.py'", "a b.py", "'a b.py'"),
        ('cat "a b.py"', "a b.py", '"a b.py"'),
        ("cat a\\ b.py", "a b.py", "a\\ b.py"),
        ("cat src/'a b'.py", "src/a b.py", "src/'a b'.py"),
        ("cat a.py && # why\ncat b.py", "b.py", "b.py"),
        ("cat größe/日本.md | wc", "größe/日本.md", "größe/日本.md"),
        ("pytest tests/a.py::T::t", "tests/a.py", "tests/a.py"),
        ("pytest 'tests/a.py::T[x y]'", "tests/a.py", "tests/a.py"),
        ("go test ./x/...", "./x", "./x"),
        ("cargo test --manifest-path=c/Cargo.toml", "c/Cargo.toml", "c/Cargo.toml"),
        ("cargo test '--manifest-path=c/Cargo.toml'", "c/Cargo.toml", "c/Cargo.toml"),
        ('grep --file="p q.txt" x', "p q.txt", '"p q.txt"'),
        ("sort -oout.txt", "out.txt", "out.txt"),
        ("bash -c 'cat a.py'", "a.py", "a.py"),
        ('zsh -lc "cat \\"a b.py\\""', "a b.py", "a b.py"),
    ],
)
def test_the_span_covers_the_path_and_nothing_else(command: str, written: str, span: str) -> None:
    operand = next(each for each in operands(command) if each.written == written)
    assert covered(command, operand) == span


@pytest.mark.parametrize(
    ("command", "chains"),
    [
        ("cat a", {"a": []}),
        ("cd x && cat a", {"x": [], "a": ["x"]}),
        ("cd x && cd y && cat a", {"y": ["x"], "a": ["x", "y"]}),
        ("cd x && cd .. && cat a", {"..": ["x"], "a": ["x", ".."]}),
        ("cd x && cd /y && cat a", {"/y": [], "a": ["/y"]}),
        ("cd x && cat /a", {"/a": []}),
        ("cd x; cat a; cd -; cat b", {"a": ["x"], "b": []}),
        ("(cd x && cat a) && cat b", {"a": ["x"], "b": []}),
        ("{ cd x && cat a; } && cat b", {"a": ["x"], "b": ["x"]}),
        ("cd x | cat a", {"a": []}),
        ("cd x & cat a", {"a": []}),
        ("f() { cat /b; }; f; cat a", {"/b": [], "a": []}),
        ("cd x && sleep 1 > b &\ncat a", {"b": ["x"], "a": []}),
        ("while true; do cd x & cat a; done", {"a": []}),
        ("cd x && ls 2>&1 | head && cat a", {"a": ["x"]}),
        ("pushd x; cat a; popd; cat b", {"a": ["x"], "b": []}),
        ("git -C x log -- a.py; cat b", {"a.py": ["x"], "b": []}),
        ("cd x && git -C y log -- a.py", {"y": ["x"], "a.py": ["x", "y"]}),
        ("make -C x -f a.mk", {"a.mk": ["x"]}),
        ("tar czf o.tgz -C x a", {"o.tgz": [], "a": ["x"]}),
        ("bash -c 'cd x && cat a'; cat b", {"a": ["x"], "b": []}),
        ("cd ~/x && cat a", {"a": ["~/x"]}),
        ("cat b < c; cd x", {"c": [], "x": []}),
    ],
)
def test_each_operand_knows_the_folders_entered_before(
    command: str, chains: dict[str, list[str]]
) -> None:
    found = operands(command)
    known = {each.written: [found[index].written for index in each.cwd] for each in found}
    assert {name: known[name] for name in chains} == chains


@pytest.mark.parametrize(
    ("command", "creates"),
    [
        ("mv a b", {"a": False, "b": True}),
        ("cp -r a b", {"a": False, "b": True}),
        ("ln -s a b", {"b": True}),
        ("touch a", {"a": True}),
        ("mkdir -p a/b", {"a/b": True}),
        ("cat a > b", {"a": False, "b": True}),
        ("cat a | tee b", {"a": False, "b": True}),
        ("sed -i s/a/b/ a", {"a": False}),
        ("tar czf a b", {"a": True, "b": False}),
        ("git worktree add ../w", {"../w": True}),
    ],
)
def test_destinations_are_marked_as_created(command: str, creates: dict[str, bool]) -> None:
    assert {each.written: each.creates for each in operands(command)} == creates


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("cat a.py", "disk"),
        ("git add a.py", "index"),
        ("git rm a.py", "index"),
        ("git checkout -- a.py", "index"),
        ("git checkout HEAD~1 -- a.py", "history"),
        ("git restore a.py", "index"),
        ("git restore -s topic a.py", "history"),
        ("git restore --source=HEAD~1 -- a.py", "history"),
        ("git restore --staged a.py", "history"),
        ("git restore -SW a.py", "history"),
        ("git reset -- a.py", "history"),
        ("git commit -m x -- a.py", "history"),
        ("git grep x -- a.py", "index"),
        ("git grep x HEAD~1 -- a.py", "history"),
        ("git grep -e x -- a.py", "index"),
        ("git grep -e x HEAD~1 -- a.py", "history"),
        ("git log -- a.py", "history"),
        ("git log a.py", "disk"),
        ("git log -3 --follow main a.py", "disk"),
        ("git diff -- a.py", "index"),
        ("git diff a.py", "disk"),
        ("git diff HEAD~3 a.py", "disk"),
        ("git diff HEAD~3 -- a.py", "history"),
        ("git blame a.py", "history"),
        ("git apply a.patch", "disk"),
    ],
)
def test_git_looks_paths_up_where_it_keeps_them(command: str, where: str) -> None:
    assert only(command).looked_up == where


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("rm -rf a", "a"),
        ("rm -fr a", "a"),
        ("rm -r a", "a"),
        ("rm -R --force a", "a"),
        ("sudo rm -rf a", "a"),
        ("git rm -r a", "a"),
        ("rm *.log a", "a"),
        ('rm "$x" a', "a"),
        ("mv *.py a b", "a"),
        ("find a -name x -delete", "a"),
        ("find a -exec rm {} +", "a"),
        ("find a -exec sed -i s/x/y/ {} +", "a"),
        ("find a -exec sh -c 'rm $1' _ {} \\;", "a"),
        ("ls | xargs rm a", "a"),
        ("grep -rl x a | xargs rm", "a"),
        ("cat a | sort | xargs -n 1 sed -i s/x/y/", "a"),
        ("ls a | xargs -I{} sh -c 'rm {}'", "a"),
        ("ls a | xargs git rm", "a"),
        ("ls a | xargs rm || true", "a"),
        ("fd x a -x rm", "a"),
        ("fd x a --exec-batch rm -f", "a"),
        ("rsync -a --delete a b", "a"),
        ("git checkout -- a", "a"),
        ("git restore a", "a"),
        ("bash -c 'rm -rf a'", "a"),
    ],
)
def test_what_cannot_be_undone_is_never_rewritable(command: str, written: str) -> None:
    operand = next(each for each in operands(command) if each.written == written)
    assert not operand.rewritable


@pytest.mark.parametrize(
    "command",
    ["rm a", "mv a b", "rmdir a", "sed -i s/x/y/ a", "rm -i a", "git rm a",
     "find a -exec grep x {} +", "fd x a", "grep -rl x a | xargs wc -l", "cat a | xargs echo",
     "ls a | xargs sed -n 1p", "ls a | xargs git log", "rsync a b"],
)  # fmt: skip
def test_one_named_file_and_what_is_only_looked_at_are_rewritable(command: str) -> None:
    assert operands(command)[0].rewritable


def test_only_forced_deletion_accepts_a_missing_path() -> None:
    assert only("rm -rf a").optional
    assert not only("rm -r a").optional


def test_an_unquoted_tilde_is_the_home_folder() -> None:
    assert only("cat ~/a").home
    assert not only("cat '~/a'").home


def test_a_path_inside_quoted_program_text_says_so() -> None:
    assert only("bash -c 'cat a.py'").inside == "'"
    assert only('bash -c "cat a.py"').inside == '"'
    assert only("bash -c 'bash -c \"cat a.py\"'").inside == "'\""
    assert only("cat a.py").inside == ""


@pytest.mark.parametrize(
    ("command", "kind"),
    [("cat a", "file"), ("ls a", "any"), ("cd a", "folder"), ("grep x a", "any"),
     ("mkdir a", "folder"), ("touch a", "any"), ("tee a", "file"), ("./a.sh", "file"),
     ("python a.py", "file"), ("python a", "any"), ("go run ./a", "folder"),
     ("go run ./a.go", "file"), ("tsc a", "file"), ("tsc -b a", "any")],
)  # fmt: skip
def test_each_operand_says_what_it_must_be(command: str, kind: str) -> None:
    assert only(command).kind == kind


def test_operands_come_in_the_order_written() -> None:
    found = operands("cat <in.txt a >out.txt b; f() { cat c; }; cat d")
    assert [each.written for each in found] == ["in.txt", "a", "out.txt", "b", "c", "d"]
    assert list(found) == sorted(found, key=lambda each: each.span)


@pytest.mark.parametrize(
    "command", ["", " ", "\n", "#", "# cat a", ";", "\0", "cat a\0b", "\ud800"]
)
def test_nothing_is_found_where_there_is_nothing(command: str) -> None:
    assert operands(command) == ()


def test_a_command_beyond_all_bounds_is_left_alone() -> None:
    assert operands("cat a.py " + "x" * 1_000_001) == ()
    assert operands("(" * 500 + "cat a.py" + ")" * 500) == ()


@pytest.mark.parametrize(
    "command",
    [
        "cat a || " * 4_000 + "cat b",
        "true && " * 4_000 + "cat b",
        "".join(f"cat <<E{number}\nx\nE{number}\n" for number in range(2_000)),
        "find a " + "-exec sed s " * 3_000,
    ],
    ids=lambda command: command[:12],
)
def test_a_long_command_takes_no_longer_than_its_length(command: str) -> None:
    started = time.process_time()
    operands(command)
    assert time.process_time() - started < 4  # what grows by squares takes ten


def test_importing_the_module_loads_neither_the_grammar_nor_the_tables() -> None:
    program = (
        "import sys, truepath.calls.shell.command_line, truepath.calls.patch;"
        "sys.exit(any(name in sys.modules for name in"
        " ('tree_sitter', 'truepath.calls.shell.tables.unix', 'truepath.calls.shell.walk')))"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize(
    ("command", "needed"),
    [
        ("cat x || true", False),
        ("cat x || :", False),
        ("cat x; true", False),
        ("cat x; :", False),
        ("cat x | grep y || true", True),
        ("cat x | grep y || :", True),
        ("cat x || exit 0", False),
        ("(cat x || return 0)", False),
        ("cat x || exit", True),
        ("cat x || exit 1", True),
    ],
)
def test_what_follows_a_failure_tells_whether_it_may_be(command, needed):
    assert any(operand.written == "x" for operand in operands(command)) is needed
