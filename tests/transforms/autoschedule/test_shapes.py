"""Orders of PolyBench's loop-carried kernels: loops in order outside, parallel loops inside."""

from __future__ import annotations

import pytest

from streamopt.ir.text import expression_text
from streamopt.transforms.autoschedule import WRITTEN, steps_of, written_steps
from tests.support.step_shapes import medium, shape

MEDIUM = {
    "adi": "100 (199 ({198}), 198 ({198}), 199 ({198}), 198 ({198}))",
    "cholesky": "400 ({}, {399}, {398 398})",
    "fdtd-2d": "100 ({199 240}, {200 239}, {240}, {199 239})",
    "floyd-warshall": "500 ({499 499}, {499}, {499}, {}, "
    "{499 498}, {499}, {499 498}, {499}, {499 499})",
    "gramschmidt": "{239 239}, 240 ({+200}, {}, {200}, {+200 239}, {239 200})",
    "heat-3d": "100 ({38 38 38}, {38 38 38})",
    "jacobi-1d": "100 ({398}, {398})",
    "jacobi-2d": "100 ({248 248}, {248 248})",
    "ludcmp": "399 ({399}, {399 399}, {399}), {400}, 400 ({}, {399})",
    "lu": "399 ({399}, {399 399})",
    "nussinov": "499 ({499}, {+498 498})",
    "seidel-2d": "1588 ({100 398})",
    "trisolv": "400 ({}, {399})",
}

AS_WRITTEN = {
    "fdtd-2d": "100 ({240}, {199 240}, {200 239}, {199 239})",
    "jacobi-2d": "100 ({248 248}, {248 248})",
    "lu": "399 (399 ({+398}, {}), {+399 399})",
    "seidel-2d": "100 (398 (398 ({})))",
}


@pytest.mark.parametrize("kernel", MEDIUM)
def test_kernels_have_few_steps_with_wide_phases(kernel: str) -> None:
    best, *_ = steps_of(medium(kernel)[0])
    assert shape(best.items) == MEDIUM[kernel]


@pytest.mark.parametrize("kernel", AS_WRITTEN)
def test_no_loop_moves_in_the_order_as_written(kernel: str) -> None:
    """Loops that carry nothing are a phase only where all loops inside of them are, too."""
    steps = written_steps(medium(kernel)[0])
    assert steps.name == WRITTEN
    assert shape(steps.items) == AS_WRITTEN[kernel]


def test_border_row_is_written_far_ahead_of_its_readers() -> None:
    _, *others = steps_of(medium("fdtd-2d")[0])
    assert [shape(one.items) for one in others] == ["100 (207 ({240}))", "100 (213 ({240}))"]
    for one in others:
        (phase,) = one.phases
        guards = [expression_text(s.guard) for s in phase.statements if s.guard is not None]
        assert f"{one.loops[1].name} == 0" in guards


def test_owners_begin_and_end_with_tiles_that_are_as_full() -> None:
    """As many of a tile's lanes have no work at the start as at the end."""
    *_, owners = steps_of(medium("seidel-2d")[0])
    assert shape(owners.items) == "397 (4 ({298 398}))"
    (phase,) = owners.phases
    lane = phase.loops[0]
    assert lane.name == "q"
    assert (lane.least % 4, -lane.end % 4) == (1, 1)
