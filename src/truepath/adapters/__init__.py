"""One module for each agent framework, which it imports: `truepath.adapters.langchain`.

An adapter passes tool calls to `Guard.check` or `acheck`, and has no texts of its own.
"""
