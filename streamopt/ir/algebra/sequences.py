"""Sequences of whole numbers as affine expressions of their places, where some may be missing."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from streamopt.ir.affine import Affine


def fitted(points: Sequence[tuple[int, int]], count: Affine) -> Affine | None:
    """Return an affine expression of a number, floors among it, that has some values at some.

    The commonest slope between neighbours is taken off; what remains has to be constant from one
    multiple of a period to the next, and have such an expression of the number of the period.
    """
    if len({value for _, value in points}) == 1:
        return Affine.of(points[0][1])
    slopes = Counter(
        (later - value) // (behind - at)
        for (at, value), (behind, later) in pairwise(points)
        if (later - value) % (behind - at) == 0
    )
    if not slopes:
        return None
    slope = slopes.most_common(1)[0][0]
    rest = [(at, value - slope * at) for at, value in points]
    line = count.scaled(slope)
    starts = [at for (_, one), (at, other) in pairwise(rest) if one != other]
    if not starts:
        return line + Affine.of(rest[0][1])
    period = min([later - at for at, later in pairwise(starts)], default=starts[0] - rest[0][0])
    shift = -starts[0] % period
    periods: dict[int, int] = {}
    for at, value in rest:
        if periods.setdefault((at + shift) // period, value) != value:
            return None
    if len(periods) == len(points) and period == 1:
        return None
    inner = fitted([*periods.items()], (count + Affine.of(shift)).floordiv(period))
    return None if inner is None else line + inner
