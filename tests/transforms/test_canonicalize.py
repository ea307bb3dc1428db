"""From programs to graphs: nodes, edges, order, and every reason to refuse."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import LegalityError
from streamopt.formats.graph_json import load_graph_json, read_graph_json
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Compare, CompareOp, Index, Literal
from streamopt.ir.operators import Reduction
from streamopt.transforms.canonicalize import canonicalize

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

GRAPHS = Path(__file__).resolve().parents[2] / "graphs"


LOOPS = ("i", 8), ("j", 4)
NONE: Mapping[str, tuple[str, list[int]]] = {}


def used(iterator: str, body: str) -> bool:
    return re.search(rf"\b{iterator}\b", body) is not None


def program(
    *nodes: tuple[str, str], order: str = "", shapes: Mapping[str, tuple[str, list[int]]] = NONE
) -> Program:
    """Nodes (name, body) with those of the loops i: 8 and j: 4 that the body has.

    Vectors of 8: x (input), a, b, c (internal), y (output), as far as bodies name them; others
    as given. ``order`` lists the nests' names as they shall stand.
    """
    bodies = " ".join(body for _, body in nodes)
    arrays = {name: {"shape": [8], "role": "internal"} for name in "abc" if f"{name}[" in bodies}
    arrays |= {"x": {"shape": [8], "role": "input"}, "y": {"shape": [8], "role": "output"}}
    arrays |= {name: {"shape": shape, "role": role} for name, (role, shape) in shapes.items()}
    listed = [
        {"name": name, "loops": {it: n for it, n in LOOPS if used(it, body)}, "body": [body]}
        for name, body in nodes
    ]
    text = {"schema_version": 1, "name": "p", "arrays": arrays, "nodes": listed}
    read = read_graph_json(json.dumps(text), "p.json")
    names = order.split() or [name for name, _ in nodes]
    nests = {nest.name: nest for nest in read.nests}
    return replace(read, nests=tuple(nests[name] for name in names))


def refusals(refused: Program) -> list[str]:
    with pytest.raises(LegalityError) as raised:
        canonicalize(refused)
    return [str(diagnostic) for diagnostic in raised.value.diagnostics]


def channels(graph: Graph) -> list[tuple[str, str, str]]:
    return [(edge.channel, edge.producer, edge.consumer) for edge in graph.edges]


def test_residual_path() -> None:
    graph = canonicalize(
        program(
            ("first", "a[i] += x[i] * x[j]"),
            ("relu1", "b[i] = relu(a[i])"),
            ("last", "y[i] = b[i] + a[i]"),
        )
    )
    assert channels(graph) == [
        ("a__relu1", "first", "relu1"),
        ("a__last", "first", "last"),
        ("b", "relu1", "last"),
    ]
    first = graph.node("first")
    assert first.reduction is Reduction.ADD
    assert first.reduction_loops == ("j",)
    assert str(first.loc) == "p.json:nodes[0].body[0]"


def padded(order: str = "") -> Program:
    return program(
        ("zero", "p[i] = 0"),
        ("copy", "p[2*(i // 2) + 1] = x[i]"),
        ("use", "y[i] = p[i]"),
        ("too", "z[i] = p[i] + p[7 - i]"),
        order=order,
        shapes={"p": ("internal", [8]), "z": ("output", [8])},
    )


def test_several_writers_give_an_edge_each() -> None:
    inside = program(
        ("zero", "p[i][0] = 0"),
        ("copy", "p[i][j] = q[i][j]"),
        ("use", "y[i] = p[i][0]"),
        ("too", "z[i] = p[i][1] + p[7 - i][0]"),
        shapes={"p": ("internal", [8, 4]), "q": ("input", [8, 4]), "z": ("output", [8])},
    )
    graph = canonicalize(inside)
    assert channels(graph) == [
        ("p__zero__use", "zero", "use"),
        ("p__zero__too", "zero", "too"),
        ("p__copy__use", "copy", "use"),
        ("p__copy__too", "copy", "too"),
    ]
    assert [str(access) for access in graph.edges[1].reads] == ["p[i][1]", "p[-1 * i + 7][0]"]
    assert [node.name for node in graph.writers("p")] == ["zero", "copy"]


def test_several_writers_and_one_reader() -> None:
    graph = canonicalize(load_graph_json(GRAPHS / "cnns" / "dwsconv_block.json"))
    assert [edge.channel for edge in graph.edges] == [
        "depthwise_pad_fill__depthwise_pad_fill__depthwise",
        "depthwise_pad_fill__depthwise_pad_copy__depthwise",
        "depthwise",
        "pointwise",
    ]


def test_inputs_with_several_readers_and_several_sinks_need_no_edge() -> None:
    graph = canonicalize(load_graph_json(GRAPHS / "polybench" / "mvt.json"))
    assert graph.edges == ()
    assert len(graph.nodes) == 2


def test_outputs_may_be_read() -> None:
    graph = canonicalize(
        program(("one", "y[i] = x[i]"), ("two", "z[i] = y[i]"), shapes={"z": ("output", [8])})
    )
    assert channels(graph) == [("y", "one", "two")]


@pytest.mark.parametrize("order", ["one two three", "two one three", "three two one"])
def test_nodes_come_in_topological_order_and_else_as_they_stand(order: str) -> None:
    nodes = ("one", "a[i] = x[i]"), ("two", "b[i] = x[i]"), ("three", "y[i] = a[i] + b[i]")
    graph = canonicalize(program(*nodes, order=order))
    expected = [name for name in order.split() if name != "three"] + ["three"]
    assert [node.name for node in graph.nodes] == expected


def test_reader_between_writers() -> None:
    assert "E202" not in str(refusals(padded("zero use copy too")))
    assert refusals(padded("zero use copy too"))[0] == (
        "p.json:nodes[2]: E201 node 'use' reads p before node 'copy' writes it\n"
        "  hint: move the reader behind all writers, or give the writers arrays of their own"
    )


def test_cycle() -> None:
    nodes = (
        ("before", "c[i] = x[i]"),
        ("one", "a[i] = b[i] + c[i]"),
        ("two", "b[i] = a[i]"),
        ("after", "y[i] = b[i]"),
    )
    (found,) = refusals(program(*nodes))
    assert found.startswith(
        "p.json:nodes[1]: E202 nodes wait for each other: one -> two -> one through a, b"
    )


def test_self_dependence() -> None:
    (found,) = refusals(program(("one", "y[i] = y[7 - i] + x[i]")))
    assert found == (
        "p.json:nodes[0].body[0]: E203 node 'one' reads y[-1 * i + 7] of the array that it writes "
        "as y[i]\n  hint: only `y[i] = y[i] + ...`, and with *, max or min, is a reduction; else "
        "write another array"
    )


def test_reduction_into_a_shared_array() -> None:
    (found,) = refusals(program(("init", "y[i] = 1"), ("sum", "y[i] += x[i] * x[j]")))
    assert found == (
        "p.json:nodes[1]: E204 node 'sum' reduces into y, which node 'init' writes too\n"
        "  hint: a reduction starts afresh: reduce into an array of its own, then combine both"
    )


def test_never_written() -> None:
    found = refusals(program(("one", "z[i] = a[i]"), shapes={"z": ("output", [8])}))
    assert found == [
        "p.json:nodes[0]: E205 internal array a is never written\n"
        "  hint: add the node that computes it, or give it role input",
        "E205 output array y is never written\n"
        "  hint: add the node that computes it, or give it role input",
    ]


def test_never_used() -> None:
    assert refusals(program(("one", "a[i] = x[i]"), ("two", "y[i] = x[i]"))) == [
        "p.json:nodes[0]: E206 a is computed by node 'one' but never used\n"
        "  hint: give it role output or remove the node"
    ]


def test_elements_without_a_value() -> None:
    hint = "\n  hint: write all elements first, for instance with a node that assigns 0"
    copy = ("copy", "a[2*j] = x[j]")
    assert refusals(program(copy, ("use", "y[i] = a[i]")))[0] == (
        f"p.json:nodes[1]: E207 node 'use' reads a[1], which no node writes{hint}"
    )
    assert refusals(program(("part", "y[j] = x[j]"))) == [
        f"p.json:nodes[0]: E207 no node writes y[4] of output y{hint}",
    ]
    sums = ("sum", "a[2*j] += x[i]")
    legal = canonicalize(program(sums, ("use", "y[i] = a[i // 2 * 2]")))
    assert channels(legal) == [("a", "sum", "use")]


def test_repeated_assignments() -> None:
    assert refusals(program(("part", "y[i] = x[j]"))) == [
        "p.json:nodes[0].body[0]: E208 node 'part' assigns each y[i] once for every j\n"
        "  hint: use += for a sum, or give y[i] a subscript with j",
    ]
    assert refusals(program(("one", "y[(i + 4*j) // 4] = x[i]")))[0] == (
        "p.json:nodes[0].body[0]: E208 different iterations of i, j in node 'one' write the same "
        "element y[(i + 4 * j) / 4]\n  hint: write each element at one iteration"
    )


def test_reduction_with_repeated_targets() -> None:
    (found,) = refusals(
        program(("one", "z[i + j] += x[i]"), ("two", "y[i] = x[i]"), shapes={"z": ("output", [11])})
    )
    assert found == (
        "p.json:nodes[0].body[0]: E209 different iterations of i, j in node 'one' write the same "
        "sum z[i + j]\n  hint: let the subscripts of a reduction name each element by one value "
        "of its iterators"
    )


def test_number_of_statements() -> None:
    whole = program(("one", "y[i] = x[i]"))
    (nest,) = whole.nests
    twice = replace(whole, nests=(replace(nest, statements=nest.statements * 2),))
    assert refusals(twice) == [
        "p.json:nodes[0]: E210 node 'one' has 2 statements; a node has exactly one\n"
        "  hint: give each statement a nest of its own, or make the node sequential"
    ]


def test_write_of_an_input() -> None:
    whole = program(("one", "y[i] = 1"))
    (nest,) = whole.nests
    (statement,) = nest.statements
    bad = replace(statement, target=Access("x", (Affine.iterator("i"),)))
    found = refusals(replace(whole, nests=(nest, replace(nest, statements=(bad,)))))
    assert found == [
        "p.json:nodes[0].body[0]: E211 node 'one' writes x, which has role input\n"
        "  hint: write an array with role internal or output"
    ]


def test_too_large_to_check() -> None:
    side = 2**15
    document = {
        "schema_version": 1,
        "name": "p",
        "arrays": {"y": {"shape": [2 * side, side + 1], "role": "output"}},
        "nodes": [{"name": "n", "loops": {"i": side, "j": side}, "body": ["y[i + j][j] = 0"]}],
    }
    found = refusals(read_graph_json(json.dumps(document), "p.json"))
    assert found == [
        f"p.json:nodes[0]: E212 {what} in node 'n' has too many elements to check that each is "
        "written\n  hint: use subscripts with one iterator each, or smaller loops"
        for what in ("y[i + j][j]", "y")
    ]


def test_all_problems_are_told() -> None:
    found = refusals(
        program(("one", "a[i] = b[i]"), ("two", "b[i] = a[i]"), ("three", "c[i] = x[j]"))
    )
    codes = [code for text in found for code in re.findall(r"\bE2\d\d\b", text)]
    assert codes == ["E202", "E208", "E206", "E205"]


@pytest.mark.parametrize("path", sorted(GRAPHS.glob("*/*.json")), ids=lambda path: path.stem)
def test_graphs_keep_program_order_and_stream_final_values_only(path: Path) -> None:
    source = load_graph_json(path)
    graph = canonicalize(source)
    assert [node.name for node in graph.nodes] == [nest.name for nest in source.nests]
    names = [edge.channel for edge in graph.edges]
    assert len(set(names)) == len(names)
    for edge in graph.edges:
        assert edge.write == graph.node(edge.producer).write
        assert edge.reads == graph.node(edge.consumer).reads_of(edge.array)


def test_a_thousand_nodes_take_little_time() -> None:
    names = [f"a{number}" for number in range(1000)]
    bodies = [
        f"{after}[i] = {before}[i]" for before, after in zip(["x", *names], names, strict=False)
    ]
    nodes = [(f"n{number}", body) for number, body in enumerate(bodies)]
    shapes = {name: ("internal", [8]) for name in names}
    graph = canonicalize(program(*nodes, ("last", f"y[i] = {names[-1]}[i]"), shapes=shapes))
    assert len(graph.edges) == 1000


def test_guarded_sum_outside_its_array() -> None:
    outside = program(("one", "if i + j < 9: y[j + 6] += x[i]"))
    (found, *_) = refusals(outside)
    assert "E214 y[j + 6] in node 'one' reaches outside y (8)" in found


def test_assignment_under_a_guard() -> None:
    whole = program(("one", "y[i] = x[i]"))
    (nest,) = whole.nests
    guard = Compare(CompareOp.LT, Index(Affine.iterator("i")), Literal(3.0))
    guarded = replace(nest.statements[0], guard=guard)
    assert refusals(replace(whole, nests=(replace(nest, statements=(guarded,)),))) == [
        "p.json:nodes[0].body[0]: E213 node 'one' assigns y[i] under a guard\n"
        "  hint: say what the other elements are: `a if condition else b`"
    ]


@pytest.mark.parametrize(
    ("body", "access"),
    [
        ("y[i] = x[i + 1] if i <= 7 else 0", "x[i + 1]"),
        ("y[i] = x[i - 1] if i >= 1 and x[i - 2] > 0 else 0", "x[i - 2]"),
        ("y[i] = 0 if i < 7 or x[i] > 0 else x[i + 1]", "x[i + 1]"),
    ],
)
def test_subscripts_outside_where_conditions_hold(body: str, access: str) -> None:
    (found,) = refusals(program(("one", body)))
    assert found == (
        f"p.json:nodes[0].body[0]: E214 {access} in node 'one' reaches outside x (8)\n"
        "  hint: change the loops, the subscript or the guard"
    )


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = x[i + 1] if i < 7 else 0",
        "y[i] = x[i - 1] if i >= 1 and x[i - 1] > 0 else 0",
        "y[i] = 0 if i == 7 or x[i + 1] > 0 else x[i + 1]",
        "y[i] = x[2 * i] if i // 4 == 0 else x[i - 4]",
    ],
)
def test_subscripts_inside_where_conditions_hold(body: str) -> None:
    assert len(canonicalize(program(("one", body))).nodes) == 1


def test_integer_operations_on_other_numbers() -> None:
    assert refusals(program(("one", "y[i] = x[i] % 2 + (int32_t(x[i]) & 3)"))) == [
        "p.json:nodes[0].body[0]: E215 % in node 'one' needs integers, not float\n"
        "  hint: convert the operands: `int32_t(x)`"
    ]
