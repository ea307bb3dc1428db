"""Resources of an engine and the depth of its pipeline: (S12) to (S15)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from math import ceil, log2

from streamopt.ir.element import ElementType
from streamopt.ir.engines.hardware import Supply
from streamopt.ir.engines.layers import Combine
from streamopt.ir.engines.shape import EngineShape
from streamopt.ir.engines.table import EngineTable, Form
from streamopt.ir.operators import Operator
from streamopt.perf.engines.epilogues import epilogue_cost, operator_resources
from streamopt.perf.engines.operators import (
    FABRIC,
    PACKED,
    adder_cost,
    multiply_cycles,
    product_cost,
    sum_cycles,
)
from streamopt.perf.resources.memory_blocks import block_rams
from streamopt.target.device import Target
from streamopt.target.memories import Memories
from streamopt.target.resources import Resources

ADDRESS_CYCLES, READ_CYCLES, WRITE_CYCLES = 2, 2, 1
LEVELS, PLACES, PLACE_BITS = 9, 7, 24
"""Loops of a layer, the places that each keeps, and the bits of one."""
PORT = Resources(luts=900, ffs=1400)
"""Of an AXI master of 512 bits: `m_axi` adapters in csynth reports of published designs."""


class EngineBlock(StrEnum):
    """The kind of blocks of a memory."""

    BRAM = "bram"
    URAM = "uram"
    LUTRAM = "lutram"


@dataclass(frozen=True, slots=True)
class EngineResources:
    """Resources of an engine, and what its memories are made of."""

    total: Resources
    maps: EngineBlock
    weights: EngineBlock


def turn_stages(shape: EngineShape) -> int:
    """Return the stages of multiplexers that turn a line: two bits of the place each."""
    return ceil(log2(shape.banks) / 2)


def longest_epilogue_cycles(forms: tuple[Form, ...], target: Target) -> int:
    """Return the latency of the longest epilogue, which is the same in every shape."""
    return max(epilogue_cost(form, target).latency_cycles for form in forms)


def fill_cycles(shape: EngineShape, epilogue_cycles: int, target: Target) -> int:
    """Return the cycles from an iteration to the write of its result: (S12)."""
    multiply = multiply_cycles(shape, target)
    turn = turn_stages(shape)
    windows = turn if shape.beside > 1 else 0
    adders = sum_cycles(shape)
    lines = ADDRESS_CYCLES + READ_CYCLES + turn + windows
    return lines + multiply + adders + epilogue_cycles + turn + WRITE_CYCLES


def engine_resources(
    table: EngineTable, supply: Supply, target: Target, limit: Resources
) -> EngineResources:
    """Return the resources of an engine, its memories where they are least of what there is.

    Parameters
    ----------
    limit
        Of the part of the device; where no choice fits, the one that is over it least.
    """
    logic = _logic(table, supply, target)
    found: list[EngineResources] = []
    kinds = [EngineBlock.BRAM]
    if limit.uram and target.memories.uram_shape:
        kinds.append(EngineBlock.URAM)
    for maps, weights in product(kinds, [*kinds, EngineBlock.LUTRAM]):
        memory = _memory(table, supply, target.memories, (maps, weights))
        found.append(EngineResources(logic + memory, maps, weights))
    return min(found, key=lambda one: _preference(one, limit))


def _preference(one: EngineResources, limit: Resources) -> tuple[bool, bool, float]:
    """Return the order of a choice: blocks that fit, without LUTs, the emptiest."""
    is_over = bool(one.total.over(limit))
    return is_over, one.weights is EngineBlock.LUTRAM, fullest(one.total, limit)


def fullest(used: Resources, limit: Resources) -> float:
    """Return the share of a limit that block RAMs or UltraRAMs take, whichever is larger."""
    pairs = ((used.bram18, limit.bram18), (used.uram, limit.uram))
    return max((own / most if most else 10.0 * own for own, most in pairs), default=0.0)


def _memory(
    table: EngineTable, supply: Supply, blocks: Memories, kinds: tuple[EngineBlock, EngineBlock]
) -> Resources:
    """Return the blocks of maps, of the weights of a tile, and of those that wait."""
    banks = table.memories * table.shape.banks
    maps = memory_resources(table.depth, table.element.bits, blocks, kinds[0]).scaled(banks)
    bits = table.word_bytes * 8
    kept = memory_resources(table.tile_words, bits, blocks, kinds[1])
    return maps + kept + memory_resources(supply.fifo_words, bits, blocks, kinds[1])


def memory_resources(words: int, bits: int, blocks: Memories, kind: EngineBlock) -> Resources:
    """Return the blocks of a memory, or its LUTs where it is small."""
    if words <= blocks.lutram_words or kind is EngineBlock.LUTRAM:
        return Resources(luts=ceil(bits * max(1, words / 64)))
    if kind is EngineBlock.URAM and blocks.uram_shape is not None:
        return Resources(uram=blocks.uram_shape.blocks(words, bits))
    return Resources(bram18=block_rams(words, bits, blocks))


def _logic(table: EngineTable, supply: Supply, target: Target) -> Resources:
    shape = table.shape
    windows = max(one.tiling.windows for one in table.passes)
    epilogues = Resources()
    for form in table.forms:
        epilogues += epilogue_cost(form, target).resources.scaled(shape.drain)
    ports = len(supply.channels) + len(table.inputs) + 1
    total = _lines(table, windows) + epilogues
    if shape.adder is None:
        total += _products(shape, windows, target)
    else:
        total += _float_products(shape, windows, target) + _float_extremes(table, target)
    return total + _registers(table) + PORT.scaled(ports) + _control(table)


def _products(shape: EngineShape, windows: int, target: Target) -> Resources:
    """Return multipliers, the choice of their operands, and the sums: (S13)."""
    operand_bits = 8
    chosen = operand_bits * (shape.products if windows > 1 else 0) + operand_bits * shape.lanes
    product_bits = 2 * operand_bits
    adders = shape.outputs * (shape.depth - 1) * (product_bits + 2)
    registers = shape.products * product_bits
    own = Resources(luts=chosen + adders, ffs=adders + registers)
    return _multipliers(shape, target) + own


def _float_products(shape: EngineShape, windows: int, target: Target) -> Resources:
    """Return the same of floating-point numbers.

    There is an adder for every product, and for a result that leaves one less than there are sums
    that take turns.
    """
    bits = ElementType.FLOAT.bits
    adders = shape.products + shape.drain * (shape.partials - 1)
    chosen = bits * ((shape.products if windows > 1 else 0) + shape.lanes)
    own = operator_resources(adder_cost(target)).scaled(adders)
    return _multipliers(shape, target) + own + Resources(luts=chosen, ffs=bits * shape.products)


def _multipliers(shape: EngineShape, target: Target) -> Resources:
    """Return the multipliers, those of LUTs too."""
    is_float = shape.adder is not None
    usual = product_cost(target, is_float=is_float, built=PACKED if shape.packed else None)
    total = operator_resources(usual).scaled(shape.multipliers)
    if shape.in_luts:
        in_luts = product_cost(target, is_float=is_float, built=FABRIC)
        total += operator_resources(in_luts).scaled(shape.in_luts * shape.depth)
    return total


def _float_extremes(table: EngineTable, target: Target) -> Resources:
    """Return the comparisons of pools, and of windows whose largest element is wanted."""
    shape = table.shape
    largest = {Combine.LARGEST, Combine.SMALLEST}
    count = shape.drain * any(one.layer.pool != (1, 1) for one in table.passes)
    if any(one.combine in largest for one in table.passes):
        count += shape.lanes + shape.drain * (shape.partials - 1)
    if not count:
        return Resources()
    return operator_resources(target.operator(Operator.MAX, ElementType.FLOAT)).scaled(count)


def _lines(table: EngineTable, windows: int) -> Resources:
    """Return the multiplexers that turn lines, and hide all outside of a map: (S14)."""
    shape, bits = table.shape, table.element.bits
    maps = max(len(one.beside_maps) for one in table.passes)
    line = shape.banks * bits
    turn = line * turn_stages(shape)
    lanes = max(one.tiling.neighbours for one in table.passes) > 1
    width = max(shape.depth, shape.lanes if lanes else 0)
    further = (windows - 1) * width * bits * turn_stages(shape)
    memories = (table.memories - 1) * line * (1 + maps)
    masks = shape.banks * (bits + 8)
    luts = (2 + maps) * turn + further + memories + masks
    return Resources(luts=luts, ffs=luts)


def _registers(table: EngineTable) -> Resources:
    """Return sums at work and waiting, constants, and the largest element of each: (S15)."""
    shape = table.shape
    bits = max(form.accumulator.bits for form in table.forms)
    parameters = max(len(form.parameters) for form in table.forms)
    chunks = shape.pending // shape.drain
    sums = max(shape.outputs, shape.lanes) * bits * shape.partials
    lanes = 2 * shape.lanes * bits if any(one.layer.is_lanes for one in table.passes) else 0
    pooled = any(one.layer.pool != (1, 1) for one in table.passes)
    largest = shape.drain * table.element.bits * (2 + chunks // 4) if pooled else 0
    constants = shape.drain * parameters * 32 * -(-chunks // 4)
    added = sum(shape.tile(n) * (n - 1) * bits for n in {one.parts for one in table.orders})
    ways = len(table.orders) + 2  # also of lanes, and from the sum behind it; four in a LUT
    waiting = ceil((ways - 1) / 3) * shape.pending * bits * shape.partials
    luts = sums + lanes + waiting + added + largest + constants
    ffs = sums + shape.pending * (bits * shape.partials + parameters * 32) + largest
    return Resources(luts=luts, ffs=ffs)


def _control(table: EngineTable) -> Resources:
    """Return the counters of all loops, and the table."""
    counters = LEVELS * PLACES * PLACE_BITS
    numbers = len(table.passes) * (LEVELS * PLACES + 30) * PLACE_BITS // 64
    return Resources(luts=2 * counters + numbers, ffs=counters)
