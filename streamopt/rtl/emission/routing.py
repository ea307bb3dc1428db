"""Wires between the lanes of an access and the banks of a memory.

Where a tile's first index isn't a multiple of the banks, lanes turn: along each dimension, a row of
multiplexers that the remainder chooses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TypeAlias

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value

from streamopt.rtl.blocks.controller import IterationController
from streamopt.rtl.kernel.places import BankPlace, BankSteps

Written: TypeAlias = tuple[Value, Value]
"""Data, and whether they are written."""


class BankRouting:
    """The wires of one access, in which every bank is asked for one element at most.

    Parameters
    ----------
    bits
        Of an address.
    """

    def __init__(
        self, module: Module, control: IterationController, place: BankPlace, bits: int
    ) -> None:
        self._module, self._control, self._place, self._bits = module, control, place, bits
        self._known: dict[object, Value] = {}
        self._lanes = {place.offsets[at]: at for at in reversed(place.points)}

    def word_address(self, stage: int) -> Value:
        """Return the one address of lanes that are all at one place."""
        first = self._place.added(self._place.offsets[self._place.points[0]])
        return self._control.total(self._place.base, first, self._bits, stage)

    def addresses(self, stage: int) -> Value:
        """Return the addresses of all banks, side by side; of one that isn't asked, any."""
        base = self._control.total(self._place.base, 0, self._bits, stage)
        return Cat(*(self._address(base, steps, stage) for steps in self._place.steps()))

    def late_addresses(self, stages: Sequence[int]) -> Value:
        """Return the addresses of banks whose lanes are in stages of their own, and never turn."""
        place = self._place
        lanes = {place.bank(place.offsets[at]): at for at in place.points}
        found: list[Value] = []
        for bank in range(place.banks):
            at = lanes.get(bank)
            if at is None:
                found.append(Const(0, self._bits))
                continue
            first = place.added(place.offsets[at])
            found.append(self._control.total(place.base, first, self._bits, stages[at]))
        return Cat(*found)

    def _address(self, base: Value, steps: BankSteps, stage: int) -> Value:
        address, key = base, ("address", stage)
        for position, by_turn in steps.turned:
            key = (*key, position, tuple(by_turn.items()))
            if key not in self._known:
                terms = {
                    turn: Const(n % (1 << self._bits), self._bits) for turn, n in by_turn.items()
                }
                self._known[key] = self._named(address + self._turned(position, terms, stage))
            address = self._known[key]
        if not steps.constant:
            return address
        key = (*key, steps.constant)
        if key not in self._known:
            self._known[key] = self._named(
                address + Const(steps.constant % (1 << self._bits), self._bits)
            )
        return self._known[key]

    def _named(self, total: Value) -> Signal:
        signal = Signal(self._bits, name="place")
        self._module.d.comb += signal.eq(total[: self._bits])
        return signal

    def _turned(self, position: int, values: Mapping[int, Value], stage: int) -> Value:
        """Return the value of the turn along a dimension."""
        dimension = self._place.dimensions[position]
        bits = max(1, max(dimension.turns).bit_length())
        turn = self._control.total(dimension.turn, 0, bits, stage)
        (first, chosen), *others = values.items()
        del first
        for at, value in others:
            chosen = Mux(turn == at, value, chosen)
        return chosen

    def lanes(self, word: Value, element_bits: int, stage: int) -> dict[int, Value]:
        """Return the elements of lanes, by lanes' iteration, from those of all banks."""
        banks = len(word) // element_bits
        parts = [word[at * element_bits : (at + 1) * element_bits] for at in range(banks)]

        def taken(position: int, banks: tuple[int, ...], offset: tuple[int, ...]) -> Value:
            if position == len(self._place.dimensions):
                return parts[self._place.bank(banks)]
            key = ("taken", stage, banks, offset[position:])
            dimension, along = self._place.dimensions[position], offset[position]
            values = {turn: (*banks, (turn + along) % dimension.factor) for turn in dimension.turns}
            if len(values) == 1:
                (only,) = values.values()
                return taken(position + 1, only, offset)
            if key not in self._known:
                inner = {turn: taken(position + 1, at, offset) for turn, at in values.items()}
                signal = Signal(element_bits, name="turned")
                self._module.d.comb += signal.eq(self._turned(position, inner, stage))
                self._known[key] = signal
            return self._known[key]

        return {at: taken(0, (), self._place.offsets[at]) for at in self._place.points}

    def written(
        self, copies: Sequence[Value], whens: Callable[[int], Value], stage: int
    ) -> tuple[Value, Value]:
        """Return the data that all banks get, and which of them do, side by side.

        Parameters
        ----------
        whens
            Whether a lane's iteration writes.
        """
        spans = (range(dimension.factor) for dimension in self._place.dimensions)
        bits = len(copies[0])
        known: dict[object, Written | None] = {}

        def given(position: int, offset: tuple[int, ...], bank: tuple[int, ...]) -> Written | None:
            if position == len(self._place.dimensions):
                at = self._lanes.get(offset)
                return None if at is None else (copies[at], whens(at))
            key = (position, offset, bank[position:])
            if key not in known:
                known[key] = made(position, offset, bank)
            return known[key]

        def made(position: int, offset: tuple[int, ...], bank: tuple[int, ...]) -> Written | None:
            dimension = self._place.dimensions[position]
            alongs = sorted({one[position] for one in self._lanes})
            found: dict[int, Written] = {}
            for turn, along in product(dimension.turns, alongs):
                if (turn + along) % dimension.factor == bank[position]:
                    inner = given(position + 1, (*offset, along), bank)
                    if inner is not None:
                        found[turn] = inner
            if not found:
                return None
            if len(dimension.turns) == 1:
                return next(iter(found.values()))
            none = {turn: Const(0, 1) for turn in dimension.turns}
            data, write = Signal(bits, name="turned"), Signal(name="turned_write")
            self._module.d.comb += [
                data.eq(self._turned(position, {t: one for t, (one, _) in found.items()}, stage)),
                write.eq(
                    self._turned(position, none | {t: w for t, (_, w) in found.items()}, stage)
                ),
            ]
            return data, write

        pairs = [given(0, (), bank) or (Const(0, bits), Const(0, 1)) for bank in product(*spans)]
        return Cat(*(data for data, _ in pairs)), Cat(*(write for _, write in pairs))
