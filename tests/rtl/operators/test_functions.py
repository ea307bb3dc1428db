"""Functions of floating-point numbers against NumPy and SciPy, in units of the last place."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
from scipy import special

from streamopt.rtl.operators.float_format import FLOAT, HALF, FloatFormat
from streamopt.rtl.operators.float_leaf import FLOAT_KINDS, FloatLeaf
from tests.support.float_cases import Bits, Reals, encoded, operands, real
from tests.support.runners.operator_bench import results

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
ERF: Callable[[Reals], Reals] = special.erf
FUNCTIONS: Mapping[str, Callable[[Reals], Reals]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "tanh": np.tanh,
    "erf": ERF,
    "recip": lambda x: 1 / x,
}
MOST_ULPS = {"recip": 0.5}
"""Errors that are stated; 0.75 for the others."""


def numbers(form: FloatFormat, count: int, seed: int) -> Bits:
    """Return special and random numbers, more of them where functions have values of interest."""
    rng = np.random.default_rng(seed)
    parts = [operands(form, count, seed)[0]]
    for low, high in ((-20.0, 20.0), (0.5, 2.0), (-90.0, 90.0), (-1e-3, 1e-3)):
        parts.append(encoded(form, rng.uniform(low, high, count)))
    return np.concatenate(parts)


def check_function(leaf: FloatLeaf, bits: Bits, found: Bits) -> None:
    """Compare results with double precision: special ones bit by bit, others in last places."""
    form, value = leaf.form, FUNCTIONS[leaf.kind]
    with np.errstate(all="ignore"):
        exact = value(real(form, bits))
        wanted, near = encoded(form, exact), real(form, found)
    special_bits = np.uint64(form.special << form.fraction_bits)
    is_number = (wanted & special_bits != special_bits) & (wanted & special_bits != 0)
    is_number &= np.isfinite(near) & (near != 0)
    wrong = np.flatnonzero(~is_number & (found != wanted))
    assert not wrong.size, f"{leaf.name}: {[hex(int(bits[n])) for n in wrong[:5]]}"
    exact, near = exact[is_number], near[is_number]
    last = np.ldexp(1.0, np.frexp(exact)[1] - form.significand_bits)
    off = np.abs(near - exact) / last
    worst = int(np.argmax(off))
    shown = f"{leaf.name}: {off[worst]} last places at {hex(int(bits[is_number][worst]))}"
    assert off[worst] <= MOST_ULPS.get(leaf.kind, 0.75), shown


def check_functions(form: FloatFormat, kinds: tuple[str, ...], bits: Bits, at: Path) -> None:
    """Compare functions on some numbers."""
    leaves: list[FloatLeaf] = []
    for kind in kinds:
        places = FLOAT_KINDS[kind].places
        assert callable(places)
        leaves.append(FloatLeaf(kind, form, places(form)))
    found = results(leaves, (bits, bits, bits), at)
    for leaf, own in zip(leaves, found, strict=False):
        check_function(leaf, bits, own)


@needs_verilator
@pytest.mark.slow
def test_functions_of_every_half(tmp_path: Path) -> None:
    check_functions(HALF, tuple(FUNCTIONS), np.arange(1 << 16, dtype=np.uint64), tmp_path)


@needs_verilator
@pytest.mark.nightly
def test_functions_of_ten_million_numbers(tmp_path: Path) -> None:
    for seed in range(10):
        check_functions(FLOAT, tuple(FUNCTIONS), numbers(FLOAT, 200_000, seed), tmp_path)


@needs_verilator
@pytest.mark.nightly
def test_reciprocals_of_all_significands(tmp_path: Path) -> None:
    for first in range(0, 1 << 23, 1 << 21):
        bits = np.arange(first, first + (1 << 21), dtype=np.uint64) | np.uint64(127 << 23)
        check_functions(FLOAT, ("recip",), bits, tmp_path)
