"""Counters have the values of the quotients and remainders that they stand for."""

from __future__ import annotations

import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.codegen.processes.counters import CountedLoop, DigitCounters
from streamopt.codegen.tree import CppStatement, For, Item, render
from streamopt.ir.affine import Affine
from streamopt.ir.schedule import NodePlan, Schedule
from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from pathlib import Path


def _random_case(random: Random) -> tuple[list[CountedLoop], list[Affine]]:
    loops: list[CountedLoop] = []
    for name in "abc":
        unroll, tiles = random.choice([1, 1, 2, 3, 5]), random.choice([1, 2, 4, 5])
        lane = f"{name}_lane" if unroll > 1 else ""
        loops.append(CountedLoop(name, f"{name}_tile" if lane else name, lane, tiles, unroll))
    values: list[Affine] = []
    for _ in range(6):
        value = Affine.of(random.randrange(-9, 40))
        for loop in loops:
            value = value + Affine.iterator(loop.iterator).scaled(random.choice([0, 1, -1, 3, 7]))
        low = value.bounds({p.iterator: p.tiles * p.unroll for p in loops})[0]
        value = value + Affine.of(max(0, -low))
        divisor, modulus = random.choice([2, 3, 5, 7, 8, 21]), random.choice([3, 4, 7])
        shape = random.randrange(4)
        quotient = value.floordiv(divisor)
        digits = [quotient, value.mod(divisor), quotient.mod(modulus), quotient.scaled(2)]
        values.append(digits[shape] + Affine.iterator("b"))
    return loops, values


def _program(loops: list[CountedLoop], values: list[Affine], seen: list[str]) -> str:
    """Return C++ that compares each counter with its expression."""

    def unique(wanted: str) -> str:
        seen.append(wanted)
        return f"{wanted}_{len(seen)}"

    counters = DigitCounters(loops, unique)
    counted = [counters.counted(value) for value in values]
    body: list[Item] = [
        CppStatement(f"const int {p.iterator} = {p.tile} * {p.unroll} + {p.lane};")
        for p in loops
        if p.unroll > 1
    ]
    body += counters.lanes()[0]
    for value, found in zip(values, counted, strict=True):
        body.append(CppStatement(f"if (({value}) != ({found})) return 1;"))
    for loop in loops:
        if loop.unroll > 1:
            body = [For(loop.lane, loop.unroll, tuple(body))]
    body += counters.steps
    for loop in reversed(loops):
        body = [For(loop.tile, loop.tiles, tuple(body))]
    text = render([*counters.declared, *body])
    assert "/" not in "".join(str(found) for found in counters.steps)
    return f"{{\n{text}}}\n"


def test_random_digits(tmp_path: Path) -> None:
    cases = [_program(*_random_case(Random(seed)), []) for seed in range(60)]
    source = tmp_path / "counters.cpp"
    source.write_text(f"int main() {{\n{''.join(cases)}return 0;\n}}\n")
    command = ["g++", "-std=c++11", "-Wall", "-Werror", "-Wno-tautological-compare", str(source)]
    subprocess.run([*command, "-o", str(tmp_path / "counters")], check=True)
    assert subprocess.run([str(tmp_path / "counters")], check=False).returncode == 0


FLAT = program(
    {"A": "input 4 7 7", "y": "output 196"},
    {"flat": "k 196: y[k] = A[k // 49][k // 7 % 7][k % 7]"},
    name="flat",
)


@pytest.mark.parametrize("unroll", [1, 4, 5])
def test_design_without_a_divider(unroll: int, tmp_path: Path) -> None:
    graph = so.dataflow(FLAT)
    plan = NodePlan(graph.nodes[0].name, ("k",), (("k", unroll),))
    schedule = Schedule(graph.name, (plan,), ())
    text = so.write(FLAT, schedule, tmp_path / "flat").text("flat.cpp")
    assert "/ 49" not in text
    assert "k_div_7_mod_7_rest >= 7" in text
    so.verify(tmp_path / "flat").raise_if_failed()
    depth = so.evaluate(graph, schedule).timed[plan.node].timing.depth_cycles
    assert depth < 10


def test_bits_of_an_iterator_are_known_in_its_lanes(tmp_path: Path) -> None:
    flat = program(
        {"x": "input 8 16", "t": "internal 128", "y": "output 128"},
        {"flat": "j 128: t[j] = x[j // 16][j % 16]", "twice": "j 128: y[j] = t[j] + t[j]"},
    )
    schedule = so.solve(so.dataflow(flat), dsp=64).schedule
    assert all(plan.factors.get("j", 1) > 1 for plan in schedule.nodes)
    text = so.write(flat, schedule, tmp_path / "flat").text(f"{flat.name}.cpp")
    assert "[(j >> 4)][(j & 15)]" in text
    so.verify(tmp_path / "flat").raise_if_failed()
