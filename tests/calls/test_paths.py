"""Every path that a call names, what is done to it, and the call with other paths in
it.
"""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rows import check_each, read
from work import lines_run

from truepath.calls.paths import find, find_failed
from truepath.types import ToolCall

PATCH = (
    "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n"
    "*** Update File: b.py\n@@\n-x\n"
)


def found(row):
    return find(ToolCall(row["tool"], row["arguments"])).paths


def test_one_path_is_found_with_its_operation():
    def check(row):
        [mention] = found(row)
        argument = mention.argument
        assert (argument.written, argument.operation, argument.kind) == (
            "a/b.py", row["operation"], row["kind"],
        )  # fmt: skip
        assert row["arguments"][argument.argument] == "a/b.py"

    check_each(
        read("calls/one_path"), check, lambda row: f"{row['why']}: {row['tool']}"
    )


@pytest.mark.parametrize(
    ("host", "expands"), [("pi", True), ("opencode", False), ("", False)]
)
def test_a_program_that_expands_the_home_folder_means_the_path_in_it(host, expands):
    [mention] = find(ToolCall("write", {"path": "~/a.md"}, host=host)).paths
    assert mention.written == (os.path.expanduser("~/a.md") if expands else "~/a.md")


@pytest.mark.parametrize(
    ("host", "tool", "argument", "kind"),
    [
        ("amp", "Read", "path", "any"),
        ("copilot", "Read", "path", "any"),
        ("", "Read", "path", "any"),
        ("kimi", "Read", "path", "file"),
        ("cursor", "Read", "path", "file"),
        ("opencode", "read", "filePath", "any"),
        ("vscode", "read", "filePath", "file"),
    ],
)
def test_a_read_tool_lists_folders_in_the_programs_where_it_does(
    host, tool, argument, kind
):
    [mention] = find(ToolCall(tool, {argument: "a"}, host=host)).paths
    assert mention.argument.kind == kind


def test_several_paths_are_each_judged_by_what_is_done_to_them():
    def check(row):
        named = [each.argument for each in found(row)]
        assert [
            [at.argument, at.written, at.operation, at.kind, at.index] for at in named
        ] == row["paths"]

    check_each(read("calls/several"), check, lambda row: row["why"])


def test_arguments_may_be_nested_without_end():
    rows, tables = [], {}
    for _ in range(10_000):
        rows, tables = [rows], {"path": tables}
    deep = [
        rows,
        tables,
        [tables] * 3,
        (rows,),
        "[" * 50_000,
        '["a", ' * 10_000,
        '{"path":' * 10_000,
    ]
    for value in deep:
        for name in ("file_path", "paths", "files", "command", "edits"):
            find(
                ToolCall(
                    "Bash" if name == "command" else "edit",
                    {name: value, "path": "a.py"},
                )
            )
    find(ToolCall("shell", {"command": ["bash", "-lc", "cat x"] + ["x"] * 100_000}))


def test_what_is_no_path_is_left_alone():
    check_each(
        read("calls/left_alone"), lambda row: _none(found(row)), lambda row: row["why"]
    )


def _none(mentions):
    assert [each.written for each in mentions] == []


def test_a_command_that_is_not_all_understood_does_more_than_look():
    known, unknown = {"command": "cat a.py"}, {"command": "cat a.py && frobnicate"}
    assert find(ToolCall("bash", known)).looks
    assert not find(ToolCall("bash", unknown)).looks
    for command, looks in (
        ("cat a.py", True),
        ("rm a.py", False),
        ("python a.py", False),  # a person's alias may be anything
        ("cat a.py -Wait", False),
    ):
        shell = ToolCall("PowerShell", {"command": command, "cwd": "src"})
        assert find(shell).looks == looks
        assert looks or "other" in find(shell).line_effects
    vector = ToolCall("shell", {"command": ["cat", "a.py"]})
    assert "other" in find(vector).line_effects


def test_the_shell_of_codex_is_powershell_on_a_drive():
    command = {"command": "type docs\\x.md"}
    for tool, host, cwd, seen in (
        ("shell_command", "", "C:\\r", ["docs/x.md"]),
        ("Bash", "codex", "C:/r", ["docs/x.md"]),
        ("Bash", "claude-code", "C:/r", []),
        ("shell_command", "codex", "/r", []),
    ):
        call = ToolCall(tool, command, host=host, cwd=cwd)
        assert [each.written for each in find(call).paths] == seen


def test_paths_of_a_command_are_seen_from_the_folders_entered_before_them():
    call = ToolCall(
        "bash", {"command": "cat x && cd app && cat main.py", "workdir": "src"}
    )
    seen = [(each.written, each.entered, each.enters) for each in find(call).paths]
    assert seen == [
        ("src", (), True),
        ("x", (0,), False),
        ("app", (0,), True),
        ("main.py", (0, 2), False),
    ]


def test_a_shell_replaces_the_tilde_and_a_tool_does_not(monkeypatch):
    monkeypatch.setenv("HOME", "/home/u")
    [mention] = find(ToolCall("bash", {"command": "cat ~/a.py"})).paths
    assert (mention.argument.written, mention.written) == ("~/a.py", "/home/u/a.py")
    for call in (
        ToolCall("bash", {"command": "cat '~/a.py'"}),
        ToolCall("Read", {"path": "~/a.py"}),
    ):
        assert [each.written for each in find(call).paths] == ["~/a.py"]


def test_a_path_is_alone_where_refusing_it_refuses_nothing_else():
    def check(row):
        mentions = find(ToolCall("Bash", {"command": row["command"]})).paths
        assert {
            each.stops_nothing_else for each in mentions if each.written == "a.py"
        } == {row["alone"]}

    check_each(read("calls/alone"), check, lambda row: row["why"])
    for paths, alone in ((["a"], True), (["a", "b"], False)):
        mentions = find(ToolCall("read_files", {"paths": paths})).paths
        assert {each.stops_nothing_else for each in mentions} == {alone}


def test_a_rewritten_call_differs_in_the_path_alone():
    def check(row):
        before = json.dumps(row)
        mentions = find(ToolCall(row["tool"], row["arguments"]))
        assert mentions.rewritten({0: "NEW"}) == row["rewritten"]
        assert json.dumps(row) == before

    check_each(read("calls/rewritten"), check, str)


def test_of_several_paths_all_are_rewritten_or_none():
    mentions = find(ToolCall("apply_patch", {"input": PATCH}))
    assert mentions.rewritten({0: "c.py", 1: "d.py"}) == {
        "input": PATCH.replace("a.py", "c.py").replace("b.py", "d.py")
    }
    assert mentions.rewritten({0: "c.py", 1: "d\n.py"}) is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
WORDS = st.sampled_from(
    ["a.py", "src/b.py", "cat a.py", "cd x && rm y", "update_file", PATCH]
)
NAMES = st.sampled_from(
    "path paths files cwd operation edits "
    "source destination command commands type input".split()
)
ARGUMENTS = st.dictionaries(
    NAMES | st.text(),
    JSON
    | WORDS
    | st.lists(WORDS)
    | st.lists(st.fixed_dictionaries({"path": WORDS, "x": JSON})),
    max_size=5,
)
TOOLS = st.sampled_from(
    [
        "read_file",
        "Grep",
        "move_file",
        "apply_patch",
        "bash",
        "str_replace_editor",
        "save_x_file",
    ]
)


@given(TOOLS | st.text(), JSON | ARGUMENTS, st.text())
def test_any_call_is_read_without_an_error(tool, arguments, error):
    for mention in (*find(ToolCall(tool, arguments)).paths,):
        assert mention.written.strip()
    find_failed(ToolCall(tool, arguments), f"cat: {error}: No such file or directory")


@given(TOOLS, ARGUMENTS, st.data())
def test_a_rewritten_path_is_found_in_its_place_and_nothing_else_changes(
    tool, arguments, data
):
    mentions = find(ToolCall(tool, arguments))
    before = json.dumps(arguments)
    if not mentions.paths:
        return
    at = data.draw(st.integers(0, len(mentions.paths) - 1))
    old = mentions.paths[at]
    changed = mentions.rewritten({at: "new/place.py"})
    assert json.dumps(arguments) == before
    if changed is None:
        assert old.text is not None
        return
    again = find(ToolCall(tool, changed)).paths
    expected = [each.argument.written for each in mentions.paths]
    expected[at] = "new/place.py"
    assert [each.argument.written for each in again] == expected
    assert {**changed, old.argument.argument: 0} == {
        **arguments,
        old.argument.argument: 0,
    }


def test_of_a_failed_call_the_paths_are_those_that_had_to_be_there():
    def check(row):
        mentions = find_failed(ToolCall(row["tool"], row["arguments"]), row["error"])
        assert [each.written for each in mentions.paths] == row["paths"]

    check_each(read("calls/failed"), check, str)


def test_what_an_error_names_git_has_not():
    call = ToolCall("bash", {"command": "git rm a.py"})
    assert [each.in_git for each in find(call).paths] == ["index"]
    gone = "fatal: pathspec 'a.py' did not match any files"
    assert [each.in_git for each in find_failed(call, gone).paths] == [""]


LARGE = [
    (
        "bash",
        lambda size: {"command": "echo '" + "x y\n" * (size // 4) + "'; cat a.py"},
    ),
    ("bash", lambda size: {"command": "cat " + "a/" * (size // 2)}),
    ("bash", lambda size: {"command": "cat << 'EOF'\n" + "1" * size + "\nEOF\n"}),
    ("read_file", lambda size: {"path": "{" * size}),
    ("read_files", lambda size: {"files": [f"{at}.py" for at in range(size // 10)]}),
    ("read_files", lambda size: {"files": json.dumps(["a,"] * (size // 5))}),
    ("apply_patch", lambda size: {"input": PATCH + " same\n" * (size // 6)}),
    (
        "apply_patch",
        lambda size: {"input": PATCH + "*** Update File: c\n" * (size // 20)},
    ),
    (
        "apply_patch",
        lambda size: {"input": "--- a\n+++ b\n@@ -1 +1 @@\n" * (size // 25)},
    ),
    ("apply_patch", lambda size: {"input": PATCH.replace("a.py", "a " * (size // 2))}),
    ("Aa_" * 100_000, lambda size: {"path": "a" * size}),
]


@pytest.mark.parametrize("row", range(len(LARGE)))
def test_a_large_call_takes_as_many_times_more_work_as_it_is_larger(row):
    tool, arguments = LARGE[row]

    def read_and_rewrite(size):
        mentions = find(ToolCall(tool, arguments(size)))
        mentions.rewritten({0: "new.py"} if mentions.paths else {})

    read_and_rewrite(1_000_000)  # what is quadratic inside a pattern does not end
    small = lines_run(lambda: read_and_rewrite(10_000))
    large = lines_run(lambda: read_and_rewrite(100_000))
    assert large <= 11 * small
