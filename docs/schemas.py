"""Write `docs/schemas/`: a JSON Schema for the settings, and for the JSON of four
commands.

`python docs/schemas.py` makes them from the code: the table of settings, the fields of
records with their docstrings, and what an audit of this repository's transcripts has.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from truepath.audit.figures import BY, add_up, chosen
from truepath.audit.pool import audited
from truepath.config import presets, settings

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
TEXTS = {"type": "array", "items": {"type": "string"}}


def of_settings() -> Schema:
    """Return the schema of a settings file."""
    rules = {name: {"enum": [*known]} for name, known in presets.RULES.items()}
    kinds: Mapping[str, Schema] = {
        "policy": {"enum": [*presets.PRESETS]},
        "table": {"type": "object", "properties": rules, "additionalProperties": False},
        "list of text": TEXTS,
        "true or false": {"type": "boolean"},
        "address": {"type": "string", "pattern": f"^({'|'.join(settings._STORES)}):"},  # noqa: SLF001
        "word": {"enum": [*settings._BESIDE]},  # noqa: SLF001
    }
    each = {
        name: {"description": setting.meaning, **kinds[setting.kind]}
        for name, setting in settings.SETTINGS.items()
    }
    return {"type": "object", "properties": each, "additionalProperties": False}


def literals(module: str) -> dict[str, Schema]:
    """Return what each name of a `Literal` in a module may be."""
    found = {}
    for node in ast.walk(ast.parse((SOURCES / module).read_text("utf-8"))):
        value = node.value if isinstance(node, ast.Assign) else None
        if isinstance(value, ast.Subscript) and ast.unparse(value.value) == "Literal":
            names = ast.literal_eval(value.slice)
            found[ast.unparse(node.targets[0])] = {"enum": [*names]}
    return found


def of_record(module: str, name: str) -> Schema:
    """Return the schema of a record: its fields, and their docstrings."""
    known = literals("types.py")

    def of(kind: ast.expr) -> Schema:
        text = ast.unparse(kind)
        if isinstance(kind, ast.BinOp):
            return {"anyOf": [of(kind.left), of(kind.right)]}
        if text in PLAIN:
            return {"type": PLAIN[text]}
        if text.startswith("tuple["):
            return {"type": "array", "items": of(kind.slice.elts[0])}
        return known.get(text) or of_record(module, text)

    tree = ast.parse((SOURCES / module).read_text("utf-8"))
    [record] = (
        each
        for each in tree.body
        if isinstance(each, ast.ClassDef) and each.name == name
    )
    fields: dict[str, Schema] = {}
    for node, after in zip(record.body, [*record.body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign):
            told = getattr(getattr(after, "value", None), "value", "")
            about = (
                {"description": " ".join(told.split())}
                if isinstance(told, str) and told
                else {}
            )
            fields[ast.unparse(node.target)] = {**about, **of(node.annotation)}
    return {"type": "object", "properties": fields, "required": [*fields]}


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
            any_of = {"type": "object"}
            for each in inner.values():
                any_of = merged(any_of, each)
            return {"type": "object", "additionalProperties": any_of}
        return {"type": "object", "properties": inner, "required": [*inner]}
    if isinstance(value, list):
        items: Schema = {}
        for each in value:
            items = merged(items, of_value(each, f"{place}[]"))
        return {"type": "array", "items": items}
    kind = PLAIN["None" if value is None else type(value).__name__]
    return {"type": "number" if kind == "integer" else kind}


def merged(one: Schema, other: Schema) -> Schema:
    """Return a schema for what either is for."""
    if one == other or not one:
        return other
    if not other:
        return one
    if one["type"] != other["type"]:
        return {
            "type": [*dict.fromkeys([*_listed(one["type"]), *_listed(other["type"])])]
        }
    both = {**one, **other}
    for name in ("items", "additionalProperties"):
        if name in one and name in other:
            both[name] = merged(one[name], other[name])
    if "properties" in one and "properties" in other:
        names = [*one["properties"], *other["properties"]]
        both["properties"] = {
            name: merged(
                one["properties"].get(name, {}), other["properties"].get(name, {})
            )
            for name in names
        }
        both["required"] = [
            name for name in one["required"] if name in other["required"]
        ]
    return both


def _listed(kind: str | list[str]) -> list[str]:
    return [kind] if isinstance(kind, str) else kind


SCHEMAS = {
    "settings": of_settings,
    "resolve": of_resolve,
    "check": of_check,
    "log": of_log,
    "audit": of_audit,
}


def files() -> Iterator[tuple[Path, str]]:
    """Yield each file and its text."""
    for name, schema in SCHEMAS.items():
        whole = {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema()}
        title = "settings" if name == "settings" else f"{name} --json"
        text = json.dumps({"title": f"truepath {title}", **whole}, indent=1)
        yield ROOT / f"docs/schemas/{name}.json", text + "\n"


if __name__ == "__main__":
    for file, text in files():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, "utf-8")
