"""The rules for programs that become dataflow graphs; one function for each group of them.

Every statement has subscripts in range and types that fit. AMD's fixed-point types define sums,
differences, products, quotients and comparisons, and no more of what a statement may hold;
functions of one format would be another function for every other one.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import isfinite

from streamopt.analysis.coverage import TooLargeError, first_unmarked, is_injective, mark
from streamopt.analysis.instances import is_inside
from streamopt.errors import Diagnostic
from streamopt.ir import expression as ir
from streamopt.ir.arithmetic import compared_type, expression_type, operand_types
from streamopt.ir.element import MAX_BITS, ElementType
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Nest, Program, Role, Statement, users

OUTSIDE = "E214"
"""Code of a subscript that is outside its array."""

_INTEGER_OPS = {
    ir.BinaryOp.MOD,
    ir.BinaryOp.SHL,
    ir.BinaryOp.SHR,
    ir.BinaryOp.AND,
    ir.BinaryOp.OR,
    ir.BinaryOp.XOR,
}


def statement_reads(statement: Statement) -> Iterator[tuple[ir.Access, tuple[ir.Condition, ...]]]:
    """Yield every read of a statement with the affine conditions under which it happens."""
    guard = statement.guard
    under = ir.affine_conjuncts(guard) if guard is not None else ()
    if guard is not None:
        yield from ir.conditional_reads(guard)
    if statement.start is not None:
        yield from ir.conditional_reads(statement.start)
    yield from ir.conditional_reads(statement.value, under)


def statement_problems(program: Program, nest: Nest, statement: Statement) -> Iterator[Diagnostic]:
    """Yield E214, E215 and E219 of one statement."""
    loc = statement.loc or nest.loc
    guard = statement.guard
    under = ir.affine_conjuncts(guard) if guard is not None else ()
    if statement.reduction is not None:
        under = ()
    accesses = [(statement.target, under), *statement_reads(statement)]
    for access, conditions in dict.fromkeys(accesses):
        shape = program.array(access.array).shape
        if not is_inside(access, nest.trip_counts, conditions, shape):
            extents = " x ".join(map(str, shape)) or "a scalar"
            message = f"{access} in node '{nest.name}' reaches outside {access.array} ({extents})"
            yield Diagnostic(OUTSIDE, message, loc, "change the loops, the subscript or the guard")
    for expression in statement.expressions:
        for part in ir.walk(expression):
            if isinstance(part, ir.Binary) and part.op in _INTEGER_OPS:
                element = expression_type(part, lambda name: program.array(name).element)
                if element is not None and not element.is_integer:
                    message = f"{part.op} in node '{nest.name}' needs integers, not {element}"
                    yield Diagnostic("E215", message, loc, "convert the operands: `int32_t(x)`")
    yield from fixed_point_problems(program, nest, statement)


_DEFINED = (ir.Function.ABS, ir.Function.MAX, ir.Function.MIN)


def fixed_point_problems(
    program: Program, nest: Nest, statement: Statement
) -> Iterator[Diagnostic]:
    """Yield E219 of one statement: an operation that fixed-point numbers don't have."""
    checks = _Checks(program, nest)
    found = [*checks.reduction(statement)]
    if statement.start is not None:
        found += checks.stored(statement.start, statement.target.array)
    found += checks.stored(statement.value, statement.target.array)
    for expression in statement.expressions:
        for part in ir.walk(expression):
            found += checks.part(part)
    for message, hint in dict.fromkeys(found):
        yield Diagnostic("E219", message, statement.loc or nest.loc, hint)


class _Checks:
    """Problems as pairs (message, hint)."""

    def __init__(self, program: Program, nest: Nest) -> None:
        self._program = program
        self._where = f"in node '{nest.name}'"

    def _element(self, array: str) -> ElementType:
        return self._program.array(array).element

    def reduction(self, statement: Statement) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with how terms are combined."""
        target = self._element(statement.target.array)
        if statement.reduction is None:
            return
        if target.is_fixed and statement.reduction is Reduction.MUL:
            message = f"a product over iterations of {target} {self._where} is rounded at each step"
            yield message, "compute it in float, and convert the result"
        term = self._type(statement.value)
        if term is None or term.is_fixed is target.is_fixed:
            return
        if (target.is_fixed and term.is_float) or (term.is_fixed and target.is_integer):
            message = f"terms of {term} are added up in {target} {self._where}"
            yield message, f"convert the term to {target}"

    def stored(self, value: ir.Expression, array: str) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with a value that goes into an array as it is."""
        element = self._element(array)
        if isinstance(value, ir.Literal) and element.is_fixed:
            yield from self._literal(value, element)

    def part(self, part: ir.Expression) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with one operation."""
        match part:
            case ir.Binary(_, left, right):
                yield from self._mixed(left, right)
                yield from self._wide(part, self._type(part))
                yield from self._operands(part)
            case ir.Compare(_, left, right):
                element = compared_type(left, right, self._element)
                yield from self._mixed(left, right)
                yield from self._wide(part, element)
                for literal in (left, right):
                    if isinstance(literal, ir.Literal) and element is not None and element.is_fixed:
                        yield from self._literal(literal, element)
            case ir.Select(_, left, right):
                yield from self._mixed(left, right)
            case ir.Call(function, arguments):
                for pair in combinations(arguments, 2):
                    yield from self._mixed(*pair)
                yield from self._function(function, arguments)
            case ir.Cast(element, ir.Literal() as value) if element.is_fixed:
                yield from self._literal(value, element)
            case _:
                pass

    def _type(self, expression: ir.Expression) -> ElementType | None:
        return expression_type(expression, self._element)

    def _mixed(self, left: ir.Expression, right: ir.Expression) -> Iterator[tuple[str, str]]:
        types = [kind for kind in map(self._type, (left, right)) if kind is not None]
        fixed = next((kind for kind in types if kind.is_fixed), None)
        real = next((kind for kind in types if kind.is_float), None)
        if fixed is not None and real is not None:
            message = f"{fixed} meets {real} {self._where}, and C++ has no type for both"
            yield message, f"convert one of them, to {real} or {fixed}"

    def _wide(self, part: ir.Expression, element: ElementType | None) -> Iterator[tuple[str, str]]:
        if element is not None and element.is_fixed and element.bits > MAX_BITS:
            wide = element.bits if element.bits < 2 * MAX_BITS else f"more than {MAX_BITS}"
            kind = "comparison" if isinstance(part, ir.Compare) else f"{getattr(part, 'op', '')}"
            message = f"the exact result of a {kind} {self._where} has {wide} bits, "
            message += f"and there are {MAX_BITS}"
            yield message, "convert an operand to a narrower type first"

    def _operands(self, part: ir.Binary) -> Iterator[tuple[str, str]]:
        element = self._type(part)
        if element is None or not element.is_fixed:
            return
        types = operand_types(part, element, self._element)
        for operand, kind in zip((part.left, part.right), types, strict=True):
            if isinstance(operand, ir.Literal):
                yield from self._literal(operand, kind)

    def _literal(self, literal: ir.Literal, element: ElementType) -> Iterator[tuple[str, str]]:
        form = element.fixed_point
        low, high = (float(form.number(end)) for end in (form.lowest, form.highest))
        if not isfinite(literal.value) or not low <= literal.value <= high:
            message = f"{literal.value:g} {self._where} is outside the range of {element}, "
            message += f"{low:g} .. {high:g}"
            yield message, "take more integer bits, or convert the other operand"

    def _function(
        self, function: ir.Function, arguments: tuple[ir.Expression, ...]
    ) -> Iterator[tuple[str, str]]:
        for element in filter(None, map(self._type, arguments)):
            if element.is_fixed and function not in _DEFINED:
                message = f"{function} {self._where} is not defined for {element}"
                yield message, f"compute it in float: `{function}(float(x))`"


def order_problems(
    program: Program,
    waits: Mapping[tuple[int, int], tuple[str, ...]],
    order: Sequence[int],
) -> Iterator[Diagnostic]:
    """Yield E201 and E202; arguments as `streamopt.ir.program.dependences` gives them."""
    nests = program.nests
    all_writers, all_readers = users(nests)
    for array, writers in all_writers.items():
        for reader in all_readers.get(array, ()):
            later = [writer for writer in writers if writer > reader]
            if later and writers[0] < reader and reader not in writers:
                message = f"node '{nests[reader].name}' reads {array} before node "
                message += f"'{nests[later[0]].name}' writes it"
                hint = "move the reader behind all writers, or give the writers arrays of their own"
                yield Diagnostic("E201", message, nests[reader].loc, hint)
    if len(order) < len(nests):
        cycle = _cycle(waits, set(range(len(nests))) - set(order))
        names = " -> ".join(nests[at].name for at in (*cycle, cycle[0]))
        steps = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
        arrays = dict.fromkeys(array for step in steps for array in waits[step])
        message = f"nodes wait for each other: {names} through {', '.join(arrays)}"
        hint = "break the circle: one of the arrays needs a new name after it is changed"
        yield Diagnostic("E202", message, nests[cycle[0]].loc, hint)


def _cycle(waits: Mapping[tuple[int, int], object], left: set[int]) -> list[int]:
    """Return a cycle from its first position on; every position left waits for one that is left."""
    earlier: dict[int, int] = {}
    for before, after in sorted(waits, reverse=True):
        if before in left and after in left:
            earlier[after] = before
    path = [min(left)]
    while earlier[path[-1]] not in path:
        path.append(earlier[path[-1]])
    cycle = path[path.index(earlier[path[-1]]) :][::-1]
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def nest_problems(program: Program) -> Iterator[Diagnostic]:
    """Yield E203, E208, E209 and E211 to E215 of the statements of each nest."""
    for nest in program.nests:
        for statement in nest.statements:
            loc = statement.loc or nest.loc
            array = program.array(statement.target.array)
            if array.is_given:
                message = f"node '{nest.name}' writes {array.name}, which has role {array.role}"
                yield Diagnostic(
                    "E211", message, loc, "write an array with role internal or output"
                )
            if not nest.sequential:
                yield from _streaming_problems(nest, statement, array)
            yield from statement_problems(program, nest, statement)


def _streaming_problems(nest: Nest, statement: Statement, array: Array) -> Iterator[Diagnostic]:
    target, loc = statement.target, statement.loc or nest.loc
    own = [a for e in statement.expressions for a in ir.reads(e) if a.array == array.name]
    if own:
        message = f"node '{nest.name}' reads {own[0]} of the array that it writes as {target}"
        hint = f"only `{target} = {target} + ...`, and with *, max or min, is a reduction; "
        yield Diagnostic("E203", message, loc, f"{hint}else write another array")
    if statement.guard is not None and statement.reduction is None:
        message = f"node '{nest.name}' assigns {target} under a guard"
        hint = "say what the other elements are: `a if condition else b`"
        yield Diagnostic("E213", message, loc, hint)
    problem = _repeated_write(nest, statement, array)
    if problem is not None:
        yield problem


def _repeated_write(nest: Nest, statement: Statement, array: Array) -> Diagnostic | None:
    target, loc = statement.target, statement.loc or nest.loc
    used = target.iterators()
    idle = [loop.name for loop in nest.loops if loop.name not in used and loop.trip_count > 1]
    if idle and statement.reduction is None:
        message = f"node '{nest.name}' assigns each {target} once for every {', '.join(idle)}"
        hint = f"use += for a sum, or give {target} a subscript with {idle[0]}"
        return Diagnostic("E208", message, loc, hint)
    try:
        if is_injective(target, nest.trip_counts, array.shape):
            return None
    except TooLargeError:
        return _too_large(nest, str(target))
    message = f"different iterations of {', '.join(used)} in node '{nest.name}' write the same "
    if statement.reduction is None:
        hint = "write each element at one iteration"
        return Diagnostic("E208", f"{message}element {target}", loc, hint)
    hint = "let the subscripts of a reduction name each element by one value of its iterators"
    return Diagnostic("E209", f"{message}sum {target}", loc, hint)


def array_problems(program: Program) -> Iterator[Diagnostic]:
    """Yield E204 to E207 and E212 of the arrays that nodes hand over or back."""
    all_writers, all_readers = users(program.nests)
    for array in program.arrays:
        if array.is_given:
            continue
        writers = [program.nests[at] for at in all_writers.get(array.name, ())]
        readers = [program.nests[at] for at in all_readers.get(array.name, ())]
        if not writers:
            message = f"{array.role} array {array.name} is never written"
            hint = "add the node that computes it, or give it role input"
            yield Diagnostic("E205", message, readers[0].loc if readers else None, hint)
            continue
        yield from _shared_reductions(array, writers)
        if array.role is Role.INTERNAL and not readers:
            message = f"{array.name} is computed by node '{writers[-1].name}' but never used"
            hint = "give it role output or remove the node"
            yield Diagnostic("E206", message, writers[-1].loc, hint)
        try:
            yield from _uncovered(array, writers, readers)
        except TooLargeError:
            yield _too_large(writers[0], array.name)


def _shared_reductions(array: Array, writers: Sequence[Nest]) -> Iterator[Diagnostic]:
    for nest in writers:
        others = [other.name for other in writers if other is not nest]
        if not nest.sequential and nest.statements[0].reduction is not None and others:
            message = f"node '{nest.name}' reduces into {array.name}, which node '{others[0]}' "
            hint = "a reduction starts afresh: reduce into an array of its own, then combine both"
            yield Diagnostic("E204", f"{message}writes too", nest.loc, hint)


def _uncovered(
    array: Array, writers: Sequence[Nest], readers: Sequence[Nest]
) -> Iterator[Diagnostic]:
    if any(nest.sequential for nest in writers):
        return
    writes = [(nest.statements[0].target, nest.trip_counts, ()) for nest in writers]
    written = mark(writes, array.shape)
    if written is None:
        return
    hint = "write all elements first, for instance with a node that assigns 0"
    for nest in readers:
        accesses = [
            (access, nest.trip_counts, conditions)
            for statement in nest.statements
            for access, conditions in statement_reads(statement)
            if access.array == array.name
        ]
        element = first_unmarked(written, mark(accesses, array.shape))
        if element is not None:
            message = f"node '{nest.name}' reads {_element(array, element)}, which no node writes"
            yield Diagnostic("E207", message, nest.loc, hint)
    element = first_unmarked(written, None)
    if array.role is Role.OUTPUT and element is not None:
        message = f"no node writes {_element(array, element)} of output {array.name}"
        yield Diagnostic("E207", message, writers[-1].loc, hint)


def _element(array: Array, element: tuple[int, ...]) -> str:
    return array.name + "".join(f"[{index}]" for index in element)


def _too_large(nest: Nest, what: str) -> Diagnostic:
    message = f"{what} in node '{nest.name}' has too many elements to check that each is written"
    hint = "use subscripts with one iterator each, or smaller loops"
    return Diagnostic("E212", message, nest.loc, hint)
