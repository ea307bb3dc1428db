"""Perceptrons: an autoencoder, and one with a residual path."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["Autoencoder", "ResidualMlp"]


class Autoencoder(nn.Module):
    """784-256-128-64-128-256-784 with relu, sigmoid at the end."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(784, 256)
        self.fc2 = nn.Linear(256, 128)
        self.fc3 = nn.Linear(128, 64)
        self.fc4 = nn.Linear(64, 128)
        self.fc5 = nn.Linear(128, 256)
        self.fc6 = nn.Linear(256, 784)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return images of the same size."""
        code = self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))
        hidden = torch.relu(self.fc5(torch.relu(self.fc4(code))))
        return torch.sigmoid(self.fc6(hidden))


class ResidualMlp(nn.Module):
    """1024-512, relu, 512-512, plus residual, relu, 256, 10."""

    def __init__(self) -> None:
        super().__init__()
        self.fc1 = nn.Linear(1024, 512)
        self.fc2 = nn.Linear(512, 512)
        self.fc3 = nn.Linear(512, 256)
        self.fc4 = nn.Linear(256, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return ten scores for each row."""
        residual = self.fc1(x)
        hidden = torch.relu(self.fc2(torch.relu(residual)) + residual)
        return self.fc4(self.fc3(hidden))
