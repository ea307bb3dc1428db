"""What people see of a simulated design: cycles, waits, FIFOs and resources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table

from streamopt.cli.tables import time_words

if TYPE_CHECKING:
    from streamopt.evaluation.design import Evaluation
    from streamopt.sim import Trace
    from streamopt.target.resources import Resources

__all__ = ["fifo_table", "process_table", "resource_table", "run_table"]

KINDS = (("DSP", "dsps"), ("BRAM18", "bram18"), ("URAM", "uram"), ("LUT", "luts"), ("FF", "ffs"))


def run_table(found: Evaluation) -> Table:
    """Return one column of facts on a run."""
    trace = found.trace
    table = Table(title=trace.network, show_header=False)
    table.add_row("simulated", time_words(found))
    if found.predicted is not None:
        table.add_row("predicted", f"{found.predicted.latency_cycles} cycles (closed form)")
    if trace.interval_cycles is not None:
        table.add_row("interval", f"{trace.interval_cycles} cycles between frames")
        table.add_row("all frames", f"{trace.total_cycles} cycles for {trace.frames}")
    return table


def process_table(found: Evaluation) -> Table:
    """Return one row a process: when it ran, what it waited for, and why its II is what it is."""
    all_frames = f", waits of {found.trace.frames} frames" if found.trace.frames > 1 else ""
    table = Table(title=f"processes (cycles{all_frames})")
    table.add_column("process")
    for name in ("start", "end", "waits: input", "room", "buffer", "II", "depth"):
        table.add_column(name, justify="right")
    table.add_column("what holds the II")
    for process in found.trace.processes:
        timed = [found.timed[pipeline.name] for pipeline in process.pipelines]
        reasons = [str(pipeline.binding) for pipeline in timed if pipeline.binding is not None]
        table.add_row(
            process.name,
            str(process.starts[0]),
            str(process.ends[0]),
            str(process.empty_cycles),
            str(process.full_cycles),
            str(process.buffer_cycles),
            " ".join(str(pipeline.timing.ii) for pipeline in timed),
            " ".join(str(pipeline.timing.depth_cycles) for pipeline in timed),
            "; ".join(reasons) or "-",
        )
    return table


def fifo_table(trace: Trace) -> Table:
    """Return one row a FIFO: tokens, and how full a stream ever was."""
    table = Table(title="FIFOs")
    table.add_column("FIFO")
    for name in ("tokens", "most in a stream", "depth of a stream"):
        table.add_column(name, justify="right")
    for fifo in trace.fifos:
        table.add_row(fifo.name, str(fifo.tokens), str(fifo.peak_elems), str(fifo.depth_elems))
    return table


def resource_table(found: Evaluation) -> Table:
    """Return what the design takes next to one region of the device and the whole of it."""
    device, used = found.target, found.resources.total
    table = Table(title=f"resources on {device.name} (estimated)")
    table.add_column("")
    for name in ("used", "one SLR" if device.slrs > 1 else "", "device"):
        if name:
            table.add_column(name, justify="right")
    for title, kind in KINDS:
        budgets = [device.slr, device.total] if device.slrs > 1 else [device.total]
        shares = [_share(used, budget, kind) for budget in budgets]
        table.add_row(title, str(getattr(used, kind)), *shares)
    return table


def _share(used: Resources, budget: Resources, kind: str) -> str:
    amount, limit = getattr(used, kind), getattr(budget, kind)
    if not limit:
        return "none" if not amount else "OVER: has none"
    mark = "OVER: " if amount > limit else ""
    return f"{mark}{100 * amount / limit:.0f} % of {limit}"
