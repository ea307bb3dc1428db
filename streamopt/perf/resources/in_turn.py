"""Resources of pipelines that take turns: their operators, guards of lanes, and multiplexers.

Pipelines whose operators others use in turn count them once; the others choose operands, where
they don't read what the first one reads. What several pipelines write is chosen ahead of each bank.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from streamopt.ir import expression as ir
from streamopt.ir.network import AccessMode, Place, turns_among
from streamopt.perf.resources.addresses import address_multipliers
from streamopt.perf.resources.bank_choice import choice_of_banks
from streamopt.perf.resources.fabric import choice_luts, data_bits, pipeline_fabric
from streamopt.perf.resources.operators import operator_amounts, operator_replicas
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
    first: Pipeline | None = None,
) -> Resources:
    """Return the operators of a pipeline that takes turns, and the fabric around them.

    Parameters
    ----------
    first
        The one whose operators it uses in turn.

    Raises
    ------
    TargetError
        E854 or E855 if the target has no cost for an operator.
    """
    replicas = () if turn.like else operator_replicas(pipeline)
    counts = ((found.operation, found.count) for found in replicas)
    interval = 1 if target.is_open else timing.ii  # our own are shared by phases, not by lanes
    amounts = operator_amounts(counts, (), interval, target)
    products = address_multipliers(pipeline, memories, is_in_turn=True)
    dsps = amounts.dsps + sum(product.in_dsp for product in products)
    used = Resources(dsps=dsps, luts=amounts.luts, ffs=amounts.ffs)
    data = data_bits(pipeline, replicas, storages)
    luts = guard_luts(pipeline) + choice_of_banks(pipeline, memories)
    if first is not None:
        other = tuple(port for port in pipeline.ports if not _reads_alike(port, pipeline, first))
        bits = data_bits(replace(pipeline, ports=other), replicas, storages).read_bits
        luts += choice_luts(1, 2, bits)  # ahead of its windows, if it has any
    around = pipeline_fabric(pipeline, data, amounts.unit_bits, timing, storages)
    return used + around + Resources(luts=luts, ffs=turn.window_bits)


def _reads_alike(port: Port, pipeline: Pipeline, first: Pipeline) -> bool:
    """Return whether lanes have the same banks in both, so that nothing is chosen for operators."""
    own = _lane_factors(port, pipeline)
    return any(own == _lane_factors(other, first) for other in first.ports)


def _lane_factors(port: Port, pipeline: Pipeline) -> object:
    lanes = [(lane.name, lane.trip_count) for lane in pipeline.lanes]
    if not all(subscript.is_linear for subscript in port.subscripts):
        return port
    factors = [[s.factors.get(name, 0) for name, _ in lanes] for s in port.subscripts]
    constants = [s.constant for s in port.subscripts]
    return port.mode, port.target, [count for _, count in lanes], factors, constants


def guard_luts(pipeline: Pipeline) -> int:
    """Return the LUTs that compare lanes' indices: each comparison once for lanes that share it."""
    lanes = {lane.name: lane.trip_count for lane in pipeline.lanes}
    found: dict[ir.Compare, int] = {}
    for port in pipeline.ports:
        for part in ir.conjuncts(port.guard) if port.guard is not None else ():
            if isinstance(part, ir.Compare):
                names = {n for i in ir.walk(part) if isinstance(i, ir.Index) for n in _names(i)}
                if names <= lanes.keys():
                    continue  # each lane knows its number
                found[part] = prod(count for name, count in lanes.items() if name in names)
    return sum(found.values()) * (_INDEX_BITS // _COMPARED_BITS_OF_A_LUT)


def _names(index: ir.Index) -> tuple[str, ...]:
    return index.value.iterators()


def writer_luts(process: Process, memories: Mapping[str, Memory]) -> int:
    """Return the LUTs that choose which pipeline's value goes to the banks of each memory.

    Pipelines with the same operators bring the same value.
    """
    like = {turn.pipeline: turn.like for own in process.turns for turn in turns_among(own.items)}
    writers = {
        (name, like.get(pipeline.name) or pipeline.name)
        for pipeline in process.pipelines
        for name in {p.target for p in pipeline.ports if p.mode is AccessMode.WRITE}
    }
    counts = Counter(name for name, _ in writers)
    return sum(
        choice_luts(memories[name].banks, count, memories[name].element.bits)
        for name, count in counts.items()
        if count > 1 and name in memories and memories[name].place is Place.LOCAL
    )
