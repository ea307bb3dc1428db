"""A whole design in Verilog: processes, the FIFOs between them, and memories around."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from amaranth.hdl import ClockDomain, Const, Instance, Module, Signal, Value

from streamopt.ir.network import Network
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.rtl.blocks.delay import Delay
from streamopt.rtl.blocks.fifo import FifoBlock
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.blocks.tree import OperatorTree
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.emission.process import ProcessModule
from streamopt.rtl.kernel.making import make_kernels
from streamopt.rtl.operators.leaf import OperatorLeaf
from streamopt.rtl.printing import verilog_text
from streamopt.rtl.rtl_design import OutsidePort, RtlDesign
from streamopt.transforms.lower import lower


def make_design(scheduled: ScheduledGraph, top: str, names: Sequence[str]) -> RtlDesign:
    """Return the Verilog of a scheduled graph.

    Parameters
    ----------
    names
        Of the modules of processes, in the graph's order; all differ from the top's.

    Raises
    ------
    CodegenError
        E640 for what there is no structure for.
    """
    network = lower(scheduled)
    kernels = make_kernels(scheduled, network)
    memories = {memory.name: memory for memory in network.memories}
    processes = [
        ProcessModule(name, kernel, memories) for name, kernel in zip(names, kernels, strict=True)
    ]
    texts = [(f"{process.name}.v", process.verilog()) for process in processes]
    fifos = {fifo.name: _fifo_block(network, fifo.name) for fifo in network.fifos}
    leaves: dict[str, OperatorLeaf] = {}
    blocks: dict[str, FifoBlock | LutMemory | Delay | OperatorTree] = {}
    for process in processes:
        leaves |= {leaf.name: leaf for leaf in process.leaves}
        blocks |= {block.name: block for block in process.blocks}
    for fifo in fifos.values():
        blocks |= {fifo.name: fifo, fifo.memory.name: fifo.memory}
    joined = (
        (f"{top}.v", _top(top, processes, network, fifos)),
        *texts,
        ("operators.v", "\n".join(leaves[name].verilog() for name in sorted(leaves))),
        ("blocks.v", "\n".join(blocks[name].verilog() for name in sorted(blocks))),
    )
    ports = tuple(
        OutsidePort(access.memory, f"{process.name}_{access.name}", access.is_write)
        for process in processes
        for access in process.accesses
    )
    most = sum(k.ii * prod(t.trip_count for t in k.tiles) + k.depth_cycles + 2 for k in kernels)
    return RtlDesign(top, joined, ports, kernels, most)


def _fifo_block(network: Network, name: str) -> FifoBlock:
    fifo = next(fifo for fifo in network.fifos if fifo.name == name)
    return FifoBlock(fifo.element.bits * prod(fifo.lanes), fifo.depth_elems)


def _top(
    name: str, processes: Sequence[ProcessModule], network: Network, fifos: dict[str, FifoBlock]
) -> str:
    """Return the top module: instances and the wires between them."""
    module, domain = Module(), ClockDomain("sync")
    module.domains += domain
    assert domain.rst is not None
    clock: dict[str, Value] = {"i_clk": domain.clk, "i_rst": domain.rst}
    start, done = Signal(name="start"), Signal(name="done")
    outside: list[Signal] = []
    sides: dict[str, dict[str, Signal]] = {}
    for fifo, block in fifos.items():
        wires = {
            wire: Signal(
                block.width if wire in ("given", "taken") else 1, name=f"{identifier(fifo)}_{wire}"
            )
            for wire in ("write", "given", "writable", "read", "taken", "readable")
        }
        sides[identifier(fifo)] = wires
        inputs = {f"i_{wire}": wires[wire] for wire in ("write", "given", "read")}
        outputs = {f"o_{wire}": wires[wire] for wire in ("writable", "taken", "readable")}
        module.submodules[f"fifo_{identifier(fifo)}"] = Instance(
            block.name, **clock, **inputs, **outputs
        )
    ended: Value = Const(1, 1)
    for process in processes:
        its_end = Signal(name=f"{process.name}_done")
        outside.append(its_end)
        joined: dict[str, Value] = {}
        for port, (direction, signal) in process.ports.items():
            fifo, _, wire = port.rpartition("_")
            if fifo in sides and wire in sides[fifo]:
                joined[f"{direction}_{port}"] = sides[fifo][wire]
                continue
            crossing = Signal(len(signal), name=f"{process.name}_{port}")
            outside.append(crossing)
            joined[f"{direction}_{port}"] = crossing
        module.submodules[f"process_{process.name}"] = Instance(
            process.name, **clock, i_start=start, o_done=its_end, **joined
        )
        ended = ended & its_end
    module.d.comb += done.eq(ended)
    ports = [domain.clk, domain.rst, start, done, *outside]
    return verilog_text(module, name, ports)
