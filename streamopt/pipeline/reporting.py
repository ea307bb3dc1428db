"""Reports: a design, or several ways to one, as a page and as pictures for papers."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.errors import CodegenError, Diagnostic, ReportError, SourceLoc, reason
from streamopt.evaluation.design import Evaluation
from streamopt.files import read_text
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import Schedule
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.options import checked
from streamopt.pipeline.evaluating import evaluate
from streamopt.pipeline.flat_records import record
from streamopt.pipeline.reading import dataflow
from streamopt.report.proof import Facts
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.explanation.question import KnownDesign
    from streamopt.pipeline.sources.readers import Readable
    from streamopt.report.design_page import DesignFacts
    from streamopt.report.log_charts import Roofline
    from streamopt.report.page import Page
    from streamopt.report.views.front import FrontFacts
    from streamopt.strategies.exact.front import Front, FrontPoint
    from streamopt.strategies.solution import Solution


@dataclass(frozen=True, slots=True)
class Report:
    """A report; it is drawn when it is written or shown."""

    page: Page

    def html(self) -> str:
        """Return the report as one HTML file, which needs no other and no network."""
        from streamopt.report.page import html

        return html(self.page)

    def write(self, path: str | PathLike[str]) -> Path:
        """Write the report; raises FrontendError (E116) where the system refuses."""
        from streamopt.files import write_file

        write_file(Path(path), self.html().encode())
        return Path(path)

    def write_figures(self, directory: str | PathLike[str], form: str = "pdf") -> tuple[Path, ...]:
        """Write every picture as a file of its own, for papers.

        Parameters
        ----------
        form
            ``svg``, ``png`` or ``pdf``.

        Raises
        ------
        ReportError
            E871 for another format, E872 where the directory can't be made.
        """
        from streamopt.files import write_file
        from streamopt.report.charts import chart_format

        folder = Path(directory)
        paths = [folder / f"{picture.name}.{form}" for picture in self.page.pictures]
        for path in paths:
            chart_format(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"the directory can't be made: {reason(error)}"
            place = SourceLoc(str(folder))
            raise ReportError(Diagnostic("E872", message, place, "choose another")) from None
        for picture, path in zip(self.page.pictures, paths, strict=True):
            write_file(path, picture.draw(form))
        return tuple(paths)

    def __repr__(self) -> str:
        """Return the title on one line."""
        return f"<Report: {self.page.title}>"

    def _repr_html_(self) -> str:
        """Show the report in a notebook, in a frame, so that its styles stay its own."""
        from html import escape

        style = "width: 100%; height: 40rem; border: 0"
        return f'<iframe title="{escape(self.page.title)}" style="{style}" srcdoc="' + (
            f'{escape(self.html())}"></iframe>'
        )


@checked()
def report_solution(
    solution: Solution, device: Target | None = None, *, front: Front | None = None
) -> Report:
    """Return the report of a solution: see `report_design`.

    Parameters
    ----------
    solution
        From `solve`.
    device
        The target; the U280 where not given.
    front
        From `streamopt.pareto`, for its curve.
    """
    graph = solution.problem.graph
    design = known_to_report(graph, solution.schedule, device, record(solution))
    return report_of(graph, design, front)


@checked()
def report_design(
    graph: Readable,
    schedule: Schedule,
    device: Target | None = None,
    *,
    result: Facts | None = None,
    front: Front | None = None,
) -> Report:
    """Return the report of a schedule, which is simulated for it.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    schedule
        From `solve`, `load_schedule` or by hand.
    device
        The target; the U280 where not given.
    result
        What is known of the schedule: `streamopt.record`, or `load_result`.
    front
        From `streamopt.pareto`, for its curve.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    DeadlockError
        If the design comes to a standstill.
    """
    graph = dataflow(graph)
    return report_of(graph, known_to_report(graph, schedule, device, result or {}), front)


def known_to_report(
    graph: Graph, schedule: Schedule, device: Target | None, result: Facts
) -> KnownDesign:
    """Return a design whose run is simulated as a page shows it."""
    from streamopt.pipeline.explaining import known_design
    from streamopt.report.design_document import SAMPLES

    found = evaluate(graph, schedule, device, samples=SAMPLES)
    return known_design(graph, schedule, found, result)


def report_of(graph: Graph, design: KnownDesign, front: Front | None = None) -> Report:
    """Return the report of a design that `known_to_report` has simulated."""
    from streamopt.report.design_page import design_page

    found = _facts(graph, design, is_first=True)
    if front is None:
        return Report(design_page(found))
    own, on = _own_point(front, design.schedule, design.facts), design.evaluation.target
    others = [_point(front, point, on) for at, point in enumerate(front.points) if at != own]
    return Report(design_page(replace(found, front=_front(front, own)), others))


def _own_point(front: Front, schedule: Schedule, result: Facts) -> int | None:
    """Return the point of a front that a schedule is, or is as good as in the same model."""
    cost = (result.get("objective_cycles"), result.get("dsps_used"))
    is_same_model = result.get("level") == front.problem.level.name
    for at, point in enumerate(front.points):
        is_as_good = is_same_model and (point.cycles, point.dsps) == cost
        if point.schedule == schedule or is_as_good:
            return at
    return None


def _point(front: Front, point: FrontPoint, device: Target) -> DesignFacts:
    """Return the facts of a design of a front; sizing its FIFOs would take several runs more."""
    problem = front.problem
    gap = 1 - point.bound_cycles / point.cycles if point.cycles else 0.0
    known: Facts = {
        "level": problem.level.name.value,
        "objective": "latency for these DSPs",
        "proof": "optimal" if point.is_proved else "feasible",
        "stop": front.stop.value,
        "gap": gap,
        "objective_cycles": point.cycles,
        "bound_cycles": point.bound_cycles,
        "dsps_used": point.dsps,
        "dsp_limit": point.dsps,
        "solver": front.solver,
        "solve_seconds": front.solve_seconds,
    }
    design = known_to_report(problem.graph, point.schedule, device, known)
    return _facts(problem.graph, design, is_first=False)


def _facts(graph: Graph, design: KnownDesign, *, is_first: bool) -> DesignFacts:
    """Return all that a report tells of one design; of the first, what to change, too."""
    from streamopt.report.design_page import DesignFacts
    from streamopt.report.loops import node_facts
    from streamopt.report.source_excerpts import source_excerpts

    found, scheduled = design.evaluation, design.scheduled
    assert found.predicted is not None
    dsps = found.resources.total.dsps
    return DesignFacts(
        scheduled,
        design.facts,
        found.predicted_spans(),
        found.predicted.latency_cycles,
        node_facts(found.predicted, found.slrs),
        {node.node.name: node.node.texts for node in scheduled.nodes},
        found.trace,
        found.resources.total,
        found.target,
        _roofline(graph, found),
        found.headline.facts,
        design.warnings,
        None,
        source_excerpts(node.node for node in scheduled.nodes),
        _functions(scheduled),
        f"{found.trace.cycles:,} cycles, {dsps:,} DSPs",
        _verdict(design, is_first=is_first),
    )


def _verdict(design: KnownDesign, *, is_first: bool) -> tuple[str, ...]:
    """Return the sentences on top of a page, for which nothing is solved; places have no folder."""
    from streamopt.explanation.bottleneck import bottleneck
    from streamopt.explanation.explanation import explained_design
    from streamopt.explanation.verdict import standing

    if is_first:
        found = explained_design(design)
        parts = (found.standing, found.bottleneck, found.buffering, found.changes)
    else:
        parts = (standing(design), bottleneck(design))
    sentences = tuple(part.words for part in parts)
    for file in {node.node.loc.file for node in design.scheduled.nodes if node.node.loc}:
        sentences = tuple(words.replace(f"{file}:", f"{Path(file).name}:") for words in sentences)
    return sentences


def _functions(scheduled: ScheduledGraph) -> dict[str, str] | str:
    """Return the C++ of every node, or why it can't be written."""
    from streamopt.codegen.layout import plan_layout
    from streamopt.codegen.processes.process import node_texts

    try:
        return node_texts(plan_layout(scheduled))
    except CodegenError as error:
        return str(error.diagnostics[0])


def _roofline(graph: Graph, found: Evaluation) -> Roofline:
    from streamopt.perf.paper.dsp import roofline_dsp_cycles
    from streamopt.report.log_charts import Roofline
    from streamopt.report.resource_bars import budgets

    used = found.resources.total.dsps
    return Roofline(
        roofline_dsp_cycles(graph),
        ((graph.name, used, found.trace.cycles),),
        tuple((name, budget.dsps) for name, budget in budgets(found.target)),
    )


def _front(front: Front, own: int | None) -> FrontFacts:
    from streamopt.report.log_charts import open_spans
    from streamopt.report.views.front import FrontFacts

    points = tuple((point.cycles, point.dsps, point.is_proved) for point in front.points)
    costs = [(point.cycles, point.dsps) for point in front.points]
    boxes = [(box.cycles, box.dsps) for box in front.open_boxes]
    return FrontFacts(points, tuple(open_spans(costs, boxes)), own)


@checked()
def report_rows(rows: Sequence[Facts]) -> Report:
    """Return the report of a comparison: of the rows of `streamopt.records`.

    Parameters
    ----------
    rows
        From `streamopt.records`, or `load_rows`.

    Raises
    ------
    ReportError
        E873 if they are none, or not such rows.
    """
    from streamopt.report.comparison_page import comparison_page

    if not rows or not all({"name", "roofline_cycles"} <= set(row) for row in rows):
        message = "these are no rows of a comparison"
        hint = "take the file of streamopt compare --csv"
        raise ReportError(Diagnostic("E873", message, hint=hint))
    return Report(comparison_page(rows))


@checked()
def load_rows(path: str | PathLike[str]) -> list[dict[str, str | int | float | None]]:
    """Return the rows of a CSV file that ``streamopt compare`` wrote.

    Parameters
    ----------
    path
        Of the CSV file.

    Raises
    ------
    ReportError
        E873 if it can't be read.
    """
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        place = SourceLoc(str(path))
        message = f"no rows can be read: {reason(error)}"
        raise ReportError(Diagnostic("E873", message, place)) from None
    return [dict(row) for row in csv.DictReader(StringIO(text))]


@checked()
def load_result(path: str | PathLike[str]) -> dict[str, str | int | float | None]:
    """Return the result that a schedule.json holds; empty if it has none.

    Parameters
    ----------
    path
        Of the schedule's file.

    Raises
    ------
    FrontendError
        If the file can't be read as a schedule.
    """
    from streamopt.formats.schedule_json import load_result_json

    return load_result_json(Path(path))
