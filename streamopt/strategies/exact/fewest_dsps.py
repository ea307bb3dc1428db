"""Schedules of fewest DSPs within a latency, by exact search, with a proof."""

from streamopt.space.objective import FewestDsps
from streamopt.strategies.exact.boxes import Box, Boxes
from streamopt.strategies.exact.latency import LABELS
from streamopt.strategies.run import SEARCH, NotReachedError, OutOfReachError, Run
from streamopt.strategies.solution import Solution


def solve_fewest(run: Run) -> Solution:
    """Return a schedule of fewest DSPs within the latency of the objective.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits (E401, E402).
    OutOfReachError, NotReachedError
        If no schedule has the latency; if none was found in time.
    SearchTooLargeError
        If the graph is too entangled for the first round.
    """
    boxes = Boxes(run.problem, run.clock)
    with run.until_stopped("more labels than the search can hold"):
        for labels in LABELS:
            if run.bound < _open_dsps(run):
                _narrow(run, boxes, labels)
    if run.schedule is None:
        if run.bound >= _open_dsps(run):
            raise OutOfReachError
        raise NotReachedError(SEARCH, run.bound, run.stop)
    return run.solution()


def _open_dsps(run: Run) -> int:
    """Return the DSPs that are to be fallen short of: those of the best, or one too many."""
    return run.problem.space.dsp_limit + 1 if run.cost is None else run.cost


def _narrow(run: Run, boxes: Boxes, labels: int) -> None:
    """Ask whether fewer DSPs do, until a search finds none."""
    assert isinstance(run.problem.objective, FewestDsps)
    target = run.problem.objective.within_cycles
    while run.bound < (dsps := _open_dsps(run)):
        answer = boxes.ask(Box(target, dsps - 1), labels)
        run.bound = max(run.bound, min((dsps for _, dsps in answer.bounds), default=dsps))
        if answer.points:
            best = min(answer.points, key=lambda point: (point.dsps, point.cycles))
            run.offer(best.schedule, best.dsps)
        run.report()
        if not answer.points:
            return
