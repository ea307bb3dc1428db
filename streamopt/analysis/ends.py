"""The lowest and the highest value of an affine expression over the iterations of a statement."""

from streamopt.analysis.instances import StatementInstance, domain_text, hull_of, may_run
from streamopt.ir.affine import Affine
from streamopt.ir.text import isl_affine


def hull_ends(value: Affine, instance: StatementInstance) -> tuple[int, int]:
    """Return ends between which all values lie, by the bounds of the iterators alone."""
    return value.interval(
        {n: (low, high - 1) for n, (low, high) in hull_of(instance.loops).items()}
    )


def exact_ends(value: Affine, instance: StatementInstance) -> tuple[int, int] | None:
    """Return the lowest and the highest value; None where the statement never runs."""
    import islpy as isl

    names = {iterator: f"c{at}" for at, iterator in enumerate(instance.iterators)}
    whole, around = domain_text(instance), ", ".join(names.values())
    if not may_run(instance):
        return None
    if not value.terms:
        return value.constant, value.constant
    reached = isl.Set(f"{{ [s] : exists ({around}: s = {isl_affine(value, names)} and {whole}) }}")
    return reached.dim_min_val(0).to_python(), reached.dim_max_val(0).to_python()
