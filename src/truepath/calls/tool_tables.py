"""The tables of `tools`: names of tools and of arguments.

Names are in snake case; `ReadFile`, `readFile`, `read-file` and `read_file` are one
name. To add a tool, add its name to its operation; to add an argument, to its role.

Sources: the hook payloads of Claude Code 2.1.332, Gemini CLI 0.61.0, Qwen Code 0.24.4,
Codex 0.171.0, OpenCode 1.18.33, Copilot CLI 1.0.102, pi 1.5.2 and Cline CLI 3.0.65; the
published tool schemas of Cursor, VS Code, Crush, Amp, Droid, Windsurf, Kiro, Zed,
LangChain, deepagents, OpenAI Agents, OpenHands, SWE-agent, Anthropic's editor and MCP's
file server.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from truepath.types import Any, Kind, Operation

Use = tuple[Operation, Kind]


@lru_cache(maxsize=1024)
def fold(name: str) -> str:
    """Return the normal form of a name: `filePath`, `FilePath`, `file_path` ->
    `filepath`.
    """
    return name.replace("_", "").replace("-", "").lower()


def folded(words: str) -> frozenset[str]:
    return frozenset(fold(words).split())


def by_name(table: Mapping[Any, str]) -> dict[str, Any]:
    return {name: what for what, words in table.items() for name in folded(words)}


TOOLS: Mapping[str, Use] = by_name(
    {
        ("read", "file"): """
        read read_file read_files read_text_file read_media_file read_multiple_files
        open_file read_code view_file view_image notebook_read read_notebook
        get_notebook_summary lsp lsp_diagnostics look_at
    """,
        # These list a folder, so a folder is valid too.
        ("read", "any"): """
        view open fs_read get_file_info get_errors get_diagnostics diagnostics
        read_lints read_many_files stat file_info
    """,
        ("list", "folder"): """
        list ls list_dir list_directory list_directory_with_sizes list_files
        directory_tree tree read_directory get_changed_files
    """,
        ("list", "any"): "list_code_definition_names",
        ("search", "folder"): """
        glob glob_search glob_file_search find find_path find_file find_files
        find_by_name search_dir file_search start_search
    """,
        ("search", "any"): """
        grep grep_search grep_files rg ripgrep search search_file search_code
        code_search search_files search_file_content search_codebase codebase_search
        semantic_search finder find_symbol list_code_usages lsp_references
    """,
        ("edit", "file"): """
        edit edit_file multi_edit multi_edit_file replace replace_in_file
        replace_file_content replace_string_in_file multi_replace_string_in_file
        search_replace str_replace str_replace_file insert_edit_into_file insert_content
        apply_diff edit_block edit_notebook edit_notebook_file notebook_edit update_file
        undo_edit patch editor insert multi_replace_file_content format_file
    """,
        ("write", "file"): """
        write write_file write_to_file write_code create create_file save_file
        append_file create_text_file new_file touch
    """,
        ("copy", "any"): "copy_file copy_path copy_directory cp",
        (
            "move",
            "any",
        ): "move_file move_path rename_file rename_path move_directory mv",
        ("delete", "any"): "delete delete_path remove_path rm",
        ("delete", "file"): "delete_file file_delete remove_file unlink",
        ("delete", "folder"): """
        delete_directory delete_dir delete_folder remove_directory rmdir
    """,
        ("mkdir", "folder"): """
        create_directory create_dir create_folder make_directory make_dir mkdir
    """,
        ("execute", "file"): "run_notebook_cell workflow",
    }
)

CHOOSERS: Mapping[str, str] = by_name(
    {
        "command": """
        str_replace_editor str_replace_based_edit_tool text_editor file_editor
        edit_anthropic oh_editor fs_write
    """,
        # OpenAI's hosted tool: one operation, whose diff names no file
        "type": "apply_patch",
    }
)
"""Argument -> tools whose operation that argument names."""

CHOICES: Mapping[str, Use] = by_name(
    {
        ("read", "any"): "view",
        ("write", "file"): "create write append create_file",
        ("edit", "file"): "str_replace replace insert undo_edit update_file",
        ("move", "any"): "rename",
        ("delete", "any"): "delete",
        ("delete", "file"): "delete_file",
    }
)
"""What that argument may name."""

PATCH_TOOLS = folded("apply_patch patch apply_diff")
PATCH_ARGUMENTS = folded("input patch patch_text command diff")

SHELL_TOOLS = folded("""
    bash shell sh zsh terminal execute execute_bash execute_command
    execute_shell_command exec exec_command run_bash run_command run_commands run_shell
    run_shell_command run_terminal_cmd run_terminal_command run_in_terminal
    shell_command local_shell start_process
""")
"""Tools that run a POSIX command line; one that begins with a cmdlet is
PowerShell's."""

BASH_TOOLS = folded("bash execute_bash run_bash sh zsh")
"""Those that are never PowerShell or cmd, on Windows either."""

POWERSHELL_TOOLS = folded("powershell pwsh run_powershell execute_powershell")
PWSH_OPTIONS = frozenset(
    """
    -noprofile -nop -nologo -noninteractive -noni -executionpolicy -ep bypass -mta -sta
""".split()
)
"""What may precede the command line of PowerShell in an argument vector, in lower
case."""

CODEX_SHELLS = folded("shell shell_command exec_command local_shell")
"""Codex's tools that run PowerShell on Windows."""

OTHER_SHELL_TOOLS = folded("cmd")
"""Tools that run commands in another language, which must not be read as bash."""

SHELL_ARGUMENTS = folded("command cmd command_line commands")

ARGUMENTS: Mapping[str, str] = {
    "path": """
        path paths file_path file_paths file files target_file target_files
        notebook_path target_notebook absolute_path abs_path full_path local_path
        relative_path rel_path relative_workspace_path path_name document_path
        search_path image_path script_path
    """,
    # A file; in a search it is what to look for, not where.
    "bare": "filename file_name",
    "folder": """
        dir directory dir_path directory_path dir_name folder folder_path directories
        folders target_directory target_directories search_dir search_directory root
        root_path root_dir base_path base_dir repository_path
    """,
    # The working directory of a tool.
    "working": "cwd workdir work_dir working_dir working_directory",
    # For copies and moves only; elsewhere `source` or `target` may be anything.
    "source": """
        source source_path source_file src src_path old_path from from_path
        original_path
    """,
    "destination": """
        destination destination_path destination_file dest dest_path dst dst_path target
        target_path new_path to to_path
    """,
    # Objects with a path each; the items of `files` and `paths` may be such objects
    # too.
    "objects": "operations operation replacements edits changes reads",
}
"""Role -> the arguments that name paths."""

PATTERN_TOOLS = folded("glob")
"""Searches whose pattern begins in the folder that is searched; Cursor's
`glob_file_search` looks in all."""
PATTERN_ARGUMENTS = folded("pattern")

OLD_TEXT_NAMES = folded("old_string old_str old_text")
"""What an edit replaces. Empty text creates a file in Claude Code, Gemini, Qwen and
OpenCode."""

NEW_TEXT_NAMES = folded("new_string new_str new_text")
OTHER_OLD_TEXT_NAMES = folded("""
    old old_code old_content search search_text search_string find find_text
    target_content target_text target
""")
"""The same in people's own tools, Kimi CLI and Windsurf; `target` beside a new text
alone."""
OTHER_NEW_TEXT_NAMES = folded("""
    new new_code new_content replace replace_with replacement replacement_text
    replacement_content
""")
EDIT_NAMES = folded(f"{ARGUMENTS['objects']} edit replacement_chunks")
"""Arguments with edits, or one."""
EVERY_NAMES = folded("replace_all allow_multiple")
"""Whether an edit replaces every occurrence of its text."""
START_NAMES = folded("offset start_line")
"""The line from which a file is read."""
PART_NAMES = folded(
    "limit end_line view_range pages head tail allow_large force_read_large_files"
)
"""What says that only a part of a file is read, or that its size does not matter."""

READS_FOLDERS = {
    ("read", "filePath"): ("opencode",),
    ("Read", "path"): ("amp", "copilot"),
}
"""Tool and argument as written, of `read` tools that list a folder -> the programs with
such a tool (OpenCode 1.18, Amp, Copilot CLI 1.0.102); where the program is not known,
it may be one of them."""

HOME_HOSTS = frozenset({"claude-code", "pi", "mcp"})
"""Programs whose file tools expand a leading `~` (Claude Code 2.1, pi 0.73, MCP's file
server)."""

REMOTE_WORDS = folded("""
    github gitlab bitbucket gitea azure e2b daytona modal ssh sftp ftp s3 gcs gdrive
    drive dropbox onedrive sharepoint notion confluence jira linear slack figma
    playwright puppeteer browser chrome docker kubernetes k8s supabase postgres sqlite
    redis web http memory
""")
"""Words in a tool's full name: its paths are on another machine or in no file
system."""

REMOTE_ARGUMENTS = folded(
    "owner repo repository repo_name project_id bucket drive_id sandbox_id container_id"
)
"""Arguments that say the same."""

VERBS: Mapping[str, Use] = by_name(
    {
        ("read", "file"): "read cat",
        ("read", "any"): "view",
        ("list", "folder"): "list ls",
        ("search", "any"): "search grep find glob",
        ("copy", "any"): "copy",
        # `load` and `open` may run their argument.
        ("execute", "file"): """
        run execute exec eval invoke launch start apply import load open deploy
    """,
        ("edit", "file"): "edit replace patch modify update insert",
        ("write", "file"): "write create save append",
        ("move", "any"): "move rename",
        ("delete", "any"): "delete remove",
    }
)
"""The verbs that are understood in the name of an unknown tool; the strictest
counts."""

LINKS = folded("and or then")
"""Words between two verbs; a tool whose second verb is unknown is unknown."""

FILE_WORDS = folded("file files path paths fs code")
FOLDER_WORDS = folded("dir dirs directory directories folder folders subfolders tree")
"""Nouns that the name of such a tool must have, to tell what its paths are."""

PLAIN_WORDS = folded("""
    text content contents line lines notebook notebooks image images media multiple
    project workspace source new local in to from of
""")
"""Words that it may have too; with any other, as in `read_file_send_email`, it is
unknown."""

SERVER_WORDS = folded("filesystem fs developer serena copilot vscode")
"""Servers whose name some hosts put before the tool's, with a single `_` or `-`."""
