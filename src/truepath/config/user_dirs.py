"""Where truepath keeps a user's files: settings, sessions, journal, history.

Every hook uses this module, so it imports next to nothing.
"""

from __future__ import annotations

import os
import sys

from truepath import TYPE_CHECKING, Late

if TYPE_CHECKING:
    from collections.abc import Mapping

    from truepath.config import files
else:
    files = Late("truepath.config.files")

USER_FILE = "config.toml"

NOWHERE = os.path.join(os.devnull, "truepath")
"""A folder that is not there and cannot be made."""

_PARTS = ("sessions", "journal", "projects", "installed")
"""The folders in the state folder."""


def state_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for sessions, journal and history; it need not exist.

    It is one that nothing can be in if the named one is not the user's alone.
    """
    named = named_state(environ)
    return NOWHERE if distrust(named) else named


def named_state(environ: Mapping[str, str]) -> str:
    """Return the folder that is named for the state, whoever it belongs to.

    `$TRUEPATH_STATE`, else `$XDG_STATE_HOME/truepath`, else `truepath` in the
    platform's folder: `~/.local/state`, `~/Library/Application Support` or
    `%LOCALAPPDATA%`. A relative path in a variable counts as none: it would be in the
    project.
    """
    own = _expand(environ.get("TRUEPATH_STATE", ""), environ)
    if os.path.isabs(own):
        return os.path.abspath(own)
    default = {
        "darwin": os.path.join("~", "Library", "Application Support"),
        "win32": environ.get("LOCALAPPDATA") or os.path.join("~", "AppData", "Local"),
    }.get(sys.platform, os.path.join("~", ".local", "state"))
    return _below(environ, "XDG_STATE_HOME", default)


def distrust(state: str) -> str:
    """Return why a state folder is not used, in one line; "" if it is, or is missing.

    As ssh does with its own: whoever may write there could say what is shown for a
    path.
    """
    why = files.unsafe(state)
    for name in _PARTS if not why else ():
        why = why or files.unsafe(os.path.join(state, name), follow=False)
    return why and f"the state folder is not used: {why}"


def projects_folder(environ: Mapping[str, str]) -> str:
    """Return the folder for data about projects, its history and marks; it need not
    exist.
    """
    return os.path.join(state_folder(environ), "projects")


def user_file(environ: Mapping[str, str]) -> str:
    """Return the path of the user's settings; it need not exist.

    `$XDG_CONFIG_HOME/truepath/config.toml`, else in `~/.config` or `%APPDATA%`.
    """
    roaming = environ.get("APPDATA") if sys.platform == "win32" else None
    folder = _below(environ, "XDG_CONFIG_HOME", roaming or os.path.join("~", ".config"))
    return os.path.join(folder, USER_FILE)


def make_private(folder: str) -> None:
    """Create a folder with mode 0700, and each missing one above it.

    Raises:
        OSError: It cannot be created.
    """
    above = os.path.dirname(folder)
    if above != folder and not os.path.isdir(above):
        make_private(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise


def _below(environ: Mapping[str, str], variable: str, default: str) -> str:
    # The XDG specification says to ignore a relative path in these variables.
    parent = environ.get(variable, "")
    parent = parent if os.path.isabs(parent) else _expand(default, environ)
    return os.path.join(parent, "truepath")


def _expand(path: str, environ: Mapping[str, str]) -> str:
    return home(environ) + path[1:] if path[:2] in ("~", "~/", "~\\") else path


def home(environ: Mapping[str, str]) -> str:
    """Return the user's home folder; one that cannot be there if it is not known.

    A relative HOME counts as none.
    """
    own = environ.get("HOME", "")
    if os.path.isabs(own):
        return own
    try:
        import pwd  # not of Windows

        own = pwd.getpwuid(os.getuid()).pw_dir
    except ImportError:  # Windows
        own = os.path.expanduser("~")
    except KeyError:  # a container may run as a user without a name
        own = ""
    return own if os.path.isabs(own) else NOWHERE
