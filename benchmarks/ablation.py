"""Measure what each kind of evidence is worth: leave it out, fit again, measure again.

    python benchmarks/ablation.py EVAL_FOLDER [--folds 4]

The figures are cross-validated as those of benchmarks/fit.py are: `right at` a bound is the share
of all misses that are corrected rightly when the upper end of the 95 % interval of wrong ones among
corrections is kept there, weighed by cause; `first 3` is of those with a right path, as found.
What has no weight any more can still be capped: an edition keeps its ceiling.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from bounds import threshold
from logit import Design, Keep, judge
from rows import Row, as_found, observed, weighed

GROUPS = {
    "how the name differs": (
        "same-name name-case same-format sibling-extension other-extension separators plural "
        "test-affix one-edit two-edits word-added word-dropped same-words close-name package-file "
        "module-file"
    ),
    "how the folders differ": (
        "same-folder folder-case folder-words extra-leading extra-middle extra-last "
        "missing-leading missing-middle missing-last folder-slip folder-replaced moved"
    ),
    "how many folders are shared": (
        "shared-0 shared-1 shared-2 shared-3 shared-4 same-parent other-parent same-top other-top"
    ),
    "depth: folders lost and gained": ("lost-1 lost-2 lost-3 gained-1 gained-2 gained-3 gained-4"),
    "how rare the name is": (
        "only-one few-of-name many-of-name generic-name specific-name ordinary-name plain-name "
        "asked-generic"
    ),
    "whether the old folder is still there": "left-there left-gone folder-there folder-gone",
    "tests and editions": "crosses-tests into-edition out-of-edition",
    "what kind of file it is": "is-code is-text is-data is-folder",
    "prefix repairs": (
        "repeats-cwd from-root root-name root-slip root-name-elsewhere home-slip other-home "
        "container-root rooted-at-project lost-slash doubled from-checkout"
    ),
    "what was asked, and where": (
        "asked-file asked-any asked-folder bare with-folders points-outside generated-place "
        "hidden-place"
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, help="folder with the case files and trees/")
    parser.add_argument("--folds", type=int, default=4)
    options = parser.parse_args()
    rows = observed(options.folder)
    print(f"{'left out':38}  right at 0.5 %  right at 0.2 %  first 3  best right")
    print(f"{'nothing':38}  {measured(rows, options.folds)}", flush=True)
    for name, words in GROUPS.items():
        gone = frozenset(words.split())
        print(f"{name:38}  {measured(rows, options.folds, gone)}", flush=True)
    alone: Keep = lambda _: False  # noqa: E731
    told = measured(rows, options.folds, keep=alone)
    print(f"{'all of it: rivals are equal':38}  {told}")


def measured(
    rows: Sequence[Row], folds: int, gone: frozenset[str] = frozenset(), *, keep: Keep | None = None
) -> str:
    judged, _ = judge(rows, Design(rows, keep or (lambda name: name not in gone)), folds)
    weight, found = weighed(rows), as_found(rows)
    reads, edits = (
        threshold(judged.acts, judged.right, weight, each)[1] for each in (0.005, 0.002)
    )
    there = sum(row.found and row.case.truth is not None for row in rows)
    first, best = ((found * each).sum() / there for each in (judged.listed, judged.right))
    return f"{reads:14.1%}  {edits:14.1%}  {first:7.1%}  {best:10.1%}"


if __name__ == "__main__":
    main()
