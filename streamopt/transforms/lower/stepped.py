"""A sequential node as pipelines: copies in, its phases, which take turns, and copies out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.analysis.operations import OperationList, operator_places, read_guards
from streamopt.analysis.phase_reads import is_forwarded, may_be_stale, receivers
from streamopt.analysis.sum_steps import sum_step
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import (
    AccessMode,
    Memory,
    Pipeline,
    Place,
    Port,
    Turn,
    TurnLoop,
    Turns,
)
from streamopt.ir.operators import Operator
from streamopt.ir.program import Loop
from streamopt.ir.stepping.stepped import LanedPhase, walk_laned
from streamopt.ir.stepping.steps import iterator_ends
from streamopt.ir.stepping.windows import chain_box
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.lower.array_copies import bring, hand, of_lane
from streamopt.transforms.stepped.chains import foremost
from streamopt.transforms.stepped.tile_loops import LANE, lane_places, reach_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.network import Operation, TurnItem
    from streamopt.ir.program import Array, Statement
    from streamopt.ir.schedule import Binding
    from streamopt.ir.scheduled import ScheduledNode
    from streamopt.ir.stepping.edges import FixedLane
    from streamopt.ir.stepping.stepped import (
        LanedItem,
        ReuseChain,
        SteppedNest,
    )
    from streamopt.ir.stepping.steps import StepLoop


@dataclass(frozen=True, slots=True)
class LoweredNest:
    """The pipelines of a sequential node, in order, and its memories."""

    pipelines: tuple[Pipeline, ...]
    turns: Turns
    memories: tuple[Memory, ...]


def lower_stepped(
    scheduled: ScheduledNode,
    sources: Mapping[str, Memory],
    targets: Sequence[tuple[str, Memory]],
    arrays: Mapping[str, Array],
) -> LoweredNest:
    """Return a sequential node as pipelines.

    Parameters
    ----------
    sources
        What brings each array that the node begins with or reads.
    targets
        Pairs (array, memory that takes it).
    """
    node, nest = scheduled.node, scheduled.stepped
    assert isinstance(node, SequentialNode)
    assert nest is not None
    inside = {
        held.name: Memory(
            f"{nest.node}.{held.name}",
            Place.LOCAL,
            arrays[held.array].element,
            held.shape,
            held.factors,
        )
        for held in nest.memories
        if not held.is_outside
    }
    begins, ends = dict(node.carries), dict(targets)
    outside = {
        held.name: ends.get(held.array) or sources[held.array]
        for held in nest.memories
        if held.is_outside
    }
    memories = {**inside, **outside}
    names = FreeNames()
    brought = [
        bring(
            names.fresh(f"{nest.node}.bring_{transfer.array}"),
            sources[begins.get(transfer.array, transfer.array)],
            [(memories[name], nest.memory(name)) for name in transfer.memories],
            transfer,
        )
        for transfer in nest.brought
    ]
    out = {transfer.array: transfer for transfer in nest.handed}
    handed = [
        hand(
            names.fresh(f"{nest.node}.hand_{target.name}"),
            (memories[out[array].memories[0]], nest.memory(out[array].memories[0])),
            target,
            out[array],
        )
        for array, target in targets
        if array in out
    ]
    phases = [
        _PhaseLowering(nest, laned, around, memories, arrays, scheduled.binding).pipeline()
        for laned, around in walk_laned(nest.items)
    ]
    turns = Turns(nest.node, _turn_items(nest.node, nest.items, arrays), nest.ii)
    return LoweredNest((*brought, *phases, *handed), turns, tuple(inside.values()))


def _turn_items(
    node: str, items: Sequence[LanedItem], arrays: Mapping[str, Array]
) -> tuple[TurnItem, ...]:
    return tuple(
        _turn(node, item, arrays)
        if isinstance(item, LanedPhase)
        else TurnLoop(item.loop, _turn_items(node, item.items, arrays))
        for item in items
    )


def _turn(node: str, laned: LanedPhase, arrays: Mapping[str, Array]) -> TurnItem:
    """Return the visits of a phase: one for each tile of its sums."""
    inner = tuple(tile for tile in _with_warm_up(laned) if tile.name not in laned.phase.sums)
    like = f"{node}.{laned.like}" if laned.like else ""
    name, least, last = f"{node}.{laned.phase.name}", laned.least_cycles, laned.last_cycles
    bits = sum(
        chain_box(chain, dict(laned.lanes)).elems * arrays[chain.reads[0].array].element.bits
        for chain in laned.chains
        if not like
    )
    item: TurnItem = Turn(name, inner, least, like, last, bits)
    for tile in reversed([tile for tile in laned.tiles if tile.name in laned.phase.sums]):
        item = TurnLoop(tile, (item,))
    return item


def _with_warm_up(laned: LanedPhase) -> tuple[StepLoop, ...]:
    """Return tile loops of which the innermost has the iterations that fill windows first."""
    more = laned.warm_up
    if not more:
        return laned.tiles
    *outer, last = laned.tiles
    upper = tuple(bound + Affine.of(more) for bound in last.upper)
    return *outer, replace(last, upper=upper, end=last.end + more)


def phase_places(laned: LanedPhase) -> dict[str, Affine]:
    """Return every iterator over tile and lane: where windows are being filled, below its least."""
    lanes, more = dict(laned.lanes), laned.warm_up
    places = lane_places(laned.tiles, lanes)
    if more:
        name = laned.tiles[-1].name
        places[name] -= Affine.of(more * lanes.get(name, 1))
    return places


class _PhaseLowering:
    """Builds the pipeline of one phase; used once."""

    def __init__(
        self,
        nest: SteppedNest,
        laned: LanedPhase,
        around: tuple[StepLoop, ...],
        memories: Mapping[str, Memory],
        arrays: Mapping[str, Array],
        binding: Binding,
    ) -> None:
        self.nest, self.laned, self.around = nest, laned, around
        self.memories, self.arrays, self.binding = memories, arrays, binding
        self.lanes = dict(laned.lanes)
        self.served = dict(laned.reads)
        self.position = phase_places(laned)
        values = tuple(statement.value for statement in laned.phase.statements)
        self.numbers = operator_places(values, values)
        self.ports: list[Port] = []
        self.operations: list[Operation] = []
        self.values: dict[ir.Access, str] = {}
        ends = iterator_ends((*around, *laned.phase.loops))
        self.among = ValueContext(lambda name: arrays[name].element, ends)

    def pipeline(self) -> Pipeline:
        """Return the pipeline, which is over the loops in order around it, too."""
        laned = self.laned
        for chain in laned.chains:
            self._fetch_foremost(chain)
        for number, statement in enumerate(laned.phase.statements):
            self._add(number, statement)
        tiles = (*self.around, *_with_warm_up(laned))
        return Pipeline(
            f"{self.nest.node}.{laned.phase.name}",
            tuple(Loop(loop.name, max(1, loop.end)) for loop in tiles),
            tuple(Loop(name + LANE, count) for name, count in laned.lanes),
            tuple(self.ports),
            tuple(self.operations),
            laned.phase.statements[0].loc,
            counts_digits=True,
        )

    def _add(self, number: int, statement: Statement) -> None:
        """Add the reads, the operations and the writes of a statement."""
        guards = read_guards(statement)
        element = self.arrays[statement.target.array].element
        step = sum_step(statement)
        over = tuple(n + LANE for n in self.lanes if n in self.laned.phase.sums)
        summed = step is not None and over
        body = OperationList(
            self.among,
            lambda access: self._fetched(access, guards.get(access)),
            self.binding,
            first=len(self.operations),
            numbers={} if summed else self.numbers[number],
        )
        if step is not None and over:
            term, before = body.value(step.term), body.value(ir.Read(statement.target))
            value = body.updated(step, element, before, term, over)
        else:
            value = body.value(statement.value)
        guard = statement.guard
        if guard is not None and not ir.is_affine_condition(guard):
            body.value(guard)
        affine = () if guard is None else ir.affine_conjuncts(guard)
        for mirror in self.laned.mirrors:
            if mirror.statement == number:
                held = self.nest.memory(mirror.memory)
                parts = (*affine, *(() if mirror.guard is None else (mirror.guard,)))
                if mirror.lane is not None:
                    parts = (*parts, of_lane(mirror.lane, ir.CompareOp.EQ))
                self._port(AccessMode.WRITE, held.name, statement.target, value, parts, mirror.lane)
        if readers := receivers(number, self.laned.phase.statements):
            sure = all(is_forwarded(statement.target, each, (statement,)) for each in readers)
            self._forward(statement, value, None if sure else body)
        stale = (statement.target,)
        self.values = {a: v for a, v in self.values.items() if not may_be_stale(a, stale)}
        self.operations += body.operations

    def _forward(self, statement: Statement, value: str, body: OperationList | None) -> None:
        """Let later statements take the value that this one wrote, or else the old one."""
        target = statement.target
        if body is not None:
            old = self._fetched(target, None)
            value = body.add(Operator.SELECT, self.arrays[target.array].element, value, old)
        self.values[target] = value

    def _fetch_foremost(self, chain: ReuseChain) -> None:
        """Fetch what moves into a window; all its reads have the value when that is there."""
        held, value = self.nest.memory(chain.memory), f"v{len(self.ports)}"
        for access in foremost(chain, self.lanes):
            subscripts = tuple(s.substitute(self.position) for s in access.subscripts)
            shape = self.arrays[access.array].shape
            parts: list[ir.Condition] = []
            for subscript, extent in zip(subscripts, shape, strict=True):
                low, high = subscript.interval(self._reach())
                if low < 0:
                    parts.append(ir.Compare(ir.CompareOp.GE, ir.Index(subscript), ir.Literal(0)))
                if high >= extent:
                    last = ir.Literal(extent)
                    parts.append(ir.Compare(ir.CompareOp.LT, ir.Index(subscript), last))
            places = tuple(s.substitute(self.position) for s in held.places(access))
            memory = self.memories[held.name].name
            guard = ir.all_of(tuple(parts)) if parts else None
            self.ports.append(Port(AccessMode.READ, memory, places, value, guard))
            value = f"v{len(self.ports)}"
        self.values |= dict.fromkeys(chain.reads, self.ports[-1].value)

    def _reach(self) -> dict[str, tuple[int, int]]:
        """Return the lowest and the highest value of all iterators."""
        lanes = {name + LANE: (0, count - 1) for name, count in self.lanes.items()}
        return reach_of((*self.around, *_with_warm_up(self.laned))) | lanes

    def _fetched(self, access: ir.Access, guard: ir.Condition | None) -> str:
        if access not in self.values:
            value = self.values[access] = f"v{len(self.ports)}"
            parts = () if guard is None else (guard,)
            edges = [edge for edge in self.laned.edges if edge.access == access]
            for edge in edges:
                self._port(AccessMode.READ, edge.memory, access, value, parts, edge.at)
            others = (*parts, *(of_lane(edge.at, ir.CompareOp.NE) for edge in edges))
            self._port(AccessMode.READ, self.served[access], access, value, others)
        return self.values[access]

    def _port(
        self,
        mode: AccessMode,
        held: str,
        access: ir.Access,
        value: str,
        conditions: Sequence[ir.Condition],
        lane: FixedLane | None = None,
    ) -> None:
        """Add an access of all lanes that have work; lanes that share an element have it once.

        Parameters
        ----------
        lane
            The only one of its loop that has this access; None for all.
        """
        memory, position = self.nest.memory(held), self.position
        if lane is None:
            places = memory.places(access)
            places = tuple(s.substitute(position) for s in places)
        else:
            own = lane_places(self.laned.tiles, self.lanes | {lane.loop: 1})
            tile = own[lane.loop]
            position = own | {lane.loop: tile.scaled(lane.count) + Affine.of(lane.lane)}
            places = tuple(s.substitute(own) for s in memory.lane_places(access, lane))
        is_read = mode is AccessMode.READ
        shared = {n for n in self.lanes if is_read or n in self.laned.phase.sums}
        shared -= {*access.iterators()}
        own = () if self.laned.guard is None else (self.laned.guard,)
        wanted = [part for one in (*own, *conditions) for part in ir.conjuncts(one)]
        kept = [part for part in wanted if not shared & {*_iterators(part)}]
        if len(kept) < len(wanted):
            kept += self._inside(access)
        parts = [ir.substitute_condition(part, position) for part in kept]
        if self.laned.warm_up:
            tile = self.laned.tiles[-1]
            first = ir.Literal(tile.least + self.laned.warm_up)
            parts.append(ir.Compare(ir.CompareOp.GE, ir.Index(Affine.iterator(tile.name)), first))
        guard = ir.all_of(tuple(dict.fromkeys(parts))) if parts else None
        self.ports.append(Port(mode, self.memories[held].name, places, value, guard))

    def _inside(self, access: ir.Access) -> Iterator[ir.Condition]:
        """Yield that the lanes of an access are inside the constant bounds of their loops."""
        for loop in self.laned.phase.loops:
            count, place = self.lanes.get(loop.name, 1), ir.Index(Affine.iterator(loop.name))
            if loop.name in access.iterators() and count > 1:
                if loop.least % count:
                    yield ir.Compare(ir.CompareOp.GE, place, ir.Literal(loop.least))
                if loop.end % count:
                    yield ir.Compare(ir.CompareOp.LT, place, ir.Literal(loop.end))


def _iterators(condition: ir.Condition) -> Iterator[str]:
    for part in ir.walk(condition):
        if isinstance(part, ir.Index):
            yield from part.value.iterators()
