"""Runs of engines against a simulation of every cycle."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.sim.engines.run import simulate_engine
from tests.support.programs.integer_networks import every_layer, lenet
from tests.support.runners.engine_stepper import stepped_spans

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.ir.engines.hardware import EngineHardware
    from streamopt.ir.program import Program


@cache
def built(make: Callable[[], Program]) -> EngineHardware:
    return so.engine(make(), dsp=24).evaluation.hardware


SUPPLIES = [(Fraction(1), 512, 28), (Fraction(5, 2), 16, 3), (Fraction(7), 1, 50)]


@pytest.mark.parametrize(("per_word", "fifo_words", "latency"), SUPPLIES)
@pytest.mark.parametrize("make", [every_layer, lenet])
def test_layers_begin_and_end_as_in_every_cycle(
    make: Callable[[], Program], per_word: Fraction, fifo_words: int, latency: int
) -> None:
    hardware = built(make)
    supply = replace(
        hardware.supply,
        cycles_per_word=per_word,
        fifo_words=fifo_words,
        latency_cycles=latency,
    )
    for is_shared in (False, True):
        hardware = replace(hardware, supply=supply, is_shared=is_shared)
        run = simulate_engine(hardware)
        assert [(one.start_cycles, one.end_cycles) for one in run.passes] == stepped_spans(hardware)


def test_slow_channels_make_loops_wait() -> None:
    hardware = built(lenet)
    slow = replace(hardware, supply=replace(hardware.supply, cycles_per_word=Fraction(20)))
    quick, late = simulate_engine(hardware), simulate_engine(slow)
    assert late.cycles - quick.cycles > quick.stall_cycles
    assert late.cycles >= 20 * hardware.table.words


def test_frames_follow_each_other() -> None:
    hardware = built(every_layer)
    one, three = simulate_engine(hardware), simulate_engine(hardware, 3)
    assert three.frame_ends[0] == one.cycles
    assert three.words == 3 * one.words
    assert 2.5 * one.cycles < three.cycles <= 3 * one.cycles
