"""From the nodes of an ONNX model to a program; all nodes that can't be lowered are reported."""

from collections import Counter
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.formats.names import quoted
from streamopt.frontends.onnx_model import (
    elementwise_nodes,
    expansion,
    indexing_nodes,
    layer_nodes,
    quantized_nodes,
    recurrent_nodes,
    shape_nodes,
)
from streamopt.frontends.onnx_model.context import Context, Lowerings, Values
from streamopt.frontends.onnx_model.control_nodes import CONTROL
from streamopt.frontends.onnx_model.model import (
    DATA_DEPENDENT,
    INVALID,
    SHAPE,
    TOO_LARGE,
    UNSUPPORTED,
    Body,
    Input,
    Model,
    OnnxOperator,
)
from streamopt.frontends.onnx_model.quantized_nodes import integer_form
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.elementwise import truths
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, legal_name
from streamopt.ir.algebra.constants import element_of
from streamopt.ir.program import Program, Role

_LOWERINGS: Lowerings = {
    **elementwise_nodes.LOWERINGS,
    **indexing_nodes.LOWERINGS,
    **layer_nodes.LOWERINGS,
    **quantized_nodes.LOWERINGS,
    **recurrent_nodes.LOWERINGS,
    **shape_nodes.LOWERINGS,
}
SMALL_ELEMENTS = 64
"""Floating-point constants of more elements are weights."""
_INDEXING_TEXT = """
GridSample MaxUnpool MaxRoiAlign NonMaxSuppression RoiAlign TensorScatter Unique
"""
_INDEXING = frozenset(_INDEXING_TEXT.split())
_MISFITS = (ArithmeticError, AssertionError, LookupError, RecursionError, TypeError, ValueError)


def lowered(model: Model, name: str) -> Program:
    """Return the program of a model.

    Raises
    ------
    FrontendError
        With all problems of all nodes, codes E172 to E176.
    """
    lowering = _ModelLowering(model, name)
    lowering.add_all(model.operators)
    return lowering.finished()


class _ModelLowering:
    """Walks the nodes in order and collects problems."""

    def __init__(self, model: Model, name: str) -> None:
        self.model = model
        self.builder = ProgramBuilder(name)
        self.values = Values(self.builder, dict(model.constants), {}, frozenset(model.constants))
        self.problems: list[Diagnostic] = [*model.misfits]
        self.unknown: set[str] = set()
        self.opset = model.opset
        self.expanded = 0
        self.uses = Counter(model.outputs)
        self.builder.reserve(*(value.name for value in model.inputs), *model.outputs)
        for value in model.inputs:
            self._declare(value)

    def _report(self, error: LoweringError, loc: SourceLoc, code: str = UNSUPPORTED) -> None:
        self.problems.append(Diagnostic(error.code or code, error.message, loc, error.hint))

    def _declare(self, value: Input) -> None:
        try:
            element = element_of(np.dtype(value.dtype))
        except TypeError:
            element = None
        try:
            if element is None:
                message = f"input {quoted(value.name)} has elements of type {value.dtype}"
                raise LoweringError(message, "convert the model to float32", UNSUPPORTED)
            shape = [extent for extent in value.shape or () if isinstance(extent, int)]
            tensor = self.builder.given(value.name, shape, element, Role.INPUT)
        except LoweringError as error:
            self._report(error, self.model.loc, SHAPE)
            self.unknown.add(value.name)
        else:
            self.values.tensors[value.name] = truths(tensor) if value.dtype == "bool" else tensor

    def add_all(self, operators: Sequence[OnnxOperator]) -> None:
        for operator in operators:
            if operator.kind not in ("Shape", "Size"):
                self.uses.update(operator.inputs)
        for operator in operators:
            self.add(operator)

    def add(self, operator: OnnxOperator) -> None:
        """Lower a node, or collect why it can't be."""
        named = [name for name in operator.inputs if name]
        try:
            self._check_supported(operator)
            if not self.model.misfits and self.unknown.isdisjoint(named):
                missing = [n for n in named if not self._is_known(n)]
                if missing:
                    message = f"{quoted(missing[0])} is used before any node computes it"
                    raise LoweringError(message, code=INVALID)
                constant = self._constant(operator)
                if constant is not None:
                    self.values.constants[operator.outputs[0]] = constant
                elif operator.kind in _LOWERINGS:
                    self._lower(operator)
                else:
                    self._expand(operator)
                return
        except LoweringError as error:
            self._report(error, operator.loc)
        except _MISFITS:
            message = "the operands and attributes of the node don't fit together"
            self.problems.append(Diagnostic(INVALID, message, operator.loc))
        self.unknown.update(operator.outputs)

    def _is_known(self, name: str) -> bool:
        return name in self.values.tensors or name in self.values.constants

    def _check_supported(self, operator: OnnxOperator) -> None:
        kind = operator.kind
        if operator.domain:
            message = f"operator {kind} of domain {quoted(operator.domain)} is not supported"
            raise LoweringError(message, "export with ONNX's own operators only")
        if kind in _LOWERINGS or kind in CONTROL or kind in ("Constant", "Shape", "Size"):
            return
        if expansion.is_function(kind, self.opset):
            return
        if kind in _INDEXING:
            message = f"operator {kind} picks elements by values that only the data decide"
            raise LoweringError(message, "compute it outside the program", DATA_DEPENDENT)
        raise _unsupported(kind)

    def _constant(self, operator: OnnxOperator) -> NDArray[Any] | None:
        """Return the numbers that a node says, or the shape of a value; None for other nodes."""
        match operator.kind:
            case "Constant":
                return _said(operator)
            case "Shape":
                start, end = (operator.attributes.get(name) for name in ("start", "end"))
                return np.array(self.values.shape(operator.inputs[0])[start:end], dtype=np.int64)
            case "Size":
                return np.array(prod(self.values.shape(operator.inputs[0])), dtype=np.int64)
            case _:
                return None

    def _lower(self, operator: OnnxOperator) -> None:
        context = Context(self.builder, operator, self.opset, self.values)
        with self.builder.scope(legal_name(operator.name), operator.loc):
            form = integer_form(context)
            if form is None:
                results = _LOWERINGS[operator.kind](context)
            else:
                results, scaled = form
                if scaled is not None:
                    self.values.scaled[operator.outputs[0]] = scaled
            tensors = results if isinstance(results, tuple) else (results,)
            if len(tensors) < len([name for name in operator.outputs if name]):
                message = f"output {len(tensors) + 1} of {operator.kind} is not supported"
                raise LoweringError(message)
            is_constant = all(name in self.values.constants for name in operator.inputs if name)
            for name, tensor in zip(operator.outputs, tensors, strict=False):
                if name:
                    self._define(name, tensor, is_constant=is_constant)

    def _define(self, name: str, tensor: LazyTensor, *, is_constant: bool) -> None:
        """Note a result; that of constants is one, unless it is a weight that is moved."""
        is_weight = tensor.element.is_float and tensor.size_elems > SMALL_ELEMENTS
        known = self.builder.known(tensor) if is_constant and not is_weight else None
        if known is None:
            self.values.tensors[name] = self._kept(name, tensor)
        else:
            self.values.constants[name] = known.astype(bool) if tensor.is_truth else known

    def _expand(self, operator: OnnxOperator) -> None:
        """Lower the nodes that a node stands for."""
        context = Context(self.builder, operator, self.opset, self.values)
        with self.builder.scope(legal_name(operator.name), operator.loc):
            if operator.kind in CONTROL:
                results = CONTROL[operator.kind](context, self._run)
            else:
                types = [self.values.type_of(n) if n else None for n in operator.inputs]
                made = expansion.function_body(operator, types, self.opset, f"{self.expanded}:")
                if made is None:
                    raise _unsupported(operator.kind)
                results = self._put_in(made)
        for name, result in zip(operator.outputs, results, strict=False):
            if result in self.unknown:
                self.unknown.add(name)
            elif result in self.values.constants:
                self.values.constants[name] = self.values.constants[result]
            elif name:
                self.values.tensors[name] = self._kept(name, self.values.tensor(result))

    def _run(self, body: Body, names: Mapping[str, str]) -> tuple[str, ...]:
        results = self._put_in(expansion.put_in(body, names, f"{self.expanded}:"))
        if not self.unknown.isdisjoint(results):
            raise LoweringError("its graph can't be lowered")
        return results

    def _put_in(self, made: expansion.Expansion) -> tuple[str, ...]:
        self.expanded += 1 + len(made.operators)
        if self.expanded > expansion.MAX_EXPANDED:
            message = f"bodies of functions and loops add more than {expansion.MAX_EXPANDED} nodes"
            raise LoweringError(message, code=TOO_LARGE)
        self.values.constants.update(made.constants)
        self.uses.update(made.results)
        before, self.opset = self.opset, made.opset or self.opset
        try:
            self.add_all(made.operators)
        finally:
            self.opset = before
        return made.results

    def _kept(self, name: str, tensor: LazyTensor) -> LazyTensor:
        """Return a result, as an array if several nodes would compute it."""
        shared = self.uses[name] > 1 and tensor.operations > 0
        return self.builder.store(tensor) if shared else self.builder.bounded(tensor)

    def finished(self) -> Program:
        """Return the program; raises FrontendError if there are problems."""
        for name in self.model.outputs:
            if name in self.unknown or self.model.misfits:
                continue
            if not self._is_known(name):
                message = f"no node computes output {quoted(name)}"
                self.problems.append(Diagnostic(INVALID, message, self.model.loc))
                continue
            with self.builder.scope(legal_name(name), self.model.loc):
                try:
                    self.builder.output(self.values.tensor(name), name)
                except LoweringError as error:
                    self._report(error, self.model.loc)
        if not self.model.outputs:
            self.problems.append(Diagnostic(INVALID, "the graph has no output", self.model.loc))
        if self.problems:
            raise FrontendError(*self.problems)
        return self.builder.build()


def _unsupported(kind: str) -> LoweringError:
    return LoweringError(f"operator {kind} is not supported")


def _said(operator: OnnxOperator) -> NDArray[Any]:
    """Return the value of a Constant node."""
    for name, value in operator.attributes.items():
        if name == "value" and value is not None:
            return np.asarray(value)
        if name in ("value_int", "value_ints"):
            return np.array(value, dtype=np.int64)
        if name in ("value_float", "value_floats"):
            return np.array(value, dtype=np.float32)
    raise LoweringError("the constant is no array of numbers")
