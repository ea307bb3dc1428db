"""Private variables that hold an element until it is written, kept in the element's own place."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import takewhile

from streamopt.analysis.dependence import StatementRead, data_flow
from streamopt.analysis.instances import StatementInstance, read_at_end
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Access, Read
from streamopt.transforms.restructure.flat_source import FlatSource, Uses, uses_of, with_accesses

Place = Callable[[Access], Access]


def accumulate_in_place(body: FlatSource) -> FlatSource:
    """Keep a private value where it is written in the end, if statements wait for it in a circle.

    Before: ``for i: w[i] = b[i]; for j < i: w[i] -= A[i][j] * y[j]; y[i] = w[i]``
    After:  ``for i: y[i] = b[i]; for j < i: y[i] -= A[i][j] * y[j]``

    Legal where every read gets its value from the same iteration of the same statement as before,
    and the caller sees the same values at the end.
    """
    uses = uses_of(body.statements)
    private = [name for name in body.variables if body.is_private(name)]
    found = {name: next(_places(name, body, uses), None) for name in private}
    known = {name: pair for name, pair in found.items() if pair is not None}
    places = {name: place for name, (target, place) in known.items() if target not in known}
    if not places:
        return body
    together = _moved(body, places)
    if together is not None or len(places) == 1:
        return together or body
    for name, place in places.items():
        body = _moved(body, {name: place}) or body
    return body


def _places(name: str, body: FlatSource, uses: Uses) -> Iterator[tuple[str, Place]]:
    """Yield arrays that are written from a variable, and maps from its elements to theirs."""
    writers = [body.statements[at] for at in uses.writers.get(name, ())]
    if not any(access.array == name for one in writers for access in one.reads):
        return
    for touch, access in uses.touches.get(name, ()):
        reader = body.statements[touch.statement]
        target = reader.target
        if target.array == name or target in reader.reads:
            continue
        if not any(_may_flow(reader, one) for one in writers):
            continue
        if body.variables[target.array].element is not body.variables[name].element:
            continue
        place = _place(access, target)
        if place is not None:
            yield target.array, place


def _may_flow(source: StatementInstance, sink: StatementInstance) -> bool:
    """Return whether a statement may read what another wrote, as far as common loops tell."""
    read = [access for access in sink.reads if access.array == source.target.array]
    pairs = zip(source.loops, sink.loops, source.position, sink.position, strict=False)
    common = [*takewhile(lambda pair: pair[0] == pair[1] and pair[2] == pair[3], pairs)]
    loops = {Affine.iterator(loop.iterator) for loop, *_ in common}
    if source.position < sink.position:
        return bool(read)
    return any(not loops <= _equal(source.target, access) for access in read)


def _equal(one: Access, other: Access) -> set[Affine]:
    """Return the subscripts that two accesses have in common."""
    pairs = zip(one.subscripts, other.subscripts, strict=True)
    return {own for own, others in pairs if own == others}


def _place(held: Access, target: Access) -> Place | None:
    """Return which element of the target's array belongs to an element of a variable."""
    known: dict[str, tuple[int, int]] = {}
    for at, subscript in enumerate(held.subscripts):
        match subscript.terms:
            case ((Iter(iterator), 1),) if iterator not in known:
                known[iterator] = at, subscript.constant
            case _:
                return None
    if not {*target.iterators()} <= {*known}:
        return None

    def place(access: Access) -> Access:
        values = {
            iterator: access.subscripts[at] - Affine.of(constant)
            for iterator, (at, constant) in known.items()
        }
        return target.substitute(values)

    return place


def _moved(body: FlatSource, places: Mapping[str, Place]) -> FlatSource | None:
    """Return the source with variables in their places; None where that changes a value."""

    def moved(access: Access) -> Access:
        place = places.get(access.array)
        return access if place is None else place(access)

    statements = tuple(
        with_accesses(instance, lambda _, access: Read(moved(access)), moved)
        for instance in body.statements
    )
    pairs = zip(body.statements, statements, strict=True)
    targets = {new.target.array for old, new in pairs if old.target.array in places}
    end = [one for name in sorted(targets) for one in seen_at_end(name, body)]
    if not is_same_flow((*body.statements, *end), (*statements, *end), places, targets):
        return None
    kept = tuple(one for one in statements if one.assign.value != Read(one.target))
    variables = {name: own for name, own in body.variables.items() if name not in places}
    return FlatSource(kept, variables)


def seen_at_end(name: str, body: FlatSource) -> tuple[StatementInstance, ...]:
    """Return a statement that reads an array as the caller does, if it sees it."""
    variable = body.variables[name]
    if not (variable.is_argument and variable.is_wanted):
        return ()
    return (read_at_end(name, variable.shape, body.statements),)


def is_same_flow(
    before: Sequence[StatementInstance],
    after: Sequence[StatementInstance],
    moved: Container[str],
    targets: Container[str],
) -> bool:
    """Return whether every read gets its value from the same iterations of the same statements.

    Reads of other variables do where no moved one is the last to write what they read.
    """

    def is_moved(read: StatementRead) -> bool:
        (access, _) = before[read.statement].conditional_reads[read.read]
        return access.array in moved

    new = data_flow(after, targets)
    found = {key: relation for key, relation in new.relations.items() if is_moved(key[1])}
    others = {writer for writer, read in new.relations if not is_moved(read)}
    if any(before[writer].target.array in moved for writer in others):
        return False
    old = data_flow(before, moved)
    unwritten = frozenset(filter(is_moved, new.from_before))
    if old.relations.keys() != found.keys() or old.from_before != unwritten:
        return False
    return all(relation.is_equal(found[key]) for key, relation in old.relations.items())
