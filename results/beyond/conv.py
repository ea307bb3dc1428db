"""CODO's convolution block of three layers, in the Python DSL.

An image of 3 x 32 x 32; three times a 3 x 3 convolution to 32 channels that keeps height and width,
then ReLU.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import streamopt as so

if TYPE_CHECKING:
    from streamopt.frontends.dsl import Builder, Tensor
    from streamopt.ir.program import Program

__all__ = ["conv_block"]

SIDE = 32
WINDOW = 3
CHANNELS = (3, 32, 32, 32)


def conv_block(side: int = SIDE, channels: tuple[int, ...] = CHANNELS) -> Program:
    """Return the block for images of ``side`` x ``side``; ``channels`` of the image and layers."""
    p = so.dsl.program("conv_block")
    image = p.input("image", channels[0], side, side)
    for place, (into, out) in enumerate(pairwise(channels), 1):
        image = _layer(p, place, image, (into, out, side), is_last=place == len(channels) - 1)
    return p.build()


def _layer(
    p: Builder, place: int, image: Tensor, sizes: tuple[int, int, int], *, is_last: bool
) -> Tensor:
    into, out, side = sizes
    weights = p.weight(f"weights{place}", out, into, WINDOW, WINDOW)
    padded_side = side + WINDOW - 1
    c, y, x = p.iterators(c=into, y=padded_side, x=padded_side)
    inside = (y >= 1) & (y <= side) & (x >= 1) & (x <= side)
    padded = p.compute(f"padded{place}", (c, y, x), so.dsl.where(inside, image[c, y - 1, x - 1], 0))
    o, h, w, i, r, s = p.iterators(o=out, h=side, w=side, i=into, r=WINDOW, s=WINDOW)
    products = padded[i, h + r, w + s] * weights[o, i, r, s]
    sums = p.compute(f"conv{place}", (o, h, w), so.dsl.sum((i, r, s), products))
    declare = p.output if is_last else p.compute
    return declare(f"relu{place}", (o, h, w), so.dsl.relu(sums[o, h, w]))
