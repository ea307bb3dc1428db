"""Time and memory of reading sources, each in a process of its own.

Run ``python results/reading/run.py [--repeats N]``. The sources take turns, so that a machine that
changes its speed treats all alike; medians of the whole process, of ``so.load`` alone, and ratios
to a process that only imports streamopt are printed and written to rows.csv.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path
from statistics import median

HERE = Path(__file__).parent
TOP = HERE.parents[1]
PROLOGUE = """
import json, resource, sys, time
begun = time.perf_counter()
import streamopt as so
"""
EPILOGUE = """
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps([time.perf_counter() - begun, peak]))
"""
KERNEL = f"so.load({str(TOP / 'models/kernels/polybench/3mm.c')!r})"
GRAPH = f"so.load({str(TOP / 'graphs/polybench/3mm.json')!r})"
WARM = f"""
{KERNEL}
begun = time.perf_counter()
{KERNEL}
"""
RESNET = f"""
sys.path.insert(0, {str(TOP / "models")!r})
import torch
from modules.resnet import ResNet
program = so.load(ResNet(), (torch.zeros(1, 3, 224, 224),))
assert len(so.dataflow(program).nodes) > 50
"""
SOURCES = {
    "import streamopt": "",
    "3mm.json": GRAPH,
    "3mm.c": KERNEL,
    "3mm.c, libraries loaded": WARM,
    "ResNet-18, PyTorch, to graph": RESNET,
}


def run(code: str) -> tuple[float, int]:
    """Return seconds and peak bytes of one process."""
    command = [sys.executable, "-c", PROLOGUE + code + EPILOGUE]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, peak_bytes = json.loads(done.stdout.splitlines()[-1])
    return float(seconds), int(peak_bytes)


def main() -> None:
    """Measure, print and write all sources."""
    parser = argparse.ArgumentParser(description="Time and memory of reading sources.")
    parser.add_argument("--repeats", type=int, default=5)
    repeats = int(parser.parse_args().repeats)
    found: dict[str, list[tuple[float, int]]] = {name: [] for name in SOURCES}
    for _ in range(repeats):
        for name, code in SOURCES.items():
            found[name].append(run(code))
    base = median(seconds for seconds, _ in found["import streamopt"])
    rows = [
        {
            "source": name,
            "seconds": f"{median(seconds for seconds, _ in runs):.3f}",
            "ratio_to_import": f"{median(seconds for seconds, _ in runs) / base:.1f}",
            "peak_bytes": max(peak for _, peak in runs),
        }
        for name, runs in found.items()
    ]
    with (HERE / "rows.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for row in rows:
        peak = int(row["peak_bytes"]) / 2**20
        print(
            f"{row['source']:30} {row['seconds']:>8} s {row['ratio_to_import']:>7}x {peak:6.0f} MiB"
        )


if __name__ == "__main__":
    main()
