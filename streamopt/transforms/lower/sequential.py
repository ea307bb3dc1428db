"""One sequential node as pipelines: copies in, the nest on local arrays, copies out."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from streamopt.analysis.operations import OperationList
from streamopt.analysis.read_guards import read_guards
from streamopt.analysis.value_ranges import ValueContext
from streamopt.ir.affine import Affine
from streamopt.ir.expression import is_affine_condition
from streamopt.ir.network import AccessMode, Memory, Pipeline, Place, Port
from streamopt.ir.program import Loop

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.ir.expression import Access, Condition
    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.network import Operation
    from streamopt.ir.program import Array
    from streamopt.ir.schedule import Binding

__all__ = ["lower_sequential"]


def lower_sequential(
    node: SequentialNode,
    binding: Binding,
    sources: Mapping[str, Memory],
    targets: Sequence[tuple[str, Memory]],
    arrays: Mapping[str, Array],
) -> tuple[tuple[Pipeline, ...], tuple[Memory, ...]]:
    """Return the pipelines of a sequential node, in order, and its local memories.

    Parameters
    ----------
    binding
        What floating-point operators are built from.
    sources
        What brings each array that the node begins with or reads.
    targets
        Pairs (array, memory that takes it).
    """
    state = {
        name: Memory(
            f"{node.name}.{name}_state",
            Place.LOCAL,
            arrays[name].element,
            arrays[name].shape or (1,),
            (1,) * max(1, len(arrays[name].shape)),
        )
        for name in node.outputs
    }
    brought = [
        _copy(f"{node.name}.bring_{name}", sources[source], state[name])
        for name, source in node.carries
    ]
    handed = [
        _copy(f"{node.name}.hand_{target.name}", state[name], target) for name, target in targets
    ]
    nest = _nest(node, binding, {**sources, **state}, arrays)
    return (*brought, nest, *handed), tuple(state.values())


def _copy(name: str, source: Memory, target: Memory) -> Pipeline:
    loops = tuple(Loop(f"d{at}", extent) for at, extent in enumerate(source.shape))
    place = tuple(Affine.iterator(loop.name) for loop in loops)
    ports = (
        Port(AccessMode.READ, source.name, place, "element"),
        Port(AccessMode.WRITE, target.name, place, "element"),
    )
    return Pipeline(name, loops, (), ports, ())


def _nest(
    node: SequentialNode,
    binding: Binding,
    memories: Mapping[str, Memory],
    arrays: Mapping[str, Array],
) -> Pipeline:
    ports: list[Port] = []

    def place(access: Access) -> tuple[Affine, ...]:
        return access.subscripts or (Affine(),)

    def fetch(access: Access, guards: Mapping[Access, Condition]) -> str:
        value, source = f"v{len(ports)}", memories[access.array].name
        ports.append(Port(AccessMode.READ, source, place(access), value, guards.get(access)))
        return value

    among = ValueContext(lambda name: arrays[name].element, node.trip_counts)
    operations: list[Operation] = []
    for statement in node.statements:
        # another list for each: a value read before is another one after a write
        taken = partial(fetch, guards=read_guards(statement))
        body = OperationList(among, taken, binding, first=len(operations))
        value = body.value(statement.value)
        guard = statement.guard
        if guard is not None and not is_affine_condition(guard):
            body.value(guard)
            guard = None
        target = memories[statement.target.array].name
        ports.append(Port(AccessMode.WRITE, target, place(statement.target), value, guard))
        operations += body.operations
    return Pipeline(
        node.name,
        node.loops,
        (),
        tuple(ports),
        tuple(operations),
        node.loc,
    )
