from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamopt.analysis.addresses.signed_digits import signed_digits
from streamopt.perf.resources.addresses import address_multipliers
from tests.support.networks.multiply_add import matrix_product, network_of


def test_dimensions_with_a_bank_for_each_element_are_no_part_of_an_address() -> None:
    extents = {"i": 4, "j": 11, "k": 13}
    pipeline = matrix_product(extents, dict.fromkeys("ijk", 1))
    found = network_of(pipeline, dict.fromkeys("ijk", 1), extents)
    split = {m.name: replace(m, factors=(m.shape[0], 1)) for m in found.memories}
    assert address_multipliers(pipeline, {m.name: m for m in found.memories})
    assert not address_multipliers(pipeline, split)


@given(st.integers(min_value=1, max_value=100_000))
def test_signed_digits_are_the_fewest_that_make_the_constant(constant: int) -> None:
    digits, rest = 0, constant
    while rest:
        if rest % 2:
            digits += 1
            rest -= 2 - rest % 4
        rest //= 2
    assert signed_digits(constant) == digits


def multipliers(order: str, extents: tuple[int, int, int]) -> list[tuple[int, bool]]:
    """Return (constant, in a DSP) of the addresses of a product, one lane each."""
    lanes = {"i": 1, "j": 1, "k": 1}
    trips = dict(zip("ijk", extents, strict=True))
    pipeline = matrix_product({name: trips[name] for name in order}, lanes)
    network = network_of(pipeline, lanes, trips)
    memories = {memory.name: memory for memory in network.memories}
    return sorted((m.extent, m.in_dsp) for m in address_multipliers(pipeline, memories))


@pytest.mark.parametrize(
    ("order", "extents", "in_dsp", "in_luts"),
    [
        ("ijk", (64, 64, 64), 0, 0),
        ("ijk", (180, 190, 210), 2, 1),  # 2mm opt1 node3: A[i][k] runs with the innermost loop
        ("kji", (180, 190, 210), 3, 0),  # 2mm opt2 node3
        ("ikj", (190, 210, 220), 1, 2),  # 3mm opt2 node2
        ("ijk", (200, 220, 240), 2, 0),  # gemm opt1 node2: 240 is 256 - 16
    ],
)
def test_published_products_of_addresses(
    order: str, extents: tuple[int, int, int], in_dsp: int, in_luts: int
) -> None:
    found = multipliers(order, extents)
    assert sum(dsp for _, dsp in found) == in_dsp
    assert sum(not dsp for _, dsp in found) == in_luts
