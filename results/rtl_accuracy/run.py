"""Predicted cycles of published designs against RTL co-simulation.

Run ``python results/rtl_accuracy/run.py DIR [--reference CSV] [--nodes CSV] [--rows CSV]
[--json]``. DIR holds design files, in subfolders as well. Each is simulated twice: with the II and
depth that our rules give from source and target alone, and with those that synthesis reported. The
exit code is 1 if a design couldn't be judged; the others are judged all the same.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from dataclasses import asdict, dataclass, replace
from math import prod
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, TypeAlias

from streamopt.errors import StreamoptError
from streamopt.ir.network import PipelineTiming
from streamopt.perf.pipelines.ports import stream_demands
from streamopt.perf.pipelines.timings import dissolved, pipeline_timings
from streamopt.published import MeasuredPipeline, load_published_design
from streamopt.sim import simulate
from streamopt.target.device import Target

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from streamopt.ir.network import Memory, Network, Pipeline
    from streamopt.published import PublishedDesign

Key: TypeAlias = tuple[str, ...]
DEVICE, CLOCK_NS = "u280", 3.33


@dataclass(frozen=True)
class Row:
    """What is found of one design; errors are ours over RTL minus 1."""

    file: str
    suite: str = ""
    kernel: str = ""
    level: str = ""
    dsp_limit: int | None = None
    rtl_cycles: int | None = None
    source_only_cycles: int | None = None
    true_ii_depth_cycles: int | None = None
    source_only_error: float | None = None
    true_ii_depth_error: float | None = None
    ii_rule_hits: int = 0
    ii_nodes: int = 0
    error: str = ""


def main() -> int:
    """Judge all designs of a folder; return the exit code."""
    parser = argparse.ArgumentParser(description="Predicted cycles against RTL co-simulation.")
    parser.add_argument("folder", type=Path, help="folder with design files (*.json)")
    parser.add_argument("--reference", type=Path, help="CSV with rtl_cycles of designs")
    parser.add_argument("--nodes", type=Path, help="CSV with reports of nodes that files lack")
    parser.add_argument("--rows", type=Path, help="CSV to write the rows to")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    cycles = dict(_rtl_cycles(options.reference))
    reports = _reports(options.nodes)
    files = sorted(options.folder.rglob("*.json"))
    rows = [
        replace(judge(path, cycles, reports), file=path.relative_to(options.folder).as_posix())
        for path in files
    ]
    if options.rows:
        _write(options.rows, rows)
    summary = _summary(rows)
    if options.json:
        print(json.dumps({"designs": [asdict(row) for row in rows], **summary}, indent=1))
    else:
        _print(rows, summary)
    if not rows:
        print(f"no *.json in {options.folder}", file=sys.stderr)
    return 1 if not rows or any(row.error for row in rows) else 0


def judge(path: Path, cycles: Mapping[Key, int], reports: Mapping[Key, MeasuredPipeline]) -> Row:
    """Return the row of one design file; what went wrong is in its ``error``."""
    try:
        return _judged(load_published_design(path), path.name, cycles, reports)
    except StreamoptError as problem:
        return Row(path.name, error=str(problem.diagnostics[0].code))
    except Exception as problem:  # a bug of ours in one design must not hide the others
        return Row(path.name, error=f"bug: {type(problem).__name__}: {problem}")


def _judged(
    design: PublishedDesign,
    file: str,
    cycles: Mapping[Key, int],
    reports: Mapping[Key, MeasuredPipeline],
) -> Row:
    target = Target.named(DEVICE, clock_ns=CLOCK_NS)
    ours = dissolved(design.network)
    timings = pipeline_timings(ours, target)
    key = _key(design.suite, design.kernel, design.level, design.dsp_limit)
    known = {
        name: design.pipelines.get(name) or reports.get((*key, name)) or MeasuredPipeline()
        for name in timings
    }
    reported, true_timings = as_reported(design.network, known, timings)
    rtl = cycles.get(key, design.measured.rtl_cycles)
    source_only = simulate(ours, timings).cycles
    true = simulate(reported, true_timings).cycles
    hits = [_is_hit(p, timings[p.name], known[p.name]) for p in ours.pipelines]
    return Row(
        file,
        design.suite,
        design.kernel,
        design.level,
        design.dsp_limit,
        rtl,
        source_only,
        true,
        None if rtl is None else source_only / rtl - 1,
        None if rtl is None else true / rtl - 1,
        hits.count(True),
        sum(hit is not None for hit in hits),
        "" if rtl is not None else "no RTL cycles",
    )


def _is_hit(pipeline: Pipeline, ours: PipelineTiming, report: MeasuredPipeline) -> bool | None:
    """Return whether our interval is the reported one; None where nothing is reported.

    Where the tool unrolled or kept other loops than we think, the cycles of all iterations are
    compared.
    """
    if report.ii is None:
        return None
    if report.trip is None or report.trip == pipeline.iterations:
        return ours.ii == report.ii
    return ours.ii * pipeline.iterations == report.ii * report.trip


def as_reported(
    network: Network,
    reports: Mapping[str, MeasuredPipeline],
    ours: Mapping[str, PipelineTiming],
) -> tuple[Network, dict[str, PipelineTiming]]:
    """Return the network with the loops that were pipelined, and the timings reported of them.

    Where a report has another trip count than the loops, inner loops are unrolled until they
    agree; if they can't, or a stream were accessed more often than it has cycles, the II is
    spread over the iterations. What is not reported is ours.
    """
    memories = {memory.name: memory for memory in network.memories}
    built = {p.name: _built(p, reports[p.name], memories) for p in network.pipelines}
    processes = tuple(
        replace(process, pipelines=tuple(built[p.name] for p in process.pipelines))
        for process in network.processes
    )
    timings = {
        name: _timing(p, reports[name], ours[name], _stream_ii(p, memories))
        for name, p in built.items()
    }
    return replace(network, processes=processes), timings


def _built(
    pipeline: Pipeline, report: MeasuredPipeline, memories: Mapping[str, Memory]
) -> Pipeline:
    for kept in range(len(pipeline.tiles), -1, -1):
        if prod(loop.trip_count for loop in pipeline.tiles[:kept]) == report.trip:
            lanes = (*pipeline.tiles[kept:], *pipeline.lanes)
            unrolled = replace(pipeline, tiles=pipeline.tiles[:kept], lanes=lanes)
            if _stream_ii(unrolled, memories) <= (report.ii or 1):
                return unrolled
    return pipeline


def _stream_ii(pipeline: Pipeline, memories: Mapping[str, Memory]) -> int:
    return max((demand.ii for demand in stream_demands(pipeline, memories)), default=1)


def _timing(
    pipeline: Pipeline, report: MeasuredPipeline, ours: PipelineTiming, stream_ii: int
) -> PipelineTiming:
    ii = ours.ii if report.ii is None else report.ii
    if report.ii is not None and report.trip is not None:
        ii = round(report.ii * report.trip / pipeline.iterations)
    depth = report.iteration_latency_cycles
    return PipelineTiming(max(ii, stream_ii), ours.depth_cycles if depth is None else max(1, depth))


def _rtl_cycles(path: Path | None) -> Iterable[tuple[Key, int]]:
    """Yield the RTL cycles of the Stream-HLS designs in a reference file that have some."""
    for row in _read(path):
        cycles = _whole(row["rtl_cycles"])
        if row.get("framework", "streamhls") == "streamhls" and cycles is not None:
            yield _key(row["suite"], row["kernel"], row["opt_level"], row["dsp_limit"]), cycles


def _reports(path: Path | None) -> dict[Key, MeasuredPipeline]:
    return {
        (*_key(row["suite"], row["kernel"], row["opt"], row["dsp_limit"]), row["node"]): (
            MeasuredPipeline(
                row.get("process"),
                _whole(row.get("vitis_trip")),
                _whole(row.get("vitis_ii")),
                _whole(row.get("iteration_latency")),
            )
        )
        for row in _read(path)
    }


def _read(path: Path | None) -> list[dict[str, str]]:
    if path is None:
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _key(suite: str, kernel: str, level: str, dsp_limit: int | str | None) -> Key:
    parts = (suite, kernel, level, dsp_limit)
    return tuple(str(part).strip().lower().removesuffix(".0") for part in parts)


def _whole(text: str | None) -> int | None:
    """Return the number in a cell; None for an empty one, and for a word such as "fail"."""
    try:
        return int(float(text or ""))
    except (ValueError, OverflowError):
        return None


def _summary(rows: Sequence[Row]) -> dict[str, float | int | None]:
    source = [abs(row.source_only_error) for row in rows if row.source_only_error is not None]
    true = [abs(row.true_ii_depth_error) for row in rows if row.true_ii_depth_error is not None]
    return {
        "mape_source_only": mean(source) if source else None,
        "mape_true_ii_depth": mean(true) if true else None,
        "worst_source_only": max(source, default=None),
        "worst_true_ii_depth": max(true, default=None),
        "ii_rule_hits": sum(row.ii_rule_hits for row in rows),
        "ii_nodes": sum(row.ii_nodes for row in rows),
        "failed": sum(bool(row.error) for row in rows),
    }


def _write(path: Path, rows: Sequence[Row]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(asdict(Row(""))), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            shown = {key: "" if value is None else value for key, value in asdict(row).items()}
            for key in ("source_only_error", "true_ii_depth_error"):
                shown[key] = f"{shown[key]:.6f}" if shown[key] != "" else ""
            writer.writerow(shown)


def _print(rows: Sequence[Row], summary: Mapping[str, float | int | None]) -> None:
    print(
        f"{'design':48} {'RTL':>10} {'source only':>12} {'error':>8} {'true II':>10} {'error':>8}"
    )
    for row in rows:
        if row.source_only_cycles is None:
            print(f"{row.file:48} {row.error}")
            continue
        line = (
            f"{row.file.removesuffix('.json'):48} {row.rtl_cycles or '-':>10} "
            f"{row.source_only_cycles:>12} {_percent(row.source_only_error):>8} "
            f"{row.true_ii_depth_cycles:>10} {_percent(row.true_ii_depth_error):>8}  {row.error}"
        )
        print(line.rstrip())
    print(
        f"mean absolute error: {_percent(summary['mape_source_only'])} from source alone, "
        f"{_percent(summary['mape_true_ii_depth'])} with true II and depth; "
        f"II right for {summary['ii_rule_hits']} of {summary['ii_nodes']} nodes"
    )


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.3f}%"


if __name__ == "__main__":
    sys.exit(main())
