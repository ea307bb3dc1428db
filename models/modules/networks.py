"""The image networks that HIDA, ScaleHLS, CODO and POM publish designs of, in their shapes.

Every one is a class whose argument is the arithmetic: `REALS` or `INTEGERS` of `layers`. Batch
normalization is folded into the weights, as in the sources. Shapes are those of the published
artifacts, which differ from the usual ones: ResNet-18 for 224 x 224 pixels has a first convolution
of stride 1, VGG-16 half of the usual channels, YOLO images of 1280 x 384 pixels.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import torch
from modules.layers import REALS, Convolution
from torch import nn

if TYPE_CHECKING:
    from modules.layers import Arithmetic

__all__ = [
    "LeNet",
    "MobileNet",
    "Perceptron",
    "ResNet18",
    "ResNet18Small",
    "Vgg16",
    "Vgg16Pooled",
    "Vgg16Strided",
    "Yolo",
    "ZfNet",
]

STAGES = ((64, 1), (64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1))
"""Channels and stride of ResNet-18's blocks."""
SEPARABLE = (
    *((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)),
    *((512, 1),) * 5,
    *((1024, 2), (1024, 1)),
)
"""Channels and stride of MobileNet's blocks."""
POOL = 0
"""Stands for a pool among the channels of convolutions."""


class _Block(nn.Module):
    """Two 3x3 convolutions with a residual path."""

    def __init__(self, inputs: int, outputs: int, stride: int, kind: Arithmetic) -> None:
        super().__init__()
        self.first = kind.convolution(Convolution(inputs, outputs, 3, stride, 1))
        self.second = kind.convolution(Convolution(outputs, outputs, 3, 1, 1, relu=False))
        self.shortcut = nn.Sequential()
        if stride != 1 or inputs != outputs:
            shape = Convolution(inputs, outputs, 1, stride, relu=False)
            self.shortcut = nn.Sequential(kind.convolution(shape))
        self.join = kind.joined()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the features of the block."""
        return self.join(self.second(self.first(x)), self.shortcut(x))


def _blocks(kind: Arithmetic) -> nn.Sequential:
    widths = [64, *(width for width, _ in STAGES)]
    strides = [stride for _, stride in STAGES]
    shapes = zip(pairwise(widths), strides, strict=True)
    return nn.Sequential(*(_Block(i, o, stride, kind) for (i, o), stride in shapes))


class ResNet18(nn.Module):
    """ResNet-18 for 224 x 224 pixels, its first convolution of stride 1 between two pools."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        self.stem = kind.convolution(Convolution(3, 64, 7, 1, 3))
        self.pools = nn.Sequential(nn.MaxPool2d(2), nn.MaxPool2d(3, 2, 1))
        self.blocks = _blocks(kind)
        self.average = kind.average(7 * 7)
        self.scores = kind.scores(512, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        return self.scores(self.average(self.blocks(self.pools(self.stem(x)))))


class ResNet18Small(nn.Module):
    """ResNet-18 for 32 x 32 pixels, with a first convolution of 3x3."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        self.stem = kind.convolution(Convolution(3, 64, 3, 1, 1))
        self.blocks = _blocks(kind)
        self.average = kind.average(4 * 4)
        self.scores = kind.scores(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        return self.scores(self.average(self.blocks(self.stem(x))))


def _features(kind: Arithmetic, inputs: int, channels: tuple[int, ...]) -> nn.Sequential:
    """Return 3x3 convolutions of so many channels, and pools of 2x2 where they are `POOL`."""
    layers: list[nn.Module] = []
    for outputs in channels:
        if outputs == POOL:
            layers.append(nn.MaxPool2d(2))
        else:
            layers.append(kind.convolution(Convolution(inputs, outputs, 3, 1, 1)))
            inputs = outputs
    return nn.Sequential(*layers)


def _vgg(width: int) -> tuple[int, ...]:
    """Return the convolutions and pools of VGG-16, the first of so many channels."""
    widths = (min(width << stage, 512) for stage in range(5))
    counts = (2, 2, 3, 3, 3)
    return tuple(n for w, count in zip(widths, counts, strict=True) for n in (*[w] * count, POOL))


class Vgg16(nn.Module):
    """VGG-16 of half width for 224 x 224 pixels, its first full layer a 7x7 convolution."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        self.features = _features(kind, 3, _vgg(32))
        self.flat = kind.convolution(Convolution(512, 2048, 7, bias=True))
        self.full = kind.linear(2048, 2048)
        self.scores = kind.scores(2048, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        return self.scores(self.full(self.flat(self.features(x)).flatten(1)))


class Vgg16Strided(nn.Module):
    """VGG-16 for 32 x 32 pixels, with strides in place of pools."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        channels = _vgg(64)
        layers: list[nn.Module] = []
        inputs = 3
        for outputs, following in pairwise(channels):
            if outputs != POOL:
                stride = 2 if following == POOL else 1
                layers.append(kind.convolution(Convolution(inputs, outputs, 3, stride, 1)))
                inputs = outputs
        self.features = nn.Sequential(*layers)
        self.scores = kind.scores(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        return self.scores(self.features(x).flatten(1))


class Vgg16Pooled(nn.Module):
    """VGG-16 for 32 x 32 pixels."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        self.features = _features(kind, 3, _vgg(64))
        self.scores = kind.scores(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        return self.scores(self.features(x).flatten(1))


class MobileNet(nn.Module):
    """MobileNet-V1 for images of 32 x 32 or 224 x 224 pixels."""

    def __init__(self, kind: Arithmetic = REALS, pixels: int = 224) -> None:
        super().__init__()
        layers = [kind.convolution(Convolution(3, 32, 3, 2, 1))]
        widths = [32, *(width for width, _ in SEPARABLE)]
        for (inputs, outputs), (_, stride) in zip(pairwise(widths), SEPARABLE, strict=True):
            depthwise = Convolution(inputs, inputs, 3, stride, 1, groups=inputs)
            layers += [kind.convolution(depthwise)]
            layers += [kind.convolution(Convolution(inputs, outputs, 1))]
        self.features = nn.Sequential(*layers)
        self.average = kind.average((pixels // 32) ** 2)
        self.scores = kind.scores(1024, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        return self.scores(self.average(self.features(x)))


class ZfNet(nn.Module):
    """ZFNet for 224 x 224 pixels."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        self.features = nn.Sequential(
            kind.convolution(Convolution(3, 96, 7, 2, 1, bias=True)),
            nn.MaxPool2d(3, 2),
            kind.convolution(Convolution(96, 256, 5, 2, bias=True)),
            nn.MaxPool2d(3, 2),
            kind.convolution(Convolution(256, 384, 3, 1, 1)),
            kind.convolution(Convolution(384, 384, 3, 1, 1)),
            kind.convolution(Convolution(384, 256, 3, 1, 1)),
            nn.MaxPool2d(3, 2),
        )
        self.full = nn.Sequential(kind.linear(6400, 4096), kind.linear(4096, 4096))
        self.scores = kind.scores(4096, 1000)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the scores of the classes."""
        return self.scores(self.full(self.features(x).flatten(1)))


class Yolo(nn.Module):
    """A tiny YOLO for 1280 x 384 pixels."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        pooled = tuple(n for width in (16, 32, 64, 128, 256, 512) for n in (width, POOL))
        self.features = _features(kind, 3, (*pooled, 512, 1024, 1024))
        self.head = kind.convolution(Convolution(1024, 256, (20, 6), bias=True))
        self.full = kind.linear(256, 4096)
        self.scores = kind.scores(4096, 1470)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return boxes and classes of a grid of 7 x 7 cells."""
        return self.scores(self.full(self.head(self.features(x)).flatten(1)))


class Perceptron(nn.Module):
    """A perceptron of 3072-4096-4096-512-10 with 31.5 million weights."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        sizes = (3072, 4096, 4096, 512)
        self.hidden = nn.Sequential(*(kind.linear(i, o) for i, o in pairwise(sizes)))
        self.scores = kind.scores(512, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return ten scores."""
        return self.scores(self.hidden(x))


class LeNet(nn.Module):
    """LeNet-5 for digits of 28 x 28 pixels, with relu and pools of largest elements."""

    def __init__(self, kind: Arithmetic = REALS) -> None:
        super().__init__()
        self.features = nn.Sequential(
            kind.convolution(Convolution(1, 6, 5, 1, 2, bias=True)),
            nn.MaxPool2d(2),
            kind.convolution(Convolution(6, 16, 5, bias=True)),
            nn.MaxPool2d(2),
        )
        self.full = nn.Sequential(kind.linear(400, 120), kind.linear(120, 84))
        self.scores = kind.scores(84, 10)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return ten scores."""
        return self.scores(self.full(self.features(x).flatten(1)))
