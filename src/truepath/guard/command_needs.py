"""The rulers of a command whose folder lacks what its program needs: before it runs,
only where all that the line does is certain to fail; after it failed, in any case. The
command is never changed.

Their text: `lacks`.
"""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late
from truepath.calls.tools import runs_commands
from truepath.guard.reading import Reading, Ruling
from truepath.types import Action

if TYPE_CHECKING:
    from truepath.guard import needs as needs_
else:
    needs_ = Late("truepath.guard.needs")


def command_needs(reading: Reading) -> Ruling | None:
    """Rule about a command that is certain to fail in its folder and has another one;
    None if it may run.
    """
    rule = reading.rules["execute"]
    if not reading.checks or rule == "guide" or not runs_commands(reading.call):
        return None

    lack = needs_.lacking(reading, sure=True)
    # A command that the user typed is an instruction, whatever it does.
    if lack is None or lack.text in reading.call.prompt:
        return None
    action: Action = "refuse" if reading.caller.refuses else "advise"
    if rule == "observe":
        return needs_.ruling(reading, lack, action)
    # The same command again is meant.
    note = f"{lack.place}\n{lack.text}"
    if reading.known.noted(note):
        return None
    return needs_.ruling(reading, lack, action, note)


def failed_needs(reading: Reading) -> Ruling | None:
    """Rule about a command that has run, and said that its folder lacked something."""
    if reading.failure is None or "need" not in reading.failure.about:
        return None
    call_id = reading.call.call_id
    notes = [f"need:{call_id}"] if call_id else []
    # Its failure and the batch that it was in are two events.
    if any(map(reading.known.noted, notes)):
        return None

    lack = needs_.lacking(reading, sure=False)
    return needs_.ruling(reading, lack, "advise", *notes) if lack else None
