"""Types of the part of amaranth that is used: it brings none of its own."""

from collections.abc import Sequence

from amaranth.hdl import Elaboratable, Value

def convert(
    elaboratable: Elaboratable,
    *,
    name: str = ...,
    ports: Sequence[Value] = ...,
    emit_src: bool = ...,
) -> str: ...
