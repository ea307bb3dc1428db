"""The addresses of a master: an array from its first word to its last, in bursts.

Bursts are as many bytes as a power of two and begin at multiples of that, as the array does: none
crosses 4 KiB.
"""

from __future__ import annotations

from dataclasses import dataclass

from amaranth.hdl import Module, Mux, Signal, Value

ADDRESS_BITS = 64


@dataclass(frozen=True, slots=True)
class MasterSizes:
    """The words that a master moves in a frame.

    Attributes
    ----------
    word_bits
        Of a beat.
    gathered
        Beats of a word of its FIFO.
    beats
        Of the array.
    times
        That it is moved.
    burst_beats
        Of a burst, a power of two.
    """

    word_bits: int
    gathered: int
    beats: int
    times: int
    burst_beats: int
    frame_bits: int

    def __str__(self) -> str:
        """Return the sizes as a part of a name."""
        sizes = (self.word_bits, self.gathered, self.beats, self.times)
        return "x".join(map(str, (*sizes, self.burst_beats, self.frame_bits)))


@dataclass(frozen=True, slots=True)
class Bursts:
    """The bursts of a module.

    Attributes
    ----------
    begins
        Whether a frame does.
    moves
        Whether a burst is taken, of so many ``beats``.
    is_over
        Whether all have been.
    """

    ports: tuple[Signal, ...]
    begins: Signal
    moves: Signal
    beats: Signal
    is_over: Value


def add_bursts(module: Module, sizes: MasterSizes, channel: str, may_ask: Value) -> Bursts:
    """Add what asks for one burst after another, as far as it may.

    A frame begins when its mover does: when that is ``ready`` for the ``frame`` that comes next.

    Parameters
    ----------
    channel
        ``ar`` or ``aw``.
    """
    ready, frame = Signal(name="ready"), Signal(sizes.frame_bits, name="frame")
    base, address = (Signal(ADDRESS_BITS, name=name) for name in ("base", f"{channel}addr"))
    length, valid = Signal(8, name=f"{channel}len"), Signal(name=f"{channel}valid")
    taken = Signal(name=f"{channel}ready")
    begins, asked = Signal(name="begins"), Signal(sizes.frame_bits, name="asked")
    left, place = (Signal(sizes.beats.bit_length(), name=name) for name in ("left", "place"))
    passes = Signal(max(1, (sizes.times - 1).bit_length()), name="passes")
    beats, moves = Signal(sizes.burst_beats.bit_length(), name="beats"), Signal(name="moves")
    is_last = left <= sizes.burst_beats
    module.d.comb += [
        begins.eq(ready & (asked == frame)),
        beats.eq(Mux(is_last, left, sizes.burst_beats)),
        valid.eq((left != 0) & may_ask),
        length.eq(beats - 1),
        address.eq(base + place * (sizes.word_bits // 8)),
        moves.eq(valid & taken),
    ]
    with module.If(moves):
        module.d.sync += [left.eq(left - beats), place.eq(place + beats)]
        with module.If(is_last & (passes != 0)):
            module.d.sync += [left.eq(sizes.beats), place.eq(0), passes.eq(passes - 1)]
    with module.If(begins):
        module.d.sync += [
            asked.eq(asked + 1),
            left.eq(sizes.beats),
            place.eq(0),
            passes.eq(sizes.times - 1),
        ]
    ports = (ready, frame, base, valid, taken, address, length)
    return Bursts(ports, begins, moves, beats, left == 0)
