"""What speaks for a candidate, in the words that a person reads."""

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
    "plural": "same name but for a plural",
    "test-affix": "same name but for the test prefix",
    "one-edit": "one letter off",
    "two-edits": "two letters off",
    "word-added": "same name and a word more",
    "word-dropped": "same name and a word less",
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
    "extra-middle": "a folder less",
    "extra-last": "one folder up",
    "folder-slip": "one folder is spelled differently",
    "folder-words": "one folder has a word more or less",
    "doubled": "with the repeated folder once",
    "doubled-last": "the folder that the path lies in",
    "other-checkout": "this project's own copy",
    "not-here": "its place in this project, not there yet",
    "from-checkout": "the same path in this project",
    "other-home": "the same path in this project",
    "only-one": "the only one of that name",
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
    "same-below": "holds the same folders",
}
"""What each kind of evidence says to a reader; what is not here is not worth a word."""

_CONTENTS = {
    "only-holder": "the only file that holds the text to be replaced",
    "lacks-text": "it does not hold the text to be replaced",
    "lacks-name": "it does not hold the name that is asked for",
    "lacks-line": "it has fewer lines",
}
"""What the contents of a candidate say; always told, and first."""

SESSION = {
    "read-this-session": "used in this session",
    "not-committed": "changed and not committed",
    "same-folder-as-work": "in a folder used in this session",
}
"""What tells equals apart; always told."""


def reason(candidate: Candidate) -> str:
    """Say in a few words what speaks for a candidate."""
    if "not-here" in candidate.evidence:
        return _REASONS["not-here"]
    known = [_REASONS[each] for each in candidate.evidence if each in _REASONS]
    used = [SESSION[each] for each in candidate.evidence if each in SESSION]
    held = [said] if (said := of_contents(candidate)) else []
    return ", ".join(dict.fromkeys([*held, *known[:3], *used[:1]]))


def of_contents(candidate: Candidate) -> str:
    """Say what the contents of a candidate's file say of it; nothing where they were not asked."""
    return next((_CONTENTS[each] for each in candidate.evidence if each in _CONTENTS), "")
