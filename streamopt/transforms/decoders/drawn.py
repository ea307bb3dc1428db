"""Numbers for a language model that nobody has trained, as GPT-2 draws them at the start."""

from __future__ import annotations

from math import sqrt

import numpy as np

from streamopt.ir.decoders.model import DecoderModel, Normalization
from streamopt.ir.decoders.numbers import FloatDecoder, FloatLayer, FloatMatrix, FloatNorm
from streamopt.ir.decoders.steps import Matrix

DEVIATION = 0.02
"""Of weights (Radford et al., GPT-2, 2019)."""


def drawn_decoder(model: DecoderModel, seed: int = 0) -> FloatDecoder:
    """Return a model with normal weights, gains around 1, and small biases.

    Matrices into the residual stream are smaller, by the root of how many there are.
    """
    random = np.random.default_rng(seed)
    into = DEVIATION / sqrt(2 * model.layers)
    has_bias = model.style.normalization is Normalization.LAYER
    heads, features = model.heads, model.features
    hidden = model.hidden * (2 if model.style.is_gated else 1)

    def drawn(*shape: int, deviation: float = DEVIATION) -> np.ndarray:
        return deviation * random.standard_normal(shape, np.float32)

    def matrix(outputs: int, inputs: int, deviation: float = DEVIATION) -> FloatMatrix:
        bias = drawn(outputs) if has_bias else None
        return FloatMatrix(drawn(outputs, inputs, deviation=deviation), bias)

    def norm() -> FloatNorm:
        return FloatNorm(1 + drawn(features, deviation=0.1), drawn(features) if has_bias else None)

    layers = tuple(
        FloatLayer(
            (norm(), norm()),
            {
                Matrix.INNER: matrix(heads.query_features + 2 * heads.key_features, features),
                Matrix.OUT: matrix(features, heads.query_features, into),
                Matrix.HIDDEN: matrix(hidden, features),
                Matrix.BACK: matrix(features, model.hidden, into),
            },
        )
        for _ in range(model.layers)
    )
    embedding = drawn(model.vocabulary, features)
    learned = drawn(model.positions, features) if model.style.rotary_base is None else None
    return FloatDecoder(model, embedding, learned, layers, norm(), FloatMatrix(embedding))
