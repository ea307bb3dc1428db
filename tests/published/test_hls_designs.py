"""HLS C++ of others as networks: in each dialect as many cycles as what is known of the design."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import StreamoptError
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import Network, Place
from streamopt.sim import DeadlockError
from tests.support.hls_dialects import HEADERS, hida_atax, scalehls_mvt, stream_hls
from tests.support.nightly import in_nightly

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.published import PublishedDesign

TOP = Path(__file__).parents[2]
PUBLISHED = sorted((TOP / "results" / "published" / "designs").glob("*.json"))
GRAPHS = {path.stem: path for path in sorted((TOP / "graphs").glob("*/*.json"))}
FEW = ("gesummv-opt6", "atax-opt5", "bicg-opt1", "7mm_balanced-opt3")
CASES = [f"{name}-opt{number}" for name in GRAPHS for number in range(1, 7)]


def design_of(text: str, folder: Path, *scripts: tuple[str, str]) -> PublishedDesign:
    (folder / "kernel.cpp").write_text(HEADERS + text, encoding="utf-8")
    for name, script in scripts:
        (folder / name).write_text(script, encoding="utf-8")
    return so.load_design(folder)


def cycles_of(text: str, folder: Path) -> int:
    return so.evaluate_network(design_of(text, folder).network).trace.cycles


@pytest.mark.parametrize("case", in_nightly([*FEW, *(c for c in CASES if c not in FEW)], len(FEW)))
def test_projects_of_our_own_are_read_back(case: str, tmp_path: Path) -> None:
    name, _, level = case.rpartition("-")
    graph = GRAPHS[name]
    solution = so.solve(graph, level=level, dsp=256, time_limit=2)
    so.write(graph, solution.schedule, tmp_path / "project")
    built = so.evaluate(graph, solution.schedule)
    found = so.evaluate_network(so.load_design(tmp_path / "project").network)
    assert found.trace.cycles == built.trace.cycles
    if not any("_lines" in memory.name for memory in built.network.memories):
        dsps = found.resources.total.dsps  # of nests that run in turn, which share them
        assert dsps <= built.resources.total.dsps
        assert replace(built.resources.total, dsps=dsps) == found.resources.total


SOURCES = {
    path.stem: path
    for folder in ("tests/frontends/c/programs", "models/gallery")
    for path in sorted((TOP / folder).glob("*.c"))
}
NOT_ALIKE = {"delays"}  # copies of scalars are joined
OF_C = ("cholesky", "sobel", "lstm")


@pytest.mark.parametrize(
    "name", in_nightly([*OF_C, *sorted(SOURCES.keys() - NOT_ALIKE - {*OF_C})], len(OF_C))
)
def test_projects_of_programs_in_c_are_read_back(name: str, tmp_path: Path) -> None:
    graph = so.dataflow(so.load(SOURCES[name]))
    solution = so.solve(graph, level="opt5", dsp=200, time_limit=3)
    so.write(graph, solution.schedule, tmp_path / "project")
    built = so.evaluate(graph, solution.schedule)
    found = so.evaluate_network(so.load_design(tmp_path / "project").network)
    assert found.trace.cycles == built.trace.cycles
    if any(isinstance(node, SequentialNode) for node in graph.nodes):
        assert found.resources.total == built.resources.total
        source = tmp_path / "project" / f"{name}.cpp"
        source.write_text(source.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        with pytest.raises(StreamoptError, match=f"E150 {name}.cpp was edited"):
            so.load_design(tmp_path / "project")


@pytest.mark.parametrize("file", PUBLISHED, ids=lambda file: file.stem)
def test_stream_hls_prints_what_its_design_file_says(file: Path, tmp_path: Path) -> None:
    published = json.loads(file.read_text(encoding="utf-8"))
    script = ("run.tcl", "config_compile -unsafe_math_optimizations\n")
    text = stream_hls(published).removeprefix(HEADERS)
    found = so.evaluate_network(design_of(text, tmp_path, script).network)
    known = so.evaluate_network(so.load_design(file).network)
    assert found.trace.cycles == known.trace.cycles
    assert found.resources.total == known.resources.total
    assert found.trace.cycles == pytest.approx(published["rtl_cycles"], rel=0.004)


@pytest.mark.parametrize(
    ("source", "rtl_cycles", "dsps"), [(hida_atax, 13402, 155), (scalehls_mvt, 15076, 112)]
)
def test_lanes_that_are_written_out_share_ports_and_units(
    source: Callable[[], str], rtl_cycles: int, dsps: int, tmp_path: Path
) -> None:
    found = so.evaluate_network(design_of(source(), tmp_path).network)
    assert found.trace.cycles == pytest.approx(rtl_cycles, rel=0.003)
    assert found.resources.total.dsps == pytest.approx(dsps, rel=0.13)


ALLO = """
extern "C" {
void stage(float a[20][30], float b[30][40], hls::stream< float > &c /* c[20][40] */) {\t// L2
  #pragma HLS stream variable=c depth=800
  l_S_i_0: for (int i = 0; i < 20; i++) {
    float row[40];
    l_init: for (int j = 0; j < 40; j++) {
    #pragma HLS pipeline II=1
      row[j] = 0.000000;
    }
    l_k: for (int k = 0; k < 30; k++) {
      for (int j = 0; j < 40; j++) {
      #pragma HLS pipeline II=1
        float t = row[j] + a[i][k] * b[k][j];
        row[j] = t;
      }
    }
    l_back: for (int j = 0; j < 40; j++) {
    #pragma HLS pipeline II=1
      c.write(row[j]);
    }
  }
}
void kernel(float v40[20*30], float b[30][40], float *v44) {
  #pragma HLS interface m_axi port=v40 offset=slave bundle=gmem0
  #pragma HLS dataflow
  float buf[20][30];
  for (int i = 0; i < 20; i++) {
    for (int j = 0; j < 30; j++) {
    #pragma HLS pipeline II=1
      buf[i][j] = v40[((i * 30) + j)];
    }
  }
  hls::stream< float > c("c");
  #pragma HLS stream variable=c depth=800
  stage(buf, b, c);
  for (int i = 0; i < 20; i++) {
    for (int j = 0; j < 40; j++) {
    #pragma HLS pipeline II=1
      v44[((i * 40) + j)] = c.read();
    }
  }
}
} // extern "C"
"""


def test_allo_copies_and_runs_nests_in_turn(tmp_path: Path) -> None:
    network = design_of(ALLO, tmp_path).network
    copy, stage, out = network.processes
    assert [len(process.pipelines) for process in (copy, stage, out)] == [1, 60, 1]
    places = {memory.name: (memory.place, memory.shape) for memory in network.memories}
    assert places["buf"] == (Place.PING_PONG, (20, 30))
    assert places["v44"] == (Place.ARGUMENT, (800,))
    assert places["stage.row"] == (Place.LOCAL, (40,))
    found = so.evaluate_network(network)
    work = 600 + 20 * (40 + 1200 + 40)
    assert work < found.trace.cycles < work + 20 * 60
    assert found.resources.total.dsps <= 6  # one nest's, however often it runs


BY_HAND = """
#define N 64
const int U = 4;
typedef float data_t;
static data_t scaled(data_t x) {
#pragma HLS inline
  return x * 2.0f;
}
void read(const data_t x[N], hls::stream<data_t> &s) {
read: for (int i = 0; i < N; ++i) {
#pragma HLS pipeline II = 1
    s << x[i];
  }
}
void work(hls::stream<data_t> &s, hls::stream<data_t> &t) {
  for (int i = 0; i <= N - 1; i++) {
#pragma HLS PIPELINE
    data_t v;
    s >> v;
    if (v > 0) v = scaled(v);
    t.write(v);
  }
}
void sums(hls::stream<data_t> &t, data_t y[N / U]) {
#pragma HLS ARRAY_PARTITION variable = y cyclic factor = U
  for (int i = 0; i < N / U; i++) {
#pragma HLS pipeline II = U
    data_t acc = 0;
    for (int u = 0; u < U; u++) acc += t.read();
    y[i] = acc;
  }
}
void top(const data_t x[N], data_t y[N / U]) {
#pragma HLS dataflow
  hls::stream<data_t, 8> s, t("t");
#pragma HLS stream variable=t depth=16
  read(x, s);
  work(s, t);
  sums(t, y);
}
"""


def test_hand_written_vitis_hls(tmp_path: Path) -> None:
    network = design_of(BY_HAND, tmp_path).network
    assert [process.name for process in network.processes] == ["read", "work", "sums"]
    assert {fifo.name: fifo.depth_elems for fifo in network.fifos} == {"s": 8, "t": 16}
    found = so.evaluate_network(network)
    assert {name: timed.timing.ii for name, timed in found.timed.items()} == {
        **{"read": 1, "work": 1},
        "sums": 4,
    }
    assert 64 < found.trace.cycles < 120


PARTIAL = """
void top(float x[100], float y[100]) {
  #pragma HLS array_partition variable=x cyclic factor=8
  #pragma HLS array_partition variable=y cyclic factor=8
  for (int i = 0; i < 100; i++) {
    #pragma HLS pipeline II=1
    #pragma HLS unroll factor=8
    y[i] = x[i] + 1.0f;
  }
}
"""


def test_loop_that_is_unrolled_in_part_has_lanes(tmp_path: Path) -> None:
    (pipeline,) = design_of(PARTIAL, tmp_path).network.pipelines
    assert (pipeline.iterations, pipeline.copies) == (13, 8)
    assert cycles_of(PARTIAL, tmp_path) < 13 + 15


def test_array_that_is_a_stream_is_a_fifo(tmp_path: Path) -> None:
    loop = "for (int i = 0; i < 32; i++) {{\n#pragma HLS pipeline\n{} }}\n"
    text = "void top(float x[32], float y[32]) {\n#pragma HLS dataflow\nfloat b[32];\n"
    text += "#pragma HLS stream variable=b depth=4\n"
    text += loop.format("b[i] = x[i];") + loop.format("y[i] = b[i];") + "}\n"
    (fifo,) = design_of(text, tmp_path).network.fifos
    assert (fifo.name, fifo.depth_elems) == ("b", 4)


def test_design_that_stands_still_is_told(tmp_path: Path) -> None:
    fork = """
void fork(float x[64], hls::stream<float> &a, hls::stream<float> &b) {
  for (int i = 0; i < 64; i++) {
    #pragma HLS pipeline
    a.write(x[i]);
  }
  for (int i = 0; i < 64; i++) {
    #pragma HLS pipeline
    b.write(x[i]);
  }
}
void join(hls::stream<float> &a, hls::stream<float> &b, float y[64]) {
  for (int i = 0; i < 64; i++) {
    #pragma HLS pipeline
    y[i] = a.read() + b.read();
  }
}
void top(float x[64], float y[64]) {
  #pragma HLS dataflow
  hls::stream<float, 2> a, b;
  fork(x, a, b);
  join(a, b, y);
}
"""
    with pytest.raises(DeadlockError, match="stands still"):
        cycles_of(fork, tmp_path)


LOOP = "for (int i = 0; i < 8; i++) {{\n#pragma HLS pipeline\n{}\n}}"


@pytest.mark.parametrize(
    ("body", "code", "line", "words"),
    [
        (LOOP.format("y[x[i] > 0 ? i : 0] = 1;"), "E136", 3, "not affine"),
        (LOOP.format("y[i * i] = 1;"), "E136", 3, "not affine"),
        (LOOP.format("y[i] = mystery(x[i]);"), "E135", 3, "'mystery' is not known"),
        (LOOP.format("y[i] = z[i];"), "E137", 3, "'z' is not declared"),
        (LOOP.format("y[i][0] = 1;"), "E138", 3, "1 dimensions, not 2"),
        (LOOP.format("*(y + i) = 1;"), "E135", 3, "by its name"),
        (LOOP.format("while (i) { }"), "E135", 3, "While"),
        ("for (int i = 0; i < n; i++) { y[i] = 1; }", "E136", 1, "bounds"),
        ("float t[n];\n" + LOOP.format("y[i] = x[i];"), "E134", 1, "extent of 't'"),
        ("hls::stream<float> s;\n" + LOOP.format("y[i] = s.empty();"), "E135", 4, ".empty()"),
        ("for (int i = 0; i < 8; i++) {\n#pragma HLS dataflow\nf(x); }", "E149", 1, "overlap"),
        ("return;", "E149", 0, "no loops"),
        (
            "for (int i = 0; i < 9000; i++) { " + LOOP.format("y[i] = 0;") + " y[0] = 1; }",
            "E149",
            1,
            "9000",
        ),
        ("if (x[0] > 0) { " + LOOP.format("y[i] = 0;") + " }", "E136", 1, "not known"),
        (LOOP.replace("8", "99999999999").format("y[0] = 0;"), "E139", 2, "more than"),
        ("y[0] = x[0", "E132", 2, "unexpected"),
    ],
)
def test_designs_that_are_not_read(
    body: str, code: str, line: int, words: str, tmp_path: Path
) -> None:
    head = "void top(float x[8], float y[8], int n) {\n"
    with pytest.raises(StreamoptError, match=words.replace("9000", "runs of loops")) as raised:
        design_of(head + body + "\n}\n", tmp_path)
    (first, *_) = raised.value.diagnostics
    assert first.code == code
    assert first.loc is not None
    if line:
        assert first.loc.line == line + HEADERS.count("\n") + 1


def test_top_function_and_measurements_come_from_the_folder(tmp_path: Path) -> None:
    text = "void other(float a[4]) { for (int i = 0; i < 4; i++) a[i] = 1; }\n"
    text += "void top(float a[4]) { for (int i = 0; i < 4; i++) a[i] = 2; }\n"
    with pytest.raises(StreamoptError, match="several functions"):
        design_of(text, tmp_path)
    assert so.load_design(f"{tmp_path}:other").kernel == "other"
    report = tmp_path / "prj" / "solution1" / "sim" / "report"
    report.mkdir(parents=True)
    row = "|   Verilog|      Pass|   {}|   {}|   {}|   NA|   NA|   NA|   17|\n"
    (report / "top_cosim.rpt").write_text(row.format(15, 16, 17), encoding="utf-8")
    (tmp_path / "host.cpp").write_text("int main() { return 0; }\n", encoding="utf-8")
    found = design_of(text, tmp_path, ("run.tcl", "set_top top\n"))
    assert (found.kernel, found.measured.rtl_cycles) == ("top", 17)


@pytest.mark.parametrize("data", [b"", b"\0\1\2", b"\xff" * 3000, b"{" * 5000, b"void f(" * 900])
def test_rubbish_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_bytes(data)
    with pytest.raises(StreamoptError):
        so.load_design(tmp_path)


def test_folders_without_one_source_are_refused(tmp_path: Path) -> None:
    with pytest.raises(StreamoptError, match="no HLS C"):
        so.load_design(tmp_path)
    (tmp_path / "a.h").write_text('#include "a.h"\n', encoding="utf-8")
    (tmp_path / "a.cpp").write_text('#include "a.h"\n', encoding="utf-8")
    with pytest.raises(StreamoptError, match="by itself"):
        so.load_design(tmp_path)


def test_pieces_of_designs_are_refused_not_crashed_on(tmp_path: Path) -> None:
    for text in (ALLO, BY_HAND, scalehls_mvt()[:6000]):
        for end in range(0, len(text), len(text) // 9):
            for piece in (text[:end], text[:end] + text[end + 7 :]):
                try:
                    found = design_of(piece, tmp_path).network
                except StreamoptError:
                    continue
                assert isinstance(found, Network)
