"""What an evaluation says, as rows and JSON values."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamopt.evaluation.design import Evaluation

__all__ = ["evaluation_record", "fifo_bits", "trace_record"]


def evaluation_record(found: Evaluation) -> dict[str, str | int | float]:
    """Return cycles and resources next to the target's, as one flat row."""
    used, device = found.resources.total, found.target
    predicted = (
        {} if found.predicted is None else {"predicted_cycles": found.predicted.latency_cycles}
    )
    return {
        **predicted,
        "simulated_cycles": found.trace.cycles,
        "dsps": used.dsps,
        "bram18": used.bram18,
        "uram": used.uram,
        "lut": used.luts,
        "ff": used.ffs,
        "device": device.name,
        "clock_ns": device.clock_ns,
        "over": " ".join(found.over),
        "clock_risks": len(found.clock_risks),
        **fifo_bits(found),
    }


def fifo_bits(found: Evaluation) -> dict[str, int]:
    """Return the bits of all FIFOs, and of FIFOs that hold all tokens of their lanes."""
    tokens = {fifo.name: fifo.tokens for fifo in found.trace.fifos}
    return {
        "fifo_bits": sum(
            fifo.element.bits * prod(fifo.lanes) * fifo.depth_elems for fifo in found.network.fifos
        ),
        "full_fifo_bits": sum(
            fifo.element.bits * tokens[fifo.name] for fifo in found.network.fifos
        ),
    }


def trace_record(found: Evaluation) -> dict[str, Any]:
    """Return the whole evaluation as JSON values: the row, processes, pipelines and FIFOs."""
    trace = found.trace
    return {
        "name": trace.network,
        **evaluation_record(found),
        "frames": trace.frames,
        "interval_cycles": trace.interval_cycles,
        "total_cycles": trace.total_cycles,
        "processes": [
            {
                "name": process.name,
                "start_cycles": process.starts[0],
                "end_cycles": process.ends[0],
                "empty_cycles": process.empty_cycles,
                "full_cycles": process.full_cycles,
                "buffer_cycles": process.buffer_cycles,
                "pipelines": [_pipeline_record(found, p.name) for p in process.pipelines],
            }
            for process in trace.processes
        ],
        "fifos": [
            {
                "name": fifo.name,
                "tokens": fifo.tokens,
                "peak_elems": fifo.peak_elems,
                "depth_elems": fifo.depth_elems,
            }
            for fifo in trace.fifos
        ],
        "risks": [str(risk) for risk in found.clock_risks],
    }


def _pipeline_record(found: Evaluation, name: str) -> dict[str, Any]:
    timed = found.timed[name]
    return {
        "name": name,
        "ii": timed.timing.ii,
        "depth_cycles": timed.timing.depth_cycles,
        "reason": "" if timed.binding is None else str(timed.binding),
    }
