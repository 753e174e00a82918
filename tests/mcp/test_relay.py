"""The relay between an MCP client and a server: what it changes, and that it changes no
more.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read

from truepath.guard.guard import Guard
from truepath.mcp import messages
from truepath.mcp.relay import Relay, served

TOOLS = [{"name": "read_file", "inputSchema": {}}]


@pytest.fixture
def root(make_repo, git, monkeypatch):
    repo = make_repo(
        {
            "docs/status.md": "all green\n",
            "src/app/handlers.py": "def handle(): pass\n",
            "web/style.css": "a {}\n",
            "specs/roadmap.md": "next\n",
        }
    )
    git(repo, "mv", "specs/roadmap.md", "docs/roadmap.md")
    git(repo, "commit", "-qm", "move")
    monkeypatch.chdir(repo)  # as programs start a relay
    return str(repo)


@pytest.fixture
def relay(root):
    """Return a relay that knows the server's tools."""
    made = relay_of(root)
    listed(made, TOOLS)
    return made


def relay_of(*roots, **how):
    def guard(root):
        return Guard(root, on_event=lambda _: None, timeout_s=10.0)

    return Relay(roots, guard, session="s", **how)


def line(**message):
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def listed(relay, tools):
    relay.from_client(line(id="list", method="tools/list"))
    relay.from_server(line(id="list", result={"tools": tools}))


def call(tool, number=1, **arguments):
    return line(
        id=number, method="tools/call", params={"name": tool, "arguments": arguments}
    )


def rooted(relay, *uris, number=0):
    """Have the server ask the client for its folders, and the client name them."""
    relay.from_server(line(id=number, method="roots/list"))
    relay.from_client(line(id=number, result={"roots": [{"uri": uri} for uri in uris]}))
    return relay.roots


def result(number=1, text="done", **more):
    return line(id=number, result={"content": [{"type": "text", "text": text}], **more})


def texts(data):
    return [*messages.texts(json.loads(data)["result"])]


def test_a_path_that_exists_passes_byte_for_byte_both_ways(relay, root):
    asked = (
        b'{"id" :7,"jsonrpc":"2.0", "method":"tools/call","params":{"name":"read_file",'
    )
    asked += b'"arguments":{"path":"' + root.encode() + b'/docs/status.md"}}}\r\n'
    answered = b' {"jsonrpc":"2.0","id":7,"result":{"content":[],"x":1.50}}\n'

    assert relay.from_client(asked) == (asked, b"")
    assert relay.from_server(answered) == answered


def test_a_wrong_path_is_corrected_and_the_result_says_so(relay, root):
    passed = relay.from_client(call("read_file", path=f"{root}/specs/roadmap.md"))
    sent = json.loads(passed.to_server)
    back = relay.from_server(result(text="next"))

    assert sent["params"]["arguments"] == {"path": f"{root}/docs/roadmap.md"}
    assert passed.to_client == b""
    note, own = texts(back)
    assert note.startswith("OK: ")
    assert own == "next"


def test_a_server_that_was_started_elsewhere_gets_the_absolute_path(
    relay, root, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    sent = relay.from_client(call("read_file", path="specs/roadmap.md")).to_server
    arguments = json.loads(sent)["params"]["arguments"]
    assert arguments == {"path": f"{root}/docs/roadmap.md"}


def test_what_a_call_has_beside_its_paths_is_kept(relay):
    asked = {
        "name": "read_file",
        "arguments": {"path": "specs/roadmap.md", "limit": 10**30},
    }
    params = {**asked, "_meta": {"progressToken": "p"}}
    sent = json.loads(
        relay.from_client(line(id=1, method="tools/call", params=params)).to_server
    )

    assert sent["params"]["_meta"] == {"progressToken": "p"}
    assert sent["params"]["arguments"] == {"path": "docs/roadmap.md", "limit": 10**30}


@pytest.mark.parametrize(
    "search", [(), ("search_files",), ("list_directory", "search_files")]
)
def test_only_tools_that_the_server_has_listed_are_named(root, search):
    relay = relay_of(root)
    listed(relay, [*TOOLS, *({"name": name} for name in search)])
    answer = "".join(
        texts(relay.from_client(call("read_file", path="docs/zzz.md")).to_client)
    )

    every = {"search_files", "list_directory", "directory_tree"}
    assert {name for name in every if name in answer} == {*search}


def test_a_miss_is_answered_and_never_reaches_the_server(relay):
    passed = relay.from_client(
        call("read_file", number="a-1", path="docs/no-such-thing.md")
    )
    answer = json.loads(passed.to_client)

    assert passed.to_server == b""
    assert (answer["id"], answer["result"]["isError"]) == ("a-1", True)
    assert texts(passed.to_client)[0].startswith("PATH_NOT_FOUND: ")
    decision = answer["result"]["_meta"]["truepath/decision"]
    assert (decision["code"], decision["paths"][0]["status"]) == (
        "PATH_NOT_FOUND",
        "absent",
    )
    assert "structuredContent" not in answer["result"], "it has the schema of the tool"


@pytest.mark.parametrize(
    ("client", "has_data"),
    [
        ("gemini-cli-mcp-client", False),
        ("qwen-cli-mcp-client-files", False),
        ("claude-code", True),
    ],
)
def test_a_client_whose_model_reads_the_data_too_gets_none(relay, client, has_data):
    params = {"clientInfo": {"name": client, "version": "1"}}
    relay.from_client(line(id=0, method="initialize", params=params))
    passed = relay.from_client(call("read_file", path="docs/no-such-thing.md"))
    assert ("_meta" in json.loads(passed.to_client)["result"]) == has_data
    assert texts(passed.to_client)[0].startswith("PATH_NOT_FOUND: ")


def test_the_second_miss_brings_the_strategy_shift(relay):
    relay.from_client(call("read_file", path="docs/no-such-thing.md"))
    relay.from_server(result())
    passed = relay.from_client(call("read_file", number=2, path="src/no-such-thing.md"))

    assert "STRATEGY_SHIFT" in texts(passed.to_client)[0]


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("specs/roadmap.md", " in place of "),
        ("web/style.scss", ", the likely file for "),
    ],
)
def test_a_note_is_in_the_data_as_well_where_its_schema_permits(root, path, words):
    """Programs show the model the texts, or the data alone; some put texts together as
    they are.

    A row has a tool's output schema, its data, and the data with a note N in it.
    """

    def check(row):
        relay, data = relay_of(root), row["data"]
        own = {"outputSchema": row["schema"]} if row["schema"] else {}
        listed(relay, [{"name": "read_file", **own}])
        passed = relay.from_client(call("read_file", path=path))
        if row["why"].startswith("no place") and "likely" in words:
            assert passed.to_server == b"", (
                "no file is assumed where the note is not read"
            )
            return
        more = {} if data is None else {"structuredContent": data}
        back = json.loads(relay.from_server(result(text="next", **more)))["result"]
        note, text = (block["text"] for block in back["content"])
        assert (note[:4], text) == ("OK: ", "next")
        assert words in note
        assert note.endswith("\n")
        said = json.dumps(back.get("structuredContent"))
        assert (
            json.loads(said.replace(json.dumps(note[:-1])[1:-1], "N")) == row["noted"]
        )

    check_each(read("mcp/noted"), check, lambda row: row["why"])


def test_no_file_is_assumed_while_the_tools_are_not_known(root):
    passed = relay_of(root).from_client(call("read_file", path="web/style.scss"))
    assert passed.to_server == b""


def test_an_error_of_the_server_is_explained_after_its_text(relay):
    asked = call("read_file", path="docs/status.md")
    assert relay.from_client(asked).to_server == asked
    back = relay.from_server(
        result(
            text="ENOENT: no such file or directory, open 'specs/roadmap.md'",
            isError=True,
        )
    )

    assert texts(back)[0].startswith("ENOENT")
    assert json.loads(back)["result"]["isError"] is True


UNTOUCHED = [
    ("a notification", line(method="tools/call", params={"name": "read_file"})),
    (
        "another method",
        line(id=1, method="resources/read", params={"uri": "file:///no/such"}),
    ),
    ("an id of null", line(id=None, method="tools/call", params={"name": "read_file"})),
    ("a number with a point as id", line(id=1.5, method="tools/call", params={})),
    ("no arguments", line(id=1, method="tools/call", params={"name": "read_file"})),
    ("arguments that are no object", line(id=1, method="tools/call", params=[1])),
    ("a name that is no text", line(id=1, method="tools/call", params={"name": 7})),
    ("no JSON", b'{"method":"tools/call", \xff\xfe\n'),
    (
        "nested without end",
        b'{"method":"tools/call","params":' + b"[" * 100_000 + b"\n",
    ),
    ("an empty line", b"\n"),
    ("the id of a call that is no text", line(id={}, method="tools/call", params={})),
    ("a tool that knows no files", call("send_mail", path="no/such.md")),
    ("a web address", call("read_file", path="https://example.org/no.md")),
    ("a path outside", call("read_file", path="/etc/no-such-file")),
    (
        "a file that is about to be made",
        call("write_file", path="src/new.py", content="x"),
    ),
    (
        "an id that is no id",
        line(id=[1], method="tools/call", params={"name": "read_file"}),
    ),
]


def test_what_is_no_call_with_a_wrong_path_passes_as_it_came(relay):
    check_each(
        UNTOUCHED,
        lambda row: (
            relay.from_client(row[1]) == (row[1], b"") or pytest.fail("changed")
        ),
        lambda row: row[0],
    )


@given(
    st.binary(max_size=200)
    | st.sampled_from([b'"isError":true', b'"roots/list"', b'"roots"'])
)
def test_any_other_line_passes_as_it_came(tmp_path_factory, data):
    relay = relay_of(str(tmp_path_factory.getbasetemp()))
    assert relay.from_client(data + b"\n").to_server == data + b"\n"
    assert relay.from_server(data + b"\n") == data + b"\n"


def test_without_a_known_folder_nothing_is_checked():
    relay = relay_of()
    asked = call("read_file", path="no/such.md")
    assert relay.from_client(asked) == (asked, b"")


def test_of_several_folders_the_one_that_holds_the_path_is_asked(make_repo):
    one, other = (str(make_repo({f"docs/{name}.md": ""})) for name in ("a", "b"))
    relay = relay_of(one, other)
    unsaid = call("read_file", path="doc/b.md")

    passed = relay.from_client(call("read_file", path=f"{other}/doc/b.md"))
    assert json.loads(passed.to_server)["params"]["arguments"] == {
        "path": f"{other}/docs/b.md"
    }
    assert relay.from_client(unsaid) == (unsaid, b""), "a relative path may mean either"


def test_of_folders_in_one_another_the_deepest_that_holds_the_path_is_asked(make_repo):
    top = str(make_repo({"docs/a.md": ""}))
    asked = []

    def guard(root):
        asked.append(root)
        return Guard(root, on_event=lambda _: None, timeout_s=10.0)

    relay = Relay((top, f"{top}/docs"), guard, session="s")
    relay.from_client(call("read_file", path=f"{top}/docs/a.md"))
    assert asked == [f"{top}/docs"]


def test_a_root_is_a_folder_of_this_machine(tmp_path):
    start, client = str(tmp_path), tmp_path / "b c ü"
    client.mkdir()

    def check(row):
        uri = row["uri"]
        filled = (
            uri.format(root=client, uri=client.as_uri())
            if isinstance(uri, str)
            else uri
        )
        known = rooted(relay_of(start), filled, "https://x.org/")
        assert known == ((str(client),) if row["is_root"] else (start,))

    check_each(read("mcp/roots"), check, str)


def test_roots_that_change_are_believed_again_and_those_nobody_asked_for_are_not(
    root, make_repo
):
    relay, second = relay_of("/"), make_repo({"b.md": ""})
    assert rooted(relay, f"file://{root}") == (root,)
    assert rooted(relay, second.as_uri(), number=1) == (str(second),)
    relay.from_client(line(id=2, result={"roots": [{"uri": f"file://{root}"}]}))
    assert relay.roots == (str(second),)
    assert rooted(relay_of(root, fixed=True), second.as_uri()) == (root,)


def test_a_server_for_another_service_is_left_alone(relay, root):
    relay.from_client(line(id=0, method="initialize", params={}))
    relay.from_server(line(id=0, result={"serverInfo": {"name": "github-mcp-server"}}))
    asked = call("get_file_contents", path="no/such.md", owner="o", repo="r")

    assert relay.from_client(asked) == (asked, b"")


def test_ids_that_are_a_number_and_the_same_as_text_are_two(relay):
    relay.from_client(call("read_file", number=1, path="specs/roadmap.md"))
    other = result(number="1")

    assert relay.from_server(other) == other
    assert len(texts(relay.from_server(result(number=1)))) == 2


def test_answers_may_come_in_any_order(relay):
    for number in (1, 2, 3):
        relay.from_client(call("read_file", number=number, path="specs/roadmap.md"))
    assert [len(texts(relay.from_server(result(number)))) for number in (3, 1, 2)] == [
        2,
        2,
        2,
    ]


def test_requests_that_are_never_answered_are_forgotten(relay):
    for number in range(1000):
        relay.from_client(call("read_file", number=number, path="docs/status.md"))
    assert len(relay._waiting) <= 100


def test_a_command_line_names_its_folders(tmp_path):
    (tmp_path / "program").mkdir()
    command = [
        str(tmp_path / "program"),
        "-y",
        "package",
        str(tmp_path),
        "--no/such",
        "/no/such",
    ]
    assert served(command) == [str(tmp_path)]


def test_a_failed_edit_of_the_file_server_is_answered_with_the_lines_of_the_file(relay):
    edits = [{"oldText": "def  handle():  pass", "newText": "x"}]
    asked = call("edit_file", path="src/app/handlers.py", edits=edits)
    assert relay.from_client(asked).to_server == asked
    back = relay.from_server(
        result(text="Could not find exact match for edit:\nx", isError=True)
    )
    told = "\n".join(messages.texts(json.loads(back)["result"]))
    assert told.endswith("Line 1, to be sent in its place:\ndef handle(): pass")


def batch(*lines):
    return b"[" + b",".join(each.rstrip(b"\n") for each in lines) + b"]\n"


GOOD = call("read_file", 1, path="docs/status.md")
MOVED = call("read_file", 2, path="specs/roadmap.md")
GONE = call("read_file", 3, path="nowhere/at_all.rs")
PING = line(id=4, method="ping")
NOTICE = line(method="notifications/initialized")
BATCHES = [  # what is sent, the paths that the server gets, and who is answered here
    ("all well", batch(GOOD, PING), "same", []),
    ("one is corrected", batch(GOOD, MOVED, PING),
     ["docs/status.md", "docs/roadmap.md", None], []),
    ("one is refused", batch(GOOD, GONE), ["docs/status.md"], [3]),
    ("all are refused", batch(GONE), None, [3]),
    ("each is another", batch(NOTICE, GONE, MOVED), [None, "docs/roadmap.md"], [3]),
    ("what is no message", b'[1, "x", null, []]\n', "same", []),
    ("an empty one", b"[]\n", "same", []),
    ("half of one", batch(GONE)[:-9] + b"\n", "same", []),
    ("one with blanks before it", b"  " + batch(GONE), None, [3]),
]  # fmt: skip


def test_each_message_of_a_batch_is_checked(root):
    def check(row):
        _, sent, paths, answered = row
        relay = relay_of(root)
        listed(relay, TOOLS)
        passed = relay.from_client(sent)
        if paths == "same":
            assert passed.to_server == sent
        elif paths is None:
            assert passed.to_server == b""
        else:
            gets = json.loads(passed.to_server)
            asked = [each.get("params", {}).get("arguments", {}) for each in gets]
            assert [arguments.get("path") for arguments in asked] == paths
        told = json.loads(passed.to_client or b"[]")
        assert [each["id"] for each in told] == answered
        assert all(each["result"]["isError"] for each in told)

    check_each(BATCHES, check, lambda row: row[0])


def test_the_responses_of_a_batch_have_the_notes(relay):
    relay.from_client(batch(GOOD, MOVED))
    text = {"content": [{"type": "text", "text": "next"}]}
    first, second = line(id=1, result=text), line(id=2, result=text)

    told = json.loads(relay.from_server(batch(first, second)))

    shown = [[block["text"] for block in each["result"]["content"]] for each in told]
    assert shown[0] == ["next"]
    assert "docs/roadmap.md" in shown[1][0]
    assert relay.from_server(batch(first, second)) == batch(first, second)
