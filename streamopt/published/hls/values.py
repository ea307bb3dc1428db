"""Expressions in the body of a pipeline: reads, operations, indices and conditions."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import NamedTuple

from pycparser import c_ast as ast

from streamopt.frontends.c.syntax.files import CFunction
from streamopt.frontends.c.syntax.literals import Unsupported, number_of
from streamopt.frontends.c.syntax.trees import arguments_of, base_name
from streamopt.ir.affine import LARGEST, Affine, NotAffine
from streamopt.ir.expression import (
    BinaryOp,
    Compare,
    CompareOp,
    Condition,
    Index,
    Literal,
    Logic,
    LogicOp,
    as_affine,
    conjuncts,
    negated,
    of_affine,
)
from streamopt.ir.network import AccessMode, PartialTile
from streamopt.ir.operators import Operator
from streamopt.published.expressions import (
    COMPARISONS,
    CONNECTIVES,
    FUNCTIONS,
    SIGNS,
    UNKNOWN,
    operator_named,
)
from streamopt.published.hls.accesses import (
    INDEX_CONDITION,
    AccessReader,
    Binding,
    Registers,
    Value,
)
from streamopt.published.hls.counters import chosen_digit
from streamopt.published.hls.directives import Store

WITHOUT_EFFECT = frozenset({"set_name", "assert", "printf", "fprintf"})
"""Functions that hardware does nothing for."""
_INDEX_HINT = "an index is a sum of iterators times constants, with / and % by constants"


class ConditionParts(NamedTuple):
    """A condition: the part that indices decide, and whether there is no other."""

    affine: Condition | None
    is_exact: bool


class ValueReader(AccessReader, ABC):
    """Reads the expressions of one pipeline's body."""

    def value(self, node: ast.Node) -> Value:
        """Return the value of an expression, after the accesses and operations that make it."""
        self.reading.spend(node)
        match node:
            case ast.Constant():
                return self._constant(node)
            case ast.ID() | ast.ArrayRef():
                return self._element(node)
            case ast.Cast(to_type=to, expr=inner):
                return self._cast(to, self.value(inner))
            case ast.UnaryOp(op=sign, expr=inner):
                return self._unary(sign, inner, node)
            case ast.BinaryOp(op=sign) if sign in COMPARISONS or sign in CONNECTIVES:
                return self._truth(node)
            case ast.BinaryOp(op=sign, left=left, right=right):
                return self._binary(sign, self.value(left), self.value(right))
            case ast.TernaryOp():
                return self._choice(node)
            case ast.FuncCall():
                return self._call(node)
            case ast.InitList(exprs=items):
                return self.value(items[0]) if len(items) == 1 else "0"
            case _:
                return self.refuse("E135", f"{type(node).__name__} is not supported here", node)

    def index(self, node: ast.Node) -> Affine:
        """Return the value of a subscript."""
        found = self.value(node)
        if isinstance(found, Affine):
            return found.ordered((*self.trips,))
        self.refuse("E136", "this index is not affine in the loops' iterators", node, _INDEX_HINT)
        return Affine()

    def _constant(self, node: ast.Constant) -> Value:
        found = number_of(node)
        if isinstance(found, Unsupported):
            return self.refuse("E135", f"{node.value[:40]} is no number", node)
        return Affine.of(int(found.value)) if found.element.is_integer else str(found.value)

    def _cast(self, to: ast.Typename, found: Value) -> Value:
        declared = self.reading.file.types.get(to)
        element = None if declared is None else declared.element
        known = self.element_of_value(found)
        if element is None or known is None or known is element:
            return found
        return self.operate(Operator.CAST, found, element=element)

    def _unary(self, sign: str, inner: ast.Node, node: ast.Node) -> Value:
        match sign:
            case "+":
                return self.value(inner)
            case "!":
                return self._truth(node)
            case "~":
                return self.operate(Operator.BITS, self.value(inner))
            case "*" if isinstance(inner, ast.ID):
                return self._element(ast.ArrayRef(inner, ast.Constant("int", "0"), node.coord))
            case "-":
                found = self.value(inner)
                if isinstance(found, Affine):
                    return found.scaled(-1)
                known = _number(found)
                return self.operate(Operator.NEGATE, found) if known is None else str(-known)
            case _:
                return self.refuse("E135", f"'{sign}' is not supported here", node)

    def _binary(self, sign: str, left: Value, right: Value) -> Value:
        if isinstance(left, Affine) and isinstance(right, Affine):
            combined = self._combined(sign, left, right)
            if combined is not None:
                return combined
        if sign == "/" and not isinstance(left, Affine) and _number(left) == 1:
            return self.operate(Operator.RECIPROCAL, right)
        if sign == "*" and any(self._is_shift(*sides) for sides in ((left, right), (right, left))):
            return self.operate(Operator.BITS, left, right)
        return self.operate(SIGNS[sign], left, right)

    def _is_shift(self, factor: Value, other: Value) -> bool:
        """Return whether a product is one of a whole number by a power of two."""
        element = self.element_of_value(other)
        if not isinstance(factor, Affine) or factor.terms or element is None:
            return False
        return element.is_integer and factor.constant.bit_count() == 1

    def _combined(self, sign: str, left: Affine, right: Affine) -> Affine | None:
        """Return the result of whole numbers if it is affine, as it is where none is negative."""
        if sign == "&" and not right.terms and not right.constant & (right.constant + 1):
            sign, right = "%", Affine.of(right.constant + 1)
        if sign not in {*BinaryOp}:
            return None
        low, high = left.bounds(self.trips)
        if sign in "/%" and not right.terms and low >= 0 and high < right.constant:
            return left if sign == "%" else Affine()
        found = left.combined(BinaryOp(sign), right, (low, min(high, LARGEST)))
        return None if isinstance(found, NotAffine) else found

    # Conditions

    def verdict(self, node: ast.Node) -> ConditionParts:
        """Return the condition that an expression is, after the operations for its other part."""
        match node:
            case ast.UnaryOp(op="!", expr=inner):
                found = self.verdict(inner)
                if not found.is_exact or found.affine is None:
                    return ConditionParts(None, is_exact=False)
                return ConditionParts(negated(found.affine), is_exact=True)
            case ast.BinaryOp(op="&&" | "||" as sign, left=left, right=right):
                return _connected(CONNECTIVES[sign], self.verdict(left), self.verdict(right))
            case ast.BinaryOp(op=sign, left=left, right=right) if sign in COMPARISONS:
                sides = self.value(left), self.value(right)
            case _:
                sign, sides = "!=", (self.value(node), Affine())
        left_value, right_value = sides
        if isinstance(left_value, Affine) and isinstance(right_value, Affine):
            ends = of_affine(left_value), of_affine(right_value)
            return ConditionParts(Compare(CompareOp(sign), *ends), is_exact=True)
        self.operate(Operator.COMPARE, *sides)
        return ConditionParts(None, is_exact=False)

    def decided(self, condition: Condition | None) -> bool | None:
        """Return a condition's truth where it is the same in all iterations; None elsewhere."""
        match condition:
            case Compare(op, left, right):
                first, second = as_affine(left), as_affine(right)
                assert first is not None
                assert second is not None
                return op.truth(*(first - second).bounds(self.trips))
            case Logic(op, operands):
                found = {self.decided(part) for part in operands}
                decisive = op is LogicOp.OR
                if decisive in found:
                    return decisive
                return None if None in found else not decisive
            case _:
                return None

    def known(self, found: ConditionParts) -> bool | None:
        """Return the truth of a whole condition, if it is the same in all iterations."""
        return self.decided(found.affine) if found.is_exact else None

    def test(self, found: ConditionParts) -> str:
        """Return the operand that tells how a verdict turns out."""
        return INDEX_CONDITION if found.is_exact else self.operations[-1].result

    def _truth(self, node: ast.Node) -> Value:
        found = self.verdict(node)
        known = self.known(found)
        return self.test(found) if known is None else Affine.of(int(known))

    def _choice(self, node: ast.TernaryOp) -> Value:
        found = self.verdict(node.cond)
        known = self.known(found)
        if known is not None:
            return self.value(node.iftrue if known else node.iffalse)
        test, condition = self.test(found), found.affine if found.is_exact else None
        is_partial = condition is not None and self.takes_partial(condition)
        then = self.under(found.affine, lambda: self.value(node.iftrue))
        other = self.under(
            None if condition is None else negated(condition), lambda: self.value(node.iffalse)
        )
        digit = chosen_digit(condition, then, other, self.trips)
        if digit is not None:
            return digit
        return then if is_partial else self.merged(test, then, other)

    def under(self, guard: Condition | None, read: Callable[[], Value]) -> Value:
        """Return a value that is read under a condition."""
        if guard is None:
            return read()
        self.guards.append(guard)
        found = read()
        self.guards.pop()
        return found

    def merged(self, test: str, then: Value, other: Value) -> Value:
        """Return the value of a choice; an accumulator's first value needs no operator."""
        if then in ("", other) or other == "":
            return other if then == "" else then
        if test == INDEX_CONDITION:
            carried = [side for side in (then, other) if self._is_carried(side)]
            if len(carried) == 1:
                return carried[0]
        return self.operate(Operator.SELECT, test, then, other)

    def _is_carried(self, value: Value) -> bool:
        """Return whether a value comes from an element that is read before it is written."""
        makers = {operation.result: operation for operation in self.operations}
        written = {port.target for port in self.ports if port.mode is AccessMode.WRITE}
        sources = {port.value: port.target for port in self.ports if port.mode is AccessMode.READ}
        waiting, seen = [str(value)], set[str]()
        while waiting:
            name = waiting.pop()
            if sources.get(name) in self.updated - written:
                return True
            if name in makers and name not in seen:
                seen.add(name)
                waiting += makers[name].operands
        return False

    def takes_partial(self, condition: Condition) -> bool:
        """Note ``tile < last || lane < some``; return whether a condition is nothing else."""
        found: list[PartialTile] = []
        for part in conjuncts(condition):
            match part:
                case Logic(
                    LogicOp.OR,
                    (
                        Compare(CompareOp.LT, Index(tile), Literal(end)),
                        Compare(CompareOp.LT, Index(lane), Literal(lanes)),
                    ),
                ):
                    names = tile.as_iterator() or "", lane.as_iterator() or ""
                    if names[0] not in self.tiles or names[1] not in self.path:
                        return False
                    if self.trips[names[0]] != end + 1:
                        return False
                    found.append(PartialTile(*names, int(end), int(lanes)))
                case _:
                    return False
        self.partial.update(dict.fromkeys(found))
        return True

    # Elements and calls

    def bound(self, node: ast.Node) -> tuple[Binding | None, list[ast.Node]]:
        """Return the binding of an element's array, and the subscripts."""
        subscripts: list[ast.Node] = []
        while isinstance(node, ast.ArrayRef):
            subscripts.insert(0, node.subscript)
            node = node.name
        if not isinstance(node, ast.ID):
            self.refuse("E135", "this is no array, stream or variable by its name", node)
            return None, []
        found = self.bindings.get(node.name)
        if found is None:
            self.refuse("E137", f"'{node.name}' is not declared", node)
        return found, subscripts

    def _element(self, node: ast.Node) -> Value:
        found, subscripts = self.bound(node)
        match found:
            case None:
                return "0"
            case Registers():
                places = tuple(self.index(each) for each in subscripts)
                if any(place.terms for place in places):
                    return self.refuse("E136", "an index of registers moves", node, _INDEX_HINT)
                return found.values.get(tuple(place.constant for place in places), "0")
            case Store(is_stream=True, is_serial=False):
                return self.refuse("E135", f"stream '{found.name}' is used as a value", node)
            case Store():
                return self.take(found, self.subscripts(found, subscripts, node))
            case _ if subscripts:
                return self.refuse("E138", f"'{base_name(node)[0]}' is no array", node)
            case _:
                return found

    def subscripts(
        self, store: Store, nodes: Sequence[ast.Node], node: ast.Node
    ) -> tuple[Affine, ...]:
        """Return the subscripts of an element; a register's is 0."""
        places = tuple(self.index(each) for each in nodes)
        if store.is_serial:
            return ()
        if len(places) != len(store.shape) and (places or store.shape != (1,)):
            message = f"'{store.name}' has {len(store.shape)} dimensions, not {len(places)}"
            self.refuse("E138", message, node)
            places = ()
        return places or tuple(Affine() for _ in store.shape)

    def _call(self, node: ast.FuncCall) -> Value:
        match node.name:
            case ast.StructRef(name=stream, field=ast.ID(name=method)):
                return self._method(node, stream, method)
            case ast.ID(name=name):
                pass
            case _:
                return self.refuse("E135", "a call of something without a name", node)
        function = self.reading.file.functions.get(name)
        if function is not None:
            return self.inlined(function, arguments_of(node), node)
        if name in WITHOUT_EFFECT:
            return "0"
        operator = operator_named(name)
        if operator is UNKNOWN and name not in FUNCTIONS:
            hint = "define it in the design's source"
            return self.refuse("E135", f"function '{name}' is not known", node, hint)
        return self.operate(operator, *map(self.value, arguments_of(node)))

    def _method(self, node: ast.FuncCall, stream: ast.Node, method: str) -> Value:
        found, subscripts = self.bound(stream)
        if not isinstance(found, Store) or not found.is_stream:
            return self.refuse("E135", f".{method}() of something that isn't a stream", node)
        places = self.subscripts(found, subscripts, node)
        match method, arguments_of(node):
            case "read", []:
                return self.take(found, places)
            case "read", [ast.ID(name=name)]:
                self.bindings[name] = self.take(found, places)
            case "write", [value]:
                self.put(found, places, self.value(value))
            case _:
                hint = "streams are read and written without asking how full they are"
                return self.refuse("E135", f"the method .{method}() of a stream", node, hint)
        return "0"

    @abstractmethod
    def inlined(self, function: CFunction, arguments: list[ast.Node], node: ast.Node) -> Value:
        """Return the value that a function of the design gives, read in place."""


def _connected(op: LogicOp, left: ConditionParts, right: ConditionParts) -> ConditionParts:
    exact = left.is_exact and right.is_exact
    if op is LogicOp.OR and not exact:
        return ConditionParts(None, is_exact=False)
    parts = tuple(side.affine for side in (left, right) if side.affine is not None)
    if op is LogicOp.AND:
        parts = tuple(each for part in parts for each in conjuncts(part))
    if len(parts) > 1:
        return ConditionParts(Logic(op, parts), exact)
    return ConditionParts(parts[0] if parts else None, exact)


def _number(value: Value) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None
