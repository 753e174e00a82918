"""A folder stands where a file is meant, or the reverse: what is told, and what is none of ours."""

from __future__ import annotations

import pytest

from truepath import Guard, Outcome, ToolCall

FILES = {
    "README.md": "# Shop",
    "go.mod": "module shop",
    "main.go": "",
    "cmd/api/main.go": "",
    "cmd/api/main_test.go": "",
    "tools/migrate/__main__.py": "",
    "src/Button.tsx": "",
    "src/Button/style.css": "",
    "src/Button/index.css": "",
    "lib/Menu/style.css": "",
    "docs/status.md": "",
    "docs/guide/start.md": "",
}


@pytest.fixture
def repo(make_repo):
    return make_repo(FILES, git=False)


def shell(repo, command):
    return Guard(repo).before(ToolCall("Bash", {"command": command}))


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("go run main.go", "go takes files for a package"),
        ("go run ./cmd/api/main.go serve", "and their arguments"),
        ("go test ./cmd/api/main_test.go ./cmd/api/main.go", "several of them"),
        ("go vet cmd/api/main.go", "by any of its commands"),
        ("golangci-lint run ./cmd/api/main.go", "as its linters do"),
        ("go build ./cmd/api", "and a folder"),
        ("python tools/migrate", "python runs a folder by its `__main__.py`"),
        ("coverage run tools/migrate", "and so does coverage"),
        ("touch docs", "a folder has a time as well"),
        ("git am docs", "a folder of mails"),
    ],
)
def test_a_command_that_takes_what_stands_there_is_let_through(repo, command, why):
    decision = shell(repo, command)

    assert (decision.action, decision.text) == ("allow", ""), why


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("cat docs", "PATH_IS_NOT_A_FILE: `docs` is a folder, not a file."),
        ("echo x > docs", "PATH_IS_NOT_A_FILE: `docs` is a folder, not a file."),
        ("cd README.md", "PATH_IS_NOT_A_FOLDER: `README.md` is a file, not a folder."),
        ("rmdir README.md", "PATH_IS_NOT_A_FOLDER: `README.md` is a file, not a folder."),
        ("mkdir README.md", "PATH_IS_NOT_A_FOLDER: `README.md` is a file, not a folder."),
    ],
)
def test_what_stands_there_is_told_as_it_is(repo, command, told):
    decision = shell(repo, command)

    assert decision.action == "refuse"
    assert decision.text.startswith(told)
    assert decision.payload["code"] == told.partition(":")[0]


def test_the_folder_itself_is_listed(repo):
    assert "In `docs/`: `guide/`, `status.md`" in shell(repo, "cat docs").text


def test_beside_it_only_what_stands_next_to_it_is_named(repo):
    assert "Did you mean `src/Button.tsx`?" in shell(repo, "cat src/Button").text
    assert "Did you mean" not in shell(repo, "cat lib/Menu").text
    assert "Did you mean" not in shell(repo, "cd README.md").text


@pytest.mark.parametrize(
    ("command", "there"), [("cat guide", "docs/guide/"), ("cd docs/guid/start.md", "start.md")]
)
def test_of_a_path_that_is_not_there_nothing_else_is_said(repo, command, there):
    text = shell(repo, command).text

    assert text.startswith("PATH_NOT_FOUND: ")
    assert there in text


def test_what_stands_there_is_not_searched_for_under_guide(repo):
    guard = Guard(repo, policy="guide")
    call = ToolCall("list_directory", {"path": "docs/status.md"})
    told = guard.after(call, Outcome(error="ENOTDIR: not a directory, scandir 'docs/status.md'"))

    assert told.text == "PATH_IS_NOT_A_FOLDER: `docs/status.md` is a file, not a folder."
