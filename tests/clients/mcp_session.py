"""FastMCP's own client: make the calls that standard input names, and print what came
of them.

Run by the Python of `install.sh` that has FastMCP.
"""

from __future__ import annotations

import asyncio
import json
import sys

from fastmcp import Client
from fastmcp.client.transports import StdioTransport

PAUSE_S = 0.5
"""Seconds between two calls; a model takes longer, and calls in less time are one turn.
"""


async def play(wanted):
    command, *args = wanted["command"]
    transport = StdioTransport(
        command=command, args=args, env=wanted["env"], cwd=wanted["cwd"]
    )
    roots = {"roots": wanted["roots"]} if wanted["roots"] else {}
    async with Client(transport, mode="auto", **roots) as client:
        tools = [tool.name for tool in await client.list_tools()]
        said = []
        for tool, arguments in wanted["calls"]:
            await asyncio.sleep(PAUSE_S)
            said.append(await client.call_tool(tool, arguments, raise_on_error=False))
    results = [
        {
            "failed": each.is_error,
            "texts": [getattr(block, "text", "") for block in each.content],
            "data": each.structured_content,
        }
        for each in said
    ]
    return {"tools": tools, "results": results}


json.dump(asyncio.run(play(json.load(sys.stdin))), sys.stdout)
