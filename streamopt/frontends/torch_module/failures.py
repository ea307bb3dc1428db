"""Reports of PyTorch and torch-mlir, in terms of the user's module."""
# Neither PyTorch's graphs nor torch-mlir have types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

import inspect
import logging
import re
import traceback
from collections.abc import Generator, Mapping
from contextlib import contextmanager, redirect_stderr
from io import StringIO
from pathlib import Path
from typing import Any

import torch

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.frontends.torch_module.places import MARK, SourcePlace, short_path

_LIBRARIES = tuple(str(Path(module.__file__ or "").parent) for module in (torch, inspect))
_SHAPES = (
    "give the shapes that forward takes, one for each input, such as --inputs 1x1x28x28, or in "
    "Python (module, x)"
)
_BY_VALUES = (
    "torch.export takes modules whose control flow doesn't depend on values of tensors: "
    "compute both sides, and choose with torch.where"
)
_ILLEGAL = re.compile(r"failed to legalize operation '([\w.]+)'")
_INNER = re.compile(r'name = "torch\.([\w.]+)"')


@contextmanager
def quiet_logs() -> Generator[None]:
    """Keep logs off the screen: what PyTorch logs of an error is in the error too.

    Graphs that can't be exported are printed, past the logs.
    """
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stderr(StringIO()):
            yield
    finally:
        logging.disable(before)


def export_problem(error: Exception, run: Any, inputs: tuple[Any, ...], file: str) -> Diagnostic:
    """Return why a module can't be exported: inputs that don't fit, or what the export refuses.

    Parameters
    ----------
    run
        The module; it is tried on the inputs without export.
    """
    missing = _missing(run, inputs)
    if missing:
        return Diagnostic("E162", missing, SourceLoc(file), _SHAPES)
    if "data-dependent" in str(error):
        message = "forward branches on a value that only the data decide"
        return Diagnostic("E162", message, _place(error, file), _BY_VALUES)
    try:
        with torch.no_grad():
            run(*inputs)
    except Exception as own:  # the user's code runs here
        shapes = ", ".join(
            "x".join(map(str, x.shape)) or "scalar" if isinstance(x, torch.Tensor) else str(type(x))
            for x in inputs
        )
        message = f"forward raises {type(own).__name__} for inputs {shapes}: {first_line(own)}"
        return Diagnostic("E162", message, _place(own, file), _SHAPES)
    message = f"the module can't be exported: {first_line(error)}"
    hint = "forward runs by itself: try torch.export.export(module, inputs) without streamopt"
    return Diagnostic("E162", message, _place(error, file), hint)


def _missing(run: Any, inputs: tuple[Any, ...]) -> str:
    """Return which inputs of forward aren't given, or are too many; empty if they fit."""
    forward = run.forward if isinstance(run, torch.nn.Module) else run
    try:
        signature = inspect.signature(forward)
    except (TypeError, ValueError):
        return ""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in signature.parameters.values() if p.kind in kinds]
    needed = [n for n in names if signature.parameters[n].default is inspect.Parameter.empty]
    if len(inputs) < len(needed):
        listed = ", ".join(needed)
        return f"forward takes {listed}, but {len(inputs)} of {len(needed)} inputs are given"
    takes_any = any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values())
    if len(inputs) > len(names) and not takes_any:
        listed = ", ".join(names) or "nothing"
        return f"forward takes {listed}, but {len(inputs)} inputs are given"
    return ""


def _place(error: BaseException, file: str) -> SourceLoc:
    """Return the innermost line of the user's own code that an error went through."""
    libraries = (*_LIBRARIES, str(Path(__file__).parents[2]), "<")
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if not f.filename.startswith(libraries)]
    own = [f for f in own if "site-packages" not in f.filename]
    in_forward = any(f.filename.startswith(_LIBRARIES[0]) for f in frames)
    if not own or not in_forward or own[-1] is frames[0]:
        return SourceLoc(file)
    return SourceLoc(short_path(own[-1].filename), line=own[-1].lineno)


def first_line(error: Exception) -> str:
    """Return the first line of what an error says, without its end."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0].rstrip(" .:")[:300]


def lowering_problems(
    error: Any, places: Mapping[int, SourcePlace], file: str
) -> tuple[Diagnostic, ...]:
    """Return the report of torch-mlir in terms of the module's operators."""
    from streamopt.frontends.mlir.text.conversion import place

    found: dict[str, Diagnostic] = {}
    for reported in error.error_diagnostics:
        loc = place(reported.location, file)
        known = places.get(loc.line or 0) if loc.file == MARK else None
        reason = _lowering_reason(str(reported.message or ""))
        if known is not None:
            found[f"{known.operator}{known.line(file)}"] = known.unsupported(reason, file)
        else:
            found[reason] = Diagnostic("E163", f"can't be lowered: {reason}", SourceLoc(file))
    return tuple(found.values()) or (
        Diagnostic("E163", f"the module can't be lowered: {first_line(error)}", SourceLoc(file)),
    )


def _lowering_reason(text: str) -> str:
    illegal = _ILLEGAL.search(text)
    if illegal is None:
        return text.splitlines()[0][:200] if text else "torch-mlir gives no reason"
    inner = _INNER.search(text)
    name = inner[1] if inner is not None else illegal[1].removeprefix("torch.")
    if name.startswith("constant."):
        return "torch-mlir has no lowering of it"
    return f"torch-mlir has no lowering of {name}"
