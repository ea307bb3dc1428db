"""Networks carry what the scheduled graph says: walked iteration by iteration, lane by lane."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import product
from math import prod
from typing import TYPE_CHECKING

import pytest

from streamopt.formats.graph_json import read_graph_json
from streamopt.ir.expression import Compare, Index, Literal, Logic
from streamopt.ir.network import AccessMode, Implementation, Network, Pipeline, Place, Port
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import ChannelKind
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.lower import lower
from tests.support.programs.sketches import all_legal_fifos, plans, program, scheduled
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.scheduled import ScheduledGraph

from tests.support.random.schedules import random_plans


def side(expression: object, point: Mapping[str, int]) -> float:
    assert isinstance(expression, Index | Literal)
    return expression.value if isinstance(expression, Literal) else expression.value.evaluate(point)


def holds(guard: Compare | Logic | None, point: Mapping[str, int]) -> bool:
    if guard is None:
        return True
    if isinstance(guard, Logic):
        return all(holds(part, point) for part in guard.operands)
    return guard.op.holds(side(guard.left, point), side(guard.right, point))


def touches(pipeline: Pipeline, port: Port) -> Iterator[tuple[int, ...]]:
    """Yield the element or stream of every access, in the order of the iterations."""
    loops = (*pipeline.tiles, *pipeline.lanes)
    for values in product(*(range(loop.trip_count) for loop in loops)):
        point = dict(zip((loop.name for loop in loops), values, strict=True))
        if holds(port.guard, point):
            yield tuple(subscript.evaluate(point) for subscript in port.subscripts)


def side_of(network: Network, target: str, mode: AccessMode) -> Counter[tuple[int, ...]]:
    return Counter(
        place
        for pipeline in network.pipelines
        for port in pipeline.ports
        if port.target == target and port.mode is mode
        for place in touches(pipeline, port)
    )


def check_conservation(design: ScheduledGraph) -> None:
    network = lower(design)
    for fifo in network.fifos:
        array = design.graph.array(design.channel(fifo.name).edge.array)
        streams = set(product(*map(range, fifo.lanes)))
        tokens = array.size_elems // prod(fifo.lanes)
        wanted = Counter(dict.fromkeys(streams, tokens))
        assert side_of(network, fifo.name, AccessMode.WRITE) == wanted
        assert side_of(network, fifo.name, AccessMode.READ) == wanted
    for memory in network.memories:
        elements = set(product(*map(range, memory.shape)))
        written = side_of(network, memory.name, AccessMode.WRITE)
        read = side_of(network, memory.name, AccessMode.READ)
        assert {*written, *read} <= elements
        if memory.place is Place.PING_PONG:
            assert set(read) <= set(written)
        if memory.place is not Place.ARGUMENT:
            assert set(read) <= set(written)


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_conserve_tokens(seed: int) -> None:
    choose = random.Random(seed)
    graph = random_graph(choose, nodes=3, max_extent=4)
    check_conservation(all_legal_fifos(graph, random_plans(graph, choose)))


CHAIN = program(
    {"x": "input 4 6", "W": "weight 6 8", "h": "internal 4 8", "y": "output 4 8"},
    {
        "gemm": "i 4, j 8, k 6: h[i][j] += x[i][k] * W[k][j]",
        "act": "i 4, j 8: y[i][j] = exp(h[i][j]) / 3 + h[i][j]",
    },
)


def test_a_product_and_its_consumer() -> None:
    network = lower(scheduled(CHAIN, {"gemm": "i k j"}, {"gemm": "k 2, j 4", "act": "j 4"}))
    gemm, act = network.pipelines
    assert [(loop.name, loop.trip_count) for loop in gemm.tiles] == [("i", 4), ("k", 3), ("j", 2)]
    assert [(lane.name, lane.trip_count) for lane in gemm.lanes] == [("k.lane", 2), ("j.lane", 4)]
    assert [(op.operator, op.operands) for op in gemm.operations] == [
        (Operator.MUL, ("v0", "v1")),
        (Operator.ADD, ("t0",)),
        (Operator.ADD, ("before", "t1")),
    ]
    assert [op.over for op in gemm.operations] == [(), ("k.lane",), ()]
    # an element comes again after two iterations
    assert [op.implementation for op in gemm.operations] == [None, None, Implementation.FABRIC]
    assert [(port.mode.value, port.target) for port in gemm.ports] == [
        ("read", "x"), ("read", "W"),
        ("read", "gemm.h_acc"), ("write", "gemm.h_acc"), ("write", "h"),
    ]  # fmt: skip
    assert [op.operator for op in act.operations] == [Operator.EXP, Operator.DIV, Operator.ADD]
    (fifo,) = network.fifos
    assert (fifo.lanes, fifo.depth_elems) == ((1, 4), 8)
    accumulator = next(m for m in network.memories if m.name == "gemm.h_acc")
    assert (accumulator.place, accumulator.factors) == (Place.LOCAL, (1, 4))


def test_two_writers_are_one_process() -> None:
    padded = program(
        {"x": "input 4", "p": "internal 6", "y": "output 6"},
        {
            "zero": "i 6: p[i] = 0",
            "copy": "i 4: p[i + 1] = x[i]",
            "twice": "i 6: y[i] = 2 * p[i]",
        },
    )
    network = lower(all_legal_fifos(canonicalize(padded), plans(canonicalize(padded), {}, {})))
    sizes = [(process.name, len(process.pipelines)) for process in network.processes]
    assert sizes == [("zero_copy", 2), ("twice", 1)]
    assert [m.name for m in network.memories if m.place is Place.PING_PONG] == ["p__zero__twice"]


def test_a_sequential_node_copies_in_and_out() -> None:
    document = {
        "schema_version": 1,
        "name": "p",
        "arrays": {"x": {"shape": [8], "role": "input"}, "y": {"shape": [8], "role": "output"}},
        "nodes": [
            {
                "name": "n",
                "loops": {"i": 7},
                "sequential": True,
                "carries": {"y": "x"},
                "body": ["if i % 2 == 0: y[i + 1] = (y[i] + y[i + 1]) / 2"],
            }
        ],
    }
    design = scheduled(read_graph_json(json.dumps(document), "p.json"))
    assert not [c for c in design.channels if c.kind is ChannelKind.FIFO]
    network = lower(design)
    (process,) = network.processes
    assert [p.name for p in process.pipelines] == ["n.bring_y", "n.a0", "n.hand_y"]
    nest = process.pipelines[1]
    assert [(p.mode.value, p.target) for p in nest.ports] == [
        ("read", "n.y_0"), ("read", "n.y_0"), ("write", "n.y_0"),
    ]  # fmt: skip
    (turns,) = process.turns
    assert turns.pipelines == ("n.a0",)
    assert [op.operator for op in nest.operations] == [Operator.ADD, Operator.DIV]
    check_conservation(design)
