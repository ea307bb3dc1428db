"""Pipeline registers of an operator: where its logic is cut, and by how many levels."""

from collections.abc import Sequence

from amaranth.hdl import Module, Signal, Value
from amaranth.lib.memory import Memory


class CutPlaces:
    """The places at which an operator's logic may be cut, passed in order.

    Parameters
    ----------
    levels
        Registers on every way from an operand to the result.
    order
        Numbers of places, from the first that gets a register to the last. If there are fewer than
        levels, operands wait for the others.
    """

    def __init__(self, module: Module, enable: Value, levels: int, order: Sequence[int]) -> None:
        self._module, self._enable = module, enable
        self._cuts = frozenset(order[:levels])
        self._waits = max(0, levels - len(order))
        self._place = 0

    def operands(self, *values: Value) -> tuple[Value, ...]:
        """Return the operands, behind the registers for which the logic has no place."""
        for _ in range(self._waits):
            values = self._registered(values)
        return values

    def cut(self, *values: Value) -> tuple[Value, ...]:
        """Return values that pass the next place, where there may be a register."""
        self._place += 1
        if self._place in self._cuts:
            return self._registered(values)
        return tuple(map(self.named, values))

    def named(self, value: Value) -> Value:
        """Return a value as a signal, so that its logic is written once."""
        if isinstance(value, Signal):
            return value
        signal = Signal(len(value), name="wire")
        self._module.d.comb += signal.eq(value)
        return signal

    def looked_up(self, address: Value, words: Sequence[int], width: int) -> Value:
        """Return the word of a table, which a memory is if a register follows."""
        memory = Memory(shape=width, depth=len(words), init=words)
        port = memory.read_port(domain="comb")
        self._module.submodules += memory
        self._module.d.comb += port.addr.eq(address)
        return port.data

    def _registered(self, values: Sequence[Value]) -> tuple[Value, ...]:
        registers = tuple(Signal(len(v), name="register", reset_less=True) for v in values)
        with self._module.If(self._enable):
            for register, value in zip(registers, values, strict=True):
                self._module.d.sync += register.eq(value)
        return registers


def spread(places: int, levels: int) -> tuple[int, ...]:
    """Return as many places as there are levels, the last one and others at equal distances.

    Examples
    --------
    >>> spread(30, 4), spread(3, 5)
    ((8, 15, 23, 30), (1, 2, 3))
    """
    return tuple(sorted({-(-places * turn // levels) for turn in range(1, levels + 1)}))
