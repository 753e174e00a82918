from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.project.names import Names, name_words, remembered, split_extension, stem_key

PROJECT = [
    "README.md",
    "app/models/user.py",
    "app/models/user_profile.py",
    "app/models/__init__.py",
    "app/views/User.py",
    "app/views/user-profile.tsx",
    "app-legacy/models/user.py",
    "docs/U\u0308bersicht.md",
    "docs/3月2日测试.md",
    "empty/",
    "logs/archive/",
]


@pytest.fixture
def names() -> Names:
    return Names(PROJECT)


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("", "folder"),
        ("README.md", "file"),
        ("app", "folder"),
        ("app/models", "folder"),
        ("app/models/user.py", "file"),
        ("empty", "folder"),
        ("logs", "folder"),
        ("logs/archive", "folder"),
        ("app/mod", None),
        ("app/models/user", None),
        ("app/models/user.py/x", None),
        ("readme.md", None),
        ("README.md/", None),
        ("/README.md", None),
    ],
)
def test_what_stands_at_a_path_is_known_by_whole_segments(names, path, kind):
    assert names.kind(path) == kind


def test_files_are_sorted_without_repeats_and_without_folders():
    names = Names(["b", "a/c", "b", "d/", ""])

    assert list(names.files) == ["a/c", "b"]
    assert len(names) == 2
    assert names.folders == {"a", "d"}


def test_nothing_at_all_is_a_project_too():
    names = Names([])

    assert len(names) == 0
    assert names.kind("") == "folder"
    assert names.kind("a") is None
    assert names.named("a") == names.folders_named("a") == names.stemmed("a") == []
    assert names.similar("a") == []
    assert names.children("") == []


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("user.py", {"app/models/user.py", "app/views/User.py", "app-legacy/models/user.py"}),
        ("USER.PY", {"app/models/user.py", "app/views/User.py", "app-legacy/models/user.py"}),
        ("\u00dcbersicht.md", {"docs/U\u0308bersicht.md"}),
        ("3 月 2 日测试.md", {"docs/3月2日测试.md"}),
        ("ser.py", set()),
        ("models", set()),
    ],
)
def test_files_are_found_by_name_whatever_its_case_and_form(names, name, found):
    assert set(names.named(name)) == found


def test_folders_are_found_by_name(names):
    assert set(names.folders_named("Models")) == {"app/models", "app-legacy/models"}
    assert names.folders_named("user.py") == []


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("user_profile.ts", {"app/models/user_profile.py", "app/views/user-profile.tsx"}),
        ("userprofile.py", {"app/models/user_profile.py", "app/views/user-profile.tsx"}),
        ("models.py", {"app/models", "app-legacy/models"}),
        ("empty.md", {"empty"}),
        ("profile.ts", set()),
    ],
)
def test_files_and_folders_are_found_by_stem(names, name, found):
    assert set(names.stemmed(name)) == found


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("usr_profile.py", "user_profile.py"),
        ("profile_user.py", "user_profile.py"),
        ("user_profiles.py", "user_profile.py"),
    ],
)
def test_look_alikes_come_likest_first(names, written, meant):
    ranked = names.similar(written)

    assert ranked[0][0] == meant
    assert all(0 < likeness <= 1 for _, likeness in ranked)
    assert [likeness for _, likeness in ranked] == sorted(
        (likeness for _, likeness in ranked), reverse=True
    )


def test_a_name_is_not_its_own_look_alike(names):
    assert "user.py" not in [name for name, _ in names.similar("user.py")]


@pytest.mark.parametrize(
    ("folder", "children"),
    [
        ("", ["README.md", "app-legacy/", "app/", "docs/", "empty/", "logs/"]),
        ("app", ["models/", "views/"]),
        ("app/models", ["__init__.py", "user.py", "user_profile.py"]),
        ("logs", ["archive/"]),
        ("empty", []),
        ("nowhere", []),
        ("app/models/user.py", []),
    ],
)
def test_the_entries_of_a_folder_are_its_direct_ones(names, folder, children):
    assert names.children(folder) == children


def test_a_sibling_that_sorts_between_a_folder_and_its_files_is_not_passed_over():
    names = Names(["a/x", "a-b", "a.txt", "a/y", "a0"])

    assert names.children("") == ["a-b", "a.txt", "a/", "a0"]


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("a.py", ("a", "py")),
        ("a.test.ts", ("a.test", "ts")),
        ("Makefile", ("Makefile", "")),
        (".gitignore", (".gitignore", "")),
        (".eslintrc.json", (".eslintrc", "json")),
        ("a.", ("a", "")),
        ("", ("", "")),
    ],
)
def test_a_name_is_split_at_its_last_dot(name, parts):
    assert split_extension(name) == parts


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("user-profile.ts", "user_profile.py", True),
        ("userprofile.ts", "user profile.py", True),
        ("user.test.ts", "user.ts", False),
        ("a1.py", "a2.py", False),
    ],
)
def test_a_stem_is_what_extension_and_separators_leave(one, other, same):
    assert (stem_key(one) == stem_key(other)) is same


def test_the_words_of_a_name_part_at_separators_and_dots():
    assert name_words("user-profile_page v2.test.ts") == "user profile page v2 test ts".split()


_PART = st.text("ab.-é月", min_size=1, max_size=3).filter(lambda part: part not in (".", ".."))
PATHS = st.lists(st.lists(_PART, min_size=1, max_size=4).map("/".join), max_size=12)


def _no_file_is_a_folder(paths: list[str]) -> bool:
    return not any(other.startswith(path + "/") for path in paths for other in paths)


@given(paths=PATHS.filter(_no_file_is_a_folder))
def test_every_file_is_a_child_of_its_folder_and_every_child_is_there(paths):
    names = Names(paths)

    seen = set()
    folders = [""]
    while folders:
        folder = folders.pop()
        for child in names.children(folder):
            path = f"{folder}/{child}".lstrip("/").rstrip("/")
            kind = names.kind(path)
            assert kind == ("folder" if child.endswith("/") else "file")
            if kind == "folder":
                folders.append(path)
            else:
                seen.add(path)
    assert seen == set(names.files) == set(paths)


@given(paths=PATHS)
def test_every_file_is_found_by_its_own_name_and_stem(paths):
    names = Names(paths)
    for path in names.files:
        name = path.rpartition("/")[2]
        assert path in names.named(name)
        assert path in names.stemmed(name)


@given(paths=PATHS, name=st.text(max_size=8))
def test_any_text_can_be_sought(paths, name):
    names = Names(paths)
    names.named(name), names.stemmed(name), names.similar(name), names.children(name)
    assert names.kind(name) in ("file", "folder", None)


def test_answers_are_remembered_and_not_for_ever():
    known: dict[str, list[str]] = {}
    made = []

    def ask(name: str) -> list[str]:
        return remembered(known, name, lambda: made.append(name) or [name])

    assert [ask(name) for name in ("a", "b", "a")] == [["a"], ["b"], ["a"]]
    assert made == ["a", "b"]
    assert all(ask(f"{number}") == [f"{number}"] for number in range(10_000))
    assert len(known) < 1_000
