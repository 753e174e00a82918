"""The causes of wrong paths that people report, each with real cases and what becomes of them.

`corpus/causes.jsonl` has a line a case: the `cause` and its `title`, the `source` it was reported
in, the call, and what is decided. Cases with `git` are made on disk, the others of names alone.
"""

from __future__ import annotations

import json

import pytest
from tables import CORPUS, ROOT

from truepath import Guard, ToolCall, Workspace

CASES = [json.loads(line) for line in (CORPUS / "causes.jsonl").read_text("utf-8").splitlines()]


def filled(value, **places):
    if isinstance(value, str):
        for name, place in places.items():
            value = value.replace(f"{{{name}}}", str(place))
    return value


@pytest.fixture
def prepared(make_repo, git, write, tmp_path):
    """Return `prepared(case)`: the project's folder and its main checkout, on disk."""

    def prepared(case):
        main = make_repo({})
        for index, name in enumerate(case["files"]):
            write(main, {name: f"{name}\n" * (20 + index)})
        git(main, "add", "--all")
        git(main, "commit", "--quiet", "--message=first")
        root = main
        for step, *paths in case["git"]:
            if step == "worktree":
                root = tmp_path / "feature"
                git(main, "worktree", "add", "--quiet", root)
            elif step == "add":
                write(main, dict.fromkeys(paths, "something of its own\n" * 9))
                git(main, "add", "--all")
                git(main, "commit", "--quiet", f"--message=add {paths}")
            else:
                git(main, step, *paths)
                git(main, "commit", "--quiet", f"--message={step} {paths}")
        return root, main

    return prepared


def test_every_cause_has_its_cases():
    ids = [case["id"] for case in CASES]

    assert len(ids) == len(set(ids))
    assert {case["cause"] for case in CASES} == set(range(1, 17))
    assert all("#" in case["source"] and case["why"] for case in CASES)


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in CASES])
def test_a_wrong_path_of_every_cause_gets_what_it_deserves(case, prepared):
    root, main = case.get("root", ROOT), ""
    if "git" in case:
        root, main = prepared(case)
        guard = Guard(root, timeout_s=5)
    else:
        flavour = case.get("flavour", "posix")
        guard = Guard(workspace=Workspace.from_names(case["files"], root=root, flavour=flavour))
    places = {"root": root, "main": main}
    arguments = {name: filled(value, **places) for name, value in case["arguments"].items()}
    cwd = f"{root}/{case['cwd']}" if "cwd" in case else None

    decision = guard.before(ToolCall(case["tool"], arguments, session="s", cwd=cwd))

    told = f"{case['why']}\n{decision}"
    assert decision.action == case["action"], told
    first = next(iter(arguments))
    becomes = filled(case.get("becomes"), **places) or arguments[first]
    assert decision.arguments == {**arguments, first: becomes}, told
    for text in case.get("names", ()):
        assert filled(text, **places) in decision.text, told
    if case["action"] == "allow":
        assert decision.text == "", told
