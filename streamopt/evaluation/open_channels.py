"""Channels of arrays off the chip where a search may choose them: (B5)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from streamopt.ir.graph import Graph
from streamopt.ir.ports import WORD_BITS, PortKind, PortPlan
from streamopt.ir.program import Array
from streamopt.target.channels import MOST_PORTS, balanced, fewest_parts, quickest_cycles
from streamopt.target.device import Target
from streamopt.transforms.ports.movers import moved_arrays


def is_open(ports: tuple[PortPlan, ...], target: Target) -> bool:
    """Return whether there are channels to choose."""
    return any(map(has_open_channels, ports)) and bool(preferred_channels(target))


def has_open_channels(port: PortPlan) -> bool:
    """Return whether a search may choose the channels of a port."""
    return port.is_open and port.kind is PortKind.AXI


def open_cycles(
    form: Graph, ports: tuple[PortPlan, ...], target: Target, most_ports: int = MOST_PORTS
) -> int:
    """Return the cycles below which no choice of channels moves the arrays of open ports: (B5).

    Of a rewritten graph, with ports for its copies of arguments; of all words, at most so many.
    """
    sizes, channels = _open_sizes(form, ports), preferred_channels(target)
    free, rate = open_channels(form, ports, target)
    free = min(free, most_ports)
    return quickest_cycles(sizes, rate, len(channels), free) if sizes else 0


def open_channels(form: Graph, ports: tuple[PortPlan, ...], target: Target) -> tuple[int, float]:
    """Return how many ports there may be with channels to choose, and the bytes a cycle of one."""
    return _free_ports(form, ports), _rate(target, preferred_channels(target))


def with_every_channel(ports: tuple[PortPlan, ...], target: Target) -> tuple[PortPlan, ...]:
    """Return ports with more than any choice has: all channels for each array, shared by none."""
    unsaid = ("",) * len(preferred_channels(target))
    return tuple(replace(p, channels=unsaid) if has_open_channels(p) else p for p in ports)


def with_parts(
    form: Graph, ports: tuple[PortPlan, ...], target: Target, parts: Mapping[str, int]
) -> tuple[PortPlan, ...]:
    """Return ports, of which open ones have channels, so many of each; they stay open."""
    fixed = {port.array: port.channels for port in ports if port.channels and not port.is_open}
    sizes = {name: array_bytes(form.array(name)) for name in (*fixed, *parts)}
    where = balanced(sizes, preferred_channels(target), fixed, parts)
    return tuple(
        replace(port, channels=where[port.array]) if port.array in parts else port for port in ports
    )


def parts_within(
    form: Graph, ports: tuple[PortPlan, ...], target: Target, within_cycles: int
) -> dict[str, int]:
    """Return the fewest channels of each open port for a time, or for the least that there is."""
    within = max(within_cycles, open_cycles(form, ports, target))
    _, rate = open_channels(form, ports, target)
    return fewest_parts(_open_sizes(form, ports), rate, within)


def _open_sizes(form: Graph, ports: tuple[PortPlan, ...]) -> dict[str, int]:
    """Return the bytes of the arrays whose channels are to be chosen."""
    moved = {*moved_arrays(form, ports)}
    return {
        p.array: array_bytes(form.array(p.array)) for p in ports if p.is_open and p.array in moved
    }


def _free_ports(form: Graph, ports: tuple[PortPlan, ...]) -> int:
    """Return how many ports the arrays of others leave."""
    moved = {*moved_arrays(form, ports)}
    taken = (len(p.memories) for p in ports if not p.is_open and p.array in moved)
    return max(1, MOST_PORTS - sum(taken))


def _rate(target: Target, channels: Sequence[str]) -> float:
    """Return the bytes a cycle of a port of its own channel."""
    rates = [target.channel(name).bytes_per_cycle(target.clock_ns) for name in channels]
    return min([*rates, WORD_BITS / 8])


def preferred_channels(target: Target) -> list[str]:
    """Return the channels that arrays go to unasked: one kind, with a known rate."""
    known = [channel.name for channel in target.channels if channel.bytes_per_s]
    kind = known[0].split("[")[0] if known else ""
    return [name for name in known if name.split("[")[0] == kind]


def array_bytes(array: Array) -> int:
    """Return the bytes of an array off the chip."""
    return -(-array.size_elems * array.element.outside_bits // 8)
