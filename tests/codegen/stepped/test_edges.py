"""Stencils in place: lanes that stay at their elements, and memories for those at the edges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.ir.graph import SequentialNode
from streamopt.ir.program import Role
from streamopt.ir.schedule import NodePlan
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.bank_choice import choice_of_banks
from streamopt.perf.resources.memory_blocks import memories_as_built
from streamopt.perf.turns.lengths import with_lengths
from streamopt.sim.in_turn.hazards import check_hazards
from streamopt.target.device import find_device
from streamopt.transforms.autoschedule import steps_of
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.lower import lower
from streamopt.transforms.stepped import memories
from streamopt.transforms.stepped.nest import stepped_nest
from tests.support.programs.c_nests import program_of
from tests.support.runners.stepped_designs import emitted, in_steps
from tests.support.step_shapes import medium
from tests.support.steps import Ordered, as_planned, plan_of

if TYPE_CHECKING:
    from pathlib import Path

NINE_POINTS = """
(float A[38][42])
{
    for (int t = 0; t < 4; t++)
        for (int i = 1; i < 37; i++)
            for (int j = 1; j < 41; j++)
                A[i][j] = (A[i - 1][j - 1] + A[i - 1][j] + A[i - 1][j + 1]
                    + A[i][j - 1] + A[i][j] + A[i][j + 1]
                    + A[i + 1][j - 1] + A[i + 1][j] + A[i + 1][j + 1]) / 9.0f;
}
"""
OVERRELAXED = """
(float A[45][34])
{
    for (int t = 0; t < 6; t++)
        for (int i = 1; i < 44; i++)
            for (int j = 1; j < 33; j++)
                A[i][j] = 0.3f * (A[i - 1][j] + A[i + 1][j] + A[i][j - 1] + A[i][j + 1])
                    - 0.2f * A[i][j];
}
"""
LINE = """
(float x[70])
{
    for (int t = 0; t < 10; t++)
        for (int i = 1; i < 69; i++)
            x[i] = 0.5f * (x[i - 1] + x[i + 1]);
}
"""
SOLID = """
(float A[11][10][12])
{
    for (int t = 0; t < 4; t++)
        for (int i = 1; i < 10; i++)
            for (int j = 1; j < 9; j++)
                for (int k = 1; k < 11; k++)
                    A[i][j][k] = (A[i - 1][j][k] + A[i + 1][j][k] + A[i][j - 1][k]
                        + A[i][j + 1][k] + A[i][j][k - 1] + A[i][j][k + 1]) * 0.16f;
}
"""


def orders(folder: Path, text: str) -> list[Ordered]:
    """Return the orders of a program of one sequential node."""
    graph = canonicalize(program_of(folder, text))
    (node,) = (own for own in graph.nodes if isinstance(own, SequentialNode))
    names = dict.fromkeys((*node.inputs, *node.outputs))
    arrays = {
        name: replace(graph.array(name), role=Role.OUTPUT if name in node.outputs else Role.INPUT)
        for name in names
    }
    return [Ordered(node, steps, arrays) for steps in steps_of(node)]


def check_design(order: Ordered, lanes: tuple[int, ...], *, has_edges: bool) -> None:
    """Check that lanes disturb nothing, and that the C++ computes the program's bits."""
    target = find_device("u280", None)
    plan = plan_of(order, **dict(zip(order.steps.laned, lanes, strict=True)))
    network = lower(as_planned(order, plan))
    design = as_planned(order, with_lengths(plan, network.processes[0], network, target))
    network = lower(design)
    assert check_hazards(network, pipeline_timings(network, target)).is_complete
    (nest,) = (own.stepped for own in design.nodes if own.stepped is not None)
    assert nest.ii == 1
    assert has_edges == any(phase.edges for phase in nest.phases)
    rng = np.random.default_rng(4)
    start = {
        name: rng.normal(size=array.shape).astype(np.float32)
        for name, array in order.arrays.items()
        if name not in order.node.outputs
    }
    found = emitted(design, start)
    wanted = in_steps(order.node, order.steps, order.arrays, start)
    for name in order.node.outputs:
        assert found[name].tobytes() == wanted[name].tobytes()


@pytest.mark.parametrize(
    ("text", "place", "lanes", "has_edges"),
    [
        pytest.param(NINE_POINTS, 0, (2, 8), True, id="nine points, lanes of time"),
        pytest.param(NINE_POINTS, 1, (2, 8), True, id="nine points, owners"),
        pytest.param(NINE_POINTS, 1, (3, 7), False, id="nine points, ragged"),
        pytest.param(OVERRELAXED, 1, (4, 6), True, id="over-relaxed"),
        pytest.param(LINE, 1, (4,), False, id="line"),
        pytest.param(SOLID, 1, (2, 3, 4), True, id="solid"),
    ],
)
def test_edges_of_tiles(
    text: str,
    place: int,
    lanes: tuple[int, ...],
    has_edges: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memories, "FEW_BLOCKS", 0)
    monkeypatch.setattr(memories, "MOST_TIMES_LEAST", 0.0)
    check_design(orders(tmp_path, text)[place], lanes, has_edges=has_edges)


def test_owners_stay_at_their_banks(tmp_path: Path) -> None:
    """A lane of time goes to all banks; one of its elements to those of four wavefronts."""
    moving, still = orders(tmp_path, NINE_POINTS)
    assert moving.steps.laned == ("t", "i")
    assert still.steps.laned == ("q", "i_2")
    found: list[int] = []
    for order in (moving, still):
        lanes = dict(zip(order.steps.laned, (4, 8), strict=True))
        network = lower(as_planned(order, plan_of(order, **lanes)))
        used = memories_as_built(network)
        found.append(sum(choice_of_banks(own, used) for own in network.pipelines))
    assert 2 * found[1] < found[0]


def test_a_lane_chooses_among_few_banks() -> None:
    """Two copies with half of the banks each take as many block RAMs, and fewer LUTs."""
    node, arrays = medium("seidel-2d")
    *_, owners = steps_of(node)
    plan = NodePlan(node.name, ("w_2", "r", "q", "i_2"), (("q", 4), ("i_2", 40)), steps="b")
    nest = stepped_nest(node, owners, plan, arrays)
    whole = [own.factors for own in nest.memories if own.shape == (400, 400)]
    assert whole == [(40, 16), (40, 16)]
