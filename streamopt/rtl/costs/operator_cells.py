"""Cells of one operator, by Yosys for UltraScale+: measured, or of whole numbers by its widths.

``results/rtl_operators/run.py`` measures operators on floating-point numbers, and writes the table.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from functools import cache
from importlib import resources

from streamopt.rtl.operators.choice import ChoiceLeaf
from streamopt.rtl.operators.float_format import DOUBLE, FLOAT
from streamopt.rtl.operators.float_leaf import FloatLeaf
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.operators.number_format import WholeFormat
from streamopt.rtl.operators.product_pair import ProductPairLeaf
from streamopt.rtl.operators.whole_leaf import WholeLeaf
from streamopt.target.resources import Resources

_WIDE_BITS, _NARROW_BITS = 26, 17
"""Of the factors of a DSP48E2, without their signs."""
_LUTS_A_BIT = {"abs": 1.9, "shl": 3.0, "shr": 3.0, "mul": 0.0, "as": 0.0}
"""Of the wider of operands and result, where it isn't 1."""
_TESTS, _EXTREMES = ("lt", "le", "eq", "ne"), ("min", "max")
_COMPARED_LUTS, _SIGN_LUTS = 0.68, 0.23
"""For each bit that both numbers have, and each bit above of the wider one."""
_ZERO_LUTS = 2
"""Of the choice of all bits that the narrower number doesn't have: registers are reset."""
_ROWS = ("div", "sqrt")
"""Operators with a row for each digit: twice as many of twice the width."""
_DIVIDER_ROW_LUTS = 1.1
"""For each bit of each row of a divider."""


@cache
def measured_cells() -> Mapping[str, Resources]:
    """Return the cells of operators that have been measured, by the name of their module."""
    file = resources.files("streamopt.rtl.costs") / "data" / "operators.csv"
    rows = csv.DictReader(file.read_text().splitlines())
    return {
        row["operator"]: Resources(
            dsps=int(row["dsps"]),
            bram18=int(row["bram18"]),
            luts=int(row["luts"]),
            ffs=int(row["ffs"]),
        )
        for row in rows
    }


def cells_of(leaf: OperatorBlock) -> Resources | None:
    """Return the cells of an operator; None for one on floating-point numbers that isn't known.

    Of one without registers those that its logic takes where it is used.
    """
    known = measured_cells().get(leaf.name)
    if known is not None:
        return known
    if isinstance(leaf, FloatLeaf):
        return _float_cells(leaf)
    if isinstance(leaf, ChoiceLeaf):
        return Resources(luts=leaf.result.bits, ffs=leaf.result.bits * leaf.levels)
    if isinstance(leaf, ProductPairLeaf):
        return _pair_cells(leaf)
    return _whole_cells(leaf) if isinstance(leaf, WholeLeaf) else None


def _pair_cells(leaf: ProductPairLeaf) -> Resources:
    """Return the cells of two products: what the lower one takes from the upper one is in LUTs."""
    own, product = leaf.own, leaf.product.bits
    luts = product + (own.bits + 1 if own.is_signed else 1)
    ffs = sum(form.bits for form in leaf.operands) + 3 * product + 2
    return Resources(dsps=1, luts=luts, ffs=ffs)


def _float_cells(leaf: FloatLeaf) -> Resources | None:
    """Return the cells of an operator that isn't measured: of double from the same of float."""
    if not leaf.levels:
        return Resources(luts=1)
    known = measured_cells().get(f"{leaf.kind}_{FLOAT.name}_{leaf.levels}")
    if leaf.form != DOUBLE or known is None:
        return None
    return known.scaled(4 if leaf.kind in _ROWS else 2)


def _whole_cells(leaf: WholeLeaf) -> Resources:
    widths = [form.bits for form in leaf.operands]
    if leaf.kind in ("div", "mod"):
        rows = widths[0]
        luts = round(_DIVIDER_ROW_LUTS * rows * (widths[1] + 1))
        return Resources(luts=luts, ffs=leaf.levels * (2 * widths[1] + rows))
    ffs = leaf.result.bits * min(1, leaf.levels)
    dsps = 0
    if leaf.kind == "mul" and leaf.levels:
        dsps = product_dsps(*leaf.operands)
        ffs += sum(widths) * (leaf.levels > 2) + sum(widths) * (leaf.levels > 1)
    ends = leaf.result.rounds + 2 * leaf.result.saturates
    luts = round(_whole_luts(leaf)) + ends * leaf.result.bits
    return Resources(dsps=dsps, luts=luts, ffs=ffs)


def _whole_luts(leaf: WholeLeaf) -> float:
    """Return the LUTs of an exact number: a narrow operand leaves little to do above its bits."""
    kind, bits = leaf.kind, max(leaf.result.bits, *(form.bits for form in leaf.operands))
    if kind in ("shl", "shr") and not leaf.levels:
        return 0.0
    narrow, wide = sorted((leaf.operands[0], leaf.operands[-1]), key=lambda form: form.bits)
    above = wide.bits - narrow.bits
    ends = above > 0 and not narrow.is_signed
    if kind in _TESTS or kind in _EXTREMES:
        compared = _COMPARED_LUTS * narrow.bits + _SIGN_LUTS * above
        chosen = narrow.bits + _ZERO_LUTS if ends else bits
        return compared + chosen * (kind in _EXTREMES)
    if ends and (kind == "add" or (kind == "sub" and narrow == leaf.operands[1])):
        return narrow.bits
    return _LUTS_A_BIT.get(kind, 1.0) * bits


def product_dsps(left: WholeFormat, right: WholeFormat) -> int:
    """Return the DSPs of a product: a factor of 27 bits and one of 18, both signed, in each.

    Examples
    --------
    >>> product_dsps(WholeFormat(8), WholeFormat(8)), product_dsps(WholeFormat(32), WholeFormat(32))
    (1, 4)
    """
    wide, narrow = sorted((one.bits - one.is_signed for one in (left, right)), reverse=True)
    return -(-wide // _WIDE_BITS) * -(-narrow // _NARROW_BITS)
