"""The control of iterations: when they start and end, and which stages have one.

A loop nest begins a frame in the cycle after it is ``ready`` and not busy, and ends when the last
iteration has left the last stage; in the cycle after, ``frame`` counts one more, and the next one
may begin. One enable stops all of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from streamopt.ir.expression import CompareOp
from streamopt.ir.program import Loop
from streamopt.rtl.kernel.conditions import ALWAYS, NEVER, TileCondition, TileTest
from streamopt.rtl.kernel.kernel import TURN, Kernel
from streamopt.rtl.kernel.subscripts import TileSum

_LONGEST_NAME = 40


class Counting(Protocol):
    """Sums over the counters of an iteration in stage 0."""

    def total(self, counted: TileSum, first: int, bits: int) -> Value:
        """Return a sum and a constant, in some bits."""
        ...


class IterationController:
    """Starts and ends, and lines of registers along the stages of an iteration.

    Which iteration it is that starts, and which one is the last, say those that it is the base of.

    Attributes
    ----------
    ready
        Whether the next frame may begin as far as others are concerned.
    frame
        How many have ended, which is the number of the one that runs.
    slot
        Whether it is the cycle in which an iteration may start.
    issue
        Whether one does.
    """

    counting: Counting
    issue: Value

    def __init__(self, module: Module, kernel: Kernel, enable: Signal, frame_bits: int) -> None:
        self._module, self._enable = module, enable
        self._tiles: Sequence[Loop] = kernel.tiles
        self._depth, ii = kernel.depth_cycles, kernel.ii
        self.ready, self.frame = Signal(name="ready"), Signal(frame_bits, name="frame")
        self._running, self._begins = Signal(name="running"), Signal(name="begins")
        self._lines: dict[tuple[str, object], _Line] = {}
        self._names: dict[TileCondition, str] = {}
        self._counters: Mapping[str, Signal] = {}
        self.slot: Value = self._running
        if ii > 1:
            phase, self.slot = Signal((ii - 1).bit_length(), name="phase"), Signal(name="slot")
            module.d.comb += self.slot.eq(self._running & (phase == 0))
            with module.If(enable):
                module.d.sync += phase.eq(Mux(self._running & (phase != ii - 1), phase + 1, 0))
            with module.If(self._begins):
                module.d.sync += phase.eq(0)
        self.moves = Signal(name="moves")
        module.d.comb += self.moves.eq(self.slot & enable)

    def ends(self, last: Value) -> None:
        """Say whether the iteration that starts is the last one."""
        module, busy = self._module, Signal(name="busy")
        module.d.comb += self._begins.eq(self.ready & ~busy)
        with module.If(self.moves & last):
            module.d.sync += self._running.eq(0)
        finishing = self.along("final", self.slot & last, self._depth - 1)
        with module.If(finishing & self._enable):
            module.d.sync += [busy.eq(0), self.frame.eq(self.frame + 1)]
        with module.If(self._begins):
            module.d.sync += [busy.eq(1), self._running.eq(1)]

    def along(self, name: str, issued: Value, stage: int, key: object = None) -> Value:
        """Return a bit of stage 0 as it is in a later stage; nothing is there after a reset.

        Parameters
        ----------
        key
            By which it is known; its name if that says all.
        """
        return self._lines.setdefault(("bit", key or name), _Line(name, issued, 1)).at(stage)

    def join(self) -> None:
        """Add the registers of all stages that have been asked for, in a row for each line."""
        for line in self._lines.values():
            line.join(self._module, self._enable)

    def when(self, condition: TileCondition, stage: int) -> Value:
        """Return whether a stage has an iteration in which a condition holds."""
        issued = self.issue
        if condition != ALWAYS:
            issued = issued & self.holds(condition)
        name = "valid" if condition == ALWAYS else self._name(condition)
        return self.along(name, issued, stage, condition)

    def in_turn(self, turn: int, stage: int) -> Value:
        """Return whether it is the turn of a pipeline in a stage, as far as there are others."""
        if TURN not in self._counters:
            return Const(1, 1)
        return self.along(f"turn_{turn}", self._counters[TURN] == turn, stage)

    def truth(self, condition: TileCondition, stage: int) -> Value:
        """Return whether a condition holds in the iteration of a stage, if there is one."""
        if condition in (ALWAYS, NEVER):
            return Const(condition == ALWAYS, 1)
        key = ("truth", condition)
        return self.along(f"if_{self._name(condition)}", self.holds(condition), stage, key)

    def _name(self, condition: TileCondition) -> str:
        """Return a condition as a name, or its number if that is long."""
        said = _said(condition)
        short = said if len(said) <= _LONGEST_NAME else f"condition_{len(self._names)}"
        return self._names.setdefault(condition, short)

    def holds(self, condition: TileCondition) -> Value:
        """Return whether a condition holds in the iteration of stage 0."""
        found: Value = Const(0, 1)
        for alternative in condition:
            every: Value = Const(1, 1)
            for test in sorted(alternative, key=str):
                every = every & self._test(test)
            found = found | every
        return found

    def _test(self, test: TileTest) -> Value:
        counter, bound = self._compared(test)
        match test.op:
            case CompareOp.EQ:
                return counter == bound
            case CompareOp.NE:
                return counter != bound
            case CompareOp.LT:
                return counter < bound
            case _:
                return counter >= bound

    def _compared(self, test: TileTest) -> tuple[Value, int]:
        """Return a counter or a sum that isn't negative, and what it is compared with."""
        if test.name in self._counters:
            return self._counters[test.name], test.bound
        low, high = test.compared.bounds(self._tiles)
        bits = max(1, (high - low).bit_length())
        return self.counting.total(test.compared, -low, bits), test.bound - low

    def total(self, counted: TileSum, first: int, bits: int, stage: int) -> Value:
        """Return a sum over counters and a constant, in some bits, in a stage."""
        given = self.counting.total(counted, first, bits)
        if isinstance(given, Const):
            return given
        key = ("sum", (counted, first, bits))
        line = self._lines.setdefault(key, _Line("sum", given, bits, reset_less=True))
        return line.at(stage)


class _Line:
    """A value of stage 0 and registers in a row, each of which has it a stage later; joined once.

    Parameters
    ----------
    given
        In stage 0.
    reset_less
        Whether anything may be there after a reset.
    """

    def __init__(self, name: str, given: Value, bits: int, *, reset_less: bool = False) -> None:
        self._name, self._given, self._bits, self._reset_less = name, given, bits, reset_less
        self._later: dict[int, Signal] = {}

    def at(self, stage: int) -> Value:
        """Return the value in a stage."""
        if stage not in self._later:
            self._later[stage] = Signal(self._bits, name=f"{self._name}_{stage}")
        return self._later[stage]

    def join(self, module: Module, enable: Value) -> None:
        """Add the registers up to the last stage that has been asked for."""
        bits, last = self._bits, max(self._later, default=0)
        if 0 in self._later:
            module.d.comb += self._later.pop(0).eq(self._given)
        if not last:
            return
        row = Signal(bits * last, name=f"{self._name}_row", reset_less=self._reset_less)
        given = (self._given | Const(0, bits))[:bits]
        with module.If(enable):
            module.d.sync += row.eq(Cat(given, row[: bits * (last - 1)]))
        for stage, signal in self._later.items():
            module.d.comb += signal.eq(row[bits * (stage - 1) : bits * stage])


def _said(condition: TileCondition) -> str:
    alternatives = (
        "_and_".join(f"{test.name}_{_WORDS[test.op]}_{test.bound}" for test in sorted(one, key=str))
        for one in condition
    )
    return "_or_".join(alternatives).replace("-", "minus_")


_WORDS = {
    CompareOp.EQ: "is",
    CompareOp.NE: "isnt",
    CompareOp.LT: "below",
    CompareOp.GE: "from",
}
