"""C source text to a `streamopt.ir.source.Source`."""

from __future__ import annotations

import logging
import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, FrontendError
from streamopt.formats.names import TITLE_PATTERN, did_you_mean
from streamopt.frontends.c.arguments import declare_parameters, declare_shared
from streamopt.frontends.c.extents import close_extents
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.state import State
from streamopt.frontends.c.statements.assignments import without_unread
from streamopt.frontends.c.statements.statements import read_all
from streamopt.frontends.c.syntax.jumps import without_jumps
from streamopt.frontends.c.syntax.parsing import parsed
from streamopt.frontends.c.syntax.tree import Number, Return
from streamopt.frontends.c.syntax.usage import usage_of
from streamopt.frontends.c.text.preprocess import preprocess
from streamopt.frontends.c.top import top_function
from streamopt.ir.element import ElementType
from streamopt.ir.source import Source

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from streamopt.frontends.c.syntax.tree import Function

__all__ = ["read_c"]

logger = logging.getLogger(__name__)

_FLOATS = {
    ElementType.HALF: "float16",
    ElementType.FLOAT: "float32",
    ElementType.DOUBLE: "float64",
}


def read_c(
    path: Path,
    *,
    top: str | None = None,
    defines: Mapping[str, str] = MappingProxyType({}),
    include: Sequence[Path] = (),
    parameters: Mapping[str, int] = MappingProxyType({}),
    outputs: Sequence[str] = (),
) -> Source:
    """Read one function of a C file.

    Parameters
    ----------
    top
        The function; by default the one with ``#pragma scop``, the only one besides main, or the
        only one that no other function calls.
    defines
        Macros, as with ``-D``; an empty text defines a macro as nothing.
    include
        Folders of headers, as with ``-I``; headers of the C library need none.
    parameters
        Values of integer parameters; by default what the calls in the file hand over.
    outputs
        Arguments that the caller looks at; by default all that are written.

    Raises
    ------
    FrontendError
        With all problems of the input (E131 to E139).
    """
    unit = parsed(preprocess(path, defines, include))
    function = top_function(unit, path, top)
    problems = Problems()
    state = State(unit, problems, usage=usage_of(function))
    try:
        _read(function, state, parameters)
        close_extents(state)
        _check_outputs(outputs, function, state)
        problems.raise_if_any()
    except LimitError as error:
        raise FrontendError(*problems.found, error.diagnostic) from None
    except RecursionError:
        message = f"{function.name} is nested too deeply"
        hint = "split its expressions and statements"
        raise FrontendError(Diagnostic("E139", message, function.loc, hint)) from None
    body = without_unread([*state.first, *state.blocks[0]], state)
    _tell_lasting(function, state)
    return Source(_title(function.name), state.finished_variables(outputs), body, _values(state))


def _read(function: Function, state: State, parameters: Mapping[str, int]) -> None:
    state.calls.append(function.name)
    declare_shared(function, state)
    state.scope.enter()
    declare_parameters(function, state, parameters)
    items = function.body.items
    returns = function.returns
    if items and isinstance(items[-1], Return):
        value = items[-1].value
        items = items[:-1]
        if not (value is None or isinstance(value, Number)) and returns.text != "void":
            message = f"{function.name} returns a value, which nobody would see"
            hint = "hand it over through an argument: float *result"
            state.report("E135", message, function.body.items[-1].loc, hint)
    if returns.text == "void":
        items = without_jumps(items, Return)
    read_all(items, state)


def _check_outputs(outputs: Sequence[str], function: Function, state: State) -> None:
    known = [n for n, v in state.variables.items() if v.is_argument and n in state.written]
    for name in outputs:
        if name not in known:
            message = f"'{name[:60]}' is no argument that {function.name} writes"
            state.report("E137", message, function.loc, did_you_mean(name, known))


def _tell_lasting(function: Function, state: State) -> None:
    """Say from which values static variables start, in a line."""
    if state.noted:
        places = ", ".join(f"{item.name} ({item.loc})" for item in state.noted)
        message = (
            "note: every call of %s starts from the initial values of its static variables: %s"
        )
        logger.warning(message, function.name, places)


def _title(name: str) -> str:
    """Return the function's name, without PolyBench's prefix."""
    short = name.removeprefix("kernel_")
    return short if re.match(TITLE_PATTERN, short) else name


def _values(state: State) -> dict[str, NDArray[Any]]:
    if not state.values:
        return {}
    import numpy as np

    found: dict[str, NDArray[Any]] = {}
    for name, numbers in state.values.items():
        variable = state.variables[name]
        kind = variable.element.value.removesuffix("_t")
        kind = _FLOATS.get(variable.element, kind)
        found[name] = np.array(numbers, dtype=kind).reshape(variable.shape)
    return found
