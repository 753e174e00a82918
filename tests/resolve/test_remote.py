"""A project in a sandbox is answered as the same project on disk, and never worse."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
import repos
from past import text
from rows import check_each
from sandboxes import TREATS, Counted, cut_at, ssh_server
from tables import rows, trees

from truepath import (
    ConfigError,
    Guard,
    SandboxError,
    ShellRunner,
    ToolCall,
    Workspace,
)
from truepath.project.remote import sandbox, tree

LONG = 30.0


def remote(root, runner=None, **how):
    return Workspace.remote(runner or Counted(), root=str(root), timeout_s=LONG, **how)


def told(resolution):
    names = [candidate.path for candidate in resolution.candidates]
    return resolution.status, resolution.path, names, resolution.note, resolution.target


def moved(repo):
    repos.start(
        repo,
        {
            "specs/status.md": text("status"),
            "src/app/main.py": text("main"),
            "src/app/settings.py": text("settings"),
            "src/lib/util.py": text("util"),
            "tests/lib/util.py": text("test"),
            "web/style.css": text("css"),
            "old/gone.py": text("gone"),
            'sp ace/na\'me "q".md': text("odd"),
            "ünï/naïve.md": text("unicode"),
            ".env": "KEY=1\n",
            ".gitignore": "build/\n*.log\n",
            "README.md": text("readme"),
        },
    )
    repos.move_file(repo, "specs/status.md", "docs/status.md")
    repos.run_git(repo, "rm", "--quiet", "old/gone.py")
    repos.commit_all(repo, "drop")


@pytest.fixture
def project(copy_of):
    """A repository that has what goes wrong: moves, deletions, ignored files, secrets, links."""
    repo = copy_of(moved)
    (repo / "build").mkdir()
    (repo / "build/bundle.js").write_text("x")
    (repo / "notes.log").write_text("x")
    (repo / "src/new_one.py").write_text("new")
    (repo / "src/lib/util.py").rename(repo / "src/lib/helpers.py")
    outside = repo.parent / "outside"
    outside.mkdir()
    (outside / "plans.md").write_text("plan")
    (repo / "leaving").symlink_to(outside)
    (repo / "leaving.md").symlink_to(outside / "plans.md")
    (repo / "inner.py").symlink_to("src/app/main.py")
    (repo / "linked").symlink_to("src/app")
    (repo / "secret_link.txt").symlink_to(".env")
    (repo / "dangling").symlink_to("nowhere")
    return repo


ASKED = [
    # written, operation
    ("README.md", "read"),
    ("readme.md", "edit"),
    ("specs/status.md", "read"),
    ("specs/status.md", "edit"),
    ("specs/status.md", "delete"),
    ("specs", "list"),
    ("{root}/specs/status.md", "read"),
    ("/home/ann/work/repo/src/app/main.py", "read"),
    ("main.py", "read"),
    ("app/main.py", "read"),
    ("app/main.py:12", "read"),
    ("src/app/setings.py", "read"),
    ("web/style.scss", "read"),
    ("util.py", "read"),
    ("old/gone.py", "read"),
    ("nothing/like/this.py", "read"),
    ("build/bundle.js", "read"),
    ("bundle.js", "read"),
    ("build/bundle.jsx", "read"),
    ("notes.logs", "read"),
    (".env", "read"),
    ("config/.env", "read"),
    ("leaving/plans.md", "read"),
    ("plans.md", "read"),
    ("leaving.mdx", "read"),
    ("linked/main.py", "read"),
    ("linked/mian.py", "read"),
    ("iner.py", "read"),
    ("secret_link.tx", "read"),
    ("dangling", "read"),
    ("dangling", "delete"),
    ("src/new_on.py", "read"),
    ('space/na\'me "q".md', "read"),
    ("uni/naive.md", "read"),
    ("src/app/new.py", "write"),
    ("scr/app/new.py", "write"),
    ("src/app", "read"),
    ("src/app/main.py", "list"),
    ("src/*.py", "search"),
    ("linked/../lib/helpers.py", "read"),
    ("../outside/plans.md", "read"),
    ("../../etc/passwd", "read"),
    ("/etc/passwd", "read"),
    ("/etc/pasword", "read"),
    ("", "read"),
    ("a\nb", "read"),
    ("$(touch hacked)", "read"),
    ("-rf", "delete"),
    ("--help", "list"),
    ("'; touch hacked; '", "read"),
    ("\udcff\udcfe.py", "read"),
    ("x" * 5000, "read"),
    ("a/" * 600, "list"),
]


def test_it_says_of_a_path_what_is_said_on_disk(project):
    far, disk = remote(project), Workspace(project, timeout_s=LONG)

    def check(row):
        written, operation = row
        path = written.format(root=project) if "{root}" in written else written
        assert told(far.resolve(path, operation)) == told(disk.resolve(path, operation))

    check_each(ASKED, check, lambda row: repr(row)[:60])
    assert not (project / "hacked").exists()


TABLES = [
    (table, case)
    for table in ("corrects", "leaves_alone")
    for case in rows(table)
    if not {"with", "without", "flavour", "root", "cut_short"} & {*case}
    and isinstance(case["tree"], str)
]


@pytest.mark.heavy
@pytest.mark.parametrize("name", sorted({case["tree"] for _, case in TABLES}))
def test_what_the_tables_say_holds_in_a_sandbox(make_repo, name):
    repo = make_repo({path: text(path, 3) for path in trees()[name] if not path.endswith("/")})
    far = remote(repo)
    for table, case in TABLES:
        if case["tree"] != name:
            continue
        how = {"cwd": case.get("cwd"), "kind": case.get("kind")}
        disk = Workspace(repo, deny=case.get("deny", ()), timeout_s=LONG)
        asked = far if "deny" not in case else remote(repo, deny=case["deny"])
        found = asked.resolve(case["written"], case["operation"], **how)
        on_disk = disk.resolve(case["written"], case["operation"], **how)
        assert told(found) == told(on_disk), (table, case)


@pytest.mark.parametrize("treat", TREATS.values(), ids=TREATS)
def test_whatever_a_runner_does_to_answers_they_are_the_same(project, treat):
    far = remote(project, Counted(treat))

    assert far.resolve("specs/status.md").path == "docs/status.md"
    assert far.resolve("nothing/like/this.py").status == "absent"


def test_what_is_there_takes_one_short_command_and_then_none(project):
    runner = Counted()
    far = remote(project, runner)

    assert far.resolve("src/app/main.py").status == "exists"
    assert len(runner.commands) == 1
    far.resolve("src/app/missing_one.py")
    asked = len(runner.commands)
    assert far.resolve("src/app/main.py").status == "exists"
    assert far.resolve("src/app/settings.py", "edit").status == "exists"
    assert len(runner.commands) == asked


def test_a_miss_takes_few_commands(project):
    runner = Counted()
    remote(project, runner).resolve("specs/status.md")

    # The path; the names; the log; what HEAD has of it; the new path on disk; the candidates.
    assert len(runner.commands) <= 6


def test_a_new_file_is_there_at_once(project):
    far = remote(project)
    assert far.resolve("src/fresh.py").status == "absent"
    (project / "src/fresh.py").write_text("x")
    far.changed()

    assert far.resolve("src/fresh.py").status == "exists"
    assert far.resolve("fresh.py").candidates[0].path == "src/fresh.py"


def test_a_file_that_another_program_makes_is_there_at_once(project):
    far = remote(project)
    assert far.resolve("src/fresh.py").status == "absent"
    (project / "src/fresh.py").write_text("x")

    assert far.resolve("src/fresh.py").status == "exists"


def test_what_has_gone_since_it_was_listed_is_not_named(project, monkeypatch):
    monkeypatch.setattr(tree, "_LOOKED", 0.0)
    far = remote(project)
    assert far.resolve("app/main.py").path == "src/app/main.py"
    (project / "src/app/main.py").unlink()

    found = far.resolve("app/main.py")

    assert "src/app/main.py" not in [each.path for each in found.candidates]
    assert found.path is None


def test_what_has_become_a_link_that_leads_out_is_not_named(project, monkeypatch):
    monkeypatch.setattr(tree, "_LOOKED", 0.0)
    far = remote(project)
    assert far.resolve("app/main.py").path == "src/app/main.py"
    (project / "src/app/main.py").unlink()
    (project / "src/app/main.py").symlink_to(project.parent / "outside/plans.md")

    assert "src/app/main.py" not in [each.path for each in far.resolve("app/main.py").candidates]


def test_nothing_of_this_machine_is_looked_at(project, tmp_path, monkeypatch):
    """A root that is somebody else's folder here, and the project there."""
    place = str(tmp_path / "here")
    os.mkdir(place)
    Path(place, "local.py").write_text("x")
    inner = Counted()
    there = str(project)

    def runner(command, timeout):
        return inner(command.replace(place, there), timeout)

    for name in ("stat", "lstat", "scandir", "listdir", "open", "readlink"):
        real = getattr(os, name)

        def guarded(path, *more, real=real, name=name, **how):
            assert place not in str(path), f"os.{name}({path!r})"
            return real(path, *more, **how)

        monkeypatch.setattr(os, name, guarded)
    monkeypatch.chdir(tmp_path)
    guard = Guard(workspace=remote(place, runner), on_event=lambda _: None)

    for tool, arguments in [
        ("read_file", {"path": "specs/status.md"}),
        ("read_file", {"path": f"{place}/specs/status.md"}),
        ("read_file", {"path": "util.py"}),
        ("read_file", {"path": "local.py"}),
        ("write_file", {"path": "scr/app/new.py", "content": ""}),
        ("edit_file", {"path": "app/main.py", "old_string": "x", "new_string": "y"}),
        ("move_file", {"source": "specs/status.md", "destination": "docs/b.md"}),
        ("bash", {"command": "cat specs/status.md ~/notes.md && diff specs/status.md README.md"}),
    ]:
        for check in (guard.before, guard.check):
            check(ToolCall(tool, arguments))


def test_a_folder_without_git_is_listed_as_on_disk(make_repo):
    files = {
        "src/app/main.py": "",
        "src/.gitignore": "gen/\n!gen/\n*.tmp\n",
        "src/x.tmp": "",
        ".gitignore": "out/\n/top.txt\n",
        "out/main2.py": "",
        "top.txt": "",
        "src/top.txt": "",
        "a\nb.py": "",
    }
    folder = make_repo(files, git=False)

    assert [*remote(folder).names().files] == [*Workspace(folder).names().files]
    assert told(remote(folder).resolve("app/main.py")) == told(
        Workspace(folder).resolve("app/main.py")
    )


def test_names_are_those_on_disk(project, make_repo, git, commit):
    inner = make_repo({"inner.py": "x", "lib/deep.py": "y"})
    git(project, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "sub")
    commit(project)
    own = project / "own"
    shutil.copytree(inner, own)
    git(project, "worktree", "add", "-q", str(project / "trees/other"))
    (project / "docs/status.md").unlink()

    on_disk = {name for name in Workspace(project).names().files if os.path.lexists(project / name)}
    assert {*remote(project).names().files} == on_disk
    assert {"sub/inner.py", "own/lib/deep.py"} <= on_disk


def test_a_part_of_a_repository_has_its_own_names_and_history(project):
    far, disk = remote(project / "src"), Workspace(project / "src", timeout_s=LONG)

    for written in ("main.py", "app/mian.py", "lib/util.py", "../docs/status.md"):
        assert told(far.resolve(written)) == told(disk.resolve(written)), written


@pytest.mark.parametrize("root", ["relative", "", "/", "/usr", "/home", "~/x", "/work\0space"])
def test_a_root_that_is_no_project_is_a_config_error(root):
    with pytest.raises(ConfigError):
        Workspace.remote(Counted(), root=root)


@pytest.mark.parametrize("root", ["/no/such/folder", "/etc/passwd"])
def test_of_a_root_that_is_not_there_nothing_is_said(root):
    guard = Guard(workspace=remote(root), on_event=lambda _: None)

    with pytest.raises(SandboxError):
        guard.workspace.resolve("src/a.py")
    assert guard.check(ToolCall("read_file", {"path": "src/a.py"})).decision.action == "allow"


def fail(command, timeout):
    raise ConnectionError("the box is gone")


DEAD = {
    "raises": fail,
    "says nothing": lambda command, timeout: "",
    "hangs": lambda command, timeout: time.sleep(60),
}


@pytest.mark.parametrize("runner", DEAD.values(), ids=DEAD)
def test_without_an_answer_every_call_runs_as_it_came(runner, monkeypatch):
    monkeypatch.setattr(sandbox, "_GRACE", 0.1)
    workspace = Workspace.remote(runner, timeout_s=0.1)
    guard = Guard(workspace=workspace, on_event=lambda _: None)

    for _ in range(3):
        checked = guard.check(ToolCall("read_file", {"path": "src/a.py"}))
        assert not checked.refusal
        assert checked.arguments == {"path": "src/a.py"}
        assert checked.failed("No such file or directory: src/a.py") == ""
    assert guard.wrap(lambda path: path, name="read_file")("src/a.py") == "src/a.py"


def test_a_sandbox_that_dies_in_the_middle_is_no_opinion(project):
    for allowed in range(1, 8):
        left = [allowed]
        inner = Counted()

        def runner(command, timeout, left=left, inner=inner):
            left[0] -= 1
            return inner(command, timeout) if left[0] >= 0 else b""

        guard = Guard(workspace=remote(project, runner), on_event=lambda _: None)
        decision = guard.check(ToolCall("read_file", {"path": "docs/stats.md"})).decision
        if decision.action == "refuse":
            assert "docs/status.md" in decision.text


def test_a_guard_works_as_before(project):
    guard = Guard(workspace=remote(project), on_event=lambda _: None)

    corrected = guard.check(ToolCall("read_file", {"path": "specs/status.md"}))
    assert corrected.arguments == {"path": "docs/status.md"}
    assert guard.check(ToolCall("read_file", {"path": "nothing/x.py"})).refusal
    shell = guard.check(ToolCall("bash", {"command": "cat specs/status.md"}))
    assert shell.arguments == {"command": "cat docs/status.md"}
    assert not guard.check(ToolCall("bash", {"command": "cat ~/.config/x.toml"})).refusal


def test_a_failure_is_explained_though_the_names_were_fresh(project):
    guard = Guard(workspace=remote(project), on_event=lambda _: None)
    guard.check(ToolCall("read_file", {"path": "nothing/x.py"}))
    (project / "src/app/main.py").unlink()

    checked = guard.check(ToolCall("read_file", {"path": "src/app/main.py"}))
    assert not checked.refusal

    assert "PATH_NOT_FOUND" in checked.failed(
        "[Errno 2] No such file or directory: 'src/app/main.py'"
    )


def test_only_the_last_commits_are_read_and_no_more_is_claimed(project, monkeypatch):
    from truepath.project.remote import history

    monkeypatch.setattr(history, "_MOST_COMMITS", 0)
    far = remote(project)

    assert "renamed" not in far.resolve("specs/status.md").note
    assert far.resolve("never/was.py").note != "never in git"


def test_the_repository_of_whoever_runs_it_is_not_asked(project, make_repo, monkeypatch):
    other = make_repo({"other.py": "x"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_TRACE", str(project.parent / "trace"))

    names = remote(project).names().files

    assert "src/app/main.py" in names
    assert "other.py" not in names
    assert not (project.parent / "trace").exists()


def test_no_program_of_the_repository_is_run(project, git):
    for setting in ("core.fsmonitor", "diff.external", "core.sshCommand", "gpg.program"):
        git(project, "config", setting, f"touch {project}/ran; false")
    git(project, "config", "filter.x.clean", f"touch {project}/ran; cat")
    (project / ".gitattributes").write_text("* filter=x diff=x\n")
    git(project, "config", "diff.x.textconv", f"touch {project}/ran; cat")

    far = remote(project)
    far.resolve("specs/status.md")
    far.resolve("src/lib/util.py")
    far.resolve("never/was.py")

    assert not (project / "ran").exists()


@pytest.mark.parametrize("many", [20_000, pytest.param(200_000, marks=pytest.mark.heavy)])
def test_many_names_come_through_a_sandbox_that_cuts(tmp_path, many):
    # Names that compress as those of a real project do; no such files are made.
    names = [f"pkg{n % 97}/mod{n % 1009}/part_{n:x}_{n * 7919 % 65521:x}.py" for n in range(many)]
    printed = b"\0walk\0=/workspace\0\0rules\0\0links\0\0files\0" + b"".join(
        f"./{name}\0".encode() for name in names
    )
    (tmp_path / "names").write_bytes(printed + b"\0whole\0")
    inner = Counted(cut_at(many // 2))

    def runner(command, timeout):
        if "part walk" in command:
            head, rest = command.split("packed=$({\n", 1)
            rest = rest[rest.index("\n} 2>/dev/null | pack") :]
            command = f"{head}packed=$({{\ncat {tmp_path}/names{rest}"
        return inner(command, timeout)

    far = Workspace.remote(runner, root=str(tmp_path), timeout_s=60.0)

    assert len(far.names()) == len({*names})
    assert Counter(len(command) < 131_072 for command in inner.commands)[False] == 0


@pytest.mark.root
def test_busybox_alone_will_do(tmp_path):
    """No git, no Python, no bash, no readlink but busybox's own."""
    if os.geteuid() or not shutil.which("busybox") or not shutil.which("chroot"):
        pytest.skip("needs root, and busybox: apt-get install busybox")
    box = tmp_path / "box"
    (box / "bin").mkdir(parents=True)
    needs = subprocess.run(
        ["ldd", shutil.which("busybox")], capture_output=True, text=True, check=False
    )
    shutil.copy(shutil.which("busybox"), box / "bin/busybox")
    for word in needs.stdout.split():
        if word.startswith("/"):
            (box / word[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(word, box / word[1:])
    (box / "dev").mkdir()
    (box / "dev/null").touch()
    subprocess.run(["chroot", box, "/bin/busybox", "--install", "-s", "/bin"], check=True)
    for name in ("src/app/main.py", "docs/a b.md", ".env"):
        (box / "workspace" / name).parent.mkdir(parents=True, exist_ok=True)
        (box / "workspace" / name).write_text("x")
    (box / "workspace/.gitignore").write_text("dist/\n")
    (box / "workspace/out.md").symlink_to("/etc")
    far = Workspace.remote(ShellRunner("chroot", str(box), "/bin/sh"), timeout_s=LONG)

    assert far.resolve("app/main.py").path == "src/app/main.py"
    assert far.resolve("/workspace/docs/a  b.md").candidates[0].path == "docs/a b.md"
    assert far.resolve("src/nothing.rs").status == "absent"
    assert far.resolve("out.mdx").candidates == ()


@pytest.mark.heavy
def test_it_works_over_ssh(project, tmp_path):
    with ssh_server(tmp_path / "ssh") as runner:
        far = Workspace.remote(runner, root=str(project), timeout_s=LONG)

        assert far.resolve("README.md").status == "exists"
        assert far.resolve("specs/status.md").path == "docs/status.md"
        assert far.resolve('sp ace/na\'me "q".MD').path == 'sp ace/na\'me "q".md'
        assert far.resolve("nothing/x.py").status == "absent"
