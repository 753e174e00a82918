"""The table of build tools, containers, packages, and the programs that run others. Data alone."""

from __future__ import annotations

from collections.abc import Mapping

from truepath.calls.shell.commands import Command, Prefix, Role, same
from truepath.calls.shell.tables.unix import ENTER, MAKE, READ, READ_ANY, RUN

_COMPOSE = Command(
    paths={"-f": READ, "--file": READ, "--env-file": READ},
    valued="-p --project-name --profile --project-directory --ansi --parallel --progress",
    may_create=True,
    special="compose",
)
_FOLDER = Role("list", "folder")
_MANIFESTS = {"-f": READ_ANY, "--filename": READ_ANY, "-k": Role("read", "folder")}

RUNNERS: Mapping[str, Command] = {
    **same(
        "make gmake",
        Command(
            valued="-j:0 -l:0 -o -W -I --jobs:0",
            paths={
                "-C": ENTER,
                "--directory": ENTER,
                "-f": READ,
                "--file": READ,
                "--makefile": READ,
            },
            may_create=True,
            special="make",
        ),
    ),
    "just": Command(
        paths={"-f": READ, "--justfile": READ, "-d": ENTER, "--working-directory": ENTER},
        may_create=True,
    ),
    "cmake": Command(
        valued="-G -D -A -T -U --target -j --config --preset --log-level",
        paths={"-S": Role("read", "folder"), "-B": MAKE, "--build": _FOLDER, "-P": RUN},
        may_create=True,
    ),
    **same(
        "ninja ctest",
        Command(paths={"-C": ENTER, "--test-dir": _FOLDER}, valued="-R -E -j -L", may_create=True),
    ),
    **same("tox nox", Command(valued="-e -c -s", may_create=True)),
    **same(
        "npm pnpm yarn",
        Command(
            paths={"--prefix": ENTER, "--dir": ENTER, "--cwd": ENTER, "-C": ENTER},
            valued="-w --workspace --filter -F",
            may_create=True,
        ),
    ),
    "docker": Command(nested=True, valued="--context -H --log-level", may_create=True),
    "docker build": Command(
        paths={"-f": READ, "--file": READ}, valued="-t --tag --build-arg", may_create=True
    ),
    **same("ps images logs inspect stats info version", Command(), of="docker"),
    **same("pull push stop kill", Command(does="execute"), of="docker"),
    **same("docker-compose", _COMPOSE),
    **same("compose", _COMPOSE, of="docker"),
    "kubectl": Command(nested=True, valued="-n --namespace --context --kubeconfig"),
    **same(
        "apply create delete replace patch",
        Command(paths=_MANIFESTS, valued="-n --namespace -o -l --context", does="execute"),
        of="kubectl",
    ),
    "kubectl diff": Command(paths=_MANIFESTS, valued="-n --namespace -o -l --context"),
    **same("get describe logs version", Command(), of="kubectl"),
    "gh": Command(nested=True),
    **{
        f"gh {noun} {verb}": Command(
            paths={"-F": READ, "--body-file": READ},
            valued="-t -b --title --body",
            does="execute" if verb in ("create", "comment", "edit") else "list",
        )
        for noun in ("pr", "issue", "run", "release", "repo")
        for verb in ("view", "list", "diff", "status", "checks", "create", "comment", "edit")
    },
}

PREFIXES: Mapping[str, Prefix] = {
    "sudo": Prefix(
        valued="-u -g -h -p -C -r -t -T -U --user --group",
        paths={"-D": ENTER, "--chdir": ENTER},
    ),
    "doas": Prefix(valued="-u -C"),
    "env": Prefix(valued="-u --unset", paths={"-C": ENTER, "--chdir": ENTER}),
    "nohup": Prefix(),
    "nice": Prefix(valued="-n --adjustment"),
    "ionice": Prefix(valued="-c -n -p"),
    "setsid": Prefix(),
    "stdbuf": Prefix(valued="-i -o -e --input --output --error"),
    "timeout": Prefix(valued="-k -s --kill-after --signal", skip=1),
    "gtimeout": Prefix(valued="-k -s --kill-after --signal", skip=1),
    "time": Prefix(valued="-f -o --format --output"),
    "command": Prefix(question="-v -V"),
    "builtin": Prefix(),
    "exec": Prefix(valued="-a"),
    "chronic": Prefix(),
    "unbuffer": Prefix(),
    "xargs": Prefix(
        valued="-I -J -n -P -L -s -d -E -R -S --replace:0 --max-args --max-procs --max-lines"
        " --delimiter --max-chars",
        paths={"-a": READ, "--arg-file": READ},
        appends=True,
    ),
    "bundle exec": Prefix(),
    "uv run": Prefix(
        valued="-p -m:0 --python --with --with-editable --with-requirements --extra --group"
        " --package --env-file --index-url --project --only-group --no-group",
        paths={"--directory": ENTER},
    ),
    "poetry run": Prefix(),
    "pdm run": Prefix(),
    "hatch run": Prefix(),
    "rye run": Prefix(),
    "pipenv run": Prefix(),
    "uvx": Prefix(valued="--from --with --python -p"),
    "npx": Prefix(valued="-p --package -c --call"),
    "bunx": Prefix(),
    "pnpm exec": Prefix(),
    "yarn exec": Prefix(),
    "conda run": Prefix(valued="-n -p --name --prefix"),
    "pnpm dlx": Prefix(),
    "npm exec": Prefix(valued="-p --package -c --call"),
    "yarn dlx": Prefix(valued="-p --package"),
    "pixi run": Prefix(valued="-e --environment --manifest-path"),
    "mise exec": Prefix(),
    "mise x": Prefix(),
    "doppler run": Prefix(valued="-p --project -c --config"),
    "op run": Prefix(valued="--env-file"),
    "rtk": Prefix(),
    "caffeinate": Prefix(valued="-t -w"),
    "direnv exec": Prefix(skip=1),
}
