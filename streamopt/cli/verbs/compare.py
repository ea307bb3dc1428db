"""``streamopt compare``: levels, solvers, DSP limits and other systems' strategies side by side."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from streamopt.cli import arguments as a
from streamopt.cli.completion import listing, solvers
from streamopt.cli.output import STDOUT, check_folders, interrupted, put
from streamopt.cli.reading import Reading, listed
from streamopt.cli.verb import deciding, limiting, searching, writing
from streamopt.errors import Diagnostic, FrontendError
from streamopt.solvers.result import Stop
from streamopt.space.level import LevelName
from streamopt.strategies.rival import RivalName
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.report.record import Row

NO_ANSWER = 2


class TableForm(StrEnum):
    """How the table is printed."""

    TABLE = "table"
    CSV = "csv"
    MARKDOWN = "markdown"
    LATEX = "latex"


Solvers = Annotated[
    list[str] | None,
    searching(
        "--solver",
        metavar="NAMES",
        help="As `solve`; several to compare.  [default: auto]",
        autocompletion=listing(solvers),
    ),
]
Budgets = Annotated[
    list[str] | None,
    limiting(
        "--dsp", metavar="NUMBERS", help="DSP limits, as `solve`: 1280,2560.  [default: 2560]"
    ),
]
Levels = Annotated[
    list[str] | None,
    deciding(
        "--levels",
        metavar="NAMES",
        help="Levels to compare: opt1,opt5.  [default: all]",
        autocompletion=listing((*LevelName, "all")),
    ),
]
Strategies = Annotated[
    list[str] | None,
    deciding(
        "--strategies",
        metavar="NAMES",
        help="hida, scalehls, codo, pom; or all.",
        autocompletion=listing((*RivalName, "all")),
    ),
]
Against = Annotated[
    list[str] | None,
    deciding(
        "--against",
        metavar="DIR",
        help="A design that others made: its folder, DIR:TOP, a file of HLS C++; repeat for more.",
    ),
]
Latex = Annotated[
    Path | None, writing("--latex", metavar="FILE", help="Write the table for a paper.")
]
Figure = Annotated[
    Path | None, writing("--figure", metavar="FILE", help="Draw the cycles: .pdf, .svg or .png.")
]
CsvFile = Annotated[
    Path | None, writing("--csv", metavar="PATH", help="Write all fields as CSV; - for stdout.")
]


def compare(
    graph_file: a.GraphFile,
    read: Reading,
    dsp: Budgets = None,
    levels: Levels = None,
    strategies: Strategies = None,
    against: Against = None,
    fit: a.Fit = None,
    tiling_limit: a.TilingLimit = None,
    solver: Solvers = None,
    time_limit: a.TimeLimit = None,
    seed: a.Seed = 0,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    csv_file: CsvFile = None,
    latex: Latex = None,
    figure: Figure = None,
    form: Annotated[
        TableForm, typer.Option("--format", help="csv has all fields, the others the table.")
    ] = TableForm.TABLE,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Solve one graph in several ways and print one table."""
    from streamopt import pipeline
    from streamopt.cli.progress import showing
    from streamopt.report.charts import chart_format
    from streamopt.report.text_tables import csv_text

    check_folders(csv_file, latex, figure)
    if figure is not None:
        chart_format(figure)
    names = _chosen(["all"] if levels is None else levels, "level", tuple(LevelName))
    rivals = _chosen(strategies or [], "strategy", tuple(RivalName))
    if not names and not rivals and not against:
        raise FrontendError(Diagnostic("E130", "nothing is to be compared", hint="give --levels"))
    budgets, on = _budgets(dsp or ["2560"]), pipeline.device(device, clock_ns)
    graph = pipeline.dataflow(read.load(graph_file))
    solvers = _solvers(solver or ["auto"])
    comparison = pipeline.Comparison(
        names, rivals, budgets, tiling_limit, solvers, time_limit, seed, fit, tuple(against or ())
    )
    hidden = quiet or as_json or form is not TableForm.TABLE
    with showing(f"comparing {graph.name}", quiet=hidden) as shown:
        told = None if shown is None else shown.level
        rows = pipeline.records(graph, comparison, device=on, on_progress=told)
    if csv_file is not None:
        put(csv_file, csv_text(rows).encode())
    _papers(rows, graph.name, on, latex, figure)
    quiet = quiet or STDOUT in (csv_file, latex)
    if as_json:
        typer.echo(json.dumps(rows))
    elif not quiet:
        _show(rows, f"{graph.name} at {' and '.join(map(str, budgets))} DSPs", form, on)
    if rows and rows[-1].get("stop") == Stop.INTERRUPTED:
        interrupted(f": {len(rows)} rows, the last as it was then")
    if not any(row.get("simulated_cycles") for row in rows):
        raise typer.Exit(NO_ANSWER)


def _chosen(texts: Sequence[str], what: str, known: Sequence[str]) -> list[str]:
    """Return the names in a list; raises FrontendError (E130) for an unknown one."""
    names = listed(texts)
    if names == ["all"]:
        return list(known)
    if unknown := [name for name in names if name not in known]:
        message = f"there is no {what} {', '.join(unknown)}"
        raise FrontendError(Diagnostic("E130", message, hint=f"choose from {', '.join(known)}"))
    return names


def _solvers(texts: Sequence[str]) -> list[str]:
    """Return the solvers of a list; the names behind ``race:`` are one of them."""
    return [
        name for text in texts for name in ([text] if text.startswith("race:") else listed([text]))
    ]


def _budgets(texts: Sequence[str]) -> list[int]:
    """Return the DSP limits of a list; raises FrontendError (E130) for what is none."""
    names = listed(texts)
    wrong = [name for name in names if not (name.isdecimal() and int(name))]
    if wrong or not names:
        message = f"--dsp {', '.join(wrong) or repr(','.join(texts))} is no number of DSPs"
        raise FrontendError(Diagnostic("E130", message, hint="for instance --dsp 1280,2560"))
    return [int(name) for name in names]


def _show(rows: list[Row], title: str, form: TableForm, on: Target) -> None:
    from rich.table import Table

    from streamopt.cli.comparison_table import comparison_table, conditions
    from streamopt.cli.printing import print_tables
    from streamopt.report.text_tables import csv_text, latex_table, markdown_table

    words, lines, others = comparison_table(rows, on)
    columns = [*words, *others]
    match form:
        case TableForm.CSV:
            typer.echo(csv_text(rows), nl=False)
        case TableForm.MARKDOWN:
            typer.echo(markdown_table(columns, lines, words=len(words)), nl=False)
        case TableForm.LATEX:
            caption = conditions(rows, title, on)
            typer.echo(latex_table(columns, lines, caption=caption, words=len(words)), nl=False)
        case TableForm.TABLE:
            table = Table(title=title)
            for place, column in enumerate(columns):
                is_word = place < len(words) or column == "proof"
                table.add_column(column, justify="left" if is_word else "right")
            for line in lines:
                table.add_row(*line)
            print_tables(table)
            for row in rows:
                if not row.get("level") and row.get("simulated_cycles") and (note := _note(row)):
                    typer.echo(f"note: {note}")


def _note(row: Row) -> str:
    """Return a note on a design that others made: its measurement, and its arguments."""
    told = f"measured by {row['measured_by']}" if row.get("measured_by") else ""
    words = "; ".join(part for part in (told, str(row.get("message") or "")) if part)
    return f"{row['strategy']}: {words}" if words else ""


def _papers(
    rows: list[Row], name: str, on: Target, latex: Path | None, figure: Path | None
) -> None:
    """Write the table in LaTeX and the picture, as far as they are asked for."""
    from streamopt.cli.comparison_table import comparison_table, conditions
    from streamopt.report.text_tables import latex_table

    if latex is not None:
        words, lines, others = comparison_table(rows, on)
        columns, caption = [*words, *others], conditions(rows, name, on)
        text = latex_table(columns, lines, caption=caption, words=len(words))
        put(latex, text.encode())
    if figure is not None:
        from streamopt.report.charts import chart_format
        from streamopt.report.comparison_page import rows_chart

        put(figure, rows_chart(rows, chart_format(figure)))
