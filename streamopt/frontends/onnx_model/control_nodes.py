"""Nodes with graphs inside: branches, and loops whose number of turns is known here."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from streamopt.frontends.onnx_model.context import Context
from streamopt.frontends.onnx_model.model import DATA_DEPENDENT, Body
from streamopt.frontends.tensors.elementwise import choose
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError
from streamopt.frontends.tensors.views import concatenated, squeezed, strided, unsqueezed

Run = Callable[[Body, Mapping[str, str]], tuple[str, ...]]
"""Lowers a body, given the names of values for its inputs, and returns those of its results."""

Control = Callable[[Context, Run], tuple[str, ...]]

MAX_TURNS = 1024
_HINT = "export the model with its loops unrolled"


def _body(node: Context, name: str) -> Body:
    if name not in node.operator.bodies:
        raise LoweringError(f"the graph {name} is missing")
    return node.operator.bodies[name]


def _branch(node: Context, run: Run) -> tuple[str, ...]:
    """Return the results of one branch; a choice of both where the data decide."""
    branches = [_body(node, name) for name in ("then_branch", "else_branch")]
    known = node.values.constants.get(node.operator.inputs[0])
    if known is not None:
        return run(branches[0 if bool(known.reshape(-1)[0]) else 1], {})
    results = [run(branch, {}) for branch in branches]
    return tuple(_chosen(node, *pair) for pair in zip(*results, strict=True))


def _chosen(node: Context, then: str, otherwise: str) -> str:
    values = node.values
    if values.shape(then) != values.shape(otherwise):
        message = "the branches have results of different shapes, and data decide between them"
        raise LoweringError(message, "export the model for one of the branches", DATA_DEPENDENT)
    made = choose(node.builder, node.tensor(0), values.tensor(then), values.tensor(otherwise))
    return values.define(node.builder.store(made))


def _loop(node: Context, run: Run) -> tuple[str, ...]:
    """Return the values carried through the turns of a loop, then those that each turn adds."""
    body = _body(node, "body")
    limit, first = node.integers(0, "the number of turns"), node.constant(1, "the condition")
    turns, holds = limit[0] if limit else MAX_TURNS + 1, first is None or bool(first.any())
    carried, added = node.operator.inputs[2:], [list[str]() for _ in body.outputs]
    condition = node.operator.inputs[1] if node.has(1) else ""
    at = 0
    while at < turns and holds:
        if at == MAX_TURNS:
            raise LoweringError(f"a loop of more than {MAX_TURNS} turns", _HINT)
        number = node.values.define(np.array(at, dtype=np.int64))
        condition = condition or node.values.define(np.array(True))
        results = run(body, dict(zip(body.inputs, (number, condition, *carried), strict=True)))
        condition, carried = results[0], results[1 : 1 + len(carried)]
        for parts, result in zip(added, results[1 + len(carried) :], strict=False):
            parts.append(result)
        known = node.values.constants.get(condition)
        if known is None:
            message = "whether a loop goes on depends on the model's inputs"
            raise LoweringError(message, _HINT, DATA_DEPENDENT)
        holds, at = bool(known.any()), at + 1
    count = len(body.outputs) - 1 - len(carried)
    return (*carried, *(_stacked(node, parts, 0) for parts in added[:count]))


def _scan(node: Context, run: Run) -> tuple[str, ...]:
    """Return the values carried over slices of sequences, then those that each slice gives."""
    if node.opset < 9:
        raise LoweringError("a scan of opset 8 is not supported", "convert the model to opset 9")
    body, count = _body(node, "body"), node.option("num_scan_inputs", 1)
    carried, sequences = node.operator.inputs[:-count], node.operator.inputs[-count:]
    axes = _per_value(node, "scan_input_axes", len(sequences))
    backward = _per_value(node, "scan_input_directions", len(sequences))
    rows = [node.values.tensor(name) for name in sequences]
    lengths = {row.shape[axis] for row, axis in zip(rows, axes, strict=True)}
    if len(lengths) != 1 or max(lengths) > MAX_TURNS:
        raise LoweringError(f"a scan over {sorted(lengths)} slices, at most {MAX_TURNS}", _HINT)
    (length,) = lengths
    made: list[tuple[str, ...]] = []
    for at in range(length):
        slices = [
            node.values.define(_slice(row, axis, length - 1 - at if back else at))
            for row, axis, back in zip(rows, axes, backward, strict=True)
        ]
        results = run(body, dict(zip(body.inputs, (*carried, *slices), strict=True)))
        carried, rest = results[: len(carried)], results[len(carried) :]
        made.append(rest)
    columns = list(zip(*made, strict=True))
    out_axes = _per_value(node, "scan_output_axes", len(columns))
    turned = _per_value(node, "scan_output_directions", len(columns))
    stacked = (
        _stacked(node, parts[::-1] if back else parts, axis)
        for parts, axis, back in zip(columns, out_axes, turned, strict=True)
    )
    return (*carried, *stacked)


def _per_value(node: Context, name: str, count: int) -> tuple[int, ...]:
    found = node.numbers(name) or (0,) * count
    if len(found) != count:
        raise LoweringError(f"{name} has {len(found)} numbers for {count} values")
    return found


def _slice(row: LazyTensor, axis: int, at: int) -> LazyTensor:
    return squeezed(strided(row, axis % row.rank, at, 1, 1), [axis])


def _stacked(node: Context, parts: Sequence[str], axis: int) -> str:
    """Return the name of values as slices of one."""
    if not parts:
        raise LoweringError("a loop without turns has a result without elements")
    rows = [unsqueezed(node.values.tensor(name), [axis]) for name in parts]
    return node.values.define(concatenated(node.builder, rows, axis % rows[0].rank))


CONTROL: Mapping[str, Control] = {"If": _branch, "Loop": _loop, "Scan": _scan}
