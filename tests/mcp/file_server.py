"""A small MCP server with file tools, in a process of its own; what it gets is kept in
a file.
"""

from __future__ import annotations

import json
import os
import sys

TEXT = {
    "type": "object",
    "properties": {"content": {"type": "string"}},
    "required": ["content"],
}
TOOLS = [
    {"name": "read_text_file", "inputSchema": {"type": "object"}, "outputSchema": TEXT},
    {"name": "read_file", "inputSchema": {"type": "object"}},
    {"name": "move_file", "inputSchema": {"type": "object"}},
]


def run(name, arguments):
    if name == "move_file":
        os.rename(arguments["source"], arguments["destination"])
        return "moved"
    with open(arguments["path"], encoding="utf-8") as file:
        return file.read()


def result(name, arguments):
    try:
        said = run(name, arguments)
    except OSError as error:
        return {
            "content": [{"type": "text", "text": f"ENOENT: {error}"}],
            "isError": True,
        }
    data = {"structuredContent": {"content": said}} if name == "read_text_file" else {}
    return {"content": [{"type": "text", "text": said}], **data}


def respond(message):
    method, params = message.get("method"), message.get("params") or {}
    if method == "initialize":
        return {"serverInfo": {"name": "files", "version": "1"}, "capabilities": {}}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        return result(params["name"], params.get("arguments") or {})
    return {}


def main():
    with open(os.environ.get("KEPT", os.devnull), "wb") as kept:
        for line in sys.stdin.buffer:
            kept.write(line)
            kept.flush()
            message = json.loads(line)
            if "id" in message and "method" in message:
                said = {
                    "jsonrpc": "2.0",
                    "id": message["id"],
                    "result": respond(message),
                }
                sys.stdout.write(json.dumps(said) + "\n")
                sys.stdout.flush()
    sys.exit(int(os.environ.get("ENDS_WITH", "0")))


main()
