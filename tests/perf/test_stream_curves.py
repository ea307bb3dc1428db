"""Curves of what is written over time: near the simulator where closed forms aren't."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import count
from random import Random

import numpy as np
import pytest

import streamopt as so
from streamopt.ir.graph import Graph
from streamopt.search.instance import instance
from streamopt.search.local.moves import Moves
from streamopt.search.local.paths import Wires
from streamopt.space.assemble import assemble_rows
from streamopt.space.decisions import DecisionSpace, SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.row_values import NodeRows
from streamopt.space.rows import node_rows
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.strategies.opt6.simulated_design import Region, SimulatedDesign, judged
from streamopt.strategies.opt6.streamed.row_runs import RowRuns
from streamopt.strategies.opt6.streamed.streamed_descent import StreamedDescent
from streamopt.strategies.problem import Problem
from streamopt.strategies.resources.budgeted import Chosen, Prepared
from streamopt.target.device import Target
from streamopt.target.resources import Fit
from streamopt.transforms.rewrites import rewritten
from tests.perf.test_as_built import DEVICE, space_of
from tests.support.programs.sketches import program
from tests.support.random.windows import window_chain

EACH = 12
"""Cycles for each node: of small images, a few rows are all there is."""
LATER = 4


def some_rows(space: DecisionSpace, rows: Mapping[str, NodeRows], rng: Random) -> dict[str, int]:
    """Return a row of each node, with some changes of factors from the fewest lanes on."""
    wires = Wires(instance(space, rows))
    moves = Moves(wires)
    found = moves.least()
    for _ in range(3):
        changes = list(moves.of_classes(found, range(len(found))))
        for at, row in rng.choice(changes) if changes else ():
            found[at] = row
    names = [wires.problem.names[node] for node in wires.order]
    return {name: row for name, row in zip(names, found, strict=True) if name}


def halved_columns(rows: int) -> Graph:
    """Return two layers of which the first pools columns, so that their loop is inside of rows."""
    graph = so.dataflow(
        program(
            {
                "x": f"input {rows} 8 4",
                "q": "weight 4 4",
                "a": f"internal {rows} 8 4",
                "p": f"internal {rows} 4 4",
                "y": f"output {rows} 4 4",
            },
            {
                "first": f"h {rows}, w 8, o 4, c 4: a[h][w][o] += x[h][w][c] * q[o][c]",
                "pool": f"h {rows}, w 4, o 4, m 2: p[h][w][o] += a[h][2 * w + m][o]",
                "mix": f"h {rows}, w 4, o 4, c 4: y[h][w][o] += p[h][w][c] * q[o][c]",
            },
        )
    )
    return rewritten(graph, ("stream_windows",))


def halved(rows: int) -> Graph:
    """Return two layers with a window between them that moves by two rows."""
    graph = so.dataflow(
        program(
            {
                "x": f"input 8 {rows} 8",
                "q": "weight 8 8",
                "k": "weight 16 8",
                "a": f"internal 8 {rows} 8",
                "p": f"internal 8 {rows // 2} 8",
                "y": f"output 16 {rows // 2} 8",
            },
            {
                "first": f"h {rows}, w 8, o 8, c 8: a[o][h][w] += x[c][h][w] * q[o][c]",
                "pool": f"h {rows // 2}, w 8, c 8, m 2: p[c][h][w] += a[c][2 * h + m][w]",
                "mix": f"h {rows // 2}, w 8, o 16, c 8: y[o][h][w] += p[c][h][w] * k[o][c]",
            },
        )
    )
    return rewritten(graph, ("stream_windows",))


@pytest.mark.parametrize("seed", range(3))
def test_latencies_are_near_simulated_ones(seed: int) -> None:
    chain = rewritten(so.dataflow(window_chain(Random(seed))), ("stream_windows",))
    others = (halved(16), LATER), (halved_columns(8), EACH)
    for graph, near in ((chain, EACH * len(chain.nodes)), *others):
        costs, rng = as_built_costs(graph, DEVICE), Random(seed)
        space = space_of(graph, costs)
        rows = node_rows(space)
        curves = RowRuns(space, rows, costs).curves()
        chosen = some_rows(space, rows, rng)
        cycles = so.simulate(graph, assemble_rows(graph, rows, chosen)).cycles
        found = curves.keep(chosen)
        assert curves.after({}) == found
        assert found == pytest.approx(cycles, abs=near)


def test_a_descent_takes_lanes_to_where_they_count() -> None:
    graph, on = halved(8), Target.named("u280", 5.0)
    limits, costs = replace(on.budget(Fit.DEVICE), dsps=60), as_built_costs(graph, on)
    options = SpaceOptions(
        LEVELS[LevelName.OPT6], 60, 1, costs=costs, bindings=bindings(None, graph, on)
    )
    problem = Problem(graph, options).within(lut_limit=limits.luts)
    prepared = Prepared.of(problem.decision_space())
    region = Region(on, limits, Fit.DEVICE)

    def judge(chosen: Chosen) -> SimulatedDesign:
        return judged(graph, ("stream_windows",), chosen, region, sizes_fifos=True)

    descent = StreamedDescent(prepared, costs, limits, judge)
    start = judge(
        Chosen(
            assemble_rows(
                graph, prepared.rows, some_rows(prepared.space, prepared.rows, Random(0))
            ),
            0,
            0,
            0,
        )
    )
    (found,) = descent.designs(start, lambda: False)
    assert found.is_within
    assert found.cycles < 0.5 * start.cycles
    asked = count()
    (other,) = descent.designs(start, lambda: next(asked) > 8, np.random.default_rng(0))
    assert other.is_within
    assert other.cycles <= found.cycles
