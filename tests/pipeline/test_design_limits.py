"""The part of a device that a design may take: `--fit`, its defaults and limits that are given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, OptionError
from streamopt.pipeline.design_limits import region, with_limits
from streamopt.space.decisions import SpaceOptions
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.problem import Problem, problem_with_ports
from streamopt.target.resources import Fit, Resources

GRAPHS = Path(__file__).parents[2] / "graphs"
U280 = so.device("u280")
FREE = so.Budget()
SLR, BOARD = U280.budget(Fit.SLR), U280.budget(Fit.BOARD)


def problem(level: LevelName, port: str = "", dsp: int = 2560) -> Problem:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "bicg.json"))
    asked = Problem(graph, SpaceOptions(LEVELS[level], dsp))
    ports = so.plan_ports(graph, port) if port else ()
    return problem_with_ports(asked, ports, U280)


def limits(
    budget: so.Budget = FREE, *, dsp: int = 2560, keeps_dsps: bool = False, port: str = ""
) -> Resources:
    asked = problem(LevelName.OPT6, port, dsp)
    return region(asked, budget, U280, keeps_dsps=keeps_dsps).limits


def test_opt6_has_the_shares_of_one_slr() -> None:
    assert Resources(dsps=2406, bram18=1075, uram=256, luts=304_192, ffs=434_560) == SLR
    assert limits() == limits(so.Budget(fit="slr")) == SLR


@pytest.mark.parametrize("port", ["m_axi", "axis"])
def test_a_port_off_the_chip_takes_the_board(port: str) -> None:
    assert limits(port=port) == limits(so.Budget(fit="board"), port=port) == BOARD
    assert limits(so.Budget(fit="slr"), port=port) == SLR


def test_arrays_on_the_chip_are_no_board() -> None:
    assert limits(port="memory") == SLR


def test_the_memory_channels_choose_the_region() -> None:
    beside_ddr = U280.floorplan.guideline.of(U280.floorplan.regions[1].left)
    found = limits(port="m_axi:DDR[1]")
    assert (found.luts, found.bram18) == (beside_ddr.luts, beside_ddr.bram18)
    assert limits(port="m_axi:HBM[3]") == BOARD


def test_what_is_given_replaces_a_default() -> None:
    free = limits(so.Budget(lut=400_000, bram18=2000, uram=300, ff=1))
    assert free == replace(SLR, luts=400_000, bram18=2000, uram=300, ffs=1)


def test_dsps_never_exceed_the_region() -> None:
    assert limits(dsp=2560, keeps_dsps=True).dsps == 2406
    assert limits(dsp=9024, keeps_dsps=True, port="m_axi").dsps == 1940
    assert limits(so.Budget(built_dsp=5000)).dsps == 2406
    assert limits(dsp=500, keeps_dsps=True).dsps == 500
    assert limits(so.Budget(built_dsp=400), dsp=500, keeps_dsps=True).dsps == 400


def test_of_a_part_and_a_limit_the_smaller_holds() -> None:
    assert limits(so.Budget(fit="slr", lut=400_000, bram18=10)) == replace(SLR, bram18=10)
    assert limits(so.Budget(fit="slr"), dsp=2560, keeps_dsps=True).dsps == 2406
    whole = limits(so.Budget(fit="raw-device", lut=700_000, bram18=3632), dsp=7575, keeps_dsps=True)
    assert whole == replace(U280.total, luts=700_000, bram18=3632, dsps=7575)
    assert limits(so.Budget(fit="raw")) == U280.slr


def test_lower_levels_have_no_region_unless_asked() -> None:
    asked = problem(LevelName.OPT5)
    assert with_limits(asked, so.Budget(), None, U280, keeps_dsps=False) == asked
    within = with_limits(asked, so.Budget(fit="slr"), None, U280, keeps_dsps=True)
    assert within.space.dsp_limit == 2406
    assert within.limits is not None
    assert within.limits.most == (2406, 1075, 256, 304_192, 434_560)
    lower = with_limits(asked, so.Budget(fit="slr", lut=9), None, U280, keeps_dsps=True)
    assert lower.limits is not None
    assert lower.limits.most == (2406, 1075, 256, 9, 434_560)


@pytest.mark.parametrize(
    ("budget", "named"),
    [
        (so.Budget(lut=0), "--lut is 0"),
        (so.Budget(ff=0), "--ff is 0"),
        (so.Budget(fit="slr", uram=-1), "--uram is -1"),
        (so.Budget(built_dsp=-5), "--built-dsp is -5"),
    ],
)
@pytest.mark.parametrize("level", ["opt5", "opt6"])
def test_a_limit_is_positive(budget: so.Budget, named: str, level: str) -> None:
    with pytest.raises(InfeasibleError, match=f"E402 {named}"):
        so.solve(GRAPHS / "polybench" / "bicg.json", level=level, budget=budget)


def test_a_design_may_do_without_memories() -> None:
    assert limits(so.Budget(bram18=0, uram=0)) == replace(SLR, bram18=0, uram=0)


def test_an_unknown_part_is_told_with_all_parts() -> None:
    with pytest.raises(OptionError, match=r"E543(.|\n)*slr, board, device, raw, raw-device"):
        so.Budget(fit="half")


@pytest.mark.parametrize(
    ("fit", "named", "luts"), [(None, "slr", 304_192), ("raw", "raw", 434_560)]
)
def test_rows_of_a_comparison_name_the_part(fit: str | None, named: str, luts: int) -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "gesummv.json"))
    (row,) = so.records(graph, so.Comparison(["opt6"], dsp=2560, time_limit=1, fit=fit))
    assert (row["fit"], row["dsp_limit"]) == (named, 2560)
    assert int(row["lut"]) <= luts


IN_PLACE = """
void sweep(double A[16][16]) {
  for (int t = 0; t < 4; t++)
    for (int i = 1; i < 15; i++)
      for (int j = 1; j < 15; j++)
        A[i][j] = (A[i-1][j] + A[i][j-1] + A[i][j]) * 0.25;
}
"""


def test_sequential_nodes_are_searched_within_limits(tmp_path: Path) -> None:
    """Their plans have loops of their own, which the rows of the program's loops don't know."""
    source = tmp_path / "sweep.c"
    source.write_text(IN_PLACE)
    graph = so.dataflow(so.load(source))
    free = so.solve(graph, dsp=2560)
    took = so.evaluate(graph, free.schedule).resources.total.luts
    within = so.solve(graph, dsp=2560, budget=so.Budget(lut=took * 2 // 3))
    plain = so.solve(graph, dsp=2560, level="opt1")
    used = so.evaluate(graph, within.schedule).resources.total.luts
    assert used <= took * 2 // 3
    assert free.latency_cycles <= within.latency_cycles < plain.latency_cycles
