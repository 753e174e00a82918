"""Change one of the user's own settings, in truepath's file of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from truepath.config.settings import parsed
from truepath.config.user_dirs import user_file
from truepath.install import InstallError
from truepath.install.disk import Change, content_of


def setting(environ: Mapping[str, str], name: str, value: str) -> Change:
    """Return the change that gives a setting a text as its value; all else in the file
    stays.

    Raises:
        InstallError: The file is not TOML, or has the setting in an unusual form; the
            line to put there is told.
    """
    path = user_file(environ)
    there = content_of(path)
    line = f'{name} = "{value}"\n'
    try:
        text = (there or b"").decode()
        settings = parsed(text)
        own = re.compile(rf"(?m)^{name}[ \t]*=[^\n]*\n?")
        after = own.sub(lambda _: line, text, count=1)
        if not own.search(text):
            # After the comments that the file begins with, before any table.
            begin = re.match(r"(?:[ \t]*#[^\n]*\n|[ \t]*\n)*", text)
            at = begin.end() if begin else 0
            after = text[:at] + line + text[at:]
        is_changed = parsed(after) == {**settings, name: value}
    except ValueError as error:
        raise _by_hand(path, line, f"is not TOML ({error})") from error
    if settings.get(name) == value:
        return Change(path, there, there)
    if not is_changed:
        raise _by_hand(path, line, f"has `{name}` in a form that is not known")
    return Change(path, there, after.encode())


def _by_hand(path: str, line: str, why: str) -> InstallError:
    text = f"{path}: {why}; nothing was changed; put the setting there by hand"
    return InstallError(text, line)
