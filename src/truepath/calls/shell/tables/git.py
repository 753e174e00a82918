"""The table of git's subcommands. Data alone.

git looks paths up on disk, in its index or in its history; only the first kind can be missing.
"""

from __future__ import annotations

from collections.abc import Mapping

from truepath.calls.shell.commands import Command, Role, same
from truepath.calls.shell.tables.unix import ENTER, MOVE, READ, READ_ANY, WRITE, WRITE_ANY

_INDEX = Role("read", looked_up="index")
_STAGE = Role("read", looked_up="index")
_HISTORY = Role("read", looked_up="history", form="source")
_BLAME = Role("read", "file", looked_up="history")
# What is discarded cannot be had back, so the paths are never put right by anyone but the agent.
_DISCARD = Role("edit", looked_up="index", rewritable=False)
# What was removed from the index is in the last commit still.
_COMMITTED = Role("read", looked_up="history")

_DIFF_TAKES = (
    "-U:0 -G -S -O -l -M:0 -C:0 -B:0 -X:0 --unified:0 --diff-filter --word-diff:0"
    " --word-diff-regex --inter-hunk-context --src-prefix --dst-prefix --line-prefix --color:0"
    " --stat:0 --find-renames:0 --diff-algorithm --anchored --relative:0"
)
_LOG_TAKES = _DIFF_TAKES + (
    " -n -L --max-count --skip --since --after --until --before --author --committer --grep"
    " --format --date --decorate:0 --branches:0 --tags:0 --glob --exclude --pretty:0"
)

_CHANGES = Command(does="edit")

GIT: Mapping[str, Command] = {
    "git": Command(
        nested=True,
        valued="-c --git-dir --work-tree --namespace --exec-path:0 --config-env",
        paths={"-C": ENTER},
    ),
    "git add": Command(_STAGE, valued="--chmod", paths={"--pathspec-from-file": READ}, does="edit"),
    "git stage": Command(_STAGE, valued="--chmod", does="edit"),
    "git rm": Command(Role("delete", looked_up="index"), special="rm"),
    "git mv": Command(MOVE, last=WRITE_ANY, special="transfer"),
    "git checkout": Command(
        _DISCARD,
        before_dashes="only",
        valued="-b -B --orphan --conflict",
        may_create=True,
        does="delete",
        special="checkout",
    ),
    "git restore": Command(
        _DISCARD, valued="-s --source --conflict", does="delete", special="checkout"
    ),
    "git reset": Command(
        _COMMITTED, before_dashes="only", may_create=True, does="delete", special="checkout"
    ),
    "git diff": Command(
        _HISTORY, before_dashes="named", valued=_DIFF_TAKES, compares=True, special="diff"
    ),
    "git difftool": Command(
        _HISTORY, before_dashes="named", valued=_DIFF_TAKES, compares=True, special="diff"
    ),
    "git log": Command(_HISTORY, before_dashes="named", valued=_LOG_TAKES, special="log"),
    "git shortlog": Command(_HISTORY, before_dashes="only", valued=_LOG_TAKES),
    "git whatchanged": Command(_HISTORY, before_dashes="named", valued=_LOG_TAKES, special="log"),
    "git show": Command(_HISTORY, before_dashes="only", valued=_LOG_TAKES),
    "git rev-list": Command(_HISTORY, before_dashes="only", valued=_LOG_TAKES),
    "git blame": Command(
        _BLAME,
        before_dashes="last",
        valued="-L -S --since --date --ignore-rev --abbrev --contents -M:0 -C:0",
        paths={"--ignore-revs-file": READ},
    ),
    "git annotate": Command(_BLAME, before_dashes="last", valued="-L"),
    "git commit": Command(
        _COMMITTED,
        before_dashes="only",
        valued="-m -C -c -t -u:0 -S:0 --message --author --date --cleanup --fixup --squash"
        " --reuse-message --reedit-message --trailer --template",
        paths={"-F": READ, "--file": READ},
        does="edit",
    ),
    "git status": Command(_INDEX, before_dashes="only", valued="-u:0 --ignore-submodules:0"),
    "git grep": Command(
        Role("search", looked_up="index"),
        skip=1,
        skip_unless="-e -f",
        before_dashes="only",
        valued="-e -A -B -C -m -O:0 --max-depth --threads --max-count",
        paths={"-f": READ},
        special="revision",
    ),
    "git clone": Command(
        valued="-b -o -u -c -j --branch --origin --depth --reference --config --filter"
        " --shallow-since --separate-git-dir --template --server-option",
        does="edit",
        special="clone",
    ),
    "git init": Command(
        valued="-b --initial-branch --template --object-format", may_create=True, does="edit"
    ),
    "git worktree": Command(nested=True),
    "git worktree list": Command(),
    "git worktree remove": Command(does="delete"),
    "git worktree prune": Command(does="edit"),
    "git worktree add": Command(
        Role("mkdir", "folder", creates=True), limit=1, valued="-b -B --reason"
    ),
    "git apply": Command(
        READ,
        valued="-p -C --whitespace --exclude --include --directory",
        may_create=True,
        does="edit",
    ),
    "git am": Command(
        READ_ANY,
        valued="-p -C --whitespace",
        may_create=True,
        flags="-3 -s --3way --signoff",
        does="edit",
    ),
    "git stash": Command(nested=True, may_create=True),
    "git stash list": Command(),
    "git stash show": Command(),
    "git stash drop": Command(does="delete"),
    "git stash push": Command(_INDEX, before_dashes="only", valued="-m --message", does="delete"),
    "git format-patch": Command(valued="-o", may_create=True, does="edit"),
    "git archive": Command(paths={"-o": WRITE, "--output": WRITE}, valued="--format --prefix"),
    # What these print or change never depends on a path that must be there.
    **same(
        "rev-parse ls-files ls-tree ls-remote cat-file describe reflog merge-base name-rev"
        " for-each-ref show-ref check-ignore version help var count-objects fsck diff-tree"
        " diff-index show-branch range-diff cherry",
        Command(),
        of="git",
    ),
    **same(
        "branch tag remote config notes symbolic-ref",
        Command(does="edit", needs_operand=True),
        of="git",
    ),
    **same("fetch push gc hash-object update-ref update-index rerere", _CHANGES, of="git"),
    "git clean": Command(does="delete"),
}
