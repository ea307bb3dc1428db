"""Hold estimates of cells against Yosys, process by process; writes rows.csv and README.md.

Run ``python results/rtl_cells/run.py [--sets fit,seen,test] [--designs WORD,WORD] [--estimates]
[--again]``. Numbers in `streamopt.rtl.costs.kernel_cells` were fitted to the designs of ``fit``,
and what is counted was changed after looks at ``seen``. Rows are written as they come;
``--estimates`` makes those of known rows again, which takes no Yosys.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import streamopt as so
from streamopt.codegen.backends.rtl import DESCRIPTION
from streamopt.rtl.boards.description import described
from streamopt.sweeping.keyed_rows import (
    MeasuredRow,
    add_row,
    measured_commit,
    note_run,
    read_rows,
)

HERE = Path(__file__).parent
GRAPHS = HERE.parents[1] / "graphs"
ROWS = HERE / "rows.csv"
KEYS = ("set", "design", "module")
DESIGNS: Mapping[str, tuple[str, ...]] = {
    "fit": ("polybench/gesummv opt5 60", "polybench/atax opt6 40"),
    "seen": (
        "synthetic/7mm_tree_balanced opt5 30",
        "polybench/gesummv opt6 20",
        "cnns/dwsconv_block opt5 20",
        "polybench/atax opt5 20",
        "polybench/mvt opt6 16",
    ),
    "test": (
        "polybench/gemm opt5 20",
        "polybench/3mm opt5 20",
        "polybench/bicg opt5 20",
        "polybench/2mm opt5 20",
        "mlps/residual_mlp opt5 20",
        "transformers/feed_forward opt5 20",
        "synthetic/7mm_balanced opt5 30",
        "polybench/gesummv opt5 30",
        "polybench/mvt opt5 40",
        "synthetic/7mm_tree_unbalanced opt5 40",
    ),
}
"""Program, level and DSPs; our own operators."""
PAGE = """\
# Estimated cells against Yosys

`python results/rtl_cells/run.py` makes and writes this page: designs of our own operators as
Verilog, mapped by Yosys for UltraScale+ (`streamopt synth`), and what `solve` said of them. The
numbers of the estimate were fitted to the set *fit*, and counters, multiplexers and memories are
counted as they are built since a look at rows of *seen*; nothing of *test* was looked at. A row is
a module of a process; `rows.csv` has the whole designs, too.

{table}

{summary}
"""
KINDS = ("luts", "ffs", "dsps", "bram18")


def solved(design: str) -> tuple[so.Graph, so.Schedule]:
    """Return the graph and schedule of a design."""
    name, level, dsps = design.split()
    graph = so.dataflow(so.load(GRAPHS / f"{name}.json"))
    own = so.Budget(device=so.device("u280", operators="open"))
    return graph, so.solve(graph, level=level, dsp=int(dsps), budget=own).schedule


def measured(design: str) -> Iterator[MeasuredRow]:
    """Yield the rows of a design without their keys, but with the module."""
    with TemporaryDirectory() as made:
        so.write(*solved(design), Path(made) / "project", backend="rtl")
        for row in so.synthesise(Path(made) / "project").records():
            yield {key: str(value) for key, value in row.items()}


def estimated(design: str) -> Mapping[str, MeasuredRow]:
    """Return the estimates of a design by module."""
    files = dict(so.emit(*solved(design), backend="rtl").files)
    cells = described(files[DESCRIPTION]).cells
    return {
        module: {f"estimated_{kind}": str(getattr(own, kind)) for kind in KINDS}
        for module, own in cells.items()
    }


def estimate_again() -> None:
    """Make the estimates of all rows again."""
    rows = read_rows(ROWS)
    found = {design: estimated(design) for design in dict.fromkeys(row["design"] for row in rows)}
    for row in rows:
        add_row(ROWS, KEYS, row | found[row["design"]][row["module"]])


def off(row: MeasuredRow, kind: str) -> float:
    """Return by how much an estimate is off, as a share."""
    found = int(row[kind])
    return (int(row[f"estimated_{kind}"]) - found) / max(1, found)


def write_page() -> None:
    """Write README.md from the rows."""
    rows = [row for row in read_rows(ROWS) if row["is_top"] != "yes"]
    head = ["set", "design", "module", "LUT", "off", "FF", "off", "DSP", "estimated"]
    lines = [f"| {' | '.join(head)} |", f"| --- | --- | --- |{' ---: |' * (len(head) - 3)}"]
    for row in rows:
        cells = [row["set"], row["design"], row["module"]]
        for kind in ("luts", "ffs"):
            cells += [f"{int(row[kind]):,}", f"{100 * off(row, kind):+.1f} %"]
        lines.append(f"| {' | '.join([*cells, row['dsps'], row['estimated_dsps']])} |")
    told = [_summary(name, [row for row in rows if row["set"] == name]) for name in DESIGNS]
    page = PAGE.format(table="\n".join(lines), summary="\n".join(filter(None, told)))
    (HERE / "README.md").write_text(page)


def _summary(name: str, rows: list[MeasuredRow]) -> str:
    if not rows:
        return ""
    exact = sum(row["dsps"] == row["estimated_dsps"] for row in rows)
    worst = [max(abs(off(row, kind)) for row in rows) for kind in ("luts", "ffs")]
    within = sum(max(abs(off(row, kind)) for kind in ("luts", "ffs")) <= 0.15 for row in rows)
    return (
        f"- *{name}*: {len(rows)} processes: DSPs of {exact} exact, LUTs and flip-flops of "
        f"{within} within 15 %; at most {100 * worst[0]:.1f} % and {100 * worst[1]:.1f} % off."
    )


def main() -> None:
    """Measure what is asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default=",".join(DESIGNS))
    parser.add_argument("--designs", default="", help="words of which a design has one in it")
    parser.add_argument("--again", action="store_true", help="what is known, too")
    parser.add_argument("--estimates", action="store_true", help="of known rows, and no others")
    options = parser.parse_args()
    if options.estimates:
        estimate_again()
        write_page()
        return
    started = perf_counter()
    known = [] if options.again else [(row["set"], row["design"]) for row in read_rows(ROWS)]
    for name in options.sets.split(","):
        for design in DESIGNS[name]:
            asked = any(word in design for word in options.designs.split(","))
            if not asked or (name, design) in known:
                continue
            rows = list(measured(design))
            for row in rows:
                kept = {"set": name, "design": design, **row, "commit": measured_commit(HERE)}
                add_row(ROWS, KEYS, kept | {"is_top": "yes" if row is rows[-1] else "no"})
            print(design, flush=True)
    command = f"python results/rtl_cells/run.py {' '.join(sys.argv[1:])}".strip()
    note_run(HERE / "environment.json", "cells", perf_counter() - started, {"command": command})
    write_page()


if __name__ == "__main__":
    main()
