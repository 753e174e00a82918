"""The command line: which commands there are, and how each of them ends.

Each command has a file, imported when the command runs. An error becomes one line here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

import click

from truepath import __version__
from truepath.errors import Error

FINE, NOT_ALL, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes; what each means is in docs/cli.md."""

COMMANDS = {
    "demo": "truepath.cli.demo",
    "install": "truepath.cli.install",
    "uninstall": "truepath.cli.uninstall",
    "doctor": "truepath.cli.doctor",
    "rules": "truepath.cli.rules",
    "resolve": "truepath.cli.resolve",
    "policy": "truepath.cli.policy",
    "check": "truepath.cli.check",
    "log": "truepath.cli.log",
    "stats": "truepath.cli.stats",
    "undo-info": "truepath.cli.undo",
    "audit": "truepath.cli.audit",
    "relay": "truepath.cli.relay",
    "mcp": "truepath.cli.mcp",
}
"""Name -> the module whose `command` it is, in the order of the help."""


class Commands(click.Group):
    """A group that imports a command when it is asked for it."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*COMMANDS, *super().list_commands(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return super().get_command(ctx, cmd_name)
        command: click.Command = import_module(COMMANDS[cmd_name]).command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is asked for; one that is not there is told with what may be."""
        if args[0] not in self.list_commands(ctx) and args[0][:1] != "-":
            from difflib import get_close_matches

            close = get_close_matches(args[0], self.list_commands(ctx), n=1)
            meant = f"; did you mean `truepath {close[0]}`?" if close else ""
            ctx.fail(f"there is no command {args[0]!r}{meant}")
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


@app.command("help", short_help="Show the help of a command.")
@click.argument("command", required=False)
@click.pass_context
def help_of(ctx: click.Context, command: str | None) -> None:
    """Show the help of COMMAND, or which commands there are."""
    root = ctx.find_root()
    if command is None:
        click.echo(root.get_help())
        return
    name, found, _ = app.resolve_command(root, [command])
    if found is not None:
        click.echo(found.get_help(click.Context(found, info_name=name, parent=root)))


@app.command("hook", short_help="Answer one hook event of an agent program (stdin to stdout).")
@click.argument("host")
def hook(host: str) -> int:
    """Answer one hook event of HOST, an agent program: JSON on stdin, JSON or nothing on stdout.

    Agent programs call this; HOST is what `truepath install` calls them. The exit code is always
    0: whatever goes wrong in here, the agent's call goes on.
    """
    from truepath.hook import client

    return client.main([host])


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing is raised."""
    if hasattr(sys.stdout, "reconfigure"):  # a name need not be writable in this terminal's charset
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return _invoke(args)
    except click.UsageError as error:
        where = f" (see `{error.ctx.command_path} --help`)" if error.ctx else ""
        return _failed(_sentence(error.format_message()) + where)
    except click.ClickException as error:
        return _failed(_sentence(error.format_message()))
    except OSError as error:  # WorkspaceError is one, with a text of its own
        return _failed(_told(error))
    except Error as error:
        return _failed(*str(error).splitlines())
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except Exception as error:  # noqa: BLE001  the outermost boundary: a person gets one line
        return _broken(error)


def _invoke(args: Sequence[str]) -> int:
    status = app.main([*args], "truepath", standalone_mode=False, color=_colour())
    if sys.stdout is not None:  # closed by whoever started us
        sys.stdout.flush()
    return status if isinstance(status, int) else FINE


def _colour() -> bool | None:
    """Return whether to colour, None for "where it is a terminal" (no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def _failed(*lines: str) -> int:
    from truepath.cli.terminal import plain

    for line in lines or ("it failed without a reason",):
        click.secho("error: ", fg="red", nl=False, err=True, color=_colour())
        click.echo(plain(line), err=True, color=_colour())
    return USAGE


def _broken(error: Exception) -> int:
    if os.environ.get("TRUEPATH_TRACEBACK"):
        raise error
    from truepath.journal.event import failure_of

    _failed(f"internal: {failure_of(error)}; TRUEPATH_TRACEBACK=1 shows more")
    return INTERNAL


def _sentence(message: str) -> str:
    """Return a message of click the way ours are: lower case, one line, no full stop."""
    text = " ".join(message.split()).rstrip(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _told(error: OSError) -> str:
    if isinstance(error, Error) or not error.strerror:
        return str(error) or type(error).__name__
    name = os.fspath(error.filename) if isinstance(error.filename, (str, os.PathLike)) else ""
    return f"{name}: {error.strerror}" if name else error.strerror
