"""Least usage of rows, and usage of schedules, of the resources that have limits."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod

import numpy as np
import numpy.typing as npt

from streamopt.analysis.access_order import full_depth_elems
from streamopt.ir.graph import Edge, Node
from streamopt.ir.ports import PortPlan
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.perf.resources.memory_blocks import fifo_depth_steps
from streamopt.search.labels.component import SearchStoppedError
from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows
from streamopt.space.usage import RowUsage
from streamopt.strategies.resources.local_costs import LocalCosts
from streamopt.strategies.resources.surroundings import Neighbour, Option, RowDomain, Surroundings
from streamopt.target.device import Target
from streamopt.target.resources import Resources
from streamopt.transforms.apply import stream_lanes

Integers = npt.NDArray[np.int64]
Counts = tuple[int, ...]
_Row = tuple[Integers, dict[str, tuple[Integers, Integers]]]
Measure = Callable[[Schedule], Resources]
Sized = Callable[[Schedule], Schedule]

MOST_SURROUNDINGS = 256
"""Combinations of kinds and banks around one row that are looked at; of more, nothing is said."""
IMPOSSIBLE = 1 << 40
"""Amount of a row that is in no schedule: more than any limit."""


class DesignCosts:
    """Amounts of some resources of designs on a target.

    Parameters
    ----------
    limits
        By resource, named as in `streamopt.target.resources.Resources`.
    measure
        What a schedule takes with the FIFO depths that it has.
    sized
        Gives FIFOs the depths that are emitted; None for those of the schedule.
    tables
        Ports of the arrays that are tables.
    """

    def __init__(
        self,
        limits: Mapping[str, int],
        space: DecisionSpace,
        target: Target,
        measure: Measure,
        sized: Sized | None,
        tables: tuple[PortPlan, ...] = (),
    ) -> None:
        self._names = tuple(limits)
        self._target = target
        self._measure = measure
        self._sized = sized
        self._used: dict[Schedule, Counts] = {}
        self._space = space
        self._costs = LocalCosts(space.graph, target, tables)
        self._around = Surroundings(space)

    def usage(self, schedule: Schedule) -> Counts:
        """Return the usage of a schedule as emitted, after its FIFOs are sized."""
        if schedule not in self._used:
            emitted = schedule if self._sized is None else self._sized(schedule)
            self._used[schedule] = self._of(self._measure(emitted))
        return self._used[schedule]

    def usage_as_is(self, schedule: Schedule) -> Counts:
        """Return the usage of a schedule with the FIFO depths that it has."""
        return self._of(self._measure(schedule))

    def with_usage(
        self, rows: Mapping[str, NodeRows], should_stop: Callable[[], bool]
    ) -> dict[str, NodeRows]:
        """Return the rows with their least usage in whatever surroundings they make (R1).

        Raises
        ------
        SearchStoppedError
            If the caller asked for it.
        """
        domain = RowDomain(self._space, rows, self._around)
        return {
            node.name: replace(
                rows[node.name],
                usage=self._usage(domain, node, rows[node.name], should_stop),
            )
            for node in self._space.graph.nodes
        }

    def _usage(
        self, domain: RowDomain, node: Node, rows: NodeRows, should_stop: Callable[[], bool]
    ) -> RowUsage:
        known: dict[object, _Row] = {}
        found: list[_Row] = []
        for row in range(len(rows)):
            key = domain.seen(node, row)
            if key not in known:
                if should_stop():
                    raise SearchStoppedError
                known[key] = self._row(domain, node, row)
            found.append(known[key])
        as_fifo, as_buffer = (
            {
                edge.array: self._stacked([kinds[edge.channel][place] for _, kinds in found])
                for edge in domain.streams_to(node)
            }
            for place in (0, 1)
        )
        return RowUsage(self._stacked([base for base, _ in found], rows.dsps), as_fifo, as_buffer)

    def _stacked(self, values: list[Integers], dsps: Integers | int = 0) -> Integers:
        """Return usage of rows with a first column of DSPs, in the paper's accounting."""
        further = np.array(values, dtype=np.int64).reshape(len(values), len(self._names))
        return np.column_stack([np.broadcast_to(dsps, len(values)), further])

    def _row(self, domain: RowDomain, node: Node, row: int) -> _Row:
        """Return the least usage of a row, and the addition of each channel to it that streams."""
        plan = domain.plan(node, row)
        options = [domain.options(node, row, beside) for beside in domain.around.of[node.name]]
        base = np.zeros(len(self._names), dtype=np.int64)
        streams = {edge.channel: edge for edge in domain.streams_to(node)}
        added: dict[str, tuple[Integers, Integers]] = {}
        for beside, own in zip(domain.around.of[node.name], options, strict=True):
            if not beside.edges or beside.edges[0].consumer != node.name:
                continue
            buffer = self._buffer(node, plan, beside, own)
            if beside.channel in streams:
                added[beside.channel] = (self._fifo(beside.edges[0], plan), buffer)
            else:
                base = base + buffer
        return self._with_node(plan, options, base, added)

    def _with_node(
        self,
        plan: NodePlan,
        options: Sequence[Sequence[Option] | None],
        base: Integers,
        added: dict[str, tuple[Integers, Integers]],
    ) -> _Row:
        """Add the node itself: exact in the kind of its first channel that can stream."""
        known = [own for own in options if own is not None]
        if len(known) < len(options) or prod(map(len, known)) > MOST_SURROUNDINGS:
            return base, added
        if not all(known):  # no other node has a row that goes with it
            return base + IMPOSSIBLE, added
        first = next(iter(added), None)
        by_kind: dict[bool, list[Integers]] = {True: [], False: []}
        for chosen in product(*known):
            used = self._array(self._costs.node(plan, chosen))
            is_fifo = any(bank is None and beside.channel == first for beside, bank in chosen)
            by_kind[is_fifo].append(used)
        kinds = {is_fifo: np.min(found, axis=0) for is_fifo, found in by_kind.items() if found}
        least = np.min(list(kinds.values()), axis=0)
        if first is not None:
            fifo, buffer = added[first]
            more = [kinds.get(is_fifo, least) - least for is_fifo in (True, False)]
            added = {**added, first: (fifo + more[0], buffer + more[1])}
        return base + least, added

    def _buffer(
        self,
        node: Node,
        plan: NodePlan,
        beside: Neighbour,
        options: Sequence[Option] | None,
    ) -> Integers:
        """Return the least that a channel takes as a ping-pong buffer."""
        banks = [bank for _, bank in options or () if bank is not None]
        if not banks:
            return np.zeros(len(self._names), dtype=np.int64)
        own = self._around.own_elements(node, plan.factors, beside.array)
        found = [self._array(self._costs.buffer(beside, bank, own)) for bank in banks]
        return np.array(np.min(found, axis=0), dtype=np.int64)

    def _fifo(self, edge: Edge, plan: NodePlan) -> Integers:
        """Return the least that a channel takes as FIFOs of any depth that they may get."""
        if len(edge.reads) != 1 or edge.is_whole:
            return np.zeros(len(self._names), dtype=np.int64)
        lanes = stream_lanes(edge.reads[0], plan.factors)
        full = full_depth_elems(self._space.graph.array(edge.array), lanes)
        found = [
            self._array(self._costs.fifo(edge, lanes, depth)) for depth in self._depths(edge, full)
        ]
        return np.array(np.min(found, axis=0), dtype=np.int64)

    def _depths(self, edge: Edge, full: int) -> list[int]:
        """Return depths: for each way to hold FIFOs, the least one, which costs least."""
        if self._sized is None:
            return [full]
        bits = self._space.graph.array(edge.array).element.bits
        least, *steps = fifo_depth_steps(bits, self._target.memories)
        return [least, *(depth for depth in steps if depth <= full)]

    def _array(self, used: Resources) -> Integers:
        return np.array(self._of(used), dtype=np.int64)

    def _of(self, used: Resources) -> Counts:
        return tuple(getattr(used, name) for name in self._names)
