"""The rewrites by name, and their application in order."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.graph import Graph
from streamopt.transforms.rewrites.balance_paths import BalancePaths
from streamopt.transforms.rewrites.buffer_columns import BufferColumns
from streamopt.transforms.rewrites.fold_padding import FoldPadding
from streamopt.transforms.rewrites.fold_producers import FoldProducers
from streamopt.transforms.rewrites.graph_rewrite import GraphRewrite
from streamopt.transforms.rewrites.prefill_windows import PrefillWindows
from streamopt.transforms.rewrites.private_arguments import PrivateArguments
from streamopt.transforms.rewrites.split_arrays import SplitArrays
from streamopt.transforms.rewrites.split_loops import SplitLoops
from streamopt.transforms.rewrites.stream_inputs import StreamInputs
from streamopt.transforms.rewrites.stream_windows import StreamWindows
from streamopt.transforms.rewrites.unroll_time import UnrollTime

WINDOWS, INPUTS, PREFILL = "stream_windows", "stream_inputs", "prefill_windows"
COLUMNS = "buffer_columns"
AFTER_MOVERS = (INPUTS, COLUMNS, PREFILL)
"""Names of the rewrites that are carried out once there are movers."""

REWRITES: Mapping[str, GraphRewrite] = MappingProxyType(
    {
        "fold_borders": FoldPadding(keeps_copies=True),
        "fold_padding": FoldPadding(),
        "split_arrays": SplitArrays(),
        "split_loops": SplitLoops(),
        "fold_copies": FoldProducers(computes=False),
        "fold_pointwise": FoldProducers(computes=True),
        "private_arguments": PrivateArguments(),
        "balance_paths": BalancePaths(),
        WINDOWS: StreamWindows(),
        INPUTS: StreamInputs(),
        COLUMNS: BufferColumns(),
        PREFILL: PrefillWindows(),
    }
)
"""In the order in which they are of use after each other: folding makes readers of arguments."""


TIME = "unroll_time"
"""Name of the rewrite that has a number behind it, the steps of a pass: ``unroll_time:4``."""


def rewrite_named(name: str) -> GraphRewrite | None:
    """Return a rewrite by its name, or None."""
    base, _, steps = name.partition(":")
    if base == TIME and steps.isascii() and steps.isdigit() and int(steps) > 0:
        return UnrollTime(int(steps))
    return REWRITES.get(name)


def rewritten(graph: Graph, names: Sequence[str]) -> Graph:
    """Return the graph after rewrites, in order; one that finds nothing to do changes nothing.

    The same graph and names give the same result, whose name is the graph's.

    Raises
    ------
    LegalityError
        E321 for a name that no rewrite has, E324 for one after a final one.
    """
    known = {name: rewrite_named(name) for name in names}
    unknown = [name for name, found in known.items() if found is None]
    if unknown:
        hint = f"the rewrites are {', '.join(REWRITES)}, and {TIME}:4 for 4 steps a pass"
        raise LegalityError(
            *(Diagnostic("E321", f"there is no graph rewrite '{n}'", hint=hint) for n in unknown)
        )
    found = {name: rewrite for name, rewrite in known.items() if rewrite is not None}
    for earlier, name in pairwise(names):
        if found[earlier].is_final and not found[name].is_final:
            message = f"rewrite '{name}' can't come after '{earlier}'"
            raise LegalityError(Diagnostic("E324", message, hint=f"make {earlier} the last one"))
    for name in names:
        graph = found[name](graph)
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
