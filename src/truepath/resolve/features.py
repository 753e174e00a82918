"""What speaks for a path: how its name and its folders differ from what was written.

Pure comparison of two paths; it looks at no project and weighs nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from truepath.likeness import ratio
from truepath.paths import fold
from truepath.project.names import name_words, split_extension, stem_key
from truepath.resolve.anchors import Target
from truepath.resolve.folders import folder_relation
from truepath.resolve.typos import IsWord, digits, misspelling, slipped
from truepath.resolve.words import is_word as listed

GENERIC_NAMES = frozenset(
    "__init__.py __main__.py index.ts index.tsx index.js index.jsx index.html index.md index.css "
    "index.mdx main.py main.go main.rs main.ts main.js mod.rs lib.rs readme.md readme changelog.md "
    "license package.json package-lock.json tsconfig.json config.json config.yaml config.yml "
    "config.ts config.js config.py config.go settings.json settings.py conftest.py setup.py "
    "setup.cfg pyproject.toml cargo.toml go.mod go.sum makefile dockerfile docker-compose.yml "
    ".gitignore .gitkeep .env.example types.ts utils.py utils.ts helpers.py constants.ts "
    "constants.py models.py views.py urls.py admin.py apps.py tests.py test.py app.py app.tsx "
    "page.tsx layout.tsx route.ts skill.md agents.md claude.md plan.md tasks.md spec.md todo.md "
    "notes.md overview.md schema.json data.json default.nix build.gradle pom.xml cmakelists.txt "
    "src lib test tests docs doc utils components assets scripts config types models services api "
    "examples common core internal pkg cmd app apps packages".split()
)
"""Names that are in many folders: the name says nothing, the folder all."""


def is_generic(name: str) -> bool:
    """Return whether many folders have a file or folder of this name: `README.md`, `index.d.ts`."""
    folded = fold(name)
    return folded in GENERIC_NAMES or folded.partition(".")[0] in INDEX_STEMS


_SETTINGS = re.compile(r"\.[^.]+rc(\.\w+)?|.+\.config\.\w+|.+\.(toml|ini|cfg)|tsconfig\..*json")
"""Names of a tool's own settings: agents look for them in the root, there or not."""

INDEX_STEMS = frozenset({"__init__", "index", "mod"})
"""Stems of the file that stands for its folder: Python, JavaScript, Rust."""

SAME_FORMATS = ({"yml", "yaml"}, {"htm", "html"}, {"jpg", "jpeg"}, {"tif", "tiff"})
"""Two extensions of one format: nobody keeps both."""

SIBLING_EXTENSIONS = (
    frozenset({"js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte"}),
    frozenset({"yml", "yaml"}),
    frozenset({"md", "mdx", "rst", "txt", "adoc"}),
    frozenset({"py", "pyi", "pyx"}),
    frozenset({"c", "cc", "cpp", "cxx", "h", "hh", "hpp"}),
    frozenset({"json", "json5", "jsonc", "jsonl"}),
    frozenset({"css", "scss", "sass", "less"}),
    frozenset({"htm", "html"}),
    frozenset({"sh", "bash", "zsh"}),
    frozenset({"kt", "kts", "java"}),
    frozenset({"jpg", "jpeg", "png", "webp", "svg", "gif"}),
)
"""Extensions that one file's successor commonly takes, or that are commonly confused."""


TEST_FOLDERS = frozenset(
    "test tests testing spec specs __tests__ e2e testdata fixtures integration unit".split()
)
"""Folders of tests: a test is no substitute for what it tests."""

VARIANT_FOLDERS = frozenset(
    "sandbox legacy deprecated old archive archived backup copy draft drafts example examples "
    "template templates demo demos sample samples vendor third_party external i18n locale "
    "locales translations next latest experimental contrib".split()
)
"""Folders that hold another edition of files elsewhere."""

LANGUAGES = frozenset(
    "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu it ja jp ko kr lt lv ms nb nl pl pt ro "
    "ru sk sl sr sv ta te th tr uk ur vi zh cn tw br".split()
)
"""Codes by which translations are kept apart. Not all of two letters: `ui`, `db`, `js` and `go`
are parts of a program."""

_VARIANT = re.compile(r"v?\d+(\.\d+)*|([a-z]{2})([-_][a-z]{2,4})?")
"""A version or a language code as a folder: another edition again."""


def judge(
    target: Target, path: str, *, folder: bool, is_word: IsWord = listed
) -> tuple[int, tuple[str, ...]] | None:
    """Compare one target with one path: (how far apart, evidence), or None when unlike."""
    wanted, got = target.path.split("/"), path.split("/")
    if target.path == path:
        place = target.evidence or ("as-written",)
        return (0, (*place, "exact"))
    if fold(target.path) == fold(path):
        form = () if target.path.lower() == path.lower() else ("other-form",)
        return (0, (*target.evidence, "look-alike", *form))
    name = _name_relation(wanted[-1], got[-1])
    if name is None:
        return _package_evidence(target, wanted, got, folder=folder)
    letters = misspelling(wanted[-1], got[-1], is_word) if name in ("one-edit", "two-edits") else ()
    cost, evidence = folder_relation(wanted[:-1], got[:-1], is_word=is_word)
    return (cost + _NAME_COST[name], (*target.evidence, name, *evidence, *letters))


def _package_evidence(
    target: Target, wanted: list[str], got: list[str], *, folder: bool
) -> tuple[int, tuple[str, ...]] | None:
    """Judge `x.py` against `x/__init__.py`, or the reverse."""
    if folder:
        return None
    stem = split_extension(wanted[-1])[0]
    if split_extension(got[-1])[0] in INDEX_STEMS and len(got) > 1:
        if fold(got[-2]) != fold(stem):
            return None
        cost, evidence = folder_relation(wanted[:-1], got[:-2])
        return (cost + 2, (*target.evidence, "package-file", *evidence))
    if stem in INDEX_STEMS and len(wanted) > 1:
        if stem_key(fold(got[-1])) != stem_key(fold(wanted[-2]) + ".x"):
            return None
        cost, evidence = folder_relation(wanted[:-2], got[:-1])
        return (cost + 2, (*target.evidence, "module-file", *evidence))
    return None


_NAME_COST = {
    "same-name": 0,
    "name-case": 0,
    "same-format": 1,
    "sibling-extension": 2,
    "close-extension": 1,
    "other-extension": 3,
    "separators": 1,
    "plural": 2,
    "test-affix": 3,
    "one-edit": 3,
    "two-edits": 4,
    "word-added": 4,
    "word-dropped": 4,
    "same-words": 3,
    "close-name": 5,
}


def _name_relation(wanted: str, got: str) -> str | None:
    """Say how the name `got` differs from `wanted`, or None when they are unlike."""
    if wanted == got:
        return "same-name"
    left, right = fold(wanted), fold(got)
    if left == right:
        return "name-case"
    left_stem, left_ext = split_extension(left)
    right_stem, right_ext = split_extension(right)
    if left_stem == right_stem:
        return _extension_relation(left_ext, right_ext)
    if left_ext != right_ext:
        related = any({left_ext, right_ext} <= family for family in SIBLING_EXTENSIONS)
        if not related and left_ext and right_ext:
            return None
    stems = split_extension(wanted)[0], split_extension(got)[0]
    return _stem_relation(*stems, same_extension=left_ext == right_ext)


def _extension_relation(left: str, right: str) -> str:
    if {left, right} in SAME_FORMATS:
        return "same-format"
    if any({left, right} <= family for family in SIBLING_EXTENSIONS):
        return "sibling-extension"
    if not left:
        return "sibling-extension"
    return "close-extension" if _are_close_extensions(left, right) else "other-extension"


def _are_close_extensions(one: str, other: str) -> bool:
    """Return whether one of two extensions is the other one misspelt: `tml` and `toml`."""
    return min(len(one), len(other)) >= 3 and ratio(one, other) >= _CLOSE_EXTENSION


_CLOSE_EXTENSION = 70
"""The ratio (0 to 100) from which two extensions are alike; `json` and `toml` have 25."""


def _stem_relation(wanted: str, got: str, *, same_extension: bool) -> str | None:
    """Say how two stems differ, or None when they are unlike."""
    left, right = fold(wanted), fold(got)
    if stem_key(left + ".x") == stem_key(right + ".x"):
        return "separators"
    if not same_extension:
        return None
    if left in (right + "s", right + "es") or right in (left + "s", left + "es"):
        return "plural"
    left_words, right_words = name_words(left), name_words(right)
    if sorted(left_words) == sorted(right_words):
        return "same-words"
    affixes = {"test", "tests", "spec", "unittest"}
    if set(left_words) - affixes == set(right_words) - affixes and set(left_words) - affixes:
        return "test-affix"
    edits = slipped(wanted, got)
    if edits:
        return "one-edit" if edits == 1 else "two-edits"
    if Counter(left_words) < Counter(right_words):
        return "word-added"
    if Counter(right_words) < Counter(left_words):
        return "word-dropped"
    # No slip is asked for here, only whether two names are alike at all.
    close = ratio(left, right) >= _CLOSE or _share_words(left_words, right_words)
    return "close-name" if close and digits(left) == digits(right) else None


def _share_words(left: Sequence[str], right: Sequence[str]) -> bool:
    """Return whether two names of three words and more differ by one of them alone."""
    odd = sum(one != other for one, other in zip(left, right, strict=False))
    return len(left) == len(right) >= 3 and odd == 1


_CLOSE = 78
"""The ratio (0 to 100) from which two names are alike."""


def is_renumbered(one: str, other: str) -> bool:
    """Return whether two names are the same but for the numbers in them; `03` and `3` are one."""
    left, right = _NUMBER.split(fold(one)), _NUMBER.split(fold(other))
    return left[::2] == right[::2] and _counted(left) != _counted(right)


_NUMBER = re.compile(r"(\d+(?:\.\d+)*)")


def _counted(parts: Sequence[str]) -> list[list[str]]:
    return [[digits.lstrip("0") for digits in number.split(".")] for number in parts[1::2]]


def character(target: str, path: str, *, count: int) -> tuple[str, ...]:
    """Say what kind of thing a candidate is, and how rare its name.

    Args:
        target: The root-relative path that is missing.
        path: The candidate.
        count: How many paths of the project have the candidate's name.
    """
    name = path.rpartition("/")[2]
    said = ["only-one" if count <= 1 else "few-of-name" if count <= 4 else "many-of-name"]
    if is_generic(name):
        said.append("generic-name")
    else:
        said.append(_specificity(split_extension(name)[0]))
    if "/" not in target and _SETTINGS.fullmatch(fold(name)):
        said.append("settings-at-root")
    wanted, got = fold(target).split("/")[:-1], fold(path).split("/")[:-1]
    if TEST_FOLDERS.isdisjoint(wanted) != TEST_FOLDERS.isdisjoint(got):
        said.append("crosses-tests")
    if any(_is_variant(part) for part in set(wanted) - set(got)):
        said.append("out-of-edition")
    if any(_is_variant(part) for part in set(got) - set(wanted)):
        said.append("into-edition")
    return tuple(said)


def _specificity(stem: str) -> str:
    """Grade a name by its words: any folder may have `types`, hardly one `handles_creation`."""
    words = len(name_words(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", stem)))
    if words >= 3 or (words == 2 and len(stem) >= 14):
        return "specific-name"
    return "plain-name" if words <= 1 and len(stem) <= 10 else "ordinary-name"


def _is_variant(part: str) -> bool:
    if part in VARIANT_FOLDERS:
        return True
    matched = _VARIANT.fullmatch(part)
    return matched is not None and matched[2] in (None, *LANGUAGES)
