"""Options of public functions: what is unknown or wrong is refused, with what is right."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError, OptionError, StreamoptError
from streamopt.options import kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable

TOP = Path(__file__).parents[1]
GESUMMV = str(TOP / "graphs" / "polybench" / "gesummv.json")
ANYTHING: Any = 7.5
FUNCTIONS = [name for name in so.__all__ if inspect.isfunction(getattr(so, name))]


def told(ask: Callable[[], object], kind: type[StreamoptError] = OptionError) -> list[str]:
    """Return code, message and hint of every problem that a call raises."""
    with pytest.raises(kind) as raised:
        ask()
    return [f"{each.code} {each.message}; {each.hint}" for each in raised.value.diagnostics]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_public_function_refuses_unknown_options(name: str) -> None:
    function: Any = getattr(so, name)
    (problem,) = told(lambda: function(no_such_option=1))
    assert problem.startswith(f"E541 {function.__name__}() has no option 'no_such_option'; ")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [("dsps", "dsp"), ("time_limits", "time_limit"), ("budgets", "budget")],
)
def test_the_nearest_option_is_named(wrong: str, right: str) -> None:
    options: dict[str, Any] = {wrong: 220}
    (problem,) = told(lambda: so.solve(GESUMMV, **options))
    assert problem == f"E541 solve() has no option '{wrong}'; did you mean '{right}'?"


@pytest.mark.parametrize(
    ("ask", "option", "hint"),
    [
        (so.load, "top", "give options=so.SourceOptions(top=...)"),
        (so.load, "defines", "give options=so.SourceOptions(define=...)"),
        (so.records, "levels", "give comparison=so.Comparison(levels=...)"),
        (so.compare, "time_limit_seconds", "it is called 'time_limit'"),
        (so.solve, "time_limit_seconds", "it is called 'time_limit'"),
        (so.solve, "dsp_limit", "it is called 'dsp'"),
        (
            so.solve,
            "clock_ns",
            "give budget=so.Budget(device=so.device('u280', clock_ns=...))",
        ),
        (so.Budget, "clock_ns", "give device=so.device('u280', clock_ns=...)"),
        (so.Effort, "time_limit", "give it to solve(): time_limit=..."),
        (so.solve, "lut", "give budget=so.Budget(lut=...)"),
        (so.solve, "on", "give budget=so.Budget(device=...)"),
        (so.solve, "ports", "give space=so.Space(ports=...)"),
        (so.solve, "on_incumbent", "give effort=so.Effort(on_incumbent=...)"),
        (so.solve, "latency_target_cycles", "give objective=so.FewestDsps(within_cycles=...)"),
        (so.solve, "freedom", "give space=so.Space(without=..., binding=...)"),
        (so.pareto, "solver", "give effort=so.Effort(solver=...)"),
        (so.simulate, "on", "it is called 'device'"),
        (so.SourceOptions, "parameters", "it is called 'param'"),
    ],
)
def test_options_that_have_moved_say_where(ask: Any, option: str, hint: str) -> None:
    (problem,) = told(lambda: ask(**{option: 1}))
    assert problem == f"E541 {ask.__name__}() has no option '{option}'; {hint}"


def test_all_problems_are_told_at_once() -> None:
    options: dict[str, Any] = {"level": "opt9", "dsp": "220", "budget": 1}
    assert told(lambda: so.solve(GESUMMV, **options)) == [
        "E543 level has no 'opt9'; choose from opt1, opt2, opt3, opt4, opt5, opt6",
        "E542 dsp is '220', but takes a whole number or None; give dsp=220",
        "E542 budget is 1, but takes a Budget; give budget=so.Budget(lut=50_000)",
    ]
    fields: dict[str, Any] = {"seed": True, "threads": "2"}
    assert told(lambda: so.Effort(**fields)) == [
        "E542 seed is True, but takes a whole number; ",
        "E542 threads is '2', but takes a whole number; give threads=2",
    ]
    where: Any = "u280"
    assert told(lambda: so.Budget(device=where)) == [
        "E542 device is 'u280', but takes a Target or None; give device=so.device('u280')",
    ]


@pytest.mark.parametrize(
    ("ask", "problem"),
    [
        (
            lambda: so.solve(ANYTHING),
            "E544 there is no program in 7.5; give a path (.c, .mlir, .onnx,",
        ),
        (lambda: so.Comparison(levels="opt5"), "E542 levels is 'opt5', but takes a list"),
        (lambda: so.compare(GESUMMV, dsp=[True]), "E542 dsp is [True], but takes a whole"),
        (lambda: so.Comparison(strategies=["x"]), "E543 strategies has no 'x'; choose from"),
        (lambda: so.pareto(GESUMMV, level="best"), "E543 level has no 'best'; choose from"),
        (
            lambda: so.solve(GESUMMV, effort=ANYTHING),
            "E542 effort is 7.5, but takes an Effort; give effort=so.Effort(",
        ),
        (lambda: so.load(ANYTHING), "E544 there is no program in 7.5; give a path"),
    ],
)
def test_wrong_values(ask: Callable[[], object], problem: str) -> None:
    (found,) = told(ask)
    assert found.startswith(problem)


def test_options_are_given_by_name() -> None:
    solve: Any = so.solve
    assert told(lambda: solve(GESUMMV, "opt5", 200)) == [
        "E541 solve() takes only graph without a name; "
        "options are given by name: level='opt5', dsp=200"
    ]
    assert told(lambda: solve(GESUMMV, so.Budget())) == [
        "E541 solve() takes only graph without a name; options are given by name"
    ]


def test_limits_are_positive() -> None:
    for ask in (
        lambda: so.solve(GESUMMV, dsp=0),
        lambda: so.pareto(GESUMMV, dsp=0),
        lambda: so.records(GESUMMV, so.Comparison(dsp=0)),
    ):
        (found,) = told(ask, InfeasibleError)
        assert found.startswith("E402 ")


def test_paths_programs_and_graphs_do() -> None:
    program = so.load(GESUMMV)
    graph = so.dataflow(program)
    assert so.dataflow(graph) is graph
    solution = so.solve(Path(GESUMMV), dsp=220)
    for source in (GESUMMV, program, graph):
        assert so.solve(source, dsp=220).schedule == solution.schedule
        assert so.simulate(source, solution.schedule).cycles == solution.simulated_cycles
    as_schedule: Any = solution
    (found,) = told(lambda: so.simulate(graph, as_schedule))
    assert found == (
        "E542 schedule is of type Solved, but takes a Schedule; give its member 'schedule'"
    )


def test_public_names_are_listed() -> None:
    assert dir(so) == sorted(so.__all__)


def test_annotations_are_read() -> None:
    texts = ("int | Iterable[int]", "Callable[[int], None] | None", "Any", "np.ndarray")
    assert [[kind.name for kind in kinds_of(text)] for text in texts] == [
        ["int", "Iterable"],
        ["Callable", "None"],
        [],
        ["ndarray"],
    ]
