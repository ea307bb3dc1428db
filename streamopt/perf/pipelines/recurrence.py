"""Initiation intervals that recurrences ask for: values that a later iteration needs.

An accumulation in memory reads what an earlier iteration wrote to the same element. Operations
that add ``r`` terms to one element in an iteration are a chain of ``r``, in source order. A design
of ours first combines the terms in a tree (`streamopt.ir.network.Operation`), so its chain is one.
In a pipeline whose sums the tool may reassociate, the chain of a float sum is shorter. Evidence:
Vitis HLS 2023.2 reports of the published Stream-HLS designs, made with
``-unsafe_math_optimizations``:

=====  ============================  =====================
r      additions in the recurrence   II at distance 1
=====  ============================  =====================
1, 2   1 (2 for a sum without         4 (8)
       multiplications of 2 terms)
3..8   3                             12
9..    4                             16
=====  ============================  =====================

The adders of a recurrence are those of the fabric, 4 cycles each, where the design doesn't ask for
others. At distance 1 the sum stays in
a register; further apart it goes through memory, 2 cycles more: ``ceil((4 L + 2) / distance)``.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Any

from streamopt.ir.network import AccessMode, Implementation, Operation, Pipeline, Port
from streamopt.ir.operators import Operator
from streamopt.perf.pipelines.access_distance import collision_distance
from streamopt.perf.pipelines.operation_graph import built_operations
from streamopt.target.device import Target

ROUND_TRIP_CYCLES = 2
"""Cycles to write a sum to memory and to read it back."""

_FREE = frozenset({Operator.MIN, Operator.MAX, Operator.SELECT, Operator.COPY})
"""Operators that a recurrence has for nothing: `fmax` is reported as a function of 0 cycles."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A memory's element that an iteration updates."""

    target: str
    operations: tuple[Operation, ...]
    """From the value read to the value written."""
    terms: Any
    """Updates of one element in an iteration: the lanes along which it is reduced."""
    distance: Any
    """Iterations between two updates of one element, at least; None if none comes twice. Terms and
    distance are integers, or integer arrays of one entry a schedule (0 for None)."""
    of_products: bool
    """Whether a term that is added comes from a multiplier."""
    source: str = ""
    """Name of the value read."""
    reassociates: bool = False
    """Whether the tool may do the additions of a float sum in another order."""

    @property
    def is_sum(self) -> bool:
        """Return whether it is a floating-point sum."""
        return self.adds and self.operations[0].element.is_float

    @property
    def adds(self) -> bool:
        """Return whether all that it does is one addition a term."""
        kinds = [operation.operator for operation in self.operations]
        kinds = [kind for kind in kinds if kind is not Operator.COPY]
        return len(kinds) == 1 and kinds[0] in (Operator.ADD, Operator.SUB)

    @property
    def carried(self) -> str:
        """Return the value on the way that the last operation takes."""
        if len(self.operations) < 2:
            return self.source
        return self.operations[-2].result

    @property
    def chained_additions(self) -> Any:
        """Return the additions of a sum that wait for each other across iterations."""
        if not self.reassociates:
            return self.terms
        few = 1 if self.of_products else self.terms
        return few + (self.terms > 2) * (3 - few) + (self.terms > 8)

    def round_trip_cycles(self, latency_cycles: int, target: Target) -> Any:
        """Return the cycles from update to update, with adders of a latency and through memory."""
        return self.chained_additions * latency_cycles + memory_round_trip_cycles(target)

    def ii(self, target: Target) -> int:
        """Return the cycles between two iterations that it asks for, on a device."""
        if self.distance is None:
            return 1
        latency = accumulation_latency_cycles(self, target)
        return interval_cycles(latency, self.distance, memory_round_trip_cycles(target))


def memory_round_trip_cycles(target: Target) -> int:
    """Return the cycles to write a sum to memory and to read it back; none in our own Verilog."""
    return 0 if target.is_open else ROUND_TRIP_CYCLES


def interval_cycles(latency_cycles: int, distance: int, memory_cycles: int) -> int:
    """Return the cycles between two iterations that an update asks for.

    Parameters
    ----------
    latency_cycles
        From the value read to the value written, without the memory.
    distance
        Iterations between two updates of one element.
    memory_cycles
        See `memory_round_trip_cycles`.
    """
    if distance == 1 or latency_cycles == 0:
        return max(1, latency_cycles)
    return max(1, -(-(latency_cycles + memory_cycles) // distance))


def accumulation_latency_cycles(recurrence: Recurrence, target: Target) -> int:
    """Return the cycles from the value read to the value written, without the memory."""
    if recurrence.is_sum:
        last = recurrence.operations[-1]
        built_from = last.implementation or Implementation.FABRIC
        adder = target.operator(Operator.ADD, last.element, built_from)
        return recurrence.chained_additions * adder.latency_cycles
    one = sum(
        target.operator(
            operation.operator, operation.element, operation.implementation
        ).latency_cycles
        for operation in recurrence.operations
        if not free_of_latency(operation)
    )
    # Integer additions may change places anyway: the terms meet before the sum.
    return one if recurrence.adds else one * recurrence.terms


def free_of_latency(operation: Operation) -> bool:
    """Return whether an operation adds no cycle to a recurrence."""
    return operation.operator in _FREE


def recurrences(pipeline: Pipeline) -> Iterator[Recurrence]:
    """Yield the memories' updates of a pipeline: reads on which a write of the memory depends."""
    operations = built_operations(pipeline)
    makers = {operation.result: operation for operation in operations}
    reads = [port for port in pipeline.ports if port.mode is AccessMode.READ]
    for write in pipeline.ports:
        if write.mode is AccessMode.WRITE:
            for read in reads:
                if read.target == write.target:
                    yield from _recurrence(read, write, makers, pipeline)


def _recurrence(
    read: Port, write: Port, makers: dict[str, Operation], pipeline: Pipeline
) -> Iterator[Recurrence]:
    path = _path(write.value, read.value, makers)
    if not path:
        return
    loops = {name for subscript in write.subscripts for name in subscript.iterators()}
    loops |= {name for operation in pipeline.operations for name in operation.over}
    terms = prod(loop.trip_count for loop in pipeline.lanes if loop.name not in loops)
    inside = {operation.result for operation in path} | {read.value}
    others = [name for step in path for name in step.operands if name not in inside]
    products = any(name in makers and _is_product(name, makers) for name in others)
    distance = collision_distance(read, write, pipeline)
    yield Recurrence(
        write.target, path, terms, distance, products, read.value, pipeline.reassociates
    )


def _is_product(name: str, makers: dict[str, Operation]) -> bool:
    while name in makers and makers[name].operator is Operator.COPY:
        name = makers[name].operands[0]
    return name in makers and makers[name].operator is Operator.MUL


def _path(value: str, source: str, makers: dict[str, Operation]) -> tuple[Operation, ...]:
    """Return the operations from a source to a value; empty if it doesn't depend on it."""
    reached: dict[str, tuple[Operation, ...]] = {source: ()}

    def operations_to(name: str) -> tuple[Operation, ...] | None:
        if name in reached:
            return reached[name]
        maker = makers.get(name)
        if maker is None:
            return None
        ways = [way for operand in maker.operands if (way := operations_to(operand)) is not None]
        if not ways:
            return None
        reached[name] = (*max(ways, key=len), maker)
        return reached[name]

    return operations_to(value) or ()
