"""The table of texts: every word that an agent reads, with places for names.

Texts are short: a refusal ends with what exists, a correction begins with what is used.
"""

from __future__ import annotations

from collections.abc import Mapping

from truepath.paths import LONGEST as LONGEST_PATH
from truepath.types import Cause

NOT_FOUND = "PATH_NOT_FOUND"
CORRECTED = "PATH_CORRECTED"
ASSUMED = "PATH_ASSUMED"
NOT_A_FILE = "PATH_IS_NOT_A_FILE"
NOT_A_FOLDER = "PATH_IS_NOT_A_FOLDER"
LOOKS_WRONG = "PATH_LOOKS_WRONG"
NOT_ABSOLUTE = "PATH_IS_NOT_ABSOLUTE"
OTHER_CHECKOUT = "PATH_IN_OTHER_CHECKOUT"
SHIFT = "STRATEGY_SHIFT"
UNSEEN = "LOOK_FIRST"
READ_IN_PART = "FILE_READ_IN_PART"
TOO_LARGE = "FILE_TOO_LARGE"
TEXT_NOT_FOUND = "TEXT_NOT_FOUND"
EDIT_CORRECTED = "EDIT_CORRECTED"
SEVERAL_PLACES = "TEXT_IN_SEVERAL_PLACES"
ALREADY_MADE = "EDIT_ALREADY_MADE"
WRONG_FOLDER = "WRONG_FOLDER"

CODES: Mapping[str, str] = {
    NOT_FOUND: "The path does not exist, so the call did not run, or has failed. "
    "Candidates follow, the likeliest first, if there are any; the last line is the "
    "next step.",
    CORRECTED: "In payloads only: the path does not exist, and the call runs with the "
    "one that is named.",
    ASSUMED: "In payloads only: the path does not exist; the call only looks, and runs "
    "with the likely file that is named.",
    NOT_A_FILE: "The path is a folder, and its tool takes a file. Its entries follow.",
    NOT_A_FOLDER: "The path is a file, and its tool takes a folder.",
    LOOKS_WRONG: "A path that is about to be made looks like one that exists or has "
    "moved. The call did not run; sent again as it is, it does.",
    NOT_ABSOLUTE: "The path is relative, and its tool takes absolute paths only; the "
    "absolute one is named.",
    OTHER_CHECKOUT: "The path is in another checkout of the same repository than the "
    "one that this session works in, or the command runs there. A call that did not "
    "run, by the setting `other_checkouts`, runs if it is sent again as it is.",
    SHIFT: "Before another answer, in texts only: several paths in a row did not "
    "exist. What finds the file is a search, not another guess.",
    UNSEEN: "A file is not made after several misses in a row, before anything was "
    "listed or searched. Sent again as it is, the call runs.",
    READ_IN_PART: "In payloads only: the file is larger than the agent program reads "
    "at once, and the call reads the lines that are named.",
    TOO_LARGE: "The file is larger than the agent program reads at once, and nothing "
    "was read. The lines that head its parts may follow.",
    TEXT_NOT_FOUND: "The text to be replaced is not in the file. The lines that are "
    "meant follow as they are.",
    EDIT_CORRECTED: "In payloads only: the text to be replaced is in the file with "
    "other line ends, and the call runs with these.",
    SEVERAL_PLACES: "The text to be replaced is in the file several times. Each place "
    "follows.",
    ALREADY_MADE: "The text to be replaced is not in the file, and the new text is.",
    WRONG_FOLDER: "What a command needs is not in its folder, so the call did not run; "
    "the folders that have it are named. Sent again as it is, it runs.",
}
"""What an answer begins with, or a payload has as `code` -> what it says."""

TEXTS = {
    # A call that runs: what is used comes first, because a model that reads "does not
    # exist" first searches again. No code: small models take it for a failure, and the
    # payload has it.
    "corrected": "OK: {used} in place of {written}{why}.",
    "assumed": "OK: {used}, the likely {noun} for {written}{why}.",
    "others": " Or: {paths}.",
    "more": "More paths of this call that did not exist and were replaced: {count}.",
    # A call that does not run: what exists comes last, because that is what is copied.
    "missing": "{code}: {written}{why}.{cut}",
    "which": "{first} Check which:\n{paths}",
    "parts": "{first}\n{paths}",
    "absent": "{code}: {written}{why}.{scope}",
    "next": "Next: {step} {path}",
    "question": "Did you mean {path}?",
    "again": "{code}: {written}{why}: miss {count} in a row, nothing new.",
    "again named": "{code}: {written}{why}: miss {count}.",
    "search": "Next: search{tools}; else ask the user for the path.",
    "list": "Next: list {path}; else ask the user for the path.",
    "ask": "Next: ask the user for the path.",
    "listing": "In {place}: {entries}",
    "restore": "Next: {restore} brings it back.",
    "sparse": "Next: {add} brings it back.",
    "conflict": "Next: {status} shows where the merge left it.",
    "submodule": "Next: {update} checks it out.",
    "folder": "{code}: {written} is a folder, not a file.",
    "file": "{code}: {written} is a file, not a folder.",
    "not absolute": "{code}: {written} is relative{why}.",
    "new": "{code}: {written} would be new{why}.{repeat}",
    "repeat": " If it is meant, send the same call again.",
    "elsewhere": "{code}: {written} is in another checkout of this repository, {top}. "
    "In this project it is {path}.",
    "other path": "{code}: {written} is in another checkout of this repository, {top}."
    "{here}{repeat}",
    "other folder": "{code}: this runs in {written}, in another checkout of this "
    "repository.{here}{repeat}",
    "here": " Here it is {path}.",
    "works in": " This session works in {path}.",
    "tests other": "{code}: this session has edited {edited}; this runs in {top}.",
    # Of a call that was corrected, and failed; what else there is to say follows.
    "failed": "{used} was used in place of {written}.",
    "failed there": "{used} was used in place of {written}; the call failed on "
    "something else.",
    "not taken": "{code}: {written}: the program did not take the correction.",
    "in the way": "The edit has made a new file, {paths}, which is in the way: "
    "remove it.",
    "made": "{code}: {written} is made, as a new file{why}. If {path} was meant, move "
    "it there.",
    "unseen": "{code}: {written} was not made: similar paths did not exist, and "
    "nothing was listed or searched since. List its folder or search for its name. "
    "If a new one is meant, then send the same call again.",
    # Before another answer, whose last line is the next step.
    "shift": "{code}: {count} misses in a row{target}{before}. Stop guessing.",
    # The policy `guide`.
    "guide": "Search before giving up{tools}: {patterns}.\n"
    "One match: read it. Several: list them and ask the user which is meant. "
    "None: ask the user. Never skip a file that was referred to without saying so.",
    "none like it": " Nothing similar in {names}{history}.",
    "none of it": " None of that name in {names}{history}.",
    "no departure": ", and git's history has no such name",
    "not meant": " Nothing in this project is meant.",
    "cut short": " The search was cut short, so {rest}.",
    # A call whose path exists; the lines of the file follow.
    "read in part": "OK: lines {first} to {last} of {path} ({size}, more than is read "
    "at once). {onward}",
    "onward": "To go on: {argument}, or search in it.",
    "to its end": "These are its last lines.",
    "send again": "Next: send the same call again; it runs with the file's line ends.",
    "line ends": "OK: with the file's line ends ({ends}).",
    "too large": "{code}: {path} has {size}. Read a part of it, or search in it.",
    "long line": "{code}: {path} has {size}, and line {first} alone may be more than "
    "is read at once. {override}earch in it, or read it with a command (`head -c`).",
    "behind its end": "{code}: {path} has {size}: it ends before line {first}.",
    "several places": "{code}: the text to be replaced is in {count} places of {path}. "
    "Send it with the lines around the one that is meant{every}.",
    "every": ", or set `{argument}`",
    "other line ends": "{code}: the text to be replaced is not in {path}; only line "
    "ends differ: {ends}. Send it with those of the file:",
    "line numbers": "{code}: the text to be replaced is not in {path}; without the "
    "line numbers before its lines, it is.",
    "other blanks": "{code}: the text to be replaced is not in {path}; only blanks "
    "differ.",
    "other signs": "{code}: the text to be replaced is not in {path}; only signs that "
    "look alike differ.",
    "its lines": "These are its lines:",
    "to send": "{lines}, to be sent in its place:",
    "made already": "{code}: the text to be replaced is not in {path}, the new text "
    "is there already:",
    "other words": "{code}: the text to be replaced is not in {path}; most similar "
    "are these lines:",
    # A command whose folder lacks what it needs; where it would run comes last.
    "lacks file": "{code}: {file} does not exist{above}.{repeat}",
    "lacks items": "{code}: {file} has no {items}.{repeat}",
    "have it": "{first}\nThese folders have it: {folders}.",
    "has it": "{first}\nUse {folders}, which has it.",
    "run there": "{first}\nNext: {line}",
    # A command that ends well, and says nothing of what it was asked about.
    "nothing done": "{path} does not exist; nothing{of} was {done}.",
    "not there": "{code}: the text to be replaced is not in {path}.",
    "same again": "The same call failed a moment ago, and the file is unchanged.",
    "same line": "{code}: this line failed 3 times in the same way, and no file of the "
    "project was written since the first. Change something first, or try another way.",
    "failed again": "{code}: {count} calls in a row failed for the same reason. Look "
    "at the file first, then send its lines as they are, or rewrite the whole part.",
}
"""Name -> text: every text that an agent reads, so that a wording is changed, and
measured (`make agent`, with `--wording` or `--note`), in one place."""


CAUSES: Mapping[Cause, str] = {
    "empty": "the path is empty",
    "nul": "the path contains a NUL byte",
    "too-long": f"the path is over {LONGEST_PATH:,} characters",
    "exists": "exists",
    "protected": "protected",
    "hidden": "it cannot be looked at",
    "file": "file",
    "folder": "folder",
    "dangling": "a link that leads nowhere",
    "pattern": "a pattern, not a path",
    "kept": "git has it, and the disk does not",
    "sparse": "git has it, outside this sparse checkout",
    "conflict": "git has it in a merge that is not resolved",
    "submodule": "in a submodule that is not checked out",
    "not-installed": "not installed",
    "not-made": "git ignores it; it may not be built yet",
    "beside": "what is like it is in the same command",
    "several": "several paths in one: give each by itself",
    "blanks": "it has blanks: put it in quotes",
    "backslashes": "a shell removes its backslashes",
    "null-device": "bash makes a file of it, which Windows cannot delete; for nothing "
    "use /dev/null",
    "ignored": "git ignores it: it may not be made yet",
    "ignored-unknown": "whether git ignores it is not known",
    "other-repository": "not in this repository",
    "marked-wrong": "the user marked what looks like it as wrong",
}
"""Cause of a resolution -> words. The others have words of their own, in its `note`."""


OF_PATH: Mapping[str, str] = {
    "the only one of its name": "only one has that name",
    "the only one with the text": "only one has the text",
    "it has the text": "only one has the text",
    "the same path in this project": "outside this project",
    "this project's own copy": "in another checkout",
    "the project, not a program's copy": "in a program's copy",
}
"""What is said of a candidate -> what is said of the written path for it, where that is
not the same."""

SELF_EVIDENT = frozenset(
    {"same name", "a similar name", "written plainly", "further down"}
)
"""What the two paths show: it is said of no candidate."""


def said(name: str, **parts: str) -> str:
    """Return a text of the table with its parts, which are quoted already."""
    return TEXTS[name].format(**parts)
