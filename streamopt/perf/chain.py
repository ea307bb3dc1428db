"""The longest chain of operations, each after its operands: how simple models take an iteration."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from streamopt.ir.network import Operation

__all__ = ["chain_cycles"]


def chain_cycles(operations: Iterable[Operation], cycles: Callable[[Operation], int]) -> int:
    """Return after how many cycles the last of some operations is done; 0 of none.

    Parameters
    ----------
    operations
        Each behind those that make its operands.
    cycles
        That one takes.
    """
    ready: dict[str, int] = {}
    for operation in operations:
        begin = max((ready.get(name, 0) for name in operation.operands), default=0)
        ready[operation.result] = begin + cycles(operation)
    return max(ready.values(), default=0)
