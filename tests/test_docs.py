"""The documents are true: their examples run, and nothing a user can set or call is
missing.
"""

from __future__ import annotations

import ast
import inspect
import io
import itertools
import json
import os
import pathlib
import re
import runpy
import shlex
import shutil
import subprocess
import sys
from dataclasses import fields

import click
import pytest
from commandline import ran

import truepath
from truepath import __all__ as public_names
from truepath.cli import scenes
from truepath.cli.app import app
from truepath.config import presets
from truepath.config import settings as config
from truepath.guard.after import AFTER
from truepath.guard.guard import BEFORE
from truepath.hosts import HOSTS, find
from truepath.types import OPERATION_KINDS

PROJECT = pathlib.Path(__file__).parents[1]
SOURCES = sorted((PROJECT / "src").rglob("*.py"))
TEXTS = [*sorted(PROJECT.glob("*.md")), *sorted((PROJECT / "docs").rglob("*.md"))]
PAGES = {
    str(page.relative_to(PROJECT)): page.read_text(encoding="utf-8") for page in TEXTS
}
README = PAGES["README.md"]


def blocks(text: str, *languages: str) -> list[str]:
    """Return the fenced blocks of `text` in one of these languages."""
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for language, block in found if language in languages]


@pytest.fixture(scope="module")
def orders(tmp_path_factory) -> pathlib.Path:
    root = tmp_path_factory.mktemp("docs") / "orders"
    root.mkdir()
    scenes.build(str(root))
    return root


@pytest.fixture
def project(orders, monkeypatch) -> pathlib.Path:
    """Stand in the repository that the examples speak of: the demo's. Nothing may
    change it.
    """
    monkeypatch.chdir(orders)
    return orders


# Python examples


def run(block: str, names: dict[str, object]) -> None:
    """Run a block; an expression with a comment `# => VALUE` must have that value."""
    lines = block.splitlines()
    for node in ast.parse(block).body:
        if not isinstance(node, ast.Expr):
            exec(compile(ast.Module([node], []), "<docs>", "exec"), names)
            continue
        value = eval(compile(ast.Expression(node.value), "<docs>", "eval"), names)
        _, arrow, told = lines[node.end_lineno - 1].partition("  # => ")
        if arrow:
            assert repr(value) == told, ast.unparse(node)


ENGINES = "docs/audit.md"
"""Its examples need Ray and Spark: `tests/audit/test_engines.py` runs them."""
WITH_PYTHON = [
    name for name, text in PAGES.items() if blocks(text, "python") and name != ENGINES
]


@pytest.mark.parametrize("page", WITH_PYTHON)
@pytest.mark.usefixtures("project")
def test_every_python_example_runs_and_gives_what_it_says(page):
    names: dict[str, object] = {"__name__": "docs"}
    for block in blocks(PAGES[page], "python"):
        run(block, names)


# Shell examples


def command_lines(text: str) -> list[str]:
    """Return each simple command in the shell examples of `text`, continued lines
    joined.
    """
    shell = [
        line
        for block in blocks(text, "sh")
        for line in block.replace("\\\n", "").split("\n")
    ]
    shell += [command for command, _ in transcripts(text)]
    shell += re.findall(
        r"^ {4}((?:truepath|git|make|python|pip) .*)$", text, re.MULTILINE
    )
    return [part for line in shell for part in simple_commands(line)]


def transcripts(text: str) -> list[tuple[str, str]]:
    """Return each command after `$ ` with the output shown below it."""
    found = []
    for block in (
        *blocks(text, "console"),
        *re.findall(r"(?:^ {4}.*\n)+", text, re.MULTILINE),
    ):
        lines = "\n".join(line.removeprefix("    ") for line in block.splitlines())
        for part in re.split(r"^\$ ", lines, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def simple_commands(line: str) -> list[str]:
    """Return the commands of a pipeline, comments left out."""
    found: list[list[str]] = [[]]
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|;&")
    lexer.whitespace_split = True
    try:
        words = [*lexer]
    except ValueError:  # a quote that goes on in the next line
        return []
    for word in words:
        if set(word) <= set("|;&"):
            found.append([])
        else:
            found[-1].append(word)
    return [shlex.join(words) for words in found if words]


EVERY = sorted(
    {(page, line) for page, text in PAGES.items() for line in command_lines(text)}
)
NAMED = sorted(
    {
        (page, code)
        for page, text in PAGES.items()
        for code in re.findall(r"`((?:truepath|make) [^`\n]+)`", text)
    }
)
"""Mentioned in a sentence: a command, perhaps with options, not always all it needs."""


def ours(lines: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [
        (page, line) for page, line in lines if re.match(r"truepath (?!-|[A-Z])", line)
    ]


def is_synopsis(line: str) -> bool:
    return re.search(r"[\[\]<]|\s'?[A-Z]+(\.\.\.)?'?(\s|$)", line) is not None


@pytest.mark.parametrize(("page", "line"), ours(EVERY + NAMED))
@pytest.mark.usefixtures("project")
def test_every_command_line_shown_is_one_that_truepath_takes(page, line, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    words = re.sub(r"[\[\]']", " ", line.partition(" -- ")[0]).split()[1:]
    with click.Context(app, **app.context_settings) as ctx:
        command = app.get_command(ctx, words[0])
        assert command is not None, page
        known = {option for each in command.params for option in each.opts} | {"--help"}
        assert {word for word in words if re.match(r"--?\w", word)} <= known, page
        if (page, line) in EVERY and not is_synopsis(line):
            command.make_context(words[0], shlex.split(line)[2:], parent=ctx)


def test_every_host_shown_is_one_there_is():
    hosts = set(re.findall(r"truepath hook ([\w-]+)", "".join(PAGES.values())))
    assert hosts - {"HOST"} == set(HOSTS)


def test_every_ruler_of_the_guard_has_a_row_of_the_line():
    rows = section("docs/architecture.md", "## The line of the guard")
    for ruler in (*BEFORE, *AFTER):
        assert f"{ruler.__name__}`" in rows, ruler


def test_every_make_target_shown_is_one_there_is_and_told_by_make_help():
    makefile = (PROJECT / "Makefile").read_text(encoding="utf-8")
    there = set(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split())
    shown = {line.split()[1] for _, line in EVERY + NAMED if line.startswith("make ")}
    assert shown
    assert shown <= there
    assert set(re.findall(r'@echo "make ([\w-]+) ', makefile)) == there - {"help"}


def test_every_program_and_module_of_the_project_shown_is_there():
    pattern = r"\b(?:benchmarks|native|src/truepath|tests)/[\w/]+\.\w+"
    named = {path for text in PAGES.values() for path in re.findall(pattern, text)}
    made_up = {"src/truepath/walk.py", "src/truepath/confg.py"}
    assert [
        path for path in sorted(named - made_up) if not (PROJECT / path).exists()
    ] == []


def masked(output: str) -> list[str]:
    """Return output without what differs by run: commits, days, percentages."""
    text = re.sub(r"\b[0-9a-f]{7}, \d{4}-\d\d-\d\d\b", "COMMIT", output)
    return [
        " ".join(line.split())
        for line in re.sub(r"\b\d+(\.\d)?%", "N%", text).splitlines()
    ]


SHOWN = [
    (page, command, output)
    for page, text in PAGES.items()
    for command, output in transcripts(text)
    if command.startswith("truepath ")
]


@pytest.mark.parametrize(("page", "command", "output"), SHOWN)
def test_every_command_shown_with_its_output_prints_that(
    page, command, output, project, capsys, monkeypatch
):
    if page == "README.md":  # a newcomer has this project, and the demo's
        monkeypatch.chdir(PROJECT)
        made = project.parent / "kept" if "--keep" in command else project
        command = command.replace("/tmp/orders", made.as_posix())
    printed = masked(ran(capsys, *shlex.split(command)[1:]).out)
    expected = masked(output)
    if expected[-1] == "...":
        expected.pop()
        printed = printed[: len(expected)]
    assert printed == expected


def test_the_ten_examples_are_what_truepath_answers_now():
    examples = runpy.run_path(str(PROJECT / "docs/examples.py"))

    assert examples["page"]() == PAGES["docs/examples.md"]  # python docs/examples.py


# Settings, events, commands, names


def rows(text: str) -> dict[str, list[str]]:
    """Return the rows of all tables whose first cell is code: the code, and the other
    cells.
    """
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for name in re.findall(r"`([^`]+)`", cells[0]) if cells else ():
            found.setdefault(name, cells[1:])
    return found


def section(page: str, start: str, end: str = "\n## ") -> str:
    return PAGES[page].partition(start)[2].partition(end)[0]


def names_of(record: type) -> set[str]:
    return {field.name for field in fields(record)}


STATUSES = {
    "exists",
    "resolved",
    "likely",
    "ambiguous",
    "absent",
    "directory",
    "outside",
}
VARIABLE = re.compile(
    r"\b(TRUEPATH(?:_[A-Z]+)?|CLAUDE_RESOLVE_PATH|XDG_\w+|(?:NO|FORCE)_COLOR)\b"
)
CODE = "\n".join(file.read_text(encoding="utf-8") for file in SOURCES)
USED = {
    name for text in re.findall(r'"([A-Z_]+)"', CODE) for name in VARIABLE.findall(text)
}
TABLES = [
    # page, its section, what its table names, and whether it may name more
    ("docs/how-it-decides.md", "## Resolution", STATUSES, False),
    ("README.md", "## Policies", {*presets.PRESETS}, True),
]


@pytest.mark.parametrize(("page", "title", "names", "more"), TABLES)
def test_a_table_names_all_there_is_and_nothing_else(page, title, names, more):
    told = set(rows(section(page, title)))
    assert names - told == set()
    assert more or told - names == set()


def test_every_setting_shown_can_be_used(tmp_path):
    folder = tmp_path / ".config/truepath"
    folder.mkdir(parents=True)
    for block in blocks(PAGES["docs/configuration.md"], "toml"):
        (folder / "config.toml").write_text(block)
        assert config.load(None, {"HOME": str(tmp_path)}).problems == ()


def test_every_environment_variable_is_documented_and_no_other():
    assert {"TRUEPATH", "TRUEPATH_STATE"} <= USED
    text = PAGES["docs/configuration.md"].partition("## Environment")[2]
    assert {name for name in rows(text) if VARIABLE.fullmatch(name)} == USED
    everywhere = {name for page in PAGES.values() for name in VARIABLE.findall(page)}
    assert everywhere - {"TRUEPATH_CLIENTS", "TRUEPATH_NATIVE"} <= USED


def test_every_name_of_the_library_shown_is_public():
    shown = re.findall(r"\btruepath\.([A-Z]\w+)", "".join(PAGES.values()))
    assert set(shown) <= set(public_names)


ENTRANCES = [
    truepath.Workspace.__init__,
    truepath.Workspace.from_names,
    truepath.Workspace.remote,
    truepath.Workspace.resolve,
    truepath.Guard.__init__,
    truepath.Guard.before,
    truepath.Guard.wrap,
    truepath.open_store,
]


@pytest.mark.parametrize("function", ENTRANCES)
def test_every_argument_is_told_in_the_docstring(function):
    names = [each for each in inspect.signature(function).parameters if each != "self"]
    told = inspect.getdoc(function)
    missing = [
        each for each in names if not re.search(rf"\n *(\w+, )*{each}[,:]", told)
    ]
    assert missing == []


# What SECURITY promises


def test_every_promise_is_kept_by_tests_there_are():
    page = PAGES["SECURITY.md"]
    kept = re.findall(r"^\| ([A-Z].*?) \| (.*) \|$", page, re.MULTILINE)
    assert [promise for promise, _ in kept] == re.findall(
        r"^- \*\*(.+?)\.\*\*", page, re.MULTILINE
    )
    for _, tests in kept:
        named = re.findall(r"`([\w/]+\.(?:py|jsonl))(?:::(\w+))?`", tests)
        assert named
        for file, name in named:
            text = (PROJECT / "tests" / file).read_text("utf-8")
            assert not name or f"def {name}(" in text, name


# The README


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 120


@pytest.mark.skipif(
    sys.platform != "linux", reason="`ls` has other words for its error elsewhere"
)
@pytest.mark.skipif(shutil.which("find") is None, reason="no find here")
def test_the_picture_of_the_readme_is_what_a_run_gives(monkeypatch, tmp_path):
    monkeypatch.setenv("TRUEPATH_STATE", str(tmp_path))
    drawn = runpy.run_path(str(PROJECT / "docs/picture.py"))["pictures"]()
    assert len(drawn) == 2
    for file, text in drawn.items():
        assert text == file.read_text("utf-8"), "make picture"


def kept(name):
    return json.loads((PROJECT / f"benchmarks/results/{name}.json").read_text("utf-8"))


def test_figures_for_one_thing_are_of_one_commit_and_agree():
    """Accuracy and rivals ask the same cases, and one page shows both."""
    accuracy, rivals = kept("accuracy"), kept("rivals")
    assert accuracy["commit"] == rivals["commit"], "make figures ARGS=accuracy"
    assert not accuracy["commit"].endswith("-dirty")
    figures = rivals["figures"]
    cases = "paths that agents got wrong"
    ran = figures[f"{cases}, truepath, ran on, right"]
    corrected = figures[f"{cases}, truepath, corrected, right"]
    wrong = figures[f"{cases}, truepath, corrected, wrong"]
    shown = [re.findall(r"\d+", line) for line in accuracy["text"][:2]]
    assert shown[0][:2] == [str(figures[f"{cases}, file exists"]), str(ran)]
    assert shown[1][:2] == [str(corrected + wrong), str(wrong)]


def test_every_number_of_the_readme_is_in_the_page_of_benchmarks():
    number = r"(?<![\w.,])\d[\d,.]*%?"
    told = set(re.findall(number, PAGES["docs/benchmarks.md"]))
    numbers = re.findall(number, section("README.md", "## Numbers"))
    assert numbers
    assert [each for each in numbers if each not in told] == []
    share = re.search(r"[\d.]+% of missed paths", README)
    assert share
    assert share[0].split()[0] in numbers


SAID = {
    "correct": "corrected",
    "assume": "corrected, or shown the likely file",
    "recover": "corrected, by weaker reasons too",
    "refuse": "refused",
    "guide": "runs; a hint if it fails",
    "observe": "runs",
    "protect": "runs; a likely typo of a folder is refused once",
    "repair": "runs; a new file's wrong folder is put right",
}
"""What the README's table of policies says of a rule."""


@pytest.mark.parametrize("preset", presets.PRESETS)
def test_the_readme_says_what_each_policy_does(preset):
    table = section("README.md", "## Policies")
    head = next(line for line in table.splitlines() if line.startswith("| policy"))
    columns = [cell.strip().split(", ") for cell in head.strip("|").split("|")[1:]]
    assert sorted(name for names in columns for name in names) == sorted(
        OPERATION_KINDS
    )
    for operations, told in zip(columns, rows(table)[preset], strict=True):
        assert {SAID[presets.PRESETS[preset][each]] for each in operations} == {told}


def test_the_readme_names_the_versions_that_are_tested():
    pinned = json.loads((PROJECT / "tests/clients/package.json").read_text())[
        "dependencies"
    ]
    text = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    extras = re.findall(r'^([\w-]+) = \["[\w-]+>=([\d.]+)"\]$', text, re.MULTILINE)
    adapters = {
        file.stem.replace("_", "-")
        for file in SOURCES
        if file.parent.name == "adapters"
    }
    oldest = [oldest for name, oldest in extras if name in adapters]
    told = re.findall(r"\| ([\d.]+) (?=\|)", section("README.md", "## Start"))
    assert sorted(told) == sorted([*pinned.values(), *oldest])


def test_every_host_is_told_of_with_its_name_and_its_page():
    pages = "".join(
        text for page, text in PAGES.items() if page.startswith("docs/hosts/")
    )
    for name in HOSTS:
        assert find(name).TITLE.partition(" (")[0] in README, name
        assert re.search(rf"truepath install {name}\b", pages), name
        assert re.search(rf"\b{name}\b", PAGES["docs/start.md"]), name


@pytest.mark.parametrize(
    "name", [name for name in HOSTS if name not in ("cline", "opencode", "pi")]
)
def test_every_event_that_a_host_calls_truepath_for_is_told_on_a_page(name):
    pages = [text for page, text in PAGES.items() if f"`truepath hook {name}" in text]
    assert {*find(name).EVENTS} <= {*re.findall(r"`(\w+)`", "".join(pages))}


def test_every_program_that_is_driven_has_a_row_of_what_was_proved_at_its_version():
    page = (
        PAGES["docs/hosts/index.md"]
        .partition("<!-- proved -->")[2]
        .partition("<!-- /proved")[0]
    )
    pinned = json.loads((PROJECT / "tests/clients/package.json").read_text())[
        "dependencies"
    ]
    table = [
        line.strip("| ").split("|")
        for line in page.splitlines()
        if line.startswith("| ")
    ]
    versions = sorted(row[0].split()[-1] for row in table if row[0].strip() != "host")
    assert versions == sorted(pinned.values())
    cells = {
        cell.strip() for row in table if row[0].strip() != "host" for cell in row[1:]
    }
    assert cells <= {"", "yes"}


@pytest.mark.usefixtures("project")
def test_the_hook_shown_to_try_by_hand_answers(project):
    example = blocks(PAGES["docs/hosts/claude-code.md"], "sh")[-1]
    ours = f"'{sys.executable}' -m truepath hook"
    done = subprocess.run(
        ["sh", "-c", example.replace("truepath hook", ours)],
        env={**os.environ, "PYTHONPATH": str(PROJECT / "src")},
        capture_output=True,
        check=True,
    )
    told = json.loads(done.stdout)["hookSpecificOutput"]
    assert told["updatedInput"]["file_path"] == str(project / "README.md")


# Links


def anchors(text: str) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    if "<!-- commands -->" in text:  # the site has a section for each
        with click.Context(app, **app.context_settings) as ctx:
            titles += [f"truepath {name}" for name in app.list_commands(ctx)]
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES)
def test_every_relative_link_leads_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", PAGES[page]):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (PROJECT / page).parent / path if path else PROJECT / page
        assert target.exists(), link
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target.read_text(encoding="utf-8")), link


def links(page: str) -> list[str]:
    """Return the files that a page links to, relative to the project."""
    found = re.findall(r"\]\((?!https:)([^)\s#]+)", PAGES[page])
    return [
        os.path.normpath(os.path.join(os.path.dirname(page), link)) for link in found
    ]


def test_the_source_distribution_has_all_pages_what_they_link_to_and_the_makefile():
    settings = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    _, _, part = settings.partition("[tool.hatch.build.targets.sdist]\ninclude = ")
    given = re.findall(r'"/([^"]+)"', part.partition("]")[0])
    needed = [
        *PAGES,
        *(file for page in PAGES for file in links(page)),
        "Makefile",
        "mkdocs.yml",
    ]
    assert {file.partition("/")[0] for file in needed} <= set(given)


def test_every_page_is_in_the_navigation():
    navigation = (
        (PROJECT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    )
    shown = {f"docs/{page}" for page in re.findall(r"[\w/-]+\.md", navigation)}
    made = {"docs/security.md", "docs/changes.md"}  # of files beside the pages
    assert shown == made | {page for page in PAGES if page.startswith("docs/")}


def test_every_number_of_the_first_page_is_in_the_page_of_benchmarks():
    number = r"(?<![\w.,])\d[\d,.]*%?"
    numbers = re.findall(
        number, section("docs/index.md", "<!-- numbers -->", "<!-- /numbers -->")
    )
    assert numbers
    assert {*numbers} <= {*re.findall(number, PAGES["docs/benchmarks.md"])}


@pytest.mark.parametrize("page", PAGES)
def test_a_list_and_a_table_follow_an_empty_line(page):
    """The site's Markdown takes them for text elsewhere."""
    text = re.sub(r"^```.*?^```$", "", PAGES[page], flags=re.MULTILINE | re.DOTALL)
    lines = text.split("\n")
    begins = [
        line
        for before, line in itertools.pairwise(lines)
        if (re.match(r"[-*] |1\. ", line) and re.match(r"[^\s\d*#<-]", before))
        or (line.startswith("|") and before and not before.startswith(("|", "<!--")))
    ]
    assert begins == []


# Packaging


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("pyproject.toml", 'version = "{}"'),
        ("CITATION.cff", "version: {}"),
        ("native/Cargo.toml", 'version = "{}"'),
        ("native/Cargo.lock", 'version = "{}"'),
        ("packaging/npm/package.json", '  "version": "{}",'),
    ],
)
def test_every_file_has_the_version_of_the_package(file, line):
    lines = (PROJECT / file).read_text("utf-8").splitlines()
    assert line.format(truepath.__version__) in lines


def test_one_page_alone_installs_truepath_from_an_index():
    readmes = [*PROJECT.glob("*/README.md"), *PROJECT.glob("plugins/*/README.md")]
    texts = PAGES | {
        str(file): file.read_text("utf-8") for file in (*SOURCES, *readmes)
    }
    ours = r"""(?: -\S+)* ['"]?truepath\b(?!-)"""
    command = re.compile(rf"\b(?:uvx|uv add|(?:pip|pipx|tool) install){ours}")
    assert {name for name, text in texts.items() if command.search(text)} == {
        "CONTRIBUTING.md"
    }
    assert [name for name, text in texts.items() if "truepath[" in text] == []
