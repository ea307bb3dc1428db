"""Which lanes' copies of values are one wire: an operator that takes it from all has no choice."""

from __future__ import annotations

from collections.abc import Sequence

from streamopt.rtl.kernel.kernel import (
    Begun,
    Computed,
    Constant,
    Fetched,
    Kernel,
    KernelValue,
    Masked,
    Recalled,
    copy_positions,
)


class SharedWires:
    """Names the wires of a kernel's values."""

    def __init__(self, kernel: Kernel) -> None:
        self._trips = {loop.name: loop.trip_count for loop in kernel.lanes}
        self._values = {value.name: value for value in kernel.values}
        self._positions: dict[tuple[Sequence[str], Sequence[str]], list[int]] = {}
        self._ports: dict[str, dict[int, int]] = {}
        """By value and lane, the port that reads it."""

    def taken(self, name: str, lanes: Sequence[str], stages: Sequence[int]) -> list[object]:
        """Return the wires of copies of a value in given stages."""
        value = self._values[name]
        positions = copy_positions(lanes, value.lanes, self._trips)
        pairs = zip(positions, stages, strict=True)
        return [self.wire(value, at, stage) for at, stage in pairs]

    def wire(self, value: KernelValue, at: int, stage: int) -> object:
        """Return a name for the wire of a copy in a stage."""
        return self._origin(value, at), stage - value.ready(at)

    def _origin(self, value: KernelValue, at: int) -> object:
        """Return a name for what a copy comes from; lanes that share it have the same."""
        match value.source:
            case Constant():
                return value.name
            case Computed(starts=starts) if starts:
                return value.name, starts[at].unit
            case Fetched() as source:
                return self._port(value, source, at)
            case Recalled(new=new) as source if source.is_forwarded:
                return self._inner(value, new, at)
            case Begun() | Masked() as source:
                return tuple(self._inner(value, name, at) for name in source.operands)
            case _:
                return value.name, at

    def _inner(self, value: KernelValue, name: str, at: int) -> object:
        """Return the origin of an operand of a copy."""
        inner, key = self._values[name], (value.lanes, self._values[name].lanes)
        if key not in self._positions:
            self._positions[key] = copy_positions(*key, self._trips)
        return self._origin(inner, self._positions[key][at])

    def _port(self, value: KernelValue, source: Fetched, at: int) -> object:
        """Return the port and the bank that a lane's element comes from, if it keeps its bank."""
        place = source.place
        turning = any(dimension.turns != (0,) for dimension in place.dimensions)
        if turning or not place.offsets[at]:
            return value.name, at
        if value.name not in self._ports:
            parts = place.parts()
            ports = source.ports or len(parts)
            turns = ((point, turn) for turn, part in enumerate(parts) for point in part.points)
            self._ports[value.name] = {point: turn % ports for point, turn in turns}
        bank = place.bank(place.offsets[at])
        return value.name, self._ports[value.name].get(at), bank
