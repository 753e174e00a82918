"""Whether two missed paths have one aim: different ways to miss the same thing.

Pure text: it must not know disks or sessions.
"""

from __future__ import annotations

import re
from typing import Literal

Likeness = Literal["path", "name", "stem", "series", "invented", "near"]

_DIGITS = r"\d+"
_TEST = r"^(?:tests?|spec)(?=[-_ ])|(?<=[-_ ])(?:tests?|spec)$"
_SEPARATORS = r"[-_ ]+"


def likeness(one: str, other: str, missing_folder: tuple[str, str] = ("", "")) -> Likeness | None:
    """Return why two missed paths have one aim, or None when they have not.

    Args:
        one: A path, relative to the root with `/`, or absolute.
        other: Another.
        invented: For each, the outermost folder of it that does not exist; "" when none.

    Returns:
        - `path`: the same path, whatever its case or slashes.
        - `name`: the same last name in another folder.
        - `stem`: the same name but for its extensions, separators or `test`.
        - `series`: the same but for numbers (`0365.md`, `0397.md`; dates).
        - `missing_folder`: both below one folder that does not exist.
        - `near`: names one typo apart.

    Of two files in the root neither `stem` nor `near` is one aim: to look for `.eslintrc.js` and
    `.eslintrc.json`, or for `compose.yml` and `compose.yaml`, asks which one a project has.
    """
    first, second = _folded(one), _folded(other)
    if first == second:
        return "path"
    name = first.rpartition("/")[2]
    name_2 = second.rpartition("/")[2]
    stem, stem_2 = _stem(name), _stem(name_2)
    in_root = name == first and name_2 == second
    if name == name_2:
        return "name"
    if stem == stem_2 and not in_root:
        return "stem"
    if re.sub(_DIGITS, "#", first) == re.sub(_DIGITS, "#", second):
        return "series"
    if missing_folder[0] and _folded(missing_folder[0]) == _folded(missing_folder[1]):
        return "invented"
    return "near" if not in_root and _near(stem, stem_2) else None


def _folded(path: str) -> str:
    return path.replace("\\", "/").rstrip("/").casefold()


def _stem(name: str) -> str:
    # `.eslintrc.json` keeps its leading dot; `config.test.ts` and `test_config.py` are `config`.
    bare = name[:1] + name[1:].partition(".")[0]
    return re.sub(_SEPARATORS, "", re.sub(_TEST, "", bare)) or bare


def _near(one: str, other: str) -> bool:
    # Shorter stems are an edit away from far too many others.
    if min(len(one), len(other)) < _SHORTEST or abs(len(one) - len(other)) > 2:
        return False
    from truepath.resolve.typos import edits

    return edits(one, other) > 0


_SHORTEST = 4
