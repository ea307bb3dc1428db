"""Results of a module itself for its example inputs, with which designs are compared later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch

from streamopt.frontends.torch_module.exporting import evaluating
from streamopt.ir.program import Role

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray
    from torch.export import ExportedProgram

    from streamopt.frontends.torch_module.exporting import Exported
    from streamopt.ir.program import Program

__all__ = ["sample_of"]


def sample_of(
    module: torch.nn.Module | ExportedProgram,
    example_inputs: Sequence[Any],
    found: Exported,
    program: Program,
) -> dict[str, NDArray[Any]]:
    """Return example inputs and the module's own results by array; empty if they don't match.

    They don't where `forward` takes or returns anything but tensors.
    """
    run = module if isinstance(module, torch.nn.Module) else cast("Any", module).module()
    try:
        with evaluating(run), torch.no_grad():
            results = run(*example_inputs)
    except Exception:  # the user's code runs here; it was exported, so this is only a check less
        return {}
    given = [argument.name for argument in found.arguments if argument.role is Role.INPUT]
    returned = [name for name in found.results if name]
    tensors = [*_tensors(tuple(example_inputs)), *_tensors(results)]
    names = [*given, *returned]
    if len(names) != len(tensors):
        return {}
    shapes = {array.name: array.shape for array in program.arrays}
    sample: dict[str, NDArray[Any]] = {}
    for name, tensor in zip(names, tensors, strict=True):
        if shapes.get(name, tuple(tensor.shape)) != tuple(tensor.shape):
            return {}
        if name in shapes:
            sample[name] = tensor.detach().cpu().contiguous().numpy().copy()
    return sample


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, tuple | list):
        for part in cast("Sequence[Any]", value):
            yield from _tensors(part)
    elif isinstance(value, dict):
        for part in cast("dict[Any, Any]", value).values():
            yield from _tensors(part)
