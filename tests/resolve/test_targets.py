from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from truepath.resolve.anchors import MAX_FOLDERS, Frame, interpret
from truepath.resolve.prefixes import CONTAINER_ROOTS

ROOT = "/home/marian/src/shop"


def frame(root=ROOT, cwd=None, flavour="posix", home=None) -> Frame:
    return Frame(root, cwd or root, flavour, home)


def places(written: str, **at) -> dict[str, tuple[str, ...]]:
    """Return each target's path with what it assumes."""
    return {target.path: target.evidence for target in interpret(written, frame(**at)).targets}


@pytest.mark.parametrize(
    ("written", "at", "inside"),
    [
        ("app/a.py", {}, "app/a.py"),
        ("./app//a.py", {}, "app/a.py"),
        ("a.py", {"cwd": f"{ROOT}/app"}, "app/a.py"),
        ("../a.py", {"cwd": f"{ROOT}/app"}, "a.py"),
        ("../../a.py", {"cwd": f"{ROOT}/app"}, None),
        (f"{ROOT}/app/a.py", {"cwd": "/tmp"}, "app/a.py"),
        (ROOT, {}, ""),
        (f"{ROOT}-old/a.py", {}, None),
        ("/etc/hosts", {}, None),
        ("a.py", {"cwd": "/elsewhere"}, None),
        ("C:\\work\\shop\\App\\a.py", {"root": "C:/work/shop", "flavour": "windows"}, "App/a.py"),
        ("c:/WORK/shop/a.py", {"root": "C:/work/shop", "flavour": "windows"}, "a.py"),
        ("D:\\work\\shop\\a.py", {"root": "C:/work/shop", "flavour": "windows"}, None),
        ("/Users/M/Shop/a.py", {"root": "/users/m/shop", "flavour": "macos"}, "a.py"),
    ],
)
def test_a_written_path_points_to_one_place_first(written, at, inside):
    seen = interpret(written, frame(**at))

    assert seen.inside == inside
    if inside is not None:
        assert seen.targets[0].path == inside
        assert seen.targets[0].evidence == ()


@pytest.mark.parametrize(
    ("written", "at", "path", "assumed"),
    [
        ("`app/a.py`", {}, "app/a.py", ("backticks",)),
        ("app/a.py:12", {}, "app/a.py", ("line-number",)),
        ("app\\a.py", {}, "app/a.py", ("backslashes",)),
        ("@app/a.py", {}, "app/a.py", ("at-sign", "guessed-spelling")),
        ("app/a.py", {"cwd": f"{ROOT}/app"}, "app/a.py", ("repeats-cwd",)),
        ("app/x/a.py", {"cwd": f"{ROOT}/lib/app"}, "app/x/a.py", ("repeats-cwd",)),
        ("docs/a.md", {"cwd": f"{ROOT}/app"}, "docs/a.md", ("from-root",)),
        ("shop/app/a.py", {}, "app/a.py", ("root-name",)),
        ("home/marian/src/shop/a.py", {}, "a.py", ("lost-slash",)),
        ("/home/mariam/src/shop/a.py", {}, "a.py", ("home-slip",)),
        ("/Home/joe/src/shop/a.py", {"root": "/Home/ann/src/shop"}, "a.py", ("home-slip",)),
        ("/home/marian/src/shpo/a.py", {}, "a.py", ("root-slip",)),
        ("/home/marian/scr/shop/a.py", {}, "a.py", ("root-slip",)),
        ("/home/marian/lib/shop/a.py", {}, "a.py", ("root-name-elsewhere",)),
        ("/mnt/disk/shop/app/a.py", {}, "app/a.py", ("root-name-elsewhere",)),
        ("/workspace/app/a.py", {}, "app/a.py", ("container-root",)),
        ("/usr/src/app/lib/a.py", {}, "lib/a.py", ("container-root",)),
        ("/app/lib/a.py", {}, "app/lib/a.py", ("rooted-at-project",)),
        ("/docs/a.md", {}, "docs/a.md", ("rooted-at-project",)),
        ("~/src/shop/a.py", {"home": "/home/marian"}, "a.py", ("home",)),
        ("app/app/a.py", {}, "app/a.py", ("doubled",)),
        ("lib/app/x/app/x/a.py", {}, "lib/app/x/a.py", ("doubled",)),
        (f"{ROOT}/app/app/a.py", {}, "app/a.py", ("doubled",)),
        ("../app/a.py", {"cwd": f"{ROOT}/app/x"}, "app/a.py", ("repeats-cwd",)),
        ("../../lib/b/a.py", {"cwd": f"{ROOT}/x/lib/a/y"}, "x/lib/b/a.py", ("repeats-cwd",)),
        ("../../app/a.py", {"cwd": f"{ROOT}/app"}, "app/a.py", ("repeats-cwd",)),
        (
            "C:\\Users\\ben\\shop\\a.py",
            {"root": "C:/Users/bem/shop", "flavour": "windows"},
            "a.py",
            ("home-slip",),
        ),
    ],
)
def test_it_may_point_elsewhere_if_something_is_assumed(written, at, path, assumed):
    assert places(written, **at).get(path) == assumed


@pytest.mark.parametrize(
    ("written", "at", "path", "reason"),
    [
        ("app/a.py", {}, "a.py", "a folder of the project is not dropped for being there"),
        ("shopping/a.py", {}, "a.py", "the root's name is a whole segment"),
        ("/workspaces-old/a.py", {}, "a.py", "so is a container's"),
        ("/workspacex/a.py", {}, "a.py", "nor is a longer name one"),
        ("/home/marian/lib/src/shop2/a.py", {}, "a.py", "two folders differ"),
        ("/w/prizes/a.py", {"root": "/w/prices"}, "a.py", "another word is another project"),
        ("docs/a.md", {"cwd": "/tmp"}, "docs/a.md", "it is relative to another folder"),
        ("/srv/x/shop", {}, "", "the root's name alone names no file"),
        ("../shop2/a.py", {}, "a.py", "a neighbour is not the project"),
        ("../lib/a.py", {"cwd": f"{ROOT}/app/x"}, "lib/a.py", "nobody stands in that folder"),
        ("../a.py", {"cwd": f"{ROOT}/app/x"}, "a.py", "a name alone says not how high to climb"),
        ("appapp/a.py", {}, "app/a.py", "what is repeated is a whole folder"),
    ],
)
def test_but_not_without_a_reason(written, at, path, reason):
    assert path not in places(written, **at), reason


@pytest.mark.parametrize(
    ("written", "folder", "bare"),
    [
        ("app/", True, True),
        ("app", False, True),
        ("app/a.py", False, False),
        ("app/x/", True, False),
        ("app\\", True, True),
        (f"{ROOT}", False, False),
    ],
)
def test_the_way_it_is_written_says_folder_and_bare(written, folder, bare):
    seen = interpret(written, frame())

    assert (seen.folder, seen.bare) == (folder, bare)


@pytest.mark.parametrize(
    "written",
    [
        "a/" * MAX_FOLDERS + "b",
        "/shop" * MAX_FOLDERS + "/b",
        "../" * MAX_FOLDERS + "b",
        "a/" * (MAX_FOLDERS + 1) + "b",
        "/shop" * 800 + "/b",
        "a/b/" * 1000 + "c",
    ],
    ids=lambda written: f"{written[:6]}x{len(written)}",
)
def test_folders_without_end_are_no_places_without_end(written):
    assert len(places(written)) <= 20


@pytest.mark.parametrize("prefix", CONTAINER_ROOTS)
def test_every_container_root_is_mapped_to_the_project(prefix):
    assert "lib/deep/a.py" in places(f"{prefix}/lib/deep/a.py")


SEGMENT = st.text("abA .é月-", min_size=1, max_size=4)
WRITTEN = st.lists(SEGMENT, min_size=1, max_size=4).map("/".join)


@example(written="../0/0", cwd="")
@example(written="../b/b/c", cwd="/app")
@given(written=st.one_of(st.text(max_size=40), WRITTEN), cwd=st.sampled_from(["", "/app", "/a/b"]))
def test_no_target_leaves_the_root(written, cwd):
    for target in interpret(written, frame(cwd=ROOT + cwd)).targets:
        parts = target.path.split("/")
        assert ".." not in parts
        assert "." not in parts
        assert not target.path.startswith("/")
        assert not target.path.endswith("/")


@given(written=st.text(max_size=40), flavour=st.sampled_from(["posix", "windows", "macos"]))
def test_any_text_can_be_read_by_any_rules(written, flavour):
    root = "C:/w/shop" if flavour == "windows" else ROOT
    paths = [
        target.path for target in interpret(written, frame(root=root, flavour=flavour)).targets
    ]

    assert len(paths) == len(set(paths))
