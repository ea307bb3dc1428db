"""How fast arrays come from memory off the chip: no node is faster than its channel delivers.

A port moves a word of 512 bits a cycle at most, and no more bytes than its channel has; arrays on
one channel share it evenly, or by the bytes of a frame where weights may be off the chip. The
first word comes after the latency of the channel. Equations are those of
``models/formulations/ports.md``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil, prod
from types import MappingProxyType
from typing import Any

import numpy as np

from streamopt.ir.graph import Node
from streamopt.ir.network import Memory, Network, Pipeline, Place
from streamopt.ir.ports import WORD_BITS, Words, words_of
from streamopt.perf.costs import NodeCost, OtherCosts, Setting
from streamopt.target.device import Target


@dataclass(frozen=True, slots=True)
class Demand:
    """The bytes that an array asks of each of its channels."""

    bytes_a_frame: int
    most_bytes_per_cycle: float


NO_DEMANDS: Mapping[str, Demand] = MappingProxyType({})


def channel_rates(
    channels: Mapping[str, Sequence[str]],
    target: Target,
    demands: Mapping[str, Demand] = NO_DEMANDS,
) -> dict[str, tuple[float, ...]]:
    """Return the bytes that each array moves in a cycle at most, port by port.

    Parameters
    ----------
    channels
        By array; "" where it is not said, and none for a stream, which leaves the port as the
        only limit.
    demands
        By array, by which they share channels; all or none, who share evenly.

    Raises
    ------
    TargetError
        E857 for a channel that the target doesn't have.
    """
    users: dict[str, list[str]] = {}
    for array, names in channels.items():
        for name in names:
            users.setdefault(name, []).append(array)
    shares = {"": dict.fromkeys(channels, WORD_BITS / 8)}
    for name in users.keys() - {""}:
        whole, even = target.channel(name).bytes_per_cycle(target.clock_ns), len(users[name])
        known = {array: demands[array] for array in users[name] if array in demands}
        shares[name] = shared_rate(whole, known) or dict.fromkeys(users[name], whole / even)
    return {a: tuple(shares[name][a] for name in names or ("",)) for a, names in channels.items()}


def least_shared_rates(
    channels: Mapping[str, Sequence[str]], target: Target, *, is_even: bool
) -> dict[str, tuple[float, ...]]:
    """Return the bytes that each array moves in a cycle at most, whatever movers ask for.

    Parameters
    ----------
    channels
        See `channel_rates`.
    is_even
        Whether arrays share channels evenly; else others may leave one all of it.
    """
    if is_even:
        return channel_rates(channels, target)
    alone = (channel_rates({array: names}, target) for array, names in channels.items())
    return {array: rates for found in alone for array, rates in found.items()}


def shared_rate(bytes_per_cycle: float, demands: Mapping[str, Demand]) -> dict[str, float]:
    """Return the rates of arrays on a channel at which all end together that can take more.

    Examples
    --------
    >>> shared_rate(96.0, {"w": Demand(9000, 64.0), "a": Demand(300, 64.0), "b": Demand(100, 2.0)})
    {'w': 64.0, 'b': 2.0, 'a': 30.0}
    """
    whole = sum(own.bytes_a_frame for own in demands.values())
    parts = {name: bytes_per_cycle * own.bytes_a_frame / whole for name, own in demands.items()}
    most = {name: own.most_bytes_per_cycle for name, own in demands.items()}
    full = {name: most[name] for name, part in parts.items() if part >= most[name]}
    if not full:
        return parts
    others = {name: own for name, own in demands.items() if name not in full}
    return full | shared_rate(bytes_per_cycle - sum(full.values()), others)


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
        (name, elems, transfer_ii(elems, bits, rates[name]))
        for name in targets
        for elems, bits in ((pipeline.moved_elems(name), memories[name].element.outside_bits),)
    ]


def network_rates(network: Network, target: Target) -> dict[str, tuple[float, ...]]:
    """Return the bytes a cycle of each memory off the chip; as `channel_rates`."""
    memories = {m.name: m for m in network.memories if m.place is Place.OFF_CHIP}
    outside = {name: memory.channels for name, memory in memories.items()}
    movers = {port.target: p for p in network.pipelines for port in p.ports}
    has_residents = any(memory.place is Place.RESIDENT for memory in network.memories)
    if not has_residents and not any(movers[name].is_again(name) for name in outside):
        return channel_rates(outside, target)
    demands = {
        name: Demand(movers[name].iterations * moved, min(moved, WORD_BITS / 8))
        for name, memory in memories.items()
        for words in (moved_words(movers[name], memory),)
        for moved in (words.stride_elems * memory.element.outside_bits // 8,)
    }
    return channel_rates(outside, target, demands)


def moved_words(mover: Pipeline, memory: Memory) -> Words:
    """Return the words that an iteration of a mover moves over the channels of a memory."""
    elems, channels = mover.moved_elems(memory.name), max(1, len(memory.channels))
    return words_of(elems, memory.element.outside_bits, channels)


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
