"""Rewrites as advice: what a source would say in which a rewrite has nothing left to do.

opt6 makes these rewrites itself. At the other levels a user can, and the gain is found by solving
the rewritten graph.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from streamopt.errors import SourceLoc
from streamopt.explanation.question import listed
from streamopt.ir.graph import Graph
from streamopt.transforms.rewrites import changed_by

ADVICE = {
    "split_arrays": "make {arrays} arrays of their own, one for each block that is read",
    "split_loops": "give {arrays} a dimension, and {nodes} a loop, for each part of an index "
    "that is computed",
    "fold_borders": "leave {gone} without its border, and read the border's constant under a "
    "condition",
    "fold_padding": "read the border's constant under a condition, so that there is no {gone}",
    "fold_copies": "read the original instead of the copies {gone}",
    "fold_pointwise": "compute {gone} where it is read",
    "private_arguments": "pass {arrays} as arguments of their own, so that no reader waits for the "
    "ports of another",
}
"""By rewrite; ``gone`` are arrays that the graph then lacks, or has in another form."""
MOST_NAMES = 3
"""That are told; of more, the first ones."""


@dataclass(frozen=True, slots=True)
class SourceChange:
    """A rewrite that changes a graph, as advice for its source."""

    rewrite: str
    advice: str
    place: SourceLoc | None


def source_changes(graph: Graph) -> Iterator[SourceChange]:
    """Yield the rewrites that change a graph."""
    for name, advice in ADVICE.items():
        made, after = changed_by(graph, [name])
        if made:
            yield _source_change(name, advice, graph, after)


def _source_change(name: str, advice: str, graph: Graph, after: Graph) -> SourceChange:
    before = {str(node) for node in graph.nodes}
    known, left = {*graph.arrays}, {*after.arrays}
    changed = [node for node in after.nodes if str(node) not in before]
    fresh = [_declared(array.name, array.shape) for array in after.arrays if array not in known]
    gone = [array.name for array in graph.arrays if array not in left]
    words = advice.format(
        nodes=_some([node.name for node in changed]), arrays=_some(fresh), gone=_some(gone)
    )
    places = [node.loc for node in changed if node.loc is not None]
    return SourceChange(name, words, places[0] if places else None)


def _declared(name: str, shape: tuple[int, ...]) -> str:
    return name + "".join(f"[{extent}]" for extent in shape)


def _some(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
    return listed(names) or "them"
