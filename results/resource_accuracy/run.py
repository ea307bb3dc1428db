"""Compare resource estimates with what was published of designs.

Run ``python results/resource_accuracy/run.py DIR [--json] [--rows rows.csv]`` on a folder of
published designs, one JSON file each. Every design is estimated twice: from source and target
alone, and with the II and depth of each pipeline as its report has them.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from dataclasses import replace
from pathlib import Path
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from streamopt.errors import StreamoptError
from streamopt.ir.network import PipelineTiming
from streamopt.perf.pipelines.timings import dissolved, pipeline_timings
from streamopt.perf.resources.network import resources
from streamopt.published import load_published_design
from streamopt.target.device import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from streamopt.ir.network import Network
    from streamopt.perf.resources.network import NetworkResources
    from streamopt.published import PublishedDesign

RESOURCES = ("dsps", "bram18", "uram", "luts", "ffs")
VARIANTS = ("source_only", "given_timing")


def as_reported(found: NetworkResources) -> dict[str, int]:
    """Return the amounts as a report of Vitis HLS 2023.2 counts them.

    It counts one block RAM for a FIFO in block RAM, however deep: the 160000 words of one of mvt
    opt2 in 18 Kbit. They can't be built so, and the estimate itself counts what they fill.
    """
    total = found.total
    fifos = [s for s in found.storages.values() if s.is_fifo and s.bram18]
    bram18 = total.bram18 - sum(s.bram18 - s.banks for s in fifos)
    return {"dsps": total.dsps, "bram18": bram18, "uram": total.uram} | {
        "luts": total.luts,
        "ffs": total.ffs,
    }


def given(design: PublishedDesign, target: Target) -> tuple[Network, Mapping[str, PipelineTiming]]:
    """Return the network and timing that the reports give; ours where a report is silent.

    A pipeline is the one whose iterations the report has: as written, or with its single trips
    dissolved.
    """
    built = {pipeline.name: pipeline for pipeline in dissolved(design.network).pipelines}
    trips = {name: report.trip for name, report in design.pipelines.items()}
    processes = tuple(
        replace(
            process,
            pipelines=tuple(
                p if trips.get(p.name) == p.iterations else built[p.name] for p in process.pipelines
            ),
        )
        for process in design.network.processes
    )
    network = replace(design.network, processes=processes)
    timings = dict(pipeline_timings(network, target))
    for name, report in design.pipelines.items():
        if name in timings and report.ii and report.iteration_latency_cycles:
            timings[name] = PipelineTiming(report.ii, report.iteration_latency_cycles)
    return network, timings


def row_of(path: Path, target: Target) -> dict[str, Any]:
    """Return what was published of a design, and the estimates."""
    design = load_published_design(path)
    measured = design.measured
    network = dissolved(design.network)
    own = resources(network, pipeline_timings(network, target), target)
    return {
        "design": path.stem,
        "published": {
            "dsps": measured.dsps,
            "bram18": measured.bram18,
            "uram": measured.urams,
            "luts": measured.luts,
            "ffs": measured.ffs,
        },
        "source_only": as_reported(own),
        "given_timing": as_reported(resources(*given(design, target), target)),
        "bram18_as_built": own.total.bram18,
    }


def relative_error(ours: int, published: int) -> float:
    """Return ``|ours - published| / published``; of none published, 0 or 1 for none and any."""
    return abs(ours - published) / published if published else float(ours != 0)


def errors(rows: Iterable[dict[str, Any]], variant: str, resource: str) -> list[float]:
    """Return the relative errors of the designs of which the amount was published."""
    return [
        relative_error(row[variant][resource], row["published"][resource])
        for row in rows
        if row["published"][resource] is not None
    ]


def summary_of(rows: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Return median, mean and greatest error by variant and resource."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for variant in VARIANTS:
        found[variant] = {}
        for resource in RESOURCES:
            values = errors(rows, variant, resource)
            if values:
                found[variant][resource] = {
                    "median": median(values),
                    "mean": mean(values),
                    "most": max(values),
                }
    return found


def flat(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the table: three columns for each resource."""
    cells = {
        f"{resource}_{part}": row[part][resource]
        for resource in RESOURCES
        for part in ("published", *VARIANTS)
    }
    return {"design": row["design"]} | cells | {"bram18_as_built": row["bram18_as_built"]}


def show(rows: list[dict[str, Any]], summary: dict[str, Any]) -> None:
    """Print the designs, estimates against published amounts, and the errors."""
    for row in rows:
        cells = (
            f"{name} {row['source_only'][name]}/{row['published'][name]}" for name in RESOURCES
        )
        print(f"{row['design']}: {', '.join(cells)}; bram18 as built {row['bram18_as_built']}")
    for variant, by_resource in summary.items():
        for resource, figures in by_resource.items():
            text = ", ".join(f"{name} {100 * value:.2f} %" for name, value in figures.items())
            print(f"{variant} {resource}: {text}")


def main() -> int:
    """Estimate all designs of a folder; return 1 if one can't be read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--rows", type=Path, help="write the rows to this CSV file")
    parser.add_argument("--device", default="u280")
    parser.add_argument("--clock-ns", type=float, default=3.33)
    options = parser.parse_args()
    target = Target.named(options.device, options.clock_ns)
    rows: list[dict[str, Any]] = []
    failed: list[dict[str, str]] = []
    for path in sorted(options.folder.glob("*.json")):
        try:
            rows.append(row_of(path, target))
        except StreamoptError as error:
            failed.append({"design": path.stem, "error": str(error)})
    summary = summary_of(rows)
    if options.json:
        print(json.dumps({"designs": rows, "errors": failed, **summary}, indent=1))
    else:
        show(rows, summary)
    for problem in failed:
        print(f"{problem['design']}: {problem['error']}", file=sys.stderr)
    if options.rows and rows:
        with options.rows.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(flat(rows[0])), lineterminator="\n")
            writer.writeheader()
            writer.writerows(map(flat, rows))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    raise SystemExit(main())
