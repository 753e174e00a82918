from __future__ import annotations

import string
import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rows import check_each

from truepath.paths import LONGEST, Flavour
from truepath.resolve.readings import MOST, spellings

HOME = "/home/me"
WINDOWS_HOME = "C:\\Users\\me"


def _texts(written: str, flavour: Flavour = "posix", home: str | None = HOME) -> list[str]:
    return [reading.text for reading in spellings(written, flavour=flavour, home=home)]


# What is written, what it must also be read as, and by which steps.
UNDOES = [
    # quotes and backticks
    ('"src/a.py"', "src/a.py", "quotes"),
    ("'src/a.py'", "src/a.py", "quotes"),
    ("\u201csrc/a.py\u201d", "src/a.py", "quotes"),
    ("\u2018src/a.py\u2019", "src/a.py", "quotes"),
    ("\u00absrc/a.py\u00bb", "src/a.py", "quotes"),
    ("\u300csrc/a.py\u300d", "src/a.py", "quotes"),
    ('\\"src/a.py\\"', "src/a.py", "quotes"),
    ('"src/a.py', "src/a.py", "quotes"),
    ("src/a.py'", "src/a.py", "quotes"),
    ('"src/"', "src/", "quotes"),
    ('"my notes/a b.md"', "my notes/a b.md", "quotes"),
    ("`src/a.py`", "src/a.py", "backticks"),
    ("```src/a.py```", "src/a.py", "backticks"),
    ("`src/a.py", "src/a.py", "backticks"),
    ("`src/`", "src/", "backticks"),
    ("**src/a.py**", "src/a.py", "bold"),
    ("<src/a.py>", "src/a.py", "angle_brackets"),
    ("src/a.py</path>", "src/a.py", "tag"),
    ("<file_path>src/a.py</file_path>", "src/a.py", "tag"),
    # links and URLs
    ("[the file](src/a.py)", "src/a.py", "markdown_link"),
    ('{"file_path": "src/a.py"}', "src/a.py", "json"),
    ('["src/a.py"]', "src/a.py", "json"),
    ("[`a`](src/a.py 'A title')", "src/a.py", "markdown_link"),
    ("![shot](img/a.png)", "img/a.png", "markdown_link"),
    ("[app/[id]/page.tsx](app/[id]/page.tsx)", "app/[id]/page.tsx", "markdown_link"),
    ("[src/a.py](https://host.example/blob/main/src/a.py)", "src/a.py", "markdown_link"),
    ("file:///home/me/a.py", "/home/me/a.py", "file_url"),
    ("file:///home/me/a%20b.py", "/home/me/a b.py", "file_url"),
    ("file:///home/me/caf%C3%A9.md", "/home/me/caf\u00e9.md", "file_url"),
    ("file://localhost/home/me/a.py", "/home/me/a.py", "file_url"),
    ("file:/home/me/a.py", "/home/me/a.py", "file_url"),
    ("file://src/a.py", "src/a.py", "file_url"),
    ("FILE:///home/me/", "/home/me/", "file_url"),
    # mentions and prefixes
    ("HEAD:src/a.py", "src/a.py", "revision"),
    ("@src/a.py", "src/a.py", "at_sign"),
    ("@/home/me/a.py", "/home/me/a.py", "at_sign"),
    ("@/components/a.tsx", "components/a.tsx", "at_sign"),
    ("@file:src/a.py", "src/a.py", "at_sign"),
    ("#file:src/a.py", "src/a.py", "at_sign"),
    (":src/a.py", "src/a.py", "leading_colon"),
    ("a/src/x.py", "src/x.py", "diff_prefix"),
    ("b/src/x.py", "src/x.py", "diff_prefix"),
    ("+++ b/src/x.py", "src/x.py", "diff_prefix"),
    ("w/src/x.py", "src/x.py", "diff_prefix"),
    # places in a file
    ("src/a.py:12", "src/a.py", "line_number"),
    ("src/a.py:12:5", "src/a.py", "line_number"),
    ("src/a.py:12-20", "src/a.py", "line_number"),
    ("src/a.py:L12-L20", "src/a.py", "line_number"),
    ("src/a.py:12:    return x", "src/a.py", "line_number"),
    ("src/a.py:12:5: E501 line too long", "src/a.py", "line_number"),
    ("Makefile:3", "Makefile", "line_number"),
    ("keys/id_ed25519:1", "keys/id_ed25519", "line_number"),
    ("a.2:12", "a.2", "line_number"),
    ("Makefile:12:30", "Makefile", "line_number"),
    ("src/a.ts(12,5)", "src/a.ts", "line_number"),
    ("src/a.ts(12,5): error TS2304: no", "src/a.ts", "line_number"),
    ("src/a.cpp(12)", "src/a.cpp", "line_number"),
    ("src/a.py line 12", "src/a.py", "line_number"),
    ("src/a.py, lines 3-9", "src/a.py", "line_number"),
    ("src/a.py#L3", "src/a.py", "fragment"),
    ("src/a.py#L3-L9", "src/a.py", "fragment"),
    ("src/a.py#L3C1-L9C2", "src/a.py", "fragment"),
    ("docs/a.md?plain=1#L3", "docs/a.md", "fragment"),
    ("docs/a.md#usage", "docs/a.md", "fragment"),
    ("img/a.svg?url", "img/a.svg", "fragment"),
    ("tests/test_a.py::TestA::test_b", "tests/test_a.py", "node_id"),
    ("tests/test_a.py::test_b[x/y]", "tests/test_a.py", "node_id"),
    ("app/main.py:create_app", "app/main.py", "symbol"),
    # backslashes
    ("src\\main\\a.py", "src/main/a.py", "backslashes"),
    ("src\\\\main\\\\a.py", "src/main/a.py", "backslashes"),
    (".\\src\\a.py", "./src/a.py", "backslashes"),
    ("src\\main\\", "src/main/", "backslashes"),
    ("Source\\_Photos", "Source_Photos", "markdown_escape"),
    ("docs/a\\-b\\.md", "docs/a-b.md", "markdown_escape"),
    ("app/\\[id\\]/page.tsx", "app/[id]/page.tsx", "markdown_escape"),
    ("My\\ Documents/a.md", "My Documents/a.md", "shell_escape"),
    ("a\\&b\\'c.md", "a&b'c.md", "shell_escape"),
    ("src\\_private\\a.py", "src/_private/a.py", "backslashes"),
    ("docs/\\346\\265\\213.md", "docs/\u6d4b.md", "octal_escape"),
    # percent and variables
    ("docs/a%20b.md", "docs/a b.md", "percent"),
    ("docs/%E6%B5%8B.md", "docs/\u6d4b.md", "percent"),
    ("app/%5Bid%5D/page.tsx", "app/[id]/page.tsx", "percent"),
    ("~", "/home/me", "home"),
    ("~/", "/home/me/", "home"),
    ("~/src/a.py", "/home/me/src/a.py", "home"),
    ("$HOME/a.py", "/home/me/a.py", "home"),
    ("${HOME}/a.py", "/home/me/a.py", "home"),
    ("$PWD/src/a.py", "src/a.py", "working_folder"),
    ("$(pwd)/", "./", "working_folder"),
    ("${workspaceFolder}/src/a.py", "src/a.py", "working_folder"),
    ("$CLAUDE_PROJECT_DIR", ".", "working_folder"),
    ("/c/Users/me/a.py", "/mnt/c/Users/me/a.py", "drive"),
    ("C:/Users/me/a.py", "/mnt/c/Users/me/a.py", "drive"),
    # white space and what cannot be seen
    (" src/a.py", "src/a.py", "spaces"),
    ("src/a.py\u00a0", "src/a.py", "spaces"),
    ("src/a.py\n", "src/a.py", "trailing_newline"),
    ("\nsrc/a.py\r\n", "src/a.py", "trailing_newline"),
    ("src/\n", "src/", "trailing_newline"),
    ("src/a.py\\n", "src/a.py", "trailing_newline"),
    ("C:\temp\new", "C:/temp/new", "eaten_escape"),
    ("\ufeffsrc/a.py", "src/a.py", "invisible"),
    ("src/\u200ba.py", "src/a.py", "invisible"),
    ("src/a.py\0", "src/a.py", "invisible"),
    ("\x1b[35msrc/a.py\x1b[0m", "src/a.py", "invisible"),
    # look-alike characters
    ("my\u00a0notes.md", "my notes.md", "unicode_spaces"),
    ("at 1.00.00\u202fPM.png", "at 1.00.00 PM.png", "unicode_spaces"),
    ("\u65e5\u8a18\u3000a b.md", "\u65e5\u8a18 a b.md", "unicode_spaces"),
    ("don\u2019t.md", "don't.md", "curly_quotes"),
    ("a\u2011b.md", "a-b.md", "curly_quotes"),
    ("cafe\u0301.md", "caf\u00e9.md", "nfc"),
    ("caf\u00e9.md", "cafe\u0301.md", "nfd"),
    (
        "3 \u6708 2 \u65e5\u6d4b\u8bd5.md",
        "3\u67082\u65e5\u6d4b\u8bd5.md",
        "cjk_spaces",
    ),
    ("DNF \u79c1\u670d/a b.md", "DNF\u79c1\u670d/a b.md", "cjk_spaces"),
    # the end of a sentence
    ("src/a.py,", "src/a.py", "punctuation"),
    ("src/a.py (lines 10-20)", "src/a.py", "line_number"),
    ("src/a.py (line 10)", "src/a.py", "line_number"),
    ("src/a.py.", "src/a.py", "punctuation"),
    ("src/a.py;", "src/a.py", "punctuation"),
    ("src/a.py)", "src/a.py", "punctuation"),
    ("src/a.py:", "src/a.py", "punctuation"),
    ("src/,", "src/", "punctuation"),
    ("src/a.py\u3002", "src/a.py", "punctuation"),
]

COMBINED = [
    ("`src/a.py:12`", "src/a.py"),
    ("`src/a.py`:12", "src/a.py"),
    ('"@src/a.py"', "src/a.py"),
    ('@"my notes/a.md"', "my notes/a.md"),
    ("@src/a.py#L3-L9", "src/a.py"),
    ("`a/src/x.py`", "src/x.py"),
    ("'~/a.py'", "/home/me/a.py"),
    ('"$HOME/a b.py"', "/home/me/a b.py"),
    ("[a](file:///home/me/a%20b.py)", "/home/me/a b.py"),
    ("[a](<my notes/a.md>)", "my notes/a.md"),
    ("[a](src/a.py#L3)", "src/a.py"),
    ("My\\\\ Notes/a.md:3", "My Notes/a.md"),
    ("`src/a.py`.", "src/a.py"),
    ("src/a.py).", "src/a.py"),
    ('File "src/a.py", line 12, in f', "src/a.py"),
    (" `src/a.py` \n", "src/a.py"),
    ("`src\\main\\a.py:3`", "src/main/a.py"),
    ("`@a/src\\x%20y.py:12`,", "src/x y.py"),
    ("file:///home/me/a.py#L3", "/home/me/a.py"),
    ("\u201cdon\u2019t.md\u201d.", "don\u2019t.md"),
    ("\u201cdon\u2019t.md\u201d.", "don't.md"),
    ("b/tests/test_a.py::test_b", "tests/test_a.py"),
    ("C:\\\\Users\\\\me\\\\a.py", "/mnt/c/Users/me/a.py"),
    ("`3 \u6708\u00a02 \u65e5.md`", "3\u67082\u65e5.md"),
    ('"docs/cafe\u0301.md":7', "docs/caf\u00e9.md"),
]

# Paths that are fine as they are: one reading, the written one.
LEAVES_ALONE = [
    ("src/a.py", "a clean path"),
    ("/home/me/src/a.py", "an absolute one"),
    ("src/", "a folder"),
    ("/", "the root"),
    (".", "the working folder"),
    ("..", "dots are no full stop"),
    ("../..", "nor here"),
    ("src/.", "nor after a slash"),
    ("notes...", "nor a row of them"),
    ("./src/a.py", "relative to here is the business of path rules"),
    (".gitignore", "a hidden file"),
    ("src/__init__.py", "underscores are not bold"),
    ("my notes/a b.md", "spaces inside"),
    ("app/(group)/page.tsx", "a route group"),
    ("app/[id]/page.tsx", "a route parameter"),
    ("app/(group)", "a bracket that has its partner"),
    ("[id]", "no link"),
    ("(group)", "no remark"),
    ("Copy (1)", "no line number"),
    ("Copy (1).txt", "nor here"),
    ("node_modules/@scope/x", "an at sign inside"),
    ("user@host.example", "nor a mention in the middle"),
    ("C#/a.cs", "a hash that is no fragment"),
    (".#a.py", "a lock of Emacs"),
    ("100%/a.md", "a percent sign alone"),
    ("a%zz", "no code"),
    ("a%00b", "never a NUL"),
    ("logs/at-12:30", "a time of day"),
    ("C:12", "a drive"),
    ("c++/a.cc", "plus signs"),
    ("**/a.py", "a glob"),
    ("**/src/**", "a glob at both ends"),
    ("src/*.py", "a glob"),
    ("src/{a,b}.py", "braces"),
    ("a//home/x", "no side of a diff"),
    ("aa/b.py", "nor a longer name"),
    ("don't.md", "one apostrophe inside"),
    ("a<b.txt", "a lone angle"),
    ("$HOMER/x", "another variable"),
    ("~user/x", "another home"),
    ("$OUT/a.py", "a variable nobody knows"),
    ("\u6587\u6863/\u6d4b\u8bd5.md", "CJK without spaces"),
    ("emoji \U0001f600.md", "no other form"),
    ("x=1/y=2", "partitions of a table"),
    ("::", "nothing left"),
    ("@", "nothing left"),
    ("`", "nothing left"),
    ('""', "nothing left"),
    ("\\", "never the root out of a backslash"),
    ("@/", "nor out of an alias"),
    ("   ", "nothing left"),
    ("", "nothing at all"),
]

WINDOWS_UNDOES = [
    ('"C:\\x y\\a.py"', "C:\\x y\\a.py"),
    ("C:\\x\\a.py:12:5", "C:\\x\\a.py"),
    ("C:\\\\x\\\\a.py", "C:\\x\\a.py"),
    ("\\\\\\\\server\\\\share\\\\a", "\\\\server\\share\\a"),
    ("file:///C:/x/a.py", "C:/x/a.py"),
    ("file:///c%3A/x/a%20b.py", "c:/x/a b.py"),
    ("file://server/share/a.py", "//server/share/a.py"),
    ("~\\a.py", "C:\\Users\\me\\a.py"),
    ("%USERPROFILE%\\a.py", "C:\\Users\\me\\a.py"),
    ("$env:USERPROFILE\\a.py", "C:\\Users\\me\\a.py"),
    ("C:\\x\\Source\\_Photos", "C:\\x\\Source_Photos"),
    ("C:\temp\new", "C:/temp/new"),
    ("`C:\\x\\`", "C:\\x\\"),
]

WINDOWS_LEAVES_ALONE = [
    ("C:\\Users\\me\\a.py", "backslashes are its own"),
    ("\\\\server\\share\\a", "a share"),
    ("\\\\?\\C:\\x", "a long path"),
    ("C:/Users/me/a.py", "slashes are too"),
    ("/c/Users/me", "its path rules know msys"),
    ("C:\\", "a drive's root"),
    ("C:\\x\\.git\\config", "a hidden folder, no escaped dot"),
    ("C:\\x\\(group)\\-a", "nor an escaped bracket or dash"),
    ("C:x", "below a drive's own folder"),
]


def test_a_decoration_is_undone_by_its_name() -> None:
    def check(row: tuple[str, str, str]) -> None:
        written, meant, step = row
        readings = {each.text: each.undone for each in spellings(written, home=HOME)}
        assert readings.get(meant) == (step,)

    check_each(UNDOES, check)


@pytest.mark.parametrize(("written", "meant"), COMBINED)
def test_decorations_on_decorations_are_undone(written: str, meant: str) -> None:
    assert meant in _texts(written)


@pytest.mark.parametrize(("written", "reason"), LEAVES_ALONE)
def test_a_path_that_only_looks_decorated_is_left_alone(written: str, reason: str) -> None:
    assert _texts(written) == [written], reason


@pytest.mark.parametrize(("written", "meant"), WINDOWS_UNDOES)
def test_windows_decorations_are_undone(written: str, meant: str) -> None:
    assert meant in _texts(written, "windows", WINDOWS_HOME)


@pytest.mark.parametrize(("written", "reason"), WINDOWS_LEAVES_ALONE)
def test_windows_paths_are_left_alone_on_windows(written: str, reason: str) -> None:
    assert _texts(written, "windows", WINDOWS_HOME) == [written], reason


@pytest.mark.parametrize(
    ("written", "first", "then"),
    [
        # An escape when every backslash can be one, a separator as soon as one cannot.
        ("Source\\_Photos", "Source_Photos", "Source/_Photos"),
        ("src\\_a\\b.py", "src/_a/b.py", "src_a\\b.py"),
        # The link's target before its label.
        ("[a.py](src/a.py)", "src/a.py", "a.py"),
        # A mention of an absolute path before an alias.
        ("@/src/a.py", "/src/a.py", "src/a.py"),
        # A line number before a guess at a diff.
        ("a/x.py:3", "a/x.py", "x.py"),
        # Quotes before what stands inside them.
        ('"@scope/x"', "@scope/x", "scope/x"),
        # The full stop is part of the name until nothing else helps.
        ("@src/a.py.", "src/a.py.", "src/a.py"),
        ("my\u00a0notes.md.", "my notes.md.", "my notes.md"),
    ],
)
def test_the_likelier_meaning_comes_first(written: str, first: str, then: str) -> None:
    texts = _texts(written)
    assert texts.index(first) < texts.index(then)


def test_a_home_that_is_not_known_is_not_invented() -> None:
    assert _texts("~/a.py", home=None) == ["~/a.py"]


def test_the_root_as_home_keeps_one_slash() -> None:
    assert _texts("~/a.py", home="/")[1] == "/a.py"
    assert _texts("~", home="/")[1] == "/"


def test_macos_is_no_wsl() -> None:
    assert _texts("C:/x/a.py", "macos") == ["C:/x/a.py"]


def test_folders_named_by_numbers_are_no_octal_bytes() -> None:
    assert _texts("data\\200\\300") == ["data\\200\\300", "data/200/300"]


def test_a_text_longer_than_any_path_is_not_looked_into() -> None:
    assert len(spellings("`" + "a" * LONGEST + "`")) == 1


_NASTY = st.text(
    st.characters() | st.sampled_from("`'\"@:#\\/%20().,[]<>~$ \n\0\ud800\u00a0\u6708\u0301aL1")
)
_WRITTEN = _NASTY | st.integers(0, 5_000).map(lambda size: "a:" * size)
_FLAVOUR = st.sampled_from(["posix", "windows", "macos"])
_HOME = st.sampled_from([None, "/home/me", "/", "C:\\Users\\me"])


@given(_WRITTEN, _FLAVOUR, _HOME)
def test_any_text_has_bounded_distinct_non_empty_readings(
    written: str, flavour: Flavour, home: str | None
) -> None:
    first, *rest = spellings(written, flavour=flavour, home=home)
    assert (first.text, first.undone) == (written, ())
    assert len(rest) < MOST
    assert len({written, *(each.text for each in rest)}) == len(rest) + 1
    for each in rest:
        assert each.undone
        assert len(set(each.undone)) == len(each.undone)
        assert each.text.strip()


@given(_WRITTEN, _FLAVOUR)
def test_no_reading_forgets_that_a_folder_was_meant(written: str, flavour: Flavour) -> None:
    assert all(text.endswith("/") for text in _texts(written + "/", flavour))


_SEGMENT = st.text(string.ascii_letters + string.digits + "_-+=.", min_size=2, max_size=12).filter(
    lambda name: not name.endswith(".")
)
_PATH = st.builds(
    lambda lead, names, tail: lead + "/".join(names) + tail,
    st.sampled_from(["", "/", "./", "../"]),
    st.lists(_SEGMENT, min_size=1, max_size=6),
    st.sampled_from(["", "/"]),
)


@given(_PATH, _FLAVOUR)
def test_a_clean_path_has_one_reading(path: str, flavour: Flavour) -> None:
    assert _texts(path, flavour) == [path]


_AROUND = st.sampled_from(
    ["{}", '"{}"', "'{}'", "`{}`", "<{}>", "{}\n", "  {}", "[x]({})", "\u201c{}\u201d", "`{}`,"]
)
_INSIDE = st.sampled_from(["{}", "@{}", "a/{}", ":{}", "{}:12", "{}:3:7", "{}#L3-L9", "file://{}"])


@given(_PATH, _INSIDE, _AROUND)
def test_a_path_is_found_again_under_two_decorations(path: str, inside: str, around: str) -> None:
    assume(inside != "a/{}" or not path.startswith("/"))  # git shows no absolute path there
    assume(not path[-1].isdigit())  # `00:12` is a time
    assert path in _texts(around.format(inside.format(path)))


@pytest.mark.parametrize(
    "unit",
    ["`", '"', "a:1", ":1,1", "](", "[](", " ", "\\", "\\ ", "</a", "%41", "a.b?", "@", "\u00a0 ",
     "\u6708 ", "(1,1", ".a", "e\u0301", "\\346\\265\\213", "~/", "file:", "?a=#L1"],
)  # fmt: skip
def test_hostile_texts_take_no_time(unit: str) -> None:
    written = ("x" + unit * LONGEST)[: LONGEST - 1] + "!"
    began = time.process_time()
    spellings(written, home=HOME)
    assert time.process_time() - began < 1  # seconds; milliseconds unless a pattern runs away
