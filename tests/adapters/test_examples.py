"""Each example runs, is short, and ends with what the model received."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from frameworks import FRAMEWORKS, absent

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"
OF_FRAMEWORKS = {
    name: f"{re.sub('_agents?$', '', name)}_agent.py"
    for name in FRAMEWORKS
    if name != "claude_agent_sdk"  # it brings no scripted model; its own tests run it
}
PLAIN = ("plain_functions.py", "sandbox.py", "opentelemetry_events.py")
INSTALLED = [name for name in FRAMEWORKS if name not in absent()]
HERE = (
    [OF_FRAMEWORKS[name] for name in INSTALLED if name in OF_FRAMEWORKS]
    if INSTALLED
    else PLAIN
)
if "langchain" in INSTALLED:
    HERE = [*HERE, "langgraph_agent.py"]
"""Those that can run here; in an environment of a framework its own alone, if it has
one."""


def test_every_framework_has_an_example_under_fifty_lines():
    files = {
        file.name: file.read_text("utf-8").splitlines()
        for file in EXAMPLES.glob("*.py")
    }
    more = {"claude_agent_sdk_agent.py", "langgraph_agent.py", "project.py"}
    assert {*OF_FRAMEWORKS.values(), *PLAIN, *more} == {*files}
    assert {name: len(lines) for name, lines in files.items() if len(lines) >= 50} == {}


@pytest.mark.parametrize("example", HERE)
def test_an_example_ends_with_what_the_model_received(example, tmp_path):
    if example == "sandbox.py" and shutil.which("base64") is None:
        pytest.skip("no base64 here")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", EXAMPLES / example],
        env={**os.environ, "TRUEPATH_JOURNAL": "0", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "All is well." in done.stdout
    assert "OK: `docs/status.md`" in done.stdout
    assert "docs/status.md" in done.stdout
