from __future__ import annotations

import shutil
import subprocess

import pytest

from truepath import Guard, ToolCall, Workspace
from truepath.project import git as runner
from truepath.project.worktrees import path_in_other

FILES = {
    "README.md": "# Shop",
    "src/app/billing.py": "billing",
    "src/app/models.py": "models",
    "docs/status.md": "",
}


NAMES = ("main", "feature", "sibling", "inner", "clone", "other")


@pytest.fixture(scope="module")
def template(tmp_path_factory):
    """Make a main checkout, its work trees, a clone and another repository, once."""
    top = tmp_path_factory.mktemp("checkouts")

    def git(folder, *args):
        identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
        subprocess.run(["git", *identity, "-C", top / folder, *args], check=True)

    for folder, files in (("main", FILES), ("other", {"src/app/billing.py": "another"})):
        for name, text in files.items():
            (top / folder / name).parent.mkdir(parents=True, exist_ok=True)
            (top / folder / name).write_text(text)
        git(folder, "init", "--quiet", "--initial-branch=main")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=first")
    for name in ("feature", "sibling"):
        git("main", "worktree", "add", "--quiet", top / name)
    git("main", "worktree", "add", "--quiet", top / "main/.claude/worktrees/inner")
    git(".", "clone", "--quiet", "main", "clone")
    (top / "main/src/app/main_only.py").write_text("")
    (top / "feature/src/app/feature_only.py").write_text("")
    return top


@pytest.fixture
def trees(template, tmp_path):
    """Return a copy of each, wired to one another as the first ones are."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    named = [*tmp_path.glob("*/.git"), *tmp_path.glob("main/.git/worktrees/*/gitdir")]
    named += [tmp_path / "main/.claude/worktrees/inner/.git", tmp_path / "clone/.git/config"]
    for file in named:
        if file.is_file():
            file.write_text(file.read_text().replace(str(template), str(tmp_path)))
    where = {name: tmp_path / name for name in NAMES}
    return {**where, "inner": tmp_path / "main/.claude/worktrees/inner"}


def ask(root, tool, argument, path, **more):
    return Guard(root).before(ToolCall(tool, {argument: str(path)}, **more))


def shell(root, command, **more):
    return Guard(root).before(ToolCall("Bash", {"command": command}, **more))


@pytest.fixture
def processes(monkeypatch, tmp_path, people):
    """Collect what git is started for, here or at home: elsewhere another test's may still be."""
    started, run = [], runner.command

    def noted(root, *args):
        if root.startswith((str(tmp_path), str(people))):
            started.append(args)
        return run(root, *args)

    monkeypatch.setattr(runner, "command", noted)
    return started


class TestPathInOther:
    @pytest.mark.parametrize("where", ["main", "sibling", "inner", "clone"])
    @pytest.mark.parametrize("path", ["src/app/billing.py", "src/no/such.py", "docs"])
    def test_a_path_in_another_checkout_is_told_from_its_top(self, trees, where, path):
        assert path_in_other(f"{trees[where]}/{path}", str(trees["feature"])) == path

    @pytest.mark.parametrize(
        ("where", "path", "reason"),
        [
            ("feature", "src/app/billing.py", "it is this checkout"),
            ("other", "src/app/billing.py", "another project"),
            ("main", ".git/config", "git's own files are no files of the project"),
            ("main", "../nothing/here.py", "beside the repository, not in it"),
        ],
    )
    def test_nothing_else_is(self, trees, where, path, reason):
        assert path_in_other(f"{trees[where]}/{path}", str(trees["feature"])) is None, reason

    def test_what_no_kernel_takes_for_a_path_is_not_looked_for(self, trees):
        assert path_in_other(f"{trees['main']}/{'a/' * 2500}x", str(trees["feature"])) is None

    def test_a_project_below_the_top_is_told_from_its_own_folder(self, trees):
        root = f"{trees['feature']}/src"

        assert path_in_other(f"{trees['main']}/src/app/models.py", root) == "app/models.py"
        assert path_in_other(f"{trees['main']}/docs/status.md", root) is None

    def test_work_trees_need_no_process(self, trees, processes):
        assert path_in_other(f"{trees['main']}/README.md", str(trees["sibling"])) == "README.md"
        assert processes == []

    def test_a_clone_is_known_by_where_it_was_cloned_from(self, trees, processes):
        assert path_in_other(f"{trees['clone']}/README.md", str(trees["main"])) == "README.md"
        assert path_in_other(f"{trees['main']}/README.md", str(trees["clone"])) == "README.md"
        assert processes == []

    @pytest.mark.parametrize(
        ("one", "other", "same"),
        [
            ("git@example.org:ada/shop.git", "https://example.org/ada/shop", True),
            ("ssh://git@example.org:22/ada/shop", "https://Example.org/ada/shop.git/", True),
            ("https://token@example.org/ada/shop", "git://example.org/ada/shop", True),
            ("https://example.org/ada/shop", "https://example.org/ada/shop2", False),
            ("https://example.org/ada/shop", "https://example.com/ada/shop", False),
        ],
    )
    def test_two_clones_of_one_remote_are_one_repository(self, make_repo, git, one, other, same):
        repos = [make_repo({"a.py": text}) for text in "12"]
        for repo, remote in zip(repos, (one, other), strict=True):
            git(repo, "remote", "add", "origin", remote)

        found = path_in_other(f"{repos[0]}/a.py", str(repos[1]))

        assert found == ("a.py" if same else None)

    def test_without_a_remote_the_first_commit_tells(self, trees, git, tmp_path):
        shutil.copytree(trees["clone"], tmp_path / "copied")
        for repo in (trees["clone"], tmp_path / "copied"):
            git(repo, "remote", "remove", "origin")

        assert path_in_other(f"{tmp_path}/copied/README.md", str(trees["clone"])) == "README.md"


ADVICE = "PATH_IN_OTHER_CHECKOUT"


class TestWhatExistsElsewhere:
    @pytest.mark.parametrize("where", ["main", "sibling", "inner", "clone"])
    @pytest.mark.parametrize(
        ("tool", "argument"),
        [
            ("read_file", "path"),
            ("replace", "file_path"),
            ("write_file", "file_path"),
            ("delete_file", "path"),
        ],
    )
    def test_goes_through_with_advice(self, trees, where, tool, argument):
        path = trees[where] / "src/app/billing.py"

        decision = ask(trees["feature"], tool, argument, path)

        assert decision.action == "advise"
        assert decision.arguments == {argument: str(path)}
        assert decision.text.startswith(f"{ADVICE}: `{path}`")
        assert f"`{trees[where]}`." in decision.text
        assert f"In this project it is `{trees['feature']}/src/app/billing.py`" in decision.text
        assert decision.payload["code"] == ADVICE

    @pytest.mark.parametrize(
        "command",
        [
            "rm {main}/src/app/billing.py",
            "mv src/app/models.py {main}/src/app/billing.py",
            "mv {main}/src/app/billing.py .",
            "cp src/app/models.py {main}/src/app/billing.py",
            "echo x >> {main}/docs/status.md",
            "sed -i s/a/b/ {main}/src/app/billing.py",
            "cat {main}/src/app/billing.py",
            "python {main}/src/app/billing.py",
            "cp {main}/docs/status.md docs/old.md",
        ],
    )
    def test_goes_through_in_a_command(self, trees, command):
        decision = shell(trees["feature"], command.format(**trees))

        assert decision.action == "advise"
        assert decision.text.startswith(ADVICE)

    @pytest.mark.parametrize(
        "command",
        [
            "cd {main} && rm src/app/billing.py",
            "cd {main}/src && cat app/billing.py",
            "ls {main}/src && cat {main}/src/app/billing.py",
            "git -C {main} status && cat {main}/README.md",
            "rm -rf {main}",
        ],
    )
    def test_is_meant_where_the_checkout_is_listed_or_entered(self, trees, command):
        guard = Guard(trees["feature"])
        entered = ToolCall("Bash", {"command": command.format(**trees)}, session="s")
        later = {"file_path": f"{trees['main']}/src/app/models.py"}

        assert (guard.before(entered).action, guard.before(entered).text) == ("allow", "")
        assert guard.before(ToolCall("replace", later, session="s")).text == ""

    def test_is_meant_in_a_work_tree_that_the_session_makes(self, trees, git):
        guard, made = Guard(trees["main"]), trees["main"].parent / "made"
        add = ToolCall("Bash", {"command": "git worktree add ../made"}, session="s")
        edit = ToolCall("replace", {"file_path": f"{made}/README.md"}, session="s")

        assert guard.before(add).action == "allow"
        git(trees["main"], "worktree", "add", "--quiet", made)
        assert guard.before(edit).text == ""

    def test_is_meant_where_the_agent_stands_in_it(self, trees):
        path = trees["main"] / "src/app/billing.py"

        decision = ask(trees["feature"], "replace", "file_path", path, cwd=f"{trees['main']}/src")

        assert (decision.action, decision.text) == ("allow", "")

    @pytest.mark.parametrize("prompt", ["Fix {main}/src too", "Work in `main`, please"])
    def test_is_meant_where_the_user_names_it(self, trees, prompt):
        path = trees["main"] / "src/app/billing.py"

        decision = ask(
            trees["feature"], "replace", "file_path", path, prompt=prompt.format(**trees)
        )

        assert (decision.action, decision.text) == ("allow", "")

    def test_is_told_once_a_session_and_checkout(self, trees):
        guard = Guard(trees["feature"])

        def told(where, session="s"):
            path = f"{trees[where]}/src/app/billing.py"
            call = ToolCall("replace", {"file_path": path}, session=session)
            return guard.before(call).text.count(ADVICE)

        assert [told("main"), told("main"), told("main")] == [1, 0, 0]
        assert [told("sibling"), told("main"), told("sibling")] == [1, 0, 0]
        assert told("main", "other") == 1

    def test_is_told_beside_what_is_corrected(self, trees):
        main = trees["main"]
        decision = shell(trees["feature"], f"diff {main}/src/app/billing.py app/models.py")

        assert decision.action == "rewrite"
        assert decision.text.startswith("PATH_CORRECTED")
        assert ADVICE in decision.text

    def test_a_patch_goes_through(self, trees):
        path = f"{trees['main']}/src/app/billing.py"
        patch = f"*** Begin Patch\n*** Update File: {path}\n@@\n-billing\n+bills\n*** End Patch"

        decision = ask(trees["feature"], "apply_patch", "input", patch)

        assert (decision.action, decision.arguments) == ("advise", {"input": patch})

    @pytest.mark.parametrize(
        ("command", "told"), [("mkdir -p {main}/src/web", ""), ("> {main}/src/new.py", ADVICE)]
    )
    def test_something_new_is_made_there(self, trees, command, told):
        decision = shell(trees["feature"], command.format(**trees))

        assert decision.action == ("advise" if told else "allow")
        assert decision.text.startswith(told)
        assert (", not there yet" in decision.text) is bool(told)

    def test_the_git_file_of_a_linked_work_tree_is_read(self, trees):
        assert shell(trees["feature"], "cat .git").text == ""
        assert ask(trees["feature"], "read_file", "path", ".git").text == ""

    @pytest.mark.parametrize("preset", ["guide", "observe"])
    def test_who_only_watches_says_nothing(self, trees, preset):
        call = ToolCall("replace", {"file_path": f"{trees['main']}/src/app/billing.py"})

        assert Guard(trees["feature"], policy=preset).before(call).text == ""

    def test_is_none_of_ours_in_another_project(self, trees):
        for tool, argument in (("read_file", "path"), ("replace", "file_path")):
            decision = ask(trees["feature"], tool, argument, trees["other"] / "src/app/billing.py")
            assert (decision.action, decision.text) == ("allow", "")

    def test_is_no_miss(self, trees):
        guard = Guard(trees["feature"])
        for name in ("billing.py", "models.py", "billing.py", "models.py"):
            call = ToolCall(
                "replace", {"file_path": str(trees["main"] / "src/app" / name)}, session="s"
            )
            decision = guard.before(call)

            assert decision.action != "refuse"
            assert not decision.shift

    def test_is_not_named_when_it_is_secret(self, trees, write):
        write(trees["main"], {".env": "KEY=1"})

        decision = shell(trees["feature"], f"cp {trees['main']}/.env .env")

        assert (decision.action, decision.text) == ("allow", "")


class TestWhatIsMissingElsewhere:
    @pytest.mark.parametrize("where", ["main", "sibling", "inner", "clone"])
    @pytest.mark.parametrize(
        ("written", "right"),
        [
            ("src/app/feature_only.py", "src/app/feature_only.py"),
            ("src/app/biling.py", "src/app/billing.py"),
            ("app/models.py", "src/app/models.py"),
        ],
    )
    @pytest.mark.parametrize("operation", ["read", "edit"])
    def test_is_named_as_it_is_here_and_no_more(self, trees, where, written, right, operation):
        workspace = Workspace(trees["feature"], timeout_s=5)

        resolution = workspace.resolve(f"{trees[where]}/{written}", operation)

        assert (resolution.status, resolution.path) == ("ambiguous", None)
        assert resolution.candidates[0].path == right
        assert "from-checkout" in resolution.candidates[0].evidence

    def test_is_named_by_the_history_of_this_tree(self, trees, git):
        git(trees["feature"], "mv", "src/app/models.py", "src/app/entities.py")
        git(trees["feature"], "commit", "--quiet", "--message=move")
        (trees["main"] / "src/app/models.py").unlink()

        resolution = Workspace(trees["feature"], timeout_s=5).resolve(
            f"{trees['main']}/src/app/models.py"
        )

        assert resolution.candidates[0].path == "src/app/entities.py"
        assert "renamed" in resolution.note

    @pytest.mark.parametrize(
        ("command", "meant"),
        [
            ("cat {main}/src/app/biling.py", "{main}/src/app/billing.py"),
            ("sed -i s/a/b/ {main}/src/app/biling.py", "{main}/src/app/billing.py"),
            ("cd {main} && cat src/app/biling.py", "src/app/billing.py"),
            ("cat {main}/src/app/feature_only.py", "{feature}/src/app/feature_only.py"),
        ],
    )
    def test_is_named_in_the_checkout_that_has_it(self, trees, command, meant):
        decision = shell(trees["feature"], command.format(**trees))

        assert decision.text.endswith(f"Did you mean `{meant.format(**trees)}`?")

    def test_this_folder_is_not_listed_for_another_ones(self, trees):
        decision = shell(trees["feature"], f"cat {trees['main']}/src/app/telemetry.go")

        assert decision.text.startswith("PATH_NOT_FOUND")
        assert "feature_only.py" not in decision.text

    def test_is_absent_when_neither_has_it(self, trees):
        resolution = Workspace(trees["feature"]).resolve(f"{trees['main']}/src/telemetry/span.go")

        assert resolution.status == "absent"

    def test_a_work_tree_that_is_gone_leads_to_this_project(self, trees, git):
        git(trees["main"], "worktree", "remove", "--force", trees["inner"])

        resolution = Workspace(trees["main"]).resolve(f"{trees['inner']}/src/app/billing.py")

        assert (resolution.status, resolution.path) == ("resolved", "src/app/billing.py")

    def test_a_work_tree_that_is_there_keeps_its_own(self, trees):
        missing = f"{trees['inner']}/src/app/main_only.py"

        resolution = Workspace(trees["main"]).resolve(missing, "edit")

        assert resolution.status != "resolved"


class TestPrefixes:
    @pytest.mark.parametrize(
        "prefix",
        [
            "/workspace",
            "/app",
            "/repo",
            "/testbed",
            "/mnt/data",
            "/mnt/disk9/feature",
            "/mnt/disk9/checkouts/x",
            "/home/somebody-else/code/shop",
            "/Users/somebody/feature",
            "/home/nobody-here/shop",
            "/teamspace/studios/shop",
        ],
    )
    def test_a_foreign_prefix_is_left_out_when_the_rest_is_here(self, trees, prefix):
        resolution = Workspace(trees["feature"]).resolve(f"{prefix}/src/app/billing.py")

        assert (resolution.status, resolution.path) == ("resolved", "src/app/billing.py")

    @pytest.mark.parametrize(
        "path",
        [
            "/home/somebody-else/shop/README.md",
            "/home/somebody-else/shop/docs/status.md",
            "/mnt/disk9/a/docs/status.md",
        ],
    )
    def test_a_short_rest_may_be_anybodys(self, trees, path):
        assert Workspace(trees["feature"]).resolve(path).status != "resolved"

    def test_a_project_that_is_there_is_meant_itself(self, trees, tmp_path):
        shutil.copytree(trees["other"], tmp_path / "elsewhere" / "feature")

        resolution = Workspace(trees["feature"]).resolve(
            f"{tmp_path}/elsewhere/feature/src/app/models.py"
        )

        assert resolution.status != "resolved"


def test_what_exists_outside_any_repository_costs_no_process(trees, people, processes):
    outside = people / "notes.txt"
    outside.write_text("")

    decision = ask(trees["feature"], "read_file", "path", outside)

    assert (decision.action, decision.text) == ("allow", "")
    assert processes == []


def test_a_small_work_tree_is_known_to_be_small(trees):
    searched = Workspace(trees["feature"]).resolve("src/app/nothing_like_it.go").searched

    assert (searched.history, searched.untracked) == (True, True)  # as in a main checkout
