"""A layer of GPT-2 for one token more, in integers: weights of 4 bits, activations of 8.

Sums have 32 bits, and become activations by a shift that rounds and a clamp (`modules.layers`).
What isn't a product with a matrix is integer arithmetic too, so that a design and PyTorch agree in
every bit: a square root bit by bit; powers of two with a linear fraction in the softmax (Stevens et
al., Softermax, DAC 2021); and a square for the error function (Kim et al., I-BERT, ICML 2021,
section 3.3). Gains and offsets of layer norms are folded into the matrices behind them, and the
offsets of all matrices are one array, which takes one port.
"""

from __future__ import annotations

from math import log2, sqrt

import torch
from modules.layers import HIGHEST, LOWEST
from torch import nn

__all__ = ["Gpt2IntegerStep"]

MOST_WEIGHT = 7
WEIGHT_ROOT_MEAN_SQUARE = 4.32
"""Of whole numbers that are uniform between -7 and 7."""
MOST_OFFSET = 1000
NORM_BITS = 5
"""A standard deviation is 32 of the 127 steps."""
NORM_SHIFT = 8
ROOT_BITS = 8
"""Of a standard deviation of 8-bit numbers."""
SCORE_SHIFT, FRACTION_BITS = 9, 4
"""Scores are binary logarithms with 4 bits behind the point."""
MOST_DECAY = 31
RECIPROCAL_BITS = 16


def rounded(sums: torch.Tensor, bits: int, least: int = LOWEST) -> torch.Tensor:
    """Return sums without so many of their bits, as activations."""
    return ((sums + (1 << (bits - 1))) >> bits).clamp(least, HIGHEST).to(torch.int8)


class Int4Linear(nn.Module):
    """A product with a matrix of 4-bit integers; PyTorch has none, so they are in `int8`."""

    weight: torch.Tensor

    def __init__(self, inputs: int, outputs: int) -> None:
        super().__init__()
        self.shift_bits = max(1, round(log2(WEIGHT_ROOT_MEAN_SQUARE * sqrt(inputs))))
        weight = torch.randint(-MOST_WEIGHT, MOST_WEIGHT + 1, (outputs, inputs), dtype=torch.int8)
        self.register_buffer("weight", weight)

    def forward(self, x: torch.Tensor, offsets: torch.Tensor) -> torch.Tensor:
        """Return the activations of sums with offsets."""
        sums = x.to(torch.int32) @ self.weight.to(torch.int32).t()
        return rounded(sums + offsets, self.shift_bits)


def root(squares: torch.Tensor) -> torch.Tensor:
    """Return the whole parts of square roots below 256, at least 1."""
    found = torch.zeros_like(squares)
    for bit in reversed(range(ROOT_BITS)):
        larger = found * (found + (2 << bit)) + (1 << 2 * bit)
        found = torch.where(larger <= squares, found + (1 << bit), found)
    return found.clamp(min=1)


class IntegerNorm(nn.Module):
    """Features less their mean, over their standard deviation."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.shift_bits = int(log2(features))
        if 1 << self.shift_bits != features:
            raise ValueError("a mean is a shift: take a power of two of features")

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        wide = x.to(torch.int32)
        mean = wide.sum(-1, keepdim=True, dtype=torch.int32) >> self.shift_bits
        around = wide - mean
        squares = (around * around).sum(-1, keepdim=True, dtype=torch.int32) >> self.shift_bits
        one = torch.full_like(squares, 1 << (NORM_BITS + NORM_SHIFT))
        scale = torch.div(one, root(squares), rounding_mode="trunc")
        return rounded(around * scale, NORM_SHIFT)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Return the GELU of 32nds: erf(x / sqrt(2)) is about 1 - 0.2888 (1.769 - x / sqrt(2))^2."""
    wide = x.to(torch.int32)
    left = 80 - wide.abs().clamp(max=80)
    erf = 256 - ((left * left * 37) >> 10)
    return rounded(wide * (256 + torch.where(wide < 0, 0 - erf, erf)), 9)


def power(logarithms: torch.Tensor) -> torch.Tensor:
    """Return 127 times a power of two of a negated logarithm, with a linear fraction."""
    whole = (logarithms >> FRACTION_BITS).clamp(max=MOST_DECAY)
    fraction = logarithms & ((1 << FRACTION_BITS) - 1)
    return torch.bitwise_right_shift(127 - 4 * fraction, whole)


class Gpt2IntegerStep(nn.Module):
    """A layer of GPT-2 for one token, which sees the keys and values of those before it."""

    offsets: torch.Tensor
    """Of `q`, `k`, `v`, `out`, `fc1` and `fc2`, one behind the other."""

    def __init__(self, features: int = 1024, heads: int = 16) -> None:
        super().__init__()
        self.heads = heads
        self.width = features // heads
        self.norm1, self.norm2 = IntegerNorm(features), IntegerNorm(features)
        self.q, self.k, self.v, self.out = (Int4Linear(features, features) for _ in range(4))
        self.fc1 = Int4Linear(features, 4 * features)
        self.fc2 = Int4Linear(4 * features, features)
        offsets = torch.randint(-MOST_OFFSET, MOST_OFFSET + 1, (9 * features,), dtype=torch.int32)
        self.register_buffer("offsets", offsets)

    def forward(
        self, x: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the token's features, its key and its value, for the tokens behind it.

        Parameters
        ----------
        keys, values
            (head, token, feature of the head) of the tokens before.
        """
        features = x.shape[-1]
        at_q, at_k, at_v, at_out, at_fc1, at_fc2 = torch.split(
            self.offsets, [features] * 4 + [4 * features, features]
        )
        inner = self.norm1(x)
        q, k, v = self.q(inner, at_q), self.k(inner, at_k), self.v(inner, at_v)
        own = self._heads(k), self._heads(v)
        context = attended(self._heads(q), (keys, values), own)
        x = added(x, self.out(context.reshape(x.shape), at_out))
        hidden = gelu(self.fc1(self.norm2(x), at_fc1))
        return added(x, self.fc2(hidden, at_fc2)), k, v

    def _heads(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(self.heads, 1, self.width)


def attended(
    q: torch.Tensor,
    known: tuple[torch.Tensor, torch.Tensor],
    own: tuple[torch.Tensor, torch.Tensor],
) -> torch.Tensor:
    """Return the values of all tokens weighted by their scores.

    Parameters
    ----------
    known, own
        Keys and values of the tokens before, and of the token itself.
    """
    before, self_score = (_scores(q, keys) for keys in (known[0], own[0]))
    most = torch.maximum(before.amax(-1, keepdim=True), self_score)
    parts = power(most - before), power(most - self_score)
    total = parts[0].sum(-1, keepdim=True, dtype=torch.int32) + parts[1]
    sums = parts[0] @ known[1].to(torch.int32) + parts[1] * own[1].to(torch.int32)
    one = torch.full_like(total, 1 << RECIPROCAL_BITS)
    return rounded(sums * torch.div(one, total, rounding_mode="trunc"), RECIPROCAL_BITS)


def _scores(q: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    sums = q.to(torch.int32) @ keys.to(torch.int32).transpose(1, 2)
    return (sums + (1 << (SCORE_SHIFT - 1))) >> SCORE_SHIFT


def added(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Return a sum that saturates."""
    return (x.to(torch.int32) + y.to(torch.int32)).clamp(LOWEST, HIGHEST).to(torch.int8)
