"""The list of words, and the words of a project: what is one is no typo."""

from __future__ import annotations

import pathlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truepath
from truepath import Workspace
from truepath.project.names import Names
from truepath.resolve.folder_typos import find_slip
from truepath.resolve.typos import slipped, typo
from truepath.resolve.words import is_word, words_of

LIST = pathlib.Path(truepath.__file__).with_name("resolve") / "words.txt"
WORDS = LIST.read_text("ascii").split("\n")[:-1]


def test_the_list_is_plain_sorted_and_small():
    assert sorted(set(WORDS)) == WORDS
    assert all(re.fullmatch("[a-z]{3,14}", word) for word in WORDS)
    assert LIST.stat().st_size < 900_000
    assert "Kevin Atkinson" in LIST.with_suffix(".LICENSE").read_text("utf-8")


@pytest.mark.parametrize("word", [WORDS[0], WORDS[-1], "colour", "color", "john", "jon", "configs"])
def test_a_word_of_the_list_is_one_and_so_is_its_plural(word):
    assert is_word(word)


@pytest.mark.parametrize("word", ["", "s", "zzzzz", "aaaaa", "comunities", "setings", "\n", "été"])
def test_what_is_written_nowhere_is_none(word):
    assert not is_word(word)


@given(st.sampled_from(WORDS), st.sampled_from(WORDS))
def test_no_two_words_are_a_typo_of_one_another(one, other):
    assert typo(one, other, is_word) != "misspelt"


def one_letter_off(word):
    """Return how the words of the list are found that a slip would make of this one."""
    swapped = (word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1))
    dropped = (word[:at] + word[at + 1 :] for at in range(len(word)))
    doubled = (word[:at] + word[at] + word[at:] for at in range(len(word)))
    return [each for each in {*swapped, *dropped, *doubled} - {word} if is_word(each)]


NEAR = st.sampled_from(WORDS).map(lambda word: (word, one_letter_off(word)))


@given(NEAR, st.sampled_from(["read", "edit", "move"]))
def test_no_word_is_corrected_to_one_a_letter_off(pair, operation):
    word, near = pair
    for other in near:
        names = [f"src/{other}.py", f"{other}/notes.md", "README.md"]
        for written in (f"src/{word}.py", f"{word}/notes.md"):
            told = Workspace.from_names(names).resolve(written, operation)
            plural = {word, other} == {min(word, other, key=len) + end for end in ("", "s")}
            assert told.path is None or plural or not slipped(word, other), (word, other)
        assert not find_slip(f"{word}/a", lambda _, other=other: [other], last_is_folder=False)


PROJECT = Names(["src/cirs_frame.py", "lib/HTTPServer.ts", "lib/sqlxPool.ts", "Kubctl/a", "MQTTX"])


@pytest.mark.parametrize(
    ("word", "there"),
    [
        ("cirs", True),
        ("http", False),  # of capitals that run into another word
        ("server", True),
        ("sqlx", True),
        ("pool", True),
        ("kubctl", True),
        ("mqttx", True),
        ("irs", False),
        ("frames", False),
        ("kubctls", False),
    ],
)
def test_a_project_knows_the_words_of_its_own_names(word, there):
    assert PROJECT.has_word(word) is there


def test_a_word_of_the_project_is_no_typo_of_another_one():
    names = ["astro/icrs_transforms.py", "astro/cirs_frame.py"]
    asked = Workspace.from_names(names).resolve("astro/cirs_transforms.py")
    alone = Workspace.from_names(names[:1]).resolve("astro/cirs_transforms.py")

    assert asked.path is None
    assert asked.candidates[0].path == alone.candidates[0].path == names[0]
    assert "another-word" in asked.candidates[0].evidence
    assert "misspelt" in alone.candidates[0].evidence
    assert words_of(Names(names))("cirs")
