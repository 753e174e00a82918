"""Tools that answer a missing path, as their registry has them, asked as they are.

Each is installed beside this environment, without what its other parts need, and runs
in a process of its own, on a project of empty files. The first file that it names is
its answer.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from finders import NotHereError

_LOOP = """
import json, sys
sys.path.insert(0, sys.argv[1])
{begin}
for line in sys.stdin:
    root, path = json.loads(line)
    try:
        named = ask(root, path)
    except Exception as error:
        print(f"{{path}}: {{error}}", file=sys.stderr)
        named = None
    print(json.dumps(named), flush=True)
"""

_HERMES = """
import os, subprocess
from tools.file_operations import ShellFileOperations

class Terminal:
    def __init__(self, root):
        self.cwd = root
    def execute(self, command, cwd="", **_):
        ran = subprocess.run(["sh", "-c", command], cwd=cwd or self.cwd,
                             capture_output=True, text=True)
        return {"output": ran.stdout, "returncode": ran.returncode}

def ask(root, path):
    named = ShellFileOperations(Terminal(root)).read_file(os.path.join(root, path))
    return next(iter(named.similar_files or ()), None)
"""

_REPOWISE = """
import os, re, sqlite3
from repowise.cli.commands.augment_cmd.wrong_path import _handle_tool_failure

def index(root):
    folder = os.path.join(root, ".repowise")
    if os.path.isdir(folder):
        return
    files = [os.path.relpath(os.path.join(place, name), root)
             for place, _, names in os.walk(root) for name in names]
    os.mkdir(folder)
    with sqlite3.connect(os.path.join(folder, "wiki.db")) as kept:
        kept.execute("create table repositories (id, local_path)")
        kept.execute("insert into repositories values ('it', ?)", (root,))
        kept.execute("create table graph_nodes (repository_id, node_type, node_id)")
        kept.executemany("insert into graph_nodes values ('it', 'file', ?)",
                         [(name,) for name in files])

def ask(root, path):
    index(root)
    error = f"File does not exist. Note: your current working directory is {root}."
    arguments = {"file_path": os.path.join(root, path)}
    said = _handle_tool_failure("Read", arguments, error, root).context
    found = re.search(r"The only indexed .*? is (.*)", said or "")
    return found and os.path.join(root, found[1])
"""


@dataclass(frozen=True)
class Peer:
    """A package of PyPI, and how it is asked."""

    package: str
    version: str
    needs: tuple[str, ...]
    """What the part that is asked imports beside the package."""
    begin: str
    """Defines `ask(root, path)`, which returns the first path that is named."""

    @property
    def name(self) -> str:
        return f"{self.package} {self.version}"


PEERS = (
    Peer("hermes-agent", "0.19.0", (), _HERMES),
    Peer("repowise", "0.59.0", ("click", "rich"), _REPOWISE),
)


class Asked:
    """A peer that is running."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def first(self, root: Path, path: str) -> str | None:
        """Return the first path that it names for a missing one, relative to `root`."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([str(root), path]) + "\n")
        self._process.stdin.flush()
        named: str | None = json.loads(self._process.stdout.readline())
        if named is None:
            return None
        file = Path(named)
        return file.relative_to(root).as_posix() if file.is_relative_to(root) else named


@contextmanager
def running(peer: Peer) -> Iterator[Asked]:
    """Begin a peer; install it the first time.

    Raises:
        NotHereError: It could not be installed.
    """
    folder = _installed(peer)
    words = [sys.executable, "-I", "-c", _LOOP.format(begin=peer.begin), str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True) as process:
        yield Asked(process)
        process.communicate()


def _installed(peer: Peer) -> Path:
    folder = Path(sys.prefix) / f"{peer.package}-{peer.version}"
    done = folder / ".installed"  # an installation that was interrupted has none
    if not done.exists():
        whole = [["--no-deps", f"{peer.package}=={peer.version}"], [*peer.needs]]
        for words in filter(None, whole):
            _pip("install", "--target", str(folder), "--upgrade", *words)
        done.touch()
    return folder


def _pip(*words: str) -> None:
    quiet = ("-q", "--disable-pip-version-check")
    command = [sys.executable, "-m", "pip", *words, *quiet]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise NotHereError(f"pip {' '.join(words)}: {ran.stderr.strip()[:200]}")


def materialise(root: Path, paths: Sequence[str]) -> None:
    """Make the paths below `root`: empty files, and the folders that have some."""
    folders = {path.rpartition("/")[0] for path in paths}
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for path in paths:
        if path not in folders and not (root / path).is_dir():
            (root / path).touch()
