"""`truepath completion SHELL`: what completes truepath's commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from truepath.cli.app import FINE

_SETUP = """\b
Put one line into the start-up file of your shell:
  ~/.bashrc                   eval "$(truepath completion bash)"
  ~/.zshrc                    eval "$(truepath completion zsh)"   (after compinit)
  ~/.config/fish/config.fish  truepath completion fish | source
"""


@click.command(
    "completion", short_help="Complete commands and options in your shell.", epilog=_SETUP
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> int:
    """Print the script that completes commands, options and HOST in SHELL."""
    made = get_completion_class(shell)
    if made is not None:
        click.echo(made(ctx.find_root().command, {}, "truepath", "_TRUEPATH_COMPLETE").source())
    return FINE
