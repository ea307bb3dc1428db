"""The context of one node under lowering: its operands, its attributes and the builder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from streamopt.frontends.onnx_model.model import SHAPE, OnnxOperator
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.ir.algebra.constants import MAX_ELEMENTS, element_of

Lowering: TypeAlias = Callable[["Context"], LazyTensor | tuple[LazyTensor, ...]]
Lowerings: TypeAlias = Mapping[str, Lowering]

Option = TypeVar("Option", int, float, str)


@dataclass(frozen=True, slots=True)
class Scaled:
    """Integers times a factor."""

    integers: str
    """Name of a value of 32-bit integers."""
    factor: NDArray[Any]
    """Of a shape that broadcasts to theirs; without dimensions if it is one number."""


@dataclass(frozen=True, slots=True)
class Values:
    """The values of the graph so far, by name."""

    builder: ProgramBuilder
    constants: dict[str, NDArray[Any]]
    """Initializers and what was computed from them."""
    tensors: dict[str, LazyTensor]
    """Lowered values; also constants that were used as tensors."""
    weights: frozenset[str]
    """Names of the initializers."""
    scaled: dict[str, Scaled] = field(default_factory=dict[str, "Scaled"])
    """Real numbers that integers stand for."""

    def tensor(self, name: str) -> LazyTensor:
        """Return a value as a tensor; a constant becomes a weight.

        Raises
        ------
        LoweringError
            For a constant that no weight can hold.
        """
        if name not in self.tensors:
            self.tensors[name] = self._constant(name, self.constants[name])
        return self.tensors[name]

    def _constant(self, name: str, array: NDArray[Any]) -> LazyTensor:
        """Return a weight; a number where the model computes an array of equal ones."""
        element = element_of(array.dtype)
        first = array.reshape(-1)[0] if array.size else 0.0
        is_plain = element is not None and name not in self.weights and (array == first).all()
        if element is None or not (is_plain or not array.size):
            return self.builder.constant(name, array)
        return splat(float(first), element, array.shape)

    def define(self, value: LazyTensor | NDArray[Any]) -> str:
        """Return a new name of a value."""
        name = f":{len(self.tensors)}:{len(self.constants)}"
        if isinstance(value, LazyTensor):
            self.tensors[name] = value
        else:
            self.constants[name] = value
        return name

    def type_of(self, name: str) -> tuple[np.dtype[Any], tuple[int, ...]]:
        """Return element type and shape of a value."""
        constant = self.constants.get(name)
        if constant is not None:
            return constant.dtype, constant.shape
        tensor = self.tensors[name]
        return np.dtype(bool if tensor.is_truth else tensor.element.dtype), tensor.shape

    def shape(self, name: str) -> tuple[int, ...]:
        """Return the shape of a value."""
        return self.type_of(name)[1]


@dataclass(frozen=True, slots=True)
class Context:
    """One node and what it refers to."""

    builder: ProgramBuilder
    operator: OnnxOperator
    opset: int
    """Version of ONNX's operators that the model uses."""
    values: Values

    def with_inputs(self, names: Sequence[str]) -> Context:
        """Return the context of the same node with other operands."""
        return replace(self, operator=replace(self.operator, inputs=tuple(names)))

    def has(self, position: int) -> bool:
        """Return whether there is an operand at a position."""
        return position < len(self.operator.inputs) and bool(self.operator.inputs[position])

    def tensor(self, position: int = 0) -> LazyTensor:
        """Return an operand; raises LoweringError if it is missing."""
        if not self.has(position):
            raise LoweringError(f"input {position + 1} is missing")
        return self.values.tensor(self.operator.inputs[position])

    def optional(self, position: int) -> LazyTensor | None:
        """Return an operand; None if it is left out."""
        return self.tensor(position) if self.has(position) else None

    def tensors(self) -> list[LazyTensor]:
        """Return all operands."""
        return [self.tensor(position) for position in range(len(self.operator.inputs))]

    def constant(
        self,
        position: int,
        what: str,
        code: str = SHAPE,
        hint: str = "make it a constant of the model",
    ) -> NDArray[Any] | None:
        """Return the values of an operand that must be constant; None if it is left out.

        Raises
        ------
        LoweringError
            If it depends on the model's inputs; ``what`` says what it is.
        """
        if not self.has(position):
            return None
        name = self.operator.inputs[position]
        if name in self.values.constants:
            return self.values.constants[name]
        tensor = self.values.tensor(name)
        if tensor.size_elems > MAX_ELEMENTS:
            message = f"{what} ({name}) has {tensor.size_elems} elements, more than {MAX_ELEMENTS}"
            raise LoweringError(message, code=code)
        known = self.builder.known(tensor)
        if known is None:
            raise LoweringError(f"{what} ({name}) depends on the model's inputs", hint, code)
        return known

    def integers(self, position: int, what: str) -> list[int] | None:
        """Return the numbers of an operand that must be constant; None if it is left out."""
        array = self.constant(position, what)
        return None if array is None else [int(number) for number in array.reshape(-1)]

    def number(self, position: int, what: str) -> float | None:
        """Return the only number of an operand that must be constant; None if it is left out."""
        array = self.constant(position, what)
        if array is None:
            return None
        if array.size != 1:
            raise LoweringError(f"{what} has {array.size} elements, not 1")
        return float(array.reshape(-1)[0])

    def option(self, name: str, default: Option) -> Option:
        """Return an attribute of the default's type."""
        value = self.operator.attributes.get(name, default)
        return value if isinstance(value, type(default)) else default

    def numbers(self, name: str) -> tuple[int, ...] | None:
        """Return an attribute that is a list of integers; None if it is left out."""
        value = self.operator.attributes.get(name)
        return cast("tuple[int, ...]", value) if isinstance(value, tuple) else None

    def axis(self, name: str, default: int, rank: int) -> int:
        """Return an attribute that names one of ``rank`` dimensions, counted from the front."""
        axis = self.option(name, default)
        if not -rank <= axis < max(rank, 1):
            raise LoweringError(f"there is no dimension {axis} among {rank}")
        return axis % rank if rank else 0

    def axes(self) -> Sequence[int] | None:
        """Return the attribute of old models, or the constant operand of new ones; None if none."""
        given = self.numbers("axes")
        return self.integers(1, "the list of axes") if given is None else given
