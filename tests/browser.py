"""Chromium without a window, driven over its own protocol."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from contextlib import asynccontextmanager

import aiohttp

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")

PROGRAM = next(filter(None, map(shutil.which, NAMES)), None)

_KEYS = {"Tab": 9, "Enter": 13}


class Page:
    """One open page."""

    def __init__(self, socket):
        self._socket, self._asked, self._answers = socket, 0, {}
        self.heard, self._loaded = [], asyncio.Event()
        self._listening = asyncio.ensure_future(self._listen())

    async def _listen(self):
        async for message in self._socket:
            told = message.json()
            if "id" in told:
                self._answers.pop(told["id"]).set_result(told)
            else:
                self.heard.append(told)
                if told["method"] == "Page.loadEventFired":
                    self._loaded.set()

    async def send(self, method, **parameters):
        self._asked += 1
        answer = self._answers[self._asked] = asyncio.get_running_loop().create_future()
        await self._socket.send_json(
            {"id": self._asked, "method": method, "params": parameters}
        )
        told = await answer
        assert "error" not in told, told
        return told["result"]

    async def open(self, url):
        await self.send("Page.navigate", url=url)
        await self._loaded.wait()

    async def value(self, script):
        told = await self.send(
            "Runtime.evaluate", expression=script, returnByValue=True
        )
        assert "exceptionDetails" not in told, told
        return told["result"].get("value")

    async def press(self, key):
        about = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
        letter = {"text": "\r"} if key == "Enter" else {}
        await self.send("Input.dispatchKeyEvent", type="keyDown", **about, **letter)
        await self.send("Input.dispatchKeyEvent", type="keyUp", **about)

    async def look(self, *, width=1200, dark=False):
        await self.send(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=900,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        await self.send("Emulation.setEmulatedMedia", features=[scheme])


@asynccontextmanager
async def chromium(folder):
    """Give a page of a browser that keeps its own things in a folder."""
    options = [
        "--headless=new",
        "--disable-gpu",
        "--remote-debugging-port=0",
        "--no-first-run",
    ]
    if os.name == "posix" and os.geteuid() == 0:
        options.append("--no-sandbox")  # as root it does not start with one
    process = await asyncio.create_subprocess_exec(
        *(PROGRAM, *options, f"--user-data-dir={folder}", "about:blank"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        port = await _port(process.stderr)
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json") as answer:
                (target, *_) = [t for t in await answer.json() if t["type"] == "page"]
            async with session.ws_connect(
                target["webSocketDebuggerUrl"], max_msg_size=0
            ) as socket:
                page = Page(socket)
                for domain in ("Page", "Network", "Log", "Runtime"):
                    await page.send(f"{domain}.enable")
                yield page
    finally:
        process.kill()
        await process.wait()


async def _port(complaints):
    """Return where the browser listens, which it says when it does."""
    said = b""
    async for line in complaints:
        said += line
        if found := re.search(rb"DevTools listening on ws://[^:]+:(\d+)/", line):
            return int(found[1])
    raise AssertionError(f"the browser does not start: {said.decode()}")
