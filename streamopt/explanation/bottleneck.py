"""The second sentence: the nodes whose work determines the end of the run, and what that is.

Shares are those of the critical path of the simulation. A node that were twice as fast is
simulated, too: the pipelines of all others get twice their interval and depth, and time is halved.
"""

from collections.abc import Collection
from dataclasses import dataclass

from streamopt.errors import SourceLoc
from streamopt.evaluation.design import Evaluation
from streamopt.explanation.critical_path import PathShare, path_shares
from streamopt.explanation.question import KnownDesign, listed, percent
from streamopt.ir.network import Pipeline, PipelineTiming, Turns, turns_among
from streamopt.perf.pipelines.timings import Reason
from streamopt.perf.turns.visits import visit_counts
from streamopt.sim import DeadlockError, PathCause, simulate
from streamopt.sim.depths import with_all_tokens

COVERED = 0.9
"""Of the critical path, that the nodes hold which are told."""
MOST_NODES = 3
"""That are told."""
FASTER = 2
"""Times, that a node is tried to be faster."""
MOSTLY = 0.5
"""Of a node's cycles: what is less than that isn't what they are."""


@dataclass(frozen=True, slots=True)
class PathNode:
    """A process on the critical path; its nodes are one, or those that run one after another."""

    process: str
    nodes: tuple[str, ...]
    place: SourceLoc | None
    # cycles, steady_cycles: of the path: all, and those in which iterations follow one another
    cycles: int
    steady_cycles: int
    # iterations, ii, lanes: of its pipeline with most cycles: iterations, the cycles between the
    # starts of two of them, and the copies of the body. Iterations of pipelines that take turns are
    # those of all.
    iterations: int
    ii: int
    lanes: int
    depth_cycles: int
    """That an iteration of it takes."""
    reason: str
    """The reason of an interval above 1; empty for 1."""
    # cause, of: the thing that it waited for last before most of its cycles, and the channel
    cause: PathCause
    of: str
    # twice_as_fast_cycles, then: of the whole design, if this process were; and the one that would
    # hold most of its path
    twice_as_fast_cycles: int
    then: str
    waits: int = 0
    """Iterations without work among them: a visit waits for what an earlier one writes."""

    @property
    def name(self) -> str:
        """Return the nodes' names."""
        return listed(list(self.nodes)) if self.nodes else self.process

    @property
    def is_work(self) -> bool:
        """Return whether most of its cycles are of iterations that follow one another."""
        return self.steady_cycles >= MOSTLY * self.cycles

    @property
    def words(self) -> str:
        """Return the kind of its cycles."""
        if not self.is_work:
            return f"mostly the {self.depth_cycles} cycles from its reads to its writes"
        lanes = f" in {self.lanes:,} lanes" if self.lanes > 1 else ""
        found = f"{self.iterations:,} iterations{lanes} at II {self.ii}"
        if self.waits:
            found += f", {self.waits:,} of them waits for what earlier ones write"
        if self.reason == Reason.TARGET:
            return f"{found}, as the schedule asks"
        return f"{found}, for the {self.reason}" if self.reason else found


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """The processes that hold the critical path."""

    total_cycles: int
    nodes: tuple[PathNode, ...]
    """Those with most cycles, the first one first."""
    others: tuple[str, ...]
    """Further processes on the path."""
    idle: tuple[str, ...]
    """Processes that aren't on it."""

    @property
    def words(self) -> str:
        """Return the sentence."""
        if not self.nodes:
            return "Nothing takes any time."
        first = self.nodes[0]
        place = f" ({first.place})" if first.place is not None else ""
        if len(self.nodes) == 1:
            share = percent(first.cycles, self.total_cycles)
            held = f"{first.cycles:,} of the {self.total_cycles:,} cycles of the critical path"
            found = f"{first.name}{place} bounds it: {held} ({share}) are its, {first.words}"
        else:
            parts = [f"{n.name} {percent(n.cycles, self.total_cycles)}" for n in self.nodes]
            found = f"The critical path is {listed(parts)}"
            handed = [_handed(node) for node in self.nodes if _handed(node)]
            if handed:
                found += f"; {listed(handed[:2])}"
            found += f"; {first.name}{place} {'does' if first.is_work else 'takes'} {first.words}"
        return f"{found}; {self._faster(first)}."

    def _faster(self, node: PathNode) -> str:
        """Return the gain of a faster node."""
        gain = self.total_cycles - node.twice_as_fast_cycles
        then = f", as {node.then} would bound it then" if node.then != node.process else ""
        if gain <= 0:
            return f"{node.name} twice as fast would change nothing{then}"
        share = percent(gain, self.total_cycles)
        fewer = f"{node.twice_as_fast_cycles:,} cycles, {share} less"
        return f"{node.name} twice as fast would leave {fewer}{then}"


def _handed(node: PathNode) -> str:
    """Return the thing that a process waited for before most of its cycles."""
    match node.cause:
        case PathCause.INPUT:
            return f"{node.name} waits for its input {node.of}"
        case PathCause.ROOM:
            return f"{node.name} waits for room in {node.of}"
        case PathCause.BUFFER:
            return f"{node.name} waits until the ping-pong buffer {node.of} is whole"
        case PathCause.START | PathCause.TURN:
            return ""


def bottleneck(design: KnownDesign) -> Bottleneck:
    """Return the processes that hold the critical path of a sampled evaluation."""
    found, trace = design.evaluation, design.evaluation.trace
    shares = path_shares(trace)
    told, covered = list[PathNode](), 0
    for share in shares[:MOST_NODES]:
        if told and covered >= COVERED * trace.total_cycles:
            break
        told.append(_path_node(design, share))
        covered += share.cycles
    on_path = {share.process for share in shares}
    return Bottleneck(
        trace.total_cycles,
        tuple(told),
        tuple(share.process for share in shares[len(told) :]),
        tuple(p.name for p in found.network.processes if p.name not in on_path),
    )


def _path_node(design: KnownDesign, share: PathShare) -> PathNode:
    found = design.evaluation
    process = next(p for p in found.network.processes if p.name == share.process)
    segments = [s for s in found.trace.critical_path if s.process == share.process]
    longest = max(segments, key=lambda segment: segment.cycles)
    in_turn = next((turns for turns in process.turns if turns.name == longest.pipeline), None)
    running = (longest.pipeline,) if in_turn is None else in_turn.pipelines
    pipeline = max((p for p in process.pipelines if p.name in running), key=lambda p: p.iterations)
    timed = found.timed[pipeline.name]
    names = design.nodes_of(share.process)
    places = [design.scheduled.graph.node(name).loc for name in names]
    iterations, waits = (pipeline.iterations, 0) if in_turn is None else _turns_taken(in_turn)
    return PathNode(
        share.process,
        names,
        next((place for place in places if place is not None), None),
        share.cycles,
        share.steady_cycles,
        iterations,
        timed.timing.ii,
        pipeline.copies,
        timed.timing.depth_cycles,
        "" if timed.binding is None else timed.binding.cause,
        longest.cause,
        longest.of,
        *faster_cycles(found, process.pipelines),
        waits,
    )


def _turns_taken(turns: Turns) -> tuple[int, int]:
    """Return the iterations of pipelines in turn, and how many of them are waits."""
    counts = visit_counts(turns)
    taken = [*turns_among(turns.items)]
    working = counts.total([1 for _ in taken])
    every = counts.total(
        [turn.least_cycles for turn in taken], [turn.last_cycles for turn in taken]
    )
    return every, every - working


def faster_cycles(
    found: Evaluation, pipelines: Collection[Pipeline], times: int = FASTER
) -> tuple[int, str]:
    """Return the cycles of a design with some pipelines so many times faster, and what bounds it.

    The second is the process with the largest share of the critical path. FIFOs as small as the
    design's own pace allows may bring another one to a standstill; then they hold all tokens.
    """
    chosen = {pipeline.name for pipeline in pipelines}
    timings = {
        name: timed.timing
        if name in chosen
        else PipelineTiming(times * timed.timing.ii, times * timed.timing.depth_cycles)
        for name, timed in found.timed.items()
    }
    try:
        trace = simulate(found.network, timings, samples=1)
    except DeadlockError:
        trace = simulate(with_all_tokens(found.network), timings, samples=1)
    return -(-trace.cycles // times), path_shares(trace)[0].process
