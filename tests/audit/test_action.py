"""The action for GitHub: its own steps, run as scripts, without the service."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ACTION = (ROOT / "action.yml").read_text("utf-8")
HERE = ROOT / "tests/transcripts"

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")


def _inputs():
    """Return the inputs and their defaults."""
    block = ACTION.partition("inputs:\n")[2].partition("runs:\n")[0]
    pairs = re.findall(
        r"^  ([\w-]+):\n(?:    .*\n)*?    default: (.*)\n", block, re.MULTILINE
    )
    return {name: default.strip('"') for name, default in pairs}


def _steps():
    """Return each step's name, the variables that it is given, and its script."""
    steps = ACTION.partition("steps:\n")[2].split("    - name: ")[1:]
    for step in steps:
        name, _, rest = step.partition("\n")
        head, _, script = rest.partition("      run: |\n")
        given = dict(re.findall(r"^        (\w+): (.*)\n", head, re.MULTILINE))
        yield name, given, re.sub("(?m)^ {8}", "", script)


def _ran(tmp_path, **inputs):
    """Run the step that audits, as the service would; return its status and output."""
    values = {**_inputs(), **{name.replace("_", "-"): v for name, v in inputs.items()}}
    _, given, script = list(_steps())[-1]
    # What it installed is this Python's program.
    program = tmp_path / "runner/truepath/bin/truepath"
    program.parent.mkdir(parents=True, exist_ok=True)
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m truepath "$@"\n')
    program.chmod(0o755)
    environ = {**os.environ, "RUNNER_TEMP": str(tmp_path / "runner")}
    environ["GITHUB_STEP_SUMMARY"] = str(tmp_path / "summary.md")
    for name, value in given.items():
        asked = re.fullmatch(r"\$\{\{ inputs\.([\w-]+) \}\}", value)
        environ[name] = values[asked[1]]
    shell = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    done = subprocess.run(
        shell,
        check=False,
        capture_output=True,
        text=True,
        env=environ,
        cwd=tmp_path,
        timeout=300,
    )
    return done.returncode, done.stdout + done.stderr


def test_above_the_limit_it_fails_and_its_summary_says_why(tmp_path):
    status, said = _ran(tmp_path, paths=str(HERE))
    why = "not passed: 245.3 of 1,000 calls missed a path"
    assert (status, why in said) == (1, True)
    summary = (tmp_path / "summary.md").read_text("utf-8")
    assert f"    {why}" in summary
    assert "missing path, file tool" in summary


def test_below_the_limits_it_passes_and_writes_the_page(tmp_path):
    page = tmp_path / "my page.html"
    paths = f"{HERE / 'pi.jsonl'}\n\n{HERE / 'codex.jsonl'}\n"
    status, said = _ran(
        tmp_path, paths=paths, max_missed="300", max_failed="300", html=str(page)
    )
    assert (status, "2 sessions" in said) == (0, True)
    assert page.exists()


@pytest.mark.parametrize("limit", ["", "many", "$(touch made)", "-1"])
def test_a_limit_that_is_none_fails_and_runs_nothing(tmp_path, limit):
    status, said = _ran(tmp_path, paths=str(HERE), max_missed=limit)
    assert (status, "--max-missed" in said) == (2, True)
    assert not (tmp_path / "made").exists()


def test_what_it_reads_is_no_part_of_a_script():
    for _, given, script in _steps():
        assert "${{" not in script
        assert set(re.findall(r"\$([A-Z]\w+)", script)) <= {
            *given,
            *("RUNNER_TEMP", "GITHUB_ACTION_PATH", "GITHUB_STEP_SUMMARY"),
        }
    assert [name for name, _, _ in _steps()] == ["Install truepath", "Audit"]
