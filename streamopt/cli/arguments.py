"""Options that several verbs share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from streamopt.pipeline.beyond.binding_choice import BindingChoice
from streamopt.pipeline.limiting import Fit as FitName
from streamopt.space.level import LevelName
from streamopt.space.objective import Objective as ObjectiveName

__all__ = [
    "ArrayPort",
    "Binding",
    "Bram18",
    "BuiltDsp",
    "ClockNs",
    "Define",
    "Device",
    "Dsp",
    "Ff",
    "FifoDepths",
    "Fit",
    "Formulation",
    "GraphFile",
    "GraphOutput",
    "Include",
    "Inputs",
    "Json",
    "LatencySlack",
    "LatencyTarget",
    "Level",
    "LiveOut",
    "Lut",
    "ModelDsp",
    "Objective",
    "Param",
    "Profile",
    "ProgramName",
    "Quiet",
    "Seed",
    "Shape",
    "Solver",
    "SourceFile",
    "Threads",
    "TilingLimit",
    "TimeLimit",
    "Top",
    "Uram",
    "Without",
]


class FormulationName(StrEnum):
    """Which mathematical program is solved."""

    COMPACT = "compact"
    PAPER = "paper"


class FifoDepthsName(StrEnum):
    """How deep FIFOs are made."""

    LEAST = "least"
    FULL = "full"


GraphFile = Annotated[
    Path,
    typer.Argument(metavar="GRAPH", help="graph.json, or a source as `streamopt graph` reads."),
]
SourceFile = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="kernel.c, model.py:Class, model.onnx, code.mlir or graph.json."
    ),
]
GraphOutput = Annotated[
    Path | None,
    typer.Option("-o", "--output", metavar="GRAPH.json", help="<name>.json by default."),
]
ProgramName = Annotated[str | None, typer.Option("--name", help="Of the program.")]
Top = Annotated[
    str | None, typer.Option("--top", metavar="F", help="C, MLIR: the function to read.")
]
Define = Annotated[list[str] | None, typer.Option("-D", metavar="NAME[=VALUE]", help="C: a macro.")]
Include = Annotated[
    list[Path] | None, typer.Option("-I", metavar="DIR", help="C: a folder of headers.")
]
Param = Annotated[
    list[str] | None,
    typer.Option("--param", metavar="NAME=N", help="C: an integer argument's value."),
]
LiveOut = Annotated[
    list[str] | None,
    typer.Option("--live-out", metavar="NAME", help="C: a written argument that is wanted."),
]
Inputs = Annotated[
    str, typer.Option("--inputs", metavar="SHAPES", help="PyTorch: 1x3x32x32,1x10:int64.")
]
Shape = Annotated[
    list[str] | None,
    typer.Option("--shape", metavar="NAME=SHAPE", help="ONNX: a shape that is left open."),
]
Dsp = Annotated[int, typer.Option("--dsp", help="DSPs that the design may use.")]
ModelDsp = Annotated[
    int | None,
    typer.Option(
        "--dsp", help="DSPs that the design may use, as the model counts.  [default: 2560]"
    ),
]
BuiltDsp = Annotated[
    int | None, typer.Option("--built-dsp", metavar="N", help="DSPs of all operators as built.")
]
Bram18 = Annotated[
    int | None, typer.Option("--bram18", metavar="N", help="Block RAMs of 18 Kbit, as built.")
]
Uram = Annotated[int | None, typer.Option("--uram", metavar="N", help="UltraRAMs, as built.")]
Lut = Annotated[int | None, typer.Option("--lut", metavar="N", help="LUTs, as built.")]
Ff = Annotated[int | None, typer.Option("--ff", metavar="N", help="Flip-flops, as built.")]
Fit = Annotated[
    FitName | None,
    typer.Option("--fit", help="All limits that aren't given from one SLR or the whole --device."),
]
Device = Annotated[
    str, typer.Option("--device", help="u280, u250, vu9p, zu3eg, xc7z020, or a TOML file.")
]
ClockNs = Annotated[
    float | None, typer.Option("--clock-ns", metavar="NS", help="Clock period; 3.33 on the U280.")
]
FifoDepths = Annotated[
    FifoDepthsName,
    typer.Option("--fifo-depths", help="The least that keep the latency, or all tokens."),
]
LatencySlack = Annotated[
    float,
    typer.Option("--latency-slack", metavar="SHARE", help="Latency to give up for smaller FIFOs."),
]
ArrayPort = Annotated[
    list[str] | None,
    typer.Option(
        "--port",
        metavar="[ARRAY=]KIND",
        help="How arrays cross the boundary: memory, m_axi, axis; A=m_axi:HBM[3], weights=rom.",
    ),
]
Objective = Annotated[
    ObjectiveName,
    typer.Option(
        "--objective",
        help="What is least; latency-dsps: the latency, then the DSPs; dsps: within a latency.",
    ),
]
LatencyTarget = Annotated[
    int | None,
    typer.Option("--latency-target", metavar="CYCLES", help="To keep, for --objective dsps."),
]
Level = Annotated[LevelName, typer.Option("--level", help="What may be decided.")]
TilingLimit = Annotated[
    int | None,
    typer.Option(
        "--tiling-limit",
        help="Least trip count of a tile loop, for longer loops.  [default: 16; 1 at opt6]",
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="CHOICE",
        help="opt6: a rewrite of the graph to leave out, or partial_tiles for unroll factors that "
        "divide trip counts.",
    ),
]
Binding = Annotated[
    BindingChoice | None,
    typer.Option(
        "--binding",
        help="opt6: operators from DSPs or LUTs, as the tool does, or 5 DSPs a "
        "multiply-accumulate.  [default: free]",
    ),
]
Solver = Annotated[
    str,
    typer.Option(
        "--solver",
        help="auto, search (exact, without a solver), one of `streamopt solvers`, exhaustive, or "
        "race (search and the default solver at once) or race:NAME,NAME.",
    ),
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
