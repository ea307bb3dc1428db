"""Amounts of rows add up to what the whole network takes, and orders that look alike are."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.space.assemble import assemble_rows
from streamopt.space.horizon import chosen_rows
from streamopt.space.rows import node_rows
from streamopt.strategies.resources.design_costs import DesignCosts
from streamopt.strategies.resources.splitting import chosen_usage
from streamopt.target.resources import RESOURCE_NAMES, Resources
from tests.support.every_schedule import DEVICE, built, space_of
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.graph import Graph
    from streamopt.space.decisions import DecisionSpace
    from streamopt.space.row_values import NodeRows

TOP = Path(__file__).parents[3]
ENDLESS = {str(name): 1 << 30 for name in RESOURCE_NAMES}


def costs_of(space: DecisionSpace) -> DesignCosts:
    return DesignCosts(ENDLESS, space, DEVICE, lambda _: Resources(), None)


def random_rows(space: DecisionSpace, rows: Mapping[str, NodeRows], rng: Random) -> dict[str, int]:
    """Return one row of every node, with equal factors in every tile class."""
    class_of = space.class_of()
    taken = [rng.choice(group.factors) for group in space.classes]
    chosen: dict[str, int] = {}
    for node in space.graph.nodes:
        wanted = tuple(taken[class_of[node.name, loop]] for loop in node.trip_counts)
        fits = [row for row, f in enumerate(rows[node.name].factors) if f == wanted]
        if not fits:
            return random_rows(space, rows, rng)
        chosen[node.name] = rng.choice(fits)
    return chosen


def check_amounts(graph: Graph, space: DecisionSpace, rng: Random, times: int) -> None:
    """Compare amounts of single rows and of many rows with the network's resources."""
    rows = node_rows(space, prune=False)
    costs = costs_of(space)
    for _ in range(times):
        chosen = random_rows(space, rows, rng)
        schedule = assemble_rows(graph, rows, chosen)
        used = built(graph, schedule)
        one = {n: np.arange(len(own)) == chosen[n] for n, own in rows.items()}
        single = costs.with_usage(chosen_rows(rows, one), lambda: False)
        parts = chosen_usage(graph, single, dict.fromkeys(chosen, 0), schedule.fifos)
        assert tuple(np.sum(list(parts.values()), axis=0)) == used
        some = {
            n: flags | (np.array([rng.random() for _ in flags]) < 0.1) for n, flags in one.items()
        }
        places = {
            n: int(np.flatnonzero(flags).tolist().index(chosen[n])) for n, flags in some.items()
        }
        many = costs.with_usage(chosen_rows(rows, some), lambda: False)
        least = chosen_usage(graph, many, places, schedule.fifos)
        assert (np.sum(list(least.values()), axis=0) <= np.array(used)).all()


@pytest.mark.parametrize("seed", range(12))
def test_amounts_of_random_graphs_add_up(seed: int) -> None:
    rng = Random(seed)
    graph = random_graph(rng, nodes=rng.randint(2, 5), max_extent=10)
    check_amounts(graph, space_of(graph), rng, 3)


@pytest.mark.parametrize(
    ("suite", "name"),
    [("polybench", "atax"), ("cnns", "dwsconv_block"), ("mlps", "residual_mlp")],
)
def test_amounts_of_programs_add_up(suite: str, name: str) -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / suite / f"{name}.json"))
    check_amounts(graph, space_of(graph, dsp=2560, tiling_limit=16), Random(1), 1)
