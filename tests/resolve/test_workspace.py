from __future__ import annotations

import json
from unittest.mock import patch

import pytest
from rows import check_each, read

from truepath import ConfigError, Workspace, WorkspaceError
from truepath.project.names import Names
from truepath.project.tree import Tree
from truepath.resolve import likelihood
from truepath.resolve.facts import Facts
from truepath.resolve.likelihood import Match
from truepath.resolve.places import Place, Reading
from truepath.resolve.reasons import COLUMNS, REASONS
from truepath.resolve.spellings import Frame
from truepath.resolve.vetoes import judge

ROOT = "/home/ada/acme"
FILES = ["docs/status.md", "src/app/main.py", "src/app/models.py"]


@pytest.fixture
def space():
    return Workspace.from_names(FILES, root=ROOT)


def test_a_root_must_be_a_folder(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkspaceError, match="does not exist"):
        Workspace(tmp_path / "nothing")
    with pytest.raises(WorkspaceError, match="is a file"):
        Workspace(tmp_path / "file")


def test_operations_and_kinds_are_checked(space):
    with pytest.raises(ConfigError, match=r"'reed'.*did you mean 'read'"):
        space.resolve("x", "reed")
    with pytest.raises(ConfigError, match="kind"):
        space.resolve("x", kind="directory")


@pytest.mark.parametrize("root", ["acme", "/", "/a\0b"])
def test_a_sandbox_needs_a_folder_of_its_own(root):
    with pytest.raises(ConfigError, match="use the project's folder"):
        Workspace.remote(lambda *_: b"", root=root)


def test_bytes_and_paths_are_paths(space, tmp_path):
    assert space.resolve(b"docs/status.md").status == "exists"
    assert Workspace(tmp_path).resolve(tmp_path).status == "directory"


@pytest.mark.parametrize(
    ("path", "written", "cwd", "spelled"),
    [
        ("docs/status.md", "docs/sttus.md", None, "docs/status.md"),
        ("docs/status.md", f"{ROOT}/docs/sttus.md", None, f"{ROOT}/docs/status.md"),
        ("docs/status.md", "sttus.md", "docs", "status.md"),
        ("docs/status.md", "docs/sttus.md", "src", f"{ROOT}/docs/status.md"),
        ("docs/status.md", "~/acme/docs/sttus.md", None, f"{ROOT}/docs/status.md"),
        ("src/app", "scr/app/", None, "src/app/"),
        ("", "../acme", "docs", ROOT),
    ],
)
def test_a_path_is_spelled_as_it_was_written(space, path, written, cwd, spelled):
    assert space.spell(path, written, cwd=cwd) == spelled


@pytest.mark.parametrize(
    ("received", "status"),
    [("docsstatus.md", "resolved"), ("docs/status.md", "outside"), ("docs", "outside")],
)
def test_a_path_without_its_backslashes_is_a_mistake_where_nothing_is(
    space, received, status
):
    found = space.resolve("docs\\status.md", received=received)
    meant = "docs/status.md" if status == "resolved" else None
    assert (found.status, found.path) == (status, meant)


@pytest.mark.parametrize(
    ("written", "several"),
    [
        ("docs/a.md and docs/b.md", True),
        ("acme/docs and lost", False),
        ("docs/a.md a.md", True),
        ("docs/a.md lost", False),
        ("docs/a.md,", False),
        ("docs lost.md", False),
        ("lost.md, docs/lost.md", False),
    ],
)
def test_several_paths_in_one_are_two_or_one_beside_names_of_files(written, several):
    """`acme/docs` may be read as `docs` too, and is one path."""
    space = Workspace.from_names(
        ["acme/docs/a.md", "docs/a.md", "docs/b.md"], root=ROOT
    )
    assert (space.resolve(written, "list").cause == "several") == several


def test_folders_are_not_several_new_paths():
    space = Workspace.from_names(["docs/a.md", "x/b.md"], root=ROOT)
    for operation in ("write", "mkdir"):
        for new in ("docs/::x", "docs/:x", "docs x", "docs,x"):
            assert space.resolve(new, operation).cause != "several", new
        assert space.resolve("docs/a.md, x/b.md", operation).cause == "several"


def test_why_tells_the_parts_of_each_score(space):
    found = space.resolve("specs/status.md")
    told = space.why(found)
    best = found.candidates[0].path

    assert set(told) == {"", best}
    assert sum(told[best].values()) > sum(told[""].values())
    assert space.why(space.resolve("docs/status.md")) == {}
    assert space.why(space.resolve("doc/new.md", "write")) == {}


def test_the_table_is_the_documented_one():
    every, only = ["corrected"] * 5, ["recover"] * 4
    assert {
        row.name: [row.cells.get(name, "") for name in COLUMNS] for row in REASONS
    } == {
        "mapped": ["corrected", "", "", "corrected", "", "", ""],
        "spelling": [*every, "recover", "recover"],
        "renamed": [*every, "", "recover"],
        "contents": ["corrected", "", "", "corrected", "", "", ""],
        "leading-folders": [*every, "", ""],
        "folder-number": [*every, "", "recover"],
        "folder-misspelt": ["assumed", *only, "", ""],
        "text-in-namesake": ["assumed", "", "", "recover", "", "", ""],
        "folders-inserted": ["assumed", *only, "", ""],
        "only-name": ["assumed", "recover", "", "", "recover", "", ""],
        "near": ["assumed", "", "", "", "", "", ""],
    }
    for reason in REASONS:
        assert reason.cell("list") == reason.cell("search") == reason.cell("read")
        assert reason.cell("write") == reason.cell("mkdir")


def ranked(*chances, features=("the-path",)):
    known = dict.fromkeys(features, 1)
    return [
        (
            Match(
                f"src/a{at}.py",
                folder=False,
                place=Place(f"src/a{at}.py"),
                features=known,
            ),
            chance,
        )
        for at, chance in enumerate(chances)
    ]


def permit(chances, operation, *, outside=False):
    facts = Facts(
        tree=Tree(Names.of(FILES), ROOT, "posix"),
        reading=Reading("src/a.py", (), outside),
        frame=Frame(ROOT, ROOT),
        operation=operation,
        kind="file",
    )
    return judge(ranked(*chances), facts).permit


@pytest.mark.parametrize(
    ("chances", "looks", "changes"),
    [
        ((0.95,), "corrected", "corrected"),
        ((0.55,), "corrected", "corrected"),
        ((0.55, 0.2), "assumed", "named"),
        ((0.54, 0.2), "named", "named"),
        ((0.6, 0.31), "named", "named"),
        ((0.95, 0.01), "assumed", "named"),  # both have the reason
    ],
)
def test_how_likely_a_path_must_be(chances, looks, changes):
    assert permit(chances, "read") == looks
    assert permit(chances, "edit") == changes


@pytest.mark.parametrize("operation", ["edit", "move", "copy", "execute"])
def test_nothing_is_used_for_a_path_that_points_outside(operation):
    assert permit([0.99], operation, outside=True) == "named"
    assert permit([0.99], "read", outside=True) == "assumed"


def test_the_weights_are_a_table_that_a_person_can_read():
    with open(likelihood.TABLE, encoding="utf-8") as file:
        table = json.load(file)
    rows = {part: table[part] for part in ("for", "against", "nothing")}

    assert sum(map(len, rows.values())) <= 28
    assert all(weight >= 0 and said for weight, said in rows["for"].values())
    assert all(weight <= 0 and said for weight, said in rows["against"].values())


def test_other_weights_can_be_used_for_a_while(space):
    before = space.resolve("specs/status.md")
    with patch.dict(likelihood.weights(), always=99.0):
        found = space.resolve("specs/status.md")
    assert (found.permits, found.path) == ("named", None)
    assert space.resolve("specs/status.md") == before


def test_a_letter_or_a_number():
    def check(row):
        for pair in (row["pair"], row["pair"][::-1]):
            assert likelihood.is_misspelt(*pair) is row["misspelt"]
            assert likelihood.in_other_number(*pair) is row["number"]

    check_each(read("resolve/alike"), check)


def test_a_workspace_is_framed_by_its_root_and_folder():
    space = Workspace.from_names(FILES, root=ROOT, cwd="src")
    assert space.frame() == Frame(ROOT, f"{ROOT}/src", inside=space.tree.inside)
    assert space.frame("/tmp").cwd == "/tmp"
    assert repr(space) == f"Workspace({ROOT!r})"


NAMES = [
    "docs/guide/status.md",
    "docs/readme.md",
    "src/telemetry_spans.py",
    "tests/run_all.py",
]
MISSING = [
    "guide/status.md",
    "lib/telemetry_spans.py",
    "test/run_all.py",
    "docs/gudie/status.md",
]


@pytest.mark.parametrize(
    "operation", ["read", "list", "search", "copy", "execute", "edit", "move"]
)
def test_where_names_are_missing_nothing_but_the_path_itself_is_used(operation):
    whole, cut = (Workspace.from_names(NAMES, cut_short=cut) for cut in (False, True))
    for path in MISSING:
        found = cut.resolve(path, operation, kind="any")
        assert (found.status, found.path, found.permits) == (
            "ambiguous",
            None,
            "named",
        ), path
        best = whole.resolve(path, operation, kind="any").candidates[0]
        assert found.candidates[0].path == best.path
        assert "only" not in found.candidates[0].why
    assert (
        cut.resolve("`docs/readme.md`", operation, kind="any").path == "docs/readme.md"
    )
