from __future__ import annotations

import pytest

from streamopt.ir.network import Place
from streamopt.perf.pipelines.timings import Bound, Reason
from tests.support.networks.one_pipeline import memory, pipeline, timed


def reading(
    lanes: int, factor: int, place: Place = Place.ARGUMENT, shared: str = "", *, free: bool = False
) -> int:
    one = pipeline({"i": 16}, {"l": lanes}, [f"read A[i * {lanes} + l] v", "write s[l] v"])
    array = memory("A", place, (16 * lanes,), (factor,), tool_splits=free)
    return timed(one, array, shared=shared).timing.ii


@pytest.mark.parametrize(
    ("lanes", "factor", "ii"),
    [
        (224, 1, 112),  # Autoencoder opt3: weights without a pragma
        (256, 1, 128),  # ResMLP opt3
        (4, 1, 2),  # weights of a convolution
        (1, 1, 1),
        (10, 10, 1),
        (10, 5, 1),
        (12, 4, 2),
    ],
)
def test_arguments_have_two_ports_a_bank(lanes: int, factor: int, ii: int) -> None:
    assert reading(lanes, factor) == ii


def test_an_argument_of_two_processes_has_one_port_for_each() -> None:
    assert reading(7, 1, shared="A") == 7  # batch normalisation with a residual connection
    assert reading(7, 7, shared="A") == 1


@pytest.mark.parametrize("place", [Place.PING_PONG, Place.LOCAL])
def test_arrays_inside_have_two_ports_a_bank_unless_the_tool_splits_them(place: Place) -> None:
    assert reading(8, 1, place) == 4
    assert reading(8, 2, place) == 2
    assert reading(8, 8, place) == 1
    assert reading(8, 1, place, free=True) == 1


def test_a_dimension_that_is_not_split_leaves_all_in_one_bank() -> None:
    """Eight heads of attention, 16 columns each, in an array split along its rows."""
    one = pipeline(
        {"i": 16, "j": 16}, {"h": 8, "il": 4}, ["read A[i * 4 + il][h * 16 + j] v", "write s[h] v"]
    )
    found = timed(one, memory("A", Place.PING_PONG, (64, 128), (4, 1)))
    assert Bound(Reason.MEMORY_PORTS, "A", 8, 4) in found.bounds


def test_strides_that_the_factor_divides_fall_into_one_bank() -> None:
    one = pipeline({"i": 16}, {"l": 8}, ["read A[l * 16 + i] v", "write s[l] v"])
    assert timed(one, memory("A", Place.ARGUMENT, (128,), (4,))).timing.ii == 4


def test_quotients_and_remainders() -> None:
    one = pipeline(
        {"i": 16}, {"l": 8}, ["read A[(i * 8 + l) / 16][(i * 8 + l) % 16] v", "write s[l] v"]
    )
    assert timed(one, memory("A", Place.PING_PONG, (8, 16), (8, 1))).timing.ii == 4
    assert timed(one, memory("A", Place.PING_PONG, (8, 16), (1, 8))).timing.ii == 1


def test_a_bank_that_moves_with_the_iteration_may_be_any() -> None:
    one = pipeline({"i": 16}, {"l": 4}, ["read A[i + l] v", "write s[l] v"])
    assert timed(one, memory("A", Place.ARGUMENT, (20,), (4,))).timing.ii == 2


@pytest.mark.parametrize(("more", "ii"), [([], 1), (["read A[j + 1] w"], 2)])
def test_an_access_of_any_bank_takes_a_port_of_each(more: list[str], ii: int) -> None:
    """A row for every lane, and one that moves with the iteration, as in syr2k."""
    ports = ["read A[i * 8 + l] u", "read A[j] v", *more, "write s[l] u"]
    one = pipeline({"i": 2, "j": 16}, {"l": 8}, ports)
    assert timed(one, memory("A", Place.ARGUMENT, (17,), (8,))).timing.ii == ii


def test_one_element_is_accessed_once() -> None:
    ports = ["read A[i] v", "read A[i] w", "write A[i] v", "read A[i + 1] u"]
    assert timed(pipeline({"i": 4}, {}, ports), memory("A", Place.ARGUMENT, (5,))).timing.ii == 1
    ports += ["read A[i + 2] t"]
    assert timed(pipeline({"i": 4}, {}, ports), memory("A", Place.ARGUMENT, (6,))).timing.ii == 2


def test_lanes_whose_guard_never_holds_access_nothing() -> None:
    guarded = "read s v if k * 5 + l == {}"
    for at, ii in ((0, 1), (19, 1), (20, 1)):
        one = pipeline({"k": 4}, {"l": 5}, [guarded.format(at), "write t v if k * 5 + l == 0"])
        assert timed(one).timing.ii == ii


@pytest.mark.parametrize(
    ("guard", "ii"),
    [
        ("l < 2", 2),
        ("l >= 1 && l != 3", 3),
        ("l == 0 || l == 4", 2),
        ("!(l <= 3)", 1),
        ("k > 3", 1),
        ("k * 2 + l == 3", 2),
    ],
)
def test_streams_take_one_access_a_cycle(guard: str, ii: int) -> None:
    assert timed(pipeline({"k": 4}, {"l": 5}, [f"read s v if {guard}"])).timing.ii == ii


def test_lanes_that_share_a_stream_take_turns() -> None:
    found = timed(pipeline({"k": 4}, {"l": 5, "m": 3}, ["read s[l] v", "write t v if l == 0"]))
    assert found.binding == Bound(Reason.STREAM_PORTS, "s", 3, 3)
