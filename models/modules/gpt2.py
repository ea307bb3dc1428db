"""A layer of GPT-2 medium, for a prompt and for one token more."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional

__all__ = ["Gpt2Block", "Gpt2Step"]


class _Gpt2Layer(nn.Module):
    """The weights of a layer of GPT-2 medium."""

    def __init__(self, features: int = 1024, heads: int = 16) -> None:
        super().__init__()
        self.heads = heads
        self.width = features // heads
        self.norm1, self.norm2 = nn.LayerNorm(features), nn.LayerNorm(features)
        self.q, self.k, self.v, self.out = (nn.Linear(features, features) for _ in range(4))
        self.fc1 = nn.Linear(features, 4 * features)
        self.fc2 = nn.Linear(4 * features, features)

    def _attended(self, x: torch.Tensor, context: torch.Tensor) -> torch.Tensor:
        """Return the features after attention and the feed-forward network."""
        x = x + self.out(context)
        return x + self.fc2(functional.gelu(self.fc1(self.norm2(x)), approximate="tanh"))


class Gpt2Block(_Gpt2Layer):
    """A layer of GPT-2 medium over a prompt, each token seeing those before it."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return as many tokens with as many features."""
        inner = self.norm1(x)
        q, k, v = (self._split(one(inner)) for one in (self.q, self.k, self.v))
        later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
        scores = (q @ k.transpose(-2, -1) / self.width**0.5).masked_fill(later, float("-inf"))
        context = torch.softmax(scores, -1) @ v
        return self._attended(x, context.transpose(1, 2).reshape(x.shape))

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        """Return (batch, head, token, feature of the head)."""
        return x.view(x.shape[0], x.shape[1], self.heads, self.width).transpose(1, 2)


class Gpt2Step(_Gpt2Layer):
    """A layer of GPT-2 medium for one token, which sees the keys and values of those before it."""

    def forward(
        self, x: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Return the token's features, its key and its value.

        Parameters
        ----------
        keys, values
            (head, token, feature of the head) of the tokens before.
        """
        inner = self.norm1(x)
        q, k, v = (one(inner).view(self.heads, 1, self.width) for one in (self.q, self.k, self.v))
        every_key, every_value = torch.cat([keys, k], 1), torch.cat([values, v], 1)
        scores = torch.softmax(q @ every_key.transpose(1, 2) / self.width**0.5, -1)
        return self._attended(x, (scores @ every_value).reshape(x.shape)), k, v
