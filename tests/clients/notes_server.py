"""An MCP file server as many write it: a few functions, and FastMCP."""

from __future__ import annotations

import sys
from pathlib import Path

from fastmcp import FastMCP

server = FastMCP("notes")
ROOT = Path(sys.argv[1])


@server.tool
def read_file(path: str) -> str:
    """Read a file of the project."""
    return (ROOT / path).read_text("utf-8")


@server.tool
def write_file(path: str, content: str) -> str:
    """Write a file of the project."""
    (ROOT / path).write_text(content, "utf-8")
    return "written"


@server.tool
def list_directory(path: str) -> list[str]:
    """List a folder of the project."""
    return sorted(each.name for each in (ROOT / path).iterdir())


server.run(show_banner=False)
