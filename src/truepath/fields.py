"""Read fields of a program's JSON, any of which may be missing or of another type;
parse and write JSON without the package `json`, which would cost a hook 1.2 ms.

A dot in a name leads into a table, or into a list by a number: `tool_call.name`,
`roots.0`.
"""

from __future__ import annotations

from truepath import TYPE_CHECKING, Late

if TYPE_CHECKING:
    import _blake2
    import _json
    import json
    import re
    from collections.abc import Mapping
    from typing import Any
else:
    _blake2 = Late("_blake2")
    _json = Late("_json")
    json = Late("json")
    re = Late("re")

_ASIDE = r'(?s)//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])|("(?:[^"\\]|\\.)*(?:"|\\?\Z)|/\*.*)'
"""Comments and trailing commas, which some hosts allow in JSON. An unterminated text or
comment matches up to the end, so the time stays linear."""


class _Plain:
    """The options of the C scanner, as in `json.loads`."""

    strict = True
    object_hook = None
    object_pairs_hook = None
    parse_float = float
    parse_int = int
    parse_constant = float


def loads(text: str) -> Any:
    """Return the value of a JSON text; raise ValueError if it is not valid."""
    plain = text.strip(" \t\r\n")
    try:
        value, end = _json.make_scanner(_Plain())(plain, 0)  # type: ignore[arg-type]
    # It is private: another Python may lack it, or want other options. StopIteration is
    # its word for invalid JSON.
    except (ImportError, StopIteration, TypeError, AttributeError, SystemError):
        end = -1
    if end == len(plain):
        return value
    return json.loads(plain)  # it says where the text is invalid


def digest(value: object) -> str:
    """Return what identifies a value, as 16 hexadecimal digits: the same for equal data
    in any process.
    """
    try:
        text = dumps(value)
    except (TypeError, ValueError):  # an object of a caller in this process
        text = repr(value)
    data = text.encode("utf-8", "surrogatepass")
    # hashlib would load OpenSSL (2 ms)
    return _blake2.blake2b(data, digest_size=8).hexdigest()


def dumps(value: object, *, allow_nan: bool = True) -> str:
    """Return a value as JSON, in ASCII and without blanks.

    Raises:
        ValueError: It holds itself, or a number that JSON does not know and that is not
            allowed.
        TypeError: JSON does not know its type.
    """
    try:
        encode = _json.make_encoder(
            markers={},  # by which a value that holds itself is seen
            default=_refuse,
            encoder=_json.encode_basestring_ascii,
            indent=None,
            key_separator=":",
            item_separator=",",
            sort_keys=False,
            skipkeys=False,
            allow_nan=allow_nan,
        )
        return "".join(encode(value, 0))
    except (ImportError, TypeError, AttributeError, SystemError):
        # It says what is not known.
        return json.dumps(value, allow_nan=allow_nan, separators=(",", ":"))


def _refuse(value: object) -> object:
    raise TypeError(f"JSON does not know {type(value).__name__}")


def field(entry: object, name: str) -> Any:
    """Return the value of a field; None if there is none."""
    if "." not in name:  # nearly every one
        return entry.get(name) if isinstance(entry, dict) else None
    for part in name.split("."):
        if isinstance(entry, list) and part.isdigit():
            entry = dict(enumerate(entry)).get(int(part))  # None behind the end
        else:
            entry = entry.get(part) if isinstance(entry, dict) else None
    return entry


def text(entry: Mapping[str, Any], name: str) -> str:
    """Return the text of a field; "" if there is none."""
    value = field(entry, name)
    return value if isinstance(value, str) else ""


def texts(entry: Mapping[str, Any], name: str) -> list[str]:
    """Return the texts in a list; none if there is no list."""
    return [item for item in _listed(entry, name) if isinstance(item, str)]


def tables(entry: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """Return the objects in a list; none if there is no list."""
    return [item for item in _listed(entry, name) if isinstance(item, dict)]


def _listed(entry: Mapping[str, Any], name: str) -> list[Any]:
    value = field(entry, name)
    return value if isinstance(value, list) else []


def table(entry: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """Return the object in a field; an empty one if there is none."""
    value = field(entry, name)
    return value if isinstance(value, dict) else {}


def line_of(record: bytes | str) -> Mapping[str, Any]:
    """Return the JSON object in a line; an empty one if it is invalid."""
    try:
        if isinstance(record, str):
            # Half a surrogate pair is replaced, too.
            text = record.removeprefix("\ufeff").encode("utf-8", "replace").decode()
            entry = loads(text)
        else:
            entry = json.loads(record)  # it knows other encodings
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def loosely(text: str) -> Any:
    """Parse JSON settings with or without comments; raise ValueError if they are
    invalid.
    """
    if not text.strip():
        return {}
    try:
        return loads(text)
    except ValueError:
        for _ in range(2):  # a comma may be before a comment
            text = re.sub(_ASIDE, lambda aside: aside[1] or "", text)
        return loads(text)


def settings_of(text: str) -> Mapping[str, Any]:
    """Return the JSON object of settings with or without comments; an empty one if it
    is invalid.
    """
    try:
        settings = loosely(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        return {}
    return settings if isinstance(settings, dict) else {}
