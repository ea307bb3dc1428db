"""From a project and a report of its synthesis to expected against reported figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SourceLoc, SynthesisReportError
from streamopt.evaluation.design import Evaluation
from streamopt.ir.graph import Graph
from streamopt.ir.schedule import Schedule
from streamopt.options import checked
from streamopt.pipeline.design_limits import LIMITED
from streamopt.pipeline.evaluating import evaluate
from streamopt.pipeline.reading import dataflow, load, load_schedule
from streamopt.synthesis.report import SynthesisReport
from streamopt.target.device import Target, target_of_part

if TYPE_CHECKING:
    from streamopt.synthesis.check import ExpectedDesign, SynthesisCheck
    from streamopt.verification.project import Manifest


@checked()
def check(
    directory: str | PathLike[str], report: str | PathLike[str] | None = None
) -> SynthesisCheck:
    """Return the prediction of a project beside a report of its synthesis by Vitis HLS.

    Loops are found by the functions of the emitted code and the lines in their names, so the
    project is to be synthesised as it was emitted.

    Parameters
    ----------
    directory
        Of a Vitis project, from `write`.
    report
        ``csynth.xml`` or ``csynth.rpt``, or the folder that has them
        (``solution/syn/report``), of Vitis HLS 2022.1 to 2025.2; looked for in the project where
        not given.

    Raises
    ------
    SynthesisReportError
        E861 to E863 for a file that is no report or was cut off, E864 if there is none, E865 if
        it is of another design, E866 if Vitis HLS doesn't build the project.
    VerificationError
        E722 if the directory is no project of ours.
    """
    from streamopt.ir.network import PipelineTiming
    from streamopt.sim import simulate
    from streamopt.synthesis.check import SynthesisCheck, checked_design, reported_timings
    from streamopt.synthesis.reader import find_reports, read_reports
    from streamopt.verification.project import read_manifest

    folder = Path(directory)
    manifest = read_manifest(folder)
    if manifest.backend != "vitis" or not manifest.settings:
        message = f"{folder} is a project of the back end {manifest.backend}"
        hint = "emit one for Vitis HLS: --backend vitis"
        raise SynthesisReportError(Diagnostic("E866", message, hint=hint))
    place = find_reports(folder) if report is None else Path(report)
    found = read_reports(place)
    graph, schedule = dataflow(load(folder / "graph.json")), load_schedule(folder / "schedule.json")
    result = _result(folder)
    evaluation = evaluate(graph, schedule, _target(manifest))
    expected = _expected(graph, schedule, evaluation, manifest.top, _limits(evaluation, result))
    _check_design(expected, found, place)
    timings = reported_timings(expected, found)
    again = None
    if timings is not None:
        known = {name: PipelineTiming(*timing) for name, timing in timings.items()}
        own = {name: timed.timing for name, timed in evaluation.timed.items()}
        again = simulate(evaluation.network, own | known).cycles
    return SynthesisCheck(
        graph.name,
        found.release,
        checked_design(expected, found),
        tuple(_remarks(manifest, found, evaluation.target)),
        (evaluation.trace.cycles, again),
    )


def _result(folder: Path) -> Mapping[str, str | int | float | None]:
    from streamopt.formats.schedule_json import load_result_json

    return load_result_json(folder / "schedule.json")


def _target(manifest: Manifest) -> Target:
    """Return the device that a project was made for, at the clock of its scripts."""
    return target_of_part(str(manifest.settings["part"]), float(manifest.settings["clock_ns"]))


def _limits(
    evaluation: Evaluation, result: Mapping[str, str | int | float | None]
) -> Mapping[str, int]:
    """Return the limits that were solved for, and the device's where none is known."""
    total = evaluation.target.total
    return {
        field: getattr(total, field) if most is None else int(most)
        for option, (field, _) in LIMITED.items()
        for most in (result.get(f"{option}_limit"),)
    }


def _expected(
    graph: Graph,
    schedule: Schedule,
    evaluation: Evaluation,
    top: str,
    limits: Mapping[str, int],
) -> ExpectedDesign:
    from streamopt.codegen.layout import plan_layout
    from streamopt.synthesis.check import ExpectedDesign, ExpectedFunction, ExpectedLoop
    from streamopt.transforms.apply import apply

    layout = plan_layout(apply(graph, schedule))
    functions = tuple(
        ExpectedFunction(
            function.name,
            tuple(
                ExpectedLoop(p.name, p.iterations, timing.ii, timing.depth_cycles)
                for p in process.pipelines
                for timing in (evaluation.timed[p.name].timing,)
            ),
            evaluation.resources.processes[process.name],
        )
        for function, process in zip(layout.processes, evaluation.network.processes, strict=True)
    )
    movers = tuple(  # whose resources are the adapters of the processes behind them
        ExpectedFunction(
            mover.name,
            (ExpectedLoop(mover.name, mover.outside.packing.moved_words, 1),),
            None,
        )
        for mover in layout.word_movers
        if mover.outside.packing is not None
    )
    return ExpectedDesign(
        top,
        (*functions, *movers),
        evaluation.resources.total,
        evaluation.trace.cycles,
        evaluation.target.clock_ns,
        limits,
    )


def _check_design(expected: ExpectedDesign, report: SynthesisReport, place: Path) -> None:
    """Refuse a report that has neither the top function nor any process: E865."""
    from streamopt.synthesis.matching import function_modules

    names = [function.name for function in expected.functions]
    outlined = report.top.startswith(tuple(f"{name}_Pipeline_" for name in names))
    is_own = outlined or report.top in ("", expected.top, *names)
    if is_own and any(function_modules(report, name, names) for name in names):
        return
    message = f"the report is of '{report.top}'" if report.top else "the reports are of others"
    message += f", and the design is '{expected.top}' with {', '.join(names[:3])}"
    message += " and others" if len(names) > 3 else ""
    hint = "give the report of this project: <solution>/syn/report"
    raise SynthesisReportError(Diagnostic("E865", message, SourceLoc(str(place)), hint))


def _remarks(manifest: Manifest, report: SynthesisReport, on: Target) -> Iterator[str]:
    part, clock_ns = str(manifest.settings["part"]), float(manifest.settings["clock_ns"])
    if on.part != part:
        yield f"no device of the package is {part}: the figures are expected on {on.name}"
    if report.part and report.part.lower() != part.lower():
        yield f"the report is for {report.part}, the project for {part}"
    if report.target_ns is not None and abs(report.target_ns - clock_ns) > 0.005:
        yield f"the report is at {report.target_ns} ns, the project at {clock_ns} ns"
