"""Random steps on random functions: legal ones change no result, and illegal isn't said of all."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from streamopt.errors import LegalityError
from streamopt.frontends.c import read_c
from streamopt.ir.loop_steps import After, Fuse, Interchange, Shift, Skew, Split, Tile
from streamopt.transforms.scheduling import generated, timed_program, transformed
from tests.support.random.functions import random_function
from tests.support.runners.sources import run_source

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.loop_steps import LoopStep
    from streamopt.transforms.scheduling import TimedProgram

SKEWS = ((1, 1), (2, 1), (1, -1), (3, 1), (1, 2), (2, -1), (3, 2))


def random_step(rng: random.Random, program: TimedProgram, number: int) -> LoopStep | None:
    looped = [own for own in program.statements if own.loops]
    if not looped:
        return None
    statement, other = rng.choice(looped), rng.choice(program.statements)
    name, names = statement.name, [loop.name for loop in statement.loops]
    a, b, c, d = (f"n{number}{letter}" for letter in "abcd")
    kind = rng.choice(("interchange", "split", "tile", "skew", "shift", "after", "fuse"))
    first = rng.randrange(max(1, len(names) - 1))
    pair = names[first : first + 2]
    others = [loop.name for loop in other.loops]
    if len(pair) == 2 and kind in ("interchange", "tile", "skew"):
        return {
            "interchange": Interchange(name, *rng.sample(names, 2)),
            "tile": Tile(name, (pair[0], pair[1]), (2, 3), (a, b, c, d)),
            "skew": Skew(name, (pair[0], pair[1]), rng.choice(SKEWS), (a, b)),
        }[kind]
    if kind == "split":
        return Split(name, rng.choice(names), rng.choice((2, 3, 4)), (a, b))
    if kind == "shift":
        return Shift(name, rng.choice(names), rng.choice((-1, 1, 2)))
    if kind == "fuse" and others:
        return Fuse(name, other.name, rng.choice(others))
    return After(name, other.name, rng.choice(["", *others]))


def test_legal_steps_change_no_result(tmp_path: Path) -> None:
    outcomes: Counter[tuple[str, str]] = Counter()
    for seed in range(100, 114):
        rng = random.Random(seed)
        function = random_function(rng, f"f{seed}", most=2)
        if any(sign in function.text for sign in "&|^"):
            continue  # of numbers that the runner has as floats
        path = tmp_path / "f.c"
        path.write_text(f"#include <math.h>\n{function.text}")
        program = timed_program(read_c(path))
        inputs = function.inputs(seed)
        expected = run_source(generated(program).source, inputs)
        for number in range(6):
            step = random_step(rng, program, number)
            if step is None:
                continue
            try:
                program = transformed(program, step)
            except LegalityError as error:
                outcomes[error.diagnostics[0].code, ""] += 1
            else:
                outcomes["legal", type(step).__name__] += 1
        found = run_source(generated(program).source, inputs)
        for name, values in expected.items():
            same = np.allclose(values, found[name], rtol=1e-3, atol=1e-4, equal_nan=True)
            assert same, f"{name} of\n{function.text}"
    legal = {kind for outcome, kind in outcomes if outcome == "legal"}
    assert len(legal) >= 5
    assert outcomes["E237", ""] > 5


STRIDED = """
void strided(float A[8], float B[8]) {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            if (j < 2)
                S1: A[i + j] = 0.5f * A[i + j] + B[0];
            if (j == 2)
                S2: B[0] = B[0] + A[i + 1];
        }
}
"""


def test_statements_of_one_iteration_keep_their_place_in_a_shared_loop(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(STRIDED)
    first = timed_program(read_c(path))
    inputs = {"A": np.linspace(1.0, 2.0, 8), "B": np.linspace(-1.0, 1.0, 8)}
    expected = run_source(generated(first).source, inputs)
    program = transformed(first, Skew("S1", ("i", "j"), (2, 1), ("w", "k")))
    found = run_source(generated(program).source, inputs)
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name], values, err_msg=name)
