"""Every problem of a graph.json: its code, its place and its words; and never a traceback."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamopt.errors import FrontendError
from streamopt.formats.graph_json import read_graph_json

GRAPHS = Path(__file__).resolve().parents[2] / "graphs"
LARGEST = 2**31 - 1


def document(**changes: object) -> dict[str, Any]:
    base: dict[str, Any] = {
        "schema_version": 1,
        "name": "one",
        "arrays": {
            "A": {"shape": [100, 200], "role": "input"},
            "E": {"shape": [100, 200], "role": "output"},
        },
        "nodes": [{"name": "n", "loops": {"i": 100, "j": 200}, "body": ["E[i][j] = A[i][j]"]}],
    }
    return base | changes


def errors(source: object) -> list[str]:
    text = source if isinstance(source, str) else json.dumps(source)
    with pytest.raises(FrontendError) as raised:
        read_graph_json(text, "g.json")
    return [str(diagnostic) for diagnostic in raised.value.diagnostics]


def body_errors(*body: str) -> list[str]:
    changed = document()
    changed["nodes"][0]["body"] = list(body)
    return errors(changed)


AFFINE = (
    "\n  hint: a subscript is a sum of iterators times constants, or such a sum // or % a constant"
)
SYNTAX = (
    "\n  hint: statements have + - * /, numbers, array elements, functions and `a if x > b else c`"
)
FORMS = "\n  hint: write `X[i] = ...`, `X[i] += ...`, `X[i] *= ...` or `t = ...`"
REACH = "\n  hint: change the loops, the subscript or the shape"
NAMES = "\n  hint: names are letters, digits and single underscores, and don't begin with a digit"
EXTENT = f"\n  hint: extents and trip counts are whole numbers from 1 to {LARGEST}"


@pytest.mark.parametrize(
    ("body", "column", "message"),
    [
        ("E[i][j] = ", ":11", "E106 syntax: invalid syntax"),
        ("E[i][j] = A[i][j]; t = 1", "", f"E106 there are 2 statements in one text{FORMS}"),
        ("", "", f"E106 there are 0 statements in one text{FORMS}"),
        ("E[i][j]", "", f"E106 this is not a statement that a node can have{FORMS}"),
        ("t = E[i][j] = 1", "", f"E106 this is not a statement that a node can have{FORMS}"),
        ("E[i][j] = 1\nt = 2", "", "E106 a statement is one line of ASCII characters"),
        ("E[i][j] = \u00e9", "", "E106 a statement is one line of ASCII characters"),
        (
            "E[i][j] -= A[i][j]",
            "",
            "E106 only += and *= are reductions\n"
            "  hint: add the negative, `X[i] += -(...)`, or multiply by the reciprocal",
        ),
        ("E[i][j] = A[i][j] ** 2", ":11", "E106 A[i][j] ** 2 is not part of the syntax" + "..."),
        ("E[i][j] = 1 if A[i][j] else 2", ":11", "E106 1 if A[i][j] else 2 is not part" + "..."),
        ("E[i][j] = x.y", ":11", f"E106 x.y is not part of the syntax of statements{SYNTAX}"),
        ("E[i][j] = 1j", ":11", "E106 1j is not a finite number"),
        ("E[i][j] = 2 * 1e999", ":15", "E106 1e999 is not a finite number"),
        ("E[i][j] = 1 / (2 - 2)", ":11", "E106 1 / (2 - 2) has no value: it divides by zero"),
        ("E[i][j] = 1e300 * 1e300", ":11", "E106 1e300 * 1e300 has no value: the result is..."),
        ("E[i][j] = log(-1)", ":11", "E106 log(-1) has no value: math domain error"),
        (
            "E[i][j] = i",
            ":11",
            "E106 iterator 'i' is used as a value\n  hint: write index(i) for its value",
        ),
        ("f(E)[i] = 1", ":1", "E106 f(E) is not the name of an array"),
        ("E[i][j] = AA[i][j]", ":11", "E107 array 'AA' is not declared\n  hint: did you mean 'A'?"),
        ("E[i][j] = B", ":11", "E107 array 'B' is not declared\n  hint: known here: A, E"),
        (
            "E[i][j] = A[i][q]",
            ":16",
            "E108 'q' in a subscript of A is no iterator\n  hint: known...",
        ),
        ("E[i][j] = A[i]", ":11", "E109 A has 2 dimensions, but A[i] has 1 subscript"),
        ("E = 1", ":1", "E109 E has 2 dimensions, but E has 0 subscripts"),
        ("E[i][j] = A[i*j][j]", ":13", f"E110 subscript i*j of A is not affine{AFFINE}"),
        ("E[i][j] = A[i][A[i][j]]", ":16", f"E110 subscript A[i][j] of A is not affine{AFFINE}"),
        ("E[i][j] = A[i % 0][j]", ":13", f"E110 subscript i % 0 of A is not affine{AFFINE}"),
        (
            "E[i][j] = A[(i - 1) // 2][j]",
            ":13",
            "E110 subscript (i - 1) // 2 of A divides a negative number\n"
            "  hint: add a multiple of the divisor",
        ),
        (
            "E[i][j] = A[i][9999999999]",
            ":16",
            "E110 a number in subscript 9999999999 of A is too...",
        ),
        (
            "E[i][j] = A[j][j]",
            ":11",
            f"E111 A[j][j] reaches [0, 199] in dimension 0 of A, whose extent is 100{REACH}",
        ),
        (
            "E[i][j] = A[2 - i][j]",
            ":11",
            f"E111 A[2 - i][j] reaches [-97, 2] in dimension 0 of A, whose extent is 100{REACH}",
        ),
        (
            "E[i][j] = A[i - i // 7 * 7 + 94][j]",
            ":11",
            "E111 A[i - i // 7 * 7 + 94][j] reaches [94, 100] in dimension 0 of A, whose extent "
            f"is 100{REACH}",
        ),
        ("E[i][j] = exq(A[i][j])", ":11", "E112 there is no function 'exq'\n  hint: did you..."),
        ("E[i][j] = exp(1, 2)", ":11", "E112 exp takes one argument, without names"),
        ("E[i][j] = max(1)", ":11", "E112 max takes two or more arguments, without names"),
        (
            "A[i][j] = E[i][j]",
            ":1",
            "E113 the statement writes A, which has role input\n"
            "  hint: write an array with role internal or output",
        ),
        ("i = 1", ":1", "E103 temporary 'i' has the name of an iterator"),
        ("exp = 1", ":1", "E104 temporary 'exp' has the name of a function or keyword"),
        ("E[i][j] = " + "9" * 5000, "", "E106 a number has thousands of digits"),
    ],
)
def test_statement(body: str, column: str, message: str) -> None:
    (found,) = body_errors(body)
    expected = f"g.json:nodes[0].body[0]{column}: {message}"
    if expected.endswith("..."):
        assert found.startswith(expected[:-3])
    else:
        assert found == expected


def test_all_problems_of_a_statement_are_told() -> None:
    found = body_errors("E[i][j] = B[i] + exp(A[k][j], 1) * A[i]")
    assert [text.split(": ")[1].split()[0] for text in found] == ["E107", "E112", "E109"]


def test_number_of_array_statements() -> None:
    assert body_errors("E[i][j] = 1", "E[i][j] = 2") == [
        "g.json:nodes[0]: E114 2 statements write arrays in node 'n'; a node has exactly one such "
        "statement\n  hint: give each statement a node of its own"
    ]
    assert body_errors("t = A[i][j]") == [
        "g.json:nodes[0]: E114 no array is written in node 'n'; a node has exactly one such "
        "statement"
    ]


def test_subscripts_with_divisions_are_bounded_by_trying_them() -> None:
    changed = document()
    changed["nodes"][0]["body"] = ["E[i][j] = A[i - i // 7 * 7 + 93][j]"]
    assert read_graph_json(json.dumps(changed), "g.json").name == "one"


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"name": "../x"}, f"g.json:name: E104 '../x' can't be a name{NAMES}"),
        ({"schema_version": 2}, "g.json:schema_version: E102 2 can't stand here; expected 1"),
        ({"description": None}, "g.json:description: E102 null is not a text"),
        ({"nodes": []}, "g.json:nodes: E102 'nodes' is empty"),
        ({"node": 1}, "g.json:node: E102 unknown key 'node'\n  hint: did you mean 'nodes'?"),
        (
            {"arrays": {"A": {"shape": [0, 2], "role": "input"}}, "nodes": [3]},
            f"g.json:arrays.A.shape[0]: E105 0 is not a possible extent or trip count{EXTENT}",
        ),
        (
            {"arrays": {"A": {"shape": [2] * 33, "role": "inptu"}}},
            "g.json:arrays.A.shape: E102 'shape' has more than 32 entries",
        ),
        (
            {"arrays": {"double": {"shape": [2], "role": "input"}}},
            "g.json:arrays.double: E104 array 'double' has the name of a function or keyword",
        ),
    ],
)
def test_document(changes: dict[str, object], expected: str) -> None:
    assert errors(document(**changes))[0] == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"lops": 1}, "lops: E102 unknown key 'lops'\n  hint: did you mean 'loops'?"),
        ({"body": "x"}, "body: E102 'x' is not a list"),
        ({"body": [1]}, "body[0]: E102 1 is not a text"),
        ({"name": 3}, "name: E102 3 is not a text"),
        ({"name": "while"}, "name: E104 node 'while' has the name of a function or keyword"),
        ({"name": "a__b"}, f"name: E104 'a__b' can't be a name{NAMES}"),
        ({"loops": {"i": 100, "j": 200.5}}, "loops.j: E102 200.5 is not a whole number"),
        ({"loops": {"i": True, "j": 2}}, "loops.i: E102 true is not a whole number"),
        (
            {"loops": {"i": 2, "j": -1}},
            f"loops.j: E105 -1 is not a possible extent or trip count{EXTENT}",
        ),
        ({"loops": {"i": 2, "A": 3}}, "loops.A: E103 iterator 'A' has the name of an array"),
        ({"loops": {"i": 2, "x y": 3}}, f"loops['x y']: E104 'x y' can't be a name{NAMES}"),
    ],
)
def test_node(changes: dict[str, object], expected: str) -> None:
    changed = document()
    changed["nodes"][0] |= changes
    assert errors(changed)[0] == f"g.json:nodes[0].{expected}"


def test_missing_keys() -> None:
    assert errors({"schema_version": 1}) == [
        f"g.json:{key}: E102 key '{key}' is missing" for key in ("name", "arrays", "nodes")
    ]


def test_names_of_nodes_are_unique() -> None:
    changed = document()
    changed["nodes"] *= 2
    assert errors(changed) == ["g.json:nodes[1].name: E103 node 'n' has the name of nodes[0]"]


def test_duplicate_keys() -> None:
    text = json.dumps(document()).replace('"j": 200', '"i": 3, "j": 200')
    text = text.replace('"name": "one"', '"name": "two", "name": "one"')
    found = errors(text)
    assert found[0] == "g.json: E103 key 'name' is given more than once"
    assert found[1] == "g.json:nodes[0].loops: E103 key 'i' is given more than once"


def test_problems_of_the_form_do_not_hide_those_of_other_parts() -> None:
    changed = document(extra=1)
    changed["arrays"]["B"] = {"shape": "2"}
    changed["nodes"].append({"name": "m", "loops": {"i": 2}})
    changed["nodes"].append({"name": "o", "loops": {"i": 2}, "body": ["E[i][0] = B[i] + C[i]"]})
    assert [text.split("\n")[0] for text in errors(changed)] == [
        "g.json:arrays.B.shape: E102 '2' is not a list",
        "g.json:arrays.B.role: E102 key 'role' is missing",
        "g.json:nodes[1].body: E102 key 'body' is missing",
        "g.json:extra: E102 unknown key 'extra'",
        "g.json:nodes[2].body[0]:18: E107 array 'C' is not declared",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "g.json:1:1: E101 this is not JSON: expecting value"),
        ('{\n "a": }', "g.json:2:7: E101 this is not JSON: expecting value"),
        ('{"a": NaN}', "g.json: E101 NaN is not a number that JSON has"),
        ('{"a": -Infinity}', "g.json: E101 -Infinity is not a number that JSON has"),
        ("[" * 100_000, "g.json: E101 lists and objects are nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "g.json: E101 a number has thousands of digits"),
        ("[]", "g.json: E102 [] is not an object"),
        ("null", "g.json: E102 null is not an object"),
    ],
)
def test_text(text: str, expected: str) -> None:
    assert errors(text) == [expected]


def test_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamopt.formats.json_text.MAX_CHARACTERS", 5)
    assert errors("[1, 2]") == ["g.json: E101 the text has 6 characters; at most 5 are read"]


def test_statements_that_grow_without_bound() -> None:
    doubling = ["t = A[i][j]", *["t = t * t"] * 60, "E[i][j] = t"]
    assert "the statement is too large once its temporaries are put in" in body_errors(*doubling)[0]
    long = "E[i][j] = " + " + ".join(["A[i][j]"] * 5000)
    assert body_errors(long) == [
        "g.json:nodes[0].body[0]: E106 the statement has more than 20000 characters"
    ]
    for deep in (" + ".join(["1"] * 4000), "-" * 15_000 + "1", "(" * 9000 + ")" * 9000):
        assert " E106 " in body_errors(f"E[i][j] = {deep}")[0]


def check_reads_or_explains(text: str) -> None:
    """Nothing but a FrontendError may leave the reader, and terminals can show its text."""
    message = "E1 read"
    try:
        read_graph_json(text, "g.json")
    except FrontendError as error:
        message = str(error)
    assert " E1" in f" {message}"
    assert message.encode()


SEEDS = [path.read_text() for path in sorted(GRAPHS.glob("*/*.json")) if path.stem != "2mm"]


@given(st.sampled_from(SEEDS), st.data())
def test_cut_and_patched_files(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 30)))
    patch = data.draw(
        st.one_of(
            st.text(max_size=8),
            st.sampled_from(
                ['"', "{}", "[]", "null", "-1", "1e999", '"i"', "][", "i*j", "//0", "()"]
            ),
        )
    )
    check_reads_or_explains(text[:start] + patch + text[stop:])
    check_reads_or_explains(text[:start])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(json_values, st.sampled_from(["", "name", "arrays", "nodes", "loops", "body", "shape"]))
def test_other_values_anywhere(value: Any, key: str) -> None:
    changed = document()
    owners: dict[str, dict[str, Any]] = {
        "loops": changed["nodes"][0],
        "body": changed["nodes"][0],
        "shape": changed["arrays"]["A"],
    }
    if key:
        owners.get(key, changed)[key] = value
    check_reads_or_explains(json.dumps(changed if key else value))


@given(st.text(alphabet="EAij[]()+-*/%=.,:0123456789 ifelsmaxt#'\"\\@~<>!&|^", max_size=40))
def test_any_statement(body: str) -> None:
    changed = document()
    changed["nodes"][0]["body"] = [body]
    check_reads_or_explains(json.dumps(changed))


def test_a_graph_of_too_many_nodes_is_refused_before_it_is_read() -> None:
    text = json.dumps({"schema_version": 1, "name": "g", "arrays": {}, "nodes": [0] * 50_001})
    with pytest.raises(FrontendError, match="E125 the graph has 50001 nodes, more than 50000"):
        read_graph_json(text, "g.json")
