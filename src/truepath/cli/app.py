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
from click.shell_completion import CompletionItem

from truepath import __version__
from truepath.cli.terminal import plain
from truepath.config.user_dirs import distrust, named_state
from truepath.errors import Error, not_known
from truepath.journal.event import failure_of

FINE, NOT_ALL, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130
"""The exit codes; what each means is in docs/cli.md."""

COMMANDS = {
    "demo": (
        "Play typical mistakes on a repository made for it.",
        "truepath demo",
    ),
    "install": (
        "Install truepath's hooks for an agent program.",
        "truepath install claude-code --dry-run",
    ),
    "uninstall": (
        "Remove truepath's hooks from an agent program.",
        "truepath uninstall claude-code",
    ),
    "doctor": (
        "Check that agent programs call truepath, and say what to do.",
        "truepath doctor",
    ),
    "resolve": (
        "Check paths and show the right file.",
        "truepath resolve --why docs/staus.md",
    ),
    "check": (
        "Show the paths in a command, and the command as it would run.",
        "truepath check -- 'cat docs/staus.md | head'",
    ),
    "policy": (
        "Show what happens to a wrong path, and for which reason.",
        "truepath policy --policy recover",
    ),
    "explain": (
        "Say what a code or a row of truepath's tables means.",
        "truepath explain PATH_LOOKS_WRONG",
    ),
    "log": (
        "Show what was intercepted, and all that is known of an event.",
        "truepath log --since 2h",
    ),
    "wrong": (
        "Mark a correction as wrong, so that it is not made again.",
        "truepath wrong",
    ),
    "stats": (
        "Show what the interceptions add up to.",
        "truepath stats --since 7d --by tool",
    ),
    "audit": (
        "Show what wrong paths cost, from the transcripts you have.",
        "truepath audit --since 30d",
    ),
    "relay": (
        "Check the paths that go to an MCP server.",
        "truepath relay -- npx -y @modelcontextprotocol/server-filesystem .",
    ),
    "hook": (
        "Answer one hook event of an agent program (stdin to stdout).",
        "truepath hook claude-code < event.json",
    ),
}
"""Name -> what it does, and how it is called; in the order of the help. Each is
`command` in a module of its name."""

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
    """A group that imports a command when it is called, and not to list it."""

    def list_commands(self, _: click.Context) -> list[str]:
        """Return the names of all commands."""
        return [*COMMANDS]

    def format_commands(self, _: click.Context, formatter: click.HelpFormatter) -> None:
        """Write each command with what it does."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (does, _) in COMMANDS.items()])

    def shell_complete(
        self, ctx: click.Context, incomplete: str
    ) -> list[CompletionItem]:
        """Return the commands and the options that begin so."""
        return [
            *(
                CompletionItem(name, help=does)
                for name, (does, _) in COMMANDS.items()
                if name.startswith(incomplete)
            ),
            *click.Command.shell_complete(self, ctx, incomplete),
        ]

    def get_command(self, _: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command, or None when there is none of that name."""
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"truepath.cli.{cmd_name}").command
        command.short_help, example = COMMANDS[cmd_name]
        told = command.epilog or ""
        if "Example" not in told:
            command.epilog = f"{told}\n\nExample: {example}"
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command of a line; an unknown name fails with the closest one."""
        if args[0] in GONE:
            ctx.fail(f"the command {args[0]!r} is gone: {GONE[args[0]]}")
        if args[0] not in COMMANDS:
            ctx.fail(not_known("command", args[0], COMMANDS))
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
    elif ctx.invoked_subcommand not in ("hook", "doctor") and (
        why := distrust(named_state(os.environ))
    ):
        click.echo(plain(f"warning: {why}"), err=True)


def run(args: Sequence[str]) -> int:
    """Run one command line and return its exit code; nothing is raised."""
    # A name need not be writable in this terminal's charset.
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        status = app.main([*args], "truepath", standalone_mode=False, color=_colour())
        if sys.stdout is not None:  # closed by the caller
            sys.stdout.flush()
    except click.ClickException as error:
        return failed(_told(error))
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
        failed(f"internal: {failure_of(error)}; TRUEPATH_TRACEBACK=1 shows more")
        return INTERNAL
    return status if isinstance(status, int) else FINE


def _told(error: click.ClickException) -> str:
    """Return an error of click in truepath's form: one line, no capital, no full
    stop.
    """
    text = " ".join(error.format_message().split()).rstrip(".")
    if not text[1:2].isupper():
        text = text[:1].lower() + text[1:]
    context: click.Context | None = getattr(error, "ctx", None)
    return f"{text} (see `{context.command_path} --help`)" if context else text


def _colour() -> bool | None:
    """Return whether to colour, None for "where it is a terminal" (no-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    return True if os.environ.get("FORCE_COLOR") else None


def failed(*lines: str) -> int:
    """Print errors, one a line; return the exit code for a usage error."""
    for line in lines or ("it failed without a reason",):
        click.secho("error: ", fg="red", nl=False, err=True, color=_colour())
        click.echo(plain(line), err=True, color=_colour())
    return USAGE
