"""The plugin, as each program's own commands check and install it from a clone."""

from __future__ import annotations

import shutil
import sys

import pytest
from clients import rig
from clients.programs import PROGRAMS

from truepath.hosts.protocol import Piece

pytestmark = [pytest.mark.client]

SHIPPED = (
    ".agents",
    ".claude-plugin",
    ".github/plugin",
    "plugins",
    "qwen-extension.json",
)
"""What a program reads of the repository."""

MARKET = ("plugin", "marketplace", "add", "{clone}")

INSTALLS = {
    "claude-code": (MARKET, ("plugin", "install", "truepath@truepath")),
    "codex": (MARKET, ("plugin", "add", "truepath@truepath")),
    "copilot": (MARKET, ("plugin", "install", "truepath@truepath")),
    "gemini": (("extensions", "install", "{clone}/plugins/gemini-cli", "--consent"),),
    "qwen": (("extensions", "install", "{clone}:truepath", "--consent"),),
}
"""Host -> what a user types."""

NO_HOOKS = {
    "gemini": Piece(".gemini/settings.json", "", {}),
    "qwen": Piece(".qwen/settings.json", "", {}),
}

STRICT = ("plugin", "validate", "--strict")

VALIDATIONS = {
    "the repository": ("claude", *STRICT, "."),
    "the plugin": ("claude", *STRICT, "--profile", "directory", "plugins/truepath"),
    "the extension": ("gemini", "extensions", "validate", "plugins/gemini-cli"),
}
"""Who checks what, and the words of it. No other program has such a command."""


@pytest.fixture
def clone(tmp_path):
    """Return a folder, with a space in its name, that has what the repository ships."""
    folder = tmp_path / "a clone"
    for name in SHIPPED:
        source = rig.PROJECT / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        copy(source, folder / name)
    return folder


@pytest.mark.parametrize("what", VALIDATIONS)
def test_the_validator_of_the_program_finds_nothing(tmp_path, clone, what):
    command, *words = VALIDATIONS[what]
    program = rig.program(command)
    if program is None:
        pytest.skip(f"no {command} here: `make test-clients` installs it, with npm")
    env = rig.environment(tmp_path)
    printed = rig.done([str(program), *words], cwd=clone, env=env)
    # Gemini CLI 0.61.0 ends with status 0 where it has found no manifest.
    assert "alidation passed" in printed or "successfully validated" in printed


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=rig.needs(PROGRAMS[name].COMMAND)) for name in INSTALLS],
)
def test_the_plugin_serves_once_the_program_has_installed_it(
    tmp_path, root, clone, name
):
    program = PROGRAMS[name]
    tools = tmp_path / "tools"
    tools.mkdir()
    client = tools / "truepath-hook"
    script = rig.PROJECT / "src/truepath/hook/script.py"
    client.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{script}" "$1"\n')
    client.chmod(0o755)
    ran = program.run(
        tmp_path,
        [program.shell("cat specs/status.md")],
        root=root,
        pieces=[NO_HOOKS.get(name, Piece("unused.json", "", {}))],
        environ={"PATH": f"{tools}:{rig.environment(tmp_path)['PATH']}"},
        first=[
            [word.format(clone=clone) for word in words] for words in INSTALLS[name]
        ],
    )
    assert ran.status == 0, ran.errors
    if "shell" in program.CORRECTS:
        assert "STATUS all green" in ran.model_read
        assert " in place of " in ran.model_read
    else:
        assert "docs/status.md" in ran.model_read
