"""Constraint families of the compact program; the numbers are those of its page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from streamopt.formulation.compact.variables import Compact
from streamopt.formulation.tags import Tag, enforce, pyo
from streamopt.ir.graph import Edge
from streamopt.space.row_values import Times

BUDGETS = ("dsp_budget", "lut_budget")
"""By resource, in the order of the limits of a space."""


def row_choice(compact: Compact) -> None:
    """Choose one row for every node (C1)."""
    for node, choices in compact.row.items():
        total = compact.over_rows(node, [1] * len(choices))
        compact.formulation.require(total == 1, Tag("C1", "row_choice", node))


def tile_coupling(compact: Compact) -> None:
    """Give all loops of a tile class the same unroll factor (C2, C3)."""
    for index, choices in compact.factor.items():
        group = compact.space.classes[index]
        subject = ", ".join(f"{node}.{loop}" for node, loop in group.members)
        compact.formulation.require(sum(choices) == 1, Tag("C2", "tile_coupling", subject))
        first_loops = dict(reversed(group.members))
        for node, loop in first_loops.items():
            place = list(compact.space.graph.node(node).trip_counts).index(loop)
            for factor, chosen in zip(group.factors, choices, strict=True):
                taken = [int(row[place] == factor) for row in compact.rows[node].factors]
                compact.formulation.require(
                    compact.over_rows(node, taken) == chosen, Tag("C3", "tile_coupling", subject)
                )


def budgets(compact: Compact) -> None:
    """Keep the DSPs of all nodes, and their LUTs if these have one, within the limits (C4)."""
    space = compact.space
    for resource, (limit, family) in enumerate(zip(space.limits, BUDGETS, strict=False)):
        total = sum(
            compact.over_rows(node, rows.usage.own[:, resource])
            for node, rows in compact.rows.items()
        )
        compact.formulation.require(total <= limit, Tag("C4", family, space.graph.name))


def fifo_order(compact: Compact) -> None:
    """Allow a FIFO only where both sides walk the array in the same order (C5)."""
    for edge in compact.space.graph.edges:
        if edge.channel not in compact.fifo:
            continue
        writes = compact.rows[edge.producer].streams[edge.channel]
        reads = compact.rows[edge.consumer].streams[edge.channel]
        for order in sorted(set(writes) | set(reads), key=repr):
            written = compact.over_rows(edge.producer, [int(w == order) for w in writes])
            same = [int(order is not None and r == order) for r in reads]
            read = compact.over_rows(edge.consumer, same)
            compact.formulation.require(
                compact.fifo[edge.channel] + written - read <= 1,
                Tag("C5", "fifo_order", edge.channel),
            )


def latency(compact: Compact) -> None:
    """Relate st and lw of all nodes and the latency (C6 to C10)."""
    times = {node: rows.times for node, rows in compact.rows.items()}
    chain = _OrderChain(times, compact.start, compact.last, compact.horizon_cycles)
    _times(compact, chain, ("C6", "C7", "C8", "C9"))
    whole = compact.space.graph.name
    for node, last in compact.last.items():
        compact.formulation.require(
            compact.formulation.model.latency >= last, Tag("C10", "latency", f"{whole}: {node}")
        )


def interval(compact: Compact) -> None:
    """Relate the own run of all nodes and the distance of frames (C14)."""
    model = compact.formulation.model
    model.interval = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0, compact.horizon_cycles))
    for node, rows in compact.rows.items():
        own = compact.over_rows(node, rows.times.last_write)
        compact.formulation.require(model.interval >= own, Tag("C14", "interval", node))


def untiled_latency(compact: Compact, limit_cycles: int) -> None:
    """Allow only loop orders whose latency without tiles is at most a limit (C11 to C13)."""
    model = compact.formulation.model
    names = list(compact.row)
    bounds = (0, limit_cycles)
    model.untiled_start = pyo.Var(names, domain=pyo.NonNegativeIntegers, bounds=bounds)
    model.untiled_last = pyo.Var(names, domain=pyo.NonNegativeIntegers, bounds=bounds)
    untiled: dict[str, Times] = {}
    for node, rows in compact.rows.items():
        assert rows.untiled is not None
        untiled[node] = rows.untiled
    chain = _OrderChain(untiled, model.untiled_start, model.untiled_last, limit_cycles)
    _times(compact, chain, ("C11", "C12", "C13", "C13"))


@dataclass(frozen=True, slots=True)
class _OrderChain:
    """Variables and coefficients of one set of start and end times, with their upper bound."""

    times: Mapping[str, Times]
    start: Mapping[str, Any]
    last: Mapping[str, Any]
    horizon_cycles: int


def _times(compact: Compact, chain: _OrderChain, equations: tuple[str, str, str, str]) -> None:
    """State table 3 of the paper over rows: arrival by FIFO, by ping-pong, and the last write."""
    require = compact.formulation.require
    by_fifo, by_buffer, own_end, fed_end = equations
    start, last = chain.start, chain.last
    for node, own in chain.times.items():
        whole = compact.over_rows(node, own.last_write)
        require(last[node] - start[node] >= whole, Tag(own_end, "last_write", node))
    for edge in compact.space.graph.edges:
        before, after = edge.producer, edge.consumer
        first = compact.over_rows(before, chain.times[before].first_write)
        require(start[after] - start[before] >= first, Tag(by_fifo, "arrival", edge.channel))
        _buffer_arrival(compact, edge, chain, by_buffer)
        epilogue = compact.over_rows(after, chain.times[after].epilogue[edge.array])
        require(last[after] - last[before] >= epilogue, Tag(fed_end, "last_write", edge.channel))


def _buffer_arrival(compact: Compact, edge: Edge, chain: _OrderChain, equation: str) -> None:
    gap = chain.start[edge.consumer] - chain.last[edge.producer]
    tag = Tag(equation, "arrival", edge.channel)
    if edge.channel not in compact.fifo:
        compact.formulation.require(gap >= 0, tag)
        return
    fifo, big_m = compact.fifo[edge.channel], max(1, chain.horizon_cycles)
    row = compact.formulation.require(gap + big_m * fifo >= 0, tag)
    enforce(compact.formulation, row, fifo, 0, big_m)
