"""How many iterations lie between a write and the next read of what it wrote: exactly, by isl.

The distance ``min (row(y) - row(x))`` over iterations ``x < y`` of a box with ``write(x) =
read(y)``, where ``row`` is the row-major number of an iteration: (L7) of
``models/formulations/scheduling.md``. A write in between only comes nearer itself, so the
nearest pair is one of true flow.
"""

from collections.abc import Sequence
from functools import lru_cache

from streamopt.analysis.operations import compares_whole_numbers
from streamopt.ir.affine import Affine
from streamopt.ir.expression import Condition, affine_conjuncts
from streamopt.ir.text import isl_affine, isl_condition


@lru_cache(maxsize=4096)
def carried_distance(
    write: tuple[Affine, ...],
    read: tuple[Affine, ...],
    loops: tuple[tuple[str, int], ...],
    write_guard: Condition | None = None,
    read_guard: Condition | None = None,
) -> int | None:
    """Return the least number of iterations from a write to a later read of the element.

    Parameters
    ----------
    loops
        Pairs (iterator, trip count), outermost first.
    write_guard, read_guard
        Conditions without which nothing is written, or read; None for everywhere. What of them
        isn't affine is taken to hold.

    Returns
    -------
    int or None
        None where no later iteration reads what one has written.
    """
    import islpy as isl

    here, there = (_names(loops, side) for side in "xy")
    where = _meeting(write, read, loops, (here, there))
    where += _held(write_guard, here) + _held(read_guard, there)
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


@lru_cache(maxsize=4096)
def meet_at_once(
    write: tuple[Affine, ...],
    read: tuple[Affine, ...],
    loops: tuple[tuple[str, int], ...],
    write_guard: Condition | None = None,
    read_guard: Condition | None = None,
) -> bool:
    """Return whether a write and a read touch the same element in some one iteration.

    Parameters are those of `carried_distance`.
    """
    import islpy as isl

    names = _names(loops, "x")
    where = _meeting(write, read, loops, (names, names))
    where += _held(write_guard, names) + _held(read_guard, names)
    held = f" : {' and '.join(where)}" if where else ""
    return not isl.Set(f"{{ [{', '.join(names.values())}]{held} }}").is_empty()


def _names(loops: Sequence[tuple[str, int]], side: str) -> dict[str, str]:
    return {name: f"{side}{at}" for at, (name, _) in enumerate(loops)}


def _meeting(
    write: tuple[Affine, ...],
    read: tuple[Affine, ...],
    loops: Sequence[tuple[str, int]],
    sides: tuple[dict[str, str], dict[str, str]],
) -> list[str]:
    here, there = sides
    inside = [f"0 <= {names[name]} < {trips}" for names in sides for name, trips in loops]
    return inside + [
        f"{isl_affine(left, here)} = {isl_affine(right, there)}"
        for left, right in zip(write, read, strict=True)
    ]


def _held(guard: Condition | None, names: dict[str, str]) -> list[str]:
    parts = () if guard is None else affine_conjuncts(guard)
    return [isl_condition(part, names) for part in parts if compares_whole_numbers(part)]
