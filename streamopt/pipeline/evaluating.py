"""A schedule's worth in hardware, from graphs or paths: cycles, resources, FIFO depths."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, SynthesisReportError, TargetError
from streamopt.evaluation.design import (
    Evaluation,
    Simulated,
    evaluated,
    evaluated_network,
    timed_network,
)
from streamopt.evaluation.fifo_sizing import LEAST_FIFOS, FifoSizing, sized
from streamopt.ir.network import Network
from streamopt.ir.schedule import Schedule
from streamopt.options import checked
from streamopt.pipeline.reading import dataflow, load_schedule
from streamopt.sim.depths import DepthPlan
from streamopt.target.device import DEVICE, Target, find_device, or_usual, target_of_part
from streamopt.target.operators import OperatorsName
from streamopt.transforms.apply import apply
from streamopt.transforms.lower import lower

if TYPE_CHECKING:
    from streamopt.pipeline.sources.readers import Readable
    from streamopt.published import Measured, PublishedDesign
    from streamopt.sim import Trace


def project_target(settings: Mapping[str, Any]) -> Target | None:
    """Return the device and clock of a project's settings; None where nothing is known of them."""
    with suppress(KeyError, ValueError, TargetError):
        return target_of_part(str(settings["part"]), float(settings["clock_ns"]))
    return None


@checked(operators=OperatorsName)
def device(
    name: str = DEVICE, clock_ns: float | None = None, *, operators: str = OperatorsName.VENDOR
) -> Target:
    """Return a device by name, or by the path of a TOML file.

    Parameters
    ----------
    name
        A device of the package (``u280``, ``u55c``, ``zcu104``, ...), or the path of a TOML file.
    clock_ns
        Clock period; None for the device's usual one.
    operators
        ``vendor`` for those that the vendor's tool makes, or ``open`` for those of our own Verilog
        (``--backend rtl``), with registers and cells as it has them.

    Raises
    ------
    TargetError
        If there is no such device, or the file is not one.
    MissingExtraError
        E890 for our own operators without amaranth.
    """
    found = find_device(name, clock_ns)
    if operators == OperatorsName.VENDOR:
        return found
    from streamopt.rtl.costs.open_operators import with_open_operators

    return with_open_operators(found)


@checked()
def evaluate(
    graph: Readable,
    schedule: Schedule,
    device: Target | None = None,
    *,
    frames: int = 1,
    flushable: bool = False,
    samples: int = 0,
) -> Evaluation:
    """Return a schedule as built: cycles in two independent ways, and resources.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    schedule
        From `solve`, `load_schedule` or by hand.
    device
        The target; the U280 at its usual clock where not given.
    frames
        Runs one after another.
    flushable
        Whether an empty input leaves pipelines running.
    samples
        Moments at which the trace says how full each FIFO is.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    DeadlockError
        If the design comes to a standstill at the schedule's FIFO depths.
    """
    return evaluated(
        dataflow(graph), schedule, or_usual(device), Simulated(frames, flushable, samples)
    )


@checked()
def simulate(
    graph: Readable,
    schedule: Schedule,
    device: Target | None = None,
    *,
    frames: int = 1,
    flushable: bool = False,
    samples: int = 0,
) -> Trace:
    """Return a schedule's run, cycle by cycle: the trace of `evaluate`, and nothing else.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    schedule
        From `solve`, `load_schedule` or by hand.
    device
        The target; the U280 at its usual clock where not given.
    frames
        Runs one after another.
    flushable
        Whether an empty input leaves pipelines running.
    samples
        Moments at which the trace says how full each FIFO is.

    Raises
    ------
    LegalityError
        If the schedule isn't one of this graph.
    DeadlockError
        If the design comes to a standstill at the schedule's FIFO depths.
    """
    from streamopt.sim import simulate as run_network

    network, timings = timed_network(dataflow(graph), schedule, or_usual(device))
    return run_network(network, timings, frames=frames, flushable=flushable, samples=samples)


def verilog_ends(graph: Readable, schedule: Schedule, frames: int = 1) -> tuple[int, ...]:
    """Return when frames of a schedule end in Verilog, with the depths that it has there.

    Raises
    ------
    CodegenError
        E640 for a design that can't be RTL.
    DeadlockError
        If it comes to a standstill.
    """
    from streamopt.evaluation.frames import frame_ends
    from streamopt.rtl.kernel.making import timed_network as verilog_network
    from streamopt.sim.in_turn.hazards import check_hazards
    from streamopt.sim.simulate import simulate as simulate_network

    network, timings = verilog_network(apply(dataflow(graph), schedule))
    check_hazards(network, timings)
    return tuple(frame_ends(simulate_network(network, timings, frames=frames)))


@checked()
def expected_intervals(
    graph: Readable, schedule: Schedule, device: Target | None = None
) -> tuple[tuple[str, int], ...]:
    """Return pairs (node, initiation interval that it is expected to have).

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    schedule
        From `solve`, `load_schedule` or by hand.
    device
        The target; the U280 at its usual clock where not given.
    """
    from streamopt.evaluation import intervals
    from streamopt.transforms.apply import apply

    return intervals.expected_intervals(apply(dataflow(graph), schedule), or_usual(device))


@checked()
def evaluate_network(
    network: Network,
    device: Target | None = None,
    *,
    frames: int = 1,
    flushable: bool = False,
    samples: int = 0,
) -> Evaluation:
    """Return a network as built, for instance that of a published design.

    Innermost loops of one iteration are dissolved first, as the vendor's tool does, and a request
    for an interval counts only where the pipeline would have a shorter one.

    Parameters
    ----------
    network
        Of `load_design`, for instance.
    device
        The target; the U280 at its usual clock where not given.
    frames
        Runs one after another.
    flushable
        Whether an empty input leaves pipelines running.
    samples
        Moments at which the trace says how full each FIFO is.

    Raises
    ------
    DeadlockError
        If it comes to a standstill.
    """
    from streamopt.perf.pipelines.timings import dissolved, without_idle_requests

    target = or_usual(device)
    built = without_idle_requests(dissolved(network), target)
    simulated = Simulated(frames, flushable, samples)
    return evaluated_network(built, target, simulated, shares_in_turn=True)


@checked()
def size_fifos(
    graph: Readable,
    schedule: Schedule,
    sizing: FifoSizing = LEAST_FIFOS,
) -> tuple[Schedule, DepthPlan]:
    """Return the schedule with small FIFOs, and what they save.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    schedule
        Whose depths are found anew.
    sizing
        The latency to give up, and the target.

    Raises
    ------
    SimulationError
        E812 if the slack is no share.
    DeadlockError
        If the design comes to a standstill at the schedule's own depths.
    """
    return sized(dataflow(graph), schedule, sizing)


@checked()
def load_design(path: str | PathLike[str]) -> PublishedDesign:
    """Return a design that another tool or a person made, and what was measured of it.

    Parameters
    ----------
    path
        The folder, or the file, of its HLS C++; ``folder:function`` names the top function. Or a
        design file in JSON, as in ``results/rtl_accuracy``. A project of ours whose nodes are
        sequential is read from its schedule: their C++ steps through states, not loops.

    Raises
    ------
    FrontendError
        If it can't be read.
    """
    from streamopt.published import load_published_design
    from streamopt.published.hls.folder import SOURCES, read_hls_design

    folder, top = Path(path), None
    before, colon, after = str(path).rpartition(":")
    if colon and after.isidentifier() and not folder.exists():
        folder, top = Path(before), after
    if not folder.is_dir() and folder.suffix not in SOURCES:
        return load_published_design(folder)
    found = _sequential_project(folder) or read_hls_design(folder, top)
    return replace(found, measured=_synthesised(folder, found.kernel, found.measured))


def _sequential_project(folder: Path) -> PublishedDesign | None:
    """Return the design of a project of ours that has sequential nodes; None for other folders."""
    from streamopt.published import Measured, PublishedDesign
    from streamopt.verification.manifest import MANIFEST, changed_files, project_in, read_manifest

    project = project_in(folder)
    if not (project / MANIFEST).is_file():
        return None
    schedule = load_schedule(project / "schedule.json")
    if not any(plan.steps for plan in schedule.nodes):
        return None
    manifest = read_manifest(project)
    changed = sorted(changed_files(project, manifest) - {MANIFEST})
    if changed:
        message = f"{changed[0]} was edited, and C++ of sequential nodes isn't read back"
        hint = "give the project as it was written"
        raise FrontendError(Diagnostic("E150", message, SourceLoc(str(project)), hint))
    network = lower(apply(dataflow(project / "graph.json"), schedule))
    name = folder.resolve().name
    return PublishedDesign(name, "", manifest.top, "", None, network, Measured(), {})


def _synthesised(folder: Path, top: str, measured: Measured) -> Measured:
    """Return the measurements, with those of synthesis if the folder has its report."""
    from streamopt.synthesis.reader import read_reports

    try:
        report = read_reports(folder if folder.is_dir() else folder.parent)
    except SynthesisReportError:
        return measured
    module = report.module(report.top or top)
    if module is None:
        return measured
    return replace(
        measured,
        vitis_cycles=module.latency_cycles,
        dsps=module.dsps,
        bram18=module.bram18,
        ffs=module.ffs,
        luts=module.luts,
        urams=module.uram,
    )
