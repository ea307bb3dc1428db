"""Scalars and work arrays that stand between statements: split, expanded, made private.

Legality is asked of the data flow: uses that no value connects get names of their own; a variable
gets a dimension for a loop where no value crosses from one iteration of it to another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from streamopt.analysis.dependence import DataFlow, StatementRead, covers, data_flow
from streamopt.analysis.instances import Hull, StatementInstance, hull_of, loops_over
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access, Read
from streamopt.ir.source import Assign, RangeLoop
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.restructure.distribute import distributed
from streamopt.transforms.restructure.flat_source import FlatSource, Uses, uses_of, with_accesses

MAX_EXPANDED_ELEMENTS = 2**24
"""Largest array that an expansion may make."""
MAX_CIRCLED_ELEMENTS = 2**16
"""Likewise, where the statements that use it stay together, on a circle of values."""


def split_variables(body: FlatSource) -> FlatSource:
    """Give private variables a name for each set of writes and reads that values connect.

    Before: ``t = C[i]; A[i] = t * 2; t = C[i] + 1; B[i] = t``
    After:  ``t = C[i]; A[i] = t * 2; t_2 = C[i] + 1; B[i] = t_2``
    """
    uses = uses_of(body.statements)
    several = [n for n in body.variables if body.is_private(n) and len(uses.writers.get(n, ())) > 1]
    if not several:
        return body
    flow = data_flow(body.statements, {*several})
    writer_of: dict[int, str] = {}
    reader_of: dict[StatementRead, str] = {}
    variables = dict(body.variables)
    free = FreeNames(variables)
    for name in several:
        writers = uses.writers[name]
        group = {writer: writer for writer in writers}

        def root(writer: int, group: dict[int, int] = group) -> int:
            while group[writer] != writer:
                group[writer] = group[group[writer]]
                writer = group[writer]
            return writer

        reads = [touch for touch, _ in uses.touches.get(name, ())]
        for touch in reads:
            found = sorted(flow.sources[touch])
            for other in found[1:]:
                group[root(other)] = root(found[0])
        roots = list(dict.fromkeys(root(writer) for writer in writers))
        names: dict[int, str] = {}
        for at, first in enumerate(roots):
            fresh = free.fresh(name) if at > 0 else name
            variables[fresh] = replace(variables[name], name=fresh)
            names[first] = fresh
        writer_of |= {writer: names[root(writer)] for writer in writers}
        reader_of |= {t: names[root(min(flow.sources[t]))] for t in reads if flow.sources[t]}
    changed = {*writer_of, *(touch.statement for touch in reader_of)}
    statements = tuple(
        with_accesses(
            instance,
            lambda number, access, at=at: Read(
                replace(access, array=reader_of.get(StatementRead(at, number), access.array))
            ),
            lambda access, at=at: replace(access, array=writer_of.get(at, access.array)),
        )
        if at in changed
        else instance
        for at, instance in enumerate(body.statements)
    )
    return FlatSource(statements, variables)


def expand_variables(body: FlatSource) -> FlatSource:
    """Give private variables a dimension for every outer loop that no value crosses.

    Before: ``for i: s = 0; for j: s = s + B[j]; C[i] = s``
    After:  ``for i: s[i] = 0; for j: s[i] = s[i] + B[j]; C[i] = s[i]``
    """
    uses = uses_of(body.statements)
    loops = {
        name: shared_loops(body, uses, name)
        for name in body.variables
        if body.is_private(name) and uses.writers.get(name)
    }
    private = {name for name, shared in loops.items() if shared}
    if not private:
        return body
    flow = data_flow(body.statements, private)
    grown = {
        name: _shared_hulls(body, uses, name, loops[name][:depth])
        for name in body.variables
        if name in private
        if (depth := private_depth(body, uses, name, flow))
    }
    return expanded(body, uses, grown)


def _shared_hulls(
    body: FlatSource, uses: Uses, name: str, loops: Sequence[RangeLoop]
) -> dict[str, Hull]:
    """Return the hulls of loops whose iterations may touch an element of a variable twice.

    A loop is not among them where one dimension has its iterator, alone and alike in all accesses.
    """
    written = [body.statements[at].target for at in uses.writers[name]]
    read = [access for _, access in uses.touches.get(name, ())]
    dimensions = zip(*(access.subscripts for access in (*written, *read)), strict=True)
    alike = [dimension[0].terms for dimension in dimensions if len({*dimension}) == 1]
    alone = {terms[0][0] for terms in alike if len(terms) == 1}
    return {n: hull for n, hull in hull_of(loops).items() if Iter(n) not in alone}


def private_depth(body: FlatSource, uses: Uses, name: str, flow: DataFlow) -> int:
    """Return how many outer loops no value of a variable crosses, if it may grow by them."""
    loops = shared_loops(body, uses, name)
    touches = [touch for touch, _ in uses.touches.get(name, ())]
    if not loops or any(touch in flow.from_before for touch in touches):
        return 0
    depth = len(loops)
    pairs = [(writer, touch) for touch in touches for writer in flow.sources[touch]]
    while depth and not all(flow.is_within(writer, touch, depth) for writer, touch in pairs):
        depth -= 1
    size = prod(body.variables[name].shape)
    grown = size * prod(high - low for low, high in hull_of(loops[:depth]).values())
    if size > 1 and grown > MAX_CIRCLED_ELEMENTS and _is_circled(body, uses, name):
        return 0
    return depth if grown <= MAX_EXPANDED_ELEMENTS else 0


def _is_circled(body: FlatSource, uses: Uses, name: str) -> bool:
    """Return whether values that are read from a variable come back to where it is written.

    Then its users are one sequential nest, however many elements it has.
    """
    sources = data_flow(body.statements).sources
    pairs = {(writer, touch.statement) for touch, found in sources.items() for writer in found}
    groups = distributed(len(body.statements), pairs)
    group_of = {member: at for at, group in enumerate(groups) for member in group}
    readers = {touch.statement for touch, _ in uses.touches.get(name, ())}
    return any(group_of[w] == group_of[r] for w in uses.writers[name] for r in readers - {w})


def shared_loops(body: FlatSource, uses: Uses, name: str) -> tuple[RangeLoop, ...]:
    """Return the outer loops that all statements that touch a variable share."""
    first, *others = [body.statements[at].loops for at in uses.users(name)]
    depth = len(first)
    for loops in others:
        same = zip(first[:depth], loops, strict=False)
        depth = next((at for at, (a, b) in enumerate(same) if a != b), min(depth, len(loops)))
    return first[:depth]


def expanded(body: FlatSource, uses: Uses, grown: Mapping[str, Mapping[str, Hull]]) -> FlatSource:
    """Return the body in which variables have a dimension for each of some outer loops.

    Given are, by variable, the hulls of the iterators of these loops.
    """
    added = {
        name: tuple(
            Affine.iterator(iterator) - Affine.of(low) for iterator, (low, _) in own.items()
        )
        for name, own in grown.items()
    }

    def moved(access: Access) -> Access:
        return Access(access.array, (*added.get(access.array, ()), *access.subscripts))

    variables = dict(body.variables)
    for name, own in grown.items():
        extents = tuple(high - low for low, high in own.values())
        variables[name] = replace(variables[name], shape=(*extents, *variables[name].shape))
    statements = [*body.statements]
    for at in {at for name in grown for at in uses.users(name)}:
        statements[at] = with_accesses(statements[at], lambda _, access: Read(moved(access)), moved)
    return FlatSource(tuple(statements), variables)


def private_work_arrays(body: FlatSource) -> FlatSource:
    """Give written arguments that are overwritten in every iteration an expanded private copy.

    Before: ``for r: for p: sum[p] = A[r][p]; for p: A[r][p] = sum[7 - p]``
    After:  ``... sum_work[r][p] = A[r][p] ...; for p: sum[p] = sum_work[R][p]   # R: the last r``

    Legal where every value stays inside one iteration of an outer loop, nothing is read from
    before, and each iteration writes the whole array: the last one leaves what the caller sees.
    """
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


def _is_overwritten(body: FlatSource, uses: Uses, name: str, depth: int) -> bool:
    """Return whether each iteration of the outer loops writes the whole array."""
    first = body.statements[uses.writers[name][0]]
    outer = {loop.iterator for loop in first.loops[:depth]}
    inside = replace(first, loops=first.loops[depth:])
    bounds = [b for loop in first.loops for b in (*loop.lower, *loop.upper)]
    fixed = not any(outer & {*bound.iterators()} for bound in bounds)
    used = outer & {*first.target.iterators()} or first.guards
    once = all(high - low < 2 for low, high in hull_of(first.loops[:depth]).values())
    return fixed and not used and not once and covers(inside, body.variables[name].shape)


def _with_copy(body: FlatSource, uses: Uses, name: str, depth: int) -> FlatSource:
    variable = body.variables[name]
    fresh = FreeNames(body.variables).fresh(f"{name}_work")

    def moved(access: Access) -> Access:
        return replace(access, array=fresh) if access.array == name else access

    statements = [*body.statements]
    for at in uses.users(name):
        statements[at] = with_accesses(statements[at], lambda _, access: Read(moved(access)), moved)
    private = replace(variable, name=fresh, is_argument=False)
    loops = statements[uses.writers[name][0]].loops[:depth]
    renamed = FlatSource(tuple(statements), {**body.variables, fresh: private})
    grown = expanded(renamed, uses_of(renamed.statements), {fresh: hull_of(loops)})
    if not variable.is_wanted:
        return grown
    last = tuple(Affine.of(high - low - 1) for low, high in hull_of(loops).values())
    copied = _copy_out(name, Access(fresh, last), variable.shape, body)
    return FlatSource((*grown.statements, copied), grown.variables)


def _copy_out(
    name: str, final: Access, shape: tuple[int, ...], body: FlatSource
) -> StatementInstance:
    taken = {iterator for instance in body.statements for iterator in instance.iterators}
    names = [f"{name}_d{at}" for at in range(len(shape))]
    names = [f"{n}_out" if n in taken else n for n in names]
    loops = loops_over(names, shape)
    place = tuple(map(Affine.iterator, names))
    last = max(instance.position[0] for instance in body.statements) + 1
    assign = Assign(Access(name, place), Read(Access(final.array, (*final.subscripts, *place))))
    return StatementInstance(assign, loops, (last, *[0] * len(shape)))
