"""The proof of a schedule, in words."""

from collections.abc import Mapping
from typing import TypeAlias

Facts: TypeAlias = Mapping[str, str | int | float | None]
"""Facts of a schedule: the row that ``solve`` prints and keeps in schedule.json."""
STOPS = {
    "finished": "the search finished",
    "time_limit": "stopped by the time limit",
    "interrupted": "interrupted",
    "failed": "the solver failed",
}
BOUNDS = (
    ("objective_cycles", "latency in the model that was solved", "cycles"),
    ("bound_cycles", "no schedule of the level has a latency below", "cycles"),
    ("latency_target_cycles", "latency to keep", "cycles"),
    ("interval_cycles", "distance of frames in the model", "cycles"),
    ("bound_interval_cycles", "no schedule has a distance of frames below", "cycles"),
    ("bound_dsps", "no such schedule takes fewer", "DSPs"),
    ("dsps_used", "DSPs as the model counts", "DSPs"),
    ("dsp_limit", "DSPs that were allowed", "DSPs"),
    ("tiling_limit", "least trip count of a tile loop", ""),
)


def proof_words(facts: Facts, *, names_model: bool = True) -> str:
    """Return the proof, its model, and why the search stopped, in words.

    Parameters
    ----------
    names_model
        Whether the level is named: False where it stands beside the words.
    """
    model = f" in the {facts['level']} model" if names_model and facts.get("level") else ""
    if facts.get("changed_by"):
        model += f" with {facts['changed_by']}"
    solver = f"{facts.get('solver', '')} {facts.get('solver_version', '')}".strip()
    if facts["proof"] == "optimal":
        return f"optimal{model} (proved)"
    if facts["proof"] == "claimed":
        return f"optimal{model} as claimed by {solver}, not certified"
    by = "" if _is_exact(str(facts.get("solver", ""))) else f" as claimed by {solver}"
    stop = STOPS[str(facts.get("stop") or "finished")]
    return f"feasible, {_above(float(facts.get('gap') or 0))}{by}; {stop}"


def _above(gap: float) -> str:
    """Return in words how far a schedule is above the optimum; a gap is relative to the schedule.

    >>> _above(0.5)
    'at most 100.00 % above the optimum'
    """
    if gap >= 1:
        return "and no bound is known"
    return f"at most {percent_above(gap):.2f} % above the optimum"


def percent_above(gap: float) -> float:
    """Return how far an objective may be above the optimum, in percent of the optimum.

    Parameters
    ----------
    gap
        Relative to the objective, and below 1.
    """
    return 100 * gap / (1 - gap)


def _is_exact(solver: str) -> bool:
    """Return whether the bounds of a solver, or of several in a race, are of whole numbers."""
    from streamopt.solvers.registry import SOLVERS, adapter

    return all(adapter(name).is_exact for name in solver.split("+") if name in SOLVERS)


def proof_facts(facts: Facts) -> tuple[tuple[str, str], ...]:
    """Return pairs of what was asked or proved and its value; none for a schedule made by hand."""
    if "proof" not in facts:
        return ()
    gap = float(facts.get("gap") or 0)
    words = proof_words(facts)
    found = [("level", str(facts.get("level", ""))), ("objective", str(facts.get("objective", "")))]
    found += [("proof", words), ("gap", f"{100 * gap:.2f} %")]
    for key, what, unit in BOUNDS:
        if facts.get(key) not in (None, ""):
            found.append((what, f"{int(facts[key] or 0):,} {unit}".rstrip()))
    solver = f"{facts.get('solver', '')} {facts.get('solver_version', '')}".strip()
    found.append(("solver", f"{solver}, seed {facts.get('seed', 0)}"))
    found.append(("seconds", f"{float(facts.get('solve_seconds') or 0):.2f}"))
    if facts.get("message"):
        found.append(("message", str(facts["message"])))
    return tuple(found)
