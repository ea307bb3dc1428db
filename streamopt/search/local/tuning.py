"""Tuning of the local search: prices are of DSPs, blurs are shares of the latency (E21)."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["TUNING", "LocalSearchTuning"]


@dataclass(frozen=True, slots=True)
class MoveTuning:
    """How far changes reach; not measured.

    Attributes
    ----------
    reaches
        Steps upstream and downstream that a change of walks is followed.
    most_tries
        Choices of one factor each, after which no more first factors are tried.
    """

    reaches: tuple[tuple[int, int], ...] = ((1, 0), (0, 1), (0, 12), (12, 0), (12, 12))
    most_tries: int = 2000


@dataclass(frozen=True, slots=True)
class DescentTuning:
    """Descents and rounds; not measured.

    Attributes
    ----------
    batch
        Changes whose latencies are found together.
    wide
        A change is wide if it spans more than one of that many parts of the graph.
    least_gain
        Of the latency; less is rounding.
    most_sweeps
        Steps of a descent.
    fill_blurs, fill_price
        Of the descents within the limit, one a round. Blurs are in latencies, prices in latencies
        over the DSP limit: the time that a DSP saves if all work can be spread.
    repair_step
        Factor of the price until the DSPs are within the limit again.
    return_ratio
        Schedules that are worse than the best by more are left.
    """

    batch: int = 256
    wide: int = 6
    least_gain: float = 1e-8
    most_sweeps: int = 200
    fill_blurs: tuple[float, ...] = (1e-3, 3e-3, 3e-4)
    fill_price: float = 0.3
    repair_step: float = 1.15
    return_ratio: float = 1.01


@dataclass(frozen=True, slots=True)
class StartTuning:
    """The first descent; not measured.

    Attributes
    ----------
    prices
        Of all DSPs, in latencies, one after the other.
    blur, finer_blurs
        While prices fall, and of the descents within the limit that end the start.
    walk_sweeps
        Changes of walks that are looked for at each price.
    """

    prices: tuple[float, ...] = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.1)
    blur: float = 0.05
    finer_blurs: tuple[float, ...] = (0.01, 0.003, 1e-3)
    walk_sweeps: int = 3


@dataclass(frozen=True, slots=True)
class PerturbationTuning:
    """Descents under random prices that leave a local optimum; not measured.

    Attributes
    ----------
    prices
        Of DSPs, one a round.
    blurs
        One descent each.
    noise
        Standard deviation of the logarithms of the nodes' weights.
    sweeps
        Steps of a descent.
    """

    prices: tuple[float, ...] = (0.4, 0.7, 1.0, 1.5)
    blurs: tuple[float, ...] = (0.05, 0.02, 0.005)
    noise: float = 0.5
    sweeps: int = 10


@dataclass(frozen=True, slots=True)
class NeighbourhoodTuning:
    """Neighbourhoods that are searched exactly; not measured.

    Attributes
    ----------
    count
        Of a round.
    classes, nodes
        Free tile classes and nodes of one, at most.
    labels
        Of a state.
    plain_rounds
        Rounds before the first ones.
    """

    count: int = 5
    classes: int = 10
    nodes: int = 40
    labels: int = 8
    plain_rounds: int = 3


@dataclass(frozen=True, slots=True)
class LocalSearchTuning:
    """All that tunes the local search."""

    moves: MoveTuning = MoveTuning()
    descent: DescentTuning = DescentTuning()
    start: StartTuning = StartTuning()
    perturbation: PerturbationTuning = PerturbationTuning()
    neighbourhoods: NeighbourhoodTuning = NeighbourhoodTuning()


TUNING = LocalSearchTuning()
