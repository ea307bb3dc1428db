"""A whole design in Verilog: processes, the FIFOs between them, and memories around."""

from __future__ import annotations

from collections.abc import Sequence

from streamopt.ir.scheduled import ScheduledGraph
from streamopt.rtl.blocks.frame_count import frame_bits
from streamopt.rtl.costs.block_cells import channel_cells
from streamopt.rtl.costs.kernel_cells import kernel_cells
from streamopt.rtl.costs.word_end_cells import end_cells
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.emission.process import ProcessModule
from streamopt.rtl.emission.tables import table_words
from streamopt.rtl.emission.top import Block, TopModule
from streamopt.rtl.kernel.banks import built_network
from streamopt.rtl.kernel.making import make_kernels
from streamopt.rtl.kernel.plain_rows import with_plain_rows
from streamopt.rtl.operators.leaf import OperatorBlock, source_of
from streamopt.rtl.outside.word_streams import ANSWER_CYCLES, word_streams
from streamopt.rtl.printing import verilog_texts
from streamopt.rtl.rtl_design import RtlDesign
from streamopt.target.resources import Resources


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
    scheduled = with_plain_rows(scheduled)
    network = built_network(scheduled)
    made = make_kernels(scheduled, network)
    memories = {memory.name: memory for memory in network.memories}
    bits = frame_bits(len(made))
    processes: list[ProcessModule] = []
    follows: dict[str, str] = {}
    for name, nests in zip(names, made, strict=True):
        for at, kernel in enumerate(nests):
            taken = [*names, top, *(process.name for process in processes)]
            own = name if len(nests) == 1 else _free(identifier(kernel.name), taken)
            if at:
                follows[own] = processes[-1].name
            processes.append(ProcessModule(own, kernel, memories, bits))
    kernels = tuple(kernel for nests in made for kernel in nests)
    sources = [process.source() for process in processes]
    tables = table_words(scheduled.graph, network)
    joining = TopModule(top, processes, network, follows, bits, tables)
    leaves: dict[str, OperatorBlock] = {}
    blocks: dict[str, Block] = {block.name: block for block in joining.blocks}
    for process in processes:
        leaves |= {leaf.name: leaf for leaf in process.leaves}
        blocks |= {block.name: block for block in process.blocks}
    operators = [source_of(leaves[name]) for name in sorted(leaves)]
    texts = verilog_texts(
        [*sources, *operators, *(blocks[name].source() for name in sorted(blocks))]
    )
    few, most = len(sources), len(sources) + len(operators)
    joined = (
        (f"{top}.v", joining.verilog()),
        *((f"{one.name}.v", text) for one, text in zip(sources, texts[:few], strict=True)),
        ("operators.v", "\n".join(texts[few:most])),
        ("blocks.v", "\n".join(texts[most:])),
    )
    most = sum(k.ii * k.most_slots + k.depth_cycles + 2 for k in kernels)
    most += 2 * ANSWER_CYCLES * len(joining.masters.ports)
    known = ((process.name, kernel_cells(process.kernel, memories, bits)) for process in processes)
    cells = {name: own for name, own in known if own is not None}
    if len(cells) == len(processes):
        ends = (end_cells(stream, bits) for stream in word_streams(network).values())
        channels = map(channel_cells, joining.channels)
        cells[top] = sum((*cells.values(), *channels, *ends), Resources())
    names = tuple(process.name for process in processes)
    outside = tuple(joining.outside)
    return RtlDesign(
        top,
        joined,
        outside,
        kernels,
        most,
        names,
        joining.frames.ports,
        bits,
        (*joining.masters.ports,),
        cells,
    )


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_nest"
    return name
