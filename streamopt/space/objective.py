"""The objective of a problem; each kind knows its cost of a schedule."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol, TypeAlias

from streamopt.errors import Diagnostic, InfeasibleError


class ObjectiveName(StrEnum):
    """Name of an objective, as on the command line."""

    LATENCY = "latency"
    INTERVAL = "interval"
    LATENCY_DSPS = "latency-dsps"
    DSPS = "dsps"


class Costed(Protocol):
    """A schedule with all that an objective may ask for."""

    @property
    def latency_cycles(self) -> int:
        """Return the latency of one frame."""
        ...

    @property
    def interval_cycles(self) -> int:
        """Return the distance of frames that follow each other."""
        ...

    @property
    def dsps(self) -> int:
        """Return the DSPs as the costs of the problem count them."""
        ...


@dataclass(frozen=True, slots=True)
class Latency:
    """The least latency of one frame, in cycles."""

    name: ClassVar = ObjectiveName.LATENCY
    unit: ClassVar = "cycles"

    def cost(self, of: Costed) -> int:
        """Return the latency of a schedule."""
        return of.latency_cycles


@dataclass(frozen=True, slots=True)
class Interval:
    """The least distance of frames that follow each other, in cycles."""

    name: ClassVar = ObjectiveName.INTERVAL
    unit: ClassVar = "cycles"

    def cost(self, of: Costed) -> int:
        """Return the distance of frames of a schedule."""
        return of.interval_cycles


@dataclass(frozen=True, slots=True)
class LatencyThenDsps:
    """The least latency, and of all schedules that have it, one of fewest DSPs."""

    name: ClassVar = ObjectiveName.LATENCY_DSPS
    unit: ClassVar = "cycles"

    def cost(self, of: Costed) -> int:
        """Return the latency of a schedule: the first of the two objectives."""
        return of.latency_cycles


@dataclass(frozen=True, slots=True)
class FewestDsps:
    """The fewest DSPs within a latency.

    Raises
    ------
    InfeasibleError
        If the latency is not positive (E402).
    """

    name: ClassVar = ObjectiveName.DSPS
    unit: ClassVar = "DSPs"

    within_cycles: int

    def __post_init__(self) -> None:
        """Refuse a latency that no schedule has."""
        if self.within_cycles < 1:
            message = f"--latency-target is {self.within_cycles}"
            hint = "give a whole number of at least 1"
            raise InfeasibleError(Diagnostic("E402", message, hint=hint))

    def cost(self, of: Costed) -> int:
        """Return the DSPs of a schedule."""
        return of.dsps


Objective: TypeAlias = Latency | Interval | LatencyThenDsps | FewestDsps


def named_objective(name: str, latency_target: int | None = None) -> Objective:
    """Return the objective of a name, as the command line has it.

    Parameters
    ----------
    latency_target
        Latency to keep, in cycles, for ``dsps``.

    Raises
    ------
    InfeasibleError
        If ``dsps`` has no latency target, or another objective has one (E404), or it is not
        positive (E402).
    """
    match ObjectiveName(name):
        case ObjectiveName.DSPS if latency_target is not None:
            return FewestDsps(latency_target)
        case ObjectiveName.DSPS:
            message = "--objective dsps needs a latency that is to be kept"
            hint = "give --latency-target CYCLES; in Python: so.FewestDsps(within_cycles=CYCLES)"
        case _ if latency_target is not None:
            message = f"--latency-target has no meaning for --objective {name}"
            hint = "it is for --objective dsps; leave it out"
        case ObjectiveName.LATENCY:
            return Latency()
        case ObjectiveName.INTERVAL:
            return Interval()
        case ObjectiveName.LATENCY_DSPS:
            return LatencyThenDsps()
    raise InfeasibleError(Diagnostic("E404", message, hint=hint))
