"""JSON as people write it, for hypothesis: any value, with comments and odd blanks."""

from __future__ import annotations

import json

from hypothesis import strategies as st

BLANKS = ("", "", " ", "  ", "\t", "\n", "\n  ", "\r\n    ", "\n\n\t")
COMMENTS = ("// one\n", "//\n  ", "/* two */", "/* three\n lines */ ", " // {\r\n", "/**/")
SCALARS = (
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=4).filter(str.isprintable)
)
KEYS = st.sampled_from(["a", "b", "model", "env", "x y", "é", '"', "//"])


def values(*, containers=False):
    """Return a strategy for JSON values; with `containers` for objects alone."""
    inner = st.recursive(
        SCALARS,
        lambda each: st.lists(each, max_size=3) | st.dictionaries(KEYS, each, max_size=3),
        max_leaves=6,
    )
    return st.dictionaries(KEYS, inner, max_size=4) if containers else inner


@st.composite
def documents(draw, of=None):
    """Draw a text and the value that it says."""
    value = draw(of if of is not None else values())
    return _written(draw, value), value


def _gap(draw):
    return "".join(draw(st.lists(st.sampled_from(BLANKS + COMMENTS), max_size=2)))


def _written(draw, value):
    return _gap(draw) + _bare(draw, value) + _gap(draw)


def _bare(draw, value):
    if not isinstance(value, (dict, list)):
        return json.dumps(value, ensure_ascii=draw(st.booleans()))
    if isinstance(value, dict):
        parts = [
            _gap(draw) + json.dumps(key) + _gap(draw) + ":" + _written(draw, each)
            for key, each in value.items()
        ]
    else:
        parts = [_written(draw, each) for each in value]
    comma = "," + _gap(draw) if parts and draw(st.booleans()) else ""
    inside = ",".join(parts) + comma if parts else _gap(draw)
    return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"
