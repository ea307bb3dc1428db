"""A count of frames that were given, which goes on from 0 after the last number, and its bits."""

from dataclasses import dataclass

LEAST_BITS = 2
"""Of a number by which frames are told apart; those at both ends of a buffer are two apart."""
MOST_APART = 2
"""Frames between processes with one channel between them: the two that a ping-pong buffer holds, or
one in a FIFO and one that begins."""
_TEXT = """\
module {name}(clk, rst, moves, count);
  input clk;
  input rst;
  input moves;
  output reg [{last}:0] count;
  always @(posedge clk) if (rst) count <= 0; else if (moves) count <= count + 1;
endmodule
"""


@dataclass(frozen=True, slots=True)
class FrameCount:
    """A counter of some bits."""

    bits: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"frames_{self.bits}"

    def source(self) -> str:
        """Return the module's text."""
        return _TEXT.format(name=self.name, last=self.bits - 1)


def frame_bits(processes: int) -> int:
    """Return the bits of frames' numbers with which no process waits for one that is far behind.

    Examples
    --------
    >>> [frame_bits(count) for count in (1, 2, 3, 5)]
    [2, 2, 3, 4]
    """
    apart = MOST_APART * (processes - 1) + 1
    return max(LEAST_BITS, apart.bit_length())
