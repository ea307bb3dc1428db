from __future__ import annotations

import csv
import sys
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so

if TYPE_CHECKING:
    from streamopt.space.level import LevelName

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP / "models"))

programs: Any = import_module("modules.programs")
TILING_LIMITS = {"dwsconv_block": 8, "residual_block": 8, "multi_head_attention": 1}


def optimum(listed: Any, level: str) -> int:
    with (TOP / "results" / "levels" / "rows.csv").open(encoding="utf-8") as file:
        (cycles,) = (
            int(row["objective_cycles"])
            for row in csv.DictReader(file)
            if row["program"] == f"{listed.suite}/{listed.name}"
            and (row["level"], row["dsp_limit"]) == (level, "2560")
        )
    return cycles


@pytest.mark.parametrize(
    ("listed", "level"),
    [
        pytest.param(listed, level, marks=pytest.mark.slow if level == "opt5" else ())
        for level in ("opt1", "opt5")
        for listed in programs.MODULES
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_module_is_the_measured_program(listed: Any, level: LevelName) -> None:
    graph = so.dataflow(programs.program_of(listed))
    limit = TILING_LIMITS.get(listed.name, 16)
    found = so.solve(
        graph,
        level=level,
        dsp=2560,
        space=so.Space(tiling_limit=limit),
        effort=so.Effort(fifos=None),
    )
    assert found.latency_cycles == optimum(listed, level)
