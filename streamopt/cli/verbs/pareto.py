"""``streamopt pareto``: every schedule that no other beats in latency and DSPs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.output import STDOUT, check_folders, interrupted, put
from streamopt.cli.reading import Reading
from streamopt.errors import Diagnostic, ReportError, SourceLoc, reason
from streamopt.solvers.result import Stop
from streamopt.space.level import LevelName

if TYPE_CHECKING:
    from streamopt.report.record import Record
    from streamopt.strategies.exact.front import Front


def pareto(
    graph_file: a.GraphFile,
    read: Reading,
    dsp: a.Dsp = 2560,
    level: a.Level = LevelName.OPT5,
    tiling_limit: a.TilingLimit = None,
    solver: a.Solver = "auto",
    time_limit: a.TimeLimit = None,
    seed: a.Seed = 0,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="PATH", help="Write the table as CSV.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="PATH", help="Draw the front: .png, .svg or .pdf."),
    ] = None,
    schedules: Annotated[
        Path | None,
        typer.Option("--schedules", metavar="DIR", help="Write a schedule file for every point."),
    ] = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Find the exact Pareto front of latency and DSPs."""
    from streamopt import pipeline
    from streamopt.cli.progress import showing
    from streamopt.report.charts import chart_format
    from streamopt.report.text_tables import csv_text

    form = None if plot is None else chart_format(plot)
    check_folders(csv_file, plot)
    graph = pipeline.dataflow(read.load(graph_file))
    stage = f"front of {graph.name} at {level}"
    with showing(stage, quiet=quiet or as_json) as shown:
        front = pipeline.pareto(
            graph,
            level=level,
            dsp=dsp,
            time_limit=time_limit,
            on_front=None if shown is None else shown.front,
            space=pipeline.Space(tiling_limit=tiling_limit),
            effort=pipeline.Effort(solver=solver, seed=seed),
        )
    rows = pipeline.front_record(front)
    if csv_file is not None:
        put(csv_file, csv_text(rows).encode())
    if plot is not None and form is not None:
        put(plot, _chart(front, form))
    if schedules is not None:
        _write_schedules(front, rows, schedules)
    quiet = quiet or STDOUT in (csv_file, plot)
    if as_json:
        typer.echo(json.dumps(_document(front, rows)))
    elif not quiet:
        _show(front)
    if front.stop is Stop.INTERRUPTED:
        interrupted(f": {len(front.points)} points, {len(front.open_boxes)} parts may hold more")


def _document(front: Front, rows: list[Record]) -> dict[str, object]:
    return {
        "name": front.problem.graph.name,
        "proof": front.proof.value,
        "stop": front.stop.value,
        "solver": front.solver,
        "solve_seconds": round(front.solve_seconds, 4),
        "points": [dict(row) for row in rows],
        "open": [{"latency_cycles": box.cycles, "dsps": box.dsps} for box in front.open_boxes],
    }


def _chart(front: Front, form: str) -> bytes:
    from streamopt.report.log_charts import front_chart, open_spans

    costs = [(point.cycles, point.dsps) for point in front.points]
    open_boxes = open_spans(costs, [(box.cycles, box.dsps) for box in front.open_boxes])
    proved = "exact" if not open_boxes else f"{len(open_boxes)} parts open"
    name, level = front.problem.graph.name, front.problem.level.name
    title = f"{name} at {level}: {len(costs)} schedules, {proved}"
    return front_chart(title, costs, open_boxes, form)


def _write_schedules(front: Front, rows: list[Record], folder: Path) -> None:
    from streamopt.formats.schedule_json import save_schedule_json

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message, place = f"the folder can't be made: {reason(error)}", SourceLoc(str(folder))
        raise ReportError(Diagnostic("E872", message, place, "choose another")) from None
    for point, row in zip(front.points, rows, strict=True):
        path = folder / f"{front.problem.graph.name}_{point.dsps}_dsps.json"
        save_schedule_json(path, point.schedule, row)


def _show(front: Front) -> None:
    from rich.table import Table

    from streamopt.cli.printing import print_tables
    from streamopt.report.proof import STOPS

    problem = front.problem
    name, level = problem.graph.name, problem.level.name
    table = Table(title=f"{name} at {level}, up to {problem.space.dsp_limit} DSPs")
    table.add_column("latency (cycles)", justify="right")
    table.add_column("DSPs", justify="right")
    table.add_column("proof")
    for point in front.points:
        bounds = f"latency >= {point.bound_cycles}, DSPs >= {point.bound_dsps}"
        words = "on the front (proved)" if point.is_proved else bounds
        table.add_row(str(point.cycles), str(point.dsps), words)
    print_tables(table)
    if front.open_boxes:
        typer.echo(f"{len(front.open_boxes)} parts may hold more; {STOPS[front.stop.value]}:")
        for box in front.open_boxes:
            typer.echo(f"  within {box.cycles} cycles and {box.dsps} DSPs")
    else:
        typer.echo(f"this is the whole front (proved in {front.solve_seconds:.2f} s)")
