"""``streamopt compare``: levels, solvers, DSP limits and other systems' strategies side by side."""

from __future__ import annotations

import json
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.report.record import Row

RATIOS = ("model", "simulated", "interval", "faster", "of MAC line", "DSPs", "seconds", "proof")
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
CsvFile = Annotated[
    Path | None, writing("--csv", metavar="PATH", help="Write all fields as CSV; - for stdout.")
]


def compare(
    graph_file: a.GraphFile,
    read: Reading,
    dsp: Budgets = None,
    levels: Levels = None,
    strategies: Strategies = None,
    fit: a.Fit = None,
    tiling_limit: a.TilingLimit = None,
    solver: Solvers = None,
    time_limit: a.TimeLimit = None,
    seed: a.Seed = 0,
    device: a.Device = "u280",
    clock_ns: a.ClockNs = None,
    csv_file: CsvFile = None,
    form: Annotated[
        TableForm, typer.Option("--format", help="csv has all fields, the others the table.")
    ] = TableForm.TABLE,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Solve one graph in several ways and print one table."""
    from streamopt import pipeline
    from streamopt.cli.progress import showing
    from streamopt.report.text_tables import csv_text

    check_folders(csv_file)
    names = _chosen(["all"] if levels is None else levels, "level", tuple(LevelName))
    rivals = _chosen(strategies or [], "strategy", tuple(RivalName))
    if not names and not rivals:
        raise FrontendError(Diagnostic("E130", "nothing is to be compared", hint="give --levels"))
    budgets, on = _budgets(dsp or ["2560"]), pipeline.device(device, clock_ns)
    graph = pipeline.dataflow(read.load(graph_file))
    solvers = _solvers(solver or ["auto"])
    comparison = pipeline.Comparison(
        names, rivals, budgets, tiling_limit, solvers, time_limit, seed, fit
    )
    hidden = quiet or as_json or form is not TableForm.TABLE
    with showing(f"comparing {graph.name}", quiet=hidden) as shown:
        told = None if shown is None else shown.level
        rows = pipeline.records(graph, comparison, device=on, on_progress=told)
    if csv_file is not None:
        put(csv_file, csv_text(rows).encode())
    quiet = quiet or csv_file == STDOUT
    if as_json:
        typer.echo(json.dumps(rows))
    elif not quiet:
        _show(rows, f"{graph.name} at {' and '.join(map(str, budgets))} DSPs", form)
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


def _show(rows: list[Row], title: str, form: TableForm) -> None:
    from rich.table import Table

    from streamopt.cli.printing import print_tables
    from streamopt.report.text_tables import csv_text, latex_table, markdown_table

    words = _words(rows)
    columns, lines = [*words, *RATIOS], _lines(rows, words)
    match form:
        case TableForm.CSV:
            typer.echo(csv_text(rows), nl=False)
        case TableForm.MARKDOWN:
            typer.echo(markdown_table(columns, lines, words=len(words)), nl=False)
        case TableForm.LATEX:
            typer.echo(latex_table(columns, lines, caption=title, words=len(words)), nl=False)
        case TableForm.TABLE:
            table = Table(title=title)
            for place, column in enumerate(columns):
                is_word = place < len(words) or column == "proof"
                table.add_column(column, justify="left" if is_word else "right")
            for line in lines:
                table.add_row(*line)
            print_tables(table)


def _words(rows: list[Row]) -> list[str]:
    """Return the columns that say which row is which."""
    several = [
        column
        for column, member in (("DSP limit", "dsp_limit"), ("solver", "solver"))
        if len({row.get(member) or "" for row in rows} - {""}) > 1
    ]
    return ["level" if all(row.get("level") for row in rows) else "way", *several]


def _lines(rows: list[Row], words: list[str]) -> list[list[str]]:
    """Return the cells of all rows; each is compared with the first that has a design."""
    done = [int(row["simulated_cycles"]) for row in rows if row.get("simulated_cycles")]
    lines: list[list[str]] = []
    for row in rows:
        which = {
            "DSP limit": str(row["dsp_limit"]),
            "solver": str(row.get("solver") or "-"),
            words[0]: str(row.get("level") or row["strategy"]),
        }
        cells = _cells(row, done[0] if done else 0)
        lines.append([*(which[word] for word in words), *cells])
    return lines


def _cells(row: Row, first_cycles: int) -> list[str]:
    """Return the cells of a row; ``first_cycles`` are those that others are compared with."""
    from streamopt.cli.tables import proof_words

    roofline = int(row["roofline_cycles"])
    if not row.get("simulated_cycles"):
        return [*"-" * (len(RATIOS) - 1), f"refused: {row['message']}"]
    cycles = int(row["simulated_cycles"])
    ratios = [
        str(row["interval_cycles"]),
        f"{first_cycles / max(1, cycles):.1f}x",
        f"{cycles / roofline:.2f}x" if roofline else "-",
    ]
    if not row.get("level"):
        model = str(row.get("estimated_cycles") or "-")
        seconds = f"{float(row['design_seconds']):.2f}"
        return [model, str(cycles), *ratios, str(row["dsps"]), seconds, "none"]
    seconds = f"{float(row['solve_seconds']):.2f}"
    proof = proof_words(row, names_model=False)
    return [str(row["objective_cycles"]), str(cycles), *ratios, str(row["dsps"]), seconds, proof]
