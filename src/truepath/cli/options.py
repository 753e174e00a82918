"""The options that several commands share, and what they mean."""

from __future__ import annotations

import os

import click

project_option = click.option(
    "--project",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False),
    help="The project to act on; by default the one around the working directory.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def root_of(project: str | None) -> str:
    """Return the project's root: DIR itself, or what is around the working directory.

    Raises:
        click.UsageError: The working directory does not exist any more.
    """
    from truepath.project.root import find_root

    if project is not None:
        return os.path.abspath(project)
    try:
        root = find_root(os.getcwd())
    except OSError:
        root = None
    if root is None:
        raise click.UsageError("the working directory does not exist any more; give --project")
    return root
