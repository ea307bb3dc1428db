"""Options that several verbs share."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from streamopt.cli.completion import among, listing, rewrites, solvers
from streamopt.cli.verb import deciding, limiting, reading, searching, writing
from streamopt.codegen.design import BackendName
from streamopt.space.level import BindingChoice, LevelName
from streamopt.space.objective import ObjectiveName
from streamopt.target.device import Target, device_names
from streamopt.target.operators import OperatorsName
from streamopt.target.resources import Fit as FitName


class FormulationName(StrEnum):
    """Which mathematical program is solved."""

    COMPACT = "compact"
    PAPER = "paper"


class FifoDepthsName(StrEnum):
    """How deep FIFOs are made."""

    LEAST = "least"
    FULL = "full"


GraphFile = Annotated[
    str, typer.Argument(metavar="GRAPH", help="graph.json, or a source as `streamopt graph` reads.")
]
SourceFile = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="kernel.c, model.py:Class, model.onnx, code.mlir or graph.json."
    ),
]
ScheduleFile = Annotated[
    Path | None,
    typer.Option("--schedule", metavar="SCHEDULE.json", help="A schedule from `streamopt solve`."),
]
Quantize = Annotated[
    str | None,
    typer.Option(
        "--quantize",
        metavar="KIND",
        help="int8 or w4a8: products with weights in integers, scaled for the sample.",
    ),
]
GraphOutput = Annotated[
    Path | None,
    writing(
        "-o",
        "--output",
        metavar="GRAPH.json",
        help="The graph; by default <source>.json in the current folder, - for stdout.",
    ),
]
ProgramName = Annotated[str | None, reading("--name", help="Of the program.")]
Top = Annotated[str | None, reading("--top", metavar="F", help="C, MLIR: the function to read.")]
Define = Annotated[list[str] | None, reading("-D", metavar="NAME[=VALUE]", help="C: a macro.")]
Include = Annotated[list[Path] | None, reading("-I", metavar="DIR", help="C: a folder of headers.")]
Param = Annotated[
    list[str] | None, reading("--param", metavar="NAME=N", help="C: an integer argument's value.")
]
Bound = Annotated[
    list[str] | None,
    reading(
        "--bound", metavar="LOOP=N", help="C: how often a loop runs at most; label or variable."
    ),
]
LiveOut = Annotated[
    list[str] | None,
    reading("--live-out", metavar="NAME", help="C: a written argument to keep as an output."),
]
Inputs = Annotated[
    list[str] | None,
    reading(
        "--inputs",
        metavar="WORDS",
        help="PyTorch: 1x3x32x32,1x10:int64. Of a project's test: 0.5:1.5, A=0:1, spd, data.npz.",
    ),
]
Shape = Annotated[
    list[str] | None,
    reading(
        "--shape",
        metavar="NAME=SHAPE",
        help="ONNX: the shape of an input that the model leaves open.",
    ),
]
Dsp = Annotated[int, limiting("--dsp", help="DSP limit.")]
ModelDsp = Annotated[
    int | None,
    limiting("--dsp", help="DSP limit, in the model's accounting.  [default: 2560, or --fit's]"),
]
BuiltDsp = Annotated[
    int | None, limiting("--built-dsp", metavar="N", help="DSPs of all operators as built.")
]
Bram18 = Annotated[
    int | None, limiting("--bram18", metavar="N", help="Block RAMs of 18 Kbit, as built.")
]
Uram = Annotated[int | None, limiting("--uram", metavar="N", help="UltraRAMs, as built.")]
Lut = Annotated[int | None, limiting("--lut", metavar="N", help="LUTs, as built.")]
Ff = Annotated[int | None, limiting("--ff", metavar="N", help="Flip-flops, as built.")]
Fit = Annotated[
    FitName | None,
    limiting(
        "--fit",
        help="The part of --device to keep to: the vendor's shares of one SLR, of the one at the "
        "board's memory after the shell, or of all; raw: without shares.  [opt6: slr or board]",
    ),
]
Device = Annotated[
    str,
    limiting(
        "--device",
        help=f"{', '.join(device_names())}, or a TOML file.",
        autocompletion=among(device_names()),
    ),
]
ClockNs = Annotated[
    float | None, limiting("--clock-ns", metavar="NS", help="Clock period; 3.33 on the U280.")
]
Operators = Annotated[
    OperatorsName | None,
    limiting(
        "--operators",
        help="Of our own Verilog (open), or of the vendor's tool.  [default: open with "
        "--backend rtl]",
    ),
]
FifoDepths = Annotated[
    FifoDepthsName,
    deciding("--fifo-depths", help="The least that keep the latency, or all tokens."),
]
LatencySlack = Annotated[
    float,
    deciding(
        "--latency-slack", metavar="SHARE", help="Share of latency to trade for smaller FIFOs."
    ),
]
ArrayPort = Annotated[
    list[str] | None,
    deciding(
        "--port",
        metavar="[ARRAY=]KIND",
        help="How arrays cross the boundary: memory, m_axi, axis; A=m_axi:HBM[3], "
        "weights=resident, weights=chosen.",
        autocompletion=among(("memory", "m_axi", "axis")),
    ),
]
Objective = Annotated[
    ObjectiveName,
    deciding(
        "--objective",
        help="The objective to minimize; latency-dsps: latency first, then DSPs; "
        "dsps: DSPs within --latency-target.",
    ),
]
LatencyTarget = Annotated[
    int | None,
    deciding(
        "--latency-target",
        metavar="CYCLES",
        help="Upper limit of the latency, for --objective dsps.",
    ),
]
Level = Annotated[
    LevelName, deciding("--level", help="The decisions to make: levels of Stream-HLS, or opt6.")
]
TilingLimit = Annotated[
    int | None,
    deciding(
        "--tiling-limit",
        help="Least trip count of a tile loop, for longer loops.  [default: 16; 1 at opt6]",
    ),
]
Without = Annotated[
    list[str] | None,
    deciding(
        "--without",
        metavar="CHOICE",
        help="opt6: a rewrite of the graph to leave out, or partial_tiles for unroll factors that "
        "divide trip counts.",
        autocompletion=listing(rewrites),
    ),
]
Binding = Annotated[
    BindingChoice | None,
    deciding(
        "--binding",
        help="opt6: operators from DSPs or LUTs, as the tool does, or 5 DSPs a "
        "multiply-accumulate.  [default: free]",
    ),
]
Banks = Annotated[
    int | None,
    deciding(
        "--banks",
        help="opt6: most banks of an argument; lanes beyond share banks, and their ports.  "
        "[default: 256]",
    ),
]
Solver = Annotated[
    str,
    searching(
        "--solver",
        help="auto, search (exact, without a solver), one of `streamopt solvers`, exhaustive, or "
        "race (search and the default solver at once) or race:NAME,NAME.",
        autocompletion=among(solvers),
    ),
]
Formulation = Annotated[
    FormulationName,
    searching("--formulation", help="The exact linear program, or the paper's MINLP."),
]
Profile = Annotated[
    str | None, searching("--profile", help="Solver profile: a name or a path to a TOML file.")
]
TimeLimit = Annotated[
    float | None,
    searching(
        "--time-limit",
        metavar="S",
        help="Seconds for the search; opt6: processor seconds.  [default: none]",
    ),
]
Work = Annotated[
    float | None,
    searching(
        "--work",
        metavar="W",
        help="opt6: the most that is done, in about processor seconds, but the same on every "
        "machine.  [default: 25 without --time-limit]",
    ),
]
Seed = Annotated[int, searching("--seed", help="Seed of the solver and of test inputs.")]
Threads = Annotated[
    int, searching("--threads", help="Solver threads; one gives the same schedule every time.")
]
ProjectOutput = Annotated[
    Path | None, writing("-o", "--output", metavar="DIR", help="Write the project.")
]
Backend = Annotated[
    BackendName, writing("--backend", help="The tool that the project of -o is for.")
]
ScheduleOutput = Annotated[
    Path | None,
    writing(
        "--schedule",
        metavar="PATH",
        help="Of the schedule without -o; - for stdout.  [default: <source>.schedule.json]",
    ),
]
Force = Annotated[bool, writing("--force", help="Replace existing files.")]
Json = Annotated[bool, writing("--json", help="Print one JSON value and nothing else.")]
Quiet = Annotated[bool, writing("--quiet", "-q", help="No progress line and no tables.")]


def target(
    device: str, clock_ns: float | None, operators: OperatorsName | None, *, is_verilog: bool
) -> Target:
    """Return the target that is asked for: with our own operators where Verilog is made."""
    from streamopt import pipeline

    usual = OperatorsName.OPEN if is_verilog else OperatorsName.VENDOR
    return pipeline.device(device, clock_ns, operators=operators or usual)
