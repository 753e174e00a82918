"""Create, rename and remove files of projects until told to stop; note when each came
and went.

    python churn.py NUMBER LOG STOP ROOT...

A line of the log is one change of one path: from when to when it was under way, and
whether the path exists after it. Each process changes files of its own only; the first
commits now and then."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time

PAUSE = 0.01
"""Seconds between two changes."""
LEAST, MOST = 20, 400
"""Files that one process has: projects that grow would hide what a process that stays
keeps."""


def main(number: str, log: str, stop: str, *roots: str) -> None:
    chance = random.Random(int(number))
    mine: list[str] = []
    made = 0
    with open(log, "w", buffering=1, encoding="utf-8") as lines:

        def note(began: float, path: str, present: bool) -> None:
            lines.write(json.dumps([began, time.monotonic(), path, present]) + "\n")

        while not os.path.exists(stop):
            made += 1
            change(chance, note, mine, chance.choice(roots), f"{number}_{made}")
            if number == "0" and made % 100 == 0:
                commit(chance.choice(roots))
            time.sleep(PAUSE)


def commit(root) -> None:
    """Commit what is there; git may fail over a file that goes meanwhile, which is all
    right.
    """
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    for words in (("add", "-A", "moving"), ("commit", "-qm", "more")):
        command = ["git", *identity, "-C", root, *words]
        subprocess.run(command, capture_output=True, check=False)


def change(chance, note, mine, root, name) -> None:
    folder = f"{root}/moving/area{chance.randrange(4)}"
    os.makedirs(folder, exist_ok=True)
    path = f"{folder}/draft_{name}.txt"
    deed = chance.random()
    if len(mine) <= LEAST:
        deed = 0.0
    elif len(mine) >= MOST:
        deed = 0.5 + deed / 2
    began = time.monotonic()
    if deed < 0.5:
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{name}\n" * 3)
        note(began, path, True)
        mine.append(path)
        return
    old = mine.pop(chance.randrange(len(mine)))
    if deed < 0.75:
        os.unlink(old)
        note(began, old, False)
        return
    path = f"{folder}/final_{os.path.basename(old).partition('_')[2]}"
    if os.path.exists(path) or not path.startswith(old.partition("/moving/")[0]):
        mine.append(old)
        return
    os.rename(old, path)
    note(began, old, False)
    note(began, path, True)
    mine.append(path)


if __name__ == "__main__":
    main(*sys.argv[1:])
