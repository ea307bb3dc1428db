"""The document that a page draws its designs from: typed values, and their JSON.

A page holds a list of designs: one, or each proved point of a front. Its scripts draw the one that
is chosen, and draw again when another is; `streamopt/report/data/store.js` says how.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from streamopt.ir.scheduled import ScheduledGraph
from streamopt.report.loops import node_loops
from streamopt.report.series import Series, heights, shares
from streamopt.report.views.sharing import shared
from streamopt.sim import PathCause, ProcessTrace, Trace, WaitKind

SAMPLES = 16384
"""Spans of the run that are simulated apart; a shorter run is shown cycle by cycle."""
MOST_RUNS = 40_000
"""Runs of all processes, and again of all FIFOs, on one page: about a megabyte."""
LEAST_RUNS = 120
"""Runs that a process or FIFO may always have."""


@dataclass(frozen=True, slots=True)
class WaitView:
    """Something that a process waits for: ``input``, ``room`` or ``buffer``, of what, of whom."""

    kind: str
    of: str
    peer: str
    cycles: int


@dataclass(frozen=True, slots=True)
class ProcessView:
    """A row of the Gantt chart."""

    name: str
    nodes: tuple[str, ...]
    frames: tuple[tuple[int, int], ...]
    """First cycle, and first cycle after the last, of each frame."""
    # reads, writes: cycles of the first and last access to FIFOs
    reads: tuple[int, int] | None
    writes: tuple[int, int] | None
    form: tuple[int, int, int] | None
    """Start, first write and last write by the closed form."""
    waits: tuple[WaitView, ...]
    series: Series
    """Percent at work, then of each of ``waits``."""


@dataclass(frozen=True, slots=True)
class FifoView:
    """A row of the occupancy chart; ``series`` has the most slots in use of any stream."""

    name: str
    producer: str
    consumer: str
    depth_elems: int
    peak_elems: int
    tokens: int
    series: Series


@dataclass(frozen=True, slots=True)
class SegmentView:
    """A part of the critical path: a process is what all wait for, because of ``cause``."""

    process: str
    start_cycle: int
    end_cycle: int
    cause: str
    of: str


@dataclass(frozen=True, slots=True)
class SourceExcerpt:
    """The place of a node in its source."""

    place: str = ""
    """As editors have it: ``kernel.c:12:5``; empty if the node has none."""
    first_line: int = 0
    """Number of the first of ``lines``; ``line`` is the number of the node's own."""
    line: int = 0
    lines: tuple[str, ...] = ()
    missing: str = ""
    """Why there is no text; empty where there is."""


@dataclass(frozen=True, slots=True)
class NodeView:
    """A node: where it comes from, its loops as scheduled, and its C++ (or why there is none)."""

    name: str
    facts: str
    source: SourceExcerpt
    loops: str
    cpp: str
    cpp_missing: str = ""


@dataclass(frozen=True, slots=True)
class DesignView:
    """All that the scripts of a page need of one design."""

    name: str
    label: str
    """Of the design among others: a point of a front."""
    cycles: int
    total_cycles: int
    processes: tuple[ProcessView, ...]
    fifos: tuple[FifoView, ...]
    critical: tuple[SegmentView, ...]
    nodes: tuple[NodeView, ...]
    views: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """By name: what other drawings need."""


def process_views(
    trace: Trace, predicted: Mapping[str, tuple[int, int, int]], most_runs: int = MOST_RUNS
) -> tuple[ProcessView, ...]:
    """Return the rows of the Gantt chart of a run with samples."""
    most = max(LEAST_RUNS, most_runs // max(1, len(trace.processes)))
    return tuple(_process(each, trace, predicted.get(each.name), most) for each in trace.processes)


def _process(
    process: ProcessTrace, trace: Trace, form: tuple[int, int, int] | None, most_runs: int
) -> ProcessView:
    frames = tuple(zip(process.starts, process.ends, strict=False))
    waits = process.waits
    return ProcessView(
        process.name,
        tuple(dict.fromkeys(pipeline.name for pipeline in process.pipelines)),
        frames,
        process.fifo_reads,
        process.fifo_writes,
        form,
        tuple(WaitView(WAITS[w.kind], w.of, w.peer, w.cycles) for w in waits),
        shares(
            frames,
            [(wait.span_cycles, wait.kind is not WaitKind.BUFFER) for wait in waits],
            trace.total_cycles,
            most_runs,
        ),
    )


WAITS = {WaitKind.EMPTY: "input", WaitKind.FULL: "room", WaitKind.BUFFER: "buffer"}


CAUSES = {
    PathCause.START: "the run starts",
    PathCause.INPUT: "it waited for input",
    PathCause.ROOM: "it waited for room",
    PathCause.BUFFER: "it waited for a buffer",
    PathCause.TURN: "it was busy before",
}


def segment_views(trace: Trace) -> tuple[SegmentView, ...]:
    """Return the critical path of a run with samples."""
    return tuple(
        SegmentView(each.process, each.start_cycle, each.end_cycle, CAUSES[each.cause], each.of)
        for each in trace.critical_path
    )


def fifo_views(
    trace: Trace, scheduled: ScheduledGraph, most_runs: int = MOST_RUNS
) -> tuple[FifoView, ...]:
    """Return the rows of the occupancy chart of a run with samples."""
    ends = {c.edge.channel: (c.edge.producer, c.edge.consumer) for c in scheduled.channels}
    most = max(LEAST_RUNS, most_runs // max(1, len(trace.fifos)))
    return tuple(
        FifoView(
            fifo.name,
            *ends.get(fifo.name, ("", "")),
            fifo.depth_elems,
            fifo.peak_elems,
            fifo.tokens,
            heights(fifo.occupancy_elems, trace.total_cycles, most),
        )
        for fifo in trace.fifos
    )


def node_views(
    scheduled: ScheduledGraph,
    facts: Mapping[str, str],
    bodies: Mapping[str, Sequence[str]],
    sources: Mapping[str, SourceExcerpt],
    functions: Mapping[str, str] | str,
) -> tuple[NodeView, ...]:
    """Return the contents of the panel of each node.

    Parameters
    ----------
    functions
        C++ by node, or the reason why there is none.
    """
    missing = functions if isinstance(functions, str) else ""
    known: Mapping[str, str] = {} if isinstance(functions, str) else functions
    return tuple(
        NodeView(
            name,
            facts.get(name, ""),
            sources.get(name, SourceExcerpt()),
            node_loops(scheduled, node, facts, bodies),
            known.get(name, ""),
            missing,
        )
        for node in scheduled.nodes
        for name in (node.node.name,)
    )


def script_json(document: Any) -> str:
    """Return JSON that can stand in a script element whatever the names in it are."""
    text = json.dumps(document, separators=(",", ":"), sort_keys=True)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def designs_json(designs: Sequence[DesignView], values: Mapping[str, Any] | None = None) -> str:
    """Return the document of a page with these designs; several share what is equal."""
    found = {**(values or {}), "designs": [asdict(design) for design in designs]}
    return script_json(shared(found) if len(designs) > 1 else found)
