"""Rows whose outputs come steadily: what the closed form says of these, the simulation does too.

Where a reduction lies between loops over the output, all elements of a block appear at the block's
end. The consumer of such a stream ends later than first and last write tell.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from operator import lt

from streamopt.ir.graph import Node, SequentialNode
from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows


def steady_rows(space: DecisionSpace, rows: Mapping[str, NodeRows]) -> dict[str, NodeRows]:
    """Return the rows, of which those that write in bursts can't stream what they write."""
    outs = space.graph.out_edges()
    found: dict[str, NodeRows] = {}
    for node in space.graph.nodes:
        own = rows[node.name]
        streams = dict(own.streams)
        for edge in outs[node.name]:
            if edge.channel in streams and node.reduction_loops:
                bursts = _bursts(node, own, set(edge.write.iterators()))
                walks = zip(streams[edge.channel], bursts, strict=True)
                streams[edge.channel] = tuple(None if late else walk for walk, late in walks)
        found[node.name] = replace(own, streams=streams)
    return found


def _bursts(node: Node, rows: NodeRows, written: Collection[str]) -> list[bool]:
    """Return of each row whether it comes in bursts; many are alike in what that depends on."""
    trips = list(node.trip_counts.values())
    known: dict[tuple[Sequence[str], tuple[bool, ...]], bool] = {}
    found: list[bool] = []
    for order, factors in zip(rows.orders, rows.factors, strict=True):
        key = order, tuple(map(lt, factors, trips))
        if key not in known:
            known[key] = comes_in_bursts(node, order, factors, written)
        found.append(known[key])
    return found


def comes_in_bursts(
    node: Node, order: Sequence[str], factors: Sequence[int], written: Collection[str]
) -> bool:
    """Return whether a reduction has loops over the output outside and inside of it.

    Loops of one tile count as none.

    Parameters
    ----------
    order
        Tile loops, outermost first.
    factors
        Unroll factors in the node's loop order.
    """
    if isinstance(node, SequentialNode):
        return False
    taken = dict(zip(node.trip_counts, factors, strict=True))
    turns = [name for name in order if taken[name] < node.trip_counts[name]]
    reduced = [place for place, name in enumerate(turns) if name in node.reduction_loops]
    moved = [place for place, name in enumerate(turns) if name in written]
    return bool(moved) and any(moved[0] < place < moved[-1] for place in reduced)
