"""Operators on whole and fixed-point numbers, and conversions, against exact arithmetic."""

import math
import shutil
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path
from random import Random

import numpy as np
import pytest

from streamopt.ir.element import ElementType
from streamopt.rtl.operators.conversion_leaf import ConversionLeaf
from streamopt.rtl.operators.float_format import DOUBLE, FLOAT, HALF, FloatFormat
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.operators.number_format import TRUTH, NumberFormat, WholeFormat, format_of
from streamopt.rtl.operators.whole_leaf import WholeLeaf
from streamopt.verification.exact.scalar_operations import quotient
from tests.support.float_cases import Bits, encoded, operands, real
from tests.support.runners.operator_bench import results

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
S8, U8, S16, U16, S32, S64 = (
    WholeFormat(8),
    WholeFormat(8, False),
    WholeFormat(16),
    WholeFormat(16, False),
    WholeFormat(32),
    WholeFormat(64),
)
FIXED, OTHER = WholeFormat(16, True, 10), WholeFormat(12, True, 4)
ROUNDED, SATURATED = WholeFormat(9, True, 5, True, False), WholeFormat(10, True, 3, True, True)


def _shift(left: Fraction, by: Fraction) -> Fraction:
    return left * Fraction(2) ** int(by)


def _divided(left: Fraction, right: Fraction) -> Fraction:
    """Cut off at the last place of a quotient of fixed-point numbers is what `_check` does."""
    return left / right if right else Fraction(0)


EXACT: dict[str, Callable[[Fraction, Fraction], Fraction | bool]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _divided,
    "mod": lambda a, b: a - b * quotient(int(a), int(b)) if b else Fraction(0),
    "min": min,
    "max": max,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "and": lambda a, b: Fraction(int(a) & int(b)),
    "or": lambda a, b: Fraction(int(a) | int(b)),
    "xor": lambda a, b: Fraction(int(a) ^ int(b)),
    "shl": _shift,
    "shr": lambda a, b: Fraction(math.floor(_shift(a, -b))),
    "neg": lambda a, _: -a,
    "abs": lambda a, _: abs(a),
    "as": lambda a, _: a,
}
EXTREME = ("add", "sub", "mul", "min", "max")
TESTS = ("lt", "le", "eq", "ne")
WHOLE = ("div", "mod", "and", "or", "xor")
U5 = WholeFormat(5, False)
LEAVES = (
    *(WholeLeaf(kind, (S8, S8), S16, 1) for kind in (*EXTREME, *WHOLE)),
    *(WholeLeaf(kind, (U16, S8), S32, 3) for kind in (*EXTREME, *WHOLE)),
    *(WholeLeaf(kind, (FIXED, OTHER), ROUNDED, 2) for kind in EXTREME),
    *(WholeLeaf(kind, (FIXED, OTHER), TRUTH, 2) for kind in TESTS),
    *(WholeLeaf(kind, (U16, S8), TRUTH, 1) for kind in TESTS),
    *(WholeLeaf(kind, (FIXED, OTHER), SATURATED, 2) for kind in ("add", "mul", "max")),
    WholeLeaf("div", (FIXED, OTHER), WholeFormat(21, True, 10), 5),
    WholeLeaf("div", (S32, S32), S32, 9),
    WholeLeaf("mul", (S32, S32), S32, 3),
    WholeLeaf("mul", (S32, S32), S64, 3),
    WholeLeaf("add", (S64, S64), S64, 1),
    WholeLeaf("shl", (S16, U5), S32, 1),
    WholeLeaf("shr", (S32, U5), S32, 1),
    *(WholeLeaf(kind, (S16,), WholeFormat(17), 1) for kind in ("neg", "abs")),
    *(WholeLeaf("as", (S32,), form, 1) for form in (S8, U8, S64, SATURATED)),
    *(WholeLeaf("as", (FIXED,), form, 2) for form in (S8, OTHER, ROUNDED, SATURATED)),
)  # fmt: skip


def number(form: WholeFormat, bits: int) -> Fraction:
    kept = bits & ((1 << form.bits) - 1)
    signed = kept - (1 << form.bits) if form.is_signed and kept > form.high else kept
    return signed * Fraction(2) ** -form.fraction_bits


def _expected(leaf: WholeLeaf, case: Sequence[int]) -> int:
    values = [number(form, bits) for form, bits in zip(leaf.operands, case, strict=False)]
    exact = Fraction(EXACT[leaf.kind](values[0], values[-1]))
    if leaf.kind == "div":  # cut off towards zero at the quotient's own last place
        points = [form.fraction_bits for form in leaf.operands]
        place = Fraction(2) ** -(points[0] + max(points[1], 0) - points[1])
        exact = quotient(*(exact / place).as_integer_ratio()) * place
    return leaf.result.mantissa_of(exact)


def _cases(count: int, seed: int) -> tuple[Bits, Bits, Bits]:
    rng = Random(seed)
    ends = [0, 1, 2, 127, 128, 255, 2**15 - 1, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1]
    ends += [2**63 - 1, 2**63, 2**64 - 1, 2**64 - 2, 5, 10, 2**64 - 128]
    pairs = [(a, b, 0) for a in ends for b in ends]
    while len(pairs) < count:
        widths = rng.choice((64, 64, 20, 8, 3)), rng.choice((64, 64, 20, 8, 3))
        one, other = (rng.getrandbits(width) for width in widths)
        pairs.append((one, (2**64 - other) % 2**64 if rng.random() < 0.3 else other, 0))
    first, second, third = np.array(pairs, np.uint64).T
    return first, second, third


def check_whole(leaves: Sequence[WholeLeaf], count: int, seed: int, at: Path) -> None:
    """Compare results with those of exact arithmetic."""
    cases = _cases(count, seed)
    listed = [*zip(*(part.tolist() for part in cases), strict=True)]
    for leaf, found in zip(leaves, results(leaves, cases, at), strict=True):
        wrong = [
            (case, bits, _expected(leaf, case))
            for case, bits in zip(listed, found.tolist(), strict=True)
            if bits != _expected(leaf, case)
        ]
        assert not wrong, f"{leaf.name}: {len(wrong)} of {len(listed)}: {wrong[:5]}"


POINTS = (
    "16, 6", "16, 6, AP_RND", "12, 9, AP_RND, AP_SAT", "20, -3, AP_TRN, AP_SAT", "8, 12"
)  # fmt: skip
CONVERSIONS: tuple[tuple[NumberFormat, str, bool], ...] = (
    *((FLOAT, element, True) for element in ("int8_t", "int32_t", "int64_t", "uint16_t")),
    *((FLOAT, f"ap_fixed<{text}>", False) for text in POINTS),
    (HALF, "ap_fixed<18, 8, AP_RND, AP_SAT>", False),
    (HALF, "float", False),
    (DOUBLE, "float", False),
    (FLOAT, "half", False),
    (FLOAT, "double", False),
)  # fmt: skip


def _converted(source: FloatFormat, element: ElementType, cuts_off: bool, bits: Bits) -> Bits:
    form = format_of(element)
    with np.errstate(all="ignore"):
        numbers = real(source, bits)
        if isinstance(form, FloatFormat):
            return encoded(form, numbers)
    found: list[int] = []
    for value in numbers.tolist():
        exact = Fraction(value) if math.isfinite(value) else Fraction(0)
        found.append(form.mantissa_of(Fraction(math.trunc(exact)) if cuts_off else exact))
    return np.array(found, np.uint64)


def check_conversions(source: FloatFormat, count: int, seed: int, at: Path, every: int = 1) -> None:
    """Compare conversions of floating-point numbers, all or some of them, with exact ones."""
    listed = [(ElementType(text), cuts) for form, text, cuts in CONVERSIONS if form == source]
    listed = listed[::every]
    leaves: list[OperatorBlock] = [
        ConversionLeaf(source, format_of(element), 3, cuts) for element, cuts in listed
    ]
    near, others, _ = operands(source, count, seed)
    if source is FLOAT:  # rounded up to one bit more than the widest that isn't far away
        near = np.append(near, np.uint64(0x447FFFA9))
    bits = np.concatenate([near, others])
    for (element, cuts), leaf, found in zip(
        listed, leaves, results(leaves, (bits, bits, bits), at), strict=False
    ):
        wanted = _converted(source, element, cuts, bits)
        wrong = np.flatnonzero(found != wanted)
        shown = [(hex(bits[n]), hex(found[n]), hex(wanted[n])) for n in wrong[:5]]
        assert not wrong.size, f"{leaf.name}: {wrong.size}: {shown}"


@needs_verilator
@pytest.mark.slow
def test_whole_numbers(tmp_path: Path) -> None:
    check_whole(LEAVES[::6], 1500, 1, tmp_path)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
def test_many_whole_numbers(seed: int, tmp_path: Path) -> None:
    check_whole(LEAVES, 100_000, seed, tmp_path)


@needs_verilator
@pytest.mark.slow
def test_conversions(tmp_path: Path) -> None:
    check_conversions(FLOAT, 1000, 3, tmp_path, every=3)


@needs_verilator
@pytest.mark.nightly
@pytest.mark.parametrize("source", [HALF, FLOAT, DOUBLE], ids=["half", "float", "double"])
def test_many_conversions(source: FloatFormat, tmp_path: Path) -> None:
    check_conversions(source, 1_000_000, 5, tmp_path)


@needs_verilator
@pytest.mark.nightly
def test_numbers_of_whole_ones(tmp_path: Path) -> None:
    """Every number of a format, and many of wider ones, in ``float`` and ``half``."""
    for target in (FLOAT, HALF):
        leaves = [
            ConversionLeaf(source, target, 4)
            for source in (S8, U8, S16, U16, S32, S64, FIXED, WholeFormat(1, False))
        ]
        cases = _cases(200_000, 9)
        folder = tmp_path / target.name
        folder.mkdir()
        for leaf, found in zip(leaves, results(leaves, cases, folder), strict=True):
            source = leaf.source
            assert isinstance(source, WholeFormat)
            exact = [number(source, bits) for bits in cases[0].tolist()]
            wanted = np.array([_nearest(target, value) for value in exact], np.uint64)
            wrong = np.flatnonzero(found != wanted)
            assert not wrong.size, f"{leaf.name}: {wrong.size} of {found.size}"


def _nearest(form: FloatFormat, value: Fraction) -> int:
    """Return the bits of the nearest number, to even."""
    if not value:
        return 0
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= size < Fraction(2) ** exponent
    digits = round(size * Fraction(2) ** (form.fraction_bits - exponent))
    if digits == 2 << form.fraction_bits:
        digits, exponent = digits >> 1, exponent + 1
    sign = int(value < 0) << (form.bits - 1)
    field = exponent + form.bias
    if field >= form.special:
        return sign | form.special << form.fraction_bits
    assert field > 0
    return sign | field << form.fraction_bits | digits - (1 << form.fraction_bits)
