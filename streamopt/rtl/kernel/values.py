"""The values of a kernel, in the order in which they are made: each in the first cycle it can be.

Numbers, conversions, and what operators make of them; which block an operator is says
`streamopt.rtl.operators.table`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import frexp, isfinite, prod
from typing import TypeAlias

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import Implementation, Operation
from streamopt.ir.operators import Operator, Reduction
from streamopt.ir.program import Loop
from streamopt.perf.pipelines.operation_graph import operator_with
from streamopt.rtl.kernel.kernel import (
    Computed,
    Constant,
    CountedIndex,
    KernelValue,
    LanesCombined,
    Paired,
    Source,
    copy_positions,
    lateness,
    pairs_of_copies,
)
from streamopt.rtl.kernel.sharing import SHARED_LEVELS, share, share_trees
from streamopt.rtl.kernel.subscripts import sum_at
from streamopt.rtl.operators.choice import ChoiceLeaf
from streamopt.rtl.operators.float_format import FloatFormat
from streamopt.rtl.operators.leaf import OperatorBlock
from streamopt.rtl.operators.number_format import (
    NumberFormat,
    WholeFormat,
    format_of,
    narrowest,
    plain,
)
from streamopt.rtl.operators.product_pair import NARROW, ProductPairLeaf
from streamopt.rtl.operators.table import Asked, BlockChoice, choose, converted
from streamopt.rtl.operators.whole_leaf import WholeLeaf

_NORMAL_EXPONENT = 14
"""Up to which powers of two and their reciprocals are normal numbers of every format."""

Operands: TypeAlias = Callable[[str, ElementType], KernelValue]
"""The value of a name; a number is of the type that is said."""


class NoOperatorError(Exception):
    """An operation that no block computes: the text says which."""


class ValueList:
    """Values by name.

    Parameters
    ----------
    lanes
        Of the pipeline, in order, with their numbers.
    interval
        Cycles from one iteration to the next; lanes share operators if there are several.
    earliest
        By name, stages before which results that are in all lanes at once are not there.
    """

    def __init__(
        self, lanes: Mapping[str, int], interval: int, earliest: Mapping[str, int] | None = None
    ) -> None:
        self._lanes, self._interval = lanes, interval
        self._earliest = earliest or {}
        self._named: dict[str, KernelValue] = {}

    def __contains__(self, name: str) -> bool:
        """Return whether there is a value of a name."""
        return name in self._named

    def __getitem__(self, name: str) -> KernelValue:
        """Return the value of a name."""
        return self._named[name]

    @property
    def made(self) -> tuple[KernelValue, ...]:
        """Return all values, each once."""
        return tuple(value for name, value in self._named.items() if name == value.name)

    def put(
        self,
        name: str,
        form: NumberFormat,
        lanes: tuple[str, ...],
        stages: int | Sequence[int],
        source: Source,
    ) -> KernelValue:
        """Add a value, and return it.

        Parameters
        ----------
        stages
            In which it is there: in all lanes, or in each.
        """
        if isinstance(stages, int):
            value = KernelValue(name, form, lanes, stages, source)
        else:
            value = KernelValue(name, form, lanes, min(stages), source, lateness(stages))
        self._named[name] = value
        return value

    def readies(self, values: Sequence[KernelValue], lanes: Sequence[str]) -> list[int]:
        """Return the stages in which all of some values are there, in each of some lanes."""
        if not any(value.late for value in values):
            copies = prod(self._lanes[lane] for lane in lanes)
            return [max(value.stage for value in values)] * copies
        found = [
            [value.ready(at) for at in copy_positions(lanes, value.lanes, self._lanes)]
            for value in values
        ]
        return [max(stages) for stages in zip(*found, strict=True)]

    def operate(
        self, name: str, leaf: OperatorBlock, taken: Sequence[KernelValue], lanes: tuple[str, ...]
    ) -> KernelValue:
        """Add the result of a block in every lane; large ones are shared, if there is time."""
        readies, names = self.readies(taken, lanes), tuple(value.name for value in taken)
        form = plain(leaf.result)
        if self._interval == 1 or leaf.levels < SHARED_LEVELS or len(readies) == 1:
            first = self._earliest.get(name, 0)
            stages = [max(first, ready + leaf.levels) for ready in readies]
            return self.put(name, form, lanes, stages, Computed(leaf, names))
        starts = share(readies, self._interval)
        stages = [start.stage + leaf.levels for start in starts]
        return self.put(name, form, lanes, stages, Computed(leaf, names, starts))

    def combine(
        self, name: str, leaf: OperatorBlock, term: KernelValue, over: tuple[str, ...]
    ) -> KernelValue:
        """Add the values of some lanes combined to one, in trees."""
        lanes = tuple(lane for lane in term.lanes if lane not in over)
        readies = self.readies([term], (*lanes, *over))
        if self._interval == 1 or leaf.levels < SHARED_LEVELS:
            trees = LanesCombined(leaf, term.name, over)
            stage = max(self._earliest.get(name, 0), max(readies) + trees.levels(self._lanes))
            return self.put(name, term.form, lanes, stage, trees)
        count = prod(self._lanes[lane] for lane in over)
        groups = [readies[at : at + count] for at in range(0, len(readies), count)]
        steps, stages = share_trees(groups, self._interval, leaf.levels)
        source = LanesCombined(leaf, term.name, over, steps)
        return self.put(name, term.form, lanes, stages, source)

    def combined(
        self, term: KernelValue, operation: Operation
    ) -> tuple[KernelValue, OperatorBlock]:
        """Return the terms of a tree, and what combines two of them.

        Whole numbers are added in as many bits as their sum may have, if the type has these.
        """
        leaf, form = combining(operation), term.form
        count = prod(self._lanes[lane] for lane in operation.over)
        if isinstance(leaf, WholeLeaf) and isinstance(form, WholeFormat) and leaf.kind == "add":
            whole = narrowest(form.low * count, form.high * count, form.fraction_bits)
            if leaf.result.holds(whole):
                return self._fitted(term, whole), replace(leaf, operands=(whole,) * 2, result=whole)
        return self.stored(term, operation.element), leaf

    def number(self, number: float, element: ElementType) -> KernelValue:
        """Return a number; a whole or fixed-point one in as few bits as it takes."""
        form, name = plain(format_of(element)), f"{number}"
        if isinstance(form, WholeFormat):
            mantissa = form.mantissa_of(Fraction(number))
            mantissa -= (mantissa > form.high) << form.bits
            form = narrowest(mantissa, mantissa, form.fraction_bits)
            number = mantissa / 2**form.fraction_bits
            name = f"{number:g} as {form.name}"
        elif element is not ElementType.FLOAT:
            name = f"{name} as {form.name}"
        if name in self._named:
            return self._named[name]
        return self.put(name, form, (), 0, Constant(number))

    def count(
        self, name: str, index: Affine, tiles: Sequence[Loop], lanes: Sequence[Loop]
    ) -> KernelValue:
        """Add a sum over loops, which is there in stage 0, in as few bits as it takes."""
        own = [loop for loop in lanes if loop.name in index.iterators()]
        names = [loop.name for loop in own]
        points = product(*(range(loop.trip_count) for loop in own))
        sums = [sum_at(index, tiles, dict(zip(names, point, strict=True))) for point in points]
        ends = [end + first for counted, first in sums for end in counted.bounds(tiles)]
        form = narrowest(min(ends), max(ends))
        return self.put(name, form, tuple(names), 0, CountedIndex(tuple(sums)))

    def choose(
        self, name: str, truth: KernelValue, value: KernelValue, other: KernelValue
    ) -> KernelValue:
        """Add a value where a truth value holds, and another one elsewhere."""
        taken = [truth, value, self._fitted(other, value.form)]
        return self.operate(name, ChoiceLeaf(value.form, 1), taken, self._lanes_of(taken))

    def identity(self, reduction: Reduction, element: ElementType) -> KernelValue:
        """Return the number that changes no sum; an infinite one is the last of whole ones."""
        number, form = reduction.identity, plain(format_of(element))
        if isinstance(form, WholeFormat) and not isfinite(number):
            number = (form.low if number < 0 else form.high) / 2**form.fraction_bits
        return self.number(number, element)

    def held(self, value: KernelValue, element: ElementType) -> KernelValue:
        """Return a value converted to a type; as it is where the type has all its numbers."""
        if isinstance(value.source, Constant):
            return self.number(value.source.number, element)
        target, own = plain(format_of(element)), value.form
        if isinstance(target, WholeFormat) and isinstance(own, WholeFormat) and target.holds(own):
            return value
        return self.stored(value, element)

    def stored(self, value: KernelValue, element: ElementType) -> KernelValue:
        """Return a value converted to a type, and as wide as that."""
        leaf = converted(value.form, element)
        return value if leaf is None else self._behind(leaf, value)

    def _behind(self, leaf: OperatorBlock, value: KernelValue) -> KernelValue:
        """Return a value behind a block that takes it alone."""
        name = f"{value.name} {leaf.name}"
        if name in self._named:
            return self._named[name]
        return self.operate(name, leaf, [value], value.lanes)

    def compute(
        self, operation: Operation, taken: Callable[[str, ElementType], KernelValue]
    ) -> None:
        """Add the result of an operation in every lane.

        Parameters
        ----------
        taken
            Gives its operands.

        Raises
        ------
        NoOperatorError
            If there is no block for it.
        """
        operation, operands = self._plainer(operation, self._operands(operation, taken))
        match operation.operator:
            case Operator.CAST:
                self._named[operation.result] = self.held(operands[0], computed(operation))
            case Operator.COPY:
                self._named[operation.result] = operands[0]
            case _:
                chosen = self._chosen(operation, operands)
                leaf = chosen.leaf
                pairs = zip((operands[at] for at in chosen.order), leaf.operands, strict=True)
                fitted = [self._fitted(*pair) for pair in pairs]
                apart = {*fitted[0].lanes} ^ {*fitted[-1].lanes}
                if operation.implementation is Implementation.PACKED and leaf.levels and apart:
                    self._multiply_two(operation.result, leaf.result, fitted, apart)
                else:
                    self._apply(operation.result, leaf, fitted)

    def _apply(self, name: str, leaf: OperatorBlock, taken: Sequence[KernelValue]) -> None:
        self.operate(name, leaf, taken, self._lanes_of(taken))

    def _lanes_of(self, taken: Sequence[KernelValue]) -> tuple[str, ...]:
        found = {lane for operand in taken for lane in operand.lanes}
        return tuple(lane for lane in self._lanes if lane in found)

    def _multiply_two(
        self, name: str, product: NumberFormat, factors: Sequence[KernelValue], apart: set[str]
    ) -> None:
        """Add products, two of lanes that have a factor in common from one operator.

        Parameters
        ----------
        apart
            Lanes of one factor alone.
        """
        lanes = self._lanes_of(factors)
        paired = min(apart, key=lambda lane: (-(-self._lanes[lane] // 2) / self._lanes[lane], lane))
        common, own = sorted(map(self._narrowed, factors), key=lambda one: paired in one.lanes)
        pairs = pairs_of_copies(lanes, paired, self._lanes)
        leaf = ProductPairLeaf(_whole(common.form), _whole(own.form), _whole(product))
        readies = self.readies(factors, lanes)
        begins = [max(readies[at] for at in pair) for pair in pairs]
        shared = share(begins, self._interval) if self._interval > 1 else ()
        if shared:
            begins = [start.stage for start in shared]
        stages = [0] * len(readies)
        for begin, pair in zip(begins, pairs, strict=True):
            for at in pair:
                stages[at] = begin + leaf.levels
        source = Paired(leaf, common.name, own.name, pairs, shared)
        self.put(name, plain(product), lanes, stages, source)

    def _narrowed(self, value: KernelValue) -> KernelValue:
        """Return a factor whose numbers a narrow format has, in that."""
        return value if NARROW.holds(_whole(value.form)) else self._fitted(value, NARROW)

    def _fitted(self, value: KernelValue, form: NumberFormat) -> KernelValue:
        """Return a value as wide as an operand."""
        if value.form == form:
            return value
        return self._behind(WholeLeaf("as", (_whole(value.form),), _whole(form), 0), value)

    def _operands(self, operation: Operation, taken: Operands) -> list[KernelValue]:
        """Return the operands of an operation, in the types in which the program computes."""
        meaning, element = operation.meaning, computed(operation)
        types = (element,) * len(operation.operands) if meaning is None else meaning.operands
        is_cast = operation.operator is Operator.CAST
        operands: list[KernelValue] = []
        for name, kind in zip(operation.operands, types, strict=True):
            operand = taken(name, kind)
            keeps = is_cast or (kind.is_fixed and isinstance(operand.form, WholeFormat))
            operands.append(operand if keeps else self.held(operand, kind))
        if operation.operator is Operator.RECIPROCAL and element is ElementType.DOUBLE:
            operands.insert(0, self.number(1.0, element))
        return operands

    def _plainer(
        self, operation: Operation, operands: list[KernelValue]
    ) -> tuple[Operation, list[KernelValue]]:
        """Return an operation of floats that gives the same number with less.

        That is an operand, or a product for a division by a power of two with a normal reciprocal.
        """
        if len(operands) != 2 or not isinstance(operands[0].form, FloatFormat):
            return operation, operands
        sources = (value.source for value in operands)
        left, right = (s.number if isinstance(s, Constant) else None for s in sources)
        found = replace(operation, operator=operator_with(operation.operator, left, right))
        match operation.operator, found.operator, right:
            case own, Operator.COPY, _:
                return found, operands[1:] if own is Operator.MUL and left == 1 else operands[:1]
            case Operator.DIV, Operator.MUL, divisor if divisor and _inverts(divisor):
                return found, [operands[0], self.number(1.0 / divisor, computed(operation))]
            case _:
                return operation, operands

    def _chosen(self, operation: Operation, operands: Sequence[KernelValue]) -> BlockChoice:
        sources = (operand.source for operand in operands)
        asked = Asked(
            operation.operator,
            None if operation.meaning is None else operation.meaning.symbol,
            computed(operation),
            tuple(operand.form for operand in operands),
            tuple(s.number if isinstance(s, Constant) else None for s in sources),
        )
        return _must(choose(asked), operation)


def _inverts(power: float) -> bool:
    """Return whether a power of two and its reciprocal are normal numbers of every format."""
    return abs(frexp(power)[1]) <= _NORMAL_EXPONENT


def _whole(form: NumberFormat) -> WholeFormat:
    assert isinstance(form, WholeFormat)
    return form


def computed(operation: Operation) -> ElementType:
    """Return the type in which the program computes an operation."""
    return operation.element if operation.meaning is None else operation.meaning.element


def combining(operation: Operation) -> OperatorBlock:
    """Return the block that combines two partial results of a reduction to one.

    Raises
    ------
    NoOperatorError
        If there is none.
    """
    form = format_of(operation.element)
    forms = (plain(form),) * 2
    asked = Asked(operation.operator, None, operation.element, forms, (None, None))
    leaf = _must(choose(asked), operation).leaf
    if isinstance(leaf, WholeLeaf) and isinstance(form, WholeFormat):
        return replace(leaf, result=form)
    return leaf


def _must(chosen: BlockChoice | None, operation: Operation) -> BlockChoice:
    if chosen is None:
        raise NoOperatorError(f"{operation.operator} of {computed(operation)} has no operator")
    return chosen
