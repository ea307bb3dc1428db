"""ScaleHLS as a strategy: loop order, tiles and initiation intervals by its own estimate.

The steps are those of [1] section V, in the order of its kernel flow; the page
``models/formulations/scalehls.md`` numbers them and says where paper and code differ.

[1] Ye et al., ScaleHLS: A New Scalable High-Level Synthesis Framework on Multi-Level Intermediate
Representation, HPCA 2022.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, StrategyError
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.ir.schedule import NodePlan, Schedule
from streamopt.strategies.rival import DesignStep, RivalAnswer, RivalRequest, ping_pongs
from streamopt.strategies.scalehls.band import Band, graph_band, optimized_order, permutation_map
from streamopt.strategies.scalehls.combination import Combined, combined
from streamopt.strategies.scalehls.dataflow import (
    Path,
    levels_of,
    merged_stages,
    with_copies,
    without_copies,
)
from streamopt.strategies.scalehls.exploration import explore, explored_nests
from streamopt.strategies.sequential.unrolled_nests import unrolled_as_written
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.strategies.scalehls.exploration import DesignPoint, ExploredBand

MOST_KEPT = 128
"""Bands whose exploration is remembered: it is the same at every limit on DSPs."""


def design(request: RivalRequest) -> RivalAnswer:
    """Return the schedule that ScaleHLS would choose for a graph.

    All channels are ping-pong buffers, as between its dataflow stages. The limit on DSPs is kept
    strictly; the published code lets a design have a tenth more.

    Raises
    ------
    StrategyError
        E540 if no combination of the explored points keeps the limit.
    """
    graph = request.graph
    streaming = [node for node in graph.nodes if not isinstance(node, SequentialNode)]
    bands = {node.name: graph_band(graph, node) for node in streaming}
    ordered = {name: optimized_order(band) for name, band in bands.items()}
    explored = _explored(ordered, request.target) | _unrolled(graph, request.target)
    levels = levels_of([node.name for node in graph.nodes], _paths(graph))
    by_level = [[explored[name] for name in names] for names in levels]
    found = combined(by_level, request.dsp_limit)
    if found is None:
        raise StrategyError(_no_fit(request, [*explored.values()]))
    steps = (
        *_order_steps(bands, ordered),
        *(_exploration_step(one) for one in explored.values()),
        _final_step(found, request.dsp_limit),
        *(_point_step(name, ordered, point) for name, point in found.points.items()),
        _dataflow_step(graph, found),
    )
    return RivalAnswer(_schedule(graph, ordered, found), steps, found.cycles, found.dsps)


def _explored(bands: dict[str, Band], target: Target) -> dict[str, ExploredBand]:
    """Return the Pareto points of each band; equal ones are explored once."""
    return {
        name: replace(_explored_once(band.anonymous(), target), name=name)
        for name, band in bands.items()
    }


def _unrolled(graph: Graph, target: Target) -> dict[str, ExploredBand]:
    """Return the Pareto points of the sequential nodes, whose nests are as they are written."""
    return {
        node.name: explored_nests(node.name, unrolled_as_written(graph, node, target))
        for node in graph.nodes
        if isinstance(node, SequentialNode)
    }


@lru_cache(maxsize=MOST_KEPT)
def _explored_once(band: Band, target: Target) -> ExploredBand:
    return explore(band, target)


def _schedule(graph: Graph, ordered: dict[str, Band], found: Combined) -> Schedule:
    nodes: list[NodePlan] = []
    for node in graph.nodes:
        point = found.points[node.name]
        if point.plan is not None:
            nodes.append(point.plan)
            continue
        order = ordered[node.name].order
        sizes = dict(zip(order, point.tiles, strict=True))
        unroll = tuple((loop.name, sizes[loop.name]) for loop in node.loops)
        nodes.append(NodePlan(node.name, order, unroll, target_ii=point.ii))
    return Schedule(graph.name, tuple(nodes), ping_pongs(graph))


def _paths(graph: Graph) -> tuple[Path, ...]:
    return tuple(dict.fromkeys((edge.producer, edge.consumer) for edge in graph.edges))


def _no_fit(request: RivalRequest, explored: Sequence[ExploredBand]) -> Diagnostic:
    least = sum(one.points[-1].dsps for one in explored)
    message = f"{request.graph.name} takes {least} DSPs at least by ScaleHLS' estimate, "
    message += f"{request.dsp_limit} are allowed"
    return Diagnostic("E540", message, hint=f"allow {least} DSPs or more")


def _order_steps(bands: dict[str, Band], ordered: dict[str, Band]) -> Iterator[DesignStep]:
    for name, band in bands.items():
        places = permutation_map(band.order, ordered[name].order)
        text = f"{name}: {', '.join(ordered[name].order)} (perm-map {[*places]})"
        yield DesignStep("loop order optimization", text)


def _exploration_step(explored: ExploredBand) -> DesignStep:
    text = f"{explored.name}: {explored.estimated} tilings estimated, "
    return DesignStep("design space exploration", f"{text}{len(explored.points)} Pareto points")


def _final_step(found: Combined, dsp_limit: int) -> DesignStep:
    text = f"{found.cycles} cycles and {found.dsps} of {dsp_limit} DSPs, the fastest that fits"
    return DesignStep("design finalization", text)


def _point_step(name: str, ordered: dict[str, Band], point: DesignPoint) -> DesignStep:
    order = ordered[name].order if point.plan is None else point.plan.order
    tiles = ", ".join(f"{n} {size}" for n, size in zip(order, point.tiles, strict=True))
    text = f"{name}: tiles {tiles}, II {point.ii}, {point.cycles} cycles, {point.dsps} DSPs"
    return DesignStep("loop tiling and pipelining", text)


def _dataflow_step(graph: Graph, found: Combined) -> DesignStep:
    """Tell how a throughput design would be staged; a latency design is not changed by it."""
    names, paths = [node.name for node in graph.nodes], _paths(graph)
    latency = {name: point.cycles for name, point in found.points.items()}
    copying = {
        (edge.producer, edge.consumer): prod(graph.array(edge.array).shape) for edge in graph.edges
    }
    plain, copied = without_copies(names, paths), with_copies(names, paths)
    halved = merged_stages(copied, 2)
    text = f"{len(plain.stages)} stages with an interval of {plain.interval(latency, copying)} "
    text += f"cycles; with {len(copied.copies)} copies {len(copied.stages)} stages and "
    text += f"{copied.interval(latency, copying)} cycles, two at a time {len(halved.stages)} and "
    return DesignStep("dataflow legalization", f"{text}{halved.interval(latency, copying)}")
