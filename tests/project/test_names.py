"""The names of a project beside what a plain search of them finds."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from truepath.paths import fold, key
from truepath.project import names as module
from truepath.project import nearest
from truepath.project.names import Names

PART = st.sampled_from(
    "a|b|A|ab|a.py|A.PY|b.tar.gz|é|É|e\u0301.py|ß|ss|src|Src| a|a\n|x "
    "y|x\u202fy|x\u00a0y|日本|日 "
    "本|\udcff|‘q’|'q'|ａ|／|.env|..a|a..b|test|tests|-d|[a]|*|a\\b|status.md|Status|"
    "my_status.md|status.test.md|STATUS.MD|statusé.md|tests.status".split("|")
)
PATH = st.lists(PART, min_size=1, max_size=4).map("/".join)
TREE = st.lists(PATH | PATH.map(lambda path: path + "/"), max_size=12)


def folders_of(paths):
    parts = [path.split("/") for path in paths]
    return {"/".join(each[:count]) for each in parts for count in range(1, len(each))}


def looks(path):
    return [fold(part) for part in path.split("/")]


def ends(path, wanted):
    return looks(path)[-len(wanted.split("/")) :] == looks(wanted)


@given(paths=TREE, asked=PATH)
def test_what_is_found_is_what_a_plain_search_finds(paths, asked):
    names = Names.of(paths)
    files = {path for path in paths if not path.endswith("/")}
    folders = folders_of(paths)

    assert set(names) == set(paths)
    assert len(names) == len(set(paths))
    assert names.ends_with(asked) == sorted(path for path in files if ends(path, asked))
    assert names.folders_named(asked) == sorted(
        path for path in folders if ends(path, asked)
    )
    last = asked.rpartition("/")[2]
    assert names.stems(last) == sorted(
        path for path in files if f"{looks(path)[-1]}.".startswith(f"{fold(last)}.")
    )
    # Both, where a folder is in the place of a file that git still tracks.
    kind = "folder" if asked in folders else "file" if asked in files else None
    assert names.kind(asked) == kind
    assert names.has(asked) == (kind is not None)
    below = {
        rest if not rest.count("/") else rest.partition("/")[0] + "/"
        for path in paths
        if path.startswith(f"{asked}/") and (rest := path[len(asked) + 1 :])
    }
    assert names.children(asked) == sorted(below)


SHORT = st.lists(st.sampled_from("src Src src2 test tests a b".split()), min_size=1)
MANY = st.lists(SHORT.map("/".join), min_size=1, max_size=20)


@example(folders=["a/src/src/src"], asked="src/src", step=4)
@example(folders=["a/src/b/src"], asked="src", step=4)
@given(folders=MANY, asked=SHORT.map("/".join), step=st.sampled_from([4, 16, 256]))
def test_folders_of_many_files_are_jumped_over(folders, asked, step):
    """Each folder has many files, in order or not."""
    files = [f"{folder}/{number}.py" for folder in folders for number in range(9)]
    before, module._STEP = module._STEP, step
    try:
        for blob in (files, sorted(files), [*sorted(files), *files[::-2]]):
            names = Names("\0".join(blob).encode())
            assert names.folders_named(asked) == sorted(
                path for path in folders_of(files) if ends(path, asked)
            )
            last = asked.rpartition("/")[2]
            assert names.ends_with(f"{last}/7.py") == sorted(
                {path for path in files if ends(path, f"{last}/7.py")}
            )
            word = f"{last}s".lower()
            assert [*Names(names.containing(word.encode()))] == [
                path for path in blob if word in path.lower()
            ]
    finally:
        module._STEP = before


@given(paths=TREE, asked=PATH, flavour=st.sampled_from(["windows", "macos"]))
def test_kinds_go_by_the_flavour_s_names(paths, asked, flavour):
    files = {key(path, flavour) for path in paths if not path.endswith("/")}
    folders = {key(path, flavour) for path in folders_of(paths)}
    wanted = key(asked, flavour)
    kinds = {"folder"} if wanted in folders else {"file"} if wanted in files else {None}
    found = Names.of(paths).kind(asked, flavour)
    assert found in kinds or (wanted in files and wanted in folders)


@given(paths=st.lists(PATH, max_size=12), asked=st.text(max_size=6))
def test_near_names_are_names(paths, asked):
    names = Names.of(paths)
    near = nearest.nearest(names, asked)
    assert len(near) <= 20
    assert set(near) <= {*paths, *folders_of(paths)}


SLIPS = {
    "left out": lambda stem, at: stem[:at] + stem[at + 1 :],
    "added": lambda stem, at: stem[:at] + "q" + stem[at:],
    "replaced": lambda stem, at: stem[:at] + "q" + stem[at + 1 :],
    "swapped": lambda stem, at: (
        stem[:at] + stem[at + 1 : at + 2] + stem[at] + stem[at + 2 :]
    ),
}


@pytest.mark.parametrize("slip", SLIPS)
@pytest.mark.parametrize(
    "name",
    "utils.py views.py models.py order_formatter.py README.md naïve.py "
    "日本語の名前.txt a-rather-long-name-of-a-component.stories.tsx src "
    "test_helpers".split(),
)
def test_a_name_with_one_slip_is_found_wherever_the_slip_is(slip, name):
    others = [f"lib/module_{at}/part_{at}.py" for at in range(900)]
    names = Names.of([*others, f"pkg/{name}/x" if "." not in name else f"pkg/{name}"])
    stem, dot, extension = name.partition(".")
    for at in range(len(stem)):
        wrong = SLIPS[slip](stem, at) + dot + extension
        if wrong != name and len(stem) > 3:
            assert nearest.nearest(names, wrong)[0] == f"pkg/{name}", wrong


@pytest.mark.parametrize(
    ("wrong", "name"), [("cd.md", "c d.md"), ("axc.md", "abc.md"), ("a", "ab")]
)
def test_of_few_names_a_short_one_is_found_too(wrong, name):
    assert nearest.nearest(Names.of([name, "docs/guide.md"]), wrong)[0] == name


def test_of_very_many_names_few_are_compared(monkeypatch):
    compared = []
    in_common = nearest._in_common
    monkeypatch.setattr(
        nearest, "_in_common", lambda *asked: compared.append(1) or in_common(*asked)
    )
    names = Names.of(f"src/part_{at}/widget_{at}.py" for at in range(9000))
    assert nearest.nearest(names, "wodget_4711.py")[0] == "src/part_4711/widget_4711.py"
    assert len(compared) < 100


class Counted(bytes):
    """Names that count how often they are searched from beginning to end."""

    passes = 0

    def find(self, sought, start=0, *end):
        Counted.passes += start == 0
        return super().find(sought, start, *end)

    def lower(self):
        Counted.passes += 1
        return Counted(super().lower())


def test_all_questions_about_one_stem_take_few_passes():
    files = [f"pkg_{number}/module_{number}.py" for number in range(1000)]
    names = Names.of(files)
    names.blob = Counted(names.blob)
    for path in ("lib/module_7.py", "src/module_7.py"):
        assert names.ends_with("module_7.py") == ["pkg_7/module_7.py"]
        assert names.stems("module_7") == ["pkg_7/module_7.py"]
        assert (
            names.folders_named("module_7.py") == names.folders_named("module_7") == []
        )
        # By now, the names of that stem are collected.
        assert names.kind(path) is None
        assert names.kind("pkg_7/module_7.py") == "file"
    assert Counted.passes == 2, "once in lower case, once for the stem"


def test_the_likest_name_comes_first():
    names = Names.of(
        ["src/renderer.py", "src/render.py", "docs/readme.md", "src/tenderer.py"]
    )
    assert nearest.nearest(names, "rendrer.py")[0] == "src/renderer.py"
    assert nearest.nearest(names, "qqqqq") == []


@pytest.mark.parametrize(
    "asked", ["", "/", "a\0b", "\0", "\ud800", "a//b", "x" * 100_000]
)
def test_any_text_can_be_asked_about(asked):
    names = Names.of(["a", "b/a", "\ud800", "n\0l"])
    assert [*names] == ["a", "b/a"], "what no disk holds is no name"
    for ask in (names.ends_with, names.folders_named, names.stems, names.children):
        assert isinstance(ask(asked), list)
    assert names.kind(asked) in (None, "folder")


def test_a_name_that_is_there_more_than_once_is_found_once():
    assert Names(b"a/x\0a/x\0b/x").ends_with("x") == ["a/x", "b/x"]
    assert [*Names(b"")] == []
