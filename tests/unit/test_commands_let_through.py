"""Commands that are right as they stand, though a word in them is no path on the disk."""

from __future__ import annotations

import pytest

from truepath import Guard, ToolCall

RIGHT = [
    ("git checkout HEAD~1 -- data/gone.csv", "deleted since"),
    ("git restore --source=HEAD~1 data/gone.csv", "the same"),
    ("git checkout topic -- src/topic.py", "on another branch"),
    ("git restore --staged src/staged.py", "deleted, not committed"),
    ("git reset -q HEAD -- src/staged.py", "the same"),
    ("git commit -m x -- src/staged.py", "the same"),
    ("git grep x HEAD~1 -- data/gone.csv", "there it is"),
    ("git add '*.py'", "git knows which"),
    ("npx prettier --write 'src/**/*.py'", "so does prettier"),
    ("go run ./cmd/main.go", "a file where a package may stand"),
    ("docker compose logs -f api", "a service"),
    ("pytest --cov app", "a package"),
    ("tail +2 src/main.py", "a line"),
    ("sed -i.bak s/a/b/ src/main.py && rm src/main.py.bak", "made by sed"),
    ("cp src/main.py{,.bak}; diff src/main.py src/main.py.bak", "made by cp"),
    ("ls src | xargs -I F wc -l src/F", "a name to come"),
    ("cd src && sleep 0 & cat cmd/main.go", "read from here"),
]
MISSED = [
    ("git checkout -- data/gone.csv", "refuse", "not in the index"),
    ("git restore data/gone.csv", "refuse", "nor here"),
    ("find srcs -exec sed -i s/a/b/ {} +", "refuse", "what is found is changed"),
    ("go run ./cmd/mian.go", "rewrite", "a slip"),
]


@pytest.fixture
def repo(make_repo, git):
    """Make a project with a deleted file, one that another branch has, and one that is staged."""
    files = ("src/main.py", "src/staged.py", "data/gone.csv", "cmd/main.go", "go.mod")
    repo = make_repo({name: f"{name}\n" for name in files})
    git(repo, "checkout", "-q", "-b", "topic")
    (repo / "src/topic.py").touch()
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "topic")
    git(repo, "checkout", "-q", "-")
    git(repo, "rm", "-q", "data/gone.csv")
    git(repo, "commit", "-q", "-m", "gone")
    git(repo, "rm", "-q", "src/staged.py")
    return repo


def before(repo, command):
    return Guard(repo, patience=10).before(ToolCall("Bash", {"command": command}, cwd=str(repo)))


@pytest.mark.parametrize(("command", "why"), RIGHT, ids=[one[0] for one in RIGHT])
def test_a_command_that_does_what_was_meant_is_let_through(repo, command, why):
    decision = before(repo, command)
    assert decision.action == "allow", (why, decision.text)


@pytest.mark.parametrize(("command", "action", "why"), MISSED, ids=[one[0] for one in MISSED])
def test_the_like_of_it_with_a_path_that_is_not_there_is_answered(repo, command, action, why):
    assert before(repo, command).action == action, why
