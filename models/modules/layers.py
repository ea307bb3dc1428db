"""Layers of networks in two arithmetics: 32-bit floats, and 8-bit integers.

Integer layers have weights and activations of ``int8_t`` and sum up in ``int32_t``. A sum becomes
an activation by *requantization*: half of the last bit that stays is added, a shift cuts the bits
below it off, and a clamp saturates (Jacob et al., CVPR 2018, section 2.2, with scales that are
powers of two). All of it is integer arithmetic, so that designs and PyTorch agree in every bit.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2, sqrt
from typing import Protocol

import torch
from torch import nn
from torch.nn import functional

__all__ = ["INTEGERS", "REALS", "Arithmetic", "Convolution"]

LOWEST, HIGHEST = -128, 127
WEIGHT_ROOT_MEAN_SQUARE = 73.3
"""Of whole numbers that are uniform between -127 and 127."""
SCALE_BITS = 16
"""Behind the binary point of the reciprocal that an average is multiplied by."""


@dataclass(frozen=True, slots=True)
class Convolution:
    """The shape of a convolution over images."""

    inputs: int
    outputs: int
    kernel: int | tuple[int, int]
    stride: int = 1
    padding: int = 0
    groups: int = 1
    bias: bool = False
    relu: bool = True

    @property
    def window(self) -> tuple[int, int]:
        """Return rows and columns of the kernel."""
        return (self.kernel, self.kernel) if isinstance(self.kernel, int) else self.kernel

    @property
    def weight_shape(self) -> tuple[int, int, int, int]:
        """Return the shape of the weight: outputs, inputs of a group, rows, columns."""
        return (self.outputs, self.inputs // self.groups, *self.window)


class Arithmetic(Protocol):
    """The layers that networks are made of."""

    def convolution(self, shape: Convolution) -> nn.Module:
        """Return a convolution with its activation."""
        ...

    def linear(
        self, inputs: int, outputs: int, *, bias: bool = True, relu: bool = True
    ) -> nn.Module:
        """Return a fully connected layer with its activation."""
        ...

    def scores(self, inputs: int, outputs: int) -> nn.Module:
        """Return the last layer, of which the sums are the result."""
        ...

    def average(self, positions: int) -> nn.Module:
        """Return the average of each channel over that many positions."""
        ...

    def joined(self) -> nn.Module:
        """Return relu of a sum of two features."""
        ...


class _Reals:
    """Layers of floating-point numbers, with PyTorch's initial weights."""

    def convolution(self, shape: Convolution) -> nn.Module:
        layer = nn.Conv2d(
            shape.inputs,
            shape.outputs,
            shape.window,
            shape.stride,
            shape.padding,
            groups=shape.groups,
            bias=shape.bias,
        )
        return nn.Sequential(layer, nn.ReLU()) if shape.relu else layer

    def linear(
        self, inputs: int, outputs: int, *, bias: bool = True, relu: bool = True
    ) -> nn.Module:
        layer = nn.Linear(inputs, outputs, bias=bias)
        return nn.Sequential(layer, nn.ReLU()) if relu else layer

    def scores(self, inputs: int, outputs: int) -> nn.Module:
        return nn.Linear(inputs, outputs)

    def average(self, positions: int) -> nn.Module:
        del positions
        return RealAverage()

    def joined(self) -> nn.Module:
        return RealSum()


class _Integers:
    """Layers of 8-bit integers, with random weights and shifts that keep sums in range."""

    def convolution(self, shape: Convolution) -> nn.Module:
        return IntegerConvolution(shape)

    def linear(
        self, inputs: int, outputs: int, *, bias: bool = True, relu: bool = True
    ) -> nn.Module:
        return IntegerLinear(inputs, outputs, Requantization(inputs, relu), bias=bias)

    def scores(self, inputs: int, outputs: int) -> nn.Module:
        return IntegerLinear(inputs, outputs, None, bias=True)

    def average(self, positions: int) -> nn.Module:
        return IntegerAverage(positions)

    def joined(self) -> nn.Module:
        return IntegerSum()


REALS: Arithmetic = _Reals()
INTEGERS: Arithmetic = _Integers()


@dataclass(frozen=True, slots=True)
class Requantization:
    """How a sum of products becomes an 8-bit activation."""

    terms: int
    """Products of a sum. The root mean square of sums grows with the root of their number, and relu
    halves its square; a shift that is rather too short saturates some, one that is too long would
    leave nothing of a deep network's features."""
    relu: bool

    @property
    def shift_bits(self) -> int:
        """Return the bits that are cut off."""
        return int(log2(WEIGHT_ROOT_MEAN_SQUARE * sqrt(self.terms / 2)))

    def applied(self, sums: torch.Tensor) -> torch.Tensor:
        """Return the activations of sums."""
        half = 1 << (self.shift_bits - 1)
        least = 0 if self.relu else LOWEST
        return ((sums + half) >> self.shift_bits).clamp(least, HIGHEST).to(torch.int8)


def _weights(*shape: int) -> torch.Tensor:
    return torch.randint(-HIGHEST, HIGHEST + 1, shape, dtype=torch.int8)


def _offsets(outputs: int, terms: int) -> torch.Tensor:
    most = 8 << Requantization(terms, relu=True).shift_bits
    return torch.randint(-most, most + 1, (outputs,), dtype=torch.int32)


class IntegerConvolution(nn.Module):
    """A convolution of 8-bit integers."""

    weight: torch.Tensor
    bias: torch.Tensor | None

    def __init__(self, shape: Convolution) -> None:
        super().__init__()
        self.shape = shape
        _, depth, rows, columns = shape.weight_shape
        terms = depth * rows * columns
        self.requantization = Requantization(terms, shape.relu)
        self.register_buffer("weight", _weights(*shape.weight_shape))
        self.register_buffer("bias", _offsets(shape.outputs, terms) if shape.bias else None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the activations."""
        shape = self.shape
        sums = functional.conv2d(
            x.to(torch.int32),
            self.weight.to(torch.int32),
            self.bias,
            shape.stride,
            shape.padding,
            groups=shape.groups,
        )
        return self.requantization.applied(sums)


class IntegerLinear(nn.Module):
    """A product with a matrix of 8-bit integers; its sums where there is no requantization."""

    weight: torch.Tensor
    bias: torch.Tensor | None

    def __init__(
        self, inputs: int, outputs: int, requantization: Requantization | None, *, bias: bool
    ) -> None:
        super().__init__()
        self.requantization = requantization
        self.register_buffer("weight", _weights(outputs, inputs))
        self.register_buffer("bias", _offsets(outputs, inputs) if bias else None)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return the activations, or the sums."""
        sums = x.to(torch.int32) @ self.weight.to(torch.int32).t()
        sums = sums if self.bias is None else sums + self.bias
        return sums if self.requantization is None else self.requantization.applied(sums)


class RealAverage(nn.Module):
    """The average of each channel."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return one number for each channel."""
        return x.mean((2, 3))


class IntegerAverage(nn.Module):
    """The average of each channel, by a multiplication with the reciprocal in fixed point."""

    def __init__(self, positions: int) -> None:
        super().__init__()
        self.scale = round((1 << SCALE_BITS) / positions)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Return one number for each channel."""
        sums = x.to(torch.int32).sum((2, 3), dtype=torch.int32)
        rounded = (sums * self.scale + (1 << (SCALE_BITS - 1))) >> SCALE_BITS
        return rounded.clamp(LOWEST, HIGHEST).to(torch.int8)


class RealSum(nn.Module):
    """Relu of a sum."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        return torch.relu(x + y)


class IntegerSum(nn.Module):
    """Relu of a sum that saturates."""

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        """Return features of the same shape."""
        return (x.to(torch.int32) + y.to(torch.int32)).clamp(0, HIGHEST).to(torch.int8)
