"""What docs/audit.md shows of Ray and Spark, where they are installed, gives the
records that the command gives."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from documented import BLOCK, ROOT

from truepath.audit import parquet
from truepath.audit.figures import chosen
from truepath.audit.pool import audited

HERE = Path(__file__).parents[1] / "transcripts"
RECIPES = BLOCK.findall((ROOT / "docs/audit.md").read_text("utf-8"))
MODULES = ["ray", "pyspark"]


@pytest.mark.heavy
@pytest.mark.parametrize(("module", "recipe"), [*zip(MODULES, RECIPES, strict=True)])
def test_a_recipe_gives_the_records_that_this_machine_gives(module, recipe, tmp_path):
    assert module in recipe
    if importlib.util.find_spec(module) is None:
        pytest.skip(f"no {module} here: make test-engines")
    if module == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java")
    place = str(tmp_path / "audit.parquet")
    recipe = recipe.replace("/data/runs", str(HERE)).replace(
        "/data/audit.parquet", place
    )
    environ = {
        **os.environ,
        "PYSPARK_PYTHON": sys.executable,
    }  # else it is any `python3`
    subprocess.run([sys.executable, "-c", recipe], env=environ, check=True)
    assert chosen(parquet.read([place])) == chosen(audited([str(HERE)]))
