"""Loops over the digits of a subscript, as one loop over the dimension.

An array that is written by plain iterators can be a stream, whatever is read: ``y[2*i + p]`` can't.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from streamopt.analysis.instances import Hull, StatementInstance, hull_of
from streamopt.ir.affine import Affine
from streamopt.ir.algebra.divisions import recombined
from streamopt.transforms.restructure.flat_source import FlatSource, with_affines


@dataclass(frozen=True, slots=True)
class JoinedLoop:
    """A loop over the numbers of which some loops count the digits."""

    values: dict[str, Affine]
    """Of the iterators, by the number; that has the name of the first, the highest digit."""
    extent: int

    def moved(self, value: Affine) -> Affine:
        """Return an expression of the digits as one of the number."""
        return recombined(value.substitute(self.values))


def joined_loop(instance: StatementInstance, at: int, extent: int) -> JoinedLoop | None:
    """Return the loop over a dimension of a target whose digits are loops; None if they are not."""
    hulls, subscript = hull_of(instance.loops), instance.target.subscripts[at]
    names = {*subscript.iterators()}
    loops = {loop.iterator: loop for loop in instance.loops}
    ends = [e for name in names for e in (*loops[name].lower, *loops[name].upper)]
    others = [own for place, own in enumerate(instance.target.subscripts) if place != at]
    bounds = [end for loop in instance.loops for end in (*loop.lower, *loop.upper)]
    is_alone = not any(names & {*part.iterators()} for part in (*others, *bounds))
    if len(names) < 2 or not subscript.is_linear or any(e.terms for e in ends) or not is_alone:
        return None
    return number_of(subscript, hulls, extent)


def number_of(subscript: Affine, hulls: Mapping[str, Hull], extent: int) -> JoinedLoop | None:
    """Return a loop over the values of a linear subscript, if they are a whole dimension in digits.

    Parameters
    ----------
    hulls
        Lowest value of each iterator, and the one after its highest.
    """
    ordered = sorted((factor, name) for name, factor in subscript.factors.items())
    number, radix, values = Affine.iterator(ordered[-1][1]), 1, dict[str, Affine]()
    for factor, name in ordered:
        low, high = hulls[name]
        if factor != radix:
            return None
        radix *= high - low
        digit = number.floordiv(factor)
        values[name] = (digit if radix == extent else digit.mod(high - low)) + Affine.of(low)
    least, _ = subscript.interval({name: (low, high - 1) for name, (low, high) in hulls.items()})
    highest_first = {name: values[name] for _, name in reversed(ordered)}
    return JoinedLoop(highest_first, extent) if radix == extent and least == 0 else None


def over_joined_loop(instance: StatementInstance, joined: JoinedLoop) -> StatementInstance:
    """Return a statement in one loop instead of those that count its digits."""
    first, *lower = joined.values
    loops = {
        place: replace(
            loop, lower=(Affine(),), upper=(Affine.of(joined.extent),), variable="", value=None
        )
        if loop.iterator == first
        else loop
        for place, loop in enumerate(instance.loops)
        if loop.iterator not in lower
    }
    position = tuple(instance.position[place] for place in (*loops, -1))
    changed = with_affines(instance, joined.moved)
    return replace(changed, loops=tuple(loops.values()), position=position)


def with_joined_loops(body: FlatSource) -> FlatSource:
    """Join loops right inside each other that are the digits of a subscript.

    Before: ``for i < 4: for p < 2: { s = 0; for k: s = s + a[i][k] * c[p][k]; y[2*i + p] = s; }``
    After:  ``for i < 8: { s = 0; for k: s = s + a[i // 2][k] * c[i % 2][k]; y[i] = s; }``

    Legal as iterations keep their order.
    """
    while (joined := _first(body)) is not None:
        names = {*joined.values}
        statements = (
            over_joined_loop(one, joined) if names & {*one.iterators} else one
            for one in body.statements
        )
        body = replace(body, statements=tuple(statements))
    return body


def _first(body: FlatSource) -> JoinedLoop | None:
    for instance in body.statements:
        for at, extent in enumerate(body.variables[instance.target.array].shape):
            joined = joined_loop(instance, at, extent)
            if joined is not None and all(_is_nested(one, joined) for one in body.statements):
                return joined
    return None


def _is_nested(instance: StatementInstance, joined: JoinedLoop) -> bool:
    """Return whether a statement is in all of the loops, one right in the other, or in none."""
    names, own = (*joined.values,), instance.iterators
    if not {*names} & {*own}:
        return True
    bounds = [end for loop in instance.loops for end in (*loop.lower, *loop.upper)]
    if names[0] not in own or any({*names} & {*end.iterators()} for end in bounds):
        return False
    first = own.index(names[0])
    return own[first : first + len(names)] == names
