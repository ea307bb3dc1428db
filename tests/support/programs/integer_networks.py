"""Networks of 8-bit integers: small ones with every kind of layer; images of the published."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from streamopt.frontends.torch_module.reader import read_torch
from streamopt.transforms.result_copies import without_result_copies

if TYPE_CHECKING:
    from streamopt.ir.program import Program

sys.path.insert(0, str(Path(__file__).parents[3] / "models"))

layers: Any = import_module("modules.layers")
networks: Any = import_module("modules.networks")

KIND = layers.INTEGERS
IMAGES = {
    "LeNet": (1, 28, 28),
    "ResNet18Small": (3, 32, 32),
    "Vgg16Strided": (3, 32, 32),
    "Vgg16Pooled": (3, 32, 32),
    "ResNet18": (3, 224, 224),
    "Vgg16": (3, 224, 224),
    "MobileNet": (3, 224, 224),
    "ZfNet": (3, 224, 224),
    "Yolo": (3, 1280, 384),
}
"""Channels, rows and columns of the images of published networks."""


def integers(*shape: int) -> torch.Tensor:
    """Return drawn numbers of 8 bits."""
    return torch.randint(-128, 128, shape, dtype=torch.int8)


class EveryLayer(nn.Module):
    """Padding, strides, pools that overlap or don't, a residual path, and an average."""

    def __init__(self, kind: Any = KIND) -> None:
        super().__init__()
        shape = layers.Convolution
        self.stem = kind.convolution(shape(3, 6, 3, 1, 1, bias=True))
        self.pool = nn.MaxPool2d(2)
        self.depthwise = kind.convolution(shape(6, 6, 3, 1, 1, groups=6))
        self.pointwise = kind.convolution(shape(6, 8, 1))
        self.overlapping = nn.MaxPool2d(3, 2, 1)
        self.first = kind.convolution(shape(8, 10, 3, 2, 1))
        self.second = kind.convolution(shape(10, 10, 3, 1, 1, relu=False))
        self.shortcut = kind.convolution(shape(8, 10, 1, 2, relu=False))
        self.strided = kind.convolution(shape(10, 10, 3, 2, 1, groups=10, bias=True))
        self.join = kind.joined()
        self.average = kind.average(4)
        self.scores = kind.scores(10, 5)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return five scores."""
        x = self.overlapping(self.pointwise(self.depthwise(self.pool(self.stem(x)))))
        x = self.join(self.second(self.first(x)), self.shortcut(x))
        return self.scores(self.average(self.strided(x)))


class FewChannels(nn.Module):
    """Layers whose positions take fewer cycles than their results take to leave.

    Behind a residual sum, and a depthwise convolution, are pools; the first leaves a row and a
    column out.
    """

    def __init__(self) -> None:
        super().__init__()
        shape = layers.Convolution
        self.depthwise = KIND.convolution(shape(3, 3, 3, 1, 1, groups=3))
        self.wide_pool = nn.MaxPool2d((1, 2))
        self.stem = KIND.convolution(shape(3, 4, 3, 1, 1, bias=True))
        self.pool = nn.MaxPool2d(2)
        self.pointwise = KIND.convolution(shape(4, 4, 1, bias=True, relu=False))
        self.join = KIND.joined()
        self.last = KIND.convolution(shape(4, 2, 1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return a map of two channels."""
        x = self.pool(self.stem(self.wide_pool(self.depthwise(x))))
        return self.last(self.pool(self.join(self.pointwise(x), x)))


@cache
def few_channels() -> Program:
    """Return a network of layers with few channels, of 14 x 44 pixels."""
    return _read(FewChannels(), (1, 3, 14, 44), "few_channels")


@cache
def every_layer() -> Program:
    """Return a network of every kind of layer, of 26 x 26 pixels."""
    return _read(EveryLayer(), (1, 3, 26, 26), "every_layer")


@cache
def lenet() -> Program:
    """Return LeNet-5."""
    return _read(networks.LeNet(KIND), (1, 1, 28, 28), "lenet")


@cache
def perceptron() -> Program:
    """Return a perceptron of two layers over three rows of features."""
    torch.manual_seed(0)
    module = nn.Sequential(KIND.linear(20, 24), KIND.scores(24, 7))
    return _read(module, (3, 20), "perceptron")


def _read(module: nn.Module, shape: tuple[int, ...], name: str) -> Program:
    torch.manual_seed(0)
    return without_result_copies(read_torch(module, (integers(*shape),), name=name))
