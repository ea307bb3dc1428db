"""The control of a flattened loop nest: counters, addresses, and which stages have an iteration.

A process runs from ``start`` until its last iteration has left the last stage; ``done`` is there in
the cycle after, and stays. One that reads what others write as a whole also waits until they are
all ``ready``, which is when they are done. One enable stops all of it.
"""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value

from streamopt.ir.expression import CompareOp
from streamopt.rtl.blocks.counting import TileCounting
from streamopt.rtl.kernel.conditions import ALWAYS, NEVER, TileCondition, TileTest
from streamopt.rtl.kernel.kernel import Kernel
from streamopt.rtl.kernel.subscripts import TileSum


class LoopController:
    """Counters of tile loops, and lines of registers along the stages of an iteration."""

    def __init__(self, module: Module, kernel: Kernel, enable: Signal, *, waits: bool) -> None:
        tiles = kernel.tiles
        self._module, self._tiles, self._enable = module, tiles, enable
        self._depth = kernel.depth_cycles
        self.start, self.done = Signal(name="start"), Signal(name="done")
        self.ready = Signal(name="ready") if waits else None
        self._counters = {
            tile.name: Signal(max(1, (tile.trip_count - 1).bit_length()), name=f"{tile.name}_tile")
            for tile in tiles
        }
        self._at_end = self._ends()
        self._lines: dict[tuple[str, object], list[Value]] = {}
        self._control(kernel.ii)
        self._counting = TileCounting(module, tiles, self._at_end, self._moves)

    def _ends(self) -> list[Value]:
        """Return, by tile loop, whether it and all inside are in their last iteration."""
        found: list[Value] = []
        inside: Value = Const(1, 1)
        for tile in reversed(self._tiles):
            ends = Signal(name=f"{tile.name}_ends")
            self._module.d.comb += ends.eq(
                inside & (self._counters[tile.name] == tile.trip_count - 1)
            )
            inside = ends
            found.append(ends)
        return found[::-1]

    def _control(self, ii: int) -> None:
        module, running = self._module, Signal(name="running")
        issue: Value = running
        if ii > 1:
            phase = Signal((ii - 1).bit_length(), name="phase")
            issue = Signal(name="issue")
            module.d.comb += issue.eq(running & (phase == 0))
            with module.If(self._enable):
                module.d.sync += phase.eq(Mux(running & (phase != ii - 1), phase + 1, 0))
            with module.If(self.start):
                module.d.sync += phase.eq(0)
        self.issue = issue
        self._moves = Signal(name="moves")
        module.d.comb += self._moves.eq(issue & self._enable)
        last = self._at_end[0]
        with module.If(self._moves):
            for position, tile in enumerate(self._tiles):
                counter = self._counters[tile.name]
                inside = (self._at_end[position + 1 :] or [Const(1, 1)])[0]
                with module.If(inside):
                    module.d.sync += counter.eq(Mux(counter == tile.trip_count - 1, 0, counter + 1))
            with module.If(last):
                module.d.sync += running.eq(0)
        finishing = self.along("final", issue & last, self._depth - 1)
        with module.If(finishing & self._enable):
            module.d.sync += self.done.eq(1)
        with module.If(self.start):
            module.d.sync += self.done.eq(0)
        begins: Value = self.start
        if self.ready is not None:
            waiting = Signal(name="waiting")
            begins = waiting & self.ready
            with module.If(begins):
                module.d.sync += waiting.eq(0)
            with module.If(self.start):
                module.d.sync += waiting.eq(1)
        with module.If(begins):
            module.d.sync += running.eq(1)

    def along(self, name: str, issued: Value, stage: int, key: object = None) -> Value:
        """Return a bit of stage 0 as it is in a later stage; nothing is there after a reset.

        Parameters
        ----------
        key
            By which it is known; its name if that says all.
        """
        line = self._lines.setdefault(("bit", key or name), [issued])
        while len(line) <= stage:
            register = Signal(name=f"{name}_{len(line)}")
            with self._module.If(self._enable):
                self._module.d.sync += register.eq(line[-1])
            line.append(register)
        return line[stage]

    def when(self, condition: TileCondition, stage: int) -> Value:
        """Return whether a stage has an iteration in which a condition holds."""
        issued = self.issue
        if condition != ALWAYS:
            issued = issued & self.holds(condition)
        name = "valid" if condition == ALWAYS else _name(condition)
        return self.along(name, issued, stage, condition)

    def truth(self, condition: TileCondition, stage: int) -> Value:
        """Return whether a condition holds in the iteration of a stage, if there is one."""
        if condition in (ALWAYS, NEVER):
            return Const(condition == ALWAYS, 1)
        key = ("truth", condition)
        return self.along(f"if_{_name(condition)}", self.holds(condition), stage, key)

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
        return self._counting.total(test.compared, -low, bits), test.bound - low

    def total(self, counted: TileSum, first: int, bits: int, stage: int) -> Value:
        """Return a sum over counters and a constant, in some bits, in a stage."""
        line = self._lines.setdefault(
            ("sum", (counted, first, bits)), [self._counting.total(counted, first, bits)]
        )
        if isinstance(line[0], Const):
            return line[0]
        while len(line) <= stage:
            register = Signal(bits, name=f"sum_{len(line)}", reset_less=True)
            with self._module.If(self._enable):
                self._module.d.sync += register.eq(line[-1])
            line.append(register)
        return line[stage]


def _name(condition: TileCondition) -> str:
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
