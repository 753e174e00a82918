"""Folders of containers that files of a project map to its own, in the forms that
public projects have.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from repos import write_files
from rows import check_each, read

from truepath import Guard, ToolCall, Workspace
from truepath.config.settings import Settings
from truepath.project.roots import mapped

CONTAINER = "/no-such-place-on-this-machine"
PLAIN = {"src/a.py": "print('a')\n", "docs/x.md": "x\n"}
ROWS = read("project/roots")


@pytest.fixture
def project(tmp_path):
    def make(files):
        folder = tmp_path / f"p{len(os.listdir(tmp_path))}" / "shop"
        named = {name: text.replace("/@", CONTAINER) for name, text in files.items()}
        write_files(folder, {**PLAIN, **named})
        return str(folder)

    return make


def there(path):
    return path.replace("/@", CONTAINER)


def test_a_path_of_a_container_is_what_the_files_of_the_project_say(project):
    def check(row):
        root = project(row["files"])
        for asked, path in row["asks"].items():
            expected = path if isinstance(path, list) else [path]
            found = mapped(root, there(asked), {})
            assert [each for each, _ in found] == (expected if path is not None else [])

    check_each(ROWS, check, lambda row: row["why"])


def test_a_look_and_an_edit_run_there_and_all_else_is_told(project):
    def check(row):
        root = project(row["files"])
        space = Workspace(root)
        for asked, path in row["asks"].items():
            if isinstance(path, list):
                continue
            kind = "list" if path == "" else "read"
            looked = space.resolve(there(asked), kind)
            if path is None:
                assert looked.permits != "corrected"
                continue
            assert (looked.permits, looked.path) == ("corrected", path)
            assert "maps it" in looked.candidates[0].why
            for operation in ("delete", "execute", "copy", "move"):
                told = space.resolve(there(asked), operation)
                assert told.permits == "named"
                assert path in [each.path for each in told.candidates] or path == ""
            if path == "src/a.py":
                text = ("print('a')",)
                changed = space.resolve(there(asked), "edit", texts=text)
                assert (changed.permits, changed.path) == ("corrected", path)
                other = space.resolve(there(asked), "edit", texts=("not there",))
                assert other.permits == "named"
                new = there(asked).replace("a.py", "new.py")
                made = space.resolve(new, "write")
                assert made.permits == "named"
                assert made.candidates[0].path == "src/new.py"

    check_each(ROWS, check, lambda row: row["why"])


def test_a_setting_maps_a_folder_and_counts_before_the_files(project):
    root = project(
        {"compose.yaml": "services:\n  a:\n    volumes:\n      - ./docs:/@/app\n"}
    )
    assert mapped(root, there("/@/app/a.py"), {there("/@/app"): "src"}) == [
        ("src/a.py", "roots")
    ]
    assert mapped(root, there("/@/x/a.py"), {there("/@/x"): "../other"}) == []
    settings = Settings(roots={there("/@/code"): "."}, journal=False)
    guard = Guard(root, settings=settings)
    call = ToolCall("Read", {"file_path": there("/@/code/src/a.py")})
    assert guard.before(call).arguments == {"file_path": f"{root}/src/a.py"}


def test_a_folder_of_this_machine_is_not_mapped(project, tmp_path):
    (tmp_path / "app").mkdir()
    volume = f"services:\n  a:\n    volumes:\n      - .:{tmp_path}/app\n"
    root = project({"compose.yaml": volume})
    assert mapped(root, f"{tmp_path}/app/src/a.py", {}) == ()


@pytest.mark.skipif(os.name == "nt", reason="links")
def test_nothing_leads_out_of_the_project_or_to_a_secret(project, tmp_path):
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/key.txt").write_text("k")
    (tmp_path / "compose.yml").write_text("a:\n  volumes:\n    - .:/no-such-link\n")
    volumes = "services:\n  a:\n    volumes:\n      - ./out:/@/out\n      - .:/@/app\n"
    root = project({"compose.yaml": volumes, ".env": "S=1"})
    os.symlink(tmp_path / "secret", f"{root}/out")
    os.symlink(tmp_path / "compose.yml", f"{root}/compose.yml")
    space = Workspace(root)
    for path in ("/@/out/key.txt", "/@/app/out/key.txt", "/@/app/../../secret/key.txt"):
        found = space.resolve(there(path), "read")
        assert (found.path, found.candidates) == (None, ())
    secret = space.resolve(there("/@/app/.env"), "read")
    assert (secret.status, secret.candidates) == ("outside", ())
    assert mapped(root, "/no-such-link/src/a.py", {}) == []


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_text_maps_nothing_outside(compose, container):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        root = f"{folder}/shop"
        lines = f"a:\n  volumes:\n    - {compose}\n{compose}"
        write_files(root, {"compose.yaml": lines, ".devcontainer.json": container})
        for path, _ in mapped(root, "/no-such-place/a", {}):
            assert not path.startswith(("..", "/"))


def test_a_line_that_does_more_than_look_enters_no_mapped_folder(project):
    files = {"compose.yaml": "services:\n  a:\n    volumes:\n      - ./src:/@/code\n"}
    guard = Guard(project(files), policy="recover")
    for rest in ("rm -rf *", "rm a.py", "rm -rf x; ls", "sed -i s/a/b/ a.py", "./a.py"):
        line = there(f"cd /@/code && {rest}")
        assert guard.before(ToolCall("bash", {"command": line})).action != "rewrite"
    # A text of its own would tell that the file is the same one.
    line = there("sed -i s/a/b/ /@/code/a.py")
    assert guard.before(ToolCall("bash", {"command": line})).action != "rewrite"
    looked = guard.before(
        ToolCall("bash", {"command": there("cd /@/code && cat a.py")})
    )
    assert looked.action == "rewrite"
