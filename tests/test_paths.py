"""Paths by their text, as each flavour of file system reads them."""

from __future__ import annotations

import pytest

from truepath.paths import join, key, normalise, relative_to

JOINED = [
    # base, path, flavour, joined, why
    ("C:/work/app", "docs\\a.md", "windows", "C:/work/app/docs/a.md", "it is relative"),
    (
        "C:/work/app",
        "\\notes",
        "windows",
        "C:/notes",
        "a root is that of the base's drive",
    ),
    ("C:/work", "/d/x", "windows", "D:/x", "a shell's name of a drive is a drive"),
    ("D:/work", "/notes/a", "windows", "D:/notes/a", "a slash is one too"),
    ("work/app", "/notes", "windows", "/notes", "a base without a root has no drive"),
    ("C:/work/app", "D:/x", "windows", "D:/x", "another drive has its own root"),
    (
        "C:/work/app",
        "C:x",
        "windows",
        "C:/work/app/x",
        "it goes on in the drive's folder",
    ),
    (
        "C:/work/app",
        "D:x",
        "windows",
        "D:x",
        "the folder on another drive is not known",
    ),
    ("/work/app", "/x", "posix", "/x", "a root is a root"),
    ("/work/app", "\\x", "posix", "/work/app/\\x", "a backslash is a letter"),
    ("/work/app", "../x", "macos", "/work/x", "the folder above"),
]


@pytest.mark.parametrize(("base", "path", "flavour", "joined", "why"), JOINED)
def test_a_path_is_joined_to_a_folder(base, path, flavour, joined, why):
    assert join(base, path, flavour) == joined, why
    assert normalise(joined, flavour) == joined


@pytest.mark.parametrize(
    ("path", "root", "flavour", "below"),
    [
        ("c:/Work/app/a.py", "C:/work", "windows", "app/a.py"),
        ("/Work/app", "/work", "macos", "app"),
        ("/Work/app", "/work", "posix", None),
        ("/work", "/work", "posix", ""),
        ("/workshop", "/work", "posix", None),
    ],
)
def test_a_path_is_below_a_root_as_its_file_system_compares_names(
    path, root, flavour, below
):
    assert relative_to(path, root, flavour) == below
    assert (key(path, flavour) == key(root, flavour)) == (below == "")
