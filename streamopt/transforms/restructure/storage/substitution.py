"""Values of private scalars, put where they are used."""

from bisect import bisect_right
from dataclasses import replace

from streamopt.analysis.instances import StatementInstance
from streamopt.ir.arithmetic import with_constants_folded
from streamopt.ir.element import is_closed
from streamopt.ir.expression import (
    Access,
    Cast,
    Expression,
    Index,
    Literal,
    Read,
    Select,
    depth_of,
)
from streamopt.ir.source import Variable
from streamopt.transforms.restructure.conditions import with_conditions
from streamopt.transforms.restructure.flat_source import (
    MAX_DEPTH,
    FlatSource,
    uses_of,
    with_accesses,
)


def forward_substitution(body: FlatSource) -> FlatSource:
    """Put the values of private scalars where they are used, if that repeats no operation.

    Before: ``t = A[i] * 2; C[i] = t + 1``
    After:  ``C[i] = A[i] * 2 + 1``

    Legal where the one statement that writes the scalar always runs before the use, in the same
    iteration of the loops around it, and nothing that its value reads changes in between.
    """
    draft = _StatementDraft(body)
    for name, variable in body.variables.items():
        writers = draft.writers.get(name, ())
        if body.is_private(name) and not variable.shape and len(writers) == 1:
            draft.substitute(name, writers[0])
    statements = tuple(instance for instance in draft.statements if instance is not None)
    variables = {n: v for n, v in body.variables.items() if n not in draft.gone}
    return FlatSource(statements, variables)


class _StatementDraft:
    """Statements that keep their places while some are taken out, and who uses what."""

    def __init__(self, body: FlatSource) -> None:
        uses = uses_of(body.statements)
        self.variables: dict[str, Variable] = dict(body.variables)
        self.statements: list[StatementInstance | None] = [*body.statements]
        self.writers = uses.writers
        self.readers = {
            name: {touch.statement for touch, _ in touches}
            for name, touches in uses.touches.items()
        }
        self.depths = [depth_of(instance.assign.value) for instance in body.statements]
        self.gone: set[str] = set()

    def substitute(self, name: str, writer: int) -> None:
        """Put a scalar's value in place of its reads, and take its statement out, if legal."""
        source = self.statements[writer]
        users = sorted(at for at in self.readers.get(name, ()) if self.statements[at] is not None)
        touched = {at: user for at in users if (user := self.statements[at]) is not None}
        if source is None or not users or not self._is_worth(name, source, touched):
            return
        if any(self.depths[at] + self.depths[writer] > MAX_DEPTH for at in users):
            return
        if not all(self._reaches(writer, source, at, user) for at, user in touched.items()):
            return
        value = self._value(name, source, touched)
        for at, user in touched.items():
            changed = with_accesses(
                user,
                lambda _, access: value if access.array == name else Read(access),
                lambda access: access,
            )
            if isinstance(value, Select | Cast):
                changed = with_conditions(changed)
            if isinstance(value, Literal):
                element = self.variables[name].element
                folded = with_constants_folded(changed.assign.value, element)
                changed = replace(changed, assign=replace(changed.assign, value=folded))
            self.statements[at] = changed
            self.depths[at] += self.depths[writer]
        for access in source.reads:
            self.readers.setdefault(access.array, set()).update(users)
        self.statements[writer] = None
        self.gone.add(name)

    def _is_worth(
        self, name: str, source: StatementInstance, users: dict[int, StatementInstance]
    ) -> bool:
        """Return whether putting the value in repeats no operation."""
        if any(access.array == name for access in source.reads):
            return False
        if isinstance(source.assign.value, Literal | Read | Index):
            return True
        if len(users) > 1:
            return False
        (user,) = users.values()
        return user.loops == source.loops and _count(user, name) == 1

    def _value(
        self, name: str, source: StatementInstance, users: dict[int, StatementInstance]
    ) -> Expression:
        """Return the value, in the scalar's type where that makes a difference."""
        element = self.variables[name].element
        value = source.assign.value
        names = {a.array for i in (source, *users.values()) for a in (i.target, *i.reads)} - {name}
        is_other = any(self.variables[other].element is not element for other in names)
        is_longer = not (is_closed(element) or isinstance(value, Read | Literal))
        return Cast(element, value) if is_other or is_longer or isinstance(value, Index) else value

    def _reaches(
        self, writer: int, source: StatementInstance, user: int, use: StatementInstance
    ) -> bool:
        """Return whether a statement surely runs before a use, and its operands stay unchanged."""
        depth = len(source.loops)
        if user <= writer or use.loops[:depth] != source.loops:
            return False
        if use.guards[: len(source.guards)] != source.guards:
            return False
        last = (*source.position[:depth], use.position[depth])
        once = use.loops == source.loops
        return not any(
            self._is_between(access, writer, last, use if once else None) for access in source.reads
        )

    def _is_between(
        self, access: Access, writer: int, last: tuple[int, ...], allowed: StatementInstance | None
    ) -> bool:
        """Return whether an operand is written behind a statement, up to a place in the text."""
        writers = self.writers.get(access.array, ())
        for at in writers[bisect_right(writers, writer) :]:
            instance = self.statements[at]
            if instance is not None and instance.position[: len(last)] > last:
                return False
            if instance is not None and instance is not allowed:
                return True
        return False


def _count(instance: StatementInstance, name: str) -> int:
    return sum(access.array == name for access in instance.reads)
