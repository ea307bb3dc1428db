"""Limits on a design as built, beside the one on DSPs in the paper's accounting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from streamopt.ir.schedule import Schedule
    from streamopt.space.rows import NodeRows

__all__ = ["Costing", "Limit", "Limits"]


class Costing(Protocol):
    """Counts resources that have limits, in their order."""

    def with_usage(
        self, rows: Mapping[str, NodeRows], should_stop: Callable[[], bool]
    ) -> dict[str, NodeRows]:
        """Return the rows with their least usage, whatever the others among them are taken."""
        ...

    def usage(self, schedule: Schedule) -> tuple[int, ...]:
        """Return the usage of a schedule as emitted, after its FIFOs are sized."""
        ...

    def usage_as_is(self, schedule: Schedule) -> tuple[int, ...]:
        """Return the usage of a schedule with the FIFO depths that it has."""
        ...


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that a design may take of one resource.

    Attributes
    ----------
    resource
        For people: LUT.
    option
        That sets it: ``--lut``.
    """

    resource: str
    option: str
    most: int


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits on a design as built, and the costing that judges it."""

    each: tuple[Limit, ...]
    costing: Costing

    @property
    def most(self) -> tuple[int, ...]:
        """Return the limits as numbers."""
        return tuple(limit.most for limit in self.each)

    def admit(self, used: tuple[int, ...]) -> bool:
        """Return whether amounts are within the limits."""
        return all(amount <= most for amount, most in zip(used, self.most, strict=True))
