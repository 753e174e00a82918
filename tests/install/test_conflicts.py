"""Who else may rewrite what we may: other hooks, plugins, and hosts that share settings."""

from __future__ import annotations

import json

import pytest

from truepath.hosts import HOSTS, find
from truepath.hosts.claude_code import host as claude_code
from truepath.install.conflicts import conflicts, consequence, doubles, plugins, told
from truepath.install.plan import carry_out, installing, places

SETUP = claude_code.setup("truepath-hook claude-code")


def hooks(event="PreToolUse", matcher="Read", command="mine.sh"):
    hook = {"type": "command", "command": command}
    return {"hooks": {event: [{"matcher": matcher, "hooks": [hook]}]}}


def commands(isolated, root=None):
    found = conflicts(claude_code, {"HOME": str(isolated)}, str(root) if root else None)
    return [rival.command for rival in found]


def settings(folder, value, name="settings.json"):
    (folder / ".claude").mkdir(exist_ok=True)
    (folder / ".claude" / name).write_text(json.dumps(value))


@pytest.mark.parametrize(
    "matcher", ["Read", "Edit|Read", "", "*", "Re.*", "Foo, Bash", "mcp__.*|Read"]
)
def test_a_hook_on_our_event_and_our_tools_may_rewrite_too(isolated, matcher):
    settings(isolated, hooks(matcher=matcher))
    assert commands(isolated) == ["mine.sh"]


@pytest.mark.parametrize(
    ("why", "value"),
    [
        ("it is ours", hooks(command="/old/truepath hook claude-code")),
        ("it is ours, for another program", hooks(command="/old/truepath hook codex")),
        ("it comes after the call", hooks(event="PostToolUse")),
        ("it sees other tools alone", hooks(matcher="WebFetch|Task")),
        ("it is no list", {"hooks": {"PreToolUse": {"x": "y"}}}),
        ("it is none", {"hooks": []}),
    ],
)
def test_what_cannot_rewrite_what_we_rewrite_is_no_rival(isolated, why, value):
    settings(isolated, value)
    assert commands(isolated) == []


def test_all_settings_of_a_project_are_looked_through(isolated, tmp_path):
    settings(isolated, hooks(command="user.sh"))
    settings(tmp_path, hooks(command="project.sh"))
    settings(tmp_path, hooks(command="local.sh"), "settings.local.json")
    assert commands(isolated, tmp_path) == ["user.sh", "project.sh", "local.sh"]


def test_settings_that_cannot_be_read_may_run_somebody(isolated):
    settings(isolated, {})
    (isolated / ".claude/settings.json").write_text("{")
    [other] = conflicts(claude_code, {"HOME": str(isolated)}, None)
    assert told(other).endswith("settings.json cannot be read, so it may hold hooks")


def test_every_file_of_a_folder_of_hooks_counts_and_both_names_of_an_event(isolated):
    host = find("copilot")
    folder = isolated / ".copilot/hooks"
    folder.mkdir(parents=True)
    for name, event in (("a.json", "preToolUse"), ("b.json", "PreToolUse")):
        hook = {"type": "command", "bash": f"./{name}.sh"}
        (folder / name).write_text(json.dumps({"version": 1, "hooks": {event: [hook]}}))
    found = conflicts(host, {"HOME": str(isolated)}, None)
    assert [rival.command for rival in found] == ["./a.json.sh", "./b.json.sh"]
    assert consequence(host, {"HOME": str(isolated)}, None) is None  # they see the right path


def test_what_becomes_of_wrong_paths_beside_other_hooks_is_told(isolated):
    environ = {"HOME": str(isolated)}
    assert consequence(claude_code, environ, None) is None
    settings(isolated, hooks())
    assert "is refused with the right one" in consequence(claude_code, environ, None)
    (isolated / ".config/truepath").mkdir(parents=True)
    (isolated / ".config/truepath/config.toml").write_text('beside_hooks = "rewrite"')
    assert "past these hooks" in consequence(claude_code, environ, None)


def test_a_plugin_of_ours_is_found_when_it_is_on(isolated):
    environ = {"HOME": str(isolated)}
    settings(isolated, {"enabledPlugins": {"truepath@tools": True, "truepath-x@tools": True}})
    [found] = plugins(claude_code, SETUP, environ, None)
    assert found.endswith("settings.json: truepath@tools")
    settings(isolated, {"enabledPlugins": {"truepath@tools": False}})
    assert plugins(claude_code, SETUP, environ, None) == []


def test_an_extension_of_ours_is_found(isolated):
    host = find("gemini")
    (isolated / ".gemini/extensions/truepath").mkdir(parents=True)
    setup = host.setup("truepath-hook gemini")
    assert len(plugins(host, setup, {"HOME": str(isolated)}, None)) == 1


def test_a_host_that_runs_claude_codes_settings_too_would_call_us_twice(isolated, tmp_path):
    environ = {"HOME": str(isolated)}
    hosts = {name: (find(name), find(name).setup(f"truepath-hook {name}")) for name in HOSTS}

    def install(name, root):
        host, setup = hosts[name]
        found = places(host.NAME, setup, environ, root)
        carry_out(str(tmp_path / "state"), [(installing(place, None), True) for place in found])

    def told(name):
        return [
            (reader.NAME, path) for reader, path in doubles(name, hosts, environ, str(tmp_path))
        ]

    install("copilot", None)
    assert told("copilot") == []
    install("claude-code", None)
    assert told("copilot") == []  # it runs those of the project alone
    install("claude-code", str(tmp_path))
    expected = [("copilot", str(tmp_path / ".claude/settings.json"))]
    assert told("copilot") == told("claude-code") == expected
    assert told("codex") == []
