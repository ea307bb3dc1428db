"""``streamopt compare``: levels, and strategies of other systems, side by side."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.errors import Diagnostic, FrontendError
from streamopt.space.level import LevelName
from streamopt.strategies.rival import RivalName

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.pipeline.comparing import Row

__all__ = ["compare"]


def compare(
    graph_file: a.GraphFile,
    dsp: a.Dsp = 2560,
    levels: Annotated[
        str, typer.Option("--levels", help="Levels to compare, separated by commas.")
    ] = ",".join(LevelName),
    strategies: Annotated[
        str, typer.Option("--strategies", help="hida, scalehls, codo, pom, by commas; or all.")
    ] = "",
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
    """Solve one graph in several ways and print one table."""
    from streamopt import pipeline
    from streamopt.cli.progress import comparing
    from streamopt.frontends.written_file import write_file

    names = _chosen(levels, "level", tuple(LevelName))
    rivals = _chosen(strategies, "strategy", tuple(RivalName))
    if not names and not rivals:
        raise FrontendError(Diagnostic("E130", "nothing is to be compared", hint="give --levels"))
    on = pipeline.target(device, clock_ns)
    graph = pipeline.dataflow(pipeline.load(graph_file))
    with comparing(graph.name, quiet=quiet or as_json) as on_progress:
        rows = pipeline.records(
            graph,
            levels=names,
            strategies=rivals,
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


def _chosen(text: str, what: str, known: Sequence[str]) -> list[str]:
    """Return the names in a list with commas; raises FrontendError (E130) for an unknown one."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["all"]:
        return list(known)
    if unknown := [name for name in names if name not in known]:
        message = f"there is no {what} {', '.join(unknown)}"
        raise FrontendError(Diagnostic("E130", message, hint=f"choose from {', '.join(known)}"))
    return names


def _show(rows: list[Row], name: str, dsp: int) -> None:
    from rich.table import Table

    from streamopt.cli.tables import print_tables

    table = Table(title=f"{name} at {dsp} DSPs")
    table.add_column("level" if all("level" in row for row in rows) else "way")
    for column in ("model", "simulated", "faster", "of roofline", "DSPs", "seconds"):
        table.add_column(column, justify="right")
    table.add_column("proof")
    done = [int(row["simulated_cycles"]) for row in rows if row.get("simulated_cycles")]
    first = done[0] if done else 0
    for row in rows:
        table.add_row(*_cells(row, first))
    print_tables(table)


def _cells(row: Row, first_cycles: int) -> list[str]:
    """Return the cells of a row; ``first_cycles`` are those that others are compared with."""
    from streamopt.cli.tables import proof_words

    way, roofline = str(row.get("level") or row["strategy"]), int(row["roofline_cycles"])
    if not row.get("simulated_cycles"):
        return [way, "-", "-", "-", "-", "-", "-", f"refused: {row['message']}"]
    cycles = int(row["simulated_cycles"])
    ratios = [
        f"{first_cycles / max(1, cycles):.1f}x",
        f"{cycles / roofline:.2f}x" if roofline else "-",
    ]
    if not row.get("level"):
        model = str(row.get("estimated_cycles") or "-")
        seconds = f"{float(row['design_seconds']):.2f}"
        return [way, model, str(cycles), *ratios, str(row["dsps"]), seconds, "none"]
    seconds = f"{float(row['solve_seconds']):.2f}"
    proof = proof_words(str(row["proof"]), str(row["stop"]), float(row["gap"]))
    model = str(row["objective_cycles"])
    return [way, model, str(cycles), *ratios, str(row["dsps"]), seconds, proof]
