"""Operators in a process: one in every lane, trees of them, or fewer than lanes that take turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from amaranth.hdl import Cat, ClockDomain, Const, Instance, Module, Mux, Signal, Value

from streamopt.rtl.blocks.controller import IterationController
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.lanes import OperatorLanes, groups_of_lanes
from streamopt.rtl.blocks.tree import OperatorTree
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.emission.value_wires import Lanes, ValueWires
from streamopt.rtl.kernel.conditions import ALWAYS
from streamopt.rtl.kernel.kernel import (
    Computed,
    Kernel,
    KernelValue,
    LanesCombined,
    Paired,
    copy_positions,
)
from streamopt.rtl.kernel.sharing import SharedStart
from streamopt.rtl.operators.leaf import OPERANDS, OperatorBlock
from streamopt.rtl.operators.stages import CutPlaces


@dataclass(frozen=True, slots=True, eq=False)
class _Turn:
    """The operands of an operator in a lane's turn, and when that is."""

    stage: int
    operands: tuple[Value, ...]


class OperatorWires:
    """Adds the operators of a kernel to its module.

    Attributes
    ----------
    leaves, blocks
        Modules that it uses.
    """

    def __init__(
        self, module: Module, domain: ClockDomain, enable: Signal, control: IterationController
    ) -> None:
        self._module, self._domain, self._enable = module, domain, enable
        self._control = control
        self.leaves: dict[OperatorBlock, None] = {}
        self.blocks: dict[OperatorLanes | OperatorTree | Delay, None] = {}
        self._parts = 0

    def made(
        self,
        kernel: Kernel,
        value: KernelValue,
        source: Computed | Paired | LanesCombined,
        wires: ValueWires,
    ) -> Lanes:
        """Return the results of operators by lane."""
        match source:
            case Computed():
                return self._computed(kernel, value, source, wires)
            case Paired():
                return self._paired(value, source, wires)
            case LanesCombined():
                return self._combined(kernel, value, source, wires)

    def _computed(
        self, kernel: Kernel, value: KernelValue, source: Computed, wires: ValueWires
    ) -> Lanes:
        """Return the results of an operator in every lane."""
        leaf = source.leaf
        if _is_in_turn(kernel, value):
            return wires.copies(value.name, value.lanes, None)
        if not source.starts:
            return self._built(value, self._taken(kernel, value, wires), wires)
        stages = [start.stage for start in source.starts]
        operands = [wires.copies(name, value.lanes, stages) for name in source.operands]
        results = [Signal(leaf.result.bits, name=f"{identifier(value.name)}_turn") for _ in stages]
        pairs = zip(source.starts, zip(*operands, strict=True), results, strict=True)
        self._shared(leaf, value, [*pairs])
        return [*results]

    def _paired(self, value: KernelValue, source: Paired, wires: ValueWires) -> Lanes:
        """Return the products of lanes, two from one operator."""
        leaf, name = source.leaf, f"{identifier(value.name)}_pair"
        stages = [value.ready(at) - leaf.levels for at in range(sum(map(len, source.pairs)))]
        common, own = (
            wires.copies(factor, value.lanes, stages) for factor in (source.common, source.own)
        )
        operands = source.by_pair(common, own, Const(0, leaf.own.bits))
        bits, groups = leaf.result.bits, groups_of_lanes(len(operands))
        if groups and not source.starts:
            rows = [Signal(n * bits, name=f"{name}_{at}") for at, n in enumerate(groups)]
            self._side_by_side(leaf, [[*one] for one in zip(*operands, strict=True)], rows)
            made = [row[at : at + bits] for row in rows for at in range(0, len(row), bits)]
        else:
            results = [Signal(bits, name=name) for _ in operands]
            if source.starts:
                self._shared(leaf, value, [*zip(source.starts, operands, results, strict=True)])
            else:
                for given, result in zip(operands, results, strict=True):
                    self._operator(leaf, given, result)
            made = results
        found: dict[int, Value] = {}
        for pair, both in zip(source.pairs, made, strict=True):
            for place, at in enumerate(pair):
                found[at] = both[place * leaf.product.bits :][: leaf.product.bits]
        return [found[at] for at in range(len(found))]

    def _taken(self, kernel: Kernel, value: KernelValue, wires: ValueWires) -> list[Lanes]:
        """Return the operands of operators that no lanes share, each by lane."""
        if isinstance(value.source, LanesCombined):
            lanes, stage = (*value.lanes, *value.source.over), _first_stage(kernel, value)
            return [wires.copies(value.source.operand, lanes, stage)]
        assert isinstance(value.source, Computed)
        copies, levels = prod(kernel.lane_counts(value)), value.source.leaf.levels
        stages = [value.ready(at) - levels for at in range(copies)]
        return [wires.copies(name, value.lanes, stages) for name in value.source.operands]

    def _built(self, value: KernelValue, taken: Sequence[Lanes], wires: ValueWires) -> Lanes:
        """Return the results of operators that no lanes share."""
        if isinstance(value.source, LanesCombined):
            (copies,), results = taken, wires.named(value)
            terms = len(copies) // len(results)
            parts = (copies[at : at + terms] for at in range(0, len(copies), terms))
            pairs = zip(parts, results, strict=True)
            return [self._tree(value.source, part, result) for part, result in pairs]
        assert isinstance(value.source, Computed)
        if rows := wires.rows(value):
            self._side_by_side(value.source.leaf, taken, rows)
            return wires.copies(value.name, value.lanes, None)
        lanes = zip(zip(*taken, strict=True), wires.named(value), strict=True)
        return [self._operator(value.source.leaf, own, result) for own, result in lanes]

    def join_in_turn(self, kernel: Kernel, wires: ValueWires) -> None:
        """Add the operators of pipelines that use them in turn, after all values are known."""
        for group in kernel.built.together if kernel.built is not None else ():
            turns = [turn for turn, _ in group]
            first, *others = (kernel.value(name) for _, name in group)
            given = [self._taken(kernel, value, wires) for value in (first, *others)]
            stage = _first_stage(kernel, first)
            taken = [self._in_turn(turns, own, stage) for own in zip(*given, strict=True)]
            made = self._built(first, taken, wires)
            for value in others:
                own = wires.copies(value.name, value.lanes, None)
                self._module.d.comb += Cat(*own).eq(Cat(*made[: len(own)]))

    def _in_turn(self, turns: Sequence[int], given: Sequence[Lanes], stage: int) -> Lanes:
        """Return by lane what operators take, of the pipeline whose turn it is in a stage."""
        first, *others = given
        word = chosen = Cat(*first)
        for turn, lanes in zip(turns[1:], others, strict=True):
            taken = [*lanes, *first[len(lanes) :]]
            if any(one is not other for one, other in zip(taken, first, strict=True)):
                chosen = Mux(self._control.in_turn(turn, stage), Cat(*taken), chosen)
        if chosen is word:
            return first
        word, bits = Signal(len(chosen), name="in_turn"), len(first[0])
        self._module.d.comb += word.eq(chosen)
        return [word[at : at + bits] for at in range(0, len(word), bits)]

    def _side_by_side(
        self, leaf: OperatorBlock, operands: Sequence[Lanes], rows: Sequence[Signal]
    ) -> None:
        """Add the operators of lanes whose results are parts of signals."""
        self.leaves[leaf] = None
        first, bits = 0, leaf.result.bits
        for row in rows:
            block = OperatorLanes(leaf, len(row) // bits)
            self.blocks[block] = None
            mine = slice(first, first + block.lanes)
            given = {
                f"i_{name}": Cat(*one[mine]) for name, one in zip(OPERANDS, operands, strict=False)
            }
            self._parts += 1
            self._module.submodules[f"operators_{self._parts}"] = Instance(
                block.name, i_clk=self._domain.clk, i_en=self._enable, **given, o_y=row
            )
            first += block.lanes

    def _shared(
        self,
        leaf: OperatorBlock,
        value: KernelValue,
        turns: Sequence[tuple[SharedStart, Sequence[Value], Signal]],
    ) -> None:
        """Add operators that lanes share, and join their results with those of lanes."""
        by_unit: dict[int, list[tuple[_Turn, Signal]]] = {}
        for start, operands, result in turns:
            turn = _Turn(start.stage, tuple(operands))
            by_unit.setdefault(start.unit, []).append((turn, result))
        for _, mine in sorted(by_unit.items()):
            given = [
                self._chosen([(turn.stage, turn.operands[at]) for turn, _ in mine])
                for at in range(len(mine[0][0].operands))
            ]
            result = Signal(leaf.result.bits, name=f"{identifier(value.name)}_result")
            made = self._operator(leaf, given, result)
            self._module.d.comb += [result.eq(made) for _, result in mine]

    def _chosen(self, given: Sequence[tuple[int, Value]]) -> Value:
        """Return the operand of the stage that has an iteration."""
        (_, chosen), *others = given
        for stage, operand in others:
            if operand is not chosen:
                chosen = Mux(self._control.when(ALWAYS, stage), operand, chosen)
        return chosen

    def _operator(self, leaf: OperatorBlock, operands: Sequence[Value], result: Signal) -> Value:
        """Return the result of one operator: of a module, or of logic where it has no registers."""
        if not leaf.levels:
            return leaf.logic(CutPlaces(self._module, self._enable, 0, ()), *operands)
        self.leaves[leaf] = None
        given = {f"i_{name}": one for name, one in zip(OPERANDS, operands, strict=False)}
        self._parts += 1
        self._module.submodules[f"operator_{self._parts}"] = Instance(
            leaf.name, i_clk=self._domain.clk, i_en=self._enable, **given, o_y=result
        )
        return result

    def _combined(
        self, kernel: Kernel, value: KernelValue, source: LanesCombined, wires: ValueWires
    ) -> Lanes:
        """Return the values of lanes combined by trees."""
        if _is_in_turn(kernel, value):
            return wires.copies(value.name, value.lanes, None)
        trips = {loop.name: loop.trip_count for loop in kernel.lanes}
        terms = prod(trips[name] for name in source.over)
        lanes = (*value.lanes, *source.over)
        if source.steps:
            operand = kernel.value(source.operand)
            places = copy_positions(lanes, operand.lanes, trips)
            groups = [places[at : at + terms] for at in range(0, len(places), terms)]
            return self._shared_trees(value, source, groups, wires)
        return self._built(value, self._taken(kernel, value, wires), wires)

    def _shared_trees(
        self,
        value: KernelValue,
        source: LanesCombined,
        groups: Sequence[Sequence[int]],
        wires: ValueWires,
    ) -> Lanes:
        """Return sums whose operators take turns.

        Parameters
        ----------
        groups
            The copies of the operand that each of them combines.
        """
        leaf = source.leaf
        made: list[list[tuple[Signal, int]]] = [[] for _ in groups]

        def term(group: int, number: int, stage: int) -> Value:
            if number < len(groups[group]):
                return wires.copy(source.operand, groups[group][number], stage)
            signal, ready = made[group][number - len(groups[group])]
            return wires.delayed(signal, stage - ready)

        turns: list[tuple[SharedStart, Sequence[Value], Signal]] = []
        for step in source.steps:
            stage = step.start.stage
            taken = [term(step.group, number, stage) for number in (step.left, step.right)]
            result = Signal(leaf.result.bits, name=f"{identifier(value.name)}_part")
            turns.append((step.start, taken, result))
            made[step.group].append((result, stage + leaf.levels))
        self._shared(leaf, value, turns)
        return [parts[-1][0] for parts in made]

    def _tree(self, source: LanesCombined, terms: Lanes, result: Signal) -> Value:
        if len(terms) == 1:
            return terms[0]
        block = OperatorTree(source.leaf, len(terms))
        self.leaves[source.leaf] = None
        self.blocks |= dict.fromkeys([block, *block.waiting])
        self._parts += 1
        self._module.submodules[f"tree_{self._parts}"] = Instance(
            block.name, i_clk=self._domain.clk, i_en=self._enable, i_terms=Cat(*terms), o_y=result
        )
        return result


def _first_stage(kernel: Kernel, value: KernelValue) -> int:
    """Return the stage in which operators take their operands, all lanes at once."""
    if isinstance(value.source, LanesCombined):
        trips = {loop.name: loop.trip_count for loop in kernel.lanes}
        return value.stage - value.source.levels(trips)
    assert isinstance(value.source, Computed)
    return value.stage - value.source.leaf.levels


def _is_in_turn(kernel: Kernel, value: KernelValue) -> bool:
    """Return whether other pipelines use the operators of a value, too."""
    together = kernel.built.together if kernel.built is not None else ()
    return any(value.name == name for group in together for _, name in group)
