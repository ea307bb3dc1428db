"""The values of a kernel as signals: a copy for each lane, and registers until it is needed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from amaranth.hdl import ClockDomain, Instance, Module, Signal, Value

from streamopt.rtl.blocks.controller import IterationController
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.lanes import groups_of_lanes
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.kernel.kernel import (
    Computed,
    Constant,
    CountedIndex,
    Holds,
    Kernel,
    KernelValue,
    LanesCombined,
    Masked,
    copy_positions,
)

Lanes = list[Value]
"""A value's copies, by its lanes' iterations in row-major order."""


class ValueWires:
    """Signals of values, in the stages in which they are asked for.

    Attributes
    ----------
    blocks
        Modules that it uses.
    """

    def __init__(
        self, module: Module, domain: ClockDomain, enable: Signal, control: IterationController
    ) -> None:
        self._module, self._domain, self._enable = module, domain, enable
        self._control = control
        self._now: dict[str, Lanes] = {}
        self._signals: dict[str, list[Signal]] = {}
        self._rows: dict[str, list[Signal]] = {}
        self._later: dict[tuple[int, int], Value] = {}
        self._parts = 0
        self.blocks: dict[Delay, None] = {}
        self._kernel: Kernel | None = None

    def declare(self, kernel: Kernel) -> None:
        """Make the signals of what a kernel computes; the rest are parts of words."""
        self._kernel = kernel
        for value in kernel.values:
            if not isinstance(value.source, Computed | LanesCombined | Masked):
                continue
            base, bits = identifier(value.name), value.form.bits
            groups = _groups(kernel, value)
            if groups:
                rows = [Signal(n * bits, name=f"{base}_{at}") for at, n in enumerate(groups)]
                self._rows[value.name] = rows
                self._now[value.name] = [part for row in rows for part in _parts(row, bits)]
                continue
            points = product(*map(range, kernel.lane_counts(value)))
            names = ("_".join([base, *map(str, point)]) for point in points)
            self._signals[value.name] = [Signal(bits, name=name) for name in names]
            self._now[value.name] = [*self._signals[value.name]]

    def named(self, value: KernelValue) -> list[Signal]:
        """Return the signals of a value that is computed."""
        return self._signals[value.name]

    def rows(self, value: KernelValue) -> list[Signal]:
        """Return the signals of a value whose lanes stand side by side; none of others."""
        return self._rows.get(value.name, [])

    def define(self, value: KernelValue, made: Lanes) -> None:
        """Say what a value is."""
        signals = self._signals.get(value.name)
        if signals is None:
            self._now[value.name] = made
            return
        pairs = zip(signals, made, strict=True)
        self._module.d.comb += [signal.eq(one) for signal, one in pairs if signal is not one]

    def delayed(self, value: Value, levels: int) -> Value:
        """Return a value some cycles later, of those in which the process moves."""
        if not levels:
            return value
        key = (id(value), levels)
        if key not in self._later:
            block = Delay(len(value), levels)
            self.blocks[block] = None
            later = Signal(len(value), name="delayed")
            self._parts += 1
            self._module.submodules[f"delay_{self._parts}"] = Instance(
                block.name, i_clk=self._domain.clk, i_en=self._enable, i_given=value, o_taken=later
            )
            self._later[key] = later
        return self._later[key]

    def copies(self, name: str, lanes: Sequence[str], stages: int | Sequence[int] | None) -> Lanes:
        """Return a value in each of some lanes.

        Parameters
        ----------
        stages
            For all lanes, or for each; None for those in which it is there.
        """
        assert self._kernel is not None
        value = self._kernel.value(name)
        trips = {loop.name: loop.trip_count for loop in self._kernel.lanes}
        positions = copy_positions(lanes, value.lanes, trips)
        if isinstance(stages, int):
            asked = [stages] * len(positions)
        else:
            asked = [value.ready(at) for at in positions] if stages is None else stages
        pairs = zip(positions, asked, strict=True)
        return [self.copy(name, at, stage) for at, stage in pairs]

    def copy(self, name: str, at: int, stage: int) -> Value:
        """Return one copy of a value in a stage."""
        assert self._kernel is not None
        value = self._kernel.value(name)
        match value.source:
            case Constant():
                return self._now[value.name][at]
            case CountedIndex(sums):
                return self._control.total(*sums[at], value.form.bits, stage)
            case Holds(whens):
                return self._control.truth(whens[at % len(whens)], stage)
            case _:
                wait = stage - value.ready(at)
                assert wait >= 0, f"{value.name} is needed {-wait} stages before it is there"
                return self.delayed(self._now[value.name][at], wait)


def _groups(kernel: Kernel, value: KernelValue) -> tuple[int, ...]:
    """Return the sizes of groups of lanes that have operators side by side."""
    source = value.source
    if not isinstance(source, Computed) or source.starts or not source.leaf.levels:
        return ()
    return groups_of_lanes(prod(kernel.lane_counts(value)))


def _parts(row: Signal, bits: int) -> list[Value]:
    return [row[at : at + bits] for at in range(0, len(row), bits)]
