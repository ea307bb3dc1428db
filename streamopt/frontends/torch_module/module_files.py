"""Modules in a user's Python file, and example inputs from shapes as text."""
# Loading runs what the user wrote, which has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import importlib.util
import re
import sys
import traceback
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.extras import installing
from streamopt.formats.names import did_you_mean, quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

MAX_ELEMENTS = 2**28
_SHAPE = re.compile(r"(\d+(?:x\d+)*|scalar)(?::([a-z0-9]+))?", re.ASCII)
_TYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")


def load_module(spec: str, inputs: str) -> tuple[torch.nn.Module, tuple[torch.Tensor, ...]]:
    """Return a module of a Python file, and inputs of the given shapes.

    Parameters
    ----------
    spec
        ``model.py:Name``: a class that is made without arguments, a module, or a function
        that returns one. The file is run.
    inputs
        Shapes with element types that aren't float32, such as ``1x64x128,1x10:int64``;
        ``scalar`` for no dimensions.

    Raises
    ------
    FrontendError
        E161 for a missing package, E164 for the file, E165 for the name in it, E166 for the
        shapes.
    """
    try:
        import torch
    except ImportError:
        hint = installing("torch")
        message = "reading PyTorch modules needs torch"
        raise FrontendError(Diagnostic("E161", message, None, hint)) from None
    examples = _examples(inputs)
    file, _, name = spec.rpartition(":")
    if not file or not name.isidentifier():
        message = f"{quoted(spec)} doesn't say which module of which file"
        raise FrontendError(Diagnostic("E164", message, None, "write model.py:Name"))
    found = _named(_executed(Path(file)), name, file)
    if isinstance(found, torch.nn.Module):
        return found, examples
    made = _called(found, name, file)
    if not isinstance(made, torch.nn.Module):
        message = f"{name} makes a {type(made).__name__}, not a torch.nn.Module"
        raise FrontendError(Diagnostic("E165", message, SourceLoc(file)))
    return made, examples


def _executed(path: Path) -> dict[str, Any]:
    """Return the names that a file defines."""
    file = str(path)
    if not path.is_file():
        raise FrontendError(Diagnostic("E164", "the file can't be read", SourceLoc(file)))
    spec = importlib.util.spec_from_file_location("streamopt_user_module", path)
    if spec is None or spec.loader is None:
        message = "the file is no Python file"
        raise FrontendError(Diagnostic("E164", message, SourceLoc(file), "name it *.py"))
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    sys.path.insert(0, str(path.parent.resolve()))
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the user's code runs here
        raise FrontendError(_raised("E164", "the file", error, file)) from None
    finally:
        sys.path[:] = before
        sys.modules.pop(spec.name, None)
    return vars(module)


def _named(names: dict[str, Any], name: str, file: str) -> Any:
    if name in names:
        return names[name]
    message = f"{quoted(name)} is not defined in the file"
    callables = [key for key, value in names.items() if callable(value) and key[0] != "_"]
    raise FrontendError(Diagnostic("E165", message, SourceLoc(file), did_you_mean(name, callables)))


def _called(found: Any, name: str, file: str) -> Any:
    if not callable(found):
        message = f"{name} is a {type(found).__name__}, not a torch.nn.Module or a way to make one"
        raise FrontendError(Diagnostic("E165", message, SourceLoc(file)))
    try:
        return found()
    except (Exception, SystemExit) as error:  # the user's code runs here
        problem = _raised("E165", f"{name}()", error, file)
        raise FrontendError(problem) from None


def _raised(code: str, what: str, error: BaseException, file: str) -> Diagnostic:
    """Return the exception of the user's code, at its innermost line in the file."""
    own = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.endswith(file)]
    line = own[-1].lineno if own else error.lineno if isinstance(error, SyntaxError) else None
    reason = (str(error).splitlines() or [""])[0][:200]
    message = f"{what} raises {type(error).__name__}{': ' if reason else ''}{reason}"
    return Diagnostic(code, message, SourceLoc(file, line=line))


def _examples(text: str) -> tuple[torch.Tensor, ...]:
    import torch

    problems: list[Diagnostic] = []
    found: list[torch.Tensor] = []
    for part in text.split(",") if text.strip() else ():
        match = _SHAPE.fullmatch(part.strip())
        extents = [int(n) for n in match[1].split("x")[:64] if n != "scalar"] if match else []
        kind = (match[2] or "float32") if match else ""
        if match is None or 0 in extents:
            hint = "write shapes such as 1x64x128,1x10:int64"
            problems.append(Diagnostic("E166", f"{quoted(part)} is no shape", None, hint))
        elif kind not in _TYPES:
            message = f"{quoted(kind)} is no element type"
            hint = f"known types: {', '.join(_TYPES)}"
            problems.append(Diagnostic("E166", message, None, hint))
        elif prod(extents) > MAX_ELEMENTS:
            message = f"{quoted(part)} has more than {MAX_ELEMENTS} elements"
            problems.append(Diagnostic("E166", message))
        else:
            found.append(_example(extents, getattr(torch, kind), len(found)))
    if problems:
        raise FrontendError(*problems)
    return tuple(found)


def _example(extents: Sequence[int], kind: torch.dtype, seed: int) -> torch.Tensor:
    """Return values that are the same every time: normal ones, or small whole numbers."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    if kind.is_floating_point:
        return torch.randn(list(extents), generator=generator, dtype=kind)
    top = 2 if kind is torch.bool else 8
    return torch.randint(0, top, list(extents), generator=generator).to(kind)
