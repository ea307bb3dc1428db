"""Pruned rows hold an optimum: a search over rows against the oracle's walk over schedules."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from operator import le
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import streamopt as so
from streamopt.errors import SolverError
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.perf.as_built.paced_runs import PacedCosts, PacedRuns
from streamopt.perf.costs import PUBLISHED
from streamopt.perf.paper.dsp import dsps_per_lane
from streamopt.space.decisions import DecisionSpace, SpaceOptions, decision_space
from streamopt.space.level import LEVELS, Level, LevelName
from streamopt.space.rows import node_rows
from streamopt.space.tiles import MOST_CHOICES
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.oracle.exhaustive import exhaustive
from streamopt.transforms.rewrites import rewritten
from tests.support.random.graphs import random_graph
from tests.support.random.windows import window_chain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from streamopt.ir.graph import Graph, Node
    from streamopt.perf.costs import NodeCost, Setting
    from streamopt.space.row_values import NodeRows, Times
    from streamopt.strategies.oracle.exhaustive import OracleResult

TOP = Path(__file__).parents[2]
MAX_POINTS = 30_000
Span = tuple[int, int]
"""First and last write of a node, absolute."""


@dataclass(frozen=True)
class Partial:
    """Rows chosen for the first nodes."""

    rows: dict[str, int] = field(default_factory=dict[str, int])
    factors: dict[int, int] = field(default_factory=dict[int, int])
    dsps: int = 0
    spans: dict[str, Span] = field(default_factory=dict[str, Span])
    untiled: dict[str, Span] = field(default_factory=dict[str, Span])

    @property
    def cycles(self) -> int:
        return max((last for _, last in self.spans.values()), default=0)


class RowSearch:
    """Tries all combinations of rows that agree on coupled factors and fit the DSPs."""

    def __init__(self, space: DecisionSpace, untiled_limit: int | None = None) -> None:
        self.space = space
        self.rows = node_rows(space)
        self.untiled_limit = untiled_limit
        self.class_of = space.class_of()
        self.ins = space.graph.in_edges()
        self.best: tuple[int, int] | None = None

    def run(self) -> tuple[int, int] | None:
        """Return the least (latency, DSPs), None if no combination fits."""
        self._extend(Partial())
        return self.best

    def _extend(self, partial: Partial) -> None:
        if self.best is not None and (partial.cycles, partial.dsps) >= self.best:
            return
        place = len(partial.rows)
        if place == len(self.space.graph.nodes):
            self.best = partial.cycles, partial.dsps
            return
        name = self.space.graph.nodes[place].name
        for row in range(len(self.rows[name])):
            extended = self._with(partial, name, row)
            if extended is not None:
                self._extend(extended)

    def _with(self, partial: Partial, name: str, row: int) -> Partial | None:
        rows = self.rows[name]
        loops = self.space.graph.node(name).trip_counts
        factors = dict(partial.factors)
        for loop, factor in zip(loops, rows.factors[row], strict=True):
            if factors.setdefault(self.class_of[name, loop], factor) != factor:
                return None
        dsps = partial.dsps + rows.dsps[row]
        if dsps > self.space.dsp_limit:
            return None
        chosen = partial.rows | {name: row}
        spans = partial.spans | {name: self._span(chosen, name, rows.times, partial.spans)}
        untiled = partial.untiled
        if rows.untiled is not None:
            assert self.untiled_limit is not None
            span = self._span(chosen, name, rows.untiled, untiled)
            if span[1] > self.untiled_limit:
                return None
            untiled = untiled | {name: span}
        return Partial(chosen, factors, dsps, spans, untiled)

    def _span(
        self, chosen: dict[str, int], name: str, times: Times, spans: dict[str, Span]
    ) -> Span:
        row = chosen[name]
        start = 0
        for edge in self.ins[name]:
            first, last = spans[edge.producer]
            written = self._stream(edge.channel, edge.producer, chosen)
            streams = written is not None and written == self._stream(edge.channel, name, chosen)
            start = max(start, first if streams else last)
        ends = [spans[e.producer][1] + times.epilogue[e.array][row] for e in self.ins[name]]
        return start + times.first_write[row], max([start + times.last_write[row], *ends])

    def _stream(self, channel: str, name: str, chosen: dict[str, int]) -> tuple[int, ...] | None:
        streams = self.rows[name].streams
        return streams[channel][chosen[name]] if channel in streams else None


def oracle(graph: Graph, level: Level, dsp_limit: int, tiling_limit: int) -> OracleResult | None:
    """Return the oracle's answer; None if the space is too large to wait for."""
    try:
        return exhaustive(
            graph,
            level=level,
            dsp_limit=dsp_limit,
            tiling_limit=tiling_limit,
            max_points=MAX_POINTS,
        )
    except SolverError:
        return None


PUBLISHED_LEVELS = [level for level in LEVELS.values() if not level.is_as_built]


@pytest.mark.parametrize("level", PUBLISHED_LEVELS, ids=[level.name for level in PUBLISHED_LEVELS])
def test_pruned_rows_hold_an_optimum(level: Level) -> None:
    tried = moved = 0
    for seed in range(150):
        rng = random.Random(seed)
        graph = random_graph(rng, nodes=2 + seed % 4, max_extent=8)
        least = sum(dsps_per_lane(node, graph.element_of) for node in graph.nodes)
        dsps, tiles = max(1, least + rng.randint(0, 3 * least)), rng.choice((1, 2, 2, 3))
        expected = oracle(graph, level, dsps, tiles)
        if expected is None:
            continue
        untiled_limit = None
        if level.untiled_first:
            untiled = oracle(graph, LEVELS[LevelName.OPT2], dsps, tiles)
            assert untiled is not None
            untiled_limit = untiled.latency_cycles
        space = decision_space(graph, SpaceOptions(level, dsp_limit=dsps, tiling_limit=tiles))
        found = RowSearch(space, untiled_limit).run()
        assert found == (expected.latency_cycles, expected.dsps), seed
        tried += 1
        moved += expected.latency_cycles > 0
    assert tried > 120
    assert moved > 110


@pytest.mark.parametrize("level", [LevelName.OPT4, LevelName.OPT5])
def test_a_kept_row_is_as_good_as_each_that_is_dropped(level: LevelName) -> None:
    for seed in range(40):
        graph = random_graph(random.Random(seed), nodes=3, max_extent=6)
        space = decision_space(graph, SpaceOptions(LEVELS[level], dsp_limit=60, tiling_limit=1))
        every, kept = node_rows(space, prune=False), node_rows(space)
        for node in graph.nodes:
            fronts = by_meaning(space, kept[node.name])
            groups = by_meaning(space, every[node.name])
            assert fronts.keys() == groups.keys()
            for meaning, costs in groups.items():
                front = fronts[meaning]
                assert front <= costs
                for cost in costs:
                    assert any(all(map(le, good, cost)) for good in front)
                assert not [a for a in front for b in front if a != b and all(map(le, a, b))]


def outcomes(cost: tuple[int, ...], lengths: Sequence[int]) -> tuple[int, ...]:
    """Return DSPs, and first and last writes behind producers that write for so long."""
    dsps, first_write, last_write, epilogue = cost
    found, last_read = [dsps], last_write - epilogue
    for length in lengths:
        start = max(0, length - last_read) if last_read <= first_write else 0
        found += [start + first_write, max(start + last_write, length + epilogue)]
    return (*found,)


@pytest.mark.parametrize("seed", range(8))
def test_rows_that_wait_for_all_drop_none_that_write_before(seed: int) -> None:
    graph = rewritten(so.dataflow(window_chain(random.Random(seed))), ("stream_windows",))
    costs = PacedCosts(as_built_costs(graph, so.device("u280")), PacedRuns(graph))
    level, lengths = LEVELS[LevelName.OPT6], (0, 9, 40, 150, 700)
    space = decision_space(graph, SpaceOptions(level, 300, 1, costs=costs))
    every, kept = node_rows(space, prune=False), node_rows(space)
    streams = [node.name for node in graph.nodes if len(every[node.name].times.epilogue) == 1]
    for name in streams:
        fronts = by_meaning(space, kept[name])
        for meaning, costs_of in by_meaning(space, every[name]).items():
            good = [outcomes(cost, lengths) for cost in fronts[meaning]]
            for own in (outcomes(cost, lengths) for cost in costs_of):
                assert any(all(map(le, front, own)) for front in good)
    assert streams


class Recorded:
    """The published costs; keeps the most iterations of the factors that it was asked about."""

    def __init__(self) -> None:
        self.iterations = 0

    def node_cost(
        self, node: Node, order: Sequence[str], factors: Mapping[str, Any], setting: Setting
    ) -> NodeCost:
        tiles = [-(-trips // factors[name]) for name, trips in node.trip_counts.items()]
        most = int(np.prod(np.stack(tiles), axis=0).max())
        self.iterations = max(self.iterations, most)
        return PUBLISHED.node_cost(node, order, factors, setting)

    least_dsps, plans, plan_cost = PUBLISHED.least_dsps, PUBLISHED.plans, PUBLISHED.plan_cost


@pytest.mark.parametrize("horizon", [5, 11, 23])
def test_partial_tiles_beyond_the_horizon_are_not_costed(horizon: int) -> None:
    p = so.dsl.program("seven")
    i, j = p.iterators(i=7, j=7)
    p.output("y", (i, j), p.input("x", 7, 7)[i, j] * 2.0)
    costs = Recorded()
    space = decision_space(
        so.dataflow(p.build()),
        SpaceOptions(
            LEVELS[LevelName.OPT6],
            dsp_limit=10**6,
            tiling_limit=1,
            costs=costs,
            partial_tiles=MOST_CHOICES,
        ),
    )
    space = replace(space, horizon_cycles=horizon)
    assert node_rows(space)
    assert 0 < costs.iterations <= horizon + 1


def by_meaning(space: DecisionSpace, rows: NodeRows) -> dict[object, set[tuple[int, ...]]]:
    """Return the costs of the rows that look alike from other nodes: coupled factors, streams."""
    class_of = space.class_of()
    shared = [
        place
        for place, loop in enumerate(space.graph.node(rows.node).trip_counts)
        if len({name for name, _ in space.classes[class_of[rows.node, loop]].members}) > 1
    ]
    found: dict[object, set[tuple[int, ...]]] = {}
    for row in range(len(rows)):
        coupled = tuple(rows.factors[row][place] for place in shared)
        streams = tuple(orders[row] for orders in rows.streams.values())
        every_times = [rows.times, *([rows.untiled] if rows.untiled else [])]
        cycles = [c[row] for times in every_times for c in columns(times)]
        found.setdefault((coupled, streams), set()).add((rows.dsps[row], *cycles))
    return found


def columns(times: Times) -> list[NDArray[np.int64]]:
    return [times.first_write, times.last_write, *times.epilogue.values()]


def test_rows_of_nodes_alike_are_told_apart() -> None:
    """What fits the horizon in one order of a node fits it in another order of the next."""
    graph = so.dataflow(so.load(TOP / "graphs" / "synthetic" / "7mm_balanced.json"))
    adder = (Operator.ADD, Implementation.FABRIC)
    ways = ((), (adder,), (adder, (Operator.MUL, Implementation.FABRIC)))
    space = decision_space(
        graph,
        SpaceOptions(
            LEVELS[LevelName.OPT6],
            dsp_limit=2560,
            tiling_limit=16,
            costs=as_built_costs(graph, so.device("u280")),
            bindings=dict.fromkeys((node.name for node in graph.nodes), ways),
            partial_tiles=MOST_CHOICES,
        ),
    )
    space = replace(space, horizon_cycles=4480, lut_limit=434_560)
    every, kept = node_rows(space, prune=False), node_rows(space)
    for name, rows in kept.items():
        there = set(zip(every[name].orders, every[name].factors, strict=True))
        assert set(zip(rows.orders, rows.factors, strict=True)) <= there
