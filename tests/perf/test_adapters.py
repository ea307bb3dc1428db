"""What ports to memory off the chip take."""

from __future__ import annotations

import pytest

import streamopt as so
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import AccessMode, Memory, Pipeline, Place, Port
from streamopt.ir.program import Loop
from streamopt.perf.resources.network import adapter_resources
from streamopt.target.resources import Resources

U280 = so.device("u280")


def taken(lanes: int, channels: tuple[str, ...]) -> Resources:
    memory = Memory("A", Place.OFF_CHIP, ElementType.FLOAT, (960,), (1,), channels)
    port = Port(AccessMode.READ, "A", (Affine.iterator("lane"),), "value")
    mover = Pipeline("load_A", (), (Loop("lane", lanes),), (port,), ())
    return adapter_resources(memory, mover, U280.memories)


@pytest.mark.parametrize(
    ("lanes", "channels", "adapters", "bits"),
    [
        (1, ("HBM[0]",), 1, 32),
        (6, ("HBM[0]",), 1, 256),
        (40, ("HBM[0]",), 1, 512),
        (40, ("HBM[0]", "HBM[1]", "HBM[2]", "HBM[3]"), 4, 512),
        (16, ("HBM[0]", "HBM[1]"), 2, 256),
        (2, ("HBM[0]", "HBM[1]", "HBM[2]"), 2, 32),
        (3, ("",), 1, 128),
        (16, (), 0, 512),
    ],
)
def test_adapters_are_as_wide_as_words(
    lanes: int, channels: tuple[str, ...], adapters: int, bits: int
) -> None:
    """A block RAM of 18 Kbit keeps 512 words of 36 bits; words pass a FIFO of shift registers."""
    fabric = 2 * (bits - 32)
    one = Resources(bram18=-(-bits // 36), luts=580 + fabric, ffs=512 + fabric)
    one += Resources(luts=bits + 19, ffs=8)
    assert taken(lanes, channels) == one.scaled(adapters)
