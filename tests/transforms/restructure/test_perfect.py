"""Groups of statements as one nest: the same instances in the same order."""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING

import pytest

from streamopt.ir.expression import Compare, Condition, Index, Literal, Logic
from streamopt.transforms.restructure.perfect import perfect_nest
from tests.support.programs.c_nests import body_of

if TYPE_CHECKING:
    from pathlib import Path


def perfect(folder: Path, text: str) -> tuple[list[tuple[str, int]], list[str]]:
    loops, statements = perfect_nest(body_of(folder, text).statements)
    texts = [line for statement in statements for line in statement.texts]
    return [(loop.name, loop.trip_count) for loop in loops], texts


def test_statements_that_never_run_are_left_out(tmp_path: Path) -> None:
    text = """(double A[4]) {
        for (int i = 0; i < 4; i++) { A[i] = 1.0; for (int j = 5; j < 5; j++) A[0] = 2.0; } }"""
    assert perfect(tmp_path, text) == ([("i", 4)], ["A[i] = 1"])


def test_dividends_stay_above_0_where_loops_are_laid_end_to_end(tmp_path: Path) -> None:
    """Before its own part of the loop the second statement would divide a negative number."""
    text = """(double A[6], double B[6]) { for (int t = 0; t < 2; t++) {
        for (int i = 0; i < 6; i++) A[i] = 1.0;
        for (int j = 0; j < 6; j++) B[j] = A[(j + 2 * (j / 3)) % 4]; } }"""
    loops, statements = perfect(tmp_path, text)
    assert loops == [("t", 2), ("i", 12)]
    assert statements[-1] == "if i >= 6: B[i - 6] = A[(i + 2*(i // 3) + 2) % 4]"


def holds(condition: Condition | None, point: dict[str, int]) -> bool:
    match condition:
        case None:
            return True
        case Logic(op, operands):
            parts = [holds(operand, point) for operand in operands]
            return all(parts) if op == "and" else any(parts)
        case Compare(op, Index(left), right):
            assert isinstance(right, Index | Literal)
            other = right.value.evaluate(point) if isinstance(right, Index) else right.value
            return bool(eval(f"{left.evaluate(point)} {op} {other}"))
        case _:
            raise AssertionError(condition)


def imperfect(rng: random.Random, depth: int, outer: tuple[str, ...]) -> list[str]:
    """Return C that writes the place of every statement instance, and the same in Python."""
    lines: list[str] = []
    for at in range(rng.randint(1, 3)):
        if depth and rng.random() < 0.6:
            name = f"i{len(outer)}{at}"
            low = rng.choice(["0", "1", *outer])
            high = rng.choice(["2", "3", *(f"{o} + 1" for o in outer)])
            lines.append(f"for {name} {low} : {high}")
            lines += [f" {line}" for line in imperfect(rng, depth - 1, (*outer, name))]
        else:
            lines.append(" + ".join([str(rng.randint(0, 99)), *(f"{o}" for o in outer)]))
    return lines


def c_text(lines: list[str]) -> str:
    text, depth = "", 0
    for line in lines:
        own = len(line) - len(line.lstrip())
        text += "}" * (depth - own)
        depth = own
        if "for" in line:
            _, name, low, _, *high = line.split()
            text += f"for (int {name} = {low}; {name} < {' '.join(high)}; {name}++) {{"
            depth += 1
        else:
            text += f"A[{line.strip()}] = 0.0;"
    return text + "}" * depth


def python_text(lines: list[str]) -> str:
    found: list[str] = []
    for line in lines:
        own = line[: len(line) - len(line.lstrip())]
        if "for" in line:
            _, name, low, _, *high = line.split()
            found.append(f"{own}for {name} in range({low}, {' '.join(high)}):")
            found.append(f"{own} pass")
        else:
            found.append(f"{own}order.append({line.strip()})")
    return "\n".join(found)


@pytest.mark.parametrize("seed", range(60))
def test_order_of_instances_stays(seed: int, tmp_path: Path) -> None:
    lines = imperfect(random.Random(seed), 3, ())
    order: list[int] = []
    exec(python_text(["for z 0 : 2", *(f" {line}" for line in lines)]), {"order": order})
    text = c_text(["for z 0 : 2", *(f" {line}" for line in lines)])
    body = body_of(tmp_path, f"(double A[200]) {{ {text} }}")
    loops, statements = perfect_nest(body.statements)
    found: list[int] = []
    for values in product(*(range(loop.trip_count) for loop in loops)):
        point = dict(zip((loop.name for loop in loops), values, strict=True))
        for statement in statements:
            if holds(statement.guard, point):
                found.append(statement.target.subscripts[0].evaluate(point))
    assert found == order
