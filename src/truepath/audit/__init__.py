"""Transcripts of agents, and what wrong paths cost in them.

Reads what agent programs have recorded. It must not know the hooks or the terminal.
"""
