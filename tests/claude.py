"""Transcripts of Claude Code, made of calls."""

from __future__ import annotations

import json

from truepath.audit.sources import Source

ROOT = "/home/ada/orders"


def transcript(tmp_path, *turns):
    """Write a transcript of turns; each is a call (tool, arguments, answer, failed), a
    list of such calls in parallel, or "user" for a prompt."""
    lines = []
    for at, turn in enumerate(turns):
        time = f"2026-03-02T09:00:{at:02}.000Z"
        about = {"sessionId": "s", "cwd": ROOT, "uuid": f"u{at}", "timestamp": time}
        calls = [turn] if isinstance(turn, tuple) else turn
        uses, answers = [], "and now?"
        if turn != "user":
            answers = []
            for number, (tool, arguments, answer, failed) in enumerate(calls):
                name = f"t{at}.{number}"
                uses.append(
                    {"type": "tool_use", "id": name, "name": tool, "input": arguments}
                )
                said = {"type": "tool_result", "tool_use_id": name, "content": answer}
                answers.append({**said, "is_error": failed})
            asked = {"role": "assistant", "id": f"m{at}", "content": uses}
            lines.append({**about, "type": "assistant", "message": asked})
        lines.append(
            {**about, "type": "user", "message": {"role": "user", "content": answers}}
        )
    place = tmp_path / "s.jsonl"
    place.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return Source(str(place))
