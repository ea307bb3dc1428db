"""Operators that a pipeline needs: replicas of its operations over lanes, shared over the II.

Counts, initiation intervals, and terms and distances of sums are integers of one pipeline, or
integer arrays with one entry a schedule: the same rules judge a lowered network and all choices of
a node at once.

Adders are built from LUTs unasked on a recurrence that is too tight for DSP slices; a design of
ours asks for them there (`streamopt.analysis.accumulator`). Evidence: 292 nodes of the published
Stream-HLS designs on PolyBench and chains of matrix products (Vitis HLS 2023.2, xcu280, 3.33 ns),
4971 of whose 19393 adders have no DSP.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any

import numpy as np

from streamopt.ir.network import AccessMode, Implementation, Operation, Pipeline, Port
from streamopt.ir.operators import Operator
from streamopt.perf.pipelines.operation_graph import built_operations
from streamopt.perf.pipelines.recurrence import Recurrence
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class Replicas:
    """How often one operation of the body is made."""

    operation: Operation
    """As it is built: see `streamopt.perf.pipelines.operation_graph.built_operations`."""
    lanes: frozenset[str]
    """Unrolled loops over which its operands differ."""
    count: int
    """Units of them, of one operation a cycle each, that every iteration of the tile loops keeps
    busy for a cycle."""
    factors: tuple[frozenset[str], ...] = ()
    """Lanes over which each operand differs."""

    def copies(self, extents: Mapping[str, Any]) -> Any:
        """Return how often it is made for numbers of lanes; a tree has one less than its terms.

        Packed products are made in pairs: of lanes of one loop, on which one factor doesn't depend.

        Parameters
        ----------
        extents
            Of its lanes: integers, or integer arrays of one entry a schedule.
        """
        over = self.operation.over
        apart = prod(extents[name] for name in self.lanes if name not in over)
        if self.operation.implementation is Implementation.PACKED:
            return self._pairs(extents, apart)
        return apart * (prod(extents[name] for name in over) - 1) if over else apart

    def _pairs(self, extents: Mapping[str, Any], products: Any) -> Any:
        pairs = products
        left, right = self.factors
        for name in left ^ right:
            halved = products // extents[name] * -(-extents[name] // 2)
            pairs = halved + (pairs - halved) * (pairs < halved)
        return pairs


@dataclass(frozen=True, slots=True)
class OperatorAmounts:
    """Resources of operators; integers, or integer arrays with one entry a schedule."""

    dsps: Any
    luts: Any
    ffs: Any
    unit_bits: Any
    """Bits of the results of all units, after sharing."""
    result_bits: Any
    """Bits of the results of all operations."""


def operator_replicas(pipeline: Pipeline) -> tuple[Replicas, ...]:
    """Return the operations of a pipeline with their replicas, copies of values left out.

    An operation is made once for every combination of the lanes on which its operands depend,
    through the subscripts of reads and through other operations; lanes that it does not see get
    the same value. What a tree combines no longer depends on its lanes.
    """
    extents = {lane.name: lane.trip_count for lane in pipeline.lanes}
    seen = {
        port.value: lanes_of(port, pipeline)
        for port in pipeline.ports
        if port.mode is AccessMode.READ
    }
    found: list[Replicas] = []
    for operation in built_operations(pipeline):
        factors = tuple(seen.get(name, frozenset[str]()) for name in operation.operands)
        lanes = frozenset(operation.over).union(*factors)
        seen[operation.result] = lanes.difference(operation.over)
        if operation.operator is not Operator.COPY:
            made = Replicas(operation, lanes, 0, factors)
            found.append(replace(made, count=made.copies(extents)))
    return tuple(found)


def together(replicas: Iterable[Replicas]) -> tuple[Replicas, ...]:
    """Return operations of one kind as replicas of one of them."""
    found: dict[tuple[object, ...], Replicas] = {}
    for each in replicas:
        one = each.operation
        kind = (one.operator, one.element, one.implementation, each.lanes, one.over)
        known = found.get(kind)
        found[kind] = each if known is None else replace(known, count=known.count + each.count)
    return tuple(found.values())


def lanes_of(port: Port, pipeline: Pipeline) -> frozenset[str]:
    """Return the unrolled loops over which an access goes to different elements or streams."""
    names = {name for subscript in port.subscripts for name in subscript.iterators()}
    return frozenset(lane.name for lane in pipeline.lanes if lane.name in names)


def operator_amounts(
    counts: Iterable[tuple[Operation, Any]], sums: Sequence[Recurrence], ii: Any, target: Target
) -> OperatorAmounts:
    """Return the resources of operations, each done so many times every ``ii`` cycles.

    Parameters
    ----------
    sums
        The floating-point sums among the recurrences.

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    cycles = sharing_cycles(sums, ii)
    dsps = luts = ffs = unit_bits = result_bits = 0 * ii
    for operation, count in counts:
        result_bits = result_bits + count * operation.element.bits
        short = fabric_adders(operation, count, sums, ii, target)
        for built, implementation in (
            (count - short, operation.implementation),
            (short, Implementation.FABRIC),
        ):
            if np.any(built):
                cost = target.operator(operation.operator, operation.element, implementation)
                units = shared_units(built, cycles)
                dsps, luts = dsps + units * cost.dsps, luts + units * cost.luts
                ffs, unit_bits = ffs + units * cost.ffs, unit_bits + units * operation.element.bits
    return OperatorAmounts(dsps, luts, ffs, unit_bits, result_bits)


def fabric_adders(
    operation: Operation, count: Any, sums: Iterable[Recurrence], ii: Any, target: Target
) -> Any:
    """Return how many of an operation's replicas the tool makes adders without DSPs, unasked.

    A recurrence has ``ii * distance`` cycles. Where its additions don't fit with the adder that
    the table has first (6 cycles each at 3.33 ns, and 2 for the memory), Vitis HLS takes the
    shorter adder of LUTs for each of them; additions off the recurrence keep their DSPs. So it
    is in 279 of the 292 nodes; in all, 79 adders of 4971 are taken for the wrong kind.

    Those are four of each element for five to seven terms, and else the chained additions.
    Measured: 1 of 1 and 2, 3 of 4 and 8, 3.9 of 5, 3.7 of 7, 4 of 10 to 25 terms.
    """
    short: Any = 0
    if operation.implementation is not None:
        return short
    usual = target.operator(operation.operator, operation.element)
    for update in sums:
        if usual.dsps and update.distance is not None and operation in update.operations:
            tight = update.round_trip_cycles(usual.latency_cycles, target) > ii * update.distance
            tight = tight & (update.distance > 0)
            adders = update.chained_additions + ((update.terms > 4) & (update.terms < 8))
            short = short + (short == 0) * tight * (count // update.terms * adders)
    return short


def sharing_cycles(sums: Iterable[Recurrence], ii: Any) -> Any:
    """Return over how many cycles of the II operations are spread, and so share units.

    All of them, but in one case, observed and not explained: where a recurrence of distance 1
    sets the II and leaves one addition of each element off it (four terms, II 12), operations
    are found in half of the cycles (64 multiplications in 11 units instead of 6; 22 nodes of the
    published matrix chains).
    """
    halved: Any = False
    for update in sums:
        chained = update.chained_additions
        leaves_one = (chained > 1) & (chained == update.terms - 1)
        halved = halved | ((update.distance == 1) & leaves_one)
    return ii - (halved & (ii > 1)) * (ii - ii // 2)


def shared_units(count: Any, ii: Any) -> Any:
    """Return the pipelined units that do ``count`` operations every ``ii`` cycles.

    ``ceil(count / ii)``: a unit takes new operands every cycle.

    Examples
    --------
    >>> shared_units(256, 2)
    128
    """
    return -(-count // ii)
