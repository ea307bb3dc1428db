"""``streamopt check``: the prediction of a project beside the vendor's report on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a

if TYPE_CHECKING:
    from rich.table import Table

    from streamopt.synthesis.check import CheckedFigure, SynthesisCheck

LOOPS = {"II": "II", "depth_cycles": "depth", "trip_count": "trip count"}
WHOLE = {"latency_cycles": "latency", "clock_ns": "clock, ns"}


def check(
    project: Annotated[
        Path, typer.Argument(metavar="DIR", help="A project from `streamopt solve -o`.")
    ],
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="PATH",
            help="csynth.xml, csynth.rpt, or the folder syn/report.  [default: found in DIR]",
        ),
    ] = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Compare II, depth, trip counts and resources with a report of Vitis HLS."""
    from streamopt import pipeline

    found = pipeline.check(project, report)
    if as_json:
        predicted, again = found.simulated_cycles
        typer.echo(
            json.dumps(
                {
                    "name": found.name,
                    "release": found.release,
                    "passed": found.passed,
                    "simulated_cycles": predicted,
                    "simulated_as_reported_cycles": again,
                    "figures": found.records(),
                    "remarks": [*found.remarks],
                }
            )
        )
    elif not quiet:
        _show(found)
    raise typer.Exit(0 if found.passed else 1)


def _show(found: SynthesisCheck) -> None:
    from streamopt.cli.printing import print_tables
    from streamopt.target.resources import RESOURCE_WORDS

    print_tables(
        _table("loops: expected \N{RIGHTWARDS ARROW} reported", LOOPS, found),
        _table("resources", RESOURCE_WORDS, found),
        _table("the whole", WHOLE, found),
    )
    for each in found.missed:
        words = f": {each.note}" if each.note else ""
        reported = "" if each.reported is None else f", reported {each.reported:,g}"
        typer.echo(f"missed: {each.part}, {each.figure} {each.expected:,g}{reported}{words}")
    for remark in found.remarks:
        typer.echo(f"note: {remark}")
    predicted, again = found.simulated_cycles
    if again is not None:
        typer.echo(f"simulated: {predicted:,} cycles; with the reported II and depth {again:,}")
    typer.echo(str(found))


def _table(title: str, columns: Mapping[str, str], found: SynthesisCheck) -> Table:
    from rich.table import Table

    parts: dict[str, dict[str, CheckedFigure]] = {}
    for figure in found.figures:
        if figure.figure in columns:
            parts.setdefault(figure.part, {})[figure.figure] = figure
    table = Table(title=title)
    table.add_column("")
    for word in columns.values():
        table.add_column(word, justify="right")
    for part, figures in parts.items():
        table.add_row(part, *(_cell(figures.get(name)) for name in columns))
    return table


def _cell(figure: CheckedFigure | None) -> str:
    """Return the expected figure, with the reported one where that is another."""
    if figure is None or figure.expected is None:
        return "-"
    expected = f"{figure.expected:g}" if figure.figure == "clock_ns" else f"{figure.expected:.0f}"
    if figure.reported is None:
        return f"{expected} ?"
    if figure.reported == figure.expected:
        return expected
    mark = " !" if figure.outcome == "missed" else ""
    return f"{expected} \N{RIGHTWARDS ARROW} {figure.reported:.10g}{mark}"
