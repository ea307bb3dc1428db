"""Statements of explanations, each held against a question of another kind.

An allowance is solved again through the public functions, at full effort. The bottleneck is
slowed down and everything else sped up in the simulator. A ping-pong buffer is asked to be a FIFO.
A change is made, and solved. The 17 programs are for the nightly run, at opt5 and at opt6.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import islice, permutations, product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import LegalityError, StreamoptError
from streamopt.ir.graph import SequentialNode
from streamopt.ir.network import PipelineTiming
from streamopt.ir.schedule import ChannelKind, ChannelPlan
from streamopt.pipeline.design_limits import LIMITED
from streamopt.pipeline.explaining import WORK
from streamopt.sim import simulate
from streamopt.space.buffering import BufferReason
from streamopt.space.level import LevelName
from streamopt.transforms.apply import apply, planned_graph
from streamopt.transforms.rewrites import rewritten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.explanation.allowances import Allowance
    from streamopt.explanation.buffers import Buffering
    from streamopt.explanation.explanation import Explanation
    from streamopt.ir.graph import Edge, Graph
    from streamopt.ir.schedule import Schedule
    from streamopt.pipeline.solved import Solved

GRAPHS = Path(__file__).parents[2] / "graphs"
DSPS = 2560
PROGRAMS = sorted(GRAPHS.glob("*/*.json"))
IN_CI = ("atax", "gesummv", "dwsconv_block")
QUICKLY = 2.0
"""Work of each problem that is solved for an explanation in CI."""
ORDERS = 200
"""Pairs of loop orders that are tried for a FIFO."""
LUCK = 1.02
"""By which the answer of a longer search at opt6 may be worse than that of a shorter one."""
CASES = [
    pytest.param(path, id=path.stem, marks=() if path.stem in IN_CI else pytest.mark.nightly)
    for path in PROGRAMS
]


@pytest.mark.parametrize("path", CASES)
def test_at_opt5(path: Path, request: pytest.FixtureRequest) -> None:
    solution = so.solve(str(path), dsp=DSPS)
    is_long = request.node.get_closest_marker("nightly") is not None
    found = so.explain(solution) if is_long else so.explain(solution, work=QUICKLY)
    assert found.standing.cycles == so.simulate(solution.graph, solution.schedule).cycles
    assert found.standing.bound_cycles == so.solve(str(path), dsp=DSPS).latency_cycles
    check_bottleneck(solution, found)
    (allowance,) = found.allowances.each
    check_dsps(solution, allowance)
    check_buffers(solution, found.buffering)
    check_changes(solution, found, so.Effort() if is_long else so.Effort(work=QUICKLY))


@pytest.mark.nightly
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_at_opt6(path: Path) -> None:
    solution = so.solve(str(path), level="opt6")
    found = so.explain(solution)
    check_bottleneck(solution, found)
    for allowance in found.allowances.each:
        if allowance.is_tried:
            check_limit(solution, allowance)
    check_buffers(solution, found.buffering)


def check_bottleneck(solution: Solved, found: Explanation) -> None:
    """Slower nodes of the path make the run longer, faster ones elsewhere don't make it shorter."""
    design = so.evaluate(solution.graph, solution.schedule, samples=1)
    timings = {name: timed.timing for name, timed in design.timed.items()}
    processes = {process.name: process for process in design.network.processes}
    quick = dict(timings)
    for name in found.bottleneck.idle:
        for pipeline in processes[name].pipelines:
            depth = -(-timings[pipeline.name].depth_cycles // 2)
            quick[pipeline.name] = PipelineTiming(timings[pipeline.name].ii, depth)
    assert simulate(design.network, quick).cycles == design.trace.cycles
    for node in found.bottleneck.nodes:
        own = [pipeline.name for pipeline in processes[node.process].pipelines]
        if node.is_work:
            slower = {name: replace(timings[name], ii=timings[name].ii + 1) for name in own}
            longer = simulate(design.network, {**timings, **slower}).cycles
            assert longer > design.trace.cycles
        # Twice as fast, in another way than the explanation had it: four times as many cycles.
        times = {n: 2 if n in own else 4 for n in timings}
        scaled = {
            n: PipelineTiming(times[n] * t.ii, times[n] * t.depth_cycles)
            for n, t in timings.items()
        }
        claimed = node.twice_as_fast_cycles
        assert abs(simulate(design.network, scaled).cycles / 4 - claimed) < 0.01 * claimed + 16


def check_dsps(solution: Solved, allowance: Allowance) -> None:
    """The larger problem, at full effort, has its answer within what is claimed."""
    again = so.solve(solution.graph, dsp=allowance.more)
    assert allowance.least_cost <= again.latency_cycles <= allowance.found_cost
    assert allowance.cost == solution.latency_cycles
    if allowance.is_exact:
        assert again.latency_cycles == allowance.found_cost
    if allowance.next_amount:
        faster = so.solve(solution.graph, dsp=allowance.next_amount)
        assert faster.latency_cycles < solution.latency_cycles
        same = so.solve(solution.graph, dsp=allowance.next_amount - 1)
        assert same.latency_cycles == solution.latency_cycles


def check_limit(solution: Solved, allowance: Allowance) -> None:
    limits = {limit.option: limit.most for limit in solution.limits}
    assert limits[allowance.option] == allowance.limit
    limits[allowance.option] = allowance.more
    given = {name.removeprefix("--").replace("-", "_"): most for name, most in limits.items()}
    budget = replace(so.Budget(fit="raw-device"), **given)
    efforts = (so.Effort(), so.Effort(work=WORK))  # the usual one ends at a good gap
    answers = [so.solve(solution.graph, level="opt6", budget=budget, effort=e) for e in efforts]
    for answer in answers:
        if ", ".join(answer.schedule.rewrites) == allowance.form:
            assert answer.latency_cycles >= allowance.least_cost
    best = min(answers, key=lambda answer: answer.latency_cycles)
    assert best.latency_cycles <= allowance.found_cost or allowance.found_cost == allowance.cost
    built = so.evaluate(solution.graph, best.schedule)
    assert built.trace.cycles == best.simulated_cycles
    most = {field: given[key] for key, (field, _) in LIMITED.items()}
    assert not built.resources.total.over(replace(built.target.total, **most))


def check_buffers(solution: Solved, found: Buffering) -> None:
    """A buffer can't be a FIFO as the reason says, and costs no more than the wait for it."""
    graph = planned_graph(solution.graph, solution.schedule)
    edges = {edge.channel: edge for edge in graph.edges}
    assert found.fifos + len(found.channels) == len(edges)
    for channel in found.channels:
        edge = edges[channel.channel]
        assert channel.cost_cycles is None or channel.cost_cycles <= channel.wait_cycles
        assert channel.cost_cycles is None or channel.cost_cycles <= found.cost_cycles
        plans = replace(solution.schedule, rewrites=())
        if channel.reason in (BufferReason.ORDER, BufferReason.LANES, BufferReason.ROWS):
            assert not _streams(graph, plans, channel.channel)
        elif channel.reason is not BufferReason.CHOSEN:
            assert not any(
                _streams(graph, schedule, channel.channel)
                for schedule in islice(_orders(graph, plans, edge), ORDERS)
            )


def _orders(graph: Graph, schedule: Schedule, edge: Edge) -> Iterator[Schedule]:
    """Yield the schedule with other loop orders of both ends of a channel."""
    ends = {edge.producer, edge.consumer}
    choices = [
        [replace(plan, order=order) for order in permutations(plan.order)]
        if plan.node in ends and not isinstance(graph.node(plan.node), SequentialNode)
        else [plan]
        for plan in schedule.nodes
    ]
    for nodes in product(*choices):
        yield replace(schedule, nodes=nodes)


def _streams(graph: Graph, schedule: Schedule, name: str) -> bool:
    """Return whether a channel is accepted as a FIFO, whatever else is refused."""
    channels = [
        ChannelPlan(name, ChannelKind.FIFO, 2) if plan.channel == name else plan
        for plan in schedule.channels
    ]
    try:
        apply(graph, replace(schedule, channels=tuple(channels)))
    except LegalityError as error:
        return not any(name in diagnostic.message for diagnostic in error.diagnostics)
    return True


def check_changes(solution: Solved, found: Explanation, effort: so.Effort) -> None:
    """A change that is told was made: the changed problem is solved again."""
    for change in found.changes.each:
        if change.problem is None:
            assert change.cycles == 0
            continue
        problem = change.problem
        graph = rewritten(solution.graph, problem.rewrites)
        level = problem.level or LevelName.OPT5
        space = so.Space(tiling_limit=problem.tiling_limit)
        again = so.solve(graph, level=level, dsp=DSPS, space=space, effort=effort)
        assert again.simulated_cycles <= LUCK * change.cycles
        assert change.cycles < found.standing.cycles


def test_statements_that_are_wrong_are_found() -> None:
    """The checks themselves: each refuses a statement that says more than is true."""
    solution = so.solve(str(GRAPHS / "polybench/3mm.json"), dsp=DSPS)
    found = so.explain(solution, quick=True)
    wrong = replace(found.bottleneck, idle=("gemm3",))
    with pytest.raises(AssertionError):
        check_bottleneck(solution, replace(found, bottleneck=wrong))
    (first,) = found.bottleneck.nodes
    halved = replace(first, twice_as_fast_cycles=first.twice_as_fast_cycles // 2)
    bounded = replace(found.bottleneck, nodes=(halved,))
    with pytest.raises(AssertionError):
        check_bottleneck(solution, replace(found, bottleneck=bounded))
    (allowance,) = found.allowances.each
    with pytest.raises(AssertionError):
        check_dsps(solution, replace(allowance, least_cost=allowance.cost))
    with pytest.raises((AssertionError, StreamoptError)):
        check_buffers(solution, replace(found.buffering, fifos=1))
