"""The search under limits on DSPs and LUTs against all choices of rows of small random graphs."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError
from streamopt.ir.schedule import ChannelKind
from streamopt.space.assemble import assemble_rows, evaluate
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.rows import node_rows
from streamopt.strategies.opt6.as_built_costs import as_built_costs
from streamopt.strategies.opt6.choices import bindings
from streamopt.strategies.resources import budgeted
from streamopt.strategies.resources.budgeted import BudgetedSearch, Prepared
from tests.support.nightly import in_nightly
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.space.decisions import DecisionSpace

DEVICE = so.device("u280")
MANY_LABELS = 4096
MOST_CHOICES = 3000


def space_of(seed: int) -> DecisionSpace:
    graph = random_graph(Random(seed), nodes=2, max_extent=3)
    space = decision_space(
        graph,
        SpaceOptions(
            LEVELS[LevelName.OPT6],
            dsp_limit=10**6,
            tiling_limit=1,
            costs=as_built_costs(graph, DEVICE).with_surroundings(),
            bindings=bindings(None, graph, DEVICE),
        ),
    )
    return replace(space, lut_limit=10**9)


def every_cost(space: DecisionSpace) -> Iterator[tuple[int, int, int, int]]:
    """Yield latency, DSPs, and LUTs without and with channels, of all choices of all rows.

    Nothing of large spaces.
    """
    rows = node_rows(space, prune=False)
    names = list(rows)
    class_of = space.class_of()
    places = [range(len(rows[name])) for name in names]
    count = 1
    for own in places:
        count *= len(own)
    if count > MOST_CHOICES:
        return
    for chosen in product(*places):
        taken: dict[int, int] = {}
        for name, row in zip(names, chosen, strict=True):
            for loop, factor in zip(
                space.graph.node(name).trip_counts, rows[name].factors[row], strict=True
            ):
                if taken.setdefault(class_of[name, loop], factor) != factor:
                    break
            else:
                continue
            break
        else:
            picked = dict(zip(names, chosen, strict=True))
            schedule = assemble_rows(space.graph, rows, picked)
            fifos = {p.channel for p in schedule.channels if p.kind is ChannelKind.FIFO}
            around = sum(
                int(kind[edge.array][picked[name], 1])
                for name, own in rows.items()
                for edge in space.graph.in_edges()[name]
                if edge.channel in space.streamable
                for kind in [own.usage.as_fifo if edge.channel in fifos else own.usage.as_buffer]
            )
            cycles = evaluate(space.graph, schedule, space.costs).latency_cycles
            luts = sum(int(rows[name].usage.own[row, 1]) for name, row in picked.items())
            dsps = sum(rows[name].dsps[row] for name, row in picked.items())
            yield cycles, dsps, luts, luts + around


@pytest.mark.parametrize("first", in_nightly((0, 12), 1))
def test_best_and_bounds_are_those_of_all_choices(
    first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    compared = 0
    for seed in range(first, first + 12):
        space = space_of(seed)
        costs = list(every_cost(space))
        if costs:
            compared += 1
            check_against(space, costs, seed, monkeypatch)
    assert compared >= 4


def check_against(
    space: DecisionSpace,
    costs: list[tuple[int, int, int, int]],
    seed: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared = Prepared.of(space)
    rng = Random(seed)
    longest = max(cycles for cycles, *_ in costs)
    for _ in range(3):
        _, dsps, _, luts = rng.choice(costs)
        least = min(cycles for cycles, d, u, _ in costs if d <= dsps and u <= luts)
        bound = min(cycles for cycles, d, _, u in costs if d <= dsps and u <= luts)
        run = BudgetedSearch(prepared, dsps, luts, lambda: False)
        found = run.best(longest, MANY_LABELS, 0.01)
        assert found is not None
        assert (found.cycles, found.dsps <= dsps, found.luts <= luts) == (least, True, True)
        for labels, price in product((4, MANY_LABELS), (None, 0.0, 0.001, 0.1)):
            assert run.bound(longest, labels, price) <= bound
        assert run.bound(longest, MANY_LABELS, None) == bound
        assert run.bound(bound - 1, MANY_LABELS, None) == bound
        with monkeypatch.context() as patch:
            patch.setattr(budgeted, "TUNING", budgeted.BudgetTuning(few_rows=0))
            paid = run.best(longest, MANY_LABELS, 0.01)
        assert paid is not None
        assert paid.cycles <= least
        assert paid.dsps + 0.01 * paid.luts <= dsps + 0.01 * luts + len(space.graph.nodes) + 1


def test_rows_within_a_horizon_are_all_that_matter() -> None:
    for seed in range(4):
        space = space_of(seed)
        run = BudgetedSearch(Prepared.of(space), 60, 40_000, lambda: False)
        best = run.best(10**6, MANY_LABELS, 0.01)
        if best is None:
            continue
        near = replace(space, horizon_cycles=best.cycles)
        again = BudgetedSearch(Prepared.of(near), 60, 40_000, lambda: False)
        found = again.best(best.cycles, MANY_LABELS, 0.01)
        assert found is not None
        assert found.cycles == best.cycles
        nearer = replace(space, horizon_cycles=best.cycles - 1)
        try:
            rest = BudgetedSearch(Prepared.of(nearer), 60, 40_000, lambda: False)
        except InfeasibleError:
            continue
        assert rest.best(best.cycles - 1, MANY_LABELS, 0.01) is None
