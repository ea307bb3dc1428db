"""Memory blocks of a device family, and up to which size smaller things are taken instead."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """A way to use a block: so many words of so many bits."""

    words: int
    bits: int

    def blocks(self, words: int, bits: int) -> int:
        """Return the blocks of this shape that hold ``words`` of ``bits``.

        Examples
        --------
        >>> Shape(512, 36).blocks(1260, 32)
        3
        """
        return -(-words // self.words) * -(-bits // self.bits)


@dataclass(frozen=True, slots=True)
class Memories:
    """The blocks that memories are made of."""

    bram18_shapes: tuple[Shape, ...]
    """Shapes of a block RAM of 18 Kbit, one port reading and one writing."""
    uram_shape: Shape | None
    """The shape of an UltraRAM; None where the family has none."""
    lutram_words: int
    """Most words of a memory that is made of LUTs."""
    # shift_register_bits, shift_register_words: a FIFO of at most so many bits, or of at most so
    # many words, is a shift register
    shift_register_bits: int
    shift_register_words: int
    power_of_two_words: int
    """Block RAMs of a memory of at most so many words hold a power of two of them."""
    source: str
    uram_blocks: int = 0
    """UltraRAMs that a process should keep to: those of one region by the device's guideline."""
