"""Run real agent programs against the scripted model: an empty home, no network, no
account.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import repos
from clients import terminal
from clients.script import Turn, to_json
from clients.terminal import Step

from truepath.hook import installed
from truepath.hosts.protocol import Piece

PROJECT = Path(__file__).parents[2]
PLACE = Path(os.environ.get("TRUEPATH_CLIENTS", PROJECT / ".clients"))
"""Where `install.sh` puts the programs."""

FILES = {
    "README.md": "# demo\n",
    "docs/status.md": "STATUS all green\n",
    "docs/plan.md": "PLAN as agreed\n",
    "docs/notes.md": "NOTES kept\n",
    "pkg/one/util.py": "WHO = 'one'\n",
    "pkg/two/util.py": "WHO = 'two'\n",
    "secret/key.md": "SECRET content\n",
    "src/app/settings.py": "DEBUG = False\n",
}

MOVED = {
    "docs/status.md": "specs/status.md",
    "docs/plan.md": "specs/plan.md",
    "docs/notes.md": "specs/notes.md",
    "src/app/settings.py": "src/settings.py",
}
"""Where some files were before the last commit."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What one run of a client came to."""

    status: int
    output: str
    errors: str
    turns: int
    told: list[str]
    """The texts the model received after its first turn."""
    offered: dict[str, list[str]] = field(default_factory=dict)
    """The tools that the model may call, with the names of their arguments."""
    asked: list[str] = field(default_factory=list)
    """What the hook was given, one event each."""
    answered: list[str] = field(default_factory=list)
    """What the hook answered, one answer each."""
    screens: list[str] = field(default_factory=list)
    """What a terminal showed at each step, with its colours (see `terminal`)."""

    @property
    def model_read(self) -> str:
        return "\n".join(self.told)

    def having(self, *words: str) -> list[str]:
        """Return the texts with all these words that the model received."""
        return [text for text in self.told if all(word in text for word in words)]

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.asked]


def program(name: str) -> Path | None:
    """Return the installed program called `name`, or None."""
    found = PLACE / "node_modules" / ".bin" / name
    return found if found.exists() else None


def needs(name: str) -> pytest.MarkDecorator:
    """Return the mark of a test that needs the program called `name`."""
    return pytest.mark.skipif(
        program(name) is None,
        reason=f"no {name} here: `make test-clients` installs it, with npm",
    )


def speaks(text: str) -> bool:
    """Return whether a text has an answer of truepath: a refusal, or a note."""
    return "PATH_" in text or "OK: `" in text


def version(package: str) -> str:
    """Return the version of an installed package."""
    manifest = PLACE / "node_modules" / package / "package.json"
    return str(json.loads(manifest.read_text())["version"])


def make_project(place: Path) -> Path:
    """Make a git repository in `place`, move some of its files, and return its root."""
    root = place / "repo"
    repos.copied(_project, _project, root)
    return root


def _project(root: Path) -> None:
    repos.start(
        root, {MOVED.get(name, name): content for name, content in FILES.items()}
    )
    for name, old in MOVED.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / old).rename(root / name)
    repos.commit_all(root, "move")


def put(pieces: Iterable[Piece], folder: Path, **more: Any) -> None:
    """Write the files of a host below its own folder; with `more` beside its table of
    settings.
    """
    for piece in pieces:
        text = piece.content
        if not isinstance(text, str):
            text = json.dumps({**more, **text})
        file = folder / piece.user
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)


def note(host: str, pieces: Iterable[Piece], folder: Path, home: Path) -> None:
    """Record those files as truepath's own, as `truepath install` does: beside
    another's hook nothing is corrected."""
    for piece in pieces:
        file = folder / piece.user
        wrote = installed.digest(file.read_bytes()) if file.is_file() else ""
        events = (
            {} if isinstance(piece.content, str) else piece.content.get("hooks", {})
        )
        hooks = [
            each for entries in events.values() for each in installed.handlers(entries)
        ]
        known = tuple(dict.fromkeys(map(installed.label, hooks)))
        made = installed.Record(installed.known_as(str(file)), host, None, wrote, known)
        installed.keep(str(home / ".local/state/truepath"), made)


def content(pieces: Iterable[Piece]) -> dict[str, Any]:
    """Return the table of settings that a host's only piece adds."""
    [piece] = pieces
    assert not isinstance(piece.content, str)
    return dict(piece.content)


BIN = str(Path(sys.executable).parent)
"""Where `truepath-hook` of this checkout is."""


def environment(place: Path, **more: str) -> dict[str, str]:
    """Return an environment that inherits nothing but the search path; its home is
    empty.
    """
    for name in ("home", "scratch"):
        (place / name).mkdir(exist_ok=True)
    return {
        # What a project's settings call is found on the search path, as after `pipx
        # install`.
        "PATH": os.pathsep.join((BIN, os.environ["PATH"])),
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "scratch"),
        "LANG": "C.UTF-8",
        "TERM": "dumb",
        # On a machine with much else to do a hook is late; what it says is what is
        # tested.
        "TRUEPATH_HOOK_SECONDS": "8",
        # From 22 on, Node keeps what it has compiled, which is half of a start.
        "NODE_COMPILE_CACHE": str(PLACE / "compiled"),
        **more,
    }


def recorded(command: str, place: Path) -> str:
    """Return a hook command that keeps what `command` is given and what it answers."""
    folder = place / f"recorder-{len([*place.glob('recorder-*')])}"
    folder.mkdir()
    script = folder / "truepath-hook.sh"
    # A file for each use: hooks of parallel calls run at the same time.
    script.write_text(
        f"tee '{place}'/asked.$$ | {{ {command} ; }} | tee '{place}'/answered.$$\n"
    )
    return f"sh '{script}'"


FAULTS = {
    "garbage": "echo '}{ no JSON at all'",
    "another_shape": """echo '[{"refuse": "no"}]'""",
    "script_gone": "PYTHON /nowhere/hook.py",
    "package_gone": "PYTHON -I -S -m truepath hook HOST",
    "program_gone": "/nowhere/truepath hook HOST",
    "hang": "sleep SECONDS",
    "status_2": "echo blocked >&2; exit 2",
    "kill": "kill -9 $$",
    "refusal_cut": """printf '{"refuse": "n'""",
    "denial_cut": """printf '{"hookSpecificOutput": {"permissionDecision": "deny'""",
    "fault_inside": "PYTHONPATH='BROKEN' PYTHON -m truepath hook HOST",
    "switch": "TRUEPATH=0 PYTHON -m truepath hook HOST",
    "line_before": "echo junk; PYTHON -m truepath hook HOST",
}
"""What may be wrong with a client -> a command of which it is true."""


def faulty(place: Path, host: str, seconds: int) -> str:
    """Return a client that has the fault of the file's name that an event is about.

    Where it is about none of them, it ends with status 2, which blocks in most
    programs. A hang takes so many seconds."""
    broken = place / "broken"
    shutil.copytree(PROJECT / "src/truepath", broken / "truepath")
    (broken / "truepath/guard/guard.py").write_text("raise RuntimeError('broken')\n")
    names = {"PYTHON ": f"'{sys.executable}' ", "HOST": host, "BROKEN": str(broken)}
    names["SECONDS"] = str(seconds)
    cases = []
    for name, fault in FAULTS.items():
        for word, value in names.items():
            fault = fault.replace(word, value)  # noqa: PLW2901
        cases.append(f"""*specs/{name}.md*) printf %s "$event" | {{ {fault}; }};;""")
    file = place / "faulty.sh"
    lines = [
        "event=$(cat)",
        "case $event in",
        *cases,
        "*) echo blocked >&2; exit 2;;",
        "esac",
        "",
    ]
    file.write_text("\n".join(lines))
    return f"sh '{file}'"


def done(command: list[str], *, cwd: Path, env: dict[str, str]) -> str:
    """Return what a command prints that asks no model, and must go well."""
    made = subprocess.run(
        command,
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return made.stdout + made.stderr


def run(
    command: list[str],
    turns: list[Turn],
    *,
    cwd: Path,
    env: dict[str, str],
    place: Path,
    timeout: float = 300,
    steps: Sequence[Step] = (),
) -> Ran:
    """Run one client while the model plays `turns`: to its end, or with `steps` in a
    terminal until the last of them.
    """
    wanted = {
        "command": command,
        "turns": to_json(turns),
        "cwd": str(cwd),
        "env": env,
        "timeout": timeout,
        "steps": steps,
        "patience": terminal.PATIENCE_S,
        "isolated": bool(_isolation()),
    }
    stage = [*_isolation(), sys.executable, str(Path(__file__).with_name("stage.py"))]
    done = subprocess.run(
        stage, input=json.dumps(wanted), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return Ran(
        **json.loads(done.stdout),
        asked=_kept(place, "asked"),
        answered=_kept(place, "answered"),
    )


def _kept(place: Path, what: str) -> list[str]:
    files = sorted(place.glob(f"{what}.*"), key=lambda file: file.stat().st_mtime_ns)
    return [text for text in (file.read_text() for file in files) if text]


@functools.cache
def _isolation() -> tuple[str, ...]:
    """Return the words that start a command without a network; none where that is not
    allowed.
    """
    user = (
        ()
        if os.name == "posix" and os.geteuid() == 0
        else ("--user", "--map-root-user")
    )
    # Its own process table too: what a client leaves running ends with it.
    words = (
        "unshare",
        *user,
        "--net",
        "--pid",
        "--fork",
        "--kill-child",
        "--mount-proc",
    )
    if shutil.which("unshare") is None:
        return ()
    allowed = (
        subprocess.run([*words, "true"], capture_output=True, check=False).returncode
        == 0
    )
    return words if allowed else ()
