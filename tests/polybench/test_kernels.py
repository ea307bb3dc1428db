"""The kernels themselves: they compile cleanly, don't depend on the compiler, and are right."""

from __future__ import annotations

import subprocess
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.support.runners.polybench import FLAGS, KERNELS, NAMES, CompiledKernel, bits, source

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.support.runners.polybench import Arrays

MINI = {"MINI_DATASET": ""}


@cache
def mini(name: str) -> CompiledKernel:
    return CompiledKernel(source(name), MINI)


def test_all_thirty_are_there() -> None:
    assert len(NAMES) == 30


@pytest.mark.parametrize("name", NAMES)
def test_values_do_not_depend_on_optimization(name: str) -> None:
    kernel, plain = mini(name), CompiledKernel(source(name), MINI, flags=("-O0", *FLAGS[1:]))
    assert kernel.warnings + plain.warnings == ""
    inputs, again = kernel.initial(), plain.initial()
    for array, values in inputs.items():
        np.testing.assert_array_equal(bits(values), bits(again[array]))
    results, again = kernel.run(inputs), plain.run(inputs)
    for array, values in results.items():
        np.testing.assert_array_equal(bits(values), bits(again[array]))


@pytest.mark.parametrize("name", NAMES)
def test_the_program_prints_its_results(name: str, tmp_path: Path) -> None:
    program = tmp_path / "program"
    options = [*FLAGS, "-DMINI_DATASET", "-DPOLYBENCH_DUMP_ARRAYS", f"-I{KERNELS}"]
    command = ["gcc", *options, "-o", program, source(name), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stderr
    results = mini(name).run(mini(name).initial())
    dumps = printed.split("begin dump: ")[1:]
    assert dumps
    for dump in dumps:
        array, *numbers = dump.split("\nend   dump")[0].split()
        triangles = {"cholesky": np.tril_indices, "nussinov": np.triu_indices}
        values = results[array]
        flat = values[triangles[name](len(values))] if name in triangles else values.ravel()
        assert len(numbers) == flat.size
        np.testing.assert_allclose(np.array(numbers, float), flat, rtol=0, atol=0.00501)


def test_float_has_other_values() -> None:
    kernel = CompiledKernel(source("gemm"), MINI | {"DATA_TYPE_IS_FLOAT": ""})
    assert kernel.layouts["C"] == ((20, 25), np.dtype(np.float32))
    assert kernel.layouts["alpha"] == ((), np.dtype(np.float32))
    single, double = kernel.run(kernel.initial()), mini("gemm").run(mini("gemm").initial())
    np.testing.assert_allclose(single["C"], double["C"], rtol=1e-5)
    assert (single["C"] != double["C"]).any()


def test_elements_that_nobody_defines() -> None:
    kernel = mini("adi")
    defined = kernel.defined({"u": kernel.initial()["u"]})
    assert defined["u"].all()
    assert not defined["v"][1:-1, 0].any()


def gemm(i: Arrays, o: Arrays) -> None:
    close(o["C"], i["alpha"] * i["A"] @ i["B"] + i["beta"] * i["C"])


def two_mm(i: Arrays, o: Arrays) -> None:
    close(o["D"], i["alpha"] * i["A"] @ i["B"] @ i["C"] + i["beta"] * i["D"])


def three_mm(i: Arrays, o: Arrays) -> None:
    close(o["G"], (i["A"] @ i["B"]) @ (i["C"] @ i["D"]))


def atax(i: Arrays, o: Arrays) -> None:
    close(o["y"], i["A"].T @ (i["A"] @ i["x"]))


def bicg(i: Arrays, o: Arrays) -> None:
    close(o["s"], i["A"].T @ i["r"])
    close(o["q"], i["A"] @ i["p"])


def doitgen(i: Arrays, o: Arrays) -> None:
    close(o["A"], i["A"] @ i["C4"])


def mvt(i: Arrays, o: Arrays) -> None:
    close(o["x1"], i["x1"] + i["A"] @ i["y_1"])
    close(o["x2"], i["x2"] + i["A"].T @ i["y_2"])


def gemver(i: Arrays, o: Arrays) -> None:
    matrix = i["A"] + np.outer(i["u1"], i["v1"]) + np.outer(i["u2"], i["v2"])
    vector = i["beta"] * matrix.T @ i["y"] + i["z"]
    close(o["A"], matrix)
    close(o["x"], vector)
    close(o["w"], i["alpha"] * matrix @ vector)


def gesummv(i: Arrays, o: Arrays) -> None:
    close(o["y"], i["alpha"] * i["A"] @ i["x"] + i["beta"] * i["B"] @ i["x"])


def symm(i: Arrays, o: Arrays) -> None:
    lower = np.tril(i["A"])
    whole = lower + np.tril(lower, -1).T
    close(o["C"], i["alpha"] * whole @ i["B"] + i["beta"] * i["C"])


def syr2k(i: Arrays, o: Arrays) -> None:
    both = i["A"] @ i["B"].T + i["B"] @ i["A"].T
    close(np.tril(o["C"]), np.tril(i["alpha"] * both + i["beta"] * i["C"]))


def syrk(i: Arrays, o: Arrays) -> None:
    close(np.tril(o["C"]), np.tril(i["alpha"] * i["A"] @ i["A"].T + i["beta"] * i["C"]))


def trmm(i: Arrays, o: Arrays) -> None:
    close(o["B"], i["alpha"] * np.tril(i["A"]).T @ i["B"])


def cholesky(i: Arrays, o: Arrays) -> None:
    lower = np.tril(o["A"])
    close(lower @ lower.T, i["A"])


def lu(i: Arrays, o: Arrays) -> None:
    lower = np.tril(o["A"], -1) + np.eye(len(o["A"]))
    close(lower @ np.triu(o["A"]), i["A"])


def ludcmp(i: Arrays, o: Arrays) -> None:
    close(i["A"] @ o["x"], i["b"])


def durbin(i: Arrays, o: Arrays) -> None:
    size = len(i["r"])
    column = np.concatenate(([1.0], i["r"][:-1]))
    distance = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    close(column[distance] @ o["y"], -i["r"])


def gramschmidt(i: Arrays, o: Arrays) -> None:
    close(o["Q"] @ o["R"], i["A"])


def trisolv(i: Arrays, o: Arrays) -> None:
    close(np.tril(i["L"]) @ o["x"], i["b"])


def correlation(i: Arrays, o: Arrays) -> None:
    close(o["corr"], np.corrcoef(i["data"], rowvar=False))


def covariance(i: Arrays, o: Arrays) -> None:
    close(o["cov"], np.cov(i["data"], rowvar=False))


def floyd_warshall(i: Arrays, o: Arrays) -> None:
    lengths = i["path"].copy()
    for k in range(len(lengths)):
        lengths = np.minimum(lengths, lengths[:, k, None] + lengths[None, k, :])
    close(o["path"], lengths)


def heat_3d(i: Arrays, o: Arrays) -> None:
    close(o["A"], i["A"])  # A linear field has no curvature.


def close(found: Any, expected: Any) -> None:
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)


_NAMED = (gemm, atax, bicg, doitgen, mvt, gemver, gesummv, symm, syr2k, syrk, trmm)
_SOLVERS = (cholesky, lu, ludcmp, durbin, gramschmidt, trisolv, correlation, covariance)
MATHEMATICS: dict[str, Callable[[Arrays, Arrays], None]] = {
    "2mm": two_mm,
    "3mm": three_mm,
    "floyd-warshall": floyd_warshall,
    "heat-3d": heat_3d,
    **{check.__name__: check for check in (*_NAMED, *_SOLVERS)},
}


@pytest.mark.parametrize("name", sorted(MATHEMATICS))
def test_mathematics(name: str) -> None:
    inputs = mini(name).initial()
    MATHEMATICS[name](inputs, mini(name).run(inputs))
