from collections.abc import Iterable

from amaranth.hdl import Elaboratable, Shape, Signal

class ReadPort(Elaboratable):
    addr: Signal
    data: Signal

class Memory(Elaboratable):
    def __init__(self, *, shape: int | Shape, depth: int, init: Iterable[int]) -> None: ...
    def read_port(self, *, domain: str = ...) -> ReadPort: ...
