"""The best engine: no shape is quicker, and none is over the limits."""

from __future__ import annotations

from dataclasses import replace

import pytest

import streamopt as so
from streamopt.errors import InfeasibleError
from streamopt.evaluation.engines import built_engine, simulated_engine
from streamopt.perf.engines.cycles import engine_cycles, word_bytes
from streamopt.perf.engines.resources import fill_cycles, longest_epilogue_cycles
from streamopt.strategies.engines.search import EngineLimits, solve_engine
from streamopt.strategies.engines.space import EngineSpace, Multipliers, shapes, supply_of
from streamopt.target.device import find_device
from streamopt.transforms.engines.forms import forms_of
from streamopt.transforms.engines.network_layers import network_layers
from tests.support.programs.integer_networks import every_layer

TARGET = find_device()
SPACE = EngineSpace(banks=(16,), drains=(8,))


@pytest.mark.parametrize("packed", [False, True])
def test_no_shape_runs_in_fewer_cycles(packed: bool) -> None:
    graph = network_layers(so.dataflow(every_layer()))
    limits = EngineLimits(TARGET, replace(TARGET.total, dsps=12), packed, 4, None, SPACE)
    answer = solve_engine(graph, limits)
    forms, _ = forms_of(graph)
    runs: list[int] = []
    for shape in shapes(SPACE, Multipliers(12, packed, 4)):
        fill = fill_cycles(shape, longest_epilogue_cycles(forms, TARGET), TARGET)
        cycles = engine_cycles(graph, shape, fill)
        supply = supply_of(word_bytes(graph, shape), TARGET, None, SPACE.fifo_words)
        found = simulated_engine(*built_engine(graph, shape, cycles, supply, TARGET, TARGET.total))
        least = cycles.least(supply.cycles_per_word, 0)
        assert least <= found.run.cycles
        if found.resources.total.dsps <= 12:
            runs.append(found.run.cycles)
    assert answer.bound_cycles == answer.cycles == min(runs)
    assert answer.roofline_cycles <= answer.cycles


def test_limits_hold_or_nothing_is_returned() -> None:
    graph = network_layers(so.dataflow(every_layer()))
    free = solve_engine(graph, EngineLimits(TARGET, replace(TARGET.total, dsps=20), space=SPACE))
    luts = free.evaluation.resources.total.luts - 1
    less = replace(TARGET.total, dsps=20, luts=luts)
    tight = solve_engine(graph, EngineLimits(TARGET, less, space=SPACE))
    assert tight.evaluation.resources.total.luts <= luts
    assert tight.cycles >= free.cycles
    with pytest.raises(InfeasibleError, match="E528"):
        solve_engine(graph, EngineLimits(TARGET, replace(less, luts=100), space=SPACE))


def test_a_device_may_have_no_multipliers_of_luts() -> None:
    """The operator table of a Zynq has none for integers."""
    target = find_device("xc7z020", 10.0)
    graph = network_layers(so.dataflow(every_layer()))
    found = solve_engine(graph, EngineLimits(target, replace(target.total, dsps=20), space=SPACE))
    assert 0 < found.evaluation.resources.total.dsps <= 20
    assert found.bound_cycles == found.cycles


def test_fewer_channels_never_help() -> None:
    graph = network_layers(so.dataflow(every_layer()))
    limits = EngineLimits(TARGET, replace(TARGET.total, dsps=200), space=SPACE)
    many = solve_engine(graph, limits)
    one = solve_engine(graph, replace(limits, channels=1))
    assert len(one.evaluation.hardware.supply.channels) == 1
    assert one.cycles >= many.cycles
