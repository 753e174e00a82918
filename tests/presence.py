"""The cases of `corpus/presence.jsonl`, which both clients are held to, laid out on disk.

`ROOT` stands for a folder made for the case. `files`, `links`, `state` and `home` are there beside
what every case has; `quiet` says whether the event can go unanswered.
"""

from __future__ import annotations

import json
from pathlib import Path

CORPUS = Path(__file__).parent / "corpus" / "presence.jsonl"
CASES = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]

FILES = (
    "repo/.git/HEAD",
    "repo/docs/a.md",
    "repo/src/app.py",
    "repo/a b.txt",
    "other/.git/HEAD",
    "other/x.py",
    "plain/y.py",
)


def lay_out(case, root):
    """Make what a case needs below `root`; return its event and its environment."""
    folders = {"state": case.get("state", {}), "home": case.get("home", {})}
    files = dict.fromkeys((*FILES, *case.get("files", ())), case.get("content", ""))
    for folder, inside in folders.items():
        files.update({f"{folder}/{name}": text for name, text in inside.items()})
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for name, target in case.get("links", {}).items():
        (root / name).symlink_to(target)
    environ = {"HOME": "ROOT/home", "TRUEPATH_STATE": "ROOT/state", **case.get("environ", {})}
    data = json.dumps(case["event"]).replace("ROOT", str(root)).encode()
    return data, {name: value.replace("ROOT", str(root)) for name, value in environ.items()}
