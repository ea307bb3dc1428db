"""A decoder-only language model, as far as hardware depends on it.

A layer is ``x += attention(norm(x)); x += matrices(norm(x))``, as in GPT-2 (Radford et al., 2019)
and LLaMA (Touvron et al., 2023): a query head sees the keys and values of its group of heads
(Ainslie et al., GQA, 2023), positions are learned or rotate queries and keys (Su et al., RoFormer,
2021), and the hidden features are activated, or activated ones gate others (Shazeer, GLU, 2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Normalization(StrEnum):
    """How features become comparable."""

    LAYER = "layer"
    """Less their mean, over their standard deviation."""
    RMS = "rms"
    """Over the root of their mean square."""


class Activation(StrEnum):
    """The function of hidden features."""

    GELU = "gelu"
    GELU_TANH = "gelu_tanh"
    """The approximation of GPT-2."""
    SILU = "silu"
    RELU = "relu"


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of an attention."""

    count: int
    """Of queries."""
    groups: int
    """Of keys and values; divides `count`."""
    features: int
    """Of a head."""

    @property
    def query_features(self) -> int:
        """Return the features of all queries."""
        return self.count * self.features

    @property
    def key_features(self) -> int:
        """Return the features of all keys, or values."""
        return self.groups * self.features

    @property
    def queries(self) -> int:
        """Return the query heads that see the same keys."""
        return self.count // self.groups


@dataclass(frozen=True, slots=True)
class DecoderStyle:
    """The functions of a decoder."""

    normalization: Normalization = Normalization.LAYER
    activation: Activation = Activation.GELU_TANH
    is_gated: bool = False
    """Whether activated hidden features gate as many others."""
    rotary_base: float | None = None
    """Of the angles that positions rotate queries and keys by; None for learned positions."""
    epsilon: float = 1e-5
    """Added to what a norm takes the root of."""


@dataclass(frozen=True, slots=True)
class DecoderModel:
    """The sizes of a language model."""

    name: str
    layers: int
    features: int
    heads: Heads
    hidden: int
    """Hidden features of a layer."""
    vocabulary: int
    positions: int
    """Tokens that a context holds, at most."""
    style: DecoderStyle = DecoderStyle()

    @property
    def layer_weights(self) -> int:
        """Return the weights of the matrices of a layer."""
        inner = self.heads.query_features + self.heads.key_features
        return self.features * (2 * inner + (3 if self.style.is_gated else 2) * self.hidden)

    @property
    def weights(self) -> int:
        """Return the weights of all matrices, with that of the vocabulary."""
        return self.layers * self.layer_weights + self.vocabulary * self.features

    def products(self, tokens: int, start: int = 0) -> int:
        """Return the multiply-accumulates of tokens behind ``start`` others, and of one answer."""
        pairs = tokens * start + tokens * (tokens + 1) // 2
        attention = 2 * self.heads.query_features * pairs
        return self.layers * (tokens * self.layer_weights + attention) + (
            self.vocabulary * self.features
        )

    def context_bytes(self, positions: int) -> int:
        """Return the bytes of keys and values of so many positions, in all layers."""
        return 2 * self.layers * positions * self.heads.key_features
