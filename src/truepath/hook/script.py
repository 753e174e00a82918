"""The hook client as a file that a bare interpreter runs: `python -I -S script.py HOST`.

That leaves out `site`, two thirds of Python's own start; packages are found once they are needed.
"""

import sys
from os.path import abspath, dirname

_HOME = dirname(dirname(dirname(abspath(__file__))))

try:
    # First for one import alone, and the last for all others: what lies beside this package must
    # not stand in for the standard library.
    sys.path.insert(0, _HOME)
    import truepath  # noqa: F401

    sys.path.append(sys.path.pop(0))
    from truepath.hook.client import run
except (ImportError, SyntaxError):  # half of it is gone or being written: the call goes on
    sys.exit(0)

run()
