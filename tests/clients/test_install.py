"""`truepath install`, proved with the real programs: nothing but it has touched their
settings.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from clients import rig
from clients.programs import PROGRAMS

CLAUDE, CODEX, KIMI = (PROGRAMS[name] for name in ("claude-code", "codex", "kimi"))

pytestmark = [pytest.mark.client]

CONTENT = "STATUS all green"
SETTINGS = '{\n\t"permissions": {"allow": ["Read", "Bash"] }\n}\n'


def truepath(place, root, *words, **more):
    """Run our command as a person would, in the project and with nothing set but a
    home.
    """
    env = rig.environment(place, PYTHONPATH=str(rig.PROJECT / "src"), **more)
    command = [sys.executable, "-m", "truepath", *words]
    return subprocess.run(
        command, cwd=root, env=env, capture_output=True, text=True, check=False
    )


def played_by_claude(place, root):
    command = [str(rig.program("claude")), "-p", "go"]
    env = rig.environment(place, **CLAUDE.ENVIRON)
    return rig.run(
        command, [CLAUDE.read(root / "specs/status.md")], cwd=root, env=env, place=place
    )


@rig.needs("claude")
@pytest.mark.parametrize(
    "project", [(), ("--project", ".")], ids=["for the user", "for the project"]
)
def test_claude_code_reads_a_moved_file_once_it_is_installed_and_not_after(
    tmp_path, root, project
):
    place = tmp_path / "home" if not project else root
    settings = place / ".claude/settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(SETTINGS)
    assert CONTENT not in played_by_claude(tmp_path, root).model_read

    installed = truepath(tmp_path, root, "install", "claude-code", *project)
    assert installed.returncode == 0, installed.stderr
    ran = played_by_claude(tmp_path, root)
    assert CONTENT in ran.model_read
    assert " in place of " in ran.model_read
    path = str(rig.program("claude").parent)
    doctor = truepath(
        tmp_path, root, "doctor", "--json", PATH=f"{path}:{rig.BIN}:/usr/bin:/bin"
    )
    told = {each["check"]: each for each in json.loads(doctor.stdout)["findings"]}
    assert doctor.returncode == 0, doctor.stdout
    assert told["hook"]["level"] == "ok"

    gone = truepath(tmp_path, root, "uninstall", "claude-code", *project)
    assert gone.returncode == 0, gone.stderr
    assert settings.read_text() == SETTINGS
    ran = played_by_claude(tmp_path, root)
    assert CONTENT not in ran.model_read
    assert not rig.speaks(ran.model_read)


def played_by_codex(place, root, *, trusted=True):
    home = place / "home/.codex"
    home.mkdir(parents=True, exist_ok=True)
    (home / "config.toml").write_text(CODEX.CONFIG.replace("{root}", str(root)))
    words = [*CODEX.LINE[:3], *(CODEX.ARGS if trusted else CODEX.ARGS[:1]), "go"]
    env = rig.environment(place, **CODEX.ENVIRON)
    moved = CODEX.shell("cat specs/status.md")
    return rig.run(
        [str(rig.program("codex")), *words], [moved], cwd=root, env=env, place=place
    )


@rig.needs("codex")
def test_codex_reads_a_moved_file_once_it_is_installed_and_trusted_and_not_after(
    tmp_path, root
):
    installed = truepath(tmp_path, root, "install", "codex")
    assert installed.returncode == 0, installed.stderr
    assert "/hooks" in installed.stderr
    assert CONTENT not in played_by_codex(tmp_path, root, trusted=False).model_read
    assert CONTENT in played_by_codex(tmp_path, root).model_read

    doctor = truepath(tmp_path, root, "doctor", "codex")
    assert (doctor.returncode, "/hooks" in doctor.stdout) == (0, True), doctor.stdout

    gone = truepath(tmp_path, root, "uninstall", "codex")
    assert gone.returncode == 0, gone.stderr
    assert not (tmp_path / "home/.codex/hooks.json").exists()
    assert CONTENT not in played_by_codex(tmp_path, root).model_read


def played_by_kimi(place, root):
    command = [
        str(rig.program(KIMI.NODE) or KIMI.NODE),
        str(rig.program("kimi")),
        "-p",
        "go",
    ]
    env, moved = rig.environment(place, **KIMI.ENVIRON), KIMI.read("specs/status.md")
    return rig.run(command, [moved], cwd=root, env=env, place=place).model_read


@rig.needs("kimi")
def test_kimi_code_names_a_moved_file_once_it_is_installed_and_not_after(
    tmp_path, root
):
    config = tmp_path / "home/.kimi-code/config.toml"
    config.parent.mkdir(parents=True)
    config.write_text('# mine\n[thinking]\neffort = "high"\n')
    before = config.read_bytes()
    installed = truepath(tmp_path, root, "install", "kimi")
    assert installed.returncode == 0, installed.stderr
    assert "`docs/status.md`" in played_by_kimi(tmp_path, root)
    doctor = truepath(tmp_path, root, "doctor", "kimi")
    assert doctor.returncode == 0, doctor.stdout

    gone = truepath(tmp_path, root, "uninstall", "kimi")
    assert gone.returncode == 0, gone.stderr
    assert config.read_bytes() == before
    assert not rig.speaks(played_by_kimi(tmp_path, root))
