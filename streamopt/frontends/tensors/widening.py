"""Integers that a front end widens before it computes with them.

PyTorch multiplies integers as it is told to: ``x.to(torch.int32) @ w``. Where several iterations
read such a conversion it would become an array of wide integers, and a nest that does nothing but
convert. The narrow numbers are kept, and converted where they are read.
"""

from collections.abc import Callable
from dataclasses import replace

from streamopt.frontends.tensors.indexing import ElementPoint
from streamopt.frontends.tensors.tensor import LazyTensor
from streamopt.ir.arithmetic import expression_type, widens
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Cast, Expression


def before_widening(
    tensor: LazyTensor, value: Expression, element_of: Callable[[str], ElementType]
) -> LazyTensor | None:
    """Return the narrow tensor that a tensor converts to a wider type; None if it is no such.

    Parameters
    ----------
    value
        An element of the tensor.
    """
    kind = expression_type(value.operand, element_of) if isinstance(value, Cast) else None
    if kind is None or kind.bits >= tensor.element.bits or not widens(kind, tensor.element):
        return None

    def narrow(point: ElementPoint) -> Expression:
        wide = tensor.at(point)
        return wide.operand if isinstance(wide, Cast) else wide

    return replace(tensor, element=kind, value=narrow)


def widened(tensor: LazyTensor, element: ElementType) -> LazyTensor:
    """Return a view of a stored tensor that converts every element that is read."""

    def wide(point: ElementPoint) -> Expression:
        return Cast(element, tensor.at(point))

    return replace(
        tensor, element=element, value=wide, operations=0, depth=tensor.depth + 1, array=""
    )
