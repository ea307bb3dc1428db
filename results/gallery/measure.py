"""One program of the gallery, measured: cycles, resources, proof, verification, pictures."""

from __future__ import annotations

import os
import re
from collections import Counter
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
SEQUENTIAL = "W07"
SUBSCRIPTED = re.compile(r"\w+(\[[^]]+\])+")
RESOURCES = {
    "dsps": "DSPs",
    "luts": "LUTs",
    "ffs": "FFs",
    "bram18": "block RAMs",
    "uram": "URAMs",
}
PICTURES = {"gantt": "gantt", "dataflow": "graph"}
"""Of a report, that the gallery keeps, with their names here."""


def measured(listed: Listed, pictures: Path) -> dict[str, str]:
    """Return the row of a program, and write its pictures."""
    options = so.SourceOptions(inputs=listed.inputs)
    program = so.load(TOP / listed.source, name=listed.name, options=options)
    before = os.times()
    solution = so.solve(program, level=LEVEL)
    after = os.times()
    seconds = sum(after[:4]) - sum(before[:4])  # of this process and of its children
    found = so.evaluate(solution.problem.graph, solution.schedule, samples=SAMPLES)
    (pictures / f"{listed.name}.card.svg").write_text(card_svg(found.trace), encoding="utf-8")
    row = {"program": listed.name, **_row(solution, found), "processor_seconds": f"{seconds:.1f}"}
    with TemporaryDirectory() as folder:
        for path in so.report_solution(solution).write_figures(folder, "svg"):
            if path.stem in PICTURES:
                name = f"{listed.name}.{PICTURES[path.stem]}.svg"
                (pictures / name).write_bytes(path.read_bytes())
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
    values["bounded_by"] = _bounded_by(solution, found)
    return {name: str(value) for name, value in values.items()}


def _bounded_by(solution: Solution, found: Evaluation) -> str:
    """Return what the end of the run waits for: a node, and why it isn't quicker."""
    cycles = Counter[str]()
    for segment in found.trace.critical_path:
        cycles[segment.process] += segment.cycles
    node, own = cycles.most_common(1)[0]
    words = f"`{node}` holds {100 * own / found.trace.cycles:.0f} % of the critical path"
    for each in solution.warnings:
        if each.code == SEQUENTIAL and each.words.startswith(f"{node} "):
            place = f" (line {each.place.line})" if each.place and each.place.line else ""
            cause = SUBSCRIPTED.sub(r"`\g<0>`", each.cause)
            return f"{words}: it runs one iteration after the other{place}, as {cause}."
    pairs = zip(solution.limits, solution.used, strict=True)
    share, resource = max((used / limit.most, limit.resource) for limit, used in pairs)
    plural = f"{resource.removesuffix(' as built').removesuffix('s')}s"
    return f"{words}; the design takes {100 * share:.0f} % of the {plural} that it may."
