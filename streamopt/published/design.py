"""A published design: its network, and what others measured of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.network import Network

__all__ = ["Measured", "MeasuredPipeline", "PublishedDesign"]


@dataclass(frozen=True, slots=True)
class MeasuredPipeline:
    """What synthesis reports of one pipeline; None where the report is silent.

    Attributes
    ----------
    process
        Process of the dataflow region that the tool put it into.
    trip
        Iterations of the loop that was pipelined in the end.
    ii
        Cycles between the starts of two iterations.
    iteration_latency_cycles
        Cycles of one iteration.
    """

    process: str | None = None
    trip: int | None = None
    ii: int | None = None
    iteration_latency_cycles: int | None = None
    loop_latency_cycles: int | None = None


@dataclass(frozen=True, slots=True)
class Measured:
    """Cycles and resources that were published; None where they are not known."""

    rtl_cycles: int | None = None
    model_cycles: int | None = None
    vitis_cycles: int | None = None
    dsps: int | None = None
    bram18: int | None = None
    ffs: int | None = None
    luts: int | None = None
    urams: int | None = None


@dataclass(frozen=True, slots=True)
class PublishedDesign:
    """A design of a suite's kernel at a level and a DSP limit.

    Attributes
    ----------
    network
        What was built, from the source alone: nothing in it comes from a measurement.
    measured
        Of the whole design.
    pipelines
        Reports by pipeline name; a pipeline without a report has none.
    """

    name: str
    suite: str
    kernel: str
    level: str
    dsp_limit: int | None
    network: Network
    measured: Measured
    pipelines: Mapping[str, MeasuredPipeline]
