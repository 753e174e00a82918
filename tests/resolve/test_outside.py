"""Paths that point outside the project: whose they are, and what is done for them inside."""

from __future__ import annotations

import itertools

import pytest
from rows import check_each

from truepath import Guard, ToolCall, Workspace
from truepath.config.presets import PRESETS
from truepath.resolve import outside
from truepath.resolve.prefixes import place

NAMES = [
    "README.md",
    "pyproject.toml",
    "docs/status.md",
    "packages/api/README.md",
    "scripts/deploy.sh",
    "src/flask/app.py",
    "src/flask/json/tag.py",
    "tests/test_app.py",
]
ROOT = "/home/ada/work/flask"


def decide(tool, arguments, *, root=ROOT, policy="careful", **more):
    guard = Guard(workspace=Workspace.from_names(NAMES, root=root), policy=policy)
    return guard.before(ToolCall(tool, arguments, **more))


def shell(command, **more):
    return decide("Bash", {"command": command}, **more)


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("/home/ann/flask/a.py", "/home/ann"),
        ("/Users/ann/flask/a.py", "/Users/ann"),
        ("C:/Users/ann/flask/a.py", "C:/Users/ann"),
        ("/root/flask/a.py", "/root"),
        ("/home/ann/flask/.github/ci.yml", "/home/ann"),
        ("/workspace/a.py", "/workspace"),
        ("/usr/src/app/a.py", "/usr/src/app"),
        ("/mnt/disk9/flask/a.py", "/mnt/disk9"),
        ("/path/to/flask/a.py", "/path"),
        ("D:/work/flask/a.py", "D:/work"),
        ("//server/share/flask/a.py", "//server/share"),
        ("/tmp/flask/a.py", ""),
        ("/private/tmp/flask/a.py", ""),
        ("/usr/src/flask/a.py", ""),
        ("/lib/flask/a.py", ""),
        ("/proc/1/flask/a.py", ""),
        ("C:/Program Files/flask/a.py", ""),
        ("/home/ann/.config/flask/a.py", ""),
        ("/home/ann/.cache/flask/a.py", ""),
        ("/root/.local/share/flask/a.py", ""),
        ("/Users/ann/Library/flask/a.py", ""),
        ("C:/Users/ann/AppData/flask/a.py", ""),
        ("/home/ann/venv/lib/python3.11/site-packages/flask/a.py", ""),
        ("/workspace/node_modules/flask/a.js", ""),
        ("/", "/"),
    ],
)
def test_a_checkout_lies_below_some_folders_only(path, folder):
    assert place(path) == folder


FOREIGN = [
    "/workspace",
    "/workspaces/flask",
    "/repo",
    "/testbed",
    "/home/bob/flask",
    "/home/bob/code/flask",
    "/root/flask",
    "/path/to/flask",
    "/path/to/project",
    "/home/adaa/work/flask",
    "/home/ada/work/flaskk",
]
"""Where other machines have this project, and its own folder misspelt."""


@pytest.mark.parametrize("prefix", FOREIGN)
@pytest.mark.parametrize("path", ["src/flask/app.py", "src/flask/json/tag.py"])
def test_what_another_machine_has_is_read_here(prefix, path):
    decision = decide("Read", {"file_path": f"{prefix}/{path}"})

    assert decision.action == "rewrite"
    assert decision.arguments == {"file_path": f"{ROOT}/{path}"}


@pytest.mark.parametrize(
    "command",
    [
        "sed -i s/a/b/ {}/src/flask/app.py",
        "mv {}/src/flask/app.py old.py",
        "rm {}/src/flask/app.py",
        "cp {}/src/flask/app.py old.py",
        "python {}/src/flask/app.py",
        "echo x > {}/src/flask/new.py",
        "mkdir {}/src/flask/sansio",
    ],
)
def test_nothing_is_changed_or_run_here_for_a_path_outside(command):
    def check(row):
        prefix, policy = row
        written = command.format(prefix)
        decision = shell(written, policy=policy, session=repr(row))
        assert decision.action in ("allow", "advise", "refuse")
        assert decision.arguments == {"command": written}

    check_each(itertools.product(FOREIGN, PRESETS), check)


@pytest.mark.parametrize("prefix", FOREIGN)
@pytest.mark.parametrize("tool", ["Edit", "delete_file", "move_file"])
def test_the_path_inside_is_named_where_the_call_would_fail(prefix, tool):
    arguments = {"Edit": "file_path", "delete_file": "path", "move_file": "source"}
    decision = decide(tool, {arguments[tool]: f"{prefix}/src/flask/app.py"})

    assert decision.action == "refuse"
    assert f"Did you mean `{ROOT}/src/flask/app.py`" in decision.text


ELSEWHERE = [
    "/tmp/flask",
    "/etc/flask",
    "/var/lib/flask",
    "/var/log/flask",
    "/usr/share/flask",
    "/opt/flask",
    "/opt/acme/flask",
    "/srv/flask",
    "/home/ada/.config/flask",
    "/home/ada/.cache/flask",
    "/usr/local/lib/python3.11/site-packages/flask",
    "/workspace/node_modules/flask",
    "/home/ada/work/other",
]
"""Folders of other things; some have the project's name."""


@pytest.mark.parametrize(
    "command",
    [
        "cat {}/README.md",
        "ls {}/docs",
        "ls {}",
        "diff pyproject.toml {}/pyproject.toml && echo SAME",
        "mv {}/README.md /tmp/x.md",
        "sed -i s/a/b/ {}/pyproject.toml",
        "bash {}/scripts/deploy.sh",
        "rm {}/pyproject.toml",
        "echo x > {}/notes.md",
        "mkdir -p {}/docs/new",
        "cat {}/packages/api/readme.md",
    ],
)
def test_what_is_of_something_else_is_let_through_without_a_word(command):
    def check(row):
        prefix, policy = row
        decision = shell(command.format(prefix), policy=policy, session=repr(row))
        assert (decision.action, decision.text) == ("allow", "")

    check_each(itertools.product(ELSEWHERE, ["careful", "recover"]), check)


@pytest.mark.parametrize("tool", ["Read", "Edit", "Write"])
@pytest.mark.parametrize("prefix", ELSEWHERE)
def test_so_it_is_by_a_tool(prefix, tool):
    decision = decide(tool, {"file_path": f"{prefix}/docs/readme.md"}, policy="recover")

    assert (decision.action, decision.text) == ("allow", "")


@pytest.mark.parametrize(
    "command",
    [
        "cd {there} && sed -i s/x/y/ src/flask/app.py",
        "cd {there} && cat src/flask/app.py",
        "cd {there} && python scripts/deploy.sh",
        "cd {there} && ls docs",
        "cd {there} && cat > docs/new.md",
        "cd {there} && mkdir -p docs/new",
        "cat {there}/readme.md",
        "cat ../other/readme.md",
    ],
)
@pytest.mark.parametrize("policy", ["careful", "recover"])
def test_a_folder_of_another_project_is_its_own(tmp_path, write, command, policy):
    write(tmp_path / "flask", dict.fromkeys(NAMES, ""))
    write(tmp_path / "other", {"README.md": "", "setup.py": ""})
    guard = Guard(tmp_path / "flask", policy=policy)
    call = ToolCall("Bash", {"command": command.format(there=tmp_path / "other")})

    assert (guard.before(call).action, guard.before(call).text) == ("allow", "")


@pytest.mark.parametrize("prefix", ["/workspace", "/home/alice/flask", "/testbed", "/path/to/p"])
def test_a_new_file_is_named_below_the_longest_way_that_is_there(prefix):
    workspace = Workspace.from_names(NAMES, root=ROOT)

    resolution = workspace.resolve(f"{prefix}/src/flask/new.py", "write")

    assert (resolution.status, resolution.path) == ("ambiguous", None)
    assert [one.path for one in resolution.candidates] == ["src/flask/new.py"]


def test_the_folders_around_the_project_belong_to_nothing_else(tmp_path, write):
    """`/workspace/src/a.py` means a file of the project `/workspace/flask`."""
    write(tmp_path / "work/flask", dict.fromkeys(NAMES, ""))
    write(tmp_path / "work/other", {"setup.py": ""})
    root = str(tmp_path / "work/flask")
    workspace = Workspace(root)
    tree, frame = workspace._tree, workspace.frame(None)

    assert outside._is_there(tree, frame, f"{tmp_path}/work/other")
    assert not outside._is_there(tree, frame, f"{tmp_path}/work")


def test_a_new_file_is_made_where_the_folder_of_that_machine_is_this_ones(tmp_path, write):
    write(tmp_path / "home/ada/flask", dict.fromkeys(NAMES, ""))
    guard = Guard(tmp_path / "home/ada/flask")
    path = f"{tmp_path}/home/ada/other/docs/new.md"

    assert guard.before(ToolCall("Write", {"file_path": path, "content": ""})).text == ""


@pytest.mark.parametrize(
    "command", ["mkdir -p /app/data", "echo x > /workspace/notes.md", "touch /repo/.done"]
)
@pytest.mark.parametrize("policy", ["careful", "recover"])
def test_what_a_container_keeps_at_its_top_is_made_there(command, policy):
    assert shell(command, policy=policy).text == ""


class TestOwnRoot:
    @pytest.mark.parametrize(
        "folder",
        [
            "/repo",
            "/testbed",
            "/workspace",
            "/workspace/flask",
            "/home/bob/flask",
            "/Users/b/flask",
        ],
    )
    @pytest.mark.parametrize("command", ["ls {}", "find {} -name x", "git -C {} status", "cd {}"])
    def test_is_looked_at_in_its_place(self, folder, command):
        decision = shell(command.format(folder))

        assert decision.action == "rewrite"
        assert decision.arguments == {"command": command.format(ROOT)}
        assert decision.text.startswith(
            f"PATH_CORRECTED: `{folder}` does not exist; using `{ROOT}`"
        )

    def test_is_entered_before_a_path_in_it_is_read(self):
        decision = shell("cd /testbed && cat docs/status.md")

        assert decision.arguments == {"command": f"cd {ROOT} && cat docs/status.md"}
        assert decision.text.count("PATH_CORRECTED") == 1

    @pytest.mark.parametrize("folder", ["/path/to/flask", "/home/ada/old/flask"])
    def test_is_named_where_its_name_alone_speaks_for_it(self, folder):
        decision = decide("LS", {"path": folder})

        assert decision.action == "refuse"
        assert f"Did you mean `{ROOT}/`?" in decision.text

    @pytest.mark.parametrize(
        "command", ["rm -rf /repo", "mv /workspace/flask /tmp/x", "cp -r /testbed /tmp/x"]
    )
    @pytest.mark.parametrize("policy", ["careful", "recover"])
    def test_is_never_changed(self, command, policy):
        assert shell(command, policy=policy).text == ""

    @pytest.mark.parametrize("folder", ["/src", "/root", "/home/user", "/tmp/flask", "/opt/flask"])
    def test_is_not_meant_by_every_folder(self, folder):
        assert "PATH_CORRECTED" not in shell(f"ls {folder}").text
