"""A product and what reads it in another loop order, as scheduled by hand."""

from __future__ import annotations

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Binary, BinaryOp, Call, Function, Literal, Read
from streamopt.ir.graph import Edge, Graph, Node
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Loop, Role
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.ir.scheduled import ArrayPartition, Channel, ScheduledGraph, ScheduledNode, TiledLoop

i, j, k = (Affine.iterator(name) for name in "ijk")


def access(array: str, *subscripts: Affine) -> Access:
    return Access(array, subscripts)


def gemm_then_act(kind: ChannelKind) -> ScheduledGraph:
    """[1] Listing 3: a product whose result a second node reads in another loop order."""
    product = Binary(BinaryOp.MUL, Read(access("A", i, k)), Read(access("B", k, j)))
    loops = (Loop("i", 8), Loop("j", 6), Loop("k", 4))
    gemm = Node("gemm", loops, access("C", i, j), product, Reduction.ADD)
    shifted = Binary(BinaryOp.ADD, Read(access("C", i, j)), Read(access("b", j)))
    value = Call(Function.MAX, (shifted, Literal(0.0)))
    act = Node("act", loops[:2], access("E", j, i), value)
    arrays = (
        Array("A", (8, 4), Role.INPUT),
        Array("B", (4, 6), Role.WEIGHT),
        Array("b", (6,), Role.WEIGHT),
        Array("C", (8, 6), Role.INTERNAL),
        Array("E", (6, 8), Role.OUTPUT),
    )
    edge = Edge("C", "C", "gemm", "act", gemm.write, (access("C", i, j),))
    graph = Graph("3mm", arrays, (gemm, act), (edge,))
    depth = 8 if kind is ChannelKind.FIFO else 0
    plans = (
        NodePlan("gemm", ("k", "i", "j"), (("i", 2), ("j", 3), ("k", 1))),
        NodePlan("act", ("i", "j"), (("i", 2), ("j", 3))),
    )
    schedule = Schedule("3mm", plans, (ChannelPlan("C", kind, depth),))
    nodes = (
        ScheduledNode(gemm, (TiledLoop("k", 4, 1), TiledLoop("i", 8, 2), TiledLoop("j", 6, 3))),
        ScheduledNode(act, (TiledLoop("i", 8, 2), TiledLoop("j", 6, 3))),
    )
    partitions = (
        ArrayPartition("A", (2, 1)),
        ArrayPartition("B", (1, 3)),
        ArrayPartition("b", (3,)),
        ArrayPartition("E", (3, 2)),
    )
    channel = Channel(edge, kind, (2, 3), depth)
    return ScheduledGraph(graph, schedule, nodes, (channel,), partitions)
