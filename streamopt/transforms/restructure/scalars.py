"""Scalars and work arrays that stand between statements: split, put in, expanded.

Before::

    for i:
        t = A[i] * 2          (t: local scalar, used for other things elsewhere)
        s = 0
        for j: s = s + t * B[j]
        C[i] = s

After `split_variables`, `forward_substitution` and `expand_variables`::

    for i:
        t[i] = A[i] * 2
        s[i] = 0
        for j: s[i] = s[i] + t[i] * B[j]
        C[i] = s[i]

Legality is asked of the data flow: uses that no value connects get names of their own; a variable
gets a dimension for a loop where no value crosses from one iteration of it to another.
"""

from __future__ import annotations

from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from streamopt.analysis.dependence import Touch, data_flow
from streamopt.analysis.instances import hull_of
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access, Cast, Index, Literal, Read
from streamopt.transforms.restructure.body import Body, with_accesses

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from streamopt.analysis.dependence import DataFlow
    from streamopt.analysis.instances import Instance
    from streamopt.ir.expression import Expression
    from streamopt.ir.source import RangeLoop

__all__ = [
    "expand_variables",
    "expanded",
    "forward_substitution",
    "private_depth",
    "split_variables",
]

MAX_EXPANDED_ELEMENTS = 2**24
"""Largest array that an expansion may make."""


def split_variables(body: Body) -> Body:
    """Give private variables a name for each set of writes and reads that values connect."""
    several = [n for n in body.variables if body.is_private(n) and len(body.writers(n)) > 1]
    flow = data_flow(body.statements, several)
    writer_of: dict[int, str] = {}
    reader_of: dict[Touch, str] = {}
    variables = dict(body.variables)
    for name in several:
        writers = body.writers(name)
        group = {writer: writer for writer in writers}

        def root(writer: int, group: dict[int, int] = group) -> int:
            while group[writer] != writer:
                writer = group[writer]
            return writer

        reads = [touch for touch, _ in _touches(body, name)]
        for touch in reads:
            found = sorted(flow.sources[touch])
            for other in found[1:]:
                group[root(other)] = root(found[0])
        roots = list(dict.fromkeys(root(writer) for writer in writers))
        names: dict[int, str] = {}
        for at, first in enumerate(roots):
            fresh = name if at == 0 else _fresh(name, variables)
            variables[fresh] = replace(variables[name], name=fresh)
            names[first] = fresh
        writer_of |= {writer: names[root(writer)] for writer in writers}
        reader_of |= {t: names[root(min(flow.sources[t]))] for t in reads if flow.sources[t]}
    statements = tuple(
        with_accesses(
            instance,
            lambda number, access, at=at: Read(
                replace(access, array=reader_of.get(Touch(at, number), access.array))
            ),
            lambda access, at=at: replace(access, array=writer_of.get(at, access.array)),
        )
        for at, instance in enumerate(body.statements)
    )
    return Body(statements, variables)


def _touches(body: Body, name: str) -> list[tuple[Touch, Access]]:
    return [
        (Touch(at, number), access)
        for at, instance in enumerate(body.statements)
        for number, access in enumerate(instance.reads)
        if access.array == name
    ]


def _fresh(name: str, taken: Mapping[str, object]) -> str:
    number = 2
    while f"{name}_{number}" in taken:
        number += 1
    return f"{name}_{number}"


def forward_substitution(body: Body) -> Body:
    """Put the values of private scalars where they are used, if that repeats no operation.

    Legal where the one statement that writes the scalar always runs before the use, in the same
    iteration of the loops around it, and nothing that its value reads changes in between.
    """
    for name in body.variables:
        writers = body.writers(name)
        if not body.is_private(name) or body.variables[name].shape or len(writers) != 1:
            continue
        body = _substituted(body, name, writers[0])
    return body


def _substituted(body: Body, name: str, writer: int) -> Body:
    source = body.statements[writer]
    touches = _touches(body, name)
    users = sorted({touch.statement for touch, _ in touches})
    plain = isinstance(source.assign.value, Literal | Read | Index)
    single = len(touches) == 1 and body.statements[users[0]].loops == source.loops
    if not users or not (plain or single) or any(a.array == name for a in source.reads):
        return body
    if not all(_reaches(body, writer, user) for user in users):
        return body
    element = body.variables[name].element
    value: Expression = source.assign.value
    touched = [body.statements[user] for user in users]
    names = {a.array for i in (source, *touched) for a in (i.target, *i.reads)} - {name}
    if any(body.variables[other].element is not element for other in names) or isinstance(
        value, Index
    ):
        value = Cast(element, value)
    statements = tuple(
        with_accesses(
            instance,
            lambda _, access: value if access.array == name else Read(access),
            lambda access: access,
        )
        for at, instance in enumerate(body.statements)
        if at != writer
    )
    return Body(statements, {n: v for n, v in body.variables.items() if n != name})


def _reaches(body: Body, writer: int, user: int) -> bool:
    """Return whether a statement surely runs before a use, and its operands stay as they are."""
    source, use = body.statements[writer], body.statements[user]
    depth = len(source.loops)
    if user <= writer or use.loops[:depth] != source.loops:
        return False
    if use.guards[: len(source.guards)] != source.guards:
        return False
    operands = {access.array for access in source.reads}
    last = use.position[depth]
    between = (
        instance
        for instance in body.statements[writer + 1 :]
        if instance.loops[:depth] == source.loops and instance.position[depth] <= last
    )
    once = use.loops == source.loops
    return not any(i.target.array in operands for i in between if not (once and i is use))


def expand_variables(body: Body) -> Body:
    """Give private variables a dimension for every outer loop that no value crosses."""
    private = {name for name in body.variables if body.is_private(name)}
    flow = data_flow(body.statements, private)
    for name in body.variables:
        users = [body.statements[at] for at in body.users(name)]
        if not body.is_private(name) or not body.writers(name) or not users:
            continue
        depth = private_depth(body, name, flow)
        if depth and (shared := _shared_elements(body, name, depth)):
            body = expanded(body, name, users[0].loops[:depth], shared)
    return body


def _shared_elements(body: Body, name: str, depth: int) -> frozenset[str]:
    """Return the outer loops whose iterations may touch one element of a variable twice.

    A loop is not among them where one dimension has its iterator, alone and alike in all accesses.
    """
    instances = [body.statements[at] for at in body.users(name)]
    accesses = [a for i in instances for a in (i.target, *i.reads) if a.array == name]
    alike = [d for d in zip(*(a.subscripts for a in accesses), strict=True) if len({*d}) == 1]
    alone = {d[0].terms[0][0] for d in alike if len(d[0].terms) == 1}
    outer = (loop.iterator for loop in instances[0].loops[:depth])
    return frozenset(name for name in outer if Iter(name) not in alone)


def private_depth(body: Body, name: str, flow: DataFlow) -> int:
    """Return how many outer loops no value of a variable crosses, if it may grow by them."""
    touches = [touch for touch, _ in _touches(body, name)]
    if any(touch in flow.from_before for touch in touches):
        return 0
    depth = _shared_depth(body, name)
    users = [body.statements[at].loops for at in body.users(name)]
    pairs = [(writer, touch) for touch in touches for writer in flow.sources[touch]]
    while depth and not all(flow.is_within(writer, touch, depth) for writer, touch in pairs):
        depth -= 1
    size = prod(body.variables[name].shape)
    extents = [high - low for low, high in hull_of(users[0][:depth]).values()]
    return depth if size * prod(extents) <= MAX_EXPANDED_ELEMENTS else 0


def _shared_depth(body: Body, name: str) -> int:
    """Return how many outer loops all statements that touch a variable share."""
    users = [body.statements[at].loops for at in body.users(name)]
    depth = min(map(len, users))
    while any(loops[:depth] != users[0][:depth] for loops in users):
        depth -= 1
    return depth


def expanded(
    body: Body, name: str, loops: Sequence[RangeLoop], chosen: Container[str] | None = None
) -> Body:
    """Return the body in which a variable has a dimension for each of some outer loops.

    Of ``loops``, the outermost ones of every statement, those with a chosen iterator; None for all.
    """
    hulls = {n: hull for n, hull in hull_of(loops).items() if chosen is None or n in chosen}
    added = tuple(
        Affine.iterator(iterator) - Affine.of(low) for iterator, (low, _) in hulls.items()
    )

    def grown(access: Access) -> Access:
        if access.array != name:
            return access
        return Access(name, (*added, *access.subscripts))

    variable = body.variables[name]
    extents = tuple(high - low for low, high in hulls.values())
    changed = replace(variable, shape=(*extents, *variable.shape))
    statements: tuple[Instance, ...] = tuple(
        with_accesses(instance, lambda _, access: Read(grown(access)), grown)
        for instance in body.statements
    )
    return Body(statements, {**body.variables, name: changed})
