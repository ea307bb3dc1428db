"""The exact interpreter: every operation of a program in its order and type, bit for bit.

Each nest becomes a small Python function over flat lists, which is compiled and run. It gives the
bits that C gives if the compiler keeps order and doesn't contract (``-ffp-contract=off``) and its
math library rounds as Python's does. `streamopt.verification.reference.execution` is the faster
one, which knows nothing of order but bounds how far rounding may lead.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Binary, BinaryOp, Call, Cast, Expression, Function, Read
from streamopt.ir.operators import Reduction
from streamopt.ir.program import Array, Nest, Program, Statement
from streamopt.verification.exact.scalar_code import ScalarCode
from streamopt.verification.exact.scalar_operations import CONVERSIONS, OPERATIONS, OutsideError
from streamopt.verification.storage import numbers_of, stored

_NESTED = 12
"""Most loops that are nested in generated code; Python allows 20 blocks."""


@dataclass(frozen=True, slots=True)
class FailedOperation:
    """The statement and iteration at which an operation ended a run, and what it says."""

    what: str
    nest: Nest
    statement: Statement
    point: Mapping[str, int]


class StoppedError(Exception):
    """Raised by operations that end a run, with what they say; `run_nest` adds where."""

    @property
    def stop(self) -> FailedOperation:
        """Return where the run ended."""
        return self.args[0]


def interpret(program: Program, inputs: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return the values of every array after the program has run: fixed-point ones as doubles.

    Parameters
    ----------
    inputs
        Values of the inputs, and of weights whose values the program doesn't carry, in their
        arrays' shapes; converted to their arrays' types.

    Raises
    ------
    VerificationError
        E710 for inputs that are missing or have another shape, E712 for a subscript outside its
        array, E715 for a nest that is too large to be compiled.
    """
    state: dict[str, list[Any]] = {}
    problems: list[Diagnostic] = []
    for array in program.arrays:
        given = inputs.get(array.name, program.values.get(array.name))
        if not array.is_given:
            undefined = np.nan if array.element.is_float else 0
            state[array.name] = given_scalars(np.full(array.shape, undefined), array)
        elif given is None or not array.takes(np.shape(given)):
            found = "no values" if given is None else f"shape {np.shape(given)}"
            message = f"{array.role} {array.name} has {found}, expected shape {array.shape}"
            problems.append(Diagnostic("E710", message))
        else:
            state[array.name] = given_scalars(np.asarray(given), array)
    if problems:
        raise VerificationError(*problems)
    for nest in program.nests:
        run_nest(program, nest, state)
    return {array.name: _values(state[array.name], array) for array in program.arrays}


def given_scalars(values: NDArray[Any], array: Array) -> list[Any]:
    """Return the flat elements of an array as the scalars that the interpreter takes."""
    flat = stored(values, array.element).ravel()
    return [*flat] if array.element in (ElementType.FLOAT, ElementType.HALF) else flat.tolist()


def _values(scalars: list[Any], array: Array) -> NDArray[Any]:
    kept = np.array(scalars, array.element.dtype).reshape(array.shape)
    return numbers_of(kept, array.element) if array.element.is_fixed else kept


def run_nest(
    program: Program,
    nest: Nest,
    state: dict[str, list[Any]],
    operations: Mapping[str, Callable[..., Any]] = OPERATIONS,
) -> None:
    """Run one nest on flat lists of scalars, which it changes.

    Parameters
    ----------
    state
        By array; arrays that the nest doesn't touch may be missing.
    operations
        What the generated code calls: `OPERATIONS`, or the same names for other scalars.
    """
    for target, source in nest.carries:
        state[target] = [*state[source]]
    arrays = {array.name: (at, array) for at, array in enumerate(program.arrays)}
    iterators = {loop.name: f"i{at}" for at, loop in enumerate(nest.loops)}
    code = ScalarCode(arrays, nest.trip_counts, iterators)
    owners = [(s, line) for s in nest.statements for line in _lines(s, nest, code)]
    body = [line for _, line in owners]
    parameters = ", ".join(f"a{at}" for at in range(len(program.arrays)))
    text = "\n".join([f"def run({parameters}, rounded):", *_loops(nest, body)])
    names: dict[str, Any] = {**operations}
    try:
        exec(compile(text, f"<nest {nest.name}>", "exec"), names)
    except (SyntaxError, MemoryError, RecursionError):
        message = f"nest '{nest.name}' is nested too deeply to be interpreted"
        raise VerificationError(Diagnostic("E715", message, nest.loc)) from None
    run: Callable[..., None] = names["run"]
    rounded = tuple(operations[name](value) for name, value in code.rounded)
    try:
        with np.errstate(all="ignore"):
            run(*(state.get(array.name) for array in program.arrays), rounded)
    except StoppedError as stopped:
        raise _located(stopped, nest, [statement for statement, _ in owners]) from None
    except OutsideError as outside:
        subscript, extent = outside.args
        message = f"nest '{nest.name}' reaches subscript {subscript}, outside 0 .. {extent - 1}"
        raise VerificationError(Diagnostic("E712", message, nest.loc)) from None


def _located(stopped: StoppedError, nest: Nest, owners: list[Statement]) -> StoppedError:
    """Return the end of a run with the statement and the iteration of the generated code."""
    trace = stopped.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != f"<nest {nest.name}>":
        trace = trace.tb_next
    assert trace is not None
    known = trace.tb_frame.f_locals
    point = {loop.name: int(known[f"i{at}"]) for at, loop in enumerate(nest.loops)}
    before = 1 + sum(1 for _ in _loops(nest, []))
    return StoppedError(
        FailedOperation(stopped.args[0], nest, owners[trace.tb_lineno - 1 - before], point)
    )


def _loops(nest: Nest, body: list[str]) -> Iterator[str]:
    indent = " "
    if len(nest.loops) > _NESTED:
        names = ", ".join(f"i{at}" for at in range(len(nest.loops)))
        ranges = ", ".join(f"range({loop.trip_count})" for loop in nest.loops)
        yield f"{indent}from itertools import product"
        yield f"{indent}for {names} in product({ranges}):"
        indent += " "
    else:
        for at, loop in enumerate(nest.loops):
            yield f"{indent}for i{at} in range({loop.trip_count}):"
            indent += " "
    yield from (f"{indent}{line}" for line in body)


def _lines(statement: Statement, nest: Nest, code: ScalarCode) -> Iterator[str]:
    place, element = code.place(statement.target), code.element(statement.target.array)
    indent = ""
    if statement.reduction is None:
        value = statement.value
    else:
        used = statement.target.iterators()
        first = [code.iterators[loop.name] for loop in nest.loops if loop.name not in used]
        start = _start(statement, element, code)
        tests = " and ".join(f"{name} == 0" for name in first)
        yield f"if {tests}: {place} = {start}" if tests else f"{place} = {start}"
        term = Cast(element, statement.value) if element.is_fixed else statement.value
        value = _combined(statement.reduction, Read(statement.target), term)
    if statement.guard is not None:
        yield f"if {code.condition(statement.guard)}:"
        indent = " "
    yield f"{indent}{place} = {code.value(value, element)}"


def _start(statement: Statement, element: ElementType, code: ScalarCode) -> str:
    if statement.start is not None:
        return code.value(statement.start, element)
    assert statement.reduction is not None
    if element.is_float:
        return f"{CONVERSIONS[element]}('{statement.reduction.identity}')"
    return str(integer_identity(statement.reduction, element))


def integer_identity(reduction: Reduction, element: ElementType) -> int:
    """Return the start of a reduction of integers; of fixed-point numbers, its mantissa."""
    if element.is_fixed:
        form = element.fixed_point
        ends = {Reduction.MAX: form.lowest, Reduction.MIN: form.highest}
        return ends.get(reduction, 0)
    lowest = -(1 << (element.bits - 1)) if element.is_signed else 0
    match reduction:
        case Reduction.ADD | Reduction.MUL:
            return int(reduction.identity)
        case Reduction.MAX:
            return lowest
        case Reduction.MIN:
            return lowest + (1 << element.bits) - 1


def _combined(reduction: Reduction, total: Expression, term: Expression) -> Expression:
    match reduction:
        case Reduction.ADD:
            return Binary(BinaryOp.ADD, total, term)
        case Reduction.MUL:
            return Binary(BinaryOp.MUL, total, term)
        case Reduction.MAX:
            return Call(Function.MAX, (total, term))
        case Reduction.MIN:
            return Call(Function.MIN, (total, term))
