"""Transformer blocks that hide later tokens in the ways that published networks do."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["BLOCKS", "SHAPES"]

TOKENS, WIDTH, HEADS = 6, 8, 2
LOWEST = torch.finfo(torch.float32).min


def heads(x: Tensor) -> Tensor:
    return x.view(1, TOKENS, HEADS, WIDTH // HEADS).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    return x.transpose(1, 2).reshape(1, TOKENS, WIDTH)


class Filled(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("later", torch.ones(TOKENS, TOKENS).triu(1).bool())

    def forward(self, x: Tensor) -> Tensor:
        return x.masked_fill(self.get_buffer("later"), float("-inf")).softmax(-1)


class Scaled(nn.Module):
    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


class Gpt2(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.attend, self.project = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH)
        self.register_buffer("seen", torch.ones(TOKENS, TOKENS).tril().bool())

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = map(heads, self.attend(self.norm_1(x)).split(WIDTH, dim=2))
        scores = q @ k.transpose(-1, -2) / math.sqrt(WIDTH // HEADS)
        scores = torch.where(self.get_buffer("seen"), scores, LOWEST)
        x = x + self.project(joined(scores.softmax(-1) @ v))
        return x + self.down(functional.gelu(self.up(self.norm_2(x))))


class RootMeanSquare(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)


class Llama(nn.Module):
    def __init__(self, masked: float = float("-inf")) -> None:
        super().__init__()
        self.norm_1, self.norm_2 = RootMeanSquare(), RootMeanSquare()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH, bias=False) for _ in range(4))
        self.gate, self.up = (nn.Linear(WIDTH, 2 * WIDTH, bias=False) for _ in range(2))
        self.down = nn.Linear(2 * WIDTH, WIDTH, bias=False)
        size = WIDTH // HEADS
        rates = 10000.0 ** (-torch.arange(0, size, 2) / size)
        angles = torch.outer(torch.arange(TOKENS), rates).repeat(1, 2)
        self.register_buffer("cos", angles.cos())
        self.register_buffer("sin", angles.sin())
        self.register_buffer("mask", torch.full((TOKENS, TOKENS), masked).triu(1))

    def turned(self, x: Tensor) -> Tensor:
        first, second = x.chunk(2, dim=-1)
        across = torch.cat((-second, first), dim=-1)
        return x * self.get_buffer("cos") + across * self.get_buffer("sin")

    def forward(self, x: Tensor) -> Tensor:
        h = self.norm_1(x)
        q, k, v = (heads(linear(h)) for linear in (self.q, self.k, self.v))
        scores = self.turned(q) @ self.turned(k).transpose(2, 3) / math.sqrt(WIDTH // HEADS)
        scores = scores + self.get_buffer("mask")
        x = x + self.o(joined(scores.softmax(-1) @ v))
        h = self.norm_2(x)
        return x + self.down(functional.silu(self.gate(h)) * self.up(h))


BLOCKS = {
    "masked_fill": Filled,
    "scaled_dot_product": Scaled,
    "gpt2": Gpt2,
    "llama": Llama,
    "llama_lowest": lambda: Llama(LOWEST),
}
SHAPES = {
    "masked_fill": [(TOKENS, TOKENS)],
    "scaled_dot_product": 3 * [(1, HEADS, TOKENS, WIDTH // HEADS)],
}
