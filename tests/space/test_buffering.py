"""Why channels are no FIFOs."""

from __future__ import annotations

from dataclasses import replace

import pytest

import streamopt as so
from streamopt.ir.schedule import ChannelKind, ChannelPlan
from streamopt.space.assemble import assemble, baseline
from streamopt.space.buffering import BufferReason, buffer_reason
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.small_graphs import graph_of

SAME = ({"i": 4, "j": 6}, "T[i][j] = A[i][j]")


@pytest.mark.parametrize(
    ("consumer", "reason"),
    [
        (({"i": 4, "j": 6}, "Y[i][j] = relu(T[i][j])"), None),
        (({"j": 6, "i": 4}, "Y[i][j] = relu(T[i][j])"), BufferReason.ORDER),
        (({"i": 4, "j": 4, "k": 3}, "Y[i][j] += T[i][j + k]"), BufferReason.WINDOW),
        (({"i": 4, "j": 5}, "Y[i][j] = T[i][j] + T[i][j + 1]"), BufferReason.READS),
        (({"i": 4, "j": 5}, "Y[i][j] = T[i][j]"), BufferReason.WINDOW),
        (({"i": 4, "j": 2, "k": 3}, "Y[i][j] += T[i][2 * j + k]"), BufferReason.STRIDE),
    ],
    ids=["same", "turned", "window", "twice", "part", "stride"],
)
def test_what_stands_against_a_fifo(
    consumer: tuple[dict[str, int], str], reason: BufferReason | None
) -> None:
    loops = consumer[0]
    graph = graph_of({"A": [4, 6]}, {"T": [4, 6], "Y": [loops["i"], loops["j"]]}, [SAME, consumer])
    (edge,) = graph.edges
    assert buffer_reason(graph, edge, baseline(graph)) is reason


def test_rows_of_a_window_under_other_loops() -> None:
    nodes = [SAME, ({"o": 3, "i": 3, "j": 6, "k": 2}, "Y[o][i][j] += T[i + k][j]")]
    plain = graph_of({"A": [4, 6]}, {"T": [4, 6], "Y": [3, 3, 6]}, nodes)
    graph = rewritten(plain, ("stream_windows",))
    (edge,) = graph.edges
    assert buffer_reason(graph, edge, baseline(graph)) is BufferReason.ROWS
    orders = {"n0": ("i", "j"), "n1": ("i", "j", "o", "k")}
    ones = {"n0": (1, 1), "n1": (1, 1, 1, 1)}
    assert buffer_reason(graph, edge, assemble(graph, orders, ones)) is None


def test_several_writers() -> None:
    graph = graph_of(
        {"A": [4, 6]},
        {"T": [4, 8], "Y": [4, 8]},
        [
            ({"i": 4, "j": 8}, "T[i][j] = 0"),
            ({"i": 4, "j": 6}, "T[i][j + 1] = A[i][j]"),
            ({"i": 4, "j": 8}, "Y[i][j] = relu(T[i][j])"),
        ],
    )
    reasons = {buffer_reason(graph, edge, baseline(graph)) for edge in graph.edges}
    assert reasons == {BufferReason.WRITERS}


def test_what_a_schedule_chose() -> None:
    nodes = [SAME, ({"i": 4, "j": 6}, "Y[i][j] = relu(T[i][j])")]
    graph = graph_of({"A": [4, 6]}, {"T": [4, 6], "Y": [4, 6]}, nodes)
    (edge,) = graph.edges
    buffers = (ChannelPlan(edge.channel, ChannelKind.PING_PONG),)
    schedule = replace(baseline(graph), channels=buffers)
    assert buffer_reason(graph, edge, schedule) is BufferReason.CHOSEN
    orders = {node.name: tuple(node.trip_counts) for node in graph.nodes}
    apart = assemble(graph, orders, {"n0": (2, 1), "n1": (1, 1)})
    assert buffer_reason(graph, edge, replace(apart, channels=buffers)) is BufferReason.LANES


def test_sequential_nodes() -> None:
    p = so.dsl.program("plain")
    (i,) = p.iterators(i=4)
    t = p.compute("t", (i,), p.input("A", 4)[i])
    p.output("Y", (i,), so.dsl.relu(t[i]))
    graph = so.dataflow(p.build())
    (edge,) = graph.edges
    whole = replace(edge, is_whole=True)
    buffers = (ChannelPlan(edge.channel, ChannelKind.PING_PONG),)
    schedule = replace(baseline(graph), channels=buffers)
    assert buffer_reason(graph, whole, schedule) is BufferReason.SEQUENTIAL
