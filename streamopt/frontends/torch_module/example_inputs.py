"""Example inputs of a module, from shapes as text."""
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import re
from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, FrontendError
from streamopt.formats.names import quoted

if TYPE_CHECKING:
    import torch

MAX_ELEMENTS = 2**28
_SHAPE = re.compile(r"(\d+(?:x\d+)*|scalar)(?::([a-z0-9]+))?", re.ASCII)
_TYPES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool")


def example_inputs(text: str) -> tuple[torch.Tensor, ...]:
    """Return inputs of the given shapes.

    Parameters
    ----------
    text
        Shapes with element types that aren't float32, such as ``1x64x128,1x10:int64``;
        ``scalar`` for no dimensions.

    Raises
    ------
    FrontendError
        E166 for what is no shape.
    """
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
