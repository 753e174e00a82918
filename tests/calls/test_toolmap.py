"""Tool and argument names become paths with an operation; everything else is left alone."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from truepath.calls.tool_names import base_name
from truepath.calls.tools import (
    CommandText,
    commands,
    discovery_tools,
    folder_argument,
    is_discovery,
    patch_argument,
    path_arguments,
    with_command,
    with_path,
)
from truepath.types import ToolCall


def found(tool, arguments):
    return [
        (a.argument, a.written, a.operation, a.kind, a.index)
        for a in path_arguments(ToolCall(tool, arguments))
    ]


def one(argument, operation, kind):
    return [(argument, "a/b.py", operation, kind, None)]


# (host, tool, arguments, expected operation and kind); the path is always `a/b.py`.
ONE_PATH = [
    ("Gemini CLI", "read_file", {"file_path": "a/b.py", "start_line": 3}, "read", "file"),
    ("Gemini CLI, old", "read_file", {"absolute_path": "a/b.py"}, "read", "file"),
    ("Gemini CLI", "write_file", {"file_path": "a/b.py", "content": "x"}, "write", "file"),
    (
        "Gemini CLI",
        "replace",
        {"file_path": "a/b.py", "old_string": "x", "new_string": "y", "instruction": "z"},
        "edit",
        "file",
    ),
    ("Gemini CLI", "list_directory", {"dir_path": "a/b.py", "ignore": ["*.c"]}, "list", "folder"),
    ("Gemini CLI", "glob", {"pattern": "**/*.md", "dir_path": "a/b.py"}, "search", "folder"),
    ("Gemini CLI", "grep_search", {"pattern": "x", "dir_path": "a/b.py"}, "search", "any"),
    ("Claude Code", "Read", {"file_path": "a/b.py", "limit": 5}, "read", "file"),
    (
        "Claude Code",
        "Edit",
        {"file_path": "a/b.py", "old_string": "x", "new_string": ""},
        "edit",
        "file",
    ),
    ("Claude Code", "MultiEdit", {"file_path": "a/b.py", "edits": [{}]}, "edit", "file"),
    ("Claude Code", "Write", {"file_path": "a/b.py", "content": "c"}, "write", "file"),
    (
        "Claude Code",
        "NotebookEdit",
        {"notebook_path": "a/b.py", "new_source": "s", "edit_mode": "insert"},
        "edit",
        "file",
    ),
    ("Claude Code", "Glob", {"pattern": "**/x", "path": "a/b.py"}, "search", "folder"),
    ("Claude Code", "Grep", {"pattern": "x", "path": "a/b.py", "glob": "*.c"}, "search", "any"),
    ("Claude Code", "LS", {"path": "a/b.py"}, "list", "folder"),
    ("Codex", "view_image", {"path": "a/b.py"}, "read", "file"),
    ("Codex", "list_dir", {"dir_path": "a/b.py", "depth": 2}, "list", "folder"),
    ("Codex", "grep_files", {"pattern": "x", "path": "a/b.py"}, "search", "any"),
    ("Copilot CLI", "view", {"path": "a/b.py", "view_range": [1, 2]}, "read", "any"),
    ("Copilot CLI", "create", {"path": "a/b.py", "file_text": "x"}, "write", "file"),
    ("Copilot CLI", "edit", {"path": "a/b.py", "old_str": "x", "new_str": "y"}, "edit", "file"),
    ("Copilot CLI", "grep", {"pattern": "x", "path": "a/b.py"}, "search", "any"),
    ("VS Code", "read_file", {"filePath": "a/b.py", "startLine": 1}, "read", "file"),
    ("VS Code", "copilot_readFile", {"filePath": "a/b.py"}, "read", "file"),
    (
        "VS Code",
        "replace_string_in_file",
        {"filePath": "a/b.py", "oldString": "x", "newString": "y"},
        "edit",
        "file",
    ),
    ("VS Code", "create_file", {"filePath": "a/b.py", "content": ""}, "write", "file"),
    ("VS Code", "insert_edit_into_file", {"filePath": "a/b.py", "code": "x"}, "edit", "file"),
    ("VS Code", "list_dir", {"path": "a/b.py"}, "list", "folder"),
    ("VS Code", "create_directory", {"dirPath": "a/b.py"}, "mkdir", "folder"),
    ("OpenCode, which lists folders", "read", {"filePath": "a/b.py"}, "read", "any"),
    ("OpenCode", "edit", {"filePath": "a/b.py", "oldString": "x"}, "edit", "file"),
    ("OpenCode", "write", {"content": "x", "filePath": "a/b.py"}, "write", "file"),
    ("OpenCode", "list", {"path": "a/b.py"}, "list", "folder"),
    ("Qwen", "edit", {"file_path": "a/b.py", "old_string": "x"}, "edit", "file"),
    ("Qwen", "notebook_edit", {"notebook_path": "a/b.py"}, "edit", "file"),
    ("pi", "read", {"path": "a/b.py"}, "read", "file"),
    ("pi", "edit", {"path": "a/b.py", "edits": [{"oldText": "x"}]}, "edit", "file"),
    ("pi", "find", {"pattern": "*.py", "path": "a/b.py"}, "search", "folder"),
    ("pi", "ls", {"path": "a/b.py"}, "list", "folder"),
    ("Cline", "editor", {"path": "a/b.py", "old_text": "x", "new_text": "y"}, "edit", "file"),
    ("Cline", "editor", {"path": "a/b.py", "insert_line": 3, "new_text": "y"}, "edit", "file"),
    ("Cline, older", "replace_in_file", {"path": "a/b.py", "diff": "x"}, "edit", "file"),
    ("Cline, older", "write_to_file", {"path": "a/b.py", "content": "x"}, "write", "file"),
    ("Cline, older", "list_files", {"path": "a/b.py", "recursive": True}, "list", "folder"),
    ("Cursor", "Read", {"file_path": "a/b.py"}, "read", "file"),
    ("Cursor", "Delete", {"file_path": "a/b.py"}, "delete", "any"),
    ("Cursor", "Grep", {"pattern": "x", "file_path": "a/b.py"}, "search", "any"),
    ("Cursor", "List", {"file_path": "a/b.py", "ignore": []}, "list", "folder"),
    ("Cursor", "search_replace", {"file_path": "a/b.py", "old_string": "x"}, "edit", "file"),
    ("Cursor", "delete_file", {"target_file": "a/b.py"}, "delete", "file"),
    (
        "Cursor",
        "glob_file_search",
        {"glob_pattern": "*", "target_directory": "a/b.py"},
        "search",
        "folder",
    ),
    ("Crush", "view", {"file_path": "a/b.py", "offset": 1}, "read", "any"),
    ("Crush", "multiedit", {"file_path": "a/b.py", "edits": []}, "edit", "file"),
    ("Amp, which lists folders", "Read", {"path": "a/b.py", "read_range": [1, 2]}, "read", "any"),
    ("Amp", "create_file", {"path": "a/b.py", "content": "x"}, "write", "file"),
    ("Amp", "edit_file", {"path": "a/b.py", "old_str": "x", "new_str": "y"}, "edit", "file"),
    ("Droid", "Create", {"file_path": "a/b.py", "content": "x"}, "write", "file"),
    ("Droid", "LS", {"directory_path": "a/b.py"}, "list", "folder"),
    ("Droid", "Glob", {"patterns": ["*.c"], "folder": "a/b.py"}, "search", "folder"),
    ("Windsurf", "read_code", {"file_path": "a/b.py"}, "read", "file"),
    ("Windsurf", "write_code", {"file_path": "a/b.py", "edits": []}, "write", "file"),
    ("Windsurf", "view_file", {"AbsolutePath": "a/b.py"}, "read", "file"),
    (
        "Windsurf",
        "find_by_name",
        {"SearchDirectory": "a/b.py", "Pattern": "x"},
        "search",
        "folder",
    ),
    ("LangChain", "read_file", {"file_path": "a/b.py"}, "read", "file"),
    ("LangChain", "write_file", {"file_path": "a/b.py", "text": "x"}, "write", "file"),
    ("LangChain", "file_delete", {"file_path": "a/b.py"}, "delete", "file"),
    ("LangChain", "file_search", {"pattern": "*", "dir_path": "a/b.py"}, "search", "folder"),
    ("LangChain", "list_directory", {"dir_path": "a/b.py"}, "list", "folder"),
    ("LangChain", "glob_search", {"pattern": "*", "path": "a/b.py"}, "search", "folder"),
    ("deepagents", "delete", {"file_path": "a/b.py"}, "delete", "any"),
    ("deepagents", "ls", {"path": "a/b.py"}, "list", "folder"),
    ("deepagents", "edit_file", {"file_path": "a/b.py", "old_string": "x"}, "edit", "file"),
    ("ADK", "ReadFile", {"path": "a/b.py"}, "read", "file"),
    (
        "Anthropic",
        "str_replace_based_edit_tool",
        {"command": "view", "path": "a/b.py"},
        "read",
        "any",
    ),
    ("Anthropic", "str_replace_editor", {"command": "create", "path": "a/b.py"}, "write", "file"),
    (
        "SWE-agent",
        "str_replace_editor",
        {"command": "str_replace", "path": "a/b.py"},
        "edit",
        "file",
    ),
    ("OpenHands", "file_editor", {"command": "insert", "path": "a/b.py"}, "edit", "file"),
    ("OpenHands", "file_editor", {"command": "undo_edit", "path": "a/b.py"}, "edit", "file"),
    ("SWE-agent", "find_file", {"file_name": "x.py", "dir": "a/b.py"}, "search", "folder"),
    ("SWE-agent", "search_file", {"search_term": "x", "file": "a/b.py"}, "search", "any"),
    ("SWE-agent", "create", {"filename": "a/b.py"}, "write", "file"),
    ("OpenAI Agents", "apply_patch", {"type": "update_file", "path": "a/b.py"}, "edit", "file"),
    ("OpenAI Agents", "apply_patch", {"type": "delete_file", "path": "a/b.py"}, "delete", "file"),
    ("OpenAI Agents", "apply_patch", {"type": "create_file", "path": "a/b.py"}, "write", "file"),
    ("MCP", "read_text_file", {"path": "a/b.py", "head": 3}, "read", "file"),
    ("MCP", "edit_file", {"path": "a/b.py", "edits": [{"oldText": "x"}]}, "edit", "file"),
    ("MCP", "create_directory", {"path": "a/b.py"}, "mkdir", "folder"),
    ("MCP", "directory_tree", {"path": "a/b.py", "excludePatterns": []}, "list", "folder"),
    ("MCP", "search_files", {"path": "a/b.py", "pattern": "*.c"}, "search", "any"),
    ("MCP", "get_file_info", {"path": "a/b.py"}, "read", "any"),
    ("MCP", "list_directory_with_sizes", {"path": "a/b.py"}, "list", "folder"),
    # A shell's own folder.
    ("Gemini CLI", "run_shell_command", {"command": "ls", "dir_path": "a/b.py"}, "list", "folder"),
    ("Qwen", "run_shell_command", {"command": "ls", "directory": "a/b.py"}, "list", "folder"),
    ("OpenCode", "bash", {"command": "ls", "workdir": "a/b.py"}, "list", "folder"),
    # Namespaces and spellings of one name.
    ("MCP in Claude Code", "mcp__filesystem__read_file", {"path": "a/b.py"}, "read", "file"),
    ("MCP in Gemini", "mcp_my_server_read_text_file", {"path": "a/b.py"}, "read", "file"),
    ("MCP in OpenCode", "filesystem_write_file", {"path": "a/b.py"}, "write", "file"),
    ("MCP in Copilot", "filesystem-edit_file", {"path": "a/b.py"}, "edit", "file"),
    ("MCP in Cursor", "MCP:read_file", {"path": "a/b.py"}, "read", "file"),
    ("OpenAI", "functions.read_file", {"path": "a/b.py"}, "read", "file"),
    ("Gemini API", "default_api:read_file", {"path": "a/b.py"}, "read", "file"),
    ("by path", "filesystem/read_file", {"path": "a/b.py"}, "read", "file"),
    ("camel case", "readFile", {"filePath": "a/b.py"}, "read", "file"),
    ("kebab case", "read-file", {"file-path": "a/b.py"}, "read", "file"),
    # Tools nobody described, by a clear verb and a well-known argument.
    ("own tool", "open_document", {"path": "a/b.py"}, "read", "file"),
    ("own tool", "view_source_code", {"filename": "a/b.py"}, "read", "any"),
    ("own tool", "load_yaml", {"file": "a/b.py"}, "read", "file"),
    ("own tool", "list_subfolders", {"directory": "a/b.py"}, "list", "folder"),
    ("own tool", "read_folder", {"path": "a/b.py"}, "list", "folder"),
    ("own tool", "grep_lines", {"path": "a/b.py", "needle": "x"}, "search", "any"),
    ("own tool", "find_usages_in", {"directory": "a/b.py"}, "search", "folder"),
    ("own tool", "modify_python", {"file_path": "a/b.py"}, "edit", "file"),
    ("own tool", "save_report", {"file_path": "a/b.py"}, "write", "file"),
    ("own tool", "remove_folder_tree", {"path": "a/b.py"}, "delete", "folder"),
    ("own tool", "create_new_folder", {"path": "a/b.py"}, "mkdir", "folder"),
    ("own tool", "rename_path_to", {"old_path": "a/b.py"}, "move", "any"),
    ("own tool", "fs_open", {"path": "a/b.py"}, "read", "any"),
]


@pytest.mark.parametrize(("host", "tool", "arguments", "operation", "kind"), ONE_PATH)
def test_one_path_is_found_with_its_operation(host, tool, arguments, operation, kind):
    names = [name for name, value in arguments.items() if value == "a/b.py"]
    assert found(tool, arguments) == one(names[0], operation, kind)


SEVERAL = [
    (
        "MCP read_multiple_files: each path of a list",
        "read_multiple_files",
        {"paths": ["a.py", "", "b.py"]},
        [("paths", "a.py", "read", "file", 0), ("paths", "b.py", "read", "file", 2)],
    ),
    (
        "Cline read_files: each object's path",
        "read_files",
        {"files": [{"path": "a.py", "start_line": 1}, {"path": "b.py"}]},
        [("files", "a.py", "read", "file", 0), ("files", "b.py", "read", "file", 1)],
    ),
    (
        "Cline's file hooks send the list as JSON text",
        "read_files",
        {"files": '[{"path":"a.py"}]'},
        [("files", "a.py", "read", "file", 0)],
    ),
    (
        "MCP move_file: the source is moved, the destination written",
        "move_file",
        {"source": "a.py", "destination": "b.py"},
        [("source", "a.py", "move", "any", None), ("destination", "b.py", "write", "any", None)],
    ),
    (
        "LangChain copy_file",
        "copy_file",
        {"source_path": "a.py", "destination_path": "b.py"},
        [
            ("source_path", "a.py", "copy", "any", None),
            ("destination_path", "b.py", "write", "any", None),
        ],
    ),
    (
        "LangChain's text editor renames",
        "str_replace_based_edit_tool",
        {"command": "rename", "old_path": "a.py", "new_path": "b.py"},
        [("old_path", "a.py", "move", "any", None), ("new_path", "b.py", "write", "any", None)],
    ),
    (
        "Copilot CLI: grep takes a list of paths",
        "grep",
        {"pattern": "x", "paths": ["src", "tests"]},
        [("paths", "src", "search", "any", 0), ("paths", "tests", "search", "any", 1)],
    ),
    (
        "VS Code: each replacement has its file",
        "multi_replace_string_in_file",
        {"replacements": [{"filePath": "a.py", "oldString": "x"}, {"filePath": "b.py"}]},
        [("replacements", "a.py", "edit", "file", 0), ("replacements", "b.py", "edit", "file", 1)],
    ),
    (
        "OpenAI: the operation is an object",
        "apply_patch",
        {"operation": {"type": "update_file", "path": "a.py", "diff": "+x"}},
        [("operation", "a.py", "edit", "file", None)],
    ),
    (
        "Kiro: operations with a path each",
        "fs_read",
        {"operations": [{"mode": "Line", "path": "a.py"}]},
        [("operations", "a.py", "read", "any", 0)],
    ),
    (
        "a folder to stand in and an absolute path",
        "read_file",
        {"path": "/repo/a.py", "cwd": "/repo"},
        [("cwd", "/repo", "list", "folder", None), ("path", "/repo/a.py", "read", "file", None)],
    ),
    (
        "half a path in each argument: the folder must be there, the rest is not ours to join",
        "read_file",
        {"directory": "src", "filename": "a.py"},
        [("directory", "src", "list", "folder", None)],
    ),
    (
        "a Windows device path has a `?` that is no wildcard",
        "read_file",
        {"path": "\\\\?\\C:\\a.py"},
        [("path", "\\\\?\\C:\\a.py", "read", "file", None)],
    ),
    (
        "a route's folder with square brackets is a path",
        "read_file",
        {"path": "app/[id]/page.tsx"},
        [("path", "app/[id]/page.tsx", "read", "file", None)],
    ),
    (
        "a file URL is a path with a decoration",
        "read_file",
        {"path": "file:///repo/a.py"},
        [("path", "file:///repo/a.py", "read", "file", None)],
    ),
]


@pytest.mark.parametrize(("reason", "tool", "arguments", "expected"), SEVERAL)
def test_lists_objects_and_pairs_are_read(reason, tool, arguments, expected):
    assert found(tool, arguments) == expected


MAKES_THE_FILE = [
    ("Claude Code", "Edit", {"file_path": "n.py", "old_string": "", "new_string": "x"}),
    ("Gemini", "replace", {"file_path": "n.py", "old_string": "", "new_string": "x"}),
    ("Crush", "multiedit", {"file_path": "n.py", "edits": [{"old_string": "", "new_string": "x"}]}),
    ("OpenCode", "edit", {"filePath": "n.py", "oldString": "", "newString": "x"}),
    ("Cline", "editor", {"path": "n.py", "new_text": "x"}),
    (
        "Cline, all fields filled in",
        "editor",
        {"path": "n.py", "old_text": None, "insert_line": None, "new_text": "x"},
    ),
    ("Cursor", "edit_file", {"target_file": "n.py", "code_edit": "x"}),
    ("Zed", "edit_file", {"path": "n.py", "mode": "create"}),
]


@pytest.mark.parametrize(("host", "tool", "arguments"), MAKES_THE_FILE)
def test_an_edit_that_makes_the_file_is_a_write(host, tool, arguments):
    assert [path[2] for path in found(tool, arguments)] == ["write"]


LEFT_ALONE = [
    ("a web address", "read_file", {"path": "https://example.org/a.py"}),
    ("an MCP resource", "read_file", {"path": "memory://notes"}),
    ("inline data", "view", {"path": "data:text/plain;base64,YQ=="}),
    ("a glob", "list", {"path": "src/*.py"}),
    ("a one-letter wildcard", "read", {"path": "src/?.py"}),
    ("a choice", "read_file", {"path": "src/{a,b}.py"}),
    ("a character class where globs are allowed", "read_many_files", {"paths": ["src/[ab].py"]}),
    ("empty", "read_file", {"path": ""}),
    ("blank", "read_file", {"path": "  "}),
    ("no text", "read_file", {"path": 7, "file_path": None}),
    ("an object without a path", "read_files", {"files": [{"name": "a"}, 3, None]}),
    ("a pattern looks like a path", "grep", {"pattern": "src/a.py"}),
    ("content looks like a path", "write_file", {"content": "src/a.py"}),
    ("old text looks like a path", "Edit", {"old_string": "src/a.py", "new_string": "b.py"}),
    ("a filter", "Grep", {"pattern": "x", "glob": "src/a.py", "include": "src/b.py"}),
    ("what is looked for is not where", "find_file", {"file_name": "a.py"}),
    ("VS Code's glob", "file_search", {"query": "src/a.py"}),
    ("an editor without a command", "str_replace_editor", {"path": "a.py"}),
    ("an editor's unknown command", "str_replace_editor", {"command": "dance", "path": "a.py"}),
    ("a command is no path", "bash", {"command": "cat a.py"}),
    ("a patch is read elsewhere", "apply_patch", {"input": "*** Update File: a.py"}),
    ("half a path in each argument", "read_file", {"path": "src", "filename": "a.py"}),
    ("a clear verb, another object", "listProjectFolders", {"directory": "src"}),
    ("half a path in each argument", "write_file", {"path": "src", "file_name": "a.py"}),
    ("an unclear verb", "process_file", {"path": "a.py"}),
    ("two verbs", "search_and_replace_all", {"path": "a.py"}),
    ("a clear verb, another object", "open_url", {"path": "/login"}),
    ("a clear verb, another object", "delete_branch", {"path": "a"}),
    ("a clear verb, an unknown argument", "read_config", {"where": "a.py"}),
    ("a chess move", "move", {"from": "e2", "to": "e4"}),
    ("text in a path's argument", "save_note", {"file": "line one\nline two"}),
    ("a file in a remote repository", "get_file", {"owner": "o", "repo": "r", "path": "a.py"}),
    ("the same through MCP", "mcp__github__delete_file", {"path": "a.py", "branch": "b"}),
    ("another machine", "mcp__ssh__read_file", {"path": "/etc/hosts"}),
    ("a sandbox elsewhere", "mcp__e2b__read_file", {"path": "a.py"}),
    ("a browser", "browser_view", {"path": "a.html"}),
    ("nothing at all", "", {}),
    ("only separators", "__", {"path": "a.py"}),
    ("a tool of one word after mcp", "mcp_server_read", {"path": "a.py"}),
]


@pytest.mark.parametrize(("reason", "tool", "arguments"), LEFT_ALONE)
def test_what_is_no_path_is_left_alone(reason, tool, arguments):
    assert found(tool, arguments) == []


@pytest.mark.parametrize("arguments", [None, [], "text", 3, {1: "a.py"}, {None: "b"}])
def test_arguments_of_no_shape_are_left_alone(arguments):
    call = ToolCall("read_file", arguments)
    assert path_arguments(call) == []
    assert commands(ToolCall("bash", arguments)) == ()
    assert patch_argument(ToolCall("apply_patch", arguments)) is None
    assert folder_argument(ToolCall("bash", arguments)) is None
    assert not is_discovery(call)


@pytest.mark.parametrize("tool", [None, 3, ["read_file"]])
def test_a_tool_without_a_name_is_left_alone(tool):
    assert path_arguments(ToolCall(tool, {"path": "a.py"})) == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
ARGUMENTS = st.dictionaries(
    st.sampled_from(["path", "paths", "files", "cwd", "operation", "source", "command", "type"])
    | st.text(),
    JSON | st.lists(st.fixed_dictionaries({"path": st.text()})),
    max_size=5,
)
TOOLS = st.sampled_from(
    ["read_file", "Grep", "move_file", "apply_patch", "bash", "str_replace_editor", "save_x"]
)


@given(TOOLS | st.text(), ARGUMENTS)
def test_any_call_is_read_without_an_error(tool, arguments):
    call = ToolCall(tool, arguments)
    for argument in path_arguments(call):
        assert argument.written.strip()
    commands(call)
    is_discovery(call)


@given(TOOLS, ARGUMENTS)
def test_a_replaced_path_is_found_in_the_same_place_and_nothing_else_changes(tool, arguments):
    before = json.dumps(arguments)
    for argument in path_arguments(ToolCall(tool, arguments)):
        changed = with_path(arguments, argument, "new/place.py")
        again = [
            a
            for a in path_arguments(ToolCall(tool, changed))
            if (a.argument, a.index) == (argument.argument, argument.index)
        ]
        assert [a.written for a in again] in ([], ["new/place.py"])
        others = {key: value for key, value in changed.items() if key != argument.argument}
        assert others == {k: v for k, v in arguments.items() if k != argument.argument}
        assert json.dumps(arguments) == before


REPLACED = [
    ("plain text", "read_file", {"path": "a", "limit": 3}, {"path": "NEW", "limit": 3}),
    ("a list", "read_multiple_files", {"paths": ["a", "b"]}, {"paths": ["NEW", "b"]}),
    (
        "a list of objects",
        "read_files",
        {"files": [{"path": "a", "start_line": 2}, {"path": "b"}]},
        {"files": [{"path": "NEW", "start_line": 2}, {"path": "b"}]},
    ),
    (
        "JSON text stays JSON text",
        "read_files",
        {"files": '[{"path":"a"}]'},
        {"files": '[{"path":"NEW"}]'},
    ),
    (
        "an object",
        "apply_patch",
        {"operation": {"type": "update_file", "path": "a", "diff": "a"}},
        {"operation": {"type": "update_file", "path": "NEW", "diff": "a"}},
    ),
]


@pytest.mark.parametrize(("reason", "tool", "arguments", "expected"), REPLACED)
def test_with_path_returns_whole_arguments_and_leaves_the_old_ones(
    reason, tool, arguments, expected
):
    before = json.dumps(arguments)
    argument = path_arguments(ToolCall(tool, arguments))[0]
    assert with_path(arguments, argument, "NEW") == expected
    assert json.dumps(arguments) == before


SHELL = [
    ("Claude Code", "Bash", {"command": "ls", "description": "x"}, "command"),
    ("Gemini", "run_shell_command", {"command": "ls"}, "command"),
    ("Codex", "exec_command", {"cmd": "ls", "workdir": "/repo"}, "cmd"),
    ("Codex, namespaced", "functions.shell_command", {"command": "ls"}, "command"),
    ("Amp", "Bash", {"cmd": "ls"}, "cmd"),
    ("VS Code", "run_in_terminal", {"command": "ls"}, "command"),
    ("Cursor", "run_terminal_cmd", {"command": "ls"}, "command"),
    ("Droid, deepagents", "execute", {"command": "ls"}, "command"),
    ("Windsurf", "run_command", {"command_line": "ls", "cwd": "/repo"}, "command_line"),
    ("OpenHands", "terminal", {"command": "ls", "is_input": "false"}, "command"),
    (
        "what is typed into a running program",
        "terminal",
        {"command": "y", "is_input": "true"},
        None,
    ),
    ("an editor's command is no shell command", "str_replace_editor", {"command": "view"}, None),
    ("PowerShell is not bash", "PowerShell", {"command": "Get-Item a"}, None),
    ("another machine's shell", "mcp__ssh__execute_command", {"command": "ls"}, None),
    ("a container's shell", "exec_command", {"command": "ls", "container_id": "c"}, None),
    ("no shell", "read_file", {"command": "ls"}, None),
    ("no text", "bash", {"command": 3}, None),
]


@pytest.mark.parametrize(("host", "tool", "arguments", "expected"), SHELL)
def test_the_argument_with_a_shell_command_is_named(host, tool, arguments, expected):
    named = [command.argument for command in commands(ToolCall(tool, arguments))]
    assert named == ([] if expected is None else [expected])


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        (
            "shell",
            {"command": ["bash", "-lc", "cat a"], "workdir": "/r"},
            [CommandText("command", "cat a", 2)],
        ),
        ("shell", {"command": ["cat", "a", "b"]}, []),  # a vector without a shell has no text
        (
            "shell",
            {"commands": ["cat a", "", "ls"]},
            [CommandText("commands", "cat a", 0), CommandText("commands", "ls", 2)],
        ),
        ("run_commands", {"commands": '["cat a"]'}, [CommandText("commands", "cat a", 0)]),
        ("bash", {"command": "cat a"}, [CommandText("command", "cat a")]),
        (
            "bash",
            {"command": '["$x" = y ] && cat a'},
            [CommandText("command", '["$x" = y ] && cat a')],
        ),
    ],
)
def test_commands_in_lists_and_vectors_are_found_and_set_back(tool, arguments, expected):
    call = ToolCall(tool, arguments)
    assert list(commands(call)) == expected
    for command in expected:
        changed = with_command(arguments, command, "cat b")
        texts = [c.text for c in commands(ToolCall(tool, changed))]
        assert texts == ["cat b" if c == command else c.text for c in expected]


PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch\n"


@pytest.mark.parametrize(
    ("tool", "arguments", "expected"),
    [
        ("apply_patch", {"command": PATCH}, "command"),
        ("functions.apply_patch", {"input": PATCH, "explanation": "e"}, "input"),
        ("apply_patch", {"patchText": PATCH}, "patchText"),
        ("ApplyPatch", {"patch": "--- a/x.py\n+++ b/x.py\n"}, "patch"),
        ("apply_patch", {"type": "update_file", "path": "a", "diff": "@@\n-x"}, None),
        ("Edit", {"patch": PATCH}, None),
    ],
)
def test_the_argument_with_a_patch_that_names_files_is_named(tool, arguments, expected):
    assert patch_argument(ToolCall(tool, arguments)) == expected


def test_the_folder_that_a_shell_stands_in_is_named():
    assert folder_argument(ToolCall("exec_command", {"cmd": "ls", "workdir": "x"})) == "workdir"
    assert folder_argument(ToolCall("bash", {"command": "ls"})) is None
    assert folder_argument(ToolCall("read_file", {"path": "a", "cwd": "x"})) is None


LOOKS = [
    ("Glob", {"pattern": "*"}, True),
    ("grep_search", {"pattern": "x"}, True),
    ("list_directory", {"path": "."}, True),
    ("codebase_search", {"query": "x"}, True),
    ("Bash", {"command": "ls -la src"}, True),
    ("Bash", {"command": "cd src && rg --files | head"}, True),
    ("Bash", {"command": "LC_ALL=C find . -name x"}, True),
    ("Bash", {"command": "git ls-files '*.py'"}, True),
    ("shell", {"command": ["bash", "-lc", "ls"]}, True),
    ("Bash", {"command": "cat a | grep x"}, False),  # a filter, not a search
    ("Bash", {"command": "cat a |& grep x"}, False),
    ("Bash", {"command": "echo a > ls"}, False),  # a file of that name
    ("Bash", {"command": "cd src; { ls; }"}, True),
    ("Bash", {"command": "cat $(find . -name x)"}, True),
    ("Bash", {"command": "find . -name x -delete"}, False),
    ("Bash", {"command": "git status"}, False),
    ("Bash", {"command": "rm lsof"}, False),
    ("read_file", {"path": "a"}, False),
    ("WebSearch", {"query": "x"}, False),
    ("list_issues", {}, False),
    ("mcp__github__search_code", {"q": "x"}, False),
]


@pytest.mark.parametrize(("tool", "arguments", "expected"), LOOKS)
def test_looking_around_is_told_from_everything_else(tool, arguments, expected):
    assert is_discovery(ToolCall(tool, arguments)) is expected


def test_every_host_has_discovery_tools_under_any_of_its_names():
    assert discovery_tools("claude-code") == ("Bash (find, grep, ls)",)
    assert discovery_tools("Claude_Code") == discovery_tools("claude")
    assert discovery_tools("gemini-cli") == ("glob", "grep_search", "list_directory")
    assert discovery_tools("codex") == ("rg --files", "find", "ls")
    assert discovery_tools("somebody") == discovery_tools("") != ()


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ("mcp__filesystem__read_file", "readfile"),
        ("plugin.server/read_file", "readfile"),
        ("ReadFile", "readfile"),
        ("mcp_two_words_read_file", "readfile"),
        ("do_not_read_file", "donotreadfile"),
        ("read_file__", "readfile"),
    ],
)
def test_a_namespace_is_dropped_but_never_a_part_of_the_name(tool, name):
    assert base_name(tool) == name
