"""What a schedule may decide, and what it becomes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamopt.analysis.access_order import full_depth_elems
from streamopt.errors import LegalityError
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Binary, BinaryOp, Read
from streamopt.ir.graph import Edge, Graph, Node
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator, Reduction
from streamopt.ir.program import Array, Loop, Role
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.ir.scheduled import ArrayPartition, TiledLoop
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower

if TYPE_CHECKING:
    from streamopt.ir.schedule import Binding

i, j, k, n = (Affine.iterator(name) for name in "ijkn")
ZERO, ONE = Affine.of(0), Affine.of(1)


def access(array: str, *subscripts: Affine) -> Access:
    return Access(array, subscripts)


def product(left: Access, right: Access) -> Binary:
    return Binary(BinaryOp.MUL, Read(left), Read(right))


def node(name: str, loops: str, write: Access, *reads: Access) -> Node:
    """Loops as "i4 j6 k8"; a reduction where a loop is not in the write."""
    value = Read(reads[0]) if len(reads) == 1 else product(*reads)
    listed = tuple(Loop(loop[0], int(loop[1:])) for loop in loops.split())
    reduced = any(loop.name not in write.iterators() for loop in listed)
    return Node(name, listed, write, value, Reduction.ADD if reduced else None)


def edge(producer: Node, consumer: Node) -> Edge:
    array = producer.write.array
    channel = f"{producer.name}_{consumer.name}"
    reads = consumer.reads_of(array)
    return Edge(channel, array, producer.name, consumer.name, producer.write, reads)


def pair(write: Access, read: Access, shape: tuple[int, ...] = (4, 6)) -> Graph:
    """A product E = A B (i4 j6 k8) that a copy (i4 j6 n1) reads."""
    arrays = (
        Array("A", (4, 8), Role.INPUT),
        Array("B", (8, 6), Role.WEIGHT),
        Array("E", shape, Role.INTERNAL),
        Array("y", (4, 6), Role.OUTPUT),
    )
    gemm = node("gemm", "i4 j6 k8", write, access("A", i, k), access("B", k, j))
    copy = node("copy", "n1 i4 j6", access("y", i, j), read)
    return Graph("pair", arrays, (gemm, copy), (edge(gemm, copy),))


PAIR = pair(access("E", i, j), access("E", i, j))
FIFO = ChannelPlan("gemm_copy", ChannelKind.FIFO, 24)
PING_PONG = ChannelPlan("gemm_copy", ChannelKind.PING_PONG)


def plan(name: str, order: str, **factors: int) -> NodePlan:
    loops = {"gemm": "ijk", "copy": "nij"}.get(name, order)
    return NodePlan(name, tuple(order), tuple((loop, factors.get(loop, 1)) for loop in loops))


def schedule(gemm: NodePlan, copy: NodePlan, channel: ChannelPlan = FIFO) -> Schedule:
    return Schedule("pair", (gemm, copy), (channel,))


GOOD = schedule(plan("gemm", "kij", i=2, j=3, k=4), plan("copy", "inj", i=2, j=3))


def refusal(graph: Graph, refused: Schedule) -> str:
    with pytest.raises(LegalityError) as raised:
        apply(graph, refused)
    return str(raised.value)


def test_loops_become_tile_loops_in_the_scheduled_order() -> None:
    scheduled = apply(PAIR, GOOD)
    assert scheduled.graph is PAIR
    assert scheduled.schedule is GOOD
    gemm, copy = scheduled.nodes
    assert gemm.loops == (TiledLoop("k", 8, 4), TiledLoop("i", 4, 2), TiledLoop("j", 6, 3))
    assert [loop.tiles for loop in copy.loops] == [2, 1, 2]
    assert (gemm.lanes, copy.lanes) == (24, 6)


def test_fifo_has_a_lane_for_every_element_of_a_tile() -> None:
    (channel,) = apply(PAIR, GOOD).channels
    assert channel.kind is ChannelKind.FIFO
    assert (channel.lanes, channel.depth_elems) == ((2, 3), 24)
    assert full_depth_elems(PAIR.array("E"), channel.lanes) == 4


def test_boundary_arrays_are_split_for_all_that_touch_them() -> None:
    assert apply(PAIR, GOOD).partitions == (
        ArrayPartition("A", (2, 4)),
        ArrayPartition("B", (4, 3)),
        ArrayPartition("y", (2, 3)),
    )


def test_ping_pong_buffer_is_split_for_the_faster_side() -> None:
    different = schedule(plan("gemm", "kij", i=2, j=3), plan("copy", "jin", i=4), PING_PONG)
    (channel,) = apply(PAIR, different).channels
    assert (channel.lanes, channel.depth_elems) == ((4, 3), 0)


def test_windows_are_split_for_the_product_of_their_factors() -> None:
    window = pair(access("E", i, j), access("E", i.scaled(0) + n.scaled(2) + j.floordiv(3), j))
    wide = schedule(plan("gemm", "kij"), plan("copy", "nij", i=4, j=2), PING_PONG)
    assert apply(window, wide).channels[0].lanes == (2, 2)


def test_buffers_are_left_alone_where_many_lanes_can_not_tell_their_banks() -> None:
    window = pair(access("E", i, j), access("E", i + j, j))
    two = schedule(plan("gemm", "kij"), plan("copy", "nij", j=2), PING_PONG)
    assert apply(window, two).channels[0].lanes == (2, 2)
    three = schedule(plan("gemm", "kij"), plan("copy", "nij", j=3), PING_PONG)
    assert apply(window, three).channels[0].lanes == (1, 1)
    uneven = schedule(plan("gemm", "kij", j=3), plan("copy", "inj", j=2), PING_PONG)
    assert apply(PAIR, uneven).channels[0].lanes == (1, 3)


def test_no_factor_exceeds_the_extent() -> None:
    window = pair(access("E", i, j), access("E", i + j, j))
    wide = schedule(plan("gemm", "kij"), plan("copy", "nij", i=4, j=6), PING_PONG)
    assert apply(window, wide).channels[0].lanes == (4, 6)


@pytest.mark.parametrize(
    ("write", "read", "shape"),
    [
        (access("E", j, i), access("E", j, i), (6, 4)),
        (access("E", ZERO, i, j), access("E", ZERO, i, j), (1, 4, 6)),
        (access("E", ZERO, i, j), access("E", n, i, j), (1, 4, 6)),
    ],
)
def test_fifo_shapes(write: Access, read: Access, shape: tuple[int, ...]) -> None:
    lanes = apply(pair(write, read, shape), GOOD).channels[0].lanes
    assert lanes == tuple({4: 2, 6: 3, 1: 1}[extent] for extent in shape)


def test_scalar_can_be_a_fifo() -> None:
    total = node("total", "i4", access("s"), access("x", i))
    spread = node("spread", "i4", access("y", i), access("x", i), access("s"))
    arrays = (
        Array("x", (4,), Role.INPUT),
        Array("s", (), Role.INTERNAL),
        Array("y", (4,), Role.OUTPUT),
    )
    graph = Graph("g", arrays, (total, spread), (edge(total, spread),))
    plans = (NodePlan("total", ("i",), (("i", 2),)), NodePlan("spread", ("i",), (("i", 4),)))
    fifo = ChannelPlan("total_spread", ChannelKind.FIFO, 1)
    (channel,) = apply(graph, Schedule("g", plans, (fifo,))).channels
    assert channel.lanes == ()
    assert full_depth_elems(graph.array("s"), channel.lanes) == 1


@pytest.mark.parametrize(
    ("write", "read", "message"),
    [
        (access("E", i, j), access("E", j.floordiv(2), j), "node 'copy' does not touch every"),
        (access("E", i, i), access("E", i, j), "node 'gemm' does not touch every"),
        (access("E", i, j), access("E", i, j + ONE), r"once through E[i][j + 1]"),
        (access("E", i, j), access("E", ZERO, j), "once through E[0][j]"),
    ],
)
def test_fifo_needs_every_element_once(write: Access, read: Access, message: str) -> None:
    text = refusal(pair(write, read), GOOD)
    assert text.startswith("E308 channel 'gemm_copy' can't be a FIFO: ")
    assert message in text


def test_fifo_needs_one_order() -> None:
    swapped = schedule(plan("gemm", "jki"), plan("copy", "inj"))
    assert refusal(PAIR, swapped) == (
        "E309 channel 'gemm_copy' can't be a FIFO: node 'gemm' writes dimensions in order 2, 1, "
        "node 'copy' reads them in order 1, 2\n  hint: make it a ping-pong buffer"
    )


def test_fifo_needs_equal_lanes() -> None:
    uneven = schedule(plan("gemm", "kij", i=2, j=3), plan("copy", "inj", i=2, j=6))
    assert "writes 2 x 3 elements at once, node 'copy' reads 2 x 6" in refusal(PAIR, uneven)
    assert refusal(PAIR, uneven).startswith("E310")


def test_fifo_needs_one_read_access() -> None:
    gemm = PAIR.nodes[0]
    copy = replace(PAIR.nodes[1], value=product(access("E", i, j), access("E", i.scaled(0), j)))
    graph = replace(PAIR, nodes=(gemm, copy), edges=(edge(gemm, copy),))
    text = "E307 channel 'gemm_copy' can't be a FIFO: node 'copy' reads it at E[i][j], E[0][j]"
    assert refusal(graph, GOOD).startswith(text)


def test_fifo_needs_one_writer() -> None:
    gemm, copy = PAIR.nodes
    again = replace(gemm, name="again")
    graph = replace(PAIR, nodes=(gemm, again, copy), edges=(edge(gemm, copy), edge(again, copy)))
    plans = (GOOD.nodes[0], replace(GOOD.nodes[0], node="again"), GOOD.nodes[1])
    channels = (FIFO, replace(PING_PONG, channel="again_copy"))
    text = refusal(graph, Schedule("pair", plans, channels))
    assert text.startswith("E306 channel 'gemm_copy' can't be a FIFO: E is written by nodes ")
    ping_pong = apply(graph, Schedule("pair", plans, (PING_PONG, channels[1])))
    assert [channel.lanes for channel in ping_pong.channels] == [(2, 3), (2, 3)]


@pytest.mark.parametrize(
    ("channel", "message"),
    [
        (replace(FIFO, depth_elems=0), "E305 FIFO channel 'gemm_copy' has depth 0"),
        (replace(PING_PONG, depth_elems=2), "E305 ping-pong channel 'gemm_copy' has depth 2"),
    ],
)
def test_depths_fit_their_kind(channel: ChannelPlan, message: str) -> None:
    assert refusal(PAIR, replace(GOOD, channels=(channel,))).startswith(message)


def test_all_problems_of_the_plans_come_at_once() -> None:
    plans = (GOOD.nodes[0], GOOD.nodes[0], replace(GOOD.nodes[1], node="kopy"))
    text = refusal(PAIR, Schedule("pair", plans, ()))
    assert text.splitlines() == [
        "E302 node 'gemm' is planned 2 times instead of once",
        "E302 node 'copy' is planned 0 times instead of once",
        "E302 the schedule plans node 'kopy', which graph 'pair' doesn't have",
        "E302 channel 'gemm_copy' is planned 0 times instead of once",
    ]


def test_a_schedule_of_another_graph_is_told_as_that_alone() -> None:
    text = refusal(PAIR, Schedule("par", (), ()))
    assert text.splitlines() == [
        "E301 the schedule is for graph 'par', not for 'pair'",
        "  hint: solve this graph, or take the graph it is for",
    ]


def test_all_problems_of_the_nodes_come_at_once() -> None:
    gemm = NodePlan("gemm", ("i", "j"), (("i", 5), ("j", 0), ("k", 8)))
    copy = NodePlan("copy", ("i", "j", "j"), (("i", 1),))
    text = refusal(PAIR, schedule(gemm, copy))
    assert text.splitlines() == [
        "E303 order i, j of node 'gemm' is not a permutation of its loops i, j, k",
        "E304 unroll factor 5 of loop i in node 'gemm' is not from 1 to its trip count 4",
        "E304 unroll factor 0 of loop j in node 'gemm' is not from 1 to its trip count 6",
        "E303 order i, j, j of node 'copy' is not a permutation of its loops n, i, j",
        "E304 node 'copy' has unroll factors for i; its loops are n, i, j",
    ]


def test_binding_reaches_the_node_and_its_operations() -> None:
    bound = replace(
        plan("gemm", "kij"),
        binding=((Operator.ADD, Implementation.FABRIC), (Operator.MUL, Implementation.MAXDSP)),
    )
    scheduled = apply(PAIR, schedule(bound, plan("copy", "nij")))
    assert scheduled.nodes[0].binding == bound.binding
    gemm, _ = lower(scheduled).pipelines
    found = {operation.operator: operation.implementation for operation in gemm.operations}
    assert found == dict(bound.binding)


@pytest.mark.parametrize(
    ("binding", "message"),
    [
        (((Operator.ADD, Implementation.MAXDSP),), "E322 node 'gemm' binds 'add' to 'maxdsp'"),
        (((Operator.SUB, Implementation.FABRIC),), "E322 node 'gemm' binds 'sub' to 'fabric'"),
        (
            ((Operator.MUL, Implementation.FABRIC), (Operator.MUL, Implementation.MAXDSP)),
            "E322 node 'gemm' binds 'mul' 2 times",
        ),
    ],
)
def test_bindings_that_nothing_can_build(binding: Binding, message: str) -> None:
    bound = replace(plan("gemm", "kij"), binding=binding)
    with pytest.raises(LegalityError, match=message):
        apply(PAIR, schedule(bound, plan("copy", "nij")))
