"""Cycles of a decoder in closed form: (G5) to (G9) of `decoders.md`."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

from streamopt.ir.decoders.hardware import DecoderHardware
from streamopt.ir.decoders.model import DecoderModel
from streamopt.ir.decoders.steps import Chunk, DecoderTable, Matrix, chunks_of

STORE_CYCLES, EMBED_CYCLES = 2, 6
OF_LAYER = (Matrix.INNER, Matrix.OUT, Matrix.HIDDEN, Matrix.BACK)


@dataclass(frozen=True, slots=True)
class ChunkCycles:
    """The least cycles of a chunk."""

    compute: int
    """Of all loops, if no word is late."""
    words: int
    """That come from memory."""
    bursts: int
    """In which they come."""


def chunk_cycles(hardware: DecoderHardware, chunk: Chunk) -> ChunkCycles:
    """Return the cycles of all loops of a chunk, and the words that they take."""
    table, fills = hardware.table, hardware.fills
    heads, layers = table.model.heads, table.model.layers
    stored = 2 * heads.groups * table.own_words(chunk, chunk.rows - 1)
    attention, past = _attention(hardware, chunk)
    matrices = sum(_matrix(table, matrix, chunk.rows) for matrix in OF_LAYER)
    norms = 2 * _norm(hardware, chunk.rows)
    filling = len(OF_LAYER) * fills.matrix_cycles + stored + STORE_CYCLES
    layer = table.head_words + matrices + norms + filling + attention
    compute, words = layers * layer, layers * (table.layer_words + past + stored)
    blocks = table.query_blocks(chunk.rows)
    bursts = layers * (2 + (2 * blocks if chunk.start else 0))
    latency = hardware.host_latency_cycles
    passing = ceil(table.embedding_bytes / hardware.host_bytes_per_cycle)
    compute += chunk.rows * (2 * latency + passing + EMBED_CYCLES)
    if chunk.is_last:
        compute += table.head_words + _norm(hardware, 1) + latency
        compute += _matrix(table, Matrix.VOCABULARY, 1) + fills.matrix_cycles
        words, bursts = words + table.answer_words, bursts + 1
    return ChunkCycles(compute, words, bursts)


def _norm(hardware: DecoderHardware, rows: int) -> int:
    table = hardware.table
    return 2 * table.blocks(rows) * table.norm_cycles + rows + hardware.fills.norm_cycles


def _matrix(table: DecoderTable, matrix: Matrix, rows: int) -> int:
    block = max(table.tile_words(matrix), table.drain_cycles)
    tile = table.pair_words + table.blocks(rows) * block
    return table.tiles(matrix) * tile + table.drain_cycles


def _attention(hardware: DecoderHardware, chunk: Chunk) -> tuple[int, int]:
    """Return the cycles of the attention of a layer, and the words of earlier chunks."""
    table, heads = hardware.table, hardware.table.model.heads
    queries = table.shape.queries
    lasts = [min(at, chunk.rows) - 1 for at in range(queries, chunk.rows + queries, queries)]
    own = sum(table.own_words(chunk, last) for last in lasts)
    past = len(lasts) * table.past_words(chunk)
    each = table.leaving_cycles + hardware.fills.attention_cycles
    return 2 * heads.count * (own + past) + len(lasts) * each, 2 * heads.groups * past


def least_cycles(hardware: DecoderHardware, prompt: int, answers: int) -> int:
    """Return cycles that no run of a prompt and its answers is below: (G8)."""
    table = hardware.table
    alike: dict[tuple[int, ...], tuple[Chunk, int]] = {}
    for chunk in chunks_of(prompt, answers, table.shape.rows):
        own_words = table.own_words(chunk, chunk.rows - 1)
        key = (chunk.rows, chunk.is_last, table.past_words(chunk), own_words)
        key = (*key, chunk.start % table.keys) if chunk.rows > 1 else key
        alike[key] = (chunk, alike.get(key, (chunk, 0))[1] + 1)
    return sum(count * _least(hardware, chunk) for chunk, count in alike.values())


def quickly_least_cycles(hardware: DecoderHardware, prompt: int, answers: int) -> int:
    """Return cycles at most `least_cycles`: as if all answers had the context of the first."""
    total = sum(
        _least(hardware, chunk) for chunk in chunks_of(prompt, 1, hardware.table.shape.rows)
    )
    if answers > 1:
        total += (answers - 1) * _least(hardware, Chunk(prompt, 1, True))
    return total


def _least(hardware: DecoderHardware, chunk: Chunk) -> int:
    """Return the cycles of a chunk's loops, or of its words but those that a FIFO held before."""
    supply, own = hardware.supply, chunk_cycles(hardware, chunk)
    waiting = max(0, own.words - supply.fifo_words) * supply.cycles_per_word
    return max(own.compute, int(waiting) + own.bursts * supply.latency_cycles)


def roofline_cycles(
    model: DecoderModel, prompt: int, answers: int, products: int, bytes_per_cycle: float
) -> int:
    """Return the least cycles of any hardware of so many products and bytes a cycle.

    All weights of 4 bits once a chunk, the prompt being one, and the keys and values that it sees:
    (G9). Products of rows that share no words are counted as one.
    """
    total = 0.0
    for chunk in chunks_of(prompt, answers, prompt):
        size = model.weights // 2 + model.context_bytes(chunk.start)
        compute = model.products(chunk.rows, chunk.start) / products
        total += max(compute, size / bytes_per_cycle)
    return ceil(total)
