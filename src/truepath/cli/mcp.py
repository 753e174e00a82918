"""`truepath mcp`: questions about paths as tools of an MCP server."""

from __future__ import annotations

import click

from truepath.cli.app import FINE


@click.command("mcp", short_help="Answer questions about paths as an MCP server.")
@click.option(
    "--root",
    metavar="FOLDER",
    help="The project; by default the one around the current folder.",
)
def command(*, root: str | None) -> int:
    """Serve the tools `resolve_path` and `where_did_it_go` on standard input and output.

    They only look, and never outside the project.
    """
    from truepath.cli.project import open_project
    from truepath.mcp.server import serve

    serve(open_project(root, None, None).ask)
    return FINE
