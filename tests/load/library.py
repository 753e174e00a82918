"""A program that guards calls of many projects for as long as the run lasts, in four
threads.

    python library.py STOP LOG ROOT...

A line of the log: when a call began and ended, the path asked, whether it was refused,
and the path that is used instead."""

from __future__ import annotations

import json
import os
import random
import sys
import threading
import time

from truepath import Guard, ToolCall


def main(stop: str, log: str, *roots: str) -> None:
    guards = {root: Guard(root) for root in roots}
    files = {root: stable(root) for root in roots}
    with open(log, "w", buffering=1, encoding="utf-8") as lines:

        def work(number: int) -> None:
            chance = random.Random(number)
            while not os.path.exists(stop):
                root = chance.choice(roots)
                path = f"{root}/{chance.choice(files[root])}"
                if chance.random() < 0.03:
                    path = os.path.join(
                        os.path.dirname(os.path.dirname(path)), path[-15:]
                    )
                call = ToolCall("read_file", {"path": path}, session=f"library{number}")
                began = time.monotonic()
                decision = guards[root].before(call)
                used = (
                    decision.arguments["path"] if decision.action == "rewrite" else ""
                )
                told = [
                    began,
                    time.monotonic(),
                    path,
                    decision.action == "refuse",
                    used,
                ]
                lines.write(json.dumps(told) + "\n")
                time.sleep(0.02)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()


def stable(root: str) -> list[str]:
    found = [
        os.path.relpath(os.path.join(folder, name), root)
        for folder, _, names in os.walk(f"{root}/src")
        for name in names
    ]
    return sorted(found)


if __name__ == "__main__":
    main(*sys.argv[1:])
