"""The mutations of `make mutants` fit the sources as they are."""

from __future__ import annotations

import sys
from pathlib import Path

from rows import check_each

sys.path.insert(0, str(Path(__file__).parent))

import mutants
from table import MUTATIONS


def test_every_mutation_finds_its_text_once_and_leaves_a_program():
    def check(mutation):
        text = (mutants.ROOT / "src/truepath" / mutation.file).read_text("utf-8")
        compile(mutants.applied(mutation, text), mutation.file, "exec")
        assert mutation.tests
        for name in mutation.tests.split():
            assert (mutants.ROOT / "tests" / name.partition("::")[0]).exists(), name

    check_each(MUTATIONS, check, lambda mutation: f"{mutation.file}: {mutation.old}")


def test_there_are_sixty_in_all_rooms():
    rooms = {mutation.file.partition("/")[0] for mutation in MUTATIONS if "/" in mutation.file}
    there = (path.name for path in (mutants.ROOT / "src/truepath").iterdir() if path.is_dir())

    assert len(MUTATIONS) >= 60
    # What adapters do is tested in the environments of their frameworks.
    assert rooms == {name for name in there if name[0] != "_"} - {"adapters"}
