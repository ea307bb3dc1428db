"""CODO from a graph to a schedule: violations, communication, parallelism, in this order.

The cap on parallelism grows within the DSPs. Where neighbours ask for lanes of a nest with which it
is n times slower than it could be, a buffer to one of them becomes a ping-pong buffer ([1] section
VI, inter-task optimization). The paper doesn't say when that pays; here it is done if the model
says that the design gets faster.

[1] CODO: An Automated Compiler for Comprehensive Dataflow Optimization, 2026, figure 3.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, StrategyError
from streamopt.ir.graph import Edge, Graph, Node
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule
from streamopt.space.assemble import full_fifo
from streamopt.strategies.codo.channels import access_counts, coarse_patterns, reuse_buffers
from streamopt.strategies.codo.estimate import NestModel, UnrollChoice, nest_model
from streamopt.strategies.codo.exploration import Explorer
from streamopt.strategies.codo.loop_orders import Alignment, aligned, streams
from streamopt.strategies.rival import DesignStep, RivalAnswer, RivalRequest
from streamopt.transforms.rewrites import WINDOWS, changed_by

if TYPE_CHECKING:
    from streamopt.strategies.codo.exploration import Explored

REWRITES = ("fold_borders", "private_arguments", WINDOWS)
"""Several writers become one, arguments get one reader, windows take their array from a stream."""


def design(request: RivalRequest) -> RivalAnswer:
    """Return CODO's design of a graph.

    Raises
    ------
    StrategyError
        E550 for a graph without nests, E551 if one lane of every nest has more DSPs than allowed.
    """
    source = request.graph
    if not source.nodes:
        message = f"{source.name} has no nest"
        raise StrategyError(Diagnostic("E550", message, hint="give a program that computes"))
    names, graph = changed_by(source, REWRITES)
    alignment = aligned(graph)
    orders = alignment.orders
    fifos = tuple(edge.channel for edge in graph.edges if streams(graph, edge, orders))
    models = {node.name: nest_model(graph, node, request.target) for node in graph.nodes}
    found = scheduled(graph, orders, fifos, models, request.dsp_limit)
    explored = found.explored
    return RivalAnswer(
        _schedule(graph, names, alignment, found.fifos, explored.choices),
        told(source, graph, alignment, found),
        explored.cycles,
        explored.dsps,
    )


def _schedule(
    graph: Graph,
    rewrites: tuple[str, ...],
    alignment: Alignment,
    fifos: Collection[str],
    choices: Mapping[str, UnrollChoice],
) -> Schedule:
    orders = alignment.orders
    nodes = tuple(_plan(node, orders[node.name], choices[node.name]) for node in graph.nodes)
    factors = {plan.node: plan.factors for plan in nodes}
    channels = tuple(_channel(graph, edge, fifos, factors[edge.producer]) for edge in graph.edges)
    return Schedule(graph.name, nodes, channels, rewrites)


def _plan(node: Node, order: tuple[str, ...], choice: UnrollChoice) -> NodePlan:
    if choice.unrolled is not None:
        return choice.unrolled.plan
    return NodePlan(node.name, order, tuple(zip(node.trip_counts, choice.factors, strict=True)))


def _channel(
    graph: Graph, edge: Edge, fifos: Collection[str], factors: Mapping[str, int]
) -> ChannelPlan:
    if edge.channel not in fifos:
        return ChannelPlan(edge.channel, ChannelKind.PING_PONG)
    return full_fifo(graph, edge, factors)


MOST_OVER = 32
"""Caps in a row whose designs have too many DSPs, before no larger one is tried."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """A design within the DSPs."""

    explored: Explored
    fifos: tuple[str, ...]
    """Channels that stream."""
    downgraded: tuple[tuple[str, str], ...] = ()
    """Pairs (nest, channel): channels that could stream, but conflict with the nest's strategy."""


def scheduled(
    graph: Graph,
    orders: Mapping[str, tuple[str, ...]],
    fifos: tuple[str, ...],
    models: Mapping[str, NestModel],
    dsp_limit: int,
) -> Scheduled:
    """Return the design of a graph of decided loop orders.

    Raises
    ------
    StrategyError
        E551 if one lane of every nest has more DSPs than allowed.
    """
    explorer = Explorer(graph, orders, fifos, models)
    found = Scheduled(_within(graph, explorer, dsp_limit), fifos)
    for name in explorer.conflicts(found.explored):
        trials: list[tuple[float, int, Explorer, tuple[str, ...], str]] = []
        for place, edge in enumerate(graph.edges):
            if name not in (edge.producer, edge.consumer) or edge.channel not in found.fifos:
                continue
            left = tuple(one for one in found.fifos if one != edge.channel)
            trial = Explorer(graph, orders, left, models)
            cycles = _soon(trial, found.explored.cap, dsp_limit)
            if cycles < found.explored.cycles:
                trials.append((cycles, place, trial, left, edge.channel))
        if trials:
            _, _, trial, left, channel = min(trials, key=lambda one: one[:2])
            better = _within(graph, trial, dsp_limit)
            found = Scheduled(better, left, (*found.downgraded, (name, channel)))
    return found


def _soon(explorer: Explorer, cap: int, dsp_limit: int) -> float:
    """Return the cycles at a cap, or at the first of its halves that keeps to the DSPs."""
    while True:
        found = explorer.explored(cap)
        if found.dsps <= dsp_limit:
            return found.cycles
        if cap == 1:
            return float("inf")
        cap //= 2


def _within(graph: Graph, explorer: Explorer, dsp_limit: int) -> Explored:
    """Return the fastest design by the model within the DSPs, of fewest DSPs.

    The cap grows until designs are over the limit `MOST_OVER` times in a row: a larger cap may
    have fewer DSPs, where trip counts divide otherwise.
    """
    fitting: list[Explored] = []
    over = least_dsps = 0
    for cap in explorer.caps():
        found = explorer.explored(cap)
        least_dsps = least_dsps or found.dsps
        over = over + 1 if found.dsps > dsp_limit else 0
        if not over:
            fitting.append(found)
        elif over == MOST_OVER:
            break
    if not fitting:
        message = f"{graph.name} needs {least_dsps} DSPs with one lane a nest"
        hint = f"give --dsp {least_dsps} or more"
        raise StrategyError(Diagnostic("E551", message, hint=hint))
    return min(fitting, key=lambda own: (own.cycles, own.dsps, own.cap))


def told(
    source: Graph,
    graph: Graph,
    alignment: Alignment,
    found: Scheduled,
) -> tuple[DesignStep, ...]:
    """Return the steps from a graph to a design.

    Parameters
    ----------
    source, graph
        Before and after the rewrites.
    """
    return (
        *_coarse(source, graph),
        *_fine(graph, alignment),
        *_communication(graph, found.fifos),
        *_parallelism(graph, found.explored),
        *_conflicts(found),
    )


def _coarse(source: Graph, graph: Graph) -> Iterator[DesignStep]:
    left = coarse_patterns(graph)
    for array, pattern in coarse_patterns(source).items():
        end = "one writer is left" if array not in left else "a channel for each pair"
        yield DesignStep("coarse-grained violations", f"{array} has {pattern.value}: {end}")
    for array, original in graph.copies:
        yield DesignStep(
            "coarse-grained violations", f"{array} is a copy of {original} for one reader"
        )


def _fine(graph: Graph, alignment: Alignment) -> Iterator[DesignStep]:
    for name, channels in alignment.references.items():
        order = ", ".join(alignment.orders[name])
        after = f" after {', '.join(channels)}" if channels else " as a reference"
        yield DesignStep("permutation maps", f"{name} has loops {order}{after}")
    for node in graph.nodes:
        counts = access_counts(node, node.write)
        if counts.rewritten < counts.nested:
            what = f"{node.name} writes {node.write.array} {counts.rewritten} times, not "
            what += f"{counts.nested}: after the last of {', '.join(node.reduction_loops)}"
            yield DesignStep("reduction rewriting", what)


def _communication(graph: Graph, fifos: Collection[str]) -> Iterator[DesignStep]:
    for edge in graph.edges:
        kind = "a FIFO" if edge.channel in fifos else "a ping-pong buffer"
        yield DesignStep("communication buffers", f"{edge.channel} is {kind}")
    for node in graph.nodes:
        yield from _windows(graph, node)


def _windows(graph: Graph, node: Node) -> Iterator[DesignStep]:
    for window in node.windows:
        shape = graph.array(window.array).shape
        found = reuse_buffers(node, node.reads_of(window.array)[0], shape)
        if found is not None:
            line, square = (
                "x".join(map(str, own)) for own in (found.line_shape, found.window_shape)
            )
            what = f"{node.name} keeps {line} of {window.array}, of which it sees {square} at once"
            yield DesignStep("reuse buffers", what)


def _parallelism(graph: Graph, found: Explored) -> Iterator[DesignStep]:
    yield DesignStep("parallelism cap", str(found.cap))
    for stage, degrees in found.degrees:
        listed = ", ".join(f"{name} {degree}" for name, degree in degrees.items())
        yield DesignStep(stage, listed)
    for node in graph.nodes:
        choice = found.choices[node.name]
        own = zip(node.trip_counts, choice.factors, strict=True)
        factors = own if choice.unrolled is None else choice.unrolled.plan.unroll
        unrolled = ", ".join(f"{name} by {factor}" for name, factor in factors if factor > 1)
        if unrolled:
            yield DesignStep("inter-task optimization", f"{node.name} unrolls {unrolled}")


def _conflicts(found: Scheduled) -> Iterator[DesignStep]:
    for name, channel in found.downgraded:
        what = f"{channel} is a ping-pong buffer: its lanes conflict with the strategy of {name}"
        yield DesignStep("inter-task optimization", what)
