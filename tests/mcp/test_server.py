"""`truepath mcp`: a question about paths, asked by any MCP client."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from rows import check_each


@pytest.fixture
def ask(make_repo, git, tmp_path):
    repo = make_repo({"docs/status.md": "", "specs/roadmap.md": "next year\n", ".env": "KEY=1"})
    git(repo, "mv", "specs/roadmap.md", "docs/roadmap.md")
    git(repo, "commit", "-qm", "move")

    def run(*messages):
        done = subprocess.run(
            [sys.executable, "-m", "truepath", "mcp"],
            input=b"\n".join(
                m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages
            ),
            capture_output=True,
            cwd=repo,
            timeout=50,
            check=True,
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def request(method, number=1, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def call(tool, number=1, **arguments):
    return request("tools/call", number, name=tool, arguments=arguments)


def test_a_client_shakes_hands_and_sees_a_tool_that_only_looks(ask):
    hello, tools = ask(
        request("initialize", protocolVersion="2025-06-18", capabilities={}),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("tools/list", 2),
    )
    assert hello["result"]["protocolVersion"] == "2025-06-18"
    assert [each["name"] for each in tools["result"]["tools"]] == ["resolve_path"]
    assert all(each["annotations"]["readOnlyHint"] for each in tools["result"]["tools"])


ANSWERS = [
    ("resolve_path", {"path": "docs/status.md"}, "exists", "`docs/status.md` exists."),
    ("resolve_path", {"path": "specs/roadmap.md"}, "resolved", "it is at `docs/roadmap.md` (ren"),
    ("resolve_path", {"path": "docs/roadmaps.md"}, "likely", "the likeliest is at `docs/roadm"),
    ("resolve_path", {"path": "docs/no-such.md"}, "absent", "PATH_NOT_FOUND"),
    ("resolve_path", {"path": "new.py", "operation": "write"}, "absent", "does not exist yet"),
    ("resolve_path", {"path": "/etc/no-such"}, "outside", "is outside the project"),
    ("resolve_path", {"path": ".env.local"}, "absent", "PATH_NOT_FOUND"),
]


def test_what_is_asked_is_answered_in_words_and_as_data(ask):
    said = ask(*(call(tool, number, **given) for number, (tool, given, *_) in enumerate(ANSWERS)))

    def check(pair):
        (_, _, status, text), message = pair
        result = message["result"]
        assert result["_meta"]["truepath/decision"]["status"] == status
        assert text in result["content"][0]["text"]
        assert "`.env`" not in result["content"][0]["text"]

    check_each(list(zip(ANSWERS, said, strict=True)), check, lambda pair: str(pair[0]))


BAD = [
    ("another method", request("resources/list"), -32601),
    ("no such tool", call("delete_path", path="a"), -32602),
    ("no path", call("resolve_path"), -32602),
    ("a path that is no text", call("resolve_path", path=7), -32602),
    ("no such operation", call("resolve_path", path="a", operation="burn"), -32602),
]


def test_bad_requests_get_one_error_each_and_the_next_is_answered(ask):
    said = ask(b"no JSON", b"[]", *(row[1] for row in BAD), request("ping", 9))
    assert [each["error"]["code"] for each in said[:-1]] == [row[2] for row in BAD]
    assert said[-1]["result"] == {}
