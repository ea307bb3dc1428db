"""The fifth sentence: what to change in the source, or which option, with what it gives."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from streamopt.errors import SourceLoc
from streamopt.explanation.bottleneck import Bottleneck, PathNode
from streamopt.explanation.buffers import Buffering
from streamopt.explanation.question import ChangedProblem, KnownDesign, listed, percent
from streamopt.explanation.source_changes import source_changes
from streamopt.ir.graph import SequentialNode
from streamopt.perf.pipelines.timings import Reason
from streamopt.space.level import LEVELS, LevelName
from streamopt.strategies.solution import Solution

WORTH = 0.01
"""Share of the cycles from which a change is told."""
CLOSE = 0.01
"""Gap up to which a design is said to be done."""
SMALLER_TILES = 4
"""Least trip count of tile loops that is tried where it was larger."""

MOST_TOLD = 4
"""Changes whose gain was found by solving, that are told."""

_ADVICE = {
    Reason.MEMORY_PORTS: "let fewer of an iteration's accesses of {target} meet in a bank: a "
    "dimension for each index that is computed, a copy for each reader, or other lanes",
    Reason.STREAM_PORTS: "let an iteration take fewer elements of {target}",
    Reason.RECURRENCE: "let another loop than that of the sum into {target} be innermost, or sum "
    "into several partial sums",
    Reason.CIRCLE: "the next iteration needs {target}: start it later, by a loop between that "
    "doesn't need it",
    Reason.CHANNEL: "spread {target} over more memory channels: --port {target}=m_axi:HBM[0:3]",
    Reason.TARGET: "ask for a smaller initiation interval",
}


@dataclass(frozen=True, slots=True)
class DesignChange:
    """A change that makes a design faster, or might."""

    advice: str
    """The change."""
    place: SourceLoc | None
    """In the source; None for an option."""
    now_cycles: int
    cycles: int = 0
    """Simulated, of the changed design, which was made; 0 where it wasn't."""
    twice_as_fast_cycles: int = 0
    """Simulated, if the node were twice as fast; 0 for others."""
    problem: ChangedProblem | None = None
    """That was solved; None where none was."""

    @property
    def words(self) -> str:
        """Return the change, its place, and what it gives."""
        place = f"{self.place}: " if self.place is not None else ""
        if self.cycles:
            share = percent(self.now_cycles - self.cycles, self.now_cycles)
            return f"{place}{self.advice} ({self.cycles:,} cycles, {share} less: solved)"
        if self.twice_as_fast_cycles >= self.now_cycles:
            return f"{place}{self.advice} (alone, that changes nothing)"
        if self.twice_as_fast_cycles:
            share = percent(self.now_cycles - self.twice_as_fast_cycles, self.now_cycles)
            return f"{place}{self.advice} (twice as fast there is {share} less)"
        return f"{place}{self.advice}"


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes that are worth it, those with the most certain gain first."""

    each: tuple[DesignChange, ...]
    tried: tuple[str, ...]
    """Options that were tried and gave less than a hundredth."""
    gap: float | None
    """How far the design may be above the optimum of its model, as a share of it; None where
    nothing is proved."""

    @property
    def words(self) -> str:
        """Return the sentence."""
        tried = f" ({listed(list(self.tried))} gave nothing in this work)" if self.tried else ""
        if self.each:
            return f"To change: {'; '.join(change.words for change in self.each)}{tried}."
        return f"There is nothing to change within these limits: {self._reason()}{tried}."

    def _reason(self) -> str:
        match self.gap:
            case None:
                return "no change is known that helps"
            case 0.0:
                return "the design is optimal in its model"
            case gap if gap <= CLOSE:
                return f"{percent(100 * gap, 100)} is left up to the bound"
            case gap:
                return (
                    "no change is known that helps, but a longer search might: the bound leaves "
                    f"up to {percent(100 * gap, 100)}"
                )


def changes(design: KnownDesign, bound_by: Bottleneck, buffered: Buffering) -> Changes:
    """Return the changes of a design; solves the changed problems."""
    each: list[DesignChange] = []
    tried: list[str] = []
    for told, changed in _tries(design):
        found = None if design.ask is None else design.ask(changed)
        if found is None:
            continue
        then = found.simulated_cycles
        if then <= (1 - WORTH) * design.cycles:
            advice = told.advice + _made(design, found)
            each.append(replace(told, cycles=then, advice=advice, problem=changed))
        elif told.place is None and not changed.rewrites:
            tried.append(told.advice)
    each.sort(key=lambda change: change.cycles)
    each = each[:MOST_TOLD]
    each += _sequential(design, bound_by, buffered)
    if not any(change.place is not None and change.cycles for change in each):
        for node in bound_by.nodes:
            each += _interval(design, node)
    gap = float(design.facts.get("gap") or 0.0) if design.facts.get("proof") else None
    return Changes(tuple(each), tuple(tried), gap)


def _tries(design: KnownDesign) -> Iterator[tuple[DesignChange, ChangedProblem]]:
    """Yield changes with the problems that they lead to: options first, then of the source."""
    for option, changed in _options(design):
        yield DesignChange(option, None, design.cycles), changed
    if design.level and not LEVELS[LevelName(design.level)].is_as_built:
        for change in source_changes(design.scheduled.graph):
            told = DesignChange(change.advice, change.place, design.cycles)
            yield told, ChangedProblem(rewrites=(change.rewrite,))


def _options(design: KnownDesign) -> Iterator[tuple[str, ChangedProblem]]:
    """Yield options that other problems have."""
    level = design.level
    if not level:
        dsps = max(1, design.evaluation.resources.total.dsps)
        yield f"streamopt solve --dsp {dsps}", ChangedProblem(level=LevelName.OPT5, dsps=dsps)
        return
    if LEVELS[LevelName(level)].is_as_built:
        return
    if design.number("tiling_limit") > SMALLER_TILES:
        yield f"--tiling-limit {SMALLER_TILES}", ChangedProblem(tiling_limit=SMALLER_TILES)
    if level != LevelName.OPT5:
        yield f"--level {LevelName.OPT5}", ChangedProblem(level=LevelName.OPT5)
    yield f"--level {LevelName.OPT6}", ChangedProblem(level=LevelName.OPT6)


def _made(design: KnownDesign, found: Solution) -> str:
    """Return the rewrites that a solver made."""
    names = [name for name in found.schedule.rewrites if name not in design.schedule.rewrites]
    return f", which makes {listed(names)}" if names else ""


def _sequential(
    design: KnownDesign, bound_by: Bottleneck, buffered: Buffering
) -> Iterator[DesignChange]:
    """Yield sequential nodes of the critical path, and those that others wait for at a cost."""
    graph = design.scheduled.graph
    faster = {name: node.twice_as_fast_cycles for node in bound_by.nodes for name in node.nodes}
    dear = [
        channel
        for channel in buffered.channels
        if (channel.cost_cycles or 0) >= WORTH * design.cycles
    ]
    ends = [name for channel in dear for name in (channel.producer, channel.consumer)]
    for name in dict.fromkeys([*faster, *ends]):
        node = graph.node(name)
        if isinstance(node, SequentialNode):
            why = f" ({node.reason})" if node.reason else ""
            remedy = "" if "declare" in node.reason else f": {_remedy(design, node)}"
            advice = f"{name} is sequential{why}{remedy}"
            yield DesignChange(advice, node.loc, design.cycles, 0, faster.get(name, 0))


def _remedy(design: KnownDesign, node: SequentialNode) -> str:
    if design.level and not LEVELS[LevelName(design.level)].unrolls_sequential:
        return f"--level {LevelName.OPT6} gives lanes to those of its loops that carry nothing"
    if "earlier iteration" in node.reason or "in turns" in node.reason:
        return (
            "its steps wait for each other, so write each step into an array of its own, or put "
            "what doesn't depend on it into other nests"
        )
    return "write every element of its output, once, in a nest of its own"


def _interval(design: KnownDesign, node: PathNode) -> Iterator[DesignChange]:
    """Yield the remedy of an initiation interval above 1 that holds the critical path."""
    graph = design.scheduled.graph
    if node.ii == 1 or not node.is_work:
        return
    if any(isinstance(graph.node(name), SequentialNode) for name in node.nodes):
        return
    process = next(p for p in design.evaluation.network.processes if p.name == node.process)
    bounds = [design.evaluation.timed[p.name].binding for p in process.pipelines]
    binding = max((bound for bound in bounds if bound), key=lambda bound: bound.ii)
    advice = f"{node.name} has II {node.ii} because of {node.reason}: "
    advice += _ADVICE[binding.reason].format(target=binding.target)
    yield DesignChange(advice, node.place, design.cycles, 0, node.twice_as_fast_cycles)
