"""A language model in floats: its logits, and how large the numbers between become."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import erf, pi, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.decoders.model import Activation, DecoderModel, Normalization
from streamopt.ir.decoders.numbers import FloatDecoder, FloatMatrix, FloatNorm
from streamopt.ir.decoders.steps import Matrix

Floats = NDArray[np.float32]
_erf = np.vectorize(erf, otypes=[np.float32])


@dataclass(slots=True)
class Ranges:
    """The largest sizes of numbers, by layer and name."""

    largest: dict[tuple[int, str], float] = field(default_factory=dict[tuple[int, str], float])

    def note(self, layer: int, name: str, values: Floats) -> Floats:
        """Return the values, whose largest size is noted."""
        key = (layer, name)
        self.largest[key] = max(self.largest.get(key, 0.0), float(np.abs(values).max()))
        return values


def activation(kind: Activation) -> Callable[[Any], Any]:
    """Return an activation of arrays."""
    functions: dict[Activation, Callable[[Any], Any]] = {
        Activation.GELU: lambda x: x * (1 + _erf(x / sqrt(2))) / 2,
        Activation.GELU_TANH: lambda x: x * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2,
        Activation.SILU: lambda x: x / (1 + np.exp(-np.clip(x, -80, None))),
        Activation.RELU: lambda x: np.maximum(x, 0),
    }
    return functions[kind]


def angles_of(model: DecoderModel) -> NDArray[np.float64]:
    """Return the angle of each position and pair of features; the model has rotary positions."""
    assert model.style.rotary_base is not None
    half = model.heads.features // 2
    rates = model.style.rotary_base ** (-np.arange(half) / half)
    return np.arange(model.positions)[:, None] * rates[None, :]


def float_logits(decoder: FloatDecoder, tokens: NDArray[Any], ranges: Ranges) -> Floats:
    """Return the logits behind every token (tokens x vocabulary).

    Features of a head are in pairs that are turned together, one beside the other.

    Parameters
    ----------
    ranges
        Takes the largest sizes.
    """
    model = decoder.model
    x = decoder.embedding[tokens]
    if decoder.positions is not None:
        x = x + decoder.positions[: len(tokens)]
    for number, layer in enumerate(decoder.layers):
        inner = ranges.note(number, "inner", _norm(model, layer.norms[0], x))
        mixed = _attention(model, _product(layer.matrices[Matrix.INNER], inner), number, ranges)
        x = ranges.note(-1, "residual", x + _product(layer.matrices[Matrix.OUT], mixed))
        inner = ranges.note(number, "hidden inner", _norm(model, layer.norms[1], x))
        hidden = _hidden(model, _product(layer.matrices[Matrix.HIDDEN], inner), number, ranges)
        x = ranges.note(-1, "residual", x + _product(layer.matrices[Matrix.BACK], hidden))
    last = ranges.note(-1, "last", _norm(model, decoder.norm, x))
    return ranges.note(-1, "logits", _product(decoder.vocabulary, last))


def _product(matrix: FloatMatrix, x: Floats) -> Floats:
    found = x @ matrix.weight.T
    return found if matrix.bias is None else found + matrix.bias


def _norm(model: DecoderModel, norm: FloatNorm, x: Floats) -> Floats:
    if model.style.normalization is Normalization.LAYER:
        x = x - x.mean(-1, keepdims=True)
    found = x / np.sqrt(np.square(x).mean(-1, keepdims=True) + np.float32(model.style.epsilon))
    found = found * norm.gain
    return found if norm.bias is None else found + norm.bias


def _attention(model: DecoderModel, both: Floats, number: int, ranges: Ranges) -> Floats:
    heads, count = model.heads, len(both)
    ends = (heads.query_features, heads.query_features + heads.key_features)
    q, k, v = (part.reshape(count, -1, heads.features) for part in np.split(both, ends, axis=1))
    if model.style.rotary_base is not None:
        angles = angles_of(model)[:count]
        for name, part in (("turned query", q), ("turned key", k)):
            ranges.note(number, name, part)
        q, k = _turned(q, angles), _turned(k, angles)
    for name, part in (("query", q), ("key", k), ("value", v)):
        ranges.note(number, name, part)
    group = np.arange(heads.count) // heads.queries
    scores = np.einsum("ihf,jhf->hij", q, k[:, group]) / np.float32(sqrt(heads.features))
    scores = np.where(np.tri(count, dtype=bool), scores, np.float32(-np.inf))
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    shares = powers / powers.sum(-1, keepdims=True)
    mixed = np.einsum("hij,jhf->ihf", shares, v[:, group]).reshape(count, -1)
    return ranges.note(number, "mixed", mixed)


def _turned(x: Floats, angles: NDArray[np.float64]) -> Floats:
    cosines, sines = np.cos(angles)[:, None, :], np.sin(angles)[:, None, :]
    even, odd = x[..., 0::2], x[..., 1::2]
    found = np.empty_like(x)
    found[..., 0::2] = even * cosines - odd * sines
    found[..., 1::2] = even * sines + odd * cosines
    return found


def _hidden(model: DecoderModel, x: Floats, number: int, ranges: Ranges) -> Floats:
    function = activation(model.style.activation)
    if not model.style.is_gated:
        return ranges.note(number, "hidden", function(ranges.note(number, "before", x)))
    gate = ranges.note(number, "gate", function(ranges.note(number, "before", x[:, 0::2])))
    return ranges.note(number, "hidden", gate * ranges.note(number, "gated", x[:, 1::2]))
