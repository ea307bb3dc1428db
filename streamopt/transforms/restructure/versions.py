"""Array versioning: every group of statements writes arrays of its own.

That takes away multiple producers and updates in place. It is legal in the order of the groups,
as each reads the versions that the ones before it left. A group that can't be a streaming nest
becomes a sequential one, which updates its own copies.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from streamopt.analysis.dependence import (
    DataFlow,
    StatementRead,
    covers,
    data_flow,
    ordering_pairs,
)
from streamopt.analysis.instances import StatementInstance
from streamopt.ir.expression import Access, moved_leaf, reads
from streamopt.ir.program import Array, Loop, Nest, Program, Role, Statement
from streamopt.ir.source import Variable
from streamopt.transforms.free_names import FreeNames
from streamopt.transforms.restructure.distribute import distributed
from streamopt.transforms.restructure.flat_source import FlatSource, ordered_statement
from streamopt.transforms.restructure.joining import joints, refused
from streamopt.transforms.restructure.loops.perfect_loops import without_pinned_loops
from streamopt.transforms.restructure.perfect import perfect_nest
from streamopt.transforms.restructure.reductions import recognized, with_choices
from streamopt.transforms.restructure.stream import StreamRefusedError, streaming_nest, told
from streamopt.transforms.restructure.unseen import without_unseen


def versioned(name: str, body: FlatSource, values: Mapping[str, NDArray[Any]]) -> Program:
    """Return the program in which each array is written by one nest; ``values`` are constants.

    Before: ``A[i][j] = A[i][j] + u[i] * v[j]; x[i] = x[i] + A[j][i] * y[j]``
    After:  ``A_1[i][j] = A[i][j] + u[i] * v[j]; x_1[i] = x[i] + A_1[j][i] * y[j]``
    """
    flow = data_flow(body.statements)
    while (seen := without_unseen(body, flow)) is not body:
        body, flow = seen, data_flow(seen.statements)
    maker = _joined(_Versions(body, flow))
    arrays = maker.arrays(values)
    known = {array.name for array in arrays}
    kept = {name: array for name, array in values.items() if name in known}
    return Program(name, arrays, tuple(maker.nests), kept)


def _joined(maker: _Versions) -> _Versions:
    """Return the versions for groups of which those that share large arrays are joined."""
    body, flow = maker.body, maker.flow
    pairs = ordering_pairs(body.statements)
    groups = distributed(len(body.statements), pairs)
    maker.add_all(groups)
    together = joints(groups, maker.sequential, body, flow)
    while together:
        both = {*together, *((second, first) for first, second in together)}
        joined = distributed(len(body.statements), pairs | both)
        bad = [*refused(joined, groups, maker.sequential, body)]
        if not bad:
            joining = _Versions(body, flow)
            joining.add_all(joined)
            return joining
        together = tuple(p for p in together if not any(p[0] in group for group in bad))
    return maker


@dataclass(slots=True)
class _Versions:
    """The current version of every variable while groups are added in order."""

    body: FlatSource
    flow: DataFlow
    nests: list[Nest] = field(default_factory=list[Nest])
    current: dict[str, str] = field(default_factory=dict[str, str])
    made: dict[str, Variable] = field(default_factory=dict[str, "Variable"])
    names: FreeNames = field(init=False)
    # last_read, last_write: the last group that reads and that writes a variable
    last_read: dict[str, int] = field(default_factory=dict[str, int])
    last_write: dict[str, int] = field(default_factory=dict[str, int])
    sequential: set[int] = field(default_factory=set[int])
    """Places of the groups that aren't streaming nests."""

    def __post_init__(self) -> None:
        self.names = FreeNames(self.body.variables)
        for name, variable in self.body.variables.items():
            if variable.is_argument or variable.is_constant:
                self.current[name] = name

    def add_all(self, groups: Sequence[tuple[int, ...]]) -> None:
        """Append the nests of all groups."""
        for at, group in enumerate(groups):
            for instance in (self.body.statements[statement] for statement in group):
                self.last_write[instance.target.array] = at
                self.last_read.update((access.array, at) for access in instance.reads)
        for at, group in enumerate(groups):
            self.add(at, group)

    def add(self, at: int, group: tuple[int, ...]) -> None:
        """Append the nest of one group, and make its versions current."""
        members = [self.body.statements[statement] for statement in group]
        reason = self._reason(group)
        if not reason:
            try:
                self._stream(at, group[0])
            except StreamRefusedError as refused:
                reason = str(refused)
            else:
                return
        self._sequential(at, group, members, reason)

    def _reason(self, group: tuple[int, ...]) -> str:
        """Return which value goes round in a circle, if one does, in the user's names."""
        statement, *others = group
        if others:
            return self._circle(group)
        instance = self.body.statements[statement]
        own = _own_read(instance)
        for number, access in enumerate(instance.reads):
            touch = StatementRead(statement, number)
            if number != own and statement in self.flow.sources[touch]:
                wrote = told(instance.target, instance)
                return f"{told(access, instance)} is read where an earlier iteration wrote {wrote}"
        return ""

    def _circle(self, group: tuple[int, ...]) -> str:
        for reader in group[::-1]:
            for number, access in enumerate(self.body.statements[reader].reads):
                writers = self.flow.sources[StatementRead(reader, number)] & {*group}
                later = [writer for writer in writers if writer >= reader]
                if later and (number != _own_read(self.body.statements[reader])):
                    source = self.body.statements[later[0]]
                    read, wrote = (
                        told(access, self.body.statements[reader]),
                        told(source.target, source),
                    )
                    return f"{read} is read where an earlier iteration wrote {wrote}"
        names = ", ".join(dict.fromkeys(self.body.statements[m].target.array for m in group))
        return f"{names} are updated in turns"

    def _stream(self, at: int, statement: int) -> None:
        instance = without_pinned_loops(self.body.statements[statement])
        name = instance.target.array
        shape = self.body.variables[name].shape
        before = self.current.get(name)
        keeps = before is not None and self._is_needed(at, name) and not covers(instance, shape)
        own = _own_read(instance)
        starts = before is not None and own is not None
        if starts and own is not None:
            touch = StatementRead(statement, own)
            outside = self.flow.sources[touch] - {statement}
            starts = bool(outside) or touch in self.flow.from_before
        fills = before is None and self._is_written(at, name)
        loops, made = streaming_nest(
            instance, shape, keeps_old=keeps, starts_old=starts, fills=fills
        )
        version = self._version(name)
        made = with_choices(self._renamed(made, {}), sequential=False)
        made = replace(made, target=replace(made.target, array=version))
        self.current[name] = version
        label = _label(instance)
        self._append(label, loops, (made,), sequential=False)

    def _sequential(
        self, at: int, group: tuple[int, ...], members: Sequence[StatementInstance], reason: str
    ) -> None:
        self.sequential.add(at)
        loops, statements = perfect_nest(members)
        if not statements:
            return
        written = dict.fromkeys(instance.target.array for instance in members)
        before = {name: self.current.get(name) for name in written}
        fresh = {name: self._version(name) for name in written}
        carries = tuple(
            (fresh[name], source)
            for name, source in before.items()
            if source is not None and self._carries(at, group, name)
        )
        renamed = (self._renamed(s, fresh) for s in statements)
        changed = tuple(with_choices(statement, sequential=True) for statement in renamed)
        self.current |= fresh
        label = _label(members[-1])
        self._append(label, loops, changed, sequential=True, carries=carries, reason=reason)

    def _carries(self, at: int, group: tuple[int, ...], name: str) -> bool:
        """Return whether a sequential group needs what an array held before it."""
        for statement in group:
            for number, access in enumerate(self.body.statements[statement].reads):
                touch = StatementRead(statement, number)
                outside = self.flow.sources[touch] - {*group}
                if access.array == name and (outside or touch in self.flow.from_before):
                    return True
        shape = self.body.variables[name].shape
        whole = any(
            covers(self.body.statements[s], shape)
            for s in group
            if self.body.statements[s].target.array == name
        )
        return not whole and self._is_needed(at, name)

    def _is_needed(self, at: int, name: str) -> bool:
        """Return whether an array is needed after a group."""
        variable = self.body.variables[name]
        if variable.is_argument and variable.is_wanted:
            return True
        return self.last_read.get(name, -1) > at

    def _is_written(self, at: int, name: str) -> bool:
        """Return whether a variable is written after a group."""
        return self.last_write.get(name, -1) > at

    def _version(self, name: str) -> str:
        variable = self.body.variables[name]
        fresh = name
        if name in self.made or variable.is_argument:
            fresh = self.names.fresh(name, first=1)
        self.made[fresh] = variable
        return fresh

    def _renamed(self, statement: Statement, own: Mapping[str, str]) -> Statement:
        """Return a statement that reads current versions, and of its own arrays the new ones."""

        def read(access: Access) -> Access:
            name = access.array
            return replace(access, array=own.get(name) or self.current.get(name, name))

        target = statement.target
        written = replace(target, array=own.get(target.array, target.array))
        return statement.rewritten(moved_leaf(read), written)

    def _append(
        self,
        label: str,
        loops: tuple[Loop, ...],
        statements: tuple[Statement, ...],
        *,
        sequential: bool,
        carries: tuple[tuple[str, str], ...] = (),
        reason: str = "",
    ) -> None:
        names = [loop.name for loop in loops]
        ordered = tuple(ordered_statement(statement, names) for statement in statements)
        loc = ordered[0].loc
        self.nests.append(Nest(label, loops, ordered, loc, sequential, carries, reason))

    def arrays(self, values: Mapping[str, NDArray[Any]]) -> tuple[Array, ...]:
        """Return the arrays of the program: what is given, then the versions in order."""
        read = {a.array for n in self.nests for s in n.statements for e in s.expressions
                for a in reads(e)}  # fmt: skip
        read |= {source for nest in self.nests for _, source in nest.carries}
        found: list[Array] = []
        for name, variable in self.body.variables.items():
            if name in read and name not in self.made:
                role = Role.WEIGHT if name in values else Role.INPUT
                found.append(Array(name, variable.shape, role, variable.element))
        for version, variable in self.made.items():
            last = self.current[variable.name] == version
            wanted = last and variable.is_argument and variable.is_wanted
            role = Role.OUTPUT if wanted else Role.INTERNAL
            found.append(Array(version, variable.shape, role, variable.element))
        return tuple(found)


def _own_read(instance: StatementInstance) -> int | None:
    """Return the place of the read by which a reduction meets its target, if it is one."""
    if recognized(instance.target, instance.assign.value) is None:
        return None
    return next(n for n, access in enumerate(instance.reads) if access == instance.target)


def _label(instance: StatementInstance) -> str:
    """Return the name that the user gave to a statement or its innermost labelled loop, if any."""
    labels = [loop.label for loop in instance.loops if loop.label]
    return instance.assign.label or (labels[-1] if labels else "")
