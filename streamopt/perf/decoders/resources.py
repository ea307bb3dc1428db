"""Resources of a decoder and the depths of its pipelines: (G10) to (G13)."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2

from streamopt.ir.decoders.hardware import DecoderFills
from streamopt.ir.decoders.steps import DecoderTable, Matrix
from streamopt.ir.element import ElementType
from streamopt.ir.engines.hardware import Supply
from streamopt.ir.operators import Operator
from streamopt.perf.engines.resources import PORT, EngineBlock, fullest, memory_resources
from streamopt.target.device import Target
from streamopt.target.resources import Resources

ADDRESS_CYCLES, READ_CYCLES, WRITE_CYCLES = 2, 2, 1
ROUND_CYCLES = 3
"""An offset, a shift and a clamp."""
ROOT_BITS = 32
"""Of a root: a stage of its pipeline each."""
ANGLE_CYCLES, TABLE_CYCLES = 5, 1
CONTROL = Resources(luts=6000, ffs=6000)
"""Estimate: counters of three loop nests."""


@dataclass(frozen=True, slots=True)
class DecoderMemory:
    """A memory on the chip."""

    name: str
    """As the C++ calls it."""
    words: int
    bits: int
    banks: int = 1
    """That are addressed apart."""


@dataclass(frozen=True, slots=True)
class DecoderResources:
    """Resources of a decoder, and the blocks of its memories."""

    total: Resources
    blocks: tuple[tuple[str, EngineBlock], ...]
    """Pairs (memory, blocks)."""


def decoder_fills(table: DecoderTable, target: Target) -> DecoderFills:
    """Return the depths of all loops: (G10)."""
    shape, style = table.shape, table.model.style
    read = ADDRESS_CYCLES + READ_CYCLES
    small = target.operator(Operator.MUL, ElementType.INT8).latency_cycles
    wide = target.operator(Operator.MUL, ElementType.INT32).latency_cycles
    divide = target.operator(Operator.DIV, ElementType.INT64).latency_cycles
    rounded = wide + ROUND_CYCLES
    turned = 0 if style.rotary_base is None else ANGLE_CYCLES
    gated = (wide if style.is_gated else 0) + TABLE_CYCLES
    sums = read + small + _levels(shape.depth) + 1
    features = table.model.heads.features
    return DecoderFills(
        matrix_cycles=sums + rounded + max(turned, gated) + 1 + WRITE_CYCLES,
        squares_cycles=read + wide + _levels(shape.lanes) + 1,
        root_cycles=3 * wide + ROOT_BITS + divide,
        scaled_cycles=read + 2 * rounded + WRITE_CYCLES,
        scores_cycles=read + small + _levels(features) + _levels(table.keys) + 2,
        values_cycles=read + rounded + TABLE_CYCLES + 2 + small + _levels(table.keys) + 1,
        leaving_cycles=divide + read + rounded + WRITE_CYCLES,
    )


def _levels(terms: int) -> int:
    """Return the levels of a tree of adders."""
    return ceil(log2(max(2, terms)))


def memories(table: DecoderTable, supply: Supply) -> tuple[DecoderMemory, ...]:
    """Return the memories of a decoder: (G11)."""
    shape, model, heads = table.shape, table.model, table.model.heads
    row_blocks = table.blocks(shape.rows)
    wide = max(shape.lanes, shape.drain)
    read = max(shape.depth, shape.lanes)
    word = shape.word_bytes * 8
    own = 2 * heads.groups * table.most_own_words
    inner = max(model.features, heads.query_features)
    kept = max(map(table.tile_words, Matrix))
    scores = heads.count * (table.context_words + 1)
    return (
        DecoderMemory("residual", row_blocks * -(-model.features // wide), 32 * wide, shape.positions),
        DecoderMemory("inner", row_blocks * -(-inner // read), 8 * read, shape.positions),
        DecoderMemory("hidden", row_blocks * -(-model.hidden // read), 8 * read, shape.positions),
        DecoderMemory("query", row_blocks * heads.count, 8 * heads.features, shape.positions),
        DecoderMemory("own", own, 8 * heads.features, table.keys),
        DecoderMemory("scores", scores, 32 * table.keys, shape.queries),
        DecoderMemory("sums", heads.count, 32 * heads.features, shape.queries),
        DecoderMemory("kept", kept, word),
        DecoderMemory("words", supply.fifo_words, word),
        DecoderMemory("head", table.head_words, word),
        DecoderMemory("stored", own, 8 * shape.share_bytes, shape.channels),
        DecoderMemory("angles", shape.rows, 16 * heads.features),
    )


def decoder_resources(
    table: DecoderTable, supply: Supply, target: Target, limit: Resources
) -> DecoderResources:
    """Return the resources of a decoder.

    Each memory, the largest first, is of the blocks of which the device has more left.
    """
    total = _logic(table, target)
    chosen: list[tuple[str, EngineBlock]] = []
    kinds = [EngineBlock.BRAM] + [EngineBlock.URAM] * bool(
        limit.uram and target.memories.uram_shape
    )
    for memory in sorted(
        memories(table, supply), key=lambda one: -one.words * one.bits * one.banks
    ):
        costs = [
            (memory_resources(memory.words, memory.bits, target.memories, kind), kind)
            for kind in kinds
        ]
        scaled = [(total + cost.scaled(memory.banks), kind) for cost, kind in costs]
        total, kind = min(scaled, key=lambda pair: fullest(pair[0], limit))
        chosen.append((memory.name, kind))
    return DecoderResources(total, tuple(chosen))


def _cost(target: Target, operator: Operator, element: ElementType) -> Resources:
    cost = target.operator(operator, element)
    return Resources(cost.dsps, 0, 0, cost.luts, cost.ffs)


def _rounding(target: Target) -> Resources:
    """Return a product of 32 bits that is offset, shifted and clamped."""
    product = _cost(target, Operator.MUL, ElementType.INT32)
    return product + Resources(luts=64 + 3 * 64 + 32, ffs=128)


def _logic(table: DecoderTable, target: Target) -> Resources:
    shape = table.shape
    matrix = _trees(table, target) + _results(table, target)
    ports = PORT.scaled(shape.channels + 1)
    return matrix + _attention(table, target) + _norm(table, target) + ports + CONTROL


def _trees(table: DecoderTable, target: Target) -> Resources:
    """Return multipliers in pairs of sums, adders, and the choice of operands: (G12)."""
    shape = table.shape
    cost = target.operator(Operator.MUL, ElementType.INT8, "packed")
    pairs = shape.products // 2
    product_bits = 12
    sums = shape.outputs * shape.positions
    adders = sums * (shape.depth - 1) * (product_bits + 2)
    waiting = 2 * 32 * sums
    word = 8 * shape.word_bytes
    operands = 8 * shape.depth * shape.positions
    luts = pairs * cost.luts + adders + waiting + word + operands
    pairs_kept = 2 * 64 * shape.outputs
    ffs = pairs * cost.ffs + adders + waiting + 2 * word + operands + pairs_kept
    return Resources(pairs * cost.dsps, 0, 0, luts, ffs)


def _results(table: DecoderTable, target: Target) -> Resources:
    """Return the lanes in which results leave a matrix."""
    shape, style = table.shape, table.model.style
    lane = _rounding(target) + Resources(luts=64 + 32 + 40, ffs=100)
    narrow = _cost(target, Operator.MUL, ElementType.INT16)
    if style.rotary_base is not None:
        lane += narrow + narrow
    if style.is_gated:
        lane += _rounding(target)
    return lane.scaled(shape.drain * shape.positions)


def _attention(table: DecoderTable, target: Target) -> Resources:
    """Return products with keys or values, both trees of adders, and powers of two."""
    shape, heads = table.shape, table.model.heads
    products = shape.word_bytes * shape.queries
    packed = target.operator(Operator.MUL, ElementType.INT8, "packed")
    pairs = Resources(packed.dsps, 0, 0, packed.luts, packed.ffs).scaled(-(-products // 2))
    both = 2 * products * 18 + 9 * products + 8 * shape.word_bytes
    powers = (_rounding(target) + Resources(luts=64 + 2 * 16 + 2 * 32, ffs=64)).scaled(
        table.keys * shape.queries
    )
    leaving = _rounding(target).scaled(shape.lanes) + _cost(
        target, Operator.DIV, ElementType.INT64
    )
    sums = Resources(luts=32 * heads.features, ffs=32 * heads.features)
    return pairs + Resources(luts=both, ffs=both) + powers + (leaving + sums).scaled(shape.queries)


def _norm(table: DecoderTable, target: Target) -> Resources:
    """Return the lanes of norms, a root, and a division."""
    shape = table.shape
    product = _cost(target, Operator.MUL, ElementType.INT32)
    lane = product + _rounding(target).scaled(2) + Resources(luts=2 * 64 + 32, ffs=2 * 64)
    root = Resources(luts=2 * 64 * ROOT_BITS, ffs=2 * 64 * ROOT_BITS)
    chosen = Resources(luts=8 * shape.word_bytes)
    divided = _cost(target, Operator.DIV, ElementType.INT64)
    return lane.scaled(shape.lanes * shape.positions) + root + divided + chosen
