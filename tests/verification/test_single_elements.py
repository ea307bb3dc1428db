"""Arrays of one element at the boundary are values, whatever their rank and whoever reads them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.formats.graph_json import read_graph_json
from streamopt.verification.verify import Traced, verify_compiled
from tests.support.runners.compiled_together import compiled_together

if TYPE_CHECKING:
    from pathlib import Path


COPIED = """{"schema_version": 1, "name": "copied",
 "arrays": {"x": {"shape": [1, 1], "role": "input"}, "y": {"shape": [1, 1], "role": "output"}},
 "nodes": [{"name": "copy", "loops": {"i": 1, "j": 1}, "body": ["y[i][j] = x[i][j]"]}]}"""
SPREAD = """{"schema_version": 1, "name": "spread",
 "arrays": {"x": {"shape": [1, 1], "role": "input"}, "a": {"shape": [4], "role": "input"},
            "y": {"shape": [1, 4], "role": "output"}},
 "nodes": [{"name": "add", "loops": {"i": 1, "j": 4}, "body": ["y[i][j] = a[j] * x[i][0]"]}]}"""
IN_ORDER = """{"schema_version": 1, "name": "in_order",
 "arrays": {"s": {"shape": [], "role": "input"}, "x": {"shape": [5], "role": "input"},
            "w": {"shape": [1], "role": "input"}, "v": {"shape": [1], "role": "output"},
            "y": {"shape": [5], "role": "output"}},
 "nodes": [{"name": "run", "loops": {"i": 4}, "sequential": true, "carries": {"y": "x"},
            "body": ["y[i + 1] = y[i] * s + y[i + 1]"]},
           {"name": "last", "loops": {"i": 1}, "sequential": true, "carries": {"v": "w"},
            "body": ["v[i] = v[i] + y[4]"]}]}"""
PROGRAMS = [read_graph_json(text, "single.json") for text in (COPIED, SPREAD, IN_ORDER)]


@pytest.mark.parametrize("backend", ["vitis", "tapa"])
def test_designs_take_them_by_value(backend: str, tmp_path: Path) -> None:
    for program in PROGRAMS:
        graph = so.dataflow(program)
        kind = "axis" if (backend, program.name) == ("vitis", "copied") else "m_axi"
        schedule = so.solve(graph, level="opt1").schedule
        schedule = so.put_outside(graph, schedule, so.plan_ports(graph, kind))
        design = so.write(program, schedule, tmp_path / program.name, backend=backend)
        top = design.text(f"{program.name}.cpp").rpartition(f"void {program.name}(")[2]
        values = set(re.findall(r"float (\w+)[,)]", top))
        assert values == {a.name for a in program.arrays if a.is_given and a.size_elems == 1}
    check_tokens(tmp_path)


def check_tokens(folder: Path) -> None:
    """All tokens are right too, of streams and of buffers."""
    projects = {program.name: folder / program.name for program in PROGRAMS}
    with compiled_together(projects, folder / "all") as designs:
        for program in PROGRAMS:
            schedule = so.load_schedule(folder / program.name / "schedule.json")
            traced = Traced(so.apply(so.dataflow(program), schedule), always=True)
            verify_compiled(designs[program.name], program, traced=traced).raise_if_failed()
