"""What must never be offered to an agent: secrets, denied paths, links that lead out.

Questions about one path each. It lists nothing and must not know who asks.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from truepath.project.ignore import Rules

_SECRET_FOLDERS = frozenset((".git", ".ssh", ".gnupg", ".aws", ".azure", ".password-store"))
_SECRET_NAMES = frozenset(
    (
        *(".env", ".envrc", ".netrc", "_netrc", ".pgpass", ".my.cnf", ".htpasswd", ".htdigest"),
        *("id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk"),
        *(".git-credentials", ".pypirc", ".npmrc", ".yarnrc", ".yarnrc.yml", ".dockercfg"),
        *("credentials", "kubeconfig", ".vault-token", ".vault_pass", ".s3cfg", ".boto"),
        *(".terraformrc", "terraform.rc", ".smbcredentials", "wp-config.php", ".mylogin.cnf"),
        *(".sentryclirc", ".databrickscfg", "kaggle.json", "rclone.conf", ".rclone.conf"),
        *(".dockerconfigjson", "secring.gpg", "deploy_key", "rootkey.csv", "oauth_creds.json"),
        *("keystore.properties", "key.properties", "kubeconfig.yaml", "kubeconfig.yml"),
    )
)
"""Files in which a tool keeps a password, a key or a token, under the name that the tool gives."""
_SECRET_ENDINGS = (
    *(".pem", ".key", ".p8", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".ovpn"),
    *(".tfstate", ".tfvars", ".tfvars.json", ".kubeconfig", ".env"),
    *("_rsa", "_dsa", "_ecdsa", "_ed25519"),
)
_SECRET_PAIRS = frozenset(
    (
        *((".docker", "config.json"), (".kube", "config"), (".cargo", "credentials.toml")),
        (".m2", "settings.xml"),
        *((folder, "auth.json") for folder in (".codex", ".composer", "composer", "containers")),
        *(("opencode", "auth.json"), ("gh", "hosts.yml")),
    )
)
_HANDED_OVER = re.compile(
    r"""\.?(?: (?: [\w.-]+ [-_.] )? (?: service[-_.]?account | firebase[-_]?adminsdk ) .*
      | client[-_.]?secret .* | application[-_]default[-_].*
      | (?: \w+[-_.] )? (?:credentials?|secrets?)
        (?: [-_.] (?:prod|production|dev|development|stage|staging|live|local|enc|\d+) )* )
    \.(?:json|ya?ml|toml|ini|cfg|conf|properties|txt|csv|xml)
    | passwords?\.(?:txt|csv)
    | ssh_host_\w+_key
    | id_(?:rsa|dsa|ecdsa|ed25519)[-_][\w-]+
    | .*(?:private|secret).*\.asc""",
    re.VERBOSE,
)
"""Data that a program is handed its credentials in; source of the same name holds none."""
_MADE_UP = re.compile(
    r"(?:^|[-_.])(?:example|sample|template|dist|tests?|spec|schema|mocks?|fake|dummy|fixtures?)"
    r"(?=$|[-_.])"
)
"""What a file without real credentials says of itself."""
_BACKUP = re.compile(
    r"(?:[-_.](?:bak|backup|old|orig|original|save|saved|copy|tmp|rej)\d*|\.\d+|\.?~[\d~]*| copy)+$"
)
"""What editors, people and tools put behind a name to keep another state of the same file."""
_LONGEST_NAME = 255
"""Characters of one name, on every file system in wide use; some count bytes, which are more."""

_TEMPLATE_ENDINGS = (".example", ".sample", ".template", ".dist")


def is_secret(path: str) -> bool:
    """Tell by its name alone whether a file holds credentials, or lies where they are kept.

    `path` may be relative or absolute. Case does not matter, nor do dots and spaces at the end
    of a name: some file systems open the same file either way.
    """
    names = [name.rstrip(". ") for name in path.casefold().replace("\\", "/").split("/")]
    if not _SECRET_FOLDERS.isdisjoint(names):
        return True
    name = _without_backup(names[-1])
    if name.endswith(_TEMPLATE_ENDINGS):
        return False
    return (
        name in _SECRET_NAMES
        or name.endswith(_SECRET_ENDINGS)
        or name.startswith(".env.")
        or (_HANDED_OVER.fullmatch(name) is not None and _MADE_UP.search(name) is None)
        or (*names[-2:-1], name) in _SECRET_PAIRS
        or names == ["auth.json"]  # composer's; below a folder it is as often a translation
    )


def _without_backup(name: str) -> str:
    """Return the name that another is a backup of: `.env` of `.env.bak` and of `.env~`."""
    if name.endswith((".swp", ".swo")):  # of an editor: `.NAME.swp`, or `..env.swp`
        name = name[:-4]
        if name[1:] in _SECRET_NAMES or name.startswith(".."):
            name = name[1:]
    elif len(name) > 2 and name[0] == name[-1] == "#":
        name = name[1:-1]
    found = _BACKUP.search(name)
    return name[: found.start()] if found and found.start() else name


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
            from truepath.project.ignore import Rules

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
