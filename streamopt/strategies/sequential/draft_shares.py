"""The shares of estimates that drafts take: what candidates like them may be expected to take."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2

from streamopt.ir.schedule import Binding
from streamopt.strategies.sequential.lane_choices import LaneChoice


@dataclass(frozen=True, slots=True)
class DraftShare:
    """The share of its estimate that a draft takes."""

    choice: LaneChoice
    binding: Binding
    dsps: float
    luts: float

    def distance(self, choice: LaneChoice, binding: Binding) -> float:
        """Return how unlike another choice is: in each loop, in its banks, in its operators."""
        pairs = zip(choice.lanes, self.choice.lanes, strict=True)
        apart = sum(abs(log2(own / other)) for (_, own), (_, other) in pairs)
        has_other_banks = choice.is_binary is not self.choice.is_binary
        return apart + has_other_banks + (binding != self.binding)


def most_alike(
    shares: Iterable[DraftShare], choice: LaneChoice, binding: Binding
) -> DraftShare | None:
    """Return the share of the draft that a choice is most like; None without drafts."""
    return min(shares, key=lambda share: share.distance(choice, binding), default=None)
