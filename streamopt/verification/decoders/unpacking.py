"""From the words of a project back to the numbers of a model.

What a design is compared with is computed from the words that it is given, so that these are not
trusted to be those of any other file. Nothing here is shared with the packing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.decoders.numbers import (
    IntegerDecoder,
    IntegerLayer,
    IntegerMatrix,
    IntegerNorm,
)
from streamopt.ir.decoders.steps import DecoderTable, Matrix

NUMBERS, TABLE = 16, 256
OF_LAYER = (Matrix.INNER, Matrix.OUT, Matrix.HIDDEN, Matrix.BACK)


def unpacked(arrays: Mapping[str, NDArray[Any]], table: DecoderTable) -> IntegerDecoder:
    """Return the numbers of a model.

    Parameters
    ----------
    arrays
        ``words_0``, ``words_1``, ... and ``tables`` of a project.
    """
    model, shape = table.model, table.shape
    shares = [
        arrays[f"words_{at}"].astype(np.uint8).reshape(-1, shape.share_bytes)
        for at in range(shape.channels)
    ]
    words = np.concatenate(shares, axis=1)
    layers = [
        _layer(words[at * table.layer_words :], table, OF_LAYER) for at in range(model.layers)
    ]
    last, _ = _layer(words[model.layers * table.layer_words :], table, (Matrix.VOCABULARY,))
    tables = arrays["tables"].astype(np.int32)
    width = -(-model.features // 16) * 16
    size = model.vocabulary * width
    embedding = tables[:size].reshape(model.vocabulary, width)[:, : model.features]
    rest = tables[size:].reshape(model.positions, -1)
    is_learned = model.style.rotary_base is None
    return IntegerDecoder(
        model,
        embedding,
        rest[:, : model.features] if is_learned else None,
        None if is_learned else rest.view(np.int16)[:, : model.heads.features],
        tuple(layer for layer, _ in layers),
        last,
        layers[0][1],
        0.0,
    )


def _layer(
    words: NDArray[np.uint8], table: DecoderTable, matrices: tuple[Matrix, ...]
) -> tuple[IntegerLayer, int]:
    """Return a layer at the begin of words, and its epsilon."""
    head = words[: table.head_words].reshape(-1)
    numbers = head[: 4 * NUMBERS].view("<i4")
    activation = head[4 * NUMBERS : 4 * NUMBERS + TABLE].view(np.int8)
    pairs = head[4 * NUMBERS + TABLE : table.head_bytes].view("<i4").reshape(2, -1, 2)
    norms = tuple(IntegerNorm(own[:, 0], own[:, 1]) for own in pairs)
    found: dict[Matrix, IntegerMatrix] = {}
    at = table.head_words
    for matrix, shift in zip(matrices, numbers, strict=False):
        count = table.matrix_words(matrix)
        found[matrix] = _matrix(words[at : at + count], table, matrix, int(shift))
        at += count
    epsilon = int(head[28:36].view("<i8")[0])
    score, value, gate = (int(one) for one in numbers[4:7])
    return IntegerLayer(norms, found, score, value, gate, activation), epsilon


def _matrix(
    words: NDArray[np.uint8], table: DecoderTable, matrix: Matrix, shift: int
) -> IntegerMatrix:
    shape = table.shape
    outputs, inputs = table.size(matrix)
    tiles = words.reshape(table.tiles(matrix), -1, shape.word_bytes)
    pairs = tiles[:, : table.pair_words].reshape(len(tiles), -1).view("<i4")
    pairs = pairs[:, : 2 * shape.outputs].reshape(-1, 2)[:outputs]
    weights = np.empty((outputs, inputs), np.int8)
    for output in range(outputs):
        tile, lane = divmod(output, shape.outputs)
        own = tiles[tile, table.pair_words :]
        first = lane * shape.depth
        places = np.arange(first, first + shape.depth)
        halves = own[:, places // 2] >> (4 * (places % 2)).astype(np.uint8) & 15
        signed = (halves.astype(np.int8) ^ 8) - 8
        weights[output] = signed.reshape(-1)[:inputs]
    return IntegerMatrix(weights, pairs[:, 0], pairs[:, 1], shift)
