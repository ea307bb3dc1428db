"""Products of narrow integers, two in a DSP: right, as fast as simulated, and as many as paid."""

import shutil
from pathlib import Path
from random import Random

import pytest

import streamopt as so
from streamopt.evaluation.verilog_facts import built_pipelines
from streamopt.ir.graph import Graph
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import Schedule
from streamopt.perf.resources.network import resources
from streamopt.pipeline.evaluating import verilog_ends
from streamopt.space.assemble import assemble
from streamopt.verification.csim.separate_modules import instance_counts
from tests.support.nightly import in_nightly
from tests.support.programs.sketches import program

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
PACKED = ((Operator.MUL, Implementation.PACKED),)
FACTORS = (
    ("int8_t", "int8_t", "x[i][k]"),
    ("uint8_t", "int8_t", "x[i][k]"),
    ("uint8_t", "uint8_t", "x[i][k]"),
    ("int8_t", "uint8_t", "(x[i][k] if k > 1 else 7)"),
    ("uint8_t", "int8_t", "(x[i][k] - z[k])"),
)
DESIGNS = 40


def packed_design(seed: int) -> tuple[Graph, Schedule]:
    """Return a product of matrices, with lanes and an interval by chance."""
    rng = Random(seed)
    extents = [rng.randint(2, 7) for _ in "ijk"]
    i, j, k = extents
    left, right, factor = FACTORS[seed % len(FACTORS)]
    arrays = {"x": f"input {i} {k} {left}", "w": f"weight {k} {j} {right}",
              "z": f"input {k} uint8_t", "y": f"output {i} {j} int32_t"}  # fmt: skip
    if "z" not in factor:
        del arrays["z"]
    text = f"i {i}, j {j}, k {k}: y[i][j] += {factor} * w[k][j]"
    graph = so.dataflow(program(arrays, {"sums": text}, name="sums"))
    order = rng.choice(["ijk", "jik", "ikj", "kij"])
    factors = [rng.choice([1, 2, 3, extent]) for extent in extents]
    factors = [min(own, extent) for own, extent in zip(factors, extents, strict=True)]
    intervals = {"sums": rng.choice([1, 1, 2, 3])}
    return graph, assemble(
        graph, {"sums": tuple(order)}, {"sums": factors}, {"sums": PACKED}, target_iis=intervals
    )


@needs_verilator
@pytest.mark.slow
@pytest.mark.parametrize("seed", in_nightly(range(DESIGNS), 2))
def test_two_products_in_a_dsp(seed: int, tmp_path: Path) -> None:
    graph, schedule = packed_design(seed)
    so.write(graph, schedule, tmp_path, backend="rtl")
    verdict = so.verify(tmp_path)
    assert verdict.passed, str(verdict)
    assert verdict.measured_ends == verilog_ends(graph, schedule)
    counts = instance_counts([path.read_text() for path in tmp_path.glob("*.v")], "sums")
    on = so.device("u280", operators="open")
    built = built_pipelines(so.apply(graph, schedule), on)
    paid = resources(built.network, built.timings, on).total.dsps
    assert paid == sum(count for name, count in counts.items() if name.startswith("mul_"))


@pytest.mark.parametrize(("device", "halves"), [("u280", True), ("ulx3s", False)])
def test_opt6_pays_half_where_a_dsp_has_room_for_two(device: str, halves: bool) -> None:
    arrays = {"x": "input 32 32 int8_t", "w": "weight 32 32 int8_t", "y": "output 32 32 int32_t"}
    text = "i 32, j 32, k 32: y[i][j] += x[i][k] * w[k][j]"
    graph = so.dataflow(program(arrays, {"sums": text}))
    on = so.Budget(device=so.device(device, operators="open"))
    own = so.solve(graph, level="opt6", dsp=32, budget=on)
    assert own.evaluation is not None
    assert own.evaluation.is_buildable
    assert own.evaluation.resources.total.dsps <= 32
    assert (own.latency_cycles < 32**2) is halves
    assert so.record(own)["roofline_cycles"] == (32**2 // 2 if halves else 32**2)
