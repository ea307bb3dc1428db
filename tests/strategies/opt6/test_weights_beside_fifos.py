"""Weights have their places beside FIFOs as deep as these need to be, not as they are at first."""

from __future__ import annotations

from dataclasses import replace

import streamopt as so
from streamopt.ir.ports import PortKind
from streamopt.strategies.opt6.simulated_design import Region, judged
from streamopt.strategies.resources.budgeted import Chosen
from streamopt.target.device import Target
from streamopt.target.resources import Fit
from tests.support.programs.sketches import program, scheduled

LAYERS = program(
    {
        "a": "input 512 64", "W": "weight 64 64", "x": "internal 512 64",
        "y": "internal 512 64", "z": "output 512 64",
    },
    {
        "layer": "i 512, j 64, k 64: x[i][j] += a[i][k] * W[k][j]",
        "twice": "i 512, j 64: y[i][j] = x[i][j] + x[i][j]",
        "end": "i 512, j 64: z[i][j] = y[i][j] + y[i][j]",
    },
)  # fmt: skip
"""Whose FIFOs hold 128 KB each at first, and hardly anything in use."""


def test_weights_stay_on_the_chip_where_fifos_hold_little() -> None:
    on = Target.named("u280", 5.0)
    ports = so.plan_ports(LAYERS, ports={"weights": "chosen"}, device=on)
    schedule = replace(scheduled(LAYERS).schedule, ports=ports)
    limits = replace(on.budget(Fit.DEVICE), bram18=20, uram=0)
    region, chosen = Region(on, limits, Fit.DEVICE), Chosen(schedule, 0, 0, 0)
    alone, deep = (
        judged(so.dataflow(LAYERS), (), chosen, region, sizes_fifos=sizes)
        for sizes in (True, False)
    )
    (kind,) = (port.kind for port in alone.built.ports if port.array == "W")
    assert (kind, alone.is_within) == (PortKind.RESIDENT, True)
    assert not deep.is_within  # whose FIFOs stay as they are
    depths = [channel.depth_elems for channel in alone.built.channels]
    assert max(depths) == 512 * 64  # they are made small at the end
