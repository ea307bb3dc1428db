"""Designs of rewritten graphs, by schedules that name the rewrites, against the source programs."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.ir.schedule import ChannelKind
from streamopt.space.level import LEVELS, LevelName
from streamopt.transforms.rewrites import rewritten
from tests.support.certificate import certify
from tests.support.programs.sketches import program
from tests.support.random.windows import window_chain
from tests.support.window_schedules import PREFILLED, WINDOWS, window_schedule

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule

CHAIN = program(
    {"x": "input 2 6 6", "k": "weight 2 2 3 3", "l": "weight 2 2 3 3", "p": "internal 2 8 8",
     "t": "internal 2 6 6", "q": "internal 2 8 8", "y": "output 2 6 6"},
    {"fill1": "c 2, h 8, w 8: p[c][h][w] = 0",
     "copy1": "c 2, h 6, w 6: p[c][h + 1][w + 1] = x[c][h][w]",
     "conv1": "o 2, h 6, w 6, c 2, m 3, n 3: t[o][h][w] += p[c][h + m][w + n] * k[o][c][m][n]",
     "fill2": "c 2, h 8, w 8: q[c][h][w] = 0",
     "copy2": "c 2, h 6, w 6: q[c][h + 1][w + 1] = max(t[c][h][w], 0)",
     "conv2": "o 2, h 6, w 6, c 2, m 3, n 3: y[o][h][w] += q[c][h + m][w + n] * l[o][c][m][n]"},
    name="chain",
)  # fmt: skip
SHARED = program(
    {"A": "input 6 8", "w": "weight 8 8", "v": "internal 8 8", "t": "internal 6 8",
     "y": "output 6 8", "z": "output 6 8"},
    {"turn": "i 8, j 8: v[i][j] = w[j][i]",
     "one": "i 6, j 8, k 8: t[i][j] += A[i][k] * v[k][j]",
     "two": "i 6, j 8, k 8: y[i][j] += A[i][k] * v[j][k]",
     "sum": "i 6, j 8: z[i][j] = t[i][j] + A[i][j]"},
    name="shared",
)  # fmt: skip
HEADS = program(
    {"x": "input 4 8", "a": "weight 8 8", "b": "weight 8 8", "o": "weight 8 8",
     "q": "internal 4 8", "k": "internal 4 8", "s": "internal 2 4 4", "e": "internal 2 4 4",
     "n": "internal 2 4", "c": "internal 2 4 4", "f": "internal 4 8", "y": "output 4 8"},
    {"project_q": "i 4, j 8, m 8: q[i][j] += x[i][m] * a[m][j]",
     "project_k": "i 4, j 8, m 8: k[i][j] += x[i][m] * b[m][j]",
     "score": "h 2, i 4, j 4, d 4: s[h][i][j] += q[i][4 * h + d] * k[j][4 * h + d]",
     "weigh": "h 2, i 4, j 4: e[h][i][j] = exp(s[h][i][j] / 8)",
     "sum": "h 2, i 4, j 4: n[h][i] += e[h][i][j]",
     "context": "h 2, i 4, d 4, j 4: c[h][i][d] += e[h][i][j] / n[h][i] * k[j][4 * h + d]",
     "join": "i 4, j 8: f[i][j] = c[j / 4][i][j % 4]",
     "project": "i 4, j 8, m 8: y[i][j] += f[i][m] * o[m][j]"},
    name="heads",
)  # fmt: skip
FOLD = ("fold_padding", "fold_copies", "private_arguments")
KEEP = ("fold_borders", "fold_copies", "private_arguments")

SPLIT = ("split_loops", "fold_copies", "fold_pointwise", "private_arguments")


def solved(source: Program, level: str, names: tuple[str, ...]) -> Schedule:
    graph = rewritten(so.dataflow(source), names)
    found = so.solve(graph, level=level, dsp=120, space=so.Space(tiling_limit=1))
    return replace(found.schedule, rewrites=names)


@pytest.mark.parametrize(
    ("source", "level", "names"),
    [(CHAIN, "opt1", KEEP), (CHAIN, "opt5", FOLD), (SHARED, "opt1", FOLD), (SHARED, "opt5", KEEP),
     (HEADS, "opt5", SPLIT)],
    ids=["chain opt1", "chain opt5", "shared opt1", "shared opt5", "heads opt5"],
)  # fmt: skip
def test_design_computes_its_source(
    source: Program, level: str, names: tuple[str, ...], tmp_path: Path
) -> None:
    schedule = solved(source, level, names)
    so.write(source, schedule, tmp_path / "project")
    verdict = so.verify(tmp_path / "project")
    assert verdict.passed, str(verdict)
    assert so.load_schedule(tmp_path / "project" / "schedule.json") == schedule


def check_windows(
    source: Program, place: int, folder: Path, names: tuple[str, ...] = WINDOWS
) -> None:
    """Verify a design whose windows take from streams; ``place`` chooses among unroll factors."""
    graph = rewritten(so.dataflow(source), names)
    schedule = window_schedule(graph, place, names)
    windows = {(node.name, window.array) for node in graph.nodes for window in node.windows}
    taken_from = [e.channel for e in graph.edges if (e.consumer, e.array) in windows]
    assert taken_from
    assert all(schedule.channel(name).kind is ChannelKind.FIFO for name in taken_from)
    so.write(source, schedule, folder)
    verdict = so.verify(folder)
    assert verdict.passed, str(verdict)


@pytest.mark.parametrize("seed", range(4))
def test_windows_compute_their_source(seed: int, tmp_path: Path) -> None:
    check_windows(window_chain(Random(seed), layers=1 + seed % 3), seed, tmp_path / "project")


@pytest.mark.parametrize("seed", [0, 10])
def test_windows_compute_their_source_where_rows_come_before(seed: int, tmp_path: Path) -> None:
    check_windows(window_chain(Random(seed)), seed, tmp_path / "project", PREFILLED)


def test_windows_beside_each_other_and_other_streams(tmp_path: Path) -> None:
    above = "(a[c][h + m - 1][w] if h + m >= 1 and h + m < 7 else 0)"
    below = "(d[c][h + m - 2][w] if h + m >= 2 and h + m < 8 else 0)"
    source = program(
        {"x": "input 2 6 6", "a": "internal 2 6 6", "b": "internal 2 6 6", "d": "internal 2 6 6",
         "y": "output 2 6 6"},
        {"one": "c 2, h 6, w 6: a[c][h][w] = x[c][h][w] + 1",
         "two": "c 2, h 6, w 6: b[c][h][w] = x[c][h][w] * 2",
         "three": "c 2, h 6, w 6: d[c][h][w] = x[c][h][w] - 3",
         "all": f"c 2, h 6, w 6, m 3: y[c][h][w] += {above} * b[c][h][w] + {below}"},
    )  # fmt: skip
    check_windows(source, 1, tmp_path / "project")


def inside(*bounds: tuple[str, int]) -> str:
    return " and ".join(f"{at} >= 0 and {at} < {extent}" for at, extent in bounds)


@pytest.mark.parametrize(
    ("shape", "first", "loops", "place", "bounds"),
    [
        ("12", "i 12", "i 12, m 3", ("i + 2 * m - 3",), (12,)),
        ("4 5 6", "h 4, w 5, c 6", "h 4, w 5, c 6, k 2, m 3, n 3",
         ("h + k - 1", "w + m - 1", "c + n - 1"), (4, 5, 6)),
        ("3 4", "h 3, w 4", "h 3, w 4, m 5, n 7", ("h + m - 2", "w + n - 3"), (3, 4)),
    ],
    ids=["1-D dilated", "3-D", "kernel larger than the image"],
)  # fmt: skip
@pytest.mark.parametrize("lanes", [0, 1, 3])
def test_windows_of_other_shapes(
    shape: str,
    first: str,
    loops: str,
    place: tuple[str, ...],
    bounds: tuple[int, ...],
    lanes: int,
    tmp_path: Path,
) -> None:
    own = "".join(f"[{loop.split()[0]}]" for loop in first.split(", "))
    read = f"a{''.join(f'[{at}]' for at in place)}"
    guard = inside(*zip(place, bounds, strict=True))
    source = program(
        {"x": f"input {shape}", "a": f"internal {shape}", "y": f"output {shape}"},
        {"one": f"{first}: a{own} = x{own} + 1",
         "two": f"{loops}: y{own} += ({read} if {guard} else 0)"},
    )  # fmt: skip
    check_windows(source, lanes, tmp_path / "project")


@pytest.mark.parametrize(
    ("shape", "result", "loops", "place"),
    [
        ("17", "5", "i 5, m 3", ("3 * i + m",)),
        ("16", "8", "i 8", ("2 * i + 1",)),
        ("4 9", "4 3", "h 4, w 3, n 2", ("h", "3 * w + n")),
        ("3 9 7", "3 4 3", "c 3, h 4, w 3, m 3, n 3", ("c", "2 * h + m", "2 * w + n")),
        ("8 8 3", "4 4 3", "h 4, w 4, c 3, m 2, n 2", ("2 * h + m", "2 * w + n", "c")),
    ],
    ids=["filter", "every second", "columns", "overlapping", "pool"],
)
@pytest.mark.parametrize("lanes", [0, 1, 3])
def test_windows_that_move_by_several_elements(
    shape: str, result: str, loops: str, place: tuple[str, ...], lanes: int, tmp_path: Path
) -> None:
    names = [loop.split()[0] for loop in loops.split(", ")]
    own = "".join(f"[{name}]" for name in names[: len(place)])
    first = ", ".join(map(" ".join, zip(names, shape.split(), strict=False)))
    read = f"a{''.join(f'[{at}]' for at in place)}"
    update = "+=" if len(names) > len(place) else "="
    source = program(
        {"x": f"input {shape}", "a": f"internal {shape}", "y": f"output {result}"},
        {"one": f"{first}: a{own} = x{own} + 1", "two": f"{loops}: y{own} {update} {read}"},
    )
    check_windows(source, lanes, tmp_path / "project")


@pytest.mark.parametrize("names", [WINDOWS, PREFILLED], ids=["late", "before"])
@pytest.mark.parametrize("channels", [4, 9])
def test_elements_that_are_taken_apart(
    channels: int, names: tuple[str, ...], tmp_path: Path
) -> None:
    place = "2 * h + m - 1", "2 * w + n - 1"
    guard = inside((place[0], 6), (place[1], 8))
    source = program(
        {"x": f"input {channels} 6 8", "a": f"internal {channels} 6 8",
         "k": f"weight 20 {channels} 3 3", "y": "output 20 3 4"},
        {"one": f"c {channels}, h 6, w 8: a[c][h][w] = x[c][h][w] + 1",
         "two": f"o 20, h 3, w 4, c {channels}, m 3, n 3: y[o][h][w] += "
                f"(a[c][{place[0]}][{place[1]}] if {guard} else 0) * k[o][c][m][n]"},
    )  # fmt: skip
    check_windows(source, 0, tmp_path / "project", names)


def test_shortcuts_have_rows_of_their_own(tmp_path: Path) -> None:
    place = "2 * h + m - 1", "2 * w + n - 1"
    guard = inside((place[0], 8), (place[1], 8))
    source = program(
        {"x": "input 2 8 8", "a": "internal 2 8 8", "k": "weight 2 2 3 3", "l": "weight 2 2",
         "b": "internal 2 4 4", "s": "internal 2 4 4", "y": "output 2 4 4"},
        {"one": "c 2, h 8, w 8: a[c][h][w] = x[c][h][w] + 1",
         "wide": "o 2, h 4, w 4, c 2, m 3, n 3: b[o][h][w] += "
                 f"(a[c][{place[0]}][{place[1]}] if {guard} else 0) * k[o][c][m][n]",
         "narrow": "o 2, h 4, w 4, c 2: s[o][h][w] += a[c][2 * h][2 * w] * l[o][c]",
         "both": "o 2, h 4, w 4: y[o][h][w] = b[o][h][w] + s[o][h][w]"},
    )  # fmt: skip
    check_windows(source, 1, tmp_path / "project")


def test_every_stage_takes_the_graph_as_it_was() -> None:
    graph = so.dataflow(SHARED)
    schedule = solved(SHARED, "opt5", FOLD)
    names = [node.node.name for node in so.apply(graph, schedule).nodes]
    assert names == ["one", "two", "sum"]
    found = so.evaluate(graph, schedule)
    assert found.trace.cycles == so.simulate(graph, schedule).cycles
    assert {"A", "A_two", "A_sum", "w", "w_two"} <= {m.name for m in found.network.memories}
    again = certify(graph, schedule, level=LEVELS[LevelName.OPT5], dsp_limit=120, tiling_limit=1)
    assert not again.broken


def test_header_says_what_the_caller_fills_in() -> None:
    design = so.emit(so.dataflow(SHARED), solved(SHARED, "opt1", FOLD))
    assert "// The caller gives A_two the content of A." in design.text("shared.h")
    assert dict(design.copies) == {"A_two": "A", "A_sum": "A", "w_two": "w"}


def test_guarded_reads_are_guarded_ports() -> None:
    found = so.evaluate(so.dataflow(CHAIN), solved(CHAIN, "opt1", FOLD))
    (pipeline,) = (p for q in found.network.processes for p in q.pipelines if p.name == "conv1")
    guards = {port.target: port.guard for port in pipeline.ports if port.value.startswith("v")}
    assert guards["x"] is not None
    assert guards["k"] is None
