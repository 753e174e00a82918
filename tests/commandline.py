"""Run `truepath` in this process, as its entry point does."""

from __future__ import annotations

import json
from dataclasses import dataclass

from truepath.cli.app import run


@dataclass(frozen=True)
class Ran:
    """What a command line came to."""

    code: int
    out: str
    err: str

    @property
    def objects(self) -> list[dict]:
        """Return the JSON objects printed, one a line."""
        return [json.loads(line) for line in self.out.splitlines()]


def ran(capsys, *args: str) -> Ran:
    """Run a command line and return what it printed."""
    capsys.readouterr()
    code = run(args)
    out, err = capsys.readouterr()
    return Ran(code, out, err)
