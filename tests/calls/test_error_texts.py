"""Error texts: the missing path, whether one is missing at all, and whether the host
has helped.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read
from shapes import GONE, shapes, told
from work import lines_run

from truepath.calls import error_texts, missing_words
from truepath.calls.error_texts import (
    MOST_PATHS,
    already_suggested,
    is_missing,
    missing_paths,
    unmet_conditions,
    word_of,
)


def test_the_corpus_of_error_texts_is_read_right():
    def check(case):
        text = case["text"]
        assert list(missing_paths(text)) == case["missing"]
        assert is_missing(text) is case["is_missing"]
        assert already_suggested(text) is case["suggested"]

    check_each(read("corpus/failures"), check, lambda case: case["source"])


def first_that_fits(text):
    (line,) = error_texts._lines(text)
    patterns = (shape.pattern for shape in shapes())
    return next(each for each in patterns if error_texts._compiled(each).search(line))


def test_each_shape_reads_what_stands_below_it_and_nothing_else():
    def check(shape):
        assert shape.must, "what it must read stands below it"
        assert shape.must_not, "and what it must not"
        for text in shape.must:
            assert missing_paths(text) == (GONE.search(text)[0],), text
            assert first_that_fits(text) == shape.pattern, text
            assert is_missing(text), text
        for text in shape.must_not:
            assert missing_paths(text) == (), text

    check_each(shapes(), check, lambda shape: shape.pattern)


def test_each_unmet_text_is_read_by_the_pattern_above_it_alone():
    rows = shapes("unmet_texts")

    def check(row):
        about = row.pattern.partition(" ")[0]
        assert row.must, "what it must read stands below it"
        assert row.must_not, "and what it must not"
        for text in row.must:
            patterns = (each.pattern.partition(" ") for each in rows)
            found = [
                f"{kind} {pattern}"
                for kind, _, pattern in patterns
                if kind == about and re.search(pattern, text.lower())
            ]
            assert found == [row.pattern], text
        for text in row.must_not:
            assert about not in unmet_conditions(text), text

    check_each(rows, check, lambda row: row.pattern)


def test_each_english_word_is_one_of_a_shape():
    texts = "\n".join(told()).lower()
    unused = [word for word in missing_words._IN_ENGLISH if word not in texts]
    assert not unused, "no shape needs them"


OTHERS = [
    "user not found: bob", "table not found: users", "package not found: serde",
    "profile not found: prod", "Tool not found: f.g", "Device not found: emulator-5554",
    "zsh:1: command not found: jest", "key not found: a.b", "host not found: db.local",
    "Error: column not found: a/b", "Region not found: eu/west", "tag not found: v1.x",
    "error: path '--fix' does not exist", "error: file not found: --config=a.json",
    "fatal: repository 'https://example.org/a.git' not found", "module not found: a.b",
    'error: Module not found "https://example.org/a.ts"', "Branch not found: a/b.c",
]  # fmt: skip


@pytest.mark.parametrize("text", OTHERS)
def test_what_is_not_said_to_be_a_path_is_none(text):
    assert missing_paths(text) == ()


# What a call has, what an error names, and what of the call that is; the call ran in
# the folder `/p`.
WORDS = [
    ("frob a/b.md", "a/b.md", "a/b.md"),
    ("frob --config=a/b.md", "a/b.md", "a/b.md"),
    ("frob -d @a/b.md", "a/b.md", "a/b.md"),
    ("frob ./a/b.md", "/p/a/b.md", "./a/b.md"),
    ("frob a/b.md", "file:///p/a/b.md", "a/b.md"),
    ("frob a/b.md", "/private/p/a/b.md", "a/b.md"),
    ("frob a/b.md::test_c", "a/b.md::test_c", "a/b.md"),
    ("frob ./a/...", "./a/", "./a"),
    ("frob -f a/b/c.md", "/p/a", "a/b/c.md"),  # the first folder that is missing
    ("cd a && frob b.md", "/p/a/b.md", "/p/a/b.md"),
    ("frob a\\b.md", "a/b.md", "a\\b.md"),
    ("frob 'a/b c.md'", "a/b c.md", "a/b c.md"),
    ("frob a/{b,c}.md", "a/c.md", "a/c.md"),
    ("frob {a,b}/c.md", "/p/b/c.md", "b/c.md"),
    ("frob a/{b,c}.md", "a/d.md", ""),
    ("make", "cfg/x.json", ""),
    ("cargo test", "libfoo-2.35", ""),
    ("CC=cc make", "cc", ""),
    ("frob a/b.md.bak", "a/b.md", ""),
    ("frob xa/b.md", "a/b.md", ""),
    ("frob x/a/b.md", "a/b.md", ""),
    ("frob b.md", "/usr/lib/b.md", ""),
    ("frob b.md", "/p/lib/b.md", ""),
    ("frob", "", ""),
]


@pytest.mark.parametrize(("text", "path", "word"), WORDS)
def test_an_error_is_about_a_word_of_the_call(text, path, word):
    assert word_of(path, text, "/p") == word


# Each is run for real, where it is installed, on a path that does not exist.
COMMANDS = [
    "cat P", "head P", "tail P", "ls P", "cd P", "grep x P", "rg x P", "wc P",
    "sed -n 1p P",
    "awk '{print}' P", "diff P .", "sort P", "cp P x", "mv P x", "rm P", "rmdir P",
    "touch P/x",
    "mkdir P/x", "ln P x", "chmod +x P", "find P", "du P", "stat P", "bash P",
    "source P", ". P",
    "python3 P", "node ./P", "perl P", "git add P", "git rm P", "git -C P status",
    "tar xf P",
    "unzip P", "echo > P/x", "cat < P", "./P", "make -C P", "tee P/x </dev/null",
    "nl P", "cut -f1 P", "jq . P", "cmp P .", "xargs -a P", "timeout 1 ./P",
    "nohup ./P", "env ./P", "md5sum P", "tar xzf P", "sqlite3 P/x .tables",
    "curl -T P file:///x", "mvn -q -f P test", "make -f P", "ruby P",
    "node --test P", "cmake P", "php P",
]  # fmt: skip


NOT_IN_DASH = ("source P", "dash")
PACKAGES = {"awk": "mawk", "cmp": "diffutils", "diff": "diffutils", "find": "findutils"}
PACKAGES |= {"mvn": "maven", "php": "php-cli"}
PACKAGES |= {"node": "nodejs", "rg": "ripgrep", "xargs": "findutils"}
"""Of those commands that are no package's name, what Debian calls their package."""


@pytest.mark.parametrize(
    ("command", "shell"),
    [
        (one, shell)
        for one in COMMANDS
        for shell in ("bash", "dash")
        if (one, shell) != NOT_IN_DASH
    ],
)
def test_real_programs_are_understood(command, shell, tmp_path):
    program = command.split(maxsplit=1)[0]
    builtin = program in ("cd", "source", ".", "echo", "./P")
    for needed in (shell, *(() if builtin else (program,))):
        if shutil.which(needed) is None:
            pytest.skip(
                f"no {needed} here: apt-get install {PACKAGES.get(needed, needed)}"
            )
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


LANGUAGES = ("de", "es", "fr", "it", "ja", "ko", "pt_BR", "ru", "zh_CN", "zh_TW")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "command", ["cat P", "ls P", "cd P", "rm P", "git add P", "sed 1p P", "tar xzf P"]
)
def test_real_programs_are_understood_in_other_languages(command, language, tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    run = subprocess.run(
        ["bash", "-c", command.replace("P", "src/gone.py")],
        cwd=tmp_path,
        env={**os.environ, "LC_ALL": "C.UTF-8", "LANGUAGE": language},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if "No such file" in run.stderr:
        pytest.skip("not here: translations (apt-get install locales)")
    assert missing_paths(run.stderr) == ("src/gone.py",), run.stderr


def test_the_number_of_paths_is_bounded():
    text = "".join(f"cat: f{at}: No such file or directory\n" for at in range(500))
    assert len(missing_paths(text)) == MOST_PATHS


HOSTILE = [
    "cannot open " + "a " * 50_000,
    ("x: " * 300 + "no such thing\n") * 50,
    ("cat: " + "a" * 900 + ": no such thing\n") * 50,
    "not found\n" * 20_000,
    ("failed to " + "a " * 900 + "could not\n") * 50,
    "spawn ENOENT " * 100_000,
    "\x1b[" * 500_000,
    "MSB1009: " * 10_000,
    ("no match: " + "a/" * 450 + "\n") * 50,
    ("could not open " * 60 + "\n") * 50,
]


@pytest.mark.parametrize("at", range(len(HOSTILE)))
def test_hostile_texts_cost_little(at):
    def reading():
        missing_paths(HOSTILE[at])
        is_missing(HOSTILE[at])

    assert lines_run(reading) <= 20 * len(HOSTILE[at])


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_crash(text):
    assert all(missing_paths(text))
    assert is_missing(text) or not missing_paths(text)
    already_suggested(text)


NAMES = st.text(
    st.characters(codec="ascii", categories=["L", "N"], include_characters="._-/ "),
    min_size=1,
    max_size=30,
).filter(
    lambda name: name == name.strip() and not name.endswith(".") and name[0] not in "-."
)


@given(NAMES)
def test_any_plain_name_is_read_back(name):
    assert missing_paths(f"cat: '{name}': No such file or directory") == (name,)
    assert missing_paths(f"rm: cannot remove '{name}': No such file or directory") == (
        name,
    )
    assert missing_paths(f"ENOENT: no such file or directory, open '{name}'") == (name,)
    assert missing_paths(f"grep: {name}: No such file or directory") == (name,)
