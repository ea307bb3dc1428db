"""Runs of decoders: words one by one, closed forms, and what memory can bring."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import TYPE_CHECKING

import pytest

from streamopt.ir.decoders.hardware import DecoderFills, DecoderHardware
from streamopt.ir.decoders.shape import DecoderShape
from streamopt.ir.decoders.steps import DecoderTable, chunks_of
from streamopt.ir.engines.hardware import Supply
from streamopt.perf.decoders.cycles import chunk_cycles, least_cycles
from streamopt.sim.decoders.run import simulate_decoder
from streamopt.sim.engines.arriving import ArrivingWords
from tests.support.programs.language_models import GPT, LLAMA

if TYPE_CHECKING:
    from streamopt.ir.decoders.model import DecoderModel

FILLS = DecoderFills(31, 17, 103, 19, 23, 37, 89)
SHAPES = [
    DecoderShape(16, 16, 2, 8, 16, 4, 8, 1, 12),
    DecoderShape(14, 8, 3, 7, 8, 4, 8, 2, 6),
    DecoderShape(64, 4, 1, 16, 8, 2, 16, 4, 20),
]


def hardware(
    model: DecoderModel, shape: DecoderShape, rate: Fraction, fifo: int
) -> DecoderHardware:
    table = DecoderTable(model, shape)
    names = tuple(f"HBM[{at}]" for at in range(shape.channels))
    return DecoderHardware(table, Supply(names, rate, 42, fifo), FILLS, 64, 27)


@pytest.mark.parametrize("rate", [Fraction(1), Fraction(4, 3), Fraction(7, 2)])
def test_words_arrive_as_one_by_one(rate: Fraction) -> None:
    fifo = 5
    arriving = ArrivingWords(Supply(("HBM[0]",), rate, 11, fifo))
    came, taken = Fraction(0), list[int]()
    now = 3
    for words, each, pause in [(1, 1, 0), (12, 1, 9), (4, 3, 0), (23, 1, 40), (8, 2, 1)]:
        arriving.begin_burst()
        came += 11
        expected = now
        for _ in range(words):
            room = taken[-fifo] + 1 if len(taken) >= fifo else 0
            came = max(came + rate, Fraction(room))
            expected = max(expected, ceil(came) + 1)
            taken.append(expected)
            expected += each
        found, waited = arriving.take(now, words, each)
        assert (found, waited) == (expected, expected - now - words * each)
        now = found + pause
    assert arriving.count == len(taken)


@pytest.mark.parametrize("model", [GPT, LLAMA])
@pytest.mark.parametrize("shape", SHAPES)
def test_without_waiting_a_run_takes_what_its_loops_do(
    model: DecoderModel, shape: DecoderShape
) -> None:
    """Words that come far faster than they are used are never waited for, but for the first."""
    own = hardware(model, shape, Fraction(1, 50), 5000)
    own = replace(own, supply=replace(own.supply, latency_cycles=0))
    run = simulate_decoder(own, 17, 4)
    loops = [chunk_cycles(own, chunk) for chunk in chunks_of(17, 4, shape.rows)]
    assert run.cycles == sum(one.compute for one in loops) + run.stall_cycles
    assert run.stall_cycles <= 2
    past = sum(one.words for one in loops)
    writes = sum(
        2 * model.layers * model.heads.groups * own.table.own_words(chunk, chunk.rows - 1)
        for chunk in chunks_of(17, 4, shape.rows)
    )
    assert run.words == past - writes


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rate", [Fraction(1), Fraction(4, 3), Fraction(5)])
def test_no_run_is_below_its_bound(shape: DecoderShape, rate: Fraction) -> None:
    for fifo in (3, 64):
        own = hardware(LLAMA, shape, rate, fifo)
        run = simulate_decoder(own, 17, 6)
        least = least_cycles(own, 17, 6)
        assert least <= run.cycles
        assert run.cycles >= run.words * rate
        assert len(run.answers) == 6
        assert list(run.answers) == sorted(run.answers)


def test_more_context_takes_longer() -> None:
    own = hardware(GPT, SHAPES[0], Fraction(1), 64)
    ends = simulate_decoder(own, 1, 60).answers
    steps = [later - one for one, later in pairwise(ends)]
    assert steps[-1] > steps[0]
    assert steps == sorted(steps)
