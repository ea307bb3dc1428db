"""An engine as built: its table, its resources, and its run."""

from __future__ import annotations

from dataclasses import dataclass

from streamopt.ir.engines.hardware import BEAT_BYTES, EngineHardware, Supply
from streamopt.ir.engines.layers import LayerGraph
from streamopt.ir.engines.shape import EngineShape
from streamopt.perf.engines.cycles import EngineCycles
from streamopt.perf.engines.resources import EngineResources, engine_resources
from streamopt.sim.engines.run import EngineRun, simulate_engine
from streamopt.target.device import Target
from streamopt.target.resources import Resources
from streamopt.transforms.engines.lowering import engine_table


@dataclass(frozen=True, slots=True)
class EngineEvaluation:
    """An engine with what it takes, and how it runs."""

    hardware: EngineHardware
    resources: EngineResources
    run: EngineRun


def built_engine(
    graph: LayerGraph,
    shape: EngineShape,
    cycles: EngineCycles,
    supply: Supply,
    target: Target,
    limit: Resources,
) -> tuple[EngineHardware, EngineResources]:
    """Return an engine of some shape with the tiles that were chosen, and what it takes.

    Parameters
    ----------
    limit
        Of the part of the device, for the choice of memory blocks.
    """
    table = engine_table(graph, shape, [one.tiling for one in cycles.layers])
    channel = target.channel(supply.channels[0])
    rate = min(BEAT_BYTES, int(channel.bytes_per_cycle(target.clock_ns)))
    width = min(rate, shape.banks * table.element.storage_bits // 8)
    is_shared = set(supply.channels) >= {channel.name for channel in target.channels}
    hardware = EngineHardware(table, cycles.fill_cycles, supply, width, rate, is_shared)
    return hardware, engine_resources(table, supply, target, limit)


def simulated_engine(hardware: EngineHardware, resources: EngineResources) -> EngineEvaluation:
    """Return an engine with its run over one frame."""
    return EngineEvaluation(hardware, resources, simulate_engine(hardware))
