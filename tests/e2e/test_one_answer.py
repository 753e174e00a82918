"""One question has one answer: from every door, before and after the history is kept,
and again.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from functools import partial

import hooks
import pytest
import repos
from commandline import ran
from rows import read

from truepath import Guard

ROWS = read("e2e/one_answer")

PROGRAMS = {
    "read": "cat {}",
    "list": "ls {}",
    "execute": "sh {}",
    "edit": "sed -i s/one/two/ {}",
    "move": "mv {} elsewhere.kept",
    "delete": "rm {}",
}
TOLD = ("edit", "execute", "delete")
"""Operations of those programs that `careful` does not change."""


REPOSITORIES = {row["repo"]: row for row in read("e2e/one_answer_repositories")}


def make(name, root):
    """Make a repository of the table: its first files, then what each commit does."""
    repos.start(root, REPOSITORIES[name]["files"])
    for does in REPOSITORIES[name]["then"]:
        if "remove" in does:
            repos.run_git(root, "rm", "-rq", *does["remove"])
        repos.write_files(root, does.get("put", {}))
        repos.step(root, {"move": does.get("move", ())})


@pytest.fixture(params=REPOSITORIES)
def asked(request, tmp_path, monkeypatch):
    """The root of one repository, the rows about it, and an empty home."""
    root = tmp_path / request.param
    repos.copied(("one answer", request.param), partial(make, request.param), root)
    monkeypatch.chdir(root)
    return root, [row for row in ROWS if row["repo"] == request.param]


def from_library(root, rows, _):
    space = Guard(root).workspace
    return [space.resolve(row["path"], row["operation"]).to_dict() for row in rows]


def from_command_line(root, rows, capsys):
    answers = []
    for row in rows:
        words = (
            "resolve",
            "--json",
            "--project",
            str(root),
            "--operation",
            row["operation"],
        )
        [answer] = ran(capsys, *words, row["path"]).objects
        for only_there in ("action", "text"):
            del answer[only_there]
        answers.append(answer)
    return answers


@pytest.mark.parametrize("door", [from_library, from_command_line])
def test_the_resolution_is_the_same_from_every_door_with_and_without_kept_history(
    asked, door, capsys
):
    root, rows = asked
    expected = from_library(root, rows, capsys)
    shutil.rmtree(os.environ["XDG_STATE_HOME"])
    for _ in ("nothing is kept", "the history is kept"):
        for row, answer, first in zip(
            rows, door(root, rows, capsys), expected, strict=True
        ):
            assert answer == first, (row["path"], row["why"])


def test_a_hook_does_what_the_resolution_says_with_and_without_kept_history(asked):
    root, rows = asked
    resolutions = [
        Guard(root).workspace.resolve(row["path"], row["operation"]) for row in rows
    ]
    shutil.rmtree(os.environ["XDG_STATE_HOME"])
    for _ in ("nothing is kept", "the history is kept"):
        for row, resolution in zip(rows, resolutions, strict=True):
            command = PROGRAMS[row["operation"]].format(shlex.quote(row["path"]))
            event = hooks.event(root, tool="Bash", tool_input={"command": command})
            _check(_output(hooks.run(event)), resolution, command, row)


def _output(ran):
    _, out, _ = ran
    return json.loads(out)["hookSpecificOutput"] if out else {}


def _check(output, resolution, command, row):
    told = (row["path"], row["why"], output)
    if resolution.status in ("exists", "outside") and not resolution.candidates:
        assert output == {}, told
    elif resolution.path and row["operation"] in TOLD:
        assert "updatedInput" not in output, told
        assert resolution.path in json.dumps(output), told
    elif resolution.status in ("resolved", "likely"):
        changed = output["updatedInput"]["command"]
        assert changed != command, told
        assert resolution.path in changed, told
    else:
        reason = output.get("permissionDecisionReason", "") + output.get(
            "additionalContext", ""
        )
        places = [
            reason.find(each.path)
            for each in resolution.candidates[:3]
            if each.path in reason
        ]
        assert "updatedInput" not in output, told
        assert places == sorted(places), told
        if resolution.candidates:
            assert resolution.candidates[0].path in reason, told


@pytest.mark.parametrize("client", hooks.clients().values(), ids=hooks.clients())
def test_what_a_user_marks_as_wrong_is_refused_by_the_next_process(tmp_path, client):
    repo = hooks.make_project(tmp_path / "repo")

    def process(*words, data=b""):
        return subprocess.run(
            words, input=data, cwd=repo, capture_output=True, check=True
        ).stdout

    def hook():
        event = json.dumps(hooks.event(repo)).encode()
        return json.loads(process(*client, data=event))["hookSpecificOutput"]

    assert hook()["updatedInput"] == {"file_path": str(repo / "docs/status.md")}
    said = process(sys.executable, "-m", "truepath", "wrong")
    assert said == b"marked as wrong: specs/status.md -> docs/status.md\n"
    answer = hook()
    assert answer["permissionDecision"] == "deny"
    assert (
        "(the user marked what looks like it as wrong)"
        in (answer["permissionDecisionReason"])
    )
