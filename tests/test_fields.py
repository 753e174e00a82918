"""JSON is read and written as the json module does it, with its C code alone."""

from __future__ import annotations

import json
import subprocess
import sys
from math import inf, nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import truepath
from truepath.fields import dumps, field, line_of, loads

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.tuples(inner)
        | st.dictionaries(st.text() | st.integers() | st.none(), inner)
    ),
    max_leaves=20,
)


@given(VALUES)
def test_a_value_is_written_as_the_json_module_writes_it(value):
    line = json.dumps(value, separators=(",", ":"))
    assert dumps(value) == line
    assert json.dumps(loads(line)) == json.dumps(json.loads(line))


@pytest.mark.parametrize("value", [nan, inf, [-inf], {"a": nan}])
def test_a_number_that_json_does_not_know_is_refused_where_it_matters(value):
    assert dumps(value) == json.dumps(value, separators=(",", ":"))
    with pytest.raises(ValueError, match="not JSON compliant"):
        dumps(value, allow_nan=False)


def test_what_json_does_not_know_is_a_type_error():
    with pytest.raises(TypeError, match="set"):
        dumps({"a": {1}})
    with pytest.raises(TypeError):
        dumps({(1, 2): 3})


def test_what_holds_itself_is_a_value_error():
    value = []
    value.append(value)
    with pytest.raises(ValueError, match="Circular"):
        dumps(value)


@given(st.dictionaries(st.text(), st.text()), st.sampled_from(["", "\ufeff"]))
def test_a_line_is_read_as_text_and_as_bytes(entry, mark):
    line = mark + json.dumps(entry)
    assert line_of(line) == line_of(line.encode()) == entry


def test_a_number_is_a_position_in_a_list_and_a_name_in_a_table():
    entry = {"list": ["first"], "table": {"0": "named"}}
    names = ("list.0", "list.1", "list.x", "table.0")
    assert [field(entry, name) for name in names] == ["first", None, None, "named"]


def test_half_a_surrogate_pair_in_a_line_is_replaced():
    assert line_of('{"a": "\ud800"}') == {"a": "?"}


def test_neither_needs_the_package():
    code = "import sys; sys.path.append(sys.argv[1]); import truepath.fields as own\n"
    code += "own.loads(own.dumps({'a': [1, 'é']})); print('json' in sys.modules)"
    source = str(Path(truepath.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code, source],
        capture_output=True,
        check=True,
    )
    assert done.stdout.split() == [b"False"]
