"""Places of weights: exact by brute force, in a search, in the C++ and in the simulator."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

import streamopt as so
from streamopt.errors import LegalityError, SolverError
from streamopt.evaluation.design import timed_network
from streamopt.evaluation.frames import frame_interval_cycles
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.ports import PortKind, RamBlock
from streamopt.space.level import BindingChoice
from streamopt.strategies.refinement.streamed_weights import StreamedWeights, streamed
from streamopt.strategies.refinement.weight_places import (
    WeightPlace,
    cheapest_places,
    placed_weights,
)
from streamopt.target.device import Target
from streamopt.target.resources import Resources
from streamopt.transforms.ports.port_schedule import with_ports
from tests.support.programs.sketches import program, scheduled

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.strategies.solution import Solution

DEVICE = Target.named("vu9p")
PROGRAM = program(
    {
        "x": "input 8 192 int8_t", "V": "weight 192 96 int8_t", "W": "weight 96 192 int8_t",
        "h": "internal 8 96 int32_t", "g": "internal 8 96 int8_t",
        "y": "internal 8 192 int32_t", "z": "output 8 192 int8_t",
    },
    {
        "one": "i 8, j 96, k 192: h[i][j] += x[i][k] * V[k][j]",
        "cut": "i 8, j 96: g[i][j] = min(max(h[i][j], 0), 127)",
        "two": "i 8, j 192, k 96: y[i][j] += g[i][k] * W[k][j]",
        "end": "i 8, j 192: z[i][j] = min(max(y[i][j], 0), 127)",
    },
    name="layers",
)  # fmt: skip
DSPS = 24
BRAM18 = 22
"""Fewer than both weights take in words of 24 DSPs' lanes, with the ports that fill them."""


def solved(kind: str, bram18: int, objective: str = "interval") -> Solution:
    ports = so.plan_ports(PROGRAM, ports={"weights": kind}, device=DEVICE)
    space = so.Space(binding=BindingChoice.TOOL, ports=ports)
    budget = so.Budget(device=DEVICE, bram18=bram18, uram=0, fit="raw")
    return so.solve(
        PROGRAM, level="opt6", dsp=DSPS, objective=objective, space=space, budget=budget
    )


def test_weights_that_do_not_fit_are_streamed(tmp_path: Path) -> None:
    """One of both; where they have to stay, the design is slower, or there is none."""
    chosen, resident = solved("chosen", BRAM18), solved("resident", BRAM18)
    kinds = {port.array: port for port in chosen.schedule.ports}
    assert [kinds[name].kind for name in "VW"] == [PortKind.AXI, PortKind.RESIDENT]
    assert kinds["V"].again == ("i",)
    frames = so.evaluate(PROGRAM, chosen.schedule, DEVICE, frames=8)
    cycles = frame_interval_cycles(frames)
    assert cycles == pytest.approx(chosen.interval_cycles, rel=0.01)
    assert cycles < 0.8 * resident.interval_cycles
    assert frames.resources.total.bram18 <= BRAM18
    mover = next(p for p in frames.network.pipelines if p.name == "load_V")
    assert mover.iterations * mover.copies == 8 * 192 * 96  # of each frame
    text = write_schedule_json(chosen.schedule)
    assert read_schedule_json(text, "schedule.json") == chosen.schedule
    for backend in ("vitis", "native"):
        so.write(PROGRAM, chosen.schedule, tmp_path / backend, backend=backend)
        assert so.verify(tmp_path / backend).passed
    with pytest.raises(SolverError, match="E522"):
        solved("resident", 16)


def test_weights_that_do_not_fit_are_streamed_for_the_latency(tmp_path: Path) -> None:
    found = solved("chosen", 16, "latency")
    kinds = [port.kind for port in found.schedule.ports if port.array in "VW"]
    assert PortKind.AXI in kinds
    design = so.evaluate(PROGRAM, found.schedule, DEVICE)
    assert design.trace.cycles == pytest.approx(found.latency_cycles, rel=0.01)
    assert design.resources.total.bram18 <= 16
    so.write(PROGRAM, found.schedule, tmp_path)
    assert so.verify(tmp_path).passed


@pytest.mark.parametrize(("last", "intervals"), [("resident", (1, 1)), ("memory", (1, 2))])
def test_streams_beside_residents_have_what_their_lanes_take(
    last: str, intervals: tuple[int, int]
) -> None:
    """A channel of 96 bytes a cycle has 32 and 64 of them, or 48 each for arguments."""
    arrays = {"x": "input 64 int8_t", "y": "output 4 int32_t", "V": "weight 128 64 int8_t",
              "W": "weight 128 64 int8_t", "U": "weight 64 4 int8_t"}  # fmt: skip
    arrays |= {f"{name}{n}": f"internal {size} {element}" for name, element in
               (("s", "int32_t"), ("h", "int8_t")) for n, size in ((1, 128), (2, 64))}  # fmt: skip
    nodes = {
        "one": "j 128, i 64: s1[j] += x[i] * V[j][i]", "cut": "j 128: h1[j] = min(s1[j], 127)",
        "two": "j 128, i 64: s2[i] += h1[j] * W[j][i]", "low": "i 64: h2[i] = min(s2[i], 127)",
        "last": "i 64, j 4: y[j] += h2[i] * U[i][j]",
    }  # fmt: skip
    source, device = program(arrays, nodes, name="full"), Target.named("vu9p", 5.0)
    kinds = {"V": "m_axi:DDR[0]", "W": "m_axi:DDR[0]", "U": last}
    ports = so.plan_ports(source, ports=kinds, device=device)
    lanes = {"one": "i 32", "two": "i 64", "low": "i 64", "last": "i 64"}
    found = scheduled(source, unroll=lanes, ping_pong=("s1", "h1", "s2", "h2"))
    schedule = so.put_outside(source, found.schedule, ports)
    _, timings = timed_network(so.dataflow(source), schedule, device)
    assert (timings["load_V"].ii, timings["load_W"].ii) == intervals


def test_weights_that_fit_are_resident() -> None:
    found = solved("chosen", 60)
    ports = {port.array: port.kind for port in found.schedule.ports}
    assert ports["V"] is ports["W"] is PortKind.RESIDENT
    assert found.evaluation is not None
    assert found.evaluation.resources.resident.keys() == {"V", "W"}


def test_weights_go_off_the_chip_where_other_memories_take_all_blocks() -> None:
    """The design is over its limits by little, so that a search sees by how much."""
    ports = so.plan_ports(PROGRAM, ports={"weights": "chosen"}, device=DEVICE)
    schedule = replace(scheduled(PROGRAM).schedule, ports=ports)
    limits = Resources(dsps=DSPS, bram18=6, uram=1, luts=10**6, ffs=10**6)
    found = placed_weights(so.dataflow(PROGRAM), schedule, DEVICE, limits)
    assert {p.kind for p in found.ports if p.array in "VW"} == {PortKind.AXI}
    limits = replace(limits, uram=60)
    found = placed_weights(so.dataflow(PROGRAM), schedule, DEVICE, limits)
    assert {p.block for p in found.ports if p.array in "VW"} == {RamBlock.URAM}


def test_places_are_the_cheapest_of_all_within_both_kinds_of_blocks() -> None:
    rng = np.random.default_rng(3)
    way = StreamedWeights(scheduled(PROGRAM).schedule.nodes[0], (), 0)
    for _ in range(60):
        places = {
            str(at): [
                WeightPlace(Resources(bram18=int(rng.integers(0, 9))), RamBlock.BRAM),
                WeightPlace(Resources(uram=int(rng.integers(0, 5))), RamBlock.URAM),
                WeightPlace(
                    Resources(bram18=int(rng.integers(0, 2))),
                    stream=replace(way, traffic_bytes=int(rng.integers(1, 9))),
                ),
            ]
            for at in range(4)
        }
        room = int(rng.integers(0, 12)), int(rng.integers(0, 7))
        every = [
            sum(place.cost for place in chosen)
            for chosen in product(*places.values())
            if sum(place.used.bram18 for place in chosen) <= room[0]
            and sum(place.used.uram for place in chosen) <= room[1]
        ]
        found = cheapest_places(places, room)
        if found is None:
            assert every == []
            continue
        assert sum(place.used.bram18 for place in found.values()) <= room[0]
        assert sum(place.used.uram for place in found.values()) <= room[1]
        assert sum(place.cost for place in found.values()) == min(every)


@pytest.mark.parametrize(
    ("ping_pong", "order", "again"), [((), ("i", "j", "k"), ("i",)), (("h",), ("j", "k", "i"), ())]
)
def test_loops_go_inside_of_weights_where_streams_allow(
    ping_pong: tuple[str, ...], order: tuple[str, ...], again: tuple[str, ...]
) -> None:
    """Rows of a stream of ``h`` come one after another, so that weights are read for each."""
    done = scheduled(PROGRAM, {"one": "i j k"}, ping_pong=ping_pong)
    way = streamed(so.dataflow(PROGRAM), done.schedule, "V")
    assert way is not None
    assert (way.plan.order, way.again) == (order, again)
    assert way.traffic_bytes == 192 * 96 * (8 if again else 1)


def test_loops_that_move_in_an_array_are_no_loops_to_read_it_again_for() -> None:
    graph, schedule = so.dataflow(PROGRAM), scheduled(PROGRAM).schedule
    ports = tuple(
        replace(port, kind=PortKind.AXI, again=("k",)) if port.array == "V" else port
        for port in so.plan_ports(graph)
    )
    with pytest.raises(LegalityError, match="E331 port 'V': it can't be read again for k"):
        with_ports(graph, schedule, ports)


def test_streams_keep_the_interval_that_banks_asked_for() -> None:
    """Four lanes read one bank of two ports, so that products share multipliers; so they do on."""
    source = program(
        {
            "x": "input 4 15 int8_t", "W": "weight 512 60 int8_t",
            "y": "internal 512 int32_t", "z": "output 512 int32_t",
        },
        {
            "full": "i 512, c 4, k 15: y[i] += x[c][k] * W[i][15 * c + k]",
            "end": "i 512: z[i] = y[i] + 1",
        },
        name="flat",
    )  # fmt: skip
    graph, plain = so.dataflow(source), scheduled(source, unroll={"full": "c 4"}).schedule
    ports = so.plan_ports(graph, ports={"W": "chosen"}, device=DEVICE)
    before = with_ports(graph, plain, ports)
    limits = Resources(dsps=4, bram18=8, uram=0, luts=50_000, ffs=50_000)
    placed = placed_weights(graph, before, DEVICE, limits)
    assert {p.array: p.kind for p in placed.ports}["W"] is PortKind.AXI
    assert placed.node("full").target_ii == 2
    used = [so.evaluate(graph, own, DEVICE).resources.total.dsps for own in (before, placed)]
    assert used[0] == used[1] == 2
