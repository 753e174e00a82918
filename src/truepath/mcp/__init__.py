"""MCP: a relay in front of any server with file tools.

It uses JSON-RPC over standard input and output, one message a line, without an SDK.
"""
