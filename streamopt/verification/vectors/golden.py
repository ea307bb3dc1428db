"""Test vectors: inputs that a program's sums can take without rounding, and the golden outputs.

Worst-case bounds grow by the number of terms at every reduction of a chain, values only by its
square root; after a few layers the bound says nothing. So inputs have as many bits as leave all
outputs exact (see `streamopt.verification.reference.error_bounds`): programs of sums, products and
comparisons are then compared bit by bit. Where no choice is exact, as behind an exponential, the
one with the smallest bound relative to the values is taken.

Numbers around 0 don't suit every program: a decomposition takes roots of what is left of them. So
where they leave an output without a value, definite matrices and positive numbers are tried.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.program import Role
from streamopt.verification.exact.origin import Cause, origin_of
from streamopt.verification.reference.execution import Result, execute
from streamopt.verification.vectors.inputs import (
    DEFINITE,
    InputRange,
    InputWays,
    Way,
    is_square,
    make_inputs,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from streamopt.ir.program import Array, Program

INPUT_BITS = (12, 8, 4, 2, 1, 0)
"""Resolutions that are tried, finest first."""

SHRINKS = (6,)
"""By how many bits inputs are made smaller, one after another, while an output is unbounded."""

POSITIVE = InputRange(0.5, 1.5)
"""Ways that are tried where numbers around 0 don't suit."""

TOO_LARGE = "E727"
"""Code of a program that the interpreter doesn't run."""

MAX_ELEMENTS = 2**28
"""Most elements of all arrays together: values and bounds take 16 bytes each."""

MAX_ITERATIONS = 2**34
"""Most iterations of all nests together: hours of the reference interpreter."""

MAX_IN_ORDER = 2**30
"""Most iterations of all sequential nests together, which take longer: with more of them nothing is
known of the outputs."""

_MANY_ITERATIONS = 2**28
"""So many take a minute or two, and one resolution has to do."""

_ASK = (
    "ask for inputs that suit the program: --inputs data.npz, A=spd or 0.5:1.5; "
    "in Python inputs=..."
)


@dataclass(frozen=True, slots=True, eq=False)
class Golden:
    """Inputs of a program and what it makes of them."""

    inputs: Mapping[str, NDArray[np.float64]]
    outputs: Mapping[str, Result]
    bits: int
    """Resolution of the inputs, see `streamopt.verification.vectors.inputs`."""
    # asked, found: how inputs are to be drawn, and how they were: where nothing is asked for,
    # several ways are tried
    asked: InputWays = field(default_factory=InputWays)
    found: InputWays = field(default_factory=InputWays)
    problems: tuple[Diagnostic, ...] = ()
    """Outputs that can't be checked, as no inputs were found that suit the program, or as it takes
    too long to interpret."""

    @property
    def looseness(self) -> float:
        """Return the largest bound over the root mean square of its output; 0 if all is exact."""
        return max(map(_looseness, self.outputs.values()), default=0.0)

    @property
    def is_whole(self) -> bool:
        """Return whether every element of every output has a value and a bound."""
        return not any(_unknown(result).any() for result in self.outputs.values())


def make_golden(program: Program, seed: int = 0, ways: InputWays | None = None) -> Golden:
    """Return inputs and golden outputs of a program, which are all known.

    Parameters and errors are those of `find_golden`.

    Raises
    ------
    VerificationError
        E713 as well where no inputs were found that suit the program.
    """
    golden = find_golden(program, seed, ways)
    if golden.problems:
        raise VerificationError(*golden.problems)
    return golden


def in_any_order(program: Program, golden: Golden, seed: int) -> Golden:
    """Return test data whose bounds let terms of sums be added in any order, everywhere.

    Other inputs are drawn from the seed where those given leave an output without a bound.
    """
    results = execute(program, golden.inputs, in_any_order=True)
    loose = replace(golden, outputs={name: results[name] for name in golden.outputs})
    if loose.is_whole or not golden.is_whole:
        return loose
    return find_golden(program, seed, golden.asked, sums_in_any_order=True)


def find_golden(
    program: Program,
    seed: int = 0,
    ways: InputWays | None = None,
    *,
    sums_in_any_order: bool = False,
) -> Golden:
    """Return inputs and golden outputs of a program, with what is not known of them.

    Parameters
    ----------
    ways
        How inputs are drawn; where nothing is said, several ways are tried.
    sums_in_any_order
        Whether the design adds terms of sums of sequential nests in another order.

    Raises
    ------
    VerificationError
        E713 where an output is never written, or has no finite value or bound for the inputs that
        were asked for: no number, out of range, or too close to a pole; E727 for more elements or
        iterations than `MAX_ELEMENTS` and `MAX_ITERATIONS`; what `InputWays.check` and
        `streamopt.verification.reference.execution.execute` raise.
    """
    _check_size(program)
    asked = ways or InputWays()
    asked.check(program)
    if _iterations(program, in_order=True) > MAX_IN_ORDER:
        return _unasked(program, seed, asked)
    first = _tightest(program, seed, asked, sums_in_any_order)
    if first.is_whole:
        return first
    problems, are_fatal = _problems(program, first)
    if are_fatal or asked.are_given:
        raise VerificationError(*problems)
    for other in _alternatives(program):
        golden = _tightest(program, seed, InputWays(other), sums_in_any_order)
        if golden.is_whole:
            return replace(golden, asked=asked)
    return replace(first, problems=problems)


def _check_size(program: Program) -> None:
    elements = sum(array.size_elems for array in program.arrays)
    for what, count, most in (
        ("elements of arrays", elements, MAX_ELEMENTS),
        ("iterations", _iterations(program), MAX_ITERATIONS),
    ):
        if count > most:
            message = f"'{program.name}' has {count} {what}, too many to make test data of: "
            hint = "choose smaller extents, or solve without -o"
            raise VerificationError(Diagnostic(TOO_LARGE, f"{message}at most {most}", hint=hint))


def _iterations(program: Program, *, in_order: bool = False) -> int:
    nests = (nest for nest in program.nests if nest.sequential or not in_order)
    return sum(prod(nest.trip_counts.values()) for nest in nests)


def _unasked(program: Program, seed: int, ways: InputWays) -> Golden:
    """Return inputs of a program that is too long to be interpreted, and nothing of its outputs."""
    message = f"'{program.name}' has {_iterations(program, in_order=True)} iterations in order, "
    message += f"too many for the interpreter: at most {MAX_IN_ORDER}"
    hint = "verify the same program with smaller extents"
    outputs = {
        array.name: Result(np.full(array.shape, np.nan), np.full(array.shape, np.inf))
        for array in program.arrays
        if array.role is Role.OUTPUT
    }
    inputs, problem = (
        make_inputs(program, seed, 4, 0, ways),
        Diagnostic(TOO_LARGE, message, hint=hint),
    )
    return Golden(inputs, outputs, 4, ways, ways, (problem,))


def _alternatives(program: Program) -> Iterator[dict[str, Way]]:
    """Yield ways to draw arrays of numbers that are not whole."""
    given = [
        array
        for array in program.arrays
        if array.is_given and array.name not in program.values and not array.element.is_integer
    ]
    definite: dict[str, Way] = {array.name: DEFINITE for array in given if is_square(array)}
    positive: dict[str, Way] = {array.name: POSITIVE for array in given}
    if definite:
        yield definite
    yield positive
    if definite and len(definite) < len(positive):
        yield positive | definite


def _tightest(program: Program, seed: int, ways: InputWays, sums_in_any_order: bool) -> Golden:
    """Return the inputs drawn in one way whose outputs have the smallest bounds."""
    best: Golden | None = None
    tried = [*((bits, 0) for bits in INPUT_BITS), *((8, s) for s in SHRINKS)]
    if _iterations(program) > _MANY_ITERATIONS:
        tried = [(4, 0)]
    for bits, shrink in tried:
        if shrink and best is not None and np.isfinite(best.looseness):
            break
        inputs = make_inputs(program, seed, bits, shrink, ways)
        results = execute(program, inputs, in_any_order=sums_in_any_order)
        outputs = {a.name: results[a.name] for a in program.arrays if a.role is Role.OUTPUT}
        golden = Golden(inputs, outputs, bits, ways, ways)
        if best is None or golden.looseness < best.looseness:
            best = golden
        if best.looseness == 0.0:
            break
    assert best is not None
    return best


def _looseness(result: Result) -> float:
    worst = float(result.bound.max())
    if worst == 0.0 or not np.isfinite(worst):
        return worst
    finite = result.value[np.isfinite(result.value)]
    largest = float(np.abs(finite).max(initial=0.0))
    if largest == 0.0:
        return np.inf
    # squares of the largest ones would overflow
    return worst / largest / float(np.sqrt(np.mean(np.square(finite / largest))))


def _unknown(result: Result) -> NDArray[np.bool_]:
    return np.isnan(result.value) | ~np.isfinite(result.bound)


def _problems(program: Program, golden: Golden) -> tuple[tuple[Diagnostic, ...], bool]:
    """Return one problem for each output that isn't known, and whether other inputs can't help."""
    found: list[Diagnostic] = []
    is_fatal = False
    for name, result in golden.outputs.items():
        unknown = _unknown(result)
        if unknown.any():
            index = tuple(int(i) for i in np.argwhere(unknown)[0])
            problem, is_unwritten = _problem(program, golden, program.array(name), index)
            is_fatal |= is_unwritten
            found.append(problem)
    return tuple(found), is_fatal


def _problem(
    program: Program, golden: Golden, array: Array, index: tuple[int, ...]
) -> tuple[Diagnostic, bool]:
    value = golden.outputs[array.name].value[index]
    element = "".join(chain([array.name], (f"[{i}]" for i in index)))
    if not np.isnan(value):
        message = f"output {element} = {value:g} has no finite error bound"
        hint = f"keep values in the element type's range and divisors away from 0; or {_ASK}"
        return Diagnostic("E713", message, hint=hint), False
    origin = origin_of(program, golden.inputs, array.name, index)
    match origin.cause:
        case Cause.UNWRITTEN:
            hint = "write every element of an array before it is read, and of an output"
        case Cause.OPERATION:
            hint = _ASK
        case Cause.UNKNOWN:
            hint = f"let no condition hang on how values are rounded; or {_ASK}"
    text = origin.text or "is no number, or hangs on how values are rounded"
    problem = Diagnostic("E713", f"output {element} {text}", origin.loc, hint)
    return problem, origin.cause is Cause.UNWRITTEN


SOURCE_TOLERANCE = 1e-5
"""Stated accuracy of the source's own arithmetic, relative to the largest element of a result."""


def sample_golden(program: Program) -> Golden | None:
    """Return the sample of a program as test data; None if it brings no complete one."""
    given = [a.name for a in program.arrays if a.is_given]
    wanted = [a.name for a in program.arrays if a.role is Role.OUTPUT]
    known = {**program.values, **program.sample}
    if not program.sample or any(name not in known for name in (*given, *wanted)):
        return None
    inputs = {name: np.asarray(known[name], dtype=np.float64) for name in given}
    results = execute(program, inputs)
    outputs: dict[str, Result] = {}
    for name in wanted:
        value = np.asarray(program.sample[name], dtype=np.float64)
        derived = np.where(np.isfinite(results[name].bound), results[name].bound, 0.0)
        stated = SOURCE_TOLERANCE * float(np.abs(value).max(initial=0.0))
        outputs[name] = Result(value, derived + stated)
    return Golden(inputs, outputs, 0)
