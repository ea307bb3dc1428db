"""Arrays that hold rows in one dimension, ``c[i * 64 + j]``, with a dimension for the rows ([1]).

[1] Grosser, Ramanujam, Pouchet, Sadayappan and Pop, Optimistic delinearization of parametrically
    sized arrays, ICS 2015; here sizes are constants, and every access is proved to stay in its row.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from streamopt.analysis.addresses.ends import exact_ends, hull_ends
from streamopt.analysis.instances import StatementInstance
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access, Read
from streamopt.ir.source import Variable
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.restructure.flat_source import FlatSource, with_accesses
from streamopt.transforms.restructure.loops.split_loops import (
    SplitLoop,
    over_split_loops,
    split_loop,
)

Strides = tuple[int, ...]
"""Elements between neighbours along each dimension, outermost first; each divides the one before,
and the last is 1."""
_MOST_TRIALS = 4


def with_dimensions(body: FlatSource) -> FlatSource:
    """Give arrays of one dimension those in which they are used.

    Before: ``for i: for j < 64: c[64 * i + j] = a[64 * i + j]; for k < 4096: s = s + c[k]``
    After:  ``for i: for j < 64: c[i][j] = a[i][j]; for r: for k < 64: s = s + c[r][k]``

    Legal as the elements stay where they are, row after row; an array is left as it is where an
    access may leave its row.
    """
    for name, variable in body.variables.items():
        if len(variable.shape) != 1:
            continue
        for strides in _candidates(name, variable, body)[:_MOST_TRIALS]:
            changed = _reshaped(name, strides, body)
            if changed is not None:
                body = changed
                break
    return body


def _accesses(name: str, body: FlatSource) -> list[Affine]:
    return [
        access.subscripts[0]
        for instance in body.statements
        for access in (instance.target, *instance.reads)
        if access.array == name
    ]


def _candidates(name: str, variable: Variable, body: FlatSource) -> list[Strides]:
    """Return strides with which an array may have been meant, those with most dimensions first."""
    found: set[int] = set()
    for subscript in {*_accesses(name, body)}:
        factors = sorted({abs(factor) for _, factor in subscript.terms})
        rows = (factor for factor in factors[1:] if factor < variable.shape[0])
        found.update(factor for factor in rows if variable.shape[0] % factor == 0)
    ordered = sorted(found, reverse=True)
    chain = [
        stride for at, stride in enumerate(ordered) if at == 0 or ordered[at - 1] % stride == 0
    ]
    is_chain = all(outer % inner == 0 for outer, inner in pairwise(chain))
    whole = [(*chain, 1)] if is_chain and len(chain) > 1 else []
    return [*whole, *((stride, 1) for stride in ordered)]


def _reshaped(name: str, strides: Strides, body: FlatSource) -> FlatSource | None:
    """Return the source with an array in more dimensions; None where an access leaves its row."""
    split = _split_flat_loops(name, strides[0], body)
    statements: list[StatementInstance] = []
    for instance in split.statements:
        touched = [(instance.target, instance), *instance.conditional_reads]
        found = [
            _in_rows(access.subscripts[0], strides, where) if access.array == name else ()
            for access, where in touched
        ]
        if None in found:
            return None
        statements.append(_with_subscripts(name, [own or () for own in found], instance))
    extent = body.variables[name].shape[0]
    outer = (extent, *strides)
    shape = tuple(above // below for above, below in pairwise(outer))
    variables = {**body.variables, name: replace(body.variables[name], shape=shape)}
    return FlatSource(tuple(statements), variables)


def _with_subscripts(
    name: str, found: Sequence[tuple[Affine, ...]], instance: StatementInstance
) -> StatementInstance:
    """Return a statement with other subscripts of an array: of its target, then of its reads."""
    target, *others = found

    def read(number: int, access: Access) -> Read:
        return Read(Access(name, others[number]) if access.array == name else access)

    return with_accesses(
        instance, read, lambda access: Access(name, target) if access.array == name else access
    )


def _in_rows(
    subscript: Affine, strides: Strides, instance: StatementInstance
) -> tuple[Affine, ...] | None:
    """Return a subscript for every dimension; None where an inner one may leave its row."""
    found: list[Affine] = []
    rest = subscript
    for stride in strides[:-1]:
        parts = _digits(rest, stride, instance)
        if parts is None:
            return None
        row, rest = parts
        found.append(row)
    return (*found, rest)


def _digits(
    value: Affine, stride: int, instance: StatementInstance
) -> tuple[Affine, Affine] | None:
    """Return (row, rest) with ``value == stride * row + rest`` and ``0 <= rest < stride``."""
    row, rest = Affine(), Affine()
    for atom, factor in value.terms:
        rows = -((stride // 2 - factor) // stride)  # the nearest multiple
        row = row + Affine(((atom, rows),)) if rows else row
        left = factor - rows * stride
        rest = rest + Affine(((atom, left),)) if left else rest
    rest = rest + Affine.of(value.constant)
    for ends_of in (hull_ends, exact_ends):
        ends = ends_of(rest, instance)
        if ends is None:
            return row, rest
        first = ends[0] // stride
        if ends[1] // stride == first:
            return row + Affine.of(first), rest - Affine.of(first * stride)
    return None


def _split_flat_loops(name: str, stride: int, body: FlatSource) -> FlatSource:
    """Return the source in which loops over all elements of an array run over its rows."""
    taken = FreeNames(iterator for instance in body.statements for iterator in instance.iterators)
    found: dict[str, SplitLoop] = {}
    for instance in body.statements:
        for access in (instance.target, *instance.reads):
            if access.array != name:
                continue
            match access.subscripts[0].terms:
                case ((Iter(iterator), 1 | -1),) if iterator not in found:
                    loop = next(one for one in instance.loops if one.iterator == iterator)
                    split = split_loop(loop, stride, taken)
                    found |= {iterator: split} if split else {}
                case _:
                    pass
    if not found:
        return body
    return replace(body, statements=tuple(over_split_loops(one, found) for one in body.statements))
