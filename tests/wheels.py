"""Build the distributions and try each wheel as a user would: `make test-wheels`.

    python tests/wheels.py            builds an sdist and both wheels; needs uv
    python tests/wheels.py WHEEL...   tries these

A wheel is tried outside the clone, in an empty environment and an empty home: the hook
command that `truepath install` writes corrects the path of a moved file."""

from __future__ import annotations

import email
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from collections.abc import Mapping
from pathlib import Path

import cargo
import repos

ROOT = Path(__file__).resolve().parents[1]
NATIVE = "truepath-native"
HOST = "claude-code"
BARE = "/usr/local/bin:/usr/bin:/bin"
"""A PATH without uv and pipx, which are found first."""


def run(
    command: list[str] | str, env: Mapping[str, str], cwd: Path, stdin: str = ""
) -> str:
    """Return what a command, or a line of the shell, prints; it ends with status 0."""
    done = subprocess.run(
        command,
        shell=isinstance(command, str),
        input=stdin,
        env=env,
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command} in {cwd}:\n{done.stdout}{done.stderr}"
    return done.stdout


def build(folder: Path) -> list[Path]:
    """Build a pure wheel from an sdist, and a native one where cargo works."""
    uv = [sys.executable, "-m", "uv", "build", "--quiet", "--out-dir", str(folder)]
    run([*uv, "--sdist", str(ROOT)], os.environ, folder)
    [sdist] = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(folder / "source")
    assert {"hatch_build.py", "native/.cargo/config.toml", "native/Cargo.lock"} <= names
    assert not [name for name in names if "target/" in name or "__pycache__" in name]
    if reason := cargo.why_not():
        sys.stdout.write(f"{reason}; only the pure wheel is built and tried\n")
    [source] = (folder / "source").iterdir()
    for place in (
        "cargo",
        "native/cargo",
        "native/rustc",
    ):  # the PATH below finds them first
        (source / place).write_text("#!/bin/sh\nexit 1\n")
        (source / place).chmod(0o755)
    for native in "0" if reason else "01":
        path = f".{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "TRUEPATH_NATIVE": native, "PATH": path}
        run([*uv, "--wheel", str(source)], env, folder)
    return sorted(folder.glob("*.whl"))


def read(wheel: Path) -> bool:
    """Check a wheel's metadata; return whether it has the native program."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith(".dist-info/METADATA")]
        told = email.message_from_bytes(archive.read(metadata))
    assert told["License-Expression"] == "MIT"
    assert metadata.replace("METADATA", "licenses/LICENSE") in names
    assert told["License-File"] == "LICENSE"
    assert not {"Project-URL", "Home-page", "Author-email"} & {*told}
    programs = [name for name in names if name.endswith(f".data/scripts/{NATIVE}")]
    assert len(programs) == (not wheel.stem.endswith("-none-any"))
    assert told["Version"] == wheel.name.split("-")[1]
    return bool(programs)


def attempt(wheel: Path, folder: Path) -> None:
    """Install a wheel, use it, and remove it."""
    is_native = read(wheel)
    repo, home = folder / "a project", folder / "home"
    home.mkdir(parents=True)
    repo.mkdir()
    repos.start(repo, {"specs/status.md": "STATUS all green\n", "README.md": ""})
    repos.move_file(repo, "specs", "docs")

    venv.create(folder / "env", with_pip=True)
    bin_folder = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    foreign = ("TRUEPATH", "CLAUDE", "XDG_", "PYTHON", "VIRTUAL_ENV")
    env = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(foreign)
    }
    env |= {"HOME": str(home), "USERPROFILE": str(home)}
    env["PATH"] = os.pathsep.join([str(bin_folder), env["PATH"]])
    python, truepath = str(bin_folder / "python"), str(bin_folder / "truepath")
    run([python, "-m", "pip", "install", "--quiet", str(wheel)], env, repo)

    version = wheel.name.split("-")[1]
    assert run([truepath, "--version"], env, repo) == f"truepath {version}\n"
    assert " in place of " in run([truepath, "demo"], env, repo)
    run([truepath, "install", HOST], env, repo)
    assert f"{'native' if is_native else 'Python'} client" in run(
        [truepath, "doctor"], env, repo
    )

    settings = home / ".claude/settings.json"
    hook = json.loads(settings.read_text("utf-8"))["hooks"]["PreToolUse"][0]["hooks"][
        0
    ]["command"]
    assert (NATIVE in hook) == is_native, hook
    event = {
        "session_id": "1",
        "cwd": str(repo),
        "hook_event_name": "PreToolUse",
        "tool_name": "Read",
        "tool_use_id": "1",
    }

    def told(path: Path) -> str:
        return run(
            hook,
            env,
            repo,
            json.dumps({**event, "tool_input": {"file_path": str(path)}}),
        )

    assert told(repo / "docs/status.md") == ""
    answer = json.loads(told(repo / "specs/status.md"))["hookSpecificOutput"]
    assert answer["updatedInput"]["file_path"] == str(repo / "docs/status.md")

    run([truepath, "uninstall", HOST], env, repo)
    assert not settings.exists()
    run([python, "-m", "pip", "uninstall", "--quiet", "--yes", "truepath"], env, repo)
    assert not [*bin_folder.glob("truepath*")]


def attempt_script(wheel: Path, folder: Path) -> None:
    """Install a wheel as `curl ... | sh` does, without uv and pipx."""
    home = folder / "home"
    home.mkdir(parents=True)
    env = {"HOME": str(home), "PATH": BARE, "TRUEPATH_PACKAGE": str(wheel)}
    script = (ROOT / "packaging/install.sh").read_text("utf-8")
    told = run(["sh"], env, folder, script)
    assert told.startswith(f"truepath {wheel.name.split('-')[1]}\n"), told
    assert " in place of " in run(
        [str(home / ".local/bin/truepath"), "demo"], env, home
    )


def attempt_npm(wheel: Path, folder: Path) -> None:
    """Run a wheel as `npx truepath` does, from the packed package."""
    home, project = folder / "home", folder / "project"
    home.mkdir(parents=True)
    repos.write_files(project, {"node_modules/.bin/python3": "#!/bin/sh\nexit 9\n"})
    (project / "node_modules/.bin/python3").chmod(0o755)
    env = {**os.environ, "HOME": str(home), "TRUEPATH_PACKAGE": str(wheel)}
    source = str(ROOT / "packaging/npm")
    words = ["npm", "pack", "--silent", "--pack-destination", str(folder), source]
    run(words, env, folder)
    [packed] = folder.glob("*.tgz")
    npx = ["npx", "--yes", f"--package={packed}", "--", "truepath"]
    version = wheel.name.split("-")[1]
    assert run([*npx, "--version"], env, project) == f"truepath {version}\n"
    assert " in place of " in run([*npx, "demo"], env, project)


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="tp-") as name:
        folder = Path(name).resolve()
        built = folder / "built"
        built.mkdir()
        wheels = [Path(word).resolve() for word in sys.argv[1:]] or build(built)
        for wheel in wheels:
            attempt(wheel, folder / wheel.stem)
            sys.stdout.write(f"installed, tried and removed: {wheel.name}\n")
        if os.name != "nt":
            attempt_script(wheels[0], folder / "script")
            sys.stdout.write("tried: packaging/install.sh\n")
        if shutil.which("npm"):
            attempt_npm(wheels[0], folder / "npm")
            sys.stdout.write("tried: npx truepath\n")
        else:
            sys.stdout.write("no npm here, so the npm package is not tried\n")


if __name__ == "__main__":
    main()
