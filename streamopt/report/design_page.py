"""The report of one design: what was decided, what is proved, and how it runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from streamopt.errors import DesignWarning
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.report.design_document import (
    MOST_RUNS,
    DesignView,
    SourceExcerpt,
    fifo_views,
    node_views,
    process_views,
    segment_views,
)
from streamopt.report.gantt import gantt, occupancy_chart
from streamopt.report.graph.chart import dataflow_chart
from streamopt.report.graph.drawing import scheduled_svg
from streamopt.report.graph.picture import channel_bits
from streamopt.report.log_charts import Roofline, roofline_chart
from streamopt.report.loops import loops_text
from streamopt.report.page import Page, Picture, Section, Table, content
from streamopt.report.proof import Facts, proof_facts
from streamopt.report.resource_bars import resource_chart
from streamopt.report.views.front import FrontFacts, front_section, front_view
from streamopt.report.views.resources import resource_limits, resources_html, share_words
from streamopt.sim import Trace
from streamopt.target.device import Target
from streamopt.target.resources import RESOURCE_WORDS, Resources


@dataclass(frozen=True, slots=True)
class DesignFacts:
    """All that a report of one design tells."""

    scheduled: ScheduledGraph
    facts: Facts
    """Figures by the schedule's maker; empty where nothing is known."""
    predicted: Mapping[str, tuple[int, int, int]]
    """Start, first write and last write of every process by the closed form, in cycles."""
    predicted_cycles: int
    """Latency by the closed form."""
    # node_facts, bodies: by node: II, lanes and the like in words, and statements
    node_facts: Mapping[str, str]
    bodies: Mapping[str, Sequence[str]]
    trace: Trace
    """With samples."""
    used: Resources
    target: Target
    roofline: Roofline
    hardware: tuple[tuple[str, str], ...] = ()
    """Cycles, milliseconds and shares of a region: pairs of a label and words."""
    warnings: tuple[DesignWarning, ...] = ()
    """To be known before it is built."""
    front: FrontFacts | None = None
    sources: Mapping[str, SourceExcerpt] = field(default_factory=dict[str, SourceExcerpt])
    """By node: its place and lines."""
    functions: Mapping[str, str] | str = ""
    """Emitted C++ by node, or why there is none."""
    label: str = ""
    """Its name among other designs of the page."""
    verdict: tuple[str, ...] = ()
    """The sentences on top."""


FUNCTION_CHARACTERS = 1_000_000
"""C++ that one page shows at most of designs beside the first."""
LEFT_OUT = "Left out, as it would make the page too large: `streamopt emit` writes it."


def design_page(found: DesignFacts, others: Sequence[DesignFacts] = ()) -> Page:
    """Return the report of a design.

    Parameters
    ----------
    others
        Further designs that a reader can look at in the same page: points of a front.
    """
    designs = (found, *others)
    pages = [_content(each) for each in designs]
    texts = {t for d in designs if not isinstance(d.functions, str) for t in d.functions.values()}
    has_room = sum(map(len, texts)) <= FUNCTION_CHARACTERS
    runs = [MOST_RUNS // 2, *(MOST_RUNS // 2 // len(others) for _ in others)]
    views = [
        _view(
            each if has_room or each is found else replace(each, functions=LEFT_OUT),
            most_runs,
            {"page": content(page)} if each is not found else {},
        )
        for each, page, most_runs in zip(designs, pages, runs, strict=True)
    ]
    if found.front is not None:
        views[0] = replace(views[0], views={**views[0].views, "front": front_view(found.front)})
    return replace(pages[0], designs=tuple(views))


def _content(found: DesignFacts) -> Page:
    """Return title, words and tables of a design."""
    level = found.facts.get("level")
    title = f"{found.trace.network} at {level}" if level else found.trace.network
    device = found.target
    sections = [_warnings(found)]
    if found.front is not None:
        sections.append(front_section(found.trace.network, found.front))
    sections += [_run(found), _occupancy(found), _dataflow(found), _resources(found)]
    sections += [_roofline(found), _proof(found)]
    listing = loops_text(found.scheduled, found.node_facts, found.bodies)
    sections.append(Section("schedule", "The schedule as loops", listing=listing))
    lead = f"{len(found.scheduled.nodes)} nodes and {len(found.scheduled.channels)} channels on "
    lead += f"{device.name} ({device.part}) at {device.clock_ns:g} ns."
    return Page(title, lead, _figures(found), tuple(sections), found.verdict)


def _view(found: DesignFacts, most_runs: int, views: Mapping[str, Any]) -> DesignView:
    """Return the values of a design that scripts draw.

    Parameters
    ----------
    most_runs
        Of all processes, and again of all FIFOs.
    """
    trace, line = found.trace, found.roofline
    roofline = {"work": line.work_dsp_cycles, "dsps": found.used.dsps, "limits": line.limits}
    return DesignView(
        trace.network,
        found.label,
        trace.cycles,
        trace.total_cycles,
        process_views(trace, found.predicted, most_runs),
        fifo_views(trace, found.scheduled, most_runs),
        segment_views(trace),
        node_views(found.scheduled, found.node_facts, found.bodies, found.sources, found.functions),
        {"roofline": roofline, **views},
    )


def _figures(found: DesignFacts) -> tuple[tuple[str, str], ...]:
    figures = [*found.hardware, ("predicted", f"{found.predicted_cycles:,} cycles")]
    if found.facts.get("proof"):
        within = f"gap {100 * float(found.facts.get('gap') or 0):.2f} %"
        level = found.facts.get("level") or "solved"
        words = {"optimal": f"optimal in the {level} model", "claimed": "claimed optimal"}
        figures.append(("proof", words.get(str(found.facts["proof"]), within)))
    return tuple(figures)


def _warnings(found: DesignFacts) -> Section:
    if not found.warnings:
        return Section("warnings", "Warnings", ("There are none.",))
    rows = tuple(
        (
            each.code,
            each.words,
            each.cause,
            each.remedy,
            "" if each.place is None else str(each.place),
        )
        for each in found.warnings
    )
    table = Table(
        "Before it is built", ("code", "what", "why", "remedy", "place"), rows, is_open=True
    )
    return Section("warnings", "Warnings", tables=(table,))


def _proof(found: DesignFacts) -> Section:
    pairs = proof_facts(found.facts)
    if not pairs:
        words = "The schedule was not solved for, or its file lost what solve said: no proof."
        return Section("proof", "Proof", (words,))
    words = "What was proved is of the model that was solved; simulation is independent of it."
    table = Table("What was asked and proved", ("what", "value"), pairs, is_open=True)
    told = found.facts.get("simulated_cycles")
    changed = told is not None and told != found.trace.cycles
    warning = f"Schedule or target changed since: it was simulated at {told} cycles then."
    return Section("proof", "Proof", (words, *([warning] if changed else [])), tables=(table,))


def _dataflow(found: DesignFacts) -> Section:
    rows = tuple(
        (
            c.edge.channel,
            c.edge.producer,
            c.edge.consumer,
            c.kind.value.replace("_", "-"),
            f"{channel_bits(found.scheduled, c):,}",
            f"{c.depth_elems:,}" if c.depth_elems else "-",
        )
        for c in found.scheduled.channels
    )
    header = ("channel", "from", "to", "kind", "bits at once", "depth of a stream")
    nodes = tuple(
        (n.node.name, found.node_facts.get(n.node.name, "")) for n in found.scheduled.nodes
    )
    return Section(
        "dataflow",
        "Dataflow graph",
        picture=Picture("dataflow", partial(dataflow_chart, found.scheduled, found.node_facts)),
        tables=(Table("Channels", header, rows), Table("Nodes", ("node", "as built"), nodes)),
        has_view=True,
        drawing=scheduled_svg(found.scheduled, found.node_facts),
    )


def _run(found: DesignFacts) -> Section:
    trace = found.trace
    rows: list[tuple[str, ...]] = []
    for process in trace.processes:
        form = found.predicted.get(process.name)
        rows.append(
            (
                process.name,
                *map(_span, (process.starts[:1] + process.ends[:1], process.fifo_reads)),
                _span(process.fifo_writes),
                f"{process.empty_cycles:,}",
                f"{process.full_cycles:,}",
                f"{process.buffer_cycles:,}",
                _span(form and (form[0], form[2])),
            )
        )
    header = ("process", "runs", "reads FIFOs", "writes FIFOs", "waits: input", "room", "buffer")
    words = "Simulated cycle by cycle; the thin lines are the closed form, which the simulator "
    words += "doesn't know."
    return Section(
        "run",
        "Run, predicted and simulated",
        (words,),
        Picture("gantt", partial(gantt, trace, found.predicted)),
        (Table("Processes, in cycles", (*header, "closed form"), tuple(rows)),),
        has_view=True,
    )


def _span(span: Sequence[int] | None) -> str:
    return "-" if not span else " to ".join(f"{cycle:,}" for cycle in span)


def _occupancy(found: DesignFacts) -> Section:
    if not found.trace.fifos:
        words = "There are none: no node hands elements to another as a stream."
        return Section("fifos", "FIFO occupancy", (words,), has_view=True)
    rows = tuple(
        (f.name, f"{f.tokens:,}", f"{f.peak_elems:,}", f"{f.depth_elems:,}")
        for f in found.trace.fifos
    )
    header = ("FIFO", "tokens", "most in a stream", "depth of a stream")
    return Section(
        "fifos",
        "FIFO occupancy",
        ("The upper border of a row is the depth of its FIFO.",),
        Picture("fifos", partial(occupancy_chart, found.trace)),
        (Table("FIFOs", header, rows),),
        has_view=True,
    )


def _resources(found: DesignFacts) -> Section:
    channels = [name for plan in found.scheduled.schedule.ports for name in plan.channels]
    limits = resource_limits(found.target, channels)
    rows = tuple(
        (
            title,
            f"{getattr(found.used, kind):,}",
            *(
                share_words(getattr(found.used, kind), getattr(budget, kind))
                for _, budget in limits.values()
            ),
        )
        for kind, title in RESOURCE_WORDS.items()
    )
    header = ("resource", "used", *(f"{words} ({fit})" for fit, (words, _) in limits.items()))
    over = found.used.over(found.target.total)
    titles = ", ".join(RESOURCE_WORDS[kind] for kind in over)
    words = [f"More than the device has: {titles}."] if over else []
    return Section(
        "resources",
        "Resources (estimated)",
        tuple(words),
        Picture("resources", partial(resource_chart, found.used, found.target)),
        (Table("Resources", header, rows),),
        has_view=True,
        drawing=resources_html(found.used, found.target, channels),
    )


def _roofline(found: DesignFacts) -> Section:
    work = found.roofline.work_dsp_cycles
    rows = tuple(
        (
            name,
            f"{dsps:,}",
            f"{cycles:,}",
            f"{work / dsps:,.0f}" if work and dsps else "-",
            f"{cycles * dsps / work:.2f} x" if work and dsps else "-",
        )
        for name, dsps, cycles in found.roofline.designs
    )
    words = "With the DSPs of a multiply-accumulate, 5 in single precision, no design is below the "
    words += "line; operators that are built from LUTs can bring one there."
    header = ("design", "DSPs as built", "simulated cycles", "cycles of the line", "ratio")
    return Section(
        "roofline",
        "MACs on busy DSPs",
        (words if work else "Nothing is multiplied and accumulated: there is no such line.",),
        Picture("roofline", partial(roofline_chart, found.roofline)),
        (Table("Designs", header, rows),),
        has_view=True,
    )
