"""Error texts: the missing path, whether one is missing at all, and whether the host has helped."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rows import check_each

from truepath.calls.error_texts import MOST_PATHS, already_suggested, is_missing, missing_paths

LINES = Path(__file__).parents[1] / "corpus" / "failures.jsonl"
CASES: list[dict[str, Any]] = [json.loads(line) for line in LINES.read_text().splitlines()]


def test_the_corpus_of_error_texts_is_read_right() -> None:
    def check(case: dict[str, Any]) -> None:
        text = case["text"]
        assert list(missing_paths(text)) == case["missing"]
        assert is_missing(text) is case["is_missing"]
        assert already_suggested(text) is case["suggested"]

    check_each(CASES, check, lambda case: case["source"])


# Each is run for real, where it is installed, on a path that does not exist.
COMMANDS = [
    "cat P", "head P", "tail P", "ls P", "cd P", "grep x P", "rg x P", "wc P", "sed -n 1p P",
    "awk '{print}' P", "diff P .", "sort P", "cp P x", "mv P x", "rm P", "rmdir P", "touch P/x",
    "mkdir P/x", "ln P x", "chmod +x P", "find P", "du P", "stat P", "bash P", "source P", ". P",
    "python3 P", "node ./P", "perl P", "git add P", "git rm P", "git -C P status", "tar xf P",
    "unzip P", "echo > P/x", "cat < P", "./P", "make -C P", "tee P/x </dev/null",
    "nl P", "cut -f1 P", "jq . P", "cmp P .", "xargs -a P", "timeout 1 ./P",
    "nohup ./P", "env ./P", "md5sum P",
]  # fmt: skip


NOT_IN_DASH = ("source P", "dash")
PACKAGES = {"awk": "mawk", "cmp": "diffutils", "diff": "diffutils", "find": "findutils"}
PACKAGES |= {"node": "nodejs", "rg": "ripgrep", "xargs": "findutils"}
"""Of those commands that are no package's name, what Debian calls their package."""


@pytest.mark.parametrize(
    ("command", "shell"),
    [(one, shell) for one in COMMANDS for shell in ("bash", "dash") if (one, shell) != NOT_IN_DASH],
)
def test_real_programs_are_understood(command: str, shell: str, tmp_path: Path) -> None:
    program = command.split(maxsplit=1)[0]
    builtin = program in ("cd", "source", ".", "echo", "./P")
    for needed in (shell, *(() if builtin else (program,))):
        if shutil.which(needed) is None:
            pytest.skip(f"no {needed} here: apt-get install {PACKAGES.get(needed, needed)}")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    name = "src/no such.py"
    quoted = command.replace("./P", "'./src/no such.py'").replace("P", f"'{name}'")
    run = subprocess.run(
        [shell, "-c", quoted], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    text = run.stdout + run.stderr
    assert run.returncode != 0, text
    assert is_missing(text), text
    found = missing_paths(text)
    assert found, text
    assert any(name in path or path.endswith(name) for path in found), text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("ok", "no error"),
        ("the file does not exist in the cache, fetching", "prose"),
        ("fatal: not a git repository (or any of the parent directories): .git", "no repository"),
        ("def f():\n    raise Error('user does not exist')", "code"),
        ("test_missing_file ... ok", "a test's name"),
        ("0 files changed", "nothing"),
        ("error: failed to push some refs to 'origin'", "git"),
        ("E       assert 'not found' in 'x'", "an assertion"),
    ],
)
def test_other_errors_name_no_path(text: str, reason: str) -> None:
    assert missing_paths(text) == (), reason
    assert not is_missing(text), reason


def test_each_path_is_named_once_and_in_order() -> None:
    text = "".join(f"cat: {name}: No such file or directory\n" for name in ("b", "a", "b"))
    assert missing_paths(text) == ("b", "a")


def test_the_number_of_paths_is_bounded() -> None:
    text = "".join(f"cat: f{at}: No such file or directory\n" for at in range(500))
    assert len(missing_paths(text)) == MOST_PATHS


@pytest.mark.parametrize(
    "text",
    [
        "cannot open " + "a " * 50_000,
        ("x: " * 300 + "no such thing\n") * 50,
        ("cat: " + "a" * 900 + ": no such thing\n") * 50,
        "not found\n" * 20_000,
        ("failed to " + "a " * 900 + "could not\n") * 50,
    ],
    ids=["long line", "colons", "long name", "many lines", "words"],
)
def test_hostile_texts_cost_little(text: str) -> None:
    started = time.process_time()
    missing_paths(text)
    is_missing(text)
    assert time.process_time() - started < 2


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    assert all(missing_paths(text))
    if missing_paths(text):
        assert is_missing(text)
    already_suggested(text)


NAMES = st.text(
    st.characters(codec="ascii", categories=["L", "N"], include_characters="._-/ "),
    min_size=1,
    max_size=30,
).filter(lambda name: name == name.strip() and not name.endswith(".") and name[0] not in "-.")


@settings(max_examples=200, deadline=None)
@given(NAMES)
def test_any_plain_name_is_read_back(name: str) -> None:
    assert missing_paths(f"cat: '{name}': No such file or directory") == (name,)
    assert missing_paths(f"rm: cannot remove '{name}': No such file or directory") == (name,)
    assert missing_paths(f"ENOENT: no such file or directory, open '{name}'") == (name,)
    assert missing_paths(f"grep: {name}: No such file or directory") == (name,)


def test_the_module_needs_nothing_else() -> None:
    program = (
        "import sys, truepath.calls.error_texts; sys.exit('truepath.calls.shell' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
