"""``streamopt simulate``: the cycles of a schedule, or of a published design."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.output import check_folders
from streamopt.cli.reading import Reading
from streamopt.errors import DesignWarning, Diagnostic, VerificationError
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.evaluation.design import Evaluation, Simulated
    from streamopt.verification.compare import DesignVerdict


def simulate(
    graph_file: Annotated[
        str,
        typer.Argument(
            metavar="GRAPH", help="graph.json or a source; without --schedule a published design."
        ),
    ],
    read: Reading,
    schedule_file: a.ScheduleFile = None,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    operators: a.Operators = None,
    rtl: Annotated[
        bool, typer.Option("--rtl", help="Measure the schedule in Verilator, too, as our Verilog.")
    ] = False,
    frames: Annotated[int, typer.Option("--frames", help="Number of consecutive frames.")] = 1,
    flushable: Annotated[
        bool,
        typer.Option(
            "--flushable", help="Simulate flushable pipelines, which an empty input does not stall."
        ),
    ] = False,
    gantt_file: Annotated[
        Path | None, typer.Option("--gantt", metavar="PATH", help="Chart as .png, .svg or .pdf.")
    ] = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Simulate a design cycle by cycle; report stalls, FIFO occupancy and resources."""
    from streamopt.cli.printing import print_warnings
    from streamopt.evaluation.design import Simulated
    from streamopt.report.charts import chart_format
    from streamopt.report.gantt import SAMPLES

    form = None if gantt_file is None else chart_format(gantt_file)
    check_folders(gantt_file)
    samples = 0 if form is None else SAMPLES
    on = a.target(device, clock_ns, operators, is_verilog=rtl)
    simulated = Simulated(frames, flushable, samples)
    found, warned = _found(graph_file, read, schedule_file, on, simulated)
    measured = _measured(graph_file, read, schedule_file, frames) if rtl else None
    if gantt_file is not None and form is not None:
        _draw(found, gantt_file, form)
    if as_json:
        from streamopt.pipeline.flat_records import trace_record, warning_records

        record = trace_record(found)
        if measured is not None:
            record["measured_cycles"] = measured.measured_cycles
            record["measured_interval_cycles"] = measured.measured_interval_cycles
        typer.echo(json.dumps({**record, "warnings": warning_records(warned)}))
    elif not quiet:
        _show(found)
        print_warnings(warned)
        if measured is not None:
            typer.echo(f"{measured.measured_cycles:,} cycles measured in Verilator")
            if (apart := measured.measured_interval_cycles) is not None:
                typer.echo(f"{apart:,} cycles between frames measured in Verilator")
        if gantt_file is not None:
            typer.echo(f"wrote {gantt_file}")


def _measured(
    graph_file: str, read: Reading, schedule_file: Path | None, frames: int
) -> DesignVerdict:
    """Return the verdict of Verilator on a schedule; raises E734 without one."""
    from streamopt import pipeline
    from streamopt.pipeline.open_tools.measuring import measured

    if schedule_file is None:
        hint = "give one from `streamopt solve` with --schedule"
        raise VerificationError(Diagnostic("E734", "--rtl is for a schedule", hint=hint))
    verdict = measured(read.load(graph_file), pipeline.load_schedule(schedule_file), frames)
    if not verdict.passed:
        raise VerificationError(Diagnostic("E735", f"the Verilog is wrong: {verdict}"))
    return verdict


def _found(
    graph_file: str, read: Reading, schedule_file: Path | None, on: Target, how: Simulated
) -> tuple[Evaluation, tuple[DesignWarning, ...]]:
    """Return a design as built, and its warnings; a published one where there is no schedule."""
    from streamopt import pipeline
    from streamopt.transforms.apply import planned_graph
    from streamopt.warnings.solution import design_warnings

    if schedule_file is None:
        network = pipeline.load_design(graph_file).network
        found = pipeline.evaluate_network(network, on, **asdict(how))
        return found, design_warnings(None, found)
    graph = pipeline.dataflow(read.load(graph_file))
    schedule = pipeline.load_schedule(schedule_file)
    found = pipeline.evaluate(graph, schedule, on, **asdict(how))
    return found, design_warnings(planned_graph(graph, schedule), found)


def _draw(found: Evaluation, path: Path, form: str) -> None:
    from streamopt.files import write_file
    from streamopt.report.gantt import gantt

    write_file(path, gantt(found.trace, found.predicted_spans(), form))


def _show(found: Evaluation) -> None:
    from streamopt.cli.printing import print_tables
    from streamopt.cli.tables import (
        fifo_table,
        process_table,
        resource_table,
        run_table,
    )

    print_tables(
        run_table(found), process_table(found), fifo_table(found.trace), resource_table(found)
    )
