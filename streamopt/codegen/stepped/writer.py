"""A sequential node as it is built: memories inside it, and phases that take turns in one loop.

What the arrays begin with is copied in, and what the node hands over is copied out at the end:
both sides of a ping-pong buffer see an array only as a whole. In between one flattened loop starts
an iteration every few cycles; what stands between dependent iterations is as many cycles as the
pipeline is deep, so the ``dependence`` pragmas free the tool from proving it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from streamopt.codegen.stepped.control import Control
from streamopt.codegen.stepped.copies import LANE, copied_by, copy_nest
from streamopt.codegen.stepped.length import iterations_of
from streamopt.codegen.stepped.memories import CppMemory
from streamopt.codegen.stepped.phases import GroupWriter
from streamopt.codegen.stepped.places import places_of
from streamopt.codegen.stepped.texts import NestContext
from streamopt.codegen.tree import Comment, CppStatement, For, If, Item, Pragma, pipelined
from streamopt.ir.affine import Affine

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from streamopt.codegen.expressions import OperatorNames
    from streamopt.codegen.layout import CppPort, CppProcess
    from streamopt.codegen.names import Names
    from streamopt.codegen.stepped.control import VisitState
    from streamopt.codegen.stepped.indices import IndexNames
    from streamopt.ir.expression import Access
    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.stepping.stepped import HeldArray, SteppedNest, Transfer


class SteppedWriter:
    """Builds the items of one sequential node; used once.

    ``function`` names the functions of bound operators, as for `ExpressionText`.
    """

    def __init__(
        self,
        node: SequentialNode,
        nest: SteppedNest,
        process: CppProcess,
        scope: Names,
        function: OperatorNames,
    ) -> None:
        self.node, self.nest, self.process = node, nest, process
        self.names, self.scope = scope.inner(), scope
        self.memories = {held.name: self._memory(held) for held in nest.memories}
        self.places = places_of(nest)
        self.control = Control(self.places, self._taken)
        self.context = NestContext(
            process.arrays,
            self.memories,
            lambda name, place: process.reads[node.name, name].element(place),
            function,
            self.names,
            self._taken,
        )
        groups = [self._group(states) for states in self._alike()]
        self.groups = [writer for found in groups for writer in found]

    def _memory(self, held: HeldArray) -> CppMemory:
        element = self.process.arrays[held.array].element
        if not held.is_outside:
            return CppMemory(held, self._taken(held.name), element)
        ports = [port for port in self.process.writes if port.array.name == held.array]
        if not ports:
            source = dict(self.node.carries).get(held.array, held.array)
            ports = [self.process.reads[self.node.name, source]]
        return CppMemory(held, ports[0].name, element, lambda at: [p.element(at) for p in ports])

    def items(self) -> tuple[Item, ...]:
        """Return memories, copies in, the flattened loop, copies out."""
        declared = [item for memory in self.memories.values() for item in memory.declared()]
        brought = [item for transfer in self.nest.brought for item in self._bring(transfer)]
        registers = [item for group in self.groups for item in group.declared()]
        loop = For(self._taken("iteration"), iterations_of(self.places), (*self._body(),))
        handed = [item for transfer in self.nest.handed for item in self._hand(transfer)]
        state = [*self.control.declared()]
        return (*declared, *brought, *registers, *state, loop, *handed)

    def _body(self) -> Iterator[Item]:
        yield pipelined(self.nest.ii)
        written = {m.memory for s in self.control.states.values() for m in s.visit.phase.mirrors}
        for memory in self.memories.values():
            if memory.held.name in written and not memory.is_registers:
                yield Pragma(f"dependence variable={memory.name} type=inter false")
        for group in self.groups:
            yield from group.items()
        yield from self.control.moves_on()

    def _alike(self) -> list[list[VisitState]]:
        """Return the visits by the phase whose operators they use."""
        found: dict[str, list[VisitState]] = {}
        leaders: dict[str, str] = {}
        for state in self.control.states.values():
            phase = state.visit.phase
            name = phase.phase.name
            leaders[name] = leaders.get(phase.like, phase.like) if phase.like else name
            found.setdefault(leaders[name], []).append(state)
        return [*found.values()]

    def _group(self, states: Sequence[VisitState]) -> list[GroupWriter]:
        """Return one body for phases that are alike, or one for each where they aren't."""
        group = GroupWriter(states, self.context, self.control)
        if len(states) == 1 or group.is_alike:
            return [group]
        return [GroupWriter([state], self.context, self.control) for state in states]

    def _taken(self, wanted: str) -> str:
        name = self.names.unique(wanted)
        self.scope.take(name)
        return name

    def _bring(self, transfer: Transfer) -> Iterator[Item]:
        """Yield the copy of what an array begins with into memories."""
        name = transfer.array
        source = dict(self.node.carries).get(name, name)
        port, array = self.process.reads[self.node.name, source], self.process.arrays[name]
        memories = [self.memories[memory] for memory in transfer.memories]
        yield Comment(f"{name} begins as {source}." if name != source else f"{name} comes in.")
        put = partial(self._brought, port, memories, transfer.lanes)
        yield from copy_nest(array, transfer.lanes, self.names.inner().unique, put)

    def _brought(
        self,
        port: CppPort,
        memories: Sequence[CppMemory],
        lanes: Sequence[int],
        access: Access,
        names: IndexNames,
    ) -> list[Item]:
        source, items = port.element(names.placed(access)), list[Item]()
        if len(memories) > 1:
            value = self.names.inner().unique(f"{access.array}_value")
            items.append(CppStatement(f"const {port.array.element} {value} = {source};"))
            source = value
        for memory in memories:
            lane = memory.held.only_lane(lanes)
            if lane is not None:
                put = CppStatement(f"{copied_by(lane, memory, access, names)} = {source};")
                own = names.text(Affine.iterator(lane.loop + LANE))
                items.append(If(f"{own} == {lane.lane}", (put,)))
                continue
            put = CppStatement(f"{memory.element_text(access, names)} = {source};")
            start = memory.held.start
            condition = self.context.condition(start, names) if start is not None else ""
            items.append(If(condition, (put,)) if condition else put)
        return items

    def _hand(self, transfer: Transfer) -> Iterator[Item]:
        """Yield the copies of a memory to all who take the array."""
        (name,) = transfer.memories
        memory, array = self.memories[name], self.process.arrays[transfer.array]
        ports = [port for port in self.process.writes if port.array.name == array.name]

        def put(access: Access, names: IndexNames) -> list[Item]:
            source, place = memory.element_text(access, names), names.placed(access)
            return [CppStatement(f"{port.element(place)} = {source};") for port in ports]

        yield from copy_nest(array, transfer.lanes, self.names.inner().unique, put)
