"""Loops that were written as one perfect nest, taken apart again.

What stands before or behind an inner loop then runs inside it, at its first or last iteration:
``for k: { if (k == 0) s = 0; s = s + a[k]; if (k == 7) y[i] = s; }``.
"""

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import replace

from streamopt.analysis.instances import Hull, StatementInstance, hull_of
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.arithmetic import expression_type
from streamopt.ir.element import ElementType
from streamopt.ir.expression import (
    Access,
    Compare,
    CompareOp,
    Condition,
    Expression,
    Index,
    Literal,
    Logic,
    LogicOp,
    Read,
    Select,
    affine_difference,
    all_of,
    children,
    conjuncts,
    negated,
    reads,
    rebuild,
    walk,
)
from streamopt.transforms.restructure.flat_source import (
    FlatSource,
    uses_of,
    with_accesses,
    with_values,
)
from streamopt.transforms.restructure.reductions import with_extreme
from streamopt.transforms.restructure.storage.accumulators import is_same_flow, seen_at_end


def with_first_values(body: FlatSource) -> FlatSource:
    """Assign a value that is chosen at the first iteration of a loop in a statement of its own.

    Before: ``for k: s = (k == 0 ? 0 : s) + a[k]``
    After:  ``for k: { if (k == 0) s = 0; s = s + a[k]; }``
    """
    found = [_first_value(instance, body) for instance in body.statements]
    if not any(found):
        return body
    statements: list[StatementInstance] = []
    for instance, parts in zip(body.statements, found, strict=True):
        place = tuple(2 * own + 1 for own in instance.position)
        first, then = parts or (None, instance)
        if first is not None:
            statements.append(replace(first, position=(*place[:-1], place[-1] - 1)))
        statements.append(replace(then, position=place))
    return replace(body, statements=tuple(statements))


def has_ends(instance: StatementInstance) -> bool:
    """Return whether a statement or a part of its value is for one iteration of a loop alone."""
    hulls, parts = hull_of(instance.loops), walk(instance.assign.value)
    ways = [way for part in parts if isinstance(part, Select) for way in _ways(part)]
    conditions = [*instance.guards, *(condition for condition, _, _ in ways)]
    return any(_pin(part, hulls) for each in conditions for part in conjuncts(each))


def without_pinned_loops(instance: StatementInstance) -> StatementInstance:
    """Return a statement without idle loops of which it runs at one iteration alone.

    Before: ``for k in 0 .. 8: if (k == 7) y[i] = s[k]``
    After:  ``y[i] = s[7]``
    """
    for guard in instance.guards:
        pin = _pin(guard, hull_of(instance.loops))
        if pin is None or pin[0] in instance.target.iterators():
            continue
        name, value = pin
        at = next(n for n, loop in enumerate(instance.loops) if loop.iterator == name)
        others = tuple(other for other in instance.guards if other is not guard)
        found = with_values(replace(instance, guards=others), {name: Affine.of(value)})
        loops = found.loops[:at] + found.loops[at + 1 :]
        position = found.position[:at] + found.position[at + 1 :]
        return without_pinned_loops(replace(found, loops=loops, position=position))
    return instance


def _pins(instance: StatementInstance) -> Iterator[tuple[str, int]]:
    hulls = hull_of(instance.loops)
    yield from filter(None, (_pin(guard, hulls) for guard in instance.guards))


def _pin(condition: Condition, hulls: Mapping[str, Hull]) -> tuple[str, int] | None:
    """Return an iterator and its only value at which a condition holds, if there is one."""
    gap = affine_difference(condition) if isinstance(condition, Compare) else None
    match gap, condition:
        case Affine(((Iter(name), factor),), constant), Compare(op):
            low, high = hulls[name]
        case _:
            return None
    values = {low, high - 1}
    if op is CompareOp.EQ:
        values = {-constant // factor} & {*range(low, high)}
    for value in values:
        others = [(low, value - 1), (value + 1, high - 1)]
        ends = [(first, last) for first, last in others if first <= last]
        where = [gap.interval({name: end}) for end in ((value, value), *ends)]
        if [op.truth(*reach) for reach in where] == [True, *(False for _ in ends)] and ends:
            return name, value
    return None


def _first_value(
    instance: StatementInstance, body: FlatSource
) -> tuple[StatementInstance, StatementInstance] | None:
    """Return two for a statement that goes on from its element, but at the first iteration."""
    target, value = instance.target, instance.assign.value
    own, hulls = Read(target), hull_of(instance.loops)
    idle = {*instance.iterators} - {*target.iterators()}
    circular = [guard for guard in instance.guards if target in reads(guard)]
    if circular:
        value = Select(all_of(circular), value, own)
        guards = tuple(guard for guard in instance.guards if guard not in circular)
        instance = replace(instance, assign=replace(instance.assign, value=value), guards=guards)
    for choice in (part for part in walk(value) if isinstance(part, Select)):
        for first, then, otherwise in _ways(choice):
            pins = [_pin(part, hulls) for part in conjuncts(first)]
            starts = [pin is not None and pin[0] in idle and hulls[pin[0]][0] == pin[1]
                      for pin in pins]  # fmt: skip
            if not all(starts) or target in reads(then) or target not in reads(otherwise):
                continue
            begins = _assigning(instance, then, first)
            if choice is value and _keep_types(choice, (then, otherwise), body):
                return begins, _assigning(instance, otherwise, negated(first))
            touched = [access for access in reads(value) if access.array == target.array]
            if otherwise == own and len(touched) == 1 and _is_own_type(then, target, body):
                return begins, _assigning(instance, _replaced(value, choice, own))
    return None


def _assigning(
    instance: StatementInstance, value: Expression, *guards: Condition
) -> StatementInstance:
    assign = with_extreme(replace(instance.assign, value=value))
    own = (part for guard in guards for part in conjuncts(guard))
    return replace(instance, assign=assign, guards=(*instance.guards, *own))


def _ways(choice: Select) -> Iterator[tuple[Condition, Expression, Expression]]:
    """Yield conditions with the value where they hold, and the one elsewhere."""
    for condition, then, otherwise in (
        (choice.condition, choice.then, choice.otherwise),
        (negated(choice.condition), choice.otherwise, choice.then),
    ):
        yield condition, then, otherwise
        match condition:
            case Logic(LogicOp.OR, (first, *others)):
                rest = others[0] if len(others) == 1 else Logic(LogicOp.OR, tuple(others))
                yield first, then, Select(rest, then, otherwise)
            case _:
                pass


def _keep_types(choice: Select, parts: Sequence[Expression], body: FlatSource) -> bool:
    """Return whether values are the same without being converted to their common type."""
    common = expression_type(choice, lambda name: body.variables[name].element)
    return common is None or all(_is_of(part, common, body) for part in parts)


def _is_own_type(value: Expression, target: Access, body: FlatSource) -> bool:
    return _is_of(value, body.variables[target.array].element, body)


def _is_of(value: Expression, element: ElementType, body: FlatSource) -> bool:
    if isinstance(value, Literal):
        return element.nearest(value.value) == value.value
    return expression_type(value, lambda name: body.variables[name].element) is element


def _replaced(value: Expression, old: Expression, new: Expression) -> Expression:
    if value is old:
        return new
    return rebuild(value, tuple(_replaced(part, old, new) for part in children(value)))


def with_last_values(body: FlatSource) -> FlatSource:
    """Keep the last of the values that iterations of a loop give one after another.

    Before: ``for k: { s[k] = s[k - 1] + a[k]; y[0] = s[k]; }``
    After:  ``for k: { s = s + a[k]; if (k == 7) y[0] = s; }``

    Legal where nobody reads the earlier ones, but the next iteration.
    """
    for writers in uses_of(body.statements).writers.values():
        together = _written_last(writers, body)
        if together is not None or len(writers) == 1:
            body = together or body
            continue
        for writer in writers:
            body = _written_last((writer,), body) or body
    uses = uses_of(body.statements)
    for name, writers in uses.writers.items():
        if len(writers) == 1 and body.is_private(name):
            readers = {touch.statement for touch, _ in uses.touches.get(name, ())}
            if {*writers} & readers:
                body = _without_earlier(name, writers[0], readers - {*writers}, body)
    return body


def _written_last(writers: Sequence[int], body: FlatSource) -> FlatSource | None:
    """Return the source with statements at the last iterations of their idle loops alone.

    None where there are none that are written more often, or where that changes a value.
    """
    statements = [*body.statements]
    for writer in writers:
        statements[writer] = _at_last(statements[writer])
    name, after = statements[writers[0]].target.array, tuple(statements)
    if after == body.statements:
        return None
    seen = seen_at_end(name, body)
    if not is_same_flow((*body.statements, *seen), (*after, *seen), {name}, {name}):
        return None
    return replace(body, statements=after)


def _at_last(instance: StatementInstance) -> StatementInstance:
    target, pinned = instance.target, {pin[0] for pin in _pins(instance)}
    if target in instance.reads:
        return instance
    fixed, hulls = {*target.iterators()} | pinned, hull_of(instance.loops)
    last = [
        Compare(CompareOp.EQ, Index(Affine.iterator(name)), Literal(float(hulls[name][1] - 1)))
        for name in instance.iterators
        if name not in fixed and hulls[name][1] - hulls[name][0] > 1
    ]
    return replace(instance, guards=(*instance.guards, *last)) if last else instance


def _without_earlier(name: str, at_writer: int, readers: Set[int], body: FlatSource) -> FlatSource:
    writer = body.statements[at_writer]
    before = [access for access in writer.reads if access.array == name]
    for at, subscript in enumerate(writer.target.subscripts):
        iterator = (subscript - Affine.of(subscript.constant)).as_iterator()
        earlier = replace(
            writer.target,
            subscripts=tuple(
                own - Affine.of(1) if place == at else own
                for place, own in enumerate(writer.target.subscripts)
            ),
        )
        if iterator is None or {*before} != {earlier}:
            continue
        last = subscript.substitute({iterator: Affine.of(hull_of(writer.loops)[iterator][1] - 1)})
        if all(_reads_last(body.statements[reader], name, at, last) for reader in readers):
            return _contracted(name, at, body) or body
    return body


def _reads_last(instance: StatementInstance, name: str, at: int, last: Affine) -> bool:
    """Return whether a statement reads no element of an array but those of the last iteration."""
    found = without_pinned_loops(instance)
    return all(access.subscripts[at] == last for access in found.reads if access.array == name)


def _contracted(name: str, at: int, body: FlatSource) -> FlatSource | None:
    """Return the source with an array without a dimension; None where that changes a value."""

    def kept(access: Access) -> Access:
        if access.array != name:
            return access
        return replace(access, subscripts=access.subscripts[:at] + access.subscripts[at + 1 :])

    statements = tuple(
        with_accesses(one, lambda _, access: Read(kept(access)), kept) for one in body.statements
    )
    if not is_same_flow(body.statements, statements, {name}, {name}):
        return None
    variable = body.variables[name]
    shape = variable.shape[:at] + variable.shape[at + 1 :]
    return FlatSource(statements, {**body.variables, name: replace(variable, shape=shape)})
