"""The order of writes, against the loops that are emitted."""

from __future__ import annotations

from program_sketches import program, scheduled

from streamopt.transforms.canonicalize import canonicalize
from streamopt.verification.graph_values import graph_values
from streamopt.verification.write_order import writes_of

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


def test_values_of_a_graph_are_those_of_its_program() -> None:
    graph = canonicalize(SOURCE)
    x = [[float(6 * i + j) for j in range(6)] for i in range(4)]
    found = graph_values(graph, {"x": x})  # type: ignore[dict-item]
    assert found["t"].value.tolist() == [[6.0 * x[i][j] for i in range(4)] for j in range(6)]
    assert found["y"].value.tolist() == found["t"].value.tolist()
    assert not found["y"].bound.any()
