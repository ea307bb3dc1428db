"""A language model in integers, step by step as `streamopt.ir.decoders.numbers` says.

It knows nothing of tiles and words: what a design computes is compared with it in every bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.decoders.model import Normalization
from streamopt.ir.decoders.numbers import (
    ANGLE_BITS,
    EXPONENT_BITS,
    GAIN_BITS,
    GATE_BITS,
    LEAVING_BITS,
    POINT_BITS,
    POWER_BITS,
    RESIDUAL_BITS,
    TURNED_BITS,
    IntegerDecoder,
    IntegerLayer,
    IntegerMatrix,
    IntegerNorm,
    power_table,
)
from streamopt.ir.decoders.steps import Matrix

Whole = NDArray[np.int64]
MOST_SHIFT = 24
"""Of a power of two, beyond which it is 0."""


@dataclass(frozen=True, slots=True)
class Answers:
    """Answers to a prompt."""

    tokens: NDArray[np.int32]
    logits: NDArray[np.int32]
    """Answers x vocabulary."""


def answers_of(decoder: IntegerDecoder, prompt: NDArray[Any], count: int) -> Answers:
    """Return the answers to a prompt, each the token of the largest logit, which is fed back."""
    run = _Interpreted(decoder)
    given = np.asarray(prompt, np.int64)
    tokens, logits = list[int](), list[NDArray[np.int32]]()
    for _ in range(count):
        logits.append(run.logits_behind(given))
        tokens.append(int(np.argmax(logits[-1])))
        given = np.array(tokens[-1:])
    return Answers(np.array(tokens, np.int32), np.stack(logits))


def narrowed(values: Whole, bits: int = 8) -> Whole:
    """Return numbers clamped to a symmetric range of so many bits."""
    most = (1 << (bits - 1)) - 1
    return np.clip(values, -most, most)


class _Interpreted:
    """A model with the keys and values that it has seen."""

    def __init__(self, decoder: IntegerDecoder) -> None:
        self._decoder, self._model = decoder, decoder.model
        heads = decoder.model.heads
        nothing = np.zeros((0, heads.groups, heads.features), np.int64)
        self._keys = [nothing] * decoder.model.layers
        self._values = [nothing] * decoder.model.layers

    def logits_behind(self, tokens: Whole) -> NDArray[np.int32]:
        """Return the logits behind the last of more tokens."""
        decoder = self._decoder
        start = len(self._keys[0])
        x = decoder.embedding[tokens].astype(np.int64)
        if decoder.positions is not None:
            x = x + decoder.positions[start : start + len(tokens)]
        x = narrowed(x, RESIDUAL_BITS)
        for number, layer in enumerate(decoder.layers):
            inner = self._norm(layer.norms[0], x)
            mixed = self._attention(number, layer, _product(layer.matrices[Matrix.INNER], inner))
            x = narrowed(x + _product(layer.matrices[Matrix.OUT], mixed), RESIDUAL_BITS)
            inner = self._norm(layer.norms[1], x)
            hidden = self._hidden(layer, _product(layer.matrices[Matrix.HIDDEN], inner))
            x = narrowed(x + _product(layer.matrices[Matrix.BACK], hidden), RESIDUAL_BITS)
        last = self._norm(decoder.last.norms[0], x[-1:])
        logits = _product(decoder.last.matrices[Matrix.VOCABULARY], last)[0]
        return narrowed(logits, 32).astype(np.int32)

    def _norm(self, norm: IntegerNorm, x: Whole) -> Whole:
        decoder = self._decoder
        first = x.sum(1, keepdims=True)
        mean = (first * decoder.reciprocal) >> 32
        if self._model.style.normalization is Normalization.RMS:
            mean = np.zeros_like(mean)
        squares = np.square(x).sum(1, keepdims=True)
        squares = squares - 2 * mean * first + x.shape[1] * mean * mean
        scaled = (squares >> POINT_BITS) * decoder.reciprocal + decoder.epsilon
        roots = np.array([[max(1, isqrt(int(one)))] for one in scaled[:, 0]])
        quotient = ((x - mean) * ((1 << 40) // roots)) >> POINT_BITS
        wide = ((quotient * norm.gains) >> GAIN_BITS) + norm.offsets
        return narrowed((wide + (1 << (POINT_BITS - 1))) >> POINT_BITS)

    def _attention(self, number: int, layer: IntegerLayer, both: Whole) -> Whole:
        heads, rows = self._model.heads, len(both)
        ends = (heads.query_features, heads.query_features + heads.key_features)
        q, k, v = (part.reshape(rows, -1, heads.features) for part in np.split(both, ends, axis=1))
        start = len(self._keys[number])
        if self._decoder.angles is not None:
            angles = self._decoder.angles[start : start + rows].astype(np.int64)
            q, k = _turned(q, angles), _turned(k, angles)
            v = (v + (1 << (TURNED_BITS - 1))) >> TURNED_BITS
        keys = np.concatenate([self._keys[number], narrowed(k)])
        values = np.concatenate([self._values[number], narrowed(v)])
        self._keys[number], self._values[number] = keys, values
        group = np.arange(heads.count) // heads.queries
        scores = np.einsum("ihf,jhf->ihj", narrowed(q), keys[:, group])
        seen = np.arange(len(keys)) <= start + np.arange(rows)[:, None]
        seen = np.broadcast_to(seen[:, None, :], scores.shape)
        largest = np.where(seen, scores, np.iinfo(np.int64).min).max(2, keepdims=True)
        powers = np.where(seen, _powers(largest - scores, layer.score_factor), 0)
        sums = np.einsum("ihj,jhf->ihf", powers, values[:, group])
        factors = (layer.value_factor << 12) // powers.sum(2, keepdims=True)
        mixed = (sums * factors + (1 << (LEAVING_BITS - 1))) >> LEAVING_BITS
        return narrowed(mixed).reshape(rows, -1)

    def _hidden(self, layer: IntegerLayer, x: Whole) -> Whole:
        assert layer.table is not None  # of all layers but the last
        x = narrowed(x)
        table = layer.table.astype(np.int64)
        if not self._model.style.is_gated:
            return table[x + 128]
        gated = table[x[:, 0::2] + 128] * x[:, 1::2] * layer.gate_factor
        return narrowed((gated + (1 << (GATE_BITS - 1))) >> GATE_BITS)


def _product(matrix: IntegerMatrix, x: Whole) -> Whole:
    """Return the results of a matrix; sums are exact in doubles."""
    sums = (x.astype(np.float64) @ matrix.weights.T.astype(np.float64)).astype(np.int64)
    return ((sums + matrix.offsets) * matrix.factors + (1 << (matrix.shift - 1))) >> matrix.shift


def _turned(x: Whole, angles: Whole) -> Whole:
    """Return pairs of features, of 16 bits, turned by their angles."""
    even, odd = narrowed(x[..., 0::2], 16), narrowed(x[..., 1::2], 16)
    cosines, sines = angles[:, None, 0::2], angles[:, None, 1::2]
    found = np.empty_like(x)
    found[..., 0::2] = even * cosines - odd * sines
    found[..., 1::2] = even * sines + odd * cosines
    shift = ANGLE_BITS + TURNED_BITS
    return (found + (1 << (shift - 1))) >> shift


def _powers(below: Whole, factor: int) -> Whole:
    """Return powers of two of what scores are below the largest one, of 8 bits."""
    exponents = (below * factor) >> POINT_BITS
    whole = np.minimum(exponents >> EXPONENT_BITS, MOST_SHIFT)
    fraction = power_table()[exponents & ((1 << EXPONENT_BITS) - 1)].astype(np.int64)
    power = fraction >> whole
    rounded = (power + (1 << (POWER_BITS - 9))) >> (POWER_BITS - 8)
    return np.minimum(rounded, 255)
