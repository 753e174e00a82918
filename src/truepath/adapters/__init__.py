"""One file for each agent framework: its tool calls, checked before the tools run.

Import the one that is needed, `truepath.adapters.langchain`; it imports its framework. An adapter
asks `Guard.check`, or `acheck`, and words nothing.
"""
