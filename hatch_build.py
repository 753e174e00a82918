"""The build hook: puts the native hook client, built by cargo, into the wheel as a
script.

Where no cargo can build it, the wheel is pure Python and one line of the build's output
says why. The environment variable TRUEPATH_NATIVE decides: 0 leaves it out, 1 makes its
absence an error.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from packaging.tags import platform_tags

_NAME = "truepath-native"
_CARGO = ["cargo", "build", "--release", "--locked", "--offline"]
_CARGO += ["--message-format=json-render-diagnostics", "--target-dir"]
_SECONDS = 600.0
"""For cargo: a build takes ten, but another program may hold the lock of its caches."""
_NO_DOWNLOAD = {
    "RUST_BACKTRACE": "0",
    "RUSTUP_AUTO_INSTALL": "0",
    "RUSTUP_DIST_SERVER": "file:///dev/null",  # rustup before 1.28.1 knows no other way
}
"""rustup's cargo would download a toolchain that is missing."""


class NativeClientHook(BuildHookInterface):  # type: ignore[type-arg]
    folder: tempfile.TemporaryDirectory[str] | None = None
    """Where cargo builds: empty, so no older program is packed. The sources may be
    read-only."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        wanted = os.environ.get("TRUEPATH_NATIVE", "")
        if wanted not in {"", "0", "1"}:
            raise ValueError(f"TRUEPATH_NATIVE={wanted} is neither 0 nor 1")
        if wanted == "0" or version == "editable":
            return
        self.folder = tempfile.TemporaryDirectory(prefix="truepath-")
        try:
            program = self._build(self.folder.name)
        except (OSError, RuntimeError, ValueError, subprocess.SubprocessError) as error:
            if wanted == "1":
                raise RuntimeError(f"no native hook client: {error}") from error
            self.app.display_warning(
                f"truepath: no native hook client, Python serves: {error}"
            )
            return
        build_data["shared_scripts"][program] = _NAME
        build_data["pure_python"] = False
        # The tag of this machine. That the program runs elsewhere too, a release says.
        portable = ("manylinux", "musllinux")
        tag = next(tag for tag in platform_tags() if not tag.startswith(portable))
        build_data["tag"] = f"py3-none-{tag}"

    def finalize(self, *_: object) -> None:
        if self.folder:
            self.folder.cleanup()

    def _build(self, folder: str) -> str:
        """Return the program that cargo built into `folder`; it runs here."""
        if os.name != "posix":
            raise RuntimeError("it is for Unix")
        if not shutil.which("cargo", path=_search_path()):
            raise RuntimeError("no cargo on the PATH")
        native = os.path.join(
            self.root, "native"
        )  # cargo reads native/.cargo only from there
        rustup = os.environ.get("RUSTUP_HOME") or os.path.expanduser("~/.rustup")
        # Where rustup has no home, its cargo would make one, and then do nothing.
        own = {} if os.path.isdir(rustup) else {"RUSTUP_HOME": folder}
        done = _run([*_CARGO, folder], native, **own)
        if (
            done.returncode
        ):  # the flags in it need a static libc, which Fedora leaves out
            done = _run([*_CARGO, folder], native, RUSTFLAGS="", **own)
        if done.returncode:
            said = [line.strip() for line in done.stderr.splitlines() if line.strip()]
            errors = [line for line in said if line.startswith("error")]
            first = (errors or said or [f"cargo ended with {done.returncode}"])[0]
            raise RuntimeError(first.removeprefix("error: "))
        told = [
            json.loads(line)
            for line in done.stdout.splitlines()
            if line.startswith("{")
        ]
        program = next(
            (each["executable"] for each in told if each.get("executable")), None
        )
        asked = program and _run([program, "--version"], folder)
        if not asked or asked.stdout.split() != [_NAME, self.metadata.version]:
            raise RuntimeError("cargo built nothing of this version that runs here")
        return str(program)


def _search_path() -> str:
    """Return the PATH without folders relative to this one: what is built is not what
    builds it.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(filter(os.path.isabs, folders))


def _run(
    command: list[str], folder: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    how: dict[str, Any] = {
        "capture_output": True,
        "encoding": "utf-8",
        "errors": "replace",
    }
    environ = {**os.environ, **_NO_DOWNLOAD, "PATH": _search_path(), **environ}
    return subprocess.run(
        command, cwd=folder, env=environ, timeout=_SECONDS, check=False, **how
    )
