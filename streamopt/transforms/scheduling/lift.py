"""Programs as sources: every nest as the loops that a C programmer would write.

Before::

    for i, j, k: C[i][j] += A[i][k] * B[k][j]      from beta * C0[i][j]

After::

    for (i) for (j)          C_start: C[i][j] = beta * C0[i][j]
    for (i) for (j) for (k)  C:       C[i][j] = C[i][j] + A[i][k] * B[k][j]
"""

from collections.abc import Iterator, Mapping, Sequence

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Loop, Nest, Program, Role, Statement
from streamopt.ir.source import Assign, Branch, Item, RangeLoop, Source, Variable
from streamopt.transforms.free_names import FreeNames

_OPS = {Reduction.ADD: ir.BinaryOp.ADD, Reduction.MUL: ir.BinaryOp.MUL}
_CALLS = {Reduction.MAX: ir.Function.MAX, Reduction.MIN: ir.Function.MIN}


def lifted(program: Program) -> Source:
    """Return a source that computes what a program does, a labelled statement for each of its.

    What a reduction starts from, and the arrays that a sequential nest begins with, are set by
    statements of their own, called after the nest.
    """
    variables = tuple(_variable(array, program) for array in program.arrays)
    free = FreeNames(array.name for array in program.arrays)
    body = tuple(item for nest in program.nests for item in _nest(nest, program, free))
    return Source(program.name, variables, body, program.values)


def _variable(array: Array, program: Program) -> Variable:
    is_constant = array.name in program.values
    return Variable(
        array.name,
        array.shape,
        array.element,
        is_argument=array.role is not Role.INTERNAL and not is_constant,
        is_constant=is_constant or array.is_given,
        is_wanted=array.role is Role.OUTPUT,
    )


def _nest(nest: Nest, program: Program, free: FreeNames) -> Iterator[Item]:
    for array, source in nest.carries:
        yield _copy(f"{nest.name}_{array}", program.array(array), source, free)
    for statement in nest.statements:
        if statement.reduction is not None:
            yield _start(nest, statement, free)
    names = _fresh(nest.loops, free)
    inside: list[Item] = []
    for number, statement in enumerate(nest.statements, start=1):
        label = nest.name if len(nest.statements) == 1 else f"{nest.name}_{number}"
        inside.append(_assign(statement, names, label))
    yield from _looped(nest.loops, names, inside)


def _copy(label: str, array: Array, source: str, free: FreeNames) -> Item:
    loops = tuple(Loop(f"d{at}", extent) for at, extent in enumerate(array.shape))
    names = _fresh(loops, free)
    place = tuple(names[loop.name] for loop in loops)
    copy = Assign(ir.Access(array.name, place), ir.Read(ir.Access(source, place)), label)
    (item,) = _looped(loops, names, [copy])
    return item


def _start(nest: Nest, statement: Statement, free: FreeNames) -> Item:
    used = set(statement.target.iterators())
    loops = tuple(loop for loop in nest.loops if loop.name in used)
    names = _fresh(loops, free)
    assert statement.reduction is not None
    start = statement.start or ir.Literal(statement.reduction.identity)
    value = ir.substitute(start, names)
    target = statement.target.substitute(names)
    label = f"{nest.name}_start"
    (item,) = _looped(loops, names, [Assign(target, value, label, statement.loc)])
    return item


def _assign(statement: Statement, names: Mapping[str, Affine], label: str) -> Item:
    target = statement.target.substitute(names)
    value = ir.substitute(statement.value, names)
    match statement.reduction:
        case None:
            pass
        case Reduction.ADD | Reduction.MUL as kind:
            value = ir.Binary(_OPS[kind], ir.Read(target), value)
        case Reduction.MAX | Reduction.MIN as kind:
            value = ir.Call(_CALLS[kind], (ir.Read(target), value))
    item: Item = Assign(target, value, label, statement.loc)
    if statement.guard is not None:
        condition = ir.substitute_condition(statement.guard, names)
        item = Branch(condition, (item,), loc=statement.loc)
    return item


def _fresh(loops: Sequence[Loop], free: FreeNames) -> dict[str, Affine]:
    """Return iterators that nothing else in the source is called after."""
    return {loop.name: Affine.iterator(free.fresh(loop.name)) for loop in loops}


def _looped(
    loops: Sequence[Loop], names: Mapping[str, Affine], body: Sequence[Item]
) -> tuple[Item, ...]:
    inside = tuple(body)
    for loop in reversed(loops):
        iterator = names[loop.name].as_iterator()
        assert iterator is not None
        bounds = (Affine.of(0),), (Affine.of(loop.trip_count),)
        inside = (RangeLoop(iterator, *bounds, inside),)
    return inside
