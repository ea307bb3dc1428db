"""``streamopt sweep``: the rows of an experiment, in as many sittings as it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.completion import listing
from streamopt.cli.output import interrupted
from streamopt.cli.progress import showing
from streamopt.cli.reading import listed
from streamopt.errors import Diagnostic, OptionError

if TYPE_CHECKING:
    from streamopt.report.record import Row
    from streamopt.sweeping.running import Redo


def sweep(
    experiment: Annotated[Path, typer.Argument(metavar="EXPERIMENT.toml", help="The experiment.")],
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="DIR", help="The experiment's folder by default."),
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", metavar="N", help="Rows to measure in parallel.")
    ] = 1,
    dask: Annotated[
        str,
        typer.Option(
            "--dask", metavar="ADDRESS", help="Use the cluster of this Dask scheduler instead."
        ),
    ] = "",
    redo: Annotated[
        list[str] | None,
        typer.Option(
            "--redo",
            metavar="WORDS",
            help="failed: rows without a design; stale: rows of another version of streamopt.",
            autocompletion=listing(("failed", "stale")),
        ),
    ] = None,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="WORDS", help="Programs to measure.")
    ] = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Measure graphs x DSPs x levels or strategies x solvers; a stopped sweep resumes."""
    from streamopt.sweeping.running import Means, Wanted, run_sweep

    folder = experiment.parent if output is None else output
    wanted = Wanted(tuple(map(_redo, listed(redo))), tuple(listed(only)))
    try:
        with showing(f"sweep {experiment.stem}", quiet=quiet or as_json) as shown:
            told = None if shown is None else shown.count
            rows = run_sweep(experiment, folder, Means(jobs, dask), wanted, told)
    except KeyboardInterrupt:
        interrupted(f": the rows in {folder} are kept, and the same command goes on")
    if as_json:
        typer.echo(json.dumps(rows))
    elif not quiet:
        typer.echo(_summary(rows))
        typer.echo(f"wrote {folder / 'rows.csv'} and {folder / 'environment.json'}")


def _redo(word: str) -> Redo:
    from streamopt.sweeping.running import Redo

    if word not in tuple(Redo):
        hint = f"choose from {', '.join(Redo)}"
        raise OptionError(Diagnostic("E543", f"--redo has no '{word}'", hint=hint))
    return Redo(word)


def _summary(rows: list[Row]) -> str:
    counts = {status: 0 for row in rows for status in [str(row["status"])]}
    for row in rows:
        counts[str(row["status"])] += 1
    words = ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in counts.items())
    return f"{len(rows)} rows: {words}"
