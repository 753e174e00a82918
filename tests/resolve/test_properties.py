"""What holds of every answer, whatever is written and whatever the project holds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tables import cases, resolve

from truepath import Guard, ToolCall, Workspace
from truepath.config.settings import Settings
from truepath.project.secrets import is_secret

FILES = {
    "README.md": "",
    ".gitignore": "dist/\n*.log\nprivate/\n",
    ".env": "KEY=1",
    "config/.env.production": "KEY=1",
    "deploy/id_rsa": "",
    "deploy/tls/server.key": "",
    "src/app/session_store.py": "",
    "src/app/format_currency.py": "",
    "src/app/__init__.py": "",
    "src/Components/InvoiceTable.tsx": "",
    "src/Components/index.ts": "",
    "tests/unit/test_session_store.py": "",
    "docs/Q3 planning.md": "",
    "docs/U\u0308bersicht.md": "",
    "docs/3月2日测试.md": "",
    "internal/strategy_paper.md": "",
    "one/totals.py": "",
    "two/totals.py": "",
    "dist/session_bundle.js": "",
    "private/salary_table.py": "",
    "logs/request_trace.log": "",
}
DENY = ("internal/",)
NEVER = ("dist/", "private/", "logs/", "internal/", ".git/")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """Return a project with everything that must never be offered, by plain path and by link."""
    place = tmp_path_factory.mktemp("place")
    outside = place / "outside"
    (outside / "deep").mkdir(parents=True)
    (outside / "deep" / "payroll_export.csv").write_text("secret")
    root = place / "project"
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    links = {
        "vendored": outside,
        "src/payroll_export.csv": outside / "deep" / "payroll_export.csv",
        "src/loop_alpha": root / "src/loop_beta",
        "src/loop_beta": root / "src/loop_alpha",
        "src/itself_again": root / "src",
        "docs/credentials_copy.txt": root / ".env",
        "docs/bundle_copy.js": root / "dist/session_bundle.js",
        "docs/strategy_copy.md": root / "internal/strategy_paper.md",
        "docs/dangling_note.md": root / "docs/gone.md",
        "src/store_alias.py": root / "src/app/session_store.py",
    }
    for name, target in links.items():
        os.symlink(target, root / name)
    return root


@pytest.fixture(scope="module")
def workspaces(project) -> list[Workspace]:
    """Return the project as a plain folder and as a repository."""
    import shutil
    import subprocess

    twin = project.parent / "repository"
    shutil.copytree(project, twin, symlinks=True)
    for name in os.listdir(twin / "src") + [
        f"../docs/{each}" for each in os.listdir(twin / "docs")
    ]:
        path = twin / "src" / name
        if path.is_symlink() and str(project) in os.readlink(path):
            target = os.readlink(path).replace(str(project), str(twin))
            path.unlink()
            os.symlink(target, path)
    subprocess.run(["git", "-C", twin, "init", "-q"], check=True)
    subprocess.run(["git", "-C", twin, "add", "."], check=True)
    return [Workspace(folder, deny=DENY) for folder in (project, twin)]


_NAMES = sorted(
    {
        *FILES,
        *(
            "vendored",
            "vendored/deep/payroll_export.csv",
            "payroll_export.csv",
            "credentials_copy.txt",
        ),
        *("src/loop_alpha", "loop_beta", "src/itself_again/app/session_store.py", "store_alias.py"),
        *("bundle_copy.js", "strategy_copy.md", "dangling_note.md", "server.key", "id_rsa"),
    }
)


def _mangled(path: str, how: str) -> str:
    parts = path.split("/")
    name = parts[-1]
    return {
        "as it is": path,
        "name alone": name,
        "without its first folder": "/".join(parts[1:]) or name,
        "below another": "lib/" + path,
        "doubled": f"{parts[0]}/{path}",
        "upper case": path.upper(),
        "a letter less": path[:-4] + path[-3:],
        "a letter more": name[:2] + "x" + name[2:],
        "with its line": f"{path}:12",
        "quoted": f"`{path}`",
        "another extension": os.path.splitext(path)[0] + ".ts",
        "another folder": f"src/other/{name}",
        "up and down": f"src/../{path}",
        "through a link": f"vendored/../{path}",
        "a container's": f"/workspace/{path}",
        "backslashes": path.replace("/", "\\"),
        "as a folder": path + "/",
    }[how]


MANGLED = st.builds(
    _mangled,
    st.sampled_from(_NAMES),
    st.sampled_from(
        "as it is|name alone|without its first folder|below another|doubled|upper case|"
        "a letter less|a letter more|with its line|quoted|another extension|another folder|"
        "up and down|through a link|a container's|backslashes|as a folder".split("|")
    ),
)
ANY_TEXT = st.text(max_size=60) | st.text("./\\~ab:`\"'%0\u202f\u0308月", max_size=30)
WRITTEN = MANGLED | ANY_TEXT
OPERATIONS = st.sampled_from(["read", "list", "search", "edit", "copy", "move", "delete"])
MAKING = st.sampled_from(["write", "mkdir"])
CWD = st.sampled_from([None, "", "src", "docs", "src/app", "/tmp", "nowhere"])
MANY = settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


ON_DISK = settings(MANY, max_examples=60)


def is_presentable(root: str, path: str) -> bool:
    """Return whether an existing path may be offered, by what can be seen on the disk alone."""
    real, real_root = os.path.realpath(f"{root}/{path}"), os.path.realpath(root)
    if not os.path.exists(real) or os.path.commonpath([real, real_root]) != real_root:
        return False
    inside = os.path.relpath(real, real_root)
    return not any(
        is_secret(each) or f"{each}/".startswith(NEVER) or each.endswith(".log")
        for each in (path, inside)
    )


@ON_DISK
@given(written=WRITTEN, operation=OPERATIONS, cwd=CWD)
def test_what_is_offered_exists_inside_and_may_be_shown(workspaces, written, operation, cwd):
    for workspace in workspaces:
        resolution = workspace.resolve(written, operation, cwd=cwd)

        offered = [candidate.path for candidate in resolution.candidates]
        if resolution.status == "resolved":
            assert resolution.path in offered
        for path in offered:
            assert is_presentable(workspace.root, path), (written, path)


@ON_DISK
@given(written=WRITTEN, operation=OPERATIONS, cwd=CWD)
def test_a_path_that_is_said_to_exist_exists_under_that_name(workspaces, written, operation, cwd):
    for workspace in workspaces:
        resolution = workspace.resolve(written, operation, cwd=cwd)

        if resolution.status == "exists":
            assert os.path.exists(os.path.join(workspace.root, resolution.path))


@ON_DISK
@given(written=WRITTEN, operation=OPERATIONS | MAKING, cwd=CWD)
def test_a_resolution_is_of_one_piece(workspaces, written, operation, cwd):
    resolution = workspaces[0].resolve(written, operation, cwd=cwd)

    has_path = resolution.status in ("exists", "resolved", "likely")
    assert (resolution.path is not None) is has_path
    confidences = [candidate.confidence for candidate in resolution.candidates]
    assert confidences == sorted(confidences, reverse=True)
    assert all(0 <= confidence <= 1 for confidence in confidences)
    assert sum(confidences) <= 1.001, "one file is meant, if any"
    assert len({candidate.path for candidate in resolution.candidates}) == len(confidences) <= 50
    assert resolution.written == written
    assert resolution.to_dict()["status"] == resolution.status


@ON_DISK
@given(written=WRITTEN, operation=OPERATIONS, cwd=CWD)
def test_resolving_a_result_gives_itself(workspaces, written, operation, cwd):
    for workspace in workspaces:
        resolution = workspace.resolve(written, operation, cwd=cwd)
        if resolution.path is None:
            continue
        again = workspace.resolve(resolution.path or ".", operation)
        assert (again.status, again.path) == ("exists", resolution.path)
        spelled = workspace.spell(resolution.path, written, cwd=cwd)
        assert workspace.resolve(spelled, operation, cwd=cwd).path == resolution.path


@ON_DISK
@given(written=WRITTEN, operation=OPERATIONS | MAKING, cwd=CWD)
def test_the_same_question_has_the_same_answer(workspaces, written, operation, cwd):
    workspace = workspaces[0]

    assert workspace.resolve(written, operation, cwd=cwd) == workspace.resolve(
        written, operation, cwd=cwd
    )


TOOLS = st.sampled_from(
    [("read_file", "path"), ("list_directory", "path"), ("replace", "file_path"), ("view", "path")]
)


@ON_DISK
@given(written=WRITTEN, tool=TOOLS, cwd=CWD, policy=st.sampled_from(["careful", "recover"]))
def test_before_leaves_its_own_rewritten_arguments_alone(project, written, tool, cwd, policy):
    guard = Guard(project, policy=policy, settings=Settings(deny=DENY, journal=False))
    name, argument = tool
    call = ToolCall(name, {argument: written, "limit": 3}, cwd=cwd)

    decision = guard.before(call)

    assert decision.action in ("allow", "rewrite", "refuse", "advise")
    assert (decision.arguments != call.arguments) is (decision.action == "rewrite")
    if decision.action == "rewrite":
        again = guard.before(ToolCall(name, decision.arguments, cwd=cwd))
        assert (again.action, again.arguments) == ("allow", decision.arguments)
    assert len(decision.text) < 2000


@ON_DISK
@given(written=WRITTEN, cwd=CWD, policy=st.sampled_from(["careful", "recover", "suggest"]))
def test_a_write_is_never_turned_to_a_file_that_is_there(project, written, cwd, policy):
    guard = Guard(project, policy=policy, settings=Settings(deny=DENY, journal=False))

    decision = guard.before(ToolCall("write_file", {"path": written, "content": ""}, cwd=cwd))

    used = decision.arguments["path"]
    if used != written:
        assert not os.path.lexists(os.path.join(project, cwd or "", used))


@ON_DISK
@given(written=WRITTEN)
def test_no_answer_names_a_secret_or_what_lies_outside(project, written):
    assume("payroll" not in written and "salary" not in written)
    guard = Guard(project, settings=Settings(deny=DENY, journal=False))

    text = guard.before(ToolCall("read_file", {"path": written})).text

    told = text.replace(written, "")
    for word in ("salary_table", "payroll_export", "server.key`", "strategy_paper", "id_rsa`"):
        if word.strip("`") not in written:
            assert word not in told


# Names alone


_PART = st.sampled_from("src lib tests app core docs a b 月 é".split())
_FILE = st.sampled_from(
    "a.py b.py index.ts README.md user_store.py user-store.ts session.go test_session.go".split()
)
_TREE = st.lists(
    st.builds(lambda parts, name: "/".join([*parts, name]), st.lists(_PART, max_size=3), _FILE),
    max_size=15,
    unique=True,
)
_WRONG = st.builds(lambda parts, name: "/".join([*parts, name]), st.lists(_PART, max_size=4), _FILE)


@MANY
@given(tree=_TREE, written=_WRONG | ANY_TEXT, operation=OPERATIONS)
def test_a_search_that_was_cut_short_proves_nothing(tree, written, operation):
    workspace = Workspace.from_names(tree, cut_short=True)

    resolution = workspace.resolve(written, operation)

    if resolution.searched.cut_short:
        assert resolution.status not in ("resolved", "absent")
    else:
        # It is there, or is once its decorations are undone, or no disk can hold it: the listing
        # was not asked.
        assert resolution.searched.names == 0
        assert resolution == Workspace.from_names(tree).resolve(written, operation)


@MANY
@given(
    tree=_TREE, written=_WRONG, operation=OPERATIONS, flavour=st.sampled_from(["posix", "macos"])
)
def test_what_is_there_is_never_taken_for_another(tree, written, operation, flavour):
    tree = [path for path in {*tree, written} if not written.startswith(path + "/")]
    resolution = Workspace.from_names(tree, flavour=flavour).resolve(written, operation, kind="any")

    assert (resolution.status, resolution.path) == ("exists", written)


@MANY
@given(tree=_TREE, written=_WRONG, operation=OPERATIONS)
def test_every_candidate_is_in_the_project(tree, written, operation):
    workspace = Workspace.from_names(tree)

    for candidate in workspace.resolve(written, operation).candidates:
        assert workspace.kind(candidate.path) == ("folder" if candidate.folder else "file")


@MANY
@given(tree=_TREE, written=_WRONG)
def test_the_kind_that_is_asked_for_is_the_kind_that_is_given(tree, written):
    workspace = Workspace.from_names(tree)

    for operation, kind in (("read", "file"), ("list", "folder")):
        resolution = workspace.resolve(written, operation)
        if resolution.path is not None:
            assert workspace.kind(resolution.path) == kind


@MANY
@given(
    tree=_TREE, written=_WRONG, root=st.sampled_from(["/zeta", "/home/u/dev/zeta", "C:/dev/zeta"])
)
def test_the_answer_does_not_depend_on_where_the_project_lies(tree, written, root):
    flavour = "windows" if root[1] == ":" else "posix"
    here = Workspace.from_names(tree, root="/srv/zeta").resolve(written)
    there = Workspace.from_names(tree, root=root, flavour=flavour).resolve(written)

    assert (here.status, here.path) == (there.status, there.path)


TABLED = [
    param.values[0] for table in ("corrects", "finds", "leaves_alone") for param in cases(table)
]


@MANY
@given(
    case=st.sampled_from(TABLED), unlike=st.sampled_from(["zq/xyzzy.bin", "qqq.wasm", "zq/zq/0"])
)
def test_a_file_like_no_other_changes_nothing(case, unlike):
    before, after = resolve(case), resolve({**case, "with": [*case.get("with", ()), unlike]})

    assert (after.status, after.path) == (before.status, before.path)
    assert unlike not in [candidate.path for candidate in after.candidates]


@MANY
@given(
    written=st.text(max_size=200),
    operation=OPERATIONS | MAKING,
    flavour=st.sampled_from(["posix", "windows", "macos"]),
)
def test_any_text_has_an_answer(written, operation, flavour):
    workspace = Workspace.from_names(
        FILES, root="C:/w" if flavour == "windows" else "/w", flavour=flavour
    )

    resolution = workspace.resolve(written, operation)

    assert resolution.status in (
        "exists",
        "resolved",
        "ambiguous",
        "absent",
        "outside",
        "directory",
    )
