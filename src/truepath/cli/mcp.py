"""`truepath mcp`: an MCP server with a tool that resolves paths."""

from __future__ import annotations

from functools import partial

import click

from truepath.cli.app import FINE
from truepath.cli.options import project_option


@click.command("mcp", short_help="Answer questions about paths as an MCP server.")
@project_option
def command(project: str | None) -> int:
    """Serve the tool `resolve_path` on standard input and output, until the input ends.

    It only looks, and never outside the project.
    """
    from truepath.cli.project import ask, open_guard
    from truepath.mcp.server import serve

    serve(partial(ask, open_guard(project)))
    return FINE
