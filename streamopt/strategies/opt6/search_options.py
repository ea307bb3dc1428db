"""The options of a search at opt6."""

from dataclasses import dataclass

from streamopt.strategies.exact.strategy import ExactSearch
from streamopt.strategies.opt6.choices import Space
from streamopt.strategies.opt6.simulated_design import Region
from streamopt.strategies.protocol import Strategy


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The data that all variants of a graph share."""

    region: Region
    """Where a design must fit."""
    space: Space
    strategies: tuple[Strategy, ...]
    """That are asked; the exact search is one under changing limits."""
    sizes_fifos: bool = True
    """Whether FIFOs will be made small, so that a design is judged with those."""
    good_gap: float = 0.0
    """That is enough after a part of the effort; 0 for all of it."""

    @property
    def searches(self) -> bool:
        """Return whether the exact search is asked."""
        return isinstance(self.strategies[0], ExactSearch)
