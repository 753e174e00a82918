"""A project that only commands reach, as in a container. Needs truepath alone."""

import shlex

from project import make_project

import truepath

root = make_project()
box = truepath.ShellRunner(
    "sh"
)  # in a container: ("docker", "exec", "-i", "box", "sh")
guard = truepath.Guard(workspace=truepath.Workspace.remote(box, root=root))


@guard.wrap
def read_file(path: str) -> str:
    """Read a file in the sandbox."""
    return box(f"cd {shlex.quote(root)} && cat -- {shlex.quote(path)}", 10.0).decode()


print(read_file("specs/status.md"))
