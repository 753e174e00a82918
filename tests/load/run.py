"""Run many agents' hook calls at once on projects that change, and check every answer.

    make load                                                       a minute or two
    make load ARGS="--calls 100000 --agents 64 --projects 20"   in full, 20 minutes

A few paths in a hundred do not exist. Files come and go meanwhile; some calls are
killed, some have a git that is slow, hangs or prints without end. The native client
answers too where cargo has built it. A guard in a process of its own runs all the time.
It ends with a line for each property, kept or failed, and with status 1 where one
failed."""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path

HERE = Path(__file__).resolve()
ROOT = HERE.parents[2]
TESTS = HERE.parents[1]
sys.path[:0] = [
    str(TESTS),
    str(HERE.parent),
    str(TESTS / "surroundings"),
    str(ROOT / "src"),
]

import hook_calls  # noqa: E402
import properties  # noqa: E402
import watching  # noqa: E402
import world  # noqa: E402

from truepath.cli.terminal import duration, table  # noqa: E402
from truepath.journal.journal import EventReader, journal_path  # noqa: E402

CHURN = 2
"""Processes that change files."""
SESSION = 40
"""Calls of one session."""
KILLED = 0.03
ILL = 0.25
"""The share of misses that something is wrong around; a tenth of it of other calls."""


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory(
        prefix="tp-", ignore_cleanup_errors=True
    ) as folder:
        began = time.monotonic()
        run = _run(Path(folder), options)
        return _report(run, time.monotonic() - began, options)


def _run(folder: Path, options: argparse.Namespace) -> properties.Run:
    environ = _environment(folder)
    projects = world.make(folder, options.projects)
    clients = hook_calls.clients(folder, environ)
    if "native" not in [client.name for client in clients[0]]:
        print(
            "left out: the native client; no cargo has built it (Debian: apt "
            "install cargo)"
        )
    churn = world.Churn(projects, folder, CHURN)
    library = _library(folder, environ, projects)
    watch = watching.Watch(library.pid)
    agents = [
        _Agent(number, options, projects, clients) for number in range(options.agents)
    ]
    try:
        for agent in agents:
            agent.start()
        for agent in agents:
            agent.join()
    finally:
        (folder / "library-stop").touch()
        churn.end()
        library.wait()
        watch.end()
    reader = EventReader(journal_path(environ["TRUEPATH_STATE"]))
    return properties.Run(
        calls=sorted(
            (c for agent in agents for c in agent.made), key=lambda call: call.began
        ),
        timeline=world.Timeline(projects, churn.logs),
        events=[*reader.read()],
        torn=reader.bad,
        library=(folder / "library.jsonl").read_text(),
        sizes=watch.sizes,
        # A git that hangs does so for a minute, and one whose log is awaited goes on.
        left=watching.left(f"{hook_calls.MARK}={environ[hook_calls.MARK]}", 80),
        slowest_start=max(agent.slowest_start for agent in agents),
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--calls", type=int, default=1_000, help="in all")
    parser.add_argument("--agents", type=int, default=8, help="at once")
    parser.add_argument("--projects", type=int, default=4)
    parser.add_argument(
        "--misses", type=float, default=0.1, help="the share of wrong paths"
    )
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args()


def _environment(folder: Path) -> dict[str, str]:
    """Return an environment in which nothing of the user's is read or written."""
    for name in ("home", "state", "cache"):
        (folder / name).mkdir()
    return {
        "PATH": os.environ["PATH"],
        "LC_ALL": "C.UTF-8",
        "HOME": str(folder / "home"),
        "TRUEPATH_STATE": str(folder / "state"),
        "XDG_CACHE_HOME": str(folder / "cache"),
        hook_calls.MARK: uuid.uuid4().hex,
    }


def _library(
    folder: Path, environ: dict[str, str], projects: Sequence[world.Project]
) -> subprocess.Popen[bytes]:
    (folder / "library").mkdir()
    own = {
        **environ,
        "PYTHONPATH": str(ROOT / "src"),
        "TRUEPATH_STATE": str(folder / "library"),
    }
    del own[hook_calls.MARK]
    roots = [str(project.root) for project in projects]
    words = [str(folder / "library-stop"), str(folder / "library.jsonl"), *roots]
    return subprocess.Popen(
        [sys.executable, str(HERE.parent / "library.py"), *words], env=own
    )


class _Agent(threading.Thread):
    """Makes one call after the other."""

    def __init__(
        self,
        number: int,
        options: argparse.Namespace,
        projects: Sequence[world.Project],
        clients: tuple[Sequence[hook_calls.Client], Sequence[hook_calls.Client]],
    ) -> None:
        super().__init__()
        self._number, self._options, self._projects = number, options, projects
        # Each begins elsewhere, so that few calls meet them all.
        self._well, ill = clients
        self._ill = cycle([*ill[number % len(ill) :], *ill[: number % len(ill)]])
        self.made: list[hook_calls.Call] = []
        self.slowest_start = 0.0

    def run(self) -> None:
        chance = random.Random(f"{self._options.seed} {self._number}")
        for at in range(self._options.calls // self._options.agents):
            if at % SESSION == 0:
                session, project = uuid.uuid4().hex, chance.choice(self._projects)
                self._start()
            call = hook_calls.draw(
                chance, project, self._well[0], misses=self._options.misses
            )
            is_miss = call.kind not in ("exists", "moving")
            if chance.random() < (ILL if is_miss else ILL / 10):
                call.client = next(self._ill)
            else:
                call.client = chance.choice(self._well)
            kill = chance.random() < KILLED
            call.run(session, kill_after=chance.random() * 0.4 if kill else None)
            if call.used:
                kill = chance.random() < KILLED
                call.end(session, kill_after=chance.random() * 0.4 if kill else None)
            self.made.append(call)

    def _start(self) -> None:
        """See how long the start of an interpreter takes on this machine now."""
        began = time.monotonic()
        subprocess.run([sys.executable, "-I", "-S", "-c", "pass"], check=True)
        self.slowest_start = max(self.slowest_start, time.monotonic() - began)


def _report(run: properties.Run, took: float, options: argparse.Namespace) -> int:
    found = [*properties.every(run)]
    failed = sum(bool(each.broken) for each in found)
    kept = sum(each.looked_at > 0 and not each.broken for each in found)
    times = sorted(call.seconds for call in run.whole if not call.client.where)
    killed = len(run.calls) - len(run.whole)
    print(
        f"{len(run.calls):,} calls by {options.agents} agents at once on "
        f"{options.projects} projects: {kept} of {len(found)} properties were kept, "
        f"{failed} failed.\nHalf of the calls around which nothing was wrong ended "
        f"within {_within(times, 0.5)}, 99 of 100 within {_within(times, 0.99)}, and "
        f"the longest after {duration(times[-1])}.\nIt took {took:.0f} s; changes of "
        f"files meanwhile: {len(run.timeline):,}; calls killed: {killed}; longest "
        f"start of an interpreter: {duration(run.slowest_start)}.\n"
    )
    head = ("", "calls", "half within", "99 of 100 within", "longest", "answered")
    print(table(head, _times(run.whole)) + "\n")
    print("\n".join(map(str, found)))
    return failed > 0


def _within(times: Sequence[float], part: float) -> str:
    return duration(times[min(len(times) - 1, int(part * len(times)))])


def _times(made: Sequence[hook_calls.Call]) -> Iterator[tuple[str, ...]]:
    groups: dict[str, list[hook_calls.Call]] = {}
    for call in made:
        kind = "exists" if call.kind in ("exists", "moving") else "a miss"
        groups.setdefault(
            call.client.where or f"{call.client.name}, {kind}", []
        ).append(call)
    for name, among in sorted(groups.items()):
        times = sorted(call.seconds for call in among)
        shown = (_within(times, 0.5), _within(times, 0.99), duration(times[-1]))
        answered = sum(bool(call.printed) for call in among)
        yield (name, f"{len(among):,}", *shown, f"{answered:,}")


if __name__ == "__main__":
    sys.exit(main())
