"""`make agent` with a scripted model on loopback: what it asks, counts and keeps."""

from __future__ import annotations

import json
import pathlib
import re
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread

import pytest
import repos
from rows import check_each

BENCHMARKS = pathlib.Path(__file__).parents[1] / "benchmarks"
FILES = {
    "docs/guide/install_notes.md": "# Install\n",
    "src/app/billing_service.py": "TOTAL = 1\n",
    "src/app/session_store.py": "STORE = {}\n",
    "src/lib/format_currency.py": "SIGN = 'x'\n",
    "tests/unit/test_billing.py": "def test(): ...\n",
    "web/style.css": "a {}\n",
}


@pytest.fixture
def agent(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import agent

    return agent


@pytest.fixture
def source(copy_of):
    return copy_of(shop)


def shop(root):
    """Make a repository with files in folders, a rename and a deleted file."""
    repos.start(
        root, {**FILES, "specs/status.md": "fine\n", "docs/old_plan.md": "no\n"}
    )
    repos.move_file(root, "specs/status.md", "docs/status.md")
    repos.run_git(root, "rm", "--quiet", "docs/old_plan.md")
    repos.run_git(root, "commit", "--quiet", "--message=delete")


def answer(asked):
    """Return what the scripted model does: it reads what was asked for, then what a
    step names, and answers with the code that it sees.
    """
    last = asked["messages"][-1]["content"]
    if "old_string" in last:
        return edit_of(asked["messages"])
    if forced := asked.get("tool_choice"):
        return forced["function"]["name"], {"path": "forced.py"}
    if code := re.search(r"review-code: (\d+)", last):
        return "final_answer", {"code": code[1]}
    if step := re.search(r"Next: read_file `(.+)`", last):
        return "read_file", {"path": step[1]}
    if path := re.search(r"code of (\S+)\?", last):
        return "read_file", {"path": path[1]}
    return "final_answer", {"code": "none"}


def edit_of(messages):
    """Return the failed edit with the lines to be sent, if the answer has some."""
    sent = json.loads(messages[-2]["tool_calls"][0]["function"]["arguments"])
    _, is_there, lines = messages[-1]["content"].partition("to be sent in its place:\n")
    return "edit_file", {**sent, **({"old_string": lines} if is_there else {})}


@pytest.fixture
def endpoint():
    """Yield the address of the scripted endpoint, and the requests that it got."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_):
            pass

        def do_POST(self):
            size = int(self.headers["Content-Length"])
            asked = json.loads(self.rfile.read(size))
            requests.append((self.path, asked))
            tool, arguments = answer(asked)
            function = {"name": tool, "arguments": json.dumps(arguments)}
            call = {"id": "1", "type": "function", "function": function}
            told = {
                "choices": [{"message": {"content": None, "tool_calls": [call]}}],
                "usage": {"prompt_tokens": 100, "completion_tokens": 10},
            }
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(told).encode())

    server = HTTPServer(("127.0.0.1", 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1", requests
    server.shutdown()
    server.server_close()


@pytest.fixture
def run(agent, source, endpoint, tmp_path, monkeypatch, capsys):
    """Return a function that runs the benchmark, and what it printed."""

    def run(*words):
        own = ["agent.py", str(source), "--base-url", endpoint[0], "--model", "m"]
        own += ["--out", str(tmp_path / "out.jsonl"), "--copies", str(tmp_path / "c")]
        monkeypatch.setattr(sys, "argv", [*own, "--tasks", "14", *words])
        agent.main()
        return capsys.readouterr().out

    return run


def records(tmp_path):
    lines = (tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_every_question_has_one_right_answer_and_a_wrong_path_does_not_exist(
    agent, source, tmp_path
):
    project = agent.copied(source, tmp_path / "copy")
    asked = agent.tasks(project, 1_000)

    assert {task.kind for task in asked} == {*sys.modules["tasks"].MIX}
    for task in asked:
        there = (project.root / task.written).exists()
        assert there == (task.kind == "right")
        assert (task.right == "") == (task.kind == "deleted")
        assert task.code == project.codes.get(task.right, "none")
    assert agent.copied(source, tmp_path / "copy") == project


def test_the_repository_itself_is_not_changed(run, source):
    run("--arms", "no guard")

    assert repos.run_git(source, "status", "--porcelain") in ("", None)
    assert (source / "web/style.css").read_text() == FILES["web/style.css"]


def test_each_arm_is_asked_and_compared_with_the_first(run, tmp_path):
    said = run("--arms", "no guard,suggest,careful")

    kept = records(tmp_path)
    by_arm = {
        arm: [each for each in kept if each["arm"] == arm]
        for arm in ("no guard", "suggest", "careful")
    }
    solved = {arm: sum(each["solved"] for each in some) for arm, some in by_arm.items()}
    assert solved["no guard"] < solved["suggest"] <= solved["careful"]
    assert all(each["tokens"] == 110 * each["turns"] for each in kept)
    assert "14 questions" in said
    assert "difference to no guard, with its 95 % interval" in said
    assert "solved, by kind" in said


def test_what_was_asked_is_not_asked_again(run, endpoint):
    first = run("--arms", "careful,suggest")
    count = len(endpoint[1])

    assert run("--arms", "careful,suggest") == first
    assert len(endpoint[1]) == count


def test_a_wording_is_measured_beside_truepaths(run, tmp_path):
    file = tmp_path / "texts.json"
    file.write_text(json.dumps({"vague": {"next": "Perhaps {path}"}}))
    said = run("--wording", str(file))

    right = dict.fromkeys(("plain", "truepath", "vague"), 0)
    for each in records(tmp_path):
        right[each["arm"]] += each["path"]
    assert right["truepath"] > right["vague"] == right["plain"] == 0
    in_front = [each for each in records(tmp_path) if each["kind"] == "in front"]
    assert all(each["path"] for each in in_front if each["arm"] == "truepath"), (
        "an absolute path is the same file"
    )
    assert re.search(r"^vague", said, re.MULTILINE)


def test_a_note_is_measured_beside_none(run, tmp_path):
    run("--note")

    kept = records(tmp_path)
    assert {each["arm"] for each in kept} == {"plain", "truepath"}
    assert all(each["right"] and each["answers"] for each in kept)
    assert all((each["length"] > 0) == (each["arm"] == "truepath") for each in kept)


def test_the_answer_to_a_failed_edit_is_measured_beside_the_tools_own_words(
    agent, source, tmp_path, run
):
    lines = [f"    total_{number} = sum_of(rows, {number})" for number in range(40)]
    text = "def main(rows):\n" + "\n".join(lines)
    (source / "src/app/session_store.py").write_text(f"{text}\n")
    repos.run_git(source, "commit", "--quiet", "--all", "--message=longer")
    run("--edit")

    kept = records(tmp_path)
    blanks = [each for each in kept if each["kind"] == "other-blanks"]
    assert {each["arm"] for each in blanks} == {"plain", "truepath"}
    assert all(each["next"] == (each["arm"] == "truepath") for each in blanks)
    assert all(each["again"] == (each["arm"] == "plain") for each in blanks)


def test_examples_come_before_the_question(agent):
    lengths = [len(agent.opening("a.py", count)) for count in (0, 1, 3)]

    assert lengths[0] == 2
    assert lengths == sorted(set(lengths))


def called(arguments):
    """Return a message with a call of a tool."""
    function = {"name": "find_files", "arguments": arguments}
    return {"content": None, "tool_calls": [{"function": function}]}


WRITTEN = '{"name": "read_file", "arguments": {"path": "a.py"}}'
# (the message, the tool and its arguments)
MESSAGES = [
    (called('{"name": "a"}'), ("find_files", {"name": "a"})),
    (called("{"), ("find_files", {})),
    (called("[1]"), ("find_files", {})),
    ({"content": f"{WRITTEN}}} }}"}, ("read_file", {"path": "a.py"})),
    ({"content": "The review code is 12345."}, ("final_answer", {"code": "12345"})),
    (
        {"content": "I do not know"},
        ("final_answer", {"code": "I do not know"}),
    ),
]


def test_a_call_is_read_from_any_message(agent):
    read = sys.modules["chat"].call_of

    def check(row):
        message, expected = row
        assert read(message) == expected

    check_each(MESSAGES, check, lambda row: str(row[0]))


def test_an_endpoint_that_does_not_answer_is_said_in_one_line(agent):
    model = agent.Endpoint("http://127.0.0.1:9/v1", "m", "key")

    with pytest.raises(SystemExit, match="Is the endpoint running"):
        model.call([])
