"""Hook calls as agents make them: what is asked, by which client, and in what
surroundings.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import tempfile
import uuid
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import hooks
import places
import world

MARK = "TRUEPATH_TEST_MARK"
"""A variable that every process of a run inherits."""
GITS = ("git is slow", "git hangs", "git prints without end")


@dataclass(frozen=True)
class Client:
    """A program that answers events, and the environment that it gets."""

    name: str
    command: Sequence[str]
    environ: Mapping[str, str]
    where: str = ""
    """What is wrong around it; empty if nothing is."""


@dataclass
class Call:
    """One event, and what came of it."""

    client: Client
    project: world.Project
    kind: str
    path: str
    """Absolute, as asked."""
    truth: str = ""
    """The one right path, absolute, where there is one for certain."""
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    began: float = 0.0
    ended: float = 0.0
    status: int = 0
    printed: bytes = b""
    errors: bytes = b""
    over: float = 0.0
    """Seconds that the event of its end took; 0 where there was none, or it was
    killed."""

    @property
    def seconds(self) -> float:
        return self.ended - self.began

    @property
    def was_killed(self) -> bool:
        return self.status == -signal.SIGKILL

    @property
    def answer(self) -> Mapping[str, object]:
        """What the host reads; nothing where it is no JSON."""
        try:
            return (
                json.loads(self.printed)["hookSpecificOutput"] if self.printed else {}
            )
        except (ValueError, KeyError, TypeError):
            return {}

    @property
    def refused(self) -> bool:
        return self.answer.get("permissionDecision") == "deny"

    @property
    def used(self) -> str:
        """The path that the call is made with instead; empty where it is made as it
        came.
        """
        changed = self.answer.get("updatedInput")
        return changed.get("file_path", "") if isinstance(changed, dict) else ""

    def run(self, session: str, *, kill_after: float | None) -> None:
        """Run the client; end it in the middle where told so."""
        event = self._event(session, self.path)
        self.began, self.ended, self.status, said = self._ask(event, kill_after)
        self.printed, self.errors = said

    def end(self, session: str, *, kill_after: float | None) -> None:
        """Tell the client that the corrected call ran."""
        event = self._event(session, self.used)
        event |= {"hook_event_name": "PostToolUse", "tool_response": {}}
        began, ended, status, _ = self._ask(event, kill_after)
        self.over = 0.0 if status else ended - began

    def _event(self, session: str, path: str) -> dict[str, object]:
        return hooks.event(
            self.project.root, path, session_id=session, tool_use_id=self.id
        )

    def _ask(
        self, event: Mapping[str, object], kill_after: float | None
    ) -> tuple[float, float, int, list[bytes]]:
        """Return when the client began and ended, its status, its output and its
        errors.
        """
        with ExitStack() as stack:
            files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
            files[0].write(json.dumps(event).encode())
            files[0].seek(0)
            began = world.now()
            child = subprocess.Popen(
                self.client.command,
                env=self.client.environ,
                **dict(zip(("stdin", "stdout", "stderr"), files, strict=True)),
            )
            try:
                child.wait(kill_after)
            except subprocess.TimeoutExpired:
                child.kill()
            status, ended = child.wait(), world.now()
            for file in files[1:]:
                file.seek(0)
            return began, ended, status, [file.read() for file in files[1:]]


def clients(
    folder: Path, environ: Mapping[str, str]
) -> tuple[list[Client], list[Client]]:
    """Return the clients that answer as they should, and those that something is wrong
    around.
    """
    well = [Client(name, command, environ) for name, command in hooks.clients().items()]
    ill = [
        Client(client.name, client.command, _with_git(folder, name, environ), name)
        for client in well
        for name in GITS
    ]
    return well, ill


def _with_git(folder: Path, name: str, environ: Mapping[str, str]) -> Mapping[str, str]:
    at = folder / name.replace(" ", "-")
    at.mkdir(exist_ok=True)
    box = places.Box(at, at, at, at, dict(environ))
    places.GIT[name](box)
    return box.environ


def draw(
    chance: random.Random, project: world.Project, client: Client, *, misses: float
) -> Call:
    """Return a call: of a path that exists, or, with that probability, of one that does
    not.
    """
    stable = chance.choice(project.stable)
    moving = _moving(chance, project)
    at = str(project.root)
    if chance.random() >= misses:
        path = moving if moving and chance.random() < 0.4 else stable
        return Call(
            client, project, "moving" if path == moving else "exists", f"{at}/{path}"
        )
    folder, _, name = stable.rpartition("/")
    kind = chance.choice(("moved", "typo", "gone", "absent"))
    if kind == "moved":
        wrong = f"{folder.rpartition('/')[0]}/{name}"
        return Call(client, project, kind, f"{at}/{wrong}", f"{at}/{stable}")
    if kind == "typo":
        wrong = f"{folder}/{name[:2]}{name[3:]}"
        return Call(client, project, kind, f"{at}/{wrong}", f"{at}/{stable}")
    if kind == "gone" and moving:
        folder, _, name = moving.rpartition("/")
        return Call(client, project, kind, f"{at}/moving/{name}")
    return Call(
        client, project, "absent", f"{at}/docs/zq_none_such_{chance.random()}.xyz"
    )


def _moving(chance: random.Random, project: world.Project) -> str:
    """Return a file that may go at any moment; empty where there is none."""
    folder = f"moving/area{chance.randrange(4)}"
    try:
        names = os.listdir(project.root / folder)
    except OSError:
        return ""
    return f"{folder}/{chance.choice(names)}" if names else ""
