"""The rows of a node as values: what the rest of a problem sees of each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.ir.schedule import Binding, NodePlan
from streamopt.space.decisions import LoopOrder
from streamopt.space.usage import RowUsage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Times:
    """Relative times of every row, in cycles.

    ``epilogue`` is LW - LR by array; 0 where no channel of the array can stream, as a node that
    starts after its producer's end has read nothing before.
    """

    first_write: Integers
    last_write: Integers
    epilogue: Mapping[str, Integers]

    def taken(self, places: Integers) -> Times:
        """Return the times of some rows, by their places."""
        epilogue = {array: cycles[places] for array, cycles in self.epilogue.items()}
        return Times(self.first_write[places], self.last_write[places], epilogue)


@dataclass(frozen=True, slots=True)
class NodeRows:
    """The rows of one node; all sequences have one entry a row."""

    node: str
    orders: tuple[LoopOrder, ...]
    factors: tuple[tuple[int, ...], ...]
    """Unroll factors in the node's loop order."""
    bindings: tuple[Binding, ...]
    """Resources of the operators."""
    times: Times
    streams: Mapping[str, tuple[tuple[int, ...] | None, ...]]
    """By channel: the order in which the row walks the channel's array, None if it can't stream."""
    untiled: Times | None
    """The times of the row's loop order with all factors 1; only where the level asks for it."""
    usage: RowUsage
    """Of DSPs, and of LUTs where the space limits them."""
    target_iis: tuple[int, ...] = ()
    """Initiation intervals that rows ask for; empty where none does."""
    plans: tuple[NodePlan, ...] = ()
    """Of a sequential node, whose factors are those of its plans; empty for others."""

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.orders)

    @property
    def dsps(self) -> Integers:
        """Return the DSPs of every row."""
        return self.usage.own[:, 0]
