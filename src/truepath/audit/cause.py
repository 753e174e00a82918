"""Why a path was wrong: the path beside what was meant, or what its own words say."""

from __future__ import annotations

import os

from truepath.session.loops import likeness

CAUSES = {
    "case": "the right path in another letter case",
    "extra_leading_dirs": "leading folders repeated or added",
    "missing_leading_dirs": "leading folders left out",
    "wrong_root": "another root with a right path below it",
    "wrong_directory": "the right name in another folder",
    "wrong_extension": "another extension",
    "module_vs_package": "a module for a package, or the reverse",
    "near_name": "the right folder, and a name a few letters off",
    "other_name_same_dir": "the right folder, and another name",
    "other_name_other_dir": "another name in another folder",
    "not_yet_created": "the agent made it afterwards",
    "outside": "outside the project, and not there",
    "ignored": "in a folder of installed packages",
    "generated": "in a folder of build output",
    "probe": "an optional file that was looked for just in case",
    "invented": "nothing that was opened later is like it",
}
"""What each cause means. The first that holds is the one; those up to `other_name_other_dir` are
of a miss whose right path is known, the others of one without."""

_PACKAGES = frozenset("node_modules .venv venv site-packages vendor .tox bower_components".split())
_BUILT = frozenset(
    "dist build target out .next .nuxt coverage __pycache__ generated .cache".split()
)
_OPTIONAL = frozenset(
    "makefile dockerfile license package.json package-lock.json tsconfig.json pyproject.toml "
    "setup.py setup.cfg requirements.txt go.mod cargo.toml claude.md agents.md gemini.md "
    "readme.md changelog.md contributing.md docker-compose.yml tox.ini justfile".split()
)


def of_found(rel: str, truth: str) -> str:
    """Return the cause of a miss whose right path is known; both relative to the root.

    Args:
        rel: What was missed; absolute where it points outside the root.
        truth: What was meant.
    """
    folder, name = os.path.split(rel)
    true_folder, true_name = os.path.split(truth)
    if rel.casefold() == truth.casefold():
        return "case"
    if rel.startswith("/") and rel.endswith(f"/{truth}"):
        return "wrong_root"
    if rel.endswith(f"/{truth}"):
        return "extra_leading_dirs"
    if truth.endswith(f"/{rel}"):
        return "missing_leading_dirs"
    if name == true_name:
        return "wrong_directory"
    if package_of(rel, truth) or package_of(truth, rel):
        return "module_vs_package"
    if folder != true_folder:
        return "other_name_other_dir"
    if name.partition(".")[0] == true_name.partition(".")[0]:
        return "wrong_extension"
    return "near_name" if likeness(rel, truth) in ("near", "stem") else "other_name_same_dir"


def of_lost(rel: str, *, made: bool) -> str:
    """Return the cause of a miss without a right path.

    Args:
        rel: What was missed, relative to the root; absolute where it points outside.
        made: Whether the agent made it afterwards.
    """
    names = rel.split("/")
    if made:
        return "not_yet_created"
    if rel.startswith(("/", "~")) or rel[1:2] == ":":
        return "outside"
    if not _PACKAGES.isdisjoint(names):
        return "ignored"
    if not _BUILT.isdisjoint(names):
        return "generated"
    optional = names[-1].startswith(".") or names[-1].lower() in _OPTIONAL
    return "probe" if optional and len(names) <= 2 else "invented"


def package_of(module: str, package: str) -> bool:
    """Tell whether a path is the file that makes a package of a module's name."""
    stem = module.rpartition(".")[0]
    folder, _, name = package.rpartition("/")
    return bool(stem) and folder == stem and name.partition(".")[0] in ("__init__", "index", "mod")
