"""Modules of instances and wires between them, as text.

Wires between processes may be wider than what amaranth has numbers for, 65,536 bits out of an
instance; and there is nothing in such a module but names. Names of modules are escaped, as a node
may be called ``output``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NamedBits:
    """A wire, or some of one's bits."""

    text: str
    bits: int

    def part(self, at: int, of: int) -> NamedBits:
        """Return one of some parts of a size, from the lowest bits on."""
        if of == 1:
            return self
        bits = self.bits // of
        place = f"{at * bits}" if bits == 1 else f"{at * bits + bits - 1}:{at * bits}"
        return NamedBits(f"{self.text}[{place}]", bits)

    def each(self, of: int) -> NamedBits:
        """Return one of some parts, in a loop over them."""
        if self.bits == 1:
            return self
        bits = self.bits // of
        return NamedBits(f"{self.text}[at * {bits} +: {bits}]", bits)


class StructureModule:
    """Collects the ports, wires and instances of a module; used once."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._taken: set[str] = set()
        self._ports: list[str] = []
        self._declared: list[str] = []
        self._instances: list[str] = []
        self._loops: list[str] = []

    def port(self, direction: str, name: str, bits: int = 1) -> NamedBits:
        """Return a new ``input`` or ``output``."""
        wire = self._new(direction, name, bits)
        self._ports.append(wire.text)
        return wire

    def wire(self, name: str, bits: int = 1) -> NamedBits:
        """Return a new wire."""
        return self._new("wire", name, bits)

    def let(self, wire: NamedBits, text: str) -> NamedBits:
        """Give a wire the value of an expression."""
        self._declared.append(f"  assign {wire.text} = {text};\n")
        return wire

    def instance(self, module: str, name: str, joined: Mapping[str, NamedBits]) -> None:
        """Add a module with what is at its ports."""
        ports = ",\n".join(f"    .{port}({wire.text})" for port, wire in joined.items())
        self._instances.append(f"  \\{module} {name} (\n{ports}\n  );\n")

    def instances(
        self, module: str, name: str, count: int, joined: Mapping[str, NamedBits]
    ) -> None:
        """Add as many of a module, whose wires are those of each; see `NamedBits.each`."""
        ports = ",\n".join(f"      .{port}({wire.text})" for port, wire in joined.items())
        head = f"  for (at = 0; at < {count}; at = at + 1) begin : {name}\n"
        self._loops.append(f"{head}    {module} one (\n{ports}\n    );\n  end\n")

    def _new(self, kind: str, name: str, bits: int) -> NamedBits:
        while name in self._taken:
            name += "_again"
        self._taken.add(name)
        size = f"[{bits - 1}:0] " if bits > 1 else ""
        self._declared.append(f"  {kind} {size}{name};\n")
        return NamedBits(name, bits)

    def verilog(self) -> str:
        """Return the module's text."""
        ports = ", ".join(self._ports)
        parts = [f"module \\{self._name} ({ports});\n", *self._declared, *self._instances]
        if self._loops:
            parts += ["  genvar at;\n  generate\n", *self._loops, "  endgenerate\n"]
        return "".join([*parts, "endmodule\n"])
