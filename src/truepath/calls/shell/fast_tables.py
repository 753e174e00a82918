"""What `glance` knows of programs. Data alone, plain enough to be written out as JSON.

Each line says no more than the engine's own tables do, and a test holds them to that: what is left
out here costs a full look, what is wrong here would hide a path.
"""

from __future__ import annotations

TYPE_CHECKING = False  # `typing` itself would cost the hook 8 ms
if TYPE_CHECKING:
    from typing import Literal

    Kind = Literal["file", "folder", "any", "new", "target"]
    """What a path must be. `new`: a file, or nothing yet in a folder that is there. `target`:
    anything, or nothing yet in a folder that is there."""

    RuleKind = Kind | Literal["tests", "package"]
    """The same of an argument that may hold more than a path: `path::test`, a package of Go."""

    Rule = tuple[RuleKind, int, str, str, str, Kind | Literal[""]]

SPECIAL = "\\'\"$`*?[]{}()<>&;|"
"""Characters with a meaning of their own outside quotes, blanks apart."""

LEADING = "~#!"
"""Those that have one at the start of a word."""

RESERVED = frozenset(
    "if then else elif fi for while until do done case esac in function select time coproc declare"
    " typeset export readonly local unset unsetenv".split()
)
"""Words that begin what is more than a simple command."""

VERSIONED = frozenset("python pypy pip ruby perl lua php node clang gcc g++".split())
"""Programs that may have a version in their name."""

LAUNCHERS = {
    "timeout": (1, ""),
    "gtimeout": (1, ""),
    "nohup": (0, ""),
    "xargs": (0, "-0 -r -t"),
    "npx": (0, ""),
    "bunx": (0, ""),
    "uv run": (0, ""),
    "poetry run": (0, ""),
    "bundle exec": (0, ""),
    "pnpm exec": (0, ""),
    "yarn exec": (0, ""),
}
"""Programs that run the program named in their arguments: how many of their own stand before it,
and the flags that may stand before those."""

NESTED = {
    "git": "--no-pager -P",
    "go": "",
    "ruff": "",
    "uv": "",
}
"""Programs whose first argument names what they do, with the flags that may stand before it. Such
an argument that stands in no table names nothing that looks at paths."""

SCRIPTS = {
    "python": "-u -B -s -E -I -S -O -OO -v",
    "node": "",
    "bash": "",
    "sh": "",
    "zsh": "",
    "source": "",
    "tsx": "",
    "ruby": "",
}
"""Programs that run the file in their first argument, with the flags that may stand before it; what
follows is the script's."""

QUESTIONS = frozenset("test type which whereis hash".split())
"""Programs that only ask what is there."""

SHELLS = frozenset("bash sh zsh dash".split())
"""Programs that run the text after `-c` or `-lc`."""

EXPRESSIONS = ("-newer", "-anewer", "-cnewer", "-samefile", "-fprint", "-fls")
"""Beginnings of the tests and actions of `find` that take a path."""

BANS = {
    **dict.fromkeys(
        "pwd echo printf true false : date whoami id uname hostname printenv sleep test type which"
        " whereis hash ps kill pkill killall jobs wait df free uptime lsof netstat ss ping seq tr"
        " basename dirname realpath readlink exit break continue expr bc nproc arch clear history"
        " groups users w who cal tput column lscpu pgrep set".split(),
        "",
    ),
    **dict.fromkeys(("make", "gmake"), "-C -f --directory --file --makefile"),
    "just": "-f -d --justfile --working-directory",
    **dict.fromkeys(("npm", "pnpm", "yarn"), "-C --prefix --dir --cwd"),
    "cargo": "-C --manifest-path",
    **dict.fromkeys(("tox", "nox"), ""),
    "docker": "-f --file --env-file",
    "docker-compose": "-f --file --env-file",
    "kubectl": "-f --filename -k",
    "gh": "-F --body-file",
    "curl": "-o -T -c -D -d -F --output --upload-file --cookie-jar --dump-header --data"
    " --data-ascii --data-binary --json --form",
    "pip": "-r -c -e --requirement --constraint --editable .",
    "git diff": "/ --",
    "git log": "/",
    "git show": "/",
    "git blame": "/ --ignore-revs-file",
    "git status": "--",
    "git reset": "--",
    "git commit": "-- -F --file",
    "git checkout": "--",
    "git stash": "--",
    "git grep": "-- -f",
    **dict.fromkeys(
        (
            f"git {name}"
            for name in "branch tag remote rev-parse ls-files ls-tree ls-remote cat-file describe"
            " reflog config fetch push merge-base name-rev for-each-ref show-ref check-ignore"
            " version rev-list shortlog clean rerere notes cherry range-diff".split()
        ),
        "/",
    ),
}
"""Programs none of whose arguments must exist, with the options that would change that. Among them
`/` bars arguments that lead out of the folder, and `.` those that begin or end like a path."""


def _rule(
    kind: RuleKind,
    flags: str = "",
    values: str = "",
    *,
    skip: int = 0,
    instead: str = "",
    last: Kind | Literal[""] = "",
) -> Rule:
    return kind, skip, flags, values, instead, last


_GREP = _rule(
    "any",
    "-rRnilLcvwxoEFGPhHsqaIzZbTUuy0123456789 --recursive --line-number --ignore-case --count"
    " --invert-match --word-regexp --files-with-matches --files-without-match --only-matching"
    " --extended-regexp --fixed-strings --perl-regexp --no-filename --with-filename --quiet"
    " --no-messages --text --color --colour",
    "-A -B -C -m -e --after-context --before-context --context --max-count --include --exclude"
    " --exclude-dir --regexp",
    skip=1,
    instead="-e --regexp",
)

RULES: dict[str, Rule] = {
    **dict.fromkeys("cat tac rev zcat".split(), _rule("file", "-AbeEnstTuv")),
    **dict.fromkeys(("head", "tail"), _rule("file", "-qvf0123456789", "-n -c --lines --bytes")),
    "nl": _rule("file", "-p", "-b -w -s -v"),
    "wc": _rule("any", "-lwcmL --lines --words --bytes --chars"),
    "cut": _rule("file", "-sn", "-b -c -d -f --delimiter --fields"),
    "sort": _rule(
        "file",
        "-unrbfdghiMVRcCmsz --unique --reverse --numeric-sort --human-numeric-sort",
        "-k -t --key --field-separator",
    ),
    "uniq": _rule("file", "-cdui --count --repeated --unique", "-f -s -w"),
    "file": _rule("any", "-bikLz --brief --mime-type --mime"),
    "stat": _rule("any", "-Lt", "-c --format --printf"),
    "ls": _rule(
        "any",
        "-aAlhRtrS1dFGgionpsUuvxXmLkcBbCfHNqQZ --all --almost-all --recursive --human-readable"
        " --reverse --directory --color --group-directories-first",
        "-I --ignore",
    ),
    "tree": _rule("any", "-adfhisCDFJnpr --dirsfirst --noreport --gitignore", "-L -I -P"),
    "du": _rule(
        "any",
        "-shackmLSx0bl --human-readable --summarize --total --apparent-size --all",
        "-d -t --max-depth --exclude --threshold",
    ),
    **dict.fromkeys(("grep", "egrep", "fgrep"), _GREP),
    "rg": _rule(
        "any",
        "-nilLcvwxoFPNHISsqauUz. --line-number --ignore-case --smart-case --case-sensitive --count"
        " --invert-match --word-regexp --files-with-matches --files-without-match --only-matching"
        " --fixed-strings --no-heading --heading --no-filename --with-filename --hidden --no-ignore"
        " --no-line-number --files --multiline --pcre2 --vimgrep --json --stats --column --pretty"
        " --no-messages --quiet --follow",
        "-A -B -C -m -e -g -t -T -d -r --after-context --before-context --context --max-count"
        " --glob --iglob --type --type-not --max-depth --regexp --color --sort --max-columns"
        " --replace",
        skip=1,
        instead="-e --regexp --files",
    ),
    **dict.fromkeys(
        ("fd", "fdfind"),
        _rule(
            "folder",
            "-HIaLp0lsi --hidden --no-ignore --absolute-path --follow",
            "-e -t -d -E --extension --type --max-depth --exclude",
            skip=1,
        ),
    ),
    "sed": _rule(
        "file",
        "-nrEsuzi --quiet --silent --regexp-extended --in-place",
        "-e --expression",
        skip=1,
        instead="-e --expression",
    ),
    **dict.fromkeys(("awk", "gawk", "mawk"), _rule("file", "", "-F -v", skip=1)),
    "jq": _rule("file", "-rcsnejaMCS --raw-output --compact-output --slurp", skip=1),
    "diff": _rule(
        "any",
        "-urNqyibwBcaestTldEZpn --brief --recursive --unified --ignore-all-space --new-file"
        " --side-by-side",
        "-U -C -x -I --exclude",
    ),
    "cmp": _rule("file", "-sbl", "-n -i"),
    **dict.fromkeys("md5sum sha1sum sha256sum".split(), _rule("file", "-btcz")),
    "touch": _rule("new", "-acm"),
    "tee": _rule("new", "-ai"),
    "mkdir": _rule("folder", "-pv --parents --verbose", "-m --mode"),
    "rmdir": _rule("folder", "-pv"),
    "rm": _rule("any", "-rRfvdiI --recursive --force --verbose"),
    "cp": _rule("any", "-rRafpvniuLPHdlsxT --recursive --archive --force --verbose", last="target"),
    "mv": _rule("any", "-fvniuT --force --verbose --no-clobber", last="target"),
    "chmod": _rule("any", "-Rvcf --recursive --verbose", skip=1),
    "json.tool": _rule("file", "", "--indent"),
    **dict.fromkeys(
        ("pytest", "py.test"),
        _rule(
            "tests",
            "-qvxslh --co --collect-only --exitfirst --no-header --no-summary --pdb --sw --quiet"
            " --verbose --lf --ff --nf --stepwise --no-cov --cov --showlocals --disable-warnings",
            "-k -m -p -n -W -o -r --tb --maxfail --durations --timeout --cov-report --dist"
            " --log-level --ignore --deselect --capture --color",
        ),
    ),
    "ruff check": _rule(
        "any",
        "--fix --unsafe-fixes --no-fix --diff --statistics --preview -qn --quiet --no-cache"
        " --exit-zero",
        "--select --ignore --extend-select --output-format --line-length --target-version",
    ),
    "ruff format": _rule("any", "--check --diff -qn --quiet --no-cache --preview", "--line-length"),
    "mypy": _rule(
        "any",
        "--strict --ignore-missing-imports --no-error-summary --pretty --show-error-codes"
        " --no-incremental --check-untyped-defs --install-types --non-interactive -v",
        "-m -p --python-version --follow-imports --exclude",
    ),
    **dict.fromkeys(
        ("black", "isort"),
        _rule(
            "any", "-qv --check --diff --quiet --verbose --check-only", "-l --line-length --profile"
        ),
    ),
    "tsc": _rule("file", "--noEmit --pretty --strict --skipLibCheck --version"),
    "eslint": _rule(
        "any", "--fix --quiet --cache --color --no-color", "--ext --max-warnings -f --format"
    ),
    "prettier": _rule("any", "--write --check -wcl --list-different", "--log-level --parser"),
    "gofmt": _rule("any", "-l -w -d -s -e"),
    **dict.fromkeys(
        ("go test", "go build", "go vet", "go list"),
        _rule(
            "package",
            "-v -race -short -cover -json -failfast -benchmem -a",
            "-run -count -timeout -bench -benchtime -tags -p -parallel -o",
        ),
    ),
    "git add": _rule("any", "-AufvnNp --all --update --force --verbose --dry-run --intent-to-add"),
    "git rm": _rule("any", "-rfnq --cached --force --quiet --dry-run"),
    "git mv": _rule("any", "-fknv --force --verbose", last="target"),
    "git restore": _rule("any", "-qSW --staged --worktree --quiet", "-s --source"),
}
"""Programs whose arguments must exist: what they must be (see `Stake`), how many of the first are
no paths, the options without a value (single letters may stand together), those with one, those
that make up for what would be skipped, and what the last of several arguments may be."""

ASK = frozenset(
    ". Rscript [ ack ag alias autopep8 ava b2sum bandit base64 basedpyright bat batcat bg biome "
    "builtin bun bunzip2 bzcat bzip2 c++ cc chgrp chown chronic cksum clang clang++ cloc cmake "
    "colordiff comm command compileall coverage ctest dash declare deno dir_ doas dos2unix dot "
    "env exa exec expand export eza fg flake8 fmt fold g++ gcc getopts goimports "
    "golangci-lint gsed gunzip gzip help hexdump info install ionice java javac join "
    "julia ksh la last less lesspipe let ll ln local lsd lua man md5 mocha more nawk nice ninja "
    "od openssl_version pandoc paste patch perl php poetry popd pushd py py_compile pycodestyle "
    "pydocstyle pyflakes pylint pypy pyright read readonly return ripgrep rspec rsync rubocop "
    "rustc rustfmt setsid sha512sum shasum shellcheck shift shred ssh-add stdbuf strings stty "
    "sudo tabnanny tar time tokei top trap trash truncate ts-node ts-node-esm tty ty typeset "
    "ulimit umask unbuffer unittest unlink unset unxz unzip unzstd uvx vmstat vulture xargs "
    "xmllint xxd xz xzcat yapf yes zgrep zip zipinfo zless zmore zstd".split()
) | {
    "conda run",
    "direnv exec",
    "hatch run",
    "mise exec",
    "pdm run",
    "pipenv run",
    "pnpm dlx",
    "rye run",
    "caffeinate",
    "dart",
    "doppler run",
    "flutter",
    "lzma",
    "mise x",
    "npm exec",
    "op run",
    "pixi run",
    "rtk",
    "unlzma",
    "yarn dlx",
    "git am",
    "git annotate",
    "git apply",
    "git archive",
    "git clone",
    "git difftool",
    "git stage",
    "git whatchanged",
    "git worktree",
    "go fmt",
    "go run",
    "uv pip",
}
"""Programs that the engine knows and this table does not: only the engine can tell."""
