"""Operators in Verilog, run by Verilator, against NumPy: bit by bit."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from streamopt.rtl.operators.float_format import DOUBLE, FLOAT, HALF, FloatFormat
from streamopt.rtl.operators.float_leaf import FLOAT_KINDS, FloatLeaf
from streamopt.rtl.operators.table import FLOAT_LEVELS
from tests.support.float_cases import Bits, Reals, apart, encoded, operands, real, sum_to_odd
from tests.support.runners.operator_bench import results


def _fused(left: Reals, right: Reals, addend: Reals) -> Reals:
    return sum_to_odd(left * right, addend)


def _larger(left: Reals, right: Reals, by: Callable[[Reals, Reals], Reals], zeros: bool) -> Reals:
    """Return what NumPy does, and of two zeros the one that is above, or below."""
    negative = (
        np.signbit(left) & np.signbit(right) if zeros else np.signbit(left) | np.signbit(right)
    )
    return np.where((left == 0) & (right == 0), np.where(negative, -0.0, 0.0), by(left, right))


NUMBERS: dict[str, Callable[[Reals, Reals, Reals], Reals]] = {
    "add": lambda a, b, _: a + b,
    "sub": lambda a, b, _: a - b,
    "mul": lambda a, b, _: a * b,
    "fma": _fused,
    "div": lambda a, b, _: a / b,
    "sqrt": lambda a, _, __: np.sqrt(a),
    "max": lambda a, b, _: _larger(a, b, np.fmax, True),
    "min": lambda a, b, _: _larger(a, b, np.fmin, False),
}
"""In float64, rounded so that rounding again to the format is as if there was one."""


def _product(left: Reals, right: Reals, _: Reals) -> Reals:
    return apart(np.multiply, 1, left, right)


def _quotient(left: Reals, right: Reals, _: Reals) -> Reals:
    return apart(np.divide, -1, left, right)


DOUBLES = {**NUMBERS, "mul": _product, "div": _quotient}
"""With exponents apart, as there is no wider type."""
TRUTHS: dict[str, Callable[[Reals, Reals], NDArray[np.bool_]]] = {
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
}


def expected(leaf: FloatLeaf, cases: Sequence[Bits]) -> Bits:
    """Return the correct results of an operator."""
    form = leaf.form
    with np.errstate(all="ignore"):
        numbers = [real(form, bits) for bits in cases]
        known = DOUBLES if form == DOUBLE else NUMBERS
        if leaf.kind in known:
            return encoded(form, known[leaf.kind](numbers[0], numbers[1], numbers[2]))
        return TRUTHS[leaf.kind](numbers[0], numbers[1]).astype(np.uint64)


def check_against_numpy(leaves: Sequence[FloatLeaf], cases: Sequence[Bits], at: Path) -> None:
    """Compare the results of operators on some operands with NumPy's."""
    for leaf, found in zip(leaves, results(leaves, cases, at), strict=False):
        wanted = expected(leaf, cases)
        wrong = np.flatnonzero(found != wanted)
        shown = [tuple(f"{int(x[n]):#x}" for x in (*cases, found, wanted)) for n in wrong[:5]]
        assert not wrong.size, f"{leaf.name}: {wrong.size} of {found.size}: {shown}"


def _places(kind: str, form: FloatFormat) -> int:
    places = FLOAT_KINDS[kind].places
    return places(form) if callable(places) else len(places)


KINDS = sorted(NUMBERS.keys() | TRUTHS.keys())
"""Those that round once; a change of a sign leaves NaN and subnormal numbers as they are."""
needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)


@needs_verilator
@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "kinds"),
    [
        pytest.param(HALF, KINDS, id="half", marks=pytest.mark.nightly),
        pytest.param(FLOAT, ["add", "div", "fma"], id="float"),
    ],
)
def test_operators_round_once(form: FloatFormat, kinds: Sequence[str], tmp_path: Path) -> None:
    leaves = [FloatLeaf(kind, form, _places(kind, form)) for kind in kinds]
    check_against_numpy(leaves, operands(form, 10_000, 7), tmp_path)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("kind", sorted({*KINDS} - {"fma"}))
def test_doubles_round_once(kind: str, tmp_path: Path) -> None:
    leaf = FloatLeaf(kind, DOUBLE, FLOAT_LEVELS[kind])
    check_against_numpy([leaf], operands(DOUBLE, 1_000_000, 3), tmp_path)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("levels", [1, 3, 5, 40])
def test_results_are_the_same_with_any_registers(levels: int, tmp_path: Path) -> None:
    leaves = [FloatLeaf(kind, HALF, levels) for kind in KINDS]
    check_against_numpy(leaves, operands(HALF, 10_000, levels), tmp_path)


@needs_verilator
@pytest.mark.nightly
def test_functions_of_every_half(tmp_path: Path) -> None:
    every = np.arange(1 << HALF.bits, dtype=np.uint64)
    check_against_numpy([FloatLeaf("sqrt", HALF, 3)], (every, every, every), tmp_path)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("kind", KINDS)
def test_ten_million_operands(kind: str, tmp_path: Path) -> None:
    levels = FLOAT_LEVELS.get(kind, 4)
    for block in range(10):
        leaves = [FloatLeaf(kind, FLOAT, levels)]
        check_against_numpy(leaves, operands(FLOAT, 1_000_000, block), tmp_path)
