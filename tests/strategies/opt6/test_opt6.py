"""Level opt6 against brute force over lowered designs, its limits, and its designs verified."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, SolverError
from streamopt.ir.element import ElementType
from streamopt.perf.as_built.closed_form import predict
from streamopt.perf.pipelines.timings import pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.space.assemble import assemble, baseline
from streamopt.space.decisions import SpaceOptions, decision_space
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.opt6.choices import TRIED, bindings, variants
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower
from streamopt.transforms.rewrites import rewritten
from tests.support.certificate import certify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule

GRAPHS = Path(__file__).parents[3] / "graphs"
DEVICE = so.device("u280")
ROW_ERROR = 4
"""Cycles by which the depth of a node's row may be more than that of its design."""


def product_then_relu() -> Program:
    p = so.dsl.program("product_then_relu")
    i, j, k = p.iterators(i=4, j=4, k=2)
    c = p.compute("C", (i, j), so.dsl.sum(k, p.input("A", 4, 2)[i, k] * p.input("B", 2, 4)[k, j]))
    p.output("Y", (i, j), so.dsl.relu(c[i, j]))
    return p.build()


def scaled_sum() -> Program:
    p = so.dsl.program("scaled_sum")
    i, j = p.iterators(i=6, j=4)
    a = p.input("A", 6, 4)
    t = p.compute("t", (i, j), a[i, j] * 2.0)
    p.output("y", (i,), so.dsl.sum(j, t[i, j] + a[i, j]))
    return p.build()


def twice() -> Program:
    p = so.dsl.program("twice")
    i, j = p.iterators(i=4, j=4)
    a = p.input("A", 4, 4)
    t = p.compute("t", (i,), so.dsl.sum(j, a[i, j] * p.input("x", 4)[j]))
    p.output("y", (j,), so.dsl.sum(i, a[i, j] * t[i]))
    return p.build()


PROGRAMS = {made.__name__: made for made in (product_then_relu, scaled_sum, twice)}


def every_schedule(form: Graph, choices: so.Space) -> Iterator[Schedule]:
    level, names = LEVELS[LevelName.OPT6], [node.name for node in form.nodes]
    space = decision_space(
        form,
        SpaceOptions(level, dsp_limit=10**6, tiling_limit=1, partial_tiles=choices.partial_tiles),
    )
    class_of, operators = space.class_of(), bindings(choices.binding, form, DEVICE)
    for factors in product(*(group.factors for group in space.classes)):
        taken = {
            node.name: [factors[class_of[node.name, loop]] for loop in node.trip_counts]
            for node in form.nodes
        }
        for orders in product(*(space.orders[name] for name in names)):
            for ways in product(*(operators.get(name, ((),)) for name in names)):
                chosen = dict(zip(names, orders, strict=True))
                yield assemble(form, chosen, taken, dict(zip(names, ways, strict=True)))


def least_cycles(graph: Graph, space: so.Space, dsps: int, luts: int) -> int:
    """Return the least latency in the closed form of all designs within limits."""
    found: list[int] = []
    for _, form in variants(graph, space.without):
        for schedule in every_schedule(form, space):
            scheduled = apply(form, replace(schedule, most_banks=space.most_banks))
            network = lower(scheduled)
            timings = pipeline_timings(network, DEVICE)
            used = resources(network, timings, DEVICE)
            if used.total.dsps <= dsps and used.total.luts <= luts:
                by_name = {name: own.dsps for name, own in used.pipelines.items()}
                found.append(predict(scheduled, network, timings, by_name).latency_cycles)
    return min(found)


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("dsps", [12, 40])
def test_best_is_that_of_brute_force(name: str, dsps: int) -> None:
    graph = so.dataflow(PROGRAMS[name]())
    space = so.Space(binding=so.BindingChoice.TOOL)
    found = so.solve(graph, level="opt6", dsp=dsps, space=space, effort=so.Effort(fifos=None))
    assert found.latency_cycles == least_cycles(graph, space, dsps, 434_560)
    assert found.bound == found.latency_cycles
    assert found.used[0] <= dsps


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("banks", [1, 2])
def test_best_within_a_limit_of_banks_is_that_of_brute_force(name: str, banks: int) -> None:
    graph = so.dataflow(PROGRAMS[name]())
    space = so.Space(binding=so.BindingChoice.TOOL, most_banks=banks)
    found = so.solve(graph, level="opt6", dsp=40, space=space, effort=so.Effort(fifos=None))
    assert found.latency_cycles == least_cycles(graph, space, 40, 434_560)
    assert found.bound == found.latency_cycles
    assert found.schedule.most_banks == banks
    assert all(prod(p.factors) <= banks for p in apply(graph, found.schedule).partitions)


@pytest.mark.parametrize(("dsps", "luts"), [(12, 12_000), (30, 20_000)])
def test_free_bindings_keep_their_limits_and_their_bound(dsps: int, luts: int) -> None:
    graph = so.dataflow(scaled_sum())
    found = so.solve(graph, level="opt6", dsp=dsps, budget=so.Budget(lut=luts))
    least = least_cycles(graph, so.Space(), dsps, luts)
    assert found.bound - ROW_ERROR * len(graph.nodes) <= least <= found.latency_cycles
    assert found.bound <= found.latency_cycles
    used = so.evaluate(graph, found.schedule).resources.total
    assert (used.dsps, used.luts) == (found.used[0], found.used[3])
    assert used.dsps <= dsps
    assert used.luts <= luts


@pytest.mark.parametrize(("solver", "named"), [("highs", "highs"), ("auto", "search")])
def test_the_solver_that_answered_is_named(solver: str, named: str) -> None:
    graph = so.dataflow(scaled_sum())
    found = so.solve(graph, level="opt6", dsp=40, effort=so.Effort(solver=solver, fifos=None))
    assert found.solver == named
    assert found.solver_version
    assert so.record(found)["solver"] == named


def test_nothing_fits() -> None:
    graph = so.dataflow(product_then_relu())
    with pytest.raises(InfeasibleError, match=r"^E401 product_then_relu needs at least 3 DSPs"):
        so.solve(graph, level="opt6", dsp=2, space=so.Space(binding=so.BindingChoice.TOOL))
    with pytest.raises(SolverError, match=r"^E522 no design of product_then_relu within"):
        so.solve(graph, level="opt6", dsp=60, budget=so.Budget(lut=100))


@pytest.mark.parametrize("seconds", [0.001, None])
def test_what_the_plainest_schedule_takes_is_enough(seconds: float | None) -> None:
    graph = so.dataflow(product_then_relu())
    space = so.Space(without=frozenset(TRIED), binding=so.BindingChoice.TOOL)
    sized, _ = so.size_fifos(graph, baseline(graph))
    luts = so.evaluate(graph, sized).resources.total.luts
    found = so.solve(
        graph,
        level="opt6",
        time_limit=seconds,
        space=space,
        budget=so.Budget(lut=luts),
    )
    assert found.used[3] <= luts


def test_rewrites_are_left_out() -> None:
    graph = so.dataflow(scaled_sum())
    assert so.solve(graph, level="opt6", dsp=25).schedule.rewrites == ("fold_pointwise",)
    space = so.Space(without=frozenset({"fold_pointwise"}))
    assert "fold_pointwise" not in so.solve(graph, level="opt6", space=space).schedule.rewrites
    with pytest.raises(InfeasibleError, match=r"^E406 opt6 has no 'fold' to leave out"):
        so.Space(without=frozenset({"fold"}))


def test_partial_tiles_are_found_and_left_out(tmp_path: Path) -> None:
    p = so.dsl.program("prime")
    i, j, k = p.iterators(i=7, j=7, k=7)
    p.output("y", (i, j), so.dsl.sum(k, p.input("a", 7, 7)[i, k] * p.input("b", 7, 7)[k, j]))
    program = p.build()
    graph, without = so.dataflow(program), so.Space(without=frozenset({"partial_tiles"}))
    whole = so.solve(graph, level="opt6", dsp=120, space=without, budget=so.Budget(lut=20_000))
    found = so.solve(graph, level="opt6", dsp=120, budget=so.Budget(lut=20_000))
    assert found.latency_cycles < whole.latency_cycles
    (node,) = apply(graph, whole.schedule).nodes
    assert not any(loop.is_partial for loop in node.loops)
    (node,) = apply(graph, found.schedule).nodes
    assert any(loop.is_partial for loop in node.loops)
    so.write(program, found.schedule, tmp_path / "project")
    assert so.verify(tmp_path / "project").passed


def test_same_question_same_answer() -> None:
    graph = so.dataflow(twice())
    first, second = (so.solve(graph, level="opt6", dsp=40) for _ in range(2))
    assert first.schedule == second.schedule
    assert (first.bound, first.used) == (second.bound, second.used)


@pytest.mark.parametrize("solver", ["auto", "cpsat"])
def test_no_time_gives_a_design(solver: str) -> None:
    graph = so.dataflow(scaled_sum())
    found = so.solve(graph, level="opt6", dsp=40, time_limit=1e-3, effort=so.Effort(solver=solver))
    assert found.prediction.latency_cycles > 0


@pytest.mark.parametrize("solver", ["cpsat", "highs"])
def test_any_solver_of_the_compact_program_does(solver: str) -> None:
    graph = so.dataflow(twice())
    space = so.Space(binding=so.BindingChoice.TOOL)
    expected = so.solve(graph, level="opt6", dsp=25, space=space, effort=so.Effort(fifos=None))
    found = so.solve(
        graph,
        level="opt6",
        dsp=25,
        space=space,
        effort=so.Effort(solver=solver, fifos=None),
    )
    assert found.latency_cycles == expected.latency_cycles == found.bound


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (
            {"level": "opt5", "space": so.Space(binding=so.BindingChoice.FREE)},
            "E407 --without, --binding and --banks",
        ),
        (
            {"objective": so.FewestDsps(9)},
            "E524 opt6 minimises the latency or the interval, and nothing else",
        ),
        (
            {"effort": so.Effort(solver="exhaustive")},
            "E523 the exhaustive search is for opt1 to opt5, not for opt6",
        ),
        (
            {"effort": so.Effort(formulation="paper")},
            "E523 the formulation 'paper' is for opt1 to opt5",
        ),
        ({"budget": so.Budget(lut=-1)}, "E402 --lut is -1"),
        ({"dsp": 0}, "E402 --dsp is 0"),
        ({"space": so.Space(tiling_limit=0)}, "E402 --tiling-limit is 0"),
        ({"space": so.Space(most_banks=0)}, "E402 --banks is 0"),
    ],
)
def test_what_a_level_does_not_have_is_refused(options: dict[str, Any], text: str) -> None:
    asked: dict[str, Any] = {"level": "opt6", **options}
    with pytest.raises(so.StreamoptError, match=f"^{text}"):
        so.solve(so.dataflow(twice()), **asked)


def test_certificates_are_of_the_paper() -> None:
    graph = so.dataflow(twice())
    schedule = so.solve(graph, level="opt6", dsp=40, effort=so.Effort(fifos=None)).schedule
    with pytest.raises(SolverError, match=r"^E523 a certificate is for opt1 to opt5, not for opt6"):
        certify(graph, schedule, level=LEVELS[LevelName.OPT6], dsp_limit=40, tiling_limit=1)


def convolutions() -> Program:
    p = so.dsl.program("convolutions")
    h, w, m, n, a, b = p.iterators(h=3, w=3, m=2, n=2, a=4, b=4)
    x, k = p.input("x", 5, 5), p.weight("k", 2, 2)
    t = p.compute("t", (a, b), so.dsl.sum((m, n), x[a + m, b + n] * k[m, n]))
    r = p.compute("r", (a, b), so.dsl.relu(t[a, b]))
    p.output("y", (h, w), so.dsl.sum((m, n), r[h + m, w + n] * k[m, n]))
    return p.build()


@pytest.mark.parametrize(("made", "dsps"), [(convolutions, 20), (twice, 9)])
def test_designs_compute_their_source(
    made: Callable[[], Program], dsps: int, tmp_path: Path
) -> None:
    program = made()
    graph = so.dataflow(program)
    found = so.solve(graph, level="opt6", dsp=dsps)
    so.write(program, found.schedule, tmp_path / "project")
    verdict = so.verify(tmp_path / "project")
    assert verdict.passed, str(verdict)
    if made is twice:
        assert any(plan.binding for plan in found.schedule.nodes)
    names = [node.name for node in rewritten(graph, found.schedule.rewrites).nodes]
    assert [plan.node for plan in found.schedule.nodes] == names


@pytest.mark.parametrize("program", ["bicg", "gesummv", "mvt"])
def test_opt6_is_at_least_as_fast_as_opt5(program: str) -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / f"{program}.json"))
    paper = so.solve(graph, dsp=2560)
    found = so.solve(graph, level="opt6", dsp=2560)
    assert so.simulate(graph, found.schedule).cycles <= so.simulate(graph, paper.schedule).cycles


@pytest.mark.parametrize(
    ("taken", "given", "ways"), [("float", "float", 6), ("double", "float", 3), ("half", "half", 3)]
)
def test_products_are_bound_to_what_all_their_types_have(taken: str, given: str, ways: int) -> None:
    p = so.dsl.program("dot")
    i, z = p.iterators(i=8, z=2)
    a, b = p.input("a", 2, 8, element=taken), p.input("b", 8, element=taken)
    p.output("s", (z,), so.dsl.sum(i, a[z, i] * b[i]), element=given)
    graph = so.dataflow(p.build())
    (found,) = bindings(None, graph, DEVICE).values()
    assert len(found) == ways
    solution = so.solve(graph, level="opt6", dsp=60, effort=so.Effort(fifos=None))
    assert solution.schedule.nodes[0].binding in found


def test_operators_are_bound_in_the_types_they_compute_in(tmp_path: Path) -> None:
    """The literal makes the product a double, whatever the arrays are."""
    path = tmp_path / "scaled.c"
    path.write_text(
        "void scaled(float x[9]) { for (int i = 1; i < 9; i++) x[i] += x[i - 1] * 0.25; }"
    )
    graph = so.dataflow(path)
    for way in bindings(None, graph, DEVICE)[graph.nodes[0].name]:
        assert all(DEVICE.builds(operator, ElementType.DOUBLE, name) for operator, name in way)
