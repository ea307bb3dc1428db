"""How many iterations lie between a write and the next read of what it wrote: exactly, by isl.

The distance ``min (row(y) - row(x))`` over iterations ``x < y`` of a box with ``write(x) =
read(y)``, where ``row`` is the row-major number of an iteration: (L7) of
``models/formulations/scheduling.md``. A write in between only comes nearer itself, so the
nearest pair is one of true flow.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from streamopt.ir.isl_text import affine_text, condition_text

if TYPE_CHECKING:
    from streamopt.ir.affine import Affine
    from streamopt.ir.expression import Condition

__all__ = ["carried_distance"]


@lru_cache(maxsize=4096)
def carried_distance(
    write: tuple[Affine, ...],
    read: tuple[Affine, ...],
    loops: tuple[tuple[str, int], ...],
    guard: Condition | None = None,
) -> int | None:
    """Return the least number of iterations from a write to a later read of the element.

    Parameters
    ----------
    loops
        Pairs (iterator, trip count), outermost first.
    guard
        An affine condition without which nothing is written; None for everywhere.

    Returns
    -------
    int or None
        None where no later iteration reads what one has written.
    """
    import islpy as isl

    here, there = ({name: f"{side}{at}" for at, (name, _) in enumerate(loops)} for side in "xy")
    where = [f"0 <= {names[name]} < {trips}" for names in (here, there) for name, trips in loops]
    where += [
        f"{affine_text(left, here)} = {affine_text(right, there)}"
        for left, right in zip(write, read, strict=True)
    ]
    if guard is not None:
        where.append(condition_text(guard, here))
    stride, terms = 1, ["0"]
    for name, trips in reversed(loops):
        terms.append(f"{stride}*{there[name]} - {stride}*{here[name]}")
        stride *= trips
    row = " + ".join(terms)
    space = ", ".join((*here.values(), *there.values()))
    pairs = isl.Set(f"{{ [{space}] : {' and '.join((*where, f'{row} >= 1'))} }}")
    if pairs.is_empty():
        return None
    return int(pairs.min_val(isl.Aff(f"{{ [{space}] -> [{row}] }}")).to_python())
