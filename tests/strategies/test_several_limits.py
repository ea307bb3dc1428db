"""Limits on several resources: optima against all schedules of small graphs, and the programs."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, SolverError
from streamopt.solvers.result import Proof
from streamopt.space.assemble import evaluate
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.certificate import certify
from tests.every_schedule import DEVICE, built, schedules, size, space_of
from tests.random_graphs import random_graph

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule

TOP = Path(__file__).parents[2]
OPTIONS = ("built_dsp", "bram18", "uram", "lut", "ff")
SETS = (("lut",), ("ff",), ("bram18", "lut"), ("built_dsp", "lut", "ff"), OPTIONS)
MOST_SCHEDULES = 1200


def program(suite: str, name: str) -> Graph:
    return so.dataflow(so.load(TOP / "graphs" / suite / f"{name}.json"))


def sized(graph: Graph, schedule: Schedule) -> Schedule:
    return so.size_fifos(graph, schedule, so.FifoSizing(on=DEVICE))[0]


def check(seed: int, *, sizes: bool) -> bool:
    """Compare an optimum with all schedules; return whether limits changed it."""
    rng = Random(seed)
    graph = random_graph(rng, nodes=rng.randint(2, 4), max_extent=8)
    space = space_of(graph)
    if size(space) > MOST_SCHEDULES // (4 if sizes else 1):
        return False
    every = []
    for schedule in schedules(space):
        emitted = sized(graph, schedule) if sizes else schedule
        every.append((evaluate(graph, schedule).latency_cycles, built(graph, emitted)))
    _, fastest = min(every)
    _, other = rng.choice(every)
    wanted = rng.choice(SETS)
    limits = {
        key: rng.choice([other[at], (other[at] + fastest[at]) // 2])
        for at, key in enumerate(OPTIONS)
        if key in wanted
    }
    fits = [
        cycles
        for cycles, used in every
        if all(used[OPTIONS.index(key)] <= most for key, most in limits.items())
    ]
    fifos = so.FifoSizing(on=DEVICE) if sizes else None
    if not fits:
        with pytest.raises(InfeasibleError, match="E405"):
            so.solve(graph, dsp=120, tiling_limit=2, fifos=fifos, on=DEVICE, **limits)
        return True
    found = so.solve(graph, dsp=120, tiling_limit=2, fifos=fifos, on=DEVICE, **limits)
    assert found.bound_cycles <= min(fits) <= found.objective_cycles, (seed, limits)
    assert found.proof is Proof.OPTIMAL, (seed, limits)
    used = built(graph, found.schedule)
    assert found.used == tuple(used[OPTIONS.index(limit)] for limit in limits)
    return min(fits) > min(every)[0]
