"""`truepath stats`: the sums as a table, as JSON, and as a page in a real browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import struct
import subprocess
import time
import zlib
from collections import Counter
from pathlib import Path

import pytest
from commandline import ran

from truepath.cli.drawing import bars, columns, escaped, histogram
from truepath.cli.stats_page import html
from truepath.config.user_dirs import state_folder
from truepath.events.event import Event
from truepath.events.journal import JsonlSink, journal_path
from truepath.events.statistics import account

HOSTILE = '<script>alert("x")</script>&"\x1b[31m\u202e'
DAY = 86_400.0


@pytest.fixture
def journal():
    return JsonlSink(journal_path(state_folder(os.environ)))


def miss(kind="path.corrected", *, age=0.0, number=0, **fields):
    known = {"host": "claude-code", "tool": "Read", "project": "/p", "session": f"s{number}"}
    known |= {"requested": f"a/{number}.py", "target": f"a/{number}.py", "elapsed_us": 4000}
    if kind == "path.corrected":
        known |= {"resolved": "b.py", "status": "resolved", "evidence": ("renamed",)}
    return Event(event=kind, time=time.time() - age, **known | fields)


def test_without_a_journal_it_says_so_beside_the_data(capsys):
    done = ran(capsys, "stats")
    assert (done.code, done.out) == (0, "")
    assert "nothing was intercepted yet" in done.err
    assert ran(capsys, "stats", "--json").objects[0]["total"]["misses"] == 0


def test_of_a_time_without_events_it_says_no_more_than_that(journal, capsys):
    journal(miss(age=3600))
    assert "nothing was intercepted since then" in ran(capsys, "stats", "--since", "1m").err


def test_the_sums_are_a_table(journal, capsys):
    for number in range(3):
        journal(miss(number=number))
    journal(miss("path.absent", number=9))
    done = ran(capsys, "stats")
    assert (done.code, done.err) == (0, "")
    lines = {" ".join(line.split()[:2]): line for line in done.out.splitlines()}
    assert lines["4 paths"].startswith("4 paths not there")
    assert re.search(r"corrected +3 +█+ +75%", done.out)
    assert re.search(r"nothing like it +1 +█+ +25%", done.out)
    assert re.search(r"answers taken +100% +3 of 3", done.out)
    assert re.search(r"the agent then +took it 3 · is still at it 1", done.out)
    assert re.search(r"calls saved +6 ", done.out)
    assert re.search(r"time added +4.0 ms", done.out)


def test_groups_are_rows_with_the_largest_first(journal, capsys):
    journal(miss(tool="Bash"))
    journal(miss(number=1))
    journal(miss(number=2))
    table = ran(capsys, "stats", "--by", "tool").out.split("\n\n")[1].splitlines()
    assert table[0].split()[:3] == ["tool", "misses", "corrected"]
    assert [row.split()[:3] for row in table[1:]] == [["Read", "2", "2"], ["Bash", "1", "1"]]


def test_json_is_one_object_with_every_figure(journal, capsys):
    journal(miss())
    journal(miss("path.absent", number=1, host="codex"))
    (data,) = ran(capsys, "stats", "--json", "--by", "host").objects
    assert data["total"]["misses"] == 2
    assert data["total"]["calls_saved"] == 2
    assert data["total"]["answers"]["taken"] == 1
    assert data["by"] == "host"
    assert {name: each["misses"] for name, each in data["groups"].items()} == {
        "claude-code": 1,
        "codex": 1,
    }
    assert data["first"] <= data["last"]


@pytest.mark.parametrize(
    ("since", "number"), [("30m", 1), ("2h", 2), ("7d", 3), ("3w", 4), ("2020-01-01", 4)]
)
def test_only_what_came_since_is_counted(journal, capsys, since, number):
    for at, age in enumerate((10 * DAY, 3 * DAY, 3600.0, 60.0)):
        journal(miss(age=age, number=at))
    (data,) = ran(capsys, "stats", "--json", "--since", since).objects
    assert data["total"]["misses"] == number


@pytest.mark.parametrize("since", ["soon", "7", "7y", "-1d", "", "2026-99-01"])
def test_a_time_that_is_none_is_refused_in_one_line(capsys, since):
    done = ran(capsys, "stats", "--since", since)
    assert (done.code, done.out) == (2, "")
    assert "neither like 30m" in done.err


def test_hostile_names_stay_on_their_line(journal, capsys):
    journal(miss(tool=HOSTILE, host="[bold]x[/bold]"))
    by_tool = ran(capsys, "stats", "--by", "tool").out
    assert all(line.isprintable() for line in by_tool.splitlines())
    assert "\\x1b[31m\\u202e" in by_tool
    assert "[bold]x[/bold]" in ran(capsys, "stats", "--by", "host").out


def test_a_page_that_cannot_be_written_is_one_line(capsys, tmp_path):
    done = ran(capsys, "stats", "--html", str(tmp_path / "no" / "page.html"))
    assert done.code == 2
    assert done.err.startswith("error: ")


def test_nothing_on_the_page_acts_or_comes_from_elsewhere(journal, capsys, tmp_path):
    journal(miss(tool=HOSTILE, project=HOSTILE, host=HOSTILE))
    page = tmp_path / "page.html"
    done = ran(capsys, "stats", "--html", str(page))
    assert (done.code, done.out) == (0, "")
    text = page.read_text()
    assert "<script" not in text
    assert "\x1b" not in text
    assert "&lt;script&gt;" in text
    assert not re.search(r"https?:|src=|url\(|@import|<link", text)
    assert "default-src 'none'" in text


def test_an_empty_journal_has_a_page_too():
    assert "nothing was intercepted yet" in html(account([]))


@pytest.mark.parametrize("name", [HOSTILE, "a" * 500, "目" * 60, "", "\udcff"])
def test_any_name_can_be_drawn(name):
    for drawn in (bars([(name, {"refused": 3})], ("refused",)), columns([name], [{"a": 1}], "a")):
        assert "<script" not in drawn
        drawn.encode()


def test_a_plot_of_nothing_is_a_plot():
    assert "<svg" in columns([], [], ())
    assert "<svg" in bars([], ())
    assert "<svg" in histogram(["x"], [0], "time")
    assert escaped("<") == "&lt;"


def page_of_everything() -> str:
    events = []
    for number in range(60):
        kind = ("path.corrected", "path.refused", "path.absent", "path.advised", "path.observed")
        age = (60 - number) * DAY / 3
        each = miss(kind[number % 5], age=age, number=number, host=f"host-{number % 3}")
        events.append(each)
    return html(account(events))


@pytest.fixture(scope="module")
def browser():
    found = shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no browser here: apt-get install chromium")
    return found


@pytest.mark.timeout(120)
@pytest.mark.parametrize(("scheme", "ground"), [("1", (252, 252, 251)), ("0", (21, 23, 27))])
def test_a_browser_shows_the_page_in_light_and_in_dark(browser, tmp_path, scheme, ground):
    page = tmp_path / "page.html"
    page.write_text(page_of_everything(), encoding="utf-8")
    colours = photographed(browser, page, scheme)
    assert colours.most_common(2)[0][0] == ground or colours.most_common(2)[1][0] == ground
    wanted = declared(page.read_text(), dark=scheme == "0")
    for kind in ("corrected", "refused", "absent", "advised", "observed", "time"):
        assert colours[wanted[kind]] > 50, f"{kind} is drawn in its colour"


def photographed(browser: str, page: Path, scheme: str) -> Counter[tuple[int, ...]]:
    """Return how often each colour is seen on a page; `scheme` 1 is light, 0 dark."""
    shot = page.with_suffix(".png")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
    # Half the pixels each way are plenty, and unpacked in a quarter of the time.
    command += ["--window-size=1000,1800", "--force-device-scale-factor=0.5"]
    command += [f"--blink-settings=preferredColorScheme={scheme}"]
    command += [f"--user-data-dir={page.parent}/profile", f"--screenshot={shot}", page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)
    assert shot.exists(), done.stderr
    return Counter(pixels(shot.read_bytes()))


def declared(page: str, *, dark: bool) -> dict[str, tuple[int, ...]]:
    """Return the colours that the page's style gives to its kinds."""
    style = page.partition("prefers-color-scheme: dark")[2 if dark else 0]
    found = re.findall(r"--(\w+): #(\w{6})", style)
    return {name: tuple(bytes.fromhex(value)) for name, value in found}


def pixels(png: bytes) -> list[tuple[int, ...]]:
    """Return the pixels of a PNG with eight bits a channel and no interlacing."""
    at, data, header = 8, b"", b""
    while at < len(png):
        (size,) = struct.unpack(">I", png[at : at + 4])
        name, body = png[at + 4 : at + 8], png[at + 8 : at + 8 + size]
        header = body if name == b"IHDR" else header
        data += body if name == b"IDAT" else b""
        at += size + 12
    width, height, depth, colour, *_ = struct.unpack(">IIBBBBB", header)
    assert depth == 8
    step = {2: 3, 6: 4}[colour]
    raw, found = zlib.decompress(data), []
    above = bytearray(width * step)
    for row in range(height):
        start = row * (width * step + 1)
        line = bytearray(raw[start + 1 : start + 1 + width * step])
        unfilter(raw[start], line, above, step)
        found += [tuple(line[x : x + 3]) for x in range(0, len(line), step)]
        above = line
    return found


def unfilter(kind: int, line: bytearray, above: bytearray, step: int) -> None:
    for x, value in enumerate(line):
        left = line[x - step] if x >= step else 0
        corner = above[x - step] if x >= step else 0
        guess = (0, left, above[x], (left + above[x]) // 2, paeth(left, above[x], corner))[kind]
        line[x] = (value + guess) & 0xFF


def paeth(left: int, above: int, corner: int) -> int:
    near = left + above - corner
    return min((left, above, corner), key=lambda each: abs(near - each))


def test_json_names_that_are_not_utf8_are_kept(journal, capsys):
    journal(miss(tool="a\udcffb"))
    (line,) = ran(capsys, "stats", "--json", "--by", "tool").out.splitlines()
    assert [*json.loads(line)["groups"]] == ["a\udcffb"]
