"""The order of writes, against the loops that are emitted."""

from __future__ import annotations

from streamopt.space.assemble import assemble
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import rewritten
from streamopt.verification.csim.tokens import graph_values, writes_of
from tests.support.programs.sketches import program, scheduled

SOURCE = program(
    {"x": "input 4 6", "t": "internal 6 4", "y": "output 6 4"},
    {
        "turn": "i 4, k 3, j 6: t[j][i] += x[i][j] * 2",
        "copy": "j 6, i 4: y[j][i] = t[j][i]",
    },
)


def test_tiles_come_before_lanes() -> None:
    graph = scheduled(
        SOURCE, {"turn": "j k i", "copy": "j i"}, {"turn": "i 2, j 3", "copy": "i 2, j 3"}
    )
    node = graph.nodes[0]
    writes = writes_of(node, graph.graph.array("t"))
    expected = [
        (3 * j_tile + j_lane, 2 * i_tile + i_lane, (j_lane, i_lane))
        for j_tile in range(2)
        for i_tile in range(2)
        for j_lane in range(3)
        for i_lane in range(2)
    ]
    assert writes.elements.tolist() == [4 * j + i for j, i, _ in expected]
    assert [tuple(lanes) for lanes in writes.lanes.T.tolist()] == [e for _, _, e in expected]
    assert writes.iteration(7) == "i = 3, k = 2, j = 0"
    own = writes.of_stream((2, 1)).tolist()
    assert own == [at for at, (_, _, lanes) in enumerate(expected) if lanes == (2, 1)]


def test_a_scalar_is_written_once() -> None:
    source = program(
        {"x": "input 6", "s": "internal", "y": "output 6"},
        {"sum": "i 6: s += x[i]", "scale": "i 6: y[i] = x[i] * s"},
    )
    graph = scheduled(source, {}, {"sum": "i 2"})
    writes = writes_of(graph.nodes[0], graph.graph.array("s"))
    assert writes.elements.tolist() == [0]
    assert writes.iteration(0) == "i = 5"
    assert writes.of_stream((0,)).tolist() == [0]


def test_a_loop_that_waits_for_its_window_writes_no_more() -> None:
    above = "(a[h + 1][w] if h + 1 < 4 else 0)"
    source = program(
        {"x": "input 4 3", "a": "internal 4 3", "b": "internal 4 3", "y": "output 4 3"},
        {"one": "h 4, w 3: a[h][w] = x[h][w] + 1",
         "two": f"h 4, w 3: b[h][w] = a[h][w] + {above}",
         "out": "h 4, w 3: y[h][w] = b[h][w] * 2"},
    )  # fmt: skip
    graph = rewritten(canonicalize(source), ("stream_windows",))
    order = {node.name: tuple(node.trip_counts) for node in graph.nodes}
    one = {node.name: [1] * len(node.loops) for node in graph.nodes}
    found = apply(graph, assemble(graph, order, one))
    two = found.nodes[1]
    assert two.node.delays
    assert writes_of(two, graph.array("b")).elements.tolist() == [*range(12)]


def test_values_of_a_graph_are_those_of_its_program() -> None:
    graph = canonicalize(SOURCE)
    x = [[float(6 * i + j) for j in range(6)] for i in range(4)]
    found = graph_values(graph, {"x": x})  # type: ignore[dict-item]
    assert found["t"].value.tolist() == [[6.0 * x[i][j] for i in range(4)] for j in range(6)]
    assert found["y"].value.tolist() == found["t"].value.tolist()
    assert not found["y"].bound.any()
