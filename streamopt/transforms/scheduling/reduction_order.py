"""What times must keep: dependences, but for those between the terms of one reduction.

The terms of a reduction may come in any order, as in every node of a graph: (L2) of
``models/formulations/scheduling.md``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamopt.transforms.restructure.reduction import recognized

if TYPE_CHECKING:
    from collections.abc import Sequence

    from streamopt.analysis.dependence import Dependence
    from streamopt.analysis.instances import Instance

__all__ = ["is_reduction_step", "ordered_pairs"]


def ordered_pairs(
    dependences: Sequence[Dependence], statements: Sequence[Instance]
) -> dict[tuple[int, int], Any]:
    """Return what times must keep, in one relation for two statements: all but (L2)."""
    found: dict[tuple[int, int], Any] = {}
    for dependence in dependences:
        if not is_reduction_step(dependence, statements):
            pair = dependence.source, dependence.sink
            known = found.get(pair)
            new = dependence.relation
            found[pair] = new if known is None else known.union(new)
    return {pair: relation.coalesce() for pair, relation in found.items()}


def is_reduction_step(dependence: Dependence, statements: Sequence[Instance]) -> bool:
    """Return whether a dependence is between two terms of one reduction."""
    if dependence.source != dependence.sink:
        return False
    assign = statements[dependence.source].assign
    own = {assign.target} == {dependence.first, dependence.second}
    return own and recognized(assign.target, assign.value) is not None
