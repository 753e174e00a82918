"""What is done about calls that act in another checkout, under the setting: rows of
`other_checkouts.jsonl`, in real work trees, by the hook.

A row has steps of one session, which begins in one of the places. What a step `says` is
`asked` (refused, and not one byte of another checkout changed), `told` (of tests that
run elsewhere), `noted` (as without the setting) or nothing. A call that is let through
is carried out, but for one that is `dry`.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import hooks
import pytest
import repos
from host_samples import Samples
from rows import read

from truepath.hosts import find
from truepath.project.git_folder import named_folder

ROWS = read("guard/other_checkouts")
FILES = {
    ".gitignore": ".claude/\n.venv/\nnode_modules\nlinked\n",
    "src/a.py": "one = 1\n",
    "src/b.py": "two = 1\n",
    "src/a.test.ts": "",
    "tests/test_a.py": "",
    "docs/status.md": "",
    "scripts/test.sh": "#!/bin/sh\n",
    "package.json": '{"scripts": {"test": "true", "build": "true"}}\n',
    "Makefile": "all test:\n\ttrue\n",
    "Cargo.toml": "",
}


def _make(folder):
    repos.start(folder, FILES)


@pytest.fixture
def places(tmp_path):
    """Return the place of each name in the rows."""
    home = tmp_path / "home"
    main, linked, inside = home / "main", home / "wt", home / "main/.claude/worktrees/w"
    repos.copied(_make, _make, main)
    repos.copied(_make, _make, home / "other")
    (home / "plain").mkdir()
    for folder, branch in ((linked, "topic"), (inside, "fix")):
        repos.run_git(main, "worktree", "add", "-q", str(folder), "-b", branch)
    programs = {".venv/bin/python": "", "node_modules/.bin/eslint": "x"}
    repos.write_files(main, {"notes.md": "a draft\n", **programs})
    (linked / "node_modules").symlink_to(main / "node_modules")
    (linked / "linked").symlink_to(main / "src")
    return {
        "MAIN": main,
        "WT": linked,
        "TREE": inside,
        "OTHER": home / "other",
        "PLAIN": home / "plain",
    }


class Session:
    """One session of Claude Code, by its events."""

    def __init__(self, places, begins):
        self.places = places
        self.begins = self.placed(begins)

    def placed(self, text):
        """Return a text of a row with the places in it."""
        for name, folder in self.places.items():
            text = text.replace(name, str(folder))
        return text

    def event(self, step):
        """Return the event of a step."""
        cwd = self.placed(step["cwd"]) if "cwd" in step else self.begins
        who = {"agent_id": step["agent"]} if "agent" in step else {}
        more = {"session_id": "9e7d", "cwd": cwd, **who}
        if "user" in step:
            prompt = self.placed(step["user"])
            return hooks.event(cwd, name="UserPromptSubmit", prompt=prompt, **more)
        if "run" in step:
            given = {"command": self.placed(step["run"])}
            return hooks.event(cwd, tool="Bash", tool_input=given, **more)
        if "patch" in step:
            given = {"command": self.patch(self.placed(step["patch"]))}
            return hooks.event(cwd, tool="apply_patch", tool_input=given, **more)
        given = step.get("input") or {"file_path": self.placed(step["path"])}
        if step["tool"] == "Edit":
            given |= {"old_string": "1", "new_string": "2"}
        return hooks.event(cwd, tool=step["tool"], tool_input=given, **more)

    @staticmethod
    def patch(path):
        hunk = f"*** Update File: {path}\n@@\n-one = 1\n+one = 2\n"
        return f"*** Begin Patch\n{hunk}*** End Patch\n"

    def carry_out(self, event, step):
        """Do what an agent program does with a call."""
        given = event["tool_input"]
        if "run" in step and not step.get("dry"):
            home = str(self.places["MAIN"].parent)
            environ = {**os.environ, "HOME": home, **repos._IDENTITY}
            line, cwd = given["command"], event["cwd"]
            subprocess.run(
                ["bash", "-c", line],
                check=False,
                cwd=cwd,
                env=environ,
                capture_output=True,
            )
        elif step.get("tool") in ("Edit", "Write"):
            file = Path(given["file_path"])
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(b"2\n")


def bytes_of(folder):
    """Return all that a checkout has, and what its git has of it."""
    inner = Path(named_folder(str(folder)) or folder / ".git")
    files = [inner / "index", inner / "HEAD", *(inner / "refs").rglob("*")]
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name not in (".git", ".claude")]
        files += [Path(place, name) for name in names]
    return {
        file: file.is_symlink() or file.is_dir() or file.read_bytes() for file in files
    }


def what(answer):
    """Return what an answer says, in a word, and its text."""
    if answer is None:
        return "", ""
    if answer.get("permissionDecision") == "deny":
        return "asked", answer["permissionDecisionReason"]
    text = answer.get("additionalContext", "")
    if "has edited" in text:
        return "told", text
    return ("noted" if "PATH_IN_OTHER_CHECKOUT" in text else text), text


@pytest.fixture
def settings(places, monkeypatch):
    """Set what is done in other checkouts."""
    monkeypatch.setenv("HOME", str(places["MAIN"].parent))
    return lambda mode: monkeypatch.setenv("TRUEPATH_OTHER_CHECKOUTS", mode)


def checkouts_of(places):
    return [bytes_of(places[name]) for name in ("MAIN", "WT", "TREE")]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["why"])
def test_a_call_in_another_checkout_is_asked_about(places, settings, row):
    settings("ask")
    session = Session(places, row["begins"])
    hooks.answer(session.event({"user": "go on"}))
    before = checkouts_of(places)
    for step in row["steps"]:
        event = session.event(step)
        said, text = what(hooks.answer(event))
        assert said == step.get("says", ""), (step, text)
        assert session.placed(step.get("text", "")) in text
        if said == "asked":
            assert before == checkouts_of(places)
        elif "user" not in step:
            session.carry_out(event, step)
            before = checkouts_of(places)


def test_it_is_refused_each_time_where_that_is_set(places, settings):
    settings("refuse")
    session = Session(places, "WT")
    hooks.answer(session.event({"user": "go on"}))
    before = bytes_of(places["MAIN"])
    for step in [step for row in ROWS[:20] for step in row["steps"]]:
        if step.get("says") != "asked" or "text" in step:
            continue
        for _ in range(2):
            said, text = what(hooks.answer(session.event(step)))
            assert said == "asked", step
            assert "send the same call again" not in text
    assert before == bytes_of(places["MAIN"])


def test_nothing_is_asked_without_the_setting(places, settings):
    settings("note")
    session = Session(places, "WT")
    for row in ROWS:
        for step in row["steps"]:
            assert what(hooks.answer(session.event(step)))[0] in ("", "noted"), step
    state = Path(os.environ["XDG_STATE_HOME"], "truepath/sessions")
    kept = [json.loads(file.read_text()) for file in state.glob("*.json")]
    assert not any(each["checkouts"] for each in kept)


BY_HOST = [
    # Codex's folder of a command is that of its event.
    ("codex", "Bash", {"command": "git add -A"}, "MAIN"),
    ("codex", "Bash", {"command": "sed -i s/1/2/ MAIN/src/a.py"}, "WT"),
    ("codex", "apply_patch", {"command": Session.patch("MAIN/src/a.py")}, "WT"),
    ("gemini", "run_shell_command", {"command": "rm notes.md", "dir_path": "MAIN"}, ""),
    ("gemini", "run_shell_command", {"command": "cd MAIN && make"}, "WT"),
    ("gemini", "write_file", {"file_path": "MAIN/new.md", "content": "x"}, "WT"),
    ("qwen", "run_shell_command", {"command": "make", "directory": "MAIN"}, "WT"),
    ("qwen", "edit", {"file_path": "MAIN/src/a.py", "old_string": "1"}, "WT"),
    ("copilot", "Bash", {"command": "git -C MAIN add -A"}, "WT"),
    ("copilot", "Write", {"path": "MAIN/new.md", "file_text": "x"}, "WT"),
    ("opencode", "bash", {"command": "make", "workdir": "MAIN"}, "WT"),
    ("opencode", "edit", {"filePath": "MAIN/src/a.py", "oldString": "1"}, "WT"),
]
"""Host, tool, arguments and the event's folder, of a session in `WT`."""


@pytest.mark.parametrize("row", BY_HOST, ids=lambda row: f"{row[0]} {row[1]}")
def test_each_program_is_asked_by_its_own_events(places, settings, monkeypatch, row):
    host, tool, arguments, cwd = row
    settings("ask")
    samples = Samples(host)
    session = Session(places, "WT")
    for name in samples.own:
        if name.endswith("PROJECT_DIR"):
            monkeypatch.setenv(name, session.begins)

    def sent(name, **more):
        event = {**samples.events[name], **more}
        event[find(host).CWD_FIELD] = session.placed(cwd or "WT")
        return event

    if "prompt" in samples.events:
        prompt = sent("prompt") | {find(host).CWD_FIELD: session.begins}
        assert hooks.run(prompt, host) == (0, b"", b"")
    given = json.loads(session.placed(json.dumps(arguments)))
    table = find(host)
    call = sent("before", **{table.TOOL_FIELD: tool, table.ARGUMENTS_FIELD: given})
    before = bytes_of(places["MAIN"])
    answers = [hooks.run(call, host)[1].decode() for _ in range(2)]
    assert "PATH_IN_OTHER_CHECKOUT" in answers[0]
    assert "send the same call again" in answers[0]
    assert '"deny"' in answers[0] or "refus" in answers[0]
    assert "deny" not in answers[1]
    assert before == bytes_of(places["MAIN"])
