"""Writing of graph.json: a program to a document with one line for an array, two for a node."""

import json
from collections.abc import Mapping
from typing import cast

from streamopt.ir.element import ElementType
from streamopt.ir.program import Array, Nest, Program

SCHEMA_VERSION = 1


def write_graph_json(program: Program, description: str = "", weights: str = "") -> str:
    """Return the graph.json of a program; reading it gives the program.

    Parameters
    ----------
    weights
        Name of the file beside it that will hold the values of weights, see
        `streamopt.formats.weights`; empty to leave them out.
    """
    document: dict[str, object] = {"schema_version": SCHEMA_VERSION, "name": program.name}
    if description:
        document["description"] = description
    if weights:
        document["weights"] = weights
    document["arrays"] = {array.name: _array_fields(array) for array in program.arrays}
    document["nodes"] = [_nest_fields(nest) for nest in program.nests]
    return _document_text(document)


def _nest_fields(nest: Nest) -> dict[str, object]:
    fields: dict[str, object] = {"name": nest.name, "loops": nest.trip_counts}
    if nest.sequential:
        fields["sequential"] = True
    if nest.carries:
        fields["carries"] = dict(nest.carries)
    if nest.sequential and nest.reason:
        fields["reason"] = nest.reason
    place = nest.statements[-1].loc or nest.loc
    if place is not None and place.line is not None:
        fields["place"] = str(place)
    fields["body"] = [text for statement in nest.statements for text in statement.texts]
    return fields


def _array_fields(array: Array) -> dict[str, object]:
    fields: dict[str, object] = {"shape": list(array.shape), "role": array.role.value}
    if array.element is not ElementType.FLOAT:
        fields["type"] = array.element.value
    return fields


def _document_text(document: Mapping[str, object]) -> str:
    """Return the text of a document with the keys of `GraphDocument`."""
    fields: list[str] = []
    for key, value in document.items():
        match key:
            case "arrays":
                arrays = cast("Mapping[str, object]", value)
                lines = [f"    {json.dumps(name)}: {json.dumps(a)}" for name, a in arrays.items()]
                fields.append('  "arrays": {\n' + ",\n".join(lines) + "\n  }")
            case "nodes":
                nodes = cast("list[Mapping[str, object]]", value)
                fields.append('  "nodes": [\n' + ",\n".join(map(_node_text, nodes)) + "\n  ]")
            case _:
                fields.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(fields) + "\n}\n"


def _node_text(node: Mapping[str, object]) -> str:
    head = f'"name": {json.dumps(node["name"])}, "loops": {json.dumps(node["loops"])}'
    for key in ("sequential", "carries", "reason", "place"):
        if key in node:
            head += f', "{key}": {json.dumps(node[key])}'
    return f'    {{{head},\n     "body": {json.dumps(node["body"])}}}'
