"""Kernels of scheduled graphs: stages, intervals, and what is refused. Nothing is printed."""

from pathlib import Path

import pytest

import streamopt as so
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.rtl.kernel.banks import built_network
from streamopt.rtl.kernel.kernel import (
    Computed,
    Fetched,
    Kernel,
    LanesCombined,
    Recalled,
    Received,
    Send,
)
from streamopt.rtl.kernel.making import make_kernels
from streamopt.rtl.operators.number_format import WholeFormat
from streamopt.space.assemble import assemble
from streamopt.target.device import find_device
from streamopt.transforms.lower import lower
from tests.support.programs.sketches import program

GRAPHS = Path(__file__).parents[3] / "graphs"
CHAIN = """
void chain(float A[12][16], float x[16], float y[12], float z[12]) {
    for (int i = 0; i < 12; i++) {
        y[i] = 0;
        for (int j = 0; j < 16; j++)
            y[i] += A[i][j] * x[j];
    }
    for (int i = 0; i < 12; i++)
        z[i] = 1.5f * y[i];
}
"""


def scheduled(graph: str, level: str, dsps: int) -> ScheduledGraph:
    found = so.dataflow(so.load(GRAPHS / graph))
    return so.apply(found, so.solve(found, level=level, dsp=dsps).schedule)


def kernels(of: ScheduledGraph) -> tuple[Kernel, ...]:
    return tuple(kernel for nests in make_kernels(of, built_network(of)) for kernel in nests)


def test_stages_of_a_matrix_vector_product() -> None:
    gemv = kernels(scheduled("polybench/gesummv.json", "opt5", 60))[0]
    at = {value.name: value.stage for value in gemv.values}
    assert (at["v0"], at["t0"], at["t1"], at["t2"]) == (2, 6, 21, 26)
    assert (gemv.ii, gemv.depth_cycles) == (1, 27)
    assert isinstance(gemv.value("t1").source, LanesCombined)
    assert at["before"] == at["t1"]


@pytest.mark.parametrize("name", ["gesummv", "mvt", "atax", "gemm"])
def test_never_longer_than_the_vendors_schedule(name: str) -> None:
    of = scheduled(f"polybench/{name}.json", "opt5", 60)
    vendors = pipeline_timings(lower(of), find_device("u280"))
    for kernel in kernels(of):
        timing = vendors[kernel.name]
        assert kernel.depth_cycles <= timing.depth_cycles
        assert kernel.ii <= timing.ii


def test_a_stream_that_is_used_again_is_kept() -> None:
    _, second = kernels(scheduled("polybench/atax.json", "opt5", 60))
    fresh, kept = second.value("v1.new").source, second.value("v1").source
    assert isinstance(fresh, Received)
    assert isinstance(kept, Recalled)
    assert kept.new == "v1.new"
    assert kept.when == fresh.when


def test_a_sum_in_haste_has_one_adder_on_its_way() -> None:
    of = scheduled("polybench/gesummv.json", "opt1", 60)
    gemv = kernels(of)[0]
    assert gemv.tiles[-1].name == "j"
    before = gemv.value("before").source
    assert isinstance(before, Recalled)
    assert before.new == "t1"
    assert gemv.ii == gemv.value("t1").stage - gemv.value("before").stage == 4


@pytest.mark.parametrize(
    ("value", "kinds"),
    [("1 * x[i]", []), ("x[i] / 1 - 0", []), ("(x[i] + x[i]) / 4", ["add", "mul"])],
)
def test_what_changes_no_number_takes_no_operator(value: str, kinds: list[str]) -> None:
    graph = so.dataflow(
        program({"x": "input 8", "y": "output 8"}, {"same": f"i 8: y[i] = {value}"})
    )
    own = kernels(so.apply(graph, assemble(graph, {"same": ("i",)}, {"same": (1,)})))[0]
    found = (value.source for value in own.values if isinstance(value.source, Computed))
    assert [source.leaf.name.split("_")[0] for source in found] == kinds


@pytest.mark.parametrize(("element", "bits"), [("int32_t", 18), ("int16_t", 16)])
def test_a_tree_of_whole_numbers_is_as_wide_as_its_sum(element: str, bits: int) -> None:
    """But no wider than the type: what doesn't fit into that wraps."""
    arrays = {"x": "input 5 4 int8_t", "w": "weight 4 int8_t", "y": f"output 5 {element}"}
    graph = so.dataflow(program(arrays, {"sums": "i 5, k 4: y[i] += x[i][k] * w[k]"}))
    (kernel,) = kernels(so.apply(graph, assemble(graph, {"sums": ("i", "k")}, {"sums": (1, 4)})))
    (tree,) = (v for v in kernel.values if isinstance(v.source, LanesCombined))
    assert tree.form == WholeFormat(bits)


def test_nests_of_one_process_have_kernels_of_their_own() -> None:
    of = scheduled("cnns/dwsconv_block.json", "opt5", 300)
    (fill, copy), *_ = make_kernels(of, built_network(of))
    assert [fill.name, copy.name] == ["depthwise_pad_fill", "depthwise_pad_copy"]
    sends = [send for send in (*fill.sends, *copy.sends) if isinstance(send, Send)]
    assert len(sends) == len(fill.sends) + len(copy.sends)
    assert len({send.target for send in sends}) == 1


def test_a_buffer_gets_the_banks_that_its_lanes_need() -> None:
    of = scheduled("cnns/dwsconv_block.json", "opt5", 2560)
    (buffer,) = (m for m in built_network(of).memories if m.name.startswith("depthwise_pad_fill_"))
    assert buffer.factors == (1, 1, 2, 7)
    depthwise = kernels(of)[2]
    source = depthwise.value("v0").source
    assert isinstance(source, Fetched)
    assert [dimension.turns for dimension in source.place.dimensions[2:]] == [
        (0, 1),
        tuple(range(7)),
    ]
