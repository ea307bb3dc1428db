"""The two halves of a transformer's layer."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["FeedForward", "MultiHeadAttention"]


class FeedForward(nn.Module):
    """y = relu(x W1^T + b1) W2^T + b2."""

    def __init__(self, features: int = 128, hidden: int = 256) -> None:
        super().__init__()
        self.fc1 = nn.Linear(features, hidden)
        self.fc2 = nn.Linear(hidden, features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return as many tokens with as many features."""
        return self.fc2(torch.relu(self.fc1(x)))


class MultiHeadAttention(nn.Module):
    """Self-attention with 8 heads of 16 features."""

    def __init__(self, features: int = 128, heads: int = 8) -> None:
        super().__init__()
        self.heads = heads
        self.width = features // heads
        self.q = nn.Linear(features, features)
        self.k = nn.Linear(features, features)
        self.v = nn.Linear(features, features)
        self.out = nn.Linear(features, features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return as many tokens with as many features."""
        q, k, v = self._split(self.q(x)), self._split(self.k(x)), self._split(self.v(x))
        scores = q @ k.transpose(-2, -1) / self.width**0.5
        context = torch.softmax(scores, -1) @ v
        return self.out(context.transpose(1, 2).reshape(x.shape))

    def _split(self, x: torch.Tensor) -> torch.Tensor:
        """Return (batch, head, token, feature of the head)."""
        return x.view(x.shape[0], x.shape[1], self.heads, self.width).transpose(1, 2)
