"""Values that statements hand on in shift registers and scalars, read where they come from."""

from collections.abc import Mapping, Sequence

from streamopt.analysis.copied_values import CopiedValues
from streamopt.analysis.dependence import DataFlow, StatementRead, data_flow
from streamopt.analysis.instances import is_certain
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Cast, Condition, Expression, Literal, Read, Select
from streamopt.transforms.restructure.flat_source import FlatSource, Uses, uses_of, with_accesses

_MOST_CASES = 4
"""Of origins that a read may choose among; more would cost more than the memory they replace."""


def forward_copies(body: FlatSource) -> FlatSource:
    """Read what copies hand on from one iteration to the next at its origin.

    Before: ``for n: for k = 15..1: s[k] = s[k-1]; s[0] = x[n]; for k: acc[n] += s[k] * h[k]``
    After:  ``for n: for k: acc[n] += (k <= n ? x[n-k] : 0) * h[k]``

    Legal where isl finds the origin of every read of the variable, and no write of the element
    that is read there comes between.
    """
    uses = uses_of(body.statements)
    wanted = {name for name in body.variables if _gets_copies(name, body, uses)}
    if not wanted:
        return body
    flow = data_flow(body.statements, wanted)
    carried = {name for name in wanted if _is_carried(name, uses, flow)}
    if not carried:
        return body
    copies = [at for name in sorted(carried) for at in uses.writers[name]]
    values = CopiedValues(body.statements, flow, copies)
    asked = {name: _values_of(name, carried, body, values, uses) for name in sorted(carried)}
    gone = _unread({name for name, own in asked.items() if own is not None}, carried, body, uses)
    found = {touch: value for name in gone for touch, value in (asked[name] or {}).items()}
    return _without(gone, found, body) if gone else body


def _unread(replaced: set[str], carried: set[str], body: FlatSource, uses: Uses) -> set[str]:
    """Return those of replaced variables that no copy into another variable still reads."""
    left = replaced
    while True:
        targets = {
            name: {body.statements[touch.statement].target.array for touch, _ in uses.touches[name]}
            for name in left
        }
        read = {name for name, own in targets.items() if (own & carried) - left}
        if not read:
            return left
        left = left - read


def _values_of(
    name: str, carried: set[str], body: FlatSource, values: CopiedValues, uses: Uses
) -> dict[StatementRead, Expression] | None:
    """Return the values that replace all reads of a variable; None where one can't be told."""
    found: dict[StatementRead, Expression] = {}
    for touch, _ in uses.touches[name]:
        if body.statements[touch.statement].target.array in carried:
            continue
        value = _chosen(values.cases(touch) or (), body.variables[name].element)
        if value is None:
            return None
        found[touch] = value
    return found


def _chosen(
    cases: Sequence[tuple[Condition | bool, Expression]], element: ElementType
) -> Expression | None:
    """Return one value by conditions, of which the last need not be asked."""
    if not 0 < len(cases) <= _MOST_CASES:
        return None
    *others, (_, value) = sorted(cases, key=lambda case: isinstance(case[1], Literal))
    others = [case for case in others if case[1] != value]
    if not others and isinstance(value, Literal):
        return Cast(element, value)
    for condition, other in reversed(others):
        if isinstance(condition, bool):
            return None
        value = Select(condition, other, value)
    return value


def _without(
    gone: set[str], found: Mapping[StatementRead, Expression], body: FlatSource
) -> FlatSource:
    """Return the source with reads replaced, and without the variables that nothing reads now."""
    statements = [
        with_accesses(
            instance,
            lambda number, access, at=at: found.get(StatementRead(at, number), Read(access)),
            lambda access: access,
        )
        for at, instance in enumerate(body.statements)
        if instance.target.array not in gone
    ]
    variables = {name: own for name, own in body.variables.items() if name not in gone}
    return FlatSource(tuple(statements), variables)


def _gets_copies(name: str, body: FlatSource, uses: Uses) -> bool:
    """Return whether all writes of a private variable are copies, one at least inside a loop."""
    writers = [body.statements[at] for at in uses.writers.get(name, ())]
    if not body.is_private(name) or not any(writer.loops for writer in writers):
        return False
    element = body.variables[name].element
    for writer in writers:
        value = writer.assign.value
        is_alike = isinstance(value, Read) and (
            body.variables[value.access.array].element is element
        )
        if not (is_alike or isinstance(value, Literal)) or not is_certain(writer):
            return False
    return name in uses.touches


def _is_carried(name: str, uses: Uses, flow: DataFlow) -> bool:
    """Return whether a value crosses from one iteration of a loop to the next."""
    return any(
        writer >= touch.statement
        for touch, _ in uses.touches[name]
        for writer in flow.sources[touch]
    )
