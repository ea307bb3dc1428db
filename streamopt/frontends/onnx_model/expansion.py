"""Nodes that stand for others: functions of ONNX's own definition, branches and loops.

Their names are made unique, so that a body may be put in more than once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, cast

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import AttributeProto, defs, helper, numpy_helper

from streamopt.errors import Diagnostic
from streamopt.frontends.onnx_model.loading import read_operator
from streamopt.frontends.onnx_model.model import Body, OnnxOperator

TensorType: TypeAlias = tuple[np.dtype[Any], tuple[int, ...]]
"""Element type and shape."""

MAX_EXPANDED = 20_000
"""Most nodes that bodies add to a model."""


@dataclass(frozen=True, slots=True)
class Expansion:
    """Nodes to be lowered in place of one."""

    operators: tuple[OnnxOperator, ...]
    constants: Mapping[str, NDArray[Any]]
    results: tuple[str, ...]
    """Values that are those of the node's outputs."""
    opset: int = 0
    """Version of operators; 0 for that of the node."""


def put_in(body: Body, names: Mapping[str, str], prefix: str) -> Expansion:
    """Return a body's nodes with values renamed.

    Parameters
    ----------
    names
        New names of the body's inputs.
    prefix
        In front of the names of values that the body computes.
    """
    known = {name: f"{prefix}{name}" for name in body.constants}
    for operator in body.operators:
        known |= {name: f"{prefix}{name}" for name in operator.outputs if name}
    known |= names
    return Expansion(
        tuple(_renamed(operator, known) for operator in body.operators),
        {known[name]: array for name, array in body.constants.items()},
        tuple(known.get(name, name) for name in body.outputs),
    )


def _renamed(operator: OnnxOperator, names: Mapping[str, str]) -> OnnxOperator:
    return replace(
        operator,
        inputs=_mapped(operator.inputs, names),
        outputs=_mapped(operator.outputs, names),
        bodies={key: _inside(body, names) for key, body in operator.bodies.items()},
    )


def _inside(body: Body, names: Mapping[str, str]) -> Body:
    """Return a body with the values around it renamed, those that it hides left alone."""
    own = {*body.inputs, *body.constants, *(n for o in body.operators for n in o.outputs)}
    outer = {old: new for old, new in names.items() if old not in own}
    operators = tuple(_renamed(operator, outer) for operator in body.operators)
    return replace(body, operators=operators, outputs=_mapped(body.outputs, outer))


def _mapped(values: Iterable[str], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(name, name) for name in values)


def is_function(kind: str, opset: int) -> bool:
    """Return whether ONNX defines an operator by others."""
    schema = _schema(kind, opset)
    return schema is not None and bool(schema.has_function or schema.has_context_dependent_function)


def _schema(kind: str, opset: int) -> Any:
    try:
        return defs.get_schema(kind, opset, "")
    except Exception:  # onnx.defs.SchemaError, which has no type
        return None


def function_body(
    operator: OnnxOperator, types: Sequence[TensorType | None], opset: int, prefix: str
) -> Expansion | None:
    """Return the nodes that ONNX defines an operator by; None if it has none for these operands.

    Parameters
    ----------
    types
        Element types and shapes of the operands; None for those that are left out.
    """
    function = _function(operator, types, opset)
    if function is None:
        return None
    problems: list[Diagnostic] = []
    given = _attributes(operator, opset)
    nodes = [_with_attributes(node, given) for node in function.node]
    found = [read_operator(node, at, problems, operator.loc) for at, node in enumerate(nodes)]
    if problems:
        return None
    operators = tuple(replace(each, loc=operator.loc) for each in found)
    body = Body(tuple(function.input), tuple(function.output), {}, operators)
    inputs = [*operator.inputs, *[""] * (len(function.input) - len(operator.inputs))]
    names = dict(zip(function.input, inputs, strict=False))
    versions = [entry.version for entry in function.opset_import if entry.domain == ""]
    return replace(put_in(body, names, prefix), opset=versions[0] if versions else opset)


def _function(
    operator: OnnxOperator, types: Sequence[TensorType | None], opset: int
) -> onnx.FunctionProto | None:
    schema = _schema(operator.kind, opset)
    function = onnx.FunctionProto()
    try:
        if schema.has_function:
            version = _version(schema.function_opset_versions, opset)
            function.ParseFromString(schema.get_function_with_opset_version(version))
        else:
            version = _version(schema.context_dependent_function_opset_versions, opset)
            node = helper.make_node(
                operator.kind, operator.inputs, operator.outputs, **_plain(operator.attributes)
            )
            function.ParseFromString(
                schema.get_context_dependent_function_with_opset_version(
                    version,
                    node.SerializeToString(),
                    [_type(each).SerializeToString() for each in types],
                )
            )
    except Exception:  # whatever the library raises for operands that it doesn't expect
        return None
    return function if function.node else None


def _version(versions: Sequence[int], opset: int) -> int:
    """Return the newest version that an opset has; the oldest if all are newer."""
    return max((each for each in versions if each <= opset), default=min(versions))


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: numpy_helper.from_array(cast("NDArray[Any]", value))
        if isinstance(value, np.ndarray)
        else value
        for name, value in attributes.items()
    }


def _type(known: TensorType | None) -> onnx.TypeProto:
    if known is None:
        return onnx.TypeProto()
    dtype, shape = known
    return helper.make_tensor_type_proto(helper.np_dtype_to_tensor_dtype(dtype), shape)


def _attributes(operator: OnnxOperator, opset: int) -> dict[str, AttributeProto]:
    """Return the attributes of a node and the defaults of others, by name."""
    schema = _schema(operator.kind, opset)
    found = {
        name: known.default_value
        for name, known in schema.attributes.items()
        if known.default_value.name
    }
    given = _plain(operator.attributes)
    return found | {name: helper.make_attribute(name, value) for name, value in given.items()}


def _with_attributes(node: onnx.NodeProto, given: Mapping[str, AttributeProto]) -> onnx.NodeProto:
    """Return a node whose references to attributes of the function are their values."""
    made = onnx.NodeProto()
    made.CopyFrom(node)
    made.ClearField("attribute")
    for attribute in node.attribute:
        if not attribute.ref_attr_name:
            made.attribute.add().CopyFrom(attribute)
        elif attribute.ref_attr_name in given:
            value = made.attribute.add()
            value.CopyFrom(given[attribute.ref_attr_name])
            value.name = attribute.name
    return made
