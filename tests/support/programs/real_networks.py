"""Small networks of floating-point numbers that have every kind of layer which engines run."""
# pyright: reportUnknownMemberType=false

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import torch
from torch import nn

from streamopt.frontends.torch_module.reader import read_torch
from streamopt.transforms.result_copies import without_result_copies
from tests.support.programs.integer_networks import EveryLayer, layers, networks

if TYPE_CHECKING:
    from streamopt.ir.program import Program


class Normalized(nn.Module):
    """Batch normalization, an activation that isn't piecewise linear, and a residual path."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(2, 6, 3, stride=2, padding=1, bias=False)
        self.scaled = nn.BatchNorm2d(6)
        self.body = nn.Conv2d(6, 6, 3, padding=1)
        self.scores = nn.Linear(6 * 5 * 6, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return three scores."""
        x = torch.relu(self.scaled(self.stem(x)))
        x = torch.sigmoid(self.body(x)) + x
        return self.scores(x.flatten(1))


@cache
def every_layer_of_reals() -> Program:
    """Return a network of every kind of layer, of 26 x 26 pixels."""
    return _read(EveryLayer(layers.REALS), (1, 3, 26, 26), "every_layer")


@cache
def lenet_of_reals() -> Program:
    """Return LeNet-5."""
    return _read(networks.LeNet(layers.REALS), (1, 1, 28, 28), "lenet")


@cache
def normalized() -> Program:
    """Return a network with batch normalization, of 9 x 11 pixels."""
    torch.manual_seed(0)
    module = Normalized()
    module.train()
    for _ in range(3):
        module(torch.randn(4, 2, 9, 11))
    return _read(module.eval(), (1, 2, 9, 11), "normalized")


def _read(module: nn.Module, shape: tuple[int, ...], name: str) -> Program:
    torch.manual_seed(0)
    return without_result_copies(read_torch(module, (torch.randn(shape),), name=name))
