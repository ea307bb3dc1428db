"""``streamopt synth``: a project in Verilog through open tools."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from streamopt.cli import arguments as a

if TYPE_CHECKING:
    from streamopt.pipeline.open_tools.synthesizing import Synthesised
    from streamopt.synthesis.open_tools.placed import RoutedBoard


class FamilyName(StrEnum):
    """FPGAs that processes are mapped to."""

    XCUP = "xcup"
    ECP5 = "ecp5"


class BoardName(StrEnum):
    """Boards that a bitstream can be for."""

    ULX3S = "ulx3s"


def synth(
    project: Annotated[
        Path, typer.Argument(metavar="DIR", help="A project from `emit --backend rtl`.")
    ],
    family: Annotated[
        FamilyName, typer.Option("--family", help="UltraScale+ (xcup), or ECP5.")
    ] = FamilyName.XCUP,
    board: Annotated[
        BoardName | None,
        typer.Option("--board", help="Place and route on a board: a bitstream in DIR/board."),
    ] = None,
    as_json: a.Json = False,
    quiet: a.Quiet = False,
) -> None:
    """Count LUTs, flip-flops, DSPs and block RAMs by Yosys, or make a board's bitstream."""
    from streamopt import pipeline

    if board is not None:
        _tell_placed(pipeline.bitstream(project, board=board), as_json=as_json, quiet=quiet)
        return
    found = pipeline.synthesise(project, family=family)
    if as_json:
        rows = {row.pop("module"): row for row in found.records()}
        total = rows.pop(found.top)
        row = {"name": found.name, "family": found.family, "processes": rows, "total": total}
        typer.echo(json.dumps(row))
    elif not quiet:
        _show(found)


def _tell_placed(found: RoutedBoard, *, as_json: bool, quiet: bool) -> None:
    if as_json:
        row = {"bitstream": str(found.bitstream), "fmax_mhz": found.fmax_mhz}
        used = {kind: used for kind, (used, _) in found.used.items()}
        typer.echo(json.dumps({**row, "clock_mhz": found.clock_mhz, "used": used}))
    elif not quiet:
        for kind, (used, available) in found.used.items():
            typer.echo(f"{kind}: {used} of {available}")
        typer.echo(f"{found.fmax_mhz:.1f} MHz reached, {found.clock_mhz:g} MHz on the board")
        typer.echo(f"wrote {found.bitstream}")


def _show(found: Synthesised) -> None:
    from rich.table import Table

    from streamopt.cli.printing import print_tables

    table = Table()
    table.add_column("process")
    for word in ("LUT", "FF", "DSP", "BRAM18"):
        table.add_column(word, justify="right")
    for row in found.records():
        name = "whole design" if row["module"] == found.top else str(row["module"])
        table.add_row(name, *(_amount(row, kind) for kind in ("luts", "ffs", "dsps", "bram18")))
    print_tables(table)


def _amount(row: Mapping[str, Any], kind: str) -> str:
    """Return an amount, and by how much the estimate is off where it is another one."""
    found, expected = row[kind], row.get(f"estimated_{kind}")
    if expected is None or expected == found:
        return str(found)
    off = f"{100 * (expected - found) / found:+.0f} %" if found else f"{expected}"
    return f"{found} (estimated {off})"
