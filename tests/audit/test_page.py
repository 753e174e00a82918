"""An audit's page in a real browser: by keyboard, in the dark, on a phone."""

from __future__ import annotations

import asyncio
import base64
import os
from pathlib import Path

import browser
import pytest

from truepath.audit.failures import classes
from truepath.audit.figures import add_up
from truepath.audit.page import page
from truepath.audit.record import record

pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(
        browser.PROGRAM is None,
        reason="no Chromium here (Debian: apt install chromium)",
    ),
]

SHOTS = os.environ.get("TRUEPATH_TEST_SHOTS")
"""A folder for pictures, to look at."""

ANSWERS = (
    ("corrected", "right"),
    ("assumed", "right"),
    ("named", "wrong"),
    ("unknown", "unknown"),
)


def _records():
    for at in range(60):
        would, verdict = ANSWERS[at % 4]
        miss = {
            "kind": "miss",
            "at": 1,
            "tool": "Read" if at % 3 else "Bash",
            "loop": 1,
        }
        miss |= {
            "operation": "read",
            "written": "a",
            "target": f"src/{'long' * 9}-{at}.py",
        }
        miss |= {
            "calls_lost": 1 + at % 5,
            "seconds_lost": 1.0,
            "tokens_lost": 9,
            "truth": "",
        }
        miss |= {"would": would, "verdict": verdict, "shown": "src/b.py"}
        miss |= {"followed": "found" if at % 2 else "left"}
        alarm = {**miss, "kind": "alarm", "written": "x/" * 60}
        session = {"format": "pi" if at % 4 else "codex", "session": str(at)}
        folder = "/home/ada/.claude/projects/-home-ada-orders"
        session["source"] = f"{folder}/{'long' * 12}-{at}.jsonl"
        session |= {
            "model": "a-model-with-a-rather-long-name-2026-01-01",
            "project": f"/p/{at % 3}",
        }
        session |= {"started": 1_772_442_000.0, "calls": 100 + at}
        failures = [
            {
                "kind": "failure",
                "at": 1,
                "tool": "x",
                "failure": name,
                "calls_lost": at % 7,
            }
            for name in [*classes()][: 1 + at % len(classes())]
        ]
        yield record(session, (*failures, miss, *([alarm] if at % 9 == 0 else [])))


FOLLOWED = {
    "near": {"took": 12, "other": 3, "again": 1, "left": 4},
    "only-name": {"took": 1_200, "other": 0, "again": 0, "left": 0},
}


def test_the_page_says_what_followed_answers_by_rule_where_there_are_some():
    found = add_up([*_records()])
    title = "What followed truepath's answers"
    assert title not in page(found)
    told = page(found, FOLLOWED).partition(title)[2].partition("</section>")[0]
    near = told.partition("near")[2].partition("</tr>")[0]
    assert "<td>20<td>60%<td>12<td>3<td>1<td>4" in near
    assert "<td>1,200<td>100%" in told


async def _look(tmp_path):
    place = tmp_path / "report.html"
    place.write_text(page(add_up([*_records()]), FOLLOWED), "utf-8")
    async with browser.chromium(tmp_path / "browser") as shown:
        await shown.open(place.as_uri())
        await _is_quiet(shown, place)
        await _is_drawn(shown)
        for width in (1200, 390):
            for dark in (False, True):
                await shown.look(width=width, dark=dark)
                await _is_readable(shown, width, dark=dark)
        await _has_keys(shown)


def test_the_page_can_be_read_by_anybody_anywhere(tmp_path):
    asyncio.run(_look(tmp_path))


async def _is_quiet(shown, place):
    asked = [
        told["params"]["request"]["url"]
        for told in shown.heard
        if told["method"] == "Network.requestWillBeSent"
    ]
    assert asked == [place.as_uri()]
    bad = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
    assert [told for told in shown.heard if told["method"] in bad] == []


async def _is_drawn(shown):
    sizes = (
        "[...document.querySelectorAll({!r})].map(e => e.getBoundingClientRect().{})"
    )
    bars = await shown.value(sizes.format(".pair .bar i", "width"))
    assert min(bars) >= 2
    assert max(bars) > 200


# The contrast of WCAG 2.2, of every element with a text of its own against what is
# behind it.
CONTRAST = """
(() => {
  const light = c => { const v = c.match(/[\\d.]+/g).map(Number).slice(0, 3).map(n => {
    n /= 255; return n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4 });
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2] };
  const behind = e => { for (; e; e = e.parentElement) {
    const c = getComputedStyle(e).backgroundColor;
    if (!/rgba.*, 0\\)/.test(c)) return c } return 'rgb(255, 255, 255)' };
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  return Math.min(...[...document.body.querySelectorAll('*')].filter(own).map(e => {
    const both = [light(getComputedStyle(e).color), light(behind(e))];
    const [a, b] = both.sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05) }));
})()
"""


async def _is_readable(shown, width, *, dark):
    assert await shown.value("document.documentElement.scrollWidth") <= width
    assert await shown.value(CONTRAST) >= 4.5
    paper = await shown.value("getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(17, 17, 19)" if dark else "rgb(249, 249, 251)")
    if SHOTS:
        shot = await shown.send("Page.captureScreenshot", captureBeyondViewport=True)
        name = f"{width}-{'dark' if dark else 'light'}.png"
        (Path(SHOTS) / name).write_bytes(base64.b64decode(shot["data"]))


async def _has_keys(shown):
    reached = []
    for _ in range(12):
        await shown.press("Tab")
        reached.append(
            await shown.value("document.activeElement.getAttribute('aria-label')")
        )
        if await shown.value("document.activeElement.tagName") == "SUMMARY":
            break
    assert "What calls failed on" in reached
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert await shown.value(outline) == "solid"
    await shown.press("Enter")
    assert await shown.value("document.querySelector('details').open") is True
