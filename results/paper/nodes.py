"""What each node of a program does and takes, in several designs of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamopt as so

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["LEVELS", "RIVALS", "node_rows"]

LEVELS = (("opt1", 2560), ("opt2", 2560), ("opt3", 2560), ("opt5", 220), ("opt5", 2560))
RIVALS = (("hida", 9024), ("scalehls", 9024), ("pom", 9024))


def node_rows(graph_file: Path) -> list[dict[str, str | int]]:
    """Return one row a node and design: simulated start and end in cycles, and DSPs as built."""
    graph = so.dataflow(so.load(graph_file))
    found = [
        (level, dsp, so.evaluate(graph, so.solve(graph, level=level, dsp=dsp).schedule))
        for level, dsp in LEVELS
    ]
    found += [(name, dsp, so.design(graph, name, dsp=dsp).evaluation) for name, dsp in RIVALS]
    return [
        {
            "way": way,
            "dsp_limit": dsp,
            "node": process.name,
            "start_cycles": process.starts[0],
            "end_cycles": process.ends[0],
            "stalled_cycles": process.empty_cycles + process.full_cycles,
            "dsps": sum(
                evaluation.resources.pipelines[p.name].dsps
                for p in process.pipelines
                if p.name in evaluation.resources.pipelines
            ),
        }
        for way, dsp, evaluation in found
        for process in evaluation.trace.processes
    ]
