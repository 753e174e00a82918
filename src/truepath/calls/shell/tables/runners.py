"""The table of build tools, containers, packages, and the programs that run others. Data alone."""

from __future__ import annotations

from collections.abc import Mapping

from truepath.calls.shell.commands import Command, Prefix, Role, same
from truepath.calls.shell.tables.unix import ENTER, MAKE, READ, READ_ANY, RUN

_COMPOSE = Command(
    paths={"-f": READ, "--file": READ, "--env-file": READ},
    takes="-p --project-name --profile --project-directory --ansi --parallel --progress",
    free=True,
    special="compose",
)
_FOLDER = Role("list", "folder")
_MANIFESTS = {"-f": READ_ANY, "--filename": READ_ANY, "-k": Role("read", "folder")}

RUNNERS: Mapping[str, Command] = {
    **same(
        "make gmake",
        Command(
            takes="-j:0 -l:0 -o -W -I --jobs:0",
            paths={
                "-C": ENTER,
                "--directory": ENTER,
                "-f": READ,
                "--file": READ,
                "--makefile": READ,
            },
            free=True,
            special="make",
        ),
    ),
    "just": Command(
        paths={"-f": READ, "--justfile": READ, "-d": ENTER, "--working-directory": ENTER},
        free=True,
    ),
    "cmake": Command(
        takes="-G -D -A -T -U --target -j --config --preset --log-level",
        paths={"-S": Role("read", "folder"), "-B": MAKE, "--build": _FOLDER, "-P": RUN},
        free=True,
    ),
    **same(
        "ninja ctest",
        Command(paths={"-C": ENTER, "--test-dir": _FOLDER}, takes="-R -E -j -L", free=True),
    ),
    **same("tox nox", Command(takes="-e -c -s", free=True)),
    **same(
        "npm pnpm yarn",
        Command(
            paths={"--prefix": ENTER, "--dir": ENTER, "--cwd": ENTER, "-C": ENTER},
            takes="-w --workspace --filter -F",
            free=True,
        ),
    ),
    "docker": Command(nested=True, takes="--context -H --log-level", free=True),
    "docker build": Command(
        paths={"-f": READ, "--file": READ}, takes="-t --tag --build-arg", free=True
    ),
    **same("ps images logs inspect stats info version", Command(), of="docker"),
    **same("pull push stop kill", Command(does="execute"), of="docker"),
    **same("docker-compose", _COMPOSE),
    **same("compose", _COMPOSE, of="docker"),
    "kubectl": Command(nested=True, takes="-n --namespace --context --kubeconfig"),
    **same(
        "apply create delete replace patch",
        Command(paths=_MANIFESTS, takes="-n --namespace -o -l --context", does="execute"),
        of="kubectl",
    ),
    "kubectl diff": Command(paths=_MANIFESTS, takes="-n --namespace -o -l --context"),
    **same("get describe logs version", Command(), of="kubectl"),
    "gh": Command(nested=True),
    **{
        f"gh {noun} {verb}": Command(
            paths={"-F": READ, "--body-file": READ},
            takes="-t -b --title --body",
            does="execute" if verb in ("create", "comment", "edit") else "list",
        )
        for noun in ("pr", "issue", "run", "release", "repo")
        for verb in ("view", "list", "diff", "status", "checks", "create", "comment", "edit")
    },
}

PREFIXES: Mapping[str, Prefix] = {
    "sudo": Prefix(
        takes="-u -g -h -p -C -r -t -T -U --user --group", paths={"-D": ENTER, "--chdir": ENTER}
    ),
    "doas": Prefix(takes="-u -C"),
    "env": Prefix(takes="-u --unset", paths={"-C": ENTER, "--chdir": ENTER}),
    "nohup": Prefix(),
    "nice": Prefix(takes="-n --adjustment"),
    "ionice": Prefix(takes="-c -n -p"),
    "setsid": Prefix(),
    "stdbuf": Prefix(takes="-i -o -e --input --output --error"),
    "timeout": Prefix(takes="-k -s --kill-after --signal", skip=1),
    "gtimeout": Prefix(takes="-k -s --kill-after --signal", skip=1),
    "time": Prefix(takes="-f -o --format --output"),
    "command": Prefix(question="-v -V"),
    "builtin": Prefix(),
    "exec": Prefix(takes="-a"),
    "chronic": Prefix(),
    "unbuffer": Prefix(),
    "xargs": Prefix(
        takes="-I -J -n -P -L -s -d -E -R -S --replace:0 --max-args --max-procs --max-lines"
        " --delimiter --max-chars",
        paths={"-a": READ, "--arg-file": READ},
        appends=True,
    ),
    "bundle exec": Prefix(),
    "uv run": Prefix(
        takes="-p -m:0 --python --with --with-editable --with-requirements --extra --group"
        " --package --env-file --index-url --project --only-group --no-group",
        paths={"--directory": ENTER},
    ),
    "poetry run": Prefix(),
    "pdm run": Prefix(),
    "hatch run": Prefix(),
    "rye run": Prefix(),
    "pipenv run": Prefix(),
    "uvx": Prefix(takes="--from --with --python -p"),
    "npx": Prefix(takes="-p --package -c --call"),
    "bunx": Prefix(),
    "pnpm exec": Prefix(),
    "yarn exec": Prefix(),
    "conda run": Prefix(takes="-n -p --name --prefix"),
    "pnpm dlx": Prefix(),
    "npm exec": Prefix(takes="-p --package -c --call"),
    "yarn dlx": Prefix(takes="-p --package"),
    "pixi run": Prefix(takes="-e --environment --manifest-path"),
    "mise exec": Prefix(),
    "mise x": Prefix(),
    "doppler run": Prefix(takes="-p --project -c --config"),
    "op run": Prefix(takes="--env-file"),
    "rtk": Prefix(),
    "caffeinate": Prefix(takes="-t -w"),
    "direnv exec": Prefix(skip=1),
}
