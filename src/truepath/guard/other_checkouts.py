"""What is done about a call that acts in another checkout of the repository than its
session's own, if the setting `other_checkouts` asks for it.

The rows, the first that applies, and what they leave under `ask` and under `refuse`:

- It acts in its own checkout, in another repository or in the common git folder: runs.
- The user typed the path, or a person approved the call: runs.
- It was sent again, or acts in a checkout where one was: runs; refused.
- It changes, runs or deletes something in another checkout: refused.

A call that runs is told if it tests another checkout than the last one edited.
"""

from __future__ import annotations

import os

from truepath.calls import tools
from truepath.calls.paths import Mention
from truepath.guard.acts import of_commands, of_path
from truepath.guard.located import Located, Seen, in_checkouts, is_in, own_of, typed_in
from truepath.guard.reading import PASSIVE, Finding, Reading, Ruling
from truepath.guard.texts import OTHER_CHECKOUT
from truepath.session.checkouts import about, learned
from truepath.types import Candidate, PathArgument, Resolution


def see(reading: Reading) -> Seen:
    """Return where a call acts, and what is known of that."""
    call = reading.call
    root = reading.space.root
    here = os.path.normpath(os.path.join(root, call.cwd or ""))
    # The right ones, if they are corrected.
    paths = [
        os.path.join(root, finding.resolution.path)
        if finding.action == "rewrite" and finding.resolution.path is not None
        else os.path.join(root, finding.cwd or "", finding.mention.written)
        for finding in reading.findings
    ]
    if tools.runs_commands(call):
        acts = [*of_commands(call, here)]
    else:
        acts = []
        for place, finding in zip(paths, reading.findings, strict=True):
            written = finding.mention.written
            acts += of_path(place, written, finding.resolution.operation)
    facts = reading.known.kept().checkouts
    own = own_of(call, here, facts, [*paths, *(act.place for act in acts)])
    places = [*in_checkouts(acts, own)] if own else []
    users = reading.known.user().kept().checkouts if call.agent else ()
    typed = [*about(facts, "typed"), *about(users, "typed")]
    if own and call.prompt:
        typed += typed_in(call.prompt, here, own)
    return Seen(call, here, own, places, facts, typed)


def prompted(reading: Reading) -> None:
    """Record where the user has typed something, and which other checkouts it names."""
    seen = see(reading)
    learn = seen.after("allow")
    typed = [f"typed {path}" for path in seen.typed]
    reading.known.learn_checkouts(lambda facts: learned(learn(facts), *typed))


def other_checkouts(reading: Reading) -> Ruling | None:
    """Rule about a call that acts in another checkout; None if it may run."""
    seen = reading.seen
    if seen is None:
        return None
    acts = seen.unasked() if reading.checkouts == "ask" else seen.elsewhere()
    firsts: dict[str, Located] = {}
    for located in acts:
        # Under some rules nothing is ever refused.
        if reading.rules[located.act.operation] not in PASSIVE:
            firsts.setdefault(located.top, located)
    if not firsts:
        return None
    places = []
    findings = []
    for top, located in firsts.items():
        act = located.act
        own = _counterpart(located, seen, reading)
        candidate = Candidate(located.inner, 1.0, "near", folder=os.path.isdir(own))
        resolution = Resolution(
            act.written,
            "outside",
            act.operation,
            candidates=(candidate,) if own else (),
            target=act.place,
            outside=True,
        )
        argument = PathArgument("command", act.written, act.operation)
        findings.append(Finding(Mention(argument), resolution, "refuse", cwd=seen.here))
        # As the agent would write it.
        here = os.path.realpath(seen.here)
        place = own or seen.own
        if not os.path.isabs(act.written) and is_in(here, seen.own):
            place = os.path.relpath(place, here)
        places.append({"top": top, "own": place, "folder": act.folder})
    refuses = reading.caller.refuses
    return Ruling(
        "refuse" if refuses else "advise",
        findings,
        event="path.refused" if refuses else "path.advised",
        says="acts",
        code=OTHER_CHECKOUT,
        parts={"places": places},
        # What is let through then is not told once more.
        notes=tuple(f"checkout:{top}" for top in firsts),
    )


def _counterpart(located: Located, seen: Seen, reading: Reading) -> str:
    """Return the same path in the session's own checkout, absolute; "" if it is not
    there, or may not be named.
    """
    inner = located.inner
    if not inner or not reading.space.tree.may_name(inner):
        return ""
    place = os.path.join(seen.own, inner)
    return place if os.path.lexists(place) else ""
