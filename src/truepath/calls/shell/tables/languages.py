"""The table of languages: interpreters, compilers, test runners, linters. Data alone."""

from __future__ import annotations

from collections.abc import Mapping

from truepath.calls.shell.commands import Command, Role, same
from truepath.calls.shell.tables.unix import EDIT_ANY, ENTER, READ, READ_ANY, RUN, WRITE

_SCRIPT = Role("execute", "file", form="script")
_PROGRAM = Role("execute", "file", form="program")
_PACKAGE = Role("execute", "folder", form="package")
_PACKAGE_READ = Role("read", "folder", form="package")
_LOCAL = Role("read", form="local")
_SOURCE = Role("read", form="source")
_CONFIG = {"-c": READ, "--config": READ}

_PYTEST = Command(
    Role("execute", form="pytest"),
    valued="-k -m -p -n -W -o -r --tb --maxfail --durations --durations-min --timeout --lf:0"
    " --cov-report --cov-fail-under --import-mode --color --capture --log-level --log-cli-level"
    " --log-file --dist --numprocesses --verbosity --override-ini --ignore --ignore-glob --deselect"
    " --basetemp --junit-prefix --junitxml --junit-xml --html --json-report-file --reruns"
    " --reruns-delay --asyncio-mode --ds --show-capture --timeout-method --randomly-seed --seed"
    " --hypothesis-seed --hypothesis-profile --count --splits --group --benchmark-json --pdbcls"
    " --confcutdir",
    paths={
        "-c": READ,
        "--config-file": READ,
        "--rootdir": Role("list", "folder"),
        "--cov-config": READ,
    },
    flags="-q -v -x -s -l -h -V --co --collect-only --exitfirst --no-header --no-summary --pdb --sw"
    " --quiet --verbose --last-failed --ff --failed-first --nf --stepwise --no-cov --strict-markers"
    " --cache-clear --setup-show --showlocals --disable-warnings --version --fixtures --trace"
    " --strict-config --forked --reuse-db --create-db --runslow --run-slow --full-trace --markers"
    " --benchmark-only --benchmark-skip --doctest-modules --snapshot-update --runxfail",
    program="--pyargs",
    may_create=True,
)
_RUFF = (
    "--select --ignore --extend-select --extend-ignore --fixable --unfixable --line-length"
    " --target-version --output-format --exclude --extend-exclude --per-file-ignores --config"
    " --cache-dir --color --range --add-noqa:0 --output-file --stdin-filename"
)
_PIP_INSTALL = Command(
    _LOCAL,
    valued="-t -i -d -w --dest --wheel-dir --index-url --extra-index-url --target --python --prefix"
    " --root --find-links -f --only-binary --no-binary --platform --python-version --progress-bar"
    " --timeout --retries",
    paths={
        "-r": READ,
        "--requirement": READ,
        "-c": READ,
        "--constraint": READ,
        "-e": _LOCAL,
        "--editable": _LOCAL,
    },
    may_create=True,
)

_PYTHON: Mapping[str, Command] = {
    **same(
        "python pypy py",
        Command(
            _PROGRAM,
            limit=1,
            valued="-W -X -Q --check-hash-based-pycs",
            program="-c -m",
            may_create=True,
        ),
    ),
    **same("pytest py.test", _PYTEST),
    "py_compile": Command(READ),
    "json.tool": Command(READ, limit=1, valued="--indent", special="output"),
    "tabnanny": Command(READ_ANY),
    "compileall": Command(READ_ANY, flags="-q -f -l", may_create=True),
    "unittest": Command(
        _SOURCE,
        valued="-k -s -p -t",
        flags="-v -q -f -b -c --verbose --failfast",
        may_create=True,
    ),
    "ruff": Command(nested=True, valued="--config --log-level"),
    "ruff check": Command(READ_ANY, valued=_RUFF, edit_options="--fix --fix-only --add-noqa"),
    "ruff format": Command(EDIT_ANY, valued=_RUFF),
    **same("rule version config linter", Command(), of="ruff"),
    "mypy": Command(
        READ_ANY,
        valued="-m -p -c --module --package --command --python-version --platform --exclude"
        " --python-executable --follow-imports --cache-dir --enable-error-code"
        " --disable-error-code --shadow-file:2 --output -O --junit-xml --always-true"
        " --always-false --html-report --txt-report --xml-report --custom-typeshed-dir",
        paths={"--config-file": READ},
    ),
    **same(
        "black isort autopep8 yapf",
        Command(
            EDIT_ANY,
            valued="-l -t -c -W -p -s -m --line-length --target-version --include --exclude"
            " --profile --extend-exclude --force-exclude --workers --required-version --line-ranges"
            " --stdin-filename --skip --settings --settings-path --known-first-party --py",
            paths={"--config": READ},
        ),
    ),
    **same(
        "flake8 pycodestyle pydocstyle pyflakes vulture bandit",
        Command(
            READ_ANY,
            valued="--select --ignore --extend-ignore --max-line-length --exclude --format"
            " --max-complexity --per-file-ignores --min-confidence --severity-level -f -s",
            flags="-v -q -r -l -ll -i --count --statistics --show-source",
            paths={"--config": READ},
        ),
    ),
    "pylint": Command(
        _SOURCE,
        valued="-j -f -d -e --disable --enable --output-format --max-line-length --msg-template"
        " --load-plugins --ignore --ignore-paths --jobs --reports --score",
        flags="-E --errors-only -v",
        paths={"--rcfile": READ},
    ),
    **same(
        "pyright basedpyright",
        Command(
            READ_ANY,
            valued="-v --pythonversion --pythonplatform --pythonpath --level --threads:0"
            " --venvpath",
            paths={"-p": READ_ANY, "--project": READ_ANY},
            flags="--outputjson --stats --verbose --warnings",
        ),
    ),
    "ty": Command(nested=True),
    "ty check": Command(
        READ_ANY,
        valued="--python --python-version --error --warn --ignore --output-format --project",
    ),
    "pip": Command(nested=True, valued="--python --log --proxy --timeout"),
    **same("install download wheel", _PIP_INSTALL, of="pip"),
    **same("show list freeze check index config", Command(), of="pip"),
    "uv": Command(
        nested=True, paths={"--directory": ENTER}, valued="--project --python -p --color"
    ),
    "uv pip": Command(nested=True),
    "uv pip install": _PIP_INSTALL,
    "poetry": Command(nested=True, paths={"-C": ENTER, "--directory": ENTER}),
    "coverage": Command(nested=True),
    "coverage run": Command(
        _PROGRAM,
        limit=1,
        valued="--source --omit --include --rcfile --data-file",
        program="-m",
        flags="-a --append --branch -p",
        may_create=True,
    ),
}

_JAVASCRIPT: Mapping[str, Command] = {
    "node": Command(
        _SCRIPT,
        limit=1,
        valued="-r -C --require --import --loader --experimental-loader --conditions --inspect:0"
        " --test-name-pattern --test-reporter --test-timeout --max-old-space-size"
        " --env-file-if-exists --test-concurrency --stack-trace-limit --trace-event-categories",
        paths={"--env-file": READ},
        program="-e -p -pe --eval --print -i",
        may_create=True,
    ),
    **same(
        "tsx ts-node ts-node-esm",
        Command(
            _SCRIPT,
            limit=1,
            valued="-r -O -P --require --tsconfig --project --import",
            program="-e -p --eval",
            flags="--esm -T --transpile-only --files",
            may_create=True,
        ),
    ),
    "deno": Command(nested=True),
    "deno run": Command(_SCRIPT, limit=1, valued="--location", paths=_CONFIG, may_create=True),
    **same("check lint", Command(READ_ANY, paths=_CONFIG, edit_options="--fix"), of="deno"),
    "deno fmt": Command(EDIT_ANY, paths=_CONFIG),
    "bun": Command(
        _SCRIPT,
        limit=1,
        paths={"--cwd": ENTER},
        valued="-r --preload",
        program="-e -p --eval",
        flags="--watch --hot --silent",
        may_create=True,
    ),
    "eslint": Command(
        READ_ANY,
        valued="-f --format --ext --rule --parser --parser-options --max-warnings --cache-location"
        " --ignore-pattern --env --global --plugin --fix-type --cache-strategy --rulesdir"
        " --resolve-plugins-relative-to --stdin-filename",
        paths={**_CONFIG, "-o": WRITE, "--output-file": WRITE},
        flags="--fix --quiet --cache --no-eslintrc --fix-dry-run --no-ignore --debug --color"
        " --no-color --report-unused-disable-directives --no-error-on-unmatched-pattern"
        " --no-warn-ignored --stdin",
        edit_options="--fix",
    ),
    "prettier": Command(
        EDIT_ANY,
        valued="--parser --plugin --log-level --print-width --tab-width --stdin-filepath"
        " --ignore-path --end-of-line --trailing-comma",
        paths={"--config": READ},
        flags="--write --check -w -c -l -u --list-different --single-quote --no-semi --no-config"
        " --ignore-unknown --cache --use-tabs",
    ),
    "biome": Command(nested=True),
    **same(
        "check lint format ci",
        Command(
            READ_ANY,
            valued="--config-path --reporter --max-diagnostics --diagnostic-level --indent-style",
            flags="--write --fix --unsafe --apply --apply-unsafe --staged --changed",
            edit_options="--write --fix --apply --apply-unsafe",
        ),
        of="biome",
    ),
    "tsc": Command(
        READ,
        valued="-t -m --target --module --moduleResolution --outDir --outFile --rootDir --jsx --lib"
        " --types --declarationDir --baseUrl --tsBuildInfoFile --ignoreDeprecations",
        paths={"-p": READ_ANY, "--project": READ_ANY},
        flags="-b --build --clean --dry --force --verbose --noEmit --pretty --strict"
        " --skipLibCheck --watch -w --incremental --version -v"
        " --esModuleInterop --listFiles --traceResolution --showConfig --noImplicitAny",
        special="tsc",
    ),
    # Jest, Vitest and Playwright take patterns that match any part of a path: no paths of theirs.
    **same(
        "mocha ava",
        Command(
            Role("execute", form="source"),
            valued="-r -g -t -R --require --grep --timeout --reporter --config",
            flags="--exit --bail -b",
            may_create=True,
        ),
    ),
}

_GO = Command(
    _PACKAGE,
    valued="-run -count -timeout -bench -benchtime -coverprofile -covermode -coverpkg -tags -cpu"
    " -parallel -p -ldflags -gcflags -asmflags -mod -skip -fuzz -fuzztime -shuffle:0 -vet"
    " -cpuprofile -memprofile -exec -list -buildmode -o -overlay -modfile -pkgdir -toolexec -f",
    flags="-v -race -short -cover -json -failfast -x -n -a -benchmem -i -trimpath -msan -work -c"
    " -buildvcs -asan -fullpath -artifacts -m -e -deps -test -u",
    single_dash=True,
    may_create=True,
)
_GO_READ = Command(_PACKAGE_READ, valued=_GO.valued, flags=_GO.flags, single_dash=True)
_C = Command(
    _SOURCE,
    valued="-I -L -D -U -l -include -isystem -x -std -MF -MT -MQ -arch -framework -Xlinker -o",
    single_dash=True,
    flags="-c -S -E -g -O -O0 -O1 -O2 -O3 -Os -Wall -Wextra -Werror -pthread -fPIC -shared -static"
    " -fsyntax-only -pedantic -v -w -M -MM -MD -MMD -m32 -m64 -lm -lpthread",
    may_create=True,
)

_COMPILED: Mapping[str, Command] = {
    "go": Command(nested=True, single_dash=True, paths={"-C": ENTER}),
    "go test": _GO,
    "go run": Command(
        _PACKAGE,
        limit=1,
        valued=_GO.valued,
        flags=_GO.flags,
        single_dash=True,
        may_create=True,
    ),
    "go build": Command(
        _PACKAGE_READ,
        valued=_GO.valued,
        flags=_GO.flags,
        single_dash=True,
        may_create=True,
    ),
    **same("vet list", _GO_READ, of="go"),
    "go fmt": Command(Role("edit", "folder", form="package"), single_dash=True, flags="-n -x"),
    **same("version env doc", Command(), of="go"),
    "gofmt": Command(EDIT_ANY, single_dash=True, valued="-r", flags="-l -w -d -s -e"),
    "goimports": Command(EDIT_ANY, single_dash=True, valued="-local", flags="-l -w -d"),
    "golangci-lint": Command(nested=True),
    "golangci-lint run": Command(
        _PACKAGE_READ,
        valued="-E -D --timeout --enable --disable --out-format",
        paths=_CONFIG,
        flags="-v --fix --fast",
        edit_options="--fix",
    ),
    "cargo": Command(paths={"--manifest-path": READ, "-C": ENTER}, may_create=True),
    "rustfmt": Command(
        EDIT_ANY,
        valued="--edition --config --emit --color",
        paths={"--config-path": READ_ANY},
    ),
    "rustc": Command(
        READ,
        valued="-o -L -l -C -A -W -D --edition --crate-type --crate-name --out-dir --cfg --emit"
        " --target --explain --print",
        flags="-g -O -V --version --test",
        may_create=True,
    ),
    **same("gcc clang g++ cc c++ clang++", _C),
    "javac": Command(
        _SOURCE,
        single_dash=True,
        valued="-d -cp -classpath -source -target --release -encoding -sourcepath",
        may_create=True,
    ),
    "java": Command(
        single_dash=True, paths={"-jar": READ}, valued="-cp -classpath", may_create=True
    ),
}

_SCRIPTING: Mapping[str, Command] = {
    **same("dart flutter", Command(nested=True, flags="-v --verbose")),
    **{
        f"{program} test": Command(
            Role("execute", form="source"),
            valued="-n -N -j -t -x -P -d -r --name --plain-name --concurrency --tags --exclude-tags"
            " --preset --timeout --reporter --platform -p --device-id --coverage-path",
            flags="--coverage --no-pub --update-goldens --machine",
            may_create=True,
        )
        for program in ("dart", "flutter")
    },
    "dart run": Command(_SCRIPT, limit=1, valued="--enable-experiment", flags="", may_create=True),
    **same("analyze", Command(READ_ANY, flags="--fatal-infos --fatal-warnings"), of="dart"),
    "dart format": Command(EDIT_ANY, valued="-l --line-length -o --output", flags=""),
    "ruby": Command(
        _SCRIPT, limit=1, valued="-I -r -E -C -K -T", program="-e -c -S", may_create=True
    ),
    "rspec": Command(
        _SOURCE,
        valued="-e -t -f -o -P -r --format --tag --example --seed --order",
        flags="--fail-fast -b",
        may_create=True,
    ),
    "rubocop": Command(
        READ_ANY,
        valued="--only --format -f --except",
        paths=_CONFIG,
        flags="-a -A --autocorrect --auto-correct",
        edit_options="-a -A --autocorrect --auto-correct",
    ),
    "php": Command(
        _SCRIPT,
        limit=1,
        valued="-d -c -z -S -t",
        paths={"-f": RUN},
        program="-r -B -R",
        may_create=True,
        flags="-l -q -n",
    ),
    "perl": Command(RUN, limit=1, valued="-I -M -m", may_create=True, special="perl"),
    "lua": Command(_SCRIPT, limit=1, valued="-l", program="-e", may_create=True),
    **same(
        "Rscript julia",
        Command(_SCRIPT, limit=1, valued="-t", program="-e --eval", may_create=True),
    ),
    **same(
        "bash sh zsh dash ksh",
        Command(
            RUN,
            limit=1,
            valued="-o +o -O --rcfile --init-file",
            program="-s",
            may_create=True,
            special="shell",
        ),
    ),
}

LANGUAGES: Mapping[str, Command] = {**_PYTHON, **_JAVASCRIPT, **_COMPILED, **_SCRIPTING}
