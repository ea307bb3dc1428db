"""One program of the gallery, measured: cycles, resources, proof, verification, pictures."""

from __future__ import annotations

import os
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING

from card import card_svg
from programs import TOP

import streamopt as so

if TYPE_CHECKING:
    from programs import Listed

    from streamopt.evaluation.design import Evaluation
    from streamopt.strategies.solution import Solution

LEVEL = "opt6"
SAMPLES = 240
"""Spans of a run that are told apart, without which there is no critical path."""
RESOURCES = ("dsps", "luts", "ffs", "bram18", "uram")
GRAPH = "dataflow"
"""The picture of a report that is kept."""


def measured(listed: Listed, pictures: Path) -> dict[str, str]:
    """Return the row of a program, and write its pictures."""
    options = so.SourceOptions(inputs=listed.inputs)
    with chdir(TOP):  # places in sources are told as they are here
        program = so.load(listed.source, name=listed.name, options=options)
    before = os.times()
    solution = so.solve(program, level=LEVEL)
    after = os.times()
    seconds = sum(after[:4]) - sum(before[:4])  # of this process and of its children
    found = so.evaluate(solution.problem.graph, solution.schedule, samples=SAMPLES)
    (pictures / f"{listed.name}.card.svg").write_text(card_svg(found.trace), encoding="utf-8")
    row = {"program": listed.name, **_row(solution, found), "processor_seconds": f"{seconds:.1f}"}
    drawn = {each.name: each.draw for each in so.report_solution(solution).page.pictures}
    (pictures / f"{listed.name}.graph.svg").write_bytes(drawn[GRAPH]("svg"))
    with TemporaryDirectory() as folder:
        started = perf_counter()
        so.write(program, solution.schedule, Path(folder) / "made")
        passed = so.verify(Path(folder) / "made").passed
    row["verified"] = "pass" if passed else "fail"
    row["verify_seconds"] = f"{perf_counter() - started:.1f}"
    return row


def _row(solution: Solution, found: Evaluation) -> dict[str, str]:
    record = so.record(solution)
    used, slr = found.resources.total, found.target.slr
    values = {
        "nodes": len(found.network.processes),
        "simulated_cycles": found.trace.cycles,
        "microseconds": f"{found.trace.cycles * found.target.clock_ns / 1e3:.3f}",
        "objective_cycles": record["objective_cycles"],
        "bound_cycles": record["bound_cycles"],
        "gap": record["gap"],
        "proof": record["proof"],
    }
    for name in RESOURCES:
        values[name] = getattr(used, name)
        values[f"{name}_of_slr"] = f"{getattr(used, name) / getattr(slr, name):.4f}"
    explained = so.explain(solution)
    values["bounded_by"] = explained.bottleneck.words.replace(f"{TOP}/", "")
    values["to_change"] = explained.changes.words.replace(f"{TOP}/", "")
    return {name: str(value) for name, value in values.items()}
