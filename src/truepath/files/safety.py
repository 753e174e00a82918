"""What must never be offered to an agent: secrets, denied paths, links that lead out.

Questions about one path each. It lists nothing and must not know who asks.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truepath.files.ignore import Rules

_SECRET_FOLDERS = frozenset((".git", ".ssh", ".gnupg", ".aws"))
_SECRET_NAMES = frozenset(
    (
        *(".env", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".git-credentials", ".pypirc"),
        *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"),
    )
)
_SECRET_ENDINGS = (".pem", ".key", ".p12", ".pfx", ".jks", ".keystore")
_SECRET_PAIRS = frozenset(((".docker", "config.json"), (".kube", "config")))
_LONGEST_NAME = 255
"""Characters of one name, on every file system in wide use; some count bytes, which are more."""

_TEMPLATE_ENDINGS = (".example", ".sample", ".template", ".dist")


def is_secret(path: str) -> bool:
    """Tell by its name alone whether a file holds credentials, or lies where they are kept.

    `path` may be relative or absolute. Case does not matter, nor do dots and spaces at the end
    of a name: some file systems open the same file either way.
    """
    names = [name.rstrip(". ") for name in path.casefold().replace("\\", "/").split("/")]
    name = names[-1]
    if name in _SECRET_NAMES or name.endswith(_SECRET_ENDINGS):
        return True
    if name.startswith(".env.") and not name.endswith(_TEMPLATE_ENDINGS):
        return True
    return tuple(names[-2:]) in _SECRET_PAIRS or not _SECRET_FOLDERS.isdisjoint(names)


class Deny:
    """Paths that must not be named to an agent, as gitignore-style globs."""

    __slots__ = ("_patterns", "_rules")

    def __init__(self, patterns: Iterable[str]) -> None:
        """Take the globs; nothing is compiled before the first question.

        One object can be asked any number of times: it compiles them once.
        """
        self._patterns = tuple(patterns)
        self._rules: Rules | None = None

    def __call__(self, path: str) -> bool:
        """Tell whether `path`, relative to the root, or a folder above it is denied.

        A path that holds a name longer than any disk allows is denied: to judge it could take
        as long as it is long.
        """
        if not self._patterns:
            return False
        if self._rules is None:
            from truepath.files.ignore import Rules

            self._rules = Rules("\n".join(self._patterns))
        names = path.rstrip("/").split("/")
        if max(map(len, names)) > _LONGEST_NAME:
            return True
        rules, whole = self._rules, "/".join(names)
        above = ("/".join(names[:count]) for count in range(1, len(names)))
        # Whether the path is a folder is not known: denied either way is denied.
        return (
            any(rules.verdict(folder, folder=True) for folder in above)
            or bool(rules.verdict(whole, folder=True))
            or bool(rules.verdict(whole, folder=False))
        )


def has_link(root: str, path: str) -> bool:
    """Tell whether anything from `root` down to `root`/`path` is, or may be, a link.

    Looks at each name once, which is all that most paths need. What does not exist is no link;
    what cannot be looked at may be one, and so may what `.` and `..` lead to.
    """
    names = path.split("/")
    if not _STEPS.isdisjoint(names):
        return True
    place = root
    for name in names:
        place = f"{place}/{name}"
        try:
            mode = os.lstat(place).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return False
        except (OSError, ValueError):
            return True
        if stat.S_ISLNK(mode):
            return True
    return False


_STEPS = frozenset(("", ".", ".."))


def leads_out(root: str, path: str) -> bool:
    """Tell whether `root`/`path`, links followed, lies outside `root` or nowhere at all.

    A path that does not exist is judged by the part that does. A loop of links, and a way that
    cannot be followed for lack of permission, count as leading out.
    """
    joined = os.path.join(root, path)
    try:
        target = os.path.realpath(joined, strict=True)
    except (FileNotFoundError, NotADirectoryError):
        target = os.path.realpath(joined)
    except (OSError, ValueError):
        return True
    inside = os.path.join(os.path.normcase(os.path.realpath(root)), "")
    return not os.path.join(os.path.normcase(target), "").startswith(inside)
