"""Decisions on data that a branch itself would change: taken once, and kept in a variable.

Later passes put the condition in front of every statement of a branch, so it must have the same
value at all of them. Affine parts of a condition stay where they are, for the analyses.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from streamopt.ir import expression as ir
from streamopt.ir.element import ElementType
from streamopt.ir.source import Assign, Branch, Item, RangeLoop, Source, Variable


def with_kept_decisions(source: Source) -> Source:
    """Return the source with the conditions that their own branches change in variables.

    Before: ``if (x[i] > 0) { x[i] = -1; y[i] = 2; }``
    After:  ``c = x[i] > 0; if (c != 0) { x[i] = -1; y[i] = 2; }``
    """
    taken = {variable.name for variable in source.variables}
    kept: list[Variable] = []
    body = tuple(_rewritten(source.body, taken, kept))
    return replace(source, variables=(*source.variables, *kept), body=body)


def _rewritten(items: Sequence[Item], taken: set[str], kept: list[Variable]) -> Iterator[Item]:
    for item in items:
        match item:
            case RangeLoop():
                yield replace(item, body=tuple(_rewritten(item.body, taken, kept)))
            case Branch():
                changed = replace(
                    item,
                    then=tuple(_rewritten(item.then, taken, kept)),
                    otherwise=tuple(_rewritten(item.otherwise, taken, kept)),
                )
                if _changes_condition(item):
                    yield from _kept(changed, _variable(taken, kept))
                else:
                    yield changed
            case Assign():
                yield item


def _changes_condition(branch: Branch) -> bool:
    """Return whether a condition is needed again after a statement that changes its operands."""
    operands = {access.array for access in ir.reads(branch.condition)}
    statements = [*_statements(branch.then), *_statements(branch.otherwise)]
    last = (branch.otherwise or branch.then)[-1:]
    return any(
        statement.target.array in operands and (statement,) != last for statement in statements
    )


def _statements(items: Sequence[Item]) -> Iterator[Assign]:
    for item in items:
        match item:
            case Assign():
                yield item
            case RangeLoop():
                yield from _statements(item.body)
            case Branch():
                yield from _statements((*item.then, *item.otherwise))


def _variable(taken: set[str], kept: list[Variable]) -> ir.Access:
    name = next(name for at in count(1) if (name := f"decision{at}") not in taken)
    taken.add(name)
    kept.append(Variable(name, (), ElementType.INT32, is_argument=False))
    return ir.Access(name, ())


def _kept(branch: Branch, place: ir.Access) -> Iterator[Item]:
    condition = branch.condition
    yield Assign(place, condition, loc=branch.loc)
    for items, op, facts in (
        (branch.then, ir.CompareOp.NE, ir.affine_conjuncts(condition)),
        (branch.otherwise, ir.CompareOp.EQ, ir.affine_conjuncts(ir.negated(condition))),
    ):
        if items:
            decided = ir.Compare(op, ir.Read(place), ir.Literal(0.0))
            yield Branch(ir.all_of((*facts, decided)), items, loc=branch.loc)
