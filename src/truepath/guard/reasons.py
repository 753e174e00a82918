"""The reasons for a candidate, in the words that a person reads."""

from __future__ import annotations

from truepath.types import Candidate

_REASONS = {
    "same-name": "same name",
    "look-alike": "different case, spaces or accents",
    "name-case": "different case",
    "folder-case": "different case",
    "same-format": "same name, other extension",
    "sibling-extension": "same name, other extension",
    "other-extension": "same name, other extension",
    "separators": "same name, other separators",
    "plural": "same name except for a plural",
    "test-affix": "same name except for the test prefix",
    "one-edit": "one letter off",
    "two-edits": "two letters off",
    "word-added": "same name with one more word",
    "word-dropped": "same name with one word less",
    "same-words": "same words in another order",
    "close-name": "a similar name",
    "package-file": "the file of the folder of that name",
    "module-file": "the module of that name",
    "same-folder": "same folder",
    "same-parent": "same parent folder",
    "extra-leading": "without the leading folders",
    "missing-leading": "leading folders missing",
    "missing-middle": "one folder deeper",
    "missing-last": "one folder deeper",
    "extra-middle": "one folder fewer",
    "extra-last": "one folder up",
    "folder-slip": "one folder is spelled differently",
    "folder-words": "one folder has a word more or less",
    "doubled": "with the repeated folder once",
    "doubled-last": "the folder that the path is in",
    "other-checkout": "this project's own copy",
    "not-here": "its place in this project, not there yet",
    "from-checkout": "the same path in this project",
    "other-home": "the same path in this project",
    "only-one": "the only one of that name",
    "imported": "what the import names",
    "repeats-cwd": "repeats the current folder",
    "from-root": "from the project root",
    "root-name": "the project's own name left out",
    "lost-slash": "with its leading slash",
    "home": "with your home folder written out",
    "home-slip": "in your real home folder",
    "root-slip": "in the real project folder",
    "root-name-elsewhere": "the same path in this project",
    "container-root": "the same path in this project",
    "rooted-at-project": "from the project root",
    "case": "different case",
    "one-letter": "differs by a letter or two",
    "cut-off": "begins with the same letters",
    "same-below": "has the same folders",
}
"""Evidence -> its wording. Evidence that is not here is not mentioned."""

_CONTENTS = {
    "only-holder": "the only file that holds the text to be replaced",
    "lacks-text": "it does not hold the text to be replaced",
    "lacks-name": "it does not hold the name that is asked for",
    "lacks-line": "it has fewer lines",
}
"""The wording of evidence from contents; always mentioned, and first."""

SESSION = {
    "read-this-session": "used in this session",
    "not-committed": "changed and not committed",
    "same-folder-as-work": "in a folder used in this session",
}
"""The wording of evidence from the session; always mentioned."""


def reason(candidate: Candidate) -> str:
    """Return the reasons for a candidate in a few words."""
    if "not-here" in candidate.evidence:
        return _REASONS["not-here"]
    known = [_REASONS[each] for each in candidate.evidence if each in _REASONS]
    used = [SESSION[each] for each in candidate.evidence if each in SESSION]
    held = [said] if (said := of_contents(candidate)) else []
    return ", ".join(dict.fromkeys([*held, *known[:3], *used[:1]]))


def of_contents(candidate: Candidate) -> str:
    """Return the reason that a candidate's contents give; empty where they were not read."""
    return next((_CONTENTS[each] for each in candidate.evidence if each in _CONTENTS), "")
