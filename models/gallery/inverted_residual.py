"""MobileNetV2's block (Sandler et al., 2018): widen, depthwise 3x3, narrow, add the input."""

import torch
from torch import nn


class InvertedResidual(nn.Module):
    def __init__(self, channels: int = 16, expansion: int = 4) -> None:
        super().__init__()
        wide = channels * expansion
        self.layers = nn.Sequential(
            nn.Conv2d(channels, wide, 1, bias=False),
            nn.BatchNorm2d(wide),
            nn.ReLU6(),
            nn.Conv2d(wide, wide, 3, padding=1, groups=wide, bias=False),
            nn.BatchNorm2d(wide),
            nn.ReLU6(),
            nn.Conv2d(wide, channels, 1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.layers(x)
