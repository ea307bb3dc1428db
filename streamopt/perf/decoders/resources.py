"""Resources of a decoder and the depths of its pipelines: (G10) to (G12)."""

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
from streamopt.target.memories import Memories
from streamopt.target.operators import OperatorCost
from streamopt.target.resources import Resources

ADDRESS_CYCLES, READ_CYCLES, WRITE_CYCLES = 2, 2, 1
ROUND_CYCLES = 3
"""An offset, a shift and a clamp."""
ROOT_BITS = 32
"""Of a root: a stage of its pipeline each."""
ANGLE_CYCLES, TABLE_CYCLES = 5, 1
PRODUCT_BITS, SUM_BITS, POWER_BITS = 12, 18, 9
"""Of products with weights, of sums of products with keys, and of powers of two."""
CONTROL = Resources(luts=6000, ffs=6000)
"""Estimate: counters of three loop nests."""


@dataclass(frozen=True, slots=True)
class DecoderCosts:
    """Operators of a device that decoders are made of."""

    pair: Resources
    """Two products of 8 bits with a factor in common."""
    narrow: Resources
    """A product of 16 bits."""
    product: Resources
    """A product of 32 bits."""
    rounded: Resources
    """A product of 32 bits that is offset, shifted and clamped."""
    divider: Resources
    pair_cycles: int
    product_cycles: int
    divider_cycles: int


def decoder_costs(target: Target) -> DecoderCosts:
    """Return the operators of a device."""
    pair = target.operator(Operator.MUL, ElementType.INT8, "packed")
    narrow = target.operator(Operator.MUL, ElementType.INT16)
    product = target.operator(Operator.MUL, ElementType.INT32)
    divider = target.operator(Operator.DIV, ElementType.INT64)
    rounding = Resources(luts=64 + 3 * 64 + 32, ffs=128)
    return DecoderCosts(
        _resources(pair),
        _resources(narrow),
        _resources(product),
        _resources(product) + rounding,
        _resources(divider),
        pair.latency_cycles,
        product.latency_cycles,
        divider.latency_cycles,
    )


def _resources(cost: OperatorCost) -> Resources:
    return Resources(cost.dsps, 0, 0, cost.luts, cost.ffs)


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


def decoder_fills(table: DecoderTable, costs: DecoderCosts) -> DecoderFills:
    """Return the depths of all loops: (G10)."""
    shape, style = table.shape, table.model.style
    read = ADDRESS_CYCLES + READ_CYCLES
    small, wide, divide = costs.pair_cycles, costs.product_cycles, costs.divider_cycles
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
        DecoderMemory(
            "residual", row_blocks * -(-model.features // wide), 32 * wide, shape.positions
        ),
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
    table: DecoderTable, supply: Supply, costs: DecoderCosts, blocks: Memories, limit: Resources
) -> DecoderResources:
    """Return the resources of a decoder.

    Each memory, the largest first, is of the blocks of which the device has more left.
    """
    total = logic_resources(table, costs)
    chosen: list[tuple[str, EngineBlock]] = []
    kinds = [EngineBlock.BRAM] + [EngineBlock.URAM] * bool(limit.uram and blocks.uram_shape)
    for memory in sorted(
        memories(table, supply), key=lambda one: -one.words * one.bits * one.banks
    ):
        both = [(memory_resources(memory.words, memory.bits, blocks, kind), kind) for kind in kinds]
        scaled = [(total + cost.scaled(memory.banks), kind) for cost, kind in both]
        total, kind = min(scaled, key=lambda pair: fullest(pair[0], limit))
        chosen.append((memory.name, kind))
    return DecoderResources(total, tuple(chosen))


def logic_resources(table: DecoderTable, costs: DecoderCosts) -> Resources:
    """Return the resources of all but memories: (G12)."""
    ports = PORT.scaled(table.shape.channels + 1)
    own = _trees(table, costs) + _results(table, costs) + _attention(table, costs)
    return own + _norm(table, costs) + ports + CONTROL


def _trees(table: DecoderTable, costs: DecoderCosts) -> Resources:
    """Return multipliers in pairs of sums, adders, and the choice of operands."""
    shape = table.shape
    sums = shape.outputs * shape.positions
    adders = sums * (shape.depth - 1) * (PRODUCT_BITS + 2)
    waiting = 2 * 32 * sums
    word = 8 * shape.word_bytes
    operands = 8 * shape.depth * shape.positions
    pairs_kept = 2 * 64 * shape.outputs
    chosen = Resources(
        luts=adders + waiting + word + operands,
        ffs=adders + waiting + 2 * word + operands + pairs_kept,
    )
    return costs.pair.scaled(shape.products // 2) + chosen


def _results(table: DecoderTable, costs: DecoderCosts) -> Resources:
    """Return the lanes in which results leave a matrix."""
    shape, style = table.shape, table.model.style
    lane = costs.rounded + Resources(luts=64 + 32 + 40, ffs=100)
    if style.rotary_base is not None:
        lane += costs.narrow + costs.narrow
    if style.is_gated:
        lane += costs.rounded
    return lane.scaled(shape.drain * shape.positions)


def _attention(table: DecoderTable, costs: DecoderCosts) -> Resources:
    """Return products with keys or values, both trees of adders, and powers of two."""
    shape, features, keys = table.shape, table.model.heads.features, table.keys
    pairs = costs.pair.scaled(-(-keys // 2) * features * shape.queries)
    trees = shape.word_bytes * shape.queries * (2 * SUM_BITS + POWER_BITS)
    chosen = 2 * 8 * shape.word_bytes
    powers = costs.rounded + Resources(luts=64 + 2 * 16 + 2 * 32, ffs=64)
    leaving = costs.rounded.scaled(shape.lanes) + costs.divider
    sums = Resources(luts=32 * features, ffs=32 * features)
    of_query = powers.scaled(keys) + leaving + sums
    both = Resources(luts=trees + chosen, ffs=trees + chosen)
    return pairs + both + of_query.scaled(shape.queries)


def _norm(table: DecoderTable, costs: DecoderCosts) -> Resources:
    """Return the lanes of norms, a root, and a division."""
    shape = table.shape
    lane = costs.product + costs.rounded.scaled(2) + Resources(luts=2 * 64 + 32, ffs=2 * 64)
    root = Resources(luts=2 * 64 * ROOT_BITS, ffs=2 * 64 * ROOT_BITS)
    chosen = Resources(luts=8 * shape.word_bytes)
    return lane.scaled(shape.lanes * shape.positions) + root + costs.divider + chosen
