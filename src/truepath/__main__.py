"""The command `truepath`. A hook is answered before anything else is imported."""

from __future__ import annotations

import os
import sys

from truepath import TYPE_CHECKING, Late

if TYPE_CHECKING:
    from truepath.hook import client
else:
    client = Late("truepath.hook.client")

_HELP = ("--help", "-h")


def main() -> None:
    """Run the command line of this process and exit with its status."""
    raise SystemExit(_run(sys.argv[1:]))


def _run(args: list[str]) -> int:
    if args[:1] == ["hook"] and not _asked_by_a_person(args[1:]):
        return client.main(args[1:], alone=True)
    from truepath.cli.app import run  # a hook has no click

    return run(args)


def _asked_by_a_person(args: list[str]) -> bool:
    # A host never asks for help and always passes its name.
    return args[:1] in ([word] for word in _HELP) or (not args and os.isatty(0))


if __name__ == "__main__":
    main()
