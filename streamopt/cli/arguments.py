"""Options that several verbs share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from streamopt.space.level import LevelName

__all__ = [
    "Dsp",
    "Formulation",
    "GraphFile",
    "Json",
    "Level",
    "Profile",
    "Quiet",
    "Seed",
    "Solver",
    "Threads",
    "TilingLimit",
    "TimeLimit",
]


class FormulationName(StrEnum):
    """Which mathematical program is solved."""

    COMPACT = "compact"
    PAPER = "paper"


GraphFile = Annotated[
    Path,
    typer.Argument(metavar="GRAPH", help="graph.json, or a source as `streamopt graph` reads."),
]
Dsp = Annotated[int, typer.Option("--dsp", help="DSPs that the design may use.")]
Level = Annotated[LevelName, typer.Option("--level", help="What may be decided.")]
TilingLimit = Annotated[
    int,
    typer.Option("--tiling-limit", help="Least trip count of a tile loop, for longer loops."),
]
Solver = Annotated[
    str, typer.Option("--solver", help="See `streamopt solvers`; or exhaustive, for small graphs.")
]
Formulation = Annotated[
    FormulationName,
    typer.Option("--formulation", help="The exact linear program, or the paper's MINLP."),
]
Profile = Annotated[
    str | None, typer.Option("--profile", help="Solver profile: a name or a path to a TOML file.")
]
TimeLimit = Annotated[
    float | None, typer.Option("--time-limit", metavar="S", help="Seconds for the search.")
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of the solver and of test inputs.")]
Threads = Annotated[
    int, typer.Option("--threads", help="Solver threads; one gives the same schedule every time.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON value and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress line and no tables.")]
