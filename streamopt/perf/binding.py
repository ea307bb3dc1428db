"""Which adders are built from LUTs: those on a recurrence that is too tight for DSP slices.

Evidence: 292 nodes of published designs on PolyBench and chains of matrix products (Vitis HLS
2023.2, xcu280, 3.33 ns).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir.network import AccessMode, Operator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.network import Operation, Pipeline, Port, PipelineTiming
    from streamopt.perf.operators import Replicas
    from streamopt.target.device import Target

__all__ = ["Accumulation", "accumulations", "fabric_adders", "recurrent_additions", "sharing_cycles"]

_MEMORY_CYCLES = 2
"""Cycles from the last adder of a recurrence through the memory to the first: write, read."""


@dataclass(frozen=True, slots=True)
class Accumulation:
    """An operation that adds to what an earlier iteration wrote.

    Attributes
    ----------
    terms
        Terms that one iteration adds to each element: the unrolled part of the reduction.
    distance_iterations
        Iterations between two that add to the same element.
    """

    operation: Operation
    terms: int
    distance_iterations: int


def accumulations(pipeline: Pipeline) -> Iterator[Accumulation]:
    """Yield the accumulations of a pipeline.

    An operation accumulates where an operand is read from, and its result written to, one place
    of a memory. What adds to that place in an iteration are the lanes that its subscripts leave
    out; the distance is the product of the trip counts inside the innermost tile loop that they
    leave out. Without such a loop every element gets all its terms at once, and nothing recurs.
    """
    reads = {p.value: p for p in pipeline.ports if p.mode is AccessMode.READ}
    writes = {p.value: p for p in pipeline.ports if p.mode is AccessMode.WRITE}
    for operation in pipeline.operations:
        write = writes.get(operation.result)
        if operation.operator not in (Operator.ADD, Operator.SUB) or write is None:
            continue
        if any(_same_place(reads.get(name), write) for name in operation.operands):
            used = {name for subscript in write.subscripts for name in subscript.iterators()}
            distance = _distance(pipeline, used)
            if distance is not None:
                lanes = (lane.trip_count for lane in pipeline.lanes if lane.name not in used)
                yield Accumulation(operation, prod(lanes), distance)


def recurrent_additions(terms: int) -> int:
    """Return how many additions follow one another on the recurrence of an accumulation.

    One where one or two terms are added, for two are added to each other first; three for four
    or eight terms, four for other numbers: Vitis HLS balances only part of the tree.

    Examples
    --------
    >>> [recurrent_additions(terms) for terms in (1, 2, 4, 8, 10, 16)]
    [1, 1, 3, 3, 4, 4]
    """
    if terms <= 2:
        return 1
    return 3 if terms in (3, 4, 8) else 4


def fabric_adders(
    pipeline: Pipeline, replicas: Replicas, timing: PipelineTiming, target: Target
) -> int:
    """Return how many of an operation's replicas are adders without DSPs.

    A recurrence has ``ii * distance`` cycles. Where its additions don't fit with the adder that
    the table has first (6 cycles each at 3.33 ns, and 2 for the memory), Vitis HLS takes the
    shorter adder of LUTs for each of them; additions off the recurrence keep their DSPs.
    """
    usual = target.operator(replicas.operator, replicas.element)
    if usual.dsps == 0 or not replicas.element.is_float:
        return 0
    for found in accumulations(pipeline):
        if found.operation is replicas.operation:
            additions = recurrent_additions(found.terms)
            needed_cycles = additions * usual.latency_cycles + _MEMORY_CYCLES
            if needed_cycles > timing.ii * found.distance_iterations:
                return min(replicas.count, replicas.count // found.terms * additions)
    return 0


def sharing_cycles(pipeline: Pipeline, timing: PipelineTiming) -> int:
    """Return over how many cycles of the II operations are spread, and so share units.

    All of them, but in one case, observed and not explained: where a recurrence of distance 1
    sets the II and leaves one addition of each element off it (four terms, II 12), operations
    are found in half of the cycles (64 multiplications in 11 units instead of 6; 22 nodes of the
    published matrix chains).
    """
    for found in accumulations(pipeline):
        additions = recurrent_additions(found.terms)
        if found.distance_iterations == 1 and 1 < additions == found.terms - 1:
            return max(1, timing.ii // 2)
    return timing.ii


def _same_place(read: Port | None, write: Port) -> bool:
    return (
        read is not None
        and read.target == write.target
        and set(read.subscripts) == set(write.subscripts)
        and len(read.subscripts) == len(write.subscripts)
    )


def _distance(pipeline: Pipeline, used: set[str]) -> int | None:
    distance = 1
    for tile in reversed(pipeline.tiles):
        if tile.name not in used and tile.trip_count > 1:
            return distance
        distance *= tile.trip_count
    return None
