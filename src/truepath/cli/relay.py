"""`truepath relay -- COMMAND...`: an MCP server with every path checked on the way to
it.
"""

from __future__ import annotations

import os
from typing import Any

import click

from truepath.cli.options import policy_option
from truepath.guard.guard import Guard
from truepath.guard.reading import Caller
from truepath.mcp.process import serve
from truepath.mcp.relay import Relay, served
from truepath.session.state import TURN_GAP_S


@click.command("relay")
@click.option(
    "--project",
    "projects",
    metavar="DIR",
    multiple=True,
    type=click.Path(exists=True, file_okay=False),
    help="Check paths in DIR, a folder that the server serves. May be given several "
    "times; by default the folders in COMMAND, until the client names others.",
)
@policy_option
@click.argument(
    "server", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED
)
def command(projects: tuple[str, ...], policy: Any, server: tuple[str, ...]) -> int:
    """Run COMMAND, an MCP server on standard input and output, and check the calls of
    its tools.

    A call whose paths exist, and every other message, passes byte for byte. Exits with
    the server's exit code, or with 128 and the number of the signal that ended it.
    """

    def guard(root: str) -> Guard:
        return Guard(
            root, policy=policy, journal=True, caller=Caller(turn_gap_s=TURN_GAP_S)
        )

    session = f"mcp-{os.urandom(8).hex()}"
    relay = Relay(
        projects or served(server), guard, session=session, fixed=bool(projects)
    )
    return serve(server, relay)
