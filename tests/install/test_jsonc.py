"""JSON with comments: what is read in it, and that a change touches nothing else."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsontexts import documents, values

from truepath.install.jsonc import JsonError, read
from truepath.install.splice import add, copied, remove, replace

READ = [
    ("an object", '{"a": 1}', {"a": 1}),
    ("a line comment", '{"a": 1 // one\n}', {"a": 1}),
    ("a block comment in every gap", '/*0*/{/*1*/"a"/*2*/:/*3*/1/*4*/,/*5*/}/*6*/', {"a": 1}),
    ("a comma after the last item", '{"a": [1, 2, ], }', {"a": [1, 2]}),
    ("what looks like a comment in a text", '{"url": "https://x/*y*/"}', {"url": "https://x/*y*/"}),
    ("escapes", r'["\"\\\/\n\u00e9"]', ['"\\/\né']),
    ("numbers", "[-0.5e+3, 10, 0]", [-500.0, 10, 0]),
    ("old line ends", '{"a":\r1 // x\r,"b":2}', {"a": 1, "b": 2}),
    ("a comment that the end of the file ends", "{} // end", {}),
    ("one key twice: the last counts, as for every reader", '{"a": 1, "a": 2}', {"a": 2}),
]
NOT_READ = [
    ("a missing comma", '{"a": 1 "b": 2}', "line 1, column 9"),
    ("a missing colon", '{"a" 1}', "':' is expected"),
    ("a missing bracket", '{"a": [1}', "comma is expected"),
    ("an open end", '{"a": 1', "'the end'"),
    ("two values", "{} {}", "follows the end"),
    ("a comma alone", "[,]", "value is expected"),
    ("two commas", "[1,,2]", "value is expected"),
    ("single quotes", "{'a': 1}", "is no JSON"),
    ("a key without quotes", "{a: 1}", "is no JSON"),
    ("not a number", "[NaN]", "is no JSON"),
    ("a number with a leading zero", "[01]", "is no JSON"),
    ("a comment without an end", "{} /* x", "is no JSON"),
    ("a line end in a text", '["a\nb"]', "is no JSON"),
    ("an escape that is none", r'["\x"]', "is no JSON"),
    ("the second line is named", '{\n  "a": tru\n}', "line 2, column 8"),
    ("too deep", "[" * 5000 + "]" * 5000, "nested too deeply"),
    ("a merge conflict", '{\n<<<<<<< HEAD\n"a": 1\n}', "line 2"),
]


@pytest.mark.parametrize(("what", "text", "value"), READ, ids=[row[0] for row in READ])
def test_what_people_write_is_read(what, text, value):
    assert read(text).root.value == value


@pytest.mark.parametrize(("what", "text", "said"), NOT_READ, ids=[row[0] for row in NOT_READ])
def test_what_is_no_json_is_told_with_its_place(what, text, said):
    with pytest.raises(JsonError) as error:
        read(text)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_blanks_and_comments_alone_have_no_value():
    assert read(" // nothing\n").root is None
    assert read("").root is None


ADDED = [
    ("an empty file", "", '{\n  "new": [\n    1\n  ]\n}\n'),
    ("an empty object", "{}", '{\n  "new": [\n    1\n  ]\n}'),
    ("all in one line", '{"a": 1}', '{"a": 1, "new": [1]}'),
    ("all in one line, without blanks", '{"a":1}', '{"a":1,"new":[1]}'),
    ("lines, tabs", '{\n\t"a": 1\n}\n', '{\n\t"a": 1,\n\t"new": [\n\t\t1\n\t]\n}\n'),
    ("a comma after the last item", '{\n "a": 1,\n}', '{\n "a": 1,\n "new": [\n  1\n ],\n}'),
    ("a comment of the last item", '{\n "a": 1 // x\n}', '{\n "a": 1, // x\n "new": [\n  1\n ]\n}'),
    ("Windows", '{\r\n  "a": 1\r\n}', '{\r\n  "a": 1,\r\n  "new": [\r\n    1\r\n  ]\r\n}'),
    ("only a comment", "// mine", '// mine\n{\n  "new": [\n    1\n  ]\n}\n'),
]  # fmt: skip


@pytest.mark.parametrize(("what", "text", "after"), ADDED, ids=[row[0] for row in ADDED])
def test_what_is_added_follows_the_manner_of_the_file(what, text, after):
    assert add(text, (), "new", [1]) == after


def test_a_list_of_one_line_in_a_file_of_many_goes_on_in_its_line():
    text = '{\n  "a": [1, 2],\n  "b": []\n}\n'
    assert add(text, ("a",), None, {"x": 3}) == text.replace("2]", '2, {"x": 3}]')
    assert add(text, ("b",), None, 3) == text.replace("[]", "[\n    3\n  ]")


def test_a_comment_never_swallows_what_follows_an_item_that_goes():
    text = '{"a": 1, // one\n "b": 2, "c": 3}'
    assert read(remove(text, ("b",))).root.value == {"a": 1, "c": 3}
    assert "// one\n" in remove(text, ("b",))


def test_a_comment_gets_no_blank_from_behind_an_item_that_goes():
    assert remove('{"a": 1, // one\n "b": 2, \n "c": 3}', ("b",)) == '{"a": 1, // one\n "c": 3}'


def test_a_value_is_replaced_where_it_stands():
    text = '{"a": /* was */ "x", "b": [\n  1\n]}'
    assert replace(text, ("a",), "y") == text.replace('"x"', '"y"')
    assert read(replace(text, ("b",), {"k": [2]})).root.value == {"a": "x", "b": {"k": [2]}}


def test_a_value_is_copied_with_its_blanks():
    assert copied('{"a": {}}', ("a",), '{"a": { /* mine */ }}') == '{"a": { /* mine */ }}'


@given(documents())
def test_every_text_with_comments_is_read_as_what_it_says(document):
    text, value = document
    assert read(text).root.value == value


@given(documents(values(containers=True)), st.data(), values())
def test_what_is_added_is_there_and_goes_without_a_trace(document, data, new):
    text, _ = document
    path = data.draw(st.sampled_from([*_containers(read(text).root)]))
    container = read(text).find(path)
    key = "a key that is new" if container.kind == "object" else None
    longer = add(text, path, key, new)
    item = (*path, key if key is not None else len(container.items))
    after = read(longer)
    assert after.find(item).value == new
    assert _comments(longer) == _comments(text)
    back = remove(longer, item)
    if container.items:
        assert back == text
    else:
        assert read(back).words == read(text).words


@given(documents(values(containers=True)), st.data())
def test_what_goes_takes_nothing_else_along(document, data):
    text, value = document
    paths = [path for path in _paths(read(text).root) if path]
    if not paths:
        return
    path = data.draw(st.sampled_from(paths))
    expected = json.loads(json.dumps(value))
    holder = expected
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    after = remove(text, path)
    assert read(after).root.value == expected
    container = read(text).find(path[:-1])
    item = container.items[container.index(path[-1])]
    end = max(item.comma, item.node.end)
    assert _comments(after) == [said for at, said in _placed(text) if not item.start < at < end]


def _containers(node, path=()):
    if node.kind != "scalar":
        yield path
    for at, item in enumerate(node.items):
        yield from _containers(item.node, (*path, item.key if item.key is not None else at))


def _paths(node, path=()):
    yield path
    for at, item in enumerate(node.items):
        yield from _paths(item.node, (*path, item.key if item.key is not None else at))


def _placed(text):
    return [
        (token.start, text[token.start : token.end])
        for token in read(text).tokens
        if token.kind in ("line", "block")
    ]


def _comments(text):
    return [comment for _, comment in _placed(text)]
