"""`truepath hook HOST`: one hook event of an agent program, answered."""

from __future__ import annotations

import click

from truepath.hook import client


@click.command("hook")
@click.argument("host")
def command(host: str) -> int:
    """Answer one hook event of HOST, an agent program: JSON on stdin, JSON or nothing
    on stdout.

    Agent programs call this; HOST is as for `truepath install`. The exit code is always
    0: on any error, the agent's call goes on unchanged.
    """
    return client.main([host])
