"""The words of a ruling: its text and payload, from one table.

What a path is answered is in `messages`, every other text in `texts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from truepath import TYPE_CHECKING, Late
from truepath.calls.tools import runs_commands
from truepath.guard import messages, texts
from truepath.guard.messages import Surroundings
from truepath.guard.reading import Finding, Reading, Ruling
from truepath.guard.texts import said
from truepath.paths import fold
from truepath.quoting import shown
from truepath.records import replace
from truepath.session.ledger import End, OpenCall
from truepath.session.loops import Streak, longest
from truepath.types import Any, Decision, Resolution, ToolCall

if TYPE_CHECKING:
    from truepath.guard import excerpts
    from truepath.guard.located import Seen
else:
    excerpts = Late("truepath.guard.excerpts")

_LIKE = 3
"""First letters that an entry of a folder must share with the missing name to be listed
first."""

_TOLD = 3
"""Misses of one file in a row from which an answer says only what is new."""

_UNLOOKED = 3
"""The level of such a streak in which the agent has neither listed nor searched."""

_LONGEST_TOOL = 64
"""Characters of a tool's name that a text may contain as it is."""


def word(reading: Reading, ruling: Ruling, streaks: Sequence[Streak]) -> Decision:
    """Return a ruling as a decision; `streaks` are those of its misses."""
    call = reading.call
    if ruling.action == "allow":
        told = () if ruling.row else reading.findings
        decision = Decision("allow", call.arguments, resolutions=_resolutions(told))
    else:
        text = _text(reading, ruling)
        if ruling.part:
            text = f"{text}\n{_text(reading, ruling.part)}"
        decision = Decision(
            ruling.action,
            ruling.arguments or call.arguments,
            text,
            _payload(ruling),
            shift=ruling.code == texts.SHIFT,
            repeated=bool(streaks) and not any(streak.counted for streak in streaks),
            resolutions=_resolutions(ruling.about),
        )
    if streaks:
        decision = _in_loop(reading, ruling, streaks, decision)
    if ruling.elsewhere:
        decision = _with_checkouts(reading, ruling.elsewhere, decision)
    if reading.seen and ruling.action != "refuse":
        decision = _with_tests(reading.seen, decision)
    return decision


def ended(opened: OpenCall, end: End, call: ToolCall, usual: Decision) -> Decision:
    """Return the answer to the end of a call that was corrected; `usual` is what would
    be said without that.
    """
    if end not in ("failed", "dropped"):
        return usual
    written, used = shown(opened.written[0]), shown(opened.used[0])
    if end == "failed":
        name = "failed" if usual.text else "failed there"
        text = said(name, used=used, written=written)
        return replace(
            usual,
            action="advise",
            text=messages.joined([text, usual.text] if usual.text else [text]),
            payload=usual.payload or messages.payload(texts.CORRECTED, ()),
            repeated=False,
            end=end,
        )
    tool = call.known_as or call.tool
    # In a command or a patch, the path is only a part of what the tool takes.
    is_plain = opened.written[0] in call.arguments.values() and tool.isidentifier()
    first = said("not taken", code=texts.NOT_FOUND, written=written)
    step = said("next", step=tool if is_plain else "use", path=used)
    paths = {"written": opened.written[0], "used": [*opened.used]}
    payload = messages.payload(texts.NOT_FOUND, (), **paths)
    return Decision("advise", call.arguments, f"{first}\n{step}", payload, end=end)


def _resolutions(findings: Sequence[Finding]) -> tuple[Resolution, ...]:
    return tuple(finding.resolution for finding in findings)


def _payload(ruling: Ruling) -> Mapping[str, Any]:
    first = ruling.about[0] if ruling.about else None
    more = {}
    code = ruling.code
    if not ruling.says and ruling.arguments is not None:
        more["used"] = [finding.used for finding in ruling.about]
        # One file that is merely likely makes the whole call one to judge.
        assumes = any(finding.assumed for finding in ruling.about)
        code = texts.ASSUMED if assumes else texts.CORRECTED
    elif not code and first:
        code = texts.UNSEEN if first.blocked else messages.code(first.resolution)
    return messages.payload(code, _resolutions(ruling.about), **more)


def _text(reading: Reading, ruling: Ruling) -> str:
    return WORDS.get(ruling.says, _of_table)(reading, ruling)


def _of_paths(reading: Reading, ruling: Ruling) -> str:
    """Return the text for paths that were replaced, or for a call that does not run, or
    has failed.
    """
    if ruling.arguments is not None:
        notes: list[str] = []
        for finding in ruling.about:
            used = (finding.resolution, finding.mention.argument.written, finding.used)
            if finding.assumed:
                notes.append(messages.assumed(*used, _around(reading, finding)))
            else:
                notes.append(messages.corrected(*used))
        return messages.joined(notes, counts=True)
    answers = [
        messages.unseen(finding.resolution)
        if finding.blocked
        else messages.missing(
            finding.resolution,
            ruling.action,
            _around(reading, finding),
            guide=finding.rule == "guide",
            tools=reading.call.search_tools,
        )
        for finding in ruling.about[: messages.SHOWN]
    ]
    # A line that names a path twice is answered once.
    return messages.joined([*dict.fromkeys(answers)])


def _nothing_done(_: Reading, ruling: Ruling) -> str:
    answers = [
        said(
            "nothing done",
            path=shown(finding.resolution.written),
            of=" of it" if ruling.parts["beside"] else "",
            done=done,
        )
        for finding, done in zip(ruling.about, ruling.parts["done"], strict=True)
    ]
    return messages.joined([*dict.fromkeys(answers)])


def _acts(reading: Reading, ruling: Ruling) -> str:
    again = reading.checkouts == "ask" and ruling.action == "refuse"
    answers = [
        messages.acts(finding.resolution, again=again, **place)
        for finding, place in zip(ruling.about, ruling.parts["places"], strict=True)
    ]
    return messages.joined(answers)


def _of_table(_: Reading, ruling: Ruling) -> str:
    """Return a text of the table, and the lines of the file that it is about."""
    parts = {name: _PARTS.get(name, str)(part) for name, part in ruling.parts.items()}
    path = shown(ruling.about[0].resolution.written)
    first = said(ruling.says, code=ruling.code, path=path, **parts)
    lines = [first, *_excerpt(ruling)]
    if ruling.parts.get("same"):
        lines.append(said("same again"))
    if ruling.parts.get("third"):
        lines.insert(0, said("failed again", code=texts.SHIFT, count="3"))
    return "\n".join(lines)


def _excerpt(ruling: Ruling) -> Sequence[str]:
    """Return the lines of the file that a text is about."""
    if not ruling.places:
        return ()

    if "part" in ruling.parts:
        part = ruling.parts["part"]
        lines = excerpts.to_send(ruling.text, part, ruling.places[0])
    elif ruling.says in ("several places", "other words") and ruling.places[1:]:
        lines = excerpts.apart(ruling.text, ruling.places)
    else:
        lines = excerpts.numbered(ruling.text, ruling.places)
    return [*lines, said("send again")] if ruling.parts.get("again") else lines


WORDS: Mapping[str, Callable[[Reading, Ruling], str]] = {
    "": _of_paths,
    "not absolute": lambda reading, ruling: messages.joined(
        [
            messages.not_absolute(finding.resolution, whole, _around(reading, finding))
            for finding, whole in zip(ruling.about, ruling.parts["paths"], strict=True)
        ]
    ),
    "lacks": lambda _, ruling: messages.wrong_folder(
        **ruling.parts, again=ruling.action == "refuse"
    ),
    "acts": _acts,
    "nothing done": _nothing_done,
    "same line": lambda _, ruling: said("same line", code=ruling.code),
}
"""What a ruling says -> its text, if that is more than one of `texts.TEXTS`."""


_PARTS: Mapping[str, Callable[[Any], str]] = {
    # Bytes and lines.
    "size": lambda size: (
        f"{size[0] / 1024:,.1f} KB in {size[1]:,} {'line' if size[1] == 1 else 'lines'}"
    ),
    "every": lambda name: said("every", argument=name) if name else "",
    "override": lambda name: f"Set `{name}`, s" if name else "S",
    "onward": lambda argument: (
        said("onward", argument=argument) if argument else said("to its end")
    ),
}
"""Part of a text -> its words, if they are not what `str` returns."""


def _in_loop(
    reading: Reading, ruling: Ruling, streaks: Sequence[Streak], decision: Decision
) -> Decision:
    """Return a decision with what the agent reads about misses in a row."""
    streak = longest(streaks)
    if ruling.row:
        if not (streak.shift and streak.counted):
            return decision
        # The first failure was noted, not counted.
        count = streak.count + 1
        text = said("failed again", code=texts.SHIFT, count=f"{count}")
        answers = [text, decision.text]
        return replace(decision, text=messages.joined(answers), shift=True)
    first = ruling.missed[0]
    if streak.shift:
        text = _shifted(reading, ruling, streak, decision.text)
        return replace(decision, text=text, shift=True)
    # An answer would tell a loop what it was told before.
    is_missing = messages.code(first.resolution) == texts.NOT_FOUND
    told = is_missing and streak.same and streak.count >= _TOLD
    is_answered = ruling.action == "rewrite" or first.blocked
    if len(streaks) == 1 and told and not is_answered:
        text = messages.again(
            first.resolution,
            _around(reading, first),
            streak.count,
            looked=streak.level < _UNLOOKED,
            tools=reading.call.search_tools,
        )
        return replace(decision, text=text)
    return decision


def _shifted(reading: Reading, ruling: Ruling, streak: Streak, answer: str) -> str:
    """Return an answer with what tells the agent to stop guessing."""
    first = ruling.missed[0]
    # The paths of this call are in its own answer.
    now = {finding.resolution.target for finding in ruling.missed}
    written = first.mention.written
    tried = [
        reading.space.spell(path, written, cwd=first.cwd)
        for path in streak.tried
        if path not in now
    ]
    text = messages.shift(count=streak.count, same=streak.same, tried=tried)
    if ruling.action == "rewrite":  # the shown file comes first
        return messages.joined([answer, text])
    if messages.is_weak(first.resolution):
        answer = messages.with_search(answer, reading.call.search_tools)
    return messages.joined([text, answer])


def _with_checkouts(
    reading: Reading, elsewhere: Mapping[str, Finding], decision: Decision
) -> Decision:
    """Return a decision with what the agent reads about other checkouts."""
    answers = [decision.text] if decision.text else []
    for top, finding in elsewhere.items():
        around = _around(reading, finding)
        answers.append(messages.other_checkout(finding.resolution, top, around))
    resolutions = _resolutions([*elsewhere.values()])
    payload = messages.payload(texts.OTHER_CHECKOUT, resolutions)
    return replace(
        decision,
        action="advise" if decision.action == "allow" else decision.action,
        text=messages.joined(answers),
        payload=decision.payload or payload,
    )


def _with_tests(seen: Seen, decision: Decision) -> Decision:
    """Return a decision with where its tests run, if the session edits elsewhere."""
    elsewhere = seen.runs_elsewhere()
    if elsewhere is None:
        return decision
    edited, top = map(shown, elsewhere)
    text = said("tests other", code=texts.OTHER_CHECKOUT, edited=edited, top=top)
    answers = [decision.text, text] if decision.text else [text]
    return replace(
        decision,
        action="advise" if decision.action == "allow" else decision.action,
        text=messages.joined(answers),
        payload=decision.payload or messages.payload(texts.OTHER_CHECKOUT, ()),
        repeated=False,
    )


def _around(reading: Reading, finding: Finding) -> Surroundings:
    """Return what is near a path, and how to name it to the agent that wrote it."""
    space = reading.space
    call = reading.call
    resolution = finding.resolution
    written = finding.mention.written
    # In a command, the path is only a part of what the tool takes.
    tool = call.known_as or call.tool
    is_word = all(char.isalnum() or char in "_.-" for char in tool)
    is_plain = is_word and 0 < len(tool) <= _LONGEST_TOOL and not runs_commands(call)
    step = tool if is_plain and finding.mention.text is None else "use"

    def spell(path: str) -> str:
        return space.spell(path, written, cwd=finding.cwd)

    folder = resolution.target
    missing = ""
    while folder and space.tree.kind(folder) != "folder":
        folder, _, missing = folder.rpartition("/")
    # Nothing is listed outside the project or in another checkout.
    outside = Surroundings(spell=spell, step=step)
    if resolution.outside:
        return outside
    if space.checkout(folder, written, cwd=finding.cwd) != space.root:
        return outside
    beginning = fold(missing)[:_LIKE]

    def rank(entry: str) -> tuple[bool, bool]:
        return not fold(entry).startswith(beginning), entry.startswith(".")

    # Only the first ones are shown: what is like the missing name, hidden ones last.
    entries = sorted(space.tree.children(folder), key=rank)
    return Surroundings(folder, entries, spell, step)
