"""The project that the examples work in: git knows that `specs/` became `docs/`."""

import os
import subprocess
import tempfile


def make_project() -> str:
    """Make it in a new temporary folder, go there, and return the folder."""
    root = os.path.realpath(tempfile.mkdtemp())
    os.chdir(root)
    git = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    os.mkdir("specs")
    with open("specs/status.md", "w") as file:
        file.write("All is well.\n")
    subprocess.run(["git", "init", "--quiet"], check=True)
    for message in ("start", "rename specs to docs"):
        subprocess.run(["git", "add", "--all"], check=True)
        subprocess.run([*git, "commit", "--quiet", "--message", message], check=True)
        if message == "start":
            os.rename("specs", "docs")
    return root
