"""What is missing in one of several folders of a kind is named from another, and is
never the next step.
"""

from __future__ import annotations

import pytest

from truepath import Guard, Outcome, ToolCall, Workspace

ROOT = "/home/ada/acme"
VALUES = "values_of_all.yaml"
FILES = (
    f"k8s/dev/{VALUES}",
    "k8s/prod/x.yaml",
    "runs/run-11/start_of_all.sh",
    "db/mysql/user_of_all.sql",
    "db/mysql/schema.sql",
    "db/postgres/schema.sql",
    "vet/Vet.java",
    "model/BaseEntity.java",
)


def guard(policy):
    return Guard(workspace=Workspace.from_names(FILES, root=ROOT), policy=policy)


def shell(line):
    return ToolCall("Bash", {"command": line}, session="s", cwd=ROOT)


@pytest.mark.parametrize("policy", ["careful", "recover", "suggest"])
@pytest.mark.parametrize(
    ("line", "named"),
    [
        (f"cat k8s/prod/{VALUES}", f"k8s/dev/{VALUES}"),
        (f"cp k8s/prod/{VALUES} x", f"k8s/dev/{VALUES}"),
        (f"cat {ROOT}/k8s/prod/{VALUES}", f"{ROOT}/k8s/dev/{VALUES}"),
        ("bash runs/run-12/start_of_all.sh", "runs/run-11/start_of_all.sh"),
        ("mv runs/run-12/start_of_all.sh x", "runs/run-11/start_of_all.sh"),
        ("rm runs/run-12/start_of_all.sh", "runs/run-11/start_of_all.sh"),
        ("grep x db/postgres/user_of_all.sql", "db/mysql/user_of_all.sql"),
    ],
)
def test_the_other_ones_file_is_asked_about(line, named, policy):
    decision = guard(policy).before(shell(line))
    assert decision.action == "refuse"
    last = decision.text.splitlines()[-1]
    assert last.startswith(f"Did you mean `{named}`"), decision.text


def test_it_is_no_next_step_after_a_failure_either():
    path = "db/postgres/user_of_all.sql"
    error = f"psql: error: {path}: No such file or directory"
    told = guard("careful").after(shell(f"psql -f {path}"), Outcome(error=error))
    last = told.text.splitlines()[-1]
    assert last.startswith("Did you mean `db/mysql/user_of_all.sql`"), told.text


def test_a_file_of_an_unlike_folder_is_shown():
    decision = guard("careful").before(shell("cat vet/BaseEntity.java"))
    assert decision.arguments["command"] == "cat model/BaseEntity.java"
