"""Products with weights in integers: activations of 8 bits, weights of 8 or 4, sums of 32.

Scales are powers of two, of each activation and of each channel of a weight. So every step between
two products is exact but for the one rounding that is meant: a design agrees with the quantized
program in every bit, as long as nothing but sums, maxima and clamps lies between. Before::

    pad[c][h][w]  = x[c][h - 1][w - 1] if ... else 0
    y[o][h][w]   += pad[c][h + kh][w + kw] * weight[o][c][kh][kw]
    z[o][h][w]    = relu(y[o][h][w] + bias[o])

After, with int8_t pad and weight, int32_t y::

    pad[c][h][w]  = int8_t(min(max(rint((x[c][h - 1][w - 1] if ... else 0) * 32), -127), 127))
    y[o][h][w]   += int32_t(pad[c][h + kh][w + kw]) * int32_t(weight[o][c][kh][kw])
    z[o][h][w]    = relu(float(y[o][h][w]) * y_scale[o] + bias[o])
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Expression,
    Function,
    Literal,
    Read,
    reads,
    rewrite,
)
from streamopt.ir.program import Array, Loop, Nest, Program, Role, Statement
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.weight_products import (
    Product,
    is_of_channel,
    products,
    replaced,
    with_folded_scales,
)

ACTIVATION_BITS = 8


class Quantization(StrEnum):
    """Bits of weights and activations."""

    INT8 = "int8"
    W4A8 = "w4a8"

    @property
    def weight_bits(self) -> int:
        """Return the bits of a weight; an activation has 8."""
        return 4 if self is Quantization.W4A8 else 8


MOST_EXPONENT = 60


def quantized(
    program: Program,
    seen: Mapping[str, NDArray[Any]],
    kind: Quantization = Quantization.INT8,
) -> Program:
    """Return the program with its products with weights in integers.

    Parameters
    ----------
    seen
        Values of all arrays in a run, from which the scales are.
    kind
        Bits of the weights.
    """
    program = with_folded_scales(program)
    found = products(program)
    change = _Rewriting(program, found)
    for name in dict.fromkeys(each.activation for each in found):
        change.quantize_activation(name, exponent_of(seen[name], ACTIVATION_BITS))
    steps = [change.quantize_product(each, kind.weight_bits) for each in found]
    for each, own in zip(found, steps, strict=True):
        change.scale_sums(each, own)
    return change.program()


def exponent_of(values: NDArray[Any], bits: int) -> int:
    """Return the exponent of two by which numbers are multiplied before they are rounded.

    The largest number fits, or the next step is taken, whichever has the smaller squared error.
    """
    most = 2 ** (bits - 1) - 1
    largest = float(np.abs(values).max(initial=0.0))
    if not largest or not np.isfinite(largest):
        return 0
    whole = int(np.floor(np.log2(most / largest)))
    return min(
        (whole, whole + 1),
        key=lambda exponent: float(np.square(_rounding_error(values, exponent, most)).sum()),
    )


def _rounding_error(values: NDArray[Any], exponent: int, most: int) -> NDArray[Any]:
    scaled = np.ldexp(values.astype(np.float64), exponent)
    return np.ldexp(np.clip(np.rint(scaled), -most, most) - scaled, -exponent)


class _Rewriting:
    """Arrays, values and nests of the program while it is rewritten."""

    def __init__(self, program: Program, found: Sequence[Product]) -> None:
        self.source = program
        self.names = FreeNames(
            name
            for nest in program.nests
            for name in (nest.name, *nest.trip_counts, *(a.name for a in program.arrays))
        )
        self.arrays = {array.name: array for array in program.arrays}
        self.values = dict(program.values)
        self.nests = list(program.nests)
        self.activations = {each.nest.name: each.activation for each in found}
        self.integers: dict[str, tuple[str, int]] = {}
        """Array of integers and exponent of each activation."""

    def program(self) -> Program:
        """Return the program, without what nothing reads any more."""
        used = {a.array for nest in self.nests for s in nest.statements for a in s.accesses}
        arrays = tuple(
            array
            for array in self.arrays.values()
            if array.name in used or array.role in (Role.INPUT, Role.OUTPUT)
        )
        values = {name: value for name, value in self.values.items() if name in used}
        return Program(self.source.name, arrays, tuple(self.nests), values, self.source.sample)

    def quantize_activation(self, name: str, exponent: int) -> None:
        """Make integers of an array: where it is written, or of a copy."""
        exponent = max(-MOST_EXPONENT, min(exponent, MOST_EXPONENT))
        array = self.arrays[name]
        writers = [n for n in self.nests if any(s.target.array == name for s in n.statements)]
        readers = [n for n in self.nests if any(name in _read_by(s) for s in n.statements)]
        only_products = all(self.activations.get(n.name) == name for n in readers)
        if array.role is Role.INTERNAL and only_products and _is_plain(writers):
            (writer,) = writers
            statement = writer.statements[0]
            made = replace(statement, value=_rounded(statement.value, exponent))
            self._put(writer, replace(writer, statements=(made,)))
            self.arrays[name] = replace(array, element=ElementType.INT8)
            self.integers[name] = name, exponent
            return
        copy = self.names.fresh(f"{name}_q")
        loops = tuple(Loop(f"q{at}", extent) for at, extent in enumerate(array.shape))
        place = tuple(Affine.iterator(loop.name) for loop in loops)
        value = _rounded(Read(Access(name, place)), exponent)
        nest = Nest(self.names.fresh(copy), loops, (Statement(Access(copy, place), value),))
        self.arrays[copy] = Array(copy, array.shape, Role.INTERNAL, ElementType.INT8)
        last = max((self.nests.index(writer) + 1 for writer in writers), default=0)
        self.nests.insert(last, nest)
        self.integers[name] = copy, exponent

    def quantize_product(self, product: Product, weight_bits: int) -> NDArray[np.int64]:
        """Multiply integers in a nest; return the exponent of each channel's sums, or of all."""
        activation, exponent = self.integers[product.activation]
        exponents = self._quantize_weight(product, weight_bits)
        (nest,) = (n for n in self.nests if n.name == product.nest.name)
        statement = nest.statements[0]

        def narrow(leaf: Expression) -> Expression:
            if not isinstance(leaf, Read):
                return leaf
            name = leaf.access.array
            name = activation if name == product.activation else name
            return Cast(ElementType.INT32, Read(replace(leaf.access, array=name)))

        steps = exponents + exponent
        start = self._start(statement.start, steps)
        made = replace(statement, value=rewrite(statement.value, narrow), start=start)
        self._put(nest, replace(nest, statements=(made,)))
        return steps

    def scale_sums(self, product: Product, steps: NDArray[np.int64]) -> None:
        """Make the sums integers, and scale them where they are read."""
        self._scale_reads(product, steps)
        (nest,) = (n for n in self.nests if n.name == product.nest.name)
        self._sum_in_integers(product.target, nest)

    def _quantize_weight(self, product: Product, bits: int) -> NDArray[np.int64]:
        """Make integers of a weight; return the exponents by channel, or the only one."""
        array = self.arrays[product.weight]
        values = np.asarray(self.source.values[product.weight], np.float64).reshape(array.shape)
        most = 2 ** (bits - 1) - 1
        rows = values.reshape(1, -1)
        if product.channel is not None:
            rows = np.moveaxis(values, product.channel, 0).reshape(array.shape[product.channel], -1)
        exponents = np.array([exponent_of(row, bits) for row in rows], dtype=np.int64)
        exponents = np.clip(exponents, -MOST_EXPONENT, MOST_EXPONENT)
        wide = exponents.reshape(
            [-1 if at == product.channel else 1 for at in range(len(array.shape))]
        )
        kept = np.clip(np.rint(np.ldexp(values, wide)), -most, most).astype(np.int8)
        element = ElementType.INT8 if bits == 8 else ElementType(f"ap_int<{bits}>")
        self.arrays[product.weight] = replace(array, element=element)
        self.values[product.weight] = kept
        return exponents

    def _start(self, start: Expression | None, steps: NDArray[np.int64]) -> Expression | None:
        """Return the start of a sum in the steps of the sum."""
        if not isinstance(start, Read):
            return start
        name = start.access.array
        own = self.names.fresh(f"{name}_q")
        bias = np.asarray(self.source.values[name], np.float64)
        limits = np.iinfo(np.int32)
        rounded = np.rint(np.ldexp(bias.reshape(-1), steps))
        whole = np.clip(rounded, limits.min, limits.max).astype(np.int32).reshape(bias.shape)
        self.arrays[own] = replace(self.arrays[name], name=own, element=ElementType.INT32)
        self.values[own] = whole
        return Read(replace(start.access, array=own))

    def _scale_reads(self, product: Product, steps: NDArray[np.int64]) -> None:
        """Multiply sums by their scale where they are read."""
        scales = np.ldexp(1.0, -steps).astype(np.float32)
        scale = ""
        if not (scales == scales[0]).all():
            scale = self.names.fresh(f"{product.target}_scale")
            self.arrays[scale] = Array(scale, scales.shape, Role.WEIGHT, ElementType.FLOAT)
            self.values[scale] = scales

        def scaled(leaf: Expression) -> Expression:
            if not isinstance(leaf, Read) or leaf.access.array != product.target:
                return leaf
            real = Cast(ElementType.FLOAT, leaf)
            if not scale:
                return Binary(BinaryOp.MUL, real, Literal(float(scales[0])))
            index = product.channel_at(leaf.access)
            return Binary(BinaryOp.MUL, real, Read(Access(scale, (index,))))

        for nest in list(self.nests):
            if nest.name != product.nest.name and any(
                product.target in _read_by(s) for s in nest.statements
            ):
                for statement in nest.statements:
                    self._round_biases(product, statement, steps)
                made = tuple(s.rewritten(scaled, s.target) for s in nest.statements)
                self._put(nest, replace(nest, statements=made))
        if self.arrays[product.target].role is Role.OUTPUT:
            self._copy_out(product, scaled)

    def _round_biases(
        self, product: Product, statement: Statement, steps: NDArray[np.int64]
    ) -> None:
        """Round constants that are added to sums to steps of the sums."""

        def change(part: Expression) -> Expression | None:
            match part:
                case Binary(BinaryOp.ADD, Read(sums), Read(bias) as more) if (
                    sums.array == product.target
                    and is_of_channel(self.values, more, product.channel_at(sums))
                ):
                    values = np.asarray(self.values[bias.array], np.float64)
                    if self._readers(bias.array) == 1 and steps.size in (1, values.size):
                        whole = np.rint(np.ldexp(values.reshape(-1), steps))
                        kept = np.ldexp(whole, -steps).astype(np.float32)
                        self.values[bias.array] = kept.reshape(values.shape)
                case _:
                    pass
            return None

        replaced(statement.value, change)

    def _readers(self, name: str) -> int:
        return sum(a.array == name for n in self.nests for s in n.statements for a in s.accesses)

    def _copy_out(self, product: Product, scaled: Callable[[Expression], Expression]) -> None:
        """Return real numbers where the sums were an output."""
        array = self.arrays[product.target]
        loops = tuple(Loop(f"q{at}", extent) for at, extent in enumerate(array.shape))
        place = tuple(Affine.iterator(loop.name) for loop in loops)
        value = scaled(Read(Access(array.name, place)))
        name = self.names.fresh(f"{array.name}_real")
        self.nests.append(Nest(name, loops, (Statement(Access(array.name, place), value),)))

    def _sum_in_integers(self, target: str, nest: Nest) -> None:
        array = self.arrays[target]
        if array.role is not Role.OUTPUT:
            self.arrays[target] = replace(array, element=ElementType.INT32)
            return
        sums = self.names.fresh(f"{target}_sum")
        self.arrays[sums] = Array(sums, array.shape, Role.INTERNAL, ElementType.INT32)
        statement = nest.statements[0]
        moved = replace(statement, target=replace(statement.target, array=sums))
        self._put(nest, replace(nest, statements=(moved,)))

        def renamed(leaf: Expression) -> Expression:
            if isinstance(leaf, Read) and leaf.access.array == target:
                return Read(replace(leaf.access, array=sums))
            return leaf

        for other in list(self.nests):
            if other.name != nest.name:
                kept = tuple(s.rewritten(renamed, s.target) for s in other.statements)
                self._put(other, replace(other, statements=kept))

    def _put(self, old: Nest, new: Nest) -> None:
        self.nests[self.nests.index(old)] = new


def _read_by(statement: Statement) -> set[str]:
    return {access.array for e in statement.expressions for access in reads(e)}


def _is_plain(writers: Sequence[Nest]) -> bool:
    """Return whether one statement writes an array, without a reduction."""
    if len(writers) != 1 or writers[0].sequential or len(writers[0].statements) != 1:
        return False
    return writers[0].statements[0].reduction is None


def _rounded(value: Expression, exponent: int) -> Expression:
    """Return a number in steps, within 8 bits."""
    most = float(2 ** (ACTIVATION_BITS - 1) - 1)
    steps = Binary(BinaryOp.MUL, value, Literal(2.0**exponent)) if exponent else value
    whole = Call(Function.RINT, (steps,))
    limited = Call(Function.MIN, (Call(Function.MAX, (whole, Literal(-most))), Literal(most)))
    return Cast(ElementType.INT8, limited)
