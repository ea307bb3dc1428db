"""Weights of 4 bits as a stream: nearly all of the bandwidth of their channels, simulated."""

from __future__ import annotations

import pytest

import streamopt as so
from streamopt.evaluation.frames import simulated_frames
from streamopt.ir.program import Role
from streamopt.sim.traffic import channel_bytes, traffic
from streamopt.target.device import Target
from tests.support.programs.sketches import program

SIDE = 256
LAYERS = program(
    {
        "x": f"input {SIDE} int8_t", "y": f"output {SIDE} int8_t",
        "A": f"weight {SIDE} {SIDE} ap_int<4>", "B": f"weight {SIDE} {SIDE} ap_int<4>",
        "s": f"internal {SIDE} int32_t", "h": f"internal {SIDE} int8_t",
        "t": f"internal {SIDE} int32_t",
    },
    {
        "first": f"i {SIDE}, k {SIDE}: s[i] += int32_t(A[i][k]) * int32_t(x[k])",
        "middle": f"i {SIDE}: h[i] = int8_t(min(max((s[i] + 64) >> 7, -128), 127))",
        "second": f"i {SIDE}, k {SIDE}: t[i] += int32_t(B[i][k]) * int32_t(h[k])",
        "last": f"i {SIDE}: y[i] = int8_t(min(max((t[i] + 64) >> 7, -128), 127))",
    },
    name="layers",
)  # fmt: skip


@pytest.fixture(scope="module")
def solution() -> so.Solution:
    target = Target.named("u280", 4.5)
    asked = {"A": "m_axi:2", "B": "m_axi:2"}
    ports = so.plan_ports(LAYERS, "memory", ports=asked, device=target)
    return so.solve(
        LAYERS,
        level="opt6",
        dsp=2000,
        objective="interval",
        time_limit=20.0,
        space=so.Space(tiling_limit=1, ports=ports),
        budget=so.Budget(device=target, fit="raw-device"),
    )


def test_weights_take_their_channels_whole(solution: so.Solution) -> None:
    target = Target.named("u280", 4.5)
    graph = so.dataflow(LAYERS)
    found = so.evaluate(graph, solution.schedule, target)
    assert sum(channel_bytes(found.network).values()) == SIDE * SIDE
    rates = {channel.name: channel.bytes_per_cycle(4.5) for channel in target.channels}
    moved = traffic(found.network, simulated_frames(graph, solution.schedule, target), rates)
    assert moved.share >= 0.7
    weights = {a.name: a.element for a in graph.arrays if a.role is Role.WEIGHT}
    assert set(weights.values()) == {"ap_int<4>"}


def test_their_design_computes_the_same(solution: so.Solution) -> None:
    verdict = solution.verify()
    assert verdict.passed
