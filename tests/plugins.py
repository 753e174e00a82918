"""Our plugins loaded into Node, with a client that answers as a test wants it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from truepath.hosts import find

NODE = shutil.which("node")
needs_node = pytest.mark.skipif(
    NODE is None, reason="no Node here: apt-get install nodejs"
)

SOURCES = Path(__file__).parents[1] / "src"
REAL = f"'{sys.executable}' -m truepath hook "
"""The client, but for the name of the host."""

READ = {"opencode": ("read", "filePath"), "pi": ("read", "path")}
"""How each host reads a file: the tool and the argument."""

SHELL = dict.fromkeys(READ, ("bash", "command"))

_FAKE = """\
import json, sys
folder, data = sys.argv[1], sys.stdin.buffer.read()
open(f"{folder}/events", "ab").write(data + b"\\n")
for words, answer in json.load(open(f"{folder}/answers")):
    if words.encode() in data:
        print(json.dumps(answer))
        break
"""


class Host:
    """One host with our plugin in it, standing in a folder."""

    def __init__(self, name: str, place: Path, root: Path) -> None:
        self.name, self.root, self._place = name, root, place
        place.mkdir(exist_ok=True)

    def answering(self, *answers):
        """Return a client that gives the answer of the first words in an event."""
        (self._place / "answers").write_text(json.dumps(answers))
        (self._place / "fake.py").write_text(_FAKE)
        return f"'{sys.executable}' -I -S '{self._place}/fake.py' '{self._place}'"

    @property
    def asked(self):
        """What the answering client was asked."""
        file = self._place / "events"
        return (
            [json.loads(line) for line in file.read_bytes().splitlines()]
            if file.exists()
            else []
        )

    def play(self, client, *steps, timeout=10):
        """Play steps (see plugins.mjs) and return what came of each."""
        [piece] = find(self.name).pieces(client, timeout=timeout)
        file = self._place / "plugin.mjs"
        file.write_text(piece.content)
        play = self._place / "play.json"
        play.write_text(
            json.dumps({"host": self.name, "file": str(file), "steps": steps})
        )
        done = subprocess.run(
            [NODE, str(Path(__file__).with_name("plugins.mjs")), str(play)],
            cwd=self.root,
            env={**os.environ, "PYTHONPATH": str(SOURCES)},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
        return json.loads(done.stdout)

    def read(self, path, call="c1"):
        tool, argument = READ[self.name]
        return {"begin": call, "tool": tool, "args": {argument: str(path)}}

    def shell(self, command, call="c1"):
        tool, argument = SHELL[self.name]
        return {"begin": call, "tool": tool, "args": {argument: command}}
