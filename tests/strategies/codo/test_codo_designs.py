"""CODO as a strategy: its scheduler's stages, its fallbacks, and that its designs are right."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import streamopt as so
from streamopt.errors import StrategyError
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import ChannelKind
from streamopt.pipeline.rivals import RivalDesign, design
from streamopt.strategies.codo import design as codo
from streamopt.strategies.codo.exploration import allocated, downscaled, upscaled
from streamopt.strategies.rival import RivalRequest
from streamopt.transforms.apply import apply
from streamopt.transforms.rewrites import rewritten
from tests.support.programs.sketches import program
from tests.support.random.windows import window_chain

TOP = Path(__file__).parents[3]
DEVICE = so.device("u280")

CONFLICT = program(
    {"a": "input 16 2", "b": "weight 2 64", "x": "internal 16 64", "y": "internal 16 64",
     "s": "output 16"},
    {"first": "i 16, j 64, k 2: x[i][j] += a[i][k] * b[k][j]",
     "between": "i 16, j 64: y[i][j] = max(x[i][j], 0)",
     "last": "i 16, j 64: s[i] += y[i][j]"},
    name="conflict",
)  # fmt: skip
PADDED = program(
    {"x": "input 2 6 6", "k": "weight 2 2 3 3", "l": "weight 2 2 3 3", "p": "internal 2 8 8",
     "t": "internal 2 6 6", "q": "internal 2 8 8", "y": "output 2 6 6"},
    {"fill1": "c 2, h 8, w 8: p[c][h][w] = 0",
     "copy1": "c 2, h 6, w 6: p[c][h + 1][w + 1] = x[c][h][w]",
     "conv1": "o 2, h 6, w 6, c 2, m 3, n 3: t[o][h][w] += p[c][h + m][w + n] * k[o][c][m][n]",
     "fill2": "c 2, h 8, w 8: q[c][h][w] = 0",
     "copy2": "c 2, h 6, w 6: q[c][h + 1][w + 1] = max(t[c][h][w], 0)",
     "conv2": "o 2, h 6, w 6, c 2, m 3, n 3: y[o][h][w] += q[c][h + m][w + n] * l[o][c][m][n]"},
    name="padded",
)  # fmt: skip
CROSSED = program(
    {"a": "input 8 8", "b": "weight 8 8", "x": "internal 8 8", "z": "output 8 8"},
    {"first": "i 8, j 8, k 8: x[i][j] += a[i][k] * b[k][j]",
     "last": "i 8, j 8: z[i][j] = x[i][j] + x[j][i]"},
    name="crossed",
)  # fmt: skip


def kinds(found: RivalDesign) -> dict[str, ChannelKind]:
    return {plan.channel: plan.kind for plan in found.schedule.channels}


def test_allocation_is_in_proportion_and_keeps_the_cap() -> None:
    assert allocated({"a": 4000, "b": 1000, "c": 10}, 64) == {"a": 64, "b": 16, "c": 1}


def test_upscaling_takes_nests_n_times_as_long_as_the_fastest() -> None:
    degrees = {"a": 4, "b": 4, "c": 4, "d": 1}
    cycles = {"a": 1000, "b": 1799, "c": 1800, "d": 9999}
    assert upscaled(degrees, cycles, ("a", "b", "c"), 64) == degrees | {"c": 8}
    assert upscaled(degrees, cycles | {"c": 5401}, ("a", "b", "c"), 64) == degrees | {"c": 16}
    assert upscaled(degrees, cycles, ("a", "b", "c"), 6) == degrees | {"c": 6}


def test_downscaling_takes_nests_n_times_as_fast_as_the_longest() -> None:
    degrees = {"a": 18, "b": 18, "c": 18}
    cycles = {"a": 1800, "b": 1001, "c": 1000}
    assert downscaled(degrees, cycles) == degrees | {"c": 10}


def test_conflicting_strategies_get_a_ping_pong_buffer() -> None:
    found = design(so.dataflow(CONFLICT), "codo", dsp=1500, fifos=None)
    assert kinds(found) == {"x": ChannelKind.FIFO, "y": ChannelKind.PING_PONG}
    assert any("conflict with the strategy of last" in step.what for step in found.answer.steps)


def test_an_order_that_no_permutation_gives_has_a_ping_pong_buffer() -> None:
    found = design(so.dataflow(CROSSED), "codo", dsp=300, fifos=None)
    assert kinds(found) == {"x": ChannelKind.PING_PONG}


def test_padding_is_gone_and_windows_stream() -> None:
    graph = so.dataflow(PADDED)
    found = design(graph, "codo", dsp=150, fifos=None)
    assert found.schedule.rewrites == ("fold_borders", "stream_windows")
    assert set(kinds(found).values()) == {ChannelKind.FIFO}
    steps = [step.what for step in found.answer.steps if step.stage == "reuse buffers"]
    assert steps == [
        "conv1 keeps 2x3x6 of p, of which it sees 2x3x3 at once",
        "conv2 keeps 2x3x6 of q, of which it sees 2x3x3 at once",
    ]


def test_a_large_limit_is_faster_and_a_small_one_is_kept() -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / "polybench" / "2mm.json"))
    cycles: list[int] = []
    for limit in (60, 240, 960):
        found = codo(RivalRequest(graph, limit, DEVICE))
        assert found.estimated_dsps is not None
        assert found.estimated_dsps <= limit
        assert found == codo(RivalRequest(graph, limit, DEVICE))
        cycles.append(found.estimated_cycles or 0)
    assert cycles[0] > 3 * cycles[1] > 9 * cycles[2]


def test_too_few_dsps_are_refused() -> None:
    graph = so.dataflow(so.load(TOP / "graphs" / "polybench" / "gemm.json"))
    with pytest.raises(StrategyError, match="E551 gemm needs 13 DSPs with one lane a nest"):
        codo(RivalRequest(graph, 4, DEVICE))


def test_a_graph_without_nests_is_refused() -> None:
    with pytest.raises(StrategyError, match="E550 empty has no nest"):
        codo(RivalRequest(Graph("empty", (), (), ()), 100, DEVICE))


@pytest.mark.parametrize("seed", range(12))
def test_designs_of_window_chains_are_legal_and_run(seed: int) -> None:
    rng = Random(seed)
    graph = so.dataflow(window_chain(rng, rng.choice([1, 2, 3])))
    found = design(graph, "codo", dsp=rng.choice([60, 200, 800]), fifos=None)
    assert apply(graph, found.schedule).graph == rewritten(graph, found.schedule.rewrites)
    assert found.evaluation.trace.cycles >= 1


@pytest.mark.parametrize("source", [PADDED, CROSSED], ids=lambda source: source.name)
def test_designs_compute_what_the_source_does(source: so.Program, tmp_path: Path) -> None:
    graph = so.dataflow(source)
    found = design(graph, "codo", dsp=200)
    so.write(source, found.schedule, tmp_path / "made")
    so.verify(tmp_path / "made").raise_if_failed()
