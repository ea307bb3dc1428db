"""Plans of one sequential node: the candidates that promise most, drafted, and built if they fit.

A candidate is estimated from counted iterations; its draft has all that it takes, and its cycles
if no visit waited. How long visits wait is known of plans that were built, which takes longest.
Plans are looked for within all that the node may take, and within parts of it, which are of
interest where other nodes take the rest.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from math import ceil, prod
from typing import TYPE_CHECKING, Protocol

from streamopt.errors import LegalityError
from streamopt.ir.schedule import NodePlan, is_mixed
from streamopt.perf.turns.bubbles import LeastLength
from streamopt.strategies.sequential.draft_shares import DraftShare, most_alike
from streamopt.strategies.sequential.effort import (
    FEW_DSPS,
    MOST_LATE,
    SMALL,
    SPARE_PARTS,
    STRAIGHTENED,
    STRAIGHTER,
    TUNING,
)
from streamopt.strategies.sequential.lane_choices import LaneChoice, front, is_of_rows, lane_choices
from streamopt.strategies.sequential.lane_groups import lane_groups
from streamopt.strategies.sequential.phase_counts import PhaseCounts
from streamopt.transforms.stepped.copies import MOST_REGISTERS
from streamopt.work import spent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from streamopt.ir.graph import Graph, Node
    from streamopt.ir.schedule import Binding
    from streamopt.ir.stepping.steps import Steps
    from streamopt.perf.costs import OpenPlans
    from streamopt.strategies.sequential.built_plan import BuiltPlan
    from streamopt.strategies.sequential.lane_choices import Lanes, UnitCost


class BuildsPlans(Protocol):
    """A builder of plans."""

    def drafted(self, alone: Graph, plan: NodePlan) -> BuiltPlan:
        """Return a plan as built if no visit waits; raises LegalityError."""
        ...

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
class _Order:
    """An order of iterations, with the knowledge from its drafts and built plans.

    Attributes
    ----------
    waits
        By phase: how long its visits last at least, all and the last ones, as a share of the
        cycles until what a visit writes can be read; the least that was built.
    overhead_cycles
        Of a draft, beside the visits: copies in and out; the least.
    unsafe
        Plans that fit whose iterations disturb each other.
    """

    steps: Steps
    counts: PhaseCounts
    waits: dict[str, tuple[float, float]] = field(default_factory=dict[str, tuple[float, float]])
    shares: list[DraftShare] = field(default_factory=list[DraftShare])
    overhead_cycles: float = 0.0
    unsafe: int = 0

    def learn(self, built: BuiltPlan, units: Mapping[str, UnitCost]) -> None:
        """Note how long the visits of a built plan wait."""
        last = {**dict(built.plan.least_cycles), **dict(built.plan.last_cycles)}
        for name, least in built.plan.least_cycles:
            cycles = max(1, units[name].least_cycles)
            known = self.waits.get(name, (float("inf"), float("inf")))
            self.waits[name] = min(known[0], least / cycles), min(known[1], last[name] / cycles)

    def lengths(self, units: Mapping[str, UnitCost]) -> dict[str, LeastLength]:
        """Return how long visits last at least, about."""
        return {
            name: LeastLength(
                *(max(1, ceil(share * unit.least_cycles)) for share in self.waits.get(name, (0, 0)))
            )
            for name, unit in units.items()
        }

    def may_fit(self, choice: LaneChoice, binding: Binding, limits: tuple[int, int]) -> bool:
        """Return whether a choice may be within limits, by what drafts like it took."""
        alike = most_alike(self.shares, choice, binding)
        dsps, luts = (1.0, TUNING.unknown_luts) if alike is None else (alike.dsps, alike.luts)
        return (
            choice.dsps * dsps <= TUNING.close * limits[0]
            and choice.luts * luts <= TUNING.roughly * limits[1]
        )


@dataclass(slots=True)
class _Kind:
    """The candidates of one order and one binding.

    Attributes
    ----------
    rough
        All that may be of interest.
    choices
        Those that promise most, the fastest first, where visits last as long as in plans that were
        built.
    drafts
        By lanes, those that fit and aren't built: cycles beside the visits.
    """

    order: _Order
    binding: Binding
    units: Mapping[str, UnitCost]
    rough: Sequence[LaneChoice]
    choices: list[LaneChoice] = field(default_factory=list[LaneChoice])
    drafts: dict[Lanes, float] = field(default_factory=dict["Lanes", float])
    tried: set[Lanes] = field(default_factory=set["Lanes"])

    def rank(self, unfit: Collection[Lanes] = ()) -> None:
        """Rank candidates but those whose memories don't fit, which would stand for others."""
        least, counts = self.order.lengths(self.units), self.order.counts
        known = [
            replace(choice, cycles=float(counts.cycles(dict(choice.lanes), least)))
            for choice in self.rough
            if choice.lanes not in unfit
        ]
        kept = [*front(known), *front([own for own in known if own.is_binary])]
        kept += [own for own in known if own.lanes in self.drafts]
        self.choices = sorted(dict.fromkeys(kept), key=LaneChoice.rank)

    def promising(
        self, unfit: set[Lanes], limits: tuple[int, int], *, is_drafting: bool
    ) -> Iterator[tuple[float, LaneChoice]]:
        """Yield the fastest candidate to draft, and all that have a draft: (cycles, choice)."""
        is_first = is_drafting
        for choice in self.choices:
            if choice.lanes in self.drafts:
                yield choice.cycles + self.drafts[choice.lanes], choice
            elif (
                is_first
                and self._is_new(choice, unfit)
                and self.order.may_fit(choice, self.binding, limits)
            ):
                is_first = False
                yield choice.cycles + TUNING.hope * self.order.overhead_cycles, choice

    def _is_new(self, choice: LaneChoice, unfit: set[Lanes]) -> bool:
        return choice.lanes not in self.tried and choice.lanes not in unfit


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
    *,
    has_others: bool = True,
) -> tuple[NodePlan, ...]:
    """Return plans that fit, first that of the first order without lanes.

    Parameters
    ----------
    straight
        Arrays that the node may read or write where they are.
    has_others
        Whether other nodes share what there is; if not, they still take some of it.
    """
    search = _PlanSearch(alone, wanted, builder, straight)
    search.begin(orders[0])
    kinds = [kind for steps in orders for kind in search.kinds(steps)]
    for steps in orders:
        search.sample([kind for kind in kinds if kind.order.steps is steps])
    search.draft_rows(kinds, TUNING.most_rows)
    pure = [kind for kind in kinds if not is_mixed(kind.binding)]
    mixed = [kind for kind in kinds if is_mixed(kind.binding)]
    search.look(pure, 1.0, TUNING.most_drafts, TUNING.most_built)
    search.look(mixed, 1.0, TUNING.most_drafts // 4, TUNING.most_built // 2)
    for part in TUNING.parts if has_others else SPARE_PARTS:
        search.look(pure, part, TUNING.most_drafts // 20, TUNING.most_built // 4)
    search.build_few(pure)
    search.straighten(STRAIGHTENED)
    return tuple(search.found)


def _is_large(graph: Graph, name: str) -> bool:
    """Return whether an array is none of registers, and so stays where it is if it can."""
    return prod(graph.array(name).shape) > MOST_REGISTERS


class _PlanSearch:
    def __init__(
        self, alone: Graph, wanted: OpenPlans, builder: BuildsPlans, straight: tuple[str, ...]
    ) -> None:
        (self._node,) = alone.nodes
        self._straight = tuple(name for name in straight if _is_large(alone, name))
        self._straighter = straight
        self._alone, self._wanted, self._builder = alone, wanted, builder
        self.found: dict[NodePlan, BuiltPlan] = {}
        self._unfit: set[Lanes] = set()

    def begin(self, steps: Steps) -> None:
        """Build the first plan, which is wanted whatever it takes."""
        plan = first_plan(self._node, steps, self._wanted.bindings[0], self._straight)
        built = self._builder.built(self._alone, plan)
        self.found[built.plan] = built

    def kinds(self, steps: Steps) -> Iterator[_Kind]:
        """Yield the candidates of an order for each binding; none if it can't be built."""
        bindings = self._wanted.bindings
        with suppress(LegalityError):
            dsps, luts = self._limits(1.0)
            roughly = round(TUNING.close * dsps), round(TUNING.rough * luts)
            groups, order = lane_groups(steps), _Order(steps, PhaseCounts(steps))
            each = self._builder.units(self._alone, steps, bindings)
            for binding, units in zip(bindings, each, strict=True):
                rough = lane_choices(steps, groups, order.counts, units, roughly)
                kind = _Kind(order, binding, units, rough)
                kind.rank()
                yield kind

    def _limits(self, part: float) -> tuple[int, int]:
        most = self._wanted.most_dsps, self._wanted.most_luts
        dsps, luts = (2**50 if own is None else int(part * own) for own in most)
        return dsps, luts

    def sample(self, kinds: Sequence[_Kind]) -> None:
        """Build a plan of one order that fits by its estimate, to know how long visits wait.

        Its lanes are powers of two where there is such a plan: no index that moves chooses banks.
        """
        limits = self._limits(1.0)
        found = min(
            (
                (not choice.is_binary, choice.rank(), number, choice)
                for number, kind in enumerate(kinds)
                for choice in kind.choices
                if choice.dsps <= limits[0] and choice.luts <= limits[1]
            ),
            default=None,
        )
        if found is not None:
            kind, choice = kinds[found[2]], found[3]
            self._draft(kind, choice)
            self._build(kinds, kind, choice)

    def draft_rows(self, kinds: Sequence[_Kind], most: int) -> None:
        """Draft lanes that leave tiles of one loop of each phase, the fewest cycles first.

        Their reads are fetched once, so estimates of LUTs say little of them.
        """
        for kind in kinds:
            rows = [choice for choice in kind.rough if is_of_rows(kind.order.steps, choice)]
            for choice in rows[:most]:
                self._draft(kind, choice)
            kind.rank(self._unfit)

    def look(self, kinds: Sequence[_Kind], part: float, most_drafts: int, most_built: int) -> None:
        """Draft and build the candidates that promise most within a part of the limits."""
        limits = self._limits(part)
        while most_built:
            promising = min(
                (
                    (cycles, number, choice.rank(), choice)
                    for number, kind in enumerate(kinds)
                    if kind.order.unsafe < TUNING.most_unsafe
                    for cycles, choice in kind.promising(
                        self._unfit, limits, is_drafting=most_drafts > 0
                    )
                ),
                default=None,
            )
            if promising is None or promising[0] >= self._best_cycles(limits):
                return
            _, number, _, choice = promising
            if choice.lanes not in kinds[number].drafts:
                most_drafts -= 1
                self._draft(kinds[number], choice)
                if not most_drafts:
                    most_built = min(most_built, MOST_LATE)
            elif self._build(kinds, kinds[number], choice):
                most_built -= 1

    def build_few(self, kinds: Sequence[_Kind]) -> None:
        """Build all candidates of a small node: estimates say little of its few iterations."""
        every = [(kind, choice) for kind in kinds for choice in kind.rough]
        if self._node.iterations <= SMALL.iterations and len(every) <= SMALL.candidates:
            most = spent() + SMALL.work
            for kind, choice in every:
                if spent() < most:
                    self._build(kinds, kind, choice)

    def straighten(self, most: int) -> None:
        """Build the quickest plans without copies of small arrays, which take cycles to move."""
        if self._straighter == self._straight:
            return
        cycles = {plan: built.cost.timing.last_write for plan, built in self.found.items()}
        for plan in sorted(cycles, key=cycles.__getitem__)[:most]:
            copied = replace(plan, straight=self._straighter, least_cycles=(), last_cycles=())
            with suppress(LegalityError):
                built = self._builder.built(self._alone, copied)
                is_quicker = built.cost.timing.last_write < STRAIGHTER * cycles[plan]
                fits = self._builder.fits(built, self._wanted)
                if is_quicker and fits and self._builder.is_safe(self._alone, built):
                    self.found[built.plan] = built

    def _best_cycles(self, limits: tuple[int, int]) -> float:
        return min(
            (
                float(built.cost.timing.last_write)
                for built in self.found.values()
                if built.cost.dsps <= limits[0] and built.cost.luts <= limits[1]
            ),
            default=float("inf"),
        )

    def _plan(self, kind: _Kind, choice: LaneChoice) -> NodePlan:
        lanes = dict(choice.lanes)
        first = first_plan(self._node, kind.order.steps, kind.binding, self._straight)
        return replace(first, unroll=tuple((name, lanes.get(name, 1)) for name, _ in first.unroll))

    def _draft(self, kind: _Kind, choice: LaneChoice) -> None:
        kind.tried.add(choice.lanes)
        try:
            draft = self._builder.drafted(self._alone, self._plan(kind, choice))
        except LegalityError:
            return
        order = kind.order
        dsps = (draft.cost.dsps + FEW_DSPS) / (choice.dsps + FEW_DSPS)
        luts = draft.used.luts / max(1, choice.luts)
        order.shares.append(DraftShare(choice, kind.binding, dsps, luts))
        if self._builder.lacks_memory(draft):
            self._unfit.add(choice.lanes)
            kind.rank(self._unfit)
        eager = {name: LeastLength() for name in kind.units}
        visits = order.counts.cycles(dict(choice.lanes), eager)
        overhead = max(0.0, draft.cost.timing.last_write - visits)
        is_first = len(order.shares) == 1
        order.overhead_cycles = overhead if is_first else min(order.overhead_cycles, overhead)
        if self._builder.fits(draft, self._wanted):
            kind.drafts[choice.lanes] = overhead

    def _build(self, kinds: Sequence[_Kind], kind: _Kind, choice: LaneChoice) -> bool:
        """Build a plan and keep it if it fits; return whether it can be built."""
        kind.drafts.pop(choice.lanes, None)
        try:
            built = self._builder.built(self._alone, self._plan(kind, choice))
        except LegalityError:
            return False
        kind.order.learn(built, kind.units)
        for other in kinds:
            if other.order is kind.order:
                other.rank(self._unfit)
        if not self._builder.fits(built, self._wanted):
            return True
        if self._builder.is_safe(self._alone, built):
            self.found[built.plan] = built
            return True
        self._unfit.add(choice.lanes)
        kind.order.unsafe += 1
        return False
