"""The control of a flattened loop nest whose trip counts are known."""

from __future__ import annotations

from amaranth.hdl import Const, Module, Mux, Signal, Value

from streamopt.rtl.blocks.controller import IterationController
from streamopt.rtl.blocks.counting import TileCounting
from streamopt.rtl.kernel.kernel import Kernel


class LoopController(IterationController):
    """Counters of tile loops; each slot has an iteration."""

    def __init__(self, module: Module, kernel: Kernel, enable: Signal, frame_bits: int) -> None:
        super().__init__(module, kernel, enable, frame_bits)
        self.issue = self.slot
        self._counters = {
            tile.name: Signal(max(1, (tile.trip_count - 1).bit_length()), name=f"{tile.name}_tile")
            for tile in self._tiles
        }
        at_end = self._at_end()
        with module.If(self.moves):
            for position, tile in enumerate(self._tiles):
                counter = self._counters[tile.name]
                inside = (at_end[position + 1 :] or [Const(1, 1)])[0]
                with module.If(inside):
                    module.d.sync += counter.eq(Mux(counter == tile.trip_count - 1, 0, counter + 1))
        self.ends(at_end[0] if at_end else Const(1, 1))
        self.counting = TileCounting(module, self._tiles, at_end, self.moves)

    def _at_end(self) -> list[Value]:
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
