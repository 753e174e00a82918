from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
import trees
from hypothesis import HealthCheck, given, settings

from truepath.project.ignore import Rules
from truepath.project.walk import walk

IGNORES = [
    ("*.log", "a/b.log", "an ending, at any depth"),
    ("*.log", ".log", "an ending alone is a name too"),
    ("build", "a/build", "a plain name, at any depth"),
    ("/build", "build", "from the ignore file's folder on"),
    ("docs/_build", "docs/_build", "a slash inside ties it to the folder, too"),
    ("a/**/z", "a/z", "two stars are any number of folders, none included"),
    ("a/**/z", "a/b/c/z", "two stars are any number of folders"),
    ("**/z", "b/c/z", "two stars at the start"),
    ("a/**", "a/b/c", "two stars at the end"),
    ("a**b", "axxb", "two stars inside a name are one"),
    ("[a-c]?.txt", "bx.txt", "a range and any letter"),
    ("[!a]", "b", "not in the set"),
    ("[^a]", "b", "not in the set, as others write it"),
    ("[]a]", "]", "a bracket first in a set stands for itself"),
    ("[[a]", "[", "a bracket in a set stands for itself"),
    ("\\#x", "#x", "a comment sign taken literally"),
    ("\\!x", "!x", "a negation taken literally"),
    ("x\\ ", "x ", "a space at the end that is meant"),
    ("x   ", "x", "spaces at the end that are not"),
    ("x\r", "x", "a line that ends as on Windows"),
    ("a.log\n!*.log\n*.log", "a.log", "the last that matches decides"),
    ("a\\\n[\nx", "x", "lines that mean nothing do not spoil the others"),
    ("*\n!*/\n!*.py", "a.log", "folders are taken back for the sake of what is in them"),
    ("report.[0-9]*.[0-9]*.[0-9]*.[0-9]*.json", "report.1.2.3.4.json", "many stars"),
    ("caf\udce9", "caf\udce9", "a name that is not UTF-8"),
]
LEAVES_ALONE = [
    ("*.log", "a.log.txt", "another ending"),
    ("/build", "a/build", "tied to the ignore file's folder"),
    ("build/", "build", "only a folder is meant"),
    ("a*b", "a/b", "a star is not a slash"),
    ("a**b", "a/b", "two stars inside a name are not, either"),
    ("a?b", "a/b", "nor is a question mark"),
    ("[a", "[a", "an open bracket matches nothing"),
    ("a\\", "a\\", "nor a lone backslash at the end"),
    ("#x", "#x", "a comment"),
    ("", "x", "an empty line"),
    ("/", "x", "a lone slash"),
    ("!", "!", "a lone negation"),
    ("*.log\n!a.log", "a.log", "taken back"),
    ("*\n!*/\n!*.py", "b.py", "taken back by its ending"),
    ("Build", "build", "case counts"),
]
READ_OTHERWISE = [
    ("[[:digit:]]", "7", "classes of letters"),
    ("[[:digit:]]", ":]", "classes of letters"),
    ("[\\]]", "]", "a backslash in brackets"),
    ("a/[b/c]", "a/b", "a slash in brackets"),
    ("?", "é", "one letter that is two bytes"),
    ("x\t", "x", "a tab at the end of a line"),
    ("x\\  ", "x ", "spaces after one that is meant"),
    ("[az-b]", "a", "a range that runs backwards"),
    ("a", "a\n", "a line break in a name"),
    ("a/***/b", "a/b", "three stars between slashes"),
    ("*.x*.x*.x*.x*.x", "1.x2.x3.x4", "more stars than may be gone back on"),
    ("*\n!*.x*.x*.x*.x*.x", "1.x2.x3.x4.x5.x", "as many, to take back"),
]
"""What git and the library read differently, with a path on which they disagree."""


@pytest.fixture
def git_ignores(make_repo, git):
    """Return whether git ignores a file of this path by rules of this text."""

    def asked(text, path):
        repo = make_repo({path: ""}, commit=False)
        (repo / ".git" / "info").mkdir()
        (repo / ".git" / "info" / "exclude").write_bytes(os.fsencode(text))
        others = git(repo, "ls-files", "-z", "-o", "--exclude-standard").split("\0")
        return path not in others

    return asked


@pytest.mark.parametrize(("text", "path", "reason"), IGNORES)
def test_a_pattern_ignores_what_git_ignores(text, path, reason):
    assert Rules(text).verdict(path, folder=False) is True, reason


@pytest.mark.parametrize(("text", "path", "reason"), LEAVES_ALONE)
def test_a_pattern_leaves_alone_what_git_leaves_alone(text, path, reason):
    assert not Rules(text).verdict(path, folder=False), reason


@pytest.mark.parametrize(
    ("text", "path", "ignored"),
    [(case[0], case[1], True) for case in IGNORES]
    + [(case[0], case[1], False) for case in LEAVES_ALONE],
)
def test_the_tables_are_what_git_says(git_ignores, text, path, ignored):
    assert git_ignores(text, path) == ignored


@pytest.mark.parametrize(("text", "path", "reason"), READ_OTHERWISE)
def test_what_is_said_to_be_read_otherwise_than_by_git_is(git_ignores, text, path, reason):
    assert git_ignores(text, path) != bool(Rules(text).verdict(path, folder=False)), reason


def test_a_folder_pattern_ignores_folders_only():
    rules = Rules("build/")
    assert rules.verdict("a/build", folder=True) is True
    assert rules.verdict("a/build", folder=False) is None


def test_a_folder_taken_back_is_not_ignored_by_a_star():
    assert Rules("*\n!*/").verdict("src", folder=True) is False
    assert Rules("*\n!src/").verdict("src", folder=True) is False
    assert Rules("*\n!src/").verdict("src/a", folder=False) is True


def test_taken_back_is_told_from_not_named():
    assert Rules("*\n!keep").verdict("keep", folder=False) is False
    assert Rules("x").verdict("keep", folder=False) is None


@pytest.mark.parametrize("text", ["", "\n\n", "# a comment\n\n", "/\n!\n", " \t\r\n"])
def test_a_file_without_patterns_has_no_rules(text):
    assert not Rules(text)


def test_the_library_is_not_loaded_before_a_path_is_judged():
    script = (
        "import sys; from truepath.project.ignore import Rules\n"
        "rules = Rules('*.log'); bool(rules);"
        "print('pathspec' in sys.modules); rules.verdict('a', folder=False);"
        "print('pathspec' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    assert done.stdout.split() == [b"False", b"True"]


@pytest.mark.parametrize(
    "glob",
    [
        *("*a" * 30 + "b", "/" + "**/*a*a*/" * 8 + "b", "*[ab]" * 12 + "c", "*" * 99 + "b"),
        *("**/a" * 99 + "/b", "*a*a*ab", "**/a/**/b", "a/**/a/**/b", "*a*/" * 9 + "b"),
    ],
)
@pytest.mark.parametrize("path", ["a" * 255, "/".join(["a" * 30] * 60), "/".join("a" * 1000)])
def test_a_hostile_pattern_cannot_take_long(glob, path):
    before = time.process_time()
    Rules(glob).verdict(path, folder=False)
    Rules(glob).verdict(path, folder=True)
    assert time.process_time() - before < 1  # gone back on at every star, it takes years


FEW = settings(max_examples=60, deadline=None, suppress_health_check=[*HealthCheck])


def _others(git, repo):
    return set(git(repo, "ls-files", "-z", "-o", "--exclude-standard").split("\0")[:-1])


@FEW
@given(tree=trees.trees(ignoring=True, plain=True, taking_back=False))
def test_a_walk_finds_what_git_finds(make_repo, git, tree):
    repo = make_repo(trees.flat(tree), commit=False)
    assert set(walk(str(repo)).paths) == _others(git, repo)


@FEW
@given(tree=trees.trees(ignoring=True, plain=True))
def test_a_walk_misses_nothing_that_git_finds(make_repo, git, tree):
    repo = make_repo(trees.flat(tree), commit=False)
    assert set(walk(str(repo)).paths) >= _others(git, repo)
