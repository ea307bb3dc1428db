"""Tables: weights that are in the design, in memories that nobody writes."""

import shutil
from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import CodegenError
from streamopt.rtl.emission.tables import table_words
from streamopt.rtl.kernel.banks import built_network
from tests.support.programs.sketches import scheduled
from tests.support.programs.tables import PROGRAM, VALUES

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
SCHEDULE = scheduled(
    PROGRAM,
    {"mm": "k i j", "row": "j k"},
    {"mm": "j 3, k 2", "act": "j 3", "row": "k 2, j 4"},
).schedule


@needs_verilator
@pytest.mark.slow
def test_design_with_tables_computes_the_same(tmp_path: Path) -> None:
    """Two processes read one table, one of them from banks that have an address each."""
    graph = so.dataflow(PROGRAM)
    ports = so.plan_ports(graph, "axis", ports={"weights": "rom"})
    schedule = so.put_outside(graph, SCHEDULE, ports)
    so.write(PROGRAM, schedule, tmp_path / "project", backend="rtl")
    verdict = so.verify(tmp_path / "project", frames=2)
    assert verdict.passed, str(verdict)
    assert verdict.measured_ends == verdict.simulated_ends


def test_words_of_a_table_are_its_elements_bank_by_bank() -> None:
    graph = so.dataflow(PROGRAM)
    ports = so.plan_ports(graph, ports={"weights": "rom"})
    applied = so.apply(graph, so.put_outside(graph, SCHEDULE, ports))
    network = built_network(applied)
    (factors,) = (memory.factors for memory in network.memories if memory.name == "f")
    words = table_words(applied.graph, network)["f"]
    assert len(words) == -(-9 // factors[0])
    found = [words[at // factors[0]] >> 12 * (at % factors[0]) & 4095 for at in range(9)]
    assert found == [int(value * 512) & 4095 for value in VALUES["f"]]


def test_resident_weights_are_refused() -> None:
    graph = so.dataflow(PROGRAM)
    ports = so.plan_ports(graph, ports={"weights": "resident"})
    with pytest.raises(CodegenError, match="E640 array 'B' is resident"):
        so.emit(graph, so.put_outside(graph, SCHEDULE, ports), backend="rtl")
