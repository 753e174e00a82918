"""A project in a sandbox, seen through a runner: a function that runs a shell command there."""
