"""A project in a sandbox, seen through commands alone."""
