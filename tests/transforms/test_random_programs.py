"""Random C functions: programs compute the bits of gcc, and designs what they should."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from streamopt.formats.graph_json import load_graph_json, write_graph_json
from streamopt.pipeline import Space, dataflow, interpret, load, solve, verify, write
from tests.support.nightly import in_nightly
from tests.support.random.functions import compiled, differences, random_function

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program
    from tests.support.random.functions import Function

BATCH = 15


def read(function: Function, folder: Path) -> Program:
    path = folder / f"{function.name}.c"
    path.write_text(f"#include <math.h>\n{function.text}")
    return load(path)


def bare(program: Program) -> list[object]:
    """What a graph.json keeps, zeros with their signs."""
    return [
        (nest.name, nest.loops, nest.sequential, nest.carries, statement.reduction, texts)
        for nest in program.nests
        for statement in nest.statements
        for texts in ([*map(repr, (statement.target, *statement.expressions))],)
    ]


@pytest.mark.parametrize("first", in_nightly(range(0, 10 * BATCH, BATCH), 1))
def test_bits_are_those_of_c(first: int, tmp_path: Path) -> None:
    seeds = range(first, first + BATCH)
    functions = [random_function(random.Random(s), f"f{s}", most=5) for s in seeds]
    runner = compiled(functions, tmp_path)
    for seed, function in zip(seeds, functions, strict=True):
        program = read(function, tmp_path)
        dataflow(program)
        for case in range(2):
            inputs = function.inputs(seed + case)
            expected = runner.run(function, inputs)
            wrong = differences(expected, inputs, interpret(program, inputs))
            assert not wrong, f"{wrong} of\n{function.text}"


@pytest.mark.parametrize("seed", in_nightly(range(6), 3))
def test_designs_compute_what_the_source_does(seed: int, tmp_path: Path) -> None:
    function = random_function(random.Random(seed), f"f{seed}", most=5, is_tame=True)
    program = read(function, tmp_path)
    text = tmp_path / "program.json"
    text.write_text(write_graph_json(program))
    assert bare(load_graph_json(text)) == bare(program)
    graph = dataflow(program)
    solution = solve(graph, level="opt5", dsp=200, space=Space(tiling_limit=1))
    write(program, solution.schedule, tmp_path / "design", seed=seed)
    verify(tmp_path / "design").raise_if_failed()
