"""The cheap look at a shell command errs towards asking: where it is silent, the engine is too."""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import hooks
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import check_each

from truepath.calls.shell import fast
from truepath.calls.shell.command_line import operands as engine
from truepath.calls.shell.commands import tables
from truepath.calls.shell.fast import operands
from truepath.hook import client
from truepath.hook.answer import reply

LINES = Path(__file__).parents[1] / "corpus" / "shell.jsonl"
CASES = [json.loads(line) for line in LINES.read_text("utf-8").splitlines()]

PLAIN = [
    ("cat a.py", [("a.py", "file")], "a file is read"),
    ("cat a.py b/c.py", [("a.py", "file"), ("b/c.py", "file")], "two are"),
    ("cat 'a b.py' \"c d.py\"", [("a b.py", "file"), ("c d.py", "file")], "quotes are undone"),
    ("ls -la src", [("src", "any")], "flags are no paths"),
    ("head -n 20 a.py", [("a.py", "file")], "nor are values of options"),
    ("head -n20 a.py", [("a.py", "file")], "attached ones neither"),
    ("head --lines=20 a.py", [("a.py", "file")], "nor with an equals sign"),
    ("head -20 a.py", [("a.py", "file")], "an old way to say a number"),
    ("grep -rn 'a.*b' src", [("src", "any")], "a pattern is no path"),
    ("grep -e x -e y src", [("src", "any")], "given by an option, none is skipped"),
    ("sed -n '1,20p' a.py", [("a.py", "file")], "nor is a script"),
    ("find src -name '*.py' -type f", [("src", "any")], "an expression holds no paths"),
    ("find . -name x", [(".", "any")], "the folder itself"),
    ("cat a.py | grep x | head -5", [("a.py", "file")], "filters have none"),
    ("cat a.py && ls b; wc -l c", [("a.py", "file"), ("b", "any"), ("c", "any")], "joined"),
    ("cat a.py\nls b\n", [("a.py", "file"), ("b", "any")], "a line break joins as well"),
    ("cat a.py > out.txt", [("a.py", "file"), ("out.txt", "new")], "a file is made"),
    ("sort < a.py", [("a.py", "file")], "a file is read by the shell"),
    ("sort 0< a.py", [("a.py", "file")], "with a number too"),
    ("cat a.py 2>/dev/null", [], "nobody reads the error"),
    ("cat a.py >/dev/null 2>&1", [], "nor here"),
    ("cat a.py 2>&1 | tail", [("a.py", "file")], "here somebody does"),
    ("cat a.py || true", [("a.py", "file")], "it may fail; the engine knows"),
    ("cat a.py 2>/dev/null; ls b", [("b", "any")], "the next command is another matter"),
    ("test -f a.py && cat a.py", [("a.py", "file")], "the engine knows that it is asked first"),
    ("cat a.py | grep x || true", [("a.py", "file")], "only the last of a pipeline may fail"),
    ("cat a.py && ls b || echo no", [("a.py", "file"), ("b", "any")], "a chain"),
    ("cd b && cat a.py", [("b", "folder"), ("b/a.py", "file")], "from the folder entered"),
    ("cd b && cat /x/y", [("b", "folder"), ("/x/y", "file")], "absolute all the same"),
    ("cp a.py b", [("a.py", "any"), ("b", "target")], "a destination may be new"),
    (
        "mv a b -",
        [("a", "any"), ("b", "any")],
        "a name that is left alone is the last all the same",
    ),
    ("touch a.py", [("a.py", "new")], "a file is made or is there"),
    ("./run.sh x", [("./run.sh", "file")], "the program is a path itself"),
    ("python3 a.py b.txt", [("a.py", "file")], "a script's arguments are its own"),
    ("python3.11 -m pytest -q t.py::x", [("python3.11", "file"), ("t.py", "any")], "a version"),
    ("python -c 'import x; x.y()'", [], "a program text names nothing here"),
    ("timeout 60 cat a.py", [("a.py", "file")], "the launcher's argument is no path"),
    ("ls b | xargs -0 grep -n x", [("b", "any")], "arguments that come later"),
    ("git status --short", [], "no path"),
    ("git log --oneline -5 HEAD~2..main", [], "revisions"),
    ("git diff HEAD~2", [], "a revision"),
    ("git diff HEAD~2 a.py", [("a.py", "any")], "git takes only a file that is there"),
    ("git add a.py", [("a.py", "any")], "from the disk"),
    ("git commit -m 'x y: z'", [], "a message"),
    ("git pull", [], "no table knows it"),
    ("npm test", [], "no path"),
    ("some-program nope.py", [], "nor does one know this"),
    ("go test ./... -run X", [(".", "folder")], "a pattern of packages"),
    ("cat src/*.py a.py", [("a.py", "file")], "a wildcard is the shell's"),
    ("echo hello", [], "no path"),
    ("bash -lc 'cd b && cat a.py'", [("b", "folder"), ("b/a.py", "file")], "a text within"),
    ("cat -", [], "the standard input"),
    ("cat -- -a.py", [("-a.py", "file")], "no option behind two dashes"),
    ("cat --unknown a", [("a", "file")], "an option that nobody described takes no value"),
    ("git commit -am 'x y'", [], "flags and a message"),
    ("git checkout -- a.py", [("a.py", "any")], "paths for certain"),
    ("git diff HEAD -- a.py", [("a.py", "any")], "a revision before, paths behind"),
    ("git show HEAD:../other/a.py", [], "in a revision"),
    ("sudo -u ada cat a.py", [("a.py", "file")], "another user, the same file"),
    ("node -e 'x'", [], "a program text"),
    ("python -W ignore a.py -c x", [], "the engine, too, takes the last for a program text"),
    ("uniq a.txt b.txt", [("a.txt", "file"), ("b.txt", "new")], "the second is written"),
    ("gh pr view 5 --web", [], "a subcommand of two words"),
    ("'cat\ta' b", [], "a program with a tab in its name"),
]

UNCERTAIN = [
    ("", "nothing"),
    ("cat $X", "an expansion"),
    ('cat "$X"', "in quotes too"),
    ("cat `x`", "a substitution"),
    ("cat $(x)", "another"),
    ("cat a\\ b", "an escape"),
    ("cat ~/a", "the home folder"),
    ("cat {a,b}", "braces"),
    ("cat [ab]", "a set"),
    ("cat <<E\nx\nE", "a document"),
    ("cat a.py # no", "a comment"),
    ("(cat a.py)", "a subshell"),
    ("cat a.py &", "the background"),
    ("! cat a.py", "a negation"),
    ("X=1 cat a.py", "an assignment"),
    ("if true; then cat a.py; fi", "a branch"),
    ("for x in a; do cat x; done", "a loop"),
    ("f() { cat a.py; }", "a function"),
    ("cat '' a.py", "an empty argument"),
    ("cat 'a", "an open quote"),
    ("cat a ;; ls", "no command"),
    ("&& cat a", "nor this"),
    ("> a", "nor this"),
    ("cat a.py\0b", "a NUL"),
    ("cat a\tb", "a tab"),
    ("cd", "home"),
    ("cd -", "back"),
    ("cd a || cat b", "nobody knows where"),
    ("cd a | cat b", "nor here"),
    ("cd a 2>/dev/null; cat b", "nor here"),
    ("pushd a", "a stack"),
    ("grep -f patterns src", "an option that holds a path"),
    ("grep --file=patterns src", "the same, long"),
    ("grep -rf patterns src", "the same, among flags"),
    ("sort a -o b", "another"),
    ("find -L src", "where do the paths begin"),
    ("find . -newer a.py", "a path in the expression"),
    ("make -C b", "another folder"),
    ("curl -o out.json https://example.org", "a file is made"),
    ("git -C b status", "another folder"),
    ("git log ../other/a.py", "out of the folder"),
    ("tail +20 a.py", "an option to some"),
    ("pytest -vk x a.py", "letters of which the engine does not know all"),
    ("sudo cd b", "the folder of what follows"),
    ("coverage run -m pytest a.py", "a module behind a subcommand"),
    ("bash -c 'cat a.py' b", "a program text with arguments"),
    ("pip install -r a.txt", "an option that holds a path"),
    ("pip install ./b", "a package that is a folder"),
    ("env X=1 cat a.py", "another environment"),
    ("tar xf a.tar", "a program with rules of its own"),
    ("cat a.py && " * 20_000 + "ls", "more than can be looked at"),
    ("npx " * 20_000 + "cat a.py", "the same"),
]


@pytest.mark.parametrize(("command", "expected", "reason"), PLAIN, ids=[one[0] for one in PLAIN])
def test_a_plain_command_tells_what_must_be_there(command, expected, reason):
    assert operands(command) == expected, reason


@pytest.mark.parametrize(("command", "reason"), UNCERTAIN, ids=[one[0][:40] for one in UNCERTAIN])
def test_what_is_not_plain_is_left_to_the_engine(command, reason):
    assert operands(command) is None, reason


STRICT = {"file": {"file"}, "folder": {"folder"}, "any": {"file", "folder", "any"}}
"""What a path must be to the engine -> what it then must be here."""


def check_covered(command):
    """Check that the look names all that the engine finds: fewer would hide a path.

    What the program looks up in git's history, the engine never calls missing.
    """
    named = operands(command)
    for operand in engine(command) if named is not None else ():
        if operand.looked_up != "history":
            ends = {kind for path, kind in named if f"/{path}".endswith(f"/{operand.written}")}
            assert ends & STRICT[operand.kind] or (operand.creates and ends), (operand, named)


def test_all_that_the_engine_finds_in_the_corpus_is_named():
    check_each([case["command"] for case in CASES], check_covered)


OPTIONS_OF = {
    name: re.split(r"[ :0-9]+", f"{rule['valued']} {rule['asks']} {rule['ends']}")
    for name in (*tables()[0], *tables()[1])
    if (rule := fast._rule(name))
}
ANY_OPTION = ["-n", "-x", "-rf", "-zk", "-ze", "--", "-", "--all", "--x=y", "+5", "-5", "-c", "-m"]


@st.composite
def calls(draw):
    """Draw a call of any program that the engine knows, with options of its own and paths."""
    name = draw(st.sampled_from([*tables()[0], *tables()[1], "python -m pytest", "xargs grep"]))
    options = [*ANY_OPTION, *filter(None, OPTIONS_OF.get(name, ()))]
    words = st.sampled_from(options) | st.sampled_from(["a.py", "b/c", "x", "d.sh", "*.py", "e=f"])
    return " ".join([name, *draw(st.lists(words, max_size=5))])


@settings(deadline=None, max_examples=1000)
@given(calls())
def test_all_that_the_engine_finds_in_any_call_is_named(command):
    check_covered(command)


@pytest.fixture(scope="module")
def trees(tmp_path_factory):
    """Make each project of the corpus once."""
    made = {}
    for case in CASES:
        files = tuple(case["listing"])
        if files not in made:
            root = made[files] = tmp_path_factory.mktemp("tree")
            for name in files:
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).touch()
    return made


def event(cwd, command):
    return hooks.event(cwd, tool="Bash", tool_input={"command": command}, cwd=str(cwd))


def is_quiet(cwd, command):
    return client._is_quiet("claude-code", json.dumps(event(cwd, command)).encode())


def told(cwd, command):
    return reply("claude-code", json.dumps(event(cwd, command)).encode(), os.environ, time.time())


def test_where_a_command_of_the_corpus_is_quiet_the_engine_has_nothing_to_say(trees):
    quiet = [case for case in CASES if is_quiet(place(trees, case), case["command"])]
    loud = [case["command"] for case in quiet if told(place(trees, case), case["command"])]
    assert not loud
    assert len(quiet) > len(CASES) / 3


def place(trees, case):
    return trees[tuple(case["listing"])] / case["cwd"]


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    """Make a repository with a second work tree beside it and one that is unrelated."""
    root = hooks.make_project(tmp_path_factory.mktemp("fast") / "repo")
    for name in ("run.sh", "a b.txt", "src/app/main.py", "notes.md"):
        (root / name).touch()
    hooks.git(root, "worktree", "add", "-q", str(root.parent / "wt"), "-b", "topic")
    other = root.parent / "other"
    other.mkdir()
    hooks.git(other, "init", "-q")
    (other / "x.py").touch()
    return root


PATHS = st.sampled_from(
    """docs/status.md specs/status.md src src/app src/app/settings.py src/app/setings.py src/app/
    pkg lib pkg/one/util.py lib/util.py . .. ./src /etc/hostname /nowhere ../wt/docs/status.md
    ../wt/src ../other/x.py run.sh ./run.sh run.py new.py src/new.py srcs/new.py Docs/new.md
    status.md main.py 'a b.txt' "a b.txt" src/*.py *.md notes.md src/app/main.py::test 5 +20 -
    HEAD~1 main..topic docs""".split()
)
OPTIONS = st.sampled_from(
    """-n -l -r -rn -rf -e -f -A -5 -n5 -i -v -q -x -k -c -m -C -o -p -t -s -g -a -b -d -u -w -E -L
    --include=*.py --lines=3 --lines --file --color=never -- --all --cached --oneline --fix --name
    -name -type -newer -exec -maxdepth 1 2""".split()
)
PROGRAMS = st.sampled_from(
    [
        *sorted({*tables()[0], *tables()[1], "cd"}),
        *("unknown", "./run.sh", "python3", "git stash pop", "git pull", "python -m pytest"),
        *("python -m json.tool", "uv run pytest", "npx tsc", "xargs -0 cat", "timeout 5 cat"),
    ]
)
QUOTED = st.sampled_from(["'x'", "'a.*b'", '"foo bar"', "'1,5p'", "'{print $1}'", "'*.py'"])
SIMPLE = st.tuples(PROGRAMS, st.lists(PATHS | PATHS | OPTIONS | QUOTED, max_size=4)).map(
    lambda parts: " ".join((parts[0], *parts[1]))
)
REDIRECTED = st.tuples(
    SIMPLE,
    st.sampled_from(["", "", "", "", " 2>&1", " 2>/dev/null", " >/dev/null 2>&1", " > new.txt",
                     " > specs/new.txt", " >> notes.md", " < notes.md", " < nope.md",
                     " &> srcs/log"]),
).map("".join)  # fmt: skip
OPERATORS = st.sampled_from([" && ", " && ", " | ", " || ", "; ", "\n", " || true; "])
COMMANDS = st.tuples(REDIRECTED, st.lists(st.tuples(OPERATORS, REDIRECTED), max_size=3)).map(
    lambda parts: parts[0] + "".join(operator + each for operator, each in parts[1])
)
SCRIBBLES = st.text("cat ls cd../-'\"&|;<>2$~#!*?[]{}=\\\n@:docs/tu.m", max_size=25)
NESTED = COMMANDS.filter(lambda text: "'" not in text).map(lambda text: f"bash -lc '{text}'")

quick = settings(
    deadline=None,
    max_examples=400,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@quick
@given(command=COMMANDS | NESTED | SCRIBBLES, below=st.sampled_from(["", "src", "docs"]))
def test_where_any_command_is_quiet_the_engine_has_nothing_to_say(repo, command, below):
    cwd = os.path.join(repo, below)
    if is_quiet(cwd, command):
        assert told(cwd, command) == b"", operands(command)


@given(st.text(max_size=40) | SCRIBBLES | COMMANDS)
def test_any_text_can_be_looked_at(text):
    found = operands(text)
    assert found is None or all(path for path, _ in found)
