"""Limits on a design as built, beside the one on DSPs in the paper's accounting."""

from dataclasses import dataclass

from streamopt.strategies.resources.design_costs import DesignCosts


@dataclass(frozen=True, slots=True)
class Limit:
    """The most that a design may take of one resource."""

    resource: str
    """For people: LUT."""
    option: str
    """That sets it: ``--lut``."""
    most: int


@dataclass(frozen=True, slots=True)
class Limits:
    """All limits on a design as built, and the costing that judges it."""

    each: tuple[Limit, ...]
    costing: DesignCosts

    @property
    def most(self) -> tuple[int, ...]:
        """Return the limits as numbers."""
        return tuple(limit.most for limit in self.each)

    def excess(self, used: tuple[int, ...]) -> str:
        """Return in words which amounts are above their limits."""
        return ", ".join(
            f"{amount} {limit.resource} are more than {limit.most}"
            for amount, limit in zip(used, self.each, strict=True)
            if amount > limit.most
        )

    def admit(self, used: tuple[int, ...]) -> bool:
        """Return whether amounts are within the limits."""
        return all(amount <= most for amount, most in zip(used, self.most, strict=True))
