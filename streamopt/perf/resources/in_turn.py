"""Resources of pipelines that take turns: their operators, guards of lanes, and multiplexers.

Pipelines whose operators others use in turn count them once; the others choose operands. Where the
bank of a lane's element depends on the iteration, a multiplexer of the banks brings a value, and
one of the lanes gives a bank its own. What several pipelines write is chosen ahead of each bank.
LUTs are of multiplexers as large as that (`streamopt.perf.resources.fabric.choice_luts`), but for
lanes that are turned at once (`streamopt.perf.resources.rotations`); what a tool adds for long
wires is not counted.
"""

from __future__ import annotations

from collections import Counter
from math import gcd, prod
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.network import AccessMode, Place
from streamopt.perf.resources.addresses import address_multipliers
from streamopt.perf.resources.fabric import choice_luts, data_bits, pipeline_fabric
from streamopt.perf.resources.operators import lanes_of, operator_amounts, operator_replicas
from streamopt.perf.resources.rotations import turning_luts
from streamopt.target.resources import Resources

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.network import (
        Memory,
        Pipeline,
        PipelineTiming,
        Port,
        Process,
        Turn,
    )
    from streamopt.perf.resources.memory_blocks import BankStorage
    from streamopt.target.device import Target

_INDEX_BITS = 16
"""Of a counter: an estimate, wide enough for all loops of PolyBench."""
_COMPARED_BITS_OF_A_LUT = 2
"""Compared by one LUT and its carry logic (AMD UG574)."""


def turn_resources(
    pipeline: Pipeline,
    turn: Turn,
    timing: PipelineTiming,
    memories: Mapping[str, Memory],
    storages: Mapping[str, BankStorage],
    target: Target,
) -> Resources:
    """Return the operators of a pipeline that takes turns, and the fabric around them.

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    replicas = () if turn.like else operator_replicas(pipeline)
    counts = ((found.operation, found.count) for found in replicas)
    amounts = operator_amounts(counts, (), timing.ii, target)
    products = address_multipliers(pipeline, memories, is_in_turn=True)
    dsps = amounts.dsps + sum(product.in_dsp for product in products)
    used = Resources(dsps=dsps, luts=amounts.luts, ffs=amounts.ffs)
    data = data_bits(pipeline, replicas, storages)
    luts = guard_luts(pipeline) + sum(_bank_choice(p, pipeline, memories) for p in pipeline.ports)
    if turn.like:
        luts += choice_luts(1, 2, data.read_bits)  # ahead of its windows, if it has any
    around = pipeline_fabric(pipeline, data, amounts.unit_bits, timing, storages)
    return used + around + Resources(luts=luts, ffs=turn.window_bits)


def guard_luts(pipeline: Pipeline) -> int:
    """Return the LUTs that compare lanes' indices: each comparison once for lanes that share it."""
    lanes = {lane.name: lane.trip_count for lane in pipeline.lanes}
    found: dict[ir.Compare, int] = {}
    for port in pipeline.ports:
        for part in ir.conjuncts(port.guard) if port.guard is not None else ():
            if isinstance(part, ir.Compare):
                names = {n for i in ir.walk(part) if isinstance(i, ir.Index) for n in _names(i)}
                found[part] = prod(count for name, count in lanes.items() if name in names)
    return sum(found.values()) * (_INDEX_BITS // _COMPARED_BITS_OF_A_LUT)


def _names(index: ir.Index) -> tuple[str, ...]:
    return index.value.iterators()


def _bank_choice(port: Port, pipeline: Pipeline, memories: Mapping[str, Memory]) -> int:
    """Return the LUTs between lanes and the banks that each of them goes to by and by."""
    memory = memories.get(port.target)
    if memory is None:
        return 0
    turning = turning_luts(port, pipeline, memory)
    if turning is not None:
        return turning
    lanes = {lane.name: lane.trip_count for lane in pipeline.lanes}
    tiles = {tile.name: tile.trip_count for tile in pipeline.tiles}
    pairs = zip(port.subscripts, memory.factors, strict=True)
    banks = prod(_banks_by_and_by(subscript, factor, tiles) for subscript, factor in pairs)
    values = prod(lanes[name] for name in lanes_of(port, pipeline))
    return choice_luts(values, banks, memory.element.bits) if banks > 1 else 0


def _banks_by_and_by(subscript: Affine, factor: int, tiles: Mapping[str, int]) -> int:
    """Return how many banks along a dimension one lane goes to, at most."""
    moved = [
        (by, prod(tiles.get(name, 1) for name in Affine(((atom, 1),)).iterators()))
        for atom, by in subscript.terms
    ]
    steps = [by for by, places in moved if places > 1]
    places = prod(places for _, places in moved)
    return min(places, factor // gcd(factor, *steps)) if steps else 1


def writer_luts(process: Process, memories: Mapping[str, Memory]) -> int:
    """Return the LUTs that choose which pipeline's value goes to the banks of each memory."""
    writers = Counter(
        name
        for pipeline in process.pipelines
        for name in {p.target for p in pipeline.ports if p.mode is AccessMode.WRITE}
    )
    return sum(
        choice_luts(memories[name].banks, count, memories[name].element.bits)
        for name, count in writers.items()
        if count > 1 and name in memories and memories[name].place is Place.LOCAL
    )
