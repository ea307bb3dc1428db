"""Random in-place programs from C text to C++: no hazards, and the values of their order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from streamopt.ir.program import Role
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.sim import simulate
from streamopt.sim.in_turn.hazards import check_hazards
from streamopt.transforms.lower import lower
from tests.support.nightly import in_nightly
from tests.support.random.built_updates import ON, built_updates
from tests.support.runners.stepped_designs import emitted, in_steps

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.random.built_updates import BuiltUpdate

BATCH = 8


def check_hardware(built: BuiltUpdate) -> None:
    """Check that iterations don't disturb each other, and that a run ends."""
    network = lower(built.design)
    timings = pipeline_timings(network, ON)
    assert check_hazards(network, timings).is_complete
    assert simulate(network, timings).cycles > 0


def check_values(built: BuiltUpdate, seed: int) -> None:
    """Check what the emitted C++ computes; sums over lanes are rounded in another order."""
    order, rng = built.order, np.random.default_rng(seed)
    inputs = {
        name: rng.uniform(0.5, 2.0, array.shape).astype(array.element.dtype)
        for name, array in order.arrays.items()
        if array.role is Role.INPUT
    }
    found = emitted(built.design, inputs)
    expected = in_steps(order.node, order.steps, order.arrays, inputs)
    for name in order.node.outputs:
        np.testing.assert_allclose(found[name], expected[name], rtol=1e-9, err_msg=f"{seed} {name}")


@pytest.mark.parametrize("batch", in_nightly(range(250), 3))
def test_iterations_do_not_disturb_each_other(batch: int, tmp_path: Path) -> None:
    for seed in range(batch * BATCH, (batch + 1) * BATCH):
        for built in built_updates(seed, tmp_path):
            check_hardware(built)


@pytest.mark.parametrize("seed", in_nightly(range(1000), 3))
def test_emitted_code_computes_what_the_order_says(seed: int, tmp_path: Path) -> None:
    for built in built_updates(seed, tmp_path):
        check_values(built, seed)
