"""The hook ends well in the worst of surroundings; `make surroundings` has all, with
times.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

if sys.platform == "win32":
    pytest.skip("not on Windows: pipes, groups and /proc", allow_module_level=True)

sys.path.insert(0, str(Path(__file__).parents[1] / "surroundings"))

import hooks
import places
import run as surroundings

from truepath.hook import deadline
from truepath.hook.client import main

ENDS = [
    *(
        "git prints NULs without end",
        "git hangs in a child",
        "git prints garbage and NULs",
    ),
    *(
        "git leaves its pipe to another",
        "git closes its output and stays",
        "git prints garbage",
    ),
    *(
        "HEAD a pipe",
        "index a pipe",
        "sharedindex a pipe",
        "config a pipe",
        "commondir a pipe",
    ),
    *("session a pipe", "session locks held", "journal lock held"),
    *("history a pipe", "history huge", "settings a pipe"),
]
ANSWERED = [
    *(
        "all is well",
        "HOME unset",
        "no git",
        "HEAD a pipe",
        "index a pipe",
        "config a pipe",
    ),
    *(
        "session a pipe",
        "session locks held",
        "settings a pipe",
        "history a pipe",
    ),
]
"""Those in which the path can be found all the same, and soon."""


def heavy_but_for(names, *light):
    """Mark as heavy what starts a process in each surrounding, but for a few."""
    return [
        name if name in light else pytest.param(name, marks=pytest.mark.heavy)
        for name in names
    ]


@pytest.fixture(autouse=True)
def a_slow_machine(monkeypatch):
    """What is tested is that it ends, not when: a bound of the test is not the
    deadline.
    """
    monkeypatch.setattr(surroundings, "MARGIN", 60.0)


@pytest.mark.parametrize(
    "name", heavy_but_for(ENDS, "git hangs in a child", "session locks held")
)
def test_the_hook_ends_with_status_0_and_leaves_nothing_running(name):
    with surroundings.box() as box:
        places.ALL[name](box)
        ran = surroundings.call(box, hooks.PYTHON)
    assert ran.fault == ""


@pytest.mark.parametrize("name", heavy_but_for(ANSWERED, "all is well", "index a pipe"))
def test_the_call_is_answered_all_the_same(name):
    with surroundings.box() as box:
        box.environ[deadline.VARIABLE] = "9"
        places.ALL[name](box)
        ran = surroundings.call(box, hooks.PYTHON)
    assert ran.fault == ""
    assert b"docs/status.md" in ran.output


def test_a_process_whose_alarm_is_lost_ends_all_the_same():
    """Somebody swallows the word to give up, and waits on; a thread waits for ever
    beside it.
    """
    with surroundings.box() as box:
        code = (
            "import sys, threading, time; sys.path.insert(0, "
            f"{str(surroundings.ROOT / 'src')!r})\nfrom truepath.guard import "
            "guard\ndef before(*_):\n    while True:\n        try:\n            "
            "threading.Event().wait()\n        except BaseException:\n            "
            "pass\nguard.Guard.before = "
            "before\nthreading.Thread(target=threading.Event().wait).start()\nsys.argv "
            "= ['truepath-hook', 'claude-code']\nfrom truepath.hook.client import "
            "run; run()\n"
        )
        ran = surroundings.call(box, [sys.executable, "-c", code])
    assert (ran.status, ran.output, ran.left) == (0, b"", ())


def test_a_thread_imports_nothing_that_others_import():
    """A thread that waits for the lock of an import keeps whoever waits for the
    thread.
    """
    code = (
        "import sys, threading; sys.path.insert(0, "
        f"{str(surroundings.ROOT / 'src')!r})\ndef heard(event, args):\n    if event "
        "!= 'import' or threading.current_thread() is "
        "threading.main_thread():\n        return\n    names = 'committed', "
        f"'history', 'background'\n    own = [f'truepath.project.{{name}}' for name in "
        "names]\n    if not args[0].startswith((*own, '_sha')):\n        "
        "print('Traceback: in a thread', args[0], "
        "file=sys.stderr)\nsys.addaudithook(heard)\nsys.argv = ['truepath-hook', "
        "'claude-code']\nfrom truepath.hook.client import run; run()\n"
    )
    with surroundings.box(used=False) as box:
        box.environ[deadline.VARIABLE] = "9"
        for path in ("specs/status.md", "lib/util.py", "gone.py"):
            (box.repo / "gone.py").unlink(missing_ok=True)
            ran = surroundings.call(box, [sys.executable, "-c", code], path=path)
            assert ran.fault == ""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 2.0),
        ("5", 5.0),
        ("99", 9.0),
        ("0", 0.1),
        ("-1", 0.1),
        ("x", 2.0),
        ("1e3", 9.0),
    ],
)
def test_the_seconds_of_a_hook_may_be_set_within_bounds(text, expected):
    assert deadline.seconds({deadline.VARIABLE: text}) == pytest.approx(expected)


def test_a_hook_in_a_process_of_others_ends_nothing(monkeypatch):
    monkeypatch.setattr(deadline, "keep", None)
    assert main(["no-such-host"]) == 0


def test_when_another_client_began_counts():
    now = time.time()
    assert deadline.left(now - 60, {}) == pytest.approx(0.1)
    assert deadline.left(now + 60, os.environ) <= 9.0
