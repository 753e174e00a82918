"""Commands that are right as they stand, though a word in them is no path on the disk."""

from __future__ import annotations

import pytest
import repos
from rows import check_each

from truepath import Guard, ToolCall

FILES = (
    "README.md",
    "go.mod",
    "cmd/main.go",
    "data/gone.csv",
    "data/kept.csv",
    "infra/dev.mk",
    "src/gen/api.ts",
    "src/main.py",
    "src/staged.py",
)

WILDCARDS = [
    ("git add '*.py'", "git knows which"),
    ("git rm --cached '*.log'", "also where it removes"),
    ("git checkout -- 'src/*.py'", "and where it puts back"),
    ("git grep status -- '*.md'", "and where it searches"),
    ("npx prettier --write 'src/**/*.py'", "so does prettier"),
    ("npx prettier --check 'src/{app,gen}.ts'", "names in braces"),
    ("npx eslint \"src/**/*.{ts,tsx}\" '!src/gen'", "some are left out"),
    ("node --test 'test/**/*.test.js'", "node looks for files itself"),
    ("rubocop 'lib/**/*.rb'", "and linters of other languages"),
]
FROM_A_COMMIT = [
    ("git checkout HEAD~1 -- data/gone.csv", "deleted since"),
    ("git checkout HEAD~1 -- data/gone.csv && cat data/gone.csv", "and there from then on"),
    ("git restore --source=HEAD~1 data/gone.csv", "the same"),
    ("git restore -s HEAD~1 -- data/gone.csv", "in its short form"),
    ("git checkout topic -- src/topic.py", "on another branch"),
    ("git restore --staged src/staged.py", "deleted, not committed"),
    ("git reset -q HEAD -- src/staged.py", "the same"),
    ("git commit -m x -- src/staged.py", "the same"),
    ("git grep x HEAD~1 -- data/gone.csv", "there it is"),
]
COPIES = [
    ("sed -i.bak s/a/b/ src/main.py && rm src/main.py.bak", "made by sed"),
    ("sed --in-place=.old -e s/a/b/ README.md && mv README.md.old old.md", "by the long option"),
    ("cp src/main.py{,.bak}; diff src/main.py src/main.py.bak", "made by cp"),
]
OTHERS = [
    ("git rm -r --cached --ignore-unmatch node_modules", "need not be there"),
    ("docker compose logs -f api", "a service"),
    ("pytest --cov app src", "a package that is measured"),
    ("ruff check --stdin-filename src/new.py -", "the name of what comes from elsewhere"),
    ("find . -newermt '2024-01-01' -name '*.md'", "a date"),
    ("find src -newerct yesterday", "another"),
    ("tail +2 src/main.py", "a line"),
    ("less +G README.md", "where to begin"),
    ("more +/Shop README.md", "from what is searched for on"),
    ("make -f dev.mk -C infra", "make goes there before it reads"),
    ("ls src | xargs -I F wc -l src/F", "a name to come"),
    ("cd src && sleep 0 & cat cmd/main.go", "read from here"),
]
MISSED = [
    ("git checkout -- data/gone.csv", "refuse", "not in the index"),
    ("git restore data/gone.csv", "refuse", "nor here"),
    ("find srcs -exec sed -i s/a/b/ {} +", "refuse", "what is found is changed"),
    ("find . -newer data/gone.csv", "refuse", "a file to compare with"),
    ("cat 'src/[id].ts'", "refuse", "brackets are part of many names"),
    ("cat src/+page.ts", "refuse", "a plus begins a name as well"),
    ("cat data/gone.csv '*.md'", "refuse", "the other path is none"),
    ("sed -i s/a/b/ README.md && rm README.md.bak", "refuse", "no copy was asked for"),
    ("sed -i.bak s/a/b/ readme.md && rm readme.md.bak", "refuse", "the copy is called so, too"),
    ("go run ./cmd/mian.go", "refuse", "a slip in a name, and running is not reading"),
    ("git mv src/Gen/api.ts data/", "rewrite", "another case"),
    ("git mv src/Gen/api.ts 'data/*.csv' src/", "refuse", "beside what is yet to be expanded"),
]


def branched(repo):
    """Make a project with a deleted file, one that another branch has, and one that is staged."""
    repos.start(repo, {name: f"{name}\n" for name in FILES})
    repos.run_git(repo, "checkout", "-q", "-b", "topic")
    (repo / "src/topic.py").touch()
    repos.commit_all(repo, "topic")
    repos.run_git(repo, "checkout", "-q", "-")
    repos.run_git(repo, "rm", "-q", "data/gone.csv")
    repos.run_git(repo, "commit", "-q", "-m", "gone")
    repos.run_git(repo, "rm", "-q", "src/staged.py")


@pytest.fixture
def before(copy_of):
    """Return `before(command)`, each in a session of its own."""
    repo = copy_of(branched)
    guard = Guard(repo, timeout_s=10)

    def ask(command):
        call = ToolCall("Bash", {"command": command}, cwd=str(repo), session=command)
        return guard.before(call)

    return ask


def test_a_command_that_does_what_was_meant_is_let_through(before):
    def check(row):
        decision = before(row[0])
        assert (decision.action, decision.text) == ("allow", "")

    check_each([*WILDCARDS, *FROM_A_COMMIT, *COPIES, *OTHERS], check)


def test_the_like_of_it_with_a_path_that_is_not_there_is_answered(before):
    def check(row):
        command, action, _ = row
        assert before(command).action == action

    check_each(MISSED, check)
