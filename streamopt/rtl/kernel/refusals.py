"""Parts of designs that can't be RTL yet, told in the user's names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Sized

from streamopt.errors import CodegenError, Diagnostic
from streamopt.ir.network import AccessMode, Network, Place
from streamopt.ir.scheduled import ScheduledNode

HINT = "choose another back end: --backend vitis"
PORTS = 2
"""Of a memory outside: what a block RAM has."""
MOST_BITS = 1 << 16
"""Of an input of a module, for which amaranth has numbers."""


def refused(message: str, node: ScheduledNode | None = None) -> CodegenError:
    """Return the error that says what RTL has no structure for."""
    whose = "" if node is None else f"{node.node.name}: "
    loc = None if node is None else node.node.loc
    return CodegenError(Diagnostic("E640", f"{whose}{message}, which RTL can't be yet", loc, HINT))


def check_bits(module: str, inputs: Iterable[Sized]) -> None:
    """Raise E640 for the inputs of a module if one has too many bits."""
    bits = max(map(len, inputs), default=0)
    if bits > MOST_BITS:
        raise refused(f"module '{module}' has an input of {bits:,} bits, more than {MOST_BITS:,}")


def check_network(network: Network) -> None:
    """Raise what can't be built of a whole design.

    Raises
    ------
    CodegenError
        E640 with all problems.
    """
    found = _structures(network)
    diagnostics = [diagnostic for error in found for diagnostic in error.diagnostics]
    if diagnostics:
        raise CodegenError(*diagnostics)


def _structures(network: Network) -> list[CodegenError]:
    found: list[CodegenError] = []
    if network.passes > 1:
        found.append(refused("the design runs in passes"))
    in_turn = {
        name for process in network.processes for own in process.turns for name in own.pipelines
    }
    for memory in network.memories:
        users = [
            (process.name, port.mode)
            for process in network.processes
            for pipeline in process.pipelines
            if pipeline.name not in in_turn
            for port in pipeline.ports
            if port.target == memory.name
        ]
        if memory.place is Place.PING_PONG:
            writers = {process for process, mode in users if mode is AccessMode.WRITE}
            if len(writers) != 1:
                found.append(refused(f"buffer '{memory.name}' is written by several processes"))
        elif memory.place is Place.RESIDENT:
            found.append(refused(f"array '{memory.name}' is resident"))
        elif memory.place is Place.ARGUMENT and not _is_simple(users):
            found.append(refused(f"array '{memory.name}' is written and used again"))
    return found


def _is_simple(users: Sequence[tuple[str, AccessMode]]) -> bool:
    """Return whether all only read an array, or nests of one process write it, one by one."""
    modes = {mode for _, mode in users}
    return AccessMode.WRITE not in modes or (len(modes) == 1 and len({*users}) == 1)
