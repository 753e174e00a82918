"""The command line: its commands and exit codes.

Each command has a file, imported when the command runs. An error becomes one line here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from truepath import __version__
from truepath.errors import Error, not_known

FINE, NOT_ALL, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes; what each means is in docs/cli.md."""

EXAMPLES = {
    "demo": "truepath demo",
    "install": "truepath install claude-code --dry-run",
    "uninstall": "truepath uninstall claude-code",
    "doctor": "truepath doctor",
    "resolve": "truepath resolve --why docs/staus.md",
    "check": "truepath check -- 'cat docs/staus.md | head'",
    "policy": "truepath policy --policy recover",
    "explain": "truepath explain PATH_LOOKS_WRONG",
    "log": "truepath log --since 2h",
    "wrong": "truepath wrong",
    "stats": "truepath stats --since 7d --by tool",
    "audit": "truepath audit --since 30d",
    "relay": "truepath relay -- npx -y @modelcontextprotocol/server-filesystem .",
}
"""Name -> how it is called; in the order of the help. Each is `command` in a module of
its name."""


GONE = {
    "mcp": "take it out of the program's settings; `truepath relay -- SERVER` checks "
    "the calls of a file server",
    "completion": "one line in the shell's start-up file does the same: "
    'eval "$(_TRUEPATH_COMPLETE=bash_source truepath)"',
    "undo-info": "use `truepath log EVENT`",
    "rules": "use `truepath policy --instructions`",
    "index": "nothing is kept, so nothing needs it",
    "cache": "nothing is kept, so nothing needs it",
    "eval": "use `make accuracy` in a clone",
}
"""Commands of older versions -> what there is now."""


class Commands(click.Group):
    """A group that imports a command when it is asked for it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*EXAMPLES, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None when there is none of that name."""
        if cmd_name not in EXAMPLES:
            return super().get_command(ctx, cmd_name)
        command: click.Command = import_module(f"truepath.cli.{cmd_name}").command
        told = command.epilog or ""
        if "Example" not in told:
            command.epilog = f"{told}\n\nExample: {EXAMPLES[cmd_name]}"
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command of a line; an unknown name fails with the closest one."""
        if args[0] in GONE:
            ctx.fail(f"the command {args[0]!r} is gone: {GONE[args[0]]}")
        if self.get_command(ctx, args[0]) is None:
            ctx.fail(not_known("command", args[0], self.list_commands(ctx)))
        return super().resolve_command(ctx, args)


@click.command(
    cls=Commands,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, "-V", "--version", message="truepath %(version)s")
@click.pass_context
def app(ctx: click.Context) -> None:
    """Every path in an agent's tool call, checked before the tool runs."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())
    # The hook says it where it matters, and doctor as a fault.
    elif ctx.invoked_subcommand not in ("hook", "doctor"):
        _warn_of_state()


def _warn_of_state() -> None:
    from truepath.cli.terminal import plain
    from truepath.config.user_dirs import distrust, named_state

    if why := distrust(named_state(os.environ)):
        click.echo(plain(f"warning: {why}"), err=True)


@app.command(
    "hook",
    short_help="Answer one hook event of an agent program (stdin to stdout).",
    epilog="Example: truepath hook claude-code < event.json",
)
@click.argument("host")
def hook(host: str) -> int:
    """Answer one hook event of HOST, an agent program: JSON on stdin, JSON or nothing
    on stdout.

    Agent programs call this; HOST is as for `truepath install`. The exit code is always
    0: on any error, the agent's call goes on unchanged.
    """
    from truepath.hook import client

    return client.main([host])


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing is raised."""
    if hasattr(
        sys.stdout, "reconfigure"
    ):  # a name need not be writable in this terminal's charset
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _invoke(args)
    except click.ClickException as error:
        context: click.Context | None = getattr(error, "ctx", None)
        where = f" (see `{context.command_path} --help`)" if context else ""
        return failed(_sentence(error.format_message()) + where)
    except Error as error:
        return failed(*str(error).splitlines())
    except OSError as error:
        name = f"{error.filename}: " if isinstance(error.filename, str) else ""
        return failed(name + (error.strerror or str(error)))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:  # the outermost boundary: a person gets one line
        if os.environ.get("TRUEPATH_TRACEBACK"):
            raise
        from truepath.journal.event import failure_of

        failed(f"internal: {failure_of(error)}; TRUEPATH_TRACEBACK=1 shows more")
        return INTERNAL


def _invoke(args: Sequence[str]) -> int:
    status = app.main([*args], "truepath", standalone_mode=False, color=_colour())
    if sys.stdout is not None:  # closed by the caller
        sys.stdout.flush()
    return status if isinstance(status, int) else FINE


def _colour() -> bool | None:
    """Return whether to colour, None for "where it is a terminal" (no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def failed(*lines: str) -> int:
    """Print errors, one a line; return the exit code for a usage error."""
    from truepath.cli.terminal import plain

    for line in lines or ("it failed without a reason",):
        click.secho("error: ", fg="red", nl=False, err=True, color=_colour())
        click.echo(plain(line), err=True, color=_colour())
    return USAGE


def _sentence(message: str) -> str:
    """Return a message of click in truepath's form: one line, no full stop."""
    text = " ".join(message.split()).rstrip(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]
