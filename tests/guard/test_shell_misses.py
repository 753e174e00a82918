"""Commands whose miss an agent would read as "nothing there", and commands that do very well."""

from __future__ import annotations

import pytest

import truepath


@pytest.fixture
def repo(make_repo):
    return make_repo(
        {
            "README.md": "",
            "docs/status.md": "",
            "tests/test_status.py": "",
            "app/[id]/page.tsx": "",
            "packages/api/src/main.ts": "",
            "test/status_test.dart": "",
        }
    )


def run(root, command, cwd=""):
    call = truepath.ToolCall("Bash", {"command": command}, cwd=str(root / cwd))
    return truepath.Guard(root).before(call)


@pytest.mark.parametrize(
    "command",
    [
        "find wiki -maxdepth 3 | sort | head",
        "ls wiki 2>&1 | head",
        "rg --files wiki | head",
        "fd . wiki | wc -l",
        "grep -rn x wiki | head -20",
        "git diff -- wiki/a.md",
        "git diff --stat -- wiki",
        "git diff HEAD~1 wiki/a.md",
        "git log -3 wiki/a.md",
        "rtk ls wiki",
        "mise exec -- cat wiki/a.md",
        "mise x -- cat wiki/a.md",
        "npm exec -- eslint wiki/a.ts",
        "python -m pytest tests/test_gone_for_good.py::TestX::test_y -xvs",
        "dart test test/quarterly_test.dart",
        "flutter test test/quarterly_test.dart",
    ],
)
def test_a_miss_is_told(repo, command):
    assert run(repo, command).action in ("refuse", "advise")


@pytest.mark.parametrize(
    "command", ["rg x README.md docs examples .", "cat README.md wiki/a.md", "ls -la wiki docs"]
)
def test_of_several_paths_that_are_looked_at_one_missing_keeps_none_from_being_shown(repo, command):
    assert run(repo, command).action == "advise"


@pytest.mark.parametrize(
    "command",
    [
        "ls wiki 2>/dev/null",
        "ls wiki || true",
        "unlink wiki/a.md; true",
        "rm wiki/a.md; true; ls docs",
        "bat cache --build",
        "jq --argfile cfg cfg.json . README.md",
        "tail -F new.log",
        "tail -n 5 --retry new.log",
        "git diff -- docs/status.md",
        "git diff HEAD~3 -- wiki/a.md",
        "git log --oneline -- wiki/a.md",
        "git log --oneline feature/wiki",
        "cat app/[id]/page.tsx",
        "ls app/[id]",
        "rtk ls docs",
        "mise x -- cat README.md",
        "mkdir -p out/new && find out/new -type f | head",
        "python -m pytest tests/test_status.py::TestX::nope",
        "$text = @'\n> quoted line\ncat wiki/a.md\n'@\nSet-Content a.md $text",
    ],
)
def test_what_does_very_well_is_left_alone(repo, command):
    assert run(repo, command).action == "allow"


def test_a_file_that_only_git_has_is_no_miss_to_git(repo):
    (repo / "docs/status.md").unlink()
    assert run(repo, "git diff -- docs/status.md").action == "allow"


def test_a_path_that_is_spelled_twice_for_one_folder_entered_is_corrected_from_there(repo):
    decision = run(repo, "cd packages/api && git diff -- packages/api/src/main.ts")
    assert decision.arguments == {"command": "cd packages/api && git diff -- src/main.ts"}


@pytest.mark.parametrize(
    ("command", "error", "told"),
    [
        (
            "git log docs/statu.md",
            "fatal: ambiguous argument 'docs/statu.md': unknown revision or path not in ...",
            "`docs/statu.md`. Did you mean `docs/status.md`?",
        ),
        (
            "git show HEAD:docs/statu.md",
            "fatal: path 'docs/statu.md' does not exist in 'HEAD'",
            "`docs/statu.md`. Did you mean `docs/status.md`?",
        ),
        (
            "echo x > package/new.md",
            "bash: line 1: package/new.md: No such file or directory",
            "`package`. Did you mean `packages/`?",
        ),
        (
            "for f in docs/statu.md; do cat $f; done",
            "cat: docs/statu.md: No such file or directory",
            "`docs/statu.md`. Did you mean `docs/status.md`?",
        ),
        ("git log -- wiki/a.md && cat docs/s.md", "cat: docs/s.md: No such file", "`docs/s.md`"),
    ],
)
def test_a_command_that_failed_is_told_what_it_lacked(repo, command, error, told):
    call = truepath.ToolCall("Bash", {"command": command}, cwd=str(repo))

    decision = truepath.Guard(repo).after(call, truepath.Outcome(error=error))

    assert told in decision.text
    assert "wiki" not in decision.text


def test_a_folder_entered_twice_is_named_from_the_root(repo):
    decision = run(repo, "cd packages/api && npm test", "packages/api")

    assert decision.arguments == {"command": f"cd {repo}/packages/api && npm test"}
