"""``streamopt report``: a design, or a comparison, as one HTML file and as pictures."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.output import STDOUT, put, settled
from streamopt.cli.reading import Reading, design_places, stem
from streamopt.ir.graph import Graph

if TYPE_CHECKING:
    from streamopt.pipeline.reporting import Report
    from streamopt.report.proof import Facts
    from streamopt.strategies.exact.front import Front


class FigureFormat(StrEnum):
    """Formats of pictures for papers."""

    SVG = "svg"
    PNG = "png"
    PDF = "pdf"


def report(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A project; graph.json or a source, with --schedule; or rows of compare --csv.",
        ),
    ],
    read: Reading,
    schedule_file: a.ScheduleFile = None,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="PATH", help="The page.  [default: <source>.html]"),
    ] = None,
    force: a.Force = False,
    pareto: Annotated[
        bool,
        typer.Option("--pareto", help="Add the Pareto front of latency and DSPs (takes seconds)."),
    ] = False,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="DIR", help="Write the pictures as files.")
    ] = None,
    form: Annotated[
        FigureFormat, typer.Option("--format", help="Of --figures.")
    ] = FigureFormat.PDF,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    time_limit: a.TimeLimit = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Write one HTML page of a design: graph, run, FIFOs, resources, loops and proof."""
    from streamopt import pipeline
    from streamopt.report.charts import require_charts

    if figures is not None:
        require_charts()  # and not after a front has been traced
    to = settled(output, f"{stem(source)}.html", force=force)
    if Path(source).suffix.lower() == ".csv":
        found = pipeline.report_rows(pipeline.load_rows(source))
    else:
        graph_file, planned = design_places(source, schedule_file)
        graph, on = pipeline.dataflow(read.load(graph_file)), pipeline.device(device, clock_ns)
        schedule, facts = pipeline.load_schedule(planned), pipeline.load_result(planned)
        front = _front(graph, facts, time_limit, quiet or as_json) if pareto else None
        found = pipeline.report_design(graph, schedule, on, result=facts, front=front)
    _write(found, to, (figures, form), as_json=as_json, quiet=quiet)


def _front(graph: Graph, facts: Facts, time_limit: float | None, quiet: bool) -> Front:
    """Return the front at the level and limits that the schedule was solved for."""
    from streamopt import pipeline
    from streamopt.cli.progress import showing
    from streamopt.space.level import LEVELS, LevelName

    level = LevelName(str(facts.get("level") or LevelName.OPT5))
    if LEVELS[level].is_as_built:  # opt6 has no fronts: the paper's best is the nearest
        level = LevelName.OPT5
        facts = {}
    limit = facts.get("tiling_limit")
    with showing(f"front of {graph.name}", quiet=quiet) as shown:
        return pipeline.pareto(
            graph,
            level=level,
            dsp=int(facts.get("dsp_limit") or 2560),
            time_limit=time_limit,
            on_front=None if shown is None else shown.front,
            space=pipeline.Space(tiling_limit=None if limit is None else int(limit)),
        )


def _write(
    found: Report, output: Path, pictures: tuple[Path | None, str], *, as_json: bool, quiet: bool
) -> None:
    folder, form = pictures
    put(output, found.html().encode())
    written = [output]
    if folder is not None:
        written += found.write_figures(folder, form)
    if as_json:
        row = {"title": found.page.title, "files": [str(path) for path in written]}
        typer.echo(json.dumps(row))
    elif not quiet and output != STDOUT:
        typer.echo(f"wrote {', '.join(map(str, written))}")
