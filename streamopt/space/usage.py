"""Usage of resources by rows and their channels: the DSPs, and further ones that have limits.

Amounts are lower bounds that add up: a schedule takes no less than their sum over its rows and
channels. Any cost model may fill them, of any number of resources.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RowUsage:
    """Usage of one node's rows; all arrays have the shape (rows, resources), the DSPs first."""

    own: Integers
    """The node's hardware, and the channels to it that can't stream."""
    # as_fifo, as_buffer: by operand: what its channel to the node, if that can stream, takes and
    # makes the node take, as a FIFO and as a ping-pong buffer; nothing if channels aren't counted
    as_fifo: Mapping[str, Integers] = field(default_factory=dict[str, "Integers"])
    as_buffer: Mapping[str, Integers] = field(default_factory=dict[str, "Integers"])

    def taken(self, places: Integers) -> RowUsage:
        """Return the usage of some rows, by their places."""
        return RowUsage(
            self.own[places],
            {array: used[places] for array, used in self.as_fifo.items()},
            {array: used[places] for array, used in self.as_buffer.items()},
        )

    def of_row(self, row: int, is_fifo: Mapping[str, bool]) -> Integers:
        """Return the usage of one row with its channels.

        Parameters
        ----------
        is_fifo
            By operand, whether its channel to the node is a FIFO.
        """
        used = self.own[row]
        for array in self.as_fifo:
            used = used + (self.as_fifo if is_fifo[array] else self.as_buffer)[array][row]
        return used
