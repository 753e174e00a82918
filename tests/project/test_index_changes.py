"""Whatever happens to a project after its index was built, it answers as without."""

from __future__ import annotations

import os
import shutil

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truepath import Workspace
from truepath.project.index.build import build

FOLDERS = ("", "a", "a/b", "c", "build", "obj/deep")
NAMES = ("x.py", "y.py", "z.log", "b", ".gitignore", ":(top)q.py")
PATHS = st.tuples(st.sampled_from(FOLDERS), st.sampled_from(NAMES)).map("/".join)
RULES = ("*.log\nbuild/\n", "build/\n!x.py\n", "y.py\n", "/a/\n", "")

STEPS = st.one_of(
    st.tuples(st.just("write"), PATHS),
    st.tuples(st.just("remove"), PATHS),
    st.tuples(st.just("folder"), st.sampled_from(FOLDERS)),
    st.tuples(st.just("remove folder"), st.sampled_from(FOLDERS[1:])),
    st.tuples(st.just("rename"), st.sampled_from(FOLDERS[1:])),
    st.tuples(st.just("link"), PATHS),
    st.tuples(st.just("rule"), st.sampled_from(RULES)),
    st.tuples(st.just("git"), st.sampled_from(("add", "commit", "unadd", "status"))),
    st.tuples(st.just("build"), st.just("")),
)


def _write(repo, place, where):
    if place.is_dir():
        return
    for above in place.relative_to(repo).parents:
        if (repo / above).is_file():
            (repo / above).unlink()
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("" if where.endswith("x.py") else "*.py\n")


def _folder(repo, place):
    if not any((repo / above).is_file() for above in place.relative_to(repo).parents):
        place.mkdir(parents=True, exist_ok=place.is_dir())


def _rename(repo, place):
    if (repo / "new").is_symlink():
        (repo / "new").unlink()
    shutil.rmtree(repo / "new", ignore_errors=True)
    place.rename(repo / "new")


GIT = {
    "add": ("add", "--all"),
    "commit": ("commit", "-qm", "x", "--allow-empty"),
    "unadd": ("rm", "-rq", "--cached", "--ignore-unmatch", "a"),
    "status": ("status",),
}


def step(repo, git, store, what, where):
    place = repo / where.lstrip("/")
    if what == "write":
        _write(repo, place, where)
    elif what == "remove" and place.is_file():
        place.unlink()
    elif what == "folder" and not place.is_file():
        _folder(repo, place)
    elif what == "remove folder" and place.is_dir():
        place.unlink() if place.is_symlink() else shutil.rmtree(place)
    elif what == "rename" and place.is_dir():
        _rename(repo, place)
    elif what == "link" and not os.path.lexists(place) and place.parent.is_dir():
        place.symlink_to("../c")
    elif what == "rule" and not (repo / ".gitignore").is_dir():
        (repo / ".gitignore").write_text(where)
    elif what == "git" and (repo / ".git").exists():
        git(repo, *GIT[where])
    elif what == "build":
        build(str(repo), store)


@pytest.mark.heavy
@pytest.mark.timeout(600)
@pytest.mark.parametrize("around", ["a repository", "none"])
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=1, max_size=8))
def test_an_index_answers_as_a_listing_after_any_steps(make_repo, git, tmp_path, around, steps):
    store = str(tmp_path / "store")
    files = {"a/x.py": "", "c/y.py": "", ".gitignore": RULES[0], "keep.py": ""}
    repo = make_repo(files, git=around == "a repository")
    build(str(repo), store)
    for what, where in steps:
        step(repo, git, store, what, where)

        found, wanted = Workspace(repo, store=store).names(), Workspace(repo).names()

        there = {path for path in wanted.files if os.path.lexists(repo / path)}
        assert {path for path in found.files if os.path.lexists(repo / path)} == there
        assert found.untracked == wanted.untracked
        assert found.cut_short == wanted.cut_short
