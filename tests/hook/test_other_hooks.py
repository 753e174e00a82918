"""Beside a user's own hooks a call is not rewritten: they see the right path first."""

from __future__ import annotations

import json
import os

import pytest
from hooks import make_project, run
from rows import check_each, read
from work import lines_run

from truepath.config.user_dirs import state_folder
from truepath.hook.command import client_command, clients
from truepath.hook.installed import Record, digest, keep
from truepath.hook.other_hooks import passed_by, seen
from truepath.hosts import find

MINE = {"type": "command", "command": "guard.sh"}


def entry(matcher=None, **more):
    return {
        **({} if matcher is None else {"matcher": matcher}),
        "hooks": [{**MINE, **more}],
    }


def claude(*entries, event="PreToolUse", **more):
    return {"hooks": {event: [*entries]}, **more}


@pytest.fixture
def repo(tmp_path):
    return make_project(tmp_path / "repo")


@pytest.fixture
def home(isolated):
    return isolated


def put(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))


def event_of(host, repo, path="specs/status.md", command=None):
    """Return an event before a read of `path`, or before a command, as `host` sends
    it.
    """
    at = str(repo / path)
    tools = {
        "claude-code": ("Read", {"file_path": at}, "Bash"),
        "codex": ("Bash", {"command": f"cat {path}"}, "Bash"),
        "gemini": ("read_file", {"file_path": at}, "run_shell_command"),
        "cursor": ("Read", {"file_path": at}, "Shell"),
        "vscode": ("read_file", {"filePath": at}, "run_in_terminal"),
        "copilot": ("Read", {"path": at}, "Bash"),
        "crush": ("view", {"file_path": at}, "bash"),
    }
    if host in ("opencode", "pi"):
        name = "filePath" if host == "opencode" else "path"
        shared = {"event": "before", "session": "s", "call": "c", "cwd": str(repo)}
        return {**shared, "tool": "read", "arguments": {name: at}}
    if host == "cline":
        return {
            "hookName": "tool_call",
            "workspaceInfo": {"rootPath": str(repo)},
            "sessionContext": {"rootSessionId": "s"},
            "tool_call": {
                "id": "c",
                "name": "read_files",
                "input": {"files": [{"path": at}]},
            },
        }
    tool, arguments, shell = tools[host]
    if command is not None:
        tool, arguments = shell, {"command": command}
    name = {"gemini": "BeforeTool", "cursor": "preToolUse"}.get(host, "PreToolUse")
    return {
        "session_id": "s",
        "conversation_id": "s",
        "cwd": str(repo),
        "hook_event_name": name,
        "event": "PreToolUse",
        "tool_name": tool,
        "tool_input": arguments,
        **({"tool_use_id": "c"} if host not in ("copilot", "crush", "gemini") else {}),
        **({"timestamp": "t"} if host == "vscode" else {}),
    }


def does(host, event):
    """Return what the hook of a host does to a call: "rewrites", "refuses" or
    "advises".
    """
    status, out, err = run(event, host)
    assert (status, err) == (0, b"")
    text = out.decode()
    if "PATH_NOT_FOUND" in text:
        assert "docs/status.md" in text
        denies = any(word in text for word in ('"deny"', '"refuse"'))
        return "refuses" if denies else "advises"
    rewritten = (
        "updatedInput",
        "updated_input",
        "tool_input",
        "modifiedArgs",
        "overrideInput",
    )
    assert any(word in text for word in (*rewritten, '"arguments"')), text
    return "rewrites"


def test_a_hook_is_ours_by_its_whole_command(repo, home):
    def check(row):
        put(
            home / ".claude/settings.json",
            claude(entry("Read", command=row["command"])),
        )
        is_passed_by = passed_by(
            find("claude-code"), {"HOME": str(home)}, str(repo), "Read"
        )
        assert is_passed_by is not row["ours"]

    check_each(read("hook/commands"), check, lambda row: row["reason"])


def test_a_hook_of_the_user_with_our_name_in_it_sees_the_right_path(repo, home):
    command = "deny.sh && truepath-hook claude-code || true"
    put(home / ".claude/settings.json", claude(entry("Read", command=command)))
    assert does("claude-code", event_of("claude-code", repo)) == "refuses"


@pytest.mark.parametrize("file", ["settings.json", "settings.local.json"])
def test_an_older_client_is_ours_in_the_file_in_which_it_was_recorded_alone(
    repo, home, file
):
    line = "/old/truepath-native claude-code --python x || true"
    put(repo / ".claude" / file, claude(entry("Read", command=line)))
    path = str(repo / ".claude/settings.json")
    keep(
        state_folder(os.environ),
        Record(path, "claude-code", None, digest(b""), (line,)),
    )
    does_it = does("claude-code", event_of("claude-code", repo))
    assert does_it == ("rewrites" if file == "settings.json" else "refuses")


@pytest.mark.parametrize("kept", ["{", "[]", "{}", '{"path": 1}', "[" * 100_000])
def test_a_record_that_is_none_makes_nothing_ours(repo, home, kept):
    path = home / ".claude/settings.json"
    line = "/old/truepath-hook claude-code || true"
    put(path, claude(entry("Read", command=line)))
    keep(state_folder(os.environ), Record(str(path), "claude-code", None, "", (line,)))
    [record] = (home.parent / f"{home.name}-state/truepath/installed").iterdir()
    record.write_text(kept)
    assert does("claude-code", event_of("claude-code", repo)) == "refuses"


@pytest.mark.parametrize("host", ["opencode", "pi"])
@pytest.mark.parametrize("more", ["", "\n// a line of mine"])
def test_a_plugin_is_ours_as_a_whole_or_not_at_all(host, more, repo, home):
    [piece] = find(host).pieces(next(iter(clients(host))))
    put(repo / piece.project, piece.content + more)
    assert does(host, event_of(host, repo)) == ("refuses" if more else "rewrites")


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        ('[{"read": "ask"}]', "refuses"),  # the box would show the written call
        ('[{"read": "allow"}]', "rewrites"),  # nobody is asked
        ('[{"edit": "ask"}]', "rewrites"),  # nor about a read
        ('[{}, {"read": "ask"}]', "refuses"),  # one of the agents asks
    ],
)
def test_what_a_person_approves_is_what_runs(rules, told, repo, monkeypatch):
    monkeypatch.setenv("TRUEPATH_HOST_RULES", rules)
    assert does("opencode", event_of("opencode", repo)) == told


@pytest.mark.parametrize("row", read("hook/other_hooks"), ids=lambda row: row["reason"])
def test_a_call_is_rewritten_unless_another_hook_sees_it(row, repo, home):
    host = row["host"]
    assert does(host, event_of(host, repo)) == "rewrites"
    held = row["held"] * row["repeat"] if "repeat" in row else row["held"]
    held = held if isinstance(held, str) else json.dumps(held)
    file = {"home": home, "repo": repo}[row["where"]] / row["file"]
    put(file, held.replace("{client}", client_command(host)))
    again = {**event_of(host, repo), "session_id": "t", "session": "t"}
    assert does(host, again) == row["does"]


def test_beside_a_hook_of_cline_which_cannot_refuse_the_right_path_is_told(repo, home):
    put(home / ".cline/hooks/PreToolUse.sh", "#!/bin/sh\n")
    assert does("cline", event_of("cline", repo)) == "advises"


def test_the_second_call_passes_the_users_hook_with_the_right_path(repo, home):
    put(home / ".claude/settings.json", claude(entry("Read|Bash")))
    assert does("claude-code", event_of("claude-code", repo)) == "refuses"
    assert run(event_of("claude-code", repo, "docs/status.md"))[1] == b""
    moves = event_of("claude-code", repo, command="mv specs/status.md gone.md")
    assert does("claude-code", moves) == "refuses"


def test_the_user_can_have_calls_corrected_past_his_hooks_and_a_project_cannot(
    repo, home
):
    put(home / ".claude/settings.json", claude(entry("Read")))
    put(repo / ".truepath.toml", 'beside_hooks = "rewrite"')
    assert does("claude-code", event_of("claude-code", repo)) == "refuses"
    put(home / ".config/truepath/config.toml", 'beside_hooks = "rewrite"')
    other = {**event_of("claude-code", repo), "session_id": "t"}
    assert does("claude-code", other) == "rewrites"


@pytest.mark.parametrize("row", read("hook/harmless"), ids=str)
def test_a_hook_that_the_user_names_whole_as_harmless_is_corrected_past(
    repo, home, row
):
    named, commands = json.dumps(row["named"]), row["commands"]
    hooks = [each if isinstance(each, dict) else {"command": each} for each in commands]
    entries = [entry("Read", **each) for each in hooks]
    put(home / ".claude/settings.json", claude(*entries) if commands != [""] else "{")
    line = f"harmless_hooks = {named}"
    put(repo / ".truepath.toml", line)
    assert does("claude-code", event_of("claude-code", repo)) == "refuses"
    put(home / ".config/truepath/config.toml", line)
    other = {**event_of("claude-code", repo), "session_id": "t"}
    assert does("claude-code", other) == row["does"]


def plugin_of(home, folder, held=None):
    listed = {"guard@market": [{"scope": "user", "installPath": str(folder)}]}
    put(
        home / ".claude/plugins/installed_plugins.json",
        {"version": 2, "plugins": listed},
    )
    put(folder / "hooks/hooks.json", held or claude(entry("Read")))


def test_hooks_of_installed_plugins_count(repo, home):
    plugin_of(home, home / ".claude/plugins/cache/market/guard/1.0")
    environ = {"HOME": str(home)}
    assert passed_by(find("claude-code"), environ, str(repo), "Read")
    assert not passed_by(find("claude-code"), environ, str(repo), "Bash")


@pytest.mark.parametrize(
    "hooks", ["./my/hooks.json", ["./my/hooks.json"], claude(entry())["hooks"]]
)
def test_hooks_that_a_plugins_manifest_names_count(repo, home, hooks):
    folder = home / "plugin"
    plugin_of(home, folder, held={"hooks": {}})
    put(folder / ".claude-plugin/plugin.json", {"name": "guard", "hooks": hooks})
    put(folder / "my/hooks.json", claude(entry("Read")))
    assert passed_by(find("claude-code"), {"HOME": str(home)}, str(repo), "Read")


def test_our_own_plugin_is_no_other_hook(repo, home):
    here = os.path.join(
        os.path.dirname(__file__), "../../plugins/truepath/hooks/hooks.json"
    )
    with open(here, encoding="utf-8") as file:
        plugin_of(home, home / "plugin", held=json.load(file))
    assert not passed_by(find("claude-code"), {"HOME": str(home)}, str(repo), "Read")


def test_a_linked_extension_of_gemini_counts_where_it_lies(repo, home, tmp_path):
    folder = tmp_path / "linked"
    put(folder / "hooks/hooks.json", claude(entry(), event="BeforeTool"))
    put(
        home / ".gemini/extensions/linked/.gemini-extension-install.json",
        {"source": str(folder), "type": "link"},
    )
    assert passed_by(find("gemini"), {"HOME": str(home)}, str(repo), "read_file")


def test_a_linked_work_tree_heeds_the_hooks_of_the_main_one(repo, home, tmp_path):
    from hooks import git

    git(repo, "worktree", "add", "-q", str(tmp_path / "linked"))
    put(repo / ".claude/settings.local.json", claude(entry("Read")))
    assert (
        does("claude-code", event_of("claude-code", tmp_path / "linked")) == "refuses"
    )


@pytest.mark.parametrize("put", [os.mkfifo, lambda path: os.symlink("/dev/zero", path)])
def test_settings_that_are_a_pipe_or_endless_are_not_waited_for(repo, home, put):
    (home / ".claude").mkdir()
    put(home / ".claude/settings.json")
    assert does("claude-code", event_of("claude-code", repo)) == "refuses"


@pytest.mark.parametrize("held", ['\\"', '"\\', "/*", ", ", ',"', "//"])
def test_settings_without_an_end_are_given_up_at_once(repo, home, held):
    put(home / ".claude/settings.json", "{" + held * 100_000)
    asked = (find("claude-code"), {"HOME": str(home)}, str(repo), "Read")
    assert passed_by(*asked)
    assert lines_run(lambda: passed_by(*asked)) < 200_000


@pytest.mark.parametrize(
    "value",
    [
        1,
        [],
        '"x"',
        {"hooks": 1},
        {"hooks": {"PreToolUse": {}}},
        {"hooks": {"PreToolUse": [1, None, [], {"hooks": [1]}]}},
        {"hooks": [1, {}]},
        {"enabledPlugins": [1]},
    ],
)
def test_settings_of_any_shape_are_read_without_an_error(repo, home, value):
    put(home / ".claude/settings.json", value)
    put(home / ".claude/plugins/installed_plugins.json", value)
    found = seen(find("claude-code"), {"HOME": str(home)}, str(repo), ["Read"])
    assert [each.command for each in found] == []
