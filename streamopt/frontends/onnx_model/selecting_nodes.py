"""Nodes that find the best elements or make vectors of positions."""

from collections.abc import Callable

from streamopt.frontends.onnx_model.context import Context, Lowerings
from streamopt.frontends.tensors.functions import best_of, one_hot, place_of_best
from streamopt.frontends.tensors.tensor import LazyTensor, LoweringError, splat
from streamopt.frontends.tensors.views import concatenated, flattened, reshaped, squeezed


def _place(*, largest: bool) -> Callable[[Context], LazyTensor]:
    def lowering(node: Context) -> LazyTensor:
        x = node.tensor()
        axis, last = node.axis("axis", 0, x.rank), bool(node.option("select_last_index", 0))
        _, place = place_of_best(node.builder, x, axis, largest=largest, last=last)
        return place if node.option("keepdims", 1) else squeezed(place, [axis])

    return lowering


def _hardmax(node: Context) -> LazyTensor:
    x = node.tensor()
    axis = node.axis("axis", -1 if node.opset >= 13 else 1, x.rank)
    flat = x if node.opset >= 13 else flattened(x, axis)
    axis = axis if node.opset >= 13 else 1
    _, place = place_of_best(node.builder, flat, axis)
    zero, one = (splat(number, x.element) for number in (0.0, 1.0))
    made = one_hot(node.builder, squeezed(place, [axis]), axis, flat.shape[axis], zero, one)
    return reshaped(made, x.shape)


def _one_hot(node: Context) -> LazyTensor:
    positions = node.tensor(0)
    depth = int(node.number(1, "the depth") or 0)
    values = node.constant(2, "the pair of values")
    if depth < 1 or values is None or values.size != 2:
        raise LoweringError(f"a depth of {depth}, or not two values")
    element = node.tensor(2).element
    off, on = (splat(float(value), element) for value in values.reshape(-1))
    axis = node.axis("axis", -1, positions.rank + 1)
    return one_hot(node.builder, positions, axis, depth, off, on)


def _best(node: Context) -> tuple[LazyTensor, LazyTensor]:
    x = node.tensor()
    count = node.option("k", 0) or int(node.number(1, "the number of elements") or 0)
    axis = node.axis("axis", -1, x.rank)
    largest = bool(node.option("largest", 1))
    found, places = best_of(node.builder, x, axis, count, largest=largest)
    return (
        concatenated(node.builder, found, axis),
        concatenated(node.builder, places, axis),
    )


LOWERINGS: Lowerings = {
    "ArgMax": _place(largest=True),
    "ArgMin": _place(largest=False),
    "Hardmax": _hardmax,
    "OneHot": _one_hot,
    "TopK": _best,
}
