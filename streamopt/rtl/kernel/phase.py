"""A phase of a sequential node as values and writes of a kernel.

Statements go one after another. What one writes, a later one of the same iteration has as a value;
where it may be written or not, or be the same element or not, it waits until the memory has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from streamopt.analysis.operations import OperationList, read_guards
from streamopt.analysis.phase_reads import (
    Guarded,
    is_forwarded,
    may_be_stale,
    may_meet,
    receivers,
)
from streamopt.analysis.sum_steps import SumStep, sum_step
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import Memory, Operation
from streamopt.ir.program import Loop, Statement
from streamopt.ir.stepping.edges import FixedLane
from streamopt.ir.stepping.stepped import HeldArray, LanedPhase
from streamopt.ir.stepping.steps import StepLoop, iterator_ends
from streamopt.rtl.kernel.conditions import ALWAYS, iterators_in
from streamopt.rtl.kernel.kernel import TURN, Held, HeldWrite, Holds, KernelValue, Masked
from streamopt.rtl.kernel.lane_places import lane_places
from streamopt.rtl.kernel.phase_parts import NestParts, PhaseParts, PhaseWrite, word_cycles
from streamopt.rtl.kernel.refusals import refused
from streamopt.rtl.kernel.values import NoOperatorError, combining
from streamopt.rtl.operators.number_format import TRUTH, format_of, plain
from streamopt.transforms.lower.array_copies import of_lane
from streamopt.transforms.lower.stepped import phase_places
from streamopt.transforms.stepped.tile_loops import LANE
from streamopt.transforms.stepped.tile_loops import lane_places as tile_places


class PhaseMaker:
    """Makes one phase; used once."""

    def __init__(
        self, parts: NestParts, laned: LanedPhase, around: Sequence[StepLoop], turn: int
    ) -> None:
        self._parts, self._laned, self._values = parts, laned, parts.values
        self._made = PhaseParts(turn)
        self._lanes = dict(laned.lanes)
        self._place = phase_places(laned)
        self._served = dict(laned.reads)
        self._served |= {read: chain.memory for chain in laned.chains for read in chain.reads}
        self._known: dict[ir.Access, str] = {}
        self._guards: Mapping[ir.Access, ir.Condition] = {}
        loops_built = (*parts.tiles, *parts.lanes)
        self._trips = {loop.name: loop.trip_count for loop in loops_built}
        self._operations = 0
        ends = iterator_ends((*around, *laned.phase.loops))
        self._among = ValueContext(lambda name: parts.arrays[name].element, ends)

    def made(self) -> PhaseParts:
        """Return the phase."""
        for number, statement in enumerate(self._laned.phase.statements):
            try:
                self._add(number, statement)
            except NoOperatorError as problem:
                raise refused(str(problem), self._parts.node) from None
        return self._made

    def _name(self, what: str) -> str:
        self._operations += 1
        return f"{self._laned.phase.name}.{what}{self._operations}"

    def _add(self, number: int, statement: Statement) -> None:
        element = self._parts.arrays[statement.target.array].element
        self._guards = read_guards(statement)
        affine: tuple[ir.Condition, ...] = ()
        truth: KernelValue | None = None
        if statement.guard is not None:
            affine = ir.affine_conjuncts(statement.guard)
            rest = [part for part in ir.conjuncts(statement.guard) if part not in affine]
            if rest:
                truth = self._evaluated(ir.all_of(tuple(rest)), ElementType.INT32)
        step = sum_step(statement)
        if step is not None and any(name in self._laned.phase.sums for name in self._lanes):
            made = self._summed(statement, step, affine, truth)
            truth = None
        else:
            made = self._evaluated(statement.value, element)
        value = self._values.stored(made, element)
        for mirror in self._laned.mirrors:
            if mirror.statement == number:
                parts = (*affine, *(() if mirror.guard is None else (mirror.guard,)))
                if mirror.lane is not None:
                    parts = (*parts, of_lane(mirror.lane, ir.CompareOp.EQ))
                held = self._parts.nest.memory(mirror.memory)
                self._write(held, (statement.target, mirror.lane), value, parts, truth)
        self._forward(number, statement, value, affine, truth)

    def _forward(
        self,
        number: int,
        statement: Statement,
        value: KernelValue,
        affine: Sequence[ir.Condition],
        truth: KernelValue | None,
    ) -> None:
        """Let later statements have the value that was written, or the element as it was."""
        target = statement.target
        readers = receivers(number, self._laned.phase.statements)
        if readers and not all(is_forwarded(target, each, (statement,)) for each in readers):
            old = self._values[self._fetch(target)]
            value = self._either(value, old, affine, truth)
        stale = {known for known in self._known if may_be_stale(known, (target,))}
        self._known = {a: name for a, name in self._known.items() if a not in stale}
        if readers:
            self._known[target] = value.name
        else:
            self._known.pop(target, None)

    def _either(
        self,
        value: KernelValue,
        other: KernelValue,
        affine: Sequence[ir.Condition],
        truth: KernelValue | None,
    ) -> KernelValue:
        """Return a value where conditions hold, and another one of its format elsewhere."""
        if truth is not None:
            value = self._chosen(truth, value, other)
        condition = self._condition(affine)
        lanes = self._among_lanes({*value.lanes, *other.lanes}, condition)
        whens = self._parts.accesses.by_lane(condition, lanes)
        if whens == (ALWAYS,):
            return value
        source = Masked(value.name, other.name, whens)
        stages = self._values.readies([value, other], lanes)
        return self._values.put(self._name("either"), value.form, lanes, stages, source)

    def _chosen(self, truth: KernelValue, value: KernelValue, other: KernelValue) -> KernelValue:
        return self._values.choose(self._name("chosen"), truth, value, other)

    def _summed(
        self,
        statement: Statement,
        step: SumStep,
        affine: Sequence[ir.Condition],
        truth: KernelValue | None,
    ) -> KernelValue:
        """Return an element and the terms of lanes together."""
        element = self._parts.arrays[statement.target.array].element
        over = tuple(f"{n}{LANE}" for n in self._lanes if n in self._laned.phase.sums)
        term = self._values.stored(self._evaluated(step.term, element), element)
        own = Operation(step.terms, element, (), "")
        nothing = self._values.stored(self._values.identity(step.reduction, element), element)
        term = self._either(term, nothing, affine, truth)
        total = self._values.combine(self._name("sum"), combining(own), term, over)
        before = self._fetch(statement.target)
        update = Operation(step.update, element, (before, total.name), self._name("updated"))
        self._values.compute(update, self._taken)
        return self._values[update.result]

    def _evaluated(self, expression: ir.Expression, element: ElementType) -> KernelValue:
        """Return the value of an expression."""
        operations = _PhaseOperations(self)
        name = operations.value(expression)
        renamed: dict[str, str] = {}
        for one in operations.operations:
            renamed[one.result] = self._name("t")
            operands = tuple(renamed.get(operand, operand) for operand in one.operands)
            built = Operation(
                one.operator, one.element, operands, renamed[one.result], meaning=one.meaning
            )
            self._values.compute(built, self._taken)
        return self._taken(renamed.get(name, name), element)

    def _taken(self, name: str, element: ElementType) -> KernelValue:
        if name in self._values:
            return self._values[name]
        return self._values.number(float(name), element)

    def fetched(self, access: ir.Access) -> str:
        """Return the name of the value of an element that an expression reads."""
        if access not in self._known:
            self._known[access] = self._fetch(access)
        return self._known[access]

    @property
    def among(self) -> ValueContext:
        """Return the types around expressions."""
        return self._among

    def holds(self, condition: ir.Condition) -> str:
        """Return the name of the value that a condition on loops is."""
        built = ir.substitute_condition(condition, self._place)
        lanes = self._among_lanes(set(), built)
        name = self._name("if")
        whens = self._parts.accesses.by_lane(built, lanes)
        return self._values.put(name, TRUTH, lanes, 0, Holds(whens)).name

    def counted(self, index: Affine) -> str:
        """Return the name of the value that a sum over loops is."""
        built = index.substitute(self._place)
        name = self._name("index")
        return self._values.count(name, built, self._parts.tiles, self._parts.lanes).name

    def _fetch(self, access: ir.Access) -> str:
        """Read an element, in all lanes that share it once."""
        value = self._read(self._served[access], access, None)
        for edge in self._laned.edges:
            if edge.access == access:
                own = self._read(edge.memory, access, edge.at)
                lanes = self._among_lanes({*value.lanes, edge.at.loop + LANE}, None)
                whens = self._parts.accesses.by_lane(of_lane(edge.at, ir.CompareOp.NE), lanes)
                stages = self._values.readies([value, own], lanes)
                source = Masked(value.name, own.name, whens)
                value = self._values.put(self._name("edge"), value.form, lanes, stages, source)
        return value.name

    def _read(self, name: str, access: ir.Access, lane: FixedLane | None) -> KernelValue:
        held = self._parts.nest.memory(name)
        memory = self._parts.memories[name]
        subscripts = self._subscripts(held, access, lane)
        guard = self._guards.get(access)
        place = subscripts, self._condition(() if guard is None else (guard,))
        met = self._met(memory, place)
        earliest = max((one.write.stage + 1 for one in met), default=0)
        key = memory.name, subscripts
        if key in self._made.reads and not earliest:
            return self._values[self._made.reads[key][0]]
        wait = word_cycles(memory)
        lanes = self._lane_loops(subscripts)
        places = lane_places(memory, subscripts, self._parts.tiles, lanes)
        source = Held(memory.name, places, wait, self._made.turn)
        form = plain(format_of(memory.element))
        names = tuple(loop.name for loop in lanes)
        own = self._name("v")
        self._made.reads.setdefault(key, []).append(own)
        if earliest:
            self._made.late.add(own)
        return self._values.put(own, form, names, earliest + wait, source)

    def _subscripts(
        self, held: HeldArray, access: ir.Access, lane: FixedLane | None
    ) -> tuple[Affine, ...]:
        if lane is None:
            return tuple(s.substitute(self._place) for s in held.places(access))
        own = tile_places(self._laned.tiles, self._lanes | {lane.loop: 1})
        return tuple(s.substitute(own) for s in held.lane_places(access, lane))

    def _write(
        self,
        held: HeldArray,
        target: tuple[ir.Access, FixedLane | None],
        value: KernelValue,
        conditions: Sequence[ir.Condition],
        truth: KernelValue | None,
    ) -> None:
        memory = self._parts.memories[held.name]
        subscripts = self._subscripts(held, *target)
        stored = self._values.stored(value, memory.element)
        shown = {loop.name for loop in self._lane_loops(subscripts)} | {*stored.lanes}
        lanes = self._among_lanes(shown | {*(truth.lanes if truth else ())}, None)
        loops = [loop for loop in self._parts.lanes if loop.name in lanes]
        places = lane_places(memory, subscripts, self._parts.tiles, loops)
        condition = self._condition(conditions, in_turn=True)
        whens = self._parts.accesses.by_lane(condition, lanes)
        place = subscripts, self._condition(conditions)
        before = self._met(memory, place)
        ready = [stored.last, *([truth.last] if truth else ())]
        stage = max([*ready, *(one.write.stage + 1 for one in before)])
        name = "" if truth is None else truth.name
        own = HeldWrite(
            memory.name, places, lanes, stored.name, stage, whens, name, self._made.turn
        )
        rank = max((one.rank + 1 for one in before), default=0)
        self._made.writes.append(PhaseWrite(own, place, rank))

    def _met(self, memory: Memory, place: Guarded) -> list[PhaseWrite]:
        """Return the writes so far that may be to an element that is touched now."""
        return [
            one
            for one in self._made.writes
            if one.write.memory == memory.name and may_meet(one.place, place, self._trips)
        ]

    def _condition(
        self, parts: Sequence[ir.Condition], *, in_turn: bool = False
    ) -> ir.Condition | None:
        """Return that lanes have work and conditions hold, over tiles and lanes."""
        own = () if self._laned.guard is None else (self._laned.guard,)
        found = [ir.substitute_condition(part, self._place) for part in (*own, *parts)]
        if self._laned.warm_up:
            tile = self._laned.tiles[-1]
            first = ir.Literal(tile.least + self._laned.warm_up)
            found.append(ir.Compare(ir.CompareOp.GE, ir.Index(Affine.iterator(tile.name)), first))
        if in_turn:
            number = ir.Literal(self._made.turn)
            found.append(ir.Compare(ir.CompareOp.EQ, ir.Index(Affine.iterator(TURN)), number))
        return ir.all_of(tuple(found)) if found else None

    def _among_lanes(self, names: set[str], condition: ir.Condition | None) -> tuple[str, ...]:
        """Return lanes in order: those named, and those that a condition depends on."""
        asked = names | iterators_in(condition)
        return tuple(loop.name for loop in self._parts.lanes if loop.name in asked)

    def _lane_loops(self, subscripts: Sequence[Affine]) -> tuple[Loop, ...]:
        names = {name for subscript in subscripts for name in subscript.iterators()}
        return tuple(loop for loop in self._parts.lanes if loop.name in names)


class _PhaseOperations(OperationList):
    """Operations of a phase, whose conditions on loops are values."""

    def __init__(self, phase: PhaseMaker) -> None:
        super().__init__(phase.among, phase.fetched)
        self._phase = phase

    def _made(self, expression: ir.Expression) -> str:
        if isinstance(expression, ir.Compare | ir.Logic) and ir.is_affine_condition(expression):
            return self._phase.holds(expression)
        if isinstance(expression, ir.Index):
            return self._phase.counted(expression.value)
        return super()._made(expression)
