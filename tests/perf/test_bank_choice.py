"""Multiplexers between lanes and banks."""

from __future__ import annotations

import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import AccessMode, Memory, Pipeline, Place, Port
from streamopt.ir.program import Loop
from streamopt.perf.resources.bank_choice import choice_of_banks
from streamopt.perf.resources.fabric import choice_luts

READ, WRITE = AccessMode.READ, AccessMode.WRITE
w, i, lane = (Affine.iterator(name) for name in ("w", "i", "i.lane"))
ROW = i.scaled(4) + lane
"""Of four lanes, aligned."""


def pipeline(*ports: tuple[AccessMode, Affine, Affine]) -> Pipeline:
    """Return a pipeline of four lanes that touches a memory."""
    made = tuple(Port(mode, "a", (row, column), "v") for mode, row, column in ports)
    return Pipeline("p", (Loop("w", 20), Loop("i", 5)), (Loop("i.lane", 4),), made, ())


@pytest.mark.parametrize(
    ("ports", "values", "banks"),
    [
        ([(READ, ROW, Affine.of(3))], 0, 0),
        ([(READ, ROW, w)], 4, 8),
        ([(READ, ROW, w), (READ, ROW, w + Affine.of(1))], 8, 8),
        # What one lane reads of its own row, the next one reads of the row above: once each.
        ([(READ, ROW, w), (READ, ROW - Affine.of(1), w)], 5, 8),
        ([(READ, ROW, w.scaled(4))], 4, 2),
        # A value goes to any bank of its row without a multiplexer; here two lanes share a row.
        ([(WRITE, ROW, w)], 0, 0),
        ([(WRITE, ROW.floordiv(2), w)], 32, 4),
    ],
)
def test_choices(ports: list[tuple[AccessMode, Affine, Affine]], values: int, banks: int) -> None:
    memory = Memory("a", Place.LOCAL, ElementType.FLOAT, (20, 32), (4, 8))
    luts = choice_of_banks(pipeline(*ports), {"a": memory})
    assert luts == choice_luts(values, banks, 32)


def test_lanes_write_registers_of_their_own() -> None:
    memory = Memory("a", Place.LOCAL, ElementType.FLOAT, (20, 1), (20, 1))
    written, read = (pipeline((mode, ROW, Affine())) for mode in (WRITE, READ))
    assert choice_of_banks(written, {"a": memory}) == 0
    assert choice_of_banks(read, {"a": memory}) == choice_luts(4, 5, 32)
