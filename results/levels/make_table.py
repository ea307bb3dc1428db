"""Write README.md from rows.csv and the published figures; reads nothing else."""

from __future__ import annotations

import csv
from math import floor, log10
from pathlib import Path

HERE = Path(__file__).parent
HEAD = """# Levels opt1 to opt5 against the published model cycles

`python results/levels/run.py` solves, `python results/levels/make_table.py` writes this page.
Published cycles have six significant digits; *equal* compares ours rounded the same way. At opt4
ours is the best tiling over all loop orders that are optimal at opt2, so it is at most what a
two-step search finds. Attention: which unroll factors a reshape couples is a modelling choice; in
ours (`streamopt/space/tiles.py`) the optimum is proved to be the figure below, and 34848 has been
proved in a reading that couples more loops.

| program | level | DSP limit | cycles | proof | published | verdict | DSPs | roofline | seconds |
|---|---|---:|---:|---|---:|---|---:|---:|---:|
"""


def six_digits(value: int) -> int:
    """Return the value as the artifact prints it."""
    if value == 0:
        return 0
    step = 10 ** max(0, floor(log10(value)) - 5)
    return round(value / step) * step


def verdict(ours: int, published: int | None, proof: str) -> str:
    """Return how ours compares, in a word."""
    if published is None:
        return "-"
    if ours == published or six_digits(ours) == six_digits(published):
        return "equal"
    return f"better, {proof}" if ours < published else "worse"


def main() -> None:
    """Write the page."""
    published_file = HERE.parent / "published" / "streamhls_model_cycles.csv"
    with published_file.open(encoding="utf-8") as file:
        published = {
            (row["program"], row["level"], row["dsp_limit"]): int(row["model_cycles"])
            for row in csv.DictReader(file)
        }
    lines: list[str] = []
    with (HERE / "rows.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            key = (row["program"], row["level"], row["dsp_limit"])
            ours, known = int(row["objective_cycles"]), published.get(key)
            cells = [
                *key,
                str(ours),
                row["proof"] if row["proof"] == "optimal" else f"gap {float(row['gap']):.2%}",
                str(known) if known is not None else "-",
                verdict(ours, known, row["proof"]),
                row["dsps_used"],
                row["roofline_cycles"],
                f"{float(row['solve_seconds']):.2f}",
            ]
            lines.append(f"| {' | '.join(cells)} |")
    (HERE / "README.md").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
