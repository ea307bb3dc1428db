"""Options of the verbs of engines, and how they tell what was found."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli.verb import limiting

if TYPE_CHECKING:
    from rich.table import Table

    from streamopt.target.resources import Resources

EngineDsps = Annotated[
    int | None, limiting("--dsp", help="DSPs of the engine.  [default: --fit's]")
]


def tell(
    record: Callable[[], Mapping[str, object]],
    tables: Callable[[], Sequence[Table]],
    output: Path | None,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Print the record of a solution, or its tables and the project that was written."""
    if as_json:
        typer.echo(json.dumps(record()))
    elif not quiet:
        from streamopt.cli.printing import print_tables

        print_tables(*tables())
        if output is not None:
            typer.echo(f"wrote {output}")


def summary(name: str, rows: Mapping[str, str]) -> Table:
    """Return the table of an engine's figures."""
    from rich.table import Table

    table = Table(title=f"{name} on one engine", show_header=False)
    for row in rows.items():
        table.add_row(*row)
    return table


def proof_told(gap: float) -> str:
    """Return the proved distance of an engine from the best one, for a line."""
    from streamopt.report.proof import percent_above

    return f"at most {percent_above(gap):.1f} % above the least of all shapes that fit"


def resources_told(used: Resources) -> str:
    """Return the resources of an engine on a line."""
    blocks = f"{used.bram18:,} BRAM18, {used.uram:,} URAM"
    return f"{used.dsps:,} DSP, {used.luts:,} LUT, {used.ffs:,} FF, {blocks}"
