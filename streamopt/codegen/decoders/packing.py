"""The numbers of a decoder as words: what each channel keeps of a model, in the order of use.

A layer is its head (16 numbers, a table of 256 bytes, a pair of gain and offset for each feature of
both norms), then the tiles of its matrices: a pair of offset and factor for each sum, then words
of weights, two in a byte; the lower half is the earlier one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.decoders.numbers import (
    IntegerDecoder,
    IntegerLayer,
    IntegerMatrix,
    IntegerNorm,
)
from streamopt.ir.decoders.shape import HEAD_NUMBERS, TABLE_ENTRIES
from streamopt.ir.decoders.steps import DecoderTable, Matrix

Bytes = NDArray[np.uint8]
BEAT_NUMBERS = 16
"""Numbers of 32 bits in a beat of the host's port."""
SHIFTS = (Matrix.INNER, Matrix.OUT, Matrix.HIDDEN, Matrix.BACK)
"""Whose shifts are the first numbers of a layer."""


def packed_words(decoder: IntegerDecoder, table: DecoderTable) -> Bytes:
    """Return the words of a model (words x bytes), layers first, then those of an answer."""
    parts = [_layer(decoder, layer, table) for layer in decoder.layers]
    parts.append(_layer(decoder, decoder.last, table))
    return np.concatenate(parts)


def packed_tables(decoder: IntegerDecoder) -> NDArray[np.int32]:
    """Return embeddings, then learned positions or the angles of each, in whole beats a row."""
    rows = [_in_beats(decoder.embedding)]
    if decoder.positions is not None:
        rows.append(_in_beats(decoder.positions))
    if decoder.angles is not None:
        pairs = decoder.angles.astype("<i2").view("<i4")
        rows.append(_in_beats(pairs))
    return np.concatenate([part.reshape(-1) for part in rows])


def _in_beats(rows: NDArray[Any]) -> NDArray[np.int32]:
    missing = -rows.shape[1] % BEAT_NUMBERS
    return np.pad(rows, ((0, 0), (0, missing))).astype(np.int32)


def _layer(decoder: IntegerDecoder, layer: IntegerLayer, table: DecoderTable) -> Bytes:
    parts = [_head(decoder, layer, table)]
    parts += (_matrix(matrix, table, name) for name, matrix in layer.matrices.items())
    return np.concatenate(parts)


def _head(decoder: IntegerDecoder, layer: IntegerLayer, table: DecoderTable) -> Bytes:
    numbers = np.zeros(HEAD_NUMBERS, "<u4")
    shifts = SHIFTS if Matrix.INNER in layer.matrices else (Matrix.VOCABULARY,)
    own = [layer.matrices[name].shift for name in shifts]
    numbers[: len(own)] = own
    factors = (layer.score_factor, layer.value_factor, layer.gate_factor)
    numbers[4:7] = np.array(factors, "<i4").view("<u4")
    numbers[7:9] = (decoder.epsilon & 0xFFFFFFFF, decoder.epsilon >> 32)
    activation = np.zeros(TABLE_ENTRIES, np.int8) if layer.table is None else layer.table
    parts = [numbers.view(np.uint8), activation.view(np.uint8), *map(_norm, layer.norms)]
    return _in_words(np.concatenate(parts), table.head_words, table.shape.word_bytes)


def _norm(norm: IntegerNorm) -> Bytes:
    return np.stack([norm.gains, norm.offsets], 1).astype("<i4").view(np.uint8).reshape(-1)


def _matrix(matrix: IntegerMatrix, table: DecoderTable, name: Matrix) -> Bytes:
    """Return the words of a matrix, tile by tile."""
    shape = table.shape
    tiles, words = table.tiles(name), table.tile_words(name)
    outputs, inputs = matrix.weights.shape
    missing = tiles * shape.outputs - outputs
    weights = np.pad(matrix.weights, ((0, missing), (0, words * shape.depth - inputs)))
    ordered = weights.reshape(tiles, shape.outputs, words, shape.depth).transpose(0, 2, 1, 3)
    halves = (ordered.reshape(tiles, words, -1) & 15).astype(np.uint8)
    halves = np.pad(halves, ((0, 0), (0, 0), (0, 2 * shape.word_bytes - halves.shape[2])))
    both: Bytes = np.bitwise_or(halves[..., 0::2], np.left_shift(halves[..., 1::2], 4))
    pairs = np.stack([np.pad(one, (0, missing)) for one in (matrix.offsets, matrix.factors)], 1)
    size = table.pair_words * shape.word_bytes
    heads = pairs.astype("<i4").view(np.uint8).reshape(tiles, -1)
    heads = np.pad(heads, ((0, 0), (0, size - heads.shape[1])))
    whole: Bytes = np.concatenate([heads, both.reshape(tiles, -1)], 1)
    return whole.reshape(-1, shape.word_bytes)


def _in_words(data: Bytes, words: int, word_bytes: int) -> Bytes:
    return np.pad(data, (0, words * word_bytes - data.size)).reshape(words, word_bytes)
