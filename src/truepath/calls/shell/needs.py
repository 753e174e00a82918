"""The table of needs: what a program looks for in the folder that it runs in, and the
programs of a command line that have a row.

It must not know disks: `truepath.guard.needs` looks there. Each row was tried with the
program itself (`tests/guard/needs.jsonl`), and what differs between versions, or is not
listed, is left alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence

from truepath.calls.shell import programs
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


def _are_packages_here(operands: Sequence[str]) -> bool:
    """Return whether go is asked for packages of this module: others, and files, need
    none.
    """
    return all(word[:1] == "." and word[-3:] != ".go" for word in operands)


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
        "go build, go test, go vet",
        ("go.mod", "go.work"),
        fits=_are_packages_here,
        options="-C -modfile -mod",
        variables=_GO,
    ),
    Need(
        "module",
        "go mod tidy, go mod vendor, go mod graph, go mod verify",
        ("go.mod", "go.work"),
        options="-C -modfile -mod",
        variables=_GO,
    ),
    Need(
        "project",
        "uv sync, uv lock, uv tree, uv export",
        ("pyproject.toml",),
        options="--script --project --directory --package --config-file",
        variables="UV_PROJECT",
    ),
    Need(
        "project",
        "poetry add, poetry build, poetry check, poetry install, poetry lock, "
        "poetry publish, poetry remove, poetry run, poetry show, poetry sync, "
        "poetry update",
        ("pyproject.toml",),
        options="-C -P --directory --project",
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

    None in PowerShell, and none after a folder that is not known.
    """
    programs_in_need: list[Needed] = []
    folders: tuple[str, ...] = ()
    if line.powershell:
        return programs_in_need
    joints = [*(part.before for part in line.parts[1:]), ""]
    for part, after in zip(line.parts, joints, strict=True):
        if _enters(part):
            folder = _entered(part)
            # In a pipe, or if what comes before it succeeds, it may not be entered.
            if not folder or "|" in part.before or after == "|":
                break
            folders = (*folders, folder)
            continue
        needed = _of(part, line.text)
        if needed is not None:
            own_folders = (*folders, *needed.folders)
            sure = _is_sure(line, part, needed.need)
            programs_in_need.append(replace(needed, folders=own_folders, sure=sure))
    return programs_in_need


def looked_for(line: Line, cwd: str) -> LookedFor | None:
    """Return what a quick look looks for in the folder of the line's first program that
    needs something there; None if there is none, or if the line may do without it.
    """
    first = next(iter(needed(line)), None)
    if first is None or not first.sure:
        return None
    need = first.need
    folder = posixpath.join(cwd, *first.folders)
    texts = tuple(first.items)
    if need.item.endswith("script"):
        texts = tuple(f'"{item}"' for item in texts)
    return LookedFor(folder, need.above, need.files, texts)


def _of(part: Simple, text: str) -> Needed | None:
    """Return what a command needs; None if it has no row, or is not plain."""
    # A variable may be one of the row's, or hold an option of it.
    is_plain = not part.assigned and all(word.value for word in part.words)
    needed = _of_program(part.words, text) if is_plain else None
    return needed and replace(needed, start=part.words[0].start)


def _of_program(words: Sequence[Word], text: str) -> Needed | None:
    """Return what a program needs, or the one that it runs."""
    name = words[0].text if words else ""
    rule = programs.rule(name)
    if rule is None:
        return None
    arguments = Arguments(rule, words[1:], text)
    valued = arguments.valued
    folders = [word.text for word, role in valued if role.name == "enter"]
    names_file = len(folders) < len(valued)  # `make -f`, `just -f`
    if names_file or not arguments.known or arguments.away or arguments.then:
        return None
    if rule.head(len(arguments.operands)) == "program" and rule.does == "look":
        needed = _of_program(arguments.rest, text)  # `timeout 60 npm test`
    else:
        needed = _of_row(name, words, arguments)
    if needed is None or not folders:
        return needed
    return replace(needed, folders=(*folders, *needed.folders), apart=True)


def _of_row(name: str, words: Sequence[Word], arguments: Arguments) -> Needed | None:
    """Return what a program with these arguments needs, by its row."""
    rest = [*arguments.operands, *arguments.rest]
    values = [word.text for word in rest]
    command, need = _named(name, values)
    if need is None:
        return None
    # `pnpm -C web test` enters a folder; behind `test`, `-C` may be for the script.
    first = rest[0].start if rest else 0
    entering = {word for word in words if word.start < first and word.value in _ENTER}
    options = {word.text.partition("=")[0] for word in {*words} - entering}
    if not options.isdisjoint((*_NO_NEED, *need.options.split())):
        return None
    after = rest[command.count(" ") :]
    # A subcommand may have a rule of its own.
    rule = programs.rule(command) if " " in command else None
    given = Arguments(rule, after, arguments.text).operands if rule else after
    operands = [word.text for word in given if not word.text.startswith("-")]
    items = _items(need.item, values[0] if values else "", after)
    if not all(map(_PLAIN.fullmatch, items)) or not need.fits(operands):
        return None
    return Needed(need, 0, items)


def _items(kind: str, subcommand: str, after: Sequence[Word]) -> Sequence[str]:
    """Return the scripts or targets that a command names."""
    rest = [word.text for word in after]
    if kind == "own script":
        return ["test" if subcommand == "t" else subcommand]
    if kind == "target":
        return [word for word in rest if "=" not in word]  # `make CC=clang all`
    if kind:
        return [word for word in rest if word not in _QUIET][:1]
    return ()


def _named(name: str, values: Sequence[str]) -> tuple[str, Need | None]:
    """Return the longest beginning of a command that has a row, and the row."""
    for count in range(min(2, len(values)), -1, -1):
        command = " ".join([name, *values[:count]])
        if command in _ROWS:
            return command, _ROWS[command]
    return f"{name} ", None


def _is_sure(line: Line, part: Simple, need: Need) -> bool:
    """Return whether all that a line does hangs on one of its commands."""
    position = line.parts.index(part)
    before = line.parts[:position]
    if not all(_enters(earlier) or _only_says(earlier) for earlier in before):
        return False
    # It may be the filter of a pipe, or run only if another command fails.
    if any("|" in command.before for command in line.parts[: position + 1]):
        return False
    was_piped = False
    for later in line.parts[position + 1 :]:
        if later.before == "||":
            return False  # the failure is handled
        # Behind a pipe, `&&` asks the last program of it, which may succeed.
        was_piped = was_piped or later.before == "|"
        is_stopped = later.before == "|" or (later.before == "&&" and not was_piped)
        other = _of(later, line.text)
        fails_too = other is not None and other.need.files == need.files
        if not (is_stopped or fails_too or _only_says(later)):
            return False
    return True


def _name(part: Simple) -> str:
    """Return the program of a command; "" if it has none."""
    return part.words[0].text if part.words else ""


def _enters(part: Simple) -> bool:
    """Return whether a command enters a folder: `cd`."""
    rule = programs.rule(_name(part))
    return rule is not None and rule.head(0) == "enter"


def _only_says(part: Simple) -> bool:
    """Return whether a line loses nothing without a command."""
    rule = programs.rule(_name(part))
    return rule is not None and "says" in rule.marks


def _entered(part: Simple) -> str:
    """Return the folder that a plain `cd` enters; "" for any other."""
    values = [word.text for word in part.words]
    # The operand of `popd` (`+1`) is no folder.
    if len(values) != 2 or values[1].startswith("+") or part.assigned:
        return ""
    return "" if values[1].startswith(("-", "~")) else values[1]
