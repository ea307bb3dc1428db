"""Every pass of restructuring, every rewrite and every step, by texts before and after it."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

import streamopt as so
from streamopt.frontends.c import read_c
from streamopt.ir.loop_steps import Step
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.restructure.naming import final_names
from streamopt.transforms.restructure.restructure import (
    PROGRAM_PASSES,
    SOURCE_PASSES,
    STATEMENT_PASSES,
    flat_source,
)
from streamopt.transforms.restructure.versions import versioned
from streamopt.transforms.rewrites import rewritten
from tests.support.golden import UNCHANGED, GoldenCase, check_golden, golden_cases
from tests.support.programs.of_graphs import check_same
from tests.support.programs.sketches import program as sketch
from tests.support.value_texts import value_text

if TYPE_CHECKING:
    from streamopt.ir.program import Program
    from streamopt.ir.source import Source

FOLDER = Path(__file__).parent / "cases"
CASES = {folder.name: [*golden_cases(folder)] for folder in sorted(FOLDER.iterdir())}
RESTRUCTURING = (
    *(each.__name__ for each in (*SOURCE_PASSES, *STATEMENT_PASSES)),
    versioned.__name__,
    *dict.fromkeys(each.__name__ for each in PROGRAM_PASSES),
    final_names.__name__,
)


def name_of(case: GoldenCase) -> str:
    return str(case.path.relative_to(FOLDER).with_suffix(""))


def source_path(case: GoldenCase, folder: Path) -> Path:
    path = folder / "kernel.c"
    path.write_text(f"#include <math.h>\n{case.program}\n")
    return path


def source_of(case: GoldenCase, folder: Path) -> Source:
    return read_c(source_path(case, folder))


def around(source: Source, wanted: str) -> tuple[str, str]:
    """Return the text before and after the first time that a pass runs."""
    value = source
    for each in SOURCE_PASSES:
        before, value = value, each(value)
        if each.__name__ == wanted:
            return value_text(before), value_text(value)
    flat = flat_source(value)
    for each in STATEMENT_PASSES:
        before, flat = flat, each(flat)
        if each.__name__ == wanted:
            return value_text(before), value_text(flat)
    program = versioned(source.name, flat, source.values)
    if wanted == versioned.__name__:
        return value_text(flat), value_text(program)
    for each in PROGRAM_PASSES:
        before, program = program, each(program)
        if each.__name__ == wanted:
            return value_text(before), value_text(program)
    assert wanted == final_names.__name__
    return value_text(program), value_text(final_names(program, value))


@pytest.mark.parametrize("case", CASES["restructure"], ids=name_of)
def test_restructuring(case: GoldenCase, tmp_path: Path, update_golden: bool) -> None:
    check_golden(case, *around(source_of(case, tmp_path), case.applied), update=update_golden)


@pytest.mark.parametrize("case", CASES["rewrites"], ids=name_of)
def test_rewrites(case: GoldenCase, tmp_path: Path, update_golden: bool) -> None:
    program = so.load(source_path(case, tmp_path)) if "{" in case.program else sketched(case)
    *earlier, last = case.applied.split(", then ")
    graph = rewritten(canonicalize(program), earlier)
    after = rewritten(graph, [last])
    check_same(program, after)
    assert rewritten(after, [last]) == after
    if case.after == UNCHANGED:
        assert after is graph
    check_golden(case, str(graph), str(after), update=update_golden)


def sketched(case: GoldenCase) -> Program:
    """Return the program of lines ``x: input 6 4`` and ``copy: i 6, j 4: y[i][j] = x[i][j]``."""
    pairs = [line.split(": ", 1) for line in case.program.splitlines()]
    arrays = {name: text for name, text in pairs if ":" not in text}
    return sketch(arrays, {name: text for name, text in pairs if ":" in text})


@pytest.mark.parametrize("case", CASES["steps"], ids=name_of)
def test_steps(case: GoldenCase, tmp_path: Path, update_golden: bool) -> None:
    schedule = so.schedule(source_of(case, tmp_path))
    *earlier, last = case.applied.split(", then ")
    for each in earlier:
        take(schedule, each)
    before = str(schedule)
    take(schedule, last)
    check_golden(case, before, str(schedule), update=update_golden)


def take(schedule: so.Scheduling, text: str) -> None:
    """Take a step that is written as in Python: ``S.split("i", 4)``."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call)
    assert isinstance(call.func, ast.Attribute)
    assert isinstance(call.func.value, ast.Name)
    step, name = call.func.attr, call.func.value.id
    handle = schedule.array(name) if step == "partition" else schedule[name]
    getattr(handle, step)(*map(ast.literal_eval, call.args))


def test_every_pass_has_a_case() -> None:
    assert {case.applied for case in CASES["restructure"]} == {*RESTRUCTURING}
    steps = {
        case.applied.split(", then ")[-1].split("(")[0].split(".")[1] for case in CASES["steps"]
    }
    assert steps == {kind.__name__.lower().removesuffix("loop") for kind in get_args(Step)}
