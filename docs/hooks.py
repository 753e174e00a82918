"""What the site takes from the code, by mkdocs: a table, or a command's help, for `<!-- name -->`.

Where a page is read without the site such a comment is invisible; a sentence near it names the
command that prints the same. A link that leaves the site becomes the name of its file.
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
from truepath.audit.transcript import Homes
from truepath.cli.app import app
from truepath.config import presets, settings
from truepath.hosts import HOSTS, find
from truepath.resolve.reasons import REASONS

ROOT = Path(__file__).parents[1]
CODE = griffe.load("truepath", search_paths=[ROOT / "src"])
GENERATED = {"SECURITY.md": "security.md", "CHANGELOG.md": "changes.md"}
"""Pages of the site that are files at the root of the project."""
BESIDE = (
    "types.Searched guard.policy.Caller journal.journal.JsonlSink journal.journal.EventReader "
    "audit.audit.audit_transcript"
)
"""What is public in modules of its own."""
PLACE = re.compile(r"^<!-- ([a-z][a-z _-]*) -->$", re.MULTILINE)
MARKS = {"numbers", "proved"}
"""Comments of pages that are for tests and benchmarks."""
log = logging.getLogger("mkdocs.hooks")


def table(head: str, rows: Iterable[Iterable[str]]) -> str:
    """Return a table; `head` has its titles, parted by bars."""
    lines = [head.split(" | "), ["---"] * len(head.split(" | ")), *rows]
    cells = ([" ".join(cell.split()).replace("|", r"\|") for cell in line] for line in lines)
    return "\n".join(f"| {' | '.join(line)} |" for line in cells)


def code(text: object) -> str:
    return f"`{text}`" if text else ""


def meaning(found: griffe.Object) -> str:
    if not found.docstring:
        log.warning("%s has no docstring, and a page shows it", found.path)
    return found.docstring.value if found.docstring else ""


def reasons() -> str:
    cells = ("look", "copy", "execute", "edit", "move", "delete")
    rows = ([f"`{r.name}`: {r.sentence}", *(getattr(r, c) or "-" for c in cells)] for r in REASONS)
    return table(f"reason | {' | '.join(cells)}", rows)


def policies() -> str:
    columns: dict[tuple[str, ...], list[str]] = {}
    for operation in presets.RULES:
        each = tuple(rules[operation] for rules in presets.PRESETS.values())
        columns.setdefault(each, []).append(operation)
    rows = ([code(name), *cells] for name, *cells in zip(presets.PRESETS, *columns, strict=True))
    return table(f"policy | {' | '.join(map(', '.join, columns.values()))}", rows)


def rules() -> str:
    def of(rule: str) -> str:
        return ", ".join(name for name, known in presets.RULES.items() if rule in known)

    rows = ([code(rule), of(rule), does] for rule, does in presets.MEANINGS.items())
    return table("rule | for | what is done about a path that does not exist", rows)


def hosts() -> str:
    def row(name: str) -> Iterator[str]:
        host, page = find(name), HOSTS[name].rpartition(".")[2].replace("_", "-")
        page = page if (ROOT / f"docs/hosts/{page}.md").exists() else "not-run"
        yield from (f"[{host.TITLE}](./{page}.md)", code(name))
        yield "yes" if host.REWRITES else "no: refused, with the right path"
        yield "yes" if host.REFUSES else "no: told beside the result"
        yield "yes" if host.REWRITES and host.NOTES else "no"
        yield "yes" if {"failure", "batch"} & {*host.EVENTS.values()} else "no"

    told = "corrects | refuses | shows a likely file | tells after a failure"
    return table(f"host | name | {told}", map(row, HOSTS))


def frameworks() -> str:
    project = settings.parsed((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    rows = []
    for extra, needs in project["optional-dependencies"].items():
        file = ROOT / f"src/truepath/adapters/{extra.replace('-', '_')}.py"
        if file.exists():
            told = " ".join((ast.get_docstring(ast.parse(file.read_text("utf-8"))) or "").split())
            seen = re.search(r"Observed with ([\w. -]+?\d)(?=, |\. |\.$)", told)
            title = f"[{told.partition(':')[0]}](./{extra}.md)"
            rows.append([title, code(f"truepath[{extra}]"), needs[-1], seen[1] if seen else ""])
    return table("framework | extra | oldest | observed with", rows)


def setting_keys() -> str:
    default = {each.name: each.default for each in fields(settings.Settings)}
    may = {"add": "add to it", "off": "switch off", "less": "do less", "": "nothing"}
    rows = []
    for name, each in settings.SETTINGS.items():
        shown = {"table": "", "list of text": "`[]`"}.get(each.kind)
        shown = code(json.dumps(default[name])) if shown is None else shown
        told = [each.use(object()).removeprefix("use "), shown, each.meaning]
        rows.append([code(name), *told, code(each.variable), may[each.project]])
    return table("key | value | default | meaning | variable | a project may", rows)


def transcripts() -> str:
    def row(name: str, homes: Homes) -> list[str]:
        places = (f"{folder}/{files}" for _, folder, files in homes)
        variables = dict.fromkeys(variable for variable, _, _ in homes if variable)
        return [
            name,
            ", ".join(map(code, places)) or "given as PATHS",
            ", ".join(map(code, variables)),
        ]

    rows = (row(each.NAME, each.HOMES) for each in READERS)
    return table("program | where | moved by", rows)


def event_kinds() -> str:
    listed = meaning(CODE["journal.event.KINDS"])
    return table(
        "event | written when", re.findall(r"^- (`[\w.]+`): ([^-]+)$", listed, re.MULTILINE)
    )


def event_fields() -> str:
    found = CODE["journal.event.Event"].attributes.items()
    return table(
        "field | type | meaning",
        ([code(name), str(each.annotation), meaning(each)] for name, each in found),
    )


def codes() -> str:
    found = CODE["guard.messages"].attributes.values()
    named = [one for one in found if re.fullmatch(r"'[A-Z]+(_[A-Z]+)+'", str(one.value))]
    rows = ([code(ast.literal_eval(str(one.value))), meaning(one)] for one in named)
    return table("code | meaning", rows)


def library() -> str:
    """Return what mkdocstrings puts the docstrings for: all that is public, the errors last."""
    errors = {name for name in truepath.__all__ if name in vars(truepath.errors)}
    first = [name for name in ("Workspace", "Guard") if name in truepath.__all__]
    rest = [name for name in truepath.__all__ if name not in {*errors, *first}]
    names = [f"truepath.{name}" for name in (*first, *rest)]
    names += [f"truepath.{name}" for name in BESIDE.split()]
    names += [f"truepath.{name}" for name in sorted(errors)]
    return "\n".join(f"::: {name}\n" for name in names)


def commands() -> str:
    rows = ([f"[`truepath {name}`](#truepath-{name})", it.short_help] for name, it in COMMANDS)
    return table("command | what it does", rows)


def command(name: str) -> str:
    """Return what `truepath NAME --help` prints, as part of a page."""
    one = dict(COMMANDS)[name]
    context = click.Context(one, info_name=f"truepath {name}")
    told = re.sub(r"\n(?!\n)(?<!\n\n)", " ", inspect.cleandoc(one.help or ""))
    records = [
        each.get_help_record(context) for each in one.params if each.param_type_name == "option"
    ]
    rows = ([code(names), does] for names, does in filter(None, records))
    usage = " ".join(one.get_usage(context).split()).removeprefix("Usage: ")
    example = "\n".join(re.findall(r"truepath .*", (one.epilog or "").partition("Example")[2]))
    options = table("option | meaning", rows) if records else ""
    return f"```text\n{usage}\n```\n\n{told}\n\n{options}\n\n```text\n{example}\n```"


def command_line(text: str) -> str:
    """Return the page of the command line with the help of each command at the top of its section.

    A command of which the page says no more gets a section at the end.
    """
    for name, _ in COMMANDS:
        title, helped = f"## truepath {name}\n", f"## truepath {name}\n\n{command(name)}\n"
        text = text.replace(title, helped) if title in text else f"{text}\n{helped}"
    return text


def example(name: str) -> str:
    """Return an example without the tools and the scripted model at its top."""
    text = (ROOT / f"examples/{name}.py").read_text("utf-8")
    imports = (ast.Import, ast.ImportFrom)
    body, lines = ast.parse(text).body[1:], text.splitlines()
    start = next(one for one in body if isinstance(one, (ast.Assign, ast.Expr)))
    shown = [one for one in body if one.lineno >= start.lineno]
    names = {each.id for one in shown for each in ast.walk(one) if isinstance(each, ast.Name)}
    needed = [
        lines[one.lineno - 1]
        for one in body
        if isinstance(one, imports) and names & {each.name for each in one.names}
    ]
    return "\n".join(["```python", *needed, "", *lines[start.lineno - 1 :], "```"])


with click.Context(app, **app.context_settings) as _context:
    COMMANDS = [(name, app.get_command(_context, name)) for name in app.list_commands(_context)]
TABLES = {
    **{each.__name__.replace("_", "-"): each for each in (reasons, policies, rules, hosts)},
    **{
        each.__name__.replace("_", "-"): each
        for each in (frameworks, codes, commands, library, transcripts)
    },
    "settings": setting_keys,
    "events": event_kinds,
    "event-fields": event_fields,
}


def filled(found: re.Match[str]) -> str:
    kind, _, name = found[1].partition(" ")
    if kind == "example":
        return example(name)
    if kind in TABLES:
        return TABLES[kind]()
    if kind not in MARKS:
        log.warning("no table is called %r", kind)
    return found[0]


def linked(text: str, folder: str, page: str) -> str:
    """Return text of a file in `folder` whose links are those of the site's `page`."""

    def link(found: re.Match[str]) -> str:
        path, _, anchor = found[2].partition("#")
        target = os.path.normpath(os.path.join(folder, path))
        place = GENERATED.get(target, os.path.relpath(target, "docs"))
        if place.endswith(".md") and not place.startswith(".."):
            to = os.path.relpath(place, os.path.dirname(page) or ".")
            return f"[{found[1]}]({to}{'#' * bool(anchor)}{anchor})"
        return found[1] if target in found[1] else f"{found[1]} (`{target}`)"

    return re.sub(r"\[([^\]\[]+)\]\((?!https?:|#)([^)\s]+)\)", link, text)


def on_files(files: Any, config: Mapping[str, Any]) -> Any:
    for file, page in GENERATED.items():
        text = linked((ROOT / file).read_text("utf-8"), "", page)
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    uri = page.file.src_uri
    markdown = re.sub(
        r"(?m)^::: truepath.adapters.*", r"\g<0>\n    options: {members: []}", markdown
    )
    text = PLACE.sub(filled, command_line(markdown) if uri == "cli.md" else markdown)
    return text if uri in GENERATED.values() else linked(text, f"docs/{os.path.dirname(uri)}", uri)
