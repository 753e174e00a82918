"""The hook client as a script for a bare interpreter: `python -I -S script.py HOST`.

`-S` skips `site`, which takes two thirds of Python's start; packages are found when
needed.
"""

import sys
from os.path import abspath, dirname

_HOME = dirname(dirname(dirname(abspath(__file__))))

try:
    # First on the path for one import only, then last: what is next to this package
    # must not shadow the standard library.
    sys.path.insert(0, _HOME)
    import truepath  # noqa: F401

    sys.path.append(sys.path.pop(0))
    from truepath.hook.client import run
except (ImportError, SyntaxError):  # it is being installed or removed: the call goes on
    sys.exit(0)

run()
