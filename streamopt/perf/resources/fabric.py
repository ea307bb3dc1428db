"""LUTs and flip-flops around the operators: registers, multiplexers, control and FIFOs.

Estimates, linear in what a pipeline has. The coefficients were fitted once over the 292 nodes of
61 published designs on PolyBench and chains of matrix products (Vitis HLS 2023.2 reports, xcu280,
3.33 ns), and over the 2 to 675 FIFOs of each design.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from streamopt.ir.network import AccessMode, Pipeline, PipelineTiming
from streamopt.perf.pipelines.recurrence import recurrences
from streamopt.perf.resources.memory_blocks import BankStorage, StorageKind
from streamopt.perf.resources.operators import Replicas, lanes_of
from streamopt.target.resources import Resources

Integers = npt.NDArray[np.int64]

PIPELINE_LUTS, PIPELINE_FFS = 122, 50
"""Loop counters, exit test and handshake of a pipeline."""
STREAM_LUTS = 9
"""Handshake at one end of a FIFO."""
_INPUT_FFS = 1.2
"""Registers for each bit that an iteration reads: inputs wait for one another."""
_RESULT_FFS, _SHARED_RESULT_FFS = 1.0, 0.25
"""Registers for each bit of a result, at II 1 and above."""
_RESULT_LUTS, _SHARED_RESULT_LUTS = 0.17, 0.27
"""Selection and control for each bit of a result, at II 1 and above."""
_UNIT_LUTS = 1.6
"""Multiplexers for each bit of a unit that is shared."""
_ADDRESS_LUTS, _ADDRESS_FFS = 0.7, 0.65
"""For each stage and address bit: the address follows its iteration through the pipeline."""
_CHOICES_OF_A_LUT = 4
"""Values of one bit of which a LUT with six inputs chooses one; wider multiplexers join LUTs by
the slice's own (AMD UG574, "Multiplexers")."""
_PING_PONG_LUTS, _PING_PONG_FFS = 13, 1
"""Selection of the halves of one bank."""
_LUTRAM_WORDS, _SHIFT_REGISTER_WORDS = 64, 32
"""Words of one bit that a LUT holds as memory, and as a shift register."""
_TOOL_PARTS = 2
"""LUTs for a bit of the deepest memory that the tool makes of them unasked."""


@dataclass(frozen=True, slots=True)
class DataBits:
    """Data that one iteration of a pipeline handles."""

    read_bits: int
    """Of the elements that it reads, each once."""
    result_bits: int
    """Of the results of its operations in all lanes."""
    streams: int
    """Ends of FIFOs at which it reads or writes."""


def data_bits(
    pipeline: Pipeline, replicas: Sequence[Replicas], storages: Mapping[str, BankStorage]
) -> DataBits:
    """Return the data of an iteration; ``storages`` are by name of memory or group of FIFOs."""
    extents = {lane.name: lane.trip_count for lane in pipeline.lanes}
    read_bits = streams = 0
    for port in {(p.mode, p.target, p.subscripts): p for p in pipeline.ports}.values():
        count = prod(extents[name] for name in lanes_of(port, pipeline))
        storage = storages[port.target]
        if port.mode is AccessMode.READ:
            read_bits += count * (storage.bits // storage.elems)
        if storage.is_fifo:
            streams += count
    result_bits = sum(r.count * r.operation.element.bits for r in replicas)
    return DataBits(read_bits, result_bits, streams)


def pipeline_fabric(
    pipeline: Pipeline,
    data: DataBits,
    unit_bits: int,
    timing: PipelineTiming,
    storages: Mapping[str, BankStorage],
) -> Resources:
    """Return the LUTs and flip-flops of a pipeline besides its operators and memories.

    One without operations moves data through: it has no registers for them.

    Parameters
    ----------
    unit_bits
        Bits of the results of its operators after sharing.
    storages
        By name of memory or group of FIFOs.
    """
    luts = PIPELINE_LUTS + STREAM_LUTS * data.streams
    ffs = PIPELINE_FFS
    if data.result_bits == 0:
        return Resources(luts=luts, ffs=ffs)
    shared = timing.ii > 1
    luts += _masked_bits(pipeline)
    stage_bits = timing.depth_cycles * _address_bits(pipeline, storages)
    luts += round(
        selection_luts(data.result_bits, unit_bits, timing.ii) + _ADDRESS_LUTS * stage_bits
    )
    ffs += round(
        (_SHARED_RESULT_FFS if shared else _RESULT_FFS) * data.result_bits
        + _INPUT_FFS * data.read_bits
        + _ADDRESS_FFS * stage_bits
    )
    return Resources(luts=luts, ffs=ffs)


def least_pipeline_luts(result_bits: Integers, unit_bits: Integers, ii: Integers) -> Integers:
    """Return the LUTs of `pipeline_fabric` for any streams and memories that a pipeline touches.

    Parameters
    ----------
    result_bits, unit_bits
        Bits of all results, and of those of its operators after sharing; one entry a schedule.
    """
    return PIPELINE_LUTS + np.floor(selection_luts(result_bits, unit_bits, ii)).astype(np.int64)


def selection_luts(result_bits: Any, unit_bits: Any, ii: Any) -> Any:
    """Return the LUTs that select results and share units; not rounded.

    A term that a node knows before its channels are chosen belongs here, where both
    `pipeline_fabric` and `least_pipeline_luts` take it from.

    Parameters
    ----------
    result_bits, unit_bits, ii
        Of one pipeline, or arrays with one entry a schedule.
    """
    shared = _SHARED_RESULT_LUTS * result_bits + _UNIT_LUTS * unit_bits
    plain = _RESULT_LUTS * result_bits
    return plain + (ii > 1) * (shared - plain)


def choice_luts(values: int, banks: int, bits: int) -> int:
    """Return the LUTs that choose values, each of what some banks bring.

    Examples
    --------
    >>> choice_luts(1, 4, 32), choice_luts(9, 8, 32)
    (32, 576)
    """
    return -(-values * banks * bits // _CHOICES_OF_A_LUT)


def lutram_luts(words: int, bits: int) -> int:
    """Return the LUTs of a memory that is made of them.

    The tool's own have two LUTs a bit at most; of more, multiplexers choose.

    Examples
    --------
    >>> lutram_luts(100, 32), lutram_luts(1000, 32)
    (64, 640)
    """
    parts = -(-words // _LUTRAM_WORDS)
    return bits * parts + (choice_luts(1, parts, bits) if parts > _TOOL_PARTS else 0)


def memory_fabric(storage: BankStorage, *, ping_pong: bool) -> Resources:
    """Return the LUTs and flip-flops of a memory: all of it, where it is no memory block."""
    luts = ffs = 0
    match storage.kind:
        case StorageKind.REGISTERS:
            ffs = storage.bits * storage.words
        case StorageKind.LUTRAM:
            luts = lutram_luts(storage.words, storage.bits)
        case _:
            pass
    if ping_pong:
        luts, ffs = luts + _PING_PONG_LUTS, ffs + _PING_PONG_FFS
    return Resources(luts=luts, ffs=ffs).scaled(storage.banks)


def fifo_fabric(storage: BankStorage) -> Resources:
    """Return the LUTs and flip-flops of a group of FIFOs: counters, flags, output register, store.

    For 32 bits: 51 LUTs as a shift register of up to 32 words; 100 and 180 as LUT memory of 64
    and 128; 72, 80 and 88 for 256, 1024 and 4096 words of block RAM.
    """
    address_bits = max(1, (storage.words - 1).bit_length())
    match storage.kind:
        case StorageKind.SHIFT_REGISTER:
            store = storage.bits * -(-storage.words // _SHIFT_REGISTER_WORDS)
            one = Resources(luts=19 + store, ffs=8)
        case StorageKind.LUTRAM:
            store = round(2.5 * storage.bits) * -(-storage.words // _LUTRAM_WORDS)
            one = Resources(luts=20 + store, ffs=2 * storage.bits + 55)
        case _:
            one = Resources(luts=40 + 4 * address_bits, ffs=2 * storage.bits + 30)
    return one.scaled(storage.banks)


def _masked_bits(pipeline: Pipeline) -> int:
    """Return the bits of terms that are the identity in partial tiles: an estimate, a LUT each."""
    bits = 0
    if not pipeline.partial_tiles:
        return bits
    for update in recurrences(pipeline):
        kept = {
            name
            for port in pipeline.ports
            if port.target == update.target
            for subscript in port.subscripts
            for name in subscript.iterators()
        }
        masked = {p.lane: p.last_lanes for p in pipeline.partial_tiles if p.lane not in kept}
        busy = prod(masked.get(lane.name, lane.trip_count) for lane in pipeline.lanes)
        bits += update.operations[-1].element.bits * (pipeline.copies - busy)
    return bits


def _address_bits(pipeline: Pipeline, storages: Mapping[str, BankStorage]) -> int:
    """Return the address bits of the memories that a pipeline touches, one address each."""
    touched = {port.target: storages[port.target] for port in pipeline.ports}
    return sum(
        (storage.words - 1).bit_length()
        for storage in touched.values()
        if not storage.is_fifo and storage.kind is not StorageKind.REGISTERS
    )
