"""Masters and streams of arrays off the chip in a top module, between its ports and the movers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod
from typing import TypeAlias

from streamopt.rtl.emission.frames import FrameOrder
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.emission.process import ProcessModule
from streamopt.rtl.emission.structure import NamedBits, StructureModule
from streamopt.rtl.outside.bursts import ADDRESS_BITS, MasterSizes
from streamopt.rtl.outside.read_master import ReadMaster
from streamopt.rtl.outside.stream_ends import ReadStream, WriteStream
from streamopt.rtl.outside.word_streams import WordStream
from streamopt.rtl.outside.write_master import WriteMaster
from streamopt.rtl.rtl_design import MasterPort

_ASCENDING = "2'd1"
WordEnd: TypeAlias = ReadMaster | WriteMaster | ReadStream | WriteStream
"""Either end of the words of an array at the boundary."""


class WordMasters:
    """The masters of a design; used once.

    Attributes
    ----------
    blocks
        Masters and ends of streams, as often as they are there.
    ports
        Of the top module to memories off the chip.
    inside
        Wires at the movers, by process and port.

    Parameters
    ----------
    streams
        By array off the chip.
    """

    def __init__(
        self,
        module: StructureModule,
        processes: Sequence[ProcessModule],
        streams: Mapping[str, WordStream],
        frames: FrameOrder,
    ) -> None:
        self._module, self._streams, self._frames = module, streams, frames
        self.blocks: list[WordEnd] = []
        self.ports: list[MasterPort] = []
        self.inside: dict[tuple[str, str], NamedBits] = {}
        self._movers = movers_of(processes, streams)
        for name, process in self._movers.items():
            for wire in _wires(streams[name]):
                port = f"{identifier(name)}_{wire}"
                bits = len(process.ports[port][1])
                self.inside[process.name, port] = module.wire(f"{process.name}_{port}", bits)

    def join(self, clock: NamedBits, reset: NamedBits, may_begin: Mapping[str, NamedBits]) -> None:
        """Add all masters, which begin with their movers, and ends of streams."""
        for name, stream in self._streams.items():
            process, own = self._movers[name], {"clk": clock, "rst": reset}
            if stream.is_bus:
                own["ready"] = may_begin[process.name]
                own["frame"] = self._frames.ended(process.name)
            parts = range(stream.words.memories)
            (self._write if stream.is_written else self._read)(name, own, parts)

    def _mover_wire(self, name: str, wire: str) -> NamedBits:
        return self.inside[self._movers[name].name, f"{identifier(name)}_{wire}"]

    def _read(self, name: str, own: Mapping[str, NamedBits], parts: Sequence[int]) -> None:
        """Add what reads an array: a word is there where that of each memory is."""
        stream, module = self._streams[name], self._module
        words: list[NamedBits] = []
        there: list[str] = []
        for part in parts:
            prefix = self._prefix(name, part)
            there.append(module.wire(f"{prefix}_is_there").text)
            words.append(module.wire(f"{prefix}_word", stream.all_bits))
            joined = {**own, "read": self._mover_wire(name, "read"), "taken": words[-1]}
            joined["readable"] = NamedBits(there[-1], 1)
            self._add(name, part, self._reader(stream), joined)
        module.let(self._mover_wire(name, "readable"), " & ".join(there))
        bits, stored = stream.fifo.element.bits, stream.fifo.element.outside_bits
        lanes: list[str] = []
        for lane in range(prod(stream.fifo.lanes)):
            part, at = divmod(lane, stream.words.lanes)
            lanes.append(f"{words[part].text}[{at * stored + bits - 1}:{at * stored}]")
        module.let(self._mover_wire(name, "taken"), f"{{{', '.join(reversed(lanes))}}}")

    def _write(self, name: str, own: Mapping[str, NamedBits], parts: Sequence[int]) -> None:
        """Add what writes an array: a word is taken where each memory takes its part."""
        stream, module = self._streams[name], self._module
        write, room = self._mover_wire(name, "write"), list[str]()
        given = self._mover_wire(name, "given").text
        counts: list[str] = []
        for part in parts:
            prefix = self._prefix(name, part)
            room.append(module.wire(f"{prefix}_has_room").text)
            word = module.wire(f"{prefix}_word", stream.all_bits)
            module.let(word, f"{{{', '.join(reversed([*_stored(stream, given, part)]))}}}")
            joined = {**own, "write": write, "given": word, "writable": NamedBits(room[-1], 1)}
            joined["written"] = module.wire(f"{prefix}_written", self._frames.count.bits)
            counts.append(joined["written"].text)
            self._add(name, part, self._writer(stream), joined)
        module.let(self._mover_wire(name, "writable"), " & ".join(room))
        self._frames.end_with(self._movers[name].name, counts)

    def _prefix(self, name: str, part: int) -> str:
        several = self._streams[name].words.memories > 1
        return identifier(name) + (f"_{part}" if several else "")

    def _reader(self, stream: WordStream) -> ReadMaster | ReadStream:
        if stream.is_bus:
            return ReadMaster(self._sizes(stream), stream.depth)
        return ReadStream(stream.word_bits, stream.words.count)

    def _writer(self, stream: WordStream) -> WriteMaster | WriteStream:
        if stream.is_bus:
            return WriteMaster(self._sizes(stream))
        bits = self._frames.count.bits
        return WriteStream(stream.word_bits, stream.words.count, stream.beats, bits)

    def _sizes(self, stream: WordStream) -> MasterSizes:
        sizes = (stream.word_bits, stream.words.count, stream.beats, stream.times)
        return MasterSizes(*sizes, stream.burst_beats, self._frames.count.bits)

    def _add(self, name: str, part: int, block: WordEnd, joined: Mapping[str, NamedBits]) -> None:
        """Add what moves the words of one memory, or of a stream, and its ports."""
        prefix, bits = self._prefix(name, part), self._streams[name].word_bits
        frame = self._frames.of(self._movers[name].name).text
        is_write, is_bus = self._streams[name].is_written, self._streams[name].is_bus
        self.blocks.append(block)
        self.ports.append(MasterPort(name, prefix, is_write, part, bits, frame, not is_bus))
        bus = (_bus if is_bus else _stream)(bits, is_write)
        ports = {
            wire: self._module.port(way, f"{prefix}_{wire}", b) for wire, (way, b) in bus.items()
        }
        if is_bus:
            self._add_constants(prefix, bits, is_write)
        self._module.instance(block.name, f"master_{prefix}", {**joined, **ports})

    def _add_constants(self, prefix: str, bits: int, is_write: bool) -> None:
        """Add the ports of a master that say the same of all its words."""
        module, a, size = self._module, "aw" if is_write else "ar", (bits // 8).bit_length() - 1
        module.let(module.port("output", f"{prefix}_{a}size", 3), f"3'd{size}")
        module.let(module.port("output", f"{prefix}_{a}burst", 2), _ASCENDING)
        if is_write:
            strobe = module.port("output", f"{prefix}_wstrb", bits // 8)
            module.let(strobe, f"{{{bits // 8}{{1'b1}}}}")


def _bus(bits: int, is_write: bool) -> dict[str, tuple[str, int]]:
    """Return the ports of a master, with their bits."""
    a = "aw" if is_write else "ar"
    bus = {"base": ("input", ADDRESS_BITS), f"{a}addr": ("output", ADDRESS_BITS)}
    bus |= {f"{a}len": ("output", 8), f"{a}valid": ("output", 1), f"{a}ready": ("input", 1)}
    if is_write:
        bus |= {"wdata": ("output", bits), "wlast": ("output", 1), "wvalid": ("output", 1)}
        return bus | {"wready": ("input", 1), "bvalid": ("input", 1), "bready": ("output", 1)}
    return bus | {"rdata": ("input", bits), "rvalid": ("input", 1), "rready": ("output", 1)}


def _stream(bits: int, is_write: bool) -> dict[str, tuple[str, int]]:
    """Return the ports of a stream, with their bits."""
    given, taken = ("output", "input") if is_write else ("input", "output")
    stream = {"tdata": (given, bits), "tvalid": (given, 1), "tready": (taken, 1)}
    return {**stream, "tlast": (given, 1)}


def movers_of(
    processes: Sequence[ProcessModule], streams: Mapping[str, WordStream]
) -> dict[str, ProcessModule]:
    """Return the process that moves each array off the chip."""
    return {
        name: next(p for p in processes if f"{identifier(name)}_{_wires(stream)[0]}" in p.ports)
        for name, stream in streams.items()
    }


def _wires(stream: WordStream) -> tuple[str, str, str]:
    """Return the ports of a mover to a stream."""
    written, read = ("writable", "write", "given"), ("readable", "read", "taken")
    return written if stream.is_written else read


def _stored(stream: WordStream, given: str, part: int) -> Iterator[str]:
    """Yield elements as they stand in memory, and zeros where a word has room for more."""
    bits, stored = stream.fifo.element.bits, stream.fifo.element.outside_bits
    first, whole = part * stream.words.lanes, prod(stream.fifo.lanes)
    for at in range(stream.words.stride_elems):
        lane = first + at
        if at >= stream.words.lanes or lane >= whole:
            yield f"{stored}'d0"
            continue
        one = f"{given}[{lane * bits + bits - 1}:{lane * bits}]" if whole * bits > 1 else given
        sign = f"{given}[{lane * bits + bits - 1}]" if stream.fifo.element.is_signed else "1'b0"
        yield one if stored == bits else f"{{{{{stored - bits}{{{sign}}}}}, {one}}}"
