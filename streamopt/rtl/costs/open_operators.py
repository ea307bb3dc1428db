"""Our own operators as the table of a target: registers, and cells by Yosys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from streamopt.extras import require
from streamopt.ir.element import ElementType
from streamopt.ir.expression import BinaryOp, CompareOp, LogicOp
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.schedule import NARROW
from streamopt.target.device import Target
from streamopt.target.operators import OperatorCost, OperatorRow, OperatorTable

FILE = "streamopt/rtl/costs"
_SYMBOLS = {
    Operator.COMPARE: CompareOp.LT,
    Operator.LOGIC: LogicOp.AND,
    Operator.BITS: BinaryOp.XOR,
}
_PRODUCT = frozenset({Operator.MUL})
_FREE = (Operator.COPY,)
_UNARY = {
    *(Operator.RECIPROCAL, Operator.EXP, Operator.LOG, Operator.TANH, Operator.ERF),
    *(Operator.SQRT, Operator.NEGATE, Operator.ABS),
}


def with_open_operators(target: Target) -> Target:
    """Return a device with the operators of our own Verilog, whatever its clock.

    Raises
    ------
    MissingExtraError
        E890 without amaranth.
    """
    require("amaranth", "rtl", "our own operators")
    rows = [row for element in ElementType for row in _rows(element)]
    for element in NARROW:
        if target.builds(Operator.MUL, element, Implementation.PACKED):  # its DSPs are wide enough
            rows += _narrow_rows(element)
    return replace(target, operators=OperatorTable(FILE, tuple(rows), is_open=True))


def _narrow_rows(element: ElementType) -> Iterator[OperatorRow]:
    """Yield the multipliers of narrow integers, that of two products behind the usual."""
    from streamopt.rtl.costs.operator_cells import cells_of
    from streamopt.rtl.operators.number_format import WholeFormat
    from streamopt.rtl.operators.product_pair import ProductPairLeaf

    usual = _cost(Operator.MUL, element)
    form = WholeFormat(element.bits, element.is_signed)
    leaf = ProductPairLeaf(form, form, WholeFormat(2 * element.bits, element.is_signed))
    cells = cells_of(leaf)
    if usual is None or cells is None:
        return
    two = replace(
        usual,
        latency_cycles=leaf.levels,
        luts=cells.luts,
        ffs=cells.ffs,
        implementation=Implementation.PACKED,
        products=2,
    )
    yield from (OperatorRow(_PRODUCT, frozenset({element}), cost) for cost in (usual, two))


def _rows(element: ElementType) -> Iterator[OperatorRow]:
    """Yield the operators on numbers of a type, that of a recurrence in haste behind the usual."""
    from streamopt.rtl.kernel.making import HURRIED_LEVELS

    elements = frozenset({element})
    free = OperatorCost(0, 0, 0, 0, "wires", 0.0, "wires")
    for operator in Operator:
        if operator in _FREE:
            yield OperatorRow(frozenset({operator}), elements, free)
            continue
        cost = _cost(operator, element)
        if cost is not None:
            yield OperatorRow(frozenset({operator}), elements, cost)
        if operator is Operator.ADD and cost is not None and element.is_float:
            hurried = _cost(operator, element, HURRIED_LEVELS) or cost
            hurried = replace(
                hurried, latency_cycles=HURRIED_LEVELS, implementation=Implementation.FABRIC
            )
            yield OperatorRow(frozenset({operator}), elements, hurried)


def _cost(
    operator: Operator, element: ElementType, levels: int | None = None
) -> OperatorCost | None:
    from streamopt.rtl.costs.operator_cells import cells_of
    from streamopt.rtl.operators.float_format import FloatFormat
    from streamopt.rtl.operators.float_leaf import FloatLeaf
    from streamopt.rtl.operators.number_format import TRUTH, WholeFormat, format_of, plain
    from streamopt.rtl.operators.table import Asked, choose, converted

    form = plain(format_of(element))
    if operator is Operator.CAST:
        other = WholeFormat(32) if isinstance(form, FloatFormat) else WholeFormat(form.bits + 1)
        leaf = converted(other, element)
    else:
        operands = (form,) if operator in _UNARY else (form, form)
        if operator is Operator.SELECT:
            operands = (TRUTH, form, form)
        symbol = _SYMBOLS.get(operator)
        base = 2.0 if operator is Operator.POW else None
        constants = (base, *(None for _ in operands[1:]))
        asked = Asked(operator, symbol, element, operands, constants)
        chosen = choose(asked)
        leaf = None if chosen is None else chosen.leaf
    if leaf is None:
        return None
    if levels is not None and isinstance(leaf, FloatLeaf):
        leaf = replace(leaf, levels=levels)
    cells = cells_of(leaf)
    if cells is None:
        return None
    amounts = cells.dsps, cells.luts, cells.ffs
    return OperatorCost(leaf.levels, *amounts, "open", 0.0, "Yosys, synth_xilinx -family xcup")
