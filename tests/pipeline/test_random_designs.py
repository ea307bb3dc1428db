"""Random programs through the whole chain: what is emitted computes what the program says.

Programs, levels, limits, ports and back ends by chance (`tests.support.random.designs`). Designs
of a back end share a compilation, without warnings; every token of half of them is compared, too.
Without ``CI``, hypothesis tries others each time; ``STREAMOPT_CASES`` says how many `make nightly`
tries.
"""

from __future__ import annotations

import os
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import streamopt as so
from streamopt.codegen.checks import built
from streamopt.errors import VerificationError
from streamopt.verification.verify import Traced, verify_compiled
from tests.support.random.designs import BACKENDS, Request, random_request, schedule_of
from tests.support.runners.compiled_together import compiled_together

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from streamopt.verification.csim.running import Compiled

CASES = int(os.environ.get("STREAMOPT_CASES", "3000"))
"""Of all back ends, in the nightly run."""
TOGETHER = 12
"""Designs in a compilation."""
UNCHECKED = "E729"
"""Where what a program computes has no finite error bound, no values can be compared."""

unhurried = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    phases=(Phase.explicit, Phase.generate),  # a seed has no simpler one
)
seeds = st.lists(st.integers(0, 2**32 - 1), min_size=TOGETHER, max_size=TOGETHER, unique=True)


def check_written(request: Request, directory: Path) -> None:
    """Write the design, twice the same."""
    schedule = schedule_of(request)
    design = so.write(request.program, schedule, directory, backend=request.backend)
    graph = so.dataflow(request.program)
    assert so.emit(graph, schedule, backend=request.backend).files == design.files
    if request.backend == "vitis":
        built(design.text(f"{design.top}.cpp"))


@contextmanager
def told(request: Request) -> Generator[None]:
    """Say which request it is that fails."""
    try:
        yield
    except Exception as error:
        error.add_note(str(request))
        raise


def check_programs(numbers: Iterable[int], backend: str, folder: Path) -> None:
    """Check the designs of random numbers."""
    requests: dict[str, Request] = {}
    for number in numbers:
        request = random_request(Random(number), f"d{number}", backend)
        with told(request):
            check_written(request, folder / request.program.name)
            requests[request.program.name] = request
    projects = {name: folder / name for name in requests}
    with compiled_together(projects, folder / "all") as designs:
        for name, request in requests.items():
            with told(request):
                check_outputs(request, designs[name])


def check_outputs(request: Request, design: Compiled) -> None:
    """Run a design, with all tokens of every other one, and simulate it."""
    graph = so.dataflow(request.program)
    schedule = so.load_schedule(design.directory / "schedule.json")
    traced = Traced(so.apply(graph, schedule), always=request.seed % 2 == 0)
    try:
        verify_compiled(design, request.program, traced=traced).raise_if_failed()
    except VerificationError as error:
        if any(found.code != UNCHECKED for found in error.diagnostics):
            raise
    so.simulate(graph, schedule)


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_designs_compute_their_programs(backend: str, tmp_path: Path) -> None:
    first = 1000 * BACKENDS.index(backend)
    check_programs(range(first, first + TOGETHER // 2), backend, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("backend", BACKENDS)
@settings(unhurried, max_examples=max(1, CASES // TOGETHER // len(BACKENDS)))
@given(numbers=seeds)
def test_many_designs_compute_their_programs(numbers: list[int], backend: str) -> None:
    with TemporaryDirectory() as folder:
        check_programs(numbers, backend, Path(folder))
