"""Where an output that is no number comes from: the exact interpreter runs until it shows.

An element that nothing has written is a mark, which no operation takes. An operation that makes no
number of numbers, as the square root of a negative one, ends the run too.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import SourceLoc, VerificationError
from streamopt.ir.expression import Access, reads
from streamopt.ir.program import Nest, Program
from streamopt.verification.exact.interpreter import (
    FailedOperation,
    StoppedError,
    given_scalars,
    run_nest,
)
from streamopt.verification.exact.scalar_operations import OPERATIONS

MOST_ITERATIONS = 2**21
"""Of a program that is run one scalar at a time to find the cause: some seconds."""


class Cause(Enum):
    """Why an element is no number."""

    UNWRITTEN = auto()
    """Nothing writes it, or what it is computed from."""
    OPERATION = auto()
    """An operation has no result for its operands."""
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class Origin:
    """Cause of an element that is no number, in words, and its place."""

    cause: Cause
    text: str = ""
    loc: SourceLoc | None = None


UNKNOWN = Origin(Cause.UNKNOWN)


def origin_of(
    program: Program, inputs: Mapping[str, NDArray[Any]], array: str, index: tuple[int, ...]
) -> Origin:
    """Return where an output element that is no number comes from."""
    nests = _feeding(program, array)
    iterations = sum(math.prod(nest.trip_counts.values()) for nest in nests)
    if iterations > MOST_ITERATIONS:
        return UNKNOWN
    state: dict[str, list[Any]] = {
        a.name: given_scalars(inputs[a.name], a) if a.is_given else [_UNWRITTEN] * a.size_elems
        for a in program.arrays
    }
    for nest in nests:
        try:
            run_nest(program, nest, state, _OPERATIONS)
        except StoppedError as stopped:
            return _stopped(program, stopped.stop, state)
        except VerificationError:
            return UNKNOWN
    element = state[array][int(np.ravel_multi_index(index, program.array(array).shape or (1,)))]
    return Origin(Cause.UNWRITTEN, "is never written") if element is _UNWRITTEN else UNKNOWN


def _feeding(program: Program, array: str) -> list[Nest]:
    """Return the nests that an array's values come from, in order."""
    wanted = {array}
    found: list[Nest] = []
    for nest in reversed(program.nests):
        if any(statement.target.array in wanted for statement in nest.statements):
            found.append(nest)
            wanted.update(source for _, source in nest.carries)
            wanted.update(a.array for s in nest.statements for e in s.expressions for a in reads(e))
    return found[::-1]


def _stopped(program: Program, stop: FailedOperation, state: Mapping[str, list[Any]]) -> Origin:
    target = stop.statement.target
    loc = stop.statement.loc or stop.nest.loc
    place = f"node '{stop.nest.name}', for {_element(target.array, _at(target, stop.point))}"
    if stop.what:
        return Origin(Cause.OPERATION, f"is no number: {stop.what} in {place}", loc)
    for access in (a for e in stop.statement.expressions for a in reads(e)):
        at = _at(access, stop.point)
        flat = 0
        for index, extent in zip(at, program.array(access.array).shape, strict=True):
            flat = flat * extent + index
        values = state[access.array]
        if 0 <= flat < len(values) and values[flat] is _UNWRITTEN:
            text = f"is computed from {_element(access.array, at)}, which is never written: in "
            return Origin(Cause.UNWRITTEN, f"{text}{place}", loc)
    return UNKNOWN


def _at(access: Access, point: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(int(subscript.evaluate(point)) for subscript in access.subscripts)


def _element(array: str, index: tuple[int, ...]) -> str:
    return array + "".join(f"[{at}]" for at in index)


class _Unwritten:
    """The mark of an element that nothing has written."""

    __array_ufunc__ = None  # so that NumPy's numbers ask it, and don't take it for an array


def _refuse(*_: object) -> Any:
    raise StoppedError("")


_TAKEN = """
    add radd sub rsub mul rmul truediv rtruediv floordiv rfloordiv mod rmod neg abs float int index
    trunc lt le gt ge eq ne lshift rlshift rshift rrshift and rand or ror xor rxor
"""
for _name in _TAKEN.split():
    setattr(_Unwritten, f"__{_name}__", _refuse)

_UNWRITTEN = _Unwritten()


def _watched(name: str, symbol: str) -> Callable[..., Any]:
    operation = OPERATIONS[name]

    def call(*operands: Any) -> Any:
        result = operation(*operands)
        if result != result and all(operand == operand for operand in operands):
            listed = [f"{float(operand):.6g}" for operand in operands]
            raise StoppedError(
                f" {symbol} ".join(listed) if symbol == "/" else f"{symbol}({', '.join(listed)})"
            )
        return result

    return call


_OPERATIONS = {
    **OPERATIONS,
    "divided": _watched("divided", "/"),
    **{
        f"{function}_{element}": _watched(f"{function}_{element}", function)
        for function in ("sqrt", "log", "pow")
        for element in ("half", "float", "double")
    },
}
