"""Sweeps along rows and then along columns: one memory, turned lanes, arrays where they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.ir.graph import SequentialNode
from streamopt.ir.program import Role
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.turns.lengths import with_lengths
from streamopt.sim.in_turn.hazards import check_hazards
from streamopt.target.device import find_device
from streamopt.transforms.autoschedule import steps_of
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.lower import lower
from streamopt.transforms.stepped import memories
from tests.support.programs.c_nests import program_of
from tests.support.runners.stepped_designs import emitted, in_steps
from tests.support.steps import Ordered, as_planned, plan_of

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.scheduled import ScheduledGraph

SUMS = """
(float x[40][48], float y[40][48], float z[40][48])
{
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 48; j++)
            y[i][j] = x[i][j] + 0.5f * (j >= 1 ? y[i][j - 1] : 0.0f);
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 48; j++)
            z[i][j] = 2.0f * y[i][j];
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 48; j++)
            y[i][j] = z[i][j] + 0.5f * (i >= 1 ? y[i - 1][j] : 0.0f);
    for (int i = 0; i < 40; i++)
        for (int j = 0; j < 48; j++)
            z[i][j] = 3.0f * y[i][j] - z[i][j];
}
"""


def sweeps(folder: Path) -> Ordered:
    graph = canonicalize(program_of(folder, SUMS))
    (node,) = (own for own in graph.nodes if isinstance(own, SequentialNode))
    names = dict.fromkeys((*node.inputs, *node.outputs))
    arrays = {
        name: replace(graph.array(name), role=Role.OUTPUT if name in node.outputs else Role.INPUT)
        for name in names
    }
    return Ordered(node, steps_of(node)[0], arrays)


def built(order: Ordered, straight: tuple[str, ...], lanes: dict[str, int]) -> ScheduledGraph:
    """Return the node with lanes, and visits that last as long as they must; without hazards."""
    target = find_device("u280", None)
    plan = replace(plan_of(order, **lanes), straight=straight)
    network = lower(as_planned(order, plan))
    design = as_planned(order, with_lengths(plan, network.processes[0], network, target))
    network = lower(design)
    assert check_hazards(network, pipeline_timings(network, target)).is_complete
    return design


@pytest.mark.parametrize("lanes", [(8, 8), (5, 7), (13, 16), (16, 3)])
def test_one_memory_for_both_sweeps(
    lanes: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memories, "FEW_BLOCKS", 0)
    monkeypatch.setattr(memories, "MOST_TIMES_LEAST", 0.0)
    order = sweeps(tmp_path)
    rows, columns = lanes
    of_loops = {
        loop.name: rows if loop.trip_count == 40 else columns
        for phase in order.steps.phases
        for loop in phase.loops
        if len(phase.loops) == 1 or loop.trip_count == 40
    }
    design = built(order, ("x", "y", "z"), of_loops)
    nest = design.nodes[0].stepped
    assert nest is not None
    whole = [m for m in nest.memories if m.keeps_all((40, 48)) and not m.is_outside]
    assert any(own.skew for memory in whole for own in memory.held)
    assert sorted(memory.array for memory in whole) == ["y", "z"]  # one of each
    assert sorted(m.array for m in nest.memories if m.is_outside) == ["x", "y", "z"]
    assert not nest.brought
    assert not nest.handed
    x = np.random.default_rng(1).uniform(0.5, 2, (40, 48)).astype(np.float32)
    found, expected = (
        emitted(design, {"x": x}),
        in_steps(order.node, order.steps, order.arrays, {"x": x}),
    )
    for name in order.node.outputs:
        assert found[name].tobytes() == expected[name].tobytes()


def test_arrays_are_used_where_they_are_if_a_plan_says_so(tmp_path: Path) -> None:
    order = sweeps(tmp_path)
    nest = built(order, (), {}).nodes[0].stepped
    assert nest is not None
    assert {transfer.array for transfer in nest.brought} == {"x"}
    assert {transfer.array for transfer in nest.handed} == {"y", "z"}
    nest = built(order, ("x",), {}).nodes[0].stepped
    assert nest is not None
    assert not nest.brought
    assert {transfer.array for transfer in nest.handed} == {"y", "z"}
