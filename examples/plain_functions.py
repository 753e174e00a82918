"""No framework at all: a wrapped function, as any framework takes it. Needs truepath
alone.
"""

from project import make_project

import truepath

guard = truepath.Guard(make_project())


@guard.wrap
def read_file(path: str) -> str:
    """Read a file."""
    with open(path) as file:
        return file.read()


print(read_file("specs/status.md"))
