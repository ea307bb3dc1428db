"""The decisions of a design, one by one, in the names of the graph."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.graph import SequentialNode
from streamopt.strategies.hida.partition import partitions
from streamopt.strategies.hida.quality import loop_order
from streamopt.strategies.rival import Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.ir.graph import Graph, Node
    from streamopt.strategies.hida.parallelize import Parallelizer
    from streamopt.strategies.hida.tasks import Task
    from streamopt.strategies.hida.widening import Parallelization

__all__ = ["told"]

FUSION = "task fusion"
BALANCE = "data path balancing"
PARALLEL = "parallelization"


def told(
    before: Graph,
    graph: Graph,
    tasks: Sequence[Task],
    parallelizer: Parallelizer,
    found: Parallelization,
) -> Iterator[Step]:
    """Yield the decisions in the order in which they were made.

    Parameters
    ----------
    before, graph
        As read, and after all rewrites.
    """
    kept = {node.name for node in graph.nodes}
    for node in before.nodes:
        if node.name not in kept:
            yield Step(FUSION, f"{node.name} is part of what reads {', '.join(node.outputs)}")
    for task in tasks:
        if len(task.nodes) > 1:
            yield Step(FUSION, f"{task.name} are one task of {task.intensity} iterations")
    known = {node.name for node in before.nodes}
    for node in graph.nodes:
        if node.name not in known:
            what = f"{node.name} passes {node.inputs[0]} on as {node.outputs[0]}"
            yield Step(BALANCE, f"{what}, beside a longer path")
    what = f"maximum parallel factor {found.most}: {found.dsps} DSPs by its own count"
    yield Step(PARALLEL, what)
    for node in parallelizer.order:
        yield Step(PARALLEL, _lanes(node, parallelizer, found))
    yield from _banks(graph, found)


def _lanes(node: Node, parallelizer: Parallelizer, found: Parallelization) -> str:
    if isinstance(node, SequentialNode):
        return f"{node.name} is sequential and stays as it is"
    loops, factors = [*node.trip_counts], found.choices[node.name].factors
    unrolled = ", ".join(f"{loop} by {factor}" for loop, factor in zip(loops, factors, strict=True))
    asked = parallelizer.heard(node.name)
    agrees = f", in agreement with {', '.join(asked)}" if asked else ""
    most = found.most_lanes[node.name]
    order = ", ".join(loop_order(node))
    return f"{node.name} in order {order}, at most {most} lanes: unroll {unrolled}{agrees}"


def _banks(graph: Graph, found: Parallelization) -> Iterator[Step]:
    factors = {
        node.name: dict(zip(node.trip_counts, found.choices[node.name].factors, strict=True))
        for node in graph.nodes
    }
    for array, banks in partitions(graph, factors).items():
        if prod(banks) > 1:
            cyclic = " x ".join(map(str, banks))
            yield Step("array partition", f"{array} in {cyclic} cyclic banks")
    passed = dict.fromkeys(edge.array for edge in graph.edges)
    if passed:
        yield Step("buffers", f"ping-pong: {', '.join(passed)}")
