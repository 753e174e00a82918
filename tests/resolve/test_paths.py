from __future__ import annotations

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.paths import (
    Flavour,
    fold,
    is_absolute,
    join,
    key,
    native,
    normalise,
    relative_to,
    tighten,
)

FLAVOURS: tuple[Flavour, ...] = ("posix", "windows", "macos")

ABSOLUTE = [
    ("/home/me/x", "posix"),
    ("/", "posix"),
    ("//x", "posix"),
    ("/Users/me/x", "macos"),
    ("C:\\x", "windows"),
    ("C:/x", "windows"),
    ("c:/", "windows"),
    ("\\\\server\\share\\x", "windows"),
    ("//server/share", "windows"),
    ("\\\\?\\C:\\x", "windows"),
    ("\\\\?\\UNC\\server\\share\\x", "windows"),
    ("\\\\.\\pipe\\name", "windows"),
    ("/c/Users/x", "windows"),
    ("/mnt/c/Users/x", "windows"),
    ("\\top", "windows"),
]

RELATIVE = [
    ("", "posix"),
    ("x", "posix"),
    ("./x", "posix"),
    ("../x", "posix"),
    ("~/x", "posix"),  # a shell's business
    ("C:/x", "posix"),  # a folder named `C:`
    ("C:\\x", "macos"),
    ("\\x", "posix"),  # a name with a backslash
    ("", "windows"),
    ("x\\y", "windows"),
    ("C:x", "windows"),  # below the working directory of that drive
    ("C:", "windows"),
    ("c/Users", "windows"),
]

NORMALISED = [
    # POSIX
    ("src/a.py", "posix", "src/a.py"),
    ("./src/a.py", "posix", "src/a.py"),
    ("././src/./a.py", "posix", "src/a.py"),
    ("src//a.py", "posix", "src/a.py"),
    ("src/", "posix", "src"),
    ("src/x/../a.py", "posix", "src/a.py"),
    ("..", "posix", ".."),
    ("../../x", "posix", "../../x"),
    ("a/../../x", "posix", "../x"),
    ("a/..", "posix", ""),
    (".", "posix", ""),
    ("", "posix", ""),
    ("./", "posix", ""),
    ("/", "posix", "/"),
    ("//", "posix", "/"),
    ("//home//me/", "posix", "/home/me"),
    ("/../..", "posix", "/"),
    ("/../x", "posix", "/x"),
    ("/a/./b/../c", "posix", "/a/c"),
    ("...", "posix", "..."),
    ("a../b", "posix", "a../b"),
    (".hidden/..x", "posix", ".hidden/..x"),
    # what is a rule elsewhere is a plain character here
    ("a\\b", "posix", "a\\b"),
    ("C:/x", "posix", "C:/x"),
    ("x. ", "posix", "x. "),
    ("/c/Users", "posix", "/c/Users"),
    ("a\nb", "posix", "a\nb"),
    # macOS keeps what was written: only keys compare loosely
    ("Src/A.py", "macos", "Src/A.py"),
    ("cafe\u0301/x", "macos", "cafe\u0301/x"),
    # Windows: separators and drives
    ("src\\a.py", "windows", "src/a.py"),
    ("src\\\\x\\..\\a.py", "windows", "src/a.py"),
    ("c:\\Users\\me", "windows", "C:/Users/me"),
    ("C:/Users/me/", "windows", "C:/Users/me"),
    ("C:\\", "windows", "C:/"),
    ("C:", "windows", "C:"),
    ("C:\\..\\x", "windows", "C:/x"),
    ("c:x\\y", "windows", "C:x/y"),
    ("C:..\\x", "windows", "C:../x"),
    ("\\top\\y", "windows", "/top/y"),
    (
        "\\c\\Users",
        "windows",
        "C:/Users",
    ),  # msys with its slashes turned
    ("..\\x", "windows", "../x"),
    (".\\", "windows", ""),
    # Windows: shares and prefixes
    ("\\\\server\\share\\x\\..\\y", "windows", "//server/share/y"),
    ("\\\\server\\share\\..\\..", "windows", "//server/share"),
    ("\\\\server\\share\\", "windows", "//server/share"),
    ("//server", "windows", "//server"),
    ("\\\\?\\C:\\x", "windows", "C:/x"),
    ("\\\\.\\c:\\x", "windows", "C:/x"),
    ("\\\\?\\UNC\\server\\share\\x", "windows", "//server/share/x"),
    ("\\\\?\\Volume{1}\\x", "windows", "//?/Volume{1}/x"),
    # Windows: the drives of msys, WSL and Cygwin
    ("/c/Users/x", "windows", "C:/Users/x"),
    ("/c", "windows", "C:/"),
    ("/e/proj", "windows", "E:/proj"),
    ("/mnt/d/x", "windows", "D:/x"),
    ("/cygdrive/c/x", "windows", "C:/x"),
    ("/mnt/cats", "windows", "/mnt/cats"),
    ("/code/x", "windows", "/code/x"),
    # Windows: dots and spaces that it drops
    ("src/a.py.", "windows", "src/a.py"),
    ("src /a.py . ", "windows", "src/a.py"),
    ("a. b/c.d", "windows", "a. b/c.d"),
    (".../x", "windows", ".../x"),
    (".git/x", "windows", ".git/x"),
    # no drive may appear out of a name
    ("./c:x", "windows", "./c:x"),
    ("/./c/x", "windows", "/./c/x"),
]

JOINED = [
    ("/p", "src/a.py", "posix", "/p/src/a.py"),
    ("/p/src", "../a.py", "posix", "/p/a.py"),
    ("/p", "/etc/x", "posix", "/etc/x"),
    ("/p", "", "posix", "/p"),
    ("/p", ".", "posix", "/p"),
    ("", "a/b", "posix", "a/b"),
    ("", "../b", "posix", "../b"),
    ("a/b", "../../../c", "posix", "../c"),
    ("/", "../x", "posix", "/x"),
    ("/p", "C:\\x", "posix", "/p/C:\\x"),
    ("C:/p", "src\\a.py", "windows", "C:/p/src/a.py"),
    ("C:/p", "..\\..\\..\\x", "windows", "C:/x"),
    ("C:/p", "D:/x", "windows", "D:/x"),
    ("C:/p", "\\top", "windows", "C:/top"),
    ("\\\\srv\\share\\p", "\\top", "windows", "//srv/share/top"),
    ("C:/p", "c:x", "windows", "C:/p/x"),
    ("C:/p", "D:x", "windows", "D:x"),
    ("C:", "C:x", "windows", "C:x"),
    ("C:", "x", "windows", "C:x"),
    ("C:/p", "/c/p/x", "windows", "C:/p/x"),
    ("p", "\\top", "windows", "/top"),
    ("\\\\srv\\share", "x", "windows", "//srv/share/x"),
]

INSIDE = [
    ("/p/src/a.py", "/p", "posix", "src/a.py"),
    ("/p", "/p", "posix", ""),
    ("/p/", "/p", "posix", ""),
    ("/p/x/../a", "/p/", "posix", "a"),
    ("/p/a", "/", "posix", "p/a"),
    ("a/b", "", "posix", "a/b"),
    ("../a/b", "../a", "posix", "b"),
    ("c:\\P\\Src\\A.py", "C:/p", "windows", "Src/A.py"),
    ("/c/p/x", "C:\\p", "windows", "x"),
    ("\\\\?\\C:\\p\\x", "C:/p", "windows", "x"),
    ("//SERVER/Share/x", "\\\\server\\share", "windows", "x"),
    ("C:/p/x", "C:/", "windows", "p/x"),
    ("/users/ME/Proj/A.py", "/Users/me/proj", "macos", "A.py"),
    ("/u/cafe\u0301/x", "/u/caf\u00e9", "macos", "x"),
]

OUTSIDE = [
    ("/project/x", "/p", "posix"),  # a longer name, not a folder below
    ("/p/../x", "/p", "posix"),
    ("/P/x", "/p", "posix"),  # POSIX minds case
    ("/u/cafe\u0301/x", "/u/caf\u00e9", "posix"),  # and form
    ("p/x", "/p", "posix"),  # relative to who knows what
    ("/p/x", "", "posix"),
    ("../x", "", "posix"),
    ("../../x", "..", "posix"),
    ("/", "/p", "posix"),
    ("D:/p/x", "C:/p", "windows"),
    ("C:p/x", "C:/p", "windows"),  # drive-relative
    ("//server/other/x", "//server/share", "windows"),
    ("C:/stra\u00dfe/x", "C:/strasse", "windows"),  # NTFS tells them apart
]

SAME_KEY = [
    ("a/b", "a/b", "posix"),
    ("Src/A.py", "src/a.PY", "windows"),
    ("src\\a.py", "src/a.py", "windows"),
    ("src/a.py.", "src/a.py", "windows"),
    ("\u00c4.txt", "\u00e4.txt", "windows"),
    ("\u0416", "\u0436", "windows"),
    ("README.md", "readme.MD", "macos"),
    ("caf\u00e9", "cafe\u0301", "macos"),
    ("CAF\u00c9", "cafe\u0301", "macos"),
    ("stra\u00dfe", "STRASSE", "macos"),
    ("\ud55c\uae00", unicodedata.normalize("NFD", "\ud55c\uae00"), "macos"),
]

OTHER_KEY = [
    ("a", "A", "posix"),
    ("caf\u00e9", "cafe\u0301", "posix"),
    ("a\\b", "a/b", "posix"),
    ("caf\u00e9", "cafe\u0301", "windows"),  # NTFS keeps the forms apart
    ("stra\u00dfe", "strasse", "windows"),
    ("\u0130", "i", "windows"),
    ("\u0131", "I", "windows"),
    ("a\\b", "a/b", "macos"),  # a backslash is a letter there
    ("a.", "a", "macos"),
]

LOOKS_ALIKE = [
    ("README.md", "readme.md"),
    ("caf\u00e9.md", "cafe\u0301.md"),
    ("CAF\u00c9.md", "cafe\u0301.md"),
    ("at 1.00\u202fPM.png", "at 1.00 PM.png"),
    ("a\u00a0b", "a b"),
    ("a\u3000b", "a b"),
    ("a\u2009b", "a b"),
    ("don\u2019t.md", "don't.md"),
    ("\u201ca\u201d.md", '"a".md'),
    ("a\u2011b", "a-b"),
    ("2020\u20132021", "2020-2021"),
    ("a\u200bb", "ab"),
    ("\ufeffa", "a"),
    ("\u2764\ufe0f.md", "\u2764.md"),
    ("stra\u00dfe", "STRASSE"),
    ("3 \u6708 2 \u65e5\u6d4b\u8bd5.md", "3\u67082\u65e5\u6d4b\u8bd5.md"),
    ("DNF \u79c1\u670d\u7814\u7a76", "DNF\u79c1\u670d\u7814\u7a76"),
    ("\u591a agent \u4ea4\u6d41\u6587\u6863.md", "\u591aagent\u4ea4\u6d41\u6587\u6863.md"),
    ("\u62a5\u544a (1).md", "\u62a5\u544a\uff081\uff09.md"),
    ("\u30c6\u30b9\u30c8 1.txt", "\u30c6\u30b9\u30c81.txt"),
    ("\uff21\uff22.txt", "ab.txt"),
]

LOOKS_DIFFERENT = [
    ("a b", "ab"),  # a plain space between Latin letters says something
    ("a b", "a  b"),  # so do two
    ("caf\u00e9", "cafe"),  # another letter
    ("a_b", "a-b"),  # separators are for the candidates to weigh
    ("a.py", "a.pyi"),
    ("\u6708", "\u65e5"),
]


@pytest.mark.parametrize(("path", "flavour"), ABSOLUTE)
def test_absolute_paths_need_no_working_directory(path: str, flavour: Flavour) -> None:
    assert is_absolute(path, flavour)


@pytest.mark.parametrize(("path", "flavour"), RELATIVE)
def test_relative_paths_need_a_working_directory(path: str, flavour: Flavour) -> None:
    assert not is_absolute(path, flavour)


@pytest.mark.parametrize(("path", "flavour", "expected"), NORMALISED)
def test_a_path_is_normalised_by_its_flavours_rules(
    path: str, flavour: Flavour, expected: str
) -> None:
    assert normalise(path, flavour) == expected


@pytest.mark.parametrize(("base", "path", "flavour", "expected"), JOINED)
def test_a_path_is_seen_from_a_folder(
    base: str, path: str, flavour: Flavour, expected: str
) -> None:
    assert join(base, path, flavour) == expected


@pytest.mark.parametrize(("path", "root", "flavour", "expected"), INSIDE)
def test_a_path_inside_is_told_from_the_root(
    path: str, root: str, flavour: Flavour, expected: str
) -> None:
    assert relative_to(path, root, flavour) == expected


@pytest.mark.parametrize(("path", "root", "flavour"), OUTSIDE)
def test_a_path_outside_is_none_of_the_roots(path: str, root: str, flavour: Flavour) -> None:
    assert relative_to(path, root, flavour) is None


@pytest.mark.parametrize(("one", "other", "flavour"), SAME_KEY)
def test_names_of_one_file_share_a_key(one: str, other: str, flavour: Flavour) -> None:
    assert key(one, flavour) == key(other, flavour)


@pytest.mark.parametrize(("one", "other", "flavour"), OTHER_KEY)
def test_names_of_two_files_have_two_keys(one: str, other: str, flavour: Flavour) -> None:
    assert key(one, flavour) != key(other, flavour)


@pytest.mark.parametrize(("one", "other"), LOOKS_ALIKE)
def test_fold_joins_what_looks_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@pytest.mark.parametrize(("one", "other"), LOOKS_DIFFERENT)
def test_fold_keeps_apart_what_looks_different(one: str, other: str) -> None:
    assert fold(one) != fold(other)


@pytest.mark.parametrize(
    ("platform", "flavour"),
    [("linux", "posix"), ("darwin", "macos"), ("win32", "windows"), ("cygwin", "posix")],
)
def test_native_names_the_running_system(
    platform: str, flavour: Flavour, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert native() == flavour


def test_tighten_keeps_the_spaces_between_latin_words() -> None:
    assert tighten("my notes \u6708 a b") == "my notes\u6708a b"


@pytest.mark.heavy
def test_every_single_character_folds_once_for_all() -> None:
    characters = map(chr, range(sys.maxunicode + 1))
    assert not [ascii(char) for char in characters if fold(fold(char)) != fold(char)]


_TEXT = st.text(st.characters() | st.sampled_from("/\\.: ?cC~\u0130\u00a0\u6708\ud800\0"))
_FLAVOUR = st.sampled_from(FLAVOURS)


@given(_TEXT)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@given(_TEXT, _FLAVOUR)
def test_normalising_twice_is_normalising_once(path: str, flavour: Flavour) -> None:
    once = normalise(path, flavour)
    assert normalise(once, flavour) == once


@given(_TEXT, _FLAVOUR)
def test_normalising_keeps_whether_a_path_is_absolute(path: str, flavour: Flavour) -> None:
    once = normalise(path, flavour)
    assert is_absolute(once, flavour) == is_absolute(path, flavour)


@given(_TEXT, _FLAVOUR)
def test_normalising_leaves_no_empty_name_behind(path: str, flavour: Flavour) -> None:
    names = normalise(path, flavour).lstrip("/").removesuffix(":/").split("/")
    assert names == [""] or "" not in names


@given(_TEXT, _FLAVOUR)
def test_an_absolute_path_stays_where_it_is(path: str, flavour: Flavour) -> None:
    base = "/" if flavour == "windows" else "/p"  # a folder without a drive to lend
    if is_absolute(path, flavour):
        assert join(base, path, flavour) == normalise(path, flavour)


@given(_TEXT, _FLAVOUR)
def test_what_is_inside_joins_back_to_the_same_file(path: str, flavour: Flavour) -> None:
    root = "C:/p" if flavour == "windows" else "/p"
    whole = join(root, path, flavour)
    inside = relative_to(whole, root, flavour)
    if inside is not None:
        assert key(join(root, inside, flavour), flavour) == key(whole, flavour)


@given(_TEXT, _FLAVOUR)
def test_a_key_of_a_key_is_the_key(path: str, flavour: Flavour) -> None:
    once = key(path, flavour)
    assert key(once, flavour) == once
