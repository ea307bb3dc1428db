"""From schedules to designs, and the proof that they compute the right thing."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import CodegenError, Diagnostic, VerificationError
from streamopt.ir.graph import Graph
from streamopt.ir.program import Program
from streamopt.ir.schedule import Schedule
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.options import checked
from streamopt.pipeline.evaluating import project_target, simulate, verilog_ends
from streamopt.pipeline.ports import plan_ports, put_outside
from streamopt.pipeline.reading import dataflow, load, load_schedule

if TYPE_CHECKING:
    from streamopt.codegen.backends.vitis_project import VitisSettings
    from streamopt.codegen.design import Design
    from streamopt.pipeline.sources.readers import Readable
    from streamopt.verification.compare import DesignVerdict
    from streamopt.verification.edits.finding import Edits
    from streamopt.verification.manifest import Manifest
    from streamopt.verification.vectors.golden import Golden
    from streamopt.verification.vectors.inputs import InputWays

logger = logging.getLogger(__name__)


@checked()
def apply(graph: Readable, schedule: Schedule) -> ScheduledGraph:
    """Return the graph with the schedule applied to its loops.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    schedule
        From `solve`, `load_schedule` or by hand.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph, or would change what it computes.
    """
    from streamopt.transforms.apply import apply as apply_schedule

    return apply_schedule(dataflow(graph), schedule)


@checked()
def emit(
    graph: Readable,
    schedule: Schedule,
    *,
    backend: str = "vitis",
    settings: VitisSettings | None = None,
) -> Design:
    """Return streamed C++ with a self-checking testbench.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    schedule
        From `solve`, `load_schedule` or by hand.
    backend
        ``vitis``, ``tapa``, ``native`` or ``rtl``; see `streamopt.codegen.design`.
    settings
        Release, part and clock of a Vitis project.

    Raises
    ------
    CodegenError
        If it can't be written, or if the vendor's tool would refuse it.
    """
    from streamopt.codegen.backends.registry import emit as emit_design

    graph = dataflow(graph)
    schedule = _fitting(graph, schedule, backend, settings)
    scheduled = apply(graph, schedule)
    if backend not in ("native", "rtl"):
        settings = _expecting(scheduled, settings)
    return emit_design(scheduled, backend, settings)


def _expecting(scheduled: ScheduledGraph, settings: VitisSettings | None) -> VitisSettings:
    """Return settings with the intervals to expect and an SLR, where they have none."""
    from streamopt.codegen.backends.vitis_project import VitisSettings
    from streamopt.evaluation.intervals import intervals_on_part, slr_on_part

    known = settings or VitisSettings()
    if known.intervals is None:
        found = intervals_on_part(scheduled, known.part, known.clock_ns)
        known = replace(known, intervals=found)
    slr = known.slr or slr_on_part(scheduled, known.part, known.clock_ns)
    return replace(known, slr=slr)


def _fitting(
    graph: Graph, schedule: Schedule, backend: str, settings: VitisSettings | None
) -> Schedule:
    """Return a schedule that a back end can build: TAPA has no arrays but those outside."""
    from streamopt.codegen.backends.vitis_project import VitisSettings
    from streamopt.evaluation.visit_lengths import with_lengths_on_part

    known = settings or VitisSettings()
    schedule = with_lengths_on_part(graph, schedule, known.part, known.clock_ns)
    if backend != "tapa" or schedule.ports:
        return schedule
    return put_outside(graph, schedule, plan_ports(graph, "m_axi"))


@checked()
def write(
    program: Readable,
    schedule: Schedule,
    directory: str | PathLike[str],
    *,
    result: Mapping[str, str | int | float] | None = None,
    seed: int = 0,
    backend: str = "vitis",
    settings: VitisSettings | None = None,
    inputs: str | PathLike[str] | Sequence[str] | Mapping[str, Any] | Golden | None = None,
) -> Design:
    """Write the project of a schedule, with graph.json, schedule.json and golden data.

    The directory appears whole or not at all.

    Parameters
    ----------
    program
        A program, or anything else that `streamopt.load` reads; a graph knows its program.
    schedule
        Of its graph.
    directory
        Of the project; a project of streamopt there is replaced, anything else is left alone.
    result
        What is known of the schedule, kept in schedule.json; see `record`.
    seed
        Seed of the test inputs.
    backend
        ``vitis``, ``tapa``, ``native`` or ``rtl``.
    settings
        Release, part and clock of a Vitis project.
    inputs
        Test inputs that suit the program: ``"0.5:1.5"`` for a range, ``"spd"`` for symmetric
        positive definite matrices, ``"A=spd"`` for one array, the path of an ``.npz`` file, a list
        of these, or ways and values by array. Where nothing is said and numbers around 0 leave an
        output without a value, others are tried; where none suit, the project is written with a
        warning, and can't be verified there.

    Raises
    ------
    VerificationError
        E713 for an output that is never written, or that has no value for the inputs asked for;
        E724 to E727 for inputs that don't suit the program, or too many.
    """
    from streamopt.formats.graph_json import write_graph_json
    from streamopt.formats.schedule_json import write_schedule_json
    from streamopt.formats.weights import arrays_bytes, weights_bytes
    from streamopt.verification.project import write_project
    from streamopt.verification.vectors.golden import in_any_order

    graph, program = dataflow(program), load(program)
    schedule = _fitting(graph, schedule, backend, settings)
    if backend == "vitis":
        settings = _expecting(apply(graph, schedule), settings)
    design = emit(graph, schedule, backend=backend, settings=settings)
    golden = golden_data(program, seed, inputs)
    if apply(graph, schedule).may_reorder_sums:
        loose = in_any_order(program, golden, seed)
        golden = loose if loose.is_whole else golden
    for problem in golden.problems:
        logger.warning("warning: can't be verified: %s", problem)
    weights = "weights.npz" if program.values or program.sample else ""
    sources: dict[str, str | bytes] = {
        "graph.json": write_graph_json(program, weights=weights),
        "schedule.json": write_schedule_json(schedule, result),
    }
    if weights:
        sources[weights] = weights_bytes(program)
    if golden.asked.values:
        sources[INPUT_VALUES] = arrays_bytes(golden.asked.values)
    known = asdict(settings) if settings is not None and backend == "vitis" else {}
    write_project(design, program, Path(directory), sources, seed, golden, known)
    return design


@checked()
def verify(
    directory: str | PathLike[str],
    *,
    seed: int | None = None,
    traces: bool = False,
    compiler: str = "g++",
    allow_edits: bool = False,
    vcd: str | PathLike[str] | None = None,
    frames: int = 1,
) -> DesignVerdict:
    """Compile and run a project, and compare it with the interpreter of its source program.

    What the vendor's tool would refuse is looked for before it is compiled. The design is emitted
    again, and each line of the project that differs fails it: a run doesn't show a pragma that is
    missing, or a FIFO that is too shallow for the schedule.

    All processes of the design run at once, with FIFOs as deep as they are emitted. Where it goes
    wrong, what was written to each channel tells which node did so first, at which iteration. A
    design that computes the right thing is simulated too, which shows whether it comes to a
    standstill cycle by cycle.

    Parameters
    ----------
    directory
        Of the project, from `write`; or the folder of `run`.
    seed
        Seed of other test inputs than those that the project was written with.
    traces
        Whether to compare all tokens of a design that computes the right thing, too.
    compiler
        Of C++17, with the options of g++: ``clang++``.
    allow_edits
        Whether files may differ from what was emitted; the verdict tells them all the same.
    vcd
        File for all signals of the first run of a design in Verilog, two times a cycle.
    frames
        Of a design in Verilog in each run, with other inputs each: the next one is given at once,
        and each process begins it as soon as it can.

    Raises
    ------
    FrontendError
        E116 if the file can't be written.
    CodegenError
        E611 to E619 for what the vendor's tool would refuse, E620 for a script that lets it build
        another design than was predicted.
    VerificationError
        If the project can't be built or run, or comes to a standstill; E736 for tokens of a design
        in Verilog, or signals or frames of another one. A design that computes something else
        gives a `DesignVerdict` that says so.
    DeadlockError
        If the design comes to a standstill at its FIFO depths.
    """
    from streamopt.codegen.engines.design import RUN_SECONDS, SETTING
    from streamopt.verification.decoders.project import verify_decoder
    from streamopt.verification.manifest import project_in, read_manifest
    from streamopt.verification.refusals import refuse_other_traces, refuse_what_tools_would
    from streamopt.verification.verify import Traced, verify_project

    folder = project_in(Path(directory))
    manifest, waves = read_manifest(folder), None if vcd is None else Path(vcd)
    refuse_other_traces(manifest, traces=traces, vcd=waves, frames=frames)
    if (decoder := verify_decoder(folder, manifest, compiler=compiler)) is not None:
        return decoder
    program = load(folder / "graph.json")
    ways = stored_ways(folder, program, manifest.inputs)
    if SETTING in manifest.settings:
        return verify_project(folder, program, RUN_SECONDS, compiler, seed=seed, ways=ways)
    graph, schedule = dataflow(program), load_schedule(folder / "schedule.json")
    edits, kernel = _edits(folder, manifest, graph, schedule)
    traced = Traced(apply(graph, schedule), always=traces, vcd=waves, frames=frames)
    notes = edits.notes
    try:
        notes += refuse_what_tools_would(folder, manifest, kernel)
        verdict = verify_project(
            folder, program, compiler=compiler, seed=seed, traced=traced, ways=ways
        )
    except (CodegenError, VerificationError) as error:
        raise type(error)(*error.diagnostics, *edits.found) from None
    ends: tuple[int, ...] = ()
    if not verdict.is_wrong:
        if manifest.backend == "rtl":
            ends = verilog_ends(graph, schedule, frames)
        else:
            simulate(graph, schedule, project_target(manifest.settings))
    notes = (*verdict.notes, *notes)
    found = replace(verdict, edits=edits.found, may_be_edited=allow_edits, notes=notes)
    return replace(found, simulated_ends=ends)


def _edits(
    directory: Path, manifest: Manifest, graph: Graph, schedule: Schedule
) -> tuple[Edits, str | None]:
    """Return where a project differs from what it is emitted as, and its kernel as emitted.

    The kernel is None where the project's own is another one.
    """
    from streamopt.codegen.backends.vitis_project import VitisSettings
    from streamopt.verification.edits.finding import Edits, edits_of
    from streamopt.verification.manifest import MANIFEST

    known, settings = manifest.settings, None
    if manifest.backend == "vitis" and not known:
        told = "files are not compared with what is emitted: the project doesn't say its settings"
        return Edits(notes=(told,)), None
    if manifest.backend == "vitis":
        try:
            intervals = tuple((str(name), int(ii)) for name, ii in known.get("intervals", ()))
            settings = VitisSettings(
                str(known["release"]),
                str(known["part"]),
                float(known["clock_ns"]),
                intervals,
                str(known.get("slr", "")),
            )
        except (KeyError, TypeError, ValueError):
            message = f"the settings in {directory / MANIFEST} are not as streamopt writes them"
            raise VerificationError(Diagnostic("E722", message, hint="write it again")) from None
    design = emit(graph, schedule, backend=manifest.backend, settings=settings)
    found = edits_of(directory, manifest, design)
    kernel = f"{manifest.top}.cpp"
    is_given = manifest.backend != "rtl" and kernel not in found.changed
    return found, design.text(kernel) if is_given else None


INPUT_VALUES = "test_inputs.npz"
"""File of a project with the values that were given for its test inputs."""

_SUFFIX = ".npz"


def golden_data(
    program: Program,
    seed: int = 0,
    inputs: str | PathLike[str] | Sequence[str] | Mapping[str, Any] | Golden | None = None,
) -> Golden:
    """Return test inputs and golden outputs of a program.

    Parameters
    ----------
    inputs
        What `streamopt.write` takes, or test data that were made before.

    Raises
    ------
    VerificationError
        E726 for a file that can't be read, and as
        `streamopt.verification.vectors.golden.find_golden`.
    """
    from streamopt.verification.vectors.golden import Golden, find_golden

    if isinstance(inputs, Golden):
        return inputs
    return find_golden(program, seed, input_ways(program, inputs))


def input_ways(
    program: Program,
    inputs: str | PathLike[str] | Sequence[str] | Mapping[str, Any] | None,
) -> InputWays:
    """Return how inputs are drawn, and values of others, as a user says it."""
    from streamopt.formats.values_file import values_in
    from streamopt.verification.vectors.inputs import InputWays, parsed_ways

    texts: list[str] = []
    values: dict[str, NDArray[Any]] = {}
    if isinstance(inputs, Mapping):
        for name, said in inputs.items():
            if isinstance(said, str):
                texts.append(f"{name}={said}" if name else said)
            else:
                values[name] = np.asarray(said)
    elif isinstance(inputs, str | PathLike):
        texts.append(fspath(inputs))
    else:
        texts += inputs or ()
    for text in texts:
        if text.endswith(_SUFFIX):
            values.update(values_in(Path(text), program))
    return InputWays(parsed_ways(text for text in texts if not text.endswith(_SUFFIX)), values)


def stored_ways(directory: Path, program: Program, texts: Sequence[str]) -> InputWays:
    """Return how the inputs of a project were asked for."""
    path = directory / INPUT_VALUES
    return input_ways(program, [*texts, *([str(path)] if path.is_file() else [])])
