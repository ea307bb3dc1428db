"""Measure our Verilog in Verilator: all programs at opt5 and opt6; writes rows.csv and README.md.

Run ``python results/rtl_measured/run.py [--programs WORD,WORD] [--levels L,L] [--dsps N]
[--again]``. Rows are written as they come; what is in rows.csv already is left out unless
``--again``. A design has all its operators as Verilog, and runs once at its full extents.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from resource import RUSAGE_CHILDREN, RUSAGE_SELF, getrusage
from tempfile import TemporaryDirectory
from time import perf_counter

import streamopt as so
from streamopt.errors import StreamoptError
from streamopt.sweeping.keyed_rows import (
    MeasuredRow,
    add_row,
    measured_commit,
    note_run,
    read_rows,
)
from streamopt.verification.csim.separate_modules import instance_counts
from streamopt.verification.manifest import read_manifest

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
ROWS = HERE / "rows.csv"
KEYS = ("program", "level", "dsps_available")
OPERATOR_COSTS = {"add_f32_5": (0, 414), "add_f32_4": (0, 414), "mul_f32_4": (2, 122)}
"""DSPs and LUTs by Yosys (docs/backends/rtl.md); others have neither here."""
PAGE = """\
# Cycles of our Verilog, measured

`python results/rtl_measured/run.py` measures and writes this page: every program at opt5 and opt6,
2560 DSPs, as Verilog with our own operators (`--backend rtl`), compiled by Verilator and run once
at full extents on the inputs of its program, whose interpreter says what is right. `rows.csv` has
all columns, `environment.json` machine and versions.

- *predicted*: by the algebra of the level, for pipelines that Vitis HLS would make;
- *simulated*: by `streamopt.sim` for the same network with the depths that the Verilog has;
- *measured*: cycles of the Verilog from `start` to `done`;
- *DSPs*, *LUTs*: operators in the Verilog times what Yosys says of one (adders and multipliers);
- *kB*: of Verilog; *seconds*: processor time to write, compile and run it.

{table}

{summary}
"""
COLUMNS = {
    "program": "program",
    "level": "level",
    "predicted": "predicted_cycles",
    "simulated": "simulated_cycles",
    "measured": "measured_cycles",
    "outputs": "verdict",
    "DSPs": "dsps",
    "LUTs": "luts",
    "kB": "verilog_kilobytes",
    "seconds": "cpu_seconds",
}


def measured(path: Path, level: str, dsps: int) -> MeasuredRow:
    """Return the row of a design without its keys; the verdict says why, if nothing ran."""
    graph = so.dataflow(so.load(path))
    solution = so.solve(graph, level=level, dsp=dsps)
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
    errors = [check.max_error for check in verdict.outputs]
    return row | {
        "simulated_cycles": str(verdict.simulated_cycles),
        "measured_cycles": str(verdict.measured_cycles),
        "max_error": f"{max(errors):.3g}",
        "verdict": "right" if verdict.passed else "wrong",
        "multipliers": str(_many("mul_", counts)),
        "adders": str(_many("add_", counts)),
        "dsps": str(_cost(0, counts)),
        "luts": str(_cost(1, counts)),
        "verilog_kilobytes": f"{sum(map(len, texts)) / 1000:.0f}",
        "cpu_seconds": f"{_seconds() - before:.0f}",
    }


def _many(kind: str, counts: Mapping[str, int]) -> int:
    return sum(n for name, n in counts.items() if name.startswith(kind) and "_of_" not in name)


def _cost(part: int, counts: Mapping[str, int]) -> int:
    return sum(counts.get(name, 0) * cost[part] for name, cost in OPERATOR_COSTS.items())


def _seconds() -> float:
    spent = getrusage(RUSAGE_SELF), getrusage(RUSAGE_CHILDREN)
    return sum(one.ru_utime + one.ru_stime for one in spent)


def write_page() -> None:
    """Write README.md from the rows."""
    rows = sorted(read_rows(ROWS), key=lambda row: (row["level"], row["program"]))
    lines = [f"| {' | '.join(COLUMNS)} |", f"| --- | --- |{' ---: |' * (len(COLUMNS) - 2)}"]
    for row in rows:
        cells = (_cell(row.get(name, "")) for name in COLUMNS.values())
        lines.append(f"| {' | '.join(cells)} |")
    ran = [row for row in rows if row.get("measured_cycles")]
    equal = sum(row["measured_cycles"] == row["simulated_cycles"] for row in ran)
    right = sum(row["verdict"] == "right" for row in ran)
    summary = (
        f"{len(ran)} of {len(rows)} designs ran: {equal} in the simulated number of cycles, to the "
        f"cycle, and {right} with right outputs."
    )
    (HERE / "README.md").write_text(PAGE.format(table="\n".join(lines), summary=summary))


def _cell(text: str) -> str:
    return f"{int(text):,}" if text.isdigit() else text


def cases(levels: list[str], words: list[str]) -> Iterator[tuple[str, Path, str]]:
    """Yield name, file and level of each design."""
    for level in levels:
        for path in sorted(GRAPHS.rglob("*.json")):
            name = str(path.relative_to(GRAPHS).with_suffix(""))
            if any(word in name for word in words):
                yield name, path, level


def main() -> None:
    """Measure what is asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a program has one in it")
    parser.add_argument("--levels", default="opt5,opt6")
    parser.add_argument("--dsps", type=int, default=2560)
    parser.add_argument("--again", action="store_true", help="what is known, too")
    options = parser.parse_args()
    started = perf_counter()
    known = [] if options.again else [tuple(row[k] for k in KEYS) for row in read_rows(ROWS)]
    for name, path, level in cases(options.levels.split(","), options.programs.split(",")):
        keys = (name, level, str(options.dsps))
        if keys not in known:
            row = measured(path, level, options.dsps)
            whole = dict(zip(KEYS, keys, strict=True)) | row
            add_row(ROWS, KEYS, whole | {"commit": measured_commit(HERE)})
            print(*whole.values(), flush=True)
    command = f"python results/rtl_measured/run.py {' '.join(sys.argv[1:])}".strip()
    note_run(HERE / "environment.json", "rtl", perf_counter() - started, {"command": command})
    write_page()


if __name__ == "__main__":
    main()
