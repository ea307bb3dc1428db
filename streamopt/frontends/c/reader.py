"""C source text to a `streamopt.ir.source.Source`."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from pycparser import c_ast as ast

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.formats.names import TITLE_PATTERN, did_you_mean
from streamopt.frontends.c.arguments import declare_parameters, declare_shared
from streamopt.frontends.c.extents import close_extents
from streamopt.frontends.c.lowering.functions import lowered, needs_lowering
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.state import Frame, ReadingState
from streamopt.frontends.c.statements.assignments import assign
from streamopt.frontends.c.statements.inlining import value_of_body, value_of_inlined
from streamopt.frontends.c.statements.statements import read_all
from streamopt.frontends.c.symbols import Known
from streamopt.frontends.c.syntax.files import CFile, CFunction
from streamopt.frontends.c.syntax.jumps import without_jumps
from streamopt.frontends.c.syntax.literals import unsupported
from streamopt.frontends.c.syntax.parsing import file_of, parsed
from streamopt.frontends.c.syntax.trees import every, items_of
from streamopt.frontends.c.syntax.usage import calls_in, names_in, usage_of
from streamopt.frontends.c.text.classes import THIS
from streamopt.frontends.c.text.preprocess import preprocess
from streamopt.ir.expression import Access
from streamopt.ir.source import Source, read_names, without_assignments

if TYPE_CHECKING:
    from numpy.typing import NDArray


RESULT = "ap_return"
"""The output that a kernel's value is, by the name of its port."""

logger = logging.getLogger(__name__)


def read_c(
    path: Path,
    *,
    top: str | None = None,
    defines: Mapping[str, str] = MappingProxyType({}),
    include: Sequence[Path] = (),
    parameters: Mapping[str, int] = MappingProxyType({}),
    outputs: Sequence[str] = (),
    text: str | None = None,
    bounds: Mapping[str, int] = MappingProxyType({}),
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
    text
        The file's text, if there is no file.
    bounds
        How often loops run at most whose end depends on data: by label or variable, or ``while``.

    Raises
    ------
    FrontendError
        With all problems of the input (E131 to E139).
    """
    file = parsed(preprocess(path, defines, include, text))
    problems = Problems()
    name = _top_function(file, path, top).name
    try:
        file = _lowered(file, name, problems)
        function = file.functions[name]
        frame = Frame(function.name, usage=usage_of(function))
        state = ReadingState(file, problems, value_of_inlined, [frame])
        state.loops.bounds = bounds
        _read(function, state, parameters)
        close_extents(state)
        _check_outputs(outputs, function, state)
        problems.raise_if_any()
    except LimitError as error:
        raise FrontendError(*problems.found, error.diagnostic) from None
    except RecursionError:
        message, hint = f"{name} is nested too deeply", "split its expressions and statements"
        problem = Diagnostic("E139", message, file.functions[name].loc, hint)
        raise FrontendError(problem) from None
    source = state.source
    items = [*source.first, *source.blocks[0]]
    unread = state.integers.followed - read_names(items)
    body = tuple(without_assignments(items, unread))
    source.variables = {n: v for n, v in source.variables.items() if n not in unread}
    _tell(function, state, parameters)
    for name, (count, loc) in state.source.compared.items():
        message = "note: places in %s depend on data: each access compares %d positions (%s)"
        logger.warning(message, name, count, loc)
    return Source(_title(function.name), source.finished_variables(outputs), body, _values(state))


def _lowered(file: CFile, top: str, problems: Problems) -> CFile:
    """Return a file without structures and streams in a function and in those that it calls."""
    if not needs_lowering(file.tree, file.generics):
        return file
    tree = lowered(file.tree, top, file.generics, problems, file.places)
    problems.raise_if_any()
    return file_of(tree, file.places, file.generics)


def _read(function: CFunction, state: ReadingState, parameters: Mapping[str, int]) -> None:
    declare_shared(function, state)
    state.scope.enter()
    declare_parameters(function, state, parameters)
    items = items_of(function.body)
    if function.returns.text == "void":
        read_all(without_jumps(items, ast.Return), state)
        return
    last = items[-1] if items else None
    status = last.expr if isinstance(last, ast.Return) else last
    is_number = isinstance(status, ast.Constant) and unsupported(status) is None
    if isinstance(last, ast.Return) and (not status or is_number or function.name == "main"):
        read_all(items[:-1], state)
        return
    value = value_of_body(items, function, state)
    if value is None:
        return
    result = state.source.add_variable(RESULT, (), value.element, function.loc, is_argument=True)
    stored = replace(result, kept=function.returns.kept, is_wide=function.returns.is_wide)
    assign(Access(result.variable, ()), stored, value, state, function.loc)


def _top_function(file: CFile, path: Path, wanted: str | None) -> CFunction:
    """Return the function of that name, or else the only one that can be meant.

    That is the one with ``#pragma scop``, the only one besides main, or the only one that no other
    function but main calls; those of headers count only where the file has none of its own. Raises
    FrontendError (E133) where there is none or more than one.
    """
    functions = {
        name: function
        for name, function in file.functions.items()
        if not any(item.name == THIS for item in function.parameters)
    }
    if wanted is not None:
        if wanted in functions:
            return functions[wanted]
        message = f"there is no function '{wanted}'"
        raise FrontendError(_problem(message, path, did_you_mean(wanted, functions)))
    if not functions:
        raise FrontendError(_problem("the file defines no function", path, "define one"))
    marked = [function for function in functions.values() if function.has_scop]
    if len(marked) == 1:
        return marked[0]
    others = marked or [f for f in functions.values() if f.name != "main"]
    others = [f for f in others if f.loc.file == str(path)] or others
    if len(others) == 1:
        return others[0]
    called = {
        name
        for function in functions.values()
        if function.name != "main"
        for name, _ in calls_in(function)
        if name != function.name
    }
    roots = [function for function in others if function.name not in called]
    if len(roots) == 1:
        return roots[0]
    if not others:
        return functions["main"]
    names = [function.name for function in roots or others]
    what = "have #pragma scop" if marked else "can be meant"
    message = f"several functions {what}: {', '.join(names[:12])}"
    raise FrontendError(_problem(message, path, f"name one: --top {names[0]}"))


def _problem(message: str, path: Path, hint: str) -> Diagnostic:
    return Diagnostic("E133", message, SourceLoc(str(path)), hint)


def _check_outputs(outputs: Sequence[str], function: CFunction, state: ReadingState) -> None:
    known = [
        n for n, v in state.source.variables.items() if v.is_argument and n in state.source.written
    ]
    for name in outputs:
        if name not in known:
            message = f"'{name[:60]}' is no argument that {function.name} writes"
            state.report("E137", message, function.loc, did_you_mean(name, known))


def _tell(function: CFunction, state: ReadingState, parameters: Mapping[str, int]) -> None:
    loops = (one.cond for one in every(function.body) if isinstance(one, ast.For) and one.cond)
    told = {*parameters, *names_in(*loops)}
    for name in (item.name for item in function.parameters if item.name not in told):
        if isinstance(known := state.scope.find(name), Known):
            message = "note: %s is %s, as the file's calls say; another number is --param %s=..."
            logger.warning(message, name, known.value.constant, name)
    if state.statics:
        places = ", ".join(f"{item.name} ({item.loc})" for item in state.statics)
        message = (
            "note: every call of %s starts from the initial values of its static variables: %s"
        )
        logger.warning(message, function.name, places)


def _title(name: str) -> str:
    """Return the function's name, without PolyBench's prefix."""
    short = name.removeprefix("kernel_")
    return short if re.match(TITLE_PATTERN, short) else name


def _values(state: ReadingState) -> dict[str, NDArray[Any]]:
    if not state.source.values:
        return {}
    import numpy as np

    found: dict[str, NDArray[Any]] = {}
    for name, numbers in state.source.values.items():
        variable = state.source.variables[name]
        dtype = "<f8" if variable.element.is_fixed else variable.element.dtype
        found[name] = np.array(numbers, dtype=dtype).reshape(variable.shape)
    return found
