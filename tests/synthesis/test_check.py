"""A design against reports that are as predicted, and against those that are not."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import SynthesisReportError
from streamopt.synthesis.matching import FoundLoop, matched_loops
from streamopt.synthesis.report import ReportedLoop
from tests.support.synthesis_reports import Function, Loop, xml_report

if TYPE_CHECKING:
    from streamopt.pipeline import Evaluation

GRAPHS = Path(__file__).parents[2] / "graphs" / "polybench"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("project") / "atax"
    found = so.solve(GRAPHS / "atax.json", dsp=100)
    so.write(GRAPHS / "atax.json", found.schedule, folder, result=so.record(found))
    return folder


@pytest.fixture(scope="module")
def predicted(project: Path) -> Evaluation:
    return so.evaluate(project / "graph.json", so.load_schedule(project / "schedule.json"))


def as_predicted(found: Evaluation) -> list[Function]:
    """The functions that a tool would report which agrees with us, a line of source each."""
    functions: list[Function] = []
    for at, process in enumerate(found.network.processes):
        (pipeline,) = process.pipelines
        timing = found.timed[pipeline.name].timing
        used = found.resources.processes[process.name]
        name = f"VITIS_LOOP_{20 * at + 9}_1_VITIS_LOOP_{20 * at + 10}_2"
        loop = Loop(name, str(pipeline.iterations), timing.ii, timing.depth_cycles)
        amounts = (used.dsps, used.bram18, used.uram, used.luts, used.ffs)
        functions.append(Function(process.name, (loop,), *amounts))
    return functions


def top_of(found: Evaluation) -> Function:
    used = found.resources.total
    amounts = (used.dsps, used.bram18, used.uram, used.luts, used.ffs)
    return Function("atax", (), *amounts, latency=str(found.trace.cycles), kind="dataflow")


def reported(folder: Path, found: Evaluation, functions: list[Function]) -> Path:
    path = folder / "csynth.xml"
    top = top_of(found)
    path.write_text(xml_report(top, (*functions, top)))
    return path


def test_a_report_as_predicted_passes(project: Path, predicted: Evaluation, tmp_path: Path) -> None:
    report = reported(tmp_path, predicted, as_predicted(predicted))
    found = so.check(project, report)
    assert found.passed
    assert {row["outcome"] for row in found.records()} == {"met"}
    assert found.simulated_cycles == (predicted.trace.cycles, predicted.trace.cycles)
    assert found.remarks == ()


def test_an_interval_that_is_missed_fails_and_is_simulated(
    project: Path, predicted: Evaluation, tmp_path: Path
) -> None:
    functions = as_predicted(predicted)
    (loop,) = functions[0].loops
    functions[0] = replace(functions[0], loops=(replace(loop, ii=(loop.ii or 1) + 7),))
    found = so.check(project, reported(tmp_path, predicted, functions))
    (missed,) = found.missed
    assert (missed.part, missed.figure) == (functions[0].name, "II")
    assert missed.reported == (missed.expected or 0) + 7
    before, again = found.simulated_cycles
    assert again is not None
    assert again > before


def test_a_nest_that_is_not_flattened_fails(
    project: Path, predicted: Evaluation, tmp_path: Path
) -> None:
    functions = as_predicted(predicted)
    (loop,) = functions[0].loops
    inner = replace(loop, name="VITIS_LOOP_10_2", trips=str(int(loop.trips) // 2))
    for outer in (
        replace(functions[0], loops=(Loop("VITIS_LOOP_9_1", "2", None, 9, (inner,)),)),
        replace(functions[0], loops=(Loop("VITIS_LOOP_9_1", "2", None, 9),)),
    ):
        changed = [outer, *functions[1:]]
        if not outer.loops[0].loops:  # the inner loop became a module of its own
            name = f"{outer.name}_Pipeline_{inner.name}"
            changed.append(Function(name, (inner,)))
        found = so.check(project, reported(tmp_path, predicted, changed))
        (missed,) = found.missed
        assert missed.figure == "trip_count"
        assert missed.note == "not flattened: the pipeline fills 2 times"
        assert found.simulated_cycles[1] is None


def test_a_loop_that_is_not_pipelined_fails(
    project: Path, predicted: Evaluation, tmp_path: Path
) -> None:
    functions = as_predicted(predicted)
    (loop,) = functions[1].loops
    functions[1] = replace(functions[1], loops=(replace(loop, ii=None),))
    found = so.check(project, reported(tmp_path, predicted, functions))
    assert [(m.figure, m.note) for m in found.missed] == [("II", "it is not pipelined")]


def test_limits_and_the_clock_are_kept_or_missed(
    project: Path, predicted: Evaluation, tmp_path: Path
) -> None:
    functions, top = as_predicted(predicted), top_of(predicted)
    slow = replace(top, luts=2_000_000, clock="3.41")
    path = tmp_path / "csynth.xml"
    path.write_text(xml_report(slow, (*functions, slow)))
    found = so.check(project, path)
    assert {m.figure for m in found.missed} == {"luts", "clock_ns"}
    assert "more than the limit of 1303680" in {m.note for m in found.missed}


def test_outlined_and_renamed_functions_are_found(
    project: Path, predicted: Evaluation, tmp_path: Path
) -> None:
    functions = as_predicted(predicted)
    first, second = functions[:2]
    (loop,) = first.loops
    outlined = replace(first, name=f"{first.name}_Pipeline_{loop.name}")
    functions[:2] = [replace(first, loops=()), outlined, replace(second, name=f"{second.name}_1")]
    found = so.check(project, reported(tmp_path, predicted, functions))
    assert {row["outcome"] for row in found.records()} == {"met"}


def test_one_function_is_checked_alone(
    project: Path, predicted: Evaluation, tmp_path: Path
) -> None:
    function = as_predicted(predicted)[0]
    path = tmp_path / f"{function.name}_csynth.xml"
    path.write_text(xml_report(function))
    found = so.check(project, path)
    met = {row["part"] for row in found.records() if row["outcome"] == "met"}
    assert found.passed
    assert met == {function.name}
    assert found.simulated_cycles[1] is None


def test_other_designs_parts_and_clocks_are_told(
    project: Path, predicted: Evaluation, tmp_path: Path
) -> None:
    functions = as_predicted(predicted)
    path, top = tmp_path / "csynth.xml", top_of(predicted)
    path.write_text(xml_report(top, (*functions, top), part="xc7z020", clock="10.00"))
    assert len(so.check(project, path).remarks) == 2
    other = Function("fft", (Loop("VITIS_LOOP_3_1", "8"),))
    path.write_text(xml_report(other, (other,)))
    with pytest.raises(SynthesisReportError) as caught:
        so.check(project, path)
    assert caught.value.diagnostics[0].code == "E865"
    with pytest.raises(SynthesisReportError) as caught:
        so.check(project)
    assert caught.value.diagnostics[0].code == "E864"


def test_limits_of_none_and_devices_of_users_are_told(
    project: Path, predicted: Evaluation, tmp_path: Path
) -> None:
    folder = shutil.copytree(project, tmp_path / "project")
    for name, old, new in (
        ("streamopt-project.json", predicted.target.part, "xcu-own"),
        ("schedule.json", '"result": {', '"result": {"uram_limit": 0, '),
    ):
        text = (folder / name).read_text()
        assert old in text
        (folder / name).write_text(text.replace(old, new))
    top = replace(top_of(predicted), uram=1)
    path = tmp_path / "csynth.xml"
    path.write_text(xml_report(top, (*as_predicted(predicted), top), part="xcu-own"))
    found = so.check(folder, path)
    assert [(m.figure, m.note) for m in found.missed] == [("uram", "more than the limit of 0")]
    assert found.remarks == (
        "no device of the package is xcu-own: the figures are expected on u280",
    )


def test_loops_of_a_process_are_told_apart_by_iterations() -> None:
    first, second = (
        FoundLoop(ReportedLoop(f"VITIS_LOOP_{line}_1", trips, ii=1))
        for line, trips in ((3, 64), (9, 100))
    )
    assert matched_loops([first, second], [64, 100]) == (first, second)
    assert matched_loops([first, second], [100]) == (second,)
    assert matched_loops([first, first], [64]) == (None,)
    assert matched_loops([first], [64, 64]) == (None, None)


def test_the_verb_says_it_and_fails(project: Path, predicted: Evaluation, tmp_path: Path) -> None:
    functions = as_predicted(predicted)
    (loop,) = functions[0].loops
    functions[0] = replace(functions[0], loops=(replace(loop, ii=99),))
    report = reported(tmp_path, predicted, functions)
    command = "from streamopt.cli.entry import main; main()"
    arguments = [sys.executable, "-c", command, "check", str(project), "--report", str(report)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"missed: {functions[0].name}, II {loop.ii}, reported 99" in done.stdout
    done = subprocess.run([*arguments, "--json"], capture_output=True, text=True, check=False)
    document = json.loads(done.stdout)
    assert document["passed"] is False
    assert {"part", "figure", "expected", "reported", "outcome", "note"} == {
        *document["figures"][0]
    }


def test_movers_of_words_are_expected_at_one_word_a_cycle(tmp_path: Path) -> None:
    found = so.solve(
        GRAPHS / "atax.json",
        dsp=100,
        space=so.Space(ports=so.plan_ports(GRAPHS / "atax.json", "m_axi")),
    )
    folder = tmp_path / "project"
    so.write(GRAPHS / "atax.json", found.schedule, folder)
    functions = as_predicted(so.evaluate(found.problem.graph, found.schedule))
    slow = Function("read_A", (Loop("VITIS_LOOP_9_1", "15990", 2, 73),))
    path = tmp_path / "csynth.xml"
    top = Function("atax", ())
    path.write_text(xml_report(top, (*functions, slow, top)))
    (missed,) = so.check(folder, path).missed
    assert (missed.part, missed.figure, missed.expected, missed.reported) == ("read_A", "II", 1, 2)
