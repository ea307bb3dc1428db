"""Tuning of the local search: prices are of DSPs, blurs are shares of the latency (E21)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MoveTuning:
    """How far changes reach; not measured."""

    # steps upstream and downstream that a change of walks is followed
    reaches: tuple[tuple[int, int], ...] = ((1, 0), (0, 1), (0, 12), (12, 0), (12, 12))
    # choices of one factor each, after which no more first factors are tried
    most_tries: int = 2000


@dataclass(frozen=True, slots=True)
class DescentTuning:
    """Descents and rounds; not measured."""

    batch: int = 256  # changes whose latencies are found together
    wide: int = 6  # a change is wide if it spans more than one of that many parts of the graph
    least_gain: float = 1e-8  # of the latency; less is rounding
    most_sweeps: int = 200  # steps of a descent
    # of the descents within the limit, one a round. Blurs are in latencies, prices in
    # latencies over the DSP limit: the time that a DSP saves if all work can be spread.
    fill_blurs: tuple[float, ...] = (1e-3, 3e-3, 3e-4)
    fill_price: float = 0.3
    repair_step: float = 1.15  # factor of the price until the DSPs are within the limit again
    # prices at which classes change alone, and then at which rows and walks do too
    most_repairs: int = 60
    return_ratio: float = 1.01  # schedules that are worse than the best by more are left


@dataclass(frozen=True, slots=True)
class StartTuning:
    """The first descent; not measured."""

    # of all DSPs, in latencies, one after the other
    prices: tuple[float, ...] = (1.0, 0.7, 0.5, 0.35, 0.25, 0.18, 0.1)
    blur: float = 0.05  # while prices fall, and of the descents within the limit that end the start
    finer_blurs: tuple[float, ...] = (0.01, 0.003, 1e-3)
    walk_sweeps: int = 3  # changes of walks that are looked for at each price


@dataclass(frozen=True, slots=True)
class PerturbationTuning:
    """Descents under random prices that leave a local optimum; not measured."""

    prices: tuple[float, ...] = (0.4, 0.7, 1.0, 1.5)  # of DSPs, one a round
    blurs: tuple[float, ...] = (0.05, 0.02, 0.005)  # one descent each
    noise: float = 0.5  # standard deviation of the logarithms of the nodes' weights
    sweeps: int = 10  # steps of a descent


@dataclass(frozen=True, slots=True)
class NeighbourhoodTuning:
    """Neighbourhoods that are searched exactly; not measured."""

    count: int = 5  # of a round
    classes: int = 10  # free tile classes and nodes of one, at most
    nodes: int = 40
    labels: int = 8  # of a state
    plain_rounds: int = 3  # rounds before the first ones


@dataclass(frozen=True, slots=True)
class LocalSearchTuning:
    """All that tunes the local search."""

    moves: MoveTuning = MoveTuning()
    descent: DescentTuning = DescentTuning()
    start: StartTuning = StartTuning()
    perturbation: PerturbationTuning = PerturbationTuning()
    neighbourhoods: NeighbourhoodTuning = NeighbourhoodTuning()


TUNING = LocalSearchTuning()
