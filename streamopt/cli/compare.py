"""``streamopt compare``: the levels side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.errors import Diagnostic, FrontendError
from streamopt.space.level import LevelName

__all__ = ["compare"]


def compare(
    graph_file: a.GraphFile,
    dsp: a.Dsp = 2560,
    levels: Annotated[
        str, typer.Option("--levels", help="Levels to compare, separated by commas.")
    ] = ",".join(LevelName),
    tiling_limit: a.TilingLimit = None,
    solver: a.Solver = "auto",
    time_limit: a.TimeLimit = None,
    seed: a.Seed = 0,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    csv_file: Annotated[
        Path | None, typer.Option("--csv", metavar="PATH", help="Write the table as CSV.")
    ] = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Solve one graph at several levels and print one table."""
    from streamopt import pipeline
    from streamopt.cli.progress import comparing
    from streamopt.frontends.written_file import write_file

    names = [name.strip() for name in levels.split(",") if name.strip()]
    unknown = [name for name in names if name not in tuple(LevelName)]
    if unknown or not names:
        raise FrontendError(
            Diagnostic(
                "E130",
                f"there is no level {', '.join(unknown) or 'given'}",
                hint=f"choose from {', '.join(LevelName)}",
            )
        )
    on = pipeline.target(device, clock_ns)
    graph = pipeline.dataflow(pipeline.load(graph_file))
    with comparing(graph.name, quiet=quiet or as_json) as on_progress:
        rows = pipeline.records(
            graph,
            levels=names,
            dsp=dsp,
            tiling_limit=tiling_limit,
            solver=solver,
            time_limit_seconds=time_limit,
            seed=seed,
            on=on,
            on_progress=on_progress,
        )
    if csv_file is not None:
        from streamopt.cli.tables import csv_text

        write_file(csv_file, csv_text(rows).encode())
    if as_json:
        typer.echo(json.dumps(rows))
    elif not quiet:
        _show(rows, graph.name, dsp)


def _show(rows: list[dict[str, str | int | float]], name: str, dsp: int) -> None:
    from rich.table import Table

    from streamopt.cli.tables import print_tables, proof_words

    table = Table(title=f"{name} at {dsp} DSPs")
    table.add_column("level")
    for column in ("model", "simulated", "faster", "of roofline", "DSPs", "seconds"):
        table.add_column(column, justify="right")
    table.add_column("proof")
    first = int(rows[0]["simulated_cycles"])
    for row in rows:
        cycles, roofline = int(row["simulated_cycles"]), int(row["roofline_cycles"])
        table.add_row(
            str(row["level"]),
            str(row["objective_cycles"]),
            str(cycles),
            f"{first / max(1, cycles):.1f}x",
            f"{cycles / roofline:.2f}x" if roofline else "-",
            str(row["dsps"]),
            f"{float(row['solve_seconds']):.2f}",
            proof_words(str(row["proof"]), str(row["stop"]), float(row["gap"])),
        )
    print_tables(table)
