"""Plans of one sequential node: candidates are ranked by an estimate, and the best ones are built.

An estimate is corrected by what the plans built so far of its kind, an order and a binding, came
to. Plans are looked for within all that the node may take, and within parts of it, which are of
interest where other nodes take the rest.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from streamopt.errors import LegalityError
from streamopt.ir.schedule import NodePlan
from streamopt.strategies.sequential.exact_counts import ExactCounts
from streamopt.strategies.sequential.lane_choices import LaneChoice, front, is_of_rows, lane_choices
from streamopt.strategies.sequential.lane_groups import lane_groups
from streamopt.strategies.sequential.visit_shapes import phase_shapes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.schedule import Binding
    from streamopt.ir.stepping.steps import Steps
    from streamopt.perf.costs import OpenPlans
    from streamopt.strategies.sequential.built_plan import BuiltPlan
    from streamopt.strategies.sequential.lane_choices import UnitCost

    Lanes = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class PlanSearchTuning:
    """How many plans are built; not measured."""

    most_binary: int = 6  # with powers of two, whose banks no index chooses, to begin with
    most_rows: int = 1  # of a kind: one loop of each phase in tiles, where windows serve reads
    most_built: int = 16  # within all that the node may take
    most_of_part: int = 4  # within a part of it
    parts: tuple[float, ...] = (0.5, 0.25, 0.125, 0.03)
    rough: float = 1.8  # times the limits: estimates of LUTs are too high for many lanes
    hopeless: float = 1.0  # times the best cycles: what is estimated to take more isn't built


TUNING = PlanSearchTuning()


class BuildsPlans(Protocol):
    """A builder of plans."""

    def built(self, alone: Graph, plan: NodePlan) -> BuiltPlan:
        """Return a plan of the node of a graph as built; raises LegalityError."""
        ...

    def units(
        self, alone: Graph, steps: Steps, bindings: Sequence[Binding]
    ) -> Sequence[Mapping[str, UnitCost]]:
        """Return one lane of each phase, by its name, for each binding; raises LegalityError."""
        ...

    def fits(self, built: BuiltPlan, wanted: OpenPlans) -> bool:
        """Return whether a plan is within limits and the device."""
        ...

    def is_safe(self, alone: Graph, built: BuiltPlan) -> bool:
        """Return whether iterations of a plan don't disturb each other."""
        ...

    def lacks_memory(self, built: BuiltPlan) -> bool:
        """Return whether a plan takes more blocks of memory than there are."""
        ...


@dataclass(slots=True)
class _Kind:
    """The candidates of one order and one binding.

    Attributes
    ----------
    rough
        All that may be of interest.
    choices
        Those that promise most, where visits last as long as in plans that were built; as no visit
        waits, before there are any.
    """

    steps: Steps
    binding: Binding
    units: Mapping[str, UnitCost]
    exact: ExactCounts
    rough: Sequence[LaneChoice]
    choices: list[LaneChoice] = field(default_factory=list[LaneChoice])
    correction: float = 1.0
    tried: set[Lanes] = field(default_factory=set["Lanes"])

    def rank(self, waits: Mapping[str, float]) -> None:
        """Rank candidates.

        Parameters
        ----------
        waits
            By phase: how long its visits last at least, as a share of the estimate.
        """
        units = {
            name: replace(
                unit, least_cycles=max(1, round(waits.get(name, 0.0) * unit.least_cycles))
            )
            for name, unit in self.units.items()
        }
        counted = [self.exact.counted(choice, units) for choice in self.rough]
        kept = [*front(counted), *front([own for own in counted if own.is_binary])]
        self.choices = sorted(dict.fromkeys(kept), key=LaneChoice.rank)


def first_plan(
    node: Node, steps: Steps, binding: Binding, straight: tuple[str, ...] = ()
) -> NodePlan:
    """Return the plan of an order without lanes."""
    names = tuple(loop.name for loop in steps.loops)
    unroll = tuple((name, 1) for name in names)
    return NodePlan(node.name, names, unroll, binding, steps=steps.name, straight=straight)


def searched_plans(
    alone: Graph,
    orders: Sequence[Steps],
    wanted: OpenPlans,
    builder: BuildsPlans,
    straight: tuple[str, ...] = (),
) -> tuple[NodePlan, ...]:
    """Return plans that fit, first that of the first order without lanes.

    Parameters
    ----------
    straight
        Arrays that the node may read or write where they are.
    """
    search = _PlanSearch(alone, wanted, builder, straight)
    search.keep(first_plan(alone.nodes[0], orders[0], wanted.bindings[0], straight))
    kinds = [kind for steps in orders for kind in search.kinds(steps)]
    search.look(kinds, 1.0, TUNING.most_binary, binary=True)
    search.look_at_rows(kinds, TUNING.most_rows)
    search.look(kinds, 1.0, TUNING.most_built)
    for part in TUNING.parts:
        search.look(kinds, part, TUNING.most_of_part)
    return tuple(search.found)


class _PlanSearch:
    def __init__(
        self, alone: Graph, wanted: OpenPlans, builder: BuildsPlans, straight: tuple[str, ...]
    ) -> None:
        (self._node,) = alone.nodes
        self._straight = straight
        self._alone, self._wanted, self._builder = alone, wanted, builder
        self.found: dict[NodePlan, BuiltPlan] = {}
        self._lut_shares: dict[Lanes, float] = {}
        self._least_shares: dict[str, float] = {}
        self._unfit: set[Lanes] = set()

    def keep(self, plan: NodePlan) -> BuiltPlan:
        """Build a plan that is wanted whatever it takes."""
        built = self._builder.built(self._alone, plan)
        self.found[built.plan] = built
        return built

    def kinds(self, steps: Steps) -> Iterator[_Kind]:
        """Yield the candidates of an order for each binding; none if it can't be built."""
        bindings = self._wanted.bindings
        with suppress(LegalityError):
            dsps, luts = self._limits(1.0)
            roughly = dsps, round(TUNING.rough * luts)
            groups, shapes, exact = lane_groups(steps), phase_shapes(steps), ExactCounts(steps)
            each = self._builder.units(self._alone, steps, bindings)
            for binding, units in zip(bindings, each, strict=True):
                eager = {name: replace(unit, least_cycles=1) for name, unit in units.items()}
                rough = lane_choices(steps, groups, shapes, eager, roughly)
                kind = _Kind(steps, binding, units, exact, rough)
                kind.rank({})
                yield kind

    def _limits(self, part: float) -> tuple[int, int]:
        most = self._wanted.most_dsps, self._wanted.most_luts
        dsps, luts = (2**62 if own is None else int(part * own) for own in most)
        return dsps, luts

    def look(self, kinds: Sequence[_Kind], part: float, most: int, *, binary: bool = False) -> None:
        """Build the candidates that promise most within a part of the limits.

        Parameters
        ----------
        binary
            Only those whose lanes are powers of two.
        """
        limits = self._limits(part)
        for _ in range(most):
            best = self._best_cycles(limits)
            promising = min(self._promising(kinds, limits, binary=binary), default=None)
            if promising is None or promising[0] >= TUNING.hopeless * best:
                return
            _, number, at = promising
            kind = kinds[number]
            choice = kind.choices[at]
            kind.tried.add(choice.lanes)
            self._build(kinds, kind, choice)

    def look_at_rows(self, kinds: Sequence[_Kind], most: int) -> None:
        """Build lanes that leave tiles of one loop of each phase, the fewest cycles first.

        Their reads are fetched once, so estimates of LUTs say little of them.
        """
        for kind in kinds:
            rows = [choice for choice in kind.rough if is_of_rows(kind.steps, choice)]
            for choice in rows[:most]:
                kind.tried.add(choice.lanes)
                self._build(kinds, kind, choice)

    def _promising(
        self, kinds: Sequence[_Kind], limits: tuple[int, int], *, binary: bool
    ) -> Iterator[tuple[float, int, int]]:
        """Yield, for each kind, its fastest candidate that wasn't built: cycles and place."""
        for number, kind in enumerate(kinds):
            for at, choice in enumerate(kind.choices):
                is_wanted = choice.is_binary or not binary
                is_new = choice.lanes not in kind.tried
                if is_wanted and is_new and self._may_fit(kind.steps, choice, limits):
                    yield kind.correction * choice.cycles, number, at
                    break

    def _may_fit(self, steps: Steps, choice: LaneChoice, limits: tuple[int, int]) -> bool:
        """Return whether a choice may be within limits, by what plans took of their estimates."""
        least = self._least_shares.get(steps.name, 1.0)
        luts = choice.luts * self._lut_shares.get(choice.lanes, least)
        return choice.lanes not in self._unfit and choice.dsps <= limits[0] and luts <= limits[1]

    def _best_cycles(self, limits: tuple[int, int]) -> float:
        return min(
            (
                float(built.cost.timing.last_write)
                for built in self.found.values()
                if built.cost.dsps <= limits[0] and built.cost.luts <= limits[1]
            ),
            default=float("inf"),
        )

    def _build(self, kinds: Sequence[_Kind], kind: _Kind, choice: LaneChoice) -> None:
        lanes = dict(choice.lanes)
        first = first_plan(self._node, kind.steps, kind.binding, self._straight)
        unroll = tuple((name, lanes.get(name, 1)) for name, _ in first.unroll)
        try:
            built = self._builder.built(self._alone, replace(first, unroll=unroll))
        except LegalityError:
            return
        waits = {
            name: least / max(1, kind.units[name].least_cycles)
            for name, least in built.plan.least_cycles
        }
        for other in kinds:
            if other.steps is kind.steps:
                other.rank(waits)
        again = next((own for own in kind.choices if own.lanes == choice.lanes), choice)
        kind.correction = built.cost.timing.last_write / max(1.0, again.cycles)
        share = built.used.luts / max(1, choice.luts)
        self._lut_shares[choice.lanes] = share
        least = self._least_shares.get(kind.steps.name, share)
        self._least_shares[kind.steps.name] = min(least, share)
        fits = self._builder.fits(built, self._wanted)
        if fits and self._builder.is_safe(self._alone, built):
            self.found[built.plan] = built
        elif fits or self._builder.lacks_memory(built):
            self._unfit.add(choice.lanes)
