"""Modules of a project that have the names of the standard library's, or of ours."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import hooks
import pytest

from truepath.hook.command import PLUGINS, client_command

if sys.platform == "win32":
    pytest.skip("not on Windows: the plugin is a shell script", allow_module_level=True)

ROOT = Path(__file__).parents[2]
MODULES = """
os sys json re time stat signal typing io abc codecs errno select fcntl pwd subprocess
threading contextlib dataclasses tempfile collections enum functools site sitecustomize
usercustomize tomllib pathspec rapidfuzz truepath
""".split()
PLUGIN = f"CLAUDE_PLUGIN_ROOT={ROOT}/plugins/truepath; {PLUGINS['claude-code']}"
DOORS = {
    **hooks.clients(),
    "the plugin": ("/bin/sh", "-c", PLUGIN),
    "what is installed": ("/bin/sh", "-c", client_command("claude-code")),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("variable", ["PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", ""])
def test_no_module_of_the_project_is_loaded(door, variable, tmp_path):
    repo, mark = hooks.make_project(tmp_path / "repo"), tmp_path / "mark"
    for name in MODULES:
        code = f"open({str(mark)!r}, 'a').write({name!r} + '\\n')\n"
        (repo / f"{name}.py").write_text(code)
        (repo / name).mkdir()
        (repo / name / "__init__.py").write_text(code)
    (repo / "evil.pth").write_text("import os\n")
    # For which a pattern is compiled, by a package.
    (repo / ".truepath.toml").write_text('deny = ["private/"]\n')
    environ = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.defpath}"}
    if variable:
        value = repo / "os.py" if variable == "PYTHONSTARTUP" else repo
        environ[variable] = str(value)
    for path in ("specs/status.md", "docs/stauts.md"):
        done = subprocess.run(
            DOORS[door],
            input=json.dumps(hooks.event(repo, path)).encode(),
            cwd=repo,
            env=environ,
            capture_output=True,
            check=False,
        )
        assert not mark.exists(), mark.read_text()
        assert b"docs/status.md" in done.stdout, done.stderr
