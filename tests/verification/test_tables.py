"""Arrays whose values are in the design: what is emitted, what it computes, what it takes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.errors import CodegenError, LegalityError
from streamopt.ir.network import Place
from streamopt.ir.ports import PortKind
from streamopt.perf.pipelines.ports import port_counts
from streamopt.transforms.lower import lower
from streamopt.verification.csim.running import compiled
from streamopt.verification.manifest import read_manifest
from streamopt.verification.verify import verify_compiled
from tests.support.programs.sketches import program, scheduled
from tests.support.programs.tables import BARE, PROGRAM, VALUES

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule

ON_CHIP = scheduled(
    PROGRAM,
    {"mm": "k i j", "row": "j k"},
    {"mm": "i 3, j 9, k 2", "act": "i 3, j 9", "row": "k 5, j 4"},
).schedule
TABLES = {"weights": "rom"}


@pytest.fixture
def source(tmp_path: Path) -> Program:
    """The program from its graph.json, with weights in a file."""
    so.save(PROGRAM, tmp_path / "layer.json")
    return so.load(tmp_path / "layer.json")


def with_tables(source: Program, kind: str = "memory") -> Schedule:
    graph = so.dataflow(source)
    return so.put_outside(graph, ON_CHIP, so.plan_ports(graph, kind, ports=TABLES))


@pytest.mark.parametrize(
    ("backend", "kind"), [("vitis", "memory"), ("native", "axis"), ("tapa", "m_axi")]
)
def test_design_with_tables_computes_the_same(
    backend: str, kind: str, source: Program, tmp_path: Path
) -> None:
    schedule = with_tables(source, kind)
    project = tmp_path / "project"
    design = so.write(source, schedule, project, backend=backend)
    assert so.emit(so.dataflow(source), schedule, backend=backend) == design
    assert {*read_manifest(project).ports} == {"A", "D", "E", "F"}
    assert not (project / "data/B.bin").exists()
    kernel = design.text("layer.cpp")
    assert kernel.count("static const float B[10][9] = STREAMOPT_LAYER_VALUES_B;") == 2
    assert "B" not in design.text("layer.h").split("void")[1]
    with compiled(project, read_manifest(project).sources) as program:
        assert program.warnings == ""
        verify_compiled(program, source).raise_if_failed()
        other = replace(source, values={**VALUES, "B": -VALUES["B"]})
        assert not verify_compiled(program, other).passed


def test_tables_are_split_where_they_are_defined() -> None:
    text = so.emit(so.dataflow(PROGRAM), with_tables(PROGRAM)).text("layer.cpp")
    for name in ("mm", "row"):
        body = text.split(f"static void {name}(")[1].split("\n}")[0]
        for dimension, factor in ((1, 5), (2, 9)):
            split = f"variable=B type=cyclic factor={factor} dim={dimension}\n"
            assert f"#pragma HLS array_partition {split}" in body
    assert text.count("variable=B ") == 4


def test_values_are_exactly_those_of_the_program() -> None:
    header = so.emit(so.dataflow(PROGRAM), with_tables(PROGRAM)).text("layer_tables.h")
    for name, values in VALUES.items():
        text = header.split(f"VALUES_{name} \\\n")[1].split("\n\n")[0]
        text = re.sub(r"half\(|ap_fixed<[^>]*>\(|[\\)\n]", "", text)
        numbers = re.findall(r"-?\d[\d.e+-]*", text)
        found = np.array([float(number) for number in numbers], values.dtype)
        np.testing.assert_array_equal(found.reshape(values.shape), values)
        assert text.count("{") == text.count("}") == (11 if name == "B" else 1)


def test_whole_and_infinite_numbers() -> None:
    wide = program(
        {"x": "input 3", "w": "weight 3 int64_t", "h": "weight 3", "y": "output 3"},
        {"n": "i 3: y[i] = x[i] * h[i] + w[i]"},
    )
    infinite = np.array([np.inf, -np.inf, 1e-45], np.float32)
    graph = so.dataflow(replace(wide, values={"w": np.array([2**62, -1, 0]), "h": infinite}))
    schedule = scheduled(wide, {}, {}).schedule
    put = so.put_outside(graph, schedule, so.plan_ports(graph, ports=TABLES))
    header = so.emit(graph, put).text("sketch_tables.h")
    assert "{INT64_C(4611686018427387904), INT64_C(-1), INT64_C(0)}" in header
    assert "{INFINITY, -INFINITY, 1e-45f}" in header
    broken = replace(graph, values={**graph.values, "h": np.array([np.nan, 0, 0])})
    with pytest.raises(CodegenError, match="E606 h has the value nan, which is no float"):
        so.emit(broken, put)


def test_what_has_no_values_or_is_written_is_no_table() -> None:
    graph = so.dataflow(PROGRAM)
    for name, why in (("A", "its values are not known"), ("D", "the design writes it")):
        ports = so.plan_ports(graph, ports={name: "rom"})
        with pytest.raises(LegalityError, match=rf"E334 {name} can't be a table \(rom\): {why}"):
            so.put_outside(graph, ON_CHIP, ports)
        with pytest.raises(LegalityError, match="E334"):
            so.solve(graph, level="opt1", space=so.Space(ports=ports))
    with pytest.raises(LegalityError, match="E334 B"):
        so.apply(so.dataflow(BARE), with_tables(PROGRAM))


def test_each_process_has_a_table_with_ports_of_its_own() -> None:
    graph = so.dataflow(PROGRAM)
    put = with_tables(PROGRAM)
    network = lower(so.apply(graph, put))
    places = {memory.name: memory.place for memory in network.memories}
    assert (places["B"], places["A"]) == (Place.ROM, Place.ARGUMENT)
    assert (port_counts(network)["B"], port_counts(network)["A"]) == (2, 2)
    before = port_counts(lower(so.apply(graph, ON_CHIP)))
    assert before["B"] == 1
    assert so.simulate(graph, put).cycles <= so.simulate(graph, ON_CHIP).cycles


def test_a_table_takes_block_rams_once() -> None:
    """4096 floats are 8 block RAMs; as an argument they are somewhere else."""
    large = program(
        {"x": "input 4096", "w": "weight 4096", "y": "output 4096"},
        {"n": "i 4096: y[i] = x[i] * w[i]"},
    )
    graph = so.dataflow(replace(large, values={"w": np.ones(4096, np.float32)}))
    schedule = scheduled(large, {}, {}).schedule
    put = so.put_outside(graph, schedule, so.plan_ports(graph, ports=TABLES))
    assert so.evaluate(graph, schedule).resources.total.bram18 == 0
    taken = so.evaluate(graph, put).resources.total
    assert (taken.bram18, taken.uram) == (8, 0)


@pytest.mark.parametrize("level", ["opt5", "opt6"])
def test_tables_are_kept_by_every_search(level: str) -> None:
    """Within limits too; at opt6 copies that a form makes of a weight are tables like it."""
    graph = so.dataflow(PROGRAM)
    ports = so.plan_ports(graph, ports=TABLES)
    found = so.solve(
        graph, level=level, dsp=80, space=so.Space(ports=ports), budget=so.Budget(bram18=100)
    )
    kinds = {port.array: port.kind for port in found.schedule.ports}
    planned = so.apply(graph, found.schedule).graph
    for array in planned.arrays:
        if array.role.value == "weight":
            assert kinds[array.name] is PortKind.ROM
    assert {name for name, _ in so.emit(graph, found.schedule).ports} == {"A", "D", "E", "F"}
