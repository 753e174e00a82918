"""What a hook imports, opens and starts: counted, for a time says little on a busy
machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import hooks
import pytest
import repos

import truepath
from truepath.hosts import HOSTS
from truepath.session.state import TURN_GAP_S

SOURCES = Path(truepath.__file__).parents[1]

COUNTING = f"""
import os, sys
sys.path.append({str(SOURCES)!r})
before, opened, started, compiled = set(sys.modules), [], [], []
def hear(event, args):
    if event == "open" and isinstance(args[0], (str, bytes)):
        opened.append(os.fsdecode(args[0]))
    elif event in ("subprocess.Popen", "os.posix_spawn"):
        started.append([os.fsdecode(word) for word in args[1]])
def count(frame, event, _):
    code = frame.f_code
    # The module is `sre_compile` in Python 3.10, `re._compiler` in later ones.
    in_re = code.co_filename.endswith(("sre_compile.py", "_compiler.py"))
    if event == "call" and code.co_name == "compile" and in_re:
        compiled.append(str(frame.f_locals["p"]))  # `re` itself compiles an empty one
sys.addaudithook(hear)
sys.setprofile(count)
from truepath.hook.client import main
status = main(["claude-code"])
sys.setprofile(None)
costs = {{"modules": sorted(set(sys.modules) - before), "compiled": compiled}}
costs |= {{"opened": [*opened], "started": started}}
import json  # which compiles expressions
print(json.dumps(costs), file=sys.stderr)
sys.exit(status)
"""

NEVER = frozenset(
    "asyncio click contextlib dataclasses glob hashlib inspect json logging pathlib "
    "pathspec random rapidfuzz shlex "
    "signal site socket sqlite3 subprocess tempfile threading tomllib typing".split()
)
"""What no hook imports in a small project of which the history is kept."""

ENGINE = "truepath.guard.guard"


@pytest.fixture
def repo(tmp_path):
    made = hooks.make_project(tmp_path / "repo")
    repos.store_history(made, tmp_path / "state/projects")
    return made


class Costs:
    """What one event cost the process that answered it."""

    def __init__(self, repo, environ=None, **call):
        event = hooks.event(repo, **call)
        environ = {
            "HOME": str(repo.parent),
            "PATH": os.environ["PATH"],
            **(environ or {}),
        }
        environ |= {
            "TRUEPATH_STATE": str(repo.parent / "state"),
            "TRUEPATH_HOOK_SECONDS": "9",
        }
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", COUNTING],
            input=json.dumps(event).encode(),
            env=environ,
            capture_output=True,
            check=True,
        )
        told = json.loads(done.stderr)
        self.answer = done.stdout
        self.modules = set(told["modules"])
        self.own = {name for name in self.modules if name.startswith("truepath")}
        self.started = told["started"]
        self.compiled = told["compiled"]
        code = (".py", ".pyc", ".so", ".pth", "pyvenv.cfg")
        # Python may keep what it compiles, under a name of its own first.
        opened = (path for path in told["opened"] if "__pycache__" not in path)
        self.files = {path for path in opened if not path.endswith(code)}


def bash(command):
    return {"tool": "Bash", "tool_input": {"command": command}}


@pytest.mark.parametrize(
    ("call", "own", "files"),
    [
        ({"path": "docs/status.md"}, 14, 0),
        (bash("cat docs/status.md | head -3"), 23, 1),
        # The table of what commands need, and a look at the folder.
        (bash("git status | head -3"), 24, 1),
    ],
    ids=["path", "command", "repository"],
)
def test_what_is_there_costs_a_look_at_it(repo, call, own, files):
    costs = Costs(repo, **call)
    assert costs.answer == b""
    assert not costs.modules & {*NEVER, ENGINE}
    assert len(costs.own) <= own
    assert (costs.started, len(costs.files)) == (
        [],
        files,
    )  # a command's programs are looked up


@pytest.mark.parametrize("host", HOSTS)
def test_no_host_loads_more_than_it_takes_to_see_that_a_path_is_there(host):
    names = "collections re typing truepath.types truepath.hosts.rules "
    names += "truepath.hosts.protocol"
    code = f"import sys; sys.path.append({str(SOURCES)!r})\n"
    code += (
        "import truepath.hook.client, truepath.hook.deadline, truepath.hook.presence\n"
    )
    code += f"from truepath.hosts import find; find({host!r})\n"
    code += f"print(*{{*{names.split()}}} & {{*sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True
    )
    assert done.stdout.split() == []


def test_what_needs_no_answer_costs_no_engine(repo):
    said = Costs(repo, name="UserPromptSubmit", prompt="go on")
    assert ENGINE not in said.own
    off = Costs(repo, {"TRUEPATH": "0"}, path="specs/status.md")
    assert off.own <= {
        "truepath",
        "truepath.config",
        "truepath.hook",
        "truepath.hook.client",
    }


@pytest.mark.parametrize("pause", [0, TURN_GAP_S], ids=["of its turn", "later"])
@pytest.mark.parametrize(
    "call",
    [
        {"path": "docs/status.md"},
        bash("cat docs/status.md"),
        bash("cd docs && ls"),
        {"tool": "Grep", "tool_input": {"pattern": "x"}},
        {"name": "UserPromptSubmit", "prompt": "go on"},
        {
            "path": "lib/util.py",
            "name": "PostToolUseFailure",
            "error": "PATH_NOT_FOUND: ...",
        },
    ],
    ids=["path", "command", "listing", "search", "prompt", "refusal"],
)
def test_after_a_miss_nothing_that_succeeds_costs_the_engine(repo, call, pause):
    Costs(repo, path="lib/util.py", session_id="one")
    time.sleep(pause)
    for _ in range(2):
        costs = Costs(repo, session_id="one", tool_use_id="toolu_9", **call)
        assert not costs.own & {ENGINE, "truepath.session.loops"}
        assert costs.started == []


@pytest.mark.parametrize(
    ("call", "own", "compiled"),
    [({"path": "specs/status.md"}, 81, 15), (bash("cat docs/stauts.md"), 87, 49)],
    ids=["path", "command"],
)
def test_a_miss_costs_the_engine_and_what_it_asks_of_git(repo, call, own, compiled):
    costs = Costs(repo, **call)
    assert b"docs/status.md" in costs.answer
    assert not costs.modules & NEVER, costs.modules & NEVER
    assert len(costs.own) <= own
    # Each expression takes 0.1 ms, long ones 0.5.
    assert len(costs.compiled) <= compiled, costs.compiled
    # The names that are tracked and those that are not; the commit that moved the path,
    # and what it left; else what is staged.
    assert len(costs.started) <= 5
    # Git's HEAD, branch, commondir, modules and index; the history, the tables and the
    # weights; the session, the steps beside it and the journal, with locks; two places
    # for settings; the user's marks; where git is.
    assert len(costs.files) <= 20
