"""Transformers and other networks over sequences or sets, in few channels."""

from __future__ import annotations

import math

import torch
from torch import nn
from torch.nn import functional


def _heads(x: torch.Tensor, heads: int) -> torch.Tensor:
    """Return (batch, tokens, channels) as (batch, heads, tokens, channels of each)."""
    return x.reshape(*x.shape[:2], heads, x.shape[2] // heads).transpose(1, 2)


def _attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    heads: int,
    *,
    is_causal: bool = False,
) -> torch.Tensor:
    """Return attention in several heads over (batch, tokens, channels)."""
    query, key, value = (_heads(part, heads) for part in (query, key, value))
    mixed = functional.scaled_dot_product_attention(query, key, value, is_causal=is_causal)
    return mixed.transpose(1, 2).flatten(2)


class _Block(nn.Module):
    """Attention and two layers, normalized before or after."""

    def __init__(self, width: int, *, is_causal: bool = False, is_first: bool = True) -> None:
        super().__init__()
        self.is_causal, self.is_first = is_causal, is_first
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.joint, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.layers = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def mix(self, x: torch.Tensor) -> torch.Tensor:
        """Return what attention makes of the tokens."""
        query, key, value = self.joint(x).chunk(3, -1)
        return self.out(_attention(query, key, value, 2, is_causal=self.is_causal))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the tokens after the block."""
        if self.is_first:
            x = x + self.mix(self.before(x))
            return x + self.layers(self.between(x))
        x = self.before(x + self.mix(x))
        return self.between(x + self.layers(x))


class VisionTransformer(nn.Module):
    """Dosovitskiy et al., 2020."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4)
        self.token = nn.Parameter(torch.randn(1, 1, 8))
        self.places = nn.Parameter(torch.randn(1, 5, 8))
        self.blocks = nn.Sequential(_Block(8), _Block(8))
        self.norm, self.last = nn.LayerNorm(8), nn.Linear(8, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        x = self.patches(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        return self.last(self.norm(self.blocks(x))[:, 0])


class _WindowBlock(_Block):
    """Attention inside windows of 2 x 2, shifted by one if asked for, with relative places."""

    pairs: torch.Tensor
    mask: torch.Tensor

    def __init__(self, width: int, shift: int) -> None:
        super().__init__(width)
        self.shift = shift
        self.bias = nn.Parameter(torch.randn(9, 2))
        y, x = torch.meshgrid(torch.arange(2), torch.arange(2), indexing="ij")
        places = torch.stack([y.flatten(), x.flatten()])
        apart = places[:, :, None] - places[:, None, :] + 1
        self.register_buffer("pairs", apart[0] * 3 + apart[1])
        region = torch.zeros(4, 4)
        for rows in (slice(0, 2), slice(2, 3), slice(3, 4)):
            for columns in (slice(0, 2), slice(2, 3), slice(3, 4)):
                region[rows, columns] = region.max() + 1
        parts = region.reshape(2, 2, 2, 2).transpose(1, 2).reshape(4, 4)
        other = parts[:, None, :] != parts[:, :, None]
        self.register_buffer("mask", torch.where(other, -100.0, 0.0)[:, None])

    def mix(self, x: torch.Tensor) -> torch.Tensor:
        """Return what attention makes of the pixels of each window."""
        width = x.shape[-1]
        x = torch.roll(x, (-self.shift, -self.shift), (1, 2)) if self.shift else x
        x = x.reshape(2, 2, 2, 2, width).transpose(1, 2).reshape(4, 4, width)
        query, key, value = (_heads(part, 2) for part in self.joint(x).chunk(3, -1))
        scores = query @ key.transpose(-2, -1) / math.sqrt(width // 2)
        scores = scores + self.bias[self.pairs].permute(2, 0, 1)
        scores = scores + self.mask if self.shift else scores
        mixed = (scores.softmax(-1) @ value).transpose(1, 2).flatten(2)
        y = self.out(mixed).reshape(2, 2, 2, 2, width).transpose(1, 2).reshape(1, 4, 4, width)
        return torch.roll(y, (self.shift, self.shift), (1, 2)) if self.shift else y


class Swin(nn.Module):
    """Liu et al., 2021: one stage with and without shift, and merged patches."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 2, 2)
        self.blocks = nn.Sequential(_WindowBlock(8, 0), _WindowBlock(8, 1))
        self.norm, self.merge = nn.LayerNorm(32), nn.Linear(32, 16, bias=False)
        self.last = nn.Linear(16, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        x = self.blocks(self.patches(x).permute(0, 2, 3, 1))
        parts = [x[:, row::2, column::2] for column in (0, 1) for row in (0, 1)]
        return self.last(self.merge(self.norm(torch.cat(parts, -1))).mean((1, 2)))


class Bert(nn.Module):
    """Devlin et al., 2018: two layers of the encoder over embedded tokens, and the pooler."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(8)
        self.blocks = nn.Sequential(_Block(8, is_first=False), _Block(8, is_first=False))
        self.pooler, self.last = nn.Linear(8, 8), nn.Linear(8, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        return self.last(torch.tanh(self.pooler(self.blocks(self.norm(x))[:, 0])))


class Gpt2(nn.Module):
    """Radford et al., 2019: two causal layers and the scores of the next token."""

    def __init__(self) -> None:
        super().__init__()
        self.places = nn.Parameter(torch.randn(6, 8))
        self.blocks = nn.Sequential(_Block(8, is_causal=True), _Block(8, is_causal=True))
        self.norm, self.words = nn.LayerNorm(8), nn.Linear(8, 16, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of words."""
        return self.words(self.norm(self.blocks(x + self.places)))


class _LlamaBlock(nn.Module):
    cosines: torch.Tensor
    sines: torch.Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.before, self.between = nn.RMSNorm(width), nn.RMSNorm(width)
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width // 2, bias=False)
        self.value = nn.Linear(width, width // 2, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        self.gate, self.up = nn.Linear(width, 12, bias=False), nn.Linear(width, 12, bias=False)
        self.down = nn.Linear(12, width, bias=False)
        angles = torch.outer(torch.arange(6.0), 100 ** (-torch.arange(0, 4, 2) / 4))
        self.register_buffer("cosines", torch.cat([angles, angles], -1).cos())
        self.register_buffer("sines", torch.cat([angles, angles], -1).sin())

    def rotated(self, x: torch.Tensor) -> torch.Tensor:
        """Return heads with rotary embeddings."""
        low, high = x.chunk(2, -1)
        return x * self.cosines + torch.cat([-high, low], -1) * self.sines

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the tokens after the block."""
        y = self.before(x)
        query, key, value = (
            _heads(part(y), part.out_features // 4) for part in (self.query, self.key, self.value)
        )
        mixed = functional.scaled_dot_product_attention(
            self.rotated(query), self.rotated(key), value, is_causal=True, enable_gqa=True
        )
        x = x + self.out(mixed.transpose(1, 2).flatten(2))
        y = self.between(x)
        return x + self.down(functional.silu(self.gate(y)) * self.up(y))


class Llama(nn.Module):
    """Touvron et al., 2023: grouped heads, rotary embeddings and SwiGLU."""

    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.Sequential(_LlamaBlock(8), _LlamaBlock(8))
        self.norm, self.words = nn.RMSNorm(8), nn.Linear(8, 16, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of words."""
        return self.words(self.norm(self.blocks(x)))


class _Mixing(nn.Module):
    def __init__(self, tokens: int, width: int) -> None:
        super().__init__()
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.across = nn.Sequential(nn.Linear(tokens, 6), nn.GELU(), nn.Linear(6, tokens))
        self.along = nn.Sequential(nn.Linear(width, 16), nn.GELU(), nn.Linear(16, width))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the tokens after the block."""
        x = x + self.across(self.first(x).transpose(1, 2)).transpose(1, 2)
        return x + self.along(self.second(x))


class MlpMixer(nn.Module):
    """Tolstikhin et al., 2021."""

    def __init__(self) -> None:
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, 4)
        self.blocks = nn.Sequential(_Mixing(4, 8), _Mixing(4, 8))
        self.norm, self.last = nn.LayerNorm(8), nn.Linear(8, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of classes."""
        x = self.patches(x).flatten(2).transpose(1, 2)
        return self.last(self.norm(self.blocks(x)).mean(1))


class _Recurrent(nn.Module):
    kind: type[nn.LSTM | nn.GRU] = nn.LSTM

    def __init__(self) -> None:
        super().__init__()
        self.cells, self.last = self.kind(6, 8, batch_first=True), nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return scores of the sequence."""
        return self.last(self.cells(x)[0][:, -1])


class Lstm(_Recurrent):
    """Hochreiter and Schmidhuber, 1997."""


class Gru(_Recurrent):
    """Cho et al., 2014."""

    kind = nn.GRU


class PointNet(nn.Module):
    """Qi et al., 2016: points, rotated by a network, and the largest feature of all."""

    def __init__(self) -> None:
        super().__init__()
        self.rotate = nn.Sequential(nn.Conv1d(3, 6, 1), nn.BatchNorm1d(6), nn.ReLU())
        self.matrix = nn.Linear(6, 9)
        self.each = nn.Sequential(
            *(nn.Conv1d(3, 8, 1), nn.BatchNorm1d(8), nn.ReLU()),
            *(nn.Conv1d(8, 12, 1), nn.BatchNorm1d(12), nn.ReLU()),
        )
        self.last = nn.Sequential(nn.Linear(12, 8), nn.ReLU(), nn.Linear(8, 5), nn.LogSoftmax(-1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return logarithms of the classes' probabilities."""
        matrix = self.matrix(self.rotate(x).amax(2)).reshape(-1, 3, 3) + torch.eye(3)
        turned = (x.transpose(1, 2) @ matrix).transpose(1, 2)
        return self.last(self.each(turned).amax(2))
