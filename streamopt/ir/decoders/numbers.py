"""The numbers of a decoder: as trained, in floats, and in integers as hardware has them.

In integers, the residual stream has 24 bits, what enters a product 8, weights 4 and sums 32:

- norm: ``8 bits((((x - mean) / deviation) * gain >> 10) + offset >> 16)``, with 16 bits of the
  quotient behind the point
- matrix: ``(sum + offset) * factor >> shift``, an offset and a factor for each output
- attention: ``2 ** ((score - largest) * score_factor / 2**24)`` of 8 bits, and sums of values
  over the sum of those, times `value_factor` / 2**16
- activation: a table of 256 entries
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.decoders.model import DecoderModel
from streamopt.ir.decoders.steps import Matrix

RESIDUAL_BITS = 24
GAIN_BITS, POINT_BITS = 10, 16
"""Behind the point: of gains beyond those of the quotient, and of a norm before it is rounded."""
EXPONENT_BITS, POWER_BITS = 8, 16
"""Behind the point of an exponent, and of a power of two between 1/2 and 1."""
LEAVING_BITS = 28
ANGLE_BITS, TURNED_BITS = 14, 8
"""Behind the point: of sines, and of queries and keys before they are turned."""
GATE_BITS = 16
NORMS = ("attention", "hidden")
"""The norms of a layer, by what follows."""


@dataclass(frozen=True, slots=True)
class FloatMatrix:
    """A matrix as trained."""

    weight: NDArray[np.float32]
    """Outputs x inputs."""
    bias: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class FloatNorm:
    """A norm as trained."""

    gain: NDArray[np.float32]
    bias: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class FloatLayer:
    """A layer as trained; gates and what they gate are one matrix, output by output in turn."""

    norms: tuple[FloatNorm, FloatNorm]
    matrices: Mapping[Matrix, FloatMatrix]


@dataclass(frozen=True, slots=True)
class FloatDecoder:
    """A language model as trained."""

    model: DecoderModel
    embedding: NDArray[np.float32]
    """Vocabulary x features."""
    positions: NDArray[np.float32] | None
    """Positions x features, where they are learned."""
    layers: tuple[FloatLayer, ...]
    norm: FloatNorm
    """Before the vocabulary."""
    vocabulary: FloatMatrix


@dataclass(frozen=True, slots=True)
class IntegerMatrix:
    """A matrix in integers."""

    weights: NDArray[np.int8]
    """Outputs x inputs, of 4 bits."""
    offsets: NDArray[np.int32]
    factors: NDArray[np.int32]
    shift: int


@dataclass(frozen=True, slots=True)
class IntegerNorm:
    """A norm in integers."""

    gains: NDArray[np.int32]
    offsets: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class IntegerLayer:
    """A layer in integers, or the norm and the matrix of the vocabulary."""

    norms: tuple[IntegerNorm, ...]
    matrices: Mapping[Matrix, IntegerMatrix]
    score_factor: int = 0
    value_factor: int = 0
    gate_factor: int = 0
    table: NDArray[np.int8] | None = None
    """The activation of -128 to 127."""


@dataclass(frozen=True, slots=True)
class IntegerDecoder:
    """A language model in integers."""

    model: DecoderModel
    embedding: NDArray[np.int32]
    positions: NDArray[np.int32] | None
    angles: NDArray[np.int16] | None
    """Positions x features of a head: cosine and sine of each pair of features."""
    layers: tuple[IntegerLayer, ...]
    last: IntegerLayer
    epsilon: int
    """Added to 2**16 mean squares."""
    logit_scale: float
    """Of an answer's logits."""

    @property
    def reciprocal(self) -> int:
        """Return 2**32 over the features."""
        return reciprocal_of(self.model.features)


def reciprocal_of(features: int) -> int:
    """Return 2**32 over a number of features, rounded."""
    return ((1 << 32) + features // 2) // features


def power_table() -> NDArray[np.int32]:
    """Return powers of two of -i / 256, as a fraction of 16 bits."""
    exponents = -np.arange(1 << EXPONENT_BITS) / (1 << EXPONENT_BITS)
    found: NDArray[Any] = np.rint((1 << POWER_BITS) * 2.0**exponents - 1)
    return found.astype(np.int32)
