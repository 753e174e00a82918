"""The native client as a built program, beside the one in Python: it may err towards
that alone.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import cargo
import hooks
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rows import read

from truepath.hook import client

NATIVE = Path(__file__).parents[2] / "native"
COMMANDS = [row["command"] for row in read("corpus/shell") + read("calls/shell/unsure")]
ASKED = b"asked"

pytestmark = [
    pytest.mark.skipif(
        not NATIVE.is_dir(), reason="no native/ here: take the whole repository"
    ),
    pytest.mark.skipif(
        sys.platform == "win32", reason="not on Windows: the client is for Unix"
    ),
]


@pytest.fixture(scope="session")
def program():
    """Build the program, unoptimised: that is quick, and the same tests are run by
    cargo.
    """
    if reason := cargo.why_not():
        pytest.skip(reason)
    command = [
        "cargo",
        "build",
        "--quiet",
        "--manifest-path",
        str(NATIVE / "Cargo.toml"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return str(NATIVE / "target/debug/truepath-native")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """Make a stand-in for Python, which says that it was asked."""
    path = tmp_path_factory.mktemp("native") / "python"
    path.write_text("#!/bin/sh\ncat >/dev/null; echo asked\n")
    path.chmod(0o755)
    return str(path)


def run(program, host, data, environ, *words):
    done = subprocess.run(
        [program, host, *words],
        input=data,
        env=environ,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def test_the_tables_are_those_of_the_python_side():
    spec = importlib.util.spec_from_file_location("export", NATIVE / "export.py")
    export = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(export)
    stale = [
        str(file)
        for file, text in export.FILES.items()
        if file.read_text("utf-8") != text()
    ]
    assert not stale, "run: python native/export.py"


@pytest.mark.parametrize("case", hooks.CASES, ids=lambda case: case["reason"])
def test_an_event_is_quiet_where_the_shared_table_says_so(
    program, python, tmp_path, case
):
    data, environ = hooks.lay_out(case, tmp_path)
    environ["PATH"] = os.environ["PATH"]
    said = run(program, case["host"], data, environ, "--python", python)
    assert said.strip() == (b"" if case["quiet"] else ASKED)


@pytest.fixture(scope="module")
def repo(tmp_path_factory):
    return hooks.make_project(tmp_path_factory.mktemp("native") / "repo")


def both(program, python, repo, command):
    """Return whether each of the two clients is quiet over a command."""
    event = hooks.event(repo, tool="Bash", tool_input={"command": command})
    data = json.dumps(event).encode()
    said = run(program, "claude-code", data, dict(os.environ), "--python", python)
    return said == b"", hooks.quiet("claude-code", data)


COMMON = [row["command"] for row in read("hook/common")]
"""Lines that the native client answers itself."""


@pytest.fixture
def full(repo):
    (repo / "package.json").write_text('{"scripts": {"test": "x", "build": "x"}}')
    for name in ("src/app/main.py", "README.md", "tests/test_main.py", "cmd/a.go"):
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).touch()
    return repo


@pytest.mark.parametrize("command", COMMON)
def test_common_lines_need_no_python(program, python, full, command):
    assert both(program, python, full, command) == (True, True)


def test_it_is_quiet_where_python_is_alone(program, python, full):
    answers = {command: both(program, python, full, command) for command in COMMANDS}
    assert not {
        command for command, (one, other) in answers.items() if one and not other
    }
    assert sum(one for one, _ in answers.values()) > 100


WORDS = st.sampled_from(
    """cat ls head grep sed find cd git add diff log status commit python
    -m -c pytest rm
    cp mv touch docs/status.md docs src nope 'x' "a b" "a\\"b" '' * ? ~ -n -5 -n5 -e -rn
    -- -
    --file=x -f=x -=x = && || | ; > >> < 2>&1 2>/dev/null &> /dev/null true exit 1 :
    xargs
    timeout 5 npx bash -lc uv run sudo -u git\\tadd -W -am gh pr go test ./... ../x ..
    . / é é/x \\n # $ ` make -C pwsh powershell -Command -NoProfile
    gc apply_patch <<E""".split()
)
ANY = st.lists(WORDS, max_size=8).map(" ".join) | st.text(max_size=20)


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(command=ANY)
def test_it_is_quiet_where_python_is_on_any_command(program, python, repo, command):
    if "\0" not in command and not any(
        "\ud800" <= letter <= "\udfff" for letter in command
    ):
        one, other = both(program, python, repo, command)
        assert other or not one


STEPS = [case for case in hooks.CASES if case["quiet"] and "state" in case]


@pytest.mark.parametrize("case", STEPS, ids=lambda case: case["reason"])
def test_the_step_that_it_leaves_is_the_one_that_python_leaves(
    program, python, tmp_path, monkeypatch, case
):
    left = []
    for name in ("native", "python"):
        (tmp_path / name).mkdir()
        data, environ = hooks.lay_out(case, tmp_path / name)
        if name == "native":
            run(program, case["host"], data, environ, "--python", python)
        else:
            for key, value in environ.items():
                monkeypatch.setenv(key, value)
            hooks.quiet(case["host"], data)
        found = (tmp_path / name / "state/sessions").glob("*.steps")
        lines = [
            (each.name, re.sub(r"[\d.]{14}", "NOW", line))
            for each in found
            for line in each.read_text().replace(str(tmp_path / name), "").splitlines()
        ]
        left.append(lines)
    assert left[0] == left[1]
    shape = r"[a-z]+ NOW \d*|document NOW /repo/.*"
    assert all(re.fullmatch(shape, line) for _, line in left[0])
    assert len(left[0]) == case.get("steps", len(left[0]))


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir], ids=["pipe", "folder"])
def test_steps_that_are_no_file_are_for_python(program, python, tmp_path, make):
    """Opening a pipe that nobody reads would take all of the hook's time."""
    case = next(case for case in STEPS if "left a line" in case["reason"])
    data, environ = hooks.lay_out(case, tmp_path)
    (state,) = (tmp_path / "state/sessions").iterdir()
    make(f"{state}.steps")
    assert (
        run(program, case["host"], data, environ, "--python", python) == ASKED + b"\n"
    )


@pytest.mark.parametrize(
    ("command", "most"), [("cat docs/a.md", 4096), ("cd docs && ls", 2048)]
)
def test_steps_are_as_few_as_those_that_python_leaves(
    program, python, tmp_path, command, most
):
    case = next(
        case for case in STEPS if "command" in case["event"].get("tool_input", {})
    )
    event = {**case["event"], "tool_input": {"command": command}}
    data, environ = hooks.lay_out({**case, "event": event}, tmp_path)
    (state,) = (tmp_path / "state/sessions").iterdir()
    left = Path(f"{state}.steps")
    for size in (most - 1, most):
        left.write_text("x" * size)
        assert run(program, case["host"], data, environ, "--python", python) == b""
        assert (left.stat().st_size > size) is (size < most)


LOOKING = [
    "ls",
    "cd a && ls -la",
    "cat x | grep y",
    "git grep x",
    "git log",
    "(cd a; find .)",
    "rg",
]


@pytest.mark.parametrize(
    "command", [*LOOKING, "x=1 ls", "find . -delete", "cat a || ls", "GIT ls"]
)
def test_what_lists_or_searches_does_so_for_both(
    program, python, repo, tmp_path, command
):
    """A line with more than words and operators goes to Python anyway."""
    kinds = []
    for quiet in (False, True):
        state = tmp_path / str(quiet)
        (state / "sessions").mkdir(parents=True)
        (state / "sessions/5__.json").write_text('{"owed":[],"misses":[0]}')
        event = hooks.event(
            repo, tool="Bash", tool_input={"command": command}, session_id="5"
        )
        environ = {**os.environ, "TRUEPATH_STATE": str(state)}
        command_ = [sys.executable, "-I", "-S", hooks.SCRIPT, "claude-code"]
        if quiet:
            run(
                program,
                "claude-code",
                json.dumps(event).encode(),
                environ,
                "--python",
                python,
            )
        else:
            subprocess.run(
                command_, input=json.dumps(event).encode(), env=environ, check=True
            )
        found = [
            each.read_text().split()[0] for each in (state / "sessions").glob("*.steps")
        ]
        kinds.append(found)
    assert kinds[0] == kinds[1] or kinds[1] == []


def test_an_answer_of_python_is_passed_on(program, repo):
    data = json.dumps(hooks.event(repo)).encode()
    script = str(Path(client.__file__).with_name("script.py"))
    words = ("--python", sys.executable, "--script", script)
    answer = json.loads(run(program, "claude-code", data, dict(os.environ), *words))
    changed = answer["hookSpecificOutput"]["updatedInput"]
    assert changed == {"file_path": str(repo / "docs/status.md")}
