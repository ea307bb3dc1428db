"""From the MLIR library's objects to `streamopt.frontends.mlir.text.syntax`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import SourceLoc
from streamopt.frontends.mlir.text import syntax
from streamopt.ir.affine import LARGEST, Affine
from streamopt.ir.operators import BinaryOp

MAX_ELEMENTS = 2**27
"""Most elements of a constant that are kept."""

_NAME = re.compile(r"%([\w$.-]+)")
_RESULT = re.compile(r"%([\w$.-]+)\s*(?::\s*\d+)?\s*=\s*$")
_RESOURCE = re.compile(r'([\w$.-]+)\s*:\s*"0x([0-9A-Fa-f]*)"')
_FILE_LOCATION = re.compile(r'loc\("(.*)":(\d+):(\d+)(?: to .*)?\)', re.DOTALL)
_HANDLE = re.compile(r"dense_resource<\"?([\w$.-]+)\"?>")


@dataclass(frozen=True, slots=True, eq=False)
class SourceText:
    """The text that a module was parsed from, for the names that MLIR forgets."""

    file: str
    """Its name for messages."""
    lines: tuple[str, ...] = ()
    """Its lines; none if the module was made in memory."""
    resources: dict[str, str] = field(default_factory=dict[str, str])
    """Bytes of the constants that stand at its end, by name, as hexadecimal text."""

    @staticmethod
    def of(text: str, file: str) -> SourceText:
        """Return the text of a file with its lines and resources."""
        start = text.rfind("dialect_resources")
        found = _RESOURCE.findall(text, start) if start >= 0 else []
        return SourceText(file, tuple(text.splitlines()), dict(found))

    def name_at(self, location: Any) -> str:
        """Return the name of the value that is written at a location."""
        line, column = self._position(location)
        match = _NAME.match(line, column)
        return match[1] if match is not None else ""

    def result_before(self, location: Any) -> str:
        """Return the name of the result of the operation at a location."""
        line, column = self._position(location)
        match = _RESULT.search(line[:column])
        return match[1] if match is not None else ""

    def _position(self, location: Any) -> tuple[str, int]:
        """Return a line of this text and a position in it; nothing for other locations."""
        here = place(location, "-")
        if here.file != "-" or not 0 < (here.line or 0) <= len(self.lines):
            return "", 0
        return self.lines[(here.line or 0) - 1], (here.column or 1) - 1


def place(location: Any, file: str) -> SourceLoc:
    """Return a location; that of the outermost caller where there are several."""
    while True:
        if isinstance(location, ir.CallSiteLoc):
            location = location.caller
        elif isinstance(location, ir.NameLoc):
            location = location.child_loc
        elif isinstance(location, ir.FusedLoc) and location.locations:
            location = location.locations[0]
        else:
            break
    # The text is the same for all kinds of bindings; those of diagnostics have no accessors.
    match = _FILE_LOCATION.fullmatch(str(location))
    if match is None or match[2] == "0":
        return SourceLoc(file)
    name, column = file if match[1] == "-" else match[1], int(match[3])
    return SourceLoc(name, line=int(match[2]), column=column or None)


def convert(module: Any, text: SourceText) -> syntax.Module:
    """Return an ``ir.Module`` as plain values.

    Raises RecursionError if operations are nested too deeply.
    """
    return _Conversion(text).module(module)


class _Conversion:
    """One walk over a module: numbers its values, remembers types."""

    def __init__(self, text: SourceText) -> None:
        self.text = text
        self.values: dict[Any, syntax.MlirValue] = {}
        self.types: dict[Any, syntax.Type] = {}
        self.outer = SourceLoc(text.file)

    def module(self, module: Any) -> syntax.Module:
        return syntax.Module(tuple(self.operation(op.operation) for op in module.body.operations))

    def operation(self, op: Any) -> syntax.MlirOperation:
        location, outer = op.location, self.outer
        here = place(location, self.text.file)
        # Passes leave operations without a place; the one around them has it.
        self.outer = here = here if here.line is not None else outer
        named = self.text.result_before(location) if len(op.results) == 1 else ""
        operands = tuple(self.value(value) for value in op.operands)
        attributes = {name: self.attribute(value) for name, value in _attributes(op)}
        symbol = attributes.get("sym_name", "")
        made = syntax.MlirOperation(
            name=str(op.name),
            operands=operands,
            results=tuple(self.value(result, named) for result in op.results),
            attributes=attributes,
            regions=tuple(
                tuple(self.block(block) for block in region.blocks) for region in op.regions
            ),
            loc=here,
            symbol=symbol if isinstance(symbol, str) else "",
        )
        self.outer = outer
        return made

    def block(self, block: Any) -> syntax.Block:
        arguments = tuple(
            self.value(argument, self.text.name_at(argument.location))
            for argument in block.arguments
        )
        return syntax.Block(
            arguments, tuple(self.operation(op.operation) for op in block.operations)
        )

    def value(self, value: Any, name: str = "") -> syntax.MlirValue:
        known = self.values.get(value)
        if known is None:
            known = syntax.MlirValue(len(self.values), self.type(value.type), name)
            self.values[value] = known
        return known

    def type(self, value: Any) -> syntax.Type:
        known = self.types.get(value)
        if known is None:
            known = self.types[value] = _type(value)
        return known

    def attribute(self, value: Any) -> syntax.Attribute:
        match value:
            case ir.BoolAttr() | ir.IntegerAttr():
                return int(value.value)
            case ir.FloatAttr():
                return float(value.value)
            case ir.StringAttr() | ir.FlatSymbolRefAttr():
                return str(value.value)
            case ir.AffineMapAttr():
                return affine_map(value.value)
            case ir.IntegerSetAttr():
                return integer_set(value)
            case ir.TypeAttr():
                return self.type(value.value)
            case ir.ArrayAttr():
                return tuple(self.attribute(item) for item in value)
            case ir.DenseI64ArrayAttr() | ir.DenseI32ArrayAttr():
                return tuple(int(item) for item in value)
            case ir.DenseIntElementsAttr() | ir.DenseFPElementsAttr():
                return self.dense(value)
            case _:
                text = str(value)
                match = _HANDLE.match(text)
                return self.resource(value, match[1]) if match is not None else syntax.Opaque(text)

    def dense(self, value: Any) -> syntax.Dense:
        kind = self.type(value.type)
        if prod(kind.shape) <= MAX_ELEMENTS:
            with suppress(TypeError, ValueError):
                return syntax.Dense(np.array(value).reshape(kind.shape), kind)
        return syntax.Dense(None, kind)

    def resource(self, value: Any, name: str) -> syntax.Dense:
        kind = self.type(value.type)
        digits, element = self.text.resources.get(name), syntax.element_type(kind.element)
        if digits is not None and element is not None and kind.element != "i1":
            with suppress(ValueError):
                # The first four bytes are the alignment.
                values: NDArray[Any] = np.frombuffer(bytes.fromhex(digits)[4:], element.dtype)
                return syntax.Dense(values.reshape(kind.shape), kind)
        return syntax.Dense(None, kind)


def _attributes(op: Any) -> list[tuple[str, Any]]:
    """Return names and values; versions of the bindings differ in what the iteration gives."""
    names = (item if isinstance(item, str) else item.name for item in op.attributes)
    return [(str(name), op.attributes[name]) for name in names]


def _type(value: Any) -> syntax.Type:
    text = str(value)
    match value:
        case ir.RankedTensorType():
            return syntax.Type("tensor", text, str(value.element_type), _shape(value))
        case ir.MemRefType():
            with suppress(RuntimeError, ValueError):
                value.get_strides_and_offset()  # raises where the layout isn't strided
                return syntax.Type("memref", text, str(value.element_type), _shape(value))
            return syntax.Type("other", text)
        case ir.IntegerType() | ir.FloatType() | ir.IndexType():
            return syntax.Type("scalar", text, text)
        case _:
            return syntax.Type("other", text)


def _shape(value: Any) -> tuple[int, ...]:
    return tuple(
        syntax.DYNAMIC if value.is_dynamic_dim(axis) else int(value.get_dim_size(axis))
        for axis in range(value.rank)
    )


ir: Any = import_module("torch_mlir.ir")
passmanager: Any = import_module("torch_mlir.passmanager")


_SET = re.compile(r"affine_set<(.*?) : \((.*)\)>", re.DOTALL)
_LARGEST = 2**40


def affine_map(value: Any) -> syntax.AffineMap:
    """Return an ``ir.AffineMap`` as a plain value."""
    results = tuple(_affine(result, 0) for result in value.results)
    return syntax.AffineMap(int(value.n_dims), int(value.n_symbols), results)


def integer_set(attribute: Any) -> syntax.IntegerSet:
    """Return an ``affine_set`` attribute as a plain value.

    The bindings have no access to what is inside, so its text is read again, as a map.
    """
    match = _SET.fullmatch(str(attribute))
    if match is None or not match[2].strip():
        return syntax.IntegerSet(syntax.AffineMap(0, 0, ()), ())
    parts = re.split(r"(>=|==) 0(?:, |$)", match[2])
    signature, texts, kinds = match[1], parts[0::2], parts[1::2]
    expressions = ", ".join(text.strip() for text in texts[: len(kinds)])
    mapped = affine_map(ir.AffineMapAttr.parse(f"affine_map<{signature} -> ({expressions})>").value)
    return syntax.IntegerSet(mapped, tuple(kind == "==" for kind in kinds))


def _affine(expression: Any, depth: int) -> Affine | None:
    """Return an expression; None where it isn't affine or is out of all proportion."""
    if depth > 100:
        return None
    if isinstance(expression, ir.AffineConstantExpr):
        number = int(expression.value)
        return Affine.of(number) if abs(number) <= _LARGEST else None
    if isinstance(expression, ir.AffineDimExpr):
        return Affine.iterator(f"d{expression.position}")
    if isinstance(expression, ir.AffineSymbolExpr):
        return Affine.iterator(f"s{expression.position}")
    left = _affine(expression.lhs, depth + 1)
    right = _affine(expression.rhs, depth + 1)
    if left is None or right is None:
        return None
    operator = next((op for kind, op in _OPERATORS.items() if isinstance(expression, kind)), None)
    if isinstance(expression, ir.AffineCeilDivExpr):
        left = left + Affine.of(right.constant - 1)
    # Divisions of maps round down, whatever the sign.
    found = None if operator is None else left.combined(operator, right, (0, LARGEST))
    return found if isinstance(found, Affine) else None


_OPERATORS: Mapping[Any, BinaryOp] = {
    ir.AffineAddExpr: BinaryOp.ADD,
    ir.AffineMulExpr: BinaryOp.MUL,
    ir.AffineFloorDivExpr: BinaryOp.DIV,
    ir.AffineCeilDivExpr: BinaryOp.DIV,
    ir.AffineModExpr: BinaryOp.MOD,
}
