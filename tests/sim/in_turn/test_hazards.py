"""Hazards between iterations that overlap are found, and nothing else is."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import SimulationError
from streamopt.ir.network import AccessMode, Network, PipelineTiming, Turn
from streamopt.ir.operators import Operator
from streamopt.sim.in_turn import hazards
from streamopt.sim.in_turn.hazards import check_hazards
from tests.support.networks.by_hand import timing
from tests.support.networks.in_turns import (
    Body,
    in_turns,
    it,
    jacobi,
    local,
    loop,
    lu,
    pipeline,
    trisolv,
)
from tests.support.runners.turns_runner import is_disturbed, memory_events

if TYPE_CHECKING:
    from collections.abc import Callable

CHAIN = {"divide": timing(1, 14), "update": timing(1, 11)}


def code_of(found: Network, timings: dict[str, PipelineTiming], **options: int) -> str:
    with pytest.raises(SimulationError) as caught:
        check_hazards(found, timings, **options)
    return caught.value.diagnostics[0].code


def test_visits_that_last_long_enough_are_safe() -> None:
    check = check_hazards(trisolv(40, 4, (14, 11)), CHAIN)
    assert check.is_complete
    assert check.iterations == 40 * 14 + 39 * 11 + 1


@pytest.mark.parametrize("least", [(13, 11), (14, 10)])
def test_one_cycle_too_few_is_found(least: tuple[int, int]) -> None:
    assert code_of(trisolv(40, 4, least), CHAIN) == "E811"


def test_names_both_sides() -> None:
    with pytest.raises(SimulationError) as caught:
        check_hazards(trisolv(40, 4, (12, 11)), CHAIN)
    said = caught.value.diagnostics[0].message
    expected = "update at j = 0, i = 0 reads x[0] 2 cycles before divide at j = 0 has written it"
    assert said == expected


@pytest.mark.parametrize(("least", "is_safe"), [(4, False), (5, True)])
def test_write_before_a_late_read_is_found(least: int, *, is_safe: bool) -> None:
    i, i2 = loop("i", 0, 4, 4), loop("i2", 0, 4, 4)
    take = Body((("A", (it("i"),)),), ("B", (it("i"),)), (Operator.NEGATE,))
    put = Body((("C", (it("i2"),)),), ("A", (it("i2"),)), (Operator.NEGATE,))
    found = in_turns(
        "n",
        (Turn("take", (i,), least_cycles=least), Turn("put", (i2,))),
        (pipeline("take", (i,), take, {}), pipeline("put", (i2,), put, {})),
        *(local(name, (4,), (4,)) for name in "ABC"),
    )
    # A[0] is taken in cycle 5, and found anew from cycle 1 after the start of the second visit on.
    timings = {"take": PipelineTiming(1, 7, (5, 6)), "put": PipelineTiming(1, 7, (0, 1))}
    if is_safe:
        check_hazards(found, timings)
    else:
        assert code_of(found, timings) == "E811"


def test_ports_of_a_bank() -> None:
    found = lu(16, (2, 4), (20, 45))
    depths = {"scale": timing(1, 15), "update": timing(1, 12)}
    check_hazards(found, depths)
    (memory,) = found.memories
    narrow = replace(found, memories=(replace(memory, factors=(2, 4)),))
    assert code_of(narrow, depths) == "E813"
    # A tile of A, its column and its row, from banks of their own: one of each, and a write.
    slow = {name: replace(one, ii=4) for name, one in depths.items()}
    check_hazards(narrow, slow)


def test_access_outside() -> None:
    found = trisolv(10, 4, (14, 11))
    (process,) = found.processes
    divide, update = process.pipelines
    bare = replace(update, ports=tuple(replace(port, guard=None) for port in update.ports))
    found = replace(found, processes=(replace(process, pipelines=(divide, bare)),))
    assert code_of(found, CHAIN) == "E814"


def test_long_runs_are_checked_in_stretches() -> None:
    found = trisolv(400, 4, (14, 11))
    check = check_hazards(found, CHAIN, most_accesses=20_000)
    assert not check.is_complete
    assert 0.02 * check.iterations < check.checked_iterations < check.sampled_iterations
    assert code_of(trisolv(400, 4, (14, 10)), CHAIN, most_accesses=20_000) == "E811"


def is_refused(found: Network, timings: dict[str, PipelineTiming]) -> bool:
    try:
        check_hazards(found, timings)
    except SimulationError as error:
        return error.diagnostics[0].code == "E811"
    return False


CASES: dict[str, Callable[[Random], Network]] = {
    "lu": lambda r: lu(
        r.randrange(3, 10),
        (r.randrange(1, 4), r.randrange(1, 4)),
        (r.randrange(1, 12), r.randrange(1, 12)),
    ),
    "trisolv": lambda r: trisolv(
        r.randrange(3, 12), r.randrange(1, 4), (r.randrange(1, 9), r.randrange(1, 9))
    ),
    "jacobi": lambda r: jacobi(
        r.randrange(3, 7), r.randrange(1, 4), r.randrange(1, 4), r.randrange(1, 20)
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_verdicts_are_those_of_a_replay(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole, and in chunks that overlap by the length of an iteration."""
    disturbed = 0
    for seed in range(40):
        random = Random(seed)
        found = CASES[name](random)
        timings = {
            pipeline.name: random_timing(random, [port.mode for port in pipeline.ports])
            for pipeline in found.pipelines
        }
        found = replace(found, memories=tuple(replace(m, factors=m.shape) for m in found.memories))
        expected = is_disturbed(list(memory_events(found, timings)))
        monkeypatch.setattr(hazards, "CHUNK_ACCESSES", random.choice((10, 1_000_000)))
        assert is_refused(found, timings) == expected, f"seed {seed}"
        disturbed += expected
    assert 4 <= disturbed <= 36


def random_timing(random: Random, modes: list[AccessMode]) -> PipelineTiming:
    depth = random.randrange(2, 8)
    if random.random() < 0.5:
        return PipelineTiming(1, depth)
    reads = random.randrange(depth - 1)
    cycles = (random.randrange(reads + 1) if m is AccessMode.READ else depth for m in modes)
    return PipelineTiming(random.choice((1, 1, 2)), depth, tuple(cycles))
