"""MCP: a relay in front of any server with file tools, and a small server of our own.

Both speak JSON-RPC, a message a line, and need no SDK.
"""
