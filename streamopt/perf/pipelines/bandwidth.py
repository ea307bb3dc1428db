"""How fast arrays come from memory off the chip: no node is faster than its channel delivers.

A port moves a word of 512 bits a cycle at most, and no more bytes than its channel has; arrays on
one channel share it evenly. The first word comes after the latency of the channel. Equations are
those of ``models/formulations/ports.md``.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, prod
from typing import Any

import numpy as np

from streamopt.ir.graph import Node
from streamopt.ir.network import Memory, Network, Pipeline, Place
from streamopt.ir.ports import WORD_BITS, words_of
from streamopt.perf.costs import NodeCost, OtherCosts, Setting
from streamopt.target.device import Target


def channel_rates(
    channels: Mapping[str, Sequence[str]], target: Target
) -> dict[str, tuple[float, ...]]:
    """Return the bytes that each array moves in a cycle at most, port by port.

    Parameters
    ----------
    channels
        By array; "" where it is not said, and none for a stream, which leaves the port as the
        only limit.

    Raises
    ------
    TargetError
        E857 for a channel that the target doesn't have.
    """
    users = Counter(name for names in channels.values() for name in names)

    def rate(name: str) -> float:
        if not name:
            return WORD_BITS / 8
        return target.channel(name).bytes_per_cycle(target.clock_ns) / users[name]

    return {array: tuple(map(rate, names or ("",))) for array, names in channels.items()}


def transfer_ii(lanes: int, bits: int, bytes_per_cycle: Sequence[float]) -> int:
    """Return the cycles that the words of an iteration take: (B1) and (B2).

    Parameters
    ----------
    bytes_per_cycle
        Of each port of the array.

    Examples
    --------
    >>> transfer_ii(16, 32, [64.0]), transfer_ii(16, 32, [47.9]), transfer_ii(40, 32, [64.0])
    (1, 2, 3)
    >>> transfer_ii(16, 32, [47.9, 47.9])
    1
    """
    words = words_of(lanes, bits, len(bytes_per_cycle))
    slowest = min(bytes_per_cycle[: words.memories])
    return max(words.count, ceil(words.stride_elems * bits / 8 / slowest))


def least_cycles(elems: int, bits: int, bytes_per_cycle: Sequence[float]) -> int:
    """Return the cycles below which no loop order or unroll factor moves an array."""
    together = sum(min(rate, WORD_BITS / 8) for rate in bytes_per_cycle)
    return ceil(elems * bits / 8 / together)


def transfer_bounds(
    pipeline: Pipeline, memories: Mapping[str, Memory], rates: Mapping[str, Sequence[float]]
) -> list[tuple[str, int, int]]:
    """Return (memory, elements of an iteration, II) for what a pipeline moves over the boundary."""
    targets = dict.fromkeys(port.target for port in pipeline.ports if port.target in rates)
    return [
        (name, pipeline.copies, transfer_ii(pipeline.copies, bits, rates[name]))
        for name in targets
        for bits in (memories[name].element.outside_bits,)
    ]


def network_rates(network: Network, target: Target) -> dict[str, tuple[float, ...]]:
    """Return the bytes a cycle of each memory off the chip; as `channel_rates`."""
    outside = {m.name: m.channels for m in network.memories if m.place is Place.OFF_CHIP}
    return channel_rates(outside, target)


def first_word_cycles(channels: Sequence[str], target: Target) -> int:
    """Return the cycles from the first request to its word, over the slowest channel: (B6).

    Parameters
    ----------
    channels
        Of an array; "" where it is not said, which counts for nothing.

    Raises
    ------
    TargetError
        E857 for a channel that the target doesn't have.
    """
    known = (target.channel(name) for name in channels if name)
    return max((channel.latency_cycles(target.clock_ns) for channel in known), default=0)


class TransferRule:
    """The II that moving an array asks for, by the unroll factors of its mover: (B2).

    Parameters
    ----------
    bits
        Of an element.
    bytes_per_cycle
        That the channel of each port delivers.
    """

    def __init__(self, bits: int, bytes_per_cycle: Sequence[float]) -> None:
        self._bits = bits
        self._rate = bytes_per_cycle

    def intervals(self, factors: Mapping[str, Any]) -> Any:
        """Return the II of every choice: an integer, or one for each entry of the vectors."""
        copies: Any = prod(factors.values())
        lanes, places = np.unique(copies, return_inverse=True)
        found = np.array([transfer_ii(int(n), self._bits, self._rate) for n in lanes], np.int64)
        intervals = found[places.ravel()]
        return int(intervals.item()) if isinstance(copies, int) else intervals


@dataclass(frozen=True, slots=True)
class ChannelLimited(OtherCosts):
    """Costs under which movers keep to their channels, whatever else the costs are: (B3).

    A mover has no reduction, so its first write comes with its first iteration; all later times
    stretch by the interval of its transfers.
    """

    movers: Mapping[str, TransferRule]
    """By node."""

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        """Return the cost of a node; see `streamopt.perf.costs.CostModel`."""
        cost = self.whole.node_cost(node, order, factors, setting)
        if node.name not in self.movers:
            return cost
        ii = self.movers[node.name].intervals(factors)
        timing = cost.timing
        begin = timing.first_write
        times = replace(
            timing,
            ii=timing.ii * ii,
            last_write=(timing.last_write - begin) * ii + begin,
            last_read={array: last * ii for array, last in timing.last_read.items()},
        )
        return replace(cost, timing=times)
