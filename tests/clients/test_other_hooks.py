"""A user's own hooks, beside ours in the real Claude Code: they see the right path."""

from __future__ import annotations

import json

import pytest
from clients import claude, rig
from clients.script import call

pytestmark = [pytest.mark.client, pytest.mark.timeout(180), rig.needs("claude")]

GUARD = """\
#!/bin/sh
if grep -q 'docs/status'; then
  echo 'GUARD says no' >&2
  exit 2
fi
"""


@pytest.fixture
def root(tmp_path):
    return rig.make_project(tmp_path)


@pytest.fixture
def guard(tmp_path):
    """Give the user a hook that keeps `docs/status.md` from being touched."""
    script = tmp_path / "guard.sh"
    script.write_text(GUARD)
    hook = {"type": "command", "command": f"sh {script}"}
    folder = tmp_path / "home/.claude"
    folder.mkdir(parents=True)
    settings = {"hooks": {"PreToolUse": [{"matcher": "Read|Bash", "hooks": [hook]}]}}
    (folder / "settings.json").write_text(json.dumps(settings))


@pytest.mark.usefixtures("guard")
def test_a_hook_that_denies_a_path_is_not_led_around(tmp_path, root):
    turns = [
        call("Read", file_path=str(root / "specs/status.md")),
        call("Read", file_path=str(root / "docs/status.md")),
        call("Bash", command="mv specs/status.md gone.md", description="work"),
    ]
    ran = claude.run(tmp_path, turns, root=root)
    assert ran.status == 0, ran.errors
    assert "STATUS all green" not in ran.model_read
    assert "docs/status.md" in ran.model_read
    assert "GUARD says no" in ran.model_read
    assert (root / "docs/status.md").exists()
    assert not (root / "gone.md").exists()


@pytest.mark.usefixtures("guard")
def test_past_it_a_call_is_corrected_where_the_user_wants_that(tmp_path, root):
    file = tmp_path / "home/.config/truepath/config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('beside_hooks = "rewrite"\n')
    ran = claude.run(tmp_path, [call("Read", file_path=str(root / "specs/status.md"))], root=root)
    assert "STATUS all green" in ran.model_read
