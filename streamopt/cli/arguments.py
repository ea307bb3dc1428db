"""Options that several verbs share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from streamopt.cli.verb import LIMITS, OUTPUT, SEARCH, SOURCE, WHAT
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
    "Force",
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
    "ProjectOutput",
    "Quiet",
    "ScheduleOutput",
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
    str,
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
    typer.Option(
        "-o",
        "--output",
        metavar="GRAPH.json",
        help="By default the source's name with .json, in the current folder; - for stdout.",
        rich_help_panel=OUTPUT,
    ),
]
ProgramName = Annotated[
    str | None, typer.Option("--name", help="Of the program.", rich_help_panel=SOURCE)
]
Top = Annotated[
    str | None,
    typer.Option(
        "--top", metavar="F", help="C, MLIR: the function to read.", rich_help_panel=SOURCE
    ),
]
Define = Annotated[
    list[str] | None,
    typer.Option("-D", metavar="NAME[=VALUE]", help="C: a macro.", rich_help_panel=SOURCE),
]
Include = Annotated[
    list[Path] | None,
    typer.Option("-I", metavar="DIR", help="C: a folder of headers.", rich_help_panel=SOURCE),
]
Param = Annotated[
    list[str] | None,
    typer.Option(
        "--param", metavar="NAME=N", help="C: an integer argument's value.", rich_help_panel=SOURCE
    ),
]
LiveOut = Annotated[
    list[str] | None,
    typer.Option(
        "--live-out",
        metavar="NAME",
        help="C: a written argument that is wanted.",
        rich_help_panel=SOURCE,
    ),
]
Inputs = Annotated[
    list[str] | None,
    typer.Option(
        "--inputs",
        metavar="WORDS",
        help="PyTorch: 1x3x32x32,1x10:int64. Of a project's test: 0.5:1.5, A=0:1, spd, data.npz.",
        rich_help_panel=SOURCE,
    ),
]
Shape = Annotated[
    list[str] | None,
    typer.Option(
        "--shape",
        metavar="NAME=SHAPE",
        help="ONNX: a shape that is left open.",
        rich_help_panel=SOURCE,
    ),
]
Dsp = Annotated[
    int, typer.Option("--dsp", help="DSPs that the design may use.", rich_help_panel=LIMITS)
]
ModelDsp = Annotated[
    int | None,
    typer.Option(
        "--dsp",
        help="DSPs that the design may use, as the model counts.  [default: 2560]",
        rich_help_panel=LIMITS,
    ),
]
BuiltDsp = Annotated[
    int | None,
    typer.Option(
        "--built-dsp", metavar="N", help="DSPs of all operators as built.", rich_help_panel=LIMITS
    ),
]
Bram18 = Annotated[
    int | None,
    typer.Option(
        "--bram18", metavar="N", help="Block RAMs of 18 Kbit, as built.", rich_help_panel=LIMITS
    ),
]
Uram = Annotated[
    int | None,
    typer.Option("--uram", metavar="N", help="UltraRAMs, as built.", rich_help_panel=LIMITS),
]
Lut = Annotated[
    int | None, typer.Option("--lut", metavar="N", help="LUTs, as built.", rich_help_panel=LIMITS)
]
Ff = Annotated[
    int | None,
    typer.Option("--ff", metavar="N", help="Flip-flops, as built.", rich_help_panel=LIMITS),
]
Fit = Annotated[
    FitName | None,
    typer.Option(
        "--fit",
        help="All limits that aren't given from one SLR or the whole --device.",
        rich_help_panel=LIMITS,
    ),
]
Device = Annotated[
    str,
    typer.Option(
        "--device", help="u280, u250, vu9p, zu3eg, xc7z020, or a TOML file.", rich_help_panel=LIMITS
    ),
]
ClockNs = Annotated[
    float | None,
    typer.Option(
        "--clock-ns", metavar="NS", help="Clock period; 3.33 on the U280.", rich_help_panel=LIMITS
    ),
]
FifoDepths = Annotated[
    FifoDepthsName,
    typer.Option(
        "--fifo-depths",
        help="The least that keep the latency, or all tokens.",
        rich_help_panel=WHAT,
    ),
]
LatencySlack = Annotated[
    float,
    typer.Option(
        "--latency-slack",
        metavar="SHARE",
        help="Latency to give up for smaller FIFOs.",
        rich_help_panel=WHAT,
    ),
]
ArrayPort = Annotated[
    list[str] | None,
    typer.Option(
        "--port",
        metavar="[ARRAY=]KIND",
        help="How arrays cross the boundary: memory, m_axi, axis; A=m_axi:HBM[3], weights=rom.",
        rich_help_panel=WHAT,
    ),
]
Objective = Annotated[
    ObjectiveName,
    typer.Option(
        "--objective",
        help="What is least; latency-dsps: the latency, then the DSPs; dsps: within a latency.",
        rich_help_panel=WHAT,
    ),
]
LatencyTarget = Annotated[
    int | None,
    typer.Option(
        "--latency-target",
        metavar="CYCLES",
        help="To keep, for --objective dsps.",
        rich_help_panel=WHAT,
    ),
]
Level = Annotated[
    LevelName, typer.Option("--level", help="What may be decided.", rich_help_panel=WHAT)
]
TilingLimit = Annotated[
    int | None,
    typer.Option(
        "--tiling-limit",
        help="Least trip count of a tile loop, for longer loops.  [default: 16; 1 at opt6]",
        rich_help_panel=WHAT,
    ),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        "--without",
        metavar="CHOICE",
        help="opt6: a rewrite of the graph to leave out, or partial_tiles for unroll factors that "
        "divide trip counts.",
        rich_help_panel=WHAT,
    ),
]
Binding = Annotated[
    BindingChoice | None,
    typer.Option(
        "--binding",
        help="opt6: operators from DSPs or LUTs, as the tool does, or 5 DSPs a "
        "multiply-accumulate.  [default: free]",
        rich_help_panel=WHAT,
    ),
]
Solver = Annotated[
    str,
    typer.Option(
        "--solver",
        help="auto, search (exact, without a solver), one of `streamopt solvers`, exhaustive, or "
        "race (search and the default solver at once) or race:NAME,NAME.",
        rich_help_panel=SEARCH,
    ),
]
Formulation = Annotated[
    FormulationName,
    typer.Option(
        "--formulation",
        help="The exact linear program, or the paper's MINLP.",
        rich_help_panel=SEARCH,
    ),
]
Profile = Annotated[
    str | None,
    typer.Option(
        "--profile", help="Solver profile: a name or a path to a TOML file.", rich_help_panel=SEARCH
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="S",
        help="Seconds for the search; opt6: of the processor, 60 where not given.",
        rich_help_panel=SEARCH,
    ),
]
Seed = Annotated[
    int,
    typer.Option("--seed", help="Seed of the solver and of test inputs.", rich_help_panel=SEARCH),
]
Threads = Annotated[
    int,
    typer.Option(
        "--threads",
        help="Solver threads; one gives the same schedule every time.",
        rich_help_panel=SEARCH,
    ),
]
ProjectOutput = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="DIR", help="Write the HLS project.", rich_help_panel=OUTPUT
    ),
]
ScheduleOutput = Annotated[
    Path | None,
    typer.Option(
        "--schedule",
        metavar="PATH",
        help="Of the schedule without -o; - for stdout.  [default: <source>.schedule.json]",
        rich_help_panel=OUTPUT,
    ),
]
Force = Annotated[
    bool,
    typer.Option("--force", help="Replace files that are there.", rich_help_panel=OUTPUT),
]
Json = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON value and nothing else.", rich_help_panel=OUTPUT),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No progress line and no tables.", rich_help_panel=OUTPUT),
]
