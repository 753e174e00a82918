"""Scenes: projects made for one question, each with the calls that are asked in it and
who is harmed if they go wrong.

`cases/attacks.jsonl` has those in which another file than the written one would be
changed, `cases/reports.jsonl` what users of agent programs reported, in few files,
`cases/sessions.jsonl` what happened in recorded sessions, `cases/commits.jsonl` what
commits of public repositories did, `cases/documented.jsonl` what programs are
documented to do. A line is one scene: `cases/README.md` has the fields."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

from truepath import ToolCall, Workspace
from truepath.guard.reading import Caller
from truepath.project.marks import mark
from truepath.types import Decision

FOLDER = Path(__file__).with_name("cases")

Scene: TypeAlias = Mapping[str, Any]

_SETS: Mapping[str, Sequence[str]] = {
    "changes": (
        "sed -i s/a/b/ {}",
        "mv {} /tmp/x",
        "cp {} /tmp/x",
        "bash {}",
        "git mv {} moved.txt",
    ),
    "deletes": ("rm {}", "git rm {}"),
    "reads": ("cat {}",),
}
"""Names of sets of commands."""

_PERSON = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
_PLAIN = ("-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main")

TEXT = "".join(
    f"line {number} of {{path}}, which tells it from others\n" for number in range(9)
)
"""What a file holds, where a scene does not say."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One call of a scene, and what must come of it."""

    id: str
    call: ToolCall
    policy: Any
    expects: str
    to: Sequence[str]
    """What the answer or the new call has, or must not have."""
    before: Sequence[ToolCall] = ()
    error: str = ""
    caller: Caller | None = None
    """The program around the guard, where it cannot do everything."""

    def holds(self, decision: Decision) -> bool:
        """Return whether what must come of it did."""
        arguments = json.dumps(dict(decision.arguments), ensure_ascii=False)
        said = decision.text + arguments
        names = all(text in said for text in self.to)
        is_changed = decision.action == "rewrite"
        if self.expects == "stays":
            return not is_changed
        if self.expects == "works":
            return decision.action == "allow"
        if self.expects in ("corrected", "shown"):
            guessed = any(each.permits == "assumed" for each in decision.resolutions)
            is_so = is_changed and guessed is (self.expects == "shown")
            return is_so and all(text in arguments for text in self.to)
        if self.expects == "noted":
            return decision.action == "advise" and names
        if self.expects == "named":
            return decision.action != "allow" and names
        assert self.expects == "hidden", self.expects
        return not is_changed and not any(text in decision.text for text in self.to)


def load(name: str) -> list[Scene]:
    """Return the scenes of a set."""
    lines = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@contextmanager
def laid_out(scene: Scene) -> Iterator[Workspace]:
    """Make the project of a scene."""
    with tempfile.TemporaryDirectory(prefix="scene-") as folder:
        root = Path(os.path.realpath(folder), "home", scene.get("root", "acme"))
        root.mkdir(parents=True)
        _write(root, scene.get("files", ()))
        for path, text in scene.get("contents", {}).items():
            _put(root / path, text)
        for path, lines in scene.get("long", {}).items():
            _put(root / path, "a line of a long file\n" * lines)
        if scene.get("git", True):
            _git(root, "init", "-q", "--template=")
            _commit(root)
        for step in scene.get("steps", ()):
            _do(root, step)
        store = os.path.join(folder, "store")
        for written, path in scene.get("marked", {}).items():
            mark(store, os.fspath(root), path, written, wrong=True)
        limit = scene.get("limit", 2_000_000)
        asked_in = root / scene.get("space", "")
        # Nothing of who runs it: with MAKEFLAGS, which `make` sets, make needs no file.
        environ = {"HOME": os.fspath(root.parent), "PATH": os.environ["PATH"]}
        with patch.dict(os.environ, environ, clear=True):
            yield Workspace(asked_in, store=store, timeout_s=60, limit=limit)


def _do(root: Path, step: Mapping[str, Any]) -> None:
    """Do a step: `move`, `remove`, `write`, `later` (not committed), `link`, `git`."""
    for old, new in step.get("move", {}).items():
        (root / new).parent.mkdir(parents=True, exist_ok=True)
        _git(root, "mv", old, new)
    for path in step.get("remove", ()):
        _git(root, "rm", "-q", "-r", path)
    _write(root, step.get("write", ()))
    for path, text in step.get("contents", {}).items():
        _put(root / path, text)
    for path, target in step.get("link", {}).items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)
    if "git" in step:
        _git(root, *step["git"])
    if step.get("shallow"):
        git = Path(root, ".git")
        (git / "shallow").write_bytes((git / "refs/heads/main").read_bytes())
    elif not step.get("uncommitted"):
        _commit(root)
    _write(root, step.get("later", ()))
    for path in step.get("unlink", ()):
        (root / path).unlink()


def _write(root: Path, paths: Sequence[str]) -> None:
    for path in paths:
        if path.endswith("/"):
            (root / path).mkdir(parents=True, exist_ok=True)
        else:
            _put(root / path, TEXT.replace("{path}", path))


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _commit(root: Path) -> None:
    _git(root, "add", "-A")
    _git(root, "commit", "-q", "--allow-empty", "-m", "work")


def _git(root: Path, *words: str) -> None:
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *_PERSON, *_PLAIN, "-C", os.fspath(root), *words]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | plain)


def asked(scene: Scene, root: str) -> Iterator[Asked]:
    """Yield each call of a scene with each of its paths, by each of its policies."""
    for group in scene["asks"]:
        for policy in group.get("policies", ["careful"]):
            for path in group.get("paths", [""]):
                for call in _calls(group["calls"]):
                    yield _asked(scene, group, root, policy, path, call)


def _calls(calls: Sequence[Any]) -> Iterator[Any]:
    for call in calls:
        yield from _SETS.get(call, [call]) if isinstance(call, str) else [call]


def _asked(
    scene: Scene, group: Mapping[str, Any], root: str, policy: str, path: str, call: Any
) -> Asked:
    cwd = os.path.join(root, group.get("cwd", ""))
    words = call if isinstance(call, str) else json.dumps(call)
    name = f"{scene['id']} {policy} {words} {path}"
    made = _call(call, root, path, cwd, name)
    earlier = [_call(one, root, path, cwd, name) for one in group.get("before", ())]
    to = [text.replace("{root}", root) for text in group.get("to", ())]
    return Asked(
        name,
        made,
        policy,
        group["expects"],
        to,
        earlier,
        group.get("error", ""),
        _caller(group["caller"]) if "caller" in group else None,
    )


def _caller(has: Mapping[str, Any]) -> Caller:
    """Return a caller; of what it asks others, a scene has the answer."""
    asked = {"others", "shown_as_written"} & has.keys()
    functions = {name: partial(_answer, has[name]) for name in asked}
    return Caller(**{**has, **functions})


def _answer(value: Any, *_: Any) -> Any:
    return value


def _call(call: Any, root: str, path: str, cwd: str, session: str) -> ToolCall:
    """Return a command with `{}` for the path, or a tool with `{path}` in it."""
    path = path.replace("{root}", root).replace("{rootless}", root.lstrip("/"))
    if isinstance(call, str):
        line = call.replace("{}", shlex.quote(path)).replace("{root}", root)
        return ToolCall("Bash", {"command": line}, session=session, cwd=cwd)
    arguments = {
        name: value.replace("{path}", path).replace("{root}", root)
        for name, value in call["arguments"].items()
    }
    known = ("host", "prompt", "approved")
    more = {key: call[key] for key in known if key in call}
    return ToolCall(call["tool"], arguments, session=session, cwd=cwd, **more)
