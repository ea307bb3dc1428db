"""Orders of PolyBench's loop-carried kernels: loops in order outside, parallel loops inside."""

from __future__ import annotations

import pytest

from streamopt.ir.graph import SequentialNode
from streamopt.pipeline import SourceOptions, load
from streamopt.transforms.autoschedule import steps_of
from streamopt.transforms.canonicalize import canonicalize
from tests.support.runners.polybench import KERNELS, source
from tests.support.step_shapes import shape

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


@pytest.mark.parametrize("kernel", MEDIUM)
def test_kernels_have_few_steps_with_wide_phases(kernel: str) -> None:
    macros = {"MEDIUM_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
    program = load(source(kernel), options=SourceOptions(define=macros, include=[KERNELS]))
    graph = canonicalize(program)
    arrays = {array.name: array for array in graph.arrays}
    (node,) = (node for node in graph.nodes if isinstance(node, SequentialNode))
    best, *_ = steps_of(node, arrays)
    assert shape(best.items) == MEDIUM[kernel]
