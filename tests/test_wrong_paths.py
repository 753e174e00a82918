"""The set of wrong paths asks a rule without truepath, and counts its answers."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
PAGE = Path(__file__).parents[1] / "docs/wrong-paths.md"


@pytest.fixture(scope="module")
def packed(tmp_path_factory):
    target = tmp_path_factory.mktemp("set") / "wrong-paths.pyz"
    words = [sys.executable, BENCHMARKS / "pack.py", target]
    subprocess.run(words, check=True, capture_output=True)
    return target


def asked(packed, tmp_path, rule, *options):
    (tmp_path / "rule.py").write_text(rule, "utf-8")
    words = [sys.executable, "-I", packed, tmp_path / "rule.py", *options]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_the_rule_of_the_page_is_counted(packed, tmp_path):
    [rule] = re.findall(r"```py\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    done = asked(packed, tmp_path, rule, "--kind", "links")

    found = re.search(r"(\d+) right, (\d+) wrong, (\d+) without", done.stdout)
    right, wrong, none = map(int, found.groups())
    with gzip.open(BENCHMARKS / "cases/links.jsonl.gz") as lines:
        assert right + wrong + none == len([*lines])
    assert right > wrong


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("None", "0 right, 0 wrong, "),
        ("written", "0 right, "),
        ("tree[0]", "of answers wrong"),
    ],
)
def test_each_answer_is_judged(packed, tmp_path, answer, told):
    rule = f"def resolve(written, tree):\n    return {answer}\n"
    done = asked(packed, tmp_path, rule, "--kind", "links")

    assert told in done.stdout, done.stderr


def test_a_file_without_a_rule_is_an_error(packed, tmp_path):
    done = asked(packed, tmp_path, "")

    assert done.returncode == 2
    assert "has no function `resolve`" in done.stderr
