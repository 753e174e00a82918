"""A root, or a path, that is named through a link; and a home folder as the project."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import repos

from truepath import Workspace
from truepath.types import Resolution

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links")

FILES = {
    "docs/status_report.md": "green\n",
    "src/main.py": "",
    "src/pkg/telemetry.py": "",
    "README.md": "",
}
# (the path, the agent's folder; BY is the way that is written)
ASKED = [
    ("BY/docs/status_reprt.md", None),
    ("BY/src/mian.py", "BY"),
    ("src/mian.py", "BY"),
    ("mian.py", "BY/src"),
    ("../src/mian.py", "BY/docs"),
    ("BY/scr/pkg/telemetry.py", None),
    ("BY/lib/telemetry.py", "BY/src/pkg"),
    ("BY/docs/status_report.md:12", None),
    ("BY/docs/status_report.md", None),
    ("BY/src", None),
    ("BY/docs/new.md", "BY"),
]


def told(space: Workspace, path: str, cwd: str | None, by: Path) -> list[Resolution]:
    path, cwd = path.replace("BY", str(by)), cwd and cwd.replace("BY", str(by))
    found = [space.resolve(path, how, cwd=cwd) for how in ("read", "edit", "write")]
    return [(each.status, each.path, each.target, each.candidates) for each in found]


@pytest.mark.parametrize(("path", "cwd"), ASKED)
@pytest.mark.parametrize(
    ("root", "by"),
    [
        ("link", "project"),
        ("project", "link"),
        ("link", "other"),
        ("above/project", "project"),
        ("project", "above/project"),
    ],
)
def test_a_root_and_a_path_may_come_through_links(root, by, path, cwd, make_repo):
    repo = make_repo({f"project/{name}": text for name, text in FILES.items()})
    for name, target in (("link", "project"), ("other", "link"), ("above", ".")):
        (repo / name).symlink_to(target)
    plain = told(Workspace(repo / "project"), path, cwd, repo / "project")
    assert told(Workspace(repo / root), path, cwd, repo / by) == plain


@pytest.mark.parametrize(
    "path", ["out/secret_plan.md", "out/src/mian.py", "up/other/x.py", "near/src/a.py"]
)
def test_what_lies_elsewhere_stays_outside(path, make_repo, tmp_path):
    repo = make_repo(FILES)
    repos.write_files(tmp_path / "elsewhere", {"src/b.py": ""})
    for name, target in (("out", "elsewhere"), ("up", "."), ("near", "elsewhere")):
        (tmp_path / name).symlink_to(target)
    found = Workspace(repo).resolve(str(tmp_path / path), "edit")
    assert found.outside
    assert found.permits == "named"


def test_of_a_home_folder_the_tracked_files_are_the_project(isolated):
    repos.start(isolated, {**FILES, "bin/deploy.sh": ""})
    repos.write_files(isolated, {"Downloads/status_report.md": "", "x/new_file.py": ""})
    space = Workspace(isolated)
    names = space.tree.names()
    assert sorted(names) == sorted([*FILES, "bin/deploy.sh"])
    assert names.cut_short, "there may be more"
    rows = [
        ("docs/status_reprt.md", "docs/status_report.md"),
        ("lib/telemetry.py", "src/pkg/telemetry.py"),
        ("scripts/deploy.sh", "bin/deploy.sh"),
        ("bin/deplyo.sh", "bin/deploy.sh"),
        ("new_file.py", None),
    ]
    for path, meant in rows:
        found = space.resolve(path)
        assert [each.path for each in found.candidates[:1]] == [meant][: bool(meant)]
        assert found.permits == "named", "nothing is called the only one"
