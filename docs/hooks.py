"""What the site takes from the code, by mkdocs: a table, or an example, for each `<!--
name -->`.

Where a page is read without the site such a comment is invisible; a sentence near it
names the command that prints the same. A link that leaves the site becomes the name of
its file.
"""

from __future__ import annotations

import ast
import inspect
import json
import logging
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
import griffe
from mkdocs.structure.files import File

import truepath
from truepath.audit.readers import READERS
from truepath.calls.shell.needs import NEEDS
from truepath.cli.app import app
from truepath.config import presets, settings
from truepath.guard import checks as checked
from truepath.guard.effects import TABLE as EFFECTS
from truepath.guard.effects import Row
from truepath.guard.policy import CALL_VETOES, PATH_VETOES
from truepath.guard.texts import CODES
from truepath.hosts import HOSTS, find
from truepath.resolve.reasons import COLUMNS, REASONS
from truepath.resolve.vetoes import VETOES

ROOT = Path(__file__).parents[1]
CODE = griffe.load("truepath", search_paths=[ROOT / "src"])
GENERATED = {"SECURITY.md": "security.md", "CHANGELOG.md": "changes.md"}
"""Pages of the site that are files at the root of the project."""
BESIDE = "types.Searched guard.reading.Caller journal.journal.JsonlSink".split()
BESIDE += "journal.journal.EventReader audit.audit.audit_transcript".split()
"""What is public in modules of its own."""
MARKS = ("numbers", "proved", "screens")
"""Comments that are for tests and benchmarks."""
log = logging.getLogger("mkdocs.hooks")
with click.Context(app, **app.context_settings) as _context:
    COMMANDS = {
        name: app.get_command(_context, name) for name in app.list_commands(_context)
    }


def table(head: str, rows: Iterable[Iterable[str]]) -> str:
    """Return a table; `head` has its titles, parted by bars."""
    lines = [head.split(" | "), ["---"] * len(head.split(" | ")), *rows]
    cells = (
        [" ".join(cell.split()).replace("|", r"\|") for cell in line] for line in lines
    )
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def code(text: object) -> str:
    return f"`{text}`" if text else ""


def meaning(found: griffe.Object) -> str:
    if not found.docstring:
        log.warning("%s has no docstring, and a page shows it", found.path)
    return found.docstring.value if found.docstring else ""


def reasons() -> str:
    rows = (
        [
            f"`{each.name}`: {each.sentence}",
            *(each.cells.get(name, "-") for name in COLUMNS),
        ]
        for each in REASONS
    )
    return table(f"reason | {' | '.join(COLUMNS)}", rows)


def vetoes() -> str:
    rows = (
        [
            f"`{veto.name}`: {veto.sentence}",
            *(veto.leaves.get(name, "-") for name in COLUMNS),
        ]
        for veto in VETOES
    )
    return table(f"held back | {' | '.join(COLUMNS)}", rows)


def call_vetoes() -> str:
    rows = [[f"`{veto.name}`", veto.sentence] for veto in PATH_VETOES]
    rows += [[f"`{veto.name}`", veto.sentence] for veto in CALL_VETOES]
    return table("by the call | when", rows)


CHECKED = {
    "path": "FILE",
    "size": "N KB in N lines",
    "count": "N",
    "ends": "its lines end in LF, those of the file in CRLF",
    "every": ", or set `replace_all`",
}
"""What the first lines of answers are filled with."""


def checks() -> str:
    entries = "`PATH_IS_NOT_A_FILE`: its entries"
    rows = []
    for each in checked.CHECKS:
        told, _, said = each.says.partition(": ")
        said = said.format(**CHECKED)
        after = f"{code(told)}: {said}" if told else entries
        rows.append([f"`{each.name}`: {each.sentence}", each.before or "-", after])
    return table("check | before the tool runs | after it failed", rows)


def needs() -> str:
    """Return the table of needs, its rows put together by what they look for."""
    found: dict[tuple[str, str, str], list[str]] = {}
    for need in NEEDS:
        files = ", ".join(map(code, need.files))
        where = "here or above" if need.above else "here"
        item = need.item.removeprefix("own ")
        found.setdefault((files, where, item), []).extend(need.commands.split(", "))
    rows = []
    for (files, where, item), commands in found.items():
        each: dict[str, list[str]] = {}
        for command in commands:
            program, _, subcommand = command.partition(" ")
            each.setdefault(program, []).append(subcommand.replace(":", "*:*"))
        told = (f"`{' '.join([it, ', '.join(each[it])]).strip()}`" for it in each)
        rows.append([files, where, item, "; ".join(told)])
    return table("looked for | where | and in it | by", rows)


def effects() -> str:
    """Return the table of what may be changed, under the policies that change."""
    presets_of = {name: presets.PRESETS[name] for name in ("careful", "recover")}

    def row(each: Row) -> Iterator[str]:
        yield each.sentence
        for rules in presets_of.values():
            yield "changed" if each.allows(rules) else "told"

    columns = " | ".join(map(code, presets_of))
    return table(f"what the whole call does | {columns}", map(row, EFFECTS))


def policies() -> str:
    columns: dict[tuple[str, ...], list[str]] = {}
    for operation in presets.RULES:
        each = tuple(rules[operation] for rules in presets.PRESETS.values())
        columns.setdefault(each, []).append(operation)
    rows = (
        [code(name), *cells]
        for name, *cells in zip(presets.PRESETS, *columns, strict=True)
    )
    return table(f"policy | {' | '.join(map(', '.join, columns.values()))}", rows)


def rules() -> str:
    rows = []
    for rule, does in presets.MEANINGS.items():
        operations = (name for name, known in presets.RULES.items() if rule in known)
        rows.append([code(rule), ", ".join(operations), does])
    return table("rule | for | what is done about a path that does not exist", rows)


def hosts() -> str:
    def row(name: str) -> Iterator[str]:
        host, page = find(name), HOSTS[name].rpartition(".")[2].replace("_", "-")
        page = page if (ROOT / f"docs/hosts/{page}.md").exists() else "not-run"
        yield from (f"[{host.TITLE}]({page}.md)", code(name))
        yield "yes" if host.REWRITES else "no: refused, with the right path"
        yield "yes" if host.REFUSES else "no: told beside the result"
        yield "yes" if host.REWRITES and host.SHOWS_NOTES else "no"
        yield "yes" if {"failure", "batch"} & {*host.EVENTS.values()} else "no"
        yield "yes" if host.USER_FIELD else "no"

    does = "corrects | refuses | shows a likely file | tells after a failure"
    return table(f"host | name | {does} | shows you a correction", map(row, HOSTS))


def frameworks() -> str:
    project = settings.parsed((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    rows = []
    for extra, needs in project["optional-dependencies"].items():
        name = f"adapters.{extra.replace('-', '_')}"
        if (ROOT / f"src/truepath/{name.replace('.', '/')}.py").exists():
            told = " ".join(meaning(CODE[name]).split())
            seen = re.findall(r"Observed with ([\w. -]+?\d)(?=, |\. |\.$)", told)
            title = f"[{told.partition(':')[0]}]({extra}.md)"
            rows.append([title, code(extra), needs[-1], *seen])
    return table("framework | extra | oldest | observed with", rows)


def values_of(one: settings.Settings) -> dict[str, Any]:
    return {each.name: getattr(one, each.name) for each in fields(one)}


def keys() -> str:
    default = values_of(settings.Settings())
    may = {"add": "add to it", "join": "add to it, below yours", "off": "switch off"}
    may.update({"less": "do less", "": "nothing"})
    rows = []
    for name, each in settings.SETTINGS.items():
        value = "" if each.kind == "table" else code(json.dumps(default[name]))
        use, variable = each.use(object()).removeprefix("use "), code(each.variable)
        rows.append(
            [f"`{name}`: {each.meaning}", use, value, variable, may[each.project]]
        )
    return table("key | value | default | variable | a project may", rows)


def transcripts() -> str:
    rows = []
    for each in READERS:
        places = ", ".join(code(f"{folder}/{files}") for _, folder, files in each.HOMES)
        beside = ", ".join(map(code, getattr(each, "IN_PROJECTS", ())))
        places = places or (beside and f"{beside} beside the code")
        variables = {code(variable): None for variable, _, _ in each.HOMES if variable}
        rows.append([each.NAME, places or "given as PATHS", ", ".join(variables)])
    return table("program | where | moved by", rows)


def events() -> str:
    listed = meaning(CODE["journal.event.KINDS"]).splitlines()
    rows = (
        line.removeprefix("- ").split(": ", 1)
        for line in listed
        if line.startswith("- ")
    )
    return table("event | written when", rows)


def event_fields() -> str:
    found = CODE["journal.event.Event"].attributes.items()
    rows = ([code(name), str(each.annotation), meaning(each)] for name, each in found)
    return table("field | type | meaning", rows)


def codes() -> str:
    return table("code | meaning", ([code(one), it] for one, it in CODES.items()))


def library() -> str:
    """Return what mkdocstrings puts the docstrings for: all that is public, the errors
    last.
    """
    errors = {name for name in truepath.__all__ if hasattr(truepath.errors, name)}
    names = dict.fromkeys(["Workspace", "Guard", *truepath.__all__])
    each = [name for name in names if name not in errors] + BESIDE + sorted(errors)
    return "\n".join(f"::: truepath.{name}\n" for name in each)


def commands() -> str:
    told = {
        f"[`truepath {name}`](#truepath-{name})": it for name, it in COMMANDS.items()
    }
    return table(
        "command | what it does", ([link, it.short_help] for link, it in told.items())
    )


def command(name: str) -> str:
    """Return what `truepath NAME --help` prints, as part of a page."""
    one = COMMANDS[name]
    context = click.Context(one, info_name=f"truepath {name}")
    told = re.sub(r"(?<!\n)\n(?!\n)", " ", inspect.cleandoc(one.help or ""))
    options = (each for each in one.params if isinstance(each, click.Option))
    rows = [
        [code(opts), does]
        for opts, does in (it.get_help_record(context) for it in options)
    ]
    usage = " ".join(one.get_usage(context).split()).removeprefix("Usage: ")
    shown = "\n".join(
        re.findall(r"truepath .*", (one.epilog or "").partition("Example")[2])
    )
    parts = (
        f"```text\n{usage}\n```",
        told,
        table("option | meaning", rows) if rows else "",
    )
    return "\n\n".join([*parts, f"```text\n{shown}\n```\n"])


def with_help(text: str) -> str:
    """Return the page of the command line with a section for each command: its help,
    and then what the page says of it.
    """
    top, *sections = re.split(r"(?m)^## truepath ", text)
    own = {name: told for name, _, told in (each.partition("\n") for each in sections)}
    each = (
        f"## truepath {name}\n\n{command(name)}{own.get(name, '')}" for name in COMMANDS
    )
    return "\n".join([top, *each])


def example(name: str) -> str:
    """Return an example without the sentence at its top."""
    text = (ROOT / f"examples/{name}.py").read_text("utf-8")
    start = ast.parse(text).body[1].lineno
    return "\n".join(["```python", *text.splitlines()[start - 1 :], "```"])


MADE = (
    reasons,
    vetoes,
    call_vetoes,
    effects,
    policies,
    rules,
    hosts,
    frameworks,
    keys,
    transcripts,
    events,
    event_fields,
)
TABLES = {
    f"<!-- {it.__name__.replace('_', '-')} -->": it
    for it in (*MADE, checks, needs, codes, library, commands)
}


def filled(found: re.Match[str]) -> str:
    if found[1] == "example":
        return example(found[2])
    if found[0] not in TABLES and found[1] not in MARKS:
        log.warning("nothing is called %s", found[0])
    return TABLES[found[0]]() if found[0] in TABLES else found[0]


def linked(text: str, folder: str, page: str) -> str:
    """Return the text of a file in `folder` with the links of the site's `page`."""

    def link(found: re.Match[str]) -> str:
        path, mark, anchor = found[2].partition("#")
        target = os.path.normpath(os.path.join(folder, path))
        place = GENERATED.get(target, os.path.relpath(target, "docs"))
        if not place.startswith(".."):
            to = os.path.relpath(place, os.path.dirname(page) or ".")
            return f"[{found[1]}]({to}{mark}{anchor})"
        return found[1] if target in found[1] else f"{found[1]} (`{target}`)"

    return re.sub(r"(?<!!)\[([^\]\[]+)\]\((?!https?:|#)([^)\s]+)\)", link, text)


def on_post_build(config: Mapping[str, Any]) -> None:
    """Put the address of each schema into it, where the site has one."""
    if not config["site_url"]:
        return
    for file in Path(config["site_dir"], "schemas").glob("*.json"):
        schema = json.loads(file.read_text("utf-8"))
        schema["$id"] = f"{config['site_url'].rstrip('/')}/schemas/{file.name}"
        file.write_text(json.dumps(schema, indent=1) + "\n", "utf-8")


def on_files(files: Any, config: Mapping[str, Any]) -> Any:
    for file, page in GENERATED.items():
        text = linked((ROOT / file).read_text("utf-8"), "", page)
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    uri = page.file.src_uri
    if uri in GENERATED.values():
        return markdown
    text = with_help(markdown) if uri == "cli.md" else markdown
    text = re.sub(
        r"(?m)^::: truepath.adapters.*", r"\g<0>\n    options: {members: []}", text
    )
    text = re.sub(r"(?m)^<!-- ([a-z-]+)(?: (\w+))? -->$", filled, text)
    return linked(text, f"docs/{os.path.dirname(uri)}", uri)
