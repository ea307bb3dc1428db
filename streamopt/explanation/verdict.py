"""The first sentence: how fast a design is, how much of the part it takes, and what is proved."""

from dataclasses import dataclass

from streamopt.evaluation.headline import SHOWN
from streamopt.evaluation.least_cycles import bound_words, least_cycles
from streamopt.explanation.question import KnownDesign, percent
from streamopt.ir.graph import SequentialNode
from streamopt.report.proof import proof_words
from streamopt.space.level import LEVELS, LevelName

FAR = 0.05
"""Share by which a model may differ from the simulation before that is said."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The speed of a design, its size, and its proof."""

    name: str
    cycles: int
    milliseconds: float
    clock_mhz: float
    region: str
    """The part that the shares are of."""
    # fullest, fullest_percent: the resource of which it takes most, and the share
    fullest: str
    fullest_percent: float
    level: str
    # modelled_cycles, bound_cycles: of the model in which it was solved; 0 where it wasn't, or
    # nothing is known
    modelled_cycles: int
    bound_cycles: int
    proof: str
    """In words; empty where nothing is proved."""
    form: str
    """The rewrites of the graph that the bound is of."""
    maker: str = ""
    """The strategy of another system that made the schedule; empty for none."""
    least: str = ""
    """Cycles that no design is below, and what for; empty where they aren't told."""
    solved_cycles: int = 0
    """Of the schedule that the record is of, where this is another one; else 0."""

    @property
    def words(self) -> str:
        """Return the sentence."""
        share = f"{self.fullest_percent:.0f} % of the {self.fullest} of {self.region}"
        head = (
            f"{self.name} takes {self.cycles:,} cycles, {self.milliseconds:.3g} ms at "
            f"{self.clock_mhz:.0f} MHz, with {share}"
        )
        if self.solved_cycles:
            other = (
                f"schedule or graph isn't the one that was solved ({self.solved_cycles:,} cycles)"
            )
            return f"{head}; the {other}: nothing is proved of it."
        if not self.proof:
            return (
                f"{head}; {self.maker or 'no solver'} made this schedule: nothing is proved of it."
            )
        least = f" Any design takes at least {self.least}." if self.least else ""
        return f"{head}; {self._proved()}.{least}"

    def _proved(self) -> str:
        form = f" of this form of the graph ({self.form})" if self.form else ""
        if self.proof.startswith("optimal"):
            found = f"it is {self.proof}, where it has {self.modelled_cycles:,} cycles{form}"
        elif self.bound_cycles:
            above = percent(self.modelled_cycles - self.bound_cycles, self.bound_cycles)
            found = f"its {self.modelled_cycles:,} cycles in the {self.level} model are {above} "
            found += f"above the proved bound of {self.bound_cycles:,}{form}"
        else:
            found = f"in the {self.level} model it is {self.proof}"
        apart = abs(self.cycles - self.modelled_cycles)
        if apart > FAR * max(1, self.modelled_cycles):
            found += f", but that model is {percent(apart, self.modelled_cycles)} off here"
        return found


def standing(design: KnownDesign) -> Standing:
    """Return the first statement of a design."""
    told, claim = design.evaluation.headline, design.evaluation.claim
    fullest = max(SHOWN, key=lambda name: told.percent[name])
    has_proof = bool(design.facts.get("proof"))
    return Standing(
        name=design.name,
        cycles=design.cycles,
        milliseconds=claim.milliseconds,
        clock_mhz=1e3 / claim.clock_ns,
        region=told.region,
        fullest=f"{SHOWN[fullest]}s",
        fullest_percent=told.percent[fullest],
        level=design.level,
        modelled_cycles=design.number("objective_cycles"),
        bound_cycles=design.number("bound_cycles"),
        proof=proof_words(design.facts) if has_proof else "",
        form=", ".join(design.schedule.rewrites),
        maker=str(design.facts.get("strategy") or ""),
        least=_least(design) if has_proof else "",
        solved_cycles=0 if has_proof else design.number("simulated_cycles_then"),
    )


def _least(design: KnownDesign) -> str:
    """Return the bound of a program with loop-carried dependences, as `solve` prints it."""
    graph, dsps = design.scheduled.graph, design.number("dsp_limit")
    if not dsps or not any(isinstance(node, SequentialNode) for node in graph.nodes):
        return ""
    is_built = LEVELS[LevelName(design.level)].is_as_built
    luts = design.number("lut_limit") or None if is_built else None
    bound = least_cycles(graph, dsps, design.evaluation.target, luts=luts)
    return bound_words(bound, design.cycles, luts)
