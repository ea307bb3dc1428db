"""Accesses of a source where they are evaluated, and the lowest and highest values there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from streamopt.analysis.instances import StatementInstance, domain_text, hull_of, may_run
from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine
from streamopt.ir.source import Assign, Branch, Item, RangeLoop
from streamopt.ir.text import isl_affine


def reached_accesses(
    items: Iterable[Item],
    loops: tuple[RangeLoop, ...] = (),
    guards: tuple[ir.Condition, ...] = (),
) -> Iterator[tuple[ir.Access, StatementInstance]]:
    """Yield every access, in program order, with a statement that runs if it is evaluated.

    What a condition reads stands in a statement of its own, guarded by what is asked before it.

    Parameters
    ----------
    loops, guards
        Around the items.
    """
    for item in items:
        match item:
            case RangeLoop(body=body):
                yield from reached_accesses(body, (*loops, item), guards)
            case Branch(condition, then, otherwise):
                asked = Assign(ir.Access("asked", ()), condition, loc=item.loc)
                yield from _reads(condition, StatementInstance(asked, loops, (), guards))
                for side, holds in ((then, condition), (otherwise, ir.negated(condition))):
                    yield from reached_accesses(side, loops, (*guards, *ir.conjuncts(holds)))
            case Assign(target, value):
                here = StatementInstance(item, loops, (), guards)
                yield from _reads(value, here)
                yield target, here


def _reads(
    value: ir.Expression, here: StatementInstance
) -> Iterator[tuple[ir.Access, StatementInstance]]:
    match value:
        case ir.Read(access):
            yield access, here
        case ir.Select(condition, then, otherwise):
            yield from _reads(condition, here)
            yield from _reads(then, _under(here, condition))
            yield from _reads(otherwise, _under(here, ir.negated(condition)))
        case ir.Logic(op, operands):
            for operand in operands:
                yield from _reads(operand, here)
                here = _under(here, operand if op is ir.LogicOp.AND else ir.negated(operand))
        case _:
            for operand in ir.children(value):
                yield from _reads(operand, here)


def _under(here: StatementInstance, condition: ir.Condition) -> StatementInstance:
    return replace(here, guards=(*here.guards, *ir.conjuncts(condition)))


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
