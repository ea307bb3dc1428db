"""Affine functions of isl, as expressions over iterators."""

from collections.abc import Iterator, Sequence
from typing import Any

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, CompareOp, Condition, Logic, LogicOp, all_of, of_affine


def affine_pieces(
    relation: Any, domain: Any, names: Sequence[str]
) -> Iterator[tuple[Condition | bool, tuple[Affine, ...]]]:
    """Yield the values of a single-valued relation, each with where it holds.

    Parameters
    ----------
    domain
        Iterations in which the values are asked for; conditions need not say it again.
    names
        Iterators, one for each dimension of the domain.
    """
    import islpy as isl

    pieces: list[tuple[Any, Any]] = []
    function = isl.PwMultiAff.from_map(relation.coalesce()).coalesce()
    function.foreach_piece(lambda where, value: pieces.append((where, value)))
    for where, value in pieces:
        places = tuple(
            _affine(value.get_aff(at), names) for at in range(value.dim(isl.dim_type.out))
        )
        yield condition_in(where, domain, names), places


def condition_in(where: Any, domain: Any, names: Sequence[str]) -> Condition | bool:
    """Return the condition for a set inside of a domain; True for all of it."""
    left = where.gist(domain).coalesce().remove_redundancies()
    cases: list[Condition] = []
    for part in left.get_basic_sets():
        constraints = part.get_constraints()
        if not constraints:
            return True
        cases.append(all_of([_comparison(one, names) for one in constraints]))
    return cases[0] if len(cases) == 1 else Logic(LogicOp.OR, tuple(cases)) if cases else False


def _comparison(constraint: Any, names: Sequence[str]) -> Condition:
    op = CompareOp.EQ if constraint.is_equality() else CompareOp.GE
    whole = _affine(constraint.get_aff(), names)
    left = Affine(tuple(term for term in whole.terms if term[1] > 0))
    right = left - whole
    return Compare(op, of_affine(left), of_affine(right))


def _affine(aff: Any, names: Sequence[str]) -> Affine:
    """Return an isl function over a set's dimensions, whose values are integers there."""
    import islpy as isl

    divisor = aff.get_denominator_val().to_python()

    def scaled(value: Any) -> int:
        whole = value.mul(isl.Val(divisor))
        return int(whole.to_python())

    found = Affine.of(scaled(aff.get_constant_val()))
    for at, name in enumerate(names):
        factor = scaled(aff.get_coefficient_val(isl.dim_type.in_, at))
        found = found + Affine.iterator(name).scaled(factor)
    for at in range(aff.dim(isl.dim_type.div)):
        factor = scaled(aff.get_coefficient_val(isl.dim_type.div, at))
        if factor:
            found = found + _affine(aff.get_div(at), names).scaled(factor)
    return found.floordiv(divisor) if divisor > 1 else found
