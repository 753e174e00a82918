"""Where there is no framework: `Guard.wrap`, and the adapter that the documentation
shows.
"""

from __future__ import annotations

import asyncio
import functools
import pathlib
import re

from adapters.suite import AdapterSuite

from truepath import Guard

PAGE = pathlib.Path(__file__).parents[2] / "docs/frameworks/index.md"


def later(tool):
    @functools.wraps(tool)
    async def run(*args, **kwargs):
        return tool(*args, **kwargs)

    return run


class TestWrappedFunctions(AdapterSuite):
    async def play(self, guard, tools, turns):
        named = {tool.__name__: later(tool) for tool in tools}
        if guard is not None:
            named = {
                name: guard.wrap(
                    tool, paths=["path"] if "path" in tool.__annotations__ else []
                )
                for name, tool in named.items()
            }
        told = []
        for turn in turns:
            calls = (named[call.tool](**call.arguments) for call in turn)
            answers = await asyncio.gather(*calls, return_exceptions=True)
            for each in answers:
                if isinstance(each, Exception) and not isinstance(each, OSError):
                    raise each
            told += map(str, answers)
        return told


class TestTheDocumentedAdapter(AdapterSuite):
    async def play(self, guard, tools, turns):
        page = {"__name__": "docs"}
        for block in re.findall(
            r"(?ms)^```python\n(.*?)^```$", PAGE.read_text("utf-8")
        ):
            exec(block, page)
        agent = page["Tools"](tools, guard or Guard(".", policy="observe"))
        return [
            await agent.call(call.tool, call.arguments, turn=str(number))
            for number, turn in enumerate(turns)
            for call in turn
        ]
