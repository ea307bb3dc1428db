"""Stencils, pass after pass, compute the bits of the nest that they are made of."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.errors import LegalityError
from streamopt.ir.graph import Passes
from streamopt.ir.program import Role
from streamopt.transforms.rewrites import rewritten
from streamopt.transforms.rewrites.unroll_time import pass_steps
from streamopt.verification.exact.interpreter import interpret
from streamopt.verification.vectors.inputs import make_inputs
from tests.support.programs.of_graphs import program_of

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program

JACOBI = """
void jacobi(float A[7][8], float B[7][8]) {
    for (int t = 0; t < 6; t++) {
        for (int i = 1; i < 6; i++)
            for (int j = 1; j < 7; j++)
                B[i][j] = 0.5f * (A[i][j - 1] + A[i + 1][j]);
        for (int i = 1; i < 6; i++)
            for (int j = 1; j < 7; j++)
                A[i][j] = 0.25f * (B[i - 1][j] - B[i][j + 1]);
    }
}
"""


def loaded(text: str, folder: Path) -> Program:
    file = folder / "kernel.c"
    file.write_text(text)
    return so.load(file)


def check_passes(source: Program, graph: Graph) -> None:
    """All passes, each on what the one before has left, give the outputs of the source."""
    inputs = dict(make_inputs(source, bits=4))
    expected = interpret(source, inputs)
    passes = graph.passes or Passes(1, ())
    one = program_of(replace(graph, passes=None))
    found = interpret(one, inputs)
    for _ in range(passes.count - 1):
        inputs |= {given: found[output] for output, given in passes.in_place}
        found = interpret(one, inputs)
    for array in source.arrays:
        if array.role is Role.OUTPUT:
            np.testing.assert_array_equal(found[array.name], expected[array.name])


@pytest.mark.parametrize("steps", [1, 2, 3, 6])
def test_passes_of_a_stencil_compute_the_same(steps: int, tmp_path: Path) -> None:
    source = loaded(JACOBI, tmp_path)
    graph = rewritten(so.dataflow(source), (f"unroll_time:{steps}", "stream_windows"))
    assert len(graph.nodes) == 2 * steps + 2
    pairs = (("A_out", "A"),)  # of B, only what nobody writes is read
    assert graph.passes == (Passes(6 // steps, pairs) if steps < 6 else None)
    assert all(node.windows for node in graph.nodes[2:])
    check_passes(source, graph)


COPIED_BACK = """
void k(const float x[{n}][{n}], float y[{n}][{n}]) {{
    float A[{n}][{n}], B[{n}][{n}];
    for (int i = 0; i < {n}; i++)
        for (int j = 0; j < {n}; j++) {{ A[i][j] = x[i][j]; B[i][j] = x[i][j]; }}
    for (int t = 0; t < {steps}; t++) {{
        for (int i = 1; i < {n} - 1; i++)
            for (int j = 1; j < {n} - 1; j++) B[i][j] = 0.5f * (A[i - 1][j] + A[i][j + 1]);
        for (int i = 1; i < {n} - 1; i++)
            for (int j = 1; j < {n} - 1; j++) A[i][j] = B[i][j];
    }}
    for (int i = 0; i < {n}; i++)
        for (int j = 0; j < {n}; j++) y[i][j] = A[i][j];
}}
"""


def test_copies_around_a_stencil_are_its_memories(tmp_path: Path) -> None:
    small, large = (
        loaded(COPIED_BACK.format(n=n, steps=steps), tmp_path)
        for n, steps in ((48, 40), (2048, 90))
    )
    for source, steps in ((small, 40), (large, 90)):
        graph = so.dataflow(source)
        assert all(len(array.shape) == 2 for array in graph.arrays)  # none for each time step
        assert pass_steps(graph) == steps
        passes = rewritten(graph, ("unroll_time:10",)).passes
        assert passes == Passes(steps // 10, (("y", "x"),))
    check_passes(small, rewritten(so.dataflow(small), ("unroll_time:20",)))


def stencil(rng: random.Random) -> str:
    """A time loop over updates of arrays, each from any of the others."""
    names = ["A", "B", "C"][: rng.randint(2, 3)]
    lines: list[str] = []
    for name in names:
        low, high = rng.choice([(1, 5), (1, 6), (2, 5)]), rng.choice([(1, 6), (2, 5)])
        terms = [f"{name}[i][j]"] if rng.random() < 0.3 else []
        for other in rng.sample([*names, "P"], rng.randint(1, 3)):
            if other != name:
                di, dj = rng.choice([*product((-1, 0, 1), repeat=2)])
                terms.append(f"{rng.randint(2, 4)}.0f * {other}[i + {di}][j + {dj}]")
        terms = terms or ["P[i][j]"]
        loops = (
            f"for (int i = {low[0]}; i < {low[1]}; i++) for (int j = {high[0]}; j < {high[1]}; j++)"
        )
        lines.append(f"{loops} {name}[i][j] = 0.25f * ({' - '.join(terms)});")
    arrays = ", ".join(f"float {name}[7][7]" for name in names)
    body = "\n".join(lines)
    return f"void k({arrays}, const float P[7][7]) {{ for (int t = 0; t < 4; t++) {{ {body} }} }}"


def test_random_stencils_compute_the_same(tmp_path: Path) -> None:
    unrolled = 0
    for case in range(40):
        source = loaded(stencil(random.Random(case)), tmp_path)
        graph = so.dataflow(source)
        if pass_steps(graph):  # some are no circle of updates, and no nest is sequential
            unrolled += 1
            for steps in (1, 2):
                check_passes(source, rewritten(graph, (f"unroll_time:{steps}",)))
    assert unrolled >= 15


IN_PLACE = "A[i][j] = 0.5f * (A[i - 1][j] + B[i][j]);"
FUSED = "B[i][j] = A[i][j - 1]; A[i][j] = B[i][j] + 1.0f;"
LATER = "B[i][j] = A[i + 1][j] + 1.0f; A[i][j] = B[i][j];"


@pytest.mark.parametrize(("body", "steps"), [(IN_PLACE, 0), (FUSED, 0), (LATER, 4)])
def test_updates_run_one_after_the_other_where_that_is_legal(
    body: str, steps: int, tmp_path: Path
) -> None:
    text = "void k(float A[7][7], float B[7][7]) { for (int t = 0; t < 4; t++)"
    text += " for (int i = 1; i < 6; i++) for (int j = 1; j < 6; j++) {" + body + "} }"
    source = loaded(text, tmp_path)
    graph = so.dataflow(source)
    assert pass_steps(graph) == steps
    if steps:
        check_passes(source, rewritten(graph, ("unroll_time:2",)))


def test_steps_that_do_not_divide_are_refused(tmp_path: Path) -> None:
    graph = so.dataflow(loaded(JACOBI, tmp_path))
    with pytest.raises(LegalityError, match=r"E325 'jacobi' has no time loop that 4 steps a pass"):
        rewritten(graph, ("unroll_time:4",))
    with pytest.raises(LegalityError, match="E321"):
        rewritten(graph, ("unroll_time:0",))
