"""Write `docs/schemas/`: a JSON Schema for the settings, and for the JSON of commands.

`python docs/schemas.py` makes them from the code: the table of settings, the fields of
records with their docstrings, and what an audit of this repository's transcripts has.
`$id` is the file's name; where `mkdocs.yml` has a `site_url`, `make docs` puts the
address there.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from pathlib import Path
from typing import Any, get_args

from truepath.audit.figures import BY, add_up, chosen
from truepath.audit.pool import audited
from truepath.config import presets, settings
from truepath.journal import statistics
from truepath.resolve.reasons import COLUMNS

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "src/truepath"
Schema = dict[str, Any]

PLAIN = {
    "str": "string",
    "bool": "boolean",
    "int": "integer",
    "float": "number",
    "None": "null",
}
TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
COUNT = {"type": "integer", "minimum": 0}


def table_of(values: Schema) -> Schema:
    """Return the schema of an object whose names are data."""
    return {"type": "object", "additionalProperties": values}


def object_of(fields: Mapping[str, Schema], optional: Sequence[str] = ()) -> Schema:
    """Return the schema of an object with these fields, and no others."""
    required = [name for name in fields if name not in optional]
    return {
        "type": "object",
        "properties": dict(fields),
        "required": required,
        "additionalProperties": False,
    }


def of_settings() -> Schema:
    """Return the schema of a settings file."""
    rules = {name: {"enum": [*known]} for name, known in presets.RULES.items()}
    kinds: Mapping[str, Schema] = {
        "policy": {"enum": [*presets.PRESETS]},
        "table": {"type": "object", "properties": rules, "additionalProperties": False},
        "table of folders": {
            "type": "object",
            "propertyNames": {"pattern": "^/."},
            "additionalProperties": {"type": "string", "pattern": r"^(?!/|~|\.\.)"},
        },
        "list of text": TEXTS,
        "true or false": {"type": "boolean"},
        "address": {"type": "string", "pattern": f"^({'|'.join(settings._STORES)}):"},  # noqa: SLF001
        "word": {"enum": [*settings._BESIDE]},  # noqa: SLF001
        "answer": {"enum": [*settings.OTHER_CHECKOUTS]},
    }
    each = {
        name: {"description": setting.meaning, **kinds[setting.kind]}
        for name, setting in settings.SETTINGS.items()
    }
    return {"type": "object", "properties": each, "additionalProperties": False}


def literals(module: str) -> dict[str, Schema]:
    """Return what each name of a `Literal` in a module may be."""
    named = {}
    for node in ast.walk(ast.parse((SOURCES / module).read_text("utf-8"))):
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Literal":
            named[ast.unparse(node.targets[0])] = _choice(value)
    return named


def _choice(literal: ast.Subscript) -> Schema:
    return {"enum": [*ast.literal_eval(literal.slice)]}


def of_record(module: str, name: str) -> Schema:
    """Return the schema of a record: its fields, and their docstrings."""
    tree = ast.parse((SOURCES / module).read_text("utf-8"))
    [record] = (
        node
        for node in tree.body
        if isinstance(node, ast.ClassDef) and node.name == name
    )
    fields: dict[str, Schema] = {}
    for node, after in zip(record.body, [*record.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign):
            kind = _of_annotation(node.annotation, module)
            fields[ast.unparse(node.target)] = {**_described(after), **kind}
    return {"type": "object", "properties": fields, "required": [*fields]}


def _of_annotation(kind: ast.expr, module: str) -> Schema:
    """Return the schema of an annotation in a module."""
    text = ast.unparse(kind)
    if isinstance(kind, ast.BinOp):
        sides = (kind.left, kind.right)
        return {"anyOf": [_of_annotation(side, module) for side in sides]}
    if text in PLAIN:
        return {"type": PLAIN[text]}
    if text.startswith("tuple["):
        return {"type": "array", "items": _of_annotation(kind.slice.elts[0], module)}
    if text.startswith("Literal["):
        return _choice(kind)
    return literals("types.py").get(text) or of_record(module, text)


def _described(node: ast.stmt | None) -> Schema:
    """Return the description that a docstring below a field gives it."""
    text = getattr(getattr(node, "value", None), "value", "")
    if not isinstance(text, str) or not text:
        return {}
    return {"description": " ".join(text.split())}


def of_resolve() -> Schema:
    """Return the schema of a line of `truepath resolve --json`."""
    schema = of_record("types.py", "Resolution")
    action = literals("types.py")["Action"]
    numbers = {"type": "object", "additionalProperties": {"type": "number"}}
    schema["properties"] |= {
        "action": {
            "description": "What is done with a call that has this path.",
            **action,
        },
        "text": {"description": "What the agent reads.", "type": "string"},
        "features": {"type": "object", "additionalProperties": numbers},
    }
    return {**schema, "required": [*schema["required"], "action", "text"]}


def of_check() -> Schema:
    """Return the schema of `truepath check --json`."""
    resolve = of_resolve()
    named = ("action", "text")
    path = of_record("types.py", "Resolution")
    about = "The command that runs; null if it is refused."
    fields = {
        "paths": {"type": "array", "items": path},
        "action": resolve["properties"]["action"],
        "command": {"description": about, "type": ["string", "null"]},
        "text": resolve["properties"]["text"],
    }
    return {
        "type": "object",
        "properties": fields,
        "required": ["paths", "command", *named],
    }


def of_log() -> Schema:
    """Return the schema of a line of `truepath log --json`, and of the journal."""
    schema = of_record("journal/event.py", "Event")
    schema["properties"]["time"] = {"type": "string", "format": "date-time"}
    schema["properties"]["schema"] = {"type": "integer"}
    return {**schema, "required": ["schema", "id", "event", "time"]}


def of_stats() -> Schema:
    """Return the schema of `truepath stats --json`."""
    outcomes = dict.fromkeys(statistics.OUTCOMES, COUNT)
    time = {"type": ["integer", "null"]}
    sums = dict.fromkeys(statistics.add_up([]), COUNT)
    sums |= {"outcomes": object_of(outcomes)}
    sums |= {"median_added_us": time, "p95_added_us": time}
    moment = {"description": "Seconds since the epoch.", "type": ["number", "null"]}
    fields = {
        "first": moment,
        "last": moment,
        "total": object_of(sums),
        "checks": table_of(COUNT),
        "failures": table_of(table_of(COUNT)),
        "lost": {"description": "Events that could not be written.", **COUNT},
        "worth": object_of(dict.fromkeys(statistics.worth([]), COUNT)),
        "followed": table_of(object_of(dict.fromkeys(statistics.FOLLOWED, COUNT))),
        "by": {"enum": [*get_args(statistics.By)]},
        "groups": table_of(object_of(sums)),
    }
    return object_of(fields, optional=("by", "groups"))


def of_policy() -> Schema:
    """Return the schema of `truepath policy --json`."""
    rules = {name: {"enum": [*known]} for name, known in presets.RULES.items()}
    permit = {"enum": [*literals("types.py")["Permit"]["enum"], ""]}
    cells = object_of(dict.fromkeys(COLUMNS, permit))
    some_cells = object_of(dict.fromkeys(COLUMNS, permit), optional=COLUMNS)
    fields = {
        "policy": {"enum": [*presets.PRESETS]},
        "rules": object_of(rules),
        "effects": {"type": "object", "additionalProperties": {"type": "boolean"}},
        "reasons": table_of(cells),
        "vetoes": table_of(some_cells),
        "call_vetoes": table_of(TEXT),
        "checks": table_of(TEXT),
        "needs": table_of(TEXT),
    }
    return object_of(fields)


def of_doctor() -> Schema:
    """Return the schema of `truepath doctor --json`."""
    finding = of_record("install/checks.py", "CheckResult")
    about = "The agent program; empty for what all have in common."
    host = {"description": about, **TEXT}
    fields = {
        "well": {"description": "Whether there is no fault.", "type": "boolean"},
        "findings": {
            "type": "array",
            "items": object_of({"host": host, **finding["properties"]}),
        },
    }
    return object_of(fields)


def of_install() -> Schema:
    """Return the schema of what `install --json` and `uninstall --json` print."""
    is_done = "Whether changes were made; not with --dry-run, nor if none is needed."
    command = "How the program calls truepath; empty for `uninstall`."
    by_hand = "Entries for you to add, where a file cannot be changed safely."
    file = object_of({"path": TEXT, "diff": TEXT})
    fields: Mapping[str, Schema] = {
        "host": {"description": "The agent program.", **TEXT},
        "done": {"description": is_done, "type": "boolean"},
        "files": {
            "description": "The files that change.",
            "type": "array",
            "items": file,
        },
        "command": {"description": command, **TEXT},
        "notes": {"description": "What you should know, or do next.", **TEXTS},
        "by_hand": {"description": by_hand, **TEXT},
    }
    return object_of(fields)


def of_audit() -> Schema:
    """Return the schema of `truepath audit --json`, from audits of some transcripts and
    of none.
    """
    audits = [*audited([str(ROOT / "tests/transcripts")], "")]
    return merged(of_value(add_up([])), of_value(add_up(chosen(audits))))


def of_value(value: Any, place: str = "") -> Schema:
    """Return the schema of a value; names that are data are any names."""
    if isinstance(value, dict):
        inner = {
            name: of_value(each, f"{place}/{name}") for name, each in value.items()
        }
        if place in {f"/by/{name}" for name in BY}:
            return table_of(reduce(merged, inner.values(), {"type": "object"}))
        return {"type": "object", "properties": inner, "required": [*inner]}
    if isinstance(value, list):
        items = (of_value(each, f"{place}[]") for each in value)
        return {"type": "array", "items": reduce(merged, items, {})}
    kind = PLAIN["None" if value is None else type(value).__name__]
    return {"type": "number" if kind == "integer" else kind}


def merged(one: Schema, other: Schema) -> Schema:
    """Return a schema for what either is for."""
    if one == other or not one:
        return other
    if not other:
        return one
    if one["type"] != other["type"]:
        types = [*_listed(one["type"]), *_listed(other["type"])]
        return {"type": [*dict.fromkeys(types)]}
    both = {**one, **other}
    for name in {"items", "additionalProperties"} & one.keys() & other.keys():
        both[name] = merged(one[name], other[name])
    if "properties" in one and "properties" in other:
        both |= _merged_fields(one, other)
    return both


def _merged_fields(one: Schema, other: Schema) -> Schema:
    """Return the fields that either of two objects has; required is what both do."""
    left, right = one["properties"], other["properties"]
    fields = {
        name: merged(left.get(name, {}), right.get(name, {}))
        for name in [*left, *right]
    }
    required = [name for name in one["required"] if name in other["required"]]
    return {"properties": fields, "required": required}


def _listed(kind: str | list[str]) -> list[str]:
    return [kind] if isinstance(kind, str) else kind


SCHEMAS = {
    "settings": of_settings,
    "resolve": of_resolve,
    "check": of_check,
    "log": of_log,
    "audit": of_audit,
    "stats": of_stats,
    "policy": of_policy,
    "doctor": of_doctor,
    "install": of_install,
}
DIALECT = "https://json-schema.org/draft/2020-12/schema"


def files() -> Iterator[tuple[Path, str]]:
    """Yield each file and its text."""
    for name, schema in SCHEMAS.items():
        title = "settings" if name == "settings" else f"{name} --json"
        head = {"title": f"truepath {title}", "$schema": DIALECT, "$id": f"{name}.json"}
        text = json.dumps({**head, **schema()}, indent=1)
        yield ROOT / f"docs/schemas/{name}.json", text + "\n"


if __name__ == "__main__":
    for file, text in files():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
