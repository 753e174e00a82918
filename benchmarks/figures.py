"""Measure all that docs/benchmarks.md shows, at one commit, and fill the page.

python benchmarks/figures.py            accuracy, rivals and speed
python benchmarks/figures.py accuracy   accuracy and rivals alone, which must agree
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
AGREE = (("accuracy.py", "--unseen", "--save"), ("rivals.py", "--unseen", "--save"))
ALL = (*AGREE, ("speed.py", "--save"))


def main() -> None:
    wanted = AGREE if sys.argv[1:] == ["accuracy"] else ALL
    for script, *options in (*wanted, ("plots.py",)):
        command = [sys.executable, str(HERE / script), *options]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
