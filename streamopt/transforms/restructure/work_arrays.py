"""Arguments that serve as work arrays: a private copy that can be expanded, and the last one out.

Before (sum: argument, written anew for every r)::

    for r:
        for p: sum[p] = 0
        for p: for s: sum[p] = sum[p] + A[r][s] * C[s][p]
        for p: A[r][p] = sum[p]

After (R: the last value of r)::

    for r:
        for p: sum_work[r][p] = 0
        for p: for s: sum_work[r][p] = sum_work[r][p] + A[r][s] * C[s][p]
        for p: A[r][p] = sum_work[r][p]
    for p: sum[p] = sum_work[R][p]

Legal where every value stays inside one iteration of an outer loop, nothing is read from before,
and each iteration writes the whole array, so that the last one leaves what the caller sees.
"""

from __future__ import annotations

from dataclasses import replace

from streamopt.analysis.dependence import covers, data_flow
from streamopt.analysis.instances import Instance, hull_of
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access, Read
from streamopt.ir.source import Assign, RangeLoop
from streamopt.transforms.restructure.body import Body, Uses, uses_of, with_accesses
from streamopt.transforms.restructure.scalars import expanded, private_depth, shared_loops

__all__ = ["private_work_arrays"]


def private_work_arrays(body: Body) -> Body:
    """Give written arguments that are overwritten in every iteration an expanded private copy."""
    uses = uses_of(body.statements)
    written = [
        name
        for name, variable in body.variables.items()
        if variable.is_argument and not variable.is_constant and name in uses.writers
        if shared_loops(body, uses, name)
    ]
    if not written:
        return body
    flow = data_flow(body.statements, {*written})
    for name in written:
        depth = private_depth(body, uses, name, flow)
        if depth and _is_overwritten(body, uses, name, depth):
            body = _with_copy(body, uses, name, depth)
    return body


def _is_overwritten(body: Body, uses: Uses, name: str, depth: int) -> bool:
    """Return whether each iteration of the outer loops writes the whole array."""
    first = body.statements[uses.writers[name][0]]
    outer = {loop.iterator for loop in first.loops[:depth]}
    inside = replace(first, loops=first.loops[depth:])
    bounds = [b for loop in first.loops for b in (*loop.lower, *loop.upper)]
    fixed = not any(outer & {*bound.iterators()} for bound in bounds)
    used = outer & {*first.target.iterators()} or first.guards
    once = all(high - low < 2 for low, high in hull_of(first.loops[:depth]).values())
    return fixed and not used and not once and covers(inside, body.variables[name].shape)


def _with_copy(body: Body, uses: Uses, name: str, depth: int) -> Body:
    variable = body.variables[name]
    fresh, number = f"{name}_work", 2
    while fresh in body.variables:
        fresh, number = f"{name}_work_{number}", number + 1

    def moved(access: Access) -> Access:
        return replace(access, array=fresh) if access.array == name else access

    statements = [*body.statements]
    for at in uses.users(name):
        statements[at] = with_accesses(statements[at], lambda _, access: Read(moved(access)), moved)
    private = replace(variable, name=fresh, is_argument=False)
    loops = statements[uses.writers[name][0]].loops[:depth]
    renamed = Body(tuple(statements), {**body.variables, fresh: private})
    grown = expanded(renamed, uses_of(renamed.statements), {fresh: hull_of(loops)})
    if not variable.is_wanted:
        return grown
    last = tuple(Affine.of(high - low - 1) for low, high in hull_of(loops).values())
    copied = _copy_out(name, Access(fresh, last), variable.shape, body)
    return Body((*grown.statements, copied), grown.variables)


def _copy_out(name: str, final: Access, shape: tuple[int, ...], body: Body) -> Instance:
    taken = {iterator for instance in body.statements for iterator in instance.iterators}
    names = [f"{name}_d{at}" for at in range(len(shape))]
    names = [f"{n}_out" if n in taken else n for n in names]
    loops = tuple(
        RangeLoop(iterator, (Affine(),), (Affine.of(extent),), ())
        for iterator, extent in zip(names, shape, strict=True)
    )
    place = tuple(map(Affine.iterator, names))
    last = max(instance.position[0] for instance in body.statements) + 1
    assign = Assign(Access(name, place), Read(Access(final.array, (*final.subscripts, *place))))
    return Instance(assign, loops, (last, *[0] * len(shape)))
