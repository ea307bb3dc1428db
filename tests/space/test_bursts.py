"""Rows that say how late blocks come, against simulated designs of the same schedules."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.pipeline.beyond.costing import honest_costs
from streamopt.space.assemble import assemble_rows, evaluate
from streamopt.space.decisions import decision_space
from streamopt.space.horizon import chosen_rows
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.strategies.budgeted import BudgetedSearch, Prepared, Streams
from tests.in_nightly import in_nightly

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule
    from streamopt.space.decisions import DecisionSpace

DEVICE = so.device("u280")
ROW_ERROR = 4
"""Cycles by which the depth of a node's row may be more than that of its design."""
LONG = 10**6
SIZES = ((4, 6), (6, 8), (3, 20, 40), (6, 8), (3, 8))


def chain(rng: Random) -> Graph:
    """Return products one after another, some after an elementwise step, at times a join."""
    p = so.dsl.program("chain")
    rows, inner, columns, last, deep = (rng.choice(sizes) for sizes in SIZES)
    i, j, k, m, n = p.iterators(i=rows, j=inner, k=columns, m=last, n=deep)
    first = p.input("A", rows, columns)[i, k] * p.input("B", columns, inner)[k, j]
    c = p.compute("C", (i, j), so.dsl.sum(k, first))
    if rng.random() < 0.4:
        c = p.compute("R", (i, j), so.dsl.relu(c[i, j]))
    if rng.random() < 0.4:
        left = p.input("F", last, deep)[m, n] * p.input("G", deep, inner)[n, j]
        d = p.compute("H", (m, j), so.dsl.sum(n, left))
        p.output("E", (i, m), so.dsl.sum(j, c[i, j] * d[m, j]))
    else:
        d = p.input("D", inner, last)
        p.output("E", (i, m), so.dsl.sum(j, c[i, j] * d[j, m]))
    return so.dataflow(p.build())


def space_of(graph: Graph) -> DecisionSpace:
    return decision_space(
        graph,
        LEVELS[LevelName.OPT6],
        dsp_limit=10**6,
        tiling_limit=1,
        costs=honest_costs(graph, DEVICE),
        partial_tiles=True,
    )


def one_schedule(space: DecisionSpace, rng: Random) -> tuple[Prepared, Schedule]:
    """Return rows of which one is left for each node, and their schedule."""
    rows = node_rows(space, prune=False)
    class_of, taken = space.class_of(), dict[int, int]()
    chosen: dict[str, int] = {}
    for node in space.graph.nodes:
        own = rows[node.name]
        fits = [
            place
            for place, factors in enumerate(own.factors)
            if all(
                taken.get(class_of[node.name, loop], factor) == factor
                for loop, factor in zip(node.trip_counts, factors, strict=True)
            )
            and max(factors) <= 3
        ]
        walked = [place for place in fits if own.orders[place][0] == "i"]
        place = chosen[node.name] = rng.choice(walked or fits)
        for loop, factor in zip(node.trip_counts, own.factors[place], strict=True):
            taken[class_of[node.name, loop]] = factor
    flags = {name: np.arange(len(own)) == chosen[name] for name, own in rows.items()}
    schedule = assemble_rows(space.graph, rows, chosen)
    return Prepared(space, chosen_rows(rows, flags)), schedule


@pytest.mark.parametrize("seeds", in_nightly([range(8), range(8, 32)], 1))
def test_no_design_is_sooner_than_its_rows_with_bursts(seeds: range) -> None:
    later = 0
    for seed in seeds:
        rng = Random(seed)
        graph = chain(rng)
        space = space_of(graph)
        for _ in range(5):
            prepared, schedule = one_schedule(space, rng)
            late = prepared.with_streams(Streams.LATE)
            search = BudgetedSearch(late, 10**6, 10**9, lambda: False)
            said = search.bound(LONG, 64, None)
            closed = evaluate(graph, schedule, space.costs).latency_cycles
            built = so.simulate(graph, schedule).cycles
            assert closed <= said <= max(closed, built + ROW_ERROR * len(graph.nodes)), schedule
            later += said > closed
    assert later
