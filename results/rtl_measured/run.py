"""Measure our Verilog in Verilator: all programs at opt5 and opt6; writes rows.csv and README.md.

Run ``python results/rtl_measured/run.py [--size MINI] [--programs WORD,WORD] [--levels L,L]
[--dsps N] [--operators open,vendor] [--again]``. Rows are written as they come; those in rows.csv
already are left out unless ``--again``. A design has all its operators as Verilog, and runs at its
full extents. With a size of PolyBench, the programs are its 30 kernels at that size, in float, at
opt6 and 70 DSPs if nothing else is asked for.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter

import streamopt as so
from streamopt.errors import StreamoptError
from streamopt.rtl.costs.operator_cells import measured_cells
from streamopt.sweeping.keyed_rows import (
    MeasuredRow,
    add_row,
    measured_commit,
    note_run,
    read_rows,
)
from streamopt.target.resources import Resources
from streamopt.verification.csim.separate_modules import instance_counts
from streamopt.verification.manifest import read_manifest

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
KERNELS = HERE.parents[1] / "tests" / "polybench" / "kernels"
ROWS = HERE / "rows.csv"
KEYS = ("program", "level", "dsps_available", "operators")
PAGE = """\
# Cycles of our Verilog, measured

`python results/rtl_measured/run.py` measures and writes this page: every program at opt5 and opt6,
2560 DSPs, as Verilog with our own operators (`--backend rtl`), compiled by Verilator and run at
full extents on the inputs of its program, whose interpreter says what is right. A second run, with
processes held by chance, has to give the same outputs. `rows.csv` has all columns,
`environment.json` machine and versions.

- *operators*: that the search counts with: our own (open), or the vendor's; *of*: DSPs it may use;
- *predicted*: by the algebra of the level;
- *simulated*: by `streamopt.sim` for the same network with the depths that the Verilog has;
- *measured*: cycles of the Verilog from `start` to `done`;
- *DSPs*, *LUTs*: operators in the Verilog times what Yosys says of one;
- *kB*: of Verilog; *seconds*: processor time to write, compile and run it.

{programs}

## The kernels of PolyBench, MINI

`python results/rtl_measured/run.py --size MINI` measures the 30 kernels as they are written in C
(float, opt6, 70 DSPs, or more where one of each operator takes them); those with loop-carried
dependences take turns, with bubbles in between. A kernel without a row has not been run yet.

{kernels}
"""
COLUMNS = {
    "program": "program",
    "level": "level",
    "operators": "operators",
    "of": "dsps_available",
    "predicted": "predicted_cycles",
    "simulated": "simulated_cycles",
    "measured": "measured_cycles",
    "outputs": "verdict",
    "DSPs": "dsps",
    "LUTs": "luts",
    "kB": "verilog_kilobytes",
    "seconds": "cpu_seconds",
}


@dataclass(frozen=True, slots=True)
class Case:
    """A design to be measured."""

    name: str
    path: Path
    level: str
    dsps: int
    operators: str
    size: str = ""
    """Of a kernel of PolyBench."""

    @property
    def key(self) -> tuple[str, ...]:
        """Return the values of `KEYS`."""
        return self.name, self.level, str(self.dsps), self.operators

    def program(self) -> so.Program:
        """Return what is to be computed."""
        if not self.size:
            return so.load(self.path)
        define = {f"{self.size}_DATASET": "", "DATA_TYPE_IS_FLOAT": ""}
        return so.load(self.path, options=so.SourceOptions(define=define, include=[KERNELS]))


def measured(case: Case) -> MeasuredRow:
    """Return the row of a design without its keys; the verdict says why, if nothing ran."""
    graph = so.dataflow(case.program())
    on = so.device("u280", operators=case.operators)
    try:
        solution = so.solve(graph, level=case.level, dsp=case.dsps, budget=so.Budget(device=on))
    except StreamoptError as refused:
        return {"verdict": f"none: {str(refused).splitlines()[0]}"}
    row: MeasuredRow = {"predicted_cycles": str(solution.latency_cycles)}
    before = _seconds()
    with TemporaryDirectory() as made:
        folder = Path(made) / "project"
        try:
            so.write(graph, solution.schedule, folder, backend="rtl")
            texts = [source.read_text() for source in sorted(folder.glob("*.v"))]
            counts = instance_counts(texts, read_manifest(folder).top)
            verdict = so.verify(folder)
        except StreamoptError as refused:
            return row | {"verdict": f"none: {str(refused).splitlines()[0]}"}
    known = measured_cells()
    used = sum((known[name].scaled(n) for name, n in counts.items() if name in known), Resources())
    errors = [check.max_error for check in verdict.outputs]
    return row | {
        "simulated_cycles": str(verdict.simulated_cycles),
        "measured_cycles": str(verdict.measured_cycles),
        "max_error": f"{max(errors):.3g}",
        "verdict": "right" if verdict.passed else "wrong",
        "multipliers": str(_many("mul_", counts)),
        "adders": str(_many("add_", counts)),
        "dsps": str(used.dsps),
        "luts": str(used.luts),
        "verilog_kilobytes": f"{sum(map(len, texts)) / 1000:.0f}",
        "cpu_seconds": f"{_seconds() - before:.0f}",
    }


def _many(kind: str, counts: Mapping[str, int]) -> int:
    return sum(n for name, n in counts.items() if name.startswith(kind) and "_of_" not in name)


def _seconds() -> float:
    spent = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in spent)


def write_page() -> None:
    """Write README.md from the rows."""
    rows = sorted(read_rows(ROWS), key=lambda row: (row["level"], row["program"], row["operators"]))
    of_kernels = [row for row in rows if row["program"].startswith(f"{KERNELS.name}/")]
    of_programs = [row for row in rows if row not in of_kernels]
    page = PAGE.format(programs=_table(of_programs), kernels=_table(of_kernels))
    (HERE / "README.md").write_text(page)


def _table(rows: list[MeasuredRow]) -> str:
    """Return rows and how many are as they should be."""
    lines = [f"| {' | '.join(COLUMNS)} |", f"| --- | --- | --- |{' ---: |' * (len(COLUMNS) - 3)}"]
    for row in rows:
        cells = (_cell(row.get(name, "")) for name in COLUMNS.values())
        lines.append(f"| {' | '.join(cells)} |")
    ran = [row for row in rows if row.get("measured_cycles")]
    equal = sum(row["measured_cycles"] == row["simulated_cycles"] for row in ran)
    right = sum(row["verdict"] == "right" for row in ran)
    over = [row["program"] for row in ran if int(row["dsps"] or 0) > int(row["dsps_available"])]
    summary = (
        f"{len(ran)} of {len(rows)} designs ran: {equal} in the simulated number of cycles, to the "
        f"cycle, and {right} with right outputs. Known to have more DSPs than it "
        f"may use: {', '.join(over) or 'none'}."
    )
    return "\n".join([*lines, "", summary])


def _cell(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


def cases(options: argparse.Namespace) -> Iterator[Case]:
    """Yield the designs that are asked for."""
    words: list[str] = options.programs.split(",")
    size: str = options.size
    levels: str = options.levels or ("opt6" if size else "opt5,opt6")
    dsps: int = options.dsps or (70 if size else 2560)
    paths = {path.relative_to(GRAPHS).with_suffix(""): path for path in GRAPHS.rglob("*.json")}
    if size:
        paths = {Path(KERNELS.name, p.stem, size.lower()): p for p in KERNELS.glob("*/*.c")}
    for level, kind in product(levels.split(","), options.operators.split(",")):
        for name, path in sorted(paths.items()):
            if any(word in str(name) for word in words):
                yield Case(str(name), path, level, dsps, kind, size)


def main() -> None:
    """Measure what is asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", default="", help="of PolyBench's kernels, such as MINI")
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--levels", default="")
    parser.add_argument("--dsps", type=int, default=0)
    parser.add_argument("--operators", default="open")
    parser.add_argument("--again", action="store_true", help="what is known, too")
    options = parser.parse_args()
    started = perf_counter()
    known = [] if options.again else [tuple(row[k] for k in KEYS) for row in read_rows(ROWS)]
    for case in cases(options):
        if case.key not in known:
            row = dict(zip(KEYS, case.key, strict=True)) | measured(case)
            add_row(ROWS, KEYS, row | {"commit": measured_commit(HERE)})
            print(*row.values(), flush=True)
    command = f"python results/rtl_measured/run.py {' '.join(sys.argv[1:])}".strip()
    note_run(HERE / "environment.json", "rtl", perf_counter() - started, {"command": command})
    write_page()


if __name__ == "__main__":
    main()
