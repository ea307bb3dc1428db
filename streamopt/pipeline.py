"""The stages in order, each a function from value to value: the only place where they meet."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.space.level import LevelName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    import pandas as pd
    from numpy.typing import NDArray
    from torch.nn import Module

    from streamopt.codegen.design import Design
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule
    from streamopt.ir.scheduled import ScheduledGraph
    from streamopt.ir.source import Source
    from streamopt.solvers.base import Progress
    from streamopt.solvers.registry import SolverStatus
    from streamopt.strategies.solution import Solution
    from streamopt.verification.compare import Verdict

__all__ = [
    "apply",
    "compare",
    "dataflow",
    "emit",
    "interpret",
    "load",
    "load_schedule",
    "record",
    "records",
    "solve",
    "solvers",
    "verify",
    "write",
]


def load(
    source: str | PathLike[str] | Module,
    example_inputs: Sequence[object] = (),
    *,
    name: str | None = None,
    top: str | None = None,
    defines: Mapping[str, str] | None = None,
    include: Sequence[str | PathLike[str]] = (),
    parameters: Mapping[str, int] | None = None,
    outputs: Sequence[str] = (),
    shapes: Mapping[str, Sequence[int]] | None = None,
) -> Program:
    """Return the program of a file or a PyTorch module.

    Parameters
    ----------
    source
        A graph.json, C (``.c``, ``.cpp``), MLIR (``.mlir``) or ONNX (``.onnx``) file, or a
        ``torch.nn.Module``.
    example_inputs
        Of a module: tensors of the shapes that it is read for.
    name
        Of the program, instead of the source's own.
    top
        C and MLIR: the function to read.
    defines, include
        C: macros, and folders of headers.
    parameters
        C: values of integer arguments, such as extents.
    outputs
        C: the written arguments that the caller looks at; all if empty.
    shapes
        ONNX: shapes of inputs that the model leaves open.

    Raises
    ------
    FrontendError
        With all problems of the source.
    LegalityError
        If the source computes nothing that its caller sees.
    """
    if not isinstance(source, str | PathLike):
        from streamopt.frontends.torch_module import read_torch

        return read_torch(source, tuple(example_inputs), name=name)
    path = Path(source)
    match path.suffix.lower():
        case ".c" | ".h" | ".cpp" | ".cc" | ".hpp":
            from streamopt.frontends.c import read_c

            found = read_c(
                path,
                top=top,
                defines=defines or {},
                include=[Path(folder) for folder in include],
                parameters=parameters or {},
                outputs=outputs,
            )
        case ".mlir":
            from streamopt.frontends.mlir import read_mlir

            found = read_mlir(path, top=top)
        case ".onnx":
            from streamopt.frontends.onnx_model import read_onnx

            found = read_onnx(path, shapes=shapes or {})
        case _:
            from streamopt.frontends.graph_json import load_graph_json

            found = load_graph_json(path)
    program = _restructured(found)
    return program if name is None else replace(program, name=name)


def _restructured(found: Program | Source) -> Program:
    from streamopt.ir.source import Source

    if not isinstance(found, Source):
        return found
    from streamopt.transforms.restructure import restructure

    return restructure(found)


def interpret(program: Program, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the values of all arrays of a program, computed in its order and types.

    Raises
    ------
    VerificationError
        If inputs are missing or have other shapes.
    """
    from streamopt.verification.interpreter import interpret as interpret_program

    return interpret_program(program, inputs)


def load_schedule(path: str | PathLike[str]) -> Schedule:
    """Return the schedule of a schedule.json file.

    Raises
    ------
    FrontendError
        If the file can't be read as a schedule.
    """
    from streamopt.frontends.schedule_json import load_schedule_json

    return load_schedule_json(Path(path))


def dataflow(program: Program) -> Graph:
    """Return the canonical dataflow graph of a program.

    Raises
    ------
    LegalityError
        If the program isn't a dataflow graph.
    """
    from streamopt.transforms.canonicalize import canonicalize

    return canonicalize(program)


def solve(
    graph: Graph,
    *,
    level: str = LevelName.OPT5,
    dsp: int = 2560,
    tiling_limit: int = 16,
    solver: str = "cpsat",
    formulation: str = "compact",
    profile: str | None = None,
    time_limit_seconds: float | None = None,
    seed: int = 0,
    threads: int = 1,
    on_progress: Callable[[Progress], None] | None = None,
) -> Solution:
    """Return a schedule of the least latency in cycles, with its proof.

    Parameters
    ----------
    level
        opt1 to opt5 ([1] table 6).
    dsp
        DSPs that the design may use, in the paper's accounting.
    tiling_limit
        Least trip count of a tile loop, for loops longer than it.
    solver
        A name of `solvers`, or ``exhaustive`` for the oracle of small spaces.
    formulation
        ``compact`` for the exact linear program, ``paper`` for the MINLP as printed.
    profile
        A solver profile: a name under ``solvers/<solver>/`` or a path to a TOML file.
    threads
        Of the solver. With one, the same input, seed and versions give the same schedule.

    Raises
    ------
    InfeasibleError
        If no schedule fits the limits.
    SolverError
        If the solver is unknown, missing, unlicensed or failed.

    References
    ----------
    [1] Basalama and Cong, Stream-HLS, FPGA 2025.
    """
    from streamopt.solvers.base import SolveOptions
    from streamopt.solvers.profiles import load_profile
    from streamopt.strategies.choose import choose
    from streamopt.strategies.solution import Request

    request = Request(graph, LevelName(level), dsp, tiling_limit)
    options = SolveOptions(
        time_limit_seconds=time_limit_seconds, seed=seed, threads=threads, on_progress=on_progress
    )
    if profile is not None:
        options = replace(options, profile=load_profile(solver, profile))
    return choose(request, solver, formulation, options)


def record(solution: Solution) -> dict[str, str | int | float]:
    """Return what is reported of a solution: one flat row."""
    from streamopt.perf.dsp import roofline_cycles

    request = solution.request
    return {
        "name": request.graph.name,
        "level": request.level.value,
        "dsp_limit": request.dsp_limit,
        "tiling_limit": request.tiling_limit,
        "objective_cycles": solution.objective_cycles,
        "bound_cycles": solution.bound_cycles,
        "gap": round(solution.gap, 6),
        "proof": solution.proof.value,
        "stop": solution.stop.value,
        "dsps_used": solution.prediction.dsps,
        "roofline_cycles": roofline_cycles(request.graph, request.dsp_limit),
        "solver": solution.solver,
        "solver_version": solution.solver_version,
        "seed": solution.seed,
        "solve_seconds": round(solution.solve_seconds, 4),
        "message": solution.message,
    }


def records(
    graph: Graph,
    *,
    levels: Iterable[str] = tuple(LevelName),
    dsp: int = 2560,
    tiling_limit: int = 16,
    solver: str = "cpsat",
    time_limit_seconds: float | None = None,
    seed: int = 0,
    on_progress: Callable[[str, int, int], None] | None = None,
) -> list[dict[str, str | int | float]]:
    """Return one row a level, as `record` gives them.

    Parameters
    ----------
    time_limit_seconds
        For each level.
    on_progress
        Called with (level, levels done, levels in all) before each level.
    """
    rows: list[dict[str, str | int | float]] = []
    names: Sequence[str] = tuple(levels)
    for done, level in enumerate(names):
        if on_progress is not None:
            on_progress(level, done, len(names))
        solution = solve(
            graph,
            level=level,
            dsp=dsp,
            tiling_limit=tiling_limit,
            solver=solver,
            time_limit_seconds=time_limit_seconds,
            seed=seed,
        )
        rows.append(record(solution))
    return rows


def compare(
    graph: Graph,
    *,
    levels: Iterable[str] = tuple(LevelName),
    dsp: int = 2560,
    tiling_limit: int = 16,
    solver: str = "cpsat",
    time_limit_seconds: float | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Return the rows of `records` as a DataFrame, one a level."""
    import pandas as pd

    return pd.DataFrame(
        records(
            graph,
            levels=levels,
            dsp=dsp,
            tiling_limit=tiling_limit,
            solver=solver,
            time_limit_seconds=time_limit_seconds,
            seed=seed,
        )
    )


def apply(graph: Graph, schedule: Schedule) -> ScheduledGraph:
    """Return the graph with the schedule applied to its loops.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph, or would change what it computes.
    """
    from streamopt.transforms.apply import apply as apply_schedule

    return apply_schedule(graph, schedule)


def emit(graph: Graph, schedule: Schedule) -> Design:
    """Return streamed Vitis HLS C++ with a self-checking testbench."""
    from streamopt.codegen.vitis import emit as emit_vitis

    return emit_vitis(apply(graph, schedule))


def write(
    program: Program,
    schedule: Schedule,
    directory: str | PathLike[str],
    *,
    result: dict[str, str | int | float] | None = None,
    seed: int = 0,
) -> Design:
    """Write the HLS project of a schedule, with graph.json, schedule.json and golden data.

    The directory appears whole or not at all.

    Parameters
    ----------
    result
        What is known of the schedule, kept in schedule.json; see `record`.
    seed
        Seed of the test inputs.
    """
    from streamopt.frontends.graph_json import write_graph_json
    from streamopt.frontends.schedule_json import write_schedule_json
    from streamopt.verification.project import write_project

    design = emit(dataflow(program), schedule)
    sources = {
        "graph.json": write_graph_json(program),
        "schedule.json": write_schedule_json(schedule, result),
    }
    write_project(design, program, Path(directory), sources, seed)
    return design


def verify(directory: str | PathLike[str], *, seed: int | None = None) -> Verdict:
    """Compile and run a project, and compare it with the interpreter of its source program.

    Parameters
    ----------
    seed
        Seed of other test inputs than those that the project was written with.

    Raises
    ------
    VerificationError
        If the project can't be built or run. A design that computes something else gives a
        `Verdict` that says so.
    """
    from streamopt.verification.project import read_manifest
    from streamopt.verification.verify import verify_project

    read_manifest(Path(directory))
    return verify_project(Path(directory), load(Path(directory) / "graph.json"), seed=seed)


def solvers() -> tuple[SolverStatus, ...]:
    """Return the solvers with version, licence and capabilities; takes no licence."""
    from streamopt.solvers.registry import available

    return available()
