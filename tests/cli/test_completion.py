"""What a shell completes once it has run the line of docs/cli.md."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2].joinpath("docs/cli.md").read_text("utf-8")
SHELLS = {
    "bash": """{setup}
        COMP_WORDS=(truepath {0}) COMP_CWORD={1}; _truepath_completion truepath
        printf '%s\\n' "${{COMPREPLY[@]}}" """,
    # Its own functions answer inside the line editor alone: these print what they are
    # given.
    "zsh": """compdef() {{}}; _describe() {{ print -l -- "${{(@P)3}}"; }}
        compadd() {{ print -l -- "${{(@P)argv[-1]}}"; }}
        {setup}
        words=(truepath {0}) CURRENT=$(({1} + 1)); _truepath_completion""",
    "fish": "{setup}; complete -C 'truepath {2}'",
}
ROWS = [
    ("uninst", "uninstall"),
    ("install gem", "gemini"),
    ("doctor open", "opencode"),
    ("log --sin", "--since"),
    ("stats --event path.ref", "path.refused"),
    ("resolve --operation mk", "mkdir"),
]


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_commands_options_and_hosts(shell, monkeypatch):
    if shutil.which(shell) is None or sys.platform == "win32":
        pytest.skip(f"no {shell} here")
    (setup,) = re.findall(
        rf"^.*_TRUEPATH_COMPLETE={shell}_source.*?(?=\s+#)", PAGE, re.MULTILINE
    )
    monkeypatch.setenv(
        "PATH", os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
    )
    for line, whole in ROWS:
        words = " ".join(f"'{word}'" for word in line.split())
        script = SHELLS[shell].format(words, len(line.split()), line, setup=setup)
        command = [shell, "--norc" if shell == "bash" else "-f", "-c", script]
        command = [shell, "--no-config", "-c", script] if shell == "fish" else command
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", check=False
        )
        found = [
            each.partition("\t")[0].partition(":")[0]
            for each in done.stdout.splitlines()
        ]
        assert whole in found, (line, done)


@pytest.mark.parametrize(
    "line", ["resolve sr", "audit sr", "audit --html sr", "audit --repo sr"]
)
def test_the_names_of_files_are_left_to_the_shell(line):
    words = {"COMP_WORDS": f"truepath {line}", "COMP_CWORD": str(len(line.split()))}
    environ = {**os.environ, **words, "_TRUEPATH_COMPLETE": "bash_complete"}
    command = [os.path.join(os.path.dirname(sys.executable), "truepath")]
    done = subprocess.run(command, env=environ, capture_output=True, check=False)
    assert done.stdout.split() == [b"file,sr"]
