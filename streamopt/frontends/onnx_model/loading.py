"""From a file to a `streamopt.frontends.onnx_model.model.Model`: the only user of protobuf.

Limits are checked before ONNX's own tools see a model: a few bytes can ask for any amount.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from graphlib import CycleError, TopologicalSorter
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, TensorProto, numpy_helper
from onnx.external_data_helper import load_external_data_for_model
from onnx.inliner import inline_local_functions

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, reason
from streamopt.files import read_bytes
from streamopt.formats.names import did_you_mean, quoted
from streamopt.frontends.onnx_model.model import (
    EXPORT_HINT,
    INVALID,
    SHAPE,
    TOO_LARGE,
    UNSUPPORTED,
    Body,
    Input,
    Model,
    OnnxOperator,
)


def load_model(
    path: Path, shapes: Mapping[str, Sequence[int]], given: onnx.ModelProto | None = None
) -> Model:
    """Return a model, of a file or given, checked, with the shapes of its inputs bound.

    Raises
    ------
    FrontendError
        E173 for inputs whose shape is not known, E174 for a file that holds no valid model, E175
        for one that is too large, and E172 for what no lowering could take.
    """
    loc = SourceLoc(str(path))
    proto = onnx.ModelProto()  # reading changes it
    proto.CopyFrom(_decoded(path, loc) if given is None else given)
    check_sizes(proto, loc)
    hint = "keep the data files next to the model"
    with _refusing("its external data can't be read", loc, hint):
        load_external_data_for_model(proto, str(path.parent))
    if proto.functions:
        with _refusing("the model's functions can't be inlined", loc):
            proto = inline_local_functions(proto)
    with _refusing("the model is not valid", loc):
        cast("Any", onnx.checker).check_model(proto)
    versions = {entry.domain: entry.version for entry in proto.opset_import}
    opset = versions.get("", versions.get("ai.onnx", 1))
    problems: list[Diagnostic] = []
    constants = _constants(proto.graph.initializer, problems, loc)
    if proto.graph.sparse_initializer:
        message = "sparse initializers are not supported"
        problems.append(Diagnostic(UNSUPPORTED, message, loc, "make them dense"))
    declared = [_input(value) for value in proto.graph.input if value.name not in constants]
    inputs = _bound(declared, shapes, problems, loc)
    operators = tuple(
        read_operator(node, at, problems, loc) for at, node in enumerate(proto.graph.node)
    )
    if problems:
        raise FrontendError(*problems)
    misfits = _misfits(proto, inputs, loc)
    outputs = tuple(dict.fromkeys(value.name for value in proto.graph.output))
    return Model(proto.graph.name, opset, inputs, outputs, constants, operators, loc, misfits)


def _decoded(path: Path, loc: SourceLoc) -> onnx.ModelProto:
    from google.protobuf.message import DecodeError

    try:
        data = read_bytes(path, MAX_FILE_BYTES)
    except OSError as error:
        message = f"the file can't be read: {reason(error)}"
        raise FrontendError(Diagnostic(INVALID, message, loc)) from None
    except ValueError as error:
        hint = "save its weights as external data"
        raise FrontendError(Diagnostic(TOO_LARGE, str(error), loc, hint)) from None
    proto = onnx.ModelProto()
    try:
        proto.ParseFromString(data)
    except (DecodeError, ValueError, RuntimeError, RecursionError):
        message = "the file is no ONNX model: its bytes don't decode"
        hint = "is the file complete? An ONNX model is a binary protobuf file"
        raise FrontendError(Diagnostic(INVALID, message, loc, hint)) from None
    if not proto.graph.node and not proto.graph.output:
        raise FrontendError(Diagnostic(INVALID, "the file holds no graph", loc, EXPORT_HINT))
    return proto


@contextmanager
def _refusing(problem: str, loc: SourceLoc, hint: str = EXPORT_HINT) -> Generator[None]:
    """Report anything that ONNX's own tools raise, through types of several libraries."""
    try:
        yield
    except Exception as error:
        message = f"{problem}: {_first_line(error)}"
        raise FrontendError(Diagnostic(INVALID, message, loc, hint)) from None


def _misfits(
    proto: onnx.ModelProto, inputs: Sequence[Input], loc: SourceLoc
) -> tuple[Diagnostic, ...]:
    """Let ONNX check types and shapes, with the shapes of the inputs that were bound.

    It doesn't follow values: there a few bytes make arrays of any size.
    """
    if proto.ByteSize() > MAX_FILE_BYTES // 2:
        return ()
    proto.graph.ClearField("value_info")
    bound = {value.name: value.shape or () for value in inputs}
    for value in proto.graph.input:
        if value.name in bound:
            value.type.tensor_type.shape.ClearField("dim")
            for extent in bound[value.name]:
                value.type.tensor_type.shape.dim.add().dim_value = cast("int", extent)
    try:
        onnx.shape_inference.infer_shapes(proto, check_type=True, strict_mode=True)
    except Exception as error:  # InferenceError, TypeError, RuntimeError
        message = f"types or shapes don't fit: {_first_line(error)}"
        return (Diagnostic(INVALID, message, loc, EXPORT_HINT),)
    return ()


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = ": ".join(lines[:2]) if lines else type(error).__name__
    return text.encode("ascii", "replace").decode()[:300]


def _constants(
    tensors: Iterable[TensorProto], problems: list[Diagnostic], loc: SourceLoc
) -> dict[str, NDArray[Any]]:
    found: dict[str, NDArray[Any]] = {}
    for tensor in tensors:
        array = _array(tensor)
        if array is None:
            message = f"initializer {quoted(tensor.name)} of type {_type_name(tensor.data_type)} "
            hint = "convert the model to float32"
            problems.append(Diagnostic(UNSUPPORTED, f"{message}can't be read", loc, hint))
        else:
            found[tensor.name] = array
    return found


def _array(tensor: TensorProto) -> NDArray[Any] | None:
    """Return the values of a tensor; None for types without a NumPy type, or broken contents."""
    try:
        array = numpy_helper.to_array(tensor)
    except Exception:  # TypeError, ValueError, struct.error and others, depending on what is broken
        return None
    return array if array.dtype.kind in "biuf" else None


def numpy_type(data_type: int) -> np.dtype[Any] | None:
    """Return the NumPy type of an element type of ONNX, by its number; None if there is none."""
    try:
        return np.dtype(onnx.helper.tensor_dtype_to_np_dtype(data_type))
    except (KeyError, TypeError, ValueError):
        return None


def _type_name(data_type: int) -> str:
    try:
        return str(TensorProto.DataType.Name(cast("Any", data_type))).lower()
    except ValueError:
        return f"number {data_type}"


def _input(value: onnx.ValueInfoProto) -> Input:
    tensor = value.type.tensor_type
    if value.type.WhichOneof("value") != "tensor_type":
        return Input(value.name, "no tensor", None)
    known = numpy_type(tensor.elem_type)
    dtype = _type_name(tensor.elem_type) if known is None else str(known)
    if not tensor.HasField("shape"):
        return Input(value.name, dtype, None)
    shape = tuple(
        int(dim.dim_value) if dim.WhichOneof("value") == "dim_value" else str(dim.dim_param)
        for dim in tensor.shape.dim
    )
    return Input(value.name, dtype, shape)


def _bound(
    inputs: Sequence[Input],
    shapes: Mapping[str, Sequence[int]],
    problems: list[Diagnostic],
    loc: SourceLoc,
) -> tuple[Input, ...]:
    names = [value.name for value in inputs]
    for name in shapes:
        if name not in names:
            message = f"a shape is given for {quoted(name)}, which is no input"
            problems.append(Diagnostic(SHAPE, message, loc, did_you_mean(name, names)))
    result: list[Input] = []
    for value in inputs:
        given = shapes.get(value.name)
        shape = value.shape if given is None else tuple(given)
        problem = _shape_problem(value, given, shape)
        if problem:
            example = [e if isinstance(e, int) and e > 0 else 1 for e in value.shape or ()]
            hint = f"give its shape, for instance {quoted(value.name)}: {example}"
            problems.append(Diagnostic(SHAPE, problem, loc, hint))
        result.append(Input(value.name, value.dtype, shape))
    return tuple(result)


def _shape_problem(
    value: Input, given: Sequence[int] | None, shape: tuple[int | str, ...] | None
) -> str:
    """Return the fault of the shape of an input; empty if nothing is."""
    name = quoted(value.name)
    if shape is None:
        return f"input {name} has no shape"
    unknown = [at for at, extent in enumerate(shape) if isinstance(extent, str)]
    if unknown:
        listed = ", ".join(f"{at} ({shape[at] or 'unnamed'})" for at in unknown)
        plural = "s" if len(unknown) > 1 else ""
        return f"input {name} has no fixed extent in dimension{plural} {listed}"
    if any(not isinstance(extent, int) or extent < 1 for extent in shape):
        return f"input {name} has shape {list(shape)}; extents are at least 1"
    if given is not None and value.shape is not None:
        fixed = [e for e in zip(value.shape, given, strict=False) if isinstance(e[0], int)]
        if len(given) != len(value.shape) or any(old != new for old, new in fixed):
            return f"input {name} has shape {list(value.shape)}, not {list(given)}"
    return ""


def read_operator(
    node: onnx.NodeProto, position: int, problems: list[Diagnostic], loc: SourceLoc
) -> OnnxOperator:
    """Return a node with its attributes; those that can't be read are problems."""
    outputs = tuple(node.output)
    label = node.name or next((name for name in outputs if name), f"{node.op_type}_{position}")
    place = SourceLoc(loc.file, f"node {quoted(label)} ({node.op_type})")
    attributes: dict[str, Any] = {}
    bodies: dict[str, Body] = {}
    for attribute in node.attribute:
        if attribute.type == AttributeProto.GRAPH:
            bodies[attribute.name] = _body(attribute.g, problems, loc)
            continue
        read = _ATTRIBUTES.get(attribute.type)
        value = None if read is None else read(attribute)
        if value is None:
            message = f"attribute {quoted(attribute.name)} can't be read"
            problems.append(Diagnostic(UNSUPPORTED, message, place))
        attributes[attribute.name] = value
    domain = "" if node.domain == "ai.onnx" else node.domain
    inputs = tuple(node.input)
    return OnnxOperator(label, node.op_type, domain, inputs, outputs, attributes, place, bodies)


def _body(graph: onnx.GraphProto, problems: list[Diagnostic], loc: SourceLoc) -> Body:
    return Body(
        tuple(value.name for value in graph.input),
        tuple(value.name for value in graph.output),
        _constants(graph.initializer, problems, loc),
        tuple(read_operator(node, at, problems, loc) for at, node in enumerate(graph.node)),
    )


_ATTRIBUTES: Mapping[int, Callable[[AttributeProto], Any]] = {
    AttributeProto.TENSOR: lambda given: _array(given.t),
    AttributeProto.STRING: lambda given: given.s.decode("utf-8", "replace"),
    AttributeProto.STRINGS: lambda given: tuple(
        s.decode("utf-8", "replace") for s in given.strings
    ),
    AttributeProto.INT: lambda given: int(given.i),
    AttributeProto.FLOAT: lambda given: float(given.f),
    AttributeProto.INTS: lambda given: tuple(map(int, given.ints)),
    AttributeProto.FLOATS: lambda given: tuple(map(float, given.floats)),
}
"""How the kinds of attributes are read; others can't be."""


MAX_FILE_BYTES = 2**31 - 1
MAX_WEIGHT_BYTES = 2**32
MAX_NODES = 50_000
MAX_RANK = 64
_MANY = 2**31


def check_sizes(proto: onnx.ModelProto, loc: SourceLoc) -> None:
    """Refuse what would take memory or time out of all proportion to the file.

    Raises
    ------
    FrontendError
        E175 for too many nodes, with functions put in, or weights; E174 for a node that splits
        into other parts than it has outputs.
    """
    nodes = _expanded(proto, loc)
    weights = sum(
        prod(tensor.dims) for tensor in proto.graph.initializer if min(tensor.dims, default=1) > 0
    )
    if nodes > MAX_NODES:
        message = f"the graph has {nodes} nodes, more than {MAX_NODES}"
        raise FrontendError(Diagnostic(TOO_LARGE, message, loc))
    if 4 * weights > MAX_WEIGHT_BYTES:
        message = f"the weights have {weights} elements, more than {MAX_WEIGHT_BYTES // 4}"
        raise FrontendError(Diagnostic(TOO_LARGE, message, loc, "split the model"))
    roots = [proto.graph.node, *(function.node for function in proto.functions)]
    for node in (node for root in roots for node in _nodes(root)):
        parts = next((a.i for a in node.attribute if a.name == "num_outputs"), 0)
        if parts > len(node.output):
            name = quoted(node.name or node.op_type)
            message = f"node {name} splits into {parts} parts, and has {len(node.output)} outputs"
            raise FrontendError(Diagnostic(INVALID, message, loc, EXPORT_HINT))
        for attribute in node.attribute:
            # ONNX's inference of shapes reads beyond its arrays there, and ends the process.
            axes = (attribute.i, *attribute.ints) if "ax" in attribute.name else ()
            if any(abs(axis) > MAX_RANK for axis in axes):
                message = f"node {quoted(node.name or node.op_type)} names dimension {max(axes)}"
                raise FrontendError(Diagnostic(INVALID, message, loc, EXPORT_HINT))


def _nodes(root: Iterable[onnx.NodeProto]) -> Iterator[onnx.NodeProto]:
    """Yield nodes and those of the graphs inside them."""
    waiting = list(root)
    while waiting:
        node = waiting.pop()
        yield node
        for attribute in node.attribute:
            waiting += attribute.g.node
            for graph in attribute.graphs:
                waiting += graph.node


def _expanded(proto: onnx.ModelProto, loc: SourceLoc) -> int:
    """Return the number of nodes with the model's functions put in where they are called."""
    calls = {
        (function.domain, function.name): [(n.domain, n.op_type) for n in _nodes(function.node)]
        for function in proto.functions
    }
    inner = {key: [call for call in called if call in calls] for key, called in calls.items()}
    sizes: dict[tuple[str, str], int] = {}
    try:
        for key in TopologicalSorter(inner).static_order():
            sizes[key] = min(sum(sizes.get(call, 1) for call in calls[key]), _MANY)
    except CycleError:
        message = "the model's functions call each other in a circle"
        raise FrontendError(Diagnostic(INVALID, message, loc, EXPORT_HINT)) from None
    return min(sum(sizes.get((n.domain, n.op_type), 1) for n in _nodes(proto.graph.node)), _MANY)
