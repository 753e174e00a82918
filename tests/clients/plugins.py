"""Plugins of ours put where a host looks for them, and clients for them that are broken."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from clients import rig

from truepath.hosts.setup import Setup


def put(setup: Setup, home: Path) -> Path:
    """Write the only file of a setup below a user's home; return its path."""
    [piece] = setup.pieces
    assert isinstance(piece.content, str)
    file = home / setup.home / piece.user
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(piece.content)
    return file


FAULTS = {
    "garbage": "echo '}{ no JSON at all'",
    "an answer of another shape": """echo '[{"refuse": "no"}]'""",
    "a script that is gone": "PYTHON /nowhere/hook.py",
    "a package that is gone": "PYTHON -I -S -m truepath hook HOST",
    "a program that is gone": "/nowhere/truepath hook HOST",
    "a hang": "sleep 60",
    "status 2": """echo '{"refuse": "no"}'; echo blocked >&2; exit 2""",
    "a refusal cut short": """printf '{"refuse": "n'""",
    "a fault inside": "PYTHONPATH='BROKEN' PYTHON -m truepath hook HOST",
    "a switch": "TRUEPATH=0 PYTHON -m truepath hook HOST",
}
"""What may be wrong with a client -> a command of which it is true."""


def faulty(place: Path, host: str) -> str:
    """Return a client that has the fault at the position which a call's argument `limit` gives."""
    broken = place / "broken"
    shutil.copytree(rig.PROJECT / "src/truepath", broken / "truepath")
    (broken / "truepath/guard/guard.py").write_text("raise RuntimeError('broken')\n")
    names = {"PYTHON ": f"'{sys.executable}' ", "HOST": host, "BROKEN": str(broken)}
    cases = []
    for at, fault in enumerate(FAULTS.values(), 1):
        for name, value in names.items():
            fault = fault.replace(name, value)  # noqa: PLW2901
        cases.append(f"*'\"limit\":{at}}}'*) {fault};;")
    file = place / "faulty.sh"
    keep = f"event=$(cat); printf %s \"$event\" > '{place}'/asked.$$"
    file.write_text("\n".join([keep, "case $event in", *cases, "esac", ""]))
    return f"sh '{file}'"
