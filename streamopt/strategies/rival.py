"""Strategies of other systems: the request that they take, and their schedule with its steps.

Every such strategy is a package of this folder that imports none of the others; sequential nodes as
they unroll them are in `streamopt.strategies.sequential.unrolled_nests`. It decides by its
own model; cycles and resources are then found for its schedule as for any other.
"""

from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module
from typing import Protocol, cast

from streamopt.ir.graph import Graph
from streamopt.ir.schedule import ChannelKind, ChannelPlan, Schedule
from streamopt.target.device import Target


class RivalName(StrEnum):
    """The systems whose strategies are here."""

    HIDA = "hida"
    SCALEHLS = "scalehls"
    CODO = "codo"
    POM = "pom"


@dataclass(frozen=True, slots=True)
class RivalRequest:
    """The request that every such strategy takes."""

    graph: Graph
    """As it was read, before any rewrite."""
    dsp_limit: int
    """DSPs that its own model may count."""
    target: Target


@dataclass(frozen=True, slots=True)
class DesignStep:
    """One decision, in the order in which they were made."""

    stage: str
    """Name of the stage, as its paper calls it."""
    what: str
    """The decisions, in the names of the graph's nodes, loops and arrays."""


@dataclass(frozen=True, slots=True)
class RivalAnswer:
    """A schedule, and what the strategy's own model believes of it."""

    schedule: Schedule
    steps: tuple[DesignStep, ...]
    # estimated_cycles, estimated_dsps: by the strategy's own model; None where it has none
    estimated_cycles: int | None = None
    estimated_dsps: int | None = None


class Rival(Protocol):
    """A strategy; raises StrategyError with the reason where it can't take a graph."""

    def __call__(self, request: RivalRequest) -> RivalAnswer:
        """Return its design."""
        ...


def rival(name: str) -> Rival:
    """Return a strategy by name, imported when it is first asked for; raises ValueError."""
    module = import_module(f"streamopt.strategies.{RivalName(name)}")
    return cast("Rival", module.design)


def ping_pongs(graph: Graph) -> tuple[ChannelPlan, ...]:
    """Return a ping-pong buffer for every edge: what systems without FIFOs have."""
    return tuple(ChannelPlan(edge.channel, ChannelKind.PING_PONG) for edge in graph.edges)
