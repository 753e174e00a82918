"""The table of needs: what a program looks for in the folder that it runs in, and the
programs of a command line that have a row.

It must not know disks: `truepath.guard.needs` looks there. Each row was tried with the
program itself (`tests/guard/needs.jsonl`), and what differs between versions, or is not
listed, is left alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence

from truepath.calls.shell import programs
from truepath.calls.shell.path_uses import Folder, Scope, Walk
from truepath.calls.shell.programs import Arguments
from truepath.calls.shell.reader import Line, Simple, Word
from truepath.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Need:
    """A row of the table.

    - `name`, and `commands`: programs with their subcommands, separated by commas.
    - `files`: any of these is enough, in the folder or, with `above`, above it.
    - `item`: what must be in the file: a script named by the subcommand (`own script`)
      or after it (`script`), or a `target`.
    - `else_runs`: what runs in place of a missing script: `bin` (an installed package's
      program), or `path` (that, or any program or file).
    - `fits`: whether the operands leave it in need.
    - `options`, `variables`: those with which it needs nothing, or looks elsewhere.
    - `beside`: files, here or above, with which more than one folder counts.
    """

    name: str
    commands: str
    files: tuple[str, ...]
    above: bool = True
    item: str = ""
    else_runs: str = ""
    fits: Callable[[Sequence[str]], bool] = lambda _: True
    options: str = ""
    variables: str = ""
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Needed:
    """A program of a line that needs something in its folder.

    It begins at `start`, and needs `items`. `folders` are entered before it, one of
    them in an option (`git -C`) if it is `apart`. It is `sure` if the rest of the line
    does nothing without it.
    """

    need: Need
    start: int
    items: Sequence[str] = ()
    folders: tuple[str, ...] = ()
    apart: bool = False
    sure: bool = False


@dataclass(frozen=True, slots=True)
class LookedFor:
    """What a quick look looks for: any of `files`, in the folder or, with `above`,
    above it, and all `texts` in the file.
    """

    folder: str
    above: bool
    files: tuple[str, ...]
    texts: tuple[str, ...] = ()


_PACKAGE = ("package.json",)
_PACKAGES = ("package.json", "package.yaml", "package.json5")
_OTHERS = (
    "-C --cwd --dir --prefix -F --filter -r --recursive -w --workspace --workspaces "
    "--workspace-root --include-workspace-root --if-present -g --global --location"
)
_NPM = "npm_config_workspace npm_config_workspaces npm_config_if_present"
_PNPM = ("pnpm-workspace.yaml",)
_YARN = (".yarnrc.yml", ".pnp.cjs", ".pnp.js")
_GO = "GO111MODULE GOFLAGS GOWORK"
_COMPOSE = ("docker compose", "docker-compose")
_SERVICES = (
    "build config create down events exec images kill logs pause port ps pull push "
    "restart rm run start stop top unpause up"
).split()

NEEDS = (
    Need(
        "package",
        "npm run, npm run-script",
        _PACKAGE,
        item="script",
        options=_OTHERS,
        variables=_NPM,
    ),
    Need(
        "package",
        "npm test, npm t, npm start, npm stop",
        _PACKAGE,
        item="own script",
        options=_OTHERS,
        variables=_NPM,
    ),
    Need(
        "package",
        "pnpm run, pnpm run-script",
        _PACKAGES,
        item="script",
        options=_OTHERS,
        beside=_PNPM,
    ),
    Need(
        "package",
        "pnpm install, pnpm i, pnpm ci, bun install, bun i, bun ci",
        _PACKAGES,
        fits=lambda operands: not operands,
        options=_OTHERS,
        beside=_PNPM,
    ),
    Need(
        "package",
        "yarn run",
        _PACKAGE,
        item="script",
        else_runs="bin",
        options=_OTHERS,
        beside=_YARN,
    ),
    Need(
        "package",
        "bun run",
        _PACKAGE,
        item="script",
        else_runs="path",
        options=_OTHERS,
    ),
    Need(
        "crate",
        "cargo add, cargo b, cargo bench, cargo build, cargo c, cargo check, "
        "cargo clean, cargo clippy, cargo d, cargo doc, cargo fetch, cargo fix, "
        "cargo fmt, cargo metadata, cargo package, cargo publish, cargo r, "
        "cargo remove, cargo rm, cargo run, cargo rustc, cargo t, cargo test, "
        "cargo tree, cargo update, cargo vendor",
        ("Cargo.toml",),
        options="--list --manifest-path -C -Z --config",
    ),
    Need(
        "module",
        "go build, go test, go vet, go mod tidy, go mod vendor, go mod graph, "
        "go mod verify",
        ("go.mod", "go.work"),
        # Packages of other modules, and files, need none.
        fits=lambda operands: all(
            word[:1] == "." and word[-3:] != ".go" for word in operands
        ),
        options="-C -modfile -mod",
        variables=_GO,
    ),
    Need(
        "project",
        "uv sync, uv lock, uv tree, uv export, poetry add, poetry build, poetry check, "
        "poetry install, poetry lock, poetry publish, poetry remove, poetry run, "
        "poetry show, poetry sync, poetry update",
        ("pyproject.toml",),
        options="--script --project --directory --package --config-file -C -P",
        variables="UV_PROJECT",
    ),
    Need(
        "services",
        ", ".join(f"{program} {name}" for program in _COMPOSE for name in _SERVICES),
        ("compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"),
        # With a project's name, some ask the daemon alone.
        options="--file --project-directory -p --project-name --env-file",
        variables="COMPOSE_FILE COMPOSE_PROJECT_NAME COMPOSE_ENV_FILES",
        beside=(".env",),  # it may name the file
    ),
    Need(
        "makefile",
        "make, gmake",
        ("Makefile", "makefile", "GNUmakefile"),
        above=False,
        item="target",
        variables="MAKEFILES MAKEFLAGS",
    ),
    Need(
        "repository",
        "git add, git annotate, git bisect, git blame, git branch, git cat-file, "
        "git checkout, git cherry, git cherry-pick, git clean, git commit, "
        "git describe, git fetch, git for-each-ref, git fsck, git gc, git log, "
        "git ls-files, git ls-tree, git merge, git merge-base, git mv, git notes, "
        "git pull, git push, git rebase, git reflog, git remote, git reset, "
        "git restore, git rev-list, git revert, git rm, git show, git show-ref, "
        "git stage, git stash, git status, git submodule, git switch, git tag, "
        "git whatchanged, git worktree",
        (".git",),
        options="--git-dir --work-tree --no-index",
        variables="GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR",
        beside=("HEAD",),  # a bare repository
    ),
    Need(
        "repository",
        "git diff",
        (".git",),
        # Git compares two files anywhere.
        fits=lambda operands: len(operands) != 2,
        options="--git-dir --work-tree --no-index",
        variables="GIT_DIR GIT_WORK_TREE GIT_COMMON_DIR",
        beside=("HEAD",),  # a bare repository
    ),
)
"""The table."""

_ROWS = {name: need for need in NEEDS for name in need.commands.split(", ")}

_NO_NEED = frozenset("-h --help -V --version".split())
"""Options with which no program needs anything."""

_PLAIN = re.compile(r"[A-Za-z_.:@+][\w:.@+-]*", re.ASCII)
"""A script or target that is no pattern, no path, and no number of jobs (`-j 4`)."""

_ENTER = ("-C", "--dir", "--cwd", "--directory")
"""Options before a subcommand whose folder is entered, which `programs.txt` tells."""

_QUIET = ("-s", "--silent")
"""Options that may precede a script."""


def needed(line: Line) -> list[Needed]:
    """Return the programs of a line that need something in their folder, in order.

    None in PowerShell, and none in a folder that is not known.
    """
    if line.powershell:
        return []
    walk = _Walk()
    walk.line(Scope(line))
    return [
        replace(needed, sure=_is_sure(line, position, walk.found))
        for position, needed in walk.found.items()
    ]


def looked_for(line: Line, cwd: str) -> LookedFor | None:
    """Return what a quick look looks for in the folder of the line's first program that
    needs something there; None if there is none, or if the line may do without it.
    """
    first = next(iter(needed(line)), None)
    if first is None or not first.sure:
        return None
    need = first.need
    folder = posixpath.join(cwd, *first.folders)
    form = '"{}"' if need.item.endswith("script") else "{}"
    texts = tuple(map(form.format, first.items))
    return LookedFor(folder, need.above, need.files, texts)


class _Walk(Walk):
    """Finds what the programs of a line need, those that run others left out."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[int, Needed] = {}
        """What is needed, by the position of the command in the line."""
        self.entered = Folder()
        """The folder that was entered before the command."""

    def part(self, scope: Scope) -> Folder:
        self.entered = scope.folder
        left = super().part(scope)
        # `a || cd web`: whether it is entered is not known.
        is_instead = scope.part is not None and scope.part.before == "||"
        return left if left is scope.folder or not is_instead else Folder(None, None)

    def what_it_runs(self, name: str, arguments: Arguments, scope: Scope) -> Folder:
        part = scope.part
        names = scope.folder.names
        # `make -f`, `just -f`: the file is elsewhere.
        names_file = any(role.name != "enter" for _, role in arguments.valued)
        is_plain = arguments.known and not (arguments.away or arguments.then)
        if part is None or names is None or names_file or not is_plain:
            return scope.folder
        runs_another = arguments.rule.head(len(arguments.operands)) == "program"
        if runs_another and arguments.rule.does == "look":  # `timeout 60 npm test`
            return super().what_it_runs(name, arguments, scope)
        # A variable may be one of the row's, or hold an option of it.
        is_read = not part.assigned and all(word.value for word in part.words)
        # By its path (`./make`), it may be another program.
        is_named = name in [word.value for word in part.words]
        needed = _of_row(name, arguments) if is_read and is_named else None
        if needed is not None:
            self.found[self.commands - 1] = replace(
                needed,
                start=part.words[0].start,
                folders=names,
                apart=names != self.entered.names,
            )
        return scope.folder

    def inner(self, word: Word, shell: str, scope: Scope) -> None:
        """Leave a line in a word alone."""


def _of_row(name: str, arguments: Arguments) -> Needed | None:
    """Return what a program with these arguments needs, by its row."""
    rest = [*arguments.operands, *arguments.rest]
    values = [word.text for word in rest]
    # The longest beginning of a command that has a row.
    commands = (" ".join([name, *values[:count]]) for count in (2, 1, 0))
    command = next(filter(_ROWS.__contains__, commands), "")
    if not command:
        return None
    need = _ROWS[command]
    # `pnpm -C web test` enters a folder; behind `test`, `-C` may be for the script.
    first = rest[0].start if rest else 0
    options = {
        word.text.partition("=")[0]
        for word in arguments.words
        if word.start >= first or word.value not in _ENTER
    }
    after = rest[command.count(" ") :]
    items = _items(need.item, values, [word.text for word in after])
    # A subcommand may have a rule of its own.
    rule = programs.rule(command) if " " in command else None
    if rule:
        after = Arguments(rule, after, arguments.text).operands
    operands = [word.text for word in after if not word.text.startswith("-")]
    is_needed = options.isdisjoint((*_NO_NEED, *need.options.split()))
    if not (is_needed and all(map(_PLAIN.fullmatch, items)) and need.fits(operands)):
        return None
    return Needed(need, 0, items)


def _items(kind: str, values: Sequence[str], after: Sequence[str]) -> Sequence[str]:
    """Return the scripts or targets that a command names: the subcommand, or a word
    after it.
    """
    if kind == "own script":
        return ["test" if value == "t" else value for value in values[:1]]
    if kind == "target":
        return [word for word in after if "=" not in word]  # `make CC=clang all`
    return [word for word in after if kind and word not in _QUIET][:1]


def _is_sure(line: Line, position: int, found: Mapping[int, Needed]) -> bool:
    """Return whether all that a line does hangs on one of its commands."""
    if not all(_is_needless(part, enters=True) for part in line.parts[:position]):
        return False
    # It may be the filter of a pipe, or run only if another command fails.
    if any("|" in part.before for part in line.parts[: position + 1]):
        return False
    files = found[position].need.files
    was_piped = False
    for place, part in enumerate(line.parts[position + 1 :], position + 1):
        if part.before == "||":
            return False  # the failure is handled
        # Behind a pipe, `&&` asks the last program of it, which may succeed.
        was_piped = was_piped or part.before == "|"
        is_stopped = part.before == "|" or (part.before == "&&" and not was_piped)
        fails_too = place in found and found[place].need.files == files
        if not (is_stopped or fails_too or _is_needless(part, enters=False)):
            return False
    return True


def _is_needless(part: Simple, *, enters: bool) -> bool:
    """Return whether a line loses nothing without a command, or, if it `enters`, only
    another folder.
    """
    rule = programs.rule(part.words[0].text) if part.words else None
    if rule is None:
        return False
    return "says" in rule.marks or (enters and rule.head(0) == "enter")
