"""How a schedule runs, and the cells of its processes: as the vendor's tool makes them, or ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from streamopt.errors import CodegenError
from streamopt.ir.network import Network, PipelineTiming, Place
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.perf.pipelines.timings import TimedPipeline, timed_pipelines
from streamopt.target.device import Target
from streamopt.target.resources import Resources
from streamopt.transforms.lower import lower

if TYPE_CHECKING:
    from streamopt.rtl.kernel.kernel import Kernel


@dataclass(frozen=True, slots=True)
class BuiltPipelines:
    """A network, timing and reasons of each pipeline, and resources where they are known better."""

    network: Network
    timed: Mapping[str, TimedPipeline]
    cells: Mapping[str, Resources] = field(default_factory=dict[str, Resources])
    """By process of our own Verilog; nothing for the vendor's tool, and for sequential nodes."""
    is_buildable: bool = True
    """Whether our own Verilog can be made, where operators are those of it."""

    @property
    def timings(self) -> dict[str, PipelineTiming]:
        """Return how each pipeline runs."""
        return {name: one.timing for name, one in self.timed.items()}


def built_pipelines(scheduled: ScheduledGraph, target: Target) -> BuiltPipelines:
    """Return how the pipelines of a schedule are built.

    With our own operators it is the schedule that the Verilog has, with visits of phases that last
    as long as it needs. A design that Verilog can't be made of has the least that this takes.
    """
    if not target.is_open:
        network = lower(scheduled)
        return BuiltPipelines(network, timed_pipelines(network, target))
    from streamopt.rtl.kernel.banks import built_network
    from streamopt.rtl.kernel.making import make_kernels, timed_kernels
    from streamopt.rtl.kernel.plain_rows import with_plain_rows

    scheduled = with_plain_rows(scheduled)
    network = lower(scheduled)
    timed = timed_pipelines(network, target)
    with_banks = built_network(scheduled)
    try:
        made = make_kernels(scheduled, with_banks)
    except CodegenError:
        return BuiltPipelines(network, timed, is_buildable=False)
    built, timings = timed_kernels(with_banks, made)
    outside = {memory.name for memory in network.memories if memory.place is Place.OFF_CHIP}
    movers = {p.name for p in network.pipelines for port in p.ports if port.target in outside}
    processes = tuple(
        replace(own, turns=other.turns)
        for own, other in zip(network.processes, built.processes, strict=True)
    )
    return BuiltPipelines(
        replace(network, processes=processes),
        {
            name: _with(one, timings[name], is_slow=name in movers)
            for name, one in timed.items()
            if name in timings
        },
        _cells(with_banks, made),
    )


def _cells(network: Network, made: Sequence[Sequence[Kernel]]) -> dict[str, Resources]:
    """Return the cells of each process whose kernels all have an estimate, with its masters."""
    from streamopt.rtl.blocks.frame_count import frame_bits
    from streamopt.rtl.costs.kernel_cells import kernel_cells
    from streamopt.rtl.costs.word_end_cells import end_cells
    from streamopt.rtl.outside.word_streams import word_streams

    memories = {memory.name: memory for memory in network.memories}
    bits, streams = frame_bits(len(made)), word_streams(network)
    found: dict[str, Resources] = {}
    for process, kernels in zip(network.processes, made, strict=True):
        cells = [kernel_cells(kernel, memories, bits) for kernel in kernels]
        known = [one for one in cells if one is not None]
        if len(known) == len(cells):
            ends = (end_cells(streams[name], bits) for name in process.targets & streams.keys())
            found[process.name] = sum((*known, *ends), Resources())
    return found


def _with(expected: TimedPipeline, timing: PipelineTiming, *, is_slow: bool) -> TimedPipeline:
    """Return how a pipeline runs, with the reasons that hold for its interval.

    Parameters
    ----------
    is_slow
        Whether it is no faster than expected, as it waits for a channel off the chip.
    """
    if is_slow:
        timing = replace(timing, ii=max(timing.ii, expected.timing.ii))
    bounds = tuple(bound for bound in expected.bounds if bound.ii <= timing.ii)
    return replace(expected, timing=timing, bounds=bounds)
