"""Statements split where they meet the elements that they write themselves.

Before (an iteration of ``k`` reads row and column ``k``, which it also writes)::

    for k: for i: for j: P[i][j] = min(P[i][j], P[i][k] + P[k][j])

After: nine pieces, ``i`` below, at and above ``k`` by ``j`` below, at and above ``k``, each of
which runs in any order.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

from streamopt.ir import expression as ir
from streamopt.ir.text import isl_affine
from streamopt.transforms.autoschedule.linear import affine_of_row, equalities, reduced
from streamopt.transforms.autoschedule.pieces import Ordering, piece_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from streamopt.ir.affine import Affine
    from streamopt.transforms.autoschedule.pieces import OrderProblem, Piece

_MOST_PLANES = 2
"""Of a piece: more give 27 pieces and more, which isl takes too long for."""
_SIDES = ("<", "=", ">")


def with_split_pieces(problem: OrderProblem) -> OrderProblem | None:
    """Return a problem with smaller pieces, None if no piece is to be split."""
    pieces: list[Piece] = []
    parts: dict[int, list[int]] = {}
    for place, piece in enumerate(problem.pieces):
        planes = [*_planes(problem, place)] if place in problem.places else []
        parts[place] = []
        for points in _sides(problem, place, planes):
            parts[place].append(len(pieces))
            pieces.append(piece_of(problem.node, piece.statement, points, len(pieces)))
    if len(pieces) == len(problem.pieces):
        return None
    orderings = tuple(
        made
        for one in problem.orderings
        for pair in product(parts[one.source], parts[one.sink])
        for made in _restricted(one, pieces, *pair)
    )
    places = tuple(part for place in problem.places for part in parts[place])
    return replace(problem, pieces=tuple(pieces), places=places, orderings=orderings)


def _restricted(one: Ordering, pieces: list[Piece], source: int, sink: int) -> Iterator[Ordering]:
    import islpy as isl

    relation = one.relation.set_tuple_name(isl.dim_type.in_, f"S{source}")
    relation = relation.set_tuple_name(isl.dim_type.out, f"S{sink}")
    relation = relation.intersect_domain(pieces[source].points)
    relation = relation.intersect_range(pieces[sink].points)
    if not relation.is_empty():
        yield Ordering(source, sink, relation, one.is_sum_step)


def _sides(problem: OrderProblem, place: int, planes: list[Affine]) -> Iterator[Any]:
    """Yield the points on each side of all planes, and on them, where there are some."""
    import islpy as isl

    names, head = problem.names, problem.tuple_text(place)
    for signs in product(_SIDES, repeat=len(planes)):
        where = " and ".join(
            f"{isl_affine(plane, names)} {sign} 0"
            for plane, sign in zip(planes, signs, strict=True)
        )
        side = isl.Set(f"{{ {head} : {where or 'true'} }}")
        points = problem.pieces[place].points.intersect(side)
        if not points.is_empty():
            yield points


def _planes(problem: OrderProblem, place: int) -> Iterator[Affine]:
    """Yield where the elements are written that a piece reads in an iteration of the outer loop."""
    import islpy as isl

    piece, statement = problem.pieces[place], problem.statement(place)
    own = reduced([*equalities(piece.points)], range(len(problem.loops)))
    writes = problem.elements_at(place, statement.target)
    found: dict[str, Affine] = {}
    for access in dict.fromkeys(a for e in statement.expressions for a in ir.reads(e)):
        if access.array != statement.target.array or access == statement.target:
            continue
        meets = problem.elements_at(place, access).apply_range(writes.reverse())
        meets = meets.equate(isl.dim_type.in_, 0, isl.dim_type.out, 0)
        if meets.is_empty():
            continue
        rows = reduced([*equalities(meets.range())], range(len(problem.loops) - 1, -1, -1))
        if len(rows) == len(own) + 1:
            for row in rows.values():
                plane = affine_of_row(row, problem.loops)
                if len(plane.iterators()) > 1 and plane.is_linear:
                    found[str(plane)] = plane
    yield from (*found.values(),)[:_MOST_PLANES]
