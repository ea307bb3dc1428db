"""From the nodes of an ONNX model to a program; all nodes that can't be lowered are reported."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from streamopt.errors import Diagnostic, FrontendError
from streamopt.formats.names import quoted
from streamopt.frontends.onnx_model import (
    elementwise_nodes,
    indexing_nodes,
    layer_nodes,
    shape_nodes,
)
from streamopt.frontends.onnx_model.constant_nodes import constant_value, folded, shape_value
from streamopt.frontends.onnx_model.context import Context, Lowerings, Values
from streamopt.frontends.onnx_model.model import (
    DATA_DEPENDENT,
    INVALID,
    SHAPE,
    UNSUPPORTED,
    Input,
    Model,
    OnnxOperator,
)
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.constants import element_of
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, legal_name
from streamopt.ir.program import Program, Role

_LOWERINGS: Lowerings = {
    **elementwise_nodes.LOWERINGS,
    **indexing_nodes.LOWERINGS,
    **layer_nodes.LOWERINGS,
    **shape_nodes.LOWERINGS,
}
_INDEXING_TEXT = """
ArgMax ArgMin Compress GridSample Hardmax MaxUnpool MaxRoiAlign NonZero NonMaxSuppression OneHot
RoiAlign Scatter TensorScatter TopK Unique
"""
_INDEXING = frozenset(_INDEXING_TEXT.split())
_HINTS: Mapping[str, str] = {
    **dict.fromkeys(("Loop", "Scan"), "export the model with its loops unrolled"),
    "If": "export the model for one of the branches",
    **dict.fromkeys(("LSTM", "GRU", "RNN"), "export the cell with its loop over time unrolled"),
    **dict.fromkeys(("ArgMax", "ArgMin", "TopK", "Hardmax"), "end the model before this node"),
    "Attention": "export with opset 17, in which attention is made of simpler nodes",
}
_QUANTIZED = ("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "QLinear", "Integer")


def lowered(model: Model, name: str) -> Program:
    """Return the program of a model.

    Raises
    ------
    FrontendError
        With all problems of all nodes, codes E172 to E176.
    """
    lowering = _ModelLowering(model, name)
    lowering.declare()
    for operator in model.operators:
        lowering.add(operator)
    return lowering.finished()


class _ModelLowering:
    """Walks the nodes in order and collects problems."""

    def __init__(self, model: Model, name: str) -> None:
        self.model = model
        self.builder = ProgramBuilder(name)
        self.values = Values(self.builder, dict(model.constants), {}, frozenset(model.constants))
        self.problems: list[Diagnostic] = [*model.misfits]
        self.unknown: set[str] = set()
        self.uses = Counter(
            value
            for operator in model.operators
            if operator.kind not in ("Shape", "Size")
            for value in operator.inputs
        )
        self.uses.update(model.outputs)

    def declare(self) -> None:
        """Declare the inputs."""
        self.builder.reserve(*(value.name for value in self.model.inputs), *self.model.outputs)
        for value in self.model.inputs:
            self._declare(value)

    def _declare(self, value: Input) -> None:
        try:
            element = element_of(np.dtype(value.dtype))
        except TypeError:
            element = None
        if element is None:
            message = f"input {quoted(value.name)} has elements of type {value.dtype}"
            hint = "convert the model to float32"
            self.problems.append(Diagnostic(UNSUPPORTED, message, self.model.loc, hint))
            self.unknown.add(value.name)
            return
        shape = [extent for extent in value.shape or () if isinstance(extent, int)]
        try:
            tensor = self.builder.given(value.name, shape, element, Role.INPUT)
        except LoweringError as error:
            self.problems.append(Diagnostic(SHAPE, error.message, self.model.loc, error.hint))
            self.unknown.add(value.name)
        else:
            self.values.tensors[value.name] = tensor

    def add(self, operator: OnnxOperator) -> None:
        """Lower a node, or collect why it can't be."""
        named = [name for name in operator.inputs if name]
        try:
            self._check_supported(operator, named)
            if not self.model.misfits and self.unknown.isdisjoint(named):
                missing = [n for n in named if not self._is_known(n)]
                if missing:
                    message = f"{quoted(missing[0])} is used before any node computes it"
                    raise LoweringError(message, code=INVALID)
                if self._fold(operator, named):
                    return
                self._lower(operator)
                return
        except LoweringError as error:
            code = error.code or UNSUPPORTED
            self.problems.append(Diagnostic(code, error.message, operator.loc, error.hint))
        except (
            ArithmeticError,
            AssertionError,
            LookupError,
            RecursionError,
            TypeError,
            ValueError,
        ):
            message = "the operands and attributes of the node don't fit together"
            self.problems.append(Diagnostic(INVALID, message, operator.loc))
        self.unknown.update(operator.outputs)

    def _is_known(self, name: str) -> bool:
        return name in self.values.tensors or name in self.values.constants

    def _check_supported(self, operator: OnnxOperator, named: list[str]) -> None:
        kind = operator.kind
        constant = all(name in self.values.constants for name in named)
        if operator.domain:
            message = f"operator {kind} of domain {quoted(operator.domain)} is not supported"
            raise LoweringError(message, "export with ONNX's own operators only")
        if kind in _LOWERINGS or kind in ("Constant", "Shape", "Size") or constant:
            return
        if any(part in kind for part in _QUANTIZED):
            hint = "give the model in floating point, before quantization"
            raise LoweringError(f"quantized operator {kind} is not supported", hint)
        if kind in _INDEXING:
            message = f"operator {kind} picks elements by values that only the data decide"
            hint = "compute it outside the program"
            raise LoweringError(message, _HINTS.get(kind, hint), DATA_DEPENDENT)
        raise _unsupported(kind)

    def _fold(self, operator: OnnxOperator, named: list[str]) -> bool:
        """Compute a node whose result is known here; return whether it is."""
        constants = self.values.constants
        if operator.kind == "Constant" and not operator.domain:
            value = constant_value(operator)
            if value is None:
                raise LoweringError("the constant is no array of numbers")
            constants[operator.outputs[0]] = value
            return True
        if operator.kind in ("Shape", "Size"):
            shape = shape_value(operator, self.values.shape(named[0]))
            assert shape is not None
            constants[operator.outputs[0]] = shape
            return True
        if not all(name in constants for name in named):
            return False
        operands = [constants[name] if name else None for name in operator.inputs]
        is_needed = operator.kind not in _LOWERINGS
        results = folded(operator, operands, self.model.opset, is_needed=is_needed)
        if results is None:
            if is_needed:
                raise _unsupported(operator.kind)
            return False
        for name, result in zip(operator.outputs, results, strict=False):
            constants[name] = result
        return True

    def _lower(self, operator: OnnxOperator) -> None:
        context = Context(self.builder, operator, self.model.opset, self.values)
        with self.builder.scope(legal_name(operator.name), operator.loc):
            results = _LOWERINGS[operator.kind](context)
            tensors = results if isinstance(results, tuple) else (results,)
            if len(tensors) < len([name for name in operator.outputs if name]):
                message = f"output {len(tensors) + 1} of {operator.kind} is not supported"
                raise LoweringError(message)
            for name, tensor in zip(operator.outputs, tensors, strict=False):
                if name:
                    self.values.tensors[name] = self._kept(name, tensor)

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
                    problem = Diagnostic(UNSUPPORTED, error.message, self.model.loc, error.hint)
                    self.problems.append(problem)
        if not self.model.outputs:
            self.problems.append(Diagnostic(INVALID, "the graph has no output", self.model.loc))
        if self.problems:
            raise FrontendError(*self.problems)
        return self.builder.build()


def _unsupported(kind: str) -> LoweringError:
    return LoweringError(f"operator {kind} is not supported", _HINTS.get(kind, ""))
