"""C++ of a phase's accesses and conditions: which memory serves a read, and by which names."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamopt.codegen.expressions import ExpressionText

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamopt.codegen.expressions import OperatorNames
    from streamopt.codegen.names import Names
    from streamopt.codegen.stepped.chains import ChainWindow
    from streamopt.codegen.stepped.indices import IndexNames
    from streamopt.codegen.stepped.lanes import LanedVisit
    from streamopt.codegen.stepped.memories import CppMemory
    from streamopt.codegen.stepped.turned import TurnedAccess
    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.program import Array


@dataclass(frozen=True, slots=True)
class NestContext:
    """The names and texts that the bodies of all phases of a node share.

    Attributes
    ----------
    arrays
        Of the graph, by name.
    memories
        By name of the `HeldArray`.
    outside
        C++ of an element of an array that isn't held.
    function
        Names of the functions of bound operators, as for `ExpressionText`.
    names
        Of the node.
    unique
        From a wished name to one that is free in the whole function.
    """

    arrays: Mapping[str, Array]
    memories: Mapping[str, CppMemory]
    outside: Callable[[str, str], str]
    function: OperatorNames
    names: Names
    unique: Callable[[str], str]

    def condition(self, condition: Condition, names: IndexNames) -> str:
        """Return the C++ of a condition on iterators."""
        known = ExpressionText(
            lambda name: self.arrays[name].element,
            lambda access: self.element("", access, names),
            names.text,
            self.function,
        )
        return known.condition(condition)

    def element(self, name: str, access: Access, names: IndexNames) -> str:
        """Return the C++ of an element in a memory, or in an array outside."""
        memory = self.memories.get(name)
        if memory is not None:
            return memory.element_text(access, names)
        return self.outside(access.array, names.placed(access))


@dataclass(slots=True)
class PhaseTexts:
    """The C++ of one phase's accesses and conditions."""

    visit: LanedVisit
    context: NestContext
    windows: dict[Access, ChainWindow]
    turned: dict[Access, TurnedAccess] = field(default_factory=dict["Access", "TurnedAccess"])
    forwarded: dict[Access, str] = field(default_factory=dict["Access", str])

    @property
    def expressions(self) -> ExpressionText:
        """Return the printer of its expressions."""
        context = self.context
        return ExpressionText(
            lambda name: context.arrays[name].element,
            self.read,
            self.visit.names.text,
            context.function,
        )

    def read(self, access: Access) -> str:
        """Return the C++ of a read: of registers, of a value that was just made, or of memory."""
        if access in self.forwarded:
            return self.forwarded[access]
        return self.stored(access)

    def stored(self, access: Access) -> str:
        """Return the C++ of a read as it is in memory or in a window."""
        window = self.windows.get(access)
        if window is not None:
            return window.place(access, self.visit.lanes)
        if access in self.turned:
            return self.turned[access].value
        served = dict(self.visit.phase.reads).get(access)
        if served is None:
            held = self.context.memories.values()
            served = next((m.held.name for m in held if m.held.array == access.array), "")
        text = self.context.element(served, access, self.visit.names)
        for edge in self.visit.phase.edges:
            if edge.access == access:
                own = self.context.memories[edge.memory].lane_text(access, edge.at, self.visit)
                text = f"({self.visit.lanes[edge.at.loop]} == {edge.at.lane} ? {own} : {text})"
        return text
