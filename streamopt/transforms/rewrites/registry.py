"""The rewrites by name, and their application in order."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, LegalityError
from streamopt.transforms.rewrites.balance_paths import balance_paths
from streamopt.transforms.rewrites.fold_padding import fold_borders, fold_padding
from streamopt.transforms.rewrites.fold_producers import fold_copies, fold_pointwise
from streamopt.transforms.rewrites.private_arguments import private_arguments
from streamopt.transforms.rewrites.relieve_loops import relieve_loops
from streamopt.transforms.rewrites.split_arrays import split_arrays
from streamopt.transforms.rewrites.split_loops import split_loops
from streamopt.transforms.rewrites.stream_windows import stream_windows

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from streamopt.ir.graph import Graph

__all__ = ["REWRITES", "changed_by", "rewritten"]

REWRITES: Mapping[str, Callable[[Graph], Graph]] = MappingProxyType(
    {
        "relieve_loops": relieve_loops,
        "fold_borders": fold_borders,
        "fold_padding": fold_padding,
        "split_arrays": split_arrays,
        "split_loops": split_loops,
        "fold_copies": fold_copies,
        "fold_pointwise": fold_pointwise,
        "private_arguments": private_arguments,
        "balance_paths": balance_paths,
        "stream_windows": stream_windows,
    }
)
"""In the order in which they are of use after each other: folding makes readers of arguments."""


def rewritten(graph: Graph, names: Sequence[str]) -> Graph:
    """Return the graph after rewrites, in order; one that finds nothing to do changes nothing.

    The same graph and names give the same result, whose name is the graph's.

    Raises
    ------
    LegalityError
        E321 for a name that no rewrite has, E324 for one after `stream_windows`, which notes
        windows on the graph as it is.
    """
    unknown = [name for name in dict.fromkeys(names) if name not in REWRITES]
    if unknown:
        hint = f"the rewrites are {', '.join(REWRITES)}"
        raise LegalityError(
            *(Diagnostic("E321", f"there is no graph rewrite '{n}'", hint=hint) for n in unknown)
        )
    first = names.index("stream_windows") if "stream_windows" in names else len(names)
    for name in names[first:]:
        if name != "stream_windows":
            message = f"rewrite '{name}' can't come after 'stream_windows'"
            hint = "make stream_windows the last one"
            raise LegalityError(Diagnostic("E324", message, hint=hint))
    for name in names:
        graph = REWRITES[name](graph)
    return graph


def changed_by(graph: Graph, names: Sequence[str]) -> tuple[tuple[str, ...], Graph]:
    """Return the graph after rewrites, with the names of those that changed something.

    Raises
    ------
    LegalityError
        As `rewritten`.
    """
    found: list[str] = []
    for name in names:
        after = rewritten(graph, (name,))
        if after != graph:
            found.append(name)
            graph = after
    return tuple(found), graph
