"""One program at one level, emitted for several back ends and ports: a JSON line for each design.

Called by run.py with a job as JSON.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import TYPE_CHECKING, Any

import streamopt as so
from streamopt.codegen.backends.registry import BACKENDS
from streamopt.codegen.checks import built
from streamopt.errors import StreamoptError
from streamopt.sim.deadlock import DeadlockError
from streamopt.verification.csim.running import compiled
from streamopt.verification.manifest import read_manifest
from streamopt.verification.verify import Traced, verify_compiled

if TYPE_CHECKING:
    from streamopt.codegen.design import Design
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Program
    from streamopt.ir.schedule import Schedule

GRAPHS = Path(__file__).parents[2] / "graphs"
STANDSTILL = "E708"

Row = dict[str, str]


def main() -> None:
    """Print the rows of a job."""
    job: Any = json.loads(sys.argv[1])
    program = so.load(GRAPHS / f"{job['program']}.json")
    graph = so.dataflow(program)
    started = perf_counter()
    solution = so.solve(
        graph,
        level=job["level"],
        time_limit=job["solve_limit_seconds"],
        space=so.Space(tiling_limit=job["tiling_limit"]),
    )
    solved = {"solve_seconds": f"{perf_counter() - started:.1f}"}
    for backend, ports in job["made"]:
        row = dict(solved)
        try:
            schedule = solution.schedule
            if ports != "memory":
                schedule = so.put_outside(graph, schedule, so.plan_ports(graph, ports))
            measure(program, schedule, backend, job, row)
        except StreamoptError as error:
            codes = {found.code for found in error.diagnostics}
            row["deadlock"] = "yes" if STANDSTILL in codes else row.get("deadlock", "")
            row["verdict"] = f"{' '.join(sorted(codes))}: {error.diagnostics[0].message}"
        print(json.dumps(row), flush=True)


def measure(program: Program, schedule: Schedule, backend: str, job: Any, row: Row) -> None:
    """Emit, compile, run and simulate a design, and put into the row what is found."""
    assert backend in BACKENDS
    graph = so.dataflow(program)
    with TemporaryDirectory() as folder:
        directory = Path(folder) / "made"
        started = perf_counter()
        design = so.write(program, schedule, directory, backend=backend)
        row["emit_seconds"] = f"{perf_counter() - started:.1f}"
        again = so.emit(graph, schedule, backend=backend)
        row["same_bytes"] = "yes" if again.files == design.files else "no"
        row |= _sizes(design, graph, schedule)
        if backend == "vitis":
            built(design.text(f"{design.top}.cpp"))
        _run(program, schedule, directory, job, row)


def _run(program: Program, schedule: Schedule, directory: Path, job: Any, row: Row) -> None:
    sources, graph = read_manifest(directory).sources, so.dataflow(program)
    traced = Traced(so.apply(graph, schedule))
    started = perf_counter()
    limit, compiler = job["time_limit_seconds"], job["compiler"]
    with compiled(directory, sources, limit, compiler) as testbench:
        row["compile_seconds"] = f"{perf_counter() - started:.1f}"
        row["warnings"] = str(testbench.warnings.count("warning:"))
        started = perf_counter()
        verdict = verify_compiled(testbench, program, traced=traced)
        row["run_seconds"] = f"{perf_counter() - started:.1f}"
    try:
        row["cycles"] = str(so.simulate(graph, schedule).cycles)
        row["deadlock"] = "no"
    except DeadlockError:
        row["deadlock"] = "yes"
    row["verdict"] = "pass" if verdict.passed else "fail"


def _sizes(design: Design, graph: Graph, schedule: Schedule) -> Row:
    """Return how long the kernel is: in all, by node, and the longest function by node."""
    text = design.text(f"{design.top}.cpp")
    nodes = so.apply(graph, schedule).nodes
    names = [node.node.name for node in nodes]
    longest = 0.0
    for found in re.finditer(r"^(?:static )?void (\w+)\(.*?^\}", text, re.MULTILINE | re.DOTALL):
        if found[1] != design.top:
            joined = max(1, sum(name in found[1] for name in names))
            longest = max(longest, (found[0].count("\n") + 1) / joined)
    lines = len(text.splitlines())
    return {
        "nodes": str(len(nodes)),
        "kernel_lines": str(lines),
        "lines_per_node": f"{lines / len(nodes):.1f}",
        "longest_node_lines": f"{longest:.0f}",
    }


if __name__ == "__main__":
    main()
