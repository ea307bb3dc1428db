"""From a language model in floats to one in integers: weights of 4 bits, activations of 8.

Weights have a scale for each output, at which their squared error is least among some; activations
one for each place of each layer, which the largest number of a calibration takes to 127.
"""

from __future__ import annotations

from math import log2, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.decoders.model import DecoderModel
from streamopt.ir.decoders.numbers import (
    ANGLE_BITS,
    EXPONENT_BITS,
    GAIN_BITS,
    GATE_BITS,
    POINT_BITS,
    RESIDUAL_BITS,
    TURNED_BITS,
    FloatDecoder,
    FloatMatrix,
    FloatNorm,
    IntegerDecoder,
    IntegerLayer,
    IntegerMatrix,
    IntegerNorm,
)
from streamopt.ir.decoders.steps import Matrix
from streamopt.transforms.decoders.float_run import Ranges, activation, angles_of, float_logits

LARGEST, LARGEST_WEIGHT = 127, 7
CLIPS = (1.0, 0.9, 0.8, 0.7, 0.6)
"""Shares of the largest weight that are tried as the largest one that isn't clipped."""
HEADROOM = 4
"""Of the residual stream above what the calibration shows."""
FACTOR_BITS = 16
LOGIT_STEPS = 1 << 20
"""Of the largest logit of a calibration."""


def integer_decoder(decoder: FloatDecoder, calibration: NDArray[Any]) -> IntegerDecoder:
    """Return a model in integers.

    Parameters
    ----------
    calibration
        Tokens, at most as many as the model has positions, that show how large numbers become.
    """
    model = decoder.model
    ranges = Ranges()
    float_logits(decoder, calibration, ranges)
    first = float(np.abs(decoder.embedding[calibration]).max())
    largest = max(first, ranges.largest[-1, "residual"])
    residual = HEADROOM * largest / (1 << (RESIDUAL_BITS - 1))
    layers = tuple(
        _Layer(decoder, number, ranges, residual).integers() for number in range(model.layers)
    )
    last = _scale(ranges, -1, "last")
    logits = max(ranges.largest[-1, "logits"], 1e-30) / LOGIT_STEPS
    size = model.vocabulary
    vocabulary = _matrix(decoder.vocabulary, last, np.full(size, logits, np.float64))
    norm = _norm(decoder.norm, last)
    return IntegerDecoder(
        model,
        _whole(decoder.embedding / residual, np.int32),
        None if decoder.positions is None else _whole(decoder.positions / residual, np.int32),
        _angles(model),
        layers,
        IntegerLayer((norm,), {Matrix.VOCABULARY: vocabulary}),
        max(1, round(model.style.epsilon / residual**2 * (1 << POINT_BITS))),
        logits,
    )


def _scale(ranges: Ranges, layer: int, name: str) -> float:
    return max(ranges.largest[layer, name], 1e-30) / LARGEST


def _whole(values: NDArray[Any], kind: Any) -> NDArray[Any]:
    limits = np.iinfo(kind)
    return np.clip(np.rint(values.astype(np.float64)), limits.min, limits.max).astype(kind)


def _angles(model: DecoderModel) -> NDArray[np.int16] | None:
    if model.style.rotary_base is None:
        return None
    angles = angles_of(model)
    both = np.stack([np.cos(angles), np.sin(angles)], -1).reshape(len(angles), -1)
    return _whole(both * (1 << ANGLE_BITS), np.int16)


def _norm(norm: FloatNorm, scale: float) -> IntegerNorm:
    bias = np.zeros_like(norm.gain) if norm.bias is None else norm.bias
    return IntegerNorm(
        _whole(norm.gain / scale * (1 << GAIN_BITS), np.int32),
        _whole(bias / scale * (1 << POINT_BITS), np.int32),
    )


def _matrix(matrix: FloatMatrix, given: float, wanted: NDArray[Any]) -> IntegerMatrix:
    """Return a matrix in integers.

    Parameters
    ----------
    given, wanted
        The scale of its inputs, and of each output.
    """
    weights, scales = _weights(matrix.weight)
    ratios = scales.astype(np.float64) * given / wanted
    shift = FACTOR_BITS - 1 - int(np.ceil(log2(max(float(ratios.max()), 1e-30))))
    shift = min(max(shift, 1), 46)
    bias = np.zeros(len(scales)) if matrix.bias is None else matrix.bias
    return IntegerMatrix(
        weights,
        _whole(bias / (scales * given), np.int32),
        _whole(ratios * 2.0**shift, np.int32),
        shift,
    )


def _weights(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Return weights of 4 bits, and the scale of each output."""
    largest: NDArray[Any] = np.maximum(np.abs(weight).max(1), 1e-30) / LARGEST_WEIGHT
    best = np.full(len(weight), np.inf)
    scales: NDArray[Any] = largest
    for clip in CLIPS:
        tried = (clip * largest).astype(np.float32)
        rest = _rounded(weight, tried) * tried[:, None] - weight
        error = np.square(rest).sum(1)
        scales = np.where(error < best, tried, scales)
        best = np.minimum(error, best)
    return _rounded(weight, scales).astype(np.int8), scales.astype(np.float32)


def _rounded(weight: NDArray[np.float32], scales: NDArray[Any]) -> NDArray[np.float32]:
    found = np.rint(weight / scales[:, None])
    return np.clip(found, -LARGEST_WEIGHT, LARGEST_WEIGHT)


class _Layer:
    """A layer that becomes integers."""

    def __init__(self, decoder: FloatDecoder, number: int, ranges: Ranges, residual: float) -> None:
        self._model, self._layer = decoder.model, decoder.layers[number]
        self._number, self._ranges, self._residual = number, ranges, residual

    def integers(self) -> IntegerLayer:
        """Return the layer."""
        model, matrices = self._model, self._layer.matrices
        inner, second = self._scale("inner"), self._scale("hidden inner")
        query, key, value = (self._scale(name) for name in ("query", "key", "value"))
        mixed, hidden = self._scale("mixed"), self._scale("hidden")
        score = query * key / (sqrt(model.heads.features) * np.log(2.0))
        same = np.full(model.features, self._residual)
        return IntegerLayer(
            (_norm(self._layer.norms[0], inner), _norm(self._layer.norms[1], second)),
            {
                Matrix.INNER: _matrix(matrices[Matrix.INNER], inner, self._inner_scales()),
                Matrix.OUT: _matrix(matrices[Matrix.OUT], mixed, same),
                Matrix.HIDDEN: _matrix(matrices[Matrix.HIDDEN], second, self._hidden_scales()),
                Matrix.BACK: _matrix(matrices[Matrix.BACK], hidden, same),
            },
            int(_whole(np.array(score * (1 << (EXPONENT_BITS + POINT_BITS))), np.int32)),
            int(_whole(np.array(value / mixed * (1 << POINT_BITS)), np.int32)),
            self._gate_factor(),
            self._table(),
        )

    def _scale(self, name: str) -> float:
        return _scale(self._ranges, self._number, name)

    def _inner_scales(self) -> NDArray[np.float64]:
        heads = self._model.heads
        turned = 1 if self._model.style.rotary_base is None else 1 << TURNED_BITS
        parts = (
            (heads.query_features, "query"),
            (heads.key_features, "key"),
            (heads.key_features, "value"),
        )
        return np.concatenate([np.full(size, self._scale(name) / turned) for size, name in parts])

    def _hidden_scales(self) -> NDArray[np.float64]:
        before = self._scale("before")
        if not self._model.style.is_gated:
            return np.full(self._model.hidden, before)
        return np.tile([before, self._scale("gated")], self._model.hidden)

    def _gate_factor(self) -> int:
        if not self._model.style.is_gated:
            return 0
        ratio = self._scale("gate") * self._scale("gated") / self._scale("hidden")
        return int(_whole(np.array(ratio * (1 << GATE_BITS)), np.int32))

    def _table(self) -> NDArray[np.int8]:
        wanted = self._scale("gate" if self._model.style.is_gated else "hidden")
        inputs = np.arange(-128, 128) * self._scale("before")
        values = activation(self._model.style.activation)(inputs) / wanted
        return np.clip(np.rint(values), -LARGEST, LARGEST).astype(np.int8)
