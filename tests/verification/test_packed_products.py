"""Products of narrow integers in LUTs, and two in a DSP: designs compute what their sources do."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.analysis.value_ranges import narrow_product
from streamopt.codegen.backends import native, vitis
from streamopt.codegen.operators import OperatorFunctions, product_type
from streamopt.codegen.templates import TYPE_HEADERS
from streamopt.codegen.tree import render
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.transforms.apply import apply
from streamopt.transforms.rewrites import rewritten
from streamopt.verification.project import write_project
from streamopt.verification.verify import verify_project
from tests.support.programs.sketches import program
from tests.support.random.schedules import any_factors

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule

PACKED, FABRIC = Implementation.PACKED, Implementation.FABRIC
LAYERS = program(
    {"x": "input 6 8 int8_t", "v": "weight 10 8 int8_t", "w": "weight 5 10 int8_t",
     "b": "weight 10 int32_t", "s": "internal 6 10 int32_t", "h": "internal 6 10 int8_t",
     "y": "output 6 5 int64_t"},
    {"first": "i 6, j 10, k 8: s[i][j] += x[i][k] * v[j][k]",
     "scale": "i 6, j 10: h[i][j] = int8_t(min(max(s[i][j] + b[j] >> 7, -128), 127))",
     "second": "i 6, j 5, k 10: y[i][j] += int64_t(h[i][k]) * int64_t(w[j][k])"},
    name="layers",
)  # fmt: skip
CONV = program(
    {"x": "input 2 6 5 int8_t", "k": "weight 3 2 3 3 int8_t", "p": "internal 2 8 7 int8_t",
     "t": "internal 3 6 5 int32_t", "y": "output 3 6 5 int32_t"},
    {"fill": "c 2, h 8, w 7: p[c][h][w] = 0",
     "copy": "c 2, h 6, w 5: p[c][h + 1][w + 1] = x[c][h][w]",
     "conv": "o 3, h 6, w 5, c 2, m 3, n 3: t[o][h][w] += p[c][h + m][w + n] * k[o][c][m][n]",
     "act": "o 3, h 6, w 5: y[o][h][w] = max(t[o][h][w], 0)"},
    name="conv",
)  # fmt: skip
UNSIGNED = program(
    {"x": "input 6 9 uint8_t", "v": "weight 7 9 int8_t", "z": "input 9 5 uint8_t",
     "s": "output 6 7 int32_t", "y": "output 6 5 int64_t"},
    {"mixed": "i 6, j 7, k 9: s[i][j] += x[i][k] * v[j][k]",
     "both": "i 6, j 5, k 9: y[i][j] += int64_t(x[i][k]) * int64_t(z[k][j])"},
    name="mixed_signs",
)  # fmt: skip
FORMS = (
    (),
    ("fold_padding", "fold_copies", "fold_pointwise", "private_arguments"),
    ("fold_padding", "split_arrays", "split_loops", "fold_copies", "private_arguments",
     "stream_windows"),
)  # fmt: skip


def bound(graph: Graph, schedule: Schedule, built: Implementation) -> Schedule:
    """Return a schedule with all products of narrow integers built from something."""
    binding = ((Operator.MUL, built),)
    narrow = {node.name for node in graph.nodes if narrow_product(node, graph.element_of)}
    nodes = tuple(replace(p, binding=binding) if p.node in narrow else p for p in schedule.nodes)
    return replace(schedule, nodes=nodes)


@pytest.mark.parametrize("built", [PACKED, FABRIC])
@pytest.mark.parametrize("source", [LAYERS, CONV, UNSIGNED])
@pytest.mark.parametrize("form", FORMS)
def test_any_lanes(
    source: Program, form: tuple[str, ...], built: Implementation, tmp_path: Path
) -> None:
    graph = rewritten(so.dataflow(source), form)
    schedule = bound(graph, any_factors(graph, Random(len(form)), 3), built)
    scheduled = apply(so.dataflow(source), replace(schedule, rewrites=form))
    text = vitis.emit(scheduled).text(f"{source.name}.cpp")
    bits = 9 if source is UNSIGNED else 8
    assert f"int{bits}_mul_{built}(" in text
    for backend in (vitis,) if form else (vitis, native):
        project = tmp_path / backend.__name__.split(".")[-1]
        write_project(backend.emit(scheduled), source, project)
        verify_project(project, source).raise_if_failed()


@pytest.mark.parametrize(("bits", "least", "most"), [(8, -128, 127), (9, -255, 255)])
def test_all_pairs_of_products(bits: int, least: int, most: int, tmp_path: Path) -> None:
    functions = OperatorFunctions()
    function, kind = functions.packed_products(bits), product_type(bits)
    main = f"""
int main() {{
    for (int common = {least}; common <= {most}; common++)
        for (int first = {least}; first <= {most}; first++)
            for (int second = {least}; second <= {most}; second++) {{
                {kind} one, other;
                {function}(common, first, second, one, other);
                if (one != common * first || other != common * second)
                    return 1;
            }}
    return 0;
}}
"""
    source, built = tmp_path / "all.cpp", tmp_path / "all"
    source.write_text(f"#include <cstdint>\n#include <ap_int.h>\n{render(functions.items)}{main}")
    subprocess.run(["g++", "-O2", f"-I{TYPE_HEADERS}", source, "-o", built], check=True)
    assert subprocess.run([built], check=False).returncode == 0
