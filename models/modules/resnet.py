"""ResNet-18, and narrow ones of the same shape (He et al., CVPR 2016)."""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["ResNet"]


class Block(nn.Module):
    """Two 3x3 convolutions with a residual path."""

    def __init__(self, inner: int, outer: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outer)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(outer)
        self.shortcut = nn.Sequential()
        if stride != 1 or inner != outer:
            convolution = nn.Conv2d(inner, outer, 1, stride, bias=False)
            self.shortcut = nn.Sequential(convolution, nn.BatchNorm2d(outer))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the features of the block."""
        inner = torch.relu(self.bn1(self.conv1(x)))
        return torch.relu(self.bn2(self.conv2(inner)) + self.shortcut(x))


class ResNet(nn.Module):
    """ResNet-18 with its usual widths, or a narrow one."""

    def __init__(self, width: int = 64, classes: int = 1000) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, width, 7, 2, 3, bias=False)
        self.bn = nn.BatchNorm2d(width)
        self.pool = nn.MaxPool2d(3, 2, 1)
        widths = [width, width, 2 * width, 4 * width, 8 * width]
        blocks: list[nn.Module] = []
        for stage in range(4):
            stride = 1 if stage == 0 else 2
            blocks += [
                Block(widths[stage], widths[stage + 1], stride),
                Block(widths[stage + 1], widths[stage + 1], 1),
            ]
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(8 * width, classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        features = self.blocks(self.pool(torch.relu(self.bn(self.stem(x)))))
        return self.head(features.mean((2, 3)))
