"""A target: a device, its clock, and the costs of its operators and memories."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, TargetError
from streamopt.target.operators import operator_cost

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.element import ElementType
    from streamopt.ir.network import Operator
    from streamopt.target.channels import MemoryChannel
    from streamopt.target.memories import Memories
    from streamopt.target.operators import OperatorCost, OperatorRow
    from streamopt.target.resources import Resources

__all__ = ["DEVICE", "Target", "find_device", "or_usual"]

DEVICE = "u280"


@dataclass(frozen=True, slots=True)
class Target:
    """A device at a clock.

    Attributes
    ----------
    part
        The vendor's name, as its tools take it.
    total
        What the whole device has.
    slr
        What one of its super logic regions has: the whole, where there is one.
    channels
        To memory off the chip.
    """

    name: str
    part: str
    clock_ns: float
    total: Resources
    slr: Resources
    slrs: int
    channels: tuple[MemoryChannel, ...]
    operators: tuple[OperatorRow, ...]
    memories: Memories
    source: str

    @staticmethod
    def named(name: str, clock_ns: float | None = None) -> Target:
        """Return a device of the package at a clock; None for the device's usual one.

        Raises
        ------
        TargetError
            E851 with the known devices if there is none of this name; E855 and E856 as `at`.
        """
        from streamopt.target.loading import read_named_device

        return read_named_device(name)._at(clock_ns)

    @staticmethod
    def load(path: str | Path, clock_ns: float | None = None) -> Target:
        """Return the device of a user's TOML file, written as those of the package.

        Its ``operators`` and ``memories`` name tables of the package, or files beside it with
        the ending ``.toml``.

        Raises
        ------
        TargetError
            E852 if a file can't be read; E853 with all its problems if it is not such a file;
            E855 and E856 as `at`.
        """
        from streamopt.target.loading import read_device

        return read_device(path)._at(clock_ns)

    def operator(
        self, op: Operator, element: ElementType, implementation: str | None = None
    ) -> OperatorCost:
        """Return what an operator costs at the target's clock.

        See `streamopt.target.operators.operator_cost`: the row is the one of the longest period
        that does not exceed the clock's.

        Raises
        ------
        TargetError
            E854 if the table has no such operator or implementation; E855 if all of its rows are
            for slower clocks.
        """
        return operator_cost(self.operators, op, element, implementation, self.clock_ns)

    def channel(self, name: str) -> MemoryChannel:
        """Return a channel by name.

        Raises
        ------
        TargetError
            E857 if there is none of this name, or nobody said how fast it is.
        """
        found = next((channel for channel in self.channels if channel.name == name), None)
        if found is None or not found.bytes_per_s:
            what = "there is none" if found is None else "its bytes_per_s are not known"
            known = ", ".join(sorted({one.name.split("[")[0] for one in self.channels})) or "none"
            message = f"memory channel '{name}' of {self.name}: {what}"
            hint = f"{self.name} has {len(self.channels)} channels ({known})"
            raise TargetError(Diagnostic("E857", message, hint=hint))
        return found

    def at(self, clock_ns: float) -> Target:
        """Return the device at another clock.

        Raises
        ------
        TargetError
            E855 if every operator is for a slower clock; E856 if the clock is not positive.
        """
        if not clock_ns > 0:
            message = f"a clock period of {clock_ns} ns is not positive"
            raise TargetError(Diagnostic("E856", message, hint="300 MHz is 3.33 ns"))
        fastest = min((row.cost.clock_ns for row in self.operators), default=clock_ns)
        if clock_ns < fastest:
            message = f"no operator of {self.name} is for a clock of {clock_ns} ns"
            hint = f"the fastest is for {fastest} ns: take a longer period, or add faster rows"
            raise TargetError(Diagnostic("E855", message, hint=hint))
        return replace(self, clock_ns=clock_ns)

    def _at(self, clock_ns: float | None) -> Target:
        return self if clock_ns is None else self.at(clock_ns)


def find_device(name: str = DEVICE, clock_ns: float | None = None) -> Target:
    """Return a device by its name, or by the path of its TOML file.

    Raises
    ------
    TargetError
        E851 to E853 if there is no such device, or the file is not one; E855 and E856 as
        `Target.at`.
    """
    return (Target.load if name.endswith(".toml") else Target.named)(name, clock_ns)


def or_usual(target: Target | None) -> Target:
    """Return a target, or where there is none the usual device at its usual clock."""
    return find_device() if target is None else target
