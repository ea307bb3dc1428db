"""Random in-place functions end to end: the emitted C++ computes what the compiled C does.

C text, program, order, lanes, lengths of visits, hazards in the simulator, C++ of any back end. All
bits are equal, but for those of sums that a design adds in another order: they are within rigorous
bounds, and the bits of that order; those of whole numbers are equal in any order.
"""

from __future__ import annotations

from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.verification.compare import compare_output
from streamopt.verification.manifest import read_manifest
from streamopt.verification.project import write_data
from streamopt.verification.reference.execution import Result, execute
from streamopt.verification.reference.scheduled_order import in_scheduled_order
from streamopt.verification.vectors.golden import Golden
from tests.support.random.in_place_designs import InPlaceDesign, in_place_design
from tests.support.runners.compiled_together import compiled_together
from tests.support.runners.updates_in_c import CompiledUpdates, random_arrays

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from streamopt.verification.csim.running import Compiled
    from tests.support.runners.updates_in_c import Arrays

CASES = 2000
TOGETHER = 20
"""Designs in a compilation."""
BACKENDS = ("vitis", "vitis", "native", "tapa")
"""By number; a compilation has all of those of one."""
TRIED = {"vitis": (1, 1084), "native": (2, 518), "tapa": (427,)}
"""Cases that CI tries: of those that found something, the ones that are solved in seconds."""


@contextmanager
def told(number: int, design: InPlaceDesign | None = None) -> Generator[None]:
    """Say which case it is that fails."""
    try:
        yield
    except Exception as error:
        error.add_note(f"case {number}: {design}")
        raise


def check_batch(numbers: Iterable[int], backend: str, folder: Path) -> int:
    """Check the designs of some numbers; return how many there are."""
    designs: dict[int, InPlaceDesign] = {}
    for number in numbers:
        with told(number):
            design = in_place_design(Random(number), f"d{number}", backend, folder)
        if design is None:
            continue
        with told(number, design):
            so.simulate(so.dataflow(design.program), design.schedule)
            so.write(design.program, design.schedule, folder / f"d{number}", backend=backend)
        designs[number] = design
    functions = CompiledUpdates([design.text for design in designs.values()], folder)
    projects = {f"d{number}": folder / f"d{number}" for number in designs}
    with compiled_together(projects, folder / "all") as compiled:
        for number, design in designs.items():
            with told(number, design):
                check_values(design, compiled[f"d{number}"], functions, folder / f"out{number}")
    return len(designs)


def check_values(
    design: InPlaceDesign, compiled: Compiled, functions: CompiledUpdates, folder: Path
) -> None:
    """Compare the outputs of two runs, one after another, with those of the function."""
    arrays = random_arrays(design.c_type, design.seed)
    after = functions.run(design.program.name, arrays)
    manifest = read_manifest(compiled.directory)
    inputs = {a.name: arrays[a.name] for a in design.program.arrays if a.is_given}
    expected = {name: after[name.removesuffix("_out")] for name in manifest.outputs}
    exact = {name: Result(own, np.zeros(own.shape)) for name, own in expected.items()}
    write_data(design.program, Golden(inputs, exact, 0), manifest, folder / "data")
    (folder / "results").mkdir()
    compiled.run((str(folder / "data"), str(folder / "results")), runs=2)
    for name, own in expected.items():
        for run in ("", ".2"):
            path = folder / "results" / f"{manifest.ports[name]}.out{run}.bin"
            found = np.fromfile(path, own.dtype).reshape(own.shape)
            if not np.array_equal(found, own, equal_nan=own.dtype.kind == "f"):
                check_rounding(design, name, inputs, found, own)


def check_rounding(
    design: InPlaceDesign, name: str, inputs: Arrays, found: NDArray[Any], own: NDArray[Any]
) -> None:
    """Compare values that a relaxed sum may have changed with their bounds."""
    assert own.dtype.kind == "f", f"{name}: {np.argwhere(found != own)[:4].tolist()}"
    scheduled = so.apply(so.dataflow(design.program), design.schedule)
    loose = execute(design.program, inputs, in_any_order=scheduled.may_reorder_sums)[name]
    verdict = compare_output(name, found.astype(np.float64), loose)
    assert not verdict.wrong, verdict
    exact = in_scheduled_order(scheduled, inputs)
    if exact is not None:
        np.testing.assert_array_equal(found, exact[name])


def _numbers(backend: str, first: int, count: int) -> list[int]:
    return [n for n in range(first, first + count) if BACKENDS[n % len(BACKENDS)] == backend]


@pytest.mark.slow
@pytest.mark.parametrize("backend", [*dict.fromkeys(BACKENDS)])
def test_designs_compute_their_functions(backend: str, tmp_path: Path) -> None:
    assert check_batch(TRIED[backend], backend, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("first", range(0, CASES, 4 * TOGETHER))
@pytest.mark.parametrize("backend", [*dict.fromkeys(BACKENDS)])
def test_many_designs_compute_their_functions(backend: str, first: int, tmp_path: Path) -> None:
    assert check_batch(_numbers(backend, first, 4 * TOGETHER), backend, tmp_path)
