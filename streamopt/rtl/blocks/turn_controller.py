"""The control of loop nests that take turns: a state machine that moves on with every slot.

A *visit* runs the tile loops of one nest, whose bounds are sums over the loops around it. What a
visit lasts beyond its tiles are bubbles. A loop without iterations takes one slot in its place; all
is as `streamopt.ir.network.Turns` says it.

The next state is written as a program would be: a value follows from that of the line before it,
and each is a multiplexer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

from amaranth.hdl import Const, Module, Mux, Signal, Value

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod
from streamopt.ir.network import Turn, TurnItem, TurnLoop, turns_among
from streamopt.ir.stepping.steps import StepLoop
from streamopt.rtl.blocks.controller import IterationController
from streamopt.rtl.blocks.counting import PointCounting
from streamopt.rtl.kernel.kernel import TURN, Kernel

_NO, _YES = Const(0, 1), Const(1, 1)
_RESTING, _IDLE, _PASSED = "resting", "idle", "passed"


class TurnController(IterationController):
    """Counters of loops around nests and in them, and whose turn it is."""

    def __init__(self, module: Module, kernel: Kernel, enable: Signal, frame_bits: int) -> None:
        super().__init__(module, kernel, enable, frame_bits)
        assert kernel.built is not None
        self._items = kernel.built.turns.items
        self._turns = [*turns_among(self._items)]
        self._numbers = {id(turn): at for at, turn in enumerate(self._turns)}
        loops = _turn_loops(self._items)
        self._numbers |= {id(loop): len(self._turns) + at for at, loop in enumerate(loops)}
        inner = (loop for turn in self._turns for loop in turn.loops)
        self._loops = {loop.name: loop for loop in (*(item.loop for item in loops), *inner)}
        self._reach = {
            name: (own.least, max(own.least, own.end - 1)) for name, own in self._loops.items()
        }
        first = self._first()
        sizes = {name: self._most(own) for name, own in self._loops.items()}
        longest = max(max(turn.least_cycles, turn.last_cycles) for turn in self._turns)
        sizes |= {TURN: len(self._numbers) - 1, _RESTING: 1, _IDLE: 1, _PASSED: longest}
        registers = {
            name: Signal(max(1, most.bit_length()), name=f"{name}_now", init=first.get(name, 0))
            for name, most in sizes.items()
        }
        self._now: dict[str, Value] = dict(registers)
        self._done: dict[int, Value] = {}
        self._again: dict[int, Value] = {}
        self._counters = registers
        gaps = [self._is(at) & self._has_gap(turn) for at, turn in enumerate(self._turns)]
        self.issue = Signal(name="issue")
        idles = _any([registers[_RESTING], *gaps])
        module.d.comb += self.issue.eq(self.slot & ~idles)
        self._step()
        last = self._named("last", self._done[id(self._items[-1])])
        with module.If(self.moves):
            for name, register in registers.items():
                module.d.sync += register.eq(Mux(last, first.get(name, 0), self._now[name]))
        self.ends(last)
        self.counting = PointCounting(module, self._tiles, registers)

    def _step(self) -> None:
        for at, turn in enumerate(self._turns):
            self._next_tile(self._is(at) & ~self._now[_RESTING], turn.loops)
        for item in self._items:
            self._leave(item, None)
        passed = self._now[_PASSED]
        longer = Mux(passed == (1 << len(passed)) - 1, passed, passed + 1)
        self._now[_PASSED] = self._named(_PASSED, longer, len(passed))
        self._enter(self._items, _NO)

    def _is(self, number: int) -> Value:
        return self._counters[TURN] == number

    def _named(self, name: str, value: Value, bits: int = 1) -> Signal:
        signal = Signal(bits, name=f"next_{name}")
        self._module.d.comb += signal.eq(value)
        return signal

    def _set(self, when: Value, name: str, value: Value | int) -> None:
        """Let a variable have another value from here on, if a condition holds."""
        before = self._now[name]
        self._now[name] = self._named(name, Mux(when, value, before), len(before))

    def _next_tile(self, here: Value, loops: Sequence[StepLoop]) -> None:
        """Move the tile loops of a visit on; after the last tile it rests."""
        moves, again = here, list[Value]()
        for level in reversed(range(len(loops))):
            loop = loops[level]
            gaps = (self._is_over(outer) for outer in loops[1:level] if self._may_be_empty(outer))
            over = _any([self._is_last(loop), *gaps])
            ends = self._named(f"{loop.name}_ends", moves & over)
            self._set(moves & ~over, loop.name, self._now[loop.name] + 1)
            again.insert(0, ends)
            moves = ends
        self._set(moves, _RESTING, _YES)
        for loop, ends in [*zip(loops, again, strict=True)][1:]:
            self._set(ends, loop.name, self._lower(loop))

    def _leave(self, item: TurnItem, around: StepLoop | None) -> None:
        """Say whether an item ends in this slot; move on the loop that it is."""
        number = self._numbers[id(item)]
        if isinstance(item, Turn):
            least: Value = Const(item.least_cycles)
            if item.last_cycles > item.least_cycles:
                is_last = _YES if around is None else self._is_last(around)
                least = Mux(is_last, item.last_cycles, item.least_cycles)
            is_long = self._now[_PASSED] + 1 >= least
            over = self._counters[_IDLE] | (self._now[_RESTING] & is_long)
            self._done[id(item)] = self._named(f"visit_{number}_done", self._is(number) & over)
            return
        for inner in item.items:
            self._leave(inner, item.loop)
        loop = item.loop
        ends, last = self._done[id(item.items[-1])], self._is_last(loop)
        done = ends & last
        if self._may_be_empty(loop):
            done = done | self._is(number)
        self._done[id(item)] = self._named(f"{loop.name}_done", done)
        self._again[id(item)] = self._named(f"{loop.name}_again", ends & ~last)
        self._set(self._again[id(item)], loop.name, self._now[loop.name] + 1)

    def _enter(self, items: Sequence[TurnItem], first: Value) -> None:
        """Begin each of some items where the one before it is done, the first where said."""
        for at, item in enumerate(items):
            when = self._done[id(items[at - 1])] if at else first
            number = self._numbers[id(item)]
            if isinstance(item, Turn):
                for loop in item.loops:
                    self._set(when, loop.name, self._lower(loop))
                self._begin(when, number, item.loops[0] if item.loops else None)
                continue
            self._set(when, item.loop.name, self._lower(item.loop))
            inside = when
            if self._may_be_empty(item.loop):
                empty = self._named(f"{item.loop.name}_empty", self._is_over(item.loop))
                self._begin(when & empty, number, item.loop)
                inside = when & ~empty
            self._enter(item.items, self._again[id(item)] | inside)

    def _begin(self, when: Value, number: int, loop: StepLoop | None) -> None:
        """Begin a visit, which is one idle slot if its first loop is empty."""
        empty = self._is_over(loop) if loop is not None and self._may_be_empty(loop) else _NO
        for name, value in {TURN: number, _RESTING: empty, _IDLE: empty, _PASSED: 0}.items():
            self._set(when, name, value)

    def _has_gap(self, turn: Turn) -> Value:
        """Return whether an inner loop of a visit is empty at this place."""
        gaps = (self._is_over(loop) for loop in turn.loops[1:] if self._may_be_empty(loop))
        return _any([_NO, *gaps])

    def _is_over(self, loop: StepLoop) -> Value:
        return self._now[loop.name] >= self._upper(loop)

    def _is_last(self, loop: StepLoop) -> Value:
        return self._now[loop.name] + 1 >= self._upper(loop)

    def _lower(self, loop: StepLoop) -> Value:
        first, *others = map(self._value, loop.lower)
        return reduce(lambda one, other: Mux(one > other, one, other), others, first)

    def _upper(self, loop: StepLoop) -> Value:
        first, *others = map(self._value, loop.upper)
        return reduce(lambda one, other: Mux(one < other, one, other), others, first)

    def _value(self, sum_: Affine) -> Value:
        """Return a sum of the loops' values as they are at this line."""
        found: Value = Const(sum_.constant)
        for atom, factor in sum_.terms:
            match atom:
                case Iter(name):
                    part = self._now[name]
                case FloorDiv(inner, divisor):
                    above, dividend = self._dividend(inner, divisor)
                    part = dividend // divisor - above
                case Mod(inner, divisor):
                    part = self._dividend(inner, divisor)[1] % divisor
            found = found + part * factor
        return found

    def _dividend(self, sum_: Affine, divisor: int) -> tuple[int, Value]:
        """Return a sum that isn't negative, and how many divisors more it is."""
        low, high = sum_.interval(self._reach)
        above = -(min(0, low) // divisor)
        most = max(1, high + above * divisor)
        return above, self._named(
            "dividend", self._value(sum_) + above * divisor, most.bit_length()
        )

    def _may_be_empty(self, loop: StepLoop) -> bool:
        least = min(bound.interval(self._reach)[0] for bound in loop.upper)
        return self._most_lower(loop) >= least

    def _most_lower(self, loop: StepLoop) -> int:
        return max(bound.interval(self._reach)[1] for bound in loop.lower)

    def _most(self, loop: StepLoop) -> int:
        return max(loop.end, self._most_lower(loop))

    def _first(self) -> dict[str, int]:
        """Return the state of the first slot, as far as it isn't 0."""
        found: dict[str, int] = {}

        def is_empty(loop: StepLoop) -> bool:
            found[loop.name] = max(int(bound.evaluate(found)) for bound in loop.lower)
            return found[loop.name] >= min(int(bound.evaluate(found)) for bound in loop.upper)

        item = self._items[0]
        while isinstance(item, TurnLoop):
            if is_empty(item.loop):
                break
            item = item.items[0]
        else:
            empties = [is_empty(loop) for loop in item.loops]
            idle = bool(empties and empties[0])
            return found | {TURN: self._numbers[id(item)], _RESTING: idle, _IDLE: idle}
        return found | {TURN: self._numbers[id(item)], _RESTING: 1, _IDLE: 1}


def _any(truths: Sequence[Value]) -> Value:
    return reduce(lambda one, other: one | other, truths)


def _turn_loops(items: Sequence[TurnItem]) -> list[TurnLoop]:
    """Return the loops around nests."""
    found: list[TurnLoop] = []
    for item in items:
        if isinstance(item, TurnLoop):
            found += [item, *_turn_loops(item.items)]
    return found
