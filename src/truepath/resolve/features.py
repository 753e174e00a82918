"""What speaks for a path: how its name and its folders differ from what was written.

Pure comparison of two paths; it looks at no project and weighs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from truepath.paths import fold
from truepath.project.names import name_words, split_extension, stem_key
from truepath.resolve.anchors import Target
from truepath.resolve.typos import IsWord, digits, in_other_number, slipped, typo
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
"""Names that stand in many folders: the name says nothing, the folder all."""

_SETTINGS = re.compile(r"\.[^.]+rc(\.\w+)?|.+\.config\.\w+|.+\.(toml|ini|cfg)|tsconfig\..*json")
"""Names of a tool's own settings: agents look for them in the root, there or not."""

INDEX_STEMS = frozenset({"__init__", "index", "mod", "__main__"})
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
"""Folders that hold another edition of what stands elsewhere."""

LANGUAGES = frozenset(
    "ar bg bn ca cs da de el en es et fa fi fr he hi hr hu it ja jp ko kr lt lv ms nb nl pl pt ro "
    "ru sk sl sr sv ta te th tr uk ur vi zh cn tw br".split()
)
"""Codes by which translations are kept apart. Not all of two letters: `ui`, `db`, `js` and `go`
are parts of a program."""

_VARIANT = re.compile(r"v?\d+(\.\d+)*|([a-z]{2})([-_][a-z]{2,4})?")
"""A version or a language code as a folder: another edition again."""

_CODE = frozenset(
    "py pyi js jsx ts tsx mjs cjs vue svelte go rs java kt kts c h cc cpp hpp cs php rb swift ex "
    "exs nix lua sh scala clj dart sql proto".split()
)
_DOCS = frozenset("md mdx rst txt adoc html htm".split())


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
    name = _name_relation(wanted[-1], got[-1], folder=folder)
    if name is None:
        return _package_evidence(target, wanted, got, folder=folder)
    letters = _typo(wanted[-1], got[-1], is_word) if name in ("one-edit", "two-edits") else ()
    cost, evidence = folder_relation(wanted[:-1], got[:-1], is_word=is_word)
    return (cost + _NAME_COST[name], (*target.evidence, name, *evidence, *letters))


def _typo(wanted: str, got: str, is_word: IsWord) -> tuple[str, ...]:
    """Say of a name near another whether it is a slip and no word, or another word."""
    said = typo(wanted, got, is_word)
    return (said,) if said == "another-word" or (said and slipped(wanted, got)) else ()


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


def _name_relation(wanted: str, got: str, *, folder: bool) -> str | None:
    """Say how the name `got` differs from `wanted`, or None when they are unlike."""
    if wanted == got:
        return "same-name"
    left, right = fold(wanted), fold(got)
    if left == right:
        return "name-case"
    left_stem, left_ext = split_extension(left)
    right_stem, right_ext = split_extension(right)
    if left_stem == right_stem:
        return _extension_relation(left_ext, right_ext, folder=folder)
    if left_ext != right_ext:
        related = any({left_ext, right_ext} <= family for family in SIBLING_EXTENSIONS)
        if not related and left_ext and right_ext:
            return None
    stems = split_extension(wanted)[0], split_extension(got)[0]
    return _stem_relation(*stems, same_extension=left_ext == right_ext)


def _extension_relation(left: str, right: str, *, folder: bool) -> str:
    if {left, right} in SAME_FORMATS:
        return "same-format"
    if any({left, right} <= family for family in SIBLING_EXTENSIONS):
        return "sibling-extension"
    if folder or not left:
        return "sibling-extension"
    return "other-extension"


def _stem_relation(wanted: str, got: str, *, same_extension: bool) -> str | None:
    """Say how two stems differ, or None when they are unlike."""
    from rapidfuzz import fuzz

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
    if set(left_words) < set(right_words):
        return "word-added"
    if set(right_words) < set(left_words):
        return "word-dropped"
    # No slip is asked for here, only whether two names are alike at all.
    close = fuzz.ratio(left, right) >= _CLOSE and digits(left) == digits(right)
    return "close-name" if close else None


_CLOSE = 78
"""The ratio (0 to 100) from which two names are alike."""


def is_renumbered(one: str, other: str) -> bool:
    """Return whether two names are the same but for the numbers in them; `03` and `3` are one."""
    left, right = _NUMBER.split(fold(one)), _NUMBER.split(fold(other))
    return left[::2] == right[::2] and _counted(left) != _counted(right)


_NUMBER = re.compile(r"(\d+(?:\.\d+)*)")


def _counted(parts: Sequence[str]) -> list[list[str]]:
    return [[digits.lstrip("0") for digits in number.split(".")] for number in parts[1::2]]


def folder_relation(
    wanted: Sequence[str], got: Sequence[str], *, is_word: IsWord = listed
) -> tuple[int, tuple[str, ...]]:
    """Compare two folder paths by whole segments: (segments to change, evidence)."""
    if list(wanted) == list(got):
        return (0, ("same-folder",))
    left, right = [fold(part) for part in wanted], [fold(part) for part in got]
    if left == right:
        return (0, ("folder-case",))
    head = _common(left, right)
    tail = _common(left[head:][::-1], right[head:][::-1])
    lost = left[head : len(left) - tail]
    gained = right[head : len(right) - tail]
    shape = _shape(lost, gained, head=head, tail=tail)
    if shape == "folder-replaced":
        shape = _other_name(wanted[head], got[head])
    shared = head + tail + _kept_inside(lost, gained)
    evidence = [shape]
    if shape in ("folder-replaced", "moved"):
        evidence.append("same-parent" if tail else "other-parent")
        evidence.append("same-top" if head else "other-top")
    if shape in ("folder-replaced", "folder-slip", "folder-words"):
        evidence += _other_folder(wanted[head], got[head], is_word, slip=shape == "folder-slip")
    evidence.append(f"shared-{min(shared, 4)}")
    if lost:
        evidence.append(f"lost-{min(len(lost), 3)}")
    if gained:
        evidence.append(f"gained-{min(len(gained), 4)}")
    return (len(lost) + len(gained), tuple(evidence))


def _other_folder(wanted: str, got: str, is_word: IsWord, *, slip: bool) -> tuple[str, ...]:
    """Say what a folder is to the one in its place, where that decides what may be done."""
    if in_other_number(wanted, got):
        return ("wrong-number",)
    if _are_opposites(wanted, got):
        return ("opposite",)
    return _typo(wanted, got, is_word) if slip else ()


_OPPOSITES = frozenset(
    frozenset(pair.split("/"))
    for pair in (
        "reader/writer readers/writers read/write input/output inputs/outputs in/out "
        "client/server clients/servers async/sync public/private internal/external "
        "encoder/decoder encoders/decoders encode/decode import/export imports/exports "
        "importer/exporter importers/exporters source/target source/destination src/dst "
        "before/after left/right request/response requests/responses sender/receiver "
        "producer/consumer producers/consumers publisher/subscriber frontend/backend front/back "
        "parent/child upload/download uploads/downloads push/pull min/max train/test "
        "training/testing debug/release dev/prod development/production staging/production "
        "local/remote success/failure valid/invalid primary/replica primary/secondary "
        "inbound/outbound incoming/outgoing ingress/egress serializer/deserializer "
        "serializers/deserializers upgrade/downgrade encrypt/decrypt compress/decompress "
        "buyer/seller buyers/sellers android/ios windows/linux linux/macos windows/macos"
    ).split()
)
"""Words for the two sides of one thing: where one is there, what was asked for is the other.
From the pairs that projects keep beside one another."""


def _are_opposites(one: str, other: str) -> bool:
    """Return whether two names differ by one word, and that by its opposite."""
    left, right = name_words(fold(one)), name_words(fold(other))
    if len(left) != len(right):
        return False
    odd = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    return len(odd) == 1 and frozenset(odd[0]) in _OPPOSITES


def _shape(lost: list[str], gained: list[str], *, head: int, tail: int) -> str:
    """Name the change that turns one folder path into the other."""
    if not gained:
        if not head:
            return "extra-leading"
        return "extra-middle" if tail else "extra-last"
    if not lost:
        if not head:
            return "missing-leading"
        return "missing-middle" if tail else "missing-last"
    return "folder-replaced" if len(lost) == len(gained) == 1 else "moved"


def _other_name(wanted: str, got: str) -> str:
    """Say what a folder's name is to the one in its place."""
    left, right = name_words(fold(wanted)), name_words(fold(got))
    if left == right or in_other_number(wanted, got) or slipped(wanted, got):
        return "folder-slip"
    less, more = sorted((set(left), set(right)), key=len)
    contained = bool(less) and less < more
    return "folder-words" if contained else "folder-replaced"


def _common(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _kept_inside(lost: Sequence[str], gained: Sequence[str]) -> int:
    """Count the segments both middles hold in the same order (longest common subsequence)."""
    row = [0] * (len(gained) + 1)
    for one in lost:
        previous = 0
        for at, other in enumerate(gained, start=1):
            previous, row[at] = (
                row[at],
                previous + 1 if one == other else max(row[at], row[at - 1]),
            )
    return row[-1]


def character(target: str, path: str, *, count: int) -> tuple[str, ...]:
    """Say what kind of thing a candidate is, and how rare its name.

    Args:
        target: The root-relative path that is missing.
        path: The candidate.
        count: How many paths of the project bear the candidate's name.
    """
    name = path.rpartition("/")[2]
    said = ["only-one" if count <= 1 else "few-of-name" if count <= 4 else "many-of-name"]
    if fold(name) in GENERIC_NAMES:
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
    said.append(_content(split_extension(name)[1].lower()))
    return tuple(said)


def _specificity(stem: str) -> str:
    """Grade a name by its words: `types` may stand anywhere, `handles_creation` hardly."""
    words = len(name_words(re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", stem)))
    if words >= 3 or (words == 2 and len(stem) >= 14):
        return "specific-name"
    return "plain-name" if words <= 1 and len(stem) <= 10 else "ordinary-name"


def _is_variant(part: str) -> bool:
    if part in VARIANT_FOLDERS:
        return True
    matched = _VARIANT.fullmatch(part)
    return matched is not None and matched[2] in (None, *LANGUAGES)


def _content(extension: str) -> str:
    if extension in _CODE:
        return "is-code"
    return "is-text" if extension in _DOCS else "is-folder" if not extension else "is-data"
