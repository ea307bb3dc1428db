"""Limits on several resources: optima against all schedules of small graphs, and the programs."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, SolverError
from streamopt.solvers.result import Proof
from streamopt.space.assemble import evaluate
from streamopt.space.level import LEVELS, LevelName
from tests.support.certificate import certify
from tests.support.every_schedule import DEVICE, built, schedules, size, space_of
from tests.support.nightly import in_nightly
from tests.support.random.graphs import random_graph

if TYPE_CHECKING:
    from streamopt.ir.graph import Graph
    from streamopt.ir.schedule import Schedule

TOP = Path(__file__).parents[3]
OPTIONS = ("built_dsp", "bram18", "uram", "lut", "ff")
SETS = (("lut",), ("ff",), ("bram18", "lut"), ("built_dsp", "lut", "ff"), OPTIONS)
MOST_SCHEDULES = 500


def program(suite: str, name: str) -> Graph:
    return so.dataflow(so.load(TOP / "graphs" / suite / f"{name}.json"))


def sized(graph: Graph, schedule: Schedule) -> Schedule:
    return so.size_fifos(graph, schedule, so.FifoSizing(on=DEVICE))[0]


def check_optimum(seed: int, *, sizes: bool) -> bool:
    """Compare an optimum with all schedules; return whether limits changed it."""
    rng = Random(seed)
    graph = random_graph(rng, nodes=rng.randint(2, 4), max_extent=8)
    space = space_of(graph)
    if size(space) > MOST_SCHEDULES // (4 if sizes else 1):
        return False
    every: list[tuple[int, tuple[int, ...]]] = []
    for schedule in schedules(space):
        emitted = sized(graph, schedule) if sizes else schedule
        every.append((evaluate(graph, schedule).latency_cycles, built(graph, emitted)))
    _, fastest = min(every)
    _, other = rng.choice(every)
    wanted = rng.choice(SETS)
    limits: dict[str, Any] = {
        key: rng.choice([other[at], (other[at] + fastest[at]) // 2])
        for at, key in enumerate(OPTIONS)
        if key in wanted
    }
    fits = [
        cycles
        for cycles, used in every
        if all(used[OPTIONS.index(key)] <= most for key, most in limits.items())
    ]
    fifos = so.FifoSizing(on=DEVICE) if sizes else None
    if not fits:
        with pytest.raises(InfeasibleError, match="E405"):
            so.solve(
                graph,
                dsp=120,
                space=so.Space(tiling_limit=2),
                budget=so.Budget(**limits, device=DEVICE),
                effort=so.Effort(fifos=fifos),
            )
        return True
    found = so.solve(
        graph,
        dsp=120,
        space=so.Space(tiling_limit=2),
        budget=so.Budget(**limits, device=DEVICE),
        effort=so.Effort(fifos=fifos),
    )
    assert found.bound <= min(fits) <= found.latency_cycles, (seed, limits)
    assert found.proof is Proof.OPTIMAL, (seed, limits)
    used = built(graph, found.schedule)
    assert found.used == tuple(used[OPTIONS.index(limit)] for limit in limits)
    return min(fits) > min(every)[0]


@pytest.mark.parametrize("seed", in_nightly(range(6), 3))
def test_optima_are_those_of_all_schedules(seed: int) -> None:
    changed = [check_optimum(100 * seed + offset, sizes=False) for offset in range(4)]
    assert len(changed) == 4


@pytest.mark.parametrize("seed", [1001, 1003])
def test_fifos_are_judged_as_emitted(seed: int) -> None:
    check_optimum(seed, sizes=True)


def test_limits_bind() -> None:
    assert any(check_optimum(seed, sizes=False) for seed in (4, 11))


@pytest.mark.parametrize(
    ("suite", "name", "limits", "cycles"),
    [
        ("polybench", "gemm", {"lut": 100_000}, 35199),
        ("polybench", "bicg", {"lut": 50_000}, 2131),
        ("polybench", "gesummv", {"ff": 50_000, "built_dsp": 400}, 2496),
        pytest.param(
            *("cnns", "dwsconv_block", {"bram18": 850, "lut": 18_000}, 164885),
            marks=pytest.mark.nightly,
        ),
    ],
)
def test_programs_within_limits(suite: str, name: str, limits: dict[str, Any], cycles: int) -> None:
    graph = program(suite, name)
    found = so.solve(graph, budget=so.Budget(**limits, device=DEVICE))
    assert (found.latency_cycles, found.bound) == (cycles, cycles)
    assert found.proof is Proof.OPTIMAL
    assert found.problem.limits is not None
    again = certify(
        graph,
        found.schedule,
        level=LEVELS[LevelName.OPT5],
        dsp_limit=2560,
        tiling_limit=16,
        limits=found.problem.limits,
    )
    assert (again.broken, again.latency_cycles, again.used) == ((), cycles, found.used)
    total = so.evaluate(graph, found.schedule, DEVICE).resources.total
    fields = {"lut": "luts", "ff": "ffs", "built_dsp": "dsps", "bram18": "bram18"}
    assert found.used == tuple(getattr(total, fields[key]) for key in sorted(limits, key=_place))
    assert all(used <= most for used, most in zip(found.used, _in_order(limits), strict=True))


def _place(option: str) -> int:
    return OPTIONS.index(option)


def _in_order(limits: dict[str, int]) -> list[int]:
    return [limits[option] for option in sorted(limits, key=_place)]


def test_block_rams_bind() -> None:
    graph = program("polybench", "3mm")
    free = so.solve(graph, budget=so.Budget(device=DEVICE))
    tight = so.solve(graph, budget=so.Budget(device=DEVICE, bram18=190))
    assert built(graph, free.schedule)[1] == 200
    assert tight.proof is Proof.OPTIMAL
    assert tight.used[0] <= 190
    assert tight.latency_cycles > free.latency_cycles


def test_limits_that_are_kept_anyway_change_nothing() -> None:
    graph = program("polybench", "bicg")
    free, within = so.solve(graph), so.solve(graph, dsp=2560, budget=so.Budget(fit="raw-device"))
    assert within.schedule == free.schedule
    assert within.proof is Proof.OPTIMAL
    row = so.record(within)
    assert (row["lut_limit"], row["lut_used"]) == (1303680, 88840)
    assert "lut_limit" not in so.record(free)


def test_fit_takes_what_is_not_given_from_the_device() -> None:
    graph = program("polybench", "bicg")
    found = so.solve(graph, budget=so.Budget(fit="raw", lut=30_000, device=so.device("zu3eg")))
    assert found.problem.space.dsp_limit == 360
    assert found.problem.limits is not None
    assert found.problem.limits.most == (360, 432, 0, 30_000, 141_120)
    assert found.problem.limits.admit(found.used)


def test_the_certificate_names_what_is_too_much() -> None:
    graph = program("polybench", "bicg")
    limits = so.solve(graph, budget=so.Budget(lut=50_000, device=DEVICE)).problem.limits
    free = so.solve(graph).schedule
    again = certify(
        graph,
        free,
        level=LEVELS[LevelName.OPT5],
        dsp_limit=2560,
        tiling_limit=16,
        limits=limits,
    )
    assert again.broken == ("88840 LUTs are more than 50000",)


def test_too_little_is_explained() -> None:
    graph = program("polybench", "gesummv")
    with pytest.raises(InfeasibleError) as caught:
        so.solve(graph, budget=so.Budget(lut=1000, device=DEVICE))
    assert str(caught.value) == (
        "E405 gesummv can't be built with 1000 LUTs at opt5: one takes 2289 "
        "(gemv2 799, gemv1 799, scale_add 691)\n"
        "  hint: give --lut 2289 or more"
    )
    assert so.solve(graph, budget=so.Budget(lut=2289, device=DEVICE)).used == (2289,)


def test_other_solvers_refuse_unless_their_best_fits() -> None:
    graph = program("polybench", "bicg")
    assert so.solve(
        graph, budget=so.Budget(lut=90_000, device=DEVICE), effort=so.Effort(solver="cpsat")
    ).used == (88840,)
    with pytest.raises(SolverError) as caught:
        so.solve(
            graph, budget=so.Budget(lut=60_000, device=DEVICE), effort=so.Effort(solver="cpsat")
        )
    assert str(caught.value) == (
        "E521 the best schedule of bicg at opt5 is too large (88840 LUTs are more than 60000), "
        "and only the exact search looks for smaller ones\n"
        "  hint: leave --solver, --formulation and --objective out, at a level other than opt4"
    )


def test_without_time_there_is_none() -> None:
    with pytest.raises(SolverError, match="E522 no design of 2mm within --lut 30000 was found"):
        so.solve(
            program("polybench", "2mm"),
            time_limit=1e-3,
            budget=so.Budget(lut=30_000, device=DEVICE),
        )


def test_negative_limits_are_refused() -> None:
    with pytest.raises(InfeasibleError, match="E402 --built-dsp is -1"):
        so.solve(program("polybench", "bicg"), budget=so.Budget(built_dsp=-1))
