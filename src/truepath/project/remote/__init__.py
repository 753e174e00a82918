"""A project in a sandbox, read by commands."""
