"""Ports from a user's wishes, and what the bandwidth of channels does to a schedule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import LegalityError, SolverError, TargetError
from streamopt.evaluation.boundary_ports import boundary_of_form
from streamopt.evaluation.open_channels import open_cycles
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.ports import PortKind
from streamopt.perf.pipelines.bandwidth import Demand, channel_rates, least_cycles, transfer_ii
from streamopt.solvers.result import Proof
from streamopt.space.assemble import baseline
from streamopt.strategies.opt6.choices import variants
from streamopt.strategies.problem import problem_with_ports
from streamopt.target.channels import balanced, fewest_parts, quickest_cycles
from streamopt.transforms.rewrites import REWRITES
from tests.support.problems import problem_of

GRAPHS = Path(__file__).parents[2] / "graphs"
GEMM = so.dataflow(so.load(GRAPHS / "polybench/gemm.json"))
MVT = so.dataflow(so.load(GRAPHS / "polybench/mvt.json"))


def test_kinds_and_channels() -> None:
    ports = {p.array: p for p in so.plan_ports(GEMM, "m_axi", ports={"C": "axis", "D": "memory"})}
    assert [ports[name].kind for name in "ABCD"] == [
        PortKind.AXI, PortKind.AXI, PortKind.STREAM, PortKind.MEMORY,
    ]  # fmt: skip
    assert [ports[name].channels for name in "ABCD"] == [("HBM[1]",), ("HBM[0]",), (), ()]
    fixed = so.plan_ports(GEMM, ports={"B": "m_axi:HBM[31]"})
    assert [(p.array, p.channels) for p in fixed if p.kind is PortKind.AXI] == [("B", ("HBM[31]",))]
    attention = so.dataflow(so.load(GRAPHS / "transformers/multi_head_attention.json"))
    for port in so.plan_ports(attention, "m_axi", ports={"weights": "axis"}):
        is_weight = attention.array(port.array).role.value == "weight"
        assert (port.kind is PortKind.STREAM) is is_weight


@pytest.mark.parametrize(
    ("ports", "code"),
    [
        ({"Z": "axis"}, "E331"),
        ({"A": "axi"}, "E332"),
        ({"A": "axis:HBM[0]"}, "E332"),
        ({"A": "m_axi:HBM[32]"}, "E857"),
        ({"A": "m_axi:0"}, "E332"),
        ({"A": "memory:4"}, "E332"),
        ({"A": "m_axi:HBM[4:2]"}, "E332"),
    ],
)
def test_what_is_no_port_is_refused(ports: dict[str, str], code: str) -> None:
    with pytest.raises((LegalityError, TargetError), match=code):
        so.plan_ports(GEMM, ports=ports)


def test_arrays_are_balanced_over_channels() -> None:
    sizes = {"A": 9, "B": 8, "C": 7, "D": 6, "E": 5}
    found = balanced(sizes, ["0", "1"], {})
    load = {c: sum(sizes[a] for a, own in found.items() if own == (c,)) for c in "01"}
    assert max(load.values()) <= 4 / 3 * 18
    assert balanced(sizes, ["0", "1"], {"E": ("1",), "D": ("1",)})["A"] == ("0",)
    spread = balanced({"A": 40, "B": 11, "C": 10}, ["0", "1", "2", "3"], {}, {"A": 4, "C": 9})
    assert spread == {"A": ("0", "1", "2", "3"), "B": ("0",), "C": ("0", "1", "2", "3")}
    assert balanced(sizes, [], {}) == {}


def test_transfers_take_what_words_and_channels_ask() -> None:
    device = so.device("u280")
    wanted = {"A": ("HBM[1]", "HBM[0]"), "B": ("HBM[0]",), "C": ("DDR[1]",), "D": ("",), "E": ()}
    rates = channel_rates(wanted, device)
    assert rates["A"][1] == rates["B"][0] == pytest.approx(14.375 * 3.33 / 2)
    assert rates["A"][0] == pytest.approx(14.375 * 3.33)
    assert rates["C"] == (pytest.approx(19.25 * 3.33),)
    assert rates["D"] == rates["E"] == (64,)
    asked = {"A": Demand(300, 64.0), "B": Demand(100, 64.0)}
    by_bytes = channel_rates(wanted, device, asked)
    assert by_bytes["A"][1] == pytest.approx(3 * by_bytes["B"][0])
    assert by_bytes["A"][1] + by_bytes["B"][0] == by_bytes["A"][0] == rates["A"][0]
    few = channel_rates(wanted, device, asked | {"A": Demand(300, 4.0)})
    assert few["A"] == (4.0, 4.0)
    assert few["B"][0] == rates["A"][0] - 4.0
    assert transfer_ii(1, 32, [64.0]) == transfer_ii(16, 32, [64.0]) == 1
    assert transfer_ii(17, 32, [64.0]) == 2
    assert transfer_ii(17, 32, [64.0, 64.0]) == transfer_ii(1, 32, rates["A"]) == 1
    assert (transfer_ii(16, 32, rates["A"]), transfer_ii(16, 32, rates["B"])) == (2, 3)
    assert least_cycles(1000, 32, rates["D"]) == 63
    with pytest.raises(TargetError, match=r"E857 memory channel 'HBM\[0\]' of u250: there is none"):
        channel_rates({"A": ("HBM[0]",)}, so.device("u250"))


def test_starved_design_is_as_slow_as_its_channel() -> None:
    """A matrix of 400 x 400 floats can't pass faster than its channel delivers."""
    schedule = so.solve(MVT, effort=so.Effort(fifos=None)).schedule
    on_chip = so.simulate(MVT, schedule).cycles
    found = so.evaluate(MVT, so.put_outside(MVT, schedule, so.plan_ports(MVT, "m_axi")))
    rate = so.device("u280").channel("HBM[0]").bytes_per_cycle(3.33)
    least = least_cycles(400 * 400, 32, [rate])
    assert on_chip < 1000
    assert least <= found.trace.cycles <= 1.05 * least
    assert found.predicted is not None
    assert abs(found.predicted.latency_cycles - found.trace.cycles) < 0.01 * found.trace.cycles
    assert "memory channel of A1, 256 elements: II 22" in {
        str(timed.binding) for timed in found.timed.values()
    }


def test_optimum_changes_where_a_channel_is_the_limit() -> None:
    ports = so.plan_ports(GEMM, "m_axi")
    free = so.solve(GEMM, effort=so.Effort(fifos=None))
    bound = so.solve(GEMM, space=so.Space(ports=ports), effort=so.Effort(fifos=None))
    assert bound.proof is Proof.OPTIMAL
    assert bound.schedule.ports == ports
    put = so.put_outside(GEMM, free.schedule, ports, sizing=None)
    under_channels = (
        problem_with_ports(problem_of(GEMM, 2560, 16), ports, None).evaluate(put).latency_cycles
    )
    assert free.latency_cycles < bound.latency_cycles < under_channels
    nodes = [bound.schedule.node(name) for name in ("gemm", "scale_add")]
    assert nodes != [free.schedule.node(name) for name in ("gemm", "scale_add")]
    assert so.simulate(GEMM, bound.schedule).cycles < so.simulate(GEMM, put).cycles


def test_opt6_keeps_to_its_channels() -> None:
    """Rows of movers are what the network says, and no design is faster than its channels."""
    ports = so.plan_ports(MVT, "m_axi:1")
    before = so.solve(MVT, level="opt6", dsp=220)
    found = so.solve(MVT, level="opt6", dsp=220, space=so.Space(ports=ports))
    rate = so.device("u280").channel("HBM[0]").bytes_per_cycle(3.33)
    least = least_cycles(400 * 400, 32, [rate])
    assert least <= found.bound <= found.latency_cycles < 1.1 * least
    assert before.latency_cycles < least
    assert {*ports} <= {*found.schedule.ports}
    measured = so.evaluate(MVT, found.schedule)
    assert measured.predicted is not None
    assert measured.predicted.latency_cycles == found.latency_cycles
    assert measured.resources.total.luts <= so.device("u280").slr.luts


def test_shared_arguments_are_a_form_where_movers_hand_out() -> None:
    attention = so.dataflow(so.load(GRAPHS / "transformers/multi_head_attention.json"))
    found = {names for names, _ in variants(attention, shares_arguments=True)}
    assert found > {names for names, _ in variants(attention)}
    assert {"private_arguments" in names for names in found if names} == {True, False}


def test_ports_are_kept_with_the_schedule() -> None:
    schedule = so.solve(GEMM, level="opt1", effort=so.Effort(fifos=None)).schedule
    put = so.put_outside(GEMM, schedule, so.plan_ports(GEMM, "m_axi", ports={"A": "axis"}), None)
    text = write_schedule_json(put)
    assert read_schedule_json(text, "schedule.json") == put
    assert '"ports"' not in write_schedule_json(schedule)
    assert so.emit(GEMM, put).schedule_sha256 != so.emit(GEMM, schedule).schedule_sha256


def test_copies_that_a_schedule_makes_are_outside_too() -> None:
    atax = so.dataflow(so.load(GRAPHS / "polybench/atax.json"))
    form = REWRITES["private_arguments"](atax)
    schedule = replace(baseline(form), rewrites=("private_arguments",))
    put = so.put_outside(atax, schedule, so.plan_ports(atax, "m_axi"), None)
    channels = {port.array: port.channels for port in put.ports}
    assert channels.keys() == {"A", "x", "y", "A_gemv_transposed"}
    assert len(set(channels.values())) == 4
    assert "host.cpp" in dict(so.emit(atax, put).files)


def test_what_knows_no_channels_says_so() -> None:
    ports = so.plan_ports(GEMM, "m_axi")
    for level, formulation, solver in (
        ("opt5", "paper", "auto"),
        ("opt5", "compact", "exhaustive"),
    ):
        with pytest.raises(SolverError, match="E525"):
            so.solve(
                GEMM,
                level=level,
                space=so.Space(ports=ports),
                effort=so.Effort(formulation=formulation, solver=solver),
            )
    schedule = so.put_outside(
        GEMM, so.solve(GEMM, level="opt1", effort=so.Effort(fifos=None)).schedule, ports, None
    )
    with pytest.raises(LegalityError, match="E333 the schedule of 'gemm' has ports already"):
        so.put_outside(GEMM, schedule, ports)


def test_channels_are_chosen_where_none_are_said(tmp_path: Path) -> None:
    """As many as the design gains from, at most 32 ports, each to a channel of its own."""
    path = tmp_path / "gesummv.c"
    path.write_text(
        "void gesummv(float A[48][48], float B[48][48], float x[48], float y[48]) {"
        " for (int i = 0; i < 48; i++) { float t = 0, u = 0;"
        " for (int j = 0; j < 48; j++) { t += A[i][j] * x[j]; u += B[i][j] * x[j]; }"
        " y[i] = 1.5f * t + 1.2f * u; } }"
    )
    graph = so.dataflow(so.load(path))
    space = so.Space(ports=so.plan_ports(graph, "m_axi"))
    one, chosen = (
        so.solve(graph, level="opt6", dsp=320, space=own, budget=so.Budget(fit="device"))
        for own in (so.Space(ports=so.plan_ports(graph, "m_axi:1")), space)
    )
    assert 2 * chosen.simulated_cycles < one.simulated_cycles
    ports = {port.array: port.channels for port in chosen.schedule.ports}
    evaluation = chosen.evaluation
    assert evaluation is not None
    memories = {m.name: m.channels for m in evaluation.network.memories if m.channels}
    assert memories == {name: ports[name] for name in memories}
    used = [channel for channels in memories.values() for channel in channels]
    assert 12 < len(used) == len({*used}) <= 32
    on = so.device("u280")
    least = open_cycles(graph, space.ports, on)
    assert least <= chosen.bound <= chosen.latency_cycles
    assert read_schedule_json(write_schedule_json(chosen.schedule), "s") == chosen.schedule


def test_few_lanes_have_few_channels() -> None:
    """Ports that the lanes of a design don't use are not built."""
    graph = so.dataflow(so.load(GRAPHS / "polybench/gesummv.json"))
    ports = so.plan_ports(graph, "m_axi", ports={"B": "m_axi:2"})
    found = so.solve(graph, level="opt6", dsp=40, space=so.Space(ports=ports))
    channels = {port.array: port.channels for port in found.schedule.ports}
    assert len(channels["B"]) == 2
    assert sum(map(len, channels.values())) <= 16


def test_without_known_rates_no_channels_are_chosen() -> None:
    on = so.device("u280")
    unknown = replace(on, channels=tuple(replace(c, bytes_per_s=0) for c in on.channels))
    ports = so.plan_ports(GEMM, "m_axi", device=unknown)
    assert boundary_of_form(GEMM, ports, unknown)[1] == ports
    assert not any(port.channels for port in ports)


def test_no_choice_of_channels_is_quicker() -> None:
    sizes = {"A": 640_000, "B": 320_000, "x": 1600}
    cycles = quickest_cycles(sizes, 64.0, 32, 32)
    parts = fewest_parts(sizes, 64.0, cycles)
    assert sum(parts.values()) <= 32 < sum(fewest_parts(sizes, 64.0, cycles - 1).values())
    assert cycles >= max(sizes[name] / (64 * count) for name, count in parts.items())
    for first in range(1, 31):
        rest = 32 - 1 - first
        assert not rest or cycles <= max(640_000 / (64 * first), 320_000 / (64 * rest)) + 1
