"""The third sentence: what the next tenth of each resource would buy.

Each statement is an interval: the problem is solved again with a tenth more of one resource, and
the answer has a design and a bound. So no design of the larger problem is below `least_cost`, and
one of `found_cost` is known. At opt1 to opt5 both are usually equal. At opt6 the bound is of the
model and of one form of the graph, and the search ends after bounded work.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from streamopt.explanation.question import ChangedProblem, KnownDesign, listed, percent
from streamopt.space.level import LEVELS, LevelName
from streamopt.space.objective import ObjectiveName

MORE = 10
"""Percent of a resource that are added."""
TIGHT = 0.9
"""Share of a limit from which more of a resource is tried at opt6 although no bound counts it."""
FAR = 10
"""Times the DSPs of a problem, within which the next faster design is looked for."""

LIMITS = {
    "built_dsp": ("DSPs as built", "dsps"),
    "lut": ("LUTs", "luts"),
    "ff": ("FFs", "ffs"),
    "bram18": ("BRAMs", "bram18"),
    "uram": ("URAMs", "uram"),
}
"""By option, as the record names them: words for people, and the field of a part's resources."""
_UNITS = {
    ObjectiveName.LATENCY: "cycles",
    ObjectiveName.LATENCY_DSPS: "cycles",
    ObjectiveName.INTERVAL: "cycles between frames",
    ObjectiveName.DSPS: "DSPs",
}
_COSTS = {
    ObjectiveName.LATENCY: "objective_cycles",
    ObjectiveName.LATENCY_DSPS: "objective_cycles",
    ObjectiveName.INTERVAL: "interval_cycles",
    ObjectiveName.DSPS: "dsps_used",
}
"""The member of the record that an objective minimises."""
IN_BOUND = ("built_dsp", "lut")
"""Of these, the resources that the bound of opt6 counts; no amount of the others lowers it."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """The worth of a tenth more of one resource."""

    resource: str
    option: str
    """That sets the limit."""
    # limit, more, used: the amounts that are allowed now and then, and that the design takes now
    limit: int
    more: int
    used: int
    cost: int
    """Of the design now, in the objective: cycles of a model, or DSPs."""
    least_cost: int
    """No design with the larger amount costs less in the model; 0 where nothing is proved."""
    found_cost: int
    """Of a design that was found with the larger amount; `cost` where none is better."""
    found_simulated_cycles: int = 0
    """Of that design; 0 where there is none."""
    next_amount: int = 0
    """The least amount with which anything gets faster, where a tenth buys nothing; 0 where that
    isn't known, or no amount does."""
    form: str = ""
    """The rewrites of the graph that the bound is of; empty for the graph as it is."""
    is_tried: bool = True
    """Whether the larger problem was solved."""

    @property
    def is_exact(self) -> bool:
        """Return whether the least cycles with the larger amount are known."""
        return self.least_cost >= self.found_cost

    def words(self, unit: str) -> str:
        """Return the worth of the amount, in the unit of the costs."""
        if self.more <= self.limit:
            return f"the part has no more {self.resource} than the {self.limit:,} of the limit"
        amount = f"{self.more - self.limit:,} more {self.resource} ({self.more:,})"
        gain, most = self.cost - self.found_cost, self.cost - self.least_cost
        if not most:
            further = f"; the next faster design takes {self.next_amount:,}"
            return f"{amount} buy nothing, which is proved{further if self.next_amount else ''}"
        if self.is_exact:
            return f"{amount} buy {self._share(gain)}, no less and no more{self._found(unit)}"
        known = "" if self.least_cost else ", and no bound is known"
        at_most = f"at most {self._share(most)}" if self.least_cost else ""
        if gain > 0:
            between = f" and {at_most}" if at_most else known
            return f"{amount} buy at least {self._share(gain)}{self._found(unit)}{between}"
        if not self.is_tried:
            used = f"({percent(self.used, self.limit)} of the limit is taken)"
            return f"what {amount} would buy wasn't looked for {used}"
        tried = "no better design was found with them"
        return (
            f"{amount} buy {at_most}, but {tried}" if at_most else f"with {amount} {tried}{known}"
        )

    def _found(self, unit: str) -> str:
        simulated = self.found_simulated_cycles
        told = f", {simulated:,} simulated" if simulated else ""
        return f" ({self.found_cost:,} {unit}{told})"

    def _share(self, gain: int) -> str:
        """Return a gain in percent, or as it is where that is next to nothing."""
        return (
            percent(gain, self.cost) if 1000 * gain >= self.cost else f"{gain:,} of {self.cost:,}"
        )


@dataclass(frozen=True, slots=True)
class Allowances:
    """Statements for every limited resource, and the resources that have no limit."""

    level: str
    unit: str
    """Of all costs: cycles of a model, cycles between frames, or DSPs."""
    each: tuple[Allowance, ...]
    unlimited: tuple[str, ...]
    """Resources that the problem doesn't limit, so that more of them changes nothing."""
    why_none: str = ""
    """The reason for no statement at all; empty where there are some."""

    @property
    def words(self) -> str:
        """Return the sentence."""
        if self.why_none:
            return f"What more of a resource would buy isn't known: {self.why_none}."
        quiet = [one for one in self.each if not one.is_tried and one.least_cost]
        parts = [one.words(self.unit) for one in self.each if one not in quiet]
        parts += [_together(quiet, self.unit)] if quiet else []
        found = f"In the {self.level} model, {'; '.join(parts)}"
        if self.unlimited:
            names = listed(list(self.unlimited))
            found += f"; {names} have no limit there, so that more of them changes nothing"
        return f"{found}."


def _together(each: list[Allowance], unit: str) -> str:
    """Return the statement of resources that the bound doesn't count."""
    names = listed([allowance.resource for allowance in each])
    used = listed([percent(allowance.used, allowance.limit) for allowance in each])
    most = max(allowance.cost - allowance.least_cost for allowance in each)
    if not most:
        return f"{names} ({used} of the limits are taken) buy nothing, which is proved"
    share = percent(most, each[0].cost) if 1000 * most >= each[0].cost else f"{most:,} {unit}"
    return f"{names} ({used} of the limits are taken) buy at most {share}, however many"


def tenth_more(amount: int) -> int:
    """Return an amount and a tenth more, rounded up."""
    return amount + -(-amount * MORE // 100)


def allowances(design: KnownDesign) -> Allowances:
    """Return the worth of a tenth more of each resource; solves the larger problems."""
    level = design.level
    if not level or not design.facts.get("objective"):
        return Allowances("", "", (), (), "no problem with limits belongs to this schedule")
    unit = _UNITS[ObjectiveName(str(design.facts["objective"]))]
    if LEVELS[LevelName(level)].is_as_built:
        return Allowances(level, unit, tuple(_at_opt6(design)), ())
    each = tuple(_published(design))
    unlimited = [word for key, (word, _) in LIMITS.items() if f"{key}_limit" not in design.facts]
    return Allowances(level, unit, each, tuple(unlimited))


def _published(design: KnownDesign) -> Iterator[Allowance]:
    """Yield statements of opt1 to opt5: DSPs as the model counts, and limits that were given."""
    given = [key for key in LIMITS if f"{key}_limit" in design.facts]
    if design.facts["objective"] == ObjectiveName.DSPS:
        limit = design.number("latency_target_cycles")
        more = tenth_more(limit)
        now = ("cycles", "--latency-target", limit, more, design.number("objective_cycles"))
        yield _allowance(design, now, ChangedProblem(fewest_dsps_within_cycles=more))
        return
    limit = design.number("dsp_limit")
    more = tenth_more(limit)
    now = ("DSPs", "--dsp", limit, more, design.number("dsps_used"))
    yield _allowance(design, now, ChangedProblem(dsps=more), looks_further=not given)
    for key in given:
        yield _of_limit(design, key)


def _of_limit(design: KnownDesign, key: str) -> Allowance:
    now = _amounts(design, key)
    more = now[3]
    if more <= now[2]:
        return Allowance(*now, cost(design), 0, cost(design), is_tried=False)
    return _allowance(design, now, ChangedProblem(limits=((key, more),)))


def _amounts(design: KnownDesign, key: str) -> tuple[str, str, int, int, int]:
    """Return words and option of a limit on the design as built, and amounts: then and now."""
    word, field = LIMITS[key]
    limit, used = design.number(f"{key}_limit"), design.number(f"{key}_used")
    most = max(limit, getattr(design.evaluation.target.total, field))
    return word, "--" + key.replace("_", "-"), limit, min(tenth_more(limit), most), used


def _at_opt6(design: KnownDesign) -> Iterator[Allowance]:
    """Yield statements of opt6: of every limit of the region."""
    cycles = cost(design)
    for key in LIMITS:
        now = _amounts(design, key)
        _, _, limit, _, used = now
        if not limit:
            continue
        if design.ask is not None and (key in IN_BOUND or used >= TIGHT * limit):
            yield _of_limit(design, key)
            continue
        known = 0 if key in IN_BOUND else min(design.number("bound_cycles"), cycles)
        form = ", ".join(design.schedule.rewrites)
        yield Allowance(*now, cycles, known, cycles, form=form, is_tried=False)


def _allowance(
    design: KnownDesign,
    now: tuple[str, str, int, int, int],
    changed: ChangedProblem,
    *,
    looks_further: bool = False,
) -> Allowance:
    own = cost(design)
    found = None if design.ask is None else design.ask(changed)
    if found is None:
        return Allowance(*now, own, 0, own, is_tried=False)
    least, is_better = min(found.bound, found.cost, own), found.cost < own
    return Allowance(
        *now,
        own,
        least,
        min(found.cost, own),
        found.simulated_cycles if is_better else 0,
        _next_amount(design, own) if looks_further and least == own else 0,
        ", ".join(found.schedule.rewrites),
    )


def cost(design: KnownDesign) -> int:
    """Return the cost of a design in its objective, in the model."""
    name = _COSTS[ObjectiveName(str(design.facts["objective"]))]
    return design.number(name)


def _next_amount(design: KnownDesign, cycles: int) -> int:
    """Return the fewest DSPs of a faster design; 0 where there is none or it isn't known."""
    if design.ask is None or design.facts.get("objective") == ObjectiveName.INTERVAL:
        return 0
    most = FAR * design.number("dsp_limit")
    found = design.ask(ChangedProblem(dsps=most, fewest_dsps_within_cycles=cycles - 1))
    return found.dsps if found is not None and found.bound == found.cost else 0
