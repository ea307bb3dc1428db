"""Emit, compile, run, compare: designs of every channel kind against their source programs."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from streamopt.codegen.backends.vitis import emit
from streamopt.errors import VerificationError
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import ChannelKind
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize
from streamopt.verification.project import write_project
from streamopt.verification.verify import verify_project
from tests.support.programs.sketches import all_legal_fifos, plans, program, scheduled

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.codegen.design import Design
    from streamopt.ir.program import Program
    from streamopt.ir.scheduled import ScheduledGraph
    from streamopt.verification.compare import DesignVerdict


def verdict_of(design: Design, source: Program, directory: Path) -> DesignVerdict:
    write_project(design, source, directory / "project")
    return verify_project(directory / "project", source)


def check_design(graph: ScheduledGraph, source: Program, directory: Path) -> None:
    verdict = verdict_of(emit(graph), source, directory)
    verdict.raise_if_failed()
    assert verdict.passed


CHAIN = program(
    {
        "A": "input 6 8", "B": "input 8 10", "C": "input 10 4", "D": "input 4 12",
        "E": "internal 6 10", "F": "internal 6 4", "G": "output 6 12",
    },
    {
        "mm1": "i 6, j 10, k 8: E[i][j] += A[i][k] * B[k][j]",
        "mm2": "i 6, j 4, k 10: F[i][j] += E[i][k] * C[k][j]",
        "mm3": "i 6, j 12, k 4: G[i][j] += F[i][k] * D[k][j]",
    },
    name="3mm",
)  # fmt: skip


@pytest.mark.parametrize(
    ("orders", "unroll", "ping_pong"),
    [
        ({}, {}, ()),
        ({"mm1": "k i j", "mm2": "i j k", "mm3": "i k j"}, {}, ()),
        (
            {"mm1": "i k j", "mm2": "k j i", "mm3": "k j i"},
            {"mm1": "i 3, j 5, k 2", "mm2": "i 3, j 2, k 5", "mm3": "i 3, j 4, k 2"},
            ("E",),
        ),
        (
            {"mm1": "i k j", "mm2": "i k j", "mm3": "j i k"},
            {"mm1": "i 6, j 10, k 8", "mm2": "i 6, j 4, k 10", "mm3": "i 6, k 4"},
            (),
        ),
        ({"mm1": "j i k"}, {"mm3": "i 2"}, ("E", "F")),
    ],
    ids=["naive", "permuted", "unrolled", "fully unrolled", "mismatch"],
)
def test_matmul_chain(
    orders: dict[str, str], unroll: dict[str, str], ping_pong: tuple[str, ...], tmp_path: Path
) -> None:
    check_design(scheduled(CHAIN, orders, unroll, ping_pong), CHAIN, tmp_path)


def test_bound_operators(tmp_path: Path) -> None:
    graph = scheduled(CHAIN, {"mm1": "k i j"}, {"mm3": "j 4"})
    bound = tuple((operator, Implementation.FABRIC) for operator in (Operator.ADD, Operator.MUL))
    nodes = tuple(replace(plan, binding=bound) for plan in graph.schedule.nodes)
    design = emit(apply(graph.graph, replace(graph.schedule, nodes=nodes)))
    verdict = verdict_of(design, CHAIN, tmp_path)
    verdict.raise_if_failed()
    assert "total = fadd_fabric(" in design.text("kernel_3mm.cpp")


FORK = program(
    {
        "x": "input 4 6", "W": "weight 6 6", "b": "weight 6",
        "h": "internal 4 6", "r": "output 4 6", "t": "internal 6 4", "y": "output 4 6",
    },
    {
        "gemm": "i 4, j 6, k 6: h[i][j] += x[i][k] * W[k][j]",
        "act": "i 4, j 6: r[i][j] = max(h[i][j] + b[j], 0)",
        "turn": "i 6, j 4: t[i][j] = h[j][i] * 2 - 1",
        "bypass": "i 4, j 6: y[i][j] = r[i][j] - t[j][i] + h[i][j]",
    },
)  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_fork_bypass_and_transposed_reads_under_random_schedules(seed: int, tmp_path: Path) -> None:
    choose = random.Random(seed)
    graph = canonicalize(FORK)
    if seed == 0:  # walk h by columns everywhere, t by rows: all are FIFOs
        orders = {"gemm": "j i k", "act": "j i", "turn": "i j", "bypass": "j i"}
        unroll = {"gemm": "i 2, j 3, k 2", "act": "i 2, j 3", "turn": "i 3, j 2"}
        nodes = plans(graph, orders, unroll | {"bypass": "i 2, j 3"})
        assert all(c.kind is ChannelKind.FIFO for c in all_legal_fifos(graph, nodes).channels)
    else:
        orders = {
            n.name: " ".join(choose.sample([*n.trip_counts], len(n.loops))) for n in graph.nodes
        }
        unroll = {
            node.name: ",".join(
                f"{loop.name} {choose.choice([1, 1, 2, loop.trip_count])}" for loop in node.loops
            )
            for node in graph.nodes
        }
        nodes = plans(graph, orders, unroll)
    check_design(all_legal_fifos(graph, nodes), FORK, tmp_path)


SPLIT = program(
    {"A": "input 4 6", "B": "weight 6 8", "h": "internal 4 6", "y": "output 32"},
    {
        "more": "i 4, k 6: h[i][k] = A[i][k] + 1",
        "gemm": "i 4, j 8, k 6: y[8 * i + j] += h[i][k] * B[k][j]",
    },
    name="split",
)


@pytest.mark.parametrize(
    ("order", "unroll", "declared"),
    [
        ("i j k", "i 2, j 4", ["h_local[2][6]", "y_acc[12]"]),
        ("i k j", "i 2", ["h_local[2][1]", "y_acc[16]"]),
        ("i k j", "i 3, k 4, j 3", ["h_local[3][4]", "y_acc[24]"]),
        ("i j k", "", ["h_local[1][6]", "y_acc[1]"]),
    ],
)
def test_buffers_hold_what_is_alive(
    order: str, unroll: str, declared: list[str], tmp_path: Path
) -> None:
    shared = ", ".join(part for part in unroll.split(", ") if part and not part.startswith("j"))
    built = scheduled(SPLIT, {"gemm": order}, {"gemm": unroll, "more": shared})
    text = emit(built).text("split.cpp")
    assert all(f"float {buffer}" in text for buffer in declared)
    check_design(built, SPLIT, tmp_path)


def test_two_writers_of_one_array_and_a_window(tmp_path: Path) -> None:
    conv = program(
        {
            "x": "input 1 2 6 6", "p": "internal 2 8 8", "K": "weight 3 2 3 3",
            "r": "internal 3 6 6", "y": "output 1 3 6 6", "q": "output 1 3 3 3",
        },
        {
            "pad_zero": "c 2, h 8, w 8: p[c][h][w] = 0",
            "pad_copy": "c 2, h 6, w 6: p[c][h + 1][w + 1] = x[0][c][h][w]",
            "conv": "o 3, h 6, w 6, c 2, u 3, v 3: "
            "r[o][h][w] += p[c][h + u][w + v] * K[o][c][u][v]",
            "act": "n 1, o 3, h 6, w 6: y[n][o][h][w] = max(r[o][h][w], 0)",
            "pool": "o 3, h 3, w 3, u 2, v 2: "
            "q[0][o][h][w] = max(q[0][o][h][w], y[0][o][2 * h + u][2 * w + v])",
        },
    )  # fmt: skip
    graph = scheduled(
        conv,
        {"conv": "u o h v w c", "act": "o n h w", "pool": "u h o w v"},
        {"conv": "h 2, v 3, w 2, c 2", "act": "h 2, w 2", "pool": "u 2, w 3", "pad_copy": "w 3"},
        ping_pong=("p__pad_zero__conv", "p__pad_copy__conv", "y"),
    )
    design = emit(graph)
    assert "static void pad_zero_pad_copy(" in design.text(
        "sketch_.cpp" if 0 else f"{design.top}.cpp"
    )
    check_design(graph, conv, tmp_path)


SOFTMAX = program(
    {
        "x": "input 5 8", "m": "internal 5", "e": "internal 5 8", "s": "internal 5",
        "y": "output 5 8", "g": "output 5 8",
    },
    {
        "peak": "i 5, j 8: m[i] = max(m[i], x[i][j])",
        "expo": "i 5, j 8: e[i][j] = exp(x[i][j] - m[i])",
        "add": "i 5, j 8: s[i] += e[i][j]",
        "div": "i 5, j 8: y[i][j] = e[i][j] / s[i]",
        "phi": "i 5, j 8: g[i][j] = 0.5 * x[i][j] * (1 + erf(x[i][j] * 0.70710678))",
    },
)  # fmt: skip

WIDE: dict[str, str] = dict.fromkeys(("peak", "expo", "add", "div"), "j 4")


@pytest.mark.parametrize(("unroll", "order"), [({}, "i j"), (WIDE, "j i")])
def test_softmax(unroll: dict[str, str], order: str, tmp_path: Path) -> None:
    orders = dict.fromkeys([*WIDE, "phi"], order)
    verdict = verdict_of(emit(scheduled(SOFTMAX, orders, unroll)), SOFTMAX, tmp_path)
    verdict.raise_if_failed()
    assert all(0 < output.max_ratio <= 1 for output in verdict.outputs)


def test_reshape_scalars_double_and_all_functions(tmp_path: Path) -> None:
    mixed = program(
        {
            "x": "input 3 8", "z": "internal 4 6", "v": "internal", "w": "internal",
            "d": "input 4 double", "y": "output 4 6", "f": "output 4 double", "n": "internal 1 4",
        },
        {
            "reshape": "i 4, j 6: z[i][j] = x[(6 * i + j) // 8][(6 * i + j) % 8]",
            "total": "i 4, j 6: v += z[i][j] * z[i][j]",
            "least": "i 4, j 6: w = min(w, z[i][j])",
            "row": "i 4: n[0][i] = d[i] * 0.1",
            "out": "i 4, j 6: y[i][j] = tanh(z[i][j]) / sqrt(v + 1) - abs(w) * n[0][i]",
            "wide": "i 4: f[i] = log(d[i]) + 0.1 * n[0][i] if n[0][i] < 0.5 else d[i] / 3",
        },
    )  # fmt: skip
    fifos = scheduled(
        mixed,
        {"out": "j i"},
        {"out": "i 2, j 3", "reshape": "i 2, j 3", "total": "i 2, j 3", "least": "i 2, j 3",
         "row": "i 2", "wide": "i 2"},
        ping_pong=("z__out",),
    )  # fmt: skip
    assert {c.lanes for c in fifos.channels if c.edge.array in ("v", "w", "n")} == {(), (1, 2)}
    check_design(fifos, mixed, tmp_path)


def test_names_that_cpp_does_not_allow(tmp_path: Path) -> None:
    awkward = program(
        {
            "y1": "input 4", "hls": "input 4", "NAN": "internal 4", "expf": "internal 4",
            "total": "internal 4", "main": "output 4",
        },
        {
            "read": "std 4: NAN[std] = exp(y1[std])",
            "fmaxf": "i_tile 4: expf[i_tile] = NAN[i_tile] * hls[i_tile]",
            "y0": "i 4, i_lane 4: total[i] += expf[i_lane] * expf[i]",
            "y1_2": "term 4: main[term] = max(total[term], y1[term])",
        },
        name="exp10",
    )  # fmt: skip
    graph = scheduled(awkward, {}, {"y0": "i 2, i_lane 2"}, ping_pong=("expf", "total"))
    check_design(graph, awkward, tmp_path)


def test_swapped_order_is_caught(tmp_path: Path) -> None:
    design = emit(scheduled(CHAIN))
    top = f"{design.top}.cpp"
    head, nest = design.text(top).split("// Node 'mm2'", 1)
    i, j = "for (int i = 0; i < 6; i++)", "for (int j = 0; j < 10; j++)"
    assert head.index(i) < head.index(j)
    swapped = head.replace(i, "@").replace(j, i).replace("@", j) + "// Node 'mm2'" + nest
    verdict = verdict_of(edited(design, top, swapped), CHAIN, tmp_path)
    assert not verdict.passed
    with pytest.raises(VerificationError, match=r"E709 design of '3mm' is wrong: FAIL G: 72 el"):
        verdict.raise_if_failed()


def edited(design: Design, path: str, text: str) -> Design:
    files = tuple((name, text if name == path else old) for name, old in design.files)
    assert files != design.files
    return replace(design, files=files)


@pytest.mark.parametrize(
    ("guard", "message"),
    [
        ("k == 7", r"E703 a process reads from an empty stream:\n.*from empty stream E\[0\]\[0\]"),
        ("k == 9", r"E703 a process reads from an empty stream:\n.*from empty stream F\[0\]\[0\]"),
        ("k == 3", r"E709 .*wrong, first G\[0\]\[0\]: got nan, expected"),
    ],
)
def test_missing_final_write_is_caught(guard: str, message: str, tmp_path: Path) -> None:
    design = emit(scheduled(CHAIN))
    top = f"{design.top}.cpp"
    text = design.text(top).replace(f"if ({guard})", "if (false)")
    with pytest.raises(VerificationError, match=rf"(?s){message}"):
        verdict_of(edited(design, top, text), CHAIN, tmp_path).raise_if_failed()


def test_element_left_in_a_stream_is_caught(tmp_path: Path) -> None:
    design = emit(scheduled(CHAIN))
    top = f"{design.top}.cpp"
    text = design.text(top).replace("F[0][0].read()", "0.0f")
    with pytest.raises(
        VerificationError, match=r"E703 a stream is not empty at the end:\n.*24 ele"
    ):
        verdict_of(edited(design, top, text), CHAIN, tmp_path)


def test_design_of_another_program_is_refused(tmp_path: Path) -> None:
    write_project(emit(scheduled(CHAIN)), CHAIN, tmp_path / "p")
    with pytest.raises(VerificationError, match=r"E707 the design returns G; .* outputs r, y"):
        verify_project(tmp_path / "p", FORK)
