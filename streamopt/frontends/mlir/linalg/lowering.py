"""Linear algebra on tensors to a program: every structured operation is a nest, moves are views.

Operations that compute each result from single elements join the nest of their only reader; a
reduction, and what several nests read, becomes an array.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from numpy.typing import NDArray

from streamopt.errors import Diagnostic
from streamopt.frontends.mlir.linalg import naming
from streamopt.frontends.mlir.linalg.moves import MOVES, border_of
from streamopt.frontends.mlir.linalg.pointwise import (
    dense_tensor,
    folded,
    looked_up,
    only_number,
    pointwise,
    read_template,
    source_order,
)
from streamopt.frontends.mlir.linalg.structured import Structured, occurrences, structured, term_of
from streamopt.frontends.mlir.linalg.usage import (
    OperationKind,
    TensorLayout,
    Usage,
    live_operations,
    usage,
)
from streamopt.frontends.mlir.scalars import is_scalar_operation, known_element, scalar, starts_from
from streamopt.frontends.mlir.text.syntax import (
    DYNAMIC,
    Dense,
    MlirOperation,
    MlirValue,
    element_type,
)
from streamopt.frontends.tensors.builder import ProgramBuilder
from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError
from streamopt.frontends.tensors.views import padded
from streamopt.ir.expression import Expression, Literal, walk
from streamopt.ir.program import Role

MAX_OPERATIONS = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Argument:
    """The role of an argument of the function; weights may have values."""

    name: str
    role: Role
    values: NDArray[Any] | None = None


class TensorLowering:
    """The lowering of one function; `run` fills the builder and collects the problems.

    Parameters
    ----------
    label
        Name of an operation's nests; by default after the text.
    """

    def __init__(
        self,
        builder: ProgramBuilder,
        layout: TensorLayout,
        label: Callable[[MlirOperation], str] = naming.operation_label,
    ) -> None:
        self.builder = builder
        self.layout = layout
        self.label = label
        self.problems: list[Diagnostic] = []
        self.tensors: dict[int, LazyTensor] = {}
        self.labels: dict[int, tuple[str, ...]] = {}
        self.scalars: dict[int, Expression] = {}
        self.generics: dict[int, Structured] = {}
        self.usage = Usage({}, {}, set())
        self.has_images = False

    def run(
        self, function: MlirOperation, arguments: Sequence[Argument], results: Sequence[str]
    ) -> None:
        """Lower a function with one argument description and one result name for each."""
        block = function.blocks[0]
        if len(block.operations) > MAX_OPERATIONS:
            self._report("E155", f"more than {MAX_OPERATIONS} operations", function)
            return
        operations = live_operations(block.operations)
        self.builder.reserve(*(a.name for a in arguments if a.role is Role.INPUT), *results)
        for value, argument in zip(block.arguments, arguments, strict=True):
            self._given(value, argument, function)
        for op in operations:
            self._prepare(op)
        given = list(zip(block.arguments, arguments, strict=True))
        inputs = [value for value, argument in given if argument.role is Role.INPUT]
        weights = [value for value, argument in given if argument.values is not None]
        self.usage = usage(operations, self.generics, self.layout, inputs, weights)
        self.has_images = any(map(naming.has_windows, self.generics.values()))
        for op in operations:
            self._lower(op, results)

    def _report(self, code: str, message: str, op: MlirOperation, hint: str = "") -> None:
        self.problems.append(Diagnostic(code, message, op.loc, hint))

    def _given(self, value: MlirValue, argument: Argument, function: MlirOperation) -> None:
        kind = value.type
        element = element_type(kind.element)
        if kind.kind not in ("tensor", "scalar") or element is None:
            message = f"argument {argument.name} has type {kind.text}"
            self._report("E152", message, function, "use tensors of f16, f32, f64 or integers")
        elif DYNAMIC in kind.shape:
            message = f"argument {argument.name} has a shape that isn't known: {kind.text}"
            self._report("E153", message, function, "give every dimension a number")
        else:
            try:
                if argument.values is not None:
                    found = self.builder.constant(argument.name, argument.values)
                else:
                    found = self.builder.given(argument.name, kind.shape, element, argument.role)
            except LoweringError as error:
                self._report("E152", error.message, function, error.hint)
                return
            self.tensors[value.number] = found
            if kind.kind == "scalar":
                self._report("E152", f"argument {argument.name} is no tensor", function)

    def _prepare(self, op: MlirOperation) -> None:
        """Take structured operations apart, and compute the numbers outside of them."""
        try:
            if op.name == "linalg.generic":
                self.generics[id(op)] = structured(op, self.scalars)
            elif is_scalar_operation(op) and op.results[0].type.kind == "scalar":
                operands = [self.scalars.get(value.number) for value in op.operands]
                known = [value for value in operands if value is not None]
                if len(known) == len(operands):
                    self.scalars[op.results[0].number] = scalar(op, known)
        except LoweringError as error:
            code = "E153" if "affine" in error.message or "extent" in error.message else "E152"
            self._report(code, error.message, op, error.hint)

    def _lower(self, op: MlirOperation, results: Sequence[str]) -> None:
        try:
            if op.name in ("func.return", "return"):
                self._return(op, results)
            elif id(op) in self.generics:
                self._generic(op, self.generics[id(op)])
            elif op.name == "arith.constant" and isinstance(op.attributes.get("value"), Dense):
                name = op.results[0].name or "constant"
                self._define(op, 0, dense_tensor(self.builder, name, op))
            elif op.name in MOVES or op.name == "tensor.pad":
                self._move(op)
            elif not self._is_known(op):
                self._report("E152", f"operation {op.name} is not supported", op, _hint(op))
        except LoweringError as error:
            self._report("E152", error.message, op, error.hint)
        except KeyError:
            # Its operands have been reported.
            return

    def _is_known(self, op: MlirOperation) -> bool:
        """Return whether nothing is to be said: a number, a shape, or reported already."""
        known = op.name in ("linalg.generic", "cf.assert")
        return known or any(result.number in self.scalars for result in op.results)

    def _define(
        self, op: MlirOperation, position: int, tensor: LazyTensor, labels: tuple[str, ...] = ()
    ) -> None:
        number = op.results[position].number
        self.tensors[number] = tensor
        self.labels[number] = labels

    def _settled(self, op: MlirOperation, position: int, labels: tuple[str, ...]) -> None:
        """Make an array of a result, unless its only reader takes it as it comes."""
        value = op.results[position]
        tensor = self.tensors[value.number]
        name = naming.joined_label(labels)
        if value.number in self.usage.constants:
            tensor = folded(self.builder, tensor, f"{name}_{naming.weight_label(op)}")
        elif not self.usage.is_read_once(
            value, tensor.size_elems, narrows=self.builder.narrows(tensor)
        ):
            tensor = self.builder.store(tensor, name)
        else:
            tensor = replace(self.builder.bounded(tensor), name=name, loc=op.loc)
        self._define(op, position, tensor, labels)

    def _move(self, op: MlirOperation) -> None:
        sources = [
            self.tensors[value.number] for value in op.operands if value.type.kind == "tensor"
        ]
        label = self.label(op)
        with self.builder.scope(label, op.loc):
            if op.name == "tensor.pad":
                moved = self._padded(op, sources[0], label)
            else:
                moved = MOVES[op.name](self.builder, op, sources)
            stores = self.usage.kinds[id(op)] is OperationKind.COPY and moved.array == ""
            if stores and op.name != "tensor.empty":
                fold = op.results[0].number in self.usage.constants
                stored = folded(self.builder, moved, label) if fold else None
                moved = stored or self.builder.store(moved, label, fold=False)
            source = op.operands[0].number if op.operands else -1
            self._define(op, 0, moved, self.labels.get(source, (label,)))

    def _padded(self, op: MlirOperation, source: LazyTensor, label: str) -> LazyTensor:
        border = border_of(op, self.scalars)
        is_border = min((*border.low, *border.high), default=0) >= 0
        if self.layout.padding == "fill_and_copy" and is_border:
            return self.builder.bordered(source, *border, label)
        return padded(self.builder, source, *border)

    def _generic(self, op: MlirOperation, item: Structured) -> None:
        label = self.label(op)
        with self.builder.scope(label, op.loc):
            for position, result in enumerate(op.results):
                if not self.usage.readers.get(result.number):
                    continue
                if item.is_copy:
                    self._copy(op, item, label)
                elif item.is_parallel:
                    self._elementwise(op, item, position, label)
                else:
                    self._reduction(op, item, position, label)

    def _labels_of(self, value: MlirValue) -> tuple[str, ...]:
        tensor = self.tensors[value.number]
        return self.labels.get(value.number, ()) if tensor.operations else ()

    def _copy(self, op: MlirOperation, item: Structured, label: str) -> None:
        (source,) = item.used()
        value = pointwise(item, 0, self._operands(item))
        shape = op.results[0].type.shape
        if source.value.number in self.scalars:
            self._define(op, 0, value)
            return
        base = self.tensors[source.value.number]
        moved = replace(value, operations=base.operations, name=base.name)
        if self.usage.kinds[id(op)] is OperationKind.COPY:
            axes = naming.dimension_names(shape, image=False)
            order = source_order(item, axes) if self.layout.copy_order == "source" else ()
            moved = replace(moved, axes=axes)
            moved = self.builder.store(moved, label, order=order, fold=False)
        self._define(op, 0, moved, self._labels_of(source.value))

    def _elementwise(self, op: MlirOperation, item: Structured, position: int, label: str) -> None:
        operands = self._operands(item)
        template = item.templates[position]
        own = sum(not isinstance(node, Literal) for node in walk(template))
        fused = 0
        labels: list[str] = []
        for number, operand in enumerate(item.operands):
            times = occurrences(template, number)
            source = operands[number]
            if not times or isinstance(source, Expression):
                continue
            if times > 1 and source.operations > 2:
                source = operands[number] = self.builder.store(source)
                self.tensors[operand.value.number] = source
            fused += times * source.operations
            labels += self._labels_of(operand.value)
        depth = 1 + max((t.depth for t in operands if isinstance(t, LazyTensor)), default=0)
        tensor = pointwise(item, position, operands, image=self.has_images)
        made = replace(tensor, operations=max(1, own + fused), depth=depth, loc=op.loc)
        self._define(op, position, made)
        self._settled(op, position, (*labels, label))

    def _operands(self, item: Structured) -> list[LazyTensor | Expression]:
        used = {operand.value.number for operand in item.used()}
        found: list[LazyTensor | Expression] = []
        for operand in item.operands:
            number = operand.value.number
            if number in self.scalars:
                found.append(self.scalars[number])
            elif number in used:
                found.append(self.tensors[number])
            else:
                found.append(Literal(0.0))
        return looked_up(self.builder, item, found)

    def _reduction(self, op: MlirOperation, item: Structured, position: int, label: str) -> None:
        reduction, term = term_of(item, position)
        operands = self._operands(item)
        start = self._start(item, position, reduction.identity)
        names = naming.loop_names(item)
        output = item.outputs[position]
        outer: list[tuple[str, int]] = []
        for dimension, subscript in enumerate(output.subscripts):
            iterator = subscript.as_iterator()
            if iterator is None and not subscript.terms and subscript.constant == 0:
                outer.append((f"one{dimension}", 1))
            elif iterator is not None and not item.is_reduction[int(iterator[1:])]:
                loop = int(iterator[1:])
                outer.append((names[loop], item.extents[loop]))
            else:
                raise LoweringError(f"a reduction that writes at {subscript} is not supported")
        inner = [
            (names[loop], extent)
            for loop, extent in enumerate(item.extents)
            if item.is_reduction[loop]
        ]
        ones = [name for name, _ in outer if name not in names]
        element = known_element(op.results[position].type)
        places = [name for name, _ in (*outer, *inner)]
        loops = {f"d{loop}": places.index(name) for loop, name in enumerate(names)}
        fused = [o.value for o in item.inputs if o.value.number in self.tensors]
        labels = [label for value in fused for label in self._labels_of(value)]
        made = self.builder.reduce(
            outer,
            inner,
            reduction,
            partial(read_template, item, term, operands, loops),
            element=element,
            name=naming.joined_label((*labels, label)),
            start=start,
            order=(*names, *ones),
        )
        self._define(op, position, made, (label,))

    def _start(
        self, item: Structured, position: int, identity: float
    ) -> Callable[[ElementPoint], Expression] | None:
        """Return the start of a reduction; None for its identity, or the lowest number."""
        value = item.outputs[position].value
        known = self.scalars.get(value.number)
        if known is not None:
            raise LoweringError("a reduction into a number, not a tensor, is not supported")
        tensor = self.tensors[value.number]
        literal = only_number(tensor)
        if literal is not None and starts_from(literal, identity, tensor.element):
            return None
        return tensor.at

    def _return(self, op: MlirOperation, results: Sequence[str]) -> None:
        for value, name in zip(op.operands, results, strict=True):
            if not name:
                continue
            if value.number in self.scalars or value.type.kind != "tensor":
                self._report("E152", f"result {name} is no tensor", op, "return tensors only")
            elif value.number in self.tensors:
                self.builder.output(self.tensors[value.number], name)


def _hint(op: MlirOperation) -> str:
    if op.name in ("tensor.gather", "tensor.extract"):
        return "elements at positions that depend on data don't stream; give them as an input"
    if op.name.startswith(("memref.", "affine.", "scf.")):
        return "mix no loops over memory with operations on tensors"
    return ""
