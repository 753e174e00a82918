"""Other ways to answer a wrong path, each written from its described rule.

A rule takes a question and returns the one path it would go on with, or None. Rules whose makers
only suggest are judged by their first suggestion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from rivals import distance, names, outside
from rivals.question import Question

Rule = Callable[[Question], "str | None"]

RULES: Mapping[str, Rule] = {
    "unique name": names.unique_name,
    "substring in folder": names.substring_in_folder,
    "3 edits in folder": distance.three_edits_in_folder,
    "suffix match": names.suffix_match,
    "Jaro-Winkler": distance.jaro_winkler,
    "difflib": distance.difflib_close,
}
"""Rules that answer one question at a time, in this process."""

PROGRAMS: Mapping[str, type[outside.Program]] = {
    "Fuse.js": outside.Fuse,
    "fzf": outside.Fzf,
}
"""Rules that are other people's programs."""
