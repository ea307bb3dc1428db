"""The 17 programs against the published model cycles."""

from __future__ import annotations

import csv
from math import floor, log10
from pathlib import Path

import pytest

import streamopt as so
from streamopt.solvers.result import Proof
from streamopt.space.assemble import violations
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LevelName
from tests.support.certificate import certify

TOP = Path(__file__).parents[2]
ATTENTION = "transformers/multi_head_attention"
TILING_LIMITS = {"cnns/dwsconv_block": 8, "cnns/residual_block": 8, ATTENTION: 1}
BETTER = {
    ("polybench/2mm", "opt4"): 35928,
    ("polybench/mvt", "opt3"): 2496,
    (ATTENTION, "opt5"): 32830,
}
"""Proved better than published: two-step searches, a graph without a copy, a time-out."""


def published() -> list[tuple[str, str, int, int]]:
    path = TOP / "results" / "published" / "streamhls_model_cycles.csv"
    with path.open(encoding="utf-8") as file:
        return [
            (row["program"], row["level"], int(row["dsp_limit"]), int(row["model_cycles"]))
            for row in csv.DictReader(file)
        ]


def six_digits(value: int) -> int:
    step = 10 ** max(0, floor(log10(value)) - 5)
    return round(value / step) * step


@pytest.mark.parametrize(
    ("program", "level", "dsp", "cycles"),
    published(),
)
def test_model_cycles(program: str, level: str, dsp: int, cycles: int) -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / f"{program}.json"))
    tiling_limit = TILING_LIMITS.get(program, 16)
    found = so.solve(
        graph,
        level=level,
        dsp=dsp,
        space=so.Space(tiling_limit=tiling_limit),
        effort=so.Effort(fifos=None),
    )
    assert found.proof is Proof.OPTIMAL
    expected = BETTER.get((program, level)) if dsp == 2560 else None
    if expected is None:
        assert six_digits(found.latency_cycles) == six_digits(cycles)
    else:
        assert found.latency_cycles == expected < cycles
    space = decision_space(
        graph, SpaceOptions(found.problem.level, dsp_limit=dsp, tiling_limit=tiling_limit)
    )
    assert violations(space, found.schedule) == []
    again = certify(
        graph,
        found.schedule,
        level=found.problem.level,
        dsp_limit=dsp,
        tiling_limit=tiling_limit,
    )
    assert again.broken == ()
    assert again.latency_cycles == found.latency_cycles == found.bound
    assert again.dsps == found.prediction.dsps <= dsp
    assert again.interval_cycles == found.interval_cycles
    if found.problem.level.name is LevelName.OPT4:
        orders = so.solve(
            graph,
            level="opt2",
            dsp=dsp,
            space=so.Space(tiling_limit=tiling_limit),
            effort=so.Effort(fifos=None),
        )
        assert again.untiled_cycles == orders.latency_cycles


def test_every_program_is_there() -> None:
    programs = {f"{p.parent.name}/{p.stem}" for p in (TOP / "graphs").glob("*/*.json")}
    assert programs == {row[0] for row in published()}
    assert len(programs) == 17
