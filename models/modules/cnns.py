"""Convolutional blocks: a depthwise separable one, and one with a residual path."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["DepthwiseSeparableBlock", "ResidualBlock"]


class DepthwiseSeparableBlock(nn.Module):
    """Depthwise 3x3, pointwise, batch normalization, relu."""

    def __init__(self, channels: int = 8) -> None:
        super().__init__()
        self.depthwise = nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False)
        self.pointwise = nn.Conv2d(channels, channels, 1, bias=False)
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        return torch.relu(self.bn(self.pointwise(self.depthwise(x))))


class ResidualBlock(nn.Module):
    """Two 3x3 convolutions with a residual path, as in ResNet."""

    def __init__(self, channels: int = 16) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(channels)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        inner = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(inner)) + x)
