"""Every kind of answer an agent reads, to the letter."""

from __future__ import annotations

import re
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each

from truepath.guard import messages, texts
from truepath.guard.messages import (
    CAUSES,
    Surroundings,
    pattern,
    rules_for_agents,
    search_for,
)
from truepath.types import KEPT, NOT_SEARCHED, Candidate, Resolution, Searched

RENAMED = Candidate("docs/status.md", 0.99, "renamed", "renamed in 7cbc3c2")
STYLE = Candidate("web/style.css", 0.8, "near", "other extension")
ONLY = "the only one of its name"
OTHERS = tuple(
    Candidate(f"app/{name}/models.py", 0.2, "only-name", ONLY) for name in "abcde"
)
FAINT = tuple(Candidate(f"lib/{at}/models.py", 0.01, "near") for at in range(12))
NEAR = Surroundings("core", ["graph/", "reporting/", "__init__.py"], step="Read")
SEARCHED = Searched(names=8412, history=True)


def missing(
    written, status="ambiguous", operation="read", action="refuse", near=NEAR, **more
):
    """Return the answer to a missing path."""
    how = {name: more.pop(name) for name in ("guide", "tools") if name in more}
    more = {"target": written, "searched": SEARCHED, **more}
    return messages.missing(
        Resolution(written, status, operation, **more), action, near, **how
    )


def resolved(written, candidate, status="resolved", **more):
    found = {"path": candidate.path, "candidates": (candidate,), **more}
    return Resolution(written, status, "read", target=written, **found)


ANSWERS = [
    (
        messages.corrected(
            resolved("specs/status.md", RENAMED), "specs/status.md", RENAMED.path
        ),
        "OK: `docs/status.md` in place of `specs/status.md` (renamed in 7cbc3c2).",
    ),
    (
        messages.assumed(
            resolved("web/style.scss", STYLE, "likely", candidates=(STYLE,)),
            "web/style.scss",
            STYLE.path,
            Surroundings(),
        ),
        (
            "OK: `web/style.css`, the likely file for `web/style.scss` (other "
            "extension)."
        ),
    ),
    (
        messages.assumed(
            resolved(
                "src/status.md",
                RENAMED,
                "likely",
                candidates=(RENAMED, Candidate("x/status.md", 0.1, "", "same name")),
                note="deleted in 1a2b3c4",
            ),
            "src/status.md",
            "/r/docs/status.md",
            Surroundings(spell="/r/{}".format),
        ),
        (
            "OK: `/r/docs/status.md`, the likely file for `src/status.md` (deleted in "
            "1a2b3c4). Or: `/r/x/status.md`."
        ),
    ),
    (
        missing(
            "specs/status.md", "resolved", candidates=(RENAMED,), path=RENAMED.path
        ),
        (
            "PATH_NOT_FOUND: `specs/status.md` (renamed in 7cbc3c2).\n"
            "Next: Read `docs/status.md`"
        ),
    ),
    (
        missing("x/model.py", operation="edit", candidates=OTHERS[:1]),
        (
            "PATH_NOT_FOUND: `x/model.py`.\n"
            "Did you mean `app/a/models.py` (the only one of its name)?"
        ),
    ),
    (
        missing(
            "x/model.py",
            candidates=(Candidate("app/a/model.py", 0.9, "only-name", ONLY),),
        ),
        (
            "PATH_NOT_FOUND: `x/model.py` (only one has that name).\n"
            "Next: Read `app/a/model.py`"
        ),
    ),
    (
        missing("specs/status.md", candidates=(RENAMED,), cause="marked-wrong"),
        (
            "PATH_NOT_FOUND: `specs/status.md` (the user marked what looks like it as "
            "wrong).\nIn `core/`: `graph/`, `reporting/`, `__init__.py`\n"
            "Next: search; else ask the user for the path."
        ),
    ),
    (
        missing("specs/status.md", operation="delete", candidates=(RENAMED,)),
        (
            "PATH_NOT_FOUND: `specs/status.md`.\n"
            "Did you mean `docs/status.md` (renamed in 7cbc3c2)?"
        ),
    ),
    (
        missing("x/models.py", candidates=OTHERS[:2]),
        (
            "PATH_NOT_FOUND: `x/models.py`. Check which:\n"
            "`app/a/models.py`\n`app/b/models.py`"
        ),
    ),
    (
        missing("x/model.py", candidates=(Candidate("x/models", 0.9, folder=True),)),
        "PATH_NOT_FOUND: `x/model.py`.\nNext: use `x/models/`",
    ),
    (
        missing("x/model.py", candidates=(STYLE, *OTHERS)),
        (
            "PATH_NOT_FOUND: `x/model.py`. Check which:\n"
            "`web/style.css` (other extension)\n"
            "`app/a/models.py` (the only one of its name)\n"
            "`app/b/models.py` (the only one of its name)"
        ),
    ),
    (
        missing("x/models.py", candidates=FAINT),
        "PATH_NOT_FOUND: `x/models.py`. Check which:\n"
        + "\n".join(f"`lib/{at}/models.py`" for at in range(10)),
    ),
    (
        missing("core/spans.rb", "absent", tools=("glob", "grep_search")),
        (
            "PATH_NOT_FOUND: `core/spans.rb`. Nothing similar in 8,412 files, and "
            "git's history has no such name.\n"
            "In `core/`: `graph/`, `reporting/`, `__init__.py`\n"
            "Next: search (glob, grep_search); else ask the user for the path."
        ),
    ),
    (
        missing(
            "old.md",
            "absent",
            near=Surroundings("", ["b.md"], lambda _: "."),
            note="deleted in 1a2b",
        ),
        (
            "PATH_NOT_FOUND: `old.md` (deleted in 1a2b). Nothing similar in 8,412 "
            "files.\n"
            "In the project root: `b.md`\n"
            "Next: search; else ask the user for the path."
        ),
    ),
    (
        missing(
            "lib/x.py",
            "absent",
            near=Surroundings(),
            searched=Searched(0, cut_short=True),
        ),
        (
            "PATH_NOT_FOUND: `lib/x.py`. The search was cut short, so it may be "
            "elsewhere.\n"
            "Next: search; else ask the user for the path."
        ),
    ),
    (
        missing("core", "directory", cause="folder"),
        (
            "PATH_IS_NOT_A_FILE: `core` is a folder, not a file.\n"
            "In `core/`: `graph/`, `reporting/`, `__init__.py`"
        ),
    ),
    (
        missing("core/__init__.py", "directory", "list", cause="file"),
        "PATH_IS_NOT_A_FOLDER: `core/__init__.py` is a file, not a folder.",
    ),
    (
        missing(
            "dynamedx/codec.ts",
            operation="write",
            candidates=(Candidate("dynamedex/codec.ts", 0.9, "", "dynamedex/ exists"),),
            near=Surroundings(step="Write"),
        ),
        (
            "PATH_LOOKS_WRONG: `dynamedx/codec.ts` would be new (dynamedex/ exists). "
            "If it is meant, send the same call again.\n"
            "Next: Write `dynamedex/codec.ts`"
        ),
    ),
    (
        messages.other_checkout(
            Resolution(
                "/w/o/core/x.py",
                "outside",
                "edit",
                candidates=(Candidate("core/x.py", 1.0),),
            ),
            "/w/o",
            NEAR,
        ),
        (
            "PATH_IN_OTHER_CHECKOUT: `/w/o/core/x.py` is in another checkout of this "
            "repository, `/w/o`. In this project it is `core/x.py`."
        ),
    ),
    (
        messages.shift(count=2, same=True, tried=["a/x.ts"]),
        (
            "STRATEGY_SHIFT: 2 misses in a row for the same target, before this "
            "`a/x.ts`. "
            "Stop guessing."
        ),
    ),
    (
        messages.again(
            Resolution("core/x.rb", "absent", "read"), NEAR, 3, looked=False
        ),
        (
            "PATH_NOT_FOUND: `core/x.rb`: miss 3 in a row, nothing new.\n"
            "Next: list `core/`; else ask the user for the path."
        ),
    ),
    (
        messages.again(Resolution("x.rb", "absent", "read"), NEAR, 12, looked=True),
        (
            "PATH_NOT_FOUND: `x.rb`: miss 12 in a row, nothing new.\n"
            "Next: ask the user for the path."
        ),
    ),
]


def test_every_answer_to_the_letter():
    def check(row):
        told, expected = row
        assert told == expected

    check_each(ANSWERS, check, lambda row: row[1][:60])


def test_an_answer_is_known_as_one_when_it_comes_back_as_an_error():
    refused = [told for told, _ in ANSWERS if not told.startswith("OK: ")]

    assert all(messages.is_answer(f"Error: {told}") for told in refused)
    assert not messages.is_answer("cat: a.md: No such file or directory")


def test_what_was_not_searched_is_not_said_to_be_searched():
    for cause in NOT_SEARCHED - KEPT:
        told = missing(
            "a", "absent", near=Surroundings(), searched=Searched(), cause=cause
        )
        first, _, step = told.partition("\n")
        assert first == f"PATH_NOT_FOUND: `a` ({CAUSES[cause]})."
        # No search finds what is not made yet.
        is_found = cause not in ("not-made", "not-installed")
        assert step == "Next: search; else ask the user for the path." * is_found


@pytest.mark.parametrize(
    ("root", "git"), [("", "git"), ("/w/my app", "git -C '/w/my app'")]
)
@pytest.mark.parametrize(
    ("cause", "step"),
    [
        ("kept", "`GIT restore -- pkg/b/a.py` brings it back."),
        ("sparse", "`GIT sparse-checkout add pkg/b` brings it back."),
        ("conflict", "`GIT status` shows where the merge left it."),
    ],
)
def test_what_git_has_is_told_with_what_brings_it_back(root, git, cause, step):
    near = Surroundings(spell=lambda path: f"{root}{path}")
    told = missing("pkg/b/a.py", "absent", near=near, searched=Searched(), cause=cause)
    assert told == (
        f"PATH_NOT_FOUND: `pkg/b/a.py` ({CAUSES[cause]}).\n"
        f"Next: {step.replace('GIT', git)}"
    )


def test_of_several_missing_paths_the_order_to_search_is_given_once_and_last():
    told = messages.joined(
        [missing("a/spans.rb", "absent"), missing("b/spans.rb", "absent")]
    )

    assert told.count("Next: search") == 1
    assert told.endswith("ask the user for the path.")


def test_of_several_missing_paths_each_keeps_its_candidate():
    told = messages.joined(
        [
            missing("a/model.py", candidates=(RENAMED,)),
            missing("b/spans.rb", "absent"),
            missing("b/model.py", candidates=(STYLE,)),
        ]
    )

    assert "Next: Read `docs/status.md`" in told
    assert told.endswith("Next: Read `web/style.css`")


@given(st.lists(st.text(max_size=2500), min_size=1, max_size=9))
def test_a_joined_answer_begins_with_the_first_and_is_cut_between_texts(texts):
    told = messages.joined(texts)

    assert told.startswith(texts[0])
    assert len(told) <= max(1900, len(texts[0]))


def test_of_many_corrections_the_rest_is_counted():
    told = messages.joined(["x" * 300] * 9, counts=True)

    assert told.endswith("were replaced: 3.")
    assert "replaced" not in messages.joined(["x"], counts=True)


def test_a_reason_is_said_whole_and_of_the_path_that_it_is_about():
    found = (
        ("renamed in 7cbc3c2; another text is there since", "as it is"),
        ("the only one of its name", "only one has that name"),
        ("the project, not a program's copy", "in a program's copy"),
        ("further down", ""),
        ("same name", ""),
        ("written plainly", ""),
        ("from the project root", "as it is"),
    )
    for why, of_path in found:
        told = missing("a", candidates=(Candidate("b", 0.9, "near", why),))
        said = why if of_path == "as it is" else of_path
        brackets = f" ({said})" if said else ""
        assert told == f"PATH_NOT_FOUND: `a`{brackets}.\nNext: Read `b`"


def test_under_guide_a_list_stands_below_the_words_that_announce_it():
    told = missing("x/models.py", candidates=OTHERS[:2], guide=True)

    lines = told.split("\n")
    assert lines[0].endswith("Check which:")
    assert lines[1:3] == ["`app/a/models.py`", "`app/b/models.py`"]
    assert lines[3].startswith("Search before giving up")


def test_an_answer_is_short_and_ends_with_what_exists():
    told = [text for text, _ in ANSWERS if text.startswith("PATH_NOT_FOUND")]
    one = [text for text in told if "`\nNext: Read" in text or "?" in text[-1]]
    several = [text for text in told if "Check which" in text]

    assert max(map(len, one)) <= 120
    assert statistics.median(map(len, several)) <= 200


@given(st.text(max_size=400), st.text(max_size=400), st.text(max_size=400))
def test_a_hostile_name_neither_ends_its_line_nor_hides_anything(written, other, entry):
    found = (Candidate(other or "a", 0.2, "near", entry),)
    told = missing(
        written, candidates=found, near=Surroundings("", [entry or "b"]), note=other
    )

    assert len(told.split("\n")) == 2
    assert all(char == "\n" or char.isprintable() or char == " " for char in told)
    assert len(told) <= 1900


# guide


@pytest.mark.parametrize(
    ("target", "tools", "first"),
    [
        (
            "docs/a.md",
            ("glob", "ls"),
            ", with glob, ls: `**/docs/a.md`, then `**/a.md`.",
        ),
        ("x/docs/a.md", (), ": `**/docs/a.md`, then `**/a.md`."),
        ("a.md", (), ": `**/a.md`."),
    ],
)
def test_how_to_search_is_told_with_the_tools_that_are_there(target, tools, first):
    told = search_for(Resolution(target, "absent", "read", target=target), tools)

    assert told.startswith(f"Search before giving up{first}")
    assert told.endswith("Never skip a file that was referred to without saying so.")


def test_the_rules_explain_every_code():
    named = {**vars(messages), **vars(texts)}
    codes = [value for name, value in named.items() if name.isupper()]
    told = rules_for_agents()

    code_of = re.compile(r"(?:PATH|FILE|TEXT|EDIT)(?:_[A-Z]+){2,}")
    wanted = {code for code in map(str, codes) if code_of.fullmatch(code)}
    assert len(wanted) >= 10
    noted = {texts.CORRECTED, texts.ASSUMED, texts.READ_IN_PART}
    assert [code for code in noted if code in told] == []
    for code in wanted - noted:
        assert f"`{code}`" in told
    for words in (" in place of ", ", the likely file for ", "`OK: lines "):
        assert words in told
    for code in (messages.SHIFT, messages.UNSEEN):
        assert f"`{code}`" in told
    assert "search before giving up:" in told


@given(st.text(max_size=200))
def test_a_pattern_means_nothing_but_the_name(name):
    assert not {*pattern(name)} & {*"[]{}!'\"`$\\\n"}
    assert len(pattern(name)) <= 121
